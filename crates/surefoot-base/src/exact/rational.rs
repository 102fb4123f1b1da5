//! Rational numbers: a pair of machine integers while they fit, big integers when they do not.
//!
//! The two tiers are invisible from outside: a value has exactly one representation (lowest terms,
//! positive denominator, machine integers whenever both parts fit in 64 bits), so equality and
//! hashing are structural.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use dashu_int::ops::{BitTest, Gcd, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::invariant::Invariant;

/// An exact rational number.
///
/// Arithmetic never rounds and never overflows: results that outgrow machine integers move to big
/// integers, and move back when they shrink.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(RationalRepr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum RationalRepr {
    /// Lowest terms, `den > 0`.
    Small { num: i64, den: i64 },
    /// Lowest terms, and at least one part does not fit in an `i64`.
    Big(Box<RBig>),
}

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational(RationalRepr::Small { num: 0, den: 1 });
    /// One.
    pub const ONE: Rational = Rational(RationalRepr::Small { num: 1, den: 1 });

    /// The integer `value`.
    pub const fn integer(value: i64) -> Self {
        Rational(RationalRepr::Small { num: value, den: 1 })
    }

    /// `num / den` in lowest terms, or `None` when `den` is zero.
    pub fn new(num: i64, den: i64) -> Option<Self> {
        (den != 0).then(|| Self::reduced(num.into(), den.into()))
    }

    /// `num / den` in lowest terms, or `None` when `den` is zero.
    pub fn from_integers(num: IBig, den: IBig) -> Option<Self> {
        if den == IBig::ZERO {
            return None;
        }
        let num = if den < IBig::ZERO { -num } else { num };
        Some(Self::from_big(RBig::from_parts(num, den.unsigned_abs())))
    }

    /// Both parts as machine integers (the second positive), when they fit.
    #[inline]
    pub fn as_small(&self) -> Option<(i64, i64)> {
        match self.0 {
            RationalRepr::Small { num, den } => Some((num, den)),
            RationalRepr::Big(_) => None,
        }
    }

    /// How many bits the larger of both parts has.
    pub fn bits(&self) -> usize {
        match &self.0 {
            RationalRepr::Small { num, den } => {
                (i64::BITS - num.unsigned_abs().leading_zeros().min(den.leading_zeros())) as usize
            }
            RationalRepr::Big(big) => big.numerator().bit_len().max(big.denominator().bit_len()),
        }
    }

    /// The numerator of the lowest terms; carries the sign.
    pub fn numerator(&self) -> IBig {
        match &self.0 {
            RationalRepr::Small { num, .. } => IBig::from(*num),
            RationalRepr::Big(big) => big.numerator().clone(),
        }
    }

    /// The denominator of the lowest terms; positive.
    pub fn denominator(&self) -> IBig {
        match &self.0 {
            RationalRepr::Small { den, .. } => IBig::from(*den),
            RationalRepr::Big(big) => IBig::from(big.denominator().clone()),
        }
    }

    /// Whether the value is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, RationalRepr::Small { num: 0, .. })
    }

    /// Whether the value is a whole number.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            RationalRepr::Small { den, .. } => *den == 1,
            RationalRepr::Big(big) => big.denominator().is_one(),
        }
    }

    /// `-1`, `0` or `1`.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            RationalRepr::Small { num, .. } => num.signum() as i32,
            RationalRepr::Big(big) if *big.numerator() < IBig::ZERO => -1,
            RationalRepr::Big(_) => 1,
        }
    }

    /// The absolute value.
    pub fn abs(&self) -> Self {
        if self.signum() < 0 { -self } else { self.clone() }
    }

    /// The quotient, or `None` when `divisor` is zero.
    pub fn checked_div(&self, divisor: &Self) -> Option<Self> {
        match (&self.0, &divisor.0) {
            (_, RationalRepr::Small { num: 0, .. }) => None,
            (RationalRepr::Small { num: a, den: b }, RationalRepr::Small { num: c, den: d }) => {
                Some(Self::reduced(
                    i128::from(*a) * i128::from(*d),
                    i128::from(*b) * i128::from(*c),
                ))
            }
            _ => Some(Self::from_big(self.to_big() / divisor.to_big())),
        }
    }

    /// The multiplicative inverse, or `None` for zero.
    pub fn recip(&self) -> Option<Self> {
        Self::ONE.checked_div(self)
    }

    /// The nearest double; for pictures and sorting hints only, never for decisions.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            RationalRepr::Small { num, den } => *num as f64 / *den as f64,
            RationalRepr::Big(big) => big.to_f64().value(),
        }
    }

    /// The value as a plain decimal (`-1.5`, `20`), when it has a finite one.
    pub fn to_decimal(&self) -> Option<String> {
        let (mut rest, mut places) = (self.denominator().unsigned_abs(), 0usize);
        let (two, five, ten) = (UBig::from(2u8), UBig::from(5u8), UBig::from(10u8));
        let twos = rest.trailing_zeros().invariant("a denominator is not zero");
        rest >>= twos;
        while (&rest % &five).is_zero() {
            rest /= &five;
            places += 1;
        }
        if !rest.is_one() {
            return None;
        }
        let fives = places;
        let places = places.max(twos);
        if places == 0 {
            return Some(self.numerator().to_string());
        }
        // num / (2^twos 5^fives) = num · 2^(places-twos) · 5^(places-fives) / 10^places
        let scaled =
            self.numerator().unsigned_abs() * two.pow(places - twos) * five.pow(places - fives);
        let power = ten.pow(places);
        let sign = if self.signum() < 0 { "-" } else { "" };
        Some(format!("{sign}{}.{:0>places$}", &scaled / &power, (&scaled % &power).to_string()))
    }

    fn reduced(num: i128, den: i128) -> Self {
        let gcd = gcd(num.unsigned_abs(), den.unsigned_abs());
        // gcd ≤ |den| ≤ 2^126, so it is a positive i128.
        let gcd = if den < 0 { -(gcd as i128) } else { gcd as i128 };
        let (num, den) = (num / gcd, den / gcd);
        match (i64::try_from(num), i64::try_from(den)) {
            (Ok(num), Ok(den)) => Rational(RationalRepr::Small { num, den }),
            _ => Rational(RationalRepr::Big(Box::new(RBig::from_parts(
                num.into(),
                den.unsigned_abs().into(),
            )))),
        }
    }

    fn from_big(big: RBig) -> Self {
        match (i64::try_from(big.numerator()), i64::try_from(big.denominator())) {
            (Ok(num), Ok(den)) => Rational(RationalRepr::Small { num, den }),
            _ => Rational(RationalRepr::Big(Box::new(big))),
        }
    }

    fn to_big(&self) -> RBig {
        match &self.0 {
            RationalRepr::Small { num, den } => {
                RBig::from_parts((*num).into(), den.unsigned_abs().into())
            }
            RationalRepr::Big(big) => (**big).clone(),
        }
    }
}

