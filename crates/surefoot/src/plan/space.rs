//! The states that a search has met, each once, and how they were reached.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// How a state was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The state before.
    pub from: u32,
    /// The operator.
    pub operator: u32,
    /// How often it was taken.
    pub times: u32,
}

/// States in one block of memory, numbered in the order they were met; the first is the initial one.
pub struct Space {
    width: usize,
    rows: Vec<u32>,
    table: HashTable<u32>,
    arrivals: Vec<Arrival>,
}

impl Space {
    /// The space that holds the initial state only.
    pub fn new(initial: &[u32]) -> Self {
        let mut space = Space { width: initial.len(), rows: Vec::new(), table: HashTable::new(), arrivals: Vec::new() };
        space.insert(initial, Arrival { from: 0, operator: 0, times: 0 });
        space
    }

    /// Adds a state; `None` when it was met before.
    pub fn insert(&mut self, row: &[u32], arrival: Arrival) -> Option<u32> {
        let hash = hash(row);
        let (width, rows) = (self.width, &self.rows);
        let at = |state: u32| &rows[state as usize * width..][..width];
        if self.table.find(hash, |&state| at(state) == row).is_some() {
            return None;
        }
        let state = self.arrivals.len() as u32;
        self.rows.extend_from_slice(row);
        self.arrivals.push(arrival);
        let rows = &self.rows;
        self.table.insert_unique(hash, state, |&state| self::hash(&rows[state as usize * width..][..width]));
        Some(state)
    }

    /// The words of a state.
    pub fn row(&self, state: u32) -> &[u32] {
        &self.rows[state as usize * self.width..][..self.width]
    }

    /// How a state was reached.
    pub fn arrival(&self, state: u32) -> Arrival {
        self.arrivals[state as usize]
    }

    /// The operators that lead from the initial state to this one.
    pub fn path(&self, mut state: u32) -> Vec<u32> {
        let mut steps = Vec::new();
        while state != 0 {
            let Arrival { from, operator, times } = self.arrival(state);
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

fn hash(row: &[u32]) -> u64 {
    FxBuildHasher.hash_one(row)
}
