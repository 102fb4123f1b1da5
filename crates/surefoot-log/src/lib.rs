//! Logs as recorded executions: tables of events in, steps to learn from out.
//!
//! *In*: tables with a row for each thing that was tried (CSV, JSON lines, Parquet, memory), and a
//! short [map](Meaning) that says what the columns mean. *Out*: a [`Log`], which is a
//! [`surefoot_learn::Recording`] like any other: a domain and, row by row, the steps and failed
//! attempts that `surefoot` learns from. There is no text in between.
//!
//! ```text
//! file ─▶ table (rows) ─▶ bind (columns of the map) ─▶ world (what is known now)
//!                                                          │
//! map ──▶ map::resolve ─▶ Meaning                          ▼
//!                                          episode (steps) ─▶ Log ─▶ Recorded
//! no map yet: guess ─▶ GuessedMap, with questions
//! ```
//!
//! *The invariants*, which keep what is learned safe:
//!
//! - Whatever the log does not say is *unknown*, such as an empty cell, or a value that no row has
//!   reported yet. It is never taken for false, for zero, or for its earlier value, unless the map
//!   says so.
//! - Values that a row does not mention stay as they were. If a row shows that one did not, the
//!   world changed without a step; nothing is learned from such a change.
//! - The owner of a log may know what the log does not record. The map can declare it; the header
//!   of the model then says that it was declared.
//!
//! *Where to begin*: `log` (which rows belong together), then `episode` (rows to steps) and
//! `world`. [`table`] reads rows, whatever the format; [`map`] reads maps; `guess` proposes one.
//! [`LogTally`] counts what was found, [`Doubt`] says what looks wrong in a map.
#![forbid(unsafe_code)]

mod assumed;
mod bind;
mod document;
mod episode;
mod expected_words;
mod filled;
mod guess;
mod log;
pub mod map;
mod map_doubts;
mod names;
mod readings;
mod recorded_numbers;
mod reported;
mod statics;
pub mod table;
mod tally;
mod time;
mod world;

pub use expected_words::Doubt;
pub use guess::{GuessedMap, MapQuestion, guess};
pub use log::Log;
pub use map::Meaning;
pub use table::Table;
pub use tally::{Contradicted, LogTally};
