//! Numbers that are not exact: each recorded value is within a given error of the true one, even if
//! an opponent chose the error (docs/theory.md, "Numbers that are not exact").
//!
//! Three things follow from that one assumption. The true vectors behind the records are unknown,
//! so a state is certainly allowed only where it lies in the hull of *every* choice of them: the
//! hull of the records, eroded by the box of errors. An effect is an affine map with a proved bound
//! on its error. And a planner that computes with errors as ordinary functions makes plans that
//! work from every true state within the errors of the recorded one.

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
pub(crate) use fit::{RecordedOutcomes, is_consistent};
pub use smallest::smallest_error;
