//! Coefficients that are known although no record is exact, since they have few decimals.
//!
//! Let `f` be the true map, whose coefficients are multiples of a step. Every consistent map satisfies `|f(x_j) - y_j| ≤ s`, where
//! `s = Σ |f_i| e_i + e_y`. Let `U` be what is not settled yet (columns, perhaps the constant), `T_j` the values afterwards less the settled part, and
//! `f_U` the rest of the map. Weights `c_j` of records with `Σ c_j (1, x_j) = unit i` over `U` give `f_i = Σ c_j f_U(x_j)`, hence
//! `|f_i - g| ≤ w s` for `g = Σ c_j T_j` and `w = Σ |c_j|`. The best such weights are multipliers of a linear program: the largest and the least `f_i` among
//! maps within `s` of all `T_j`. If one multiple of the step is in between, it is `f_i`; if none is, no map has so few decimals.
//!
//! `s` reads the coefficients that are sought. With weights for each inexact column `k` of `U`, `t = Σ e_k |f_k|` over those columns satisfies
//! `t ≤ Σ e_k (|g_k| + w_k (s0 + t))`, where `s0 = s - t` is known, so `t ≤ (Σ e_k |g_k| + κ s0) / (1 - κ)` as long as `κ = Σ e_k w_k < 1`.
//! What settles makes `s` smaller, and more settles in the next stage.
//!
//! Exact columns may be bound by equations wherever the model allows a step. Then the coefficients of some can be taken to be zero, those
//! of the others being multiples of the step divided by the denominators of the equations solved for the former.

use std::collections::BTreeSet;

use dashu_int::IBig;
use dashu_int::ops::Gcd;

use super::band::{Band, Extreme, Records};
use super::fit::{Settlement, Stage, Target, Weights};
use super::simplest::Known;
use crate::exact::{Echelon, Rational, Rounding, Row};
use crate::ids::{Id, first_ids};
use crate::learn::ids::ActiveColumn;

/// What is settled, and why.
#[derive(Default)]
pub(super) struct Settled {
    pub known: Known,
    pub stages: Vec<Stage>,
}

/// No map with so few decimals is within the errors of all records.
pub(super) struct Refuted;

/// Settles what the records leave one value for. With `dropped`, equations are made use of.
pub(super) fn settle(target: &Target<'_>, records: &Records<'_>, decimals: u32, dropped: bool) -> Result<Settled, Refuted> {
    let solved = if dropped { solved(target) } else { Vec::new() };
    let step = step(decimals, &solved);
    let mut known = Known::default();
    known.columns.extend(solved.iter().map(|(column, _)| (*column, Rational::ZERO)));
    let mut settling = Settling { target, records, step, known, working: records.extreme() };
    let mut stages = Vec::new();
    while let Some(stage) = settling.stage()? {
        stages.push(stage);
    }
    // Without any stage nothing is known: the equations say nothing by themselves.
    Ok(if stages.is_empty() { Settled::default() } else { Settled { known: settling.known, stages } })
}

/// The equations solved for columns whose coefficients can then be zero, each row with one in its column.
///
/// Columns are taken in order, the function's own last. Equations that read inexact columns, or that some record refutes, are left out.
fn solved(target: &Target<'_>) -> Vec<(ActiveColumn, Vec<Rational>)> {
    let columns = target.errors.len();
    let exact =
        |row: &&Row| first_ids(columns).all(|c: ActiveColumn| target.errors[c.index()].is_zero() || row.signum(c.entry()) == 0);
    let holds = |row: &&Row| {
        let value = |x: &Vec<Rational>| {
            first_ids(columns).fold(row.entry(0), |sum, c: ActiveColumn| &sum + &(&row.entry(c.entry()) * &x[c.index()]))
        };
        target.records.iter().all(|(x, _)| value(x).is_zero())
    };
    let mut order: Vec<usize> = (1..=columns).filter(|&entry| target.own.is_none_or(|own| own.entry() != entry)).collect();
    order.extend(target.own.map(ActiveColumn::entry));
    order.push(0);
    let ordered = |row: &Row| Row::from_integers(order.iter().map(|&entry| row.integer(entry)).collect());
    let span = Echelon::span(columns + 1, target.equations.iter().filter(exact).filter(holds).map(ordered));
    let rows = span.rows().iter().zip(span.pivots()).filter(|(_, pivot)| order[**pivot] > 0);
    rows.map(|(row, &pivot)| {
        let unit = |place: usize| row.entry(place).checked_div(&row.entry(pivot)).unwrap_or(Rational::ZERO);
        (ActiveColumn::from_index(order[pivot] - 1), (0..=columns).map(unit).collect())
    })
    .collect()
}

/// What coefficients are multiples of.
fn step(decimals: u32, solved: &[(ActiveColumn, Vec<Rational>)]) -> Rational {
    let mut denominators = IBig::ONE;
    for denominator in solved.iter().flat_map(|(_, row)| row).map(Rational::denominator) {
        let common = IBig::from((&denominators).gcd(&denominator));
        denominators = denominators * denominator / common;
    }
    let power = IBig::from(10).pow(decimals as usize);
    Rational::from_integers(IBig::ONE, power * denominators).unwrap_or(Rational::ONE)
}

