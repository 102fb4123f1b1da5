//! What is remembered of the numbers of an inexact action.
//!
//! The residual of an affine map is a convex function of the joint vector (before, after), so of
//! all records of a target only the vertices of their hull matter: a set that can be merged, and
//! that does not grow with the records inside it. A few records are kept as they are: they lie near
//! a hyperplane, most of them are vertices, and finding out which costs more than a fit.

use std::collections::BTreeSet;

use surefoot_base::exact::{Rational, Row};
use surefoot_base::ids::{Id, IdVec};

use super::action::Observation;
use super::ids::{ActiveColumns, LiftedFunctionId};
use super::points::Points;
use super::vocabulary::Vocabulary;

/// By function, the joint vectors of its records.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointEvidence {
    /// By function that is a column: rows `(1, columns, value afterwards)`. Empty until something
    /// was recorded.
    targets: IdVec<LiftedFunctionId, Points>,
    /// Functions that were recorded to change by more than errors explain, or to get their first
    /// value.
    moved: BTreeSet<LiftedFunctionId>,
    /// Functions that got their first value.
    assigned: BTreeSet<LiftedFunctionId>,
}

impl JointEvidence {
    /// Adds a step without unknown values, with its vector over the columns.
    pub fn observe(
        &mut self,
        vocabulary: &Vocabulary,
        columns: &[Rational],
        observation: &Observation,
    ) {
        self.make_room(vocabulary);
        for (function, before, after) in observation.functions() {
            let Some(after) = after else { continue };
            if before.is_none() {
                self.moved.insert(function);
                self.assigned.insert(function);
            }
            if vocabulary.column_of(function).is_some() {
                let row: Vec<Rational> = columns.iter().chain([after]).cloned().collect();
                self.targets[function].insert(Row::point(&row), columns.len() + 1);
            }
        }
    }

    /// Notes what a step visibly changes.
    pub fn note_moved(&mut self, vocabulary: &Vocabulary, observation: &Observation) {
        for (function, before, after) in observation.functions() {
            if let (Some(before), Some(after)) = (before, after)
                && (after - before).abs() > &Rational::integer(2) * vocabulary.error(function)
            {
                self.moved.insert(function);
            }
        }
    }

    fn make_room(&mut self, vocabulary: &Vocabulary) {
        if self.targets.is_empty() {
            self.targets = IdVec::filled(Points::thinned_when_many(), vocabulary.functions.len());
        }
    }

    /// Adds all that another has.
    pub fn merge(&mut self, vocabulary: &Vocabulary, other: &JointEvidence) {
        self.moved.extend(&other.moved);
        if other.targets.is_empty() {
            return;
        }
        self.make_room(vocabulary);
        for (function, points) in other.targets.pairs() {
            self.targets[function].merge(points, vocabulary.columns.len() + 1);
        }
        self.assigned.extend(&other.assigned);
    }

    /// Sets columns to zero.
    pub fn refute(&mut self, zero: impl Fn(&Row) -> Row) {
        for points in self.targets.as_mut_slice() {
            *points = Points::restored(points.rows().map(&zero), points.is_thinned());
        }
    }

    /// Leaves what does not depend on the order of observations. Where columns were made zero, how
    /// many different vectors there were does, so only vertices are left.
    pub fn settle(&mut self, vocabulary: &Vocabulary, made_zero: bool) {
        for points in self.targets.as_mut_slice() {
            if made_zero {
                points.thin_in_the_end();
            }
            points.settle(vocabulary.columns.len() + 1);
        }
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    pub fn is_settled(&self) -> bool {
        self.targets.iter().all(Points::is_settled)
    }

    /// Functions that were recorded to change by more than errors explain, or to get their first
    /// value.
    pub fn moved(&self) -> &BTreeSet<LiftedFunctionId> {
        &self.moved
    }

    /// Functions that got their first value.
    pub fn assigned(&self) -> &BTreeSet<LiftedFunctionId> {
        &self.assigned
    }

    /// The records of a function: vectors over the active columns, and its value afterwards; each
    /// once, sorted.
    pub fn records(
        &self,
        columns: &ActiveColumns,
        function: LiftedFunctionId,
    ) -> Vec<(Vec<Rational>, Rational)> {
        let points = self.targets.get(function).into_iter().flat_map(Points::rows);
        let records: BTreeSet<(Vec<Rational>, Rational)> = points
            .map(|row| {
                let x = columns.iter().map(|column| row.coordinate(column.index() + 1));
                (x.collect(), row.coordinate(row.len() - 1))
            })
            .collect();
        records.into_iter().collect()
    }

    /// By function, whether only vertices are kept, and the rows, sorted, for a snapshot.
    pub fn rows(&self) -> impl Iterator<Item = (bool, BTreeSet<&Row>)> {
        self.targets.iter().map(|points| (points.is_thinned(), points.rows().collect()))
    }

    /// From what a snapshot holds.
    pub fn restore(
        targets: Vec<(bool, Vec<Row>)>,
        moved: BTreeSet<LiftedFunctionId>,
        assigned: BTreeSet<LiftedFunctionId>,
    ) -> Self {
        JointEvidence {
            targets: targets
                .into_iter()
                .map(|(thinned, rows)| Points::restored(rows, thinned))
                .collect(),
            moved,
            assigned,
        }
    }
}

impl PartialEq for JointEvidence {
    fn eq(&self, other: &Self) -> bool {
        self.moved == other.moved && self.assigned == other.assigned && self.rows().eq(other.rows())
    }
}
