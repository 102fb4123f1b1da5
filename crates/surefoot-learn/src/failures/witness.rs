//! The failed attempt that proves that an action cannot be taken in a state.

use surefoot_base::exact::Rational;
use surefoot_base::model::Condition;

use crate::evidence::{ColumnId, Failure};

/// A failed attempt that proves that an action cannot be taken in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// What is kept of the attempt.
    pub failure: Failure,
    /// What may be part of the precondition and held neither in the attempt nor in the state.
    pub missing: Vec<Condition>,
    /// The numbers, where they are not all between those of steps that worked.
    pub numbers: Vec<WitnessNumber>,
}

/// A number of a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessNumber {
    /// The column of the action's vocabulary.
    pub column: ColumnId,
    /// Its value where the action failed.
    pub failed: Rational,
    /// Its value in the state that was asked about.
    pub here: Rational,
    /// The least and the largest value with which the action worked, if it ever did.
    pub worked: Option<(Rational, Rational)>,
}

impl WitnessNumber {
    /// Whether the action failed beyond all values with which it worked.
    pub fn is_outside(&self) -> bool {
        self.worked.as_ref().is_none_or(|(least, most)| self.failed < *least || self.failed > *most)
    }
}
