//! Searches: hill climbing, which commits itself, and best-first search, which visits every
//! reachable state in the end.
//!
//! A search advances by a given amount of work, counted and not timed, so that what it finds does
//! not depend on the clock.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::heuristic::{Heuristic, RelaxedTask, WeighingScope};
use super::ids::{OperatorId, StateId, StateWord};
use super::space::{Arrival, StateSpace};
use super::task::{GroundTask, Interpreter, Operator};
use super::{SearchEffort, SearchProgress};
use surefoot_base::ids::Id;

/// The state of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchStatus {
    /// It can go on.
    Open,
    /// These operators lead to the goal.
    Solved(Vec<OperatorId>),
    /// Every state that can be reached was looked at.
    Exhausted,
    /// It has nothing more to try, which proves nothing.
    GaveUp,
    /// It may not store more.
    MemoryLimit,
    /// Somebody stopped it, or its time was up.
    Stopped,
}

/// When a search must stop.
pub struct Control<'c> {
    /// Set when there is nothing to gain any more.
    pub stop: &'c AtomicBool,
    /// The time at which to stop.
    pub deadline: Option<Instant>,
    /// The bytes one search may hold.
    pub memory: usize,
    /// Called with the progress; if it returns false, the search stops.
    pub watch: &'c (dyn Fn(&SearchProgress) -> bool + Sync),
}

impl Control<'_> {
    /// Whether to stop now.
    pub fn expired(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A search that can be advanced.
pub trait PlanSearch: Send {
    /// Advances by about this much work.
    fn advance(&mut self, work: u64, control: &Control) -> SearchStatus;
    /// The work done until now.
    fn effort(&self) -> SearchEffort;
}

/// What all searches hold.
pub struct SearchContext<'t> {
    pub interpreter: Interpreter<'t>,
    pub heuristic: Heuristic,
    pub space: StateSpace,
    pub effort: SearchEffort,
    pub best: Option<u32>,
    /// Room for the states that an operator passes through.
    pub row: Vec<StateWord>,
    pub next: Vec<StateWord>,
    pub applicable: Vec<OperatorId>,
    /// Work done beyond the heuristic's own.
    pub steps: u64,
    pub looked: u64,
    /// The work done when limits were last looked at.
    pub looked_at: u64,
    /// The work done when progress was last reported.
    pub told_at: u64,
}

/// The most work between two looks at the limits: some thousandths of a second.
const BETWEEN_LOOKS: u64 = 200_000;

/// The most work between two reports of progress: some hundredths of a second.
const BETWEEN_REPORTS: u64 = 20 * BETWEEN_LOOKS;

/// The most repetitions of an operator in one step of the search.
const REPETITIONS: u32 = 1 << 14;

impl<'t> SearchContext<'t> {
    /// A context whose states dominate one another in nothing.
    pub fn new(task: &'t GroundTask, relaxed: &RelaxedTask) -> Self {
        Self::with(task, relaxed, StateSpace::undominated(task), WeighingScope::Helpers)
    }

    /// A context that keeps dominated states, for a search that needs to know more states.
    pub fn telling_apart(task: &'t GroundTask, relaxed: &RelaxedTask) -> Self {
        Self::with(task, relaxed, StateSpace::new(&task.initial), WeighingScope::Helpers)
    }

    /// A context whose estimates weigh these groups of operators.
    pub fn weighing(task: &'t GroundTask, relaxed: &RelaxedTask, scope: WeighingScope) -> Self {
        Self::with(task, relaxed, StateSpace::undominated(task), scope)
    }

    fn with(
        task: &'t GroundTask,
        relaxed: &RelaxedTask,
        space: StateSpace,
        scope: WeighingScope,
    ) -> Self {
        SearchContext {
            interpreter: Interpreter::new(task),
            heuristic: Heuristic::new(task, relaxed, scope),
            space,
            effort: SearchEffort { actions: task.operators.len(), ..SearchEffort::default() },
            best: None,
            row: Vec::new(),
            next: Vec::new(),
            applicable: Vec::new(),
            steps: 0,
            looked: 0,
            looked_at: 0,
            told_at: 0,
        }
    }

    pub fn work(&self) -> u64 {
        self.heuristic.work + self.steps + self.interpreter.arithmetic
    }

    pub fn bytes(&self) -> usize {
        self.space.bytes() + self.interpreter.bytes() + self.heuristic.bytes()
    }

    /// The estimate for a state; `None`: a dead end.
    pub fn evaluate(&mut self, state: StateId) -> Option<u32> {
        self.effort.evaluated += 1;
        self.heuristic.evaluate(&mut self.interpreter, self.space.row(state))
    }

