//! The states that a search has met, each once, and how they were reached.
//!
//! Where a task has variables of which less never hurts (see [`burden`](super::burden)), a state is met again when one is that is the
//! same but for these and has no more of any of them; and a state that has less than one met before takes its place.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::ids::{NumberId, OperatorId, StateId, Word};
use super::number::NumberTable;
use super::task::GroundTask;
use surefoot_base::ids::{Id, IdSet, IdVec};

/// How a state was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The state before.
    pub from: StateId,
    /// The operator.
    pub operator: OperatorId,
    /// How often it was taken.
    pub times: u32,
}

/// States in one block of memory, numbered in the order they were met; the first is the initial one.
pub struct StateSpace {
    width: usize,
    rows: Vec<Word>,
    /// One state of each key: of those that are the same but for burdens.
    table: HashTable<StateId>,
    /// How each state was reached; none for the initial one.
    arrivals: IdVec<StateId, Option<Arrival>>,
    dominance: Option<Dominance>,
}

/// What is known of states that differ in burdens alone.
struct Dominance {
    /// The words of a state between burdens: its key.
    key: Vec<Range<usize>>,
    /// The words of a state that are burdens.
    burdens: Vec<usize>,
    /// For each state, another one of its key, neither of which dominates the other; from the one in the table on these are all.
    beside: IdVec<StateId, Option<StateId>>,
    /// States that one met later dominates.
    dominated: IdSet<StateId>,
}

impl StateSpace {
    /// The space that holds the initial state only, and tells all states apart.
    pub fn new(initial: &[Word]) -> Self {
        Self::with(initial, None)
    }

    /// The space that holds the initial state of a task only, and leaves out what is dominated.
    pub fn undominated(task: &GroundTask) -> Self {
        Self::with(&task.initial, Dominance::of(task))
    }

    fn with(initial: &[Word], dominance: Option<Dominance>) -> Self {
        let mut space =
            StateSpace { width: initial.len(), rows: Vec::new(), table: HashTable::new(), arrivals: IdVec::new(), dominance };
        let state = space.push(initial, None);
        let hash = hash(initial, space.dominance.as_ref());
        space.enter(state, hash);
        space
    }

    /// Adds a state; `None` when it was met before, or one that dominates it.
    pub fn insert(&mut self, row: &[Word], arrival: Arrival, numbers: &NumberTable) -> Option<StateId> {
        let hash = hash(row, self.dominance.as_ref());
        let (width, rows) = (self.width, &self.rows);
        let Some(dominance) = &self.dominance else {
            if self.table.find(hash, |&state| row_of(rows, width, state) == row).is_some() {
                return None;
            }
            let state = self.push(row, Some(arrival));
            self.enter(state, hash);
            return Some(state);
        };
        let known = self.table.find(hash, |&state| dominance.same_key(row_of(rows, width, state), row)).copied();
        let Some(known) = known else {
            let state = self.push(row, Some(arrival));
            self.enter(state, hash);
            return Some(state);
        };
        let (mut beside, mut worse) = (SmallVec::<[StateId; 4]>::new(), SmallVec::<[StateId; 4]>::new());
        let mut next = Some(known);
        while let Some(state) = next {
            let other = row_of(rows, width, state);
            if dominance.is_no_worse(other, row, numbers) {
                return None;
            }
            if dominance.is_no_worse(row, other, numbers) {
                worse.push(state)
            } else {
                beside.push(state)
            }
            next = dominance.beside[state];
        }
        let state = self.push(row, Some(arrival));
        let (width, rows) = (self.width, &self.rows);
        if let Some(dominance) = &mut self.dominance {
            if let Some(entry) = self.table.find_mut(hash, |&state| dominance.same_key(row_of(rows, width, state), row)) {
                *entry = state;
            }
            dominance.settle(state, &beside, &worse);
        }
        Some(state)
    }

    /// Stores a state.
    fn push(&mut self, row: &[Word], arrival: Option<Arrival>) -> StateId {
        self.rows.extend_from_slice(row);
        if let Some(dominance) = &mut self.dominance {
            dominance.beside.push(None);
        }
        self.arrivals.push(arrival)
    }

