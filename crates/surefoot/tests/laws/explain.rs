//! What `explain` says: the nearest observed vector is the nearest, and what it proposes to assume
//! does admit the step.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use surefoot_analysis::explain::{
    Admission, Asked, Explanation, FORESEEN, Grounds, Reason, admissions, contradicted, nearest,
    nearest_recorded, questions, ranges,
};
use surefoot_base::exact::Rational;
use surefoot_base::ids::Id;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{GroundAction, Objects, State, Universe};
use surefoot_learn::{Class, ColumnId, Conclusion, Learner, Monotone, Settings};

use crate::chance::Chance;
use crate::learning::{
    ACT, Shape, World, domain, for_seeds, learned_domain, learner, look, objects,
};

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
fn world(
    random: &mut Chance,
    undefined: usize,
) -> Option<(World, Vec<crate::learning::Step>, Learner)> {
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
            .map(|step| {
                look(&learner, &world.objects, step)
                    .before
                    .into_iter()
                    .map(Option::unwrap)
                    .collect()
            })
            .collect();
        for _ in 0..4 {
            let (universe, state, action) = world.probe(&mut random, &steps);
            let found =
                nearest(&learner, &action, &universe, &state).expect("all functions have values");
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
            let here: Vec<Rational> =
                found.columns.iter().map(|(_, here, _)| here.clone()).collect();
            let best: Vec<Rational> =
                found.columns.iter().map(|(.., observed)| observed.clone()).collect();
            assert!(vectors.contains(&best), "{best:?} was never observed");
            let least =
                vectors.iter().map(|vector| distance(&vectors, vector, &here)).min().unwrap();
            let said = distance(&vectors, &best, &here);
            // Floating point is good enough for taste, so vectors that are equally near up to
            // rounding may stand for each other.
            assert!(
                said <= &least * &Rational::new(1_000_000_001, 1_000_000_000).unwrap(),
                "{said} away, but {least} is nearer"
            );
            told.fetch_add(usize::from(vectors.len() > 1 && !names.is_empty()), Ordering::Relaxed);
        }
    });
    assert!(told.into_inner() > 200);
}

#[test]
fn nothing_is_nearest_where_nothing_was_observed_or_a_value_is_missing() {
    let domain = domain(
        "(define (domain d) (:functions (x)) (:action act :parameters () :effect (increase (x) \
         1)))",
    );
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
    let function = surefoot_base::model::GroundFunction {
        symbol: 0usize.into(),
        arguments: Default::default(),
    };
    state.set_value(universe.value(&function), Rational::integer(5));
    assert_eq!(nearest(&empty, &step, &universe, &state), None);
    let x = ColumnId::from_index(0);
    assert_eq!(
        nearest(&seen, &step, &universe, &state).unwrap().columns,
        [(x, Rational::integer(5), Rational::ONE)]
    );
}

#[test]
fn what_is_proposed_admits_the_step_was_not_said_already_and_contradicts_nothing_said() {
    let counts: [AtomicUsize; 4] = Default::default();
    for_seeds(200, |seed| {
        let mut random = Chance::new(seed);
        let undefined = *random.of(&[0, 0, 10]);
        let Some((world, steps, learner)) = world(&mut random, undefined) else { return };
        let columns = learner.vocabulary(ACT).columns.len();
        let mut settings = Settings::default()
            .with(|settings| settings.positive_preconditions = random.percent(30));
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
            let admitted = |settings: &Settings| {
                admits(&learner, settings, &step, &world.objects, &universe, &state)
            };
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
                        assert!(
                            settings.arity.is_none_or(|given| *arity < given),
                            "{arity}, but {:?} was said",
                            settings.arity
                        );
                        // The weakest: no larger one admits it.
                        for larger in
                            arity + 1..settings.arity.unwrap_or(columns).min(columns).min(4)
                        {
                            assert!(
                                !admitted(
                                    &settings
                                        .clone()
                                        .with(|settings| settings.arity = Some(larger))
                                ),
                                "{larger} is enough"
                            );
                        }
                        assert!(
                            !effects
                                || !admitted(
                                    &settings
                                        .clone()
                                        .with(|settings| settings.arity = Some(*arity))
                                )
                        );
                    }
                    Admission::Monotone(column, mark) => {
                        let given = settings.monotone.get(&ACT).and_then(|marks| marks.get(column));
                        assert_eq!(given, None, "{mark:?} is proposed where {given:?} was said");
                    }
                }
            }
            // What is not proposed of a kind that could be does not admit it.
            if !found.contains(&Admission::PositivePreconditions) {
                let positive =
                    settings.clone().with(|settings| settings.positive_preconditions = true);
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
    assert!(
        counts.iter().all(|&count| count > 5),
        "{counts:?} of positive, arity, marks, none: the law says nothing"
    );
}

