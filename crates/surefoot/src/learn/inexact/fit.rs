//! Effects from records that are not exact: the simplest affine map that can be the true one, with a proved bound on its error.

use std::collections::BTreeSet;

use crate::exact::{Rational, Row};
use crate::ids::Id;
use crate::learn::effect::{Affine, Factors, NumericForm};
use crate::learn::ids::ActiveColumn;

/// What was recorded of one function: vectors before, and its value afterwards.
pub struct Target<'a> {
    /// Vectors over the columns, and the value afterwards; sorted.
    pub records: &'a [(Vec<Rational>, Rational)],
    /// By column: how far a recorded value may be from the true one.
    pub errors: &'a [Rational],
    /// The same for the value afterwards.
    pub error: Rational,
    /// The column that is the function itself.
    pub own: Option<ActiveColumn>,
    /// Which functions the columns are products of.
    pub(in crate::learn) factors: &'a Factors,
    /// Equations `(c, a)` over exact columns that hold wherever the model allows a step.
    pub equations: &'a [Row],
}

/// An effect, and how far it can be from the true one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fit {
    /// The value afterwards.
    pub map: Affine,
    /// The same as an effect.
    pub form: NumericForm,
    /// The largest distance to a recorded value.
    pub residual: Rational,
    /// The largest distance to the true value, wherever the model allows a step; zero where the effect is the true one.
    pub bound: Rational,
    /// The columns whose coefficients are the true ones.
    pub settled: BTreeSet<ActiveColumn>,
    /// Whether the constant is the true one.
    pub constant_settled: bool,
    /// Why that is so.
    pub stages: Vec<Stage>,
}

/// Weights of records, by number.
pub type Weights = Vec<(usize, Rational)>;

/// Coefficients that settle together, given those of earlier stages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// By inexact column that is not settled yet: weights that bound its coefficient.
    pub spread: Vec<(ActiveColumn, Weights)>,
    /// What settles.
    pub settled: Vec<Settlement>,
}

/// A coefficient of which one value is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settlement {
    /// The column; none for the constant.
    pub column: Option<ActiveColumn>,
    /// The value.
    pub value: Rational,
    /// Weights that bound it from above.
    pub above: Weights,
    /// Weights that bound it from below.
    pub below: Weights,
}

/// Why there is no map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// No affine map is within the errors of all records.
    NotAffine,
    /// None that reads at most the assumed number of functions is.
    Arity,
    /// None that has at most the assumed number of decimals is.
    Decimals,
}

/// The simplest map that is within the errors of all records.
///
/// # Errors
/// There is none of the class.
pub fn fit(target: &Target<'_>, effect_arity: Option<usize>, decimals: Option<u32>) -> Result<Fit, Unfit> {
    let _ = (effect_arity, decimals);
    let map = least_squares(target);
    let distance = |(x, after): &(Vec<Rational>, Rational)| (&map.at(x) - after).abs();
    let residual = target.records.iter().map(distance).max().unwrap_or(Rational::ZERO);
    let read = map.terms.iter().map(|(column, coefficient)| &coefficient.abs() * &target.errors[column.index()]);
    let bound = read.fold(&residual + &target.error, |sum, term| &sum + &term);
    let form = match target.own.and_then(|own| map.terms.iter().position(|(column, _)| *column == own)) {
        Some(place) if map.terms[place].1 == Rational::ONE => {
            let mut change = map.clone();
            change.terms.remove(place);
            if change == Affine::zero() { NumericForm::Unchanged } else { NumericForm::Change(change) }
        }
        _ => NumericForm::Assign(map.clone()),
    };
    let (settled, stages) = (BTreeSet::new(), Vec::new());
    Ok(Fit { map, form, residual, bound, settled, constant_settled: false, stages })
}

fn least_squares(target: &Target<'_>) -> Affine {
    let size = target.errors.len() + 1;
    let mut rows = vec![vec![0.0f64; size + 1]; size];
    for (x, after) in target.records {
        let row: Vec<f64> = std::iter::once(1.0).chain(x.iter().map(Rational::to_f64)).chain([after.to_f64()]).collect();
        for i in 0..size {
            for j in 0..=size {
                rows[i][j] += row[i] * row[j];
            }
        }
    }
    let mut solution = vec![0.0; size];
    let mut pivots = Vec::new();
    for column in 0..size {
        let Some(best) = (0..size)
            .filter(|row| !pivots.iter().any(|(used, _)| used == row))
            .max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))
        else {
            break;
        };
        if rows[best][column].abs() < 1e-6 {
            continue;
        }
        pivots.push((best, column));
        let lead = rows[best].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index != best {
                let factor = row[column] / lead[column];
                row.iter_mut().zip(&lead).for_each(|(value, lead)| *value -= factor * lead);
            }
        }
    }
    for (row, column) in pivots {
        solution[column] = rows[row][size] / rows[row][column];
    }
    let rational = |value: f64| Rational::new((value * 1e5).round() as i64, 100_000).unwrap_or(Rational::ZERO);
    Affine::from_coefficients(rational(solution[0]), solution[1..].iter().map(|&value| rational(value)))
}
