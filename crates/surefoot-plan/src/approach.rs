//! Best-first search by goal distance, without relaxed plans, so that a state costs little.
//!
//! An operator that can be taken several times in a row is taken as often as possible: that leaps
//! over states that differ by one unit. Two queues of the states that leaps reach take turns. One
//! is ordered by [distance](super::distance) alone. In the other, states come first that show
//! something new among those with as many unmet goals: a fact, a pair of facts, or a value outside
//! the interval of the values shown before. So a number that keeps growing stays new, but one that
//! merely takes other values in between does not.
//!
//! What an operator leads to when it is taken only once, though it could be taken more often, waits
//! in a third queue and gets a small share of the turns. Everything is looked at in the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::SearchEffort;
use super::distance::GoalDistance;
use super::heuristic::RelaxedTask;
use super::ids::{FactId, OperatorId, StateId, VariableId};
use super::search::{Control, PlanSearch, SearchContext, SearchStatus};
use super::task::{GroundEffects, GroundTask, is_true, true_facts};
use surefoot_base::ids::{Id, IdSet, IdVec, first_ids};

/// Up to how many facts pairs of them are looked at.
const PAIRS: usize = 3000;

/// The most repetitions of an operator in one leap.
const REPETITIONS: u32 = 1 << 10;

/// One of this many turns is for a state that no leap reached.
const TURNS: u32 = 32;

/// The facts and values of states with a given number of unmet goals.
struct ShownValues {
    facts: IdSet<FactId>,
    pairs: FixedBitSet,
    /// The interval of the values of each variable.
    intervals: IdVec<VariableId, (f64, f64)>,
}

impl ShownValues {
    fn new(task: &GroundTask) -> Self {
        let pairs = if task.facts <= PAIRS { task.facts * task.facts } else { 0 };
        ShownValues {
            facts: IdSet::with_capacity(task.facts),
            pairs: FixedBitSet::with_capacity(pairs),
            intervals: IdVec::filled((f64::INFINITY, f64::NEG_INFINITY), task.variables),
        }
    }

    fn bytes(&self) -> usize {
        self.pairs.len() / 8 + self.facts.capacity() / 8 + self.intervals.len() * 16 + 128
    }

    /// Whether a value lies outside the interval of earlier values, which then grows.
    fn widen(&mut self, variable: VariableId, value: f64) -> bool {
        let (low, high) = &mut self.intervals[variable];
        let (below, above) = (value < *low, value > *high);
        if below {
            *low = value;
        }
        if above {
            *high = value;
        }
        below || above
    }
}

/// What is remembered of a stored state.
#[derive(Clone, Copy)]
struct ApproachNote {
    unmet: u32,
    looked_at: bool,
}

/// How a state was reached from another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// The operator was taken as often as it could be.
    Leap,
    /// It was taken once, and could be taken again.
    Step,
}

/// A place in a queue: novelty, the bits of the distance (not negative, so in its order), first in
/// first out among equals.
type QueueEntry = Reverse<(u32, u64, StateId)>;

/// Search by goal distance.
pub struct Approach<'t> {
    context: SearchContext<'t>,
    /// States that leaps reached, by distance.
    nearest: BinaryHeap<QueueEntry>,
    /// The same states, those with new values first.
    newest: BinaryHeap<QueueEntry>,
    /// All other states, by distance.
    steps: BinaryHeap<QueueEntry>,
    turn: u32,
    notes: IdVec<StateId, ApproachNote>,
    shown: FxHashMap<u32, ShownValues>,
    shown_bytes: usize,
    started: bool,
}

impl<'t> Approach<'t> {
    /// Starts at the initial state.
    pub fn new(task: &'t GroundTask, relaxed: &RelaxedTask) -> Self {
        Approach {
            context: SearchContext::new(task, relaxed),
            nearest: BinaryHeap::new(),
            newest: BinaryHeap::new(),
            steps: BinaryHeap::new(),
            turn: 0,
            notes: IdVec::new(),
            shown: FxHashMap::default(),
            shown_bytes: 0,
            started: false,
        }
    }

    /// Notes a new state and puts it in line.
    fn enqueue(&mut self, state: StateId, arrival: Option<(OperatorId, u32)>, pace: Pace) {
        let SearchContext { interpreter, space, .. } = &mut self.context;
        let GoalDistance { distance, unmet } = GoalDistance::of(interpreter, space.row(state));
        self.notes.push(ApproachNote { unmet, looked_at: false });
        let novelty = self.novelty(state, unmet, arrival);
        let by_distance = Reverse((0, distance.to_bits(), state));
        match pace {
            Pace::Step => self.steps.push(by_distance),
            Pace::Leap => {
                self.nearest.push(by_distance);
                self.newest.push(Reverse((novelty, distance.to_bits(), state)));
            }
        }
        if self.context.best.is_none_or(|best| unmet < best) {
            self.context.best = Some(unmet);
        }
        self.context.steps += 4;
    }

