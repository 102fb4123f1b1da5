//! What `explain` says: the nearest observed vector is the nearest, and what it proposes to assume does admit the step.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::chance::Chance;
use crate::learning::{ACT, Shape, World, domain, for_seeds, learner, look, objects};
use surefoot::exact::Rational;
use surefoot::explain::{Admission, admissions, nearest};
use surefoot::ids::Id;
use surefoot::learn::{Class, ColumnId, Conclusion, Learner, Monotone, Settings, learned_domain};
use surefoot::model::semantics::Semantics;
use surefoot::model::{GroundAction, Objects, State, Universe};

fn admits(
    learner: &Learner,
    settings: &Settings,
    step: &GroundAction,
    objects: &Objects,
    universe: &Universe,
    state: &State,
) -> bool {
    let Conclusion::Learned(action) = learner.conclude(ACT, settings) else { return false };
    let model = learned_domain(learner, &[(ACT, &action)]);
    Semantics::new(&model, objects).applicable(step, universe, state).is_ok()
}

/// What a user who follows the advice says.
fn followed(settings: &Settings, admission: &Admission) -> Settings {
    let mut settings = settings.clone();
    match admission {
        Admission::Arity(arity, effects) => {
            settings.arity = Some(*arity);
            if *effects {
                settings.effect_arity = Some(*arity);
            }
        }
        Admission::Monotone(column, mark) => {
            settings.monotone.entry(ACT).or_default().insert(*column, *mark);
        }
        Admission::PositivePreconditions => settings.positive_preconditions = true,
    }
    settings
}

/// A world with some numbers, of which enough was seen.
fn world(random: &mut Chance, undefined: usize) -> Option<(World, Vec<crate::learning::Step>, Learner)> {
    let shape = Shape { functions: 3, undefined, ..Shape::default() };
    let world = World::random(random, &shape);
    let count = 2 + random.below(8);
    let steps = world.observe(random, count, |_| true);
    let learner = learner(&world.domain, Class::default(), &world.objects, &steps);
    (!steps.is_empty()).then_some((world, steps, learner))
}

/// Squared distance, each column measured by its range among the vectors.
fn distance(vectors: &BTreeSet<Vec<Rational>>, one: &[Rational], other: &[Rational]) -> Rational {
    let mut sum = Rational::ZERO;
    for place in 0..one.len() {
        let values = || vectors.iter().map(|vector| &vector[place]);
        let range = values().max().unwrap() - values().min().unwrap();
        let range = if range.is_zero() { Rational::ONE } else { range };
        let part = (&one[place] - &other[place]).checked_div(&range).unwrap();
        sum += &(&part * &part);
    }
    sum
}

#[test]
fn the_nearest_observed_vector_is_one_that_was_observed_and_none_is_nearer() {
    let told = AtomicUsize::new(0);
    for_seeds(150, |seed| {
        let mut random = Chance::new(seed);
        let Some((world, steps, learner)) = world(&mut random, 0) else { return };
        let vectors: BTreeSet<Vec<Rational>> = steps
            .iter()
            .map(|step| look(&learner, &world.objects, step).before.into_iter().map(Option::unwrap).collect())
            .collect();
        for _ in 0..4 {
            let (universe, state, action) = world.probe(&mut random, &steps);
            let found = nearest(&learner, &action, &universe, &state).expect("all functions have values");
            let names = &learner.vocabulary(ACT).functions;
            assert_eq!(
                found.columns.iter().map(|(column, ..)| *column).collect::<Vec<_>>(),
                (0..names.len()).map(ColumnId::from_index).collect::<Vec<_>>()
            );
            assert_eq!(found.among, vectors.len());
            for (function, (_, here, _)) in names.iter().zip(&found.columns) {
                let id = universe.find_value(&function.ground(&action.arguments)).unwrap();
                assert_eq!(state.value(id), Some(here));
            }
            let here: Vec<Rational> = found.columns.iter().map(|(_, here, _)| here.clone()).collect();
            let best: Vec<Rational> = found.columns.iter().map(|(.., observed)| observed.clone()).collect();
            assert!(vectors.contains(&best), "{best:?} was never observed");
            let least = vectors.iter().map(|vector| distance(&vectors, vector, &here)).min().unwrap();
            let said = distance(&vectors, &best, &here);
            // Floating point is good enough for taste, so vectors that are equally near up to rounding may stand for each other.
            assert!(said <= &least * &Rational::new(1_000_000_001, 1_000_000_000).unwrap(), "{said} away, but {least} is nearer");
            told.fetch_add(usize::from(vectors.len() > 1 && !names.is_empty()), Ordering::Relaxed);
        }
    });
    assert!(told.into_inner() > 200);
}

