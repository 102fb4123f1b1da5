//! Plain Gaussian elimination over the rationals.

use dashu_int::IBig;

use crate::exact::Rational;

/// The span of some rows, in fully reduced form: each kept row has a one at its pivot, where all others have a zero.
#[derive(Clone)]
pub(super) struct Span {
    columns: usize,
    rows: Vec<(usize, Vec<Rational>)>,
}

impl Span {
    pub(super) fn new(columns: usize) -> Self {
        Span { columns, rows: Vec::new() }
    }

    pub(super) fn of<'r>(columns: usize, rows: impl IntoIterator<Item = &'r Vec<Rational>>) -> Self {
        let mut span = Span::new(columns);
        for row in rows {
            span.insert(row);
        }
        span
    }

    pub(super) fn rank(&self) -> usize {
        self.rows.len()
    }

    /// What is left of a row when multiples of the kept ones are taken away; zero for what lies in the span.
    fn rest(&self, row: &[Rational]) -> Vec<Rational> {
        let mut rest = row.to_vec();
        for (pivot, kept) in &self.rows {
            subtract(&mut rest, kept, *pivot);
        }
        rest
    }

    pub(super) fn contains(&self, row: &[Rational]) -> bool {
        self.rest(row).iter().all(Rational::is_zero)
    }

    /// Adds a row; whether it was not in the span.
    pub(super) fn insert(&mut self, row: &[Rational]) -> bool {
        if self.rank() == self.columns {
            return false;
        }
        let mut rest = self.rest(row);
        let Some(pivot) = rest.iter().position(|value| !value.is_zero()) else { return false };
        let Some(scale) = rest[pivot].recip() else { return false };
        rest.iter_mut().for_each(|value| *value = &*value * &scale);
        for (_, kept) in &mut self.rows {
            subtract(kept, &rest, pivot);
        }
        self.rows.push((pivot, rest));
        true
    }

    pub(super) fn has_pivot(&self, column: usize) -> bool {
        self.rows.iter().any(|(pivot, _)| *pivot == column)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Vec<Rational>> {
        self.rows.iter().map(|(_, row)| row)
    }

    /// A basis of the rows that are orthogonal to the span: one for each column that is no pivot.
    pub(super) fn null_space(&self) -> Vec<Vec<Rational>> {
        let free = (0..self.columns).filter(|column| !self.has_pivot(*column));
        let orthogonal = |column: usize| {
            let mut vector = vec![Rational::ZERO; self.columns];
            vector[column] = Rational::ONE;
            for (pivot, row) in &self.rows {
                vector[*pivot] = -&row[column];
            }
            vector
        };
        free.map(orthogonal).collect()
    }
}

/// Takes away the multiple of `kept` (which is one at `pivot`) that makes `row` zero there.
fn subtract(row: &mut [Rational], kept: &[Rational], pivot: usize) {
    let factor = row[pivot].clone();
    if factor.is_zero() {
        return;
    }
    for (value, other) in row.iter_mut().zip(kept) {
        if !other.is_zero() {
            *value = &*value - &(&factor * other);
        }
    }
}

pub(super) fn dot(one: &[Rational], other: &[Rational]) -> Rational {
    one.iter().zip(other).fold(Rational::ZERO, |sum, (a, b)| if a.is_zero() || b.is_zero() { sum } else { &sum + &(a * b) })
}

/// A row whose products with others are wanted often: scaled to integers, machine ones where these suffice.
pub(super) struct Scaled {
    small: Option<Vec<i64>>,
    big: Vec<IBig>,
}

impl Scaled {
    /// The row times the product of its denominators, each met once.
    pub(super) fn new(row: &[Rational]) -> Self {
        let mut scale = IBig::ONE;
        for value in row {
            let denominator = value.denominator();
            if &scale % &denominator != IBig::ZERO {
                scale *= denominator;
            }
        }
        let big: Vec<IBig> = row.iter().map(|value| value.numerator() * (&scale / value.denominator())).collect();
        Scaled { small: big.iter().map(|entry| i64::try_from(entry).ok()).collect(), big }
    }

    /// The sign of the product: scaling is by positive numbers, so it does not change.
    pub(super) fn product_sign(&self, other: &Scaled) -> i32 {
        let quick = || {
            let pairs = self.small.as_ref()?.iter().zip(other.small.as_ref()?);
            let sum = pairs.map(|(a, b)| i128::from(*a) * i128::from(*b)).try_fold(0i128, i128::checked_add)?;
            Some(sum.signum() as i32)
        };
        quick().unwrap_or_else(|| {
            let sum = self.big.iter().zip(&other.big).fold(IBig::ZERO, |sum, (a, b)| sum + a * b);
            sum.cmp(&IBig::ZERO) as i32
        })
    }
}

/// All subsets of `0..among` of a size.
pub(super) fn subsets(among: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let longer = |short: &Vec<usize>| {
            let short = short.clone();
            (short.last().map_or(0, |last| last + 1)..among)
                .map(move |next| short.iter().copied().chain([next]).collect::<Vec<_>>())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
