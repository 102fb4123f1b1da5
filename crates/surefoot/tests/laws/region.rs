//! A region is the conjunction of its comparisons: in the semantics, compiled, written, and
//! gathered back from what is written.

use std::cell::Cell;
use std::sync::Arc;

use crate::generate::{step_text, task};
use crate::support::{self, plan, problem};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use surefoot_base::exact::{Constraint, Polyhedron, Rational, Row};
use surefoot_base::model::compiled::{Checker, Compiled};
use surefoot_base::model::semantics::{Fault, Semantics, ViolationCause};
use surefoot_base::model::{
    ActionId, Condition, Domain, GroundAction, LiftedFunction, Region, State, Universe,
};
use surefoot_base::pddl::{Source, read_domain, write_domain};

/// The domain with the linear comparisons of each precondition in a region, and how many there are
/// in all.
fn gathered(domain: &Domain) -> (Domain, usize) {
    let (mut changed, mut count) = (domain.clone(), 0);
    for id in domain.action_ids() {
        let parts = domain.action(id).precondition.conjuncts();
        let Some(gathered) = Region::gather(parts, 1) else { continue };
        count += gathered.region.len();
        let others =
            parts.iter().enumerate().filter(|(index, _)| !gathered.members.contains(*index));
        let mut parts: Vec<Condition> = others.map(|(_, part)| part.clone()).collect();
        parts.push(Condition::Within(gathered.region));
        changed.actions.value_mut(id.index()).precondition = Condition::And(parts);
    }
    (changed, count)
}

/// Which fault it is depends on the order of writing.
fn kleene(truth: Result<bool, Fault>) -> Option<bool> {
    truth.ok()
}

/// With undefined functions, division, products, strict comparisons and terms that cancel. Exactly:
/// a tolerance is of a comparison as it is written, and what is gathered is divided by common
/// factors.
#[test]
fn gathered_comparisons_mean_what_they_meant() {
    let (regions, open, held) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let law = |task: crate::naive::Task| {
        let domain = support::domain(&task.domain_text());
        let problem = problem(&domain, &task.problem_text());
        let (changed, count) = gathered(&domain);
        regions.set(regions.get() + count);
        let read = read_domain(&Source::new("written", write_domain(&changed))).unwrap();
        let semantics = Semantics::new(&domain, &problem.objects);
        let compiled = Compiled::new(&changed);
        let mut checker = Checker::new(&compiled, &problem.objects);
        let mut universe = Universe::default();
        let mut states: Vec<State> = vec![problem.initial_state(&mut universe)];
        for act in 0..task.actions.len() {
            for objects in task.bindings(&task.actions[act].parameters).into_iter().take(6) {
                let step: GroundAction = plan(&domain, &problem, &step_text(&task, act, &objects))
                    .steps
                    .remove(0)
                    .action;
                let states_so_far: Vec<State> = states.iter().take(3).cloned().collect();
                for state in &states_so_far {
                    let truth = |domain: &Domain, not: bool| {
                        let condition = domain.action(step.symbol).precondition.clone();
                        let condition =
                            if not { Condition::Not(Box::new(condition)) } else { condition };
                        kleene(semantics.holds_with(&condition, &step.arguments, &universe, state))
                    };
                    for not in [false, true] {
                        let expected = truth(&domain, not);
                        prop_assert_eq!(
                            truth(&changed, not),
                            expected,
                            "{}",
                            write_domain(&domain)
                        );
                        prop_assert_eq!(truth(&read, not), expected, "{}", write_domain(&changed));
                        open.set(open.get() + usize::from(expected.is_none()));
                        held.set(held.get() + usize::from(expected == Some(true)));
                    }
                    let refused = Semantics::new(&changed, &problem.objects)
                        .applicable(&step, &universe, state);
                    let expected = semantics.changes(&step, &universe, state);
                    prop_assert_eq!(refused.is_ok(), expected.is_ok());
                    let id = checker.step(&step, &mut universe);
                    prop_assert_eq!(checker.applicable(id, &universe, state), expected.is_ok());
                    if let Ok(changes) = expected {
                        let mut next = state.clone();
                        changes.apply(&mut universe, &mut next);
                        states.push(next);
                    }
                }
            }
        }
        Ok(())
    };
    TestRunner::new(Config::with_cases(800)).run(&task(), law).unwrap();
    let counts = (regions.get(), open.get(), held.get());
    assert!(counts.0 > 50 && counts.1 > 100 && counts.2 > 1000, "{counts:?}");
}

