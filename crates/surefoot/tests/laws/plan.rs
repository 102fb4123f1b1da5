//! What the planner promises, as laws. The oracle is breadth-first search over all ground actions
//! by `model::semantics`.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::generate::{Tape, step_text, tape};
use crate::naive::{Act, Cond, Eff, Expr, Task, applied};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{AtomId, Domain, GroundAction, Problem, State, Universe, ValueId};
use surefoot_base::pddl::Writer;
use surefoot_base::validate::{PlanVerdict, validate};
use surefoot_plan::{SearchOptions, SearchOutcome, plan};

/// Up to how many states the oracle looks at.
pub const STATES: usize = 2000;
/// How many progress reports a search may make before it is called off: far more than a decided
/// task ever takes.
pub const REPORTS: usize = 400;

type Key = (Vec<AtomId>, Vec<(ValueId, Rational)>);

fn key(state: &State) -> Key {
    (state.atoms().collect(), state.values().map(|(id, value)| (id, value.clone())).collect())
}

pub fn read(task: &Task) -> (Domain, Problem) {
    let domain = crate::support::domain(&task.domain_text());
    let problem = crate::support::problem(&domain, &task.problem_text());
    (domain, problem)
}

fn all_steps(task: &Task, domain: &Domain, problem: &Problem) -> Vec<GroundAction> {
    let mut steps = Vec::new();
    for (index, act) in task.actions.iter().enumerate() {
        for objects in task.bindings(&act.parameters) {
            steps.push(
                crate::support::plan(domain, problem, &step_text(task, index, &objects))
                    .steps
                    .remove(0)
                    .action,
            );
        }
    }
    steps
}

/// The most bits of a number that the oracle goes on with: repeated squaring doubles them with
/// every step.
const BITS: usize = 1 << 12;

/// What can be reached: the states in the order they were met, whether that is all of them, and how
/// far away the goal is.
pub struct Explored {
    pub universe: Universe,
    pub states: Vec<State>,
    pub complete: bool,
    pub distance: Option<usize>,
}

pub fn explore(
    task: &Task,
    domain: &Domain,
    problem: &Problem,
    most: usize,
    past_goal: bool,
) -> Explored {
    let semantics = Semantics::new(domain, &problem.objects);
    let steps = all_steps(task, domain, problem);
    let mut universe = Universe::default();
    let initial = problem.initial_state(&mut universe);
    let mut met = HashSet::from([key(&initial)]);
    let (mut states, mut depths, mut next) = (vec![initial], vec![0], 0);
    let (mut distance, mut huge) = (None, false);
    while next < states.len() {
        let state = states[next].clone();
        if distance.is_none() && semantics.holds(&problem.goal, &universe, &state) == Ok(true) {
            distance = Some(depths[next]);
            if !past_goal {
                return Explored { universe, states, complete: false, distance };
            }
        }
        for step in &steps {
            let Ok(after) = semantics.successor(step, &mut universe, &state) else { continue };
            if after.values().any(|(_, value)| value.bits() > BITS) {
                huge = true;
            } else if met.insert(key(&after)) {
                states.push(after);
                depths.push(depths[next] + 1);
            }
        }
        next += 1;
        if states.len() > most || huge {
            return Explored { universe, states, complete: false, distance };
        }
    }
    Explored { universe, states, complete: true, distance }
}

pub fn function(name: &str) -> Expr {
    Expr::Function(name.to_owned(), Vec::new())
}

pub fn number(value: i64) -> Expr {
    Expr::Number(Rational::integer(value))
}

/// Every step uses up one of a few: however large numbers become, there are few states.
pub fn with_budget(task: Task, steps: i64) -> Task {
    with_tally(task, ("budget", steps), (">=", 1), "decrease")
}

