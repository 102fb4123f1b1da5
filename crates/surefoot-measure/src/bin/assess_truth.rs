//! Whether what `surefoot assess` says is true: traces are drawn from a folder of many, assessed,
//! and the model learned from them is tried on all that were not drawn.
//!
//!     assess_truth TRACES DRAWS FOLDER...
//!
//! For each folder (a `domain.pddl`, trajectories, and their problems; a `relevant.json` if the
//! domain needs one): `DRAWS` times, `TRACES` traces are drawn at random, and each stated bound and
//! interval is compared with the share that the others show. Draws depend on the name of the folder
//! alone.
#![allow(
    clippy::unwrap_used,
    reason = "a program that cannot read its data has nothing to measure"
)]

use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use surefoot::assess::{Assessment, More, Question, assess};
use surefoot::assumptions::Spec;
use surefoot::evaluate::Dataset;
use surefoot::evaluate::semantic::compare;
use surefoot::learn::{Conclusion, Job, Learner, Policy, Settings, Trace, Unwatched};
use surefoot::model::compiled::Compiled;
use surefoot::model::{Domain, Objects};
use surefoot::pddl::{Numbers, Source, Trajectory, TrajectoryReader, read_domain, read_problem};
use surefoot::random::Random;
use surefoot_measure::data::source;

struct Pool {
    domain: Domain,
    traces: Vec<Trace>,
    /// Each by itself.
    datasets: Vec<Dataset>,
}

impl Pool {
    fn read(folder: &Path) -> Pool {
        let domain = read_domain(&source(&folder.join("domain.pddl"))).unwrap();
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> = entries
            .filter(|path| path.extension().is_some_and(|end| end == "trajectory"))
            .collect();
        files.sort();
        let real = Compiled::new(&domain);
        let read = |file: &PathBuf| {
            let problem =
                read_problem(&source(&file.with_extension("pddl")), &domain, Numbers::Exact)
                    .unwrap();
            let text = source(file);
            let mut dataset = Dataset::default();
            dataset.add_trace(
                &real,
                &problem.objects,
                &trajectory(&text, &domain, &problem.objects),
            );
            (Trace::new(text, &problem.objects), dataset)
        };
        let (traces, datasets) = files.iter().map(read).unzip();
        Pool { domain, traces, datasets }
    }
}

fn trajectory(text: &Source, domain: &Domain, objects: &Objects) -> Trajectory {
    let mut reader = TrajectoryReader::new(text, domain, objects, Numbers::Exact).unwrap();
    let mut whole = Trajectory::default();
    while let Some(transition) = reader.next_transition().unwrap() {
        let step = transition.step();
        if whole.states.is_empty() {
            whole.states.push(step.before.clone());
        }
        whole.actions.push(step.action.clone());
        whole.states.push(step.after.clone());
        whole.universe = step.universe.clone();
    }
    whole
}

/// What a draw says, and what is true: the mean share of steps, and the share of whole traces.
struct Draw {
    said: Assessment,
    steps: f64,
    whole: f64,
    seconds: f64,
}

fn draw(
    pool: &Pool,
    settings: &Settings,
    start: &Learner,
    count: usize,
    random: &mut Random,
) -> Draw {
    let mut order: Vec<usize> = (0..pool.traces.len()).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last + 1));
    }
    let (drawn, fresh) = order.split_at(count);
    let recording: Vec<Trace> = drawn.iter().map(|&trace| pool.traces[trace].clone()).collect();
    let (recording, policy) = (&&recording[..], Policy::default());
    let job = Job { start, settings, recording, policy, digests: false, progress: &Unwatched };
    let clock = Instant::now();
    let said = assess(&job, Question::default()).unwrap();
    let seconds = clock.elapsed().as_secs_f64();
    let learner = job.read(&Default::default()).unwrap().learner;
    let concluded: Vec<Conclusion> =
        pool.domain.action_ids().map(|id| learner.conclude_spanned(id, settings)).collect();
    let model = pool.domain.with_bodies(|id| match &concluded[id.index()] {
        Conclusion::Learned(learned) => Some(&learned.action),
        _ => None,
    });
    let model = model.of_known_actions();
    let compiled = Compiled::new(&model);
    let shares: Vec<f64> = fresh
        .iter()
        .map(|&trace| {
            let tried = compare(&pool.datasets[trace], &pool.domain, &compiled);
            let (allowed, all): (u64, u64) = tried
                .iter()
                .fold((0, 0), |(model, all), action| (model + action.model, all + action.steps));
            if all == 0 { 1.0 } else { allowed as f64 / all as f64 }
        })
        .collect();
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let whole = mean(shares.iter().map(|&share| f64::from(u8::from(share >= 1.0))).collect());
    Draw { said, steps: mean(shares), whole, seconds }
}

