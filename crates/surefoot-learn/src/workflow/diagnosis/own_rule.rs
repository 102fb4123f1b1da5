//! Whether bad steps of an action follow a rule of their own (docs/theory.md, "Bad data").
//!
//! A recording error has no rule. Where two or more of the steps that do not fit the others share
//! one deviation, or lie on one map with fewer coefficients than there are steps, something that is
//! not recorded decides: taking them for recording errors would hide it. Steps that one condition
//! tells from all others are no danger: a model of the others refuses them. In floating point where
//! numbers are concerned: the answer only takes an offer away.

use std::collections::{BTreeMap, BTreeSet};

use super::exact::ChangeTable;
use super::fit::{AffineFit, FLOATING};
use super::subject::{ActionObservations, changes};
use crate::evidence::{ColumnId, LiftedFunctionId, Monomial, Observation};

/// More columns than this are not fitted.
const MAX_COLUMNS: usize = 40;

/// Lines are searched through this many of the odd steps.
const MAX_LINED: usize = 40;

/// Whether some of an action's odd rows follow one rule of their own and no condition tells them
/// from the others. `marked`: columns that the region may leave on one side, since the user assumes
/// so.
pub(crate) fn follow_a_rule(
    seen: &ActionObservations<'_>,
    odd: &BTreeSet<usize>,
    marked: &BTreeSet<ColumnId>,
    numbers: bool,
) -> bool {
    let others: Vec<&Observation> = seen
        .rows
        .iter()
        .enumerate()
        .filter(|(row, _)| !odd.contains(row))
        .map(|(_, row)| row)
        .collect();
    let told = RegularSteps { seen, others, marked };
    let (unchanged, changed): (Vec<usize>, Vec<usize>) =
        odd.iter().copied().partition(|&row| changes(&seen.rows[row]) == Some(false));
    if told.several(&unchanged) || by_truth(&told, &changed).iter().any(|group| !told.apart(group))
    {
        return true;
    }
    let functions = seen.vocabulary().functions.ids().filter(|_| numbers);
    functions.into_iter().any(|function| {
        let Deviations { idle, groups } = by_number(seen, function, odd, &changed);
        told.several(&idle) || groups.iter().any(|group| !told.apart(group))
    })
}

/// The steps of an action that are not odd, and what they have in common.
struct RegularSteps<'a> {
    seen: &'a ActionObservations<'a>,
    others: Vec<&'a Observation>,
    marked: &'a BTreeSet<ColumnId>,
}

impl RegularSteps<'_> {
    /// Whether for several of these rows, in which nothing happens, no condition distinguishes each
    /// from the others. Attempts that failed and were logged as steps may have failed for several
    /// reasons, each of which the records show.
    fn several(&self, idle: &[usize]) -> bool {
        idle.iter().filter(|&&row| !self.apart(&[row])).count() > 1
    }

    /// Whether one condition holds before all these rows and before none of the others.
    fn apart(&self, rows: &[usize]) -> bool {
        let rows: Vec<&Observation> = rows.iter().map(|&row| &self.seen.rows[row]).collect();
        let Some(pattern) = rows.first().map(|row| &row.pattern) else { return true };
        let alike: Vec<&Observation> =
            self.others.iter().copied().filter(|other| other.pattern == *pattern).collect();
        let is_one = rows.iter().all(|row| row.pattern == *pattern);
        let vocabulary = self.seen.vocabulary();
        is_one
            && (alike.is_empty()
                || (0..rows[0].seen.len()).any(|place| is_opposite(&rows, &alike, place)))
            || vocabulary
                .columns
                .ids()
                .any(|column| !self.marked.contains(&column) && self.beyond(&rows, column))
    }

    /// Whether a column is larger, or less, before all these rows than before all others.
    fn beyond(&self, rows: &[&Observation], column: ColumnId) -> bool {
        let vocabulary = self.seen.vocabulary();
        let monomial = &vocabulary.columns[column];
        let error = match monomial.0[..] {
            [function] => 2.0 * vocabulary.error(function).to_f64(),
            _ => 0.0,
        };
        match (range(rows, monomial), range(&self.others, monomial)) {
            (Some((least, most)), Some((lower, upper))) => {
                least > upper + error || most < lower - error
            }
            _ => false,
        }
    }
}

/// Whether the class of atoms at a place has one truth before all these rows, the first of which is
/// there, and the opposite before all others.
fn is_opposite(rows: &[&Observation], others: &[&Observation], place: usize) -> bool {
    rows[0].seen[place].truths()[0].is_some_and(|holds| {
        rows.iter().all(|row| row.seen[place].truths()[0] == Some(holds))
            && others.iter().all(|other| other.seen[place].truths()[0] == Some(!holds))
    })
}

/// The least and the largest value of a product before these rows, if it is known before all.
fn range(rows: &[&Observation], monomial: &Monomial) -> Option<(f64, f64)> {
    rows.iter().try_fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), row| {
        let value = value(row, monomial)?;
        Some((least.min(value), most.max(value)))
    })
}

