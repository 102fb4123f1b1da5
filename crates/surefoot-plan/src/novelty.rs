//! Best-first search by novelty: states come first that show something new among those equally near
//! to the goal.
//!
//! Nearness is the number of goals that do not hold, and how many facts of a relaxed plan, made
//! where that number last fell, are true. Estimates are cheap, so this finds its way where relaxed
//! plans mislead; everything is looked at in the end.

use std::collections::{BTreeMap, VecDeque};

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::SearchEffort;
use super::heuristic::RelaxedTask;
use super::ids::{FactId, NumberId, OperatorId, StateId, VariableId};
use super::search::{Control, PlanSearch, SearchContext, SearchStatus};
use super::task::{GroundConjunction, GroundTask, is_true, true_facts};
use surefoot_base::ids::{Id, IdSet, IdVec, first_ids, id};

id!(/// A relaxed plan whose facts are followed.
    GuideId);

/// Up to how many facts pairs of them are looked at.
const PAIRS: usize = 3000;

/// The facts and values of states that are equally near to the goal.
#[derive(Default)]
struct NoveltyTable {
    facts: IdSet<FactId>,
    values: FxHashSet<(VariableId, Option<NumberId>)>,
    pairs: FixedBitSet,
}

/// What is remembered of a stored state.
#[derive(Clone, Copy)]
struct NoveltyNote {
    /// How many parts of the goal do not hold.
    goals: u32,
    /// How many facts of the relaxed plan are true.
    reached: u32,
    /// The relaxed plan that is followed; none from a dead end.
    guide: Option<GuideId>,
}

/// The best-first search by novelty.
pub struct Novelty<'t> {
    context: SearchContext<'t>,
    /// States by novelty, then by unmet goals; first in first out among equals.
    open: BTreeMap<(u32, u32), VecDeque<StateId>>,
    waiting: usize,
    notes: IdVec<StateId, NoveltyNote>,
    /// Facts of relaxed plans.
    guides: IdVec<GuideId, Box<[FactId]>>,
    seen: FxHashMap<(u32, u32), NoveltyTable>,
    seen_bytes: usize,
    started: bool,
}

impl<'t> Novelty<'t> {
    /// Starts at the initial state.
    pub fn new(task: &'t GroundTask, relaxed: &RelaxedTask) -> Self {
        Novelty {
            context: SearchContext::new(task, relaxed),
            open: BTreeMap::new(),
            waiting: 0,
            notes: IdVec::new(),
            guides: IdVec::new(),
            seen: FxHashMap::default(),
            seen_bytes: 0,
            started: false,
        }
    }

    /// How many parts of the goal do not hold.
    fn unmet(&mut self, state: StateId) -> u32 {
        let task = self.context.interpreter.task;
        let Some(GroundConjunction { facts, absent, numeric, clauses }) = &task.goal else {
            return 1;
        };
        let row = self.context.space.row(state);
        let interpreter = &mut self.context.interpreter;
        let mut unmet = facts.iter().filter(|&&fact| !is_true(row, fact)).count();
        unmet += absent.iter().filter(|&&fact| is_true(row, fact)).count();
        unmet += numeric.iter().filter(|&&condition| !interpreter.numeric(condition, row)).count();
        unmet += clauses.iter().filter(|clause| !interpreter.formula(clause, row)).count();
        unmet as u32
    }

    /// Notes a new state and puts it in line; false when it is a dead end.
    fn enqueue(
        &mut self,
        state: StateId,
        parent: Option<NoveltyNote>,
        changed: Option<OperatorId>,
    ) -> bool {
        let goals = self.unmet(state);
        let followed =
            parent.filter(|parent| goals >= parent.goals).and_then(|parent| parent.guide);
        let guide = match followed {
            Some(guide) => guide,
            None => {
                if self.context.evaluate(state).is_none() {
                    self.notes.push(NoveltyNote { goals, reached: 0, guide: None });
                    return false;
                }
                self.guides.push(self.context.heuristic.relaxed_facts())
            }
        };
        let row = self.context.space.row(state);
        let reached = self.guides[guide].iter().filter(|&&fact| is_true(row, fact)).count() as u32;
        self.notes.push(NoveltyNote { goals, reached, guide: Some(guide) });
        let is_as_near =
            parent.is_some_and(|parent| (parent.goals, parent.reached) == (goals, reached));
        let novelty = self.novelty(state, (goals, reached), changed, is_as_near);
        self.open.entry((novelty, goals)).or_default().push_back(state);
        self.waiting += 1;
        true
    }

