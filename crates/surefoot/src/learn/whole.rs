//! Whole hulls for a model whose PDDL states only parts of them, from the vertices in its certificate
//! (docs/theory.md, "Too many facets").

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ids::LiftedFunctionId;
use super::region::rays;
use super::vocabulary::{Degree, Monomial, Vocabulary};
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
    let rays = match certificate.assumptions.spec.monotone.get(name) {
        None => Vec::new(),
        Some(marks) => {
            // The columns of the certificate are a vocabulary of their own, in which marks mean what they meant to the learner.
            let functions = Vocabulary::functions_of(model, id).map_err(|_| Unfit::Column(name.to_owned(), "too much".into()))?;
            let factors = |factors: &Vec<LiftedFunction>| {
                let ids: Option<Vec<LiftedFunctionId>> = factors
                    .iter()
                    .map(|factor| functions.pairs().find(|&(_, known)| known == factor).map(|(id, _)| id))
                    .collect();
                ids.map(|mut ids| {
                    ids.sort_unstable();
                    Monomial(ids)
                })
            };
            let unknown = || Unfit::Column(name.to_owned(), "a function of its own".into());
            let monomials: Vec<Monomial> = columns.iter().map(factors).collect::<Option<_>>().ok_or_else(unknown)?;
            let mut resolved: BTreeMap<usize, Monotone> = BTreeMap::new();
            let vocabulary = Vocabulary::with_relevant(model, id, Degree::LINEAR, &monomials).map_err(|_| unknown())?;
            for (text, mark) in marks {
                let monomial = factors(&product(text)?).ok_or_else(unknown)?;
                // A column that is marked but not active bounds nothing.
                resolved.extend(vocabulary.columns.iter().position(|known| *known == monomial).map(|column| (column, *mark)));
            }
            let active: Option<Vec<usize>> =
                monomials.iter().map(|monomial| vocabulary.columns.iter().position(|known| known == monomial)).collect();
            rays(&vocabulary, &active.ok_or_else(unknown)?, Some(&resolved), &points)
        }
    };
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
