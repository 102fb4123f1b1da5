//! The promise (docs/theory.md, "The promise"): where the learned action is applicable so is the
//! real one, with the same outcome.
//!
//! Random real actions of the class, random steps of theirs (arguments may repeat), random
//! questions near what was seen. For the Boolean part of tiny actions, all models that are
//! consistent with the steps.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use crate::chance::Chance;
use crate::learning::{
    ACT, Shape, Step, Tally, World, check_safe, for_seeds, learner, model, product, story,
    with_bodies,
};
use surefoot_base::ids::first_ids;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{GroundAction, GroundAtom, State, Universe};
use surefoot_learn::{Algorithm, BooleanEffect, Class, ColumnId, Degree, Monotone, Settings};

/// Checks the promise; at least `yes` percent of the questions must have been answered with yes,
/// lest the law be empty.
fn promise(cases: u32, choose: impl Fn(&mut Chance) -> (Shape, Settings), yes: usize) {
    let tally = RefCell::new(Tally::default());
    for_seeds(cases, |seed| {
        let mut random = Chance::new(seed);
        let (shape, settings) = choose(&mut random);
        let world = World::random(&mut random, &shape);
        let count = *random.of(&[1, 2, 4, 8, 16]);
        let steps = world.observe(&mut random, count, |_| true);
        if !steps.is_empty() {
            check_safe(&mut random, &world, &steps, &settings, 60, &mut tally.borrow_mut());
        }
    });
    let Tally { asked, applicable } = tally.into_inner();
    let single = std::env::var("SUREFOOT_SEED").is_ok();
    assert!(
        single || applicable * 100 >= asked * yes,
        "{applicable} of {asked} probes were applicable"
    );
}

#[test]
fn sam() {
    let settings = Settings::default().with(|settings| settings.algorithm = Algorithm::Sam);
    let shape = |random: &mut Chance| Shape {
        functions: 0,
        constant: random.percent(40),
        ..Shape::default()
    };
    promise(600, |random| (shape(random), settings.clone()), 10);
}

#[test]
fn sam_with_positive_preconditions() {
    let settings = Settings::default().with(|settings| {
        settings.algorithm = Algorithm::Sam;
        settings.positive_preconditions = true;
    });
    let shape = |random: &mut Chance| Shape {
        functions: 0,
        negative: false,
        constant: random.percent(40),
        ..Shape::default()
    };
    promise(400, |random| (shape(random), settings.clone()), 20);
}

#[test]
fn nsam_star() {
    let shape = |random: &mut Chance| Shape { constant: random.percent(25), ..Shape::default() };
    promise(800, |random| (shape(random), Settings::default()), 10);
}

#[test]
fn nsam() {
    let settings = Settings::default().with(|settings| settings.algorithm = Algorithm::Nsam);
    promise(300, |_| (Shape::default(), settings.clone()), 10);
}

#[test]
fn nsam_literal() {
    let settings = Settings::default().with(|settings| settings.algorithm = Algorithm::NsamLiteral);
    promise(300, |_| (Shape::default(), settings.clone()), 10);
}

#[test]
fn functions_without_values() {
    promise(
        400,
        |_| (Shape { undefined: 15, functions: 3, ..Shape::default() }, Settings::default()),
        10,
    );
}

#[test]
fn conditions_of_bounded_arity() {
    let choose = |random: &mut Chance| {
        let arity = 1 + random.below(2);
        (
            Shape { arity, functions: 3, ..Shape::default() },
            Settings::default().with(|settings| settings.arity = Some(arity)),
        )
    };
    promise(400, choose, 10);
}

#[test]
fn effects_of_bounded_arity() {
    let choose = |random: &mut Chance| {
        let effect_arity = random.below(3);
        let settings =
            Settings::default().with(|settings| settings.effect_arity = Some(effect_arity));
        (Shape { effect_arity, functions: 3, ..Shape::default() }, settings)
    };
    promise(400, choose, 10);
}

/// Random marks for the first columns, with the signs that coefficients of `… ≤ b` then have.
fn marks(random: &mut Chance) -> (Vec<i32>, BTreeMap<ColumnId, Monotone>) {
    let signs: Vec<i32> = (0..8).map(|_| *random.of(&[2, -1, 1, 0])).collect();
    let mark = |sign: i32| match sign {
        -1 => Some(Monotone::More),
        1 => Some(Monotone::Less),
        0 => Some(Monotone::Any),
        _ => None,
    };
    let marks = first_ids(signs.len())
        .zip(&signs)
        .filter_map(|(column, &sign)| Some((column, mark(sign)?)))
        .collect();
    (signs, marks)
}

