//! The laboratory: everything that measures learners and their models.
//!
//! You do not need it to learn from your own traces.
//!
//! *In*: a real domain, or the traces of one, and the learners, settings and planners to compare.
//! *Out*: tables of results, and a report.
//!
//! ```text
//! generate   ─▶ problems of the ten built-in domains, each with a plan that solves it
//! planner    ─▶ plans by our planner, or by others, as processes;  solver  a chain of planners
//! learners   ─▶ all learners that can be compared
//! truth      ─▶ whether a domain is the real one of some traces
//! evaluation ─▶ how good one model is;  coverage  which problems it solves
//! experiment ─▶ many models: domains × settings × learners × traces × folds
//! portrait   ─▶ a learned model for people to look at
//! report     ─▶ the page of an experiment, its tables and plots
//! ```
//!
//! *The invariants*: the same seed gives the same bytes on every machine. Every plan is validated
//! in the real domain before it counts. Every file of results appears whole or not at all, so an
//! experiment can be killed and continued. Numbers are printed as measured.
//!
//! *Where to begin*: `experiment` (a cell is its unit), and `evaluation` for what is measured. A
//! new planner is a file in `planner`, a new domain a file in `generate`, a new section of the
//! report a file in `report/sections`; CONTRIBUTING.md has the steps.
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
