//! Times exact facets on files of points: the dimension, the number of points, then the points, as
//! Qhull reads them.
//!
//! `cargo run --release -p surefoot-measure --bin hull_time FILE...` prints, a file a line: facets,
//! vertices, and the least CPU time of some runs.
#![allow(clippy::unwrap_used, reason = "an experiment")]

use surefoot_base::exact::{Budget, Rational, hull};
use surefoot_base::pddl::Numbers;

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut words = text.split_whitespace();
        let mut number = || words.next().unwrap().parse::<usize>().unwrap();
        let (dimension, count) = (number(), number());
        let values: Vec<Rational> = words.map(|word| Numbers::Exact.read(word).unwrap()).collect();
        let points: Vec<Vec<Rational>> =
            values.chunks(dimension).map(<[Rational]>::to_vec).collect();
        assert_eq!(points.len(), count, "{path}");
        let mut least = f64::INFINITY;
        let mut found = (0, 0);
        // The clock moves in ticks of some milliseconds, so many short runs are timed as one.
        for _ in 0..5 {
            let (start, mut runs) = (cpu_ms(), 0.0);
            while runs == 0.0 || cpu_ms() - start < 200.0 {
                let hull = hull(&points, &[], Budget::facets(1_000_000)).unwrap();
                found = (
                    hull.facets().len(),
                    hull.generators().map_or(0, |generators| generators.points.len()),
                );
                runs += 1.0;
            }
            least = least.min((cpu_ms() - start) / runs);
        }
        let name = std::path::Path::new(&path).file_stem().unwrap().display();
        println!(
            "{name} dimension {dimension} points {count} facets {} vertices {} cpu_ms {least:.2}",
            found.0, found.1
        );
    }
}

/// Time of this thread on a core.
fn cpu_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e6
}
