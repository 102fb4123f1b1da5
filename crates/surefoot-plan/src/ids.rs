//! The things of a ground task that have numbers.

use std::num::NonZeroU32;

use surefoot_base::ids::id;

/// A word of a state.
pub type StateWord = u32;

id!(/// A ground atom that is true in some states and false in others.
    pub FactId);
id!(/// A ground function that some operator changes.
    pub VariableId);
id!(/// A ground action.
    pub OperatorId);
id!(/// A numeric condition.
    pub ConditionId);
id!(/// The region of a lifted action: many linear conditions that are one.
    pub RegionId);
id!(/// One of the linear conditions of a region.
    pub FacetId);
id!(/// A number met in states, as [`NumberTable`](super::number::NumberTable) knows it.
    pub NumberId);
id!(/// A state that a search met.
    pub StateId);

impl NumberId {
    /// The word of a state that says which value a variable has: zero where it is undefined.
    #[inline]
    pub fn word(value: Option<NumberId>) -> StateWord {
        value.map_or(0, |id| id.0.get())
    }

    /// What such a word says.
    #[inline]
    pub fn of_word(word: StateWord) -> Option<NumberId> {
        NonZeroU32::new(word).map(NumberId)
    }
}

impl StateId {
    /// The state a search starts from.
    pub const INITIAL: StateId = StateId(NonZeroU32::MIN);
}