/// Greatest common divisor; machine words whenever both fit, since a 128-bit division costs ten
/// times as much.
fn gcd(a: u128, b: u128) -> u128 {
    match (u64::try_from(a), u64::try_from(b)) {
        (Ok(_), Ok(1)) => 1,
        (Ok(mut a), Ok(mut b)) => {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a.into()
        }
        _ => a.gcd(b),
    }
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (RationalRepr::Small { num: a, den: 1 }, RationalRepr::Small { num: c, den: 1 }) => {
                match a.checked_add(*c) {
                    Some(sum) => Rational::integer(sum),
                    None => Rational::reduced(i128::from(*a) + i128::from(*c), 1),
                }
            }
            (RationalRepr::Small { num: a, den: b }, RationalRepr::Small { num: c, den: d }) => {
                let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
                // Each product is below 2^126, so the sum is below 2^127.
                Rational::reduced(a * d + c * b, b * d)
            }
            _ => Rational::from_big(self.to_big() + other.to_big()),
        }
    }
}

impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (RationalRepr::Small { num: a, den: b }, RationalRepr::Small { num: c, den: d }) => {
                Rational::reduced(i128::from(*a) * i128::from(*c), i128::from(*b) * i128::from(*d))
            }
            _ => Rational::from_big(self.to_big() * other.to_big()),
        }
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        match &self.0 {
            RationalRepr::Small { num, den } if *num != i64::MIN => {
                Rational(RationalRepr::Small { num: -num, den: *den })
            }
            _ => Rational::from_big(-self.to_big()),
        }
    }
}

impl AddAssign<&Rational> for Rational {
    fn add_assign(&mut self, other: &Rational) {
        *self = &*self + other;
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (RationalRepr::Small { num: a, den: b }, RationalRepr::Small { num: c, den: d }) => {
                if b == d {
                    a.cmp(c)
                } else {
                    (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
                }
            }
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Self::integer(value)
    }
}

/// A finite decimal if there is one, otherwise `num/den`.
impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_decimal() {
            Some(decimal) => f.write_str(&decimal),
            None => write!(f, "{}/{}", self.numerator(), self.denominator()),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator(), self.denominator())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Values on both sides of the border between the tiers.
    fn any_rational() -> impl Strategy<Value = Rational> {
        let part = prop_oneof![
            -20i128..20,
            any::<i64>().prop_map(i128::from),
            Just(i128::from(i64::MIN)),
            Just(i128::from(i64::MAX)),
            any::<i128>().prop_map(|x| x >> 30),
        ];
        (part.clone(), part).prop_filter_map("zero denominator", |(num, den)| {
            Rational::from_integers(num.into(), den.into())
        })
    }

    proptest! {
        #[test]
        fn each_tier_agrees_with_the_big_one(a in any_rational(), b in any_rational()) {
            prop_assert_eq!(&a + &b, Rational::from_big(a.to_big() + b.to_big()));
            prop_assert_eq!(&a - &b, Rational::from_big(a.to_big() - b.to_big()));
            prop_assert_eq!(&a * &b, Rational::from_big(a.to_big() * b.to_big()));
            prop_assert_eq!(a.cmp(&b), a.to_big().cmp(&b.to_big()));
            prop_assert_eq!(-&a, Rational::from_big(-a.to_big()));
            match a.checked_div(&b) {
                Some(quotient) => {
                    prop_assert_eq!(quotient, Rational::from_big(a.to_big() / b.to_big()))
                }
                None => prop_assert!(b.is_zero()),
            }
        }

        #[test]
        fn a_value_has_one_representation(a in any_rational(), b in any_rational()) {
            let there_and_back = &(&a + &b) - &b;
            prop_assert_eq!(&there_and_back, &a);
            prop_assert_eq!(there_and_back.as_small(), a.as_small());
            prop_assert_eq!(a.signum(), a.cmp(&Rational::ZERO) as i32);
        }
    }

    #[test]
    fn decimals_are_written_where_they_are_finite() {
        let show = |num, den| Rational::new(num, den).unwrap().to_string();
        assert_eq!(show(3, 2), "1.5");
        assert_eq!(show(-1, 8), "-0.125");
        assert_eq!(show(1, 80), "0.0125");
        assert_eq!(show(20, 1), "20");
        assert_eq!(show(-20, -10), "2");
        assert_eq!(show(1, 3), "1/3");
        assert_eq!(show(-7, 6), "-7/6");
        assert_eq!(show(i64::MIN, -1), "9223372036854775808");
    }
}
