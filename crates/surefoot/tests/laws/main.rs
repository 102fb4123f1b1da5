//! Laws: what must be true of all domains, all texts, all records, tried on random ones against
//! naive oracles.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

// What several laws share.
mod chance;
#[path = "../../../../fuzz/src/lib.rs"]
mod entry;
mod generate;
mod learning;
mod naive;
#[path = "../support.rs"]
mod support;

mod assess;
mod compiled;
mod diagnosis;
mod digits;
mod exact_hull;
mod exact_program;
mod explain;
mod found;
mod inexact;
mod inputs;
mod learn_audit;
mod learn_examples;
mod learn_fold;
mod learn_safety;
mod learn_states;
mod learn_strength;
mod learn_whole;
mod left_out_records;
mod lint;
mod margins;
mod parts;
mod plan;
mod plan_assets;
mod plan_burdens;
mod plan_split;
mod promise;
mod region;
mod saved;
mod seeds;
mod semantics;
mod text;
mod wrong;
