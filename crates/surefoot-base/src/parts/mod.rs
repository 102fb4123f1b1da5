//! Actions that behave in several ways, each in one part of the states (docs/theory.md, "Parts").
//!
//! *In*: parts as a user declares them, or as they were found, by action: tests on the literals and
//! numbers that the action may mention. *Out*: [`DomainParts`], the same in the ids of a domain;
//! the domain in which such an action stands once for each of its parts; and the way back, from one
//! learned action for each part to one action as PDDL writes it.
//!
//! *The invariant*: the parts of an action are disjoint, which is proved before a [`DomainParts`]
//! exists. So an event belongs to at most one part.
//!
//! *Where to begin*: `declared` reads and proves, `found` has the counts of parts that nobody
//! declared, `contradiction` is the proof, `written` is the
//! form as PDDL, `within` says what a given body amounts to in a part.

mod contradiction;
mod declared;
mod found;
mod within;
mod written;

use std::collections::BTreeMap;

pub use contradiction::{Contradiction, LinearTest, contradiction};
pub use declared::{DeclaredParts, MAX_PARTS, PartsError, PartsMap};
pub use found::{FindParts, FoundPart, FoundParts};

use crate::model::semantics::Semantics;
use crate::model::{Action, ActionId, Attempt, Condition, Domain, Effect, Names};

/// The states in which an action behaves in one way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActionPart {
    /// The name of the action that stands for it: `charge--1`.
    pub name: String,
    /// What holds in these states and in no state of another part: at least one test.
    pub tests: Vec<Condition>,
}

/// The parts of a domain's actions. Actions without an entry behave in one way everywhere.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DomainParts {
    /// By action of the given domain: its name, and its parts.
    actions: BTreeMap<ActionId, (String, Vec<ActionPart>)>,
    /// Of these actions the parts were found in records: what supports them.
    found: BTreeMap<ActionId, FoundParts>,
}

impl DomainParts {
    /// Whether no action has parts.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// The actions that have parts.
    pub fn actions(&self) -> impl Iterator<Item = ActionId> {
        self.actions.keys().copied()
    }

    /// By action of the given domain: the parts that were found in records, with their counts.
    pub fn found(&self) -> impl Iterator<Item = (ActionId, &FoundParts)> {
        self.found.iter().map(|(&action, found)| (action, found))
    }

    /// The parts of an action of the given domain; none if it has no parts.
    pub fn of(&self, action: ActionId) -> &[ActionPart] {
        self.actions.get(&action).map_or(&[], |(_, parts)| parts)
    }

    /// The parts of the action of a name, with their first id in the learned domain.
    fn named(&self, name: &str) -> Option<&[ActionPart]> {
        let mut all = self.actions.values();
        let (_, parts) = all.find(|(own, _)| own.eq_ignore_ascii_case(name))?;
        Some(parts)
    }

    /// The ids that an action of the given domain has in the learned one: one for each part.
    pub fn learned_ids(&self, given: ActionId) -> impl Iterator<Item = ActionId> + use<> {
        let before: usize =
            self.actions.range(..given).map(|(_, (_, parts))| parts.len() - 1).sum();
        let first = given.index() + before;
        let count = self.actions.get(&given).map_or(1, |(_, parts)| parts.len());
        (first..first + count).map(ActionId::from)
    }

    /// The action of the given domain that an action of the learned one belongs to, with the number
    /// of its part, from 0.
    pub fn given_id(&self, learned: ActionId) -> (ActionId, Option<usize>) {
        let mut before = 0;
        for (&given, (_, parts)) in &self.actions {
            let first = given.index() + before;
            if learned.index() < first {
                break;
            }
            if learned.index() < first + parts.len() {
                return (given, Some(learned.index() - first));
            }
            before += parts.len() - 1;
        }
        (ActionId::from(learned.index() - before), None)
    }

    /// The part that an action of the learned domain stands for.
    pub fn part(&self, learned: ActionId) -> Option<&ActionPart> {
        let (given, part) = self.given_id(learned);
        self.of(given).get(part?)
    }

    /// The tests of the part that an action of the learned domain stands for, by its name; none if
    /// it stands for no part. They come first in its precondition.
    pub fn tests_of(&self, name: &str) -> &[Condition] {
        let mut all = self.actions.values().flat_map(|(_, parts)| parts);
        all.find(|part| part.name.eq_ignore_ascii_case(name)).map_or(&[], |part| &part.tests)
    }

    /// The domain that is learned: an action with parts stands there once for each part, with the
    /// same parameters and without a body.
    pub fn learned_domain(&self, given: &Domain) -> Domain {
        if self.is_empty() {
            return given.clone();
        }
        let mut actions = Names::default();
        for id in given.action_ids() {
            let action = given.action(id);
            match self.of(id) {
                [] => drop(actions.insert(given.action_name(id), action.clone())),
                parts => parts.iter().for_each(|part| {
                    let without_body = Action {
                        parameters: action.parameters.clone(),
                        precondition: Condition::TRUE,
                        effect: Effect::NONE,
                    };
                    let _ = actions.insert(&part.name, without_body);
                }),
            }
        }
        Domain { actions, ..given.clone() }
    }

    /// The action of the learned domain to which an event or a question of the given domain
    /// belongs; `None` if its state is in no part, or a test has no value there.
    pub fn part_of(&self, given: &Domain, attempt: Attempt<'_>) -> Option<ActionId> {
        let Attempt { before, action, universe } = attempt;
        let mut ids = self.learned_ids(action.symbol);
        let parts = self.of(action.symbol);
        if parts.is_empty() {
            return ids.next();
        }
        // Tests have no quantifiers, so it does not matter which objects there are.
        let semantics = Semantics::new(given, &given.signature.constants);
        let holds = |part: &ActionPart| {
            part.tests.iter().all(|test| {
                semantics.holds_with(test, &action.arguments, universe, before) == Ok(true)
            })
        };
        ids.zip(parts).find(|(_, part)| holds(part)).map(|(id, _)| id)
    }
}

#[cfg(test)]
mod tests;
