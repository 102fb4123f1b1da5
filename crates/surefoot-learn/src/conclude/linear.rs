//! Conditions and affine maps over the columns of a vocabulary, as a person would write them.

use surefoot_base::exact::{Constraint, Rational};
use surefoot_base::ids::Id;
use surefoot_base::model::{Condition, Expression, linear_condition, scaled, sum};

use crate::evidence::{ActiveColumn, ActiveColumns, ColumnId, Vocabulary};

/// The condition `a · x ≤ b` (or `= b`) over the active columns.
pub fn condition(
    vocabulary: &Vocabulary,
    columns: &ActiveColumns,
    constraint: &Constraint,
    equation: bool,
) -> Condition {
    linear_condition(
        |index| vocabulary.column_expression(columns[ActiveColumn::from_index(index)]),
        constraint,
        equation,
    )
}

/// `constant + Σ coefficient · column`, with differences where there are negative terms.
pub fn affine(
    vocabulary: &Vocabulary,
    terms: &[(ColumnId, Rational)],
    constant: &Rational,
) -> Expression {
    let positive = terms_of_sign(vocabulary, terms, constant, 1);
    let negative = terms_of_sign(vocabulary, terms, constant, -1);
    match (positive, negative) {
        (positive, negative) if negative.is_empty() => sum(positive),
        (positive, negative) if positive.is_empty() => match sum(negative) {
            Expression::Number(number) => Expression::Number(-&number),
            other => Expression::Negation(Box::new(other)),
        },
        (positive, negative) => Expression::Difference(Box::new([sum(positive), sum(negative)])),
    }
}

/// The terms of a sum that have this sign, without it; the constant last.
fn terms_of_sign(
    vocabulary: &Vocabulary,
    terms: &[(ColumnId, Rational)],
    constant: &Rational,
    sign: i32,
) -> Vec<Expression> {
    let mut parts: Vec<_> = terms
        .iter()
        .filter(|(_, coefficient)| coefficient.signum() == sign)
        .map(|(column, coefficient)| {
            scaled(&coefficient.abs(), vocabulary.column_expression(*column))
        })
        .collect();
    if constant.signum() == sign {
        parts.push(Expression::Number(constant.abs()));
    }
    parts
}
