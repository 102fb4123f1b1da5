//! Linear conditions as a person would write them: no negative coefficients, no fractions, no ones,
//! no zeros.

use dashu_int::IBig;
use dashu_int::ops::Gcd;

use super::expression::{Comparison, Condition, Expression};
use crate::exact::{Constraint, Rational};

/// The condition `a · x ≤ b` (or `= b`) over some columns. Terms with a negative coefficient go to
/// the other side: `x - y ≤ -3` is written `(<= (+ x 3) y)`.
pub fn linear_condition(
    column: impl Fn(usize) -> Expression,
    constraint: &Constraint,
    equation: bool,
) -> Condition {
    multiple(column, constraint, equation, &Rational::ONE)
}

/// Like [`linear_condition`], with coefficients that have no common factor, if the number then is a
/// decimal: `10 x + 10 y ≤ 7` is written `(<= (+ x y) 0.7)`.
pub fn short_condition(
    column: impl Fn(usize) -> Expression,
    constraint: &Constraint,
    equation: bool,
) -> Condition {
    let row = constraint.row();
    let common =
        (1..row.len()).map(|place| row.integer(place)).fold(IBig::ZERO, |common, entry| {
            if common == IBig::ZERO && entry == IBig::ZERO {
                common
            } else {
                IBig::from(common.gcd(&entry))
            }
        });
    let factor = Rational::from_integers(IBig::ONE, common)
        .filter(|factor| (&constraint.bound() * factor).to_decimal().is_some());
    multiple(column, constraint, equation, &factor.unwrap_or(Rational::ONE))
}

/// A condition, times a number above zero.
fn multiple(
    column: impl Fn(usize) -> Expression,
    constraint: &Constraint,
    equation: bool,
    factor: &Rational,
) -> Condition {
    let side = |sign: i32| side(sign, &column, constraint, factor);
    // A sum of columns against a number reads better with the number on the right.
    let negative_only = constraint.coefficients().all(|coefficient| coefficient.signum() <= 0);
    let (left, right, comparison) = if negative_only {
        (side(-1), side(1), Comparison::GreaterOrEqual)
    } else {
        (side(1), side(-1), Comparison::LessOrEqual)
    };
    Condition::Compare(
        if equation { Comparison::Equal } else { comparison },
        Box::new([left, right]),
    )
}

/// What stands on the side of the terms whose coefficients have this sign.
fn side(
    sign: i32,
    column: impl Fn(usize) -> Expression,
    constraint: &Constraint,
    factor: &Rational,
) -> Expression {
    let mut terms: Vec<_> = (constraint.coefficients().enumerate())
        .filter(|(_, coefficient)| coefficient.signum() == sign)
        .map(|(index, coefficient)| scaled(&(&coefficient.abs() * factor), column(index)))
        .collect();
    let bound = constraint.bound();
    if bound.signum() == -sign {
        terms.push(Expression::Number(&bound.abs() * factor));
    }
    sum(terms)
}

/// A sum of terms.
pub fn sum(mut terms: Vec<Expression>) -> Expression {
    match terms.len() {
        0 => Expression::Number(Rational::ZERO),
        1 => terms.remove(0),
        _ => Expression::Sum(terms),
    }
}

/// A column times a number.
pub fn scaled(coefficient: &Rational, column: Expression) -> Expression {
    if *coefficient == Rational::ONE {
        return column;
    }
    match column {
        Expression::Product(factors) => Expression::Product(
            std::iter::once(Expression::Number(coefficient.clone())).chain(factors).collect(),
        ),
        other => Expression::Product(vec![Expression::Number(coefficient.clone()), other]),
    }
}
