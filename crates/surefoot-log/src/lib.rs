//! Logs as recorded executions.
#![forbid(unsafe_code)]

pub mod table;
