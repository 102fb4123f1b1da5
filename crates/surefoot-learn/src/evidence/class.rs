//! The class of models that is learned from, in the ids of a domain.

use std::collections::BTreeMap;

use surefoot_base::exact::Rational;
use surefoot_base::model::{ActionId, FunctionId};
use surefoot_base::parts::DomainParts;
use surefoot_base::pddl::Numbers;

use super::vocabulary::{Degree, Monomial};

/// The class of models that is learned from: what a learner's columns are. Fixed when a learner is
/// made, and part of its state.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Class {
    /// Which monomials are columns.
    pub degree: Degree,
    /// The parts in each of which an action behaves in one way, and is learned as an action of its
    /// own.
    pub parts: DomainParts,
    /// By action of the learned domain: the only functions that its conditions and effects read,
    /// with the products of them that the degree admits, and single products besides (a map of
    /// relevant functions).
    pub relevant: BTreeMap<ActionId, Vec<Monomial>>,
    /// How numbers were read.
    pub numbers: Numbers,
    /// By function: how far recorded values may be from the true ones. Those of others are exact.
    pub errors: BTreeMap<FunctionId, Rational>,
}

impl Class {
    /// These limits of the class, changed by `change`. Fields may be added, so this is how to make
    /// one:
    /// `Class::default().with(|class| ..)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The names of the dials in which another class of models of the same domain differs.
    pub fn differing(&self, other: &Class) -> Vec<&'static str> {
        let Class { degree: Degree { degree, squares }, parts, relevant, numbers, errors } = self;
        let dials = [
            ("degree", *degree == other.degree.degree),
            ("squares", *squares == other.degree.squares),
            ("parts", *parts == other.parts),
            ("relevant", *relevant == other.relevant),
            ("decimals", *numbers == other.numbers),
            ("error", *errors == other.errors),
        ];
        dials.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect()
    }
}

impl Default for Class {
    fn default() -> Self {
        Class {
            degree: Degree::LINEAR,
            parts: DomainParts::default(),
            relevant: BTreeMap::new(),
            numbers: Numbers::Exact,
            errors: BTreeMap::new(),
        }
    }
}
