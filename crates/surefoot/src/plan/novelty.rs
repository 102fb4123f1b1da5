//! Best-first search by novelty: states come first that show something new among those equally near to the goal.
//!
//! Nearness is the number of goals that do not hold, and how many facts of a relaxed plan, made where that number last
//! fell, are true. Estimates are cheap, so this finds its way where relaxed plans mislead; everything is looked at in the
//! end.

use std::collections::{BTreeMap, VecDeque};

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Effort;
use super::search::{Control, Field, Search, Status};
use super::task::{Conjunction, Task, is_true};

/// Up to how many facts pairs of them are looked at.
const PAIRS: usize = 3000;

/// What states of one nearness have shown.
#[derive(Default)]
struct Seen {
    facts: FixedBitSet,
    values: FxHashSet<(u32, u32)>,
    pairs: FixedBitSet,
}

/// What is remembered of a stored state.
#[derive(Clone, Copy)]
struct Note {
    goals: u32,
    guide: u32,
}

/// Search by novelty.
pub struct Novelty<'t> {
    field: Field<'t>,
    /// States by novelty, then by unmet goals; first in first out among equals.
    open: BTreeMap<(u32, u32), VecDeque<u32>>,
    waiting: usize,
    notes: Vec<Note>,
    /// Facts of relaxed plans.
    guides: Vec<Box<[u32]>>,
    seen: FxHashMap<(u32, u32), Seen>,
    seen_bytes: usize,
    started: bool,
}

impl<'t> Novelty<'t> {
    /// Starts at the initial state.
    pub fn new(task: &'t Task) -> Self {
        Novelty {
            field: Field::new(task),
            open: BTreeMap::new(),
            waiting: 0,
            notes: Vec::new(),
            guides: Vec::new(),
            seen: FxHashMap::default(),
            seen_bytes: 0,
            started: false,
        }
    }

    /// How many parts of the goal do not hold.
    fn unmet(&mut self, state: u32) -> u32 {
        let task = self.field.interpreter.task;
        let Some(Conjunction { facts, absent, numeric, clauses }) = &task.goal else { return 1 };
        let row = self.field.space.row(state);
        let interpreter = &mut self.field.interpreter;
        let mut unmet = facts.iter().filter(|&&fact| !is_true(row, fact)).count();
        unmet += absent.iter().filter(|&&fact| is_true(row, fact)).count();
        unmet += numeric.iter().filter(|&&condition| !interpreter.numeric(condition, row)).count();
        unmet += clauses.iter().filter(|clause| !interpreter.formula(clause, row)).count();
        unmet as u32
    }

    /// Notes a new state and puts it in line; false when it is a dead end.
    fn enqueue(&mut self, state: u32, parent: Option<Note>, changed: Option<u32>) -> bool {
        let goals = self.unmet(state);
        let guide = match parent {
            Some(parent) if goals >= parent.goals => parent.guide,
            _ => {
                if self.field.evaluate(state).is_none() {
                    self.notes.push(Note { goals, guide: 0 });
                    return false;
                }
                self.guides.push(self.field.heuristic.relaxed_facts());
                (self.guides.len() - 1) as u32
            }
        };
        self.notes.push(Note { goals, guide });
        let row = self.field.space.row(state);
        let followed = self.guides[guide as usize].iter().filter(|&&fact| is_true(row, fact)).count() as u32;
        let novelty = self.novelty(state, (goals, followed), changed);
        self.open.entry((novelty, goals)).or_default().push_back(state);
        self.waiting += 1;
        true
    }

    /// 1: a fact or value never shown before at this nearness; 2: a pair of facts; 3: nothing new. `changed` is the operator
    /// that led here: only what it touched can be new.
    fn novelty(&mut self, state: u32, nearness: (u32, u32), changed: Option<u32>) -> u32 {
        let task = self.field.interpreter.task;
        let row = self.field.space.row(state);
        let facts = task.facts;
        let seen = self.seen.entry(nearness).or_default();
        let mut single = false;
        let mut double = false;
        if seen.facts.len() < facts {
            seen.facts.grow(facts);
            if facts <= PAIRS {
                seen.pairs.grow(facts * facts);
            }
            self.seen_bytes += facts / 8 + seen.pairs.len() / 8 + 128;
        }
        let whole: Vec<u32>;
        let candidates: &[u32] = match changed {
            Some(operator) if task.operators[operator as usize].conditional.is_empty() => {
                &task.operators[operator as usize].effects.adds
            }
            _ => {
                whole = (0..facts as u32).collect();
                &whole
            }
        };
        // A change of nearness makes everything new: then all true facts are looked at.
        let first = seen.facts.is_clear() && seen.values.is_empty();
        let all: Vec<u32>;
        let candidates = if first {
            all = (0..facts as u32).collect();
            &all
        } else {
            candidates
        };
        for &fact in candidates.iter().filter(|&&fact| is_true(row, fact)) {
            single |= !seen.facts.put(fact as usize);
        }
        for (variable, &value) in row[task.words()..].iter().enumerate() {
            if seen.values.insert((variable as u32, value)) {
                single = true;
                self.seen_bytes += 16;
            }
        }
        if facts <= PAIRS {
            for &fact in candidates.iter().filter(|&&fact| is_true(row, fact)) {
                for (word, &bits) in row[..task.words()].iter().enumerate() {
                    let mut bits = bits;
                    while bits != 0 {
                        let other = word * 32 + bits.trailing_zeros() as usize;
                        bits &= bits - 1;
                        let (low, high) = if (fact as usize) < other { (fact as usize, other) } else { (other, fact as usize) };
                        double |= !seen.pairs.put(low * facts + high);
                    }
                }
            }
            self.field.steps += 4 * candidates.len() as u64;
        }
        match (single, double) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 3,
        }
    }

    fn bytes(&self) -> usize {
        self.seen_bytes + self.waiting * 8 + self.notes.len() * size_of::<Note>()
    }
}

impl Search for Novelty<'_> {
    fn advance(&mut self, work: u64, control: &Control) -> Status {
        let end = self.field.work() + work;
        if !self.started {
            self.started = true;
            if self.field.is_goal(0) {
                return Status::Solved(Vec::new());
            }
            if !self.enqueue(0, None, None) {
                return Status::Exhausted;
            }
        }
        loop {
            let Some(mut first) = self.open.first_entry() else { return self.field.nothing_left() };
            let Some(state) = first.get_mut().pop_front() else {
                first.remove();
                continue;
            };
            self.waiting -= 1;
            let note = self.notes[state as usize];
            self.field.find_applicable(state);
            let applicable = std::mem::take(&mut self.field.applicable);
            for &operator in &applicable {
                let Some(next) = self.field.take(state, operator, 1) else { continue };
                if self.field.is_goal(next) {
                    return Status::Solved(self.field.space.path(next));
                }
                self.enqueue(next, Some(note), Some(operator));
                if self.field.best.is_none_or(|best| self.notes[next as usize].goals < best) {
                    self.field.best = Some(self.notes[next as usize].goals);
                }
                if let Some(limit) = self.field.limit(control, self.bytes()) {
                    return limit;
                }
            }
            self.field.applicable = applicable;
            if let Some(limit) = self.field.limit(control, self.bytes()) {
                return limit;
            }
            if self.field.work() >= end {
                return Status::Open;
            }
        }
    }

    fn effort(&self) -> Effort {
        self.field.effort
    }
}
