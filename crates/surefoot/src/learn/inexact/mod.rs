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
mod erosion;
mod fit;
mod joint;
#[cfg(test)]
mod laws;
mod outer;
mod outliers;
mod reason;
mod settle;
mod simplest;
mod smallest;
mod written;

pub(super) use combination::check_combination;
pub use conclude::Inexact;
pub use erosion::Thin;
pub(super) use erosion::{contains_box, eroded, has_too_many_corners, is_between};
pub use fit::{Fit, Settlement, Stage, Weights};
pub(super) use joint::JointEvidence;
pub(super) use outliers::outliers;
pub use smallest::smallest_error;
pub(super) use written::written;
