//! What a learned model takes for granted, chosen by the user and always said.

use std::collections::BTreeMap;

use super::vocabulary::{Degree, Monomial};
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
