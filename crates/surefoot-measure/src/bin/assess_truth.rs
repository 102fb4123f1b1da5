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
use surefoot_analysis::assess::{Assessment, More, Question, assess};
use surefoot_analysis::evaluate::Dataset;
use surefoot_analysis::evaluate::semantic::compare;
use surefoot_base::assumptions::Spec;
use surefoot_base::model::compiled::Compiled;
use surefoot_base::model::{Domain, Objects};
use surefoot_base::pddl::{
    Numbers, Source, Trajectory, TrajectoryReader, read_domain, read_problem,
};
use surefoot_base::random::Random;
use surefoot_learn::{Conclusion, Job, Learner, Policy, Settings, Trace, Unwatched};
use surefoot_measure::data::source;

struct Pool {
    domain: Domain,
    traces: Vec<Trace>,
    /// The datasets, each measured by itself.
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
        let (mut traces, mut datasets) = (Vec::new(), Vec::new());
        for file in &files {
            let problem = source(&file.with_extension("pddl"));
            let objects = read_problem(&problem, &domain, Numbers::Exact).unwrap().objects;
            let text = source(file);
            let mut dataset = Dataset::default();
            dataset.add_trace(&real, &objects, &trajectory(&text, &domain, &objects));
            datasets.push(dataset);
            traces.push(Trace::new(text, &objects));
        }
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
    let whole = mean(shares.iter().map(|&share| f64::from(u8::from(share >= 1.0))));
    Draw { said, steps: mean(shares.into_iter()), whole, seconds }
}

/// A bound as it is printed, in tenths of a percent, rounded down; what is printed as 0 % states
/// nothing.
fn printed(bound: f64) -> f64 {
    (bound * 1000.0).floor() / 1000.0
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

impl Draw {
    fn steps_bound(&self) -> f64 {
        self.said.step_share.at_least.unwrap_or(0.0)
    }

    fn whole_bound(&self) -> f64 {
        self.said.whole_traces.at_least.unwrap_or(0.0)
    }

    fn compressed_bound(&self) -> f64 {
        self.said.compression.as_ref().map_or(0.0, |found| found.at_least)
    }
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
        println!(
            "{name}: {} {} {}, {} {}",
            holds(&|draw| draw.steps >= printed(draw.steps_bound())),
            holds(&|draw| draw.whole >= printed(draw.whole_bound())),
            holds(&|draw| draw.whole >= printed(draw.compressed_bound())),
            holds(&|draw| (printed(draw.steps_bound())..=draw.said.step_share.at_most)
                .contains(&draw.steps)),
            holds(&|draw| (printed(draw.whole_bound())..=draw.said.whole_traces.at_most)
                .contains(&draw.whole)),
        );
        println!(
            "  steps {:.3} {:.3} {:.3}; whole {:.3} {:.3} {:.3}; {:.3}, {:.1}, {:.2}; suggested {}",
            mean(all.iter().map(|draw| draw.steps)),
            mean(all.iter().map(|draw| draw.said.step_share.estimate.unwrap_or(0.0))),
            mean(all.iter().map(Draw::steps_bound)),
            mean(all.iter().map(|draw| draw.whole)),
            mean(all.iter().map(|draw| draw.said.whole_traces.estimate.unwrap_or(0.0))),
            mean(all.iter().map(Draw::whole_bound)),
            mean(all.iter().map(Draw::compressed_bound)),
            mean(all.iter().map(|draw| {
                draw.said.compression.as_ref().map_or(0.0, |found| found.sufficient as f64)
            })),
            mean(all.iter().map(|draw| draw.seconds)),
            holds(&|draw| matches!(draw.said.more_traces, More::About(_))),
        );
    }
}