    /// How new a state is. 1: it has a fact or value that is new at this distance to the goal. 2:
    /// it has a new pair of facts. 3: nothing is new. `changed` is the operator that led here: only
    /// what it changed can be new, and a value only if the state before was as near.
    fn novelty(
        &mut self,
        state: StateId,
        nearness: (u32, u32),
        changed: Option<OperatorId>,
        is_as_near: bool,
    ) -> u32 {
        let task = self.context.interpreter.task;
        let row = self.context.space.row(state);
        let facts = task.facts;
        let seen = self.seen.entry(nearness).or_default();
        if seen.facts.capacity() < facts {
            seen.facts.grow(facts);
            if facts <= PAIRS {
                seen.pairs.grow(facts * facts);
            }
            self.seen_bytes += facts / 8 + seen.pairs.len() / 8 + 128;
        }
        // A change of nearness makes everything new: then all true facts are looked at.
        let first = seen.facts.is_empty() && seen.values.is_empty();
        let operator = changed
            .map(|operator| &task.operators[operator])
            .filter(|operator| operator.conditional.is_empty());
        let all: Vec<FactId>;
        let candidates: &[FactId] = match operator {
            Some(operator) if !first => &operator.effects.adds,
            _ => {
                all = first_ids(facts).collect();
                &all
            }
        };
        let mut single = false;
        let mut double = false;
        for &fact in candidates.iter().filter(|&&fact| is_true(row, fact)) {
            single |= !seen.facts.put(fact);
        }
        let values = task.values(row);
        let mut look = |variable: VariableId| {
            // A burden that grows by itself shows nothing new.
            let is_old = task.burdens.grows(variable) || task.burdens.fades(variable);
            if !is_old && seen.values.insert((variable, values.number(variable))) {
                single = true;
                self.seen_bytes += 16;
            }
        };
        match operator.filter(|_| is_as_near) {
            Some(operator) => {
                operator.effects.changes.iter().for_each(|change| look(change.variable))
            }
            None => first_ids(task.variables).for_each(look),
        }
        if facts <= PAIRS {
            for &fact in candidates.iter().filter(|&&fact| is_true(row, fact)) {
                for other in true_facts(&row[..task.words()]) {
                    let (low, high) = if fact < other { (fact, other) } else { (other, fact) };
                    double |= !seen.pairs.put(low.index() * facts + high.index());
                }
            }
            self.context.steps += 4 * candidates.len() as u64;
        }
        match (single, double) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 3,
        }
    }

    fn bytes(&self) -> usize {
        self.seen_bytes + self.waiting * 8 + self.notes.len() * size_of::<NoveltyNote>()
    }
}

impl PlanSearch for Novelty<'_> {
    fn advance(&mut self, work: u64, control: &Control) -> SearchStatus {
        let end = self.context.work() + work;
        if !self.started {
            self.started = true;
            if self.context.is_goal(StateId::INITIAL) {
                return SearchStatus::Solved(Vec::new());
            }
            if !self.enqueue(StateId::INITIAL, None, None) {
                return SearchStatus::Exhausted;
            }
        }
        loop {
            let Some(mut first) = self.open.first_entry() else {
                return self.context.nothing_left();
            };
            let Some(state) = first.get_mut().pop_front() else {
                first.remove();
                continue;
            };
            self.waiting -= 1;
            if self.context.space.is_dominated(state) {
                continue;
            }
            let note = self.notes[state];
            self.context.find_applicable(state);
            let applicable = std::mem::take(&mut self.context.applicable);
            for &operator in &applicable {
                let Some(next) = self.context.take(state, operator, 1) else { continue };
                if self.context.is_goal(next) {
                    return SearchStatus::Solved(self.context.space.path(next));
                }
                self.enqueue(next, Some(note), Some(operator));
                if self.context.best.is_none_or(|best| self.notes[next].goals < best) {
                    self.context.best = Some(self.notes[next].goals);
                }
                if let Some(limit) = self.context.limit(control, self.bytes()) {
                    return limit;
                }
            }
            self.context.applicable = applicable;
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
