//! What records show of the atoms of an action: the truth of each before and after its steps.

use std::collections::BTreeMap;

use surefoot_base::ids::IdVec;
use surefoot_base::invariant::Invariant;

use super::ids::{EqualityId, LiftedAtomId};

/// The observations of a class of atoms: a set of pairs (truth before, truth after). A record may
/// have only one of the two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TruthPairs(pub u8);

impl TruthPairs {
    /// False before, false after.
    pub const ABSENT: TruthPairs = TruthPairs(1);
    /// False before, true after.
    pub const ADDED: TruthPairs = TruthPairs(2);
    /// True before, false after.
    pub const DELETED: TruthPairs = TruthPairs(4);
    /// True before, true after.
    pub const KEPT: TruthPairs = TruthPairs(8);

    /// The set with one pair.
    pub fn new(before: bool, after: bool) -> Self {
        TruthPairs(1 << (2 * u8::from(before) + u8::from(after)))
    }

    /// The set with one pair, in which a truth may be unknown.
    pub fn of(before: Option<bool>, after: Option<bool>) -> Self {
        match (before, after) {
            (Some(before), Some(after)) => TruthPairs::new(before, after),
            (Some(before), None) => TruthPairs(16 << u8::from(before)),
            (None, Some(after)) => TruthPairs(64 << u8::from(after)),
            (None, None) => TruthPairs::default(),
        }
    }

    /// Whether it has some pair of `other`.
    pub fn any(self, other: TruthPairs) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether some pair has only one known truth.
    pub fn is_partial(self) -> bool {
        self.0 >= 16
    }

    /// The union of both sets.
    #[must_use]
    pub fn or(self, other: TruthPairs) -> Self {
        TruthPairs(self.0 | other.0)
    }

    /// The known truths before and after, of a set with one pair.
    pub fn truths(self) -> [Option<bool>; 2] {
        let all = [None, Some(false), Some(true)];
        let pairs =
            all.into_iter().flat_map(|before| all.into_iter().map(move |after| [before, after]));
        pairs
            .into_iter()
            .find(|[before, after]| TruthPairs::of(*before, *after) == self)
            .invariant("an observation has at most one pair")
    }

    pub(crate) const FALSE_BEFORE: TruthPairs = TruthPairs(1 | 2 | 16);
    pub(crate) const TRUE_BEFORE: TruthPairs = TruthPairs(4 | 8 | 32);
    pub(crate) const FALSE_AFTER: TruthPairs = TruthPairs(1 | 4 | 64);
    pub(crate) const TRUE_AFTER: TruthPairs = TruthPairs(2 | 8 | 128);
    /// True afterwards, and not observed to have become so. Whatever it was before, a delete of one
    /// member was undone by another.
    pub(crate) const NOT_DELETED: TruthPairs = TruthPairs(8 | 128);
    /// All pairs in which the truth after is known.
    pub(crate) const AFTER: TruthPairs = TruthPairs(1 | 2 | 4 | 8 | 64 | 128);
}

/// All observations of an action's Boolean part.
#[derive(Clone, Debug, Default)]
pub struct BooleanEvidence {
    /// By class: atoms of the vocabulary that were one ground atom.
    pub classes: BTreeMap<Vec<LiftedAtomId>, TruthPairs>,
    /// By equality of the vocabulary: whether it was observed to hold, and to fail.
    pub equalities: IdVec<EqualityId, (bool, bool)>,
}
