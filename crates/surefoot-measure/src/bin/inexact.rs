//! What becomes of models learned from records that are not exact, in worlds whose true values
//! nobody sees.
//!
//!     inexact RUNS [WORLD...]
//!
//! For each world and each way of recording, so many times: a model is learned from 100 recorded
//! runs of 10 steps; it is asked about every state of 10 more, and 5 problems are solved with it.
//! Allowed steps and plans are tried in the true world, plans also from other beginnings that the
//! record leaves possible. Exits with 1 if a step or a plan fails, or a successor is further off
//! than the model says.
#![allow(
    clippy::unwrap_used,
    reason = "a program that cannot read its data has nothing to measure"
)]

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use surefoot_base::random::Random;
use surefoot_learn::OnBadData;
use surefoot_measure::trial::{ModelTrial, TrialTally, learn, runs};
use surefoot_measure::worlds::{RecordingKind, SimulatedWorld, worlds};

/// Ways of recording, and whether the decimals of effects are told.
const WAYS: [(RecordingKind, bool); 7] = [
    (RecordingKind::Exact, false),
    (RecordingKind::Floats, false),
    (RecordingKind::Floats, true),
    (RecordingKind::Rounded(2), false),
    (RecordingKind::Rounded(2), true),
    (RecordingKind::Noise, false),
    (RecordingKind::Noise, true),
];

fn trial(world: &SimulatedWorld, (kind, decimals): (RecordingKind, bool), seed: u64) -> TrialTally {
    let mut tally = TrialTally::default();
    let (model, learning) = learn(
        world,
        &world.spec(kind, decimals),
        &runs(world, kind, seed, "shown", 100, 10),
        OnBadData::Stop,
    );
    tally.learning = learning;
    let model = match model {
        Ok(model) => model,
        Err(why) => {
            eprintln!(
                "{}, {}, seed {seed}: {}",
                world.name,
                kind.name(),
                why.lines().next().unwrap_or_default()
            );
            tally.refused = 1;
            return tally;
        }
    };
    let tried = ModelTrial::new(world, model.for_planning(), kind);
    tried.steps(&runs(world, kind, seed, "held out", 10, 10), &mut tally);
    let mut random = Random::for_part(seed, "beginnings");
    tried.plans(
        &runs(world, kind, seed, "problems", 5, 0),
        Duration::from_secs(2),
        &mut random,
        &mut tally,
    );
    tally
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count: u64 = arguments.first().map_or(100, |text| text.parse().unwrap());
    let mut broken = false;
    println!(
        "world    records     effect decimals  steps allowed          beside exact  failing  \
         outside  most of bound  \
         solved        beside exact  failing plans  learning ms  ratio"
    );
    for world in worlds()
        .iter()
        .filter(|world| arguments.len() < 2 || arguments[1..].iter().any(|name| name == world.name))
    {
        let all = Mutex::new([TrialTally::default(); WAYS.len()]);
        let next = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, |cores| cores.get()) {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count * WAYS.len() as u64 {
                            return;
                        }
                        let (way, seed) =
                            ((number % WAYS.len() as u64) as usize, number / WAYS.len() as u64);
                        let tally = trial(world, WAYS[way], seed);
                        all.lock().unwrap()[way].add(&tally);
                    }
                });
            }
        });
        let all = all.into_inner().unwrap();
        let exact = all[0];
        for ((kind, decimals), tally) in WAYS.iter().zip(all) {
            let failing = tally.solved - tally.reaching;
            broken |= tally.refused + tally.failing + tally.outside + failing > 0;
            println!(
                "{:<8} {:<11} {:<15} {:>7} of {:>7} {:>12.3} {:>8} {:>8} {:>14.2} {:>6} of {:>5} \
                 {:>13.3} {:>14} {:>12.1} {:>6.2}",
                world.name,
                kind.name(),
                if *decimals { "told" } else { "-" },
                tally.allowed,
                tally.steps,
                tally.allowed as f64 / exact.allowed as f64,
                tally.failing,
                tally.outside,
                tally.share_of_bound,
                tally.solved,
                tally.problems,
                tally.solved as f64 / exact.solved as f64,
                failing,
                tally.learning / count as f64,
                tally.learning / exact.learning,
            );
        }
    }
    if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
