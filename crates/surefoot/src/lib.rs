//! Learns PDDL action models from recorded executions, safely: a plan made with a learned model works in the real world.
//!
//! What is promised, and why it is true, is in `docs/theory.md`. It builds on Mordoch, Shperberg, Stern, Juba, *Learning Safe Numeric
//! Planning Action Models*, arXiv 2312.10705.
#![forbid(unsafe_code)]

pub mod assumptions;
pub mod certificate;
pub mod check;
pub mod evaluate;
pub mod exact;
pub mod explain;
pub mod inspect;
pub mod learn;
pub mod model;
pub mod pddl;
pub mod plan;
pub mod validate;
