//! Finds plans: a satisficing numeric planner, made for learned models.
//!
//! *In*: a domain and a problem, with limits ([`SearchOptions`]). *Out*: a [`SearchReport`]: a
//! valid plan, a proof that there is none, or the limit that ended the search. [`blocked`] says
//! which actions can never be taken, and what comes nearest to taking them.
//!
//! ```text
//! domain, problem ─▶ split, reach, truth, gather ─▶ ground, relevance ─▶ GroundTask
//!                                                                             │
//!     heuristic, distance, burden ─▶ portfolio of searches ◀──────────────────┘
//!                                           │
//!                                           ▼
//!                   improve (if asked) ◀─ shorten ─▶ validate ─▶ ValidPlan
//! ```
//!
//! *The invariants*: numbers of a search are exact; doubles decide a comparison only if a bound on
//! their error allows it. "There is no plan" is said only after an exhausted search, or if the
//! relaxed task cannot reach the goal. Work is counted, not timed, so the plan does not depend on
//! the number of cores. Every plan is run by [`mod@surefoot_base::validate`] before it is returned.
//!
//! *Where to begin*: [`plan()`] below, then `task` (what a state and an operator are) and `search`
//! (hill climbing and best-first search). `ground` makes the task; `gather` turns many linear
//! conditions into one region. `heuristic` estimates how far a state is from the goal; `approach`
//! and `novelty` are searches with other orders; `burden` says which state dominates another.

#![forbid(unsafe_code)]

mod approach;
mod burden;
mod diagnose;
mod distance;
mod expression;
mod gather;
mod ground;
mod heuristic;
mod ids;
mod improve;
mod novelty;
mod number;
mod numeric;
mod portfolio;
mod program;
mod reach;
mod relevance;
mod search;
mod shorten;
mod space;
mod split;
mod task;
mod truth;
mod undefined;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use approach::Approach;
use burden::Burdens;
pub use diagnose::{Blocked, NearestMiss, blocked};
use ground::GroundingScope;
use heuristic::{RelaxedTask, WeighingScope};
use ids::OperatorId;
use improve::Improve;
use novelty::Novelty;
use search::{BestFirst, Control, HillClimbing, PlanSearch, SearchStatus, Strategy};
use split::SplitDomain;
use task::GroundTask;
pub use undefined::undefined_in_goal;

use surefoot_base::exact::Rational;
use surefoot_base::invariant::{BrokenInvariant, guarded};
use surefoot_base::model::{Direction, Domain, Problem};
use surefoot_base::pddl::Plan;
use surefoot_base::validate::{PlanVerdict, ValidPlan, validate};

/// How long and how large a search may grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchLimits {
    /// The most time, by the clock; none: no limit.
    pub time: Option<Duration>,
    /// The most memory, in bytes, of what the planner stores; none: no limit.
    pub memory: Option<usize>,
}

/// How a search is made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SearchOptions {
    /// The limits at which the search stops.
    pub limits: SearchLimits,
    /// Improve the plan by the problem's metric (its length, where there is none) until a limit or
    /// an optimal plan.
    pub minimize: bool,
    /// Breaks ties between equals; the same seed gives the same plan.
    pub seed: u64,
    /// How many cores may be used; 0 and 1: one.
    pub threads: usize,
}

impl SearchOptions {
    /// These options, changed by `change`. Fields may be added, so this is how to make one:
    /// `SearchOptions::default().with(|options| ..)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// What became of a planning task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchOutcome {
    /// A plan, valid in exact arithmetic.
    Solved(ValidPlan),
    /// There is no plan: every reachable state was examined, or the relaxed task has none.
    Unsolvable,
    /// The time was up.
    TimeLimit,
    /// The memory was used up.
    MemoryLimit,
    /// The planner contradicts itself: it found a plan that is not valid, or an invariant does not
    /// hold. Nothing is returned but this message.
    Fault(String),
}

/// A search's outcome, and the effort it took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchReport {
    /// What became of the task.
    pub outcome: SearchOutcome,
    /// The work that it took.
    pub effort: SearchEffort,
}

/// How much work a search was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchEffort {
    /// The number of ground actions.
    pub actions: usize,
    /// States whose successors were generated.
    pub expanded: u64,
    /// States a heuristic was computed for.
    pub evaluated: u64,
    /// The number of different states that were stored.
    pub stored: u64,
}

impl SearchEffort {
    /// The effort of both searches together.
    pub fn plus(&self, other: &SearchEffort) -> SearchEffort {
        SearchEffort {
            actions: self.actions.max(other.actions),
            expanded: self.expanded + other.expanded,
            evaluated: self.evaluated + other.evaluated,
            stored: self.stored + other.stored,
        }
    }
}

/// Where a search is, for a progress line.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SearchProgress {
    /// The effort until now.
    pub effort: SearchEffort,
    /// The lowest heuristic value met.
    pub best: Option<f64>,
}

