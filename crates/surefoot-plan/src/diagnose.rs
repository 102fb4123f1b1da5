//! Why there is no plan: actions that can never be taken, and what comes nearest to taking them.
//!
//! With a learned model, this shows whether the model is the reason, not the world.

use super::ground::{GroundingScope, ground};
use super::heuristic::{Heuristic, RelaxedTask, WeighingScope};
use super::ids::{OperatorId, StateId, StateWord};
use super::space::{Arrival, StateSpace};
use super::task::{GroundConjunction, GroundTask, Interpreter, is_true};
use super::undefined::Definedness;
use surefoot_base::ids::{Id, IdVec, first_ids};
use surefoot_base::invariant::{BrokenInvariant, guarded};
use surefoot_base::model::semantics::{Inapplicable, Semantics, Violation};
use surefoot_base::model::{
    ActionId, Condition, Domain, Effect, Expression, FunctionId, GroundAction, GroundFunction,
    LiftedFunction, Problem, State, Universe,
};

/// An action that no plan can contain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The action that can never be taken.
    pub action: ActionId,
    /// Functions that it always reads and that have no value for any objects, at the start or ever:
    /// each is reason enough.
    pub undefined: Vec<LiftedFunction>,
    /// What comes nearest to taking it, where anything does.
    pub nearest: Option<NearestMiss>,
    /// Whether it could make an unmet part of the goal true.
    pub achieves_goal: bool,
}

/// A state and a ground action that lacks little there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NearestMiss {
    /// The steps that lead to the state.
    pub after: Vec<GroundAction>,
    /// The ground action that comes nearest.
    pub step: GroundAction,
    /// What it lacks there.
    pub reason: Inapplicable,
    /// Functions that it always reads and that never have a value.
    pub undefined: Vec<GroundFunction>,
}

/// How many states are looked at.
const STATES: usize = 5_000;
/// How many conditions are looked at to find what is nearest.
const LOOKS: usize = 20_000_000;

/// The actions that can be taken in no state that can be reached, those that achieve goals first.
/// An action is listed only when that is certain: by a look at all states, or by a relaxation in
/// which nothing ever becomes false.
///
/// # Errors
/// An invariant of this library does not hold.
pub fn blocked(domain: &Domain, problem: &Problem) -> Result<Vec<Blocked>, BrokenInvariant> {
    guarded(|| blocked_unguarded(domain, problem))
}

fn blocked_unguarded(domain: &Domain, problem: &Problem) -> Vec<Blocked> {
    let mut patience = 2_000;
    let mut keep = |_| {
        patience -= 1;
        patience > 0
    };
    let Some(task) = ground(domain, problem, GroundingScope::Everything, &mut keep) else {
        return Vec::new();
    };
    let mut interpreter = Interpreter::new(&task);
    let view = look_around(&task, &mut interpreter, domain);
    let mut possible = view.taken;
    if !view.complete {
        let mut heuristic = Heuristic::new(&task, &RelaxedTask::of(&task), WeighingScope::Helpers);
        heuristic.explore(&mut interpreter, &task.initial);
        for operator in heuristic.reached_operators() {
            possible[task.operators[operator].step.symbol] = true;
        }
    }
    let semantics = Semantics::new(domain, &problem.objects);
    let mut universe = Universe::default();
    let initial = problem.initial_state(&mut universe);
    let unmet = semantics.violations(&problem.goal, &universe, &initial);
    let definedness = Definedness::of(domain, problem);
    let mut found = Vec::new();
    for action in domain.action_ids().filter(|&action| !possible[action]) {
        let nearest = match view.nearest[action] {
            Some((_, state, operator)) => {
                let path = view.space.path(state);
                let after: Vec<GroundAction> =
                    path.iter().map(|&o| task.operators[o].step.clone()).collect();
                let step = task.operators[operator].step.clone();
                replayed(&semantics, &mut universe, &initial, &after)
                    .and_then(|state| semantics.applicable(&step, &universe, &state).err())
                    .map(|reason| (after, step, reason))
            }
            // No ground action survived grounding: something static is missing, or an atom that
            // nothing adds.
            None => instances(domain, problem, action)
                .into_iter()
                .filter_map(|step| {
                    Some((semantics.applicable(&step, &universe, &initial).err()?, step))
                })
                .min_by_key(|(reason, _)| distance(reason))
                .map(|(reason, step)| (Vec::new(), step, reason)),
        };
        let declared = domain.action(action);
        let nearest = nearest.map(|(after, step, reason)| {
            let undefined = definedness.never_with(declared, &step.arguments);
            NearestMiss { after, step, reason, undefined }
        });
        let achieves_goal = unmet.iter().any(|violation| touches(&declared.effect, violation));
        found.push(Blocked {
            action,
            undefined: definedness.never_for(declared),
            nearest,
            achieves_goal,
        });
    }
    found.sort_by_key(|blocked| !blocked.achieves_goal);
    found
}

