//! One module for each command.

pub mod assess;
pub mod check;
pub mod completions;
pub mod demo;
pub mod evaluate;
pub mod experiment;
pub mod explain;
pub mod generate;
pub mod import;
pub mod inspect;
pub mod learn;
pub mod lint;
pub mod manual;
pub mod merge;
pub mod plan;
pub mod problem;
pub mod report;
pub mod score;
pub mod trace;
pub mod validate;