/// Searches for a plan. From time to time it calls `watch` with the progress; if that returns
/// false, the search stops as if its time were up. The plan does not depend on the number of
/// threads.
pub fn plan(
    domain: &Domain,
    problem: &Problem,
    options: &SearchOptions,
    watch: &(dyn Fn(&SearchProgress) -> bool + Sync),
) -> SearchReport {
    guarded(|| plan_split(domain, problem, options, watch)).unwrap_or_else(|broken| {
        let outcome = SearchOutcome::Fault(broken.to_string());
        SearchReport { outcome, effort: SearchEffort::default() }
    })
}

/// Plans with an action for each disjunct of an action, where there are any.
fn plan_split(
    domain: &Domain,
    problem: &Problem,
    options: &SearchOptions,
    watch: &(dyn Fn(&SearchProgress) -> bool + Sync),
) -> SearchReport {
    let Some(split) = SplitDomain::of(domain) else {
        return plan_unguarded(domain, problem, options, watch);
    };
    let mut report = plan_unguarded(&split.domain, problem, options, watch);
    if let SearchOutcome::Solved(plan) = &report.outcome {
        report.outcome = valid(domain, problem, split.given_plan(plan));
    }
    report
}

fn plan_unguarded(
    domain: &Domain,
    problem: &Problem,
    options: &SearchOptions,
    watch: &(dyn Fn(&SearchProgress) -> bool + Sync),
) -> SearchReport {
    let deadline = options.limits.time.and_then(|time| Instant::now().checked_add(time));
    let memory = options.limits.memory.unwrap_or(usize::MAX);
    let scope = if options.minimize { GroundingScope::GoalAndMetric } else { GroundingScope::Goal };
    let mut over_memory = false;
    let mut keep = |bytes: usize| {
        over_memory = bytes > memory;
        !over_memory
            && deadline.is_none_or(|deadline| Instant::now() < deadline)
            && watch(&SearchProgress::default())
    };
    let Some(task) = ground::ground(domain, problem, scope, &mut keep) else {
        let outcome =
            if over_memory { SearchOutcome::MemoryLimit } else { SearchOutcome::TimeLimit };
        return SearchReport { outcome, effort: SearchEffort::default() };
    };
    let effort = SearchEffort { actions: task.operators.len(), ..SearchEffort::default() };
    if task.goal.is_none() {
        return SearchReport { outcome: SearchOutcome::Unsolvable, effort };
    }
    let stop = AtomicBool::new(false);
    let share = memory.saturating_sub(task.bytes()) / SEARCHES;
    let control = Control { stop: &stop, deadline, memory: share, watch };
    let (status, mut effort) = search(&task, options, &control);
    let outcome = match status {
        SearchStatus::Solved(operators) if options.minimize => {
            let first = shorter(domain, problem, &task, operators);
            let (best, more) = improved(domain, problem, &task, first, &control);
            effort = effort.plus(&more);
            checked(domain, problem, &task, &best)
        }
        SearchStatus::Solved(operators) => {
            checked(domain, problem, &task, &shorter(domain, problem, &task, operators))
        }
        SearchStatus::Exhausted => SearchOutcome::Unsolvable,
        SearchStatus::MemoryLimit => SearchOutcome::MemoryLimit,
        SearchStatus::Open | SearchStatus::GaveUp | SearchStatus::Stopped => {
            SearchOutcome::TimeLimit
        }
    };
    SearchReport { outcome, effort }
}

/// Looks at up to `most` states, breadth first and without estimates, whatever the goal: how fast
/// states are expanded. `None` when grounding was stopped by `watch`.
///
/// # Errors
/// An invariant of this library does not hold.
pub fn enumerate(
    domain: &Domain,
    problem: &Problem,
    most: u64,
    watch: &(dyn Fn(&SearchProgress) -> bool + Sync),
) -> Result<Option<SearchEffort>, BrokenInvariant> {
    guarded(|| enumerate_unguarded(domain, problem, most, watch))
}

fn enumerate_unguarded(
    domain: &Domain,
    problem: &Problem,
    most: u64,
    watch: &(dyn Fn(&SearchProgress) -> bool + Sync),
) -> Option<SearchEffort> {
    let mut task = ground::ground(domain, problem, GroundingScope::Goal, &mut |_| {
        watch(&SearchProgress::default())
    })?;
    task.goal = None;
    task.burdens = Burdens::default();
    let full = |progress: &SearchProgress| progress.effort.stored < most && watch(progress);
    let control =
        Control { stop: &AtomicBool::new(false), deadline: None, memory: usize::MAX, watch: &full };
    let mut search = BestFirst::new(
        &task,
        &RelaxedTask::of(&task),
        Strategy { deferred: false, additive: false, blind: true, seed: 0 },
    );
    let _ = search.advance(u64::MAX / 2, &control);
    Some(search.effort())
}

/// How many searches take part, and share the memory.
const SEARCHES: usize = 6;

