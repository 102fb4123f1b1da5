//! Rows of coprime integers: the one form in which a rational direction is stored, compared and
//! multiplied.
//!
//! A linear condition, a generator of a subspace, a ray: none changes when it is multiplied by a
//! positive number. Clearing denominators and dividing by the greatest common divisor leaves one
//! representative, the *primitive* row, with the signs kept. Entries are `i64` while they all fit,
//! then `i128`, then big integers; which of them a product needs is decided beforehand from bit
//! lengths, so no operation is tried and repeated.

use std::cmp::Ordering;
use std::fmt;

use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd, UnsignedAbs};

use super::Rational;
use crate::invariant::{Invariant, broken};

/// A vector of integers whose greatest common divisor is 1 (or 0, for the zero row).
///
/// A row has exactly one representation, so equality and hashing are structural. Rows of equal
/// length are ordered lexicographically by value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Row(RowRepr);

/// Each variant is used only when the one before is too narrow.
#[derive(Clone, PartialEq, Eq, Hash)]
enum RowRepr {
    Small(Box<[i64]>),
    Wide(Box<[i128]>),
    Big(Box<[IBig]>),
}

impl Row {
    /// The primitive row in the direction of `vector`.
    pub fn direction(vector: &[Rational]) -> Self {
        Self::cleared(None, vector)
    }

    /// The homogeneous row `(1, x)` of a point, made primitive.
    pub fn point(x: &[Rational]) -> Self {
        Self::cleared(Some(&Rational::ONE), x)
    }

    /// The homogeneous row `(0, r)` of a ray, made primitive.
    pub fn ray(r: &[Rational]) -> Self {
        Self::cleared(Some(&Rational::ZERO), r)
    }

    /// The primitive row in the direction of `entries`.
    pub fn from_integers(entries: Vec<IBig>) -> Self {
        let narrow: Option<Vec<i128>> =
            entries.iter().map(|entry| i128::try_from(entry).ok()).collect();
        match narrow {
            Some(narrow) if narrow.iter().all(|&entry| entry != i128::MIN) => {
                Self::from_wide(narrow)
            }
            _ => Self::from_big(entries),
        }
    }

    fn cleared(first: Option<&Rational>, rest: &[Rational]) -> Self {
        let entries = first.into_iter().chain(rest);
        let small = entries.clone().try_fold(1i64, |lcm, entry| {
            let (_, den) = entry.as_small()?;
            if lcm % den == 0 {
                Some(lcm)
            } else {
                lcm.checked_mul(den / small_gcd(lcm.unsigned_abs(), den.unsigned_abs()) as i64)
            }
        });
        match small {
            Some(lcm) => {
                let factors = entries.map(|entry| small_factors(entry, lcm));
                let narrow: Option<Box<[i64]>> =
                    factors.clone().map(|(num, factor)| num.checked_mul(factor)).collect();
                match narrow {
                    Some(mut narrow) => {
                        divide_by_gcd(&mut narrow);
                        Row(RowRepr::Small(narrow))
                    }
                    // |num| · lcm < 2^126.
                    None => Self::from_wide(
                        factors.map(|(num, factor)| i128::from(num) * i128::from(factor)).collect(),
                    ),
                }
            }
            None => {
                let lcm = entries
                    .clone()
                    .fold(IBig::ONE, |multiple, entry| lcm(multiple, entry.denominator()));
                Self::from_big(entries.map(|entry| numerator_over(entry, &lcm)).collect())
            }
        }
    }

    /// The primitive row in the direction of `entries`, unless one of them is `i128::MIN`.
    pub(super) fn from_narrow(entries: Vec<i128>) -> Option<Self> {
        entries.iter().all(|&entry| entry != i128::MIN).then(|| Self::from_wide(entries))
    }

    /// No entry may be `i128::MIN`.
    fn from_wide(mut entries: Vec<i128>) -> Self {
        if let Some(gcd) = gcd_of(&entries).filter(|&gcd| gcd > 1) {
            entries.iter_mut().for_each(|entry| *entry /= gcd);
        }
        match entries.iter().map(|&entry| i64::try_from(entry)).collect::<Result<Box<[i64]>, _>>() {
            Ok(small) => Row(RowRepr::Small(small)),
            Err(_) => Row(RowRepr::Wide(entries.into())),
        }
    }

