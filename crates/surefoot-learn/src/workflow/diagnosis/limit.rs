//! Caps and floors: a function ends where an affine map says, or at a limit, whichever is less, or
//! more.
//!
//! A limit is claimed only if every step that shows what the map reads ends exactly there, over the
//! rationals, and no other step goes beyond it.

use std::collections::BTreeSet;

use surefoot_base::exact::{Echelon, Rational, Row};
use surefoot_base::ids::{Id, first_ids};

use super::exact::ChangeTable;
use super::subject::{ActionObservations, Subject, shown};
use super::{Cause, Way};
use crate::conclude::{Affine, explained};
use crate::evidence::{ActiveColumn, LiftedFunctionId, Monomial};

/// A limit needs this many steps that reach it.
const REACHED: usize = 2;

/// A limit needs this many more different steps that follow its map than the map has coefficients.
const SURPLUS: usize = 2;

/// What a function never goes beyond.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberLimit<'t> {
    Number(&'t Rational),
    Function(LiftedFunctionId),
}

impl NumberLimit<'_> {
    /// Its value before a step, a row of the table.
    fn at<'v>(&'v self, table: &'v ChangeTable, row: usize) -> Option<&'v Rational> {
        match self {
            NumberLimit::Number(number) => Some(number),
            NumberLimit::Function(function) => table.before[row][*function].as_ref(),
        }
    }
}

/// A limit, as a cause, with the rows that it is claimed of.
pub struct Limited {
    pub cause: Cause,
    /// The rows that show all that the claim is about. Each ends where a map says, or at the limit.
    pub rows: Vec<usize>,
    /// Those of them that end at the limit.
    pub reached: Vec<usize>,
}

/// A limit, and the map that all other rows follow.
struct FittingLimit {
    /// The rows that show what the map reads.
    table: ChangeTable,
    columns: Vec<Monomial>,
    map: Affine,
    is_cap: bool,
    /// The rows of the table that end at the limit.
    reached: Vec<usize>,
}

/// The limit of a function, if no row goes beyond it, and every row that shows what a map reads
/// ends at the map or at the limit.
pub fn limit_of(seen: &ActionObservations<'_>, function: LiftedFunctionId) -> Option<Limited> {
    let table = changes(seen, function)?;
    let numbers = [table.after.iter().max(), table.after.iter().min()]
        .into_iter()
        .flatten()
        .map(NumberLimit::Number);
    let functions = seen
        .vocabulary()
        .functions
        .ids()
        .filter(|&other| other != function)
        .map(NumberLimit::Function);
    let bounds: Vec<NumberLimit<'_>> = numbers.chain(functions).collect();
    bounds.into_iter().find_map(|bound| {
        let FittingLimit { table, columns, map, is_cap, reached } = fitting(&table, bound)?;
        let by = written(seen, &columns, &map);
        let limit = match bound {
            NumberLimit::Number(number) => shown(number),
            NumberLimit::Function(function) => seen.written(Subject::Function(function)),
        };
        let (way, by) = way(&table, &reached, &by);
        let reached = reached.iter().map(|&row| table.rows[row]).collect();
        Some(Limited {
            cause: Cause::Limit { way, by, limit, cap: is_cap },
            rows: table.rows,
            reached,
        })
    })
}

/// Whether a number is a cap of a function, or a floor, if it is a limit: the map that explains all
/// other steps goes beyond it where steps end there.
pub fn is_cap(
    seen: &ActionObservations<'_>,
    function: LiftedFunctionId,
    number: &Rational,
) -> Option<bool> {
    fitting(&changes(seen, function)?, NumberLimit::Number(number)).map(|found| found.is_cap)
}

/// The changes of a function, if they are its own in all rows.
fn changes(seen: &ActionObservations<'_>, function: LiftedFunctionId) -> Option<ChangeTable> {
    ChangeTable::with_unknown_columns(seen, function)
        .filter(|table| table.rows.len() == seen.rows.len())
}

/// A map of few columns, known in as many rows as possible, such that each row ends at the lesser,
/// or the greater, of map and bound.
fn fitting(changes: &ChangeTable, bound: NumberLimit<'_>) -> Option<FittingLimit> {
    let factor = match bound {
        NumberLimit::Number(_) => None,
        NumberLimit::Function(function) => Some(Monomial(vec![function])),
    };
    let single = changes.columns.iter().map(|column| vec![column.clone()]);
    let sets = std::iter::once(Vec::new()).chain(single).chain([changes.columns.clone()]);
    let mut tables: Vec<(Vec<Monomial>, ChangeTable)> = sets
        .map(|columns| {
            let table = changes.with_values_of(columns.iter().chain(&factor));
            (columns, table)
        })
        .collect();
    tables.sort_by_key(|(_, table)| std::cmp::Reverse(table.rows.len()));
    tables.into_iter().find_map(|(columns, table)| fitting_map(changes, table, columns, bound))
}

