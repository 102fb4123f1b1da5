//! The foundation of surefoot: exact numbers, PDDL and its meaning, assumptions and certificates.
//! Of the crates of surefoot, the learner, the checker and the planner depend on this one only.
//!
//! ```text
//! exact          numbers and convex geometry without rounding; knows nothing of planning
//!   ▲
//! model  ◀────▶  pddl           what a task means, and its text; strings stop at pddl
//!   ▲
//! parts          actions that behave in several ways, each in one part of the states
//! margins        what holds for every true state near an inexact record
//! advice         settings that messages name, which each front end spells
//! assumptions    the class of models that a promise is about: one value, one set of sentences
//! certificate    what a model rests on: the format alone
//! stamp          what a model says of itself to programs: a line of its header
//! validate       plan × domain × problem → verdict
//! ```
//!
//! The crate `surefoot` re-exports these modules. Depend on this crate alone to read PDDL, to
//! execute plans, or to compute with exact convex hulls.
#![forbid(unsafe_code)]

pub mod advice;
pub mod assumptions;
pub mod certificate;
pub mod exact;
pub mod ids;
#[doc(hidden)]
pub mod invariant;
pub mod margins;
pub mod model;
pub mod parts;
pub mod pddl;
pub mod random;
pub mod stamp;
pub mod validate;
