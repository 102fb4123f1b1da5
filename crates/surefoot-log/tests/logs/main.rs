//! Logs as users have them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod arbitrary;
mod bad_input;
mod formats;
mod shapes;
mod warehouse;
mod warehouse_log;
