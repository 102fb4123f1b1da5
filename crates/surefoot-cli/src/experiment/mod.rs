//! Experiments: domains × algorithms × dials × numbers of traces × folds, cell by cell, as a table.

pub mod cell;
mod command;
pub mod config;
mod folds;
pub mod learning;
pub mod measure;
pub mod parts;
pub mod results;
pub mod run;
pub mod source;
