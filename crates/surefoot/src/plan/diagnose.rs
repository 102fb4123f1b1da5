//! Why there is no plan: actions that can never be taken from the initial state, and what comes nearest to taking them.
//!
//! Under a learned model this tells when the model, not the world, is the reason.

use super::ground::{Scope, ground};
use super::heuristic::Heuristic;
use super::reach::reach;
use super::task::Interpreter;
use crate::model::semantics::{Inapplicable, Semantics, Violation};
use crate::model::{ActionId, Domain, Effect, GroundAction, Problem, Universe};

/// An action that no plan from the initial state can contain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The action.
    pub action: ActionId,
    /// The ground action that lacks least in the initial state, and what it lacks there.
    pub nearest: Option<(GroundAction, Vec<Violation>)>,
    /// Whether it could make an unmet part of the goal true at once.
    pub achieves_goal: bool,
}

/// How many ground actions are compared to find the nearest.
const COMPARED: usize = 20_000;

/// The actions that can never be taken, even if nothing ever became false and every numeric condition could be worked
/// towards on its own; those that achieve goals first. Empty: the initial state does not tell.
pub fn blocked(domain: &Domain, problem: &Problem) -> Vec<Blocked> {
    let mut budget = 1_000;
    let mut keep = |_| {
        budget -= 1;
        budget > 0
    };
    let Some(task) = ground(domain, problem, Scope::Everything, &mut keep) else { return Vec::new() };
    let mut possible = vec![false; domain.actions.len()];
    let mut interpreter = Interpreter::new(&task);
    let mut heuristic = Heuristic::new(&task);
    heuristic.explore(&mut interpreter, &task.initial);
    for operator in heuristic.reached_operators() {
        possible[task.operators[operator as usize].step.symbol.index()] = true;
    }
    let Some(reached) = reach(domain, problem, &mut |_| true) else { return Vec::new() };
    let semantics = Semantics::new(domain, &problem.objects);
    let mut universe = Universe::default();
    let state = problem.initial_state(&mut universe);
    let unmet = semantics.violations(&problem.goal, &universe, &state);
    let mut found = Vec::new();
    for action in domain.action_ids().filter(|action| !possible[action.index()]) {
        let mut nearest: Option<(GroundAction, Vec<Violation>)> = None;
        let lacking = |step: &GroundAction| match semantics.changes(step, &universe, &state) {
            Err(Inapplicable::Precondition(violations)) => violations,
            _ => Vec::new(),
        };
        let known = reached.steps.iter().filter(|step| step.symbol == action).take(COMPARED).cloned();
        for step in known.chain(instances(domain, problem, action)) {
            let violations = lacking(&step);
            let better = nearest.as_ref().is_none_or(|(_, known)| violations.len() < known.len());
            if better && !violations.is_empty() {
                nearest = Some((step, violations));
            }
        }
        let achieves_goal = unmet.iter().any(|violation| touches(&domain.action(action).effect, violation));
        found.push(Blocked { action, nearest, achieves_goal });
    }
    found.sort_by_key(|blocked| !blocked.achieves_goal);
    found
}

/// The first ground actions of an action by type alone.
fn instances(domain: &Domain, problem: &Problem, action: ActionId) -> Vec<GroundAction> {
    let parameters = &domain.action(action).parameters;
    let mut found = vec![GroundAction { symbol: action, arguments: Default::default() }];
    for parameter in parameters {
        let mut longer = Vec::new();
        for step in &found {
            for object in problem.objects.of(&domain.signature.types, &parameter.types) {
                if longer.len() >= COMPARED {
                    break;
                }
                let mut step = step.clone();
                step.arguments.push(object);
                longer.push(step);
            }
        }
        found = longer;
    }
    found
}

/// Whether an effect can make a violated goal condition true: it adds its predicate or changes one of its functions.
fn touches(effect: &Effect, violation: &Violation) -> bool {
    use crate::model::{Condition, Expression};
    fn mentions(expression: &Expression, function: crate::model::FunctionId) -> bool {
        match expression {
            Expression::Number(_) | Expression::TotalTime => false,
            Expression::Function(known) => known.symbol == function,
            Expression::Sum(parts) | Expression::Product(parts) => parts.iter().any(|part| mentions(part, function)),
            Expression::Difference(both) | Expression::Quotient(both) => both.iter().any(|part| mentions(part, function)),
            Expression::Negation(inner) => mentions(inner, function),
        }
    }
    match effect {
        Effect::And(parts) => parts.iter().any(|part| touches(part, violation)),
        Effect::When(_, inner) | Effect::ForAll(_, inner) => touches(inner, violation),
        Effect::Add(atom) => matches!(&violation.condition, Condition::Atom(wanted) if wanted.symbol == atom.symbol),
        Effect::Delete(_) => false,
        Effect::Numeric(numeric) => match &violation.condition {
            Condition::Compare(_, sides) => sides.iter().any(|side| mentions(side, numeric.target.symbol)),
            _ => false,
        },
    }
}
