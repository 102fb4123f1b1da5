//! Plain linear algebra over the rationals. Rows are homogeneous: `(1, x)` for a point, `(c, a)`
//! for the form `c + a · x`.

use std::cell::OnceCell;

use dashu_int::IBig;

use surefoot_base::exact::Rational;
use surefoot_base::invariant::Invariant;

/// A row of numbers.
pub(super) type NumberRow = Vec<Rational>;

/// The span of some rows, in fully reduced form: each kept row has a one at its pivot, where all
/// others have a zero.
#[derive(Clone)]
pub(super) struct RowSpan {
    columns: usize,
    rows: Vec<(usize, NumberRow)>,
}

impl RowSpan {
    pub(super) fn new(columns: usize) -> Self {
        RowSpan { columns, rows: Vec::new() }
    }

    pub(super) fn of<'r>(columns: usize, rows: impl IntoIterator<Item = &'r NumberRow>) -> Self {
        let mut span = RowSpan::new(columns);
        for row in rows {
            span.insert(row);
        }
        span
    }

    pub(super) fn rank(&self) -> usize {
        self.rows.len()
    }

    /// What is left of a row when multiples of the kept ones are taken away: zero at all pivots,
    /// and zero for what lies in the span.
    pub(super) fn rest(&self, row: &[Rational]) -> NumberRow {
        let mut rest = row.to_vec();
        for (pivot, kept) in &self.rows {
            subtract(&mut rest, kept, *pivot);
        }
        rest
    }

    pub(super) fn contains(&self, row: &[Rational]) -> bool {
        self.rank() == self.columns || is_zero(&self.rest(row))
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

    /// The kept row with its pivot at a column.
    pub(super) fn row_at(&self, column: usize) -> Option<&NumberRow> {
        self.rows.iter().find(|(pivot, _)| *pivot == column).map(|(_, row)| row)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &NumberRow> {
        self.rows.iter().map(|(_, row)| row)
    }

    /// A basis of the rows that are orthogonal to the span: one for each column that is no pivot,
    /// ascending, with a one there.
    pub(super) fn null_space(&self) -> Vec<NumberRow> {
        let mut is_pivot = vec![false; self.columns];
        self.rows.iter().for_each(|(pivot, _)| is_pivot[*pivot] = true);
        (0..self.columns)
            .filter(|column| !is_pivot[*column])
            .map(|column| self.orthogonal(column))
            .collect()
    }

    /// The row orthogonal to the span with a one at a column that is no pivot, and a zero at all
    /// others.
    fn orthogonal(&self, column: usize) -> NumberRow {
        let mut vector = vec![Rational::ZERO; self.columns];
        vector[column] = Rational::ONE;
        for (pivot, row) in &self.rows {
            vector[*pivot] = -&row[column];
        }
        vector
    }
}

/// Subtracts the multiple of `kept` (which is 1 at `pivot`) that makes `row` zero there.
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

/// Equations `row · (1, x) = 0`, and what follows from them.
pub(super) struct EquationSystem {
    width: usize,
    /// With the constant last, so that columns are expressed by others and by constants.
    span: RowSpan,
    solutions: OnceCell<Vec<NumberRow>>,
}

impl EquationSystem {
    pub(super) fn of<'r>(width: usize, rows: impl IntoIterator<Item = &'r NumberRow>) -> Self {
        let mut span = RowSpan::new(width);
        for row in rows {
            span.insert(&constant_last(row));
        }
        EquationSystem { width, span, solutions: OnceCell::new() }
    }

    /// The span of these rows and more.
    pub(super) fn with<'r>(&self, rows: impl IntoIterator<Item = &'r NumberRow>) -> Self {
        let mut span = self.span.clone();
        for row in rows {
            span.insert(&constant_last(row));
        }
        EquationSystem { width: self.width, span, solutions: OnceCell::new() }
    }

    /// Whether no point satisfies them.
    pub(super) fn is_impossible(&self) -> bool {
        self.width > 0 && self.span.has_pivot(self.width - 1)
    }

    /// Whether each point that satisfies them satisfies this one.
    pub(super) fn imply(&self, row: &[Rational]) -> bool {
        self.is_impossible() || self.span.contains(&constant_last(row))
    }

    /// The row that says the same of the points that satisfy them, with the columns left out that
    /// they express by others.
    pub(super) fn reduce(&self, row: &[Rational]) -> NumberRow {
        let mut rest = self.span.rest(&constant_last(row));
        rest.rotate_right(usize::from(self.width > 0));
        rest
    }

    /// A basis of the homogeneous rows that satisfy them.
    pub(super) fn solutions(&self) -> &[NumberRow] {
        self.solutions.get_or_init(|| {
            let mut solutions = self.span.null_space();
            solutions.iter_mut().for_each(|row| row.rotate_right(usize::from(self.width > 0)));
            solutions
        })
    }

    /// Whether every point that satisfies them lies in the span, looked at over some entries of
    /// rows only.
    pub(super) fn stay_in(&self, span: &RowSpan, entries: &[usize]) -> bool {
        self.is_impossible()
            || self.solutions().iter().all(|solution| span.contains(&narrow(solution, entries)))
    }
}

fn constant_last(row: &[Rational]) -> NumberRow {
    row.iter().skip(1).chain(row.first()).cloned().collect()
}

/// Some entries of a row.
pub(super) fn narrow(row: &[Rational], entries: &[usize]) -> NumberRow {
    entries.iter().filter_map(|&at| row.get(at)).cloned().collect()
}

