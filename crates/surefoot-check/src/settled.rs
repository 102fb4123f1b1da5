//! Coefficients of effects that are the true ones, although no recorded value need be.
//!
//! It is assumed that the coefficients of the true map f have at most N decimals. For a record (x,
//! y) of a step, each value of which may be off by its error e,
//! `|f(x) - y| ≤ s := Σ |f_i| e_i + e_y`. Let U be the coefficients (and perhaps the constant) that
//! are not settled yet, and T = y less what the settled ones give. Weights c of records with
//! `Σ c_j (1, x_j) = unit i` over U give `f_i = Σ c_j f_U(x_j)`, so `|f_i - g| ≤ w s` for
//! `g = Σ c_j T_j` and `w = Σ |c_j|`. What U contributes to s is not known beforehand, but such
//! weights for each inexact column k of it bound it: `t := Σ e_k |f_k| ≤ Σ e_k (|g_k| + w_k s)`,
//! hence `t ≤ (Σ e_k |g_k| + κ (s - t)) / (1 - κ)` where `κ = Σ e_k w_k < 1`. If there is one
//! multiple of the step between what two lists of weights leave, it is the coefficient.
//!
//! Exact columns of which others make up an equation, wherever the model allows a step, need no
//! coefficient of their own: those of the others are then multiples of 10^-N divided by the
//! denominators of the equation that is solved for them.

use std::collections::{BTreeSet, HashSet};

use dashu_int::IBig;
use dashu_int::ops::Gcd;

use super::linear::{EquationSystem, NumberRow, RowSpan, dot, narrow, widen};
use super::region::read_row;
use surefoot_base::certificate::{EffectRecord, StageRecord, WeightRecord, read_number};
use surefoot_base::exact::Rational;
use surefoot_base::invariant::Invariant;

/// The largest number of decimals that can be assumed.
const MAX_DECIMALS: u32 = 1_000;

/// What a proof is about.
pub(super) struct Proof<'a> {
    pub(super) record: &'a EffectRecord,
    /// The map that gives the value afterwards, over `(1, columns)`.
    pub(super) map: &'a NumberRow,
    /// By column: how far recorded values may be off; and the value afterwards.
    pub(super) errors: &'a [Rational],
    pub(super) error: Rational,
    /// The number N of decimals.
    pub(super) decimals: Option<u32>,
    /// The records `(1, columns, value afterwards)`.
    pub(super) recorded: &'a HashSet<NumberRow>,
    /// What holds of true states wherever the model allows a step, over these and more columns.
    pub(super) equations: &'a EquationSystem,
    /// The length of a row of those.
    pub(super) width: usize,
}

/// By entry of a row `(1, columns)`, whether the coefficient is the true one.
pub(super) type DeterminedCoefficients = Vec<bool>;