    fn from_big(mut entries: Vec<IBig>) -> Self {
        let mut gcd = IBig::ZERO;
        for entry in entries.iter().filter(|entry| **entry != IBig::ZERO) {
            gcd = if gcd == IBig::ZERO {
                entry.unsigned_abs().into()
            } else {
                (&gcd).gcd(entry).into()
            };
            if gcd == IBig::ONE {
                break;
            }
        }
        if gcd > IBig::ONE {
            entries.iter_mut().for_each(|entry| *entry /= &gcd);
        }
        let wide: Option<Vec<i128>> =
            entries.iter().map(|e| i128::try_from(e).ok().filter(|&e| e != i128::MIN)).collect();
        match wide {
            Some(wide) => Self::from_wide(wide),
            None => Row(RowRepr::Big(entries.into())),
        }
    }

    /// How many entries the row has.
    pub fn len(&self) -> usize {
        match &self.0 {
            RowRepr::Small(entries) => entries.len(),
            RowRepr::Wide(entries) => entries.len(),
            RowRepr::Big(entries) => entries.len(),
        }
    }

    /// Whether the row has no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether all entries are zero.
    pub fn is_zero(&self) -> bool {
        self.leading().is_none()
    }

    /// The column of the first entry that is not zero.
    pub fn leading(&self) -> Option<usize> {
        (0..self.len()).find(|&column| self.signum(column) != 0)
    }

    /// The sign of one entry: `-1`, `0` or `1`. A column past the end reads as zero.
    pub fn signum(&self, column: usize) -> i32 {
        match &self.0 {
            RowRepr::Small(entries) => entries.get(column).map_or(0, |entry| entry.signum() as i32),
            RowRepr::Wide(entries) => entries.get(column).map_or(0, |entry| entry.signum() as i32),
            RowRepr::Big(entries) => {
                entries.get(column).map_or(0, |entry| entry.cmp(&IBig::ZERO) as i32)
            }
        }
    }

    /// One entry. A column past the end reads as zero.
    pub fn integer(&self, column: usize) -> IBig {
        match &self.0 {
            RowRepr::Small(entries) => {
                entries.get(column).map_or(IBig::ZERO, |&entry| entry.into())
            }
            RowRepr::Wide(entries) => entries.get(column).map_or(IBig::ZERO, |&entry| entry.into()),
            RowRepr::Big(entries) => entries.get(column).cloned().unwrap_or(IBig::ZERO),
        }
    }

    /// What the point of a homogeneous row has in a column other than 0.
    pub fn coordinate(&self, column: usize) -> Rational {
        self.entry(column)
            .checked_div(&self.entry(0))
            .invariant("the homogeneous coordinate of a point is positive")
    }

    /// One entry, as a rational number. A column past the end reads as zero.
    pub fn entry(&self, column: usize) -> Rational {
        if let RowRepr::Small(entries) = &self.0 {
            return Rational::integer(entries.get(column).copied().unwrap_or(0));
        }
        Rational::from_integers(self.integer(column), IBig::ONE).invariant("one is not zero")
    }

    /// All entries, when each is a machine integer.
    pub fn as_small(&self) -> Option<&[i64]> {
        match &self.0 {
            RowRepr::Small(entries) => Some(entries),
            _ => None,
        }
    }

    /// The row with all signs turned.
    #[must_use]
    pub fn negated(&self) -> Self {
        match &self.0 {
            RowRepr::Small(entries) => {
                Self::from_wide(entries.iter().map(|&entry| -i128::from(entry)).collect())
            }
            RowRepr::Wide(entries) => Self::from_wide(entries.iter().map(|entry| -entry).collect()),
            RowRepr::Big(entries) => Self::from_big(entries.iter().map(|entry| -entry).collect()),
        }
    }

    /// The largest bit length of an entry: every magnitude is below `2^bits`.
    pub(super) fn bits(&self) -> u32 {
        match &self.0 {
            RowRepr::Small(entries) => {
                64 - entries.iter().fold(0, |or, entry| or | entry.unsigned_abs()).leading_zeros()
            }
            RowRepr::Wide(entries) => {
                128 - entries.iter().fold(0, |or, entry| or | entry.unsigned_abs()).leading_zeros()
            }
            RowRepr::Big(entries) => {
                entries.iter().map(|entry| entry.unsigned_abs().bit_len() as u32).max().unwrap_or(0)
            }
        }
    }

    /// How `self · other` compares to zero, exactly. The shorter row is read as if zeros followed.
    pub fn dot_sign(&self, other: &Row) -> Ordering {
        self.dot_sign_on(self.bits(), (0..self.len()).zip(0..self.len()), other, other.bits())
    }

