//! How many steps a second can be checked, in the real domain and in one learned from traces.
//!
//!     cargo run --release -p surefoot-measure --bin check_rate -- FOLDER [decimals] [degree]
//!
//! The folder has `domain.pddl` and, for each stem, a problem and a trajectory. Learns from four
//! fifths of the traces, checks the steps of the others and of random walks.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use surefoot_analysis::evaluate::{Dataset, Walks, semantic};
use surefoot_base::model::GroundAction;
use surefoot_base::model::compiled::{Checker, Compiled};
use surefoot_base::model::semantics::Semantics;
use surefoot_base::pddl::{
    Numbers, Source, Trajectory, TrajectoryReader, read_domain, read_problem,
};
use surefoot_base::random::Random;
use surefoot_learn::{Class, Conclusion, Learner, Settings};

fn source(path: &PathBuf) -> Source {
    Source::from_bytes(path.display().to_string(), std::fs::read(path).unwrap()).unwrap()
}

fn main() {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().expect("a folder"));
    let numbers =
        words.next().and_then(|word| word.parse().ok()).map_or(Numbers::Exact, Numbers::Decimals);
    let real = read_domain(&source(&folder.join("domain.pddl"))).unwrap();
    let mut traces: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    traces.retain(|path| path.extension().is_some_and(|end| end == "trajectory"));
    traces.sort();
    let compiled = Compiled::new(&real);
    let mut learner =
        Learner::new(&real, Class::default().with(|class| class.numbers = numbers)).unwrap();
    let mut dataset = Dataset::default();
    let mut random = Random::new(1);
    let walking = Instant::now();
    for (index, path) in traces.iter().take(100).enumerate() {
        let problem = read_problem(&source(&path.with_extension("pddl")), &real, numbers).unwrap();
        if index % 5 == 0 {
            dataset.add_walks(&compiled, &problem, &Walks::default(), &mut random);
            let trace = Trajectory::read(&source(path), &real, &problem.objects, numbers).unwrap();
            dataset.add_trace(&compiled, &problem.objects, &trace);
        } else {
            let text = source(path);
            let mut reader =
                TrajectoryReader::new(&text, &real, &problem.objects, numbers).unwrap();
            let mut observer = learner.lens().observer();
            while let Some(step) = reader.next_transition().unwrap() {
                let observation = observer.observe_step(step.step()).unwrap();
                learner.observe(step.action.symbol, &observation);
            }
        }
    }
    println!("{} steps, read and walked in {:?}", dataset.len(), walking.elapsed());
    let concluded: Vec<_> =
        real.action_ids().map(|id| learner.conclude(id, &Settings::default())).collect();
    let model = real.with_bodies(|id| match &concluded[id.index()] {
        Conclusion::Learned(learned) => Some(&learned.action),
        _ => None,
    });
    let model = model.of_known_actions();
    for (name, domain) in [("real", &real), ("learned", &model)] {
        rate(name, domain, &real, &dataset);
    }
    let compiled = Compiled::new(&model);
    let start = Instant::now();
    let compared = semantic::compare(&dataset, &real, &compiled);
    let seconds = start.elapsed().as_secs_f64();
    let averages = semantic::averages(&compared).unwrap();
    println!("whole evaluation: {:.0} steps/s, {averages:?}", dataset.len() as f64 / seconds);
}

fn rate(
    name: &str,
    domain: &surefoot_base::model::Domain,
    real: &surefoot_base::model::Domain,
    dataset: &Dataset,
) {
    let start = Instant::now();
    let compiled = Compiled::new(domain);
    let facets: usize = domain.action_ids().map(|id| compiled.facets(id)).sum();
    let preparing = start.elapsed();
    let names: Vec<_> = real.actions.iter().map(|(name, _)| domain.actions.find(name)).collect();
    let (mut checks, mut seconds, mut slow, mut slow_seconds, mut yes) =
        (0u64, 0.0, 0u64, 0.0, 0u64);
    for scene in &dataset.scenes {
        let mut universe = scene.universe.clone();
        let mut checker = Checker::new(&compiled, &scene.objects);
        let semantics = Semantics::new(domain, &scene.objects);
        let mut cases = Vec::new();
        for episode in &scene.episodes {
            let mut state = episode.start.clone();
            for sample in &episode.steps {
                if let Some(symbol) = names[sample.action.symbol.index()] {
                    let action = GroundAction {
                        symbol: symbol.into(),
                        arguments: sample.action.arguments.clone(),
                    };
                    cases.push((checker.step(&action, &mut universe), action, state.clone()));
                }
                sample.advance(&mut state);
            }
        }
        let start = Instant::now();
        for _ in 0..10 {
            for (step, _, state) in &cases {
                yes += u64::from(black_box(checker.applicable(*step, &universe, state)));
                checks += 1;
            }
        }
        seconds += start.elapsed().as_secs_f64();
        let start = Instant::now();
        for (_, action, state) in cases.iter().take(20) {
            black_box(semantics.applicable(action, &universe, state).is_ok());
            slow += 1;
        }
        slow_seconds += start.elapsed().as_secs_f64();
    }
    println!(
        "{name}: {facets} facets, prepared in {preparing:?}; {:.2} M checks/s ({:.0} % \
         applicable); plain semantics {:.4} M checks/s",
        checks as f64 / seconds / 1e6,
        100.0 * yes as f64 / checks as f64,
        slow as f64 / slow_seconds / 1e6
    );
}
