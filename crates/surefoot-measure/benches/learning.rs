//! How fast steps become evidence, and evidence becomes actions.
//! `cargo bench -p surefoot-measure --bench learning`, with `SUREFOOT_CORPUS=<folder>` also on the
//! published data.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot read its data has nothing to say")]

use divan::Bencher;
use divan::counter::ItemsCount;
use surefoot_learn::{Learner, Settings};
use surefoot_measure::data::{DataFolder, names};

fn main() {
    divan::main();
}

/// So many facets are enough to see the speed, and keep zenotravel without a map (39,000 facets)
/// from taking all the time.
const FACETS: usize = 5_000;

/// How fast observed steps become evidence.
#[divan::bench(args = names(), sample_size = 1, sample_count = 15)]
fn observe(bencher: Bencher, name: &str) {
    let (learner, observations) = DataFolder::named(name).observations();
    bencher
        .counter(ItemsCount::new(observations.len()))
        .with_inputs(|| learner.empty())
        .bench_local_values(|mut learner| {
            observations
                .iter()
                .for_each(|(action, observation)| learner.observe(*action, observation));
            learner
        });
}

/// How fast evidence becomes actions.
#[divan::bench(args = names(), sample_size = 1, sample_count = 5)]
fn conclude(bencher: Bencher, name: &str) {
    let (mut learner, observations) = DataFolder::named(name).observations();
    observations.iter().for_each(|(action, observation)| learner.observe(*action, observation));
    let settings = Settings::default().with(|settings| settings.facet_budget = FACETS);
    bencher.bench_local(|| learned(&learner, &settings));
}

fn learned(learner: &Learner, settings: &Settings) -> usize {
    let all = learner
        .domain()
        .action_ids()
        .map(|action| divan::black_box(learner.conclude(action, settings)));
    all.count()
}
