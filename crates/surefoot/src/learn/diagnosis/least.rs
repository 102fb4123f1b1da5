//! The least error of recorded values under which some affine map explains every step.
//!
//! If recorded values of a function y are within e of the true ones, and all others are exact, a map explains a step iff what it says of
//! y differs from the record by at most e for the value afterwards and e times |the coefficient of y| for the value before. So every map
//! has a least error, its largest distance over `1 + |coefficient of y|`. Doubles guess maps; the error of each is computed exactly, and so
//! what is proposed does explain the steps, whatever the guess was worth.

use super::exact::Table;
use super::squares::fitted;
use crate::exact::{Rational, Rounding};
use crate::pddl::Numbers;

/// Coefficients are tried with so many decimals, and as they are.
const DECIMALS: usize = 12;

/// Steps that are far away count more in the next guess; so many guesses.
const GUESSES: usize = 12;

/// Of very many steps, so many are guessed from. All of them decide.
const GUESSED_FROM: usize = 1000;

/// The least error found, to two digits, rounded up: a map is known with which it explains every row of the table.
pub fn least_error(table: &Table) -> Option<Rational> {
    let place = table.columns.iter().position(|column| column.0[..] == [table.function]);
    let values: Vec<Vec<Rational>> =
        (0..table.change.len()).map(|row| table.columns.iter().map(|column| table.value(row, column)).collect()).collect();
    let error = |slopes: &[Rational]| -> Option<Rational> {
        let rest = |(row, change): (&Vec<Rational>, &Rational)| {
            row.iter()
                .zip(slopes)
                .filter(|(_, slope)| !slope.is_zero())
                .fold(change.clone(), |rest, (value, slope)| &rest - &(value * slope))
        };
        let rests: Vec<Rational> = values.iter().zip(&table.change).map(rest).collect();
        let distance = &(rests.iter().max()? - rests.iter().min()?) * &Rational::new(1, 2)?;
        let own = place.map_or(Rational::ZERO, |place| (&Rational::ONE + &slopes[place]).abs());
        distance.checked_div(&(&Rational::ONE + &own))
    };
    let guesses = guesses(table, &values);
    let decimals = (0..=DECIMALS).map(Some).chain([None]);
    let candidates = decimals.flat_map(|decimals| guesses.iter().map(move |guess| rational(guess, decimals)));
    let least = candidates.flatten().filter_map(|slopes| error(&slopes)).min()?;
    Some(least.with_digits(2, Rounding::Up))
}

/// Numbers with so many decimals; `None`: as they are.
fn rational(numbers: &[f64], decimals: Option<usize>) -> Option<Vec<Rational>> {
    let text = |number: &f64| match decimals {
        Some(decimals) => format!("{number:.decimals$}"),
        None => format!("{number:e}"),
    };
    numbers.iter().map(|number| Numbers::Exact.read(&text(number)).ok()).collect()
}

/// Coefficients of maps that may fit well: the first is that of least squares, later ones come nearer to the least largest distance.
fn guesses(table: &Table, values: &[Vec<Rational>]) -> Vec<Vec<f64>> {
    let every = values.len().div_ceil(GUESSED_FROM).max(1);
    let rows: Vec<Vec<f64>> = (values.iter().zip(&table.change).step_by(every))
        .map(|(row, change)| row.iter().chain([change]).map(Rational::to_f64).collect())
        .collect();
    let mut weights = vec![1.0 / rows.len() as f64; rows.len()];
    let mut guesses = vec![vec![0.0; table.columns.len()]];
    for _ in 0..GUESSES {
        let (slopes, distances) = fitted(&rows, &weights, table.columns.len());
        guesses.push(slopes);
        weights.iter_mut().zip(&distances).for_each(|(weight, distance)| *weight *= distance);
        let sum: f64 = weights.iter().sum();
        if sum.is_nan() || sum <= 0.0 {
            break;
        }
        weights.iter_mut().for_each(|weight| *weight /= sum);
    }
    guesses.dedup();
    guesses
}
