//! Which recorded steps are to blame when no model of the class explains them all (docs/theory.md,
//! "Bad data").

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use surefoot_base::exact::{Echelon, Rational, Row};
use surefoot_base::ids::{Id, IdVec};
use surefoot_base::invariant::Invariant;
use surefoot_base::model::Lifted;

use super::inexact_outliers;
use crate::conclude::{literals, unexplained_together};
use crate::evidence::{
    ActionEvidence, ActiveColumns, LiftedAtomId, LiftedFunctionId, Observation, Pattern,
    TruthPairs, Vocabulary,
};

/// The rows to blame.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outliers {
    /// The rows of the steps, in ascending order.
    pub rows: Vec<usize>,
    /// Whether as few other rows may be to blame instead: then nobody can tell which.
    pub is_tied: bool,
}

/// The first of the smallest sets of rows, and whether another one is as small.
pub(crate) fn smallest(candidates: impl IntoIterator<Item = Vec<usize>>) -> Option<Outliers> {
    let mut candidates: Vec<Vec<usize>> = candidates.into_iter().collect();
    candidates.sort_by_key(Vec::len);
    let rows = candidates.first()?.clone();
    let is_tied =
        candidates.iter().take_while(|other| other.len() == rows.len()).any(|other| *other != rows);
    Some(Outliers { rows, is_tied })
}

/// The fewest rows found whose removal leaves an action that some model of the class explains.
/// Finding the very fewest is hard in general: each atom is settled by its cheapest effect, each
/// function by the largest of several maximal consistent sets of rows.
pub fn outliers(vocabulary: &Vocabulary, rows: &[Observation]) -> Outliers {
    let (mut removed, mut is_tied) = (BTreeSet::new(), false);
    for atom in vocabulary.atoms.ids() {
        let blamed = cheapest(vocabulary, rows, atom);
        removed.extend(blamed.rows);
        is_tied |= blamed.is_tied;
    }
    // What is left may still contradict itself through atoms that coincide.
    while let Err(contradiction) = literals::conclude(
        vocabulary,
        &evidence(vocabulary, rows, &removed).boolean(vocabulary),
        false,
    ) {
        let blamed: Vec<usize> = (0..rows.len())
            .filter(|index| !removed.contains(index))
            .filter(|&index| changes_class(vocabulary, &rows[index], &contradiction.class))
            .collect();
        if blamed.is_empty() {
            break;
        }
        // Not each of them need be wrong.
        is_tied |= blamed.len() > 1;
        removed.extend(blamed);
    }
    if vocabulary.is_inexact() {
        for function in vocabulary.functions.ids() {
            let blamed = inexact_outliers::outliers(vocabulary, rows, &removed, function);
            removed.extend(blamed.rows);
            is_tied |= blamed.is_tied;
        }
        return Outliers { rows: removed.into_iter().collect(), is_tied };
    }
    for function in vocabulary.functions.ids() {
        let blamed = inconsistent_changes(vocabulary, rows, &removed, function);
        removed.extend(blamed.rows);
        is_tied |= blamed.is_tied;
    }
    // If functions alias, the remaining steps may contradict what the functions do alone.
    while let Some(functions) =
        unexplained_together(vocabulary, &evidence(vocabulary, rows, &removed))
    {
        let shared: Vec<usize> = (0..rows.len())
            .filter(|index| !removed.contains(index))
            .filter(|&index| {
                rows[index].pattern.classes(&vocabulary.functions).contains(&functions)
            })
            .collect();
        let without_all: BTreeSet<usize> = removed.iter().chain(&shared).copied().collect();
        let blamed: Vec<usize> = shared
            .iter()
            .copied()
            .filter(|&index| {
                let without = without_all.iter().copied().filter(|&other| other != index).collect();
                unexplained_together(vocabulary, &evidence(vocabulary, rows, &without))
                    .is_some_and(|found| found == functions)
            })
            .collect();
        let blamed = if blamed.is_empty() { shared } else { blamed };
        // Not each of them need be wrong: one of several may be the one.
        is_tied |= blamed.len() > 1;
        removed.extend(blamed);
    }
    Outliers { rows: removed.into_iter().collect(), is_tied }
}

