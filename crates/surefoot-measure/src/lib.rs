//! Measuring: `src/bin/` has the programs behind docs/figures.md, `benches/` the benchmarks; this is the data of the latter.

pub mod data;
