//! What steps show if their records do not have every number (docs/theory.md, "Unknown values").
//!
//! A part of a step can be left out without risk: what is learned from less is allowed by all
//! models that explain more. So a step teaches by what it records. Which numbers it tells is its
//! *mask*, and of the steps of one mask only the affine hull of what they tell matters, as it does
//! for steps that tell all. Values before and after are kept as they were recorded, not as changes,
//! so that nothing here depends on what becomes known later, such as that a function can be
//! undefined.

use std::collections::{BTreeMap, BTreeSet};

use dashu_int::IBig;
use surefoot_base::exact::{Echelon, Rational, Row};
use surefoot_base::ids::Id;
use surefoot_base::invariant::Invariant;

use super::action::Observation;
use super::ids::{ActiveColumns, ColumnId, LiftedFunctionId};
use super::vocabulary::Vocabulary;

/// The functions whose value the record of a step leaves unknown.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct UnknownValues {
    /// Unknown before the step.
    pub before: BTreeSet<LiftedFunctionId>,
    /// Unknown after the step.
    pub after: BTreeSet<LiftedFunctionId>,
}

impl UnknownValues {
    /// Whether all values are known.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }
}

/// The steps of one binding pattern that do not record all numbers, by the places of those they
/// record.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PartialSteps {
    pub(crate) by_mask: BTreeMap<Mask, MaskedSteps>,
}

/// The places of a row that are known, ascending.
pub(crate) type Mask = Vec<usize>;

/// What the steps of one mask show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MaskedSteps {
    /// The affine hull of their rows; zero where nothing is known.
    pub(crate) hull: Echelon,
    /// The functions whose value changed in some of them, or that got their first one.
    pub(crate) changed: BTreeSet<LiftedFunctionId>,
}

/// Where in a row `(1, columns, values before of functions that are no columns, values after)` what
/// stands.
pub(crate) struct Places<'v> {
    vocabulary: &'v Vocabulary,
    without_column: Vec<LiftedFunctionId>,
}

impl<'v> Places<'v> {
    pub fn new(vocabulary: &'v Vocabulary) -> Self {
        let all = vocabulary.functions.ids();
        Places {
            vocabulary,
            without_column: all
                .filter(|&function| vocabulary.column_of(function).is_none())
                .collect(),
        }
    }

    pub fn width(&self) -> usize {
        1 + self.vocabulary.columns.len()
            + self.without_column.len()
            + self.vocabulary.functions.len()
    }

    fn before(&self, function: LiftedFunctionId) -> usize {
        match self.vocabulary.column_of(function) {
            Some(column) => column.entry(),
            None => {
                let place = self.without_column.iter().position(|&other| other == function);
                let place =
                    place.invariant("a function without a column is among those without one");
                1 + self.vocabulary.columns.len() + place
            }
        }
    }

    fn after(&self, function: LiftedFunctionId) -> usize {
        1 + self.vocabulary.columns.len() + self.without_column.len() + function.index()
    }

    /// The known values of a step, and its mask. A function without a value before counts as
    /// unknown there: its columns are read by nothing.
    fn row(&self, observation: &Observation) -> (Mask, Row) {
        let mut entries = vec![None; self.width()];
        entries[0] = Some(Rational::ONE);
        for column in self.vocabulary.columns.ids() {
            entries[column.entry()] = self.vocabulary.column_value(column, &observation.before);
        }
        for &function in &self.without_column {
            entries[self.before(function)] = observation.before[function].clone();
        }
        for function in self.vocabulary.functions.ids() {
            entries[self.after(function)] = observation.after[function].clone();
        }
        let mask = (0..entries.len()).filter(|&place| entries[place].is_some()).collect();
        let known: Vec<Rational> =
            entries.into_iter().map(|entry| entry.unwrap_or(Rational::ZERO)).collect();
        (mask, Row::direction(&known))
    }
}

impl PartialSteps {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_mask.is_empty()
    }

    /// Adds the observation of a step.
    pub(crate) fn observe(&mut self, vocabulary: &Vocabulary, observation: &Observation) {
        let places = Places::new(vocabulary);
        let (mask, row) = places.row(observation);
        let steps = self.by_mask.entry(mask).or_insert_with(|| MaskedSteps {
            hull: Echelon::new(places.width()),
            changed: BTreeSet::new(),
        });
        steps.hull.insert(&row);
        let changed = observation
            .functions()
            .filter(|(_, before, after)| before != after)
            .map(|(function, ..)| function);
        steps.changed.extend(changed.filter(|&function| observation.is_known(function)));
    }

    /// Adds what others saw.
    pub(crate) fn merge(&mut self, other: &PartialSteps) {
        for (mask, theirs) in &other.by_mask {
            match self.by_mask.get_mut(mask) {
                None => drop(self.by_mask.insert(mask.clone(), theirs.clone())),
                Some(ours) => {
                    ours.hull.merge(&theirs.hull);
                    ours.changed.extend(&theirs.changed);
                }
            }
        }
    }

    /// Whether a step shows a function to change.
    pub(crate) fn changes(&self, function: LiftedFunctionId) -> bool {
        self.by_mask.values().any(|steps| steps.changed.contains(&function))
    }

    /// What is told of a function by the steps that tell all active columns and what became of it:
    /// whether some of them change it, and rows `(1, active columns, change, value after)`. With
    /// `by_value`, of a function whose value before counts for nothing; the change is zero then.
    pub(crate) fn of_function(
        &self,
        places: &Places<'_>,
        columns: &ActiveColumns,
        function: LiftedFunctionId,
        by_value: bool,
    ) -> (bool, Vec<Row>) {
        let (before, after) = (places.before(function), places.after(function));
        let mut needed: Vec<usize> =
            columns.iter().map(|&column: &ColumnId| column.entry()).chain([after]).collect();
        if !by_value {
            needed.push(before);
        }
        let (mut changed, mut rows) = (false, Vec::new());
        for (mask, steps) in &self.by_mask {
            if !needed.iter().all(|place| mask.binary_search(place).is_ok()) {
                continue;
            }
            changed |= steps.changed.contains(&function);
            rows.extend(steps.hull.rows().iter().map(|row| {
                let change =
                    if by_value { IBig::ZERO } else { row.integer(after) - row.integer(before) };
                let kept = std::iter::once(0).chain(columns.iter().map(|&column| column.entry()));
                Row::from_integers(
                    kept.map(|place| row.integer(place))
                        .chain([change, row.integer(after)])
                        .collect(),
                )
            }));
        }
        (changed, rows)
    }
}
