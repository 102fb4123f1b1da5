//! Measuring: `src/bin/` has the programs behind docs/figures.md, `benches/` the benchmarks; this
//! is what they have in common.

pub mod data;
pub mod trial;
pub mod worlds;
