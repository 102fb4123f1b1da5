//! Shorter plans out of a plan: steps that it does not need are left out, in the exact semantics of
//! the task.
//!
//! First whatever leads back to a state that was met before. Then blocks of steps, from halves of
//! the plan down to single steps: a block is left out together with the later steps that cannot be
//! taken without it, if the goal holds in the end. The effort is bounded by a number of steps
//! taken, so that the same plan always becomes the same shorter plan.

use rustc_hash::FxHashMap;

use super::ids::{OperatorId, StateWord};
use super::task::{GroundTask, Interpreter};

/// How many steps may be taken to shorten a plan: some tenths of a second.
const STEPS: u64 = 400_000;

/// The most words of all states of a plan together.
const WORDS: usize = 1 << 26;

/// A plan that reaches the goal in no more steps; the same where it does not reach it.
pub fn shortened(task: &GroundTask, operators: Vec<OperatorId>) -> Vec<OperatorId> {
    if operators.len().saturating_mul(task.initial.len()) > WORDS {
        return operators;
    }
    let mut shortener = Shortener { interpreter: Interpreter::new(task), left: STEPS };
    let Some(mut run) = shortener.run(task.initial.clone(), &operators) else { return operators };
    if !operators.starts_with(&run.operators) {
        // A step could not be taken: this is no plan, and validation will say so.
        return operators;
    }
    run.cut_loops();
    let mut size = run.operators.len().div_ceil(2);
    while size > 0 {
        shortener.drop_blocks(&mut run, size);
        size /= 2;
    }
    run.operators
}

/// Steps that can be taken one after the other, with the state before each and the last one.
struct StepSequence {
    operators: Vec<OperatorId>,
    states: Vec<Vec<StateWord>>,
}

impl StepSequence {
    /// Leaves out what leads from a state back to it.
    fn cut_loops(&mut self) {
        let last: FxHashMap<&[StateWord], usize> =
            self.states.iter().enumerate().map(|(at, state)| (&state[..], at)).collect();
        let (mut operators, mut places) = (Vec::new(), Vec::new());
        let mut at = 0;
        loop {
            at = last.get(&self.states[at][..]).copied().unwrap_or(at);
            places.push(at);
            let Some(&operator) = self.operators.get(at) else { break };
            operators.push(operator);
            at += 1;
        }
        let states = places.into_iter().map(|place| self.states[place].clone()).collect();
        *self = StepSequence { operators, states };
    }
}

struct Shortener<'t> {
    interpreter: Interpreter<'t>,
    /// How many steps may still be taken.
    left: u64,
}

impl Shortener<'_> {
    /// Takes those of the steps that can be taken, up to the first state where the goal holds;
    /// `None` where it never does.
    fn run(&mut self, from: Vec<StateWord>, operators: &[OperatorId]) -> Option<StepSequence> {
        let task = self.interpreter.task;
        let mut run = StepSequence { operators: Vec::new(), states: vec![from] };
        let mut next = Vec::new();
        for &operator in operators {
            let state = run.states.last()?;
            if self.interpreter.is_goal(state) {
                return Some(run);
            }
            self.left = self.left.checked_sub(1)?;
            let is_taken = self.interpreter.holds(&task.operators[operator].precondition, state)
                && self.interpreter.apply(operator, state, &mut next);
            if is_taken {
                run.operators.push(operator);
                run.states.push(std::mem::take(&mut next));
            }
        }
        let is_goal = self.interpreter.is_goal(run.states.last()?);
        is_goal.then_some(run)
    }

    /// Leaves out blocks of this many steps, if the goal is reached without them.
    fn drop_blocks(&mut self, run: &mut StepSequence, size: usize) {
        let mut at = 0;
        while at < run.operators.len() && self.left > 0 {
            let end = (at + size).min(run.operators.len());
            match self.run(run.states[at].clone(), &run.operators[end..]) {
                Some(rest) => {
                    run.operators.truncate(at);
                    run.states.truncate(at);
                    run.operators.extend(rest.operators);
                    run.states.extend(rest.states);
                }
                None => at += size,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::{GroundingScope, ground};
    use surefoot_base::pddl::{Numbers, Source, read_domain, read_problem};

    const DOMAIN: &str =
        "(define (domain d) (:requirements :numeric-fluents) (:predicates (p)) (:functions (x) (y))
        (:action up :parameters () :precondition (<= (x) 8) :effect (increase (x) 1))
        (:action down :parameters () :precondition (>= (x) 1) :effect (decrease (x) 1))
        (:action other :parameters () :precondition (>= (x) 1) :effect (increase (y) 1)))";

    fn shorter(goal: &str, steps: &[&str]) -> Vec<String> {
        let domain = read_domain(&Source::new("domain", DOMAIN)).unwrap();
        let problem =
            format!("(define (problem p) (:domain d) (:init (= (x) 0) (= (y) 0)) (:goal {goal}))");
        let problem =
            read_problem(&Source::new("problem", problem), &domain, Numbers::Exact).unwrap();
        let task = ground(&domain, &problem, GroundingScope::GoalAndMetric, &mut |_| true).unwrap();
        let name = |operator: OperatorId| {
            domain.action_name(task.operators[operator].step.symbol).to_string()
        };
        let find =
            |step: &&str| task.operators.ids().find(|&operator| name(operator) == **step).unwrap();
        let operators = steps.iter().map(find).collect();
        shortened(&task, operators).into_iter().map(name).collect()
    }

    #[test]
    fn detours_and_needless_steps_are_left_out() {
        let goal = "(and (>= (x) 2) (>= (y) 1))";
        assert_eq!(
            shorter(goal, &["up", "down", "up", "other", "up", "other"]),
            ["up", "other", "up"]
        );
        assert_eq!(shorter(goal, &["up", "up", "up", "other", "up", "up"]), ["up", "up", "other"]);
    }

    #[test]
    fn what_is_no_plan_stays_as_it_is() {
        assert_eq!(shorter("(and (>= (x) 2) (>= (y) 1))", &["up", "other"]), ["up", "other"]);
        assert_eq!(
            shorter("(and (>= (x) 1) (>= (y) 1))", &["other", "up", "other"]),
            ["other", "up", "other"]
        );
    }
}
