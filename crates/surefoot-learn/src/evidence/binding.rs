//! Bindings: which parameters of a step stand for one object, and what coincides then
//! (docs/theory.md, "One object for several parameters").

use rustc_hash::FxHashMap;
use surefoot_base::ids::{Id, IdVec};
use surefoot_base::invariant::Invariant;
use surefoot_base::model::{Lifted, ObjectId, Term};

use super::ids::EqualityId;
use super::vocabulary::Vocabulary;

/// Which arguments of a step are the same object, or a constant. Two steps with the same pattern
/// differ only by a renaming of objects, so the same lifted atoms coincide in both.
///
/// One entry a parameter: the first parameter with the same object, or `parameters + c` for the
/// constant `c`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pattern(pub Vec<u32>);

impl Pattern {
    /// The pattern of an argument tuple, in a domain with this many constants. `inputs` says which
    /// parameters are inputs: these count as different even where their numbers are equal, since
    /// nothing but their value, which never changes, is about them (docs/theory.md, "Inputs").
    pub fn of(arguments: &[ObjectId], constants: usize, inputs: &[bool]) -> Self {
        let representatives = arguments.iter().enumerate().map(|(slot, object)| {
            if inputs.get(slot) == Some(&true) {
                slot as u32
            } else if object.index() < constants {
                (arguments.len() + object.index()) as u32
            } else {
                arguments
                    .iter()
                    .position(|other| other == object)
                    .invariant("an argument is among the arguments") as u32
            }
        });
        Pattern(representatives.collect())
    }

    fn representative(&self, term: Term) -> u32 {
        match term {
            Term::Variable(slot) => self.0[slot as usize],
            Term::Object(constant) => self.0.len() as u32 + constant.0,
        }
    }

    /// Whether both terms stand for one object.
    pub fn same(&self, (one, other): (Term, Term)) -> bool {
        self.representative(one) == self.representative(other)
    }

    /// Groups lifted atoms, or functions, that are the same ground one; each group ascending,
    /// groups by their first member.
    pub fn classes<I: Id, S: Copy + Eq + std::hash::Hash>(
        &self,
        lifted: &IdVec<I, Lifted<S>>,
    ) -> Vec<Vec<I>> {
        let mut numbers: FxHashMap<(S, Vec<u32>), usize> = FxHashMap::default();
        let mut classes: Vec<Vec<I>> = Vec::new();
        for (id, application) in lifted.pairs() {
            let key = (
                application.symbol,
                application.terms.iter().map(|&term| self.representative(term)).collect(),
            );
            let class = *numbers.entry(key).or_insert(classes.len());
            if class == classes.len() {
                classes.push(Vec::new());
            }
            classes[class].push(id);
        }
        classes
    }

    /// The equalities of the vocabulary that hold.
    pub fn equalities(&self, vocabulary: &Vocabulary) -> Vec<EqualityId> {
        vocabulary
            .equalities
            .pairs()
            .filter(|&(_, &pair)| self.same(pair))
            .map(|(id, _)| id)
            .collect()
    }
}
