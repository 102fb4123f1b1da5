//! Times exact facets on files of points: the dimension, the number of points, then the points, as Qhull reads them.
//!
//! `cargo run --release --example hull_time FILE...` prints, a file a line: facets, vertices, and the least CPU time of some runs.
#![allow(clippy::unwrap_used, reason = "an experiment")]

use surefoot::exact::{Budget, Rational, hull};
use surefoot::pddl::Numbers;

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut words = text.split_whitespace();
        let mut number = || words.next().unwrap().parse::<usize>().unwrap();
        let (dimension, count) = (number(), number());
        let values: Vec<Rational> = words.map(|word| Numbers::Exact.read(word).unwrap()).collect();
        let points: Vec<Vec<Rational>> = values.chunks(dimension).map(<[Rational]>::to_vec).collect();
        assert_eq!(points.len(), count, "{path}");
        let mut least = f64::INFINITY;
        let mut spent = 0.0;
        let mut found = (0, 0);
        // At least three runs, and more while they are short.
        for run in 0..50 {
            if run >= 3 && spent > 1_000.0 {
                break;
            }
            let start = cpu_ms();
            let hull = hull(&points, &[], Budget::facets(1_000_000)).unwrap();
            let time = cpu_ms() - start;
            least = least.min(time);
            spent += time;
            found = (hull.facets.len(), hull.vertices.len());
        }
        let name = std::path::Path::new(&path).file_stem().unwrap().display();
        println!("{name} dimension {dimension} points {count} facets {} vertices {} cpu_ms {least:.2}", found.0, found.1);
    }
}

/// Time of this thread on a core.
fn cpu_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e6
}
