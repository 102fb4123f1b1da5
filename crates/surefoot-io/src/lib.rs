//! What the programs of surefoot read and write: files, standard streams, messages, progress. The
//! libraries below use none of these.
//!
//! ```text
//! input, corpus, maps    files in: one, many traces, maps of options    streams     `-`
//! output                 answers, and files that appear whole or not at all
//! voice, paint, progress what is said meanwhile, on standard error
//! spelling               settings that the library names, as options
//! interrupt              Ctrl-C
//! rounded, tolerance     numbers as people read and give them
//! ```
#![forbid(unsafe_code)]

pub mod corpus;
pub mod input;
pub mod interrupt;
pub mod maps;
pub mod output;
pub mod paint;
pub mod progress;
pub mod rounded;
pub mod spelling;
pub mod streams;
pub mod tolerance;
pub mod voice;