impl Proof<'_> {
    /// What is settled; `Err` with what is wrong with the proof.
    pub(super) fn verify(&self) -> Result<DeterminedCoefficients, String> {
        let entries = self.errors.len() + 1;
        let mut settled = vec![false; entries];
        if self.record.stages.is_empty() {
            return Ok(settled);
        }
        let Some(decimals) = self.decimals.filter(|decimals| *decimals <= MAX_DECIMALS) else {
            let what = "coefficients settle, but nothing is assumed of their decimals, or more \
                        than can be looked at";
            return Err(what.to_owned());
        };
        let listed = self.record.observations.iter().map(|texts| {
            let values = read_row(texts, entries)?;
            Some(std::iter::once(Rational::ONE).chain(values).collect::<NumberRow>())
                .filter(|row| self.recorded.contains(row))
        });
        let listed: Option<Vec<NumberRow>> = listed.collect();
        let listed = listed.ok_or("it lists observations that were not made")?;
        let solved = self.solved()?;
        for (entry, _) in &solved {
            settled[*entry] = true;
        }
        let step = step(decimals, &solved)?;
        for stage in &self.record.stages {
            self.stage(stage, &listed, &step, &mut settled)?;
        }
        Ok(settled)
    }

    /// The equations, solved for columns that have no coefficient of their own.
    fn solved(&self) -> Result<Vec<(usize, NumberRow)>, String> {
        let entries = self.errors.len() + 1;
        let stages = self.record.stages.iter().flat_map(|stage| &stage.settled);
        let settles: BTreeSet<usize> =
            stages.map(|one| one.column.map_or(0, |column| column.saturating_add(1))).collect();
        let mut rows: Vec<NumberRow> = Vec::new();
        for texts in &self.record.equations {
            let row =
                read_row(texts, entries).ok_or("its equations are no rows over its columns")?;
            if row[1..]
                .iter()
                .zip(self.errors)
                .any(|(factor, error)| !factor.is_zero() && !error.is_zero())
            {
                return Err(
                    "it makes use of an equation over functions whose records are not exact"
                        .to_owned(),
                );
            }
            if self.recorded.iter().any(|record| !dot(&row, &record[..entries]).is_zero()) {
                return Err(
                    "it makes use of an equation that does not hold for all records".to_owned()
                );
            }
            if !self.equations.imply(&widen(&row, &(0..entries).collect::<Vec<_>>(), self.width)) {
                return Err(
                    "it makes use of an equation that the precondition does not imply".to_owned()
                );
            }
            rows.push(row);
        }
        // Those that never settle come first, so that the equations are solved for them where they
        // can be.
        let free =
            |entry: &usize| *entry > 0 && !settles.contains(entry) && self.map[*entry].is_zero();
        let (first, rest): (Vec<usize>, Vec<usize>) = (0..entries).partition(free);
        let order: Vec<usize> = first.iter().chain(&rest).copied().collect();
        let span =
            RowSpan::of(entries, &rows.iter().map(|row| narrow(row, &order)).collect::<Vec<_>>());
        let solved = first
            .iter()
            .enumerate()
            .filter_map(|(place, &entry)| Some((entry, span.row_at(place)?.clone())));
        Ok(solved.collect())
    }

    fn stage(
        &self,
        stage: &StageRecord,
        listed: &[NumberRow],
        step: &Rational,
        settled: &mut DeterminedCoefficients,
    ) -> Result<(), String> {
        let open: Vec<usize> = (0..settled.len()).filter(|&entry| !settled[entry]).collect();
        let known: Vec<usize> = (0..settled.len()).filter(|&entry| settled[entry]).collect();
        let target = |row: &NumberRow| {
            let given = known
                .iter()
                .fold(Rational::ZERO, |sum, &entry| &sum + &(&self.map[entry] * &row[entry]));
            &row[settled.len()] - &given
        };
        // `(g, w)` of weights that single out an entry.
        let combined = |weights: &WeightRecord, entry: usize| -> Option<(Rational, Rational)> {
            let (mut sums, mut g, mut w) =
                (vec![Rational::ZERO; open.len()], Rational::ZERO, Rational::ZERO);
            for (number, text) in weights {
                let (row, weight) = (listed.get(*number)?, read_number(text)?);
                for (sum, &at) in sums.iter_mut().zip(&open) {
                    *sum = &*sum + &(&weight * &row[at]);
                }
                g = &g + &(&weight * &target(row));
                w = &w + &weight.abs();
            }
            let unit = |at: usize| if at == entry { Rational::ONE } else { Rational::ZERO };
            sums.iter().zip(&open).all(|(sum, &at)| *sum == unit(at)).then_some((g, w))
        };
        let size = |entry: usize| match entry.checked_sub(1) {
            Some(column) => &self.map[entry].abs() * &self.errors[column],
            None => Rational::ZERO,
        };
        let mut slack = known.iter().fold(self.error.clone(), |sum, &entry| &sum + &size(entry));
        let (mut first, mut kappa) = (Rational::ZERO, Rational::ZERO);
        for &entry in open.iter().filter(|&&entry| entry > 0 && !self.errors[entry - 1].is_zero()) {
            let weights = stage
                .spread
                .iter()
                .find(|(column, _)| column.checked_add(1) == Some(entry))
                .map(|(_, weights)| weights);
            let (g, w) = weights
                .and_then(|weights| combined(weights, entry))
                .ok_or("weights do not add up to the coefficient whose size they are to bound")?;
            first = &first + &(&self.errors[entry - 1] * &g.abs());
            kappa = &kappa + &(&self.errors[entry - 1] * &w);
        }
        let left = &Rational::ONE - &kappa;
        if left.signum() <= 0 {
            return Err(
                "the records are too near to each other to bound the coefficients".to_owned()
            );
        }
        let open_part = (&first + &(&kappa * &slack))
            .checked_div(&left)
            .invariant("what is left is above zero");
        slack = &slack + &open_part;
        for one in &stage.settled {
            let entry = one
                .column
                .map_or(Some(0), |column| column.checked_add(1))
                .filter(|entry| open.contains(entry));
            let Some(entry) = entry else {
                return Err("a coefficient settles twice, or is none".to_owned());
            };
            let (Some(above), Some(below)) =
                (combined(&one.above, entry), combined(&one.below, entry))
            else {
                return Err(
                    "weights do not add up to the coefficient that they are to settle".to_owned()
                );
            };
            let value = read_number(&one.value).filter(|value| *value == self.map[entry]);
            let Some(value) = value else {
                return Err("a coefficient settles at another value than the effect has".to_owned());
            };
            let high = &above.0 + &(&above.1 * &slack);
            let low = &below.0 - &(&below.1 * &slack);
            let whole = value.checked_div(step).is_some_and(|steps| steps.is_integer());
            if !whole
                || value < low
                || value > high
                || &value - step >= low
                || &value + step <= high
            {
                return Err(format!(
                    "{value} is not the one value that the records leave between {low} and {high}"
                ));
            }
        }
        for one in &stage.settled {
            settled[one.column.map_or(0, |column| column + 1)] = true;
        }
        Ok(())
    }
}

/// What coefficients are multiples of: 10^-N, divided by the denominators of what columns are
/// expressed by.
fn step(decimals: u32, solved: &[(usize, NumberRow)]) -> Result<Rational, String> {
    let mut multiple = IBig::ONE;
    for denominator in solved.iter().flat_map(|(_, row)| row).map(Rational::denominator) {
        let common = IBig::from((&multiple).gcd(&denominator));
        multiple = multiple * denominator / common;
    }
    let ten = IBig::from(10).pow(decimals as usize);
    Rational::from_integers(IBig::ONE, ten * multiple)
        .ok_or_else(|| "there is no such number of decimals".to_owned())
}