/// The first states, breadth first.
struct Surroundings {
    space: StateSpace,
    /// Whether these are all there are.
    complete: bool,
    /// For each action, whether it can be taken in one of them.
    taken: IdVec<ActionId, bool>,
    /// For each action: how much its nearest operator lacks, and where.
    nearest: IdVec<ActionId, Option<(usize, StateId, OperatorId)>>,
}

fn look_around(task: &GroundTask, interpreter: &mut Interpreter, domain: &Domain) -> Surroundings {
    let mut view = Surroundings {
        space: StateSpace::new(&task.initial),
        complete: true,
        taken: IdVec::filled(false, domain.actions.len()),
        nearest: IdVec::filled(None, domain.actions.len()),
    };
    let (mut applicable, mut next) = (Vec::new(), Vec::new());
    let mut looked_at = 0;
    while looked_at < view.space.len() {
        let state = StateId::from_index(looked_at);
        let row = view.space.row(state).to_vec();
        interpreter.applicable(&row, &mut applicable);
        for &operator in &applicable {
            if interpreter.apply(operator, &row, &mut next) {
                view.taken[task.operators[operator].step.symbol] = true;
                if view.space.len() < STATES {
                    view.space.insert(
                        &next,
                        Arrival { from: state, operator, times: 1 },
                        &interpreter.numbers,
                    );
                } else {
                    view.complete = false;
                }
            } else if std::mem::take(&mut interpreter.overflowed) {
                // A number too large to go on with here may be one that the semantics still take:
                // nothing is certain about it.
                view.taken[task.operators[operator].step.symbol] = true;
                view.complete = false;
            }
        }
        looked_at += 1;
    }
    let mut looks = 0;
    for state in first_ids(view.space.len()) {
        for (id, operator) in task.operators.pairs() {
            let action = operator.step.symbol;
            if view.taken[action] || looks > LOOKS {
                continue;
            }
            let condition = &operator.precondition;
            looks += condition.facts.len() + condition.absent.len() + condition.numeric.len();
            let missing = missing(condition, interpreter, view.space.row(state));
            if view.nearest[action].is_none_or(|(known, ..)| missing < known) {
                view.nearest[action] = Some((missing, state, id));
            }
        }
    }
    view
}

/// How many parts of a conjunction do not hold.
fn missing(
    conjunction: &GroundConjunction,
    interpreter: &mut Interpreter,
    state: &[StateWord],
) -> usize {
    let facts = conjunction.facts.iter().filter(|&&fact| !is_true(state, fact)).count();
    let absent = conjunction.absent.iter().filter(|&&fact| is_true(state, fact)).count();
    let numeric = conjunction
        .numeric
        .iter()
        .filter(|&&condition| !interpreter.numeric(condition, state))
        .count();
    facts
        + absent
        + numeric
        + conjunction.clauses.iter().filter(|clause| !interpreter.formula(clause, state)).count()
}

fn replayed(
    semantics: &Semantics,
    universe: &mut Universe,
    initial: &State,
    steps: &[GroundAction],
) -> Option<State> {
    steps
        .iter()
        .try_fold(initial.clone(), |state, step| semantics.successor(step, universe, &state).ok())
}

/// How far a step is from being taken: how many parts of its precondition do not hold. Where all
/// hold, only its effect is in the way.
fn distance(reason: &Inapplicable) -> usize {
    match reason {
        Inapplicable::Precondition(violations) => violations.len(),
        Inapplicable::Arguments(_) | Inapplicable::Effect(_) | Inapplicable::Conflict(_) => 0,
    }
}

/// The first ground actions of an action by type alone.
fn instances(domain: &Domain, problem: &Problem, action: ActionId) -> Vec<GroundAction> {
    let parameters = &domain.action(action).parameters;
    let mut found = vec![GroundAction { symbol: action, arguments: Default::default() }];
    for parameter in parameters {
        let mut longer = Vec::new();
        for step in &found {
            for object in problem.objects.of(&domain.signature.types, &parameter.types) {
                if longer.len() >= STATES {
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

/// Whether an effect can make a violated goal condition true: it adds its predicate or changes one
/// of its functions.
fn touches(effect: &Effect, violation: &Violation) -> bool {
    match effect {
        Effect::And(parts) => parts.iter().any(|part| touches(part, violation)),
        Effect::When(_, inner) | Effect::ForAll(_, inner) => touches(inner, violation),
        Effect::Add(atom) => {
            matches!(&violation.condition, Condition::Atom(wanted) if wanted.symbol == atom.symbol)
        }
        Effect::Delete(_) => false,
        Effect::Numeric(numeric) => match &violation.condition {
            Condition::Compare(_, sides) => {
                sides.iter().any(|side| mentions(side, numeric.target.symbol))
            }
            _ => false,
        },
    }
}

fn mentions(expression: &Expression, function: FunctionId) -> bool {
    let mut found = false;
    expression.for_each_function(&mut |known| found |= known.symbol == function);
    found
}