    /// Takes an operator up to `times` times; the new state, unless it or a better one was met
    /// before or the first time fails.
    pub fn take(&mut self, from: StateId, operator: OperatorId, times: u32) -> Option<StateId> {
        self.repeat(from, operator, times).flatten()
    }

    /// Takes an operator as often as possible, up to `most` times. `None` where it cannot be taken
    /// twice, or changes nothing then; inside, the new state, unless it or a better one was met
    /// before.
    pub fn leap(
        &mut self,
        from: StateId,
        operator: OperatorId,
        most: u32,
    ) -> Option<Option<StateId>> {
        let Operator { effects, conditional, .. } = &self.interpreter.task.operators[operator];
        if effects.changes.is_empty() && conditional.is_empty() {
            return None;
        }
        self.repeat(from, operator, most)
    }

    /// `None` where the operator cannot be taken, or not twice if it should be taken several times.
    fn repeat(
        &mut self,
        from: StateId,
        operator: OperatorId,
        times: u32,
    ) -> Option<Option<StateId>> {
        let task = self.interpreter.task;
        let precondition = &task.operators[operator].precondition;
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        row.extend_from_slice(self.space.row(from));
        let mut taken = 0;
        // Limits are looked at between steps of the search, so none may be long.
        let times = times.min(REPETITIONS);
        while taken < times {
            self.steps += 4;
            // The caller knows that the operator can be taken once.
            if taken > 0 && !self.interpreter.holds(precondition, &row)
                || !self.interpreter.apply(operator, &row, &mut self.next)
            {
                break;
            }
            // Once it changes nothing it never will again.
            if taken > 0 && row == self.next {
                break;
            }
            std::mem::swap(&mut row, &mut self.next);
            taken += 1;
        }
        let is_repeated = taken > 1 || taken == 1 && times == 1;
        let state = is_repeated.then(|| {
            let arrival = Arrival { from, operator, times: taken };
            self.space.insert(&row, arrival, &self.interpreter.numbers)
        });
        self.row = row;
        self.effort.stored = self.space.len() as u64;
        state
    }

    pub fn is_goal(&mut self, state: StateId) -> bool {
        self.interpreter.is_goal(self.space.row(state))
    }

    pub fn find_applicable(&mut self, state: StateId) {
        self.interpreter.applicable(self.space.row(state), &mut self.applicable);
        self.steps += self.applicable.len() as u64;
        self.effort.expanded += 1;
    }

    /// What it means that there is nothing left to look at.
    pub fn nothing_left(&self) -> SearchStatus {
        if self.interpreter.overflowed {
            SearchStatus::MemoryLimit
        } else {
            SearchStatus::Exhausted
        }
    }

    /// Looks at the limits now and then.
    pub fn limit(&mut self, control: &Control, beyond: usize) -> Option<SearchStatus> {
        self.looked += 1;
        // Of a large task few states are many: the work counts, too.
        if !self.looked.is_multiple_of(32) && self.work() < self.looked_at + BETWEEN_LOOKS {
            return None;
        }
        self.looked_at = self.work();
        if control.expired() {
            return Some(SearchStatus::Stopped);
        }
        if self.bytes() + beyond > control.memory {
            return Some(SearchStatus::MemoryLimit);
        }
        if self.looked.is_multiple_of(1024) || self.looked_at >= self.told_at + BETWEEN_REPORTS {
            self.told_at = self.looked_at;
            let progress = SearchProgress { effort: self.effort, best: self.best.map(f64::from) };
            if !(control.watch)(&progress) {
                return Some(SearchStatus::Stopped);
            }
        }
        None
    }
}

/// Enforced hill climbing: from each state, breadth-first along the operators of relaxed plans, to
/// the first better one; where these lead nowhere, along all operators.
pub struct HillClimbing<'t> {
    context: SearchContext<'t>,
    /// States to look at, with the operators to try and how often.
    queue: VecDeque<(StateId, Vec<(OperatorId, u32)>)>,
    /// The states met since the estimate last fell, and how many of them all operators were tried
    /// at.
    plateau: Vec<StateId>,
    widened: usize,
    started: bool,
}

impl<'t> HillClimbing<'t> {
    /// Starts at the initial state.
    pub fn new(task: &'t GroundTask, relaxed: &RelaxedTask, scope: WeighingScope) -> Self {
        let context = SearchContext::weighing(task, relaxed, scope);
        HillClimbing {
            context,
            queue: VecDeque::new(),
            plateau: Vec::new(),
            widened: 0,
            started: false,
        }
    }

    /// Puts a state in line that was just estimated.
    fn enqueue(&mut self, state: StateId) {
        let SearchContext { interpreter, heuristic, space, .. } = &mut self.context;
        heuristic.prefer(interpreter, space.row(state));
        self.queue.push_back((state, heuristic.preferred.clone()));
        self.plateau.push(state);
    }

