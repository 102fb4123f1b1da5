//! An action with parts as PDDL has it: one action whose precondition is a disjunction and whose
//! effects are conditional; and the actions for its parts, taken out of that again.
//!
//! ```text
//! (:action charge ...
//!   :precondition (or (and TESTS-1 ...) (and TESTS-2 ...))
//!   :effect (and (when TESTS-1 ...) (when TESTS-2 ...)))
//! ```
//!
//! Tests stand first in the precondition of each part. If only one part is in the model, its
//! precondition implies its tests, and the action has neither disjunction nor condition.

use super::contradiction::LinearTest;
use super::{ActionPart, DomainParts};
use crate::model::{Action, ActionId, Condition, Domain, Effect, Names};

impl DomainParts {
    /// A learned domain with one action for each action of the given domain. `learned` has the ids
    /// of [`DomainParts::learned_domain`], and the tests of a part stand first in the conjunction
    /// that is its precondition.
    pub fn merged(&self, given: &Domain, learned: &Domain) -> Domain {
        if self.is_empty() {
            return learned.clone();
        }
        let mut actions = Names::default();
        for id in given.action_ids() {
            let merged = match self.of(id) {
                [] => self.learned_ids(id).next().map(|only| learned.action(only).clone()),
                parts => {
                    let known = self.learned_ids(id).zip(parts);
                    let known = known.map(|(id, part)| (learned.action(id), part));
                    one_action(known.filter(|(action, _)| !action.is_left_out()).collect())
                }
            };
            let parameters = || given.action(id).parameters.clone();
            let action = merged.unwrap_or_else(|| Action::left_out(parameters()));
            let _ = actions.insert(given.action_name(id), action);
        }
        let mut domain = Domain { actions, ..learned.clone() };
        domain.requirements = domain.used_requirements();
        domain
    }

    /// The actions for the parts of a domain that [`DomainParts::merged`] made, also after it was
    /// written and read again; `None` if it is no such domain. Parts that it does not have are
    /// missing, and so are actions.
    pub fn split(&self, merged: &Domain) -> Option<Domain> {
        let mut actions = Names::default();
        for id in merged.action_ids() {
            let action = merged.action(id);
            let Some(parts) = self.named(merged.action_name(id)) else {
                actions.insert(merged.action_name(id), action.clone()).ok()?;
                continue;
            };
            for (part, body) in several_actions(action, parts)? {
                actions.insert(&part.name, body).ok()?;
            }
        }
        let mut domain = Domain { actions, ..merged.clone() };
        domain.requirements = domain.used_requirements();
        Some(domain)
    }

    /// The merged form of what [`DomainParts::split`] gave, in the order of actions of the domain
    /// that was split.
    pub fn merged_again(&self, merged: &Domain, split: &Domain) -> Domain {
        let mut domain = merged.clone();
        for id in merged.action_ids() {
            let name = merged.action_name(id);
            let action = match self.named(name) {
                None => split.actions.find(name).map(|one| split.action(one.into()).clone()),
                Some(parts) => {
                    let find = |part: &ActionPart| split.actions.find(&part.name);
                    let known = parts.iter().filter_map(|part| Some((find(part)?, part)));
                    one_action(known.map(|(id, part)| (split.action(id.into()), part)).collect())
                }
            };
            if let Some(action) = action {
                *domain.actions.value_mut(ActionId::index(id)) = action;
            }
        }
        domain
    }
}

/// The action that behaves in each part as the action for that part does.
fn one_action(known: Vec<(&Action, &ActionPart)>) -> Option<Action> {
    match known[..] {
        [] => None,
        [(only, _)] => Some(only.clone()),
        [(first, _), ..] => {
            let preconditions = known.iter().map(|(action, _)| action.precondition.clone());
            let effects = known.iter().filter(|(action, _)| !is_nothing(&action.effect));
            let effects = effects.map(|(action, part)| {
                Effect::When(all_of(&part.tests), Box::new(action.effect.clone()))
            });
            Some(Action {
                parameters: first.parameters.clone(),
                precondition: Condition::Or(preconditions.collect()),
                effect: Effect::And(effects.collect()),
            })
        }
    }
}

/// The actions for those parts that an action has.
fn several_actions<'p>(
    action: &Action,
    parts: &'p [ActionPart],
) -> Option<Vec<(&'p ActionPart, Action)>> {
    let Condition::Or(disjuncts) = &action.precondition else {
        let part = parts.iter().find(|part| begins_with(&action.precondition, &part.tests))?;
        return Some(vec![(part, action.clone())]);
    };
    let Effect::And(effects) = &action.effect else { return None };
    let mut rest = &effects[..];
    let mut found = Vec::new();
    let mut left = parts.iter();
    for disjunct in disjuncts {
        let part = left.find(|part| begins_with(disjunct, &part.tests))?;
        let effect = match rest {
            [Effect::When(condition, effect), others @ ..]
                if is_same(condition, &all_of(&part.tests)) =>
            {
                rest = others;
                (**effect).clone()
            }
            _ => Effect::NONE,
        };
        let (parameters, precondition) = (action.parameters.clone(), disjunct.clone());
        found.push((part, Action { parameters, precondition, effect }));
    }
    (rest.is_empty() && found.len() > 1).then_some(found)
}

fn all_of(tests: &[Condition]) -> Condition {
    match tests {
        [only] => only.clone(),
        several => Condition::And(several.to_vec()),
    }
}

fn is_nothing(effect: &Effect) -> bool {
    matches!(effect, Effect::And(parts) if parts.iter().all(is_nothing))
}

/// Whether a precondition begins with these tests.
fn begins_with(precondition: &Condition, tests: &[Condition]) -> bool {
    let conjuncts = precondition.conjuncts();
    conjuncts.len() >= tests.len()
        && tests.iter().zip(conjuncts).all(|(test, conjunct)| is_same(test, conjunct))
}

/// Whether two conditions are the same, however sums are nested.
fn is_same(one: &Condition, other: &Condition) -> bool {
    match (one, other) {
        (Condition::And(ours), Condition::And(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().zip(theirs).all(|(one, other)| is_same(one, other))
        }
        (Condition::Compare(..), Condition::Compare(..)) => {
            LinearTest::of(one).is_some() && LinearTest::of(one) == LinearTest::of(other)
        }
        _ => one == other,
    }
}