/// Whether a row shows that the atoms of a class change, which is one under its pattern.
fn changes_class(vocabulary: &Vocabulary, row: &Observation, class: &[LiftedAtomId]) -> bool {
    let classes = row.pattern.classes(&vocabulary.atoms);
    let place = classes.iter().position(|other| other[..] == *class);
    place.is_some_and(|place| row.seen[place].any(TruthPairs::ADDED.or(TruthPairs::DELETED)))
}

pub(crate) fn evidence(
    vocabulary: &Vocabulary,
    rows: &[Observation],
    without: &BTreeSet<usize>,
) -> ActionEvidence {
    let mut evidence = ActionEvidence::new();
    for (index, row) in rows.iter().enumerate() {
        if !without.contains(&index) {
            evidence.observe(vocabulary, row);
        }
    }
    evidence
}

/// The rows that contradict the effect on an atom that the fewest rows contradict.
pub(crate) fn cheapest(
    vocabulary: &Vocabulary,
    rows: &[Observation],
    atom: LiftedAtomId,
) -> Outliers {
    // Patterns are few, rows are many.
    let mut places: BTreeMap<&Pattern, Option<usize>> = BTreeMap::new();
    let mut seen: Vec<(usize, TruthPairs)> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let place = *places
            .entry(&row.pattern)
            .or_insert_with(|| alone(&row.pattern, &vocabulary.atoms, atom));
        seen.extend(place.map(|place| (index, row.seen[place])));
    }
    let excluded = [
        TruthPairs::FALSE_AFTER,
        TruthPairs::TRUE_AFTER,
        TruthPairs::ADDED.or(TruthPairs::DELETED),
    ];
    let candidates = excluded.map(|excluded| {
        seen.iter().filter(|(_, seen)| seen.any(excluded)).map(|(index, _)| *index).collect()
    });
    smallest(candidates).invariant("there are three candidates")
}

/// The place of the class of an atom, or of a function, under a pattern, if it is alone in it.
pub(crate) fn alone<I: Id, S: Copy + Eq + Hash>(
    pattern: &Pattern,
    lifted: &IdVec<I, Lifted<S>>,
    id: I,
) -> Option<usize> {
    pattern.classes(lifted).iter().position(|class| class[..] == [id])
}

/// How many orders of the rows are tried.
const ORDERS: u64 = 48;

