//! Laws of planning with variables of which less never hurts, such as errors that grow on the way.
//!
//! Most tasks here have some; in the others something spoils it, in every way that could be
//! overlooked: then the planner must tell states apart that differ in them alone.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use surefoot_base::exact::Rational;
use surefoot_base::pddl::Writer;
use surefoot_base::validate::{PlanVerdict, validate};
use surefoot_plan::{SearchOptions, SearchOutcome};

use crate::generate::{Tape, tape};
use crate::naive::{Act, Cond, Eff, Expr, Task};
use crate::plan::{
    REPORTS, STATES, agrees, explore, function, liveliest, number, outcome, read, with_budget,
    with_tally,
};

const ESTIMATES: [&str; 2] = ["a", "b"];
const ERRORS: [&str; 2] = ["e", "f"];

fn fraction(tape: &mut Tape, from: &[(i64, i64)]) -> Rational {
    let (numerator, denominator) = tape.pick(from);
    Rational::new(numerator, denominator).unwrap()
}

fn term(factor: Rational, name: &str) -> Expr {
    Expr::Product(vec![Expr::Number(factor), function(name)])
}

/// Whether something out of the ordinary happens here.
fn rarely(tape: &mut Tape) -> bool {
    tape.below(24) == 23
}

/// `estimates + errors <= bound`, as margins are written; rarely some other condition on errors.
fn margin(tape: &mut Tape, loose: i64) -> Cond {
    let mut sum = Vec::new();
    for name in ESTIMATES {
        sum.push(term(fraction(tape, &[(1, 1), (-1, 1), (0, 1), (1, 2), (-1, 2)]), name));
    }
    for name in ERRORS {
        let factor = fraction(tape, &[(1, 1), (0, 1), (1, 2), (1, 1)]);
        sum.push(term(if rarely(tape) { -&factor } else { factor }, name));
    }
    if rarely(tape) {
        sum.push(Expr::Product(vec![function("a"), function("e")]));
    }
    let comparison = if rarely(tape) { "=" } else { tape.pick(&["<=", "<=", "<"]) };
    Cond::Compare(comparison, Box::new([Expr::Sum(sum), number(loose + tape.below(4) as i64)]))
}

/// What a step adds to an error: a number and shares of errors, of its own perhaps a negative one.
fn growth(tape: &mut Tape, target: &str) -> Expr {
    let mut sum = vec![Expr::Number(fraction(tape, &[(0, 1), (1, 4), (1, 2), (1, 1)]))];
    for name in ERRORS {
        let factor = match (name == target, rarely(tape)) {
            (_, true) => fraction(tape, &[(-3, 2), (-1, 4)]),
            (true, false) => fraction(tape, &[(0, 1), (0, 1), (-1, 2), (-1, 1), (1, 2)]),
            (false, false) => fraction(tape, &[(0, 1), (0, 1), (1, 2), (1, 1)]),
        };
        sum.push(term(factor, name));
    }
    Expr::Sum(sum)
}

fn numeric(operator: &'static str, target: &str, value: Expr) -> Eff {
    Eff::Numeric(operator, target.into(), Vec::new(), value)
}

fn action(tape: &mut Tape, index: usize) -> Act {
    let many = if tape.below(3) == 2 { 9 } else { 1 };
    let mut conditions: Vec<Cond> = (0..many + tape.below(2)).map(|_| margin(tape, 2)).collect();
    let mut effects = Vec::new();
    for name in ESTIMATES {
        let step = Expr::Number(fraction(tape, &[(1, 1), (-1, 1), (1, 2), (2, 1)]));
        match tape.below(6) {
            0..=2 => effects.push(numeric("increase", name, step)),
            3 if rarely(tape) => {
                effects.push(numeric("assign", name, Expr::Sum(vec![step, function("e")])))
            }
            3 => effects.push(numeric(
                "assign",
                name,
                Expr::Sum(vec![step, term(Rational::new(1, 2).unwrap(), name)]),
            )),
            _ => {}
        }
    }
    for name in ERRORS {
        let effect = match tape.below(8) {
            0..=3 => numeric("increase", name, growth(tape, name)),
            4 => numeric("assign", name, Expr::Number(fraction(tape, &[(0, 1), (1, 4), (1, 1)]))),
            5 if rarely(tape) => numeric("scale-up", name, number(-1)),
            5 => numeric("scale-down", name, number(2)),
            _ => continue,
        };
        let condition = match tape.below(12) {
            11 if rarely(tape) => margin(tape, 0),
            11 => Cond::Atom("p".into(), Vec::new()),
            _ => {
                effects.push(effect);
                continue;
            }
        };
        effects.push(Eff::When(condition, Box::new(effect)));
    }
    match tape.below(4) {
        2 => effects.push(Eff::Add("p".into(), Vec::new())),
        3 => conditions.push(Cond::Or(vec![Cond::Atom("p".into(), Vec::new()), margin(tape, 1)])),
        _ => {}
    }
    let (precondition, effect) = (Some(Cond::And(conditions)), Some(Eff::And(effects)));
    Act { name: format!("act{index}"), parameters: Vec::new(), precondition, effect }
}

