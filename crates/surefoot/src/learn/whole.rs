//! Whole hulls for a model whose PDDL states only parts of them, from the vertices in its certificate
//! (docs/theory.md, "Too many facets").

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::rays::Marked;
use crate::assumptions::Monotone;
use crate::certificate::{ActionRecord, Certificate, model_digest, read_number};
use crate::exact::Rational;
use crate::model::{ActionId, Comparison, Condition, Domain, LiftedFunction, Linear, Polynomial, Vertices};
use crate::pddl::{Source, read_expression};

/// Why a certificate does not fit a model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfit {
    /// It was written for another model.
    #[error("the certificate is of another model: its digest is not this one's. Learn again, and use both files together")]
    Model,
    /// It has an action that the model does not.
    #[error("the certificate has the action {0}, the model does not")]
    Action(String),
    /// It is about something that is no product of functions of the action's parameters.
    #[error("the certificate is about {1} in {0}, which is no product of functions of its parameters")]
    Column(String, String),
    /// A vertex has another number of values than there are columns, or something that is no number.
    #[error("vertex {1} of {0} in the certificate is no list of as many numbers as it has columns")]
    Vertex(String, usize),
}

/// The model with the whole hull of each action of which it has only a part. What is written of it as PDDL stays the same.
///
/// The certificate must have been written for this very model, which its digest tells. That the vertices it lists were observed is
/// *not* verified here, since that takes the trajectories: [`crate::check`] does.
pub fn whole(model: &Domain, certificate: &Certificate) -> Result<Domain, Unfit> {
    if model_digest(model) != certificate.model {
        return Err(Unfit::Model);
    }
    let mut domain = model.clone();
    for (name, record) in certificate.actions.iter().filter(|(_, record)| !record.vertices.is_empty()) {
        let id = model.actions.find(name).ok_or_else(|| Unfit::Action(name.clone()))?;
        let hull = hull(model, id.into(), name, record, certificate)?;
        domain.actions.value_mut(id).hull = Some(Arc::new(hull));
    }
    Ok(domain)
}

fn hull(model: &Domain, id: ActionId, name: &str, record: &ActionRecord, certificate: &Certificate) -> Result<Vertices, Unfit> {
    let product = |text: &String| product(model, id, text).ok_or_else(|| Unfit::Column(name.to_owned(), text.clone()));
    let columns = record.columns.iter().map(product).collect::<Result<Vec<_>, _>>()?;
    let point = |(index, texts): (usize, &Vec<String>)| {
        let values: Option<Vec<Rational>> = texts.iter().map(|text| read_number(text)).collect();
        values.filter(|values| values.len() == columns.len()).ok_or_else(|| Unfit::Vertex(name.to_owned(), index))
    };
    let points = record.vertices.iter().enumerate().map(point).collect::<Result<Vec<_>, _>>()?;
    let marks = match certificate.assumptions.monotone.get(name) {
        None => BTreeMap::new(),
        Some(marks) => marked(&columns, marks, &product)?,
    };
    let functions: BTreeSet<&LiftedFunction> = columns.iter().flatten().collect();
    let factors = |column: &Vec<LiftedFunction>| column.iter().filter_map(|factor| functions.get(factor).copied()).collect();
    let products: Vec<Vec<&LiftedFunction>> = columns.iter().map(factors).collect();
    let rays = Marked::new(products.iter().map(Vec::as_slice).collect(), marks).rays(&points);
    let parts = model.action(id).precondition.conjuncts().iter().enumerate();
    let replaced: BTreeSet<usize> =
        parts.filter(|(_, part)| cuts(part, &columns, &points, &rays)).map(|(index, _)| index).collect();
    Ok(Vertices::new(columns, points, rays, replaced))
}

/// Marks by column. One on what is no column bounds nothing.
fn marked(
    columns: &[Vec<LiftedFunction>],
    marks: &BTreeMap<String, Monotone>,
    product: &dyn Fn(&String) -> Result<Vec<LiftedFunction>, Unfit>,
) -> Result<BTreeMap<usize, Monotone>, Unfit> {
    let mut resolved = BTreeMap::new();
    for (text, mark) in marks {
        let factors = product(text)?;
        resolved.extend(columns.iter().position(|column| *column == factors).map(|column| (column, *mark)));
    }
    Ok(resolved)
}

/// The factors of a product of functions, sorted.
fn product(model: &Domain, id: ActionId, text: &str) -> Option<Vec<LiftedFunction>> {
    let expression = read_expression(&Source::new("certificate", text), model, id).ok()?;
    let polynomial = Polynomial::of(&expression)?;
    let mut terms = polynomial.terms.into_iter();
    match (terms.next(), terms.next()) {
        (Some((factors, one)), None) if one == Rational::ONE && !factors.is_empty() => Some(factors),
        _ => None,
    }
}

/// Whether a condition is an inequality over the columns that cuts off a part of the hull. What cuts off nothing stays: it is the
/// quickest way to see that a point is outside. Equations stay, too: beyond them effects are not known.
fn cuts(part: &Condition, columns: &[Vec<LiftedFunction>], points: &[Vec<Rational>], rays: &[Vec<Rational>]) -> bool {
    let Condition::Compare(comparison, sides) = part else { return false };
    let sign = match comparison {
        Comparison::Less | Comparison::LessOrEqual => 1,
        Comparison::Greater | Comparison::GreaterOrEqual => -1,
        Comparison::Equal => return false,
    };
    let mut linear = Linear::default();
    linear.columns.extend(columns.iter().cloned());
    if !linear.add(sides, *comparison) || linear.columns.len() > columns.len() {
        return false;
    }
    let Some((form, _)) = linear.forms.pop() else { return false };
    let Some((constant, row)) = form.split_first() else { return false };
    let along = |vector: &Vec<Rational>| {
        row.iter().zip(vector).fold(Rational::ZERO, |sum, (coefficient, value)| &sum + &(coefficient * value))
    };
    let strict = matches!(comparison, Comparison::Less | Comparison::Greater);
    let beyond = |value: Rational| value.signum() == sign || strict && value.is_zero();
    points.iter().any(|point| beyond(&along(point) + constant)) || rays.iter().any(|ray| along(ray).signum() == sign)
}
