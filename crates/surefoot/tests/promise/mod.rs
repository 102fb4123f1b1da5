//! Random real domains, random recorded executions and random true options, judged by an oracle that shares nothing with the
//! learner but the reader of PDDL.

pub mod chance;
pub mod generate;
pub mod laws;
pub mod number;
pub mod product;
pub mod questions;
pub mod tamper;
pub mod world;
