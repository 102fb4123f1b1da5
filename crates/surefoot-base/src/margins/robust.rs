//! Margins: conditions over estimates and errors that hold for every true state that fits.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::normal::{normal, reads_blurred};
use crate::exact::{Constraint, Polyhedron, Rational, Row};
use crate::model::{
    Comparison, Condition, Domain, ErrorFunctions, Expression, LiftedFunction, Objects, Polynomial,
    Region, Variable, scaled, sum,
};
use crate::pddl::Writer;

/// A condition that has no margin, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotRobust {
    /// The comparison, or the negated region.
    pub condition: Condition,
    /// The variables of the quantifiers around it; they follow the parameters of the whole.
    pub bound: Vec<Variable>,
    /// Why it has none.
    pub cause: NoMarginCause,
}

/// Why a condition has no margin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoMarginCause {
    /// It multiplies a blurred function by another function.
    Product(LiftedFunction),
    /// It divides by a function, or has too many terms to be multiplied out.
    NotPolynomial,
    /// The negation of a region whose comparisons describe only a part of it.
    OutsideOfPart,
}

impl NotRobust {
    /// The reason, on one line. The free variables of the condition are these parameters.
    pub fn words(&self, domain: &Domain, objects: &Objects, parameters: &[Variable]) -> String {
        let slots: Vec<Variable> = parameters.iter().chain(&self.bound).cloned().collect();
        let mut writer = Writer::new(domain, objects).with_parameters(&slots);
        let why = match &self.cause {
            NoMarginCause::Product(function) => {
                format!(
                    "it multiplies {}, which has an error, by another function",
                    writer.function(function)
                )
            }
            NoMarginCause::NotPolynomial => {
                "it divides by a function that may have an error, or is too long to be multiplied \
                 out"
                .to_owned()
            }
            NoMarginCause::OutsideOfPart => {
                "it denies a region of which only a part is written down".to_owned()
            }
        };
        format!("{} has no margin: {why}", writer.condition(&self.condition))
    }
}

/// A condition that holds of estimates and errors only if the given one holds in every true state
/// that fits.
///
/// For a linear comparison it holds exactly then: the margin is the least. Strict comparisons stay
/// strict. An equation asks, besides, that all errors it reads are 0. Conditions that read no
/// blurred function stay as they are.
pub fn robust(condition: &Condition, errors: &ErrorFunctions) -> Result<Condition, NotRobust> {
    with_margins(&normal(condition, true, errors), errors, &mut Vec::new())
}

/// Adds margins to a condition whose negations were pushed inward.
pub(super) fn with_margins(
    condition: &Condition,
    errors: &ErrorFunctions,
    bound: &mut Vec<Variable>,
) -> Result<Condition, NotRobust> {
    if !reads_blurred(condition, errors) {
        return Ok(condition.clone());
    }
    let not_robust = |cause, bound: &[Variable]| NotRobust {
        condition: condition.clone(),
        bound: bound.to_vec(),
        cause,
    };
    Ok(match condition {
        Condition::And(parts) => Condition::And(conjuncts(parts, errors, bound)?),
        Condition::Or(parts) => Condition::Or(
            parts.iter().map(|part| with_margins(part, errors, bound)).collect::<Result<_, _>>()?,
        ),
        Condition::ForAll(variables, body) | Condition::Exists(variables, body) => {
            bound.extend(variables.iter().cloned());
            let body = Box::new(with_margins(body, errors, bound)?);
            bound.truncate(bound.len() - variables.len());
            match condition {
                Condition::ForAll(..) => Condition::ForAll(variables.clone(), body),
                _ => Condition::Exists(variables.clone(), body),
            }
        }
        Condition::Compare(comparison, sides) => {
            let margin = margin(sides, errors).map_err(|cause| not_robust(cause, bound))?;
            if margin.is_empty() { condition.clone() } else { compared(*comparison, sides, margin) }
        }
        Condition::Within(region) => {
            Condition::Within(within(region, errors).map_err(|cause| not_robust(cause, bound))?)
        }
        // Negations stand before regions alone here.
        Condition::Not(_) | Condition::Imply(_) => {
            return Err(not_robust(NoMarginCause::OutsideOfPart, bound));
        }
        Condition::Atom(_) | Condition::Same(..) => condition.clone(),
    })
}

/// The parts of a conjunction; an equation adds its own conjuncts to it.
fn conjuncts(
    parts: &[Condition],
    errors: &ErrorFunctions,
    bound: &mut Vec<Variable>,
) -> Result<Vec<Condition>, NotRobust> {
    let mut all = Vec::with_capacity(parts.len());
    for part in parts {
        match (part, with_margins(part, errors, bound)?) {
            (Condition::Compare(..), Condition::And(both)) => all.extend(both),
            (_, one) => all.push(one),
        }
    }
    Ok(all)
}

