//! The vectors an action was observed at, as a file of points that Qhull reads: only the columns
//! that determine all others, so that the hull has full dimension.
//!
//! `cargo run --release -p surefoot-measure --bin points FOLDER ACTION > FILE`; a folder holds
//! `domain.pddl`, `*.trajectory` and their problems.
#![allow(clippy::unwrap_used, reason = "an experiment")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use surefoot_base::exact::{Echelon, Rational, Row};
use surefoot_base::pddl::{Numbers, Source, TrajectoryReader, read_domain, read_problem};
use surefoot_learn::{Class, Learner};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, action] = &arguments[..] else { panic!("expected a folder and an action") };
    let folder = PathBuf::from(folder);
    let numbers = Numbers::Decimals(6);
    let domain = read_domain(&source(&folder.join("domain.pddl"))).unwrap();
    let learner =
        Learner::new(&domain, Class::default().with(|class| class.numbers = numbers)).unwrap();
    let wanted = domain.actions.find(action).unwrap();
    let mut points: BTreeSet<Vec<Rational>> = BTreeSet::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "trajectory") {
            continue;
        }
        let objects =
            read_problem(&source(&path.with_extension("pddl")), &domain, numbers).unwrap().objects;
        let text = source(&path);
        let mut reader = TrajectoryReader::new(&text, &domain, &objects, numbers).unwrap();
        let mut observer = learner.lens().observer();
        while let Some(step) = reader.next_transition().unwrap() {
            if step.action.symbol.index() == wanted {
                points.extend(
                    observer
                        .observe_step(step.step())
                        .unwrap()
                        .before
                        .into_iter()
                        .collect::<Option<Vec<_>>>(),
                );
            }
        }
    }
    let columns = points.first().map_or(0, Vec::len);
    let span = Echelon::span(columns + 1, points.iter().map(|point| Row::point(point)));
    let kept: Vec<usize> =
        span.pivots().iter().filter(|&&pivot| pivot > 0).map(|pivot| pivot - 1).collect();
    let points: BTreeSet<Vec<&Rational>> =
        points.iter().map(|point| kept.iter().map(|&column| &point[column]).collect()).collect();
    println!("{}\n{}", kept.len(), points.len());
    for point in points {
        println!("{}", point.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(" "));
    }
}

fn source(path: &Path) -> Source {
    Source::from_bytes(path.display().to_string(), std::fs::read(path).unwrap()).unwrap()
}
