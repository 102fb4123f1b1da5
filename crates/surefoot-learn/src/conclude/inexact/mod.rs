//! Numbers that are not exact: each recorded value is within a known error of the true one, whoever
//! chose the error (docs/theory.md, "Numbers that are not exact").
//!
//! Three things follow from that one assumption. The true vectors behind the records are unknown,
//! so a state is certainly allowed only where it lies in the hull of *every* choice of them: the
//! hull of the records, eroded by the box of errors. An effect is an affine map with a proved bound
//! on how far off it can be. And a planner that carries its own error along, as ordinary functions,
//! makes plans that work for every true state near the recorded one.

mod band;
mod combination;
mod conclude;
mod exact_coefficients;
mod fit;
#[cfg(test)]
mod laws;
mod outer_band;
mod simplest;
mod smallest;

pub(crate) use combination::check_combination;
pub use conclude::Inexact;
pub use fit::{Fit, Settlement, Stage, Weights};
pub(crate) use fit::{Target, is_consistent};
pub use smallest::smallest_error;