struct Settling<'a> {
    target: &'a Target<'a>,
    records: &'a Records<'a>,
    step: Rational,
    known: Known,
    working: BTreeSet<usize>,
}

impl<'a> Settling<'a> {
    /// What settles next; `None` when nothing does.
    fn stage(&mut self) -> Result<Option<Stage>, Refuted> {
        let open: Vec<ActiveColumn> =
            first_ids(self.target.errors.len()).filter(|column| !self.known.columns.contains_key(column)).collect();
        let rest = self.known.affine();
        let targets: Vec<Rational> = self.target.records.iter().map(|(x, after)| after - &rest.at(x)).collect();
        let Some((spread, slack)) = self.spread(&open, &targets) else { return Ok(None) };
        let band = self.band(&open, targets, slack);
        let mut settled: Vec<Settlement> = Vec::new();
        let constant = self.known.constant.is_none().then_some(None);
        for column in open.iter().copied().map(Some).chain(constant) {
            let above = band.extreme(column, true, &mut self.working);
            let below = band.extreme(column, false, &mut self.working);
            match (above, below) {
                (Extreme::Found { value: high, weights: above }, Extreme::Found { value: low, weights: below }) => {
                    match one_multiple(&-&low, &high, &self.step) {
                        Multiples::One(value) => settled.push(Settlement { column, value, above, below }),
                        Multiples::Several => {}
                        Multiples::None => return Err(Refuted),
                    }
                }
                (Extreme::Empty, _) | (_, Extreme::Empty) => return Err(Refuted),
                _ => {}
            }
        }
        if settled.is_empty() {
            return Ok(None);
        }
        for one in &settled {
            match one.column {
                Some(column) => drop(self.known.columns.insert(column, one.value.clone())),
                None => self.known.constant = Some(one.value.clone()),
            }
        }
        Ok(Some(Stage { spread, settled }))
    }

    /// Maps over what is not settled.
    fn band(&self, open: &[ActiveColumn], targets: Vec<Rational>, slack: Rational) -> Band<'a> {
        let band = Band::new(self.records, open.to_vec(), targets, slack);
        // What the settled constant gives is taken off the targets already.
        if self.known.constant.is_some() { band.fixed(None, &Rational::ZERO) } else { band }
    }

    /// Weights that bound the coefficients of inexact columns, and how far the rest of the true map is from the targets at most.
    fn spread(&mut self, open: &[ActiveColumn], targets: &[Rational]) -> Option<(Vec<(ActiveColumn, Weights)>, Rational)> {
        let errors = self.target.errors;
        let known = self.known.columns.iter().map(|(column, value)| &value.abs() * &errors[column.index()]);
        let settled = known.fold(self.target.error.clone(), |sum, size| &sum + &size);
        let mut working = std::mem::take(&mut self.working);
        let unit = self.band(open, vec![Rational::ZERO; targets.len()], Rational::ONE);
        let inexact = open.iter().copied().filter(|column| !errors[column.index()].is_zero());
        let weights = inexact.map(|column| match unit.extreme(Some(column), true, &mut working) {
            Extreme::Found { weights, .. } => Some((column, weights)),
            Extreme::Unbounded | Extreme::Empty => None,
        });
        let weights: Option<Vec<(ActiveColumn, Weights)>> = weights.collect();
        self.working = working;
        let weights = weights?;
        let (mut first, mut kappa) = (Rational::ZERO, Rational::ZERO);
        for (column, weights) in &weights {
            let error = &errors[column.index()];
            let value = weights.iter().fold(Rational::ZERO, |sum, (j, weight)| &sum + &(weight * &targets[*j]));
            let size = weights.iter().fold(Rational::ZERO, |sum, (_, weight)| &sum + &weight.abs());
            first += &(error * &value.abs());
            kappa += &(error * &size);
        }
        let left = &Rational::ONE - &kappa;
        if left.signum() <= 0 {
            return None;
        }
        let open_part = (&first + &(&kappa * &settled)).checked_div(&left)?;
        Some((weights, &settled + &open_part))
    }
}

enum Multiples {
    None,
    One(Rational),
    Several,
}

/// The multiples of a step between two numbers.
fn one_multiple(low: &Rational, high: &Rational, step: &Rational) -> Multiples {
    let steps = |value: &Rational, rounding| value.checked_div(step).unwrap_or(Rational::ZERO).with_decimals(0, rounding);
    let (first, last) = (steps(low, Rounding::Up), steps(high, Rounding::Down));
    match first.cmp(&last) {
        std::cmp::Ordering::Less => Multiples::Several,
        std::cmp::Ordering::Equal => Multiples::One(&first * step),
        std::cmp::Ordering::Greater => Multiples::None,
    }
}
