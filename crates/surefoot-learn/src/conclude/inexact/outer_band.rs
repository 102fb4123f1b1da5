//! A band around all consistent maps, whatever their signs.
//!
//! Let some coefficients be known, `U` be the others (perhaps with the constant), `T_j` the values
//! afterwards less the known part, and `f_U` the rest of a consistent map `f`. Then
//! `|f_U(x_j) - T_j| ≤ s` with `s = Σ |f_i| e_i + e_y`, which reads the coefficients that are
//! sought. Weights `c_j` of records with `Σ c_j (1, x_j) = unit k` over `U` give
//! `f_k = Σ c_j f_U(x_j)`, hence `|f_k - g_k| ≤ w_k s` for `g_k = Σ c_j T_j` and `w_k = Σ |c_j|`.
//! With such weights for each inexact column `k` of `U`, `t = Σ e_k |f_k|` over these columns
//! satisfies `t ≤ Σ e_k (|g_k| + w_k (s0 + t))`, where `s0 = s - t` is known, so
//! `t ≤ (Σ e_k |g_k| + κ s0) / (1 - κ)` as long as `κ = Σ e_k w_k < 1`.

use std::collections::BTreeSet;

use surefoot_base::exact::{Rational, Rounding};
use surefoot_base::ids::{Id, first_ids};

use super::band::{Band, Extreme, RecordVectors};
use super::fit::{RecordedOutcomes, Weights};
use super::simplest::KnownCoefficients;
use crate::evidence::ActiveColumn;

/// The number of digits that are kept of the width of a band.
const SLACK_DIGITS: u32 = 6;

/// The band, and the weights that prove it.
pub(super) struct Outer<'a> {
    /// All consistent maps with the known coefficients are in it.
    pub band: Band<'a>,
    /// By inexact column that is not known.
    pub spread: Vec<(ActiveColumn, Weights)>,
}

impl<'a> Outer<'a> {
    /// `None` where nothing bounds the coefficients of inexact columns: records are too near to one
    /// another.
    pub fn new(
        target: &RecordedOutcomes<'_>,
        records: &'a RecordVectors<'a>,
        known: &KnownCoefficients,
        working: &mut BTreeSet<usize>,
    ) -> Option<Self> {
        let errors = target.errors;
        let open: Vec<ActiveColumn> =
            first_ids(errors.len()).filter(|column| !known.columns.contains_key(column)).collect();
        let zeros = vec![Rational::ZERO; records.len()];
        let unit = band_of_unknown(known, Band::new(records, open.clone(), zeros, Rational::ONE));
        let inexact = open.iter().copied().filter(|column| !errors[column.index()].is_zero());
        let mut bounds = unit.bounds(working);
        let weights = inexact.map(|column| match bounds.extreme(Some(column), true) {
            Extreme::Found { weights, .. } => Some((column, weights)),
            Extreme::Unbounded | Extreme::Empty => None,
        });
        let spread = weights.collect::<Option<Vec<(ActiveColumn, Weights)>>>();
        *working = bounds.into_working();
        let spread = spread?;
        let rest = known.affine();
        let targets: Vec<Rational> =
            records.rows().iter().map(|(x, after)| after - &rest.at(x)).collect();
        let (mut first, mut kappa) = (Rational::ZERO, Rational::ZERO);
        for (column, weights) in &spread {
            let error = &errors[column.index()];
            let value = weights
                .iter()
                .fold(Rational::ZERO, |sum, (j, weight)| &sum + &(weight * &targets[*j]));
            let size = weights.iter().fold(Rational::ZERO, |sum, (_, weight)| &sum + &weight.abs());
            first += &(error * &value.abs());
            kappa += &(error * &size);
        }
        let left = &Rational::ONE - &kappa;
        if left.signum() <= 0 {
            return None;
        }
        let sizes =
            known.columns.iter().map(|(column, value)| &value.abs() * &errors[column.index()]);
        let settled = sizes.fold(target.error.clone(), |sum, size| &sum + &size);
        let open_part = (&first + &(&kappa * &settled)).checked_div(&left)?;
        // A band that is a little wider holds them, too, and programs over short numbers are solved
        // several times as fast.
        let slack = (&settled + &open_part).with_digits(SLACK_DIGITS, Rounding::Up);
        let band = band_of_unknown(known, Band::new(records, open, targets, slack));
        Some(Outer { band, spread })
    }
}

/// A band without the constant, if that is known: what it gives is taken off the targets already,
/// as all that is known.
fn band_of_unknown<'a>(known: &KnownCoefficients, band: Band<'a>) -> Band<'a> {
    if known.constant.is_some() { band.fixed(None, &Rational::ZERO) } else { band }
}
