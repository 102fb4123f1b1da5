//! PlanMiner: actions from classification rules that tell states before a step from states after it.
#![allow(dead_code, reason = "the parts are joined one after the other")]

mod closed_world;
mod clusters;
mod column;
mod completion;
mod conclusion;
mod draws;
mod heap;
mod interval;
mod labels;
mod observed;
mod pools;
#[cfg(test)]
mod reference;
mod regression;
mod repairs;
mod rules;
mod run;
mod tables;
mod text;
mod trapezoid;
mod types;
mod work;
