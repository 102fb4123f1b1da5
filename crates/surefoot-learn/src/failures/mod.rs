//! Failures: what failed attempts prove.
//!
//! *In*: the failed attempts in the evidence, and the conclusions from the steps. *Out*: the states
//! in which an action is certainly not applicable, each with a [`Witness`]; and whether an action
//! failed where every model of the class allows it, so that nothing can be learned of it.
//!
//! *The invariant*: one failure forbids a state only if every model that allows the state would
//! also have allowed the failure (docs/theory.md, "Failures"). Failures never make the safe model
//! stronger.
//!
//! *Where to begin*: `most_restrictive` has the one judge of failures; `refusal` asks it whether
//! failures contradict what was concluded.

mod most_restrictive;
mod refusal;
mod witness;

pub(crate) use most_restrictive::{Forbids, Seen};
pub(crate) use refusal::blamed;
pub use refusal::is_failure_contradictory;
pub use witness::{Witness, WitnessNumber};