#[test]
fn nothing_is_nearest_where_nothing_was_observed_or_a_value_is_missing() {
    let domain = domain("(define (domain d) (:functions (x)) (:action act :parameters () :effect (increase (x) 1)))");
    let objects = objects(&domain, "");
    let empty = Learner::new(&domain, Class::default()).unwrap();
    let step = GroundAction { symbol: ACT, arguments: Default::default() };
    let (mut universe, mut state) = (Universe::default(), State::default());
    let seen = crate::learning::from_text(
        &domain,
        Class::default(),
        &objects,
        &["((:init (= (x) 1))\n(operator: (act))\n(:state (= (x) 2)))"],
    );
    assert_eq!(nearest(&seen, &step, &universe, &state), None);
    let function = surefoot::model::GroundFunction { symbol: 0usize.into(), arguments: Default::default() };
    state.set_value(universe.value(&function), Rational::integer(5));
    assert_eq!(nearest(&empty, &step, &universe, &state), None);
    let x = ColumnId::from_index(0);
    assert_eq!(nearest(&seen, &step, &universe, &state).unwrap().columns, [(x, Rational::integer(5), Rational::ONE)]);
}

#[test]
fn what_is_proposed_admits_the_step_was_not_said_already_and_contradicts_nothing_said() {
    let counts: [AtomicUsize; 4] = Default::default();
    for_seeds(200, |seed| {
        let mut random = Chance::new(seed);
        let undefined = *random.of(&[0, 0, 10]);
        let Some((world, steps, learner)) = world(&mut random, undefined) else { return };
        let columns = learner.vocabulary(ACT).columns.len();
        let mut settings = Settings { positive_preconditions: random.percent(30), ..Settings::default() };
        if random.percent(30) {
            settings.arity = Some(1 + random.below(3));
        }
        for column in learner.vocabulary(ACT).columns.ids() {
            if random.percent(20) {
                let mark = *random.of(&[Monotone::More, Monotone::Less]);
                settings.monotone.entry(ACT).or_default().insert(column, mark);
            }
        }
        for _ in 0..4 {
            let (universe, state, step) = world.probe(&mut random, &steps);
            let admitted = |settings: &Settings| admits(&learner, settings, &step, &world.objects, &universe, &state);
            if admitted(&settings) {
                continue;
            }
            let found = admissions(&learner, &settings, &step, &world.objects, &universe, &state);
            for admission in &found {
                let followed = followed(&settings, admission);
                assert!(admitted(&followed), "{admission:?} does not admit it");
                match admission {
                    Admission::PositivePreconditions => assert!(!settings.positive_preconditions),
                    Admission::Arity(arity, effects) => {
                        assert!(settings.arity.is_none_or(|given| *arity < given), "{arity}, but {:?} was said", settings.arity);
                        // The weakest: no larger one admits it.
                        for larger in arity + 1..settings.arity.unwrap_or(columns).min(columns).min(4) {
                            assert!(!admitted(&Settings { arity: Some(larger), ..settings.clone() }), "{larger} is enough");
                        }
                        assert!(!effects || !admitted(&Settings { arity: Some(*arity), ..settings.clone() }));
                    }
                    Admission::Monotone(column, mark) => {
                        let given = settings.monotone.get(&ACT).and_then(|marks| marks.get(column));
                        assert_eq!(given, None, "{mark:?} is proposed where {given:?} was said");
                    }
                }
            }
            // What is not proposed of a kind that could be does not admit it.
            if !found.contains(&Admission::PositivePreconditions) {
                let positive = Settings { positive_preconditions: true, ..settings.clone() };
                assert!(settings.positive_preconditions || !admitted(&positive));
            }
            let kinds = [
                found.contains(&Admission::PositivePreconditions),
                found.iter().any(|admission| matches!(admission, Admission::Arity(..))),
                found.iter().any(|admission| matches!(admission, Admission::Monotone(..))),
                found.is_empty(),
            ];
            for (count, kind) in counts.iter().zip(kinds) {
                count.fetch_add(usize::from(kind), Ordering::Relaxed);
            }
        }
    });
    let counts = counts.map(AtomicUsize::into_inner);
    assert!(counts.iter().all(|&count| count > 5), "{counts:?} of positive, arity, marks, none: the law says nothing");
}

/// Fuel was seen from 5 to 10, and 12 is asked about.
#[test]
fn more_is_proposed_beyond_what_was_seen_and_less_below_it() {
    let domain = domain("(define (domain d) (:functions (fuel)) (:action act :parameters () :effect (decrease (fuel) 1)))");
    let objects = objects(&domain, "");
    let text = |fuel: i64| format!("((:init (= (fuel) {fuel}))\n(operator: (act))\n(:state (= (fuel) {})))", fuel - 1);
    let learner = crate::learning::from_text(&domain, Class::default(), &objects, &[&text(5), &text(10), &text(7)]);
    let step = GroundAction { symbol: ACT, arguments: Default::default() };
    let proposed = |fuel: i64, settings: &Settings| {
        let (mut universe, mut state) = (Universe::default(), State::default());
        let function = surefoot::model::GroundFunction { symbol: 0usize.into(), arguments: Default::default() };
        state.set_value(universe.value(&function), Rational::integer(fuel));
        admissions(&learner, settings, &step, &objects, &universe, &state)
    };
    let (plain, amount) = (Settings::default(), ColumnId::from_index(0));
    assert_eq!(proposed(12, &plain), [Admission::Monotone(amount, Monotone::More)]);
    assert_eq!(proposed(1, &plain), [Admission::Monotone(amount, Monotone::Less)]);
    let mut said = Settings::default();
    said.monotone.entry(ACT).or_default().insert(amount, Monotone::Less);
    assert_eq!(proposed(12, &said), [], "less never hurts, the user said");
}