#[test]
fn monotone_conditions() {
    let choose = |random: &mut Chance| {
        let (signs, marks) = marks(random);
        let settings =
            Settings::default().with(|settings| settings.monotone = BTreeMap::from([(ACT, marks)]));
        (Shape { signs, ..Shape::default() }, settings)
    };
    promise(400, choose, 10);
}

fn degree(degree: u32, squares: bool) -> Class {
    Class::default().with(|class| class.degree = Degree { degree, squares })
}

#[test]
fn products_of_functions() {
    let choose = |random: &mut Chance| {
        let shape =
            Shape { products: true, class: degree(2, random.percent(30)), ..Shape::default() };
        (shape, Settings::default())
    };
    promise(300, choose, 5);
}

#[test]
fn all_dials_together() {
    let choose = |random: &mut Chance| {
        let (arity, effect_arity) = (1 + random.below(3), 1 + random.below(2));
        let products = random.percent(30);
        // Signs of coefficients make a condition monotone in a column; a function is a factor of
        // several.
        let (signs, marks) = if products { (Vec::new(), BTreeMap::new()) } else { marks(random) };
        let class = degree(if products { 2 } else { 1 }, false);
        // That a function does not matter means that it need not have a value either; the real
        // effects here may read all.
        let partial = !signs.contains(&0) && random.percent(50);
        let (constant, undefined) = (random.percent(20), if partial { 10 } else { 0 });
        let negative = random.percent(50);
        let shape = Shape {
            functions: 3,
            constant,
            negative,
            equality: true,
            arity,
            effect_arity,
            signs,
            products,
            undefined,
            class,
        };
        let settings = Settings::default().with(|settings| {
            settings.arity = Some(arity);
            settings.effect_arity = Some(effect_arity);
            settings.monotone = BTreeMap::from([(ACT, marks)]);
            settings.positive_preconditions = !negative;
            settings.facet_budget = *random.of(&[1, 6, 100_000]);
        });
        (shape, settings)
    };
    promise(500, choose, 10);
}

const SHARED: [&str; 4] = [
    "(define (domain w) (:functions (f ?x)) (:action act :parameters (?a ?b)))",
    "(define (domain w) (:functions (f ?x) (z)) (:action act :parameters (?a ?b)))",
    "(define (domain w) (:functions (f ?x)) (:action act :parameters (?a ?b ?c)))",
    "(define (domain w) (:constants k) (:functions (f ?x)) (:action act :parameters (?a ?b)))",
];

/// Two functions that are one ground function in half of the steps: changes add up, assignments
/// agree, mixtures are conflicts.
#[test]
fn functions_that_are_one() {
    let tally = RefCell::new(Tally::default());
    for_seeds(1500, |seed| {
        let mut random = Chance::new(seed);
        let effect_arity = random.below(3);
        let shape = Shape { effect_arity, arity: 1, ..Shape::default() };
        let text = *random.of(&SHARED);
        let world = World::over(&mut random, &shape, text, "x y");
        let count = *random.of(&[3, 6, 12, 24]);
        let steps = world.observe(&mut random, count, |_| true);
        if !steps.is_empty() {
            check_safe(
                &mut random,
                &world,
                &steps,
                &Settings::default(),
                40,
                &mut tally.borrow_mut(),
            );
        }
    });
    let Tally { asked, applicable } = tally.into_inner();
    assert!(
        std::env::var("SUREFOOT_SEED").is_ok() || applicable * 100 >= asked * 10,
        "{applicable} of {asked}"
    );
}

/// All effects that explain the steps: by atom of the vocabulary, none, add or delete.
fn version_space(world: &World, steps: &[Step]) -> Vec<Vec<BooleanEffect>> {
    let choices = vec![
        vec![BooleanEffect::None, BooleanEffect::Add, BooleanEffect::Delete];
        world.vocabulary.atoms.len()
    ];
    let explains = |effects: &Vec<BooleanEffect>| {
        steps.iter().all(|step| {
            let before = truths(&step.universe, &step.before);
            outcome(world, effects, &step.action, before) == truths(&step.universe, &step.after)
        })
    };
    product(&choices).into_iter().filter(explains).collect()
}

fn truths(universe: &Universe, state: &State) -> BTreeSet<GroundAtom> {
    state.atoms().map(|id| universe.ground_atom(id).clone()).collect()
}

fn outcome(
    world: &World,
    effects: &[BooleanEffect],
    action: &GroundAction,
    mut state: BTreeSet<GroundAtom>,
) -> BTreeSet<GroundAtom> {
    let ground = |wanted: BooleanEffect| {
        let atoms = world
            .vocabulary
            .atoms
            .iter()
            .zip(effects)
            .filter(move |(_, effect)| **effect == wanted);
        atoms.map(|(atom, _)| atom.ground(&action.arguments)).collect::<Vec<_>>()
    };
    ground(BooleanEffect::Delete)
        .iter()
        .for_each(|atom| assert!(state.remove(atom) || !state.contains(atom)));
    state.extend(ground(BooleanEffect::Add));
    state
}

