//! PlanMiner: actions from classification rules that tell states before a step from states after it.
#![allow(dead_code, reason = "the parts are joined one after the other")]

mod draws;
mod rules;
mod work;
