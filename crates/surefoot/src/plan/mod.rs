//! Finds plans: a satisficing numeric planner made for learned models.

mod expression;
mod ground;
mod heuristic;
mod novelty;
mod number;
mod numeric;
mod portfolio;
mod program;
mod reach;
mod relevance;
mod search;
mod space;
mod task;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use novelty::Novelty;
use search::{BestFirst, Control, HillClimbing, Manner, Search, Status};
use task::Task;

use crate::exact::Rational;
use crate::model::{Domain, Problem};
use crate::pddl::Plan;
use crate::validate::{Verdict, validate};

/// How long and how large a search may grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// The most time, by the clock; none: no limit.
    pub time: Option<Duration>,
    /// The most memory, in bytes, of what the planner stores; none: no limit.
    pub memory: Option<usize>,
}

/// How a search is made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// When to stop.
    pub limits: Limits,
    /// Improve the plan by the problem's metric (its length, where there is none) until a limit or an optimal plan.
    pub minimize: bool,
    /// Breaks ties between equals; the same seed gives the same plan.
    pub seed: u64,
    /// How many cores may be used; 0 and 1: one.
    pub threads: usize,
}

/// What became of a planning task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A plan, valid by [`validate`](crate::validate::validate) in exact arithmetic.
    Solved(Plan),
    /// There is none: every state that can be reached was looked at.
    Unsolvable,
    /// The time was up.
    TimeLimit,
    /// The memory was used up.
    MemoryLimit,
    /// The planner contradicts itself; what it found was not valid and is not told.
    Fault(String),
}

/// A search's outcome, and the effort it took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// What became of the task.
    pub outcome: Outcome,
    /// What it took.
    pub effort: Effort,
}

/// How much work a search was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Ground actions.
    pub actions: usize,
    /// States whose successors were generated.
    pub expanded: u64,
    /// States a heuristic was computed for.
    pub evaluated: u64,
    /// Different states stored.
    pub stored: u64,
}

/// Where a search is, for a progress line.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Progress {
    /// The effort so far.
    pub effort: Effort,
    /// The lowest heuristic value met.
    pub best: Option<f64>,
}

/// Searches for a plan. `watch` is told of progress now and then; when it returns false the search stops as if its time
/// were up. The plan does not depend on the number of threads.
pub fn plan(domain: &Domain, problem: &Problem, options: &Options, watch: &(dyn Fn(&Progress) -> bool + Sync)) -> Report {
    let deadline = options.limits.time.and_then(|time| Instant::now().checked_add(time));
    let memory = options.limits.memory.unwrap_or(usize::MAX);
    let mut over_memory = false;
    let mut keep = |bytes: usize| {
        over_memory = bytes > memory;
        !over_memory && deadline.is_none_or(|deadline| Instant::now() < deadline) && watch(&Progress::default())
    };
    let Some(task) = ground::ground(domain, problem, false, &mut keep) else {
        let outcome = if over_memory { Outcome::MemoryLimit } else { Outcome::TimeLimit };
        return Report { outcome, effort: Effort::default() };
    };
    let effort = Effort { actions: task.operators.len(), ..Effort::default() };
    if task.goal.is_none() {
        return Report { outcome: Outcome::Unsolvable, effort };
    }
    let stop = AtomicBool::new(false);
    let share = memory.saturating_sub(task.bytes()) / 4;
    let control = Control { stop: &stop, deadline, memory: share, watch };
    let (status, effort) = search(&task, options, &control);
    let outcome = match status {
        Status::Solved(operators) => checked(domain, problem, &task, &operators),
        Status::Exhausted => Outcome::Unsolvable,
        Status::MemoryLimit => Outcome::MemoryLimit,
        Status::Open | Status::GaveUp | Status::Stopped => Outcome::TimeLimit,
    };
    Report { outcome, effort }
}

fn search(task: &Task, options: &Options, control: &Control) -> (Status, Effort) {
    let manner = Manner { deferred: true, additive: false, blind: false, seed: options.seed };
    let mut searches: Vec<Box<dyn Search + '_>> = vec![
        Box::new(HillClimbing::new(task)),
        Box::new(Novelty::new(task)),
        Box::new(BestFirst::new(task, manner)),
        Box::new(BestFirst::new(task, Manner { deferred: false, additive: true, ..manner })),
    ];
    if let Ok(which) = std::env::var("ENGINE") {
        let k: usize = which.parse().unwrap_or(0);
        let one = searches.remove(k);
        searches = vec![one];
    }
    portfolio::run(&mut searches, options.threads, control)
}

/// A plan is returned only when the one definition of "applicable" accepts it.
fn checked(domain: &Domain, problem: &Problem, task: &Task, operators: &[u32]) -> Outcome {
    let plan = Plan::of(operators.iter().map(|&operator| task.operators[operator as usize].step.clone()));
    match validate(domain, problem, &plan, &Rational::ZERO) {
        Verdict::Valid { .. } => Outcome::Solved(plan),
        verdict => {
            Outcome::Fault(format!("the search found a plan that is not valid, which is an error of the planner: {verdict:?}"))
        }
    }
}
