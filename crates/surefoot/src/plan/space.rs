//! The states that a search has met, each once, and how they were reached.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::ids::{OperatorId, StateId, Word};
use crate::ids::{Id, IdVec};

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
    table: HashTable<StateId>,
    /// How each state was reached; none for the initial one.
    arrivals: IdVec<StateId, Option<Arrival>>,
}

impl StateSpace {
    /// The space that holds the initial state only.
    pub fn new(initial: &[Word]) -> Self {
        let mut space = StateSpace { width: initial.len(), rows: Vec::new(), table: HashTable::new(), arrivals: IdVec::new() };
        space.add(initial, hash(initial), None);
        space
    }

    /// Adds a state; `None` when it was met before.
    pub fn insert(&mut self, row: &[Word], arrival: Arrival) -> Option<StateId> {
        let hash = hash(row);
        let (width, rows) = (self.width, &self.rows);
        if self.table.find(hash, |&state| row_of(rows, width, state) == row).is_some() {
            return None;
        }
        Some(self.add(row, hash, Some(arrival)))
    }

    fn add(&mut self, row: &[Word], hash: u64, arrival: Option<Arrival>) -> StateId {
        let state = self.arrivals.push(arrival);
        self.rows.extend_from_slice(row);
        let (width, rows) = (self.width, &self.rows);
        self.table.insert_unique(hash, state, |&state| self::hash(row_of(rows, width, state)));
        state
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
        self.rows.capacity() * 4 + self.arrivals.capacity() * size_of::<Arrival>() + self.table.capacity() * 6
    }
}

#[inline]
fn row_of(rows: &[Word], width: usize, state: StateId) -> &[Word] {
    &rows[state.index() * width..][..width]
}

fn hash(row: &[Word]) -> u64 {
    FxBuildHasher.hash_one(row)
}
