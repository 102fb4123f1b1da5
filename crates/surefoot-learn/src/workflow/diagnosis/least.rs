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
    smallest(table, error)
}

/// If each function is measured in units of its error, the errors are a single number.
fn smallest<'e>(
    table: &ChangeTable,
    error: impl Fn(LiftedFunctionId) -> Option<&'e Rational>,
) -> Rational {
    let unit = |function: LiftedFunctionId| error(function).filter(|unit| !unit.is_zero());
    let units: Vec<Option<&Rational>> = (table.columns.iter())
        .map(|column| match column.0[..] {
            [function] => unit(function),
            _ => None,
        })
        .collect();
    let scaled = |value: Rational, unit: Option<&Rational>| match unit {
        Some(unit) => value.checked_div(unit).unwrap_or(value),
        None => value,
    };
    let record = |row: usize| -> (Vec<Rational>, Rational) {
        let columns = table
            .columns
            .iter()
            .zip(&units)
            .map(|(column, unit)| scaled(table.value(row, column), *unit));
        (columns.collect(), scaled(table.after[row].clone(), unit(table.function)))
    };
    let records: BTreeSet<(Vec<Rational>, Rational)> = (0..table.after.len()).map(record).collect();
    let records: Vec<(Vec<Rational>, Rational)> = records.into_iter().collect();
    let inexact: Vec<bool> = units.iter().map(Option::is_some).collect();
    smallest_error(&records, &inexact)
}
