//! The laboratory: what is needed to measure learners and their models, and nobody needs who learns
//! from traces of their own.
//!
//! ```text
//! generate      problems of the built-in domains, each with a plan that solves it
//! planner       planners, ours and others, as processes      solver      which of them, within which limits
//! evaluation    how good a model is, measured against the real domain        coverage   problems solved with it
//! learners      all that can be compared
//! experiment    folds, learners, settings: a table of results               truth      whether a domain is the real one
//! portrait      a domain, learned and real, side by side      report      tables, plots, a page
//! ```
#![forbid(unsafe_code)]

pub mod coverage;
pub mod evaluation;
pub mod experiment;
pub mod generate;
pub mod learners;
pub mod planner;
pub mod portrait;
pub mod report;
pub mod solver;
pub mod truth;
