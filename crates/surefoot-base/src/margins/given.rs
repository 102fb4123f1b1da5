//! What is given about errors: by function in a model's head or by a user, and in a problem.

use std::collections::{BTreeMap, BTreeSet};

use super::normal::reads;
use crate::assumptions::{ErrorBound, ErrorMap};
use crate::exact::Rational;
use crate::model::{Domain, ErrorFunctions, FunctionId, Ground, GroundFunction, Objects, Problem};
use crate::pddl::Writer;

/// Errors in the ids of a domain. `*` stands for all functions that have an error function and are
/// not named.
///
/// # Errors
/// The map names a function that the domain does not have, or one twice.
pub fn errors_by_function(
    domain: &Domain,
    map: &ErrorMap,
) -> Result<BTreeMap<FunctionId, Rational>, String> {
    let mut found = BTreeMap::new();
    for (text, bound) in map.iter().filter(|(text, _)| *text != ErrorBound::OTHERS) {
        let function =
            function(domain, text).ok_or_else(|| format!("the domain has no function {text}"))?;
        if found.insert(function, bound.value().clone()).is_some() {
            return Err(format!(
                "the error of {} is given twice",
                domain.signature.functions.name(function.index())
            ));
        }
    }
    if let Some(bound) = map.get(ErrorBound::OTHERS) {
        for (function, _) in ErrorFunctions::of(&domain.signature).iter() {
            found.entry(function).or_insert_with(|| bound.value().clone());
        }
    }
    Ok(found)
}

/// A function by its name, or as PDDL with variables for its parameters.
fn function(domain: &Domain, text: &str) -> Option<FunctionId> {
    let bare = text.trim();
    let inside = bare.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let mut words = inside.unwrap_or(bare).split_whitespace();
    let id = FunctionId::from(domain.signature.functions.find(words.next()?)?);
    let arguments = words.count();
    (inside.is_none() && arguments == 0
        || domain.signature.function(id).parameters.len() == arguments)
        .then_some(id)
}

/// What keeps a problem from going with a domain that has error functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Gap {
    /// It gives no error at all, not even that of this function, which has a value.
    NoErrors(GroundFunction),
    /// It gives some errors, but not that of this function.
    MissingError(GroundFunction),
    /// It gives an error below zero: this one.
    NegativeError(GroundFunction),
    /// Its goal reads functions that have errors, but no error: a plan reaches it for the estimate
    /// alone.
    NoMargins,
}

impl Gap {
    /// What is missing in a problem of a domain; `None` where it goes with the domain.
    pub fn of(domain: &Domain, problem: &Problem) -> Option<Gap> {
        let errors = ErrorFunctions::of(&domain.signature);
        if errors.is_empty() {
            return None;
        }
        let given: BTreeSet<&GroundFunction> =
            problem.values.iter().map(|(function, _)| function).collect();
        let lacking = |function: &&GroundFunction| {
            error_of(&errors, function).is_some_and(|error| !given.contains(&error))
        };
        if let Some(function) = problem.values.iter().map(|(function, _)| function).find(lacking) {
            let some = given.iter().any(|function| errors.is_error(function.symbol));
            return Some(if some {
                Gap::MissingError(function.clone())
            } else {
                Gap::NoErrors(function.clone())
            });
        }
        let negative = |(function, value): &&(GroundFunction, Rational)| {
            errors.is_error(function.symbol) && value.signum() < 0
        };
        if let Some((error, _)) = problem.values.iter().find(negative) {
            return Some(Gap::NegativeError(error.clone()));
        }
        let blurred = reads(&problem.goal, &|function| errors.get(function).is_some());
        (blurred && !reads(&problem.goal, &|function| errors.is_error(function)))
            .then_some(Gap::NoMargins)
    }

    /// What is missing, in words.
    pub fn words(&self, domain: &Domain, objects: &Objects) -> String {
        let errors = ErrorFunctions::of(&domain.signature);
        let writer = Writer::new(domain, objects);
        let both = |function: &GroundFunction| {
            let error = error_of(&errors, function)
                .map(|error| writer.ground_function(&error))
                .unwrap_or_default();
            format!(
                "without {error} no step that reads {} can be taken",
                writer.ground_function(function)
            )
        };
        match self {
            Gap::NoErrors(function) => {
                format!(
                    "the domain knows numbers within errors, and the problem gives no error: \
                         {}",
                    both(function)
                )
            }
            Gap::MissingError(function) => format!(
                "the problem gives some errors, but not all: \
                {}",
                both(function)
            ),
            Gap::NegativeError(error) => format!(
                "{} is below zero, and margins would be, too",
                writer.ground_function(error)
            ),
            Gap::NoMargins => {
                "the goal has no margins: a plan reaches it if the initial values are exact, and \
                 may miss it otherwise"
                    .to_owned()
            }
        }
    }
}

/// The error of a function applied to objects; `None` for one that is exact.
pub(super) fn error_of(
    errors: &ErrorFunctions,
    function: &GroundFunction,
) -> Option<GroundFunction> {
    Some(Ground { symbol: errors.get(function.symbol)?, arguments: function.arguments.clone() })
}
