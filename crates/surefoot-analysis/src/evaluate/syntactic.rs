//! Syntactic precision and recall: the literals of learned preconditions and effects against the
//! real ones, as the paper counts them.
//!
//! A precondition's literals are the atoms, or negated atoms, that it is a conjunction of. Equality
//! of parameters is none of them, nor is anything under a disjunction or a quantifier. Effects are
//! counted as written: an atom that is deleted and added is two literals. Of an action that was not
//! learned the paper says: its preconditions have precision 0 and recall 1, as if it had every
//! literal; its effects have precision 1 and recall 0, as if it had none. A share of nothing is 1,
//! with one exception, as the paper's numbers are counted: where no precondition is learned
//! although there are real ones, its precision is 0. A safe learner never does that.

use std::collections::BTreeSet;

use super::{Ratio, mean};
use surefoot_base::model::{Action, Condition, Domain, Effect, LiftedAtom, Term};

/// A literal by names, so that two domains can be compared: the atom, and whether it is positive.
type Literal = (String, bool);

/// Precision and recall of a set of literals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agreement {
    /// Of the learned literals, those that are real.
    pub precision: Ratio,
    /// Of the real literals, those that were learned.
    pub recall: Ratio,
}

/// What the comparison of one action gave.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionSyntax {
    /// The action's name, as the real domain spells it.
    pub action: String,
    /// Its preconditions; `None`: it was not learned.
    pub preconditions: Option<Agreement>,
    /// Its effects; `None`: it was not learned.
    pub effects: Option<Agreement>,
}

impl ActionSyntax {
    /// Precision of the preconditions.
    pub fn precondition_precision(&self) -> f64 {
        self.preconditions.map_or(0.0, |found| {
            found.precision.value_or(if found.recall.of == 0 { 1.0 } else { 0.0 })
        })
    }

    /// Recall of the preconditions.
    pub fn precondition_recall(&self) -> f64 {
        self.preconditions.map_or(1.0, |found| found.recall.value_or(1.0))
    }

    /// Precision of the effects.
    pub fn effect_precision(&self) -> f64 {
        self.effects.map_or(1.0, |found| found.precision.value_or(1.0))
    }

    /// Recall of the effects.
    pub fn effect_recall(&self) -> f64 {
        self.effects.map_or(0.0, |found| found.recall.value_or(1.0))
    }
}

/// Averages over all actions of the real domain, learned or not.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SyntacticMeans {
    /// The precision of its preconditions.
    pub precondition_precision: f64,
    /// The recall of its preconditions.
    pub precondition_recall: f64,
    /// The precision of its effects.
    pub effect_precision: f64,
    /// The recall of its effects.
    pub effect_recall: f64,
}

/// Compares every action of the real domain with the learned one of its name; parameters correspond
/// by their places.
pub fn compare(real: &Domain, learned: &Domain) -> Vec<ActionSyntax> {
    let compared = real.actions.iter().map(|(name, action)| {
        let found = learned.known_action(name).map(|id| learned.action(id));
        ActionSyntax {
            action: name.to_owned(),
            preconditions: found.map(|found| {
                agreement(&preconditions(real, action), &preconditions(learned, found))
            }),
            effects: found.map(|found| agreement(&effects(real, action), &effects(learned, found))),
        }
    });
    compared.collect()
}

/// The averages over actions; `None` for a domain without actions.
pub fn averages(actions: &[ActionSyntax]) -> Option<SyntacticMeans> {
    Some(SyntacticMeans {
        precondition_precision: mean(actions.iter().map(ActionSyntax::precondition_precision))?,
        precondition_recall: mean(actions.iter().map(ActionSyntax::precondition_recall))?,
        effect_precision: mean(actions.iter().map(ActionSyntax::effect_precision))?,
        effect_recall: mean(actions.iter().map(ActionSyntax::effect_recall))?,
    })
}

fn agreement(real: &BTreeSet<Literal>, learned: &BTreeSet<Literal>) -> Agreement {
    let both = real.intersection(learned).count() as u64;
    Agreement {
        precision: Ratio { hits: both, of: learned.len() as u64 },
        recall: Ratio { hits: both, of: real.len() as u64 },
    }
}

fn written(domain: &Domain, atom: &LiftedAtom) -> String {
    let mut text = domain.signature.predicates.name(atom.symbol.index()).to_ascii_lowercase();
    for term in &atom.terms {
        match term {
            Term::Variable(slot) => text += &format!(" ?{slot}"),
            Term::Object(object) => {
                text +=
                    &format!(" {}", domain.signature.constants.name(*object).to_ascii_lowercase())
            }
        }
    }
    text
}

fn preconditions(domain: &Domain, action: &Action) -> BTreeSet<Literal> {
    fn collect(
        domain: &Domain,
        condition: &Condition,
        positive: bool,
        found: &mut BTreeSet<Literal>,
    ) {
        match (condition, positive) {
            (Condition::And(parts), true) | (Condition::Or(parts), false) => {
                parts.iter().for_each(|part| collect(domain, part, positive, found));
            }
            (Condition::Not(inner), _) => collect(domain, inner, !positive, found),
            (Condition::Atom(atom), _) => found.extend([(written(domain, atom), positive)]),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    collect(domain, &action.precondition, true, &mut found);
    found
}

fn effects(domain: &Domain, action: &Action) -> BTreeSet<Literal> {
    fn collect(domain: &Domain, effect: &Effect, found: &mut BTreeSet<Literal>) {
        match effect {
            Effect::And(parts) => parts.iter().for_each(|part| collect(domain, part, found)),
            Effect::Add(atom) => found.extend([(written(domain, atom), true)]),
            Effect::Delete(atom) => found.extend([(written(domain, atom), false)]),
            Effect::Numeric(_) | Effect::When(..) | Effect::ForAll(..) => {}
        }
    }
    let mut found = BTreeSet::new();
    collect(domain, &action.effect, &mut found);
    found
}