    /// Goes on from a better state alone.
    fn climb(&mut self, state: StateId, estimate: u32) {
        self.context.best = Some(estimate);
        self.queue.clear();
        self.plateau.clear();
        self.widened = 0;
        self.enqueue(state);
    }

    /// The next state, and what to try there.
    fn pop(&mut self) -> Option<(StateId, Vec<(OperatorId, u32)>)> {
        if let Some(next) = self.queue.pop_front() {
            return Some(next);
        }
        let state = *self.plateau.get(self.widened)?;
        self.widened += 1;
        self.context.find_applicable(state);
        Some((state, self.context.applicable.iter().map(|&operator| (operator, 1)).collect()))
    }

    /// Looks at the successors of a state, up to the first better one; what that settles.
    fn expand(
        &mut self,
        state: StateId,
        operators: &[(OperatorId, u32)],
        control: &Control,
    ) -> Option<SearchStatus> {
        for &(operator, times) in operators {
            for times in [times, 1].into_iter().take(if times > 1 { 2 } else { 1 }) {
                let Some(next) = self.context.take(state, operator, times) else { continue };
                if self.context.is_goal(next) {
                    return Some(SearchStatus::Solved(self.context.space.path(next)));
                }
                if let Some(limit) =
                    self.context.limit(control, (self.queue.len() + self.plateau.len()) * 64)
                {
                    return Some(limit);
                }
                let Some(estimate) = self.context.evaluate(next) else { continue };
                if self.context.best.is_none_or(|best| estimate < best) {
                    self.climb(next, estimate);
                    return None;
                }
                self.enqueue(next);
            }
        }
        None
    }
}

impl PlanSearch for HillClimbing<'_> {
    fn advance(&mut self, work: u64, control: &Control) -> SearchStatus {
        let end = self.context.work() + work;
        if !self.started {
            self.started = true;
            if self.context.is_goal(StateId::INITIAL) {
                return SearchStatus::Solved(Vec::new());
            }
            let Some(first) = self.context.evaluate(StateId::INITIAL) else {
                return SearchStatus::Exhausted;
            };
            self.climb(StateId::INITIAL, first);
        }
        while let Some((state, operators)) = self.pop() {
            if self.context.space.is_dominated(state) {
                continue;
            }
            self.context.effort.expanded += 1;
            if let Some(status) = self.expand(state, &operators, control) {
                return status;
            }
            if self.context.work() >= end {
                return SearchStatus::Open;
            }
        }
        SearchStatus::GaveUp
    }

    fn effort(&self) -> SearchEffort {
        self.context.effort
    }
}

/// How a best-first search looks at states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strategy {
    /// Estimates states when they are expanded, not when they are generated.
    pub deferred: bool,
    /// Adds up costs of subgoals instead of counting a relaxed plan.
    pub additive: bool,
    /// Estimates nothing at all: breadth first.
    pub blind: bool,
    /// Breaks ties between operators.
    pub seed: u64,
}

/// An entry of an open list.
#[derive(Clone, Copy)]
enum OpenEntry {
    /// A state to expand.
    Expand(StateId),
    /// An operator to take at a state, so often.
    Take(Arrival),
}

/// States by their estimates, first in first out among equals.
#[derive(Default)]
struct OpenList {
    buckets: BTreeMap<u32, VecDeque<OpenEntry>>,
    len: usize,
    /// How often it was used; less is preferred.
    priority: i64,
}

impl OpenList {
    fn push(&mut self, estimate: u32, entry: OpenEntry) {
        self.buckets.entry(estimate).or_default().push_back(entry);
        self.len += 1;
    }

    fn pop(&mut self) -> Option<OpenEntry> {
        let mut first = self.buckets.first_entry()?;
        let entry = first.get_mut().pop_front();
        if first.get().is_empty() {
            first.remove();
        }
        self.len -= 1;
        self.priority += 1;
        entry
    }
}

/// Greedy best-first search with preferred operators; complete: it prunes nothing but proved dead
/// ends and dominated states.
pub struct BestFirst<'t> {
    context: SearchContext<'t>,
    strategy: Strategy,
    open: OpenList,
    preferred: OpenList,
    started: bool,
}

/// The advantage of preferred operators after progress, in turns.
const BOOST: i64 = 1000;

impl<'t> BestFirst<'t> {
    /// Starts at the initial state.
    pub fn new(task: &'t GroundTask, relaxed: &RelaxedTask, strategy: Strategy) -> Self {
        let (open, preferred) = (OpenList::default(), OpenList::default());
        BestFirst {
            context: SearchContext::new(task, relaxed),
            strategy,
            open,
            preferred,
            started: false,
        }
    }

