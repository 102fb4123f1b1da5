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
use surefoot::learn::OnBadData;
use surefoot::random::Random;
use surefoot_measure::trial::{Tally, Trial, learn, runs};
use surefoot_measure::worlds::{Kind, World, worlds};

const TRACES: [usize; 6] = [1, 2, 5, 10, 20, 40];

/// What the learner is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Nothing,
    Errors,
    ErrorsAndDecimals,
}

fn trial(world: &World, kind: Kind, told: Told, traces: usize, fold: u64) -> Tally {
    let mut tally = Tally::default();
    let spec = match told {
        Told::Nothing => world.spec(Kind::Exact, false),
        Told::Errors => world.spec(kind, false),
        Told::ErrorsAndDecimals => world.spec(kind, true),
    };
    let shown = runs(world, kind, fold, "shown", traces, 10);
    let model = learn(world, &spec, &shown, OnBadData::SkipAction).0.unwrap();
    let tried =
        Trial::new(world, model.domain(), if told == Told::Nothing { Kind::Exact } else { kind });
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
    let kinds =
        [Kind::Exact, Kind::Rounded(1), Kind::Rounded(2), Kind::Rounded(4), Kind::Rounded(8)];
    for kind in kinds {
        for (told, name) in [
            (Told::Nothing, "nothing"),
            (Told::Errors, "--error"),
            (Told::ErrorsAndDecimals, "--error, --effect-decimals"),
        ] {
            if kind == Kind::Exact && told != Told::Nothing {
                continue;
            }
            let mut plans = (0, 0);
            let mut exactly = Vec::new();
            let mut within = Vec::new();
            for traces in TRACES {
                let all: Vec<Tally> = (0..folds)
                    .into_par_iter()
                    .map(|fold| trial(&world, kind, told, traces, fold))
                    .collect();
                let mut sum = Tally::default();
                all.iter().for_each(|tally| sum.add(tally));
                let share = |number: usize| format!("{:.2}", number as f64 / sum.problems as f64);
                exactly.push(share(sum.reaching));
                within.push(share(sum.within_tolerance));
                plans = (plans.0 + sum.solved, plans.1 + sum.solved - sum.reaching);
            }
            broken |= told != Told::Nothing && plans.1 > 0;
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