/// A number that starts somewhere, that every step compares with another, and that every step
/// changes by one.
pub fn with_tally(
    mut task: Task,
    (name, start): (&str, i64),
    (comparison, limit): (&'static str, i64),
    change: &'static str,
) -> Task {
    task.functions.push((name.into(), Vec::new()));
    task.init.values.insert(format!("({name})"), Rational::integer(start));
    for act in &mut task.actions {
        let left = Cond::Compare(comparison, Box::new([function(name), number(limit)]));
        act.precondition =
            Some(Cond::And(act.precondition.take().into_iter().chain([left]).collect()));
        let spent = Eff::Numeric(change, name.into(), Vec::new(), number(1));
        act.effect = Some(Eff::And(act.effect.take().into_iter().chain([spent]).collect()));
    }
    task
}

/// Aims at a state that can be reached, or just beside one: a random goal is mostly true at once or
/// never.
fn aimed(mut task: Task, tape: &mut Tape) -> Task {
    let (domain, problem) = read(&task);
    let explored = explore(&task, &domain, &problem, 200, true);
    let count = explored.states.len();
    // Mostly late ones.
    let (one, other) = (tape.below(count), tape.below(count));
    let state = &explored.states[count - 1 - one.min(other)];
    let writer = Writer::new(&domain, &problem.objects);
    let mut goals = Vec::new();
    for (name, parameters) in &task.predicates {
        for objects in task.bindings(parameters) {
            let text = applied(name, &objects).to_lowercase();
            let holds = state.atoms().any(|id| {
                writer.ground_atom(explored.universe.ground_atom(id)).to_lowercase() == text
            });
            let atom = Cond::Atom(name.clone(), objects);
            match tape.below(8) {
                1 | 2 => goals.push(if holds { atom } else { Cond::Not(Box::new(atom)) }),
                3 => goals.push(Cond::Or(vec![
                    if holds { Cond::Not(Box::new(atom.clone())) } else { atom.clone() },
                    atom,
                ])),
                _ => {}
            }
        }
    }
    for (id, value) in state.values() {
        let text = writer.ground_function(explored.universe.ground_function(id)).to_lowercase();
        let mut words = text.trim_matches(['(', ')']).split_whitespace().map(str::to_owned);
        let applied = Expr::Function(words.next().unwrap(), words.collect());
        let exact = Expr::Number(value.clone());
        let beside = Expr::Number(value + &Rational::new(1, 2).unwrap());
        let (comparison, bound) = match tape.below(10) {
            0..=2 => ("=", exact),
            3 => (">=", exact),
            4 => ("<=", exact),
            5 => (">", exact),
            6 => (">=", beside),
            7 => ("=", beside),
            _ => continue,
        };
        goals.push(Cond::Compare(comparison, Box::new([applied, bound])));
    }
    task.goal = Some(Cond::And(goals));
    task
}

/// The task in which most can happen: in most random tasks nothing can.
pub fn liveliest(tasks: Vec<Task>) -> Task {
    let count = |task: &Task| {
        let (domain, problem) = read(task);
        explore(task, &domain, &problem, 20, true).states.len()
    };
    tasks.into_iter().max_by_key(count).unwrap()
}

/// Tasks of every kind.
fn mixed() -> impl Strategy<Value = Task> {
    (crate::generate::task(), tape()).prop_map(|(mut task, mut tape)| {
        task.metric = None;
        let steps = 2 + tape.below(5) as i64;
        let task = with_budget(task, steps);
        if tape.below(4) < 3 { aimed(task, &mut tape) } else { task }
    })
}

const NAMES: [&str; 3] = ["a", "b", "c"];

fn amount(tape: &mut Tape) -> Rational {
    let whole = tape.below(5) as i64 - 2;
    Rational::new(whole, [1, 1, 1, 2, 3][tape.below(5)]).unwrap()
}

fn linear(tape: &mut Tape, count: usize) -> Expr {
    let mut parts = vec![Expr::Number(amount(tape))];
    for name in &NAMES[..count] {
        let factor = amount(tape);
        if !factor.is_zero() {
            let product = Expr::Product(vec![Expr::Number(factor), function(name)]);
            parts.push(if tape.below(12) == 11 {
                Expr::Product(vec![product, function(NAMES[tape.below(count)])])
            } else {
                product
            });
        }
    }
    Expr::Sum(parts)
}

/// Tasks about numbers: each variable stays between bounds, and actions have few conditions or as
/// many as a learned hull.
fn numbers(tape: &mut Tape) -> Task {
    let mut task = Task::default();
    let count = 1 + tape.below(3);
    task.predicates.push(("p".into(), Vec::new()));
    for name in &NAMES[..count] {
        task.functions.push((name.to_string(), Vec::new()));
        if tape.below(8) < 7 {
            task.init.values.insert(format!("({name})"), amount(tape));
        }
    }
    for index in 0..1 + tape.below(3) {
        let mut conditions = Vec::new();
        for name in &NAMES[..count] {
            if task.init.values.contains_key(&format!("({name})")) {
                conditions.push(Cond::Compare("<=", Box::new([number(-2), function(name)])));
                conditions.push(Cond::Compare(">=", Box::new([number(2), function(name)])));
            }
        }
        let many = if tape.below(2) == 0 { 0 } else { 9 };
        for _ in 0..many + tape.below(3) {
            // Mostly loose ones, so that something remains: `linear + slack >= 0`.
            let slack = Expr::Number(Rational::integer([0, 0, 4, 8, 8, 12, 20][tape.below(7)]));
            let comparison = tape.pick(&[">=", ">=", ">=", ">=", ">", ">"]);
            conditions.push(Cond::Compare(
                comparison,
                Box::new([Expr::Sum(vec![linear(tape, count), slack]), number(0)]),
            ));
        }
        if tape.below(6) == 5 {
            conditions.push(Cond::Compare("=", Box::new([linear(tape, count), number(0)])));
        }
        let mut effects = Vec::new();
        for _ in 0..1 + tape.below(3) {
            let target = NAMES[tape.below(count)].to_owned();
            let value =
                if tape.below(5) == 4 { linear(tape, count) } else { Expr::Number(amount(tape)) };
            let operator = tape.pick(&[
                "increase",
                "decrease",
                "increase",
                "decrease",
                "assign",
                "scale-up",
                "scale-down",
            ]);
            let change = Eff::Numeric(operator, target, Vec::new(), value);
            effects.push(match tape.below(6) {
                5 => Eff::When(
                    Cond::Compare(">", Box::new([linear(tape, count), number(0)])),
                    Box::new(change),
                ),
                _ => change,
            });
        }
        if tape.below(3) == 2 {
            effects.push(Eff::Add("p".into(), Vec::new()));
            conditions.push(Cond::Not(Box::new(Cond::Atom("p".into(), Vec::new()))));
        }
        let (precondition, effect) = (Some(Cond::And(conditions)), Some(Eff::And(effects)));
        task.actions.push(Act {
            name: format!("act{index}"),
            parameters: Vec::new(),
            precondition,
            effect,
        });
    }
    task
}

fn numeric() -> impl Strategy<Value = Task> {
    (proptest::collection::vec(tape(), 1..4), tape()).prop_map(|(mut tapes, mut tape)| {
        // A product of fractions in every step doubles their digits: few steps, then.
        let task = liveliest(tapes.iter_mut().map(|tape| with_budget(numbers(tape), 7)).collect());
        aimed(task, &mut tape)
    })
}

pub fn outcome(
    domain: &Domain,
    problem: &Problem,
    options: &SearchOptions,
    reports: usize,
) -> SearchOutcome {
    let told = AtomicUsize::new(0);
    plan(domain, problem, options, &|_| told.fetch_add(1, Ordering::Relaxed) < reports).outcome
}

pub fn agrees(task: &Task) -> Result<(), TestCaseError> {
    let (domain, problem) = read(task);
    let explored = explore(task, &domain, &problem, STATES, false);
    let decided = explored.complete || explored.distance.is_some();
    let outcome =
        outcome(&domain, &problem, &SearchOptions::default(), if decided { REPORTS } else { 8 });
    let texts = || format!("{}\n{}", task.domain_text(), task.problem_text());
    match (&outcome, explored.distance) {
        (SearchOutcome::Solved(plan), distance) => {
            let valid = matches!(
                validate(&domain, &problem, plan, &Rational::ZERO),
                PlanVerdict::Valid { .. }
            );
            prop_assert!(valid, "an invalid plan\n{}", texts());
            prop_assert!(
                !explored.complete,
                "solved, but breadth-first search has seen everything\n{}",
                texts()
            );
            prop_assert!(
                distance.is_none_or(|distance| distance <= plan.steps.len()),
                "shorter than the shortest\n{}",
                texts()
            );
        }
        (SearchOutcome::Unsolvable, distance) => {
            prop_assert!(
                distance.is_none(),
                "not unsolvable: {} steps do it\n{}",
                distance.unwrap(),
                texts()
            );
        }
        // The oracle stops at numbers smaller than those the planner stops at.
        (SearchOutcome::TimeLimit | SearchOutcome::MemoryLimit, distance) => {
            prop_assert!(!decided, "{:?}, not decided: {:?}\n{}", outcome, distance, texts());
        }
        (other, _) => prop_assert!(false, "{:?}\n{}", other, texts()),
    }
    Ok(())
}

proptest! {
    #[test]
    fn solvability_agrees_with_breadth_first_search(task in mixed()) {
        agrees(&task)?;
    }

    #[test]
    fn solvability_agrees_with_breadth_first_search_where_numbers_matter(task in numeric()) {
        agrees(&task)?;
    }

    #[test]
    fn the_plan_does_not_depend_on_threads_or_on_chance(
        task in prop_oneof![mixed(), numeric()],
        seed in 0u64..4,
    ) {
        let (domain, problem) = read(&task);
        let explored = explore(&task, &domain, &problem, STATES, false);
        prop_assume!(explored.complete || explored.distance.is_some());
        let one = SearchOptions::default().with(|options| {
            options.seed = seed;
            options.threads = 1;
        });
        let two = one.clone().with(|options| options.threads = 2);
        let first = outcome(&domain, &problem, &one, REPORTS);
        prop_assert_eq!(&first, &outcome(&domain, &problem, &one, REPORTS));
        prop_assert_eq!(&first, &outcome(&domain, &problem, &two, REPORTS));
        prop_assert_eq!(
            matches!(first, SearchOutcome::Solved(_)),
            explored.distance.is_some(),
            "seed {}",
            seed
        );
    }
}

/// The laws are about something: most tasks are decided by the oracle, and they are of every kind.
#[test]
fn the_tasks_are_worth_looking_at() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for index in 0..400 {
        let task = match index % 2 {
            0 => mixed().new_tree(&mut runner).unwrap().current(),
            _ => numeric().new_tree(&mut runner).unwrap().current(),
        };
        let (domain, problem) = read(&task);
        let explored = explore(&task, &domain, &problem, STATES, false);
        let kind = match (explored.distance, explored.complete) {
            (Some(0), _) => "solved at once",
            (Some(1..=2), _) => "near",
            (Some(_), _) => "far",
            (None, true) if explored.states.len() < 10 => "unsolvable, few states",
            (None, true) => "unsolvable, many states",
            (None, false) => "open",
        };
        *seen.entry(kind).or_default() += 1;
    }
    println!("{seen:?}");
    let count = |kind: &str| seen.get(kind).copied().unwrap_or(0);
    assert!(count("open") < 80, "{seen:?}");
    for kind in ["near", "far", "unsolvable, few states", "unsolvable, many states"] {
        assert!(count(kind) > 8, "{seen:?}");
    }
}