/// Likewise with the columns that a map may read, and the rows that have them.
fn fitting_map(
    changes: &ChangeTable,
    table: ChangeTable,
    columns: Vec<Monomial>,
    bound: NumberLimit<'_>,
) -> Option<FittingLimit> {
    let reached: Vec<usize> = (0..table.after.len())
        .filter(|&row| bound.at(&table, row) == Some(&table.after[row]))
        .collect();
    if reached.len() < REACHED || reached.len() == table.after.len() {
        return None;
    }
    let others = table.without(&reached);
    let map = others.fits(&columns, 0).then(|| map(&others, &columns)).flatten()?;
    let distinct: BTreeSet<_> = (0..table.after.len())
        .filter(|&row| end(&table, &columns, &map, row).as_ref() == Some(&table.after[row]))
        .map(|row| table.before[row].as_slice())
        .collect();
    if distinct.len() < columns.len() + 1 + SURPLUS {
        return None;
    }
    let is_cap = [true, false].into_iter().find(|&is_cap| {
        let ends_there = (0..table.after.len()).all(|row| {
            let limit = bound.at(&table, row).cloned();
            let end = limit.zip(end(&table, &columns, &map, row));
            let end = end.map(|(limit, end)| if is_cap { end.min(limit) } else { end.max(limit) });
            end.as_ref() == Some(&table.after[row])
        });
        ends_there && stays_within(changes, bound, is_cap)
    })?;
    Some(FittingLimit { table, columns, map, is_cap, reached })
}

/// Whether no row goes beyond a cap, or a floor. Rows that do not show what a map reads may still
/// show that the bound is no limit.
fn stays_within(changes: &ChangeTable, bound: NumberLimit<'_>, is_cap: bool) -> bool {
    changes.after.iter().enumerate().all(|(row, after)| {
        let limit = bound.at(changes, row);
        limit.is_none_or(|limit| if is_cap { after <= limit } else { after >= limit })
    })
}

/// The map of some columns that gives every change.
fn map(table: &ChangeTable, columns: &[Monomial]) -> Option<Affine> {
    let mut joint = Echelon::new(columns.len() + 2);
    for (row, change) in table.change.iter().enumerate() {
        let vector: Vec<Rational> =
            columns.iter().map(|column| table.value(row, column)).chain([change.clone()]).collect();
        joint.insert(&Row::point(&vector));
    }
    explained(&joint, &first_ids(columns.len()).collect::<Vec<ActiveColumn>>())
}

/// Where a map says that a step ends.
fn end(table: &ChangeTable, columns: &[Monomial], map: &Affine, row: usize) -> Option<Rational> {
    let vector: Vec<Rational> = columns.iter().map(|column| table.value(row, column)).collect();
    Some(table.before[row][table.function].as_ref()? + &map.at(&vector))
}

/// In which direction the function changes below the limit, and how far, in words.
fn way(table: &ChangeTable, reached: &[usize], by: &str) -> (Way, String) {
    let reached: BTreeSet<usize> = reached.iter().copied().collect();
    let signs: BTreeSet<i32> = (0..table.change.len())
        .filter(|row| !reached.contains(row))
        .map(|row| table.change[row].signum())
        .collect();
    match (signs.contains(&1), signs.contains(&-1)) {
        (true, false) => (Way::Grows, by.to_owned()),
        (false, true) if by.strip_prefix('-').is_some_and(|rest| !rest.contains(' ')) => {
            (Way::Falls, by[1..].to_owned())
        }
        _ => (Way::Changes, by.to_owned()),
    }
}

/// A map in words: `25`, `(size ?can)`, `2 (size ?can) - 3`.
fn written(seen: &ActionObservations<'_>, columns: &[Monomial], map: &Affine) -> String {
    let mut text = String::new();
    for (column, coefficient) in &map.terms {
        let of = seen.learner.written(seen.action, &columns[column.index()]);
        add_term(&mut text, coefficient, Some(of));
    }
    if !map.constant.is_zero() || map.terms.is_empty() {
        add_term(&mut text, &map.constant, None);
    }
    text
}

/// Adds a multiple of a column to a sum in words, or a number.
fn add_term(text: &mut String, number: &Rational, of: Option<String>) {
    let sign = if number.signum() < 0 { "-" } else { "+" };
    let size = number.abs();
    let size = match (of, size == Rational::ONE) {
        (Some(of), true) => of,
        (Some(of), false) => format!("{} {of}", shown(&size)),
        (None, _) => shown(&size),
    };
    *text += &match (text.is_empty(), sign) {
        (true, "+") => size,
        (true, _) => format!("-{size}"),
        (false, sign) => format!(" {sign} {size}"),
    };
}