/// Fuel was seen from 5 to 10, and 12 is asked about.
#[test]
fn more_is_proposed_beyond_what_was_seen_and_less_below_it() {
    let domain = domain(
        "(define (domain d) (:functions (fuel)) (:action act :parameters () :effect (decrease \
         (fuel) 1)))",
    );
    let objects = objects(&domain, "");
    let text = |fuel: i64| {
        format!("((:init (= (fuel) {fuel}))\n(operator: (act))\n(:state (= (fuel) {})))", fuel - 1)
    };
    let learner = crate::learning::from_text(
        &domain,
        Class::default(),
        &objects,
        &[&text(5), &text(10), &text(7)],
    );
    let step = GroundAction { symbol: ACT, arguments: Default::default() };
    let proposed = |fuel: i64, settings: &Settings| {
        let (mut universe, mut state) = (Universe::default(), State::default());
        let function = surefoot_base::model::GroundFunction {
            symbol: 0usize.into(),
            arguments: Default::default(),
        };
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

/// Every state that is refused is explained in at most five lines, and every bound that is told is
/// one that all steps kept.
#[test]
fn a_refusal_takes_five_lines_and_its_bounds_are_those_of_what_worked() {
    let counts: [AtomicUsize; 3] = Default::default();
    for_seeds(200, |seed| {
        let mut random = Chance::new(seed);
        let undefined = *random.of(&[0, 0, 10]);
        let Some((world, steps, learner)) = world(&mut random, undefined) else { return };
        let mut settings = Settings::default()
            .with(|settings| settings.arity = *random.of(&[None, None, Some(1)]));
        for column in learner.vocabulary(ACT).columns.ids() {
            if random.percent(20) {
                let mark = *random.of(&[Monotone::More, Monotone::Less, Monotone::Any]);
                settings.monotone.entry(ACT).or_default().insert(column, mark);
            }
        }
        let Conclusion::Learned(action) = learner.conclude(ACT, &settings) else { return };
        let model = learned_domain(&learner, &[(ACT, &action)]);
        for _ in 0..4 {
            let (universe, state, step) = world.probe(&mut random, &steps);
            let asked =
                Asked { step: &step, objects: &world.objects, universe: &universe, state: &state };
            let known = model.actions.find(learner.domain().action_name(ACT)).unwrap().into();
            let written = GroundAction { symbol: known, ..step.clone() };
            let grounds =
                Grounds { learner: &learner, settings: &settings, action: ACT, recording: None };
            for grounds in [None, Some(grounds)] {
                let asked = Asked { step: &written, ..asked };
                let explanation = Explanation::new(&model, asked, grounds).unwrap();
                let lines = explanation.lines(&model, asked, grounds, "--all");
                assert!(
                    lines.len() <= 5 && lines.iter().all(|line| !line.contains('\n')),
                    "{lines:#?}"
                );
                assert_eq!(explanation.is_allowed(), explanation.reasons.is_empty(), "{lines:#?}");
                assert_eq!(explanation.is_allowed(), lines.len() == 1, "{lines:#?}");
            }
            let bounds = ranges(&learner, &settings, &step, &universe, &state);
            assert!(
                bounds.is_empty()
                    || !admits(&learner, &settings, &step, &world.objects, &universe, &state)
            );
            for (column, here, bound) in &bounds {
                use surefoot_analysis::explain::Bound;
                let keeps = |value: &Rational| match bound {
                    Bound::AtLeast(least) => value >= least,
                    Bound::AtMost(most) => value <= most,
                    Bound::Only(only) => value == only,
                };
                assert!(!keeps(here));
                let seen = steps.iter().map(|step| look(&learner, &world.objects, step).before);
                let seen: Vec<Rational> = seen
                    .map(|before| learner.vocabulary(ACT).column_value(*column, &before).unwrap())
                    .collect();
                assert!(
                    seen.iter().all(keeps) && seen.contains(bound.value()),
                    "{bound:?} of {seen:?}"
                );
            }
            counts[0].fetch_add(bounds.len(), Ordering::Relaxed);
            let refused =
                Explanation::new(&model, Asked { step: &written, ..asked }, Some(grounds)).unwrap();
            let count = |kind: fn(&Reason) -> bool| {
                refused.reasons.iter().filter(|reason| kind(reason)).count()
            };
            counts[1].fetch_add(
                count(|reason| matches!(reason, Reason::Atom { .. })),
                Ordering::Relaxed,
            );
            counts[2].fetch_add(
                count(|reason| matches!(reason, Reason::Together(_))),
                Ordering::Relaxed,
            );
        }
    });
    let counts = counts.map(AtomicUsize::into_inner);
    assert!(
        counts.iter().all(|&count| count > 20),
        "{counts:?} bounds, atoms, facets: the law says nothing"
    );
}

/// What is asked would admit the step, was not said, and never lets a number go where the action
/// itself drives it.
#[test]
fn what_is_asked_admits_the_step_and_is_borne_out_by_the_record() {
    let (asked_about, silent) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_seeds(120, |seed| {
        let mut random = Chance::new(seed);
        let shape = Shape { functions: 2 + random.below(2), ..Shape::default() };
        let world = World::random(&mut random, &shape);
        let count = 12 + random.below(20);
        let steps = world.observe(&mut random, count, |_| true);
        if steps.is_empty() {
            return;
        }
        let learner = learner(&world.domain, Class::default(), &world.objects, &steps);
        let mut settings = Settings::default();
        for column in learner.vocabulary(ACT).columns.ids() {
            if random.percent(20) {
                let mark = *random.of(&[Monotone::More, Monotone::Less]);
                settings.monotone.entry(ACT).or_default().insert(column, mark);
            }
        }
        for _ in 0..4 {
            let (universe, state, step) = world.probe(&mut random, &steps);
            if admits(&learner, &settings, &step, &world.objects, &universe, &state) {
                continue;
            }
            let asked =
                Asked { step: &step, objects: &world.objects, universe: &universe, state: &state };
            let would = admissions(&learner, &settings, &step, &world.objects, &universe, &state);
            let questions = questions(&learner, &settings, asked);
            for question in &questions {
                assert!(would.contains(&question.admission), "{question:?} does not admit it");
                let Admission::Monotone(column, mark) = question.admission else { continue };
                assert!(question.foreseen >= FORESEEN);
                let given = settings.monotone.get(&ACT).and_then(|marks| marks.get(&column));
                assert_eq!(given, None, "{mark:?} is asked where {given:?} was said");
                let [function] = learner.vocabulary(ACT).columns[column].0[..] else {
                    panic!("a product is asked about")
                };
                // Where parameters are one object, what changes may be the effect on another
                // function.
                let constants = world.domain.signature.constants.len();
                let alone = |step: &&crate::learning::Step| {
                    let arguments: BTreeSet<_> = step
                        .action
                        .arguments
                        .iter()
                        .filter(|object| object.index() >= constants)
                        .collect();
                    arguments.len() == step.action.arguments.len()
                };
                let looks =
                    steps.iter().filter(alone).map(|step| look(&learner, &world.objects, step));
                let changes: Vec<i32> = looks
                    .map(|seen| {
                        (seen.after[function].as_ref().unwrap()
                            - seen.before[function].as_ref().unwrap())
                        .signum()
                    })
                    .collect();
                let way = if mark == Monotone::More { 1 } else { -1 };
                assert!(
                    !changes.contains(&way) || changes.contains(&-way),
                    "{mark:?}, and that is what the action does"
                );
            }
            asked_about.fetch_add(questions.len(), Ordering::Relaxed);
            silent.fetch_add(would.len() - questions.len(), Ordering::Relaxed);
        }
    });
    let counts = [asked_about, silent].map(AtomicUsize::into_inner);
    assert!(
        counts.iter().all(|&count| count > 10),
        "{counts:?} asked and not asked: the law says nothing"
    );
}

/// A robot picks up what it can carry; a pick takes some battery.
fn picks() -> (surefoot_base::model::Domain, Objects, Learner, surefoot_learn::Trace) {
    let domain = domain(
        "(define (domain d) (:requirements :typing :numeric-fluents) (:types robot) (:predicates \
         (ready ?r - robot))
         (:functions (battery ?r - robot) (load ?r - robot)) (:action pick :parameters (?r - \
         robot)))",
    );
    let objects = objects(&domain, "r1 r2 - robot");
    // Each step is a record of its own, so that nothing but the state before matters.
    let record = |battery: i64, load: i64| {
        format!(
            "((:init (ready r1) (= (battery r1) {battery}) (= (load r1) {load}))\n(operator: (pick \
             r1))\n\
             (:state (ready r1) (= (battery r1) {}) (= (load r1) {})))",
            battery - 1,
            load + 1
        )
    };
    let seen =
        [(90, 0), (6, 1), (30, 2), (12, 0), (50, 1), (70, 2), (20, 1), (80, 1), (62, 0), (7, 2)];
    let texts: Vec<String> = seen.iter().map(|&(battery, load)| record(battery, load)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let learner = crate::learning::from_text(&domain, Class::default(), &objects, &texts);
    let trace =
        surefoot_learn::Trace::new(surefoot_base::pddl::Source::new("log", texts[1]), &objects);
    (domain, objects, learner, trace)
}

#[test]
fn an_empty_battery_is_told_as_such_and_nobody_is_asked_whether_less_never_hurts() {
    let (_, objects, learner, trace) = picks();
    let settings = Settings::default();
    let Conclusion::Learned(action) = learner.conclude(ACT, &settings) else { panic!() };
    let model = learned_domain(&learner, &[(ACT, &action)]);
    let traces = [trace];
    let recording: &dyn surefoot_learn::Recording = &&traces[..];
    let grounds =
        Grounds { learner: &learner, settings: &settings, action: ACT, recording: Some(recording) };
    let said = |robot: &str, battery: i64, load: i64, ready: bool| {
        let robot = objects.find(robot).unwrap();
        let step = GroundAction { symbol: ACT, arguments: [robot].into_iter().collect() };
        let (mut universe, mut state) = (Universe::default(), State::default());
        for (symbol, value) in [(0usize, battery), (1, load)] {
            let function = surefoot_base::model::GroundFunction {
                symbol: symbol.into(),
                arguments: step.arguments.clone(),
            };
            state.set_value(universe.value(&function), Rational::integer(value));
        }
        if ready {
            let atom = surefoot_base::model::GroundAtom {
                symbol: 0usize.into(),
                arguments: step.arguments.clone(),
            };
            state.insert(universe.atom(&atom));
        }
        let asked = Asked { step: &step, objects: &objects, universe: &universe, state: &state };
        let explanation = Explanation::new(&model, asked, Some(grounds)).unwrap();
        (explanation.lines(&model, asked, Some(grounds), "--all"), explanation.questions)
    };
    let (lines, questions) = said("r1", 3, 1, true);
    assert_eq!(
        lines[1],
        "battery of r1 is 3; every recorded value with which pick worked is 6 or more"
    );
    assert_eq!(lines[2], "nearest that worked: (pick r1) at log:2: battery of ?r 6 (here 3)");
    assert_eq!(questions, [], "{lines:#?}");
    // A full one may be asked about, and the load, which a pick makes more of, may not.
    let (lines, _) = said("r2", 100, 1, true);
    assert_eq!(
        lines[1],
        "battery of r2 is 100; every recorded value with which pick worked is 90 or less"
    );
    let question = "is it true that more battery of ?r never hurts pick?";
    assert!(lines.iter().any(|line| line.starts_with(question)), "{lines:#?}");
    let (lines, questions) = said("r1", 50, 9, true);
    assert_eq!(
        (&*lines[1], &questions[..]),
        ("load of r1 is 9; every recorded value with which pick worked is 2 or less", &[][..])
    );
    let (lines, _) = said("r1", 50, 1, false);
    assert_eq!(
        lines[1],
        "(ready r1) is false; such an atom was true before every recorded \
    success of pick"
    );
    // Each number was seen, but not both together.
    let (lines, _) = said("r1", 89, 2, true);
    assert!(
        lines[1].contains(
            " whenever pick worked and these numbers are recorded; here it is missed by "
        ),
        "{lines:#?}"
    );
}

#[test]
fn the_nearest_recorded_step_is_as_near_as_any_and_named_with_its_line() {
    let (_, objects, learner, trace) = picks();
    let traces = [trace];
    let robot = objects.find("r1").unwrap();
    let step = GroundAction { symbol: ACT, arguments: [robot].into_iter().collect() };
    let (mut universe, mut state) = (Universe::default(), State::default());
    for symbol in [0usize, 1] {
        let function = surefoot_base::model::GroundFunction {
            symbol: symbol.into(),
            arguments: step.arguments.clone(),
        };
        state.set_value(universe.value(&function), Rational::integer(5));
    }
    let asked = Asked { step: &step, objects: &objects, universe: &universe, state: &state };
    let (found, vectors) = nearest_recorded(&learner, asked, &&traces[..]).unwrap();
    let found = found.unwrap();
    assert_eq!(vectors, [[6, 1].map(Rational::integer).to_vec()]);
    let recorded = found.recorded.unwrap();
    assert_eq!(
        (&*recorded.step, &*recorded.place.file, recorded.place.position.line),
        ("(pick r1)", "log", 2)
    );
}

/// A pick with a battery of 4 failed: one of 3 is forbidden, and says where that was; a full
/// battery is still asked about.
#[test]
fn a_recorded_failure_makes_a_no_a_proof_with_its_place() {
    let (domain, objects, mut learner, _) = picks();
    let failed = "((:init (ready r1) (= (battery r1) 4) (= (load r1) 1))\n(failed: (pick r1))\n)";
    let failed = surefoot_base::pddl::Source::new("log", failed);
    learner.read(&failed, &objects).unwrap();
    let settings = Settings::default();
    let Conclusion::Learned(action) = learner.conclude(ACT, &settings) else { panic!() };
    let model = learned_domain(&learner, &[(ACT, &action)]);
    let traces = [surefoot_learn::Trace::new(failed, &objects)];
    let recording: &dyn surefoot_learn::Recording = &&traces[..];
    let grounds =
        Grounds { learner: &learner, settings: &settings, action: ACT, recording: Some(recording) };
    let said = |battery: i64| {
        let step = GroundAction {
            symbol: ACT,
            arguments: [objects.find("r1").unwrap()].into_iter().collect(),
        };
        let (mut universe, mut state) = (Universe::default(), State::default());
        for (symbol, value) in [(0usize, battery), (1, 1)] {
            let function = surefoot_base::model::GroundFunction {
                symbol: symbol.into(),
                arguments: step.arguments.clone(),
            };
            state.set_value(universe.value(&function), Rational::integer(value));
        }
        let atom = surefoot_base::model::GroundAtom {
            symbol: 0usize.into(),
            arguments: step.arguments.clone(),
        };
        state.insert(universe.atom(&atom));
        let asked = Asked { step: &step, objects: &objects, universe: &universe, state: &state };
        let explanation = Explanation::new(&model, asked, Some(grounds)).unwrap();
        let lines = explanation.lines(&model, asked, Some(grounds), "--all");
        assert!(lines.len() <= 5, "{lines:#?}");
        (lines, explanation)
    };
    let (lines, explanation) = said(3);
    assert_eq!(
        explanation.answer.as_ref().map(surefoot_learn::Answer::name),
        Some("forbidden"),
        "{lines:#?}"
    );
    assert!(lines[0].contains("; forbidden: ") && lines[1].contains("log:2"), "{lines:#?}");
    assert_eq!(explanation.questions, []);
    let (lines, explanation) = said(100);
    assert_eq!(
        explanation.answer.as_ref().map(surefoot_learn::Answer::name),
        Some("unknown"),
        "{lines:#?}"
    );
    assert!(
        lines.iter().any(|line| line.contains("more battery of ?r never hurts pick?")),
        "{lines:#?}"
    );
    assert!(
        lines.iter().any(|line| line.ends_with("no recorded failure refutes it.")),
        "{lines:#?}"
    );
    // What the failure refutes is known to be refuted, whoever asks.
    let battery = domain.signature.functions.find("battery").unwrap();
    let marked = |mark| Admission::Monotone(ColumnId::from_index(battery), mark);
    assert!(contradicted(&marked(Monotone::Less), &learner, &settings, ACT));
    assert!(!contradicted(&marked(Monotone::More), &learner, &settings, ACT));
}
