//! How fast trajectories become transitions. `cargo bench -p surefoot-measure --bench reading`,
//! with `SUREFOOT_CORPUS=<folder>` also on the published data.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot read its data has nothing to say")]

use divan::Bencher;
use divan::counter::BytesCount;
use rayon::prelude::*;
use surefoot_base::model::{Domain, Objects};
use surefoot_base::pddl::{Source, TrajectoryReader};
use surefoot_measure::data::{DataFolder, NUMBERS, names};

fn main() {
    divan::main();
}

fn transitions(domain: &Domain, objects: &Objects, source: &Source) -> usize {
    let mut reader = TrajectoryReader::new(source, domain, objects, NUMBERS).unwrap();
    let mut count = 0;
    while let Some(step) = reader.next_transition().unwrap() {
        divan::black_box(step);
        count += 1;
    }
    count
}

/// From text in memory, on one core.
#[divan::bench(args = names(), sample_size = 1, sample_count = 15)]
fn text(bencher: Bencher, name: &str) {
    let folder = DataFolder::named(name);
    bencher.counter(BytesCount::new(folder.bytes())).bench_local(|| {
        folder
            .traces
            .iter()
            .map(|(objects, source)| transitions(&folder.domain, objects, source))
            .sum::<usize>()
    });
}

/// From text in memory, on two cores.
#[divan::bench(args = names(), sample_size = 1, sample_count = 15)]
fn text_on_two_cores(bencher: Bencher, name: &str) {
    let folder = DataFolder::named(name);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    bencher.counter(BytesCount::new(folder.bytes())).bench_local(|| {
        let count =
            |(objects, source): &(Objects, Source)| transitions(&folder.domain, objects, source);
        pool.install(|| folder.traces.par_iter().map(count).sum::<usize>())
    });
}

/// From files, their problems included, on one core.
#[divan::bench(args = names().into_iter().skip(1), sample_size = 1, sample_count = 15)]
fn files(bencher: Bencher, name: &str) {
    let folder = DataFolder::named(name);
    bencher.counter(BytesCount::new(folder.bytes())).bench_local(|| {
        let read = |path| {
            transitions(
                &folder.domain,
                &surefoot_measure::data::objects(&folder.domain, path),
                &surefoot_measure::data::source(path),
            )
        };
        folder.files.iter().map(|path| read(path)).sum::<usize>()
    });
}