    /// The sign of `Σ self[i] · other[j]` over the given pairs `(i, j)`, with both bit lengths
    /// known.
    #[inline]
    pub(super) fn dot_sign_on(
        &self,
        own_bits: u32,
        pairs: impl ExactSizeIterator<Item = (usize, usize)>,
        other: &Row,
        other_bits: u32,
    ) -> Ordering {
        let bound = own_bits + other_bits + pairs.len().next_power_of_two().trailing_zeros();
        match (&self.0, &other.0) {
            (RowRepr::Small(a), RowRepr::Small(b)) if bound <= 63 => {
                pairs.map(|(i, j)| entry_at(a, i) * entry_at(b, j)).sum::<i64>().cmp(&0)
            }
            (RowRepr::Small(a), RowRepr::Small(b)) if bound <= 127 => pairs
                .map(|(i, j)| i128::from(entry_at(a, i)) * i128::from(entry_at(b, j)))
                .sum::<i128>()
                .cmp(&0),
            (RowRepr::Small(a), RowRepr::Wide(b)) | (RowRepr::Wide(b), RowRepr::Small(a))
                if bound <= 127 =>
            {
                let swapped = matches!(self.0, RowRepr::Wide(_));
                let pairs = pairs.map(|(i, j)| if swapped { (j, i) } else { (i, j) });
                pairs
                    .map(|(i, j)| i128::from(entry_at(a, i)) * entry_at(b, j))
                    .sum::<i128>()
                    .cmp(&0)
            }
            _ => pairs
                .fold(IBig::ZERO, |sum, (i, j)| sum + self.integer(i) * other.integer(j))
                .cmp(&IBig::ZERO),
        }
    }

    /// A multiple of `self` minus a multiple of `pivot`, such that `column` becomes zero; the
    /// multiple of `self` is positive.
    ///
    /// `pivot` must be positive in `column`; both rows have the same length.
    pub(super) fn eliminated(&self, pivot: &Row, column: usize) -> Self {
        match (self.narrow(), pivot.narrow(), self.bits() + pivot.bits() < 127) {
            (Some(own), Some(other), true) => {
                let (a, b) = (own(column), other(column));
                // Dividing by the common part of the factors keeps most rows in the narrow tier.
                let gcd = wide_gcd(a.unsigned_abs(), b.unsigned_abs()).max(1) as i128;
                let (a, b) = (a / gcd, b / gcd);
                Self::from_wide((0..self.len()).map(|i| own(i) * b - other(i) * a).collect())
            }
            _ => {
                let (a, b) = (self.integer(column), pivot.integer(column));
                Self::from_big(
                    (0..self.len()).map(|i| self.integer(i) * &b - pivot.integer(i) * &a).collect(),
                )
            }
        }
    }

    fn narrow(&self) -> Option<impl Fn(usize) -> i128 + '_> {
        (!matches!(self.0, RowRepr::Big(_))).then_some(|column: usize| match &self.0 {
            RowRepr::Small(entries) => entries.get(column).map_or(0, |&entry| entry.into()),
            RowRepr::Wide(entries) => entries.get(column).copied().unwrap_or(0),
            RowRepr::Big(_) => broken("a row of big integers is not narrow"),
        })
    }
}

impl Ord for Row {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (RowRepr::Small(a), RowRepr::Small(b)) => a.cmp(b),
            (RowRepr::Wide(a), RowRepr::Wide(b)) => a.cmp(b),
            _ => {
                let differing = (0..self.len().min(other.len()))
                    .map(|i| self.integer(i).cmp(&other.integer(i)));
                differing
                    .into_iter()
                    .find(|order| order.is_ne())
                    .unwrap_or(self.len().cmp(&other.len()))
            }
        }
    }
}

impl PartialOrd for Row {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..self.len()).map(|i| self.integer(i))).finish()
    }
}

/// One entry. A column past the end reads as zero.
#[inline]
fn entry_at<T: Copy + Default>(entries: &[T], column: usize) -> T {
    entries.get(column).copied().unwrap_or_default()
}

/// The numerator of a small number, and the factor that brings its denominator to `lcm`; zero where
/// the number is not small.
#[inline]
fn small_factors(value: &Rational, lcm: i64) -> (i64, i64) {
    match value.as_small().unwrap_or((0, 1)) {
        (num, 1) => (num, lcm),
        (num, den) if den == lcm => (num, 1),
        (num, den) => (num, lcm / den),
    }
}

/// The least common multiple of positive integers.
pub(super) fn lcm(a: IBig, b: IBig) -> IBig {
    let gcd = IBig::from((&a).gcd(&b));
    a * (b / gcd)
}

/// The numerator that `value` has over a multiple of its denominator.
pub(super) fn numerator_over(value: &Rational, multiple: &IBig) -> IBig {
    value.numerator() * (multiple / value.denominator())
}

