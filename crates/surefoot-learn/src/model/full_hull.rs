//! Whole hulls for a model whose PDDL states only parts of them, from the vertices in its
//! certificate (docs/theory.md, "Too many facets").

use std::collections::BTreeMap;
use std::sync::Arc;

use surefoot_base::assumptions::Monotone;
use surefoot_base::certificate::{ActionRecord, Certificate, model_digest, read_number};
use surefoot_base::exact::{Constraint, Polyhedron, Rational};
use surefoot_base::ids::IdVec;
use surefoot_base::model::{
    ActionId, Condition, Domain, ErrorFunctions, Expression, LiftedFunction, Region,
};
use surefoot_base::parts::DomainParts;
use surefoot_base::pddl::{Source, read_expression};

use crate::conclude::Marked;
use crate::evidence::ActiveColumn;

/// Why a certificate does not fit a model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CertificateMismatch {
    /// It was written for another model.
    #[error(
        "the certificate belongs to another model: the digests differ. Learn again, and use \
         both files together"
    )]
    Model,
    /// Its parts are none of the model.
    #[error("the parts of actions in the certificate are not those of the model: {0}")]
    Parts(String),
    /// It has an action that the model does not.
    #[error("the certificate has the action {0}, the model does not")]
    Action(String),
    /// It is about something that is no product of functions of the action's parameters.
    #[error(
        "the certificate is about {1} in {0}, which is no product of functions of its parameters"
    )]
    Column(String, String),
    /// A vertex has another number of values than there are columns, or something that is no
    /// number.
    #[error("vertex {1} of {0} in the certificate is no list of as many numbers as it has columns")]
    Vertex(String, usize),
}

/// The model with the whole hull of each action of which it has only a part. What is written of it
/// as PDDL stays the same. An action that reads a function that has an error keeps to its part:
/// there the hull holds of true states, and the model knows estimates.
///
/// The certificate must have been written for this very model, which its digest tells. That the
/// vertices it lists were observed is *not* verified here, since that takes the trajectories:
/// `surefoot-check` does.
pub fn whole(model: &Domain, certificate: &Certificate) -> Result<Domain, CertificateMismatch> {
    if model_digest(model) != certificate.model {
        return Err(CertificateMismatch::Model);
    }
    if !certificate.assumptions.spec.parts.is_empty() {
        return whole_parts(model, certificate);
    }
    whole_actions(model, &DomainParts::default(), certificate)
}

/// The same for a model whose actions have parts: each part has a region of its own.
fn whole_parts(model: &Domain, certificate: &Certificate) -> Result<Domain, CertificateMismatch> {
    let spec = &certificate.assumptions.spec;
    // A part that the model does not have is no part of its domain; the others are.
    let known = |name: &String| model.actions.find(name).is_some();
    let declared = spec.parts.iter().filter(|(name, _)| known(name));
    let declared = declared.map(|(name, parts)| (name.clone(), parts.clone())).collect();
    let parts = DomainParts::read(model, &declared, (spec.degree, spec.squares))
        .map_err(|error| CertificateMismatch::Parts(error.to_string()))?;
    let split = parts.split(model).ok_or_else(|| {
        CertificateMismatch::Parts("the actions of the model do not have these".to_owned())
    })?;
    Ok(parts.merged_again(model, &whole_actions(&split, &parts, certificate)?))
}

fn whole_actions(
    model: &Domain,
    parts: &DomainParts,
    certificate: &Certificate,
) -> Result<Domain, CertificateMismatch> {
    let mut domain = model.clone();
    for (name, record) in
        certificate.actions.iter().filter(|(_, record)| !record.vertices.is_empty())
    {
        let id =
            model.actions.find(name).ok_or_else(|| CertificateMismatch::Action(name.clone()))?;
        let tests = parts.tests_of(name).len();
        if let Some(whole) = precondition(model, id.into(), tests, name, record, certificate)? {
            domain.actions.value_mut(id).precondition = whole;
        }
    }
    Ok(domain)
}