    /// How new a state is. 1: it has a new fact, or a value outside its interval. 2: it has a new
    /// pair of facts. 3: nothing is new. If the state before it has as many unmet goals, only what
    /// the operator changed can be new.
    fn novelty(&mut self, state: StateId, unmet: u32, arrival: Option<(OperatorId, u32)>) -> u32 {
        let task = self.context.interpreter.task;
        let row = self.context.space.row(state);
        let numbers = &self.context.interpreter.numbers;
        let shown = self.shown.entry(unmet).or_insert_with(|| {
            let shown = ShownValues::new(task);
            self.shown_bytes += shown.bytes();
            shown
        });
        let effects = arrival
            .filter(|&(_, before)| before == unmet)
            .map(|(operator, _)| &task.operators[operator]);
        let effects = effects
            .filter(|operator| operator.conditional.is_empty())
            .map(|operator| &operator.effects);
        let values = task.values(row);
        let (mut single, mut double) = (false, false);
        let mut look = |fact: FactId, shown: &mut ShownValues| {
            single |= !shown.facts.put(fact);
            if !shown.pairs.is_empty() {
                for other in true_facts(&row[..task.words()]) {
                    let (low, high) = if fact < other { (fact, other) } else { (other, fact) };
                    double |= !shown.pairs.put(low.index() * task.facts + high.index());
                }
            }
        };
        let value = |variable: VariableId| numbers.float(values.number(variable));
        let is_old =
            |variable: VariableId| task.burdens.grows(variable) || task.burdens.fades(variable);
        match effects {
            Some(GroundEffects { adds, changes, .. }) => {
                adds.iter().filter(|&&fact| is_true(row, fact)).for_each(|&fact| look(fact, shown));
                let changed = changes
                    .iter()
                    .map(|change| change.variable)
                    .filter(|&variable| !is_old(variable));
                changed.for_each(|variable| single |= shown.widen(variable, value(variable)));
                self.context.steps += adds.len() as u64;
            }
            None => {
                true_facts(&row[..task.words()]).for_each(|fact| look(fact, shown));
                let all = first_ids(task.variables).filter(|&variable| !is_old(variable));
                all.for_each(|variable| single |= shown.widen(variable, value(variable)));
                self.context.steps += task.facts as u64;
            }
        }
        match (single, double) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 3,
        }
    }

    /// The next state to look at.
    fn pop(&mut self) -> Option<StateId> {
        loop {
            self.turn = (self.turn + 1) % TURNS;
            let Approach { nearest, newest, steps, .. } = self;
            let queues = match self.turn {
                0 => [steps, newest, nearest],
                turn if turn % 2 == 0 => [newest, nearest, steps],
                _ => [nearest, newest, steps],
            };
            let Reverse((.., state)) = queues.into_iter().find_map(BinaryHeap::pop)?;
            if !self.notes[state].looked_at && !self.context.space.is_dominated(state) {
                self.notes[state].looked_at = true;
                return Some(state);
            }
        }
    }

    /// The states after an operator: taken once, and as often as it can be.
    fn successors(&mut self, from: StateId, operator: OperatorId) -> [Option<(StateId, Pace)>; 2] {
        let once = self.context.take(from, operator, 1);
        let last = self.context.leap(from, operator, REPETITIONS);
        let pace = if last.is_some() { Pace::Step } else { Pace::Leap };
        [once.map(|state| (state, pace)), last.flatten().map(|state| (state, Pace::Leap))]
    }

    /// Looks at the successors of a state; what that settles.
    fn expand(&mut self, state: StateId, control: &Control) -> Option<SearchStatus> {
        let unmet = self.notes[state].unmet;
        self.context.find_applicable(state);
        let applicable = std::mem::take(&mut self.context.applicable);
        for &operator in &applicable {
            for (next, pace) in self.successors(state, operator).into_iter().flatten() {
                if self.context.is_goal(next) {
                    return Some(SearchStatus::Solved(self.context.space.path(next)));
                }
                self.enqueue(next, Some((operator, unmet)), pace);
            }
            if let Some(limit) = self.context.limit(control, self.bytes()) {
                return Some(limit);
            }
        }
        self.context.applicable = applicable;
        None
    }

    fn bytes(&self) -> usize {
        let waiting = self.nearest.capacity() + self.newest.capacity() + self.steps.capacity();
        self.shown_bytes
            + waiting * size_of::<QueueEntry>()
            + self.notes.len() * size_of::<ApproachNote>()
    }
}

impl PlanSearch for Approach<'_> {
    fn advance(&mut self, work: u64, control: &Control) -> SearchStatus {
        let end = self.context.work() + work;
        if !self.started {
            self.started = true;
            if self.context.is_goal(StateId::INITIAL) {
                return SearchStatus::Solved(Vec::new());
            }
            self.enqueue(StateId::INITIAL, None, Pace::Leap);
        }
        loop {
            let Some(state) = self.pop() else { return self.context.nothing_left() };
            if let Some(status) = self.expand(state, control) {
                return status;
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