fn search(
    task: &GroundTask,
    options: &SearchOptions,
    control: &Control,
) -> (SearchStatus, SearchEffort) {
    let strategy = Strategy { deferred: true, additive: false, blind: false, seed: options.seed };
    let relaxed = RelaxedTask::of(task);
    let mut searches: Vec<Box<dyn PlanSearch + '_>> = vec![
        Box::new(HillClimbing::new(task, &relaxed, WeighingScope::Helpers)),
        Box::new(Approach::new(task, &relaxed)),
        Box::new(BestFirst::new(task, &relaxed, strategy)),
        Box::new(HillClimbing::new(task, &relaxed, WeighingScope::Producers)),
        Box::new(Novelty::new(task, &relaxed)),
        Box::new(BestFirst::new(
            task,
            &relaxed,
            Strategy { deferred: false, additive: true, ..strategy },
        )),
    ];
    portfolio::run(&mut searches, options.threads, control)
}

/// The plan without steps that it does not need, unless the metric is worse then.
fn shorter(
    domain: &Domain,
    problem: &Problem,
    task: &GroundTask,
    operators: Vec<OperatorId>,
) -> Vec<OperatorId> {
    let shorter = shorten::shortened(task, operators.clone());
    if problem.metric.is_none() || shorter.len() == operators.len() {
        return shorter;
    }
    let costs = cost(domain, problem, task, &shorter).zip(cost(domain, problem, task, &operators));
    if costs.is_some_and(|(after, before)| after <= before) { shorter } else { operators }
}

/// Better plans until a limit, or until a search below the cost of the best finds nothing.
fn improved(
    domain: &Domain,
    problem: &Problem,
    task: &GroundTask,
    first: Vec<OperatorId>,
    control: &Control,
) -> (Vec<OperatorId>, SearchEffort) {
    let mut best = without_detours(domain, problem, task, first);
    let mut effort = SearchEffort::default();
    let relaxed = RelaxedTask::of(task);
    while let Some(bound) = cost(domain, problem, task, &best) {
        let mut search = Improve::new(task, &relaxed, bound.to_f64());
        let status = loop {
            match search.advance(50_000_000, control) {
                SearchStatus::Open => {}
                status => break status,
            }
        };
        effort = effort.plus(&search.effort());
        let SearchStatus::Solved(operators) = status else { break };
        let candidate = without_detours(domain, problem, task, operators);
        if cost(domain, problem, task, &candidate).is_none_or(|cost| cost >= bound) {
            break;
        }
        best = candidate;
    }
    (best, effort)
}

/// The exact cost of a plan, less being better; `None` when it is not valid.
fn cost(
    domain: &Domain,
    problem: &Problem,
    task: &GroundTask,
    operators: &[OperatorId],
) -> Option<Rational> {
    let steps = Rational::integer(i64::try_from(operators.len()).ok()?);
    match validate(domain, problem, &steps_of(task, operators), &Rational::ZERO) {
        PlanVerdict::Valid { metric } => Some(match (metric, &problem.metric) {
            (Some(Ok(value)), Some(metric)) if metric.direction == Direction::Maximize => -&value,
            (Some(Ok(value)), Some(_)) => value,
            _ => steps,
        }),
        _ => None,
    }
}

/// The plan without steps that it is valid and no dearer without: runs of up to eight of the same
/// length are tried.
fn without_detours(
    domain: &Domain,
    problem: &Problem,
    task: &GroundTask,
    mut operators: Vec<OperatorId>,
) -> Vec<OperatorId> {
    let Some(mut known) = cost(domain, problem, task, &operators) else { return operators };
    // Each trial runs the whole plan: long plans are left as they are.
    if operators.len() > 400 {
        return operators;
    }
    for length in (1..=8).rev() {
        let mut at = 0;
        while at + length <= operators.len() {
            let mut shorter = operators.clone();
            shorter.drain(at..at + length);
            match cost(domain, problem, task, &shorter) {
                Some(cost) if cost <= known => (operators, known) = (shorter, cost),
                _ => at += 1,
            }
        }
    }
    operators
}

fn steps_of(task: &GroundTask, operators: &[OperatorId]) -> Plan {
    Plan::of(operators.iter().map(|&operator| task.operators[operator].step.clone()))
}

/// A plan is returned only when the one definition of "applicable" accepts it.
fn checked(
    domain: &Domain,
    problem: &Problem,
    task: &GroundTask,
    operators: &[OperatorId],
) -> SearchOutcome {
    valid(domain, problem, steps_of(task, operators))
}

fn valid(domain: &Domain, problem: &Problem, plan: Plan) -> SearchOutcome {
    match ValidPlan::of(domain, problem, plan) {
        Ok(plan) => SearchOutcome::Solved(plan),
        Err((_, verdict)) => SearchOutcome::Fault(format!(
            "the search found a plan that is not valid, which is an error of the planner: \
             {verdict:?}"
        )),
    }
}
