//! Which records are to blame where no map is within the errors of all of them.
//!
//! A map through a few records shows how many others are near it; the largest crowd found is kept,
//! less what is farthest from it, until some map of the class is within the errors of all that is
//! left. Finding the very fewest is hard; this finds few.

use std::collections::BTreeSet;

use surefoot_base::exact::{Echelon, Rational, Row};
use surefoot_base::ids::{Id, first_ids};

use super::audit::{Outliers, mixed};
use crate::conclude::{Affine, Factors, RecordedOutcomes, explained, is_consistent};
use crate::evidence::{ActiveColumn, ActiveColumns, LiftedFunctionId, Observation, Vocabulary};

/// How many maps through a few records are tried.
const ORDERS: u64 = 48;

/// A record is near a map through other records if its distance is at most this many times what
/// errors explain: the other records are off, too.
const NEAR: i64 = 4;

/// A record: the number of its step, its vector, and the value afterwards.
struct Record {
    step: usize,
    x: Vec<Rational>,
    after: Rational,
}

/// The steps outside the largest set found on which some map of the class is within the errors.
pub(crate) fn outliers(
    vocabulary: &Vocabulary,
    rows: &[Observation],
    removed: &BTreeSet<usize>,
    function: LiftedFunctionId,
) -> Outliers {
    let Some(own) = vocabulary.column_of(function) else { return Outliers::default() };
    let steps: Vec<usize> = (0..rows.len())
        .filter(|step| {
            let row = &rows[*step];
            !removed.contains(step) && row.unknown.is_empty() && vocabulary.is_plain(&row.pattern)
        })
        .collect();
    // What has no value before a step and none after it is changed by no step.
    let (untouched, touched): (Vec<usize>, Vec<usize>) =
        steps.iter().copied().partition(|&step| rows[step].values_of(function) == (None, None));
    if !untouched.is_empty() {
        let most = &Rational::integer(2) * vocabulary.error(function);
        let moved: Vec<usize> = touched
            .into_iter()
            .filter(|&step| match rows[step].values_of(function) {
                (Some(before), Some(after)) => (after - before).abs() > most,
                (before, after) => before != after,
            })
            .collect();
        let is_tied = !moved.is_empty() && moved.len() == untouched.len();
        let rows = if moved.len() <= untouched.len() { moved } else { untouched };
        return Outliers { rows, is_tied };
    }
    let columns: ActiveColumns = vocabulary
        .columns
        .ids()
        .filter(|&column| {
            let mut factors = vocabulary.columns[column].0.iter();
            factors.all(|&factor| steps.iter().all(|&step| rows[step].before[factor].is_some()))
        })
        .collect();
    let records: Vec<Record> = steps
        .iter()
        .filter_map(|&step| {
            let before = &rows[step].before;
            let values = columns.iter().map(|&column| vocabulary.column_value(column, before));
            let x = values.collect::<Option<_>>()?;
            Some(Record { step, x, after: rows[step].after[function].clone()? })
        })
        .collect();
    let seen = InexactStep {
        records: &records,
        errors: columns.iter().map(|&column| vocabulary.column_error(column)).collect(),
        error: vocabulary.error(function).clone(),
        own: columns.position(|&column| column == own),
        factors: Factors::new(columns.iter().map(|&column| &vocabulary.columns[column].0)),
    };
    let all: Vec<usize> = (0..records.len()).collect();
    if seen.is_consistent(&all) {
        return Outliers::default();
    }
    let (kept, is_tied) = seen.crowd();
    let kept: BTreeSet<usize> = kept.into_iter().collect();
    let outside = all.into_iter().filter(|place| !kept.contains(place));
    Outliers { rows: outside.map(|place| records[place].step).collect(), is_tied }
}

struct InexactStep<'r> {
    records: &'r [Record],
    errors: Vec<Rational>,
    error: Rational,
    own: Option<ActiveColumn>,
    factors: Factors,
}

impl InexactStep<'_> {
    /// Whether some map of the class is within the errors of these records.
    fn is_consistent(&self, places: &[usize]) -> bool {
        let records: BTreeSet<(Vec<Rational>, Rational)> = places
            .iter()
            .map(|&place| (self.records[place].x.clone(), self.records[place].after.clone()))
            .collect();
        let records: Vec<(Vec<Rational>, Rational)> = records.into_iter().collect();
        let InexactStep { errors, error, own, factors, .. } = self;
        let target = RecordedOutcomes {
            records: &records,
            errors,
            error: error.clone(),
            own: *own,
            factors,
            equations: &[],
            beyond: false,
        };
        is_consistent(&target)
    }

    /// Many records that some map of the class explains, and whether as many others are near
    /// another map.
    fn crowd(&self) -> (Vec<usize>, bool) {
        let candidates: Vec<(Vec<usize>, Affine)> = (0..ORDERS)
            .filter_map(|order| self.through(order))
            .map(|map| (self.near(&map), map))
            .collect();
        let Some((near, map)) = candidates.iter().max_by_key(|(near, _)| near.len()) else {
            return (Vec::new(), false);
        };
        let is_tied =
            candidates.iter().any(|(other, _)| other.len() == near.len() && other != near);
        let mut near = near.clone();
        near.sort_by_key(|&place| std::cmp::Reverse(self.distance(map, place)));
        // The farthest first, and ever more of them: some are left that are consistent, since a
        // single record is.
        let mut dropped = 0;
        let mut more = 1;
        while dropped < near.len() && !self.is_consistent(&near[dropped..]) {
            dropped += more;
            more *= 2;
        }
        (near.split_off(dropped.min(near.len())), is_tied)
    }

    /// A map through the first records of an order that determine one.
    fn through(&self, order: u64) -> Option<Affine> {
        let mut sequence: Vec<usize> = (0..self.records.len()).collect();
        // A different fixed order each time: the same records, the same answer.
        sequence.sort_by_key(|&place| mixed(order, place as u64));
        let columns = self.errors.len();
        let mut vectors = Echelon::new(columns + 1);
        let mut joint = Echelon::new(columns + 2);
        for place in sequence {
            let Record { x, after, .. } = &self.records[place];
            if vectors.insert(&Row::point(x)) {
                let row: Vec<Rational> = x.iter().chain([after]).cloned().collect();
                joint.insert(&Row::point(&row));
            }
        }
        explained(&joint, &first_ids(columns).collect::<Vec<ActiveColumn>>())
    }

    fn distance(&self, map: &Affine, place: usize) -> Rational {
        let Record { x, after, .. } = &self.records[place];
        (&map.at(x) - after).abs()
    }

    fn near(&self, map: &Affine) -> Vec<usize> {
        let read = map
            .terms
            .iter()
            .map(|(column, coefficient)| &coefficient.abs() * &self.errors[column.index()]);
        let slack = read.fold(self.error.clone(), |sum, term| &sum + &term);
        let most = &slack * &Rational::integer(NEAR);
        (0..self.records.len()).filter(|&place| self.distance(map, place) <= most).collect()
    }
}
