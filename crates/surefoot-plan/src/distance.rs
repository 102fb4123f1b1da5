//! The goal distance of a state: how much of the goal it misses, whatever the actions can do about
//! it.
//!
//! A fact that must change counts one, a comparison the amount by which it fails. So a step towards
//! a goal of a thousand units counts, where the number of unmet goals and a relaxed plan see no
//! difference between neighbours.

use super::ids::{ConditionId, StateWord, VariableId};
use super::numeric::{PreparedCondition, SignTest};
use super::task::{Formula, GroundConjunction, Interpreter, is_true};

/// What a condition counts that fails by an amount which is not known, or not finite.
const UNKNOWN: f64 = 1e6;

/// What a strict comparison counts beyond its amount: it fails at zero, too.
const STRICT: f64 = 1e-3;

/// How far a state is from the goal.
pub struct GoalDistance {
    /// What is missing of all parts of the goal together; never negative.
    pub distance: f64,
    /// How many parts of the goal fail.
    pub unmet: u32,
}

impl GoalDistance {
    /// The distance of a state.
    pub fn of(interpreter: &mut Interpreter, state: &[StateWord]) -> Self {
        let task = interpreter.task;
        let Some(GroundConjunction { facts, absent, numeric, clauses }) = &task.goal else {
            return GoalDistance { distance: UNKNOWN, unmet: 1 };
        };
        let mut found = GoalDistance { distance: 0.0, unmet: 0 };
        facts.iter().for_each(|&fact| found.add(fact_distance(is_true(state, fact), true)));
        absent.iter().for_each(|&fact| found.add(fact_distance(is_true(state, fact), false)));
        numeric.iter().for_each(|&condition| found.add(missing(condition, interpreter, state)));
        clauses.iter().for_each(|clause| found.add(clause_distance(clause, interpreter, state)));
        found
    }

    fn add(&mut self, missing: f64) {
        self.distance += missing;
        self.unmet += u32::from(missing > 0.0);
    }
}

fn fact_distance(truth: bool, wanted: bool) -> f64 {
    if truth == wanted { 0.0 } else { 1.0 }
}

/// By how much a condition fails; zero where it holds.
fn missing(condition: ConditionId, interpreter: &mut Interpreter, state: &[StateWord]) -> f64 {
    if interpreter.numeric(condition, state) {
        return 0.0;
    }
    let task = interpreter.task;
    let (numbers, values) = (&interpreter.numbers, task.values(state));
    let float = |variable: VariableId| numbers.float(values.number(variable));
    let (value, test) = match &task.prepared[condition] {
        PreparedCondition::Linear { variables, floats, test, .. } => {
            let terms =
                variables.iter().zip(floats).map(|(&variable, factor)| factor * float(variable));
            (terms.sum::<f64>() + floats[variables.len()], *test)
        }
        PreparedCondition::General(expression, test) => (expression.float(&float), *test),
        PreparedCondition::Region { .. } => return 1.0,
    };
    if !value.is_finite() {
        return UNKNOWN;
    }
    // A comparison that fails by less than floats can show still fails.
    match test {
        SignTest::Positive => value.abs() + STRICT,
        SignTest::NonNegative | SignTest::Zero => value.abs().max(f64::MIN_POSITIVE),
    }
}

fn clause_distance(formula: &Formula, interpreter: &mut Interpreter, state: &[StateWord]) -> f64 {
    match formula {
        Formula::Fact(fact, truth) => fact_distance(is_true(state, *fact), *truth),
        Formula::Numeric(condition) => missing(*condition, interpreter, state),
        Formula::And(parts) => {
            parts.iter().map(|part| clause_distance(part, interpreter, state)).sum()
        }
        Formula::Or(parts) => parts
            .iter()
            .map(|part| clause_distance(part, interpreter, state))
            .fold(f64::INFINITY, f64::min)
            .min(UNKNOWN),
    }
}
