//! The compiled form of a domain means what its semantics mean.

use crate::chance::Chance;
use crate::generate::{step_text, task};
use crate::learning::{Shape, World, for_seeds};
use crate::support::{plan, problem};
use proptest::prelude::*;
use surefoot_base::exact::Rational;
use surefoot_base::model::compiled::{Checker, Compiled};
use surefoot_base::model::semantics::{Inapplicable, Semantics};
use surefoot_base::model::{GroundAction, State, Universe, applicable_actions};
use surefoot_learn::{Class, Settings};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Quantifiers, disjunctions, undefined values, division by zero, conflicting effects,
    /// arguments of wrong types: all of PDDL.
    #[test]
    fn compiled_steps_agree_with_the_semantics(
        task in task(),
        tolerance in prop_oneof![2 => Just(0i64),
        1 => Just(1i64)],
    ) {
        let domain = crate::support::domain(&task.domain_text());
        let problem = problem(&domain, &task.problem_text());
        let tolerance = Rational::new(tolerance, 2).unwrap();
        let semantics = Semantics::new(&domain, &problem.objects).with_tolerance(&tolerance);
        let compiled = Compiled::with_tolerance(&domain, &tolerance);
        let mut checker = Checker::new(&compiled, &problem.objects);
        let mut universe = Universe::default();
        let mut states = vec![problem.initial_state(&mut universe)];
        let mut steps: Vec<GroundAction> = Vec::new();
        for act in 0..task.actions.len() {
            for objects in task.bindings(&task.actions[act].parameters).into_iter().take(20) {
                steps.push(
                    plan(&domain, &problem, &step_text(&task, act, &objects))
                        .steps
                        .remove(0)
                        .action,
                );
            }
        }
        // Arguments that do not fit.
        let swapped: Vec<GroundAction> = steps.iter().take(4).map(|step| {
            let mut step = step.clone();
            step.arguments.reverse();
            step.arguments.pop();
            step
        }).collect();
        steps.extend(swapped);
        for round in 0..3 {
            let Some(state) = states.get(round).cloned() else { break };
            for step in &steps {
                let expected = semantics.changes(step, &universe, &state);
                let id = checker.step(step, &mut universe);
                let held = checker.held(id, &universe, &state);
                prop_assert_eq!(held.all(), expected.is_ok(), "{:?}", step);
                prop_assert_eq!(checker.applicable(id, &universe, &state), expected.is_ok());
                if let Err(Inapplicable::Arguments(_)) = expected {
                    prop_assert!(!held.boolean);
                }
                if let Ok(changes) = expected {
                    prop_assert_eq!(&checker.changes(id, &universe, &state).unwrap(), &changes);
                    let mut next = state.clone();
                    changes.apply(&mut universe, &mut next);
                    states.push(next);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// What is found by joins is what asking about every ground action would find, in whatever
    /// state (also one of which much is unknown), by one checker for all states.
    #[test]
    fn the_applicable_actions_are_all_those_that_the_semantics_allow(task in task()) {
        let domain = crate::support::domain(&task.domain_text());
        let problem = problem(&domain, &task.problem_text());
        let semantics = Semantics::new(&domain, &problem.objects);
        let prepared = Compiled::new(&domain).prepared();
        let compiled = Compiled::again(&domain, &prepared);
        let mut universe = Universe::default();
        let mut states = vec![problem.initial_state(&mut universe)];
        let all: Vec<GroundAction> = (0..task.actions.len())
            .flat_map(|act| {
                let bindings = task.bindings(&task.actions[act].parameters);
                bindings.into_iter().map(move |objects| (act, objects))
            })
            .map(|(act, objects)| {
                let text = step_text(&task, act, &objects);
                plan(&domain, &problem, &text).steps.remove(0).action
            })
            .collect();
        let mut resolutions = Checker::new(&compiled, &problem.objects).into_resolutions();
        for round in 0..3 {
            let Some(state) = states.get(round).cloned() else { break };
            let mut expected: Vec<GroundAction> =
                all.iter()
                    .filter(|step| semantics.applicable(step, &universe, &state).is_ok())
                    .cloned()
                    .collect();
            expected.sort_unstable();
            expected.dedup();
            let mut checker = Checker::again(&compiled, &problem.objects, resolutions);
            let found = applicable_actions(&mut checker, &mut universe, &state, &mut || true);
            prop_assert_eq!(&found, &expected);
            let mut tried = 0;
            let some = applicable_actions(&mut checker, &mut universe, &state, &mut || {
                tried += 1;
                tried < 2
            });
            prop_assert!(some.len() <= 2 && some.iter().all(|step| found.contains(step)));
            resolutions = checker.into_resolutions();
            if round == 0 {
                let mut blurred = state.clone();
                (0..universe.atom_count())
                    .step_by(3)
                    .for_each(|index| blurred.set_atom_unknown(index.into()));
                (0..universe.value_count())
                    .step_by(2)
                    .for_each(|index| blurred.set_value_unknown(index.into()));
                states.push(blurred);
            }
            states.extend(
                expected
                    .iter()
                    .filter_map(|step| semantics.successor(step, &mut universe, &state).ok()),
            );
        }
    }
}

fn perturbed(random: &mut Chance, universe: &Universe, state: &State) -> State {
    let mut state = state.clone();
    for index in 0..universe.value_count() {
        let id = surefoot_base::model::ValueId::from(index);
        if random.below(3) == 0 {
            let value = state.value(id).cloned().unwrap_or(Rational::ZERO);
            let nudge =
                [(1, 1), (-1, 1), (1, 1_000_000_007), (-1, 1 << 40), (1, 3)][random.below(5)];
            state.set_value(id, &value + &Rational::new(nudge.0, nudge.1).unwrap());
        }
    }
    state
}

/// A linear condition over (x) and (y), with its tolerance: what must hold of `a x + b y` and `c`.
fn missed(a: i64, b: i64, c: i64, (x, y): (i64, i64)) -> i64 {
    a * x + b * y - c
}

/// With unit normals a tolerance is a distance: a condition counts if its plane is no farther away.
/// Without one, nothing changes.
#[test]
fn unit_normals_make_a_tolerance_a_distance() {
    let counts = std::cell::Cell::new((0, 0, 0));
    for_seeds(300, |seed| {
        let mut random = Chance::new(seed);
        let (a, b, c) = (random.between(-9, 9), random.between(-9, 9), random.between(-20, 20));
        let operator = *random.of(&["<=", "<", "=", ">=", ">"]);
        let domain = crate::support::domain(&format!(
            "(define (domain d) (:functions (x) (y)) (:action go :parameters ()
               :precondition ({operator} (+ (* {a} (x)) (* {b} (y))) {c})))"
        ));
        let unit = surefoot_analysis::evaluate::unit_normals(&domain);
        // In tenths: 0, 0.1, 0.7, 3.
        for tenths in [0, 1, 7, 30] {
            let tolerance = Rational::new(tenths, 10).unwrap();
            for _ in 0..10 {
                let point = (random.between(-4, 4), random.between(-4, 4));
                let gap = missed(a, b, c, point);
                let distance = (10 * gap).pow(2).cmp(&(tenths.pow(2) * (a * a + b * b).max(1)));
                let near = if operator.len() == 1 && operator != "=" {
                    distance.is_lt()
                } else {
                    distance.is_le()
                };
                let exactly = match operator {
                    "<=" => gap <= 0,
                    "<" => gap < 0,
                    "=" => gap == 0,
                    ">=" => gap >= 0,
                    _ => gap > 0,
                };
                let text = format!(
                    "(define (problem p) (:domain d) (:init (= (x) {}) (= (y) {})) (:goal (and)))",
                    point.0, point.1
                );
                let problem = problem(&domain, &text);
                let mut universe = Universe::default();
                let state = problem.initial_state(&mut universe);
                let step = plan(&domain, &problem, "(go)").steps.remove(0).action;
                let compiled = Compiled::with_tolerance(&unit, &tolerance);
                let mut checker = Checker::new(&compiled, &problem.objects);
                let id = checker.step(&step, &mut universe);
                let found = checker.applicable(id, &universe, &state);
                assert_eq!(
                    found,
                    exactly || (tenths > 0 && near),
                    "{a} x + {b} y {operator} {c} at {point:?} within {tenths}/10"
                );
                let (no, exact, loose) = counts.get();
                counts.set((
                    no + i32::from(!found),
                    exact + i32::from(exactly),
                    loose + i32::from(found && !exactly),
                ));
            }
        }
    });
    let (no, exact, loose) = counts.get();
    assert!(
        std::env::var("SUREFOOT_SEED").is_ok() || (no > 1000 && exact > 1000 && loose > 200),
        "{no} {exact} {loose}"
    );
}

/// Learned regions: on their boundary, a hair beside it, and far away; exactly and loosely, and
/// more is allowed the more may be missed.
#[test]
fn compiled_regions_agree_with_the_semantics() {
    for_seeds(16, |seed| {
        let mut random = Chance::new(seed);
        let shape = Shape { functions: 4, undefined: 5, ..Shape::default() };
        let world = World::random(&mut random, &shape);
        let steps = world.observe(&mut random, 30, |_| true);
        let learner =
            crate::learning::learner(&world.domain, Class::default(), &world.objects, &steps);
        let model = crate::learning::model(&learner, &Settings::default());
        if model.actions.is_empty() {
            return;
        }
        let unit = surefoot_analysis::evaluate::unit_normals(&model);
        let tolerances =
            [(0, 1), (1, 10), (1, 1)].map(|(num, den)| Rational::new(num, den).unwrap());
        for domain in [&model, &unit] {
            let semantics = tolerances
                .each_ref()
                .map(|t| Semantics::new(domain, &world.objects).with_tolerance(t));
            let compiled =
                tolerances.each_ref().map(|tolerance| Compiled::with_tolerance(domain, tolerance));
            let exact = Semantics::new(&model, &world.objects);
            for step in &steps {
                let mut universe = step.universe.clone();
                let mut checkers =
                    compiled.each_ref().map(|compiled| Checker::new(compiled, &world.objects));
                for _ in 0..3 {
                    let state = perturbed(&mut random, &universe, &step.before);
                    for state in [&step.before, &state] {
                        let mut before = exact.applicable(&step.action, &universe, state).is_ok();
                        for (place, checker) in checkers.iter_mut().enumerate() {
                            let id = checker.step(&step.action, &mut universe);
                            let found = checker.applicable(id, &universe, state);
                            assert_eq!(
                                found,
                                semantics[place].applicable(&step.action, &universe, state).is_ok()
                            );
                            assert!(found == before || place > 0 && found, "{}", tolerances[place]);
                            before = found;
                        }
                    }
                }
            }
        }
    });
}
