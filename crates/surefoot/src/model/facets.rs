//! Many linear conditions over the same few numbers, decided exactly and fast: doubles with a bound on their error first, integers
//! where they cannot tell.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::expression::Comparison;
use crate::exact::{Rational, Row};

/// Doubles up to this hold every integer.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Below this products of doubles may lose digits without a relative bound.
const TINY: f64 = 1e-280;
/// How many facets that failed lately are tried first.
const HOT: usize = 6;

/// What a linear form must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sign {
    NotPositive,
    Negative,
    Zero,
}

/// Linear conditions `row · (1, x) ≤ 0` (or `< 0`, `= 0`).
#[derive(Clone, Debug, Default)]
pub(super) struct Facets {
    /// 1 + the number of columns.
    width: usize,
    /// The rows as doubles, one after the other.
    doubles: Vec<f64>,
    /// Whether a row's doubles are exactly its integers.
    exact: Vec<bool>,
    signs: Vec<Sign>,
    rows: Vec<Row>,
}

/// Which facets failed lately: a state that fails one often fails it again in the next step.
pub(super) type Hot = SmallVec<[u32; HOT]>;

impl Facets {
    pub(super) fn new(columns: usize) -> Self {
        Facets { width: columns + 1, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds the condition that `form[0] + Σ form[i] · x[i - 1]` compares to zero so.
    pub(super) fn push(&mut self, form: &[Rational], comparison: Comparison) {
        let row = Row::direction(form);
        let (row, sign) = match comparison {
            Comparison::LessOrEqual => (row, Sign::NotPositive),
            Comparison::Less => (row, Sign::Negative),
            Comparison::Equal => (row, Sign::Zero),
            Comparison::GreaterOrEqual => (row.negated(), Sign::NotPositive),
            Comparison::Greater => (row.negated(), Sign::Negative),
        };
        let start = self.doubles.len();
        self.doubles.extend((0..self.width).map(|column| row.entry(column).to_f64()));
        self.exact.push(row.as_small().is_some() && self.doubles[start..].iter().all(|entry| entry.abs() <= EXACT));
        self.signs.push(sign);
        self.rows.push(row);
    }

    /// Whether all conditions hold at a point.
    pub(super) fn contain(&self, point: &mut Point<'_>, hot: &mut Hot) -> bool {
        for place in 0..hot.len() {
            if !self.holds(hot[place] as usize, point) {
                hot[..=place].rotate_right(1);
                return false;
            }
        }
        match (0..self.len()).find(|&facet| !self.holds(facet, point)) {
            None => true,
            Some(failing) => {
                hot.truncate(HOT - 1);
                hot.insert(0, failing as u32);
                false
            }
        }
    }

    #[inline]
    fn holds(&self, facet: usize, point: &mut Point<'_>) -> bool {
        let row = &self.doubles[facet * self.width..(facet + 1) * self.width];
        let (mut sum, mut size) = (0.0, 0.0);
        for (coefficient, value) in row.iter().zip(&point.doubles) {
            let term = coefficient * value;
            sum += term;
            size += term.abs();
        }
        // Integers whose sum of magnitudes stays small are added without rounding. Otherwise: each factor carries at most
        // `error` relative roundings, each product one more, each addition one more.
        let decided = (point.integers && self.exact[facet] && size <= EXACT)
            || (size > TINY && sum.abs() > (point.error + self.width as f64) * f64::EPSILON * size);
        let order = if decided && size.is_finite() {
            sum.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
        } else {
            self.rows[facet].dot_sign(point.row.get_or_insert_with(|| Row::point(point.values)))
        };
        match self.signs[facet] {
            Sign::NotPositive => order.is_le(),
            Sign::Negative => order.is_lt(),
            Sign::Zero => order.is_eq(),
        }
    }
}

/// A point, in the forms that [`Facets`] are decided in.
pub(super) struct Point<'v> {
    values: &'v [Rational],
    /// A positive multiple of `(1, values)`, possibly rounded.
    doubles: SmallVec<[f64; 12]>,
    /// Whether the doubles are integers, and exact.
    integers: bool,
    /// A bound on the relative roundings in a coefficient and in a value together.
    error: f64,
    row: Option<Row>,
}

impl<'v> Point<'v> {
    pub(super) fn new(values: &'v [Rational]) -> Self {
        let (doubles, integers) = match common(values) {
            Some(scaled) => (scaled, true),
            None => (std::iter::once(1.0).chain(values.iter().map(Rational::to_f64)).collect(), false),
        };
        // A quotient of two machine integers is rounded three times, a coefficient at most as often; doubled for safety. Values so
        // small that a double loses their digits are left to the integers.
        let lossy = doubles
            .iter()
            .zip(std::iter::once(&Rational::ONE).chain(values))
            .any(|(double, value)| !integers && double.abs() < TINY && !value.is_zero());
        Point { values, doubles, integers, error: if lossy { f64::INFINITY } else { 16.0 }, row: None }
    }
}

/// The point times a common denominator, where all of that are integers a double holds.
fn common(values: &[Rational]) -> Option<SmallVec<[f64; 12]>> {
    let mut denominator: i64 = 1;
    for value in values {
        let (_, den) = value.as_small()?;
        if denominator % den != 0 {
            let (mut a, mut b) = (denominator, den);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            denominator = (denominator / a).checked_mul(den)?;
        }
    }
    let mut scaled = SmallVec::with_capacity(values.len() + 1);
    scaled.push(denominator as f64);
    for value in values {
        let (num, den) = value.as_small()?;
        scaled.push(num.checked_mul(denominator / den)? as f64);
    }
    scaled.iter().all(|entry: &f64| entry.abs() < EXACT).then_some(scaled)
}
