//! The compiled form of a domain means what its semantics mean.

use crate::chance::Chance;
use crate::generate::{step_text, task};
use crate::learning::{Shape, World, for_seeds};
use crate::support::{plan, problem};
use proptest::prelude::*;
use surefoot::exact::Rational;
use surefoot::learn::{Class, Settings};
use surefoot::model::compiled::{Checker, Compiled};
use surefoot::model::semantics::{Inapplicable, Semantics};
use surefoot::model::{GroundAction, State, Universe};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Quantifiers, disjunctions, undefined values, division by zero, conflicting effects, arguments of wrong types: all of PDDL.
    #[test]
    fn compiled_steps_agree_with_the_semantics(task in task()) {
        let domain = crate::support::domain(&task.domain_text());
        let problem = problem(&domain, &task.problem_text());
        let semantics = Semantics::new(&domain, &problem.objects);
        let compiled = Compiled::new(&domain);
        let mut checker = Checker::new(&compiled, &problem.objects);
        let mut universe = Universe::default();
        let mut states = vec![problem.initial_state(&mut universe)];
        let mut steps: Vec<GroundAction> = Vec::new();
        for act in 0..task.actions.len() {
            for objects in task.bindings(&task.actions[act].parameters).into_iter().take(20) {
                steps.push(plan(&domain, &problem, &step_text(&task, act, &objects)).steps.remove(0).action);
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

fn perturbed(random: &mut Chance, universe: &Universe, state: &State) -> State {
    let mut state = state.clone();
    for index in 0..universe.value_count() {
        let id = surefoot::model::ValueId::from(index);
        if random.below(3) == 0 {
            let value = state.value(id).cloned().unwrap_or(Rational::ZERO);
            let nudge = [(1, 1), (-1, 1), (1, 1_000_000_007), (-1, 1 << 40), (1, 3)][random.below(5)];
            state.set_value(id, &value + &Rational::new(nudge.0, nudge.1).unwrap());
        }
    }
    state
}

/// Learned regions: on their boundary, a hair beside it, and far away.
#[test]
fn compiled_regions_agree_with_the_semantics() {
    for_seeds(80, |seed| {
        let mut random = Chance::new(seed);
        let shape = Shape { functions: 4, undefined: 5, ..Shape::default() };
        let world = World::random(&mut random, &shape);
        let steps = world.observe(&mut random, 30, |_| true);
        let learner = crate::learning::learner(&world.domain, Class::default(), &world.objects, &steps);
        let model = crate::learning::model(&learner, &Settings::default());
        if model.actions.is_empty() {
            return;
        }
        let semantics = Semantics::new(&model, &world.objects);
        let compiled = Compiled::new(&model);
        for step in &steps {
            let mut universe = step.universe.clone();
            let mut checker = Checker::new(&compiled, &world.objects);
            for _ in 0..6 {
                let state = perturbed(&mut random, &universe, &step.before);
                for state in [&step.before, &state] {
                    let id = checker.step(&step.action, &mut universe);
                    let expected = semantics.applicable(&step.action, &universe, state).is_ok();
                    assert_eq!(checker.applicable(id, &universe, state), expected);
                }
            }
        }
    });
}
