//! One linear condition with coprime integer coefficients.

use std::cmp::Ordering;
use std::fmt;

use super::{Rational, Row};

/// Coprime integers `a` and `b`: as an inequality `a · x ≤ b`, as an equation `a · x = b`.
///
/// Which of the two is meant is said by where the constraint stands. Constraints are ordered by
/// `(-b, a)`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Constraint {
    /// `(-b, a)`: the condition is `row · (1, x) ≤ 0`, or `= 0`.
    row: Row,
}

impl Constraint {
    /// The condition `row · (1, x) ≤ 0` (or `= 0`).
    pub fn homogeneous(row: Row) -> Self {
        Constraint { row }
    }

    /// The homogeneous row `(-b, a)`.
    pub fn row(&self) -> &Row {
        &self.row
    }

    /// How many columns `x` has.
    pub fn columns(&self) -> usize {
        self.row.len().saturating_sub(1)
    }

    /// The coefficient of one column.
    pub fn coefficient(&self, column: usize) -> Rational {
        self.row.entry(column + 1)
    }

    /// All coefficients, in the order of the columns.
    pub fn coefficients(&self) -> impl Iterator<Item = Rational> + '_ {
        (0..self.columns()).map(|column| self.coefficient(column))
    }

    /// The right-hand side `b`.
    pub fn bound(&self) -> Rational {
        -&self.row.entry(0)
    }

    /// How `a · x` compares to `b`.
    pub fn compare(&self, x: &[Rational]) -> Ordering {
        self.compare_row(&Row::point(x))
    }

    /// How `a · x` compares to `b` for a point, or `a · r` to zero for a ray, given as a
    /// homogeneous row.
    pub fn compare_row(&self, homogeneous: &Row) -> Ordering {
        self.row.dot_sign(homogeneous)
    }

    /// The opposite condition `-a · x ≤ -b`.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Constraint { row: self.row.negated() }
    }
}

impl fmt::Debug for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let coefficients: Vec<String> =
            self.coefficients().map(|value| value.to_string()).collect();
        write!(f, "({}) · x ~ {}", coefficients.join(", "), self.bound())
    }
}