    fn bytes(&self) -> usize {
        (self.open.len + self.preferred.len) * size_of::<OpenEntry>() * 2
    }

    fn estimate(&mut self, state: StateId) -> Option<u32> {
        if self.strategy.blind {
            return Some(0);
        }
        let plan = self.context.evaluate(state)?;
        let estimate = if self.strategy.additive { self.context.heuristic.additive } else { plan };
        if self.context.best.is_none_or(|best| estimate < best) {
            self.context.best = Some(estimate);
            self.preferred.priority -= BOOST;
        }
        Some(estimate)
    }

    /// Puts the successors of a state that was just estimated into the open lists.
    fn open_successors(&mut self, state: StateId, estimate: u32) {
        self.context.find_applicable(state);
        if !self.strategy.blind {
            let SearchContext { interpreter, heuristic, space, .. } = &mut self.context;
            heuristic.prefer(interpreter, space.row(state));
        }
        let mut applicable = std::mem::take(&mut self.context.applicable);
        if self.strategy.seed != 0 {
            applicable.sort_by_key(|&operator| {
                scrambled(
                    self.strategy.seed,
                    (operator.index() as u64) << 32 | state.index() as u64,
                )
            });
        }
        for &(operator, times) in &self.context.heuristic.preferred {
            if times > 1 {
                self.preferred
                    .push(estimate, OpenEntry::Take(Arrival { from: state, operator, times }));
            }
            self.preferred
                .push(estimate, OpenEntry::Take(Arrival { from: state, operator, times: 1 }));
        }
        for &operator in &applicable {
            self.open.push(estimate, OpenEntry::Take(Arrival { from: state, operator, times: 1 }));
        }
        self.context.applicable = applicable;
    }

    fn deferred_step(
        &mut self,
        Arrival { from, operator, times }: Arrival,
    ) -> Option<SearchStatus> {
        let next = self.context.take(from, operator, times)?;
        if self.context.is_goal(next) {
            return Some(SearchStatus::Solved(self.context.space.path(next)));
        }
        let estimate = self.estimate(next)?;
        self.open_successors(next, estimate);
        None
    }

    fn eager_step(&mut self, state: StateId, control: &Control) -> Option<SearchStatus> {
        self.context.find_applicable(state);
        let applicable = std::mem::take(&mut self.context.applicable);
        for &operator in &applicable {
            let Some(next) = self.context.take(state, operator, 1) else { continue };
            if self.context.is_goal(next) {
                return Some(SearchStatus::Solved(self.context.space.path(next)));
            }
            if let Some(estimate) = self.estimate(next) {
                self.open.push(estimate, OpenEntry::Expand(next));
            }
            if let Some(limit) = self.context.limit(control, self.bytes()) {
                return Some(limit);
            }
        }
        self.context.applicable = applicable;
        None
    }
}

impl PlanSearch for BestFirst<'_> {
    fn advance(&mut self, work: u64, control: &Control) -> SearchStatus {
        let end = self.context.work() + work;
        if !self.started {
            self.started = true;
            if self.context.is_goal(StateId::INITIAL) {
                return SearchStatus::Solved(Vec::new());
            }
            let Some(estimate) = self.estimate(StateId::INITIAL) else {
                return self.context.nothing_left();
            };
            match self.strategy.deferred {
                true => self.open_successors(StateId::INITIAL, estimate),
                false => self.open.push(estimate, OpenEntry::Expand(StateId::INITIAL)),
            }
        }
        loop {
            let favoured = self.preferred.len > 0
                && (self.open.len == 0 || self.preferred.priority <= self.open.priority);
            let entry = if favoured { self.preferred.pop() } else { self.open.pop() };
            let Some(entry) = entry else { return self.context.nothing_left() };
            let (OpenEntry::Take(Arrival { from: state, .. }) | OpenEntry::Expand(state)) = entry;
            if self.context.space.is_dominated(state) {
                continue;
            }
            let outcome = match entry {
                OpenEntry::Take(arrival) => self.deferred_step(arrival),
                OpenEntry::Expand(state) => self.eager_step(state, control),
            };
            if let Some(outcome) = outcome {
                return outcome;
            }
            if let Some(limit) = self.context.limit(control, self.bytes()) {
                return limit;
            }
            if self.context.work() >= end {
                return SearchStatus::Open;
            }
        }
    }

    fn effort(&self) -> SearchEffort {
        self.context.effort
    }
}

/// A number that looks random but is the same every time.
fn scrambled(seed: u64, value: u64) -> u64 {
    let mut mixed =
        (value ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^= mixed >> 29;
    mixed.wrapping_mul(0x94d0_49bb_1331_11eb)
}
