//! Laws of planning with variables whose values compare: *burdens*, of which less never hurts, and
//! *assets*, of which more never does.
//!
//! Most tasks here have both, and effects that make the ones of the others. In some something
//! spoils it, in every way that could be overlooked: then the planner must tell states apart that
//! differ in them alone.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use surefoot_base::exact::Rational;

use crate::generate::{Tape, tape};
use crate::naive::{Act, Cond, Eff, Expr, Task};
use crate::plan::{
    STATES, agrees, explore, function, liveliest, number, read, with_budget, with_tally,
};

/// A position, which is neither, two assets and a burden.
const NAMES: [&str; 4] = ["x", "m", "n", "e"];
/// The sign with which more of each helps.
const HELPS: [i64; 4] = [0, 1, 1, -1];

fn rarely(tape: &mut Tape) -> bool {
    tape.below(20) == 19
}

fn fraction(tape: &mut Tape) -> Rational {
    let (numerator, denominator) = tape.pick(&[(1, 1), (1, 1), (2, 1), (1, 2), (1, 3), (3, 1)]);
    Rational::new(numerator, denominator).unwrap()
}

fn signed(sign: i64, amount: &Rational) -> Rational {
    &Rational::integer(sign) * amount
}

fn term(factor: Rational, name: &str) -> Expr {
    Expr::Product(vec![Expr::Number(factor), function(name)])
}

/// A comparison that holds the more easily the better off one is; rarely another one.
fn demand(tape: &mut Tape, least: i64) -> Cond {
    let mut sum = vec![number(tape.below(4) as i64 - least)];
    for (name, helps) in NAMES.into_iter().zip(HELPS) {
        let sign = if helps == 0 || rarely(tape) { tape.pick(&[1, -1]) } else { helps };
        if tape.below(2) == 0 {
            sum.push(term(signed(sign, &fraction(tape)), name));
        }
    }
    if rarely(tape) {
        sum.push(Expr::Product(vec![function("x"), function("m")]));
    }
    let comparison = if rarely(tape) { "=" } else { tape.pick(&[">=", ">=", ">"]) };
    Cond::Compare(comparison, Box::new([Expr::Sum(sum), number(0)]))
}

/// What a variable changes by: a number, and shares of those that it profits from.
fn amount(tape: &mut Tape, target: usize) -> Expr {
    let mut sum = vec![Expr::Number(signed(tape.pick(&[1, -1, -1]), &fraction(tape)))];
    for (name, helps) in NAMES.into_iter().zip(HELPS) {
        let sign = HELPS[target] * helps;
        match tape.below(8) {
            0 if sign != 0 => sum.push(term(signed(sign, &fraction(tape)), name)),
            1 if tape.below(3) == 2 => {
                sum.push(term(signed(tape.pick(&[1, -1]), &fraction(tape)), name))
            }
            2 if name == NAMES[target] => sum.push(term(Rational::new(-1, 2).unwrap(), name)),
            _ => {}
        }
    }
    Expr::Sum(sum)
}

fn change(tape: &mut Tape, target: usize) -> Eff {
    let (operator, value) = match tape.below(8) {
        0 => ("assign", amount(tape, target)),
        1 => ("scale-up", Expr::Number(fraction(tape))),
        2 if rarely(tape) => ("scale-up", number(-1)),
        3 if rarely(tape) => ("scale-up", function("x")),
        4 if rarely(tape) => ("increase", Expr::Product(vec![function("m"), function("m")])),
        _ => ("increase", amount(tape, target)),
    };
    Eff::Numeric(operator, NAMES[target].into(), Vec::new(), value)
}

fn action(tape: &mut Tape, index: usize) -> Act {
    let many = if tape.below(4) == 3 { 9 } else { 1 };
    let mut conditions: Vec<Cond> = (0..many + tape.below(2)).map(|_| demand(tape, 1)).collect();
    let mut effects = Vec::new();
    for target in 0..NAMES.len() {
        if tape.below(2) == 0 {
            continue;
        }
        let effect = change(tape, target);
        effects.push(match tape.below(10) {
            9 if rarely(tape) => Eff::When(demand(tape, 1), Box::new(effect)),
            8 => Eff::When(Cond::Atom("p".into(), Vec::new()), Box::new(effect)),
            _ => effect,
        });
    }
    match tape.below(4) {
        2 => effects.push(Eff::Add("p".into(), Vec::new())),
        3 => conditions.push(Cond::Or(vec![Cond::Atom("p".into(), Vec::new()), demand(tape, 2)])),
        _ => {}
    }
    let (precondition, effect) = (Some(Cond::And(conditions)), Some(Eff::And(effects)));
    Act { name: format!("act{index}"), parameters: Vec::new(), precondition, effect }
}

fn stocks(tape: &mut Tape) -> Task {
    let mut task = Task::default();
    task.predicates.push(("p".into(), Vec::new()));
    for name in NAMES {
        task.functions.push((name.to_owned(), Vec::new()));
        // Rarely a variable has no value: then nothing compares with it.
        if !rarely(tape) {
            task.init.values.insert(format!("({name})"), Rational::integer(tape.below(4) as i64));
        }
    }
    task.actions = (0..2 + tape.below(2)).map(|index| action(tape, index)).collect();
    let goals = 1 + tape.below(2);
    let goal = |_| {
        let least = 3 + tape.below(6) as i64;
        demand(tape, least)
    };
    task.goal = Some(Cond::And((0..goals).map(goal).collect()));
    // Steps that are counted are an asset or a burden themselves.
    if tape.below(2) == 0 {
        with_budget(task, 6)
    } else {
        with_tally(task, ("count", 0), ("<", 6), "increase")
    }
}

fn stocked() -> impl Strategy<Value = Task> {
    proptest::collection::vec(tape(), 1..4)
        .prop_map(|mut tapes| liveliest(tapes.iter_mut().map(stocks).collect()))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3 * ProptestConfig::default().cases,
        ..ProptestConfig::default()
    })]

    #[test]
    fn solvability_agrees_with_breadth_first_search_where_values_compare(task in stocked()) {
        agrees(&task)?;
    }
}

/// The law is about something: most tasks are decided by the oracle, and not at once.
#[test]
fn the_tasks_with_stocks_are_worth_looking_at() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..200 {
        let task = stocked().new_tree(&mut runner).unwrap().current();
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