/// The precondition with the whole hull in place of the comparisons that bound a part of it: those
/// at its end, after so many tests of a part of the action: a ray may leave the hull, but never the
/// part. None where it reads what has an error.
fn precondition(
    model: &Domain,
    id: ActionId,
    tests: usize,
    name: &str,
    record: &ActionRecord,
    certificate: &Certificate,
) -> Result<Option<Condition>, CertificateMismatch> {
    let columns = record
        .columns
        .iter()
        .map(|text| known_product(model, id, name, text))
        .collect::<Result<IdVec<ActiveColumn, _>, _>>()?;
    let errors = ErrorFunctions::of(&model.signature);
    if columns.iter().flatten().any(|factor| errors.get(factor.symbol).is_some()) {
        return Ok(None);
    }
    let mut points = Vec::with_capacity(record.vertices.len());
    for (index, texts) in record.vertices.iter().enumerate() {
        let values: Option<Vec<Rational>> = texts.iter().map(|text| read_number(text)).collect();
        let point = values
            .filter(|values| values.len() == columns.len())
            .ok_or_else(|| CertificateMismatch::Vertex(name.to_owned(), index))?;
        points.push(point);
    }
    let marks = match certificate.assumptions.spec.monotone.get(name) {
        None => BTreeMap::new(),
        Some(marks) => marked(&columns, marks, |text| known_product(model, id, name, text))?,
    };
    let products: Vec<Vec<&LiftedFunction>> = columns.iter().map(|column| sorted(column)).collect();
    let rays = Marked::new(products.iter().map(Vec::as_slice).collect(), marks).rays(&points);
    let mut parts = model.action(id).precondition.expanded().conjuncts().to_vec();
    let (equations, inequalities) = tail(&mut parts, tests, columns.as_slice());
    let set = Arc::new(Polyhedron::spanned(columns.len(), equations, inequalities, points, rays));
    parts.push(Condition::Within(Region { columns: columns.into_iter().collect(), set }));
    Ok(Some(Condition::And(parts)))
}

/// Takes the comparisons over the columns from the end of a conjunction: equations, then
/// inequalities, each as [`Region`] writes it. The first conjuncts, as many as are kept, stay.
fn tail(
    parts: &mut Vec<Condition>,
    kept: usize,
    columns: &[Vec<LiftedFunction>],
) -> (Vec<Constraint>, Vec<Constraint>) {
    let (mut equations, mut inequalities) = (Vec::new(), Vec::new());
    while let Some((constraint, equation)) =
        parts.get(kept..).and_then(<[_]>::last).and_then(|part| Region::constraint(part, columns))
    {
        match equation {
            true => equations.push(constraint),
            false if equations.is_empty() => inequalities.push(constraint),
            false => break,
        }
        parts.pop();
    }
    equations.reverse();
    inequalities.reverse();
    (equations, inequalities)
}

/// Marks by column. One on what is no column bounds nothing.
fn marked(
    columns: &IdVec<ActiveColumn, Vec<LiftedFunction>>,
    marks: &BTreeMap<String, Monotone>,
    product: impl Fn(&str) -> Result<Vec<LiftedFunction>, CertificateMismatch>,
) -> Result<BTreeMap<ActiveColumn, Monotone>, CertificateMismatch> {
    let mut resolved = BTreeMap::new();
    for (text, mark) in marks {
        let factors = product(text)?;
        resolved.extend(
            columns
                .position(|column| sorted(column) == sorted(&factors))
                .map(|column| (column, *mark)),
        );
    }
    Ok(resolved)
}

/// The factors of a product that the certificate mentions for the action of this name.
fn known_product(
    model: &Domain,
    id: ActionId,
    name: &str,
    text: &str,
) -> Result<Vec<LiftedFunction>, CertificateMismatch> {
    product(model, id, text)
        .ok_or_else(|| CertificateMismatch::Column(name.to_owned(), text.to_owned()))
}

/// The factors of a product of functions, as it is written.
fn product(model: &Domain, id: ActionId, text: &str) -> Option<Vec<LiftedFunction>> {
    match read_expression(&Source::new("certificate", text), model, id).ok()? {
        Expression::Product(factors) if !factors.is_empty() => {
            factors.into_iter().map(function_of).collect()
        }
        other => Some(vec![function_of(other)?]),
    }
}

/// The function that an expression is, if it is one.
fn function_of(expression: Expression) -> Option<LiftedFunction> {
    match expression {
        Expression::Function(function) => Some(function),
        _ => None,
    }
}

fn sorted(factors: &[LiftedFunction]) -> Vec<&LiftedFunction> {
    let mut factors: Vec<&LiftedFunction> = factors.iter().collect();
    factors.sort_unstable();
    factors
}
