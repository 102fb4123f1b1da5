//! The promise (theory, section 1): where the learned action is applicable so is the real one, with the same outcome.
//!
//! Random real actions of the class, random steps of theirs (arguments may repeat), random questions near what was seen.
#![allow(clippy::unwrap_used, clippy::panic)]

mod learning;

use std::cell::RefCell;
use std::collections::BTreeMap;

use learning::{ACT, Random, Shape, Tally, World, check_safe, for_seeds, learner, product, with_bodies};
use surefoot::learn::{Algorithm, BooleanEffect, Class, Degree, Learner, Monotone, Settings, learned_domain};
use surefoot::model::semantics::Semantics;
use surefoot::model::{GroundAction, State, Universe};

/// Checks the promise; at least `yes` percent of the questions must have been answered with yes, lest the law be empty.
fn promise(cases: u32, shape: &Shape, settings: impl Fn(&mut Random, &World) -> Settings, yes: usize) {
    let tally = RefCell::new(Tally::default());
    for_seeds(cases, |seed| {
        let mut random = Random(seed);
        let world = World::random(&mut random, shape);
        let count = *random.of(&[1, 2, 4, 8, 16]);
        let steps = world.observe(&mut random, count, |_| true);
        if !steps.is_empty() {
            let settings = settings(&mut random, &world);
            check_safe(&mut random, &world, &steps, &settings, 60, &mut tally.borrow_mut());
        }
    });
    let Tally { asked, applicable } = tally.into_inner();
    let single = std::env::var("SUREFOOT_SEED").is_ok();
    assert!(single || applicable * 100 >= asked * yes, "{applicable} of {asked} probes were applicable");
}

#[test]
fn sam() {
    let shape = Shape { functions: 0, ..Shape::default() };
    promise(400, &shape, |_, _| Settings { algorithm: Algorithm::Sam, ..Settings::default() }, 10);
}

#[test]
fn sam_with_constants() {
    let shape = Shape { functions: 0, constant: true, ..Shape::default() };
    promise(300, &shape, |_, _| Settings { algorithm: Algorithm::Sam, ..Settings::default() }, 10);
}

#[test]
fn nsam_star() {
    promise(600, &Shape::default(), |_, _| Settings::default(), 10);
}
