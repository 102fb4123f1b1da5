//! Learns PDDL action models that are safe.
#![forbid(unsafe_code)]

pub mod exact;
