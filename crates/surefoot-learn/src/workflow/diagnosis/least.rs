//! The least errors of recorded values under which some affine map explains every step.

use std::collections::BTreeSet;

use surefoot_base::exact::Rational;

use super::exact::ChangeTable;
use crate::conclude::smallest_error;
use crate::evidence::LiftedFunctionId;

/// The least error of the function of a table, before and after a step, where all other functions
/// are exact: two digits, rounded up.
pub fn least_error(table: &ChangeTable) -> Rational {
    let one = Rational::ONE;
    smallest(table, |function| (function == table.function).then_some(&one))
}

/// By which share of some errors, those of the function of a table and of what its changes may
/// read, its rows are explained: two digits, rounded up. Functions without one are exact; that of
/// the table has one.
pub fn least_share<'e>(
    table: &ChangeTable,
    error: impl Fn(LiftedFunctionId) -> Option<&'e Rational>,
) -> Rational {
    smallest(table, |function| error(function).filter(|error| !error.is_zero()))
}

/// If each function is measured in units of its error, the errors are a single number. Functions
/// that are exact have no unit.
fn smallest<'e>(
    table: &ChangeTable,
    unit: impl Fn(LiftedFunctionId) -> Option<&'e Rational>,
) -> Rational {
    let units: Vec<Option<&Rational>> = (table.columns.iter())
        .map(|column| match column.0[..] {
            [function] => unit(function),
            _ => None,
        })
        .collect();
    let records: BTreeSet<(Vec<Rational>, Rational)> = (0..table.after.len())
        .map(|row| {
            let columns = table
                .columns
                .iter()
                .zip(&units)
                .map(|(column, unit)| in_units(table.value(row, column), *unit));
            (columns.collect(), in_units(table.after[row].clone(), unit(table.function)))
        })
        .collect();
    let records: Vec<(Vec<Rational>, Rational)> = records.into_iter().collect();
    let inexact: Vec<bool> = units.iter().map(Option::is_some).collect();
    smallest_error(&records, &inexact)
}

/// A value, measured in units if there is one.
fn in_units(value: Rational, unit: Option<&Rational>) -> Rational {
    match unit {
        Some(unit) => value.checked_div(unit).unwrap_or(value),
        None => value,
    }
}