const DOMAIN: &str = "(define (domain d) (:predicates (p)) (:functions (x) (y) (z)) (:action act \
                      :parameters () :effect (p)))";

fn function(index: usize) -> LiftedFunction {
    LiftedFunction { symbol: index.into(), terms: Vec::new() }
}

/// A region over x, y·z and z with these rows `(constant, factors)`, the first ones equations.
fn region(rows: &[[i64; 4]], equations: usize) -> Region {
    let row = |row: &[i64; 4]| Constraint::homogeneous(Row::direction(&row.map(Rational::integer)));
    let (equations, inequalities) = rows.split_at(equations.min(rows.len()));
    let columns = vec![vec![function(0)], vec![function(1), function(2)], vec![function(2)]];
    let set = Polyhedron::bounded(
        3,
        equations.iter().map(row).collect(),
        inequalities.iter().map(row).collect(),
    );
    Region { columns, set: Arc::new(set) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Also where a function has no value: a facet that does not read it may still be false. And
    /// what is said of a refused state names the same comparisons with the same values.
    #[test]
    fn a_region_is_the_conjunction_of_its_comparisons(
        rows in prop::collection::vec(prop::array::uniform4(-3i64..4), 0..7),
        equations in 0usize..2,
        values in prop::array::uniform3(prop::option::weighted(0.8, (-4i64..5, 1i64..4))),
        tolerance in prop_oneof![2 => Just(0i64), 1 => Just(1i64)],
    ) {
        let domain = support::domain(DOMAIN);
        let region = region(&rows, equations);
        let problem = problem(&domain, "(define (problem q) (:domain d) (:init) (:goal (and)))");
        let mut universe = Universe::default();
        let mut state = problem.initial_state(&mut universe);
        for (index, value) in values.iter().enumerate() {
            if let Some((num, den)) = value {
                state.set_value(
                    universe.value(&function(index).ground(&[])),
                    Rational::new(*num, *den).unwrap(),
                );
            }
        }
        let semantics =
            Semantics::new(&domain, &problem.objects).with_tolerance(&Rational::integer(tolerance));
        let one = Condition::Within(region.clone());
        let many = Condition::And(region.comparisons().collect());
        prop_assert_eq!(
            kleene(semantics.holds(&one, &universe, &state)),
            kleene(semantics.holds(&many, &universe, &state))
        );
        let named = |condition: &Condition| {
            let violations = semantics.violations(condition, &universe, &state).into_iter();
            violations
                .map(|violation| (violation.condition, violation.cause))
                .collect::<Vec<(Condition, ViolationCause)>>()
        };
        prop_assert_eq!(named(&one), named(&many));
        // Written and read back, each comparison is again the constraint it was.
        let mut written = domain.clone();
        written.actions.value_mut(0).precondition = Condition::And(vec![one]);
        let read = read_domain(&Source::new("written", write_domain(&written))).unwrap();
        prop_assert_eq!(write_domain(&read), write_domain(&written));
        for part in read.action(ActionId::from(0)).precondition.conjuncts() {
            let constant = !format!("{part:?}").contains("Function");
            prop_assert!(
                constant || Region::constraint(part, &region.columns).is_some(),
                "{:?}",
                part
            );
        }
    }
}

/// What a conjunction says before is not written again, and what it says twice itself stays.
#[test]
fn a_region_is_written_in_its_place_without_what_stands_there_already() {
    let mut domain = support::domain(DOMAIN);
    let region = region(&[[0, 1, 0, 0], [-5, 1, 0, 0], [1, 0, 1, -2]], 1);
    let first = region.comparisons().next().unwrap();
    let parts = vec![first.clone(), first, Condition::Within(region)];
    domain.actions.value_mut(0).precondition = Condition::And(parts);
    let text = write_domain(&domain);
    assert!(
        text.contains(
            "(and\n      (= (x) 0)\n      (= (x) 0)\n      (<= (x) 5)\n      (<= (+ (* \
                       (y) (z)) 1) (* 2 (z))))"
        ),
        "{text}"
    );
    assert_eq!(domain.action(ActionId::from(0)).precondition.expanded().conjuncts().len(), 4);
}
