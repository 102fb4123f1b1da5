//! Linear conditions as a person would write them: no negative coefficients, no fractions, no ones, no zeros.

use super::expression::{Comparison, Condition, Expression};
use crate::exact::{Constraint, Rational};

/// The condition `a · x ≤ b` (or `= b`) over some columns. Terms with a negative coefficient go to the other side:
/// `x - y ≤ -3` is written `(<= (+ x 3) y)`.
pub(crate) fn linear_condition(column: impl Fn(usize) -> Expression, constraint: &Constraint, equation: bool) -> Condition {
    // A sum of columns against a number reads better with the number on the right.
    let negative_only = constraint.coefficients().all(|coefficient| coefficient.signum() <= 0);
    let (left, right, comparison) = if negative_only {
        (side(-1, &column, constraint), side(1, &column, constraint), Comparison::GreaterOrEqual)
    } else {
        (side(1, &column, constraint), side(-1, &column, constraint), Comparison::LessOrEqual)
    };
    Condition::Compare(if equation { Comparison::Equal } else { comparison }, Box::new([left, right]))
}

/// What stands on the side of the terms whose coefficients have this sign.
fn side(sign: i32, column: impl Fn(usize) -> Expression, constraint: &Constraint) -> Expression {
    let mut terms: Vec<_> = (constraint.coefficients().enumerate())
        .filter(|(_, coefficient)| coefficient.signum() == sign)
        .map(|(index, coefficient)| scaled(&coefficient.abs(), column(index)))
        .collect();
    let bound = constraint.bound();
    if bound.signum() == -sign {
        terms.push(Expression::Number(bound.abs()));
    }
    sum(terms)
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
