//! Logs as recorded executions: tables of events in, steps to learn from out.
//!
//! People have tables: a row for each thing that was tried, with columns for who did it, to what,
//! how it went, and what the world looked like. A short [map](Meaning) says what the columns mean.
//! From it come a PDDL domain and, row by row, the steps and failed attempts that `surefoot` learns
//! from: a [`Log`] is a [`surefoot::learn::Recording`] like any other, with no text in between.
//!
//! Three rules keep what is learned safe:
//!
//! - What the log does not tell is *unknown*: an empty cell, a value that no row has reported yet.
//!   It is never taken for false, for zero, or for what it was, unless the map says so.
//! - Values that a row does not speak of stay what they were. Where a row shows that they did not,
//!   the world moved without a step; nothing is learned from that.
//! - What the owner of the log knows and the log does not record can be declared in the map. Models
//!   then say that it was declared.
//!
//! The way through the crate: [`table`] (rows of cells, whatever the format), [`map`] (what columns
//! mean), `bind` (where they are), `world` (what is known now), `episode` (rows to steps), `log`
//! (which rows belong together), [`Tally`] (what was found).
#![forbid(unsafe_code)]

mod assumed;
mod bind;
mod document;
mod episode;
mod guess;
mod log;
pub mod map;
mod names;
mod readings;
mod reported;
mod sought;
mod statics;
pub mod table;
mod tally;
mod time;
mod watch;
mod world;

pub use guess::{GuessedMap, Question, guess};
pub use log::Log;
pub use map::Meaning;
pub use sought::Doubt;
pub use table::Table;
pub use tally::{Contradicted, Tally};
