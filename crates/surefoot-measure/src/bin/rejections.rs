//! Judges a model, whoever learned it, by steps that succeeded: how many does it reject, how many
//! does it predict wrongly?
//!
//! `cargo run --release -p surefoot-measure --bin rejections DOMAIN MODEL TRACE...` prints the
//! numbers of steps whose action the model has, of steps rejected exactly, of steps rejected with
//! tolerance 0.1, and of accepted steps (with tolerance 0.1) with a wrong successor, where values
//! within 0.1 are not wrong.
#![allow(clippy::unwrap_used, reason = "an experiment")]

use std::path::{Path, PathBuf};

use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{GroundAction, State};
use surefoot_base::pddl::{Numbers, Source, Trajectory, read_domain, read_problem};

const NUMBERS: Numbers = Numbers::Decimals(6);

fn main() {
    let paths: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let [domain, model, traces @ ..] = &paths[..] else {
        panic!("expected a domain, a model and traces")
    };
    let domain = read_domain(&source(domain)).unwrap();
    let model = read_domain(&source(model)).unwrap_or_else(|error| panic!("{error}"));
    let slack = Rational::new(1, 10).unwrap();
    let [mut judged, mut exactly, mut loosely, mut wrong] = [0; 4];
    for path in traces {
        let objects =
            read_problem(&source(&path.with_extension("pddl")), &domain, NUMBERS).unwrap().objects;
        let Trajectory { mut universe, states, actions, .. } =
            Trajectory::read(&source(path), &domain, &objects, NUMBERS).unwrap();
        let exact = Semantics::new(&model, &objects);
        let loose = exact.clone().with_tolerance(&slack);
        for (index, action) in actions.iter().enumerate() {
            let Some(symbol) = model.actions.find(domain.action_name(action.symbol)) else {
                continue;
            };
            let step = GroundAction { symbol: symbol.into(), arguments: action.arguments.clone() };
            judged += 1;
            exactly += usize::from(exact.applicable(&step, &universe, &states[index]).is_err());
            match loose.successor(&step, &mut universe, &states[index]) {
                Ok(after) => wrong += usize::from(!close(&after, &states[index + 1], &slack)),
                Err(_) => loosely += 1,
            }
        }
    }
    println!("{judged} {exactly} {loosely} {wrong}");
}

fn close(one: &State, other: &State, slack: &Rational) -> bool {
    one.differing_atoms(other).next().is_none()
        && one.differing_values(other).all(|id| match (one.value(id), other.value(id)) {
            (Some(one), Some(other)) => (one - other).abs() <= *slack,
            _ => false,
        })
}

fn source(path: &Path) -> Source {
    Source::from_bytes(path.display().to_string(), std::fs::read(path).unwrap()).unwrap()
}
