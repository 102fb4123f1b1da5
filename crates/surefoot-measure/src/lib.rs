//! Measuring: `src/bin/` has the programs behind docs/figures.md, and `benches/` has the
//! benchmarks. This file has what they have in common.

pub mod data;
pub mod trial;
pub mod worlds;
