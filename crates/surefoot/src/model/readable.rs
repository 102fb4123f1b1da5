//! Linear conditions as a person would write them: no negative coefficients, no fractions, no ones, no zeros.

use super::expression::{Comparison, Condition, Expression};
use crate::exact::{Constraint, Rational};

/// The condition `a · x ≤ b` (or `= b`) over some columns. Terms with a negative coefficient go to the other side:
/// `x - y ≤ -3` is written `(<= (+ x 3) y)`.
pub(crate) fn linear_condition(column: impl Fn(usize) -> Expression, constraint: &Constraint, equation: bool) -> Condition {
    let terms = || constraint.coefficients().enumerate().map(|(index, coefficient)| (coefficient, index));
    let side = |sign: i32| {
        let mut terms: Vec<_> = terms()
            .filter(|(coefficient, _)| coefficient.signum() == sign)
            .map(|(coefficient, index)| scaled(&coefficient.abs(), column(index)))
            .collect();
        let bound = constraint.bound();
        if bound.signum() == -sign {
            terms.push(Expression::Number(bound.abs()));
        }
        sum(terms)
    };
    // A sum of columns against a number reads better with the number on the right.
    let negative_only = terms().all(|(coefficient, _)| coefficient.signum() <= 0);
    let (left, right, comparison) = if negative_only {
        (side(-1), side(1), Comparison::GreaterOrEqual)
    } else {
        (side(1), side(-1), Comparison::LessOrEqual)
    };
    Condition::Compare(if equation { Comparison::Equal } else { comparison }, Box::new([left, right]))
}

/// A sum of terms.
pub(crate) fn sum(mut terms: Vec<Expression>) -> Expression {
    match terms.len() {
        0 => Expression::Number(Rational::ZERO),
        1 => terms.remove(0),
        _ => Expression::Sum(terms),
    }
}

/// A column times a number.
pub(crate) fn scaled(coefficient: &Rational, column: Expression) -> Expression {
    if *coefficient == Rational::ONE {
        return column;
    }
    match column {
        Expression::Product(factors) => {
            Expression::Product(std::iter::once(Expression::Number(coefficient.clone())).chain(factors).collect())
        }
        other => Expression::Product(vec![Expression::Number(coefficient.clone()), other]),
    }
}
