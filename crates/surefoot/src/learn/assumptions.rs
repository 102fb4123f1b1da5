//! What a learned model takes for granted, chosen by the user and always said.

use std::collections::BTreeMap;

use super::learner::Learner;
use super::vocabulary::{Degree, Monomial};
use crate::model::Domain;
use crate::pddl::Numbers;

/// Which actions are learned from how much evidence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// Every observed action, from its first observation on.
    #[default]
    NsamStar,
    /// Every action with at least one more distinct observed vector than it has functions.
    Nsam,
    /// Every observed action, by its Boolean part alone; numbers are not looked at.
    Sam,
}

/// The class of models that is learned from: what a learner's columns are. Fixed when a learner is made, and part of its state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// Which monomials are columns, for actions without a map.
    pub degree: Degree,
    /// By action: the only monomials its conditions and effects are linear in (a relevant-functions map).
    pub relevant: BTreeMap<usize, Vec<Monomial>>,
    /// How numbers were read.
    pub numbers: Numbers,
}

impl Default for Class {
    fn default() -> Self {
        Class { degree: Degree::LINEAR, relevant: BTreeMap::new(), numbers: Numbers::Exact }
    }
}

/// Which way a column may move without leaving the real precondition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Monotone {
    /// More never hurts.
    More,
    /// Less never hurts.
    Less,
    /// It does not matter.
    Any,
}

/// What a model is made with from the same evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Which actions are learned.
    pub algorithm: Algorithm,
    /// A(k): each numeric condition of the real preconditions mentions at most k columns.
    pub arity: Option<usize>,
    /// E(k): the right-hand side of each numeric effect reads at most k columns.
    pub effect_arity: Option<usize>,
    /// M, by action and column.
    pub monotone: BTreeMap<usize, BTreeMap<usize, Monotone>>,
    /// Real preconditions have no negative atoms.
    pub positive_preconditions: bool,
    /// The most facets an action may have.
    pub facet_budget: usize,
    /// The most digits a coefficient may have; more are rounded inward.
    pub digits: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            algorithm: Algorithm::default(),
            arity: None,
            effect_arity: None,
            monotone: BTreeMap::new(),
            positive_preconditions: false,
            facet_budget: 100_000,
            digits: None,
        }
    }
}

/// The assumptions of a model in words, one a line: what must be true of the real world for the promise to hold.
pub fn in_words(domain: &Domain, learner: &Learner, settings: &Settings) -> Vec<String> {
    let class = learner.class();
    let mut words = vec![
        "The recorded states are complete, and every recorded step succeeded and is deterministic.".to_owned(),
        "Preconditions are conjunctions. Conditions and effects mention only parameters of their action and constants, and no \
         parameter twice in one atom."
            .to_owned(),
    ];
    if settings.algorithm != Algorithm::Sam {
        words.push(match class.degree {
            Degree { degree: 1, .. } => "Numeric conditions are linear inequalities, numeric effects are affine.".to_owned(),
            Degree { degree, squares } => format!(
                "Numeric conditions and effects are linear in products of at most {degree} {} functions.",
                if squares { "(also equal)" } else { "different" }
            ),
        });
    }
    for (&action, monomials) in &class.relevant {
        let columns: Vec<_> = monomials.iter().map(|monomial| learner.written(action, monomial)).collect();
        let listed = if columns.is_empty() { "no number".to_owned() } else { columns.join(", ") };
        words.push(format!("{} reads and changes only {listed}.", domain.action_name(action.into())));
    }
    if let Numbers::Decimals(places) = class.numbers {
        words.push(format!("Recorded numbers are exact to {places} decimals, and were rounded to that."));
    }
    if let Some(arity) = settings.arity {
        words.push(format!("Each numeric condition of a real precondition mentions at most {}.", functions(arity)));
    }
    if let Some(arity) = settings.effect_arity {
        words.push(format!("The right-hand side of each real numeric effect reads at most {}.", functions(arity)));
    }
    for (&action, marks) in &settings.monotone {
        for (&column, mark) in marks {
            let Some(column) = learner.vocabulary(action.into()).columns.get(column) else { continue };
            let name = learner.written(action, column);
            let action = domain.action_name(action.into());
            words.push(match mark {
                Monotone::More => format!("More of {name} never makes {action} inapplicable."),
                Monotone::Less => format!("Less of {name} never makes {action} inapplicable."),
                Monotone::Any => format!("{name} does not matter for the applicability of {action}, nor whether it is defined."),
            });
        }
    }
    if settings.algorithm == Algorithm::Sam {
        words.push("Numbers are neither read nor changed by any action.".to_owned());
    }
    if settings.positive_preconditions {
        words.push("Preconditions have no negative atoms.".to_owned());
    }
    words.extend(learner.set_aside().iter().map(|step| format!("A recording error, set aside: {step}")));
    words
}

fn functions(arity: usize) -> String {
    if arity == 1 { "1 function".into() } else { format!("{arity} functions") }
}