/// The value of a product before a step; none where a factor has none, or it is not known.
fn value(row: &Observation, monomial: &Monomial) -> Option<f64> {
    monomial.0.iter().try_fold(1.0, |value, &factor| {
        row.before[factor].as_ref().map(|factor| value * factor.to_f64())
    })
}

/// Rows that leave an atom as no other step does that began with the same truth of it: two or more
/// for one atom.
fn by_truth(told: &RegularSteps<'_>, odd: &[usize]) -> Vec<Vec<usize>> {
    let mut found: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for &row in odd {
        let observation = &told.seen.rows[row];
        let alike: Vec<&&Observation> =
            told.others.iter().filter(|other| other.pattern == observation.pattern).collect();
        for (place, truths) in observation.seen.iter().enumerate() {
            let is_new = !alike.iter().any(|other| other.seen[place] == *truths);
            if let ([Some(before), Some(after)], true) = (truths.truths(), is_new) {
                found.entry((&observation.pattern, place, before, after)).or_default().push(row);
            }
        }
    }
    found.into_values().filter(|rows| rows.len() > 1).collect()
}

/// Rows that deviate in the new value of a function.
#[derive(Default)]
struct Deviations {
    /// Those in which it does not change.
    idle: Vec<usize>,
    /// Of all others, those that follow one rule.
    groups: Vec<Vec<usize>>,
}

/// Rows whose changes of a function follow one rule of their own: one change, one value, or one
/// distance from what the others predict; or a map of one column, or of all, that has fewer
/// coefficients than there are rows.
fn by_number(
    seen: &ActionObservations<'_>,
    function: LiftedFunctionId,
    odd: &BTreeSet<usize>,
    changed: &[usize],
) -> Deviations {
    let Some(table) =
        ChangeTable::of(seen, function).filter(|table| table.columns.len() <= MAX_COLUMNS)
    else {
        return Deviations::default();
    };
    let columns: Vec<Vec<f64>> = (table.columns.iter())
        .map(|column| (0..table.rows.len()).map(|row| table.value(row, column).to_f64()).collect())
        .collect();
    let change: Vec<f64> = table.change.iter().map(|change| change.to_f64()).collect();
    let after: Vec<f64> = table.after.iter().map(|after| after.to_f64()).collect();
    let size = after
        .iter()
        .chain(columns.iter().flatten())
        .fold(1.0, |size: f64, value| size.max(value.abs()));
    let near = FLOATING * size + 4.0 * seen.vocabulary().error(function).to_f64();
    let regular: Vec<usize> =
        (0..table.rows.len()).filter(|&row| !odd.contains(&table.rows[row])).collect();
    let residual = distances(&columns, &change, &regular);
    let deviating = (0..table.rows.len())
        .filter(|&row| changed.contains(&table.rows[row]) && residual[row].abs() > near);
    let (idle, deviating): (Vec<usize>, Vec<usize>) =
        deviating.partition(|&row| change[row].abs() <= near);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for target in [&residual, &change, &after] {
        groups.extend(equal(&deviating, target, near));
        groups.extend(columns.iter().flat_map(|column| lined(&deviating, column, target, near)));
    }
    let own = distances(&columns, &change, &deviating);
    if deviating.len() > columns.len() + 1 && deviating.iter().all(|&row| own[row].abs() <= near) {
        groups.push(deviating);
    }
    Deviations {
        idle: idle.into_iter().map(|row| table.rows[row]).collect(),
        groups: groups
            .into_iter()
            .map(|group| group.into_iter().map(|row| table.rows[row]).collect())
            .collect(),
    }
}

/// How far the changes are from the map that fits some rows best.
fn distances(columns: &[Vec<f64>], change: &[f64], rows: &[usize]) -> Vec<f64> {
    let fitted = (0..change.len()).map(|row| rows.contains(&row)).collect();
    AffineFit::over(columns, fitted).rest(change)
}

/// Rows with one value, two or more each.
fn equal(rows: &[usize], target: &[f64], near: f64) -> Vec<Vec<usize>> {
    let mut sorted = rows.to_vec();
    sorted.sort_by(|&one, &other| target[one].total_cmp(&target[other]));
    let runs = sorted.chunk_by(|&one, &other| target[other] - target[one] <= near);
    runs.filter(|run| run.len() > 1).map(<[usize]>::to_vec).collect()
}

/// Rows on one line over a column, three or more each.
fn lined(rows: &[usize], column: &[f64], target: &[f64], near: f64) -> Vec<Vec<usize>> {
    let mut groups = Vec::new();
    let rows = &rows[..rows.len().min(MAX_LINED)];
    for (place, &one) in rows.iter().enumerate() {
        for &other in &rows[place + 1..] {
            let run = column[other] - column[one];
            if run == 0.0 {
                continue;
            }
            let slope = (target[other] - target[one]) / run;
            let line: Vec<usize> = (rows.iter().copied())
                .filter(|&row| {
                    (target[row] - target[one] - slope * (column[row] - column[one])).abs() <= near
                })
                .collect();
            if line.len() > 2 {
                groups.push(line);
            }
        }
    }
    groups
}
