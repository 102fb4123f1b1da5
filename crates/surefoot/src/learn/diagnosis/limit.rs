//! Caps and floors: a function ends where an affine map says, or at a limit, whichever is less, or more.
//!
//! A limit is claimed only if every step that was looked at ends exactly there, over the rationals.

use std::collections::BTreeSet;

use super::exact::Table;
use super::subject::{Seen, Subject, shown};
use super::{Cause, Way};
use crate::exact::{Echelon, Rational, Row};
use crate::ids::{Id, first_ids};
use crate::learn::effect::{Affine, explained};
use crate::learn::ids::{ActiveColumn, LiftedFunctionId};
use crate::learn::vocabulary::Monomial;

/// A limit needs so many steps that reach it.
const REACHED: usize = 2;

/// So many more different steps than a map has coefficients must follow it.
const SURPLUS: usize = 2;

/// What a function never goes beyond.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound<'t> {
    Number(&'t Rational),
    Function(LiftedFunctionId),
}

impl Bound<'_> {
    /// Its value before a step, a row of the table.
    fn at<'v>(&'v self, table: &'v Table, row: usize) -> Option<&'v Rational> {
        match self {
            Bound::Number(number) => Some(number),
            Bound::Function(function) => table.before[row][*function].as_ref(),
        }
    }
}

/// The limit of a function, if every step of it that was looked at ends at a map or at the limit, and the steps that end at the limit.
pub fn limit_of(seen: &Seen<'_>, function: LiftedFunctionId) -> Option<(Cause, Vec<usize>)> {
    let table = Table::of(seen, function)?;
    if table.rows.len() < seen.rows.len() {
        return None;
    }
    let numbers = [table.after.iter().max(), table.after.iter().min()].into_iter().flatten().map(Bound::Number);
    let functions = seen.vocabulary().functions.ids().filter(|&other| other != function).map(Bound::Function);
    let bounds: Vec<Bound<'_>> = numbers.chain(functions).collect();
    bounds.into_iter().find_map(|bound| {
        let (map, columns, is_cap, reached) = fitting(&table, bound)?;
        let by = written(seen, &columns, &map);
        let limit = match bound {
            Bound::Number(number) => shown(number),
            Bound::Function(function) => seen.written(Subject::Function(function)),
        };
        let (way, by) = way(&table, &reached, &by);
        let rows = reached.iter().map(|&row| table.rows[row]).collect();
        Some((Cause::Limit { way, by, limit, cap: is_cap }, rows))
    })
}

/// Whether a number is a cap of a function, or a floor, if it is a limit: the map that explains all other steps goes beyond it where steps end
/// there.
pub fn is_cap(seen: &Seen<'_>, function: LiftedFunctionId, number: &Rational) -> Option<bool> {
    let table = Table::of(seen, function).filter(|table| table.rows.len() == seen.rows.len())?;
    fitting(&table, Bound::Number(number)).map(|(_, _, is_cap, _)| is_cap)
}

/// A map of few columns, whether the bound is a cap, and the rows that end at it, if each row ends at the lesser, or the greater, of both.
fn fitting(table: &Table, bound: Bound<'_>) -> Option<(Affine, Vec<Monomial>, bool, Vec<usize>)> {
    let reached: Vec<usize> = (0..table.after.len()).filter(|&row| bound.at(table, row) == Some(&table.after[row])).collect();
    if reached.len() < REACHED || reached.len() == table.after.len() {
        return None;
    }
    let others = table.without(&reached);
    let single = table.columns.iter().map(|column| vec![column.clone()]);
    let sets = std::iter::once(Vec::new()).chain(single).chain([table.columns.clone()]);
    sets.into_iter().find_map(|columns| {
        let map = others.fits(&columns, 0).then(|| map(&others, &columns)).flatten()?;
        let follows = |row: &usize| end(table, &columns, &map, *row).as_ref() == Some(&table.after[*row]);
        let distinct: BTreeSet<_> = (0..table.after.len()).filter(follows).map(|row| table.before[row].as_slice()).collect();
        if distinct.len() < columns.len() + 1 + SURPLUS {
            return None;
        }
        let is_cap = |cap: bool| {
            (0..table.after.len()).all(|row| {
                let Some(limit) = bound.at(table, row) else { return false };
                let end = end(table, &columns, &map, row);
                let end = end.map(|end| if cap { end.min(limit.clone()) } else { end.max(limit.clone()) });
                end.as_ref() == Some(&table.after[row])
            })
        };
        let cap = [true, false].into_iter().find(|cap| is_cap(*cap))?;
        Some((map, columns, cap, reached.clone()))
    })
}

/// The map of some columns that gives every change.
fn map(table: &Table, columns: &[Monomial]) -> Option<Affine> {
    let mut joint = Echelon::new(columns.len() + 2);
    for (row, change) in table.change.iter().enumerate() {
        let vector: Vec<Rational> = columns.iter().map(|column| table.value(row, column)).chain([change.clone()]).collect();
        joint.insert(&Row::point(&vector));
    }
    explained(&joint, &first_ids(columns.len()).collect::<Vec<ActiveColumn>>())
}

/// Where a map says that a step ends.
fn end(table: &Table, columns: &[Monomial], map: &Affine, row: usize) -> Option<Rational> {
    let vector: Vec<Rational> = columns.iter().map(|column| table.value(row, column)).collect();
    Some(table.before[row][table.function].as_ref()? + &map.at(&vector))
}

/// Which way the function changes where it does not reach the limit, and by how much, in words.
fn way(table: &Table, reached: &[usize], by: &str) -> (Way, String) {
    let reached: BTreeSet<usize> = reached.iter().copied().collect();
    let signs: BTreeSet<i32> =
        (0..table.change.len()).filter(|row| !reached.contains(row)).map(|row| table.change[row].signum()).collect();
    match (signs.contains(&1), signs.contains(&-1)) {
        (true, false) => (Way::Grows, by.to_owned()),
        (false, true) if by.strip_prefix('-').is_some_and(|rest| !rest.contains(' ')) => (Way::Falls, by[1..].to_owned()),
        _ => (Way::Changes, by.to_owned()),
    }
}

/// A map in words: `25`, `(size ?can)`, `2 (size ?can) - 3`.
fn written(seen: &Seen<'_>, columns: &[Monomial], map: &Affine) -> String {
    let mut text = String::new();
    let mut add = |number: &Rational, of: Option<String>| {
        let sign = if number.signum() < 0 { "-" } else { "+" };
        let size = number.abs();
        let size = match (&of, size == Rational::ONE) {
            (Some(of), true) => of.clone(),
            (Some(of), false) => format!("{} {of}", shown(&size)),
            (None, _) => shown(&size),
        };
        text += &match (text.is_empty(), sign) {
            (true, "+") => size,
            (true, _) => format!("-{size}"),
            (false, sign) => format!(" {sign} {size}"),
        };
    };
    for (column, coefficient) in &map.terms {
        add(coefficient, Some(seen.learner.written(seen.action, &columns[column.index()])));
    }
    if !map.constant.is_zero() || map.terms.is_empty() {
        add(&map.constant, None);
    }
    text
}