/// The greatest common divisor of all entries; 1 when all are zero, `None` when it is 2^127.
pub(super) fn gcd_of(entries: &[i128]) -> Option<i128> {
    let mut gcd = 0u128;
    for entry in entries {
        gcd = wide_gcd(gcd, entry.unsigned_abs());
        if gcd == 1 {
            break;
        }
    }
    i128::try_from(gcd.max(1)).ok()
}

fn divide_by_gcd(entries: &mut [i64]) {
    let mut gcd = 0;
    for entry in entries.iter() {
        gcd = small_gcd(gcd, entry.unsigned_abs());
        if gcd == 1 {
            return;
        }
    }
    // 2^63, the magnitude of i64::MIN, is no i64: then every entry is that or zero.
    match i64::try_from(gcd) {
        Ok(gcd) if gcd > 1 => entries.iter_mut().for_each(|entry| *entry /= gcd),
        Ok(_) => {}
        Err(_) => entries.iter_mut().for_each(|entry| *entry = entry.signum()),
    }
}

fn small_gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Greatest common divisor, where `gcd(0, x) = x`; machine words whenever both fit, since they
/// divide ten times as fast.
fn wide_gcd(a: u128, b: u128) -> u128 {
    match (u64::try_from(a), u64::try_from(b)) {
        (Ok(a), Ok(b)) => small_gcd(a, b).into(),
        _ if a == 0 || b == 0 => a | b,
        _ => a.gcd(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = IBig> {
        prop_oneof![
            (-9i64..9).prop_map(IBig::from),
            any::<i64>().prop_map(IBig::from),
            Just(IBig::from(i64::MIN)),
            Just(IBig::from(i128::MIN)),
            any::<i128>().prop_map(|x| IBig::from(x >> 20)),
            any::<i128>().prop_map(|x| IBig::from(x) * IBig::from(i64::MAX)),
        ]
    }

    fn numbers() -> impl Strategy<Value = Vec<IBig>> {
        prop_oneof![
            prop::collection::vec((-9i64..9).prop_map(IBig::from), 4),
            prop::collection::vec(number(), 4)
        ]
    }

    fn integers(row: &Row) -> Vec<IBig> {
        (0..row.len()).map(|i| row.integer(i)).collect()
    }

    proptest! {
        #[test]
        fn a_row_is_primitive_parallel_and_unique(entries in numbers(), factor in 1i64..1000) {
            let row = Row::from_integers(entries.clone());
            let back = integers(&row);
            for i in 0..4 {
                for j in 0..4 {
                    prop_assert_eq!(&entries[i] * &back[j], &entries[j] * &back[i]);
                }
                prop_assert_eq!(entries[i].cmp(&IBig::ZERO), back[i].cmp(&IBig::ZERO));
            }
            prop_assert_eq!(
                &row,
                &Row::from_integers(entries.iter().map(|e| e * IBig::from(factor)).collect())
            );
            prop_assert_eq!(&row, &Row::from_big(entries.clone()));
            let parts: Vec<Rational> = entries
                .iter()
                .map(|e| Rational::from_integers(e.clone(), factor.into()).unwrap())
                .collect();
            prop_assert_eq!(&row, &Row::direction(&parts));
            prop_assert_eq!(row.negated().negated(), row);
        }

        #[test]
        fn signs_and_order_are_those_of_big_integers(a in numbers(), b in numbers()) {
            let (row, other) = (Row::from_integers(a), Row::from_integers(b));
            let (a, b) = (integers(&row), integers(&other));
            let dot = a.iter().zip(&b).fold(IBig::ZERO, |sum, (x, y)| sum + x * y);
            prop_assert_eq!(row.dot_sign(&other), dot.cmp(&IBig::ZERO));
            prop_assert_eq!(row.cmp(&other), a.cmp(&b));
            for column in (0..4).filter(|&column| other.signum(column) > 0) {
                let expected = (0..4).map(|i| &a[i] * &b[column] - &b[i] * &a[column]).collect();
                prop_assert_eq!(row.eliminated(&other, column), Row::from_big(expected));
            }
        }
    }

    #[test]
    fn points_and_rays_are_homogeneous() {
        let x = [Rational::new(1, 2).unwrap(), Rational::new(-2, 3).unwrap()];
        assert_eq!(integers(&Row::point(&x)), [6, 3, -4].map(IBig::from));
        assert_eq!(integers(&Row::ray(&x)), [0, 3, -4].map(IBig::from));
        assert_eq!(integers(&Row::direction(&[Rational::ZERO])), [IBig::ZERO]);
    }
}