    /// Puts the first state of a key into the table.
    fn enter(&mut self, state: StateId, hash: u64) {
        let (width, rows, dominance) = (self.width, &self.rows, self.dominance.as_ref());
        self.table.insert_unique(hash, state, |&state| self::hash(row_of(rows, width, state), dominance));
    }

    /// Whether a state met later dominates this one, so that nothing is lost without it.
    #[inline]
    pub fn is_dominated(&self, state: StateId) -> bool {
        self.dominance.as_ref().is_some_and(|dominance| dominance.dominated.contains(state))
    }

    /// The words of a state.
    pub fn row(&self, state: StateId) -> &[Word] {
        row_of(&self.rows, self.width, state)
    }

    /// The operators that lead from the initial state to this one.
    pub fn path(&self, mut state: StateId) -> Vec<OperatorId> {
        let mut steps = Vec::new();
        while let Some(Arrival { from, operator, times }) = self.arrivals[state] {
            steps.extend(std::iter::repeat_n(operator, times as usize));
            state = from;
        }
        steps.reverse();
        steps
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.arrivals.len()
    }

    /// How many bytes are held.
    pub fn bytes(&self) -> usize {
        let dominance = self.dominance.as_ref().map_or(0, |dominance| dominance.beside.capacity() * 4);
        self.rows.capacity() * 4 + self.arrivals.capacity() * size_of::<Arrival>() + self.table.capacity() * 6 + dominance
    }
}

impl Dominance {
    /// `None` where the task has no burdens.
    fn of(task: &GroundTask) -> Option<Self> {
        if task.burdens.is_empty() {
            return None;
        }
        let burdens: Vec<usize> = task.burdens.variables().iter().map(|variable| task.words() + variable.index()).collect();
        let starts = [0].into_iter().chain(burdens.iter().map(|&word| word + 1));
        let ends = burdens.iter().copied().chain([task.initial.len()]);
        let key = starts.zip(ends).map(|(start, end)| start..end).filter(|range| !range.is_empty()).collect();
        Some(Dominance { key, burdens, beside: IdVec::new(), dominated: IdSet::default() })
    }

    #[inline]
    fn same_key(&self, one: &[Word], other: &[Word]) -> bool {
        self.key.iter().all(|range| one[range.clone()] == other[range.clone()])
    }

    /// Whether the one state has no more of any burden than the other.
    fn is_no_worse(&self, one: &[Word], other: &[Word], numbers: &NumberTable) -> bool {
        self.burdens.iter().all(|&word| at_most(one[word], other[word], numbers))
    }

    /// Notes a new state of a key that is known, the states beside it, and those it dominates.
    fn settle(&mut self, state: StateId, beside: &[StateId], worse: &[StateId]) {
        let mut last = state;
        for &other in beside {
            self.beside[last] = Some(other);
            last = other;
        }
        self.beside[last] = None;
        for &other in worse {
            self.dominated.grow(other.index() + 1);
            self.dominated.insert(other);
        }
    }
}

/// Whether the number of one word of a state is at most that of another; what is undefined compares with itself alone.
#[inline]
pub fn at_most(one: Word, other: Word, numbers: &NumberTable) -> bool {
    one == other
        || NumberId::of_word(one).zip(NumberId::of_word(other)).is_some_and(|(one, other)| numbers.compare(one, other).is_le())
}

#[inline]
fn row_of(rows: &[Word], width: usize, state: StateId) -> &[Word] {
    &rows[state.index() * width..][..width]
}

fn hash(row: &[Word], dominance: Option<&Dominance>) -> u64 {
    let Some(dominance) = dominance else { return FxBuildHasher.hash_one(row) };
    let mut hasher = FxBuildHasher.build_hasher();
    let words = dominance.key.iter().flat_map(|range| &row[range.clone()]);
    words.for_each(|&word| hasher.write_u32(word));
    hasher.finish()
}
