//! Whole hulls for a model whose PDDL states only parts of them, from the vertices in its certificate (theory, section 5).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::assumptions::Monotone;
use super::certificate::{ActionRecord, Certificate, MonotoneRecord};
use super::precondition::rays;
use crate::exact::Rational;
use crate::model::{ActionId, Comparison, Condition, Domain, Effect, LiftedFunction, Linear, Polynomial, Vertices};
use crate::pddl::{Numbers, Source, Writer, read_expression};

/// Why a certificate does not fit a model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfit {
    /// It has an action that the model does not.
    #[error("the certificate has the action {0}, the model does not")]
    Action(String),
    /// Its conditions or effects of an action are not the model's.
    #[error("the certificate is of another model: {0} has other conditions or effects there")]
    Model(String),
    /// It is about something that is no product of functions of the action's parameters.
    #[error("the certificate is about {1} in {0}, which is no product of functions of its parameters")]
    Column(String, String),
    /// A vertex has another number of values than there are columns, or something that is no number.
    #[error("vertex {1} of {0} in the certificate is no list of as many numbers as it has columns")]
    Vertex(String, usize),
}

/// The model with the whole hull of each action of which it has only a part. What is written of it as PDDL stays the same.
///
/// Conditions and effects must be those the certificate was written for. The vertices are taken on trust; [`crate::check`] verifies
/// that they were observed.
pub fn whole(model: &Domain, certificate: &Certificate) -> Result<Domain, Unfit> {
    let mut domain = model.clone();
    for (name, record) in certificate.actions.iter().filter(|(_, record)| !record.vertices.is_empty()) {
        let id = model.actions.find(name).ok_or_else(|| Unfit::Action(name.clone()))?;
        if !fits(model, id.into(), record) {
            return Err(Unfit::Model(name.clone()));
        }
        let hull = hull(model, id.into(), name, record, certificate)?;
        domain.actions.value_mut(id).hull = Some(Arc::new(hull));
    }
    Ok(domain)
}

/// Whether an action's conditions and effects are those the certificate speaks of: a hull of other evidence would not be safe.
fn fits(model: &Domain, id: ActionId, record: &ActionRecord) -> bool {
    let action = model.action(id);
    let mut writer = Writer::new(model, &model.signature.constants).with_parameters(&action.parameters);
    let (mut boolean, mut equations, mut inequalities) = (BTreeSet::new(), 0, 0);
    for part in action.precondition.conjuncts() {
        match part {
            Condition::Compare(Comparison::Equal, _) => equations += 1,
            Condition::Compare(..) => inequalities += 1,
            other => drop(boolean.insert(writer.condition(other))),
        }
    }
    let effects: BTreeSet<String> = match &action.effect {
        Effect::And(parts) => parts.iter().map(|part| writer.effect(part)).collect(),
        other => BTreeSet::from([writer.effect(other)]),
    };
    boolean == record.conditions.iter().cloned().collect()
        && effects == record.effects.iter().cloned().collect()
        && (equations, inequalities) == (record.equations.len(), record.facets.len())
}

fn hull(model: &Domain, id: ActionId, name: &str, record: &ActionRecord, certificate: &Certificate) -> Result<Vertices, Unfit> {
    let product = |text: &String| product(model, id, text).ok_or_else(|| Unfit::Column(name.to_owned(), text.clone()));
    let columns = record.columns.iter().map(product).collect::<Result<Vec<_>, _>>()?;
    let point = |(index, texts): (usize, &Vec<String>)| {
        let values: Option<Vec<Rational>> = texts.iter().map(|text| number(text)).collect();
        values.filter(|values| values.len() == columns.len()).ok_or_else(|| Unfit::Vertex(name.to_owned(), index))
    };
    let points = record.vertices.iter().enumerate().map(point).collect::<Result<Vec<_>, _>>()?;
    let mut marks = BTreeMap::new();
    for (text, mark) in certificate.settings.monotone.get(name).into_iter().flatten() {
        let column = product(text)?;
        // A column that is marked but not active bounds nothing.
        let Some(position) = columns.iter().position(|known| *known == column) else { continue };
        let mark = match mark {
            MonotoneRecord::More => Monotone::More,
            MonotoneRecord::Less => Monotone::Less,
            MonotoneRecord::Any => Monotone::Any,
        };
        marks.insert(position, mark);
    }
    let positions: Vec<usize> = (0..columns.len()).collect();
    let rays = rays(&positions, Some(&marks));
    let parts = model.action(id).precondition.conjuncts().iter().enumerate();
    let replaced: BTreeSet<usize> =
        parts.filter(|(_, part)| cuts(part, &columns, &points, &rays)).map(|(index, _)| index).collect();
    Ok(Vertices::new(columns, points, rays, replaced))
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

/// A number as a certificate writes it: a decimal, or a quotient.
fn number(text: &str) -> Option<Rational> {
    let read = |word: &str| Numbers::Exact.read(word).ok();
    match text.split_once('/') {
        Some((numerator, denominator)) => read(numerator)?.checked_div(&read(denominator)?),
        None => read(text),
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
