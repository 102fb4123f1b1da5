//! The states that a search has met, each once, and how they were reached.
//!
//! Where a task has variables whose values compare (see [`burden`](super::burden)), a state is met
//! again when one is that is the same but for these and is no better in any of them; and a state
//! that is no worse than one met before takes its place.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::burden::Burdens;
use super::ids::{NumberId, OperatorId, StateId, StateWord};
use super::number::NumberTable;
use super::task::GroundTask;
use surefoot_base::ids::{Id, IdSet, IdVec};

/// How a state was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The state before the last step.
    pub from: StateId,
    /// The operator that led here.
    pub operator: OperatorId,
    /// How often it was taken.
    pub times: u32,
}

/// States in one block of memory, numbered in the order they were met; the first is the initial
/// one.
pub struct StateSpace {
    width: usize,
    rows: Vec<StateWord>,
    /// States by all their words; with dominance only those that no front has room for.
    table: HashTable<StateId>,
    /// How each state was reached; none for the initial one.
    arrivals: IdVec<StateId, Option<Arrival>>,
    dominance: Option<Dominance>,
}

/// The states that differ in burdens and assets alone: for each key a *front* of states, none of
/// which dominates another.
struct Dominance {
    /// The words of a state between burdens and assets: its key.
    key: Vec<Range<usize>>,
    /// Where the words of variables begin.
    words: usize,
    burdens: Burdens,
    /// The first state of each front.
    fronts: HashTable<StateId>,
    /// For each state the next of its front.
    beside: IdVec<StateId, Option<StateId>>,
    /// States that one met later dominates.
    dominated: IdSet<StateId>,
}

/// The most states of a front: each new state is compared with all of them.
const FRONT: usize = 32;

impl StateSpace {
    /// The space that has only the initial state, and keeps dominated states.
    pub fn new(initial: &[StateWord]) -> Self {
        Self::with(initial, None)
    }

    /// The space that holds the initial state of a task only, and leaves out what is dominated.
    pub fn undominated(task: &GroundTask) -> Self {
        Self::with(&task.initial, Dominance::of(task))
    }

    fn with(initial: &[StateWord], dominance: Option<Dominance>) -> Self {
        let mut space = StateSpace {
            width: initial.len(),
            rows: Vec::new(),
            table: HashTable::new(),
            arrivals: IdVec::new(),
            dominance,
        };
        let state = space.push(initial, None);
        match &space.dominance {
            None => space.enter(state, hash(initial)),
            Some(dominance) => {
                let key = dominance.hash(initial);
                space.open_front(state, key);
            }
        }
        space
    }

    /// Adds a state; `None` when it was met before, or one that dominates it.
    pub fn insert(
        &mut self,
        row: &[StateWord],
        arrival: Arrival,
        numbers: &NumberTable,
    ) -> Option<StateId> {
        if self.dominance.is_some() {
            return self.insert_undominated(row, arrival, numbers);
        }
        let hash = hash(row);
        if self.is_known(row, hash) {
            return None;
        }
        let state = self.push(row, Some(arrival));
        self.enter(state, hash);
        Some(state)
    }

    fn insert_undominated(
        &mut self,
        row: &[StateWord],
        arrival: Arrival,
        numbers: &NumberTable,
    ) -> Option<StateId> {
        let (width, rows) = (self.width, &self.rows);
        let dominance = self.dominance.as_ref()?;
        let key = dominance.hash(row);
        let known = dominance
            .fronts
            .find(key, |&state| dominance.same_key(row_of(rows, width, state), row))
            .copied();
        let Some(known) = known else {
            let state = self.push(row, Some(arrival));
            self.open_front(state, key);
            return Some(state);
        };
        let (mut beside, mut worse) =
            (SmallVec::<[StateId; FRONT]>::new(), SmallVec::<[StateId; 4]>::new());
        let mut next = Some(known);
        while let Some(state) = next {
            let other = row_of(rows, width, state);
            match dominance.compare(other, row, numbers) {
                (true, _) => return None,
                (false, true) => worse.push(state),
                (false, false) => beside.push(state),
            }
            next = dominance.beside[state];
        }
        // If the front has no room, only an equal state counts as met before.
        if beside.len() >= FRONT {
            let hash = hash(row);
            if self.is_known(row, hash) {
                return None;
            }
            let state = self.push(row, Some(arrival));
            self.enter(state, hash);
            return Some(state);
        }
        let state = self.push(row, Some(arrival));
        let dominance = self.dominance.as_mut()?;
        if let Ok(entry) = dominance.fronts.find_entry(key, |&first| first == known) {
            *entry.into_mut() = state;
        }
        dominance.settle(state, &beside, &worse);
        Some(state)
    }