/// The rows outside the largest set found on which the change of a function is an affine function
/// of the columns.
pub(crate) fn inconsistent_changes(
    vocabulary: &Vocabulary,
    rows: &[Observation],
    removed: &BTreeSet<usize>,
    function: LiftedFunctionId,
) -> Outliers {
    // Unknown values are not undefined: columns are read unless a step shows that they may have no
    // value.
    let kept: Vec<usize> = (0..rows.len()).filter(|index| !removed.contains(index)).collect();
    let active: ActiveColumns = (vocabulary.columns.ids())
        .filter(|&column| {
            let mut factors = vocabulary.columns[column].0.iter();
            !factors.any(|&factor| is_undefined_in_some(rows, &kept, factor))
        })
        .collect();
    // A step counts if it shows what the effect may read, and what became of the function.
    let may_be_undefined = is_undefined_in_some(rows, &kept, function);
    let left: Vec<usize> = (kept.iter().copied())
        .filter(|&index| {
            let row = &rows[index];
            let mut read = active.iter().flat_map(|&column| &vocabulary.columns[column].0);
            !row.unknown.after.contains(&function)
                && (row.is_known_before(function) || may_be_undefined)
                && read.all(|&factor| row.is_known_before(factor))
        })
        .collect();
    // If it aliases another function, its change is not its own.
    let mut patterns: BTreeMap<&Pattern, bool> = BTreeMap::new();
    let own: Vec<usize> = (left.iter().copied())
        .filter(|&index| {
            let pattern = &rows[index].pattern;
            *patterns
                .entry(pattern)
                .or_insert_with(|| alone(pattern, &vocabulary.functions, function).is_some())
        })
        .collect();
    let single = left.iter().all(|&index| rows[index].pattern == rows[left[0]].pattern);
    let mut left = if own.is_empty() && single { left } else { own };
    // What has no value before a step and none after it is changed by no step.
    let untouched: Vec<usize> = (left.iter().copied())
        .filter(|&index| rows[index].values_of(function) == (None, None))
        .collect();
    let changed: Vec<usize> = (left.iter().copied())
        .filter(|&index| {
            let (before, after) = rows[index].values_of(function);
            rows[index].is_known_before(function) && before != after
        })
        .collect();
    if untouched.is_empty() && changed.is_empty() {
        return Outliers::default();
    }
    let is_even = !changed.is_empty() && changed.len() == untouched.len();
    if changed.len() < untouched.len() {
        return Outliers { rows: changed, is_tied: false };
    }
    left.retain(|index| !untouched.contains(index));
    let by_value = is_undefined_in_some(rows, &left, function);
    left.retain(|&index| by_value || rows[index].is_known_before(function));
    let columns = active.len();
    let joint: Vec<Row> = left
        .iter()
        .map(|&index| {
            let target = match rows[index].values_of(function) {
                (Some(before), Some(after)) if !by_value => after - before,
                (_, after) => after.cloned().unwrap_or(Rational::ZERO),
            };
            let before = &rows[index].before;
            let values = active.iter().map(|&column| vocabulary.column_value(column, before));
            let vector: Vec<Rational> =
                values.map(|value| value.unwrap_or(Rational::ZERO)).chain([target]).collect();
            Row::point(&vector)
        })
        .collect();
    if is_affine(&Echelon::span(columns + 2, &joint), columns) {
        return Outliers { rows: untouched, is_tied: is_even };
    }
    let candidates = (0..ORDERS).map(|order| {
        let mut outside: Vec<usize> = places_outside(&joint, columns, order)
            .into_iter()
            .map(|place| left[place])
            .chain(untouched.iter().copied())
            .collect();
        outside.sort_unstable();
        outside
    });
    let found = smallest(candidates).invariant("at least one order is tried");
    Outliers { is_tied: found.is_tied || is_even, ..found }
}

/// Whether some of the rows at these places show that a function has no value before the step.
fn is_undefined_in_some(
    rows: &[Observation],
    places: &[usize],
    function: LiftedFunctionId,
) -> bool {
    places.iter().any(|&place| rows[place].is_undefined_before(function))
}

/// Whether the last coordinate of joint vectors is an affine function of the columns before it.
fn is_affine(hull: &Echelon, columns: usize) -> bool {
    !hull.pivots().contains(&(columns + 1))
}

/// The places of the joint vectors that do not fit, if each is added to those before it in some
/// order wherever all of these still lie on one affine map.
fn places_outside(joint: &[Row], columns: usize, order: u64) -> Vec<usize> {
    let mut sequence: Vec<usize> = (0..joint.len()).collect();
    // A different fixed order each time: the same rows, the same answer.
    sequence.sort_by_key(|&place| mixed(order, place as u64));
    let mut hull = Echelon::new(columns + 2);
    let mut outside = Vec::new();
    for place in sequence {
        if hull.contains(&joint[place]) {
            continue;
        }
        let mut grown = hull.clone();
        grown.insert(&joint[place]);
        if is_affine(&grown, columns) {
            hull = grown;
        } else {
            outside.push(place);
        }
    }
    outside
}

/// Scrambles a pair of numbers.
pub(crate) fn mixed(order: u64, place: u64) -> u64 {
    let mut x = (place ^ order.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x ^= x >> 29;
    x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^ (x >> 32)
}