fn errors(tape: &mut Tape) -> Task {
    let mut task = Task::default();
    task.predicates.push(("p".into(), Vec::new()));
    for name in ESTIMATES.into_iter().chain(ERRORS) {
        task.functions.push((name.to_owned(), Vec::new()));
        let value = fraction(tape, &[(0, 1), (1, 2), (1, 1)]);
        match (rarely(tape), tape.below(2)) {
            (true, 0) => {}
            (true, _) => drop(task.init.values.insert(format!("({name})"), -&value)),
            (false, _) => drop(task.init.values.insert(format!("({name})"), value)),
        }
    }
    task.actions = (0..2 + tape.below(2)).map(|index| action(tape, index)).collect();
    // Steps that are counted up are a burden themselves.
    if tape.below(2) == 0 {
        with_budget(task, 6)
    } else {
        with_tally(task, ("count", 0), ("<", 6), "increase")
    }
}

/// Aims with margins at a state that can be reached, or a little beyond it.
fn aimed(mut task: Task, tape: &mut Tape) -> Task {
    let (domain, problem) = read(&task);
    let explored = explore(&task, &domain, &problem, 300, true);
    let count = explored.states.len();
    let state = &explored.states[count - 1 - tape.below(count).min(tape.below(count))];
    let writer = Writer::new(&domain, &problem.objects);
    let values: BTreeMap<String, Rational> = state
        .values()
        .map(|(id, value)| {
            (
                writer.ground_function(explored.universe.ground_function(id)).to_lowercase(),
                value.clone(),
            )
        })
        .collect();
    let value = |name: &str| values.get(&format!("({name})")).cloned();
    let mut goals = Vec::new();
    for (estimate, error) in ESTIMATES.into_iter().zip(ERRORS) {
        let Some((known, margin)) = value(estimate).zip(value(error)) else { continue };
        let beyond = fraction(tape, &[(0, 1), (0, 1), (0, 1), (1, 4)]);
        let goal = match tape.below(5) {
            0 => (
                "<=",
                Expr::Sum(vec![function(estimate), function(error)]),
                &(&known + &margin) - &beyond,
            ),
            1 | 2 => (
                ">=",
                Expr::Difference(Box::new([function(estimate), function(error)])),
                &(&known - &margin) + &beyond,
            ),
            3 => ("=", function(estimate), known),
            _ if rarely(tape) => ("=", function(error), margin),
            _ => ("<=", function(error), &margin - &beyond),
        };
        goals.push(Cond::Compare(goal.0, Box::new([goal.1, Expr::Number(goal.2)])));
    }
    task.goal = Some(Cond::And(goals));
    task
}

fn burdened() -> impl Strategy<Value = Task> {
    (proptest::collection::vec(tape(), 1..4), tape()).prop_map(|(mut tapes, mut tape)| {
        let task = liveliest(tapes.iter_mut().map(errors).collect());
        aimed(task, &mut tape)
    })
}

proptest! {
    #[test]
    fn solvability_agrees_with_breadth_first_search_where_less_never_hurts(task in burdened()) {
        agrees(&task)?;
    }

    #[test]
    fn a_better_plan_is_valid_and_no_longer(task in burdened()) {
        let (domain, problem) = read(&task);
        let explored = explore(&task, &domain, &problem, STATES, false);
        prop_assume!(explored.distance.is_some());
        let first = outcome(&domain, &problem, &SearchOptions::default(), REPORTS);
        let better = outcome(
            &domain,
            &problem,
            &SearchOptions::default().with(|options| options.minimize = true),
            REPORTS,
        );
        let (SearchOutcome::Solved(first), SearchOutcome::Solved(better)) = (&first, &better) else {
            let (domain, problem) = (task.domain_text(), task.problem_text());
            let what = format!("{first:?} {better:?}\n{domain}\n{problem}");
            return Err(TestCaseError::fail(what));
        };
        let valid = matches!(
            validate(&domain, &problem, better, &Rational::ZERO),
            PlanVerdict::Valid { .. }
        );
        prop_assert!(valid);
        prop_assert!(better.steps.len() <= first.steps.len());
    }
}

/// The law is about something: most tasks are decided by the oracle, and not at once.
#[test]
fn the_tasks_with_errors_are_worth_looking_at() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..200 {
        let task = burdened().new_tree(&mut runner).unwrap().current();
        let (domain, problem) = read(&task);
        let explored = explore(&task, &domain, &problem, STATES, false);
        let kind = match (explored.distance, explored.complete) {
            (Some(0), _) => "solved at once",
            (Some(1..=2), _) => "near",
            (Some(_), _) => "far",
            (None, true) => "unsolvable",
            (None, false) => "open",
        };
        *seen.entry(kind).or_default() += 1;
    }
    println!("{seen:?}");
    let count = |kind: &str| seen.get(kind).copied().unwrap_or(0);
    assert!(count("open") < 40, "{seen:?}");
    for kind in ["near", "far", "unsolvable"] {
        assert!(count(kind) > 8, "{seen:?}");
    }
}