    fn is_known(&self, row: &[StateWord], hash: u64) -> bool {
        self.table.find(hash, |&state| row_of(&self.rows, self.width, state) == row).is_some()
    }

    /// Stores a state that is new.
    fn push(&mut self, row: &[StateWord], arrival: Option<Arrival>) -> StateId {
        self.rows.extend_from_slice(row);
        if let Some(dominance) = &mut self.dominance {
            dominance.beside.push(None);
        }
        self.arrivals.push(arrival)
    }

    /// Puts a state into the table.
    fn enter(&mut self, state: StateId, hash: u64) {
        let (width, rows) = (self.width, &self.rows);
        self.table.insert_unique(hash, state, |&state| self::hash(row_of(rows, width, state)));
    }

    /// Begins the front of a key.
    fn open_front(&mut self, state: StateId, key: u64) {
        let (width, rows) = (self.width, &self.rows);
        let Some(Dominance { fronts, key: ranges, .. }) = &mut self.dominance else { return };
        fronts.insert_unique(key, state, |&state| hash_key(ranges, row_of(rows, width, state)));
    }

    /// Whether a state met later dominates this one, so that nothing is lost without it.
    #[inline]
    pub fn is_dominated(&self, state: StateId) -> bool {
        self.dominance.as_ref().is_some_and(|dominance| dominance.dominated.contains(state))
    }

    /// The words of a state.
    pub fn row(&self, state: StateId) -> &[StateWord] {
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
        let dominance = self.dominance.as_ref().map_or(0, |dominance| {
            dominance.beside.capacity() * 4 + dominance.fronts.capacity() * 6
        });
        self.rows.capacity() * 4
            + self.arrivals.capacity() * size_of::<Arrival>()
            + self.table.capacity() * 6
            + dominance
    }
}

impl Dominance {
    /// `None` where the task has neither burdens nor assets.
    fn of(task: &GroundTask) -> Option<Self> {
        if task.burdens.is_empty() {
            return None;
        }
        let words = task.words();
        let compared: Vec<usize> =
            task.burdens.variables().map(|variable| words + variable.index()).collect();
        let starts = [0].into_iter().chain(compared.iter().map(|&word| word + 1));
        let ends = compared.iter().copied().chain([task.initial.len()]);
        let key = starts
            .zip(ends)
            .map(|(start, end)| start..end)
            .filter(|range| !range.is_empty())
            .collect();
        let burdens = task.burdens.clone();
        Some(Dominance {
            key,
            words,
            burdens,
            fronts: HashTable::new(),
            beside: IdVec::new(),
            dominated: IdSet::default(),
        })
    }

    fn hash(&self, row: &[StateWord]) -> u64 {
        hash_key(&self.key, row)
    }

    #[inline]
    fn same_key(&self, one: &[StateWord], other: &[StateWord]) -> bool {
        self.key.iter().all(|range| one[range.clone()] == other[range.clone()])
    }

    fn compare(
        &self,
        one: &[StateWord],
        other: &[StateWord],
        numbers: &NumberTable,
    ) -> (bool, bool) {
        self.burdens.compare(one, other, self.words, numbers)
    }

    /// Notes a new state with a known key, the states next to it in the front, and those it
    /// dominates.
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

/// Whether the number of one word of a state is at most that of another; what is undefined compares
/// with itself alone.
#[inline]
pub fn at_most(one: StateWord, other: StateWord, numbers: &NumberTable) -> bool {
    one == other
        || NumberId::of_word(one)
            .zip(NumberId::of_word(other))
            .is_some_and(|(one, other)| numbers.compare(one, other).is_le())
}

#[inline]
fn row_of(rows: &[StateWord], width: usize, state: StateId) -> &[StateWord] {
    &rows[state.index() * width..][..width]
}

fn hash(row: &[StateWord]) -> u64 {
    FxBuildHasher.hash_one(row)
}

/// The hash of the words of a state in these ranges.
fn hash_key(ranges: &[Range<usize>], row: &[StateWord]) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    let words = ranges.iter().flat_map(|range| &row[range.clone()]);
    words.for_each(|&word| hasher.write_u32(word));
    hasher.finish()
}
