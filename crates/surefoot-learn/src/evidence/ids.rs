//! What the vocabulary of an action numbers, and what its model does.

use surefoot_base::ids::{Id, IdVec, id};

id!(/// An atom of a [`Vocabulary`](super::vocabulary::Vocabulary).
    pub LiftedAtomId);
id!(/// An equality of a [`Vocabulary`](super::vocabulary::Vocabulary): two terms that may stand
    /// for one object.
    pub EqualityId);
id!(/// A function of a [`Vocabulary`](super::vocabulary::Vocabulary).
    pub LiftedFunctionId);
id!(/// A column of a [`Vocabulary`](super::vocabulary::Vocabulary).
    pub ColumnId);
id!(/// A place among the *active* columns of an action, those that no undefined function refutes:
    /// a coordinate of its vectors, regions and effects.
    pub ActiveColumn);

/// The active columns of an action, in the order of the vocabulary.
pub type ActiveColumns = IdVec<ActiveColumn, ColumnId>;

impl ColumnId {
    /// The place of the column in rows `(1, all columns, ...)`.
    pub(crate) fn entry(self) -> usize {
        self.index() + 1
    }
}

impl ActiveColumn {
    /// The place of the column in rows `(1, active columns, ...)`.
    pub(crate) fn entry(self) -> usize {
        self.index() + 1
    }
}
