//! Coverage against the decimal digits of the records, with and without `--error`, in the tank: a
//! world that rounding does change.
//!
//!     digits FOLDS
//!
//! For each fold and number of traces: what happened is recorded with 1, 2, 4 and 8 decimals, a
//! model is learned, and 10 problems are solved with it. Coverage is the share of problems whose
//! plan really reaches the goal; exactly, or where each comparison may be missed by 0.1. Without
//! `--error`, actions that no model explains are left out. Exits with 1 if a plan of a model with
//! errors fails.
#![allow(
    clippy::unwrap_used,
    reason = "a program that cannot read its data has nothing to measure"
)]

use std::process::ExitCode;
use std::time::Duration;

use rayon::prelude::*;
use surefoot_base::random::Random;
use surefoot_learn::OnBadData;
use surefoot_measure::trial::{ModelTrial, TrialTally, learn, runs};
use surefoot_measure::worlds::{RecordingKind, SimulatedWorld, worlds};

const TRACES: [usize; 6] = [1, 2, 5, 10, 20, 40];

/// What the learner is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LearnerKnowledge {
    Nothing,
    Errors,
    ErrorsAndDecimals,
}

fn trial(
    world: &SimulatedWorld,
    kind: RecordingKind,
    told: LearnerKnowledge,
    traces: usize,
    fold: u64,
) -> TrialTally {
    let mut tally = TrialTally::default();
    let spec = match told {
        LearnerKnowledge::Nothing => world.spec(RecordingKind::Exact, false),
        LearnerKnowledge::Errors => world.spec(kind, false),
        LearnerKnowledge::ErrorsAndDecimals => world.spec(kind, true),
    };
    let shown = runs(world, kind, fold, "shown", traces, 10);
    let model = learn(world, &spec, &shown, OnBadData::SkipAction).0.unwrap();
    let tried = ModelTrial::new(
        world,
        model.for_planning(),
        if told == LearnerKnowledge::Nothing { RecordingKind::Exact } else { kind },
    );
    let mut random = Random::for_part(fold, "beginnings");
    tried.plans(
        &runs(world, kind, fold, "problems", 10, 0),
        Duration::from_secs(2),
        &mut random,
        &mut tally,
    );
    tally
}

fn main() -> ExitCode {
    let folds: u64 = std::env::args().nth(1).map_or(20, |text| text.parse().unwrap());
    let world = worlds().into_iter().find(|world| world.name == "tank").unwrap();
    let mut broken = false;
    println!(
        "coverage, exactly and within 0.1, by number of traces: {TRACES:?}; then plans, and those \
         that fail exactly"
    );
    let kinds = [
        RecordingKind::Exact,
        RecordingKind::Rounded(1),
        RecordingKind::Rounded(2),
        RecordingKind::Rounded(4),
        RecordingKind::Rounded(8),
    ];
    for kind in kinds {
        for (told, name) in [
            (LearnerKnowledge::Nothing, "nothing"),
            (LearnerKnowledge::Errors, "--error"),
            (LearnerKnowledge::ErrorsAndDecimals, "--error, --effect-decimals"),
        ] {
            if kind == RecordingKind::Exact && told != LearnerKnowledge::Nothing {
                continue;
            }
            let mut plans = (0, 0);
            let mut exactly = Vec::new();
            let mut within = Vec::new();
            for traces in TRACES {
                let all: Vec<TrialTally> = (0..folds)
                    .into_par_iter()
                    .map(|fold| trial(&world, kind, told, traces, fold))
                    .collect();
                let mut sum = TrialTally::default();
                all.iter().for_each(|tally| sum.add(tally));
                let share = |number: usize| format!("{:.2}", number as f64 / sum.problems as f64);
                exactly.push(share(sum.reaching));
                within.push(share(sum.within_tolerance));
                plans = (plans.0 + sum.solved, plans.1 + sum.solved - sum.reaching);
            }
            broken |= told != LearnerKnowledge::Nothing && plans.1 > 0;
            println!(
                "{:<11} {name:<26} {} | {} | {} {}",
                kind.name(),
                exactly.join(" "),
                within.join(" "),
                plans.0,
                plans.1
            );
        }
    }
    if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
