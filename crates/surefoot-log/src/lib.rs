//! Logs as recorded executions.
#![forbid(unsafe_code)]

mod bind;
mod document;
mod episode;
mod log;
pub mod map;
mod statics;
pub mod table;
mod tally;
mod time;
mod world;

pub use log::Log;
pub use map::Meaning;
pub use table::Table;
pub use tally::Tally;