/// A bound as it is printed, in tenths of a percent, rounded down; what is printed as 0 % states
/// nothing.
fn printed(bound: f64) -> f64 {
    (bound * 1000.0).floor() / 1000.0
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (count, draws): (usize, u64) =
        (arguments[0].parse().unwrap(), arguments[1].parse().unwrap());
    println!(
        "domain: of {draws} draws of {count} traces, in how many the truth is at least the bound \
         (steps, whole, compression), \
         within the interval (steps, whole)"
    );
    println!(
        "means: the truth, the estimate, the bound (steps; whole; compression), traces that \
         suffice, seconds"
    );
    for folder in &arguments[2..] {
        let folder = Path::new(folder);
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let pool = Pool::read(folder);
        let mut spec = Spec::default();
        if let Ok(map) = std::fs::read_to_string(folder.join("relevant.json")) {
            spec.set("relevant", serde_json::from_str(&map).unwrap()).unwrap();
        }
        let start = Learner::of(&pool.domain, &spec).unwrap();
        let settings = Settings::of_spec(&spec, &start).unwrap();
        let all: Vec<Draw> = (0..draws)
            .into_par_iter()
            .map(|number| {
                draw(&pool, &settings, &start, count, &mut Random::for_part(number, &name))
            })
            .collect();
        let holds = |test: &dyn Fn(&Draw) -> bool| all.iter().filter(|draw| test(draw)).count();
        let mean = |of: &dyn Fn(&Draw) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        let compressed =
            |draw: &Draw| draw.said.compression.as_ref().map_or(0.0, |found| found.at_least);
        let steps = |draw: &Draw| draw.said.step_share.at_least.unwrap_or(0.0);
        let whole = |draw: &Draw| draw.said.whole_traces.at_least.unwrap_or(0.0);
        println!(
            "{name}: {} {} {}, {} {}",
            holds(&|draw| draw.steps >= printed(steps(draw))),
            holds(&|draw| draw.whole >= printed(whole(draw))),
            holds(&|draw| draw.whole >= printed(compressed(draw))),
            holds(
                &|draw| (printed(steps(draw))..=draw.said.step_share.at_most).contains(&draw.steps)
            ),
            holds(&|draw| (printed(whole(draw))..=draw.said.whole_traces.at_most)
                .contains(&draw.whole)),
        );
        println!(
            "  steps {:.3} {:.3} {:.3}; whole {:.3} {:.3} {:.3}; {:.3}, {:.1}, {:.2}; suggested {}",
            mean(&|draw| draw.steps),
            mean(&|draw| draw.said.step_share.estimate.unwrap_or(0.0)),
            mean(&steps),
            mean(&|draw| draw.whole),
            mean(&|draw| draw.said.whole_traces.estimate.unwrap_or(0.0)),
            mean(&whole),
            mean(&compressed),
            mean(&|draw| draw
                .said
                .compression
                .as_ref()
                .map_or(0.0, |found| found.sufficient as f64)),
            mean(&|draw| draw.seconds),
            holds(&|draw| matches!(draw.said.more_traces, More::About(_))),
        );
    }
}
