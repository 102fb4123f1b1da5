//! Finds plans: a satisficing numeric planner made for learned models.

use std::time::Duration;

use crate::model::{Domain, Problem};
use crate::pddl::Plan;

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
    /// The task uses something that cannot be planned for.
    Unsupported(String),
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
/// were up.
pub fn plan(_domain: &Domain, _problem: &Problem, _options: &Options, _watch: &(dyn Fn(&Progress) -> bool + Sync)) -> Report {
    Report { outcome: Outcome::Unsupported("not built yet".into()), effort: Effort::default() }
}