/// A row over some entries as one over all.
pub(super) fn widen(row: &[Rational], entries: &[usize], width: usize) -> NumberRow {
    let mut wide = vec![Rational::ZERO; width];
    for (&at, value) in entries.iter().zip(row) {
        if let Some(entry) = wide.get_mut(at) {
            *entry = value.clone();
        }
    }
    wide
}

pub(super) fn is_zero(row: &[Rational]) -> bool {
    row.iter().all(Rational::is_zero)
}

pub(super) fn minus(one: &[Rational], other: &[Rational]) -> NumberRow {
    one.iter().zip(other).map(|(a, b)| a - b).collect()
}

pub(super) fn dot(one: &[Rational], other: &[Rational]) -> Rational {
    one.iter().zip(other).fold(Rational::ZERO, |sum, (a, b)| {
        if a.is_zero() || b.is_zero() { sum } else { &sum + &(a * b) }
    })
}

/// The positive multiple of a row whose first nonzero entry is 1 or -1: equal for all rows with the
/// same direction.
pub(super) fn direction(row: &[Rational]) -> NumberRow {
    let Some(first) = row.iter().find(|value| !value.is_zero()) else { return row.to_vec() };
    let scale = first.abs().recip().invariant("a number that is not zero has a reciprocal");
    row.iter().map(|value| value * &scale).collect()
}

/// A row whose products with others are wanted often: scaled to integers, machine ones where these
/// suffice.
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
        let big: Vec<IBig> =
            row.iter().map(|value| value.numerator() * (&scale / value.denominator())).collect();
        Scaled { small: big.iter().map(|entry| i64::try_from(entry).ok()).collect(), big }
    }

    /// The sign of the product: scaling is by positive numbers, so it does not change.
    pub(super) fn product_sign(&self, other: &Scaled) -> i32 {
        self.small_product_sign(other).unwrap_or_else(|| {
            let sum = self.big.iter().zip(&other.big).fold(IBig::ZERO, |sum, (a, b)| sum + a * b);
            sum.cmp(&IBig::ZERO) as i32
        })
    }

    /// The sign of the product by machine integers; `None` if they do not suffice.
    fn small_product_sign(&self, other: &Scaled) -> Option<i32> {
        let pairs = self.small.as_ref()?.iter().zip(other.small.as_ref()?);
        let sum = pairs
            .map(|(a, b)| i128::from(*a) * i128::from(*b))
            .try_fold(0i128, i128::checked_add)?;
        Some(sum.signum() as i32)
    }
}

/// How many subsets of a size there are, or `None` when they are more than a limit.
pub(super) fn count_subsets(among: usize, size: usize, limit: usize) -> Option<usize> {
    if size > among {
        return Some(0);
    }
    let size = size.min(among - size);
    let mut count: usize = 1;
    for step in 0..size {
        // Each intermediate value is itself a number of subsets, and they grow.
        count = count.checked_mul(among - step)? / (step + 1);
        if count > limit {
            return None;
        }
    }
    Some(count)
}

/// All subsets of `0..among` of a size, one after the other.
pub(super) fn subsets(among: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
    let mut next = (size <= among).then(|| (0..size).collect::<Vec<usize>>());
    std::iter::from_fn(move || {
        let current = next.take()?;
        // The last element that can move on does, and those after it follow right behind.
        let movable = (0..size).rev().find(|&at| current[at] + (size - at) < among);
        next = movable.map(|at| {
            let start = current[at] + 1;
            current[..at].iter().copied().chain(start..start + (size - at)).collect()
        });
        Some(current)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_one_after_the_other() {
        assert_eq!(
            subsets(4, 2).collect::<Vec<_>>(),
            [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
        );
        assert_eq!(subsets(3, 3).count(), 1);
        assert_eq!(subsets(3, 0).collect::<Vec<_>>(), [Vec::<usize>::new()]);
        assert_eq!(subsets(2, 3).count(), 0);
        for (among, size) in [(7, 3), (10, 0), (10, 10), (12, 6)] {
            assert_eq!(count_subsets(among, size, 1000), Some(subsets(among, size).count()));
        }
        assert_eq!(count_subsets(40, 20, 100_000), None);
        assert_eq!(count_subsets(1000, 999, 100_000), Some(1000));
    }

    #[test]
    fn equations_imply_and_contradict() {
        let row = |values: &[i64]| {
            values.iter().map(|&value| Rational::integer(value)).collect::<NumberRow>()
        };
        // x = 5, y = x.
        let equations = EquationSystem::of(3, &[row(&[-5, 1, 0]), row(&[0, 1, -1])]);
        assert!(equations.imply(&row(&[-10, 1, 1])) && !equations.imply(&row(&[-9, 1, 1])));
        assert_eq!(equations.reduce(&row(&[1, 1, 1])), row(&[11, 0, 0]));
        assert!(!equations.is_impossible());
        assert!(equations.with(&[row(&[-9, 1, 1])]).is_impossible());
        let span = RowSpan::of(3, &[row(&[1, 5, 5]), row(&[1, 7, 7])]);
        assert!(equations.stay_in(&span, &[0, 1, 2]));
        assert!(!EquationSystem::of(3, &[row(&[-5, 1, 0])]).stay_in(&span, &[0, 1, 2]));
        assert!(
            EquationSystem::of(3, &[row(&[-5, 1, 0])])
                .stay_in(&RowSpan::of(2, &[row(&[1, 5])]), &[0, 1])
        );
    }
}
