//! Actions with a disjunction in their precondition, as one action for each disjunct.
//!
//! A learned action with parts is written as one action, `(or (and TESTS-1 ...) ...)` with an
//! effect `(when TESTS-1 ...)` for each part. Searches are better at conjunctions: they index them,
//! make one region of their comparisons, and estimate how far a state is from them.
//!
//! *In*: a domain. *Out*: [`SplitDomain`]: a domain that says the same, and from which of its
//! actions each action comes.
//!
//! *The invariant*: in every state, a step of the given domain is possible if and only if one of
//! its disjuncts is, with the same successor. So plans and proofs that there is none are those of
//! the given domain. Where an effect depends on a condition that has no value, a step is
//! impossible; such a condition is therefore left out only if the disjunct reads all that it reads.

use std::collections::HashSet;

use surefoot_base::model::{
    Action, ActionId, Condition, Domain, Effect, Expression, GroundAction, LiftedFunction, Names,
};
use surefoot_base::parts::contradiction;
use surefoot_base::pddl::Plan;

/// An action with more disjuncts stays one.
const MOST_DISJUNCTS: usize = 16;

/// A condition of an effect is held against at most so many conditions of a disjunct.
const MOST_COMPARED: usize = 64;

/// A domain without disjunctions in the conjunctions that are preconditions.
pub struct SplitDomain {
    /// The domain to plan in.
    pub domain: Domain,
    /// By action of it: the action of the given domain.
    given: Vec<ActionId>,
}

impl SplitDomain {
    /// Splits a domain; `None` where there is nothing to split.
    pub fn of(domain: &Domain) -> Option<SplitDomain> {
        let several: Vec<Option<Vec<Action>>> =
            domain.action_ids().map(|id| by_disjunct(domain.action(id))).collect();
        if several.iter().all(Option::is_none) {
            return None;
        }
        let (mut actions, mut given) = (Names::default(), Vec::new());
        for (id, several) in domain.action_ids().zip(several) {
            let several = several.unwrap_or_else(|| vec![domain.action(id).clone()]);
            for action in several {
                // No name of PDDL begins with a digit, so no action of the domain has this one.
                actions
                    .insert(&format!("{} {}", given.len(), domain.action_name(id)), action)
                    .ok()?;
                given.push(id);
            }
        }
        Some(SplitDomain { domain: Domain { actions, ..domain.clone() }, given })
    }

    /// A plan of the split domain as a plan of the given one.
    pub fn given_plan(&self, plan: &Plan) -> Plan {
        let given = |action: &GroundAction| GroundAction {
            symbol: self.given[action.symbol.index()],
            arguments: action.arguments.clone(),
        };
        Plan::of(plan.steps.iter().map(|step| given(&step.action)))
    }
}

/// An action for each disjunct of an action; `None` where its precondition is no conjunction with a
/// disjunction, or has too many disjuncts.
fn by_disjunct(action: &Action) -> Option<Vec<Action>> {
    let mut conjuncts = Vec::new();
    flatten(&action.precondition, &mut conjuncts);
    let place = conjuncts.iter().position(
        |one| matches!(one, Condition::Or(parts) if (2..=MOST_DISJUNCTS).contains(&parts.len())),
    )?;
    let Condition::Or(disjuncts) = conjuncts.remove(place) else { return None };
    let one = |disjunct: &Condition| {
        let mut known = Vec::new();
        flatten(disjunct, &mut known);
        known.extend(conjuncts.iter().copied());
        Action {
            parameters: action.parameters.clone(),
            effect: effect_where(&action.effect, &known),
            precondition: Condition::And(known.into_iter().cloned().collect()),
        }
    };
    Some(disjuncts.iter().map(one).collect())
}

/// The conjuncts of a condition.
fn flatten<'c>(condition: &'c Condition, into: &mut Vec<&'c Condition>) {
    match condition {
        Condition::And(parts) => parts.iter().for_each(|part| flatten(part, into)),
        other => into.push(other),
    }
}

/// What an effect amounts to where some conditions hold.
fn effect_where(effect: &Effect, known: &[&Condition]) -> Effect {
    match effect {
        Effect::And(parts) => {
            Effect::And(parts.iter().map(|part| effect_where(part, known)).collect())
        }
        Effect::When(condition, inner) => {
            let mut tests = Vec::new();
            flatten(condition, &mut tests);
            if tests.iter().all(|test| known.contains(test)) {
                effect_where(inner, known)
            } else if is_false_where(&tests, known) {
                Effect::NONE
            } else {
                Effect::When(condition.clone(), Box::new(effect_where(inner, known)))
            }
        }
        Effect::ForAll(..) | Effect::Add(_) | Effect::Delete(_) | Effect::Numeric(_) => {
            effect.clone()
        }
    }
}

/// Whether tests never hold together with conditions, and always have values where these hold.
fn is_false_where(tests: &[&Condition], known: &[&Condition]) -> bool {
    let Some(reads) = functions(tests) else { return false };
    let comparisons: Vec<&Condition> =
        known.iter().copied().filter(|one| matches!(one, Condition::Compare(..))).collect();
    if functions(&comparisons).is_none_or(|defined| !reads.is_subset(&defined)) {
        return false;
    }
    let speaks_of_them = |one: &&&Condition| match one {
        Condition::Compare(..) => functions(&[**one]).is_some_and(|read| read.is_subset(&reads)),
        Condition::Atom(_) | Condition::Same(..) => true,
        Condition::Not(inner) => matches!(**inner, Condition::Atom(_) | Condition::Same(..)),
        _ => false,
    };
    let all = tests.iter().chain(known.iter().filter(speaks_of_them));
    let all: Vec<&Condition> = all.copied().take(MOST_COMPARED).collect();
    contradiction(&all).is_some()
}

/// The functions that some literals read; `None` where one of them is not a literal.
fn functions<'c>(literals: &[&'c Condition]) -> Option<HashSet<&'c LiftedFunction>> {
    let mut found = HashSet::new();
    for literal in literals {
        match literal {
            Condition::Compare(_, sides) => {
                sides.iter().for_each(|side: &Expression| {
                    side.for_each_function(&mut |function| {
                        found.insert(function);
                    });
                });
            }
            Condition::Atom(_) | Condition::Same(..) => {}
            Condition::Not(inner)
                if matches!(**inner, Condition::Atom(_) | Condition::Same(..)) => {}
            _ => return None,
        }
    }
    Some(found)
}
