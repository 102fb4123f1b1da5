//! What an episode shows of declared facts.
//!
//! A declared fact is no column: rows show it only by what they do, and nothing else changes it. So
//! between two rows that may change it, it has one value. The earlier row shows which, by the value
//! it left. Where the fact has actions that make it true and actions that make it false, the later
//! row tells it as well: what makes it true found it false, and the other way round. Where both
//! tell and contradict each other, the fact is unknown all the way between them, and what rows find
//! is not relied on for any fact of that predicate in this episode. The start of an episode is such
//! a stretch, too: it begins with what the map says of the start and ends with the first row that
//! may change the fact.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use surefoot_base::model::{GroundAtom, PredicateId};

use crate::world::KnownWorld;

/// A row that may change a fact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    pub row: usize,
    /// The value before the row; `None`: the row does not show it.
    pub found: Option<bool>,
    /// The value after the row; `None`: the row does not show it.
    pub left: Option<bool>,
}

/// The rows of an episode that may change declared facts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Turns {
    of_atom: IndexMap<GroundAtom, Vec<Turn>, FxBuildHasher>,
    /// By predicate: the rows that may change any of its atoms, since they do not say which.
    of_any: FxHashMap<PredicateId, Vec<usize>>,
}

impl Turns {
    pub fn is_empty(&self) -> bool {
        self.of_atom.is_empty() && self.of_any.is_empty()
    }

    pub(super) fn add(&mut self, atom: GroundAtom, turn: Turn) {
        let turns = self.of_atom.entry(atom).or_default();
        match turns.last_mut() {
            // Two effects of one row on one atom: as in PDDL, it is true afterwards, and may have
            // been either.
            Some(last) if last.row == turn.row && last.left != turn.left => {
                *last = Turn {
                    row: turn.row,
                    found: None,
                    left: last.left.and(turn.left).map(|_| true),
                };
            }
            Some(last) if last.row == turn.row => {}
            _ => turns.push(turn),
        }
    }

    pub(super) fn add_any(&mut self, predicate: PredicateId, row: usize) {
        let rows = self.of_any.entry(predicate).or_default();
        if rows.last() != Some(&row) {
            rows.push(row);
        }
    }

    /// What all rows together show.
    pub fn declared_facts(self, world: &KnownWorld<'_>) -> DeclaredFacts {
        let mut facts = DeclaredFacts::default();
        let mut contradicted: FxHashSet<PredicateId> = FxHashSet::default();
        for (atom, turns) in &self.of_atom {
            for (row, _, left, found) in self.stretches(atom, turns, world) {
                if let (Some(row), Some(left), Some(found)) = (row, left, found)
                    && left != found
                {
                    facts.contradicted.entry(row).or_default().push((atom.clone(), left));
                    contradicted.insert(atom.symbol);
                }
            }
        }
        for (atom, turns) in &self.of_atom {
            for (_, since, left, found) in self.stretches(atom, turns, world) {
                let value = match (left, found) {
                    (Some(left), Some(found)) if left != found => None,
                    (None, found) if !contradicted.contains(&atom.symbol) => found,
                    (left, _) => left,
                };
                match since {
                    None => facts.at_start.push((atom.clone(), value)),
                    Some(row) => {
                        facts.after_row.entry(row).or_default().push((atom.clone(), value))
                    }
                }
            }
        }
        facts.turns = self;
        facts
    }

    /// The stretches of rows in which nothing changes an atom: the row that ends it, the one that
    /// begins it, what was left and what is found.
    fn stretches(
        &self,
        atom: &GroundAtom,
        turns: &[Turn],
        world: &KnownWorld<'_>,
    ) -> Vec<UnchangedSpan> {
        let any = self.of_any.get(&atom.symbol).map_or(&[][..], |rows| rows);
        let mut all: Vec<Turn> = any
            .iter()
            .map(|&row| Turn { row, found: None, left: None })
            .chain(turns.iter().copied())
            .collect();
        all.sort_by_key(|turn| turn.row);
        let (mut left, mut since) = (world.at_start(atom), None);
        let mut stretches = Vec::with_capacity(all.len() + 1);
        for turn in all {
            stretches.push((Some(turn.row), since, left, turn.found));
            (left, since) = (turn.left, Some(turn.row));
        }
        stretches.push((None, since, left, None));
        stretches
    }
}

/// Rows between which nothing changes an atom.
type UnchangedSpan = (Option<usize>, Option<usize>, Option<bool>, Option<bool>);

/// What the rows of an episode show of declared facts, including what later rows show of earlier
/// ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeclaredFacts {
    pub(super) at_start: Vec<(GroundAtom, Option<bool>)>,
    pub(super) after_row: FxHashMap<usize, Vec<(GroundAtom, Option<bool>)>>,
    /// By row: the facts that it did not find as it should, with what was left for it.
    pub(super) contradicted: FxHashMap<usize, Vec<(GroundAtom, bool)>>,
    /// The turns that this was derived from.
    pub turns: Turns,
}
