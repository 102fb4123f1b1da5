//! What the vocabulary of an action numbers.

use crate::ids::id;

id!(/// An atom of a [`Vocabulary`](super::Vocabulary).
    pub LiftedAtomId);
id!(/// An equality of a [`Vocabulary`](super::Vocabulary): two terms that may stand for one object.
    pub EqualityId);
id!(/// A function of a [`Vocabulary`](super::Vocabulary).
    pub LiftedFunctionId);