/// The largest amount by which errors can move the difference of two sides, as the terms of a sum;
/// none where they cannot.
pub(super) fn margin(
    sides: &[Expression; 2],
    errors: &ErrorFunctions,
) -> Result<Vec<Expression>, NoMarginCause> {
    let difference = Polynomial::of(&sides[0])
        .zip(Polynomial::of(&sides[1]))
        .and_then(|(left, right)| left.minus(right));
    let difference = difference.ok_or(NoMarginCause::NotPolynomial)?;
    let mut terms = Vec::new();
    for (factors, coefficient) in difference.columns() {
        if let Some(error) = error_of_column(factors, errors)? {
            terms.push(scaled(&coefficient.abs(), Expression::Function(error)));
        }
    }
    Ok(terms)
}

/// The error of a product of functions: none where all are exact. A product has one only where it
/// is of one function.
fn error_of_column(
    factors: &[LiftedFunction],
    errors: &ErrorFunctions,
) -> Result<Option<LiftedFunction>, NoMarginCause> {
    match factors {
        [only] => Ok(errors.error(only)),
        several => match several.iter().find(|function| errors.get(function.symbol).is_some()) {
            Some(blurred) => Err(NoMarginCause::Product(blurred.clone())),
            None => Ok(None),
        },
    }
}

/// The comparison with its margin on the side that has to be smaller. The sides stay as they were
/// written, since whatever they read must have a value.
fn compared(comparison: Comparison, sides: &[Expression; 2], margin: Vec<Expression>) -> Condition {
    let [left, right] = sides.clone();
    match comparison {
        Comparison::Less | Comparison::LessOrEqual => {
            Condition::Compare(comparison, Box::new([plus(left, margin), right]))
        }
        Comparison::Greater | Comparison::GreaterOrEqual => {
            Condition::Compare(comparison, Box::new([left, plus(right, margin)]))
        }
        Comparison::Equal => {
            let exact = [sum(margin), Expression::Number(Rational::ZERO)];
            Condition::And(vec![
                Condition::Compare(comparison, Box::new([left, right])),
                Condition::Compare(Comparison::LessOrEqual, Box::new(exact)),
            ])
        }
    }
}

fn plus(side: Expression, margin: Vec<Expression>) -> Expression {
    let terms = match side {
        Expression::Sum(terms) => terms,
        Expression::Number(zero) if zero.is_zero() => Vec::new(),
        other => vec![other],
    };
    sum(terms.into_iter().chain(margin).collect())
}

/// The region with its margins: a polyhedron over its columns and their errors. If comparisons
/// bound only a part of the region, the result is this part with margins.
fn within(region: &Region, errors: &ErrorFunctions) -> Result<Region, NoMarginCause> {
    let constraints = || region.set.equations().iter().chain(region.set.inequalities());
    let mut columns = region.columns.clone();
    // By column: where its error is, if it has one.
    let mut places = vec![None; region.columns.len()];
    for (index, column) in region.columns.iter().enumerate() {
        if constraints().all(|constraint| constraint.row().signum(index + 1) == 0) {
            continue;
        }
        if let Some(error) = error_of_column(column, errors)? {
            let column = vec![error];
            let place = columns.iter().position(|known| *known == column).unwrap_or_else(|| {
                columns.push(column);
                columns.len() - 1
            });
            places[index] = Some(place);
        }
    }
    if places.iter().all(Option::is_none) {
        return Ok(region.clone());
    }
    let wider = |constraint: &Constraint, kept: bool, margin: bool| {
        let mut form = vec![Rational::ZERO; columns.len() + 1];
        if kept {
            form[0] = constraint.row().entry(0);
        }
        for (index, coefficient) in constraint.coefficients().enumerate() {
            if kept {
                form[index + 1] += &coefficient;
            }
            if let Some(place) = places[index].filter(|_| margin) {
                form[place + 1] += &coefficient.abs();
            }
        }
        Row::direction(&form)
    };
    let equations = region.set.equations();
    let exact: BTreeSet<Row> = equations
        .iter()
        .map(|equation| wider(equation, false, true))
        .filter(|row| !row.is_zero())
        .collect();
    let facets = region.set.inequalities().map(|facet| wider(facet, true, true));
    let inequalities = exact.into_iter().chain(facets).map(Constraint::homogeneous).collect();
    let equations = equations
        .iter()
        .map(|equation| Constraint::homogeneous(wider(equation, true, false)))
        .collect();
    let set = Arc::new(Polyhedron::bounded(columns.len(), equations, inequalities));
    Ok(Region { columns, set })
}
