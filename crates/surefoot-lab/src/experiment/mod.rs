//! Experiments: each combination of a domain, an algorithm, a setting, a trace count and a fold is
//! a cell of a table.

pub mod cell;
pub mod columns;
mod command;
pub mod config;
mod folds;
pub mod learning;
pub mod measure;
pub mod parts;
pub mod results;
pub mod run;
mod sizes;
pub mod source;
