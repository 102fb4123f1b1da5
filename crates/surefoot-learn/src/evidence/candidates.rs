//! What the steps that worked leave open about the precondition of an action: which literals may be
//! part of it, which columns it may read, the vectors it admits, and where effects cannot be in
//! conflict.
//!
//! More steps only close more: literals and columns leave, vectors and hulls grow. Whatever is
//! concluded from a failure with these stays true of it (docs/theory.md, "Failures").

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;
use surefoot_base::exact::{Echelon, Rational, Row};
use surefoot_base::ids::{Id, IdVec};

use super::action::{ActionEvidence, Layout};
use super::binding::Pattern;
use super::ids::{ActiveColumn, ActiveColumns, EqualityId, LiftedAtomId, LiftedFunctionId};
use super::truth_pairs::TruthPairs;
use super::vocabulary::Vocabulary;

/// What is open about an action's precondition.
pub(crate) struct Open<'a> {
    pub vocabulary: &'a Vocabulary,
    pub evidence: &'a ActionEvidence,
    /// The columns that conditions and effects may read.
    pub columns: ActiveColumns,
    /// The vectors of steps that worked, over these columns.
    pub points: Vec<Vec<Rational>>,
    /// By atom: whether the precondition may ask for it.
    pub positive: IdVec<LiftedAtomId, bool>,
    /// By atom: whether the precondition may ask for its absence.
    pub negative: IdVec<LiftedAtomId, bool>,
    /// By active column: how far two records may be apart because of their errors; zero where
    /// records are exact.
    pub margins: IdVec<ActiveColumn, Rational>,
    /// By equality: whether the precondition may ask for it.
    pub equal: IdVec<EqualityId, bool>,
    /// By equality: whether the precondition may ask for the opposite.
    pub different: IdVec<EqualityId, bool>,
    pub conflicts: Conflicts,
}

/// Where numeric effects cannot be in conflict. Members of an observed cell are of one kind, and
/// assignments that agree on some vectors agree on their affine hull.
#[derive(Clone)]
pub(crate) struct Conflicts {
    /// By set of functions that aliased: the affine hull of the vectors with which they did, over
    /// the active columns.
    hulls: BTreeMap<Vec<LiftedFunctionId>, Echelon>,
    /// The functions that nothing changes.
    untouched: BTreeSet<LiftedFunctionId>,
    /// Whether records have errors: then effects may be in conflict whenever two functions alias.
    inexact: bool,
}

/// What is open for one binding pattern.
pub(crate) struct OpenPattern<'a> {
    /// By class of atoms, whether it matters that it is true, and that it is false.
    pub positive: FixedBitSet,
    pub negative: FixedBitSet,
    /// For each cell with several members that may change: the hull of where it was observed to end
    /// well, if it was observed.
    shared: Vec<Option<&'a Echelon>>,
}

impl<'a> Open<'a> {
    pub fn new(vocabulary: &'a Vocabulary, evidence: &'a ActionEvidence) -> Self {
        let columns = evidence.columns(vocabulary);
        let boolean = evidence.boolean(vocabulary);
        let mut seen: IdVec<LiftedAtomId, TruthPairs> =
            IdVec::filled(TruthPairs::default(), vocabulary.atoms.len());
        for (class, pairs) in &boolean.classes {
            class.iter().for_each(|&atom| seen[atom] = seen[atom].or(*pairs));
        }
        let mut hulls: BTreeMap<Vec<LiftedFunctionId>, Echelon> = BTreeMap::new();
        let layout = Layout::new(vocabulary);
        for (pattern, entry) in &evidence.patterns {
            for cell in
                pattern.classes(&vocabulary.functions).into_iter().filter(|cell| cell.len() > 1)
            {
                let hull = hulls.entry(cell).or_insert_with(|| Echelon::new(columns.len() + 1));
                for row in entry.joint.rows() {
                    let places = std::iter::once(0)
                        .chain(columns.iter().map(|&column| layout.column(column)));
                    hull.insert(&Row::from_integers(
                        places.map(|place| row.integer(place)).collect(),
                    ));
                }
            }
        }
        Open {
            points: evidence.points(&columns),
            margins: columns
                .iter()
                .map(|&column| &vocabulary.column_error(column) * &Rational::integer(2))
                .collect(),
            columns,
            positive: seen.iter().map(|seen| !seen.any(TruthPairs::FALSE_BEFORE)).collect(),
            negative: seen.iter().map(|seen| !seen.any(TruthPairs::TRUE_BEFORE)).collect(),
            equal: boolean.equalities.iter().map(|(_, failed)| !failed).collect(),
            different: boolean.equalities.iter().map(|(held, _)| !held).collect(),
            conflicts: Conflicts {
                hulls,
                untouched: evidence.untouched.clone(),
                inexact: vocabulary.is_inexact(),
            },
            vocabulary,
            evidence,
        }
    }

