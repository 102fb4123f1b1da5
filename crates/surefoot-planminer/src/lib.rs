//! PlanMiner: learns actions from classification rules that separate the states before a step from
//! the states after it.
//!
//! The baseline of the paper (Segura-Muros, Pérez, Fernández-Olivares, *Discovering relational and
//! numerical expressions from plan traces for learning action models*, 2021). Its models are **not
//! safe**. It is written from a description of what the authors' program does, crashes included, so
//! that it can be compared with the published numbers. Its faults can be repaired, with one switch
//! for each.
//!
//! traces → `observed` rows → `tables` of an action, with an expression for each change
//! (`regression`) and comparisons (`completion`) → fuzzy `labels` → `rules` that separate before
//! from after → `pools` of conditions → `conclusion`: an action, which is read as a `body` or
//! written as the original's `text`.

#![forbid(unsafe_code)]

mod body;
mod closed_world;
mod clusters;
mod column;
mod completion;
mod conclusion;
mod draws;
mod heap;
mod interval;
mod labels;
mod learner;
mod observed;
mod pools;
#[cfg(test)]
mod reference;
mod regression;
mod repairs;
mod rules;
mod run;
mod tables;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod text;
mod trapezoid;
mod types;
mod work;

use learner::PlanMiner;
use surefoot_learn::LearnerKind;

/// PlanMiner as published, and with all repairs.
pub static LEARNERS: &[LearnerKind] = &[
    LearnerKind {
        name: "planminer",
        title: "PlanMiner",
        about: "PlanMiner, the baseline of the paper, as published: NOT SAFE",
        algorithm: None,
        dials: &["repair", "seed", "time-limit"],
        start: PlanMiner::faithful,
    },
    LearnerKind {
        name: "planminer-repaired",
        title: "PlanMiner, repaired",
        about: "PlanMiner with all repairs: NOT SAFE",
        algorithm: None,
        dials: &["seed", "time-limit"],
        start: PlanMiner::repaired,
    },
];
