//! Logs as users have them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod arbitrary;
mod bad_input;
mod doubts;
mod formats;
mod guess_law;
mod guesses;
mod inputs;
mod names;
mod sentences;
mod shapes;
mod shared;
mod sides;
mod silent;
mod split;
mod states;
mod truth;
mod undecided;
mod warehouse;
mod warehouse_log;
