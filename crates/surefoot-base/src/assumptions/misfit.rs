//! Bodies that show that the class does not fit. A learner ignores the bodies of the given domain,
//! but where they are there and are outside the class, the promise is known to be void, and must
//! not look as if it were not.

use std::collections::BTreeSet;
use std::fmt;

use super::body::ActionBody;
use super::{About, Algorithm, Assumptions};
use crate::model::{ActionId, Domain, LiftedFunction};
use crate::parts::DomainParts;

/// Something in the body of an action that no model of the class has.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Misfit {
    /// The name of the action.
    pub action: String,
    /// The sentence about the class that it contradicts.
    pub about: About,
    /// What the class of models does not have.
    pub reason: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.action, self.reason)
    }
}

/// What in the bodies of a domain is outside the class, in the order of the actions; nothing where
/// there are no bodies.
pub fn misfits(domain: &Domain, assumptions: &Assumptions) -> Vec<Misfit> {
    let mut found: Vec<Misfit> = Vec::new();
    let spec = &assumptions.spec;
    // Parts that are none of the domain are an error wherever a model is made.
    let parts = DomainParts::read(domain, &spec.parts, (spec.degree, spec.squares));
    let parts = parts.unwrap_or_default();
    for id in domain.action_ids() {
        let within = match parts.of(id) {
            [] => Vec::new(),
            _ => parts.bodies_within(domain, id),
        };
        let bodies: Vec<&Domain> =
            if within.is_empty() { vec![domain] } else { within.iter().collect() };
        let own: Vec<Misfit> =
            bodies.into_iter().flat_map(|domain| of_action(domain, id, assumptions)).collect();
        for misfit in own {
            if !found.contains(&misfit) {
                found.push(misfit);
            }
        }
    }
    found
}

/// What in the body of one action is outside the class.
fn of_action(domain: &Domain, id: ActionId, assumptions: &Assumptions) -> Vec<Misfit> {
    let mut found = Vec::new();
    let body = ActionBody::of(domain, id);
    let numbers = match assumptions.spec.algorithm {
        Algorithm::Sam if body.conditions.is_empty() => Vec::new(),
        Algorithm::Sam => vec!["its precondition reads a number".to_owned()],
        _ => beyond(&body, assumptions).into_iter().collect(),
    };
    let owned = |reasons: &BTreeSet<&str>| {
        reasons.iter().map(|reason| (*reason).to_owned()).collect::<Vec<_>>()
    };
    let reasons = [
        (About::Conjunctions, owned(&body.no_conjunction)),
        (About::Unconditional, owned(&body.conditional)),
        (About::Mentions, body.misused.iter().cloned().collect()),
        (About::Numbers, numbers),
        (About::Inputs, domain.misuse_of_inputs(id).map(str::to_owned).into_iter().collect()),
    ];
    for (about, reasons) in reasons {
        let action = body.name.to_ascii_lowercase();
        found.extend(reasons.into_iter().map(|reason| Misfit {
            action: action.clone(),
            about: about.clone(),
            reason,
        }));
    }
    found
}

/// Products that the class does not have, and what is no polynomial at all.
fn beyond(body: &ActionBody<'_>, assumptions: &Assumptions) -> BTreeSet<String> {
    let listed =
        assumptions.spec.relevant.get(&body.name.to_ascii_lowercase()).into_iter().flatten();
    let listed: BTreeSet<Vec<String>> = listed.map(|text| factors_in(text)).collect();
    let fits = |factors: &[LiftedFunction]| {
        assumptions.within_degree(factors) || listed.contains(&sorted(body.names(factors)))
    };
    let mut found = BTreeSet::new();
    for form in &body.conditions {
        match &form.polynomial {
            None => drop(found.insert("a numeric condition is no polynomial".to_owned())),
            Some(polynomial) => {
                let beyond = polynomial.columns().find(|(factors, _)| !fits(factors));
                found.extend(beyond.map(|(factors, _)| {
                    format!("a condition multiplies {}", body.listed(factors))
                }));
            }
        }
    }
    for (_, read) in body.effects() {
        match read {
            Err(reason) => drop(found.insert(reason)),
            Ok(read) => {
                let beyond = read.iter().find(|factors| !fits(factors));
                found.extend(
                    beyond.map(|factors| format!("an effect multiplies {}", body.listed(factors))),
                );
            }
        }
    }
    found
}

fn sorted(names: Vec<String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
    names.sort_unstable();
    names
}

/// The factors of a product as it is written, `(* (f ?x) (g))`, sorted; of a function alone,
/// itself.
fn factors_in(text: &str) -> Vec<String> {
    let text = text.trim().to_ascii_lowercase();
    let Some(inner) = text.strip_prefix("(*").and_then(|rest| rest.strip_suffix(')')) else {
        return vec![text];
    };
    let factors = inner.split_inclusive(')').map(|factor| factor.trim().to_owned());
    sorted(factors.filter(|factor| !factor.is_empty()).collect())
}
