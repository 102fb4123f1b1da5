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
    ActionEvidence, ActiveColumns, ColumnId, LiftedAtomId, LiftedFunctionId, Observation, Pattern,
    TruthPairs, Vocabulary,
};

/// The rows to blame.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outliers {
    /// The rows, ascending.
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
        let shows = |row: &Observation| {
            let classes = row.pattern.classes(&vocabulary.atoms);
            let place = classes.iter().position(|class| *class == contradiction.class);
            place
                .is_some_and(|place| row.seen[place].any(TruthPairs::ADDED.or(TruthPairs::DELETED)))
        };
        let blamed: Vec<usize> = (0..rows.len())
            .filter(|index| !removed.contains(index) && shows(&rows[*index]))
            .collect();
        if blamed.is_empty() {
            break;
        }
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
        let together =
            |row: &Observation| row.pattern.classes(&vocabulary.functions).contains(&functions);
        let shared: Vec<usize> = (0..rows.len())
            .filter(|index| !removed.contains(index) && together(&rows[*index]))
            .collect();
        let without_all: BTreeSet<usize> = removed.iter().chain(&shared).copied().collect();
        let alone_to_blame = |&index: &usize| {
            let without = without_all.iter().copied().filter(|&other| other != index).collect();
            unexplained_together(vocabulary, &evidence(vocabulary, rows, &without))
                .is_some_and(|found| found == functions)
        };
        let blamed: Vec<usize> = shared.iter().copied().filter(alone_to_blame).collect();
        // Each of several steps that alone is to blame may be the one.
        is_tied |= blamed.len() > 1;
        removed.extend(if blamed.is_empty() { shared } else { blamed });
    }
    Outliers { rows: removed.into_iter().collect(), is_tied }
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
    let against = |excluded: TruthPairs| -> Vec<usize> {
        seen.iter().filter(|(_, seen)| seen.any(excluded)).map(|(index, _)| *index).collect()
    };
    let candidates = [
        against(TruthPairs::FALSE_AFTER),
        against(TruthPairs::TRUE_AFTER),
        against(TruthPairs::ADDED.or(TruthPairs::DELETED)),
    ];
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
    let undefined = |function: LiftedFunctionId| {
        kept.iter().any(|&index| rows[index].is_undefined_before(function))
    };
    let active: ActiveColumns = (vocabulary.columns.ids())
        .filter(|&column| !vocabulary.columns[column].0.iter().any(|&factor| undefined(factor)))
        .collect();
    // A step counts if it shows what the effect may read, and what became of the function.
    let may_be_undefined = undefined(function);
    let shows = |index: &usize| {
        let row = &rows[*index];
        let is_known = |factor: &LiftedFunctionId| row.is_known_before(*factor);
        !row.unknown.after.contains(&function)
            && (is_known(&function) || may_be_undefined)
            && active.iter().all(|&column| vocabulary.columns[column].0.iter().all(is_known))
    };
    let left: Vec<usize> = kept.iter().copied().filter(shows).collect();
    // If it aliases another function, its change is not its own.
    let mut patterns: BTreeMap<&Pattern, bool> = BTreeMap::new();
    let mut is_alone = |index: &usize| {
        let pattern = &rows[*index].pattern;
        *patterns
            .entry(pattern)
            .or_insert_with(|| alone(pattern, &vocabulary.functions, function).is_some())
    };
    let own: Vec<usize> = left.iter().copied().filter(|index| is_alone(index)).collect();
    let single = left.iter().all(|&index| rows[index].pattern == rows[left[0]].pattern);
    let mut left = if own.is_empty() && single { left } else { own };
    // What has no value before a step and none after it is changed by no step.
    let values = |index: usize| {
        (rows[index].before[function].as_ref(), rows[index].after[function].as_ref())
    };
    let untouched: Vec<usize> =
        left.iter().copied().filter(|&index| values(index) == (None, None)).collect();
    let is_known = |index: usize| rows[index].is_known_before(function);
    let is_changed = |index: &usize| is_known(*index) && values(*index).0 != values(*index).1;
    let changed: Vec<usize> = left.iter().copied().filter(is_changed).collect();
    if untouched.is_empty() && changed.is_empty() {
        return Outliers::default();
    }
    let is_even = !changed.is_empty() && changed.len() == untouched.len();
    if changed.len() < untouched.len() {
        return Outliers { rows: changed, is_tied: false };
    }
    left.retain(|index| !untouched.contains(index));
    let by_value = left.iter().any(|&index| rows[index].is_undefined_before(function));
    left.retain(|&index| by_value || is_known(index));
    let columns = active.len();
    let target = |index: usize| match values(index) {
        (Some(before), Some(after)) if !by_value => after - before,
        (_, after) => after.cloned().unwrap_or(Rational::ZERO),
    };
    let joint: Vec<Row> = left
        .iter()
        .map(|&index| {
            let value = |&column: &ColumnId| {
                vocabulary.column_value(column, &rows[index].before).unwrap_or(Rational::ZERO)
            };
            let vector: Vec<Rational> = active.iter().map(value).chain([target(index)]).collect();
            Row::point(&vector)
        })
        .collect();
    let affine = |hull: &Echelon| !hull.pivots().contains(&(columns + 1));
    if affine(&Echelon::span(columns + 2, &joint)) {
        return Outliers { rows: untouched, is_tied: is_even };
    }
    let outside = |order: u64| -> Vec<usize> {
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
            if affine(&grown) {
                hull = grown;
            } else {
                outside.push(left[place]);
            }
        }
        outside.extend(&untouched);
        outside.sort_unstable();
        outside
    };
    let found = smallest((0..ORDERS).map(outside)).invariant("at least one order is tried");
    Outliers { is_tied: found.is_tied || is_even, ..found }
}

/// Scrambles a pair of numbers.
pub(crate) fn mixed(order: u64, place: u64) -> u64 {
    let mut x = (place ^ order.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x ^= x >> 29;
    x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^ (x >> 32)
}