    pub fn pattern(&self, pattern: &Pattern) -> OpenPattern<'_> {
        let classes = pattern.classes(&self.vocabulary.atoms);
        let shared = self.conflicts.shared(self.vocabulary, pattern);
        OpenPattern {
            positive: open_classes(&classes, &self.positive),
            negative: open_classes(&classes, &self.negative),
            shared,
        }
    }

    /// The places of the columns all of whose factors have a value.
    pub fn defined(&self, functions: &FixedBitSet) -> Vec<ActiveColumn> {
        let defined = self.columns.ids().filter(|&column| {
            let mut factors = self.vocabulary.columns[self.columns[column]].0.iter();
            factors.all(|function| functions.contains(function.index()))
        });
        defined.collect()
    }

    /// The observed vectors over some columns, each once.
    pub fn points_over(&self, columns: &[ActiveColumn]) -> Vec<Vec<Rational>> {
        let mut narrowed: Vec<Vec<Rational>> =
            self.points.iter().map(|point| over(point, columns)).collect();
        narrowed.sort();
        narrowed.dedup();
        narrowed
    }
}

/// The classes of atoms some of which may be asked for.
fn open_classes(classes: &[Vec<LiftedAtomId>], open: &IdVec<LiftedAtomId, bool>) -> FixedBitSet {
    let mut bits = FixedBitSet::with_capacity(classes.len());
    for (place, class) in classes.iter().enumerate() {
        if class.iter().any(|&atom| open[atom]) {
            bits.insert(place);
        }
    }
    bits
}

impl OpenPattern<'_> {
    /// Whether numeric effects cannot be in conflict at a vector in which only some columns have a
    /// value.
    pub fn free_of_conflict(&self, columns: &[ActiveColumn], x: &[Rational]) -> bool {
        free_of_conflict(&self.shared, columns, x)
    }
}

impl Conflicts {
    /// For each cell of a pattern with several members that may change: the hull of its
    /// observations, if there are any.
    fn shared(&self, vocabulary: &Vocabulary, pattern: &Pattern) -> Vec<Option<&Echelon>> {
        if self.inexact && !vocabulary.is_plain(pattern) {
            return vec![None];
        }
        let cells = pattern.classes(&vocabulary.functions).into_iter();
        cells
            .filter(|cell| {
                cell.iter().filter(|&function| !self.untouched.contains(function)).count() > 1
            })
            .map(|cell| self.hulls.get(&cell))
            .collect()
    }

    /// Whether numeric effects cannot be in conflict at a vector under a pattern.
    pub fn excluded(
        &self,
        vocabulary: &Vocabulary,
        pattern: &Pattern,
        columns: &[ActiveColumn],
        x: &[Rational],
    ) -> bool {
        free_of_conflict(&self.shared(vocabulary, pattern), columns, x)
    }
}

fn free_of_conflict(shared: &[Option<&Echelon>], columns: &[ActiveColumn], x: &[Rational]) -> bool {
    shared.iter().all(|hull| {
        hull.is_some_and(|hull| {
            let places: Vec<usize> =
                std::iter::once(0).chain(columns.iter().map(|column| column.entry())).collect();
            let rows = hull.rows().iter().map(|row| {
                Row::from_integers(places.iter().map(|&place| row.integer(place)).collect())
            });
            let hull = Echelon::span(places.len(), rows);
            hull.contains(&Row::point(&over(x, columns)))
        })
    })
}

/// A vector over some columns.
pub(crate) fn over(x: &[Rational], columns: &[ActiveColumn]) -> Vec<Rational> {
    columns.iter().map(|column| x[column.index()].clone()).collect()
}
