//! The command as users run it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod assess;
mod demo;
mod documents;
mod evaluation;
mod experiment;
mod explain;
mod failures;
mod golden;
mod inexact;
mod inexact_input;
mod inputs;
mod interrupt;
mod lint;
mod outputs;
mod planminer;
mod problem;
mod promises;
mod report;
mod report_browser;
mod saved;
mod score;
mod streams;
mod transcripts;
mod verbs;
mod whole_hulls;
