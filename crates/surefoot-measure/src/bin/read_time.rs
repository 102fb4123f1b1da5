//! Times reading: `cargo run --release -p surefoot-measure --bin read_time FOLDER [THREADS]` prints
//! megabytes, the least CPU and wall milliseconds of several runs over all trajectories of the
//! folder (from file to transitions, objects known), and the peak memory in MB.
#![allow(clippy::unwrap_used, reason = "an experiment")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use surefoot_base::model::{Domain, Objects};
use surefoot_base::pddl::{Numbers, Source, TrajectoryReader, read_domain, read_problem};

const NUMBERS: Numbers = Numbers::Decimals(6);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap());
    let threads = arguments.next().map_or(1, |word| word.parse().unwrap());
    let domain = read_domain(&source(&folder.join("domain.pddl"))).unwrap();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "trajectory"));
    let files: Vec<(PathBuf, Objects)> = files
        .into_iter()
        .map(|path| {
            let problem = source(&path.with_extension("pddl"));
            (path, read_problem(&problem, &domain, NUMBERS).unwrap().objects)
        })
        .collect();
    let bytes: u64 = files.iter().map(|(path, _)| path.metadata().unwrap().len()).sum();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (mut cpu, mut wall) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..5 {
        // The clock of the cores moves in ticks of some milliseconds, so many short runs are timed
        // as one.
        let (before, mut runs) = (cpu_ms(), 0.0);
        while runs == 0.0 || cpu_ms() - before < 200.0 {
            let start = Instant::now();
            pool.install(|| {
                files.par_iter().map(|(path, objects)| read(&domain, path, objects)).sum::<usize>()
            });
            wall = wall.min(start.elapsed().as_secs_f64() * 1e3);
            runs += 1.0;
        }
        cpu = cpu.min((cpu_ms() - before) / runs);
    }
    println!(
        "mb {:.1} cpu_ms {cpu:.1} wall_ms {wall:.1} peak_mb {:.1}",
        bytes as f64 / 1e6,
        peak_mb()
    );
}

fn read(domain: &Domain, path: &Path, objects: &Objects) -> usize {
    let source = source(path);
    let mut reader = TrajectoryReader::new(&source, domain, objects, NUMBERS).unwrap();
    let mut count = 0;
    while reader.next_transition().unwrap().is_some() {
        count += 1;
    }
    count
}

fn source(path: &Path) -> Source {
    Source::from_bytes(path.display().to_string(), std::fs::read(path).unwrap()).unwrap()
}

/// Time of all threads on a core.
fn cpu_ms() -> f64 {
    std::fs::read_dir("/proc/self/task")
        .unwrap()
        .map(|task| {
            let text = std::fs::read_to_string(task.unwrap().path().join("schedstat")).unwrap();
            text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e6
        })
        .sum()
}

fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}
