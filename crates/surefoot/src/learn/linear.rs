//! Linear conditions as a person would write them: no negative coefficients, no fractions, no ones, no zeros.

use super::vocabulary::Vocabulary;
use crate::exact::{Constraint, Rational};
use crate::model::{Comparison, Condition, Expression};

/// The condition `a · x ≤ b` (or `= b`) over the columns of a vocabulary. Terms with a negative coefficient go to the other side:
/// `x - y ≤ -3` is written `(<= (+ x 3) y)`.
pub fn condition(vocabulary: &Vocabulary, columns: &[usize], constraint: &Constraint, equation: bool) -> Condition {
    let terms = || columns.iter().enumerate().map(|(index, &column)| (constraint.coefficient(index), column));
    let side = |sign: i32| {
        let mut terms: Vec<_> = terms()
            .filter(|(coefficient, _)| coefficient.signum() == sign)
            .map(|(coefficient, column)| product(&coefficient.abs(), vocabulary.column_expression(column)))
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

/// `constant + Σ coefficient · column`, with differences where there are negative terms.
pub fn affine(vocabulary: &Vocabulary, terms: &[(usize, Rational)], constant: &Rational) -> Expression {
    let part = |sign: i32| {
        let mut parts: Vec<_> = terms
            .iter()
            .filter(|(_, coefficient)| coefficient.signum() == sign)
            .map(|(column, coefficient)| product(&coefficient.abs(), vocabulary.column_expression(*column)))
            .collect();
        if constant.signum() == sign {
            parts.push(Expression::Number(constant.abs()));
        }
        parts
    };
    match (part(1), part(-1)) {
        (positive, negative) if negative.is_empty() => sum(positive),
        (positive, negative) if positive.is_empty() => match sum(negative) {
            Expression::Number(number) => Expression::Number(-&number),
            other => Expression::Negation(Box::new(other)),
        },
        (positive, negative) => Expression::Difference(Box::new([sum(positive), sum(negative)])),
    }
}

fn sum(mut terms: Vec<Expression>) -> Expression {
    match terms.len() {
        0 => Expression::Number(Rational::ZERO),
        1 => terms.remove(0),
        _ => Expression::Sum(terms),
    }
}

fn product(coefficient: &Rational, column: Expression) -> Expression {
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