/// The truth of all literals a precondition may have, in one order: atoms, then equalities.
fn literals(world: &World, action: &GroundAction, state: &BTreeSet<GroundAtom>) -> Vec<bool> {
    let atoms =
        world.vocabulary.atoms.iter().map(|atom| state.contains(&atom.ground(&action.arguments)));
    let ground = |term: surefoot_base::model::Term| term.ground(&action.arguments);
    atoms
        .chain(
            world.vocabulary.equalities.iter().map(|&(left, right)| ground(left) == ground(right)),
        )
        .collect()
}

const TINY: [&str; 5] = [
    "(define (domain w) (:predicates (p ?x) (q)) (:action act :parameters (?a ?b)))",
    "(define (domain w) (:predicates (r ?x ?y)) (:action act :parameters (?a ?b)))",
    "(define (domain w) (:predicates (p ?x)) (:action act :parameters (?a ?b ?c)))",
    "(define (domain w) (:predicates (r ?x ?y) (p ?x)) (:action act :parameters (?a ?b)))",
    "(define (domain w) (:constants k) (:predicates (p ?x)) (:action act :parameters (?a ?b)))",
];

/// Against all models that are consistent with the steps: the learned one is safe for each, and,
/// where no step and no question binds an object twice, as strong as any model that is.
#[test]
fn boolean_part_against_all_consistent_models() {
    let (said_yes, certain) = (Cell::new(0), Cell::new(0));
    for_seeds(1500, |seed| {
        let mut random = Chance::new(seed);
        let negative = random.percent(70);
        let shape = Shape { functions: 0, negative, ..Shape::default() };
        let text = *random.of(&TINY);
        let world = World::over(&mut random, &shape, text, "x y z");
        let (injective, count) = (random.percent(30), 1 + random.below(8));
        let constants = world.domain.signature.constants.len();
        let apart = |action: &GroundAction| {
            let distinct: BTreeSet<_> = action.arguments.iter().collect();
            distinct.len() == action.arguments.len()
                && action.arguments.iter().all(|object| object.index() >= constants)
        };
        let steps = world.observe(&mut random, count, |action| !injective || apart(action));
        if steps.is_empty() {
            return;
        }
        let settings = Settings::default().with(|settings| {
            settings.algorithm = Algorithm::Sam;
            settings.positive_preconditions = !negative;
        });
        let learner = learner(&world.domain, Class::default(), &world.objects, &steps);
        let believed = with_bodies(&world.domain, &model(&learner, &settings));
        let belief = Semantics::new(&believed, &world.objects);
        let models = version_space(&world, &steps);
        assert!(!models.is_empty());
        let observed: Vec<Vec<bool>> = steps
            .iter()
            .map(|step| literals(&world, &step.action, &truths(&step.universe, &step.before)))
            .collect();
        for _ in 0..80 {
            let (mut universe, state, action) = world.probe(&mut random, &steps);
            let truth = truths(&universe, &state);
            // Some consistent model forbids the step iff a literal without a counterexample is
            // false here.
            let here = literals(&world, &action, &truth);
            let atoms = world.vocabulary.atoms.len();
            let kept = |place: usize, value: bool| {
                observed.iter().all(|row| row[place] == value)
                    && (negative || value || place >= atoms)
            };
            let allowed = (0..here.len()).all(|place| !kept(place, !here[place]));
            let outcomes: BTreeSet<_> = models
                .iter()
                .map(|effects| outcome(&world, effects, &action, truth.clone()))
                .collect();
            certain.set(certain.get() + usize::from(allowed && outcomes.len() == 1));
            let told =
                || format!("{action:?} in {truth:?}\n{}", story(&world, &steps, Some(&believed)));
            match belief.successor(&action, &mut universe, &state) {
                Ok(after) => {
                    said_yes.set(said_yes.get() + 1);
                    assert!(allowed, "some consistent model forbids {}", told());
                    assert_eq!(outcomes, BTreeSet::from([truths(&universe, &after)]), "{}", told());
                }
                Err(_) => assert!(
                    !(injective && apart(&action) && allowed && outcomes.len() == 1),
                    "too weak: {}",
                    told()
                ),
            }
        }
    });
    let (said_yes, certain) = (said_yes.get(), certain.get());
    let single = std::env::var("SUREFOOT_SEED").is_ok();
    assert!(
        single || said_yes * 100 >= certain * 95,
        "{said_yes} of {certain} certain steps are allowed"
    );
}
