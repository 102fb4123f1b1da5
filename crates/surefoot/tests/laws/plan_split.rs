//! The law of planning with actions that behave in several ways: a disjunction of parts in the
//! precondition, and an effect for each. The planner takes them apart, which must change neither
//! what can be done nor what comes of it: also where parts overlap, where conditions of effects are
//! not those of a part, and where what they read has no value.

use proptest::prelude::*;

use crate::generate::{Tape, tape};
use crate::naive::{Act, Cond, Eff, Task};
use crate::plan::{agrees, function, liveliest, number, with_budget};

const NAMES: [&str; 3] = ["x", "y", "z"];

fn atom() -> Cond {
    Cond::Atom("p".into(), Vec::new())
}

/// A test: on the fact, or on a number.
fn test(tape: &mut Tape) -> Cond {
    match tape.below(5) {
        0 => atom(),
        1 => Cond::Not(Box::new(atom())),
        _ => {
            let comparison = tape.pick(&["<", "<=", ">=", ">", "="]);
            let (name, bound) = (tape.pick(&NAMES), tape.below(4) as i64);
            Cond::Compare(comparison, Box::new([function(name), number(bound)]))
        }
    }
}

/// The opposite of a test.
fn opposite(test: &Cond) -> Cond {
    match test {
        Cond::Not(inner) => (**inner).clone(),
        Cond::Compare("<", sides) => Cond::Compare(">=", sides.clone()),
        Cond::Compare("<=", sides) => Cond::Compare(">", sides.clone()),
        Cond::Compare(">", sides) => Cond::Compare("<=", sides.clone()),
        Cond::Compare(_, sides) => Cond::Compare("<", sides.clone()),
        other => Cond::Not(Box::new(other.clone())),
    }
}

fn change(tape: &mut Tape) -> Eff {
    match tape.below(6) {
        0 => Eff::Add("p".into(), Vec::new()),
        1 => Eff::Delete("p".into(), Vec::new()),
        2 => Eff::Numeric("assign", tape.pick(&NAMES).into(), Vec::new(), number(3)),
        _ => {
            let operator = tape.pick(&["increase", "increase", "decrease"]);
            let amount = number(1 + tape.below(2) as i64);
            Eff::Numeric(operator, tape.pick(&NAMES).into(), Vec::new(), amount)
        }
    }
}

fn action(tape: &mut Tape, index: usize) -> Act {
    let cut = test(tape);
    let mut parts = vec![vec![cut.clone()], vec![opposite(&cut)]];
    // More parts, and parts that overlap.
    if tape.below(3) == 0 {
        parts.push(vec![test(tape), test(tape)]);
    }
    let mut effects = Vec::new();
    for tests in &parts {
        // Mostly an effect has the tests of its part, sometimes more or others.
        let mut when = tests.clone();
        match tape.below(6) {
            0 => when.push(test(tape)),
            1 => when = vec![test(tape)],
            _ => {}
        }
        effects.push(Eff::When(Cond::And(when), Box::new(change(tape))));
    }
    if tape.below(3) == 0 {
        effects.push(change(tape));
    }
    let disjuncts = parts.into_iter().map(|mut tests| {
        if tape.below(2) == 0 {
            tests.push(test(tape));
        }
        Cond::And(tests)
    });
    let disjunction = Cond::Or(disjuncts.collect());
    let precondition = match tape.below(3) {
        0 => Cond::And(vec![test(tape), disjunction]),
        _ => disjunction,
    };
    let (precondition, effect) = (Some(precondition), Some(Eff::And(effects)));
    Act { name: format!("act{index}"), parameters: Vec::new(), precondition, effect }
}

fn moody(tape: &mut Tape) -> Task {
    let mut task = Task::default();
    task.predicates.push(("p".into(), Vec::new()));
    for name in NAMES {
        task.functions.push((name.to_owned(), Vec::new()));
        // Sometimes a number has no value: then no test on it holds, nor does its opposite.
        if tape.below(5) > 0 {
            let value = surefoot_base::exact::Rational::integer(tape.below(4) as i64);
            task.init.values.insert(format!("({name})"), value);
        }
    }
    task.actions = (0..1 + tape.below(3)).map(|index| action(tape, index)).collect();
    let goals = 1 + tape.below(3);
    task.goal = Some(Cond::And((0..goals).map(|_| test(tape)).collect()));
    with_budget(task, 6)
}

fn moods() -> impl Strategy<Value = Task> {
    proptest::collection::vec(tape(), 1..4)
        .prop_map(|mut tapes| liveliest(tapes.iter_mut().map(moody).collect()))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4 * ProptestConfig::default().cases,
        ..ProptestConfig::default()
    })]

    #[test]
    fn solvability_agrees_with_breadth_first_search_where_actions_are_taken_apart(task in moods()) {
        agrees(&task)?;
    }
}
