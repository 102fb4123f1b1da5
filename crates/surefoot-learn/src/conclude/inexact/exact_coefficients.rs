//! Coefficients that are known although no record is exact, since they have few decimals.
//!
//! Let `f` be the true map, whose coefficients are multiples of a step, and `U` what is not settled
//! yet (columns, perhaps the constant). All consistent maps are within some `S` of all records (see
//! `outer`). Weights `c_j` of records with `Σ c_j (1, x_j) = unit i` over `U` give
//! `|f_i - g| ≤ w S`, where `g = Σ c_j T_j` and `w = Σ |c_j|`. The best such weights are
//! multipliers of a linear program: the largest and the least `f_i` among maps within `S` of all
//! `T_j`. If one multiple of the step is in between, it is `f_i`; if none is, no map has so few
//! decimals. What settles makes `S` smaller, and more settles in the next stage.
//!
//! Exact columns may be bound by equations wherever the model allows a step. Then the coefficients
//! of some can be taken to be zero, those of the others being multiples of the step divided by the
//! denominators of the equations solved for the former.

use std::collections::BTreeSet;

use dashu_int::IBig;
use dashu_int::ops::Gcd;
use surefoot_base::exact::{Echelon, Rational, Rounding, Row};
use surefoot_base::ids::{Id, first_ids};
use surefoot_base::invariant::Invariant;

use super::band::{Extreme, RecordVectors};
use super::fit::{RecordedOutcomes, Settlement, Stage};
use super::outer_band::Outer;
use super::simplest::KnownCoefficients;
use crate::conclude::effect::entries_at;
use crate::evidence::ActiveColumn;

/// What is settled, and why.
#[derive(Default)]
pub(super) struct Settled {
    pub known: KnownCoefficients,
    pub stages: Vec<Stage>,
}

/// No map with this few decimals is within the errors of all records.
pub(super) struct Refuted;

/// Which columns equations are solved for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dropped {
    /// Later ones, by earlier ones: what a person would write.
    Latest,
    /// Earlier ones: the order in which a proof is read that leaves coefficients open.
    Earliest,
    /// None: equations are not made use of.
    Nothing,
}

/// Settles what the records leave one value for.
pub(super) fn settle(
    target: &RecordedOutcomes<'_>,
    records: &RecordVectors<'_>,
    decimals: u32,
    dropped: Dropped,
) -> Result<Settled, Refuted> {
    let solved = if dropped == Dropped::Nothing {
        Vec::new()
    } else {
        solved(target, dropped == Dropped::Latest)
    };
    let step = step(decimals, &solved);
    let mut known = KnownCoefficients::default();
    known.columns.extend(solved.iter().map(|(column, _)| (*column, Rational::ZERO)));
    let mut settling = Settling { target, records, step, known, working: records.extreme() };
    let mut stages = Vec::new();
    while let Some(stage) = settling.stage()? {
        stages.push(stage);
    }
    // Without any stage nothing is known: the equations say nothing by themselves.
    Ok(if stages.is_empty() {
        Settled::default()
    } else {
        Settled { known: settling.known, stages }
    })
}

/// The equations solved for columns whose coefficients can then be zero, each row with one in its
/// column.
///
/// Columns are taken in order, or the latest first and the function's own last. Equations that read
/// inexact columns, or that some record refutes, are left out.
fn solved(target: &RecordedOutcomes<'_>, latest: bool) -> Vec<(ActiveColumn, Vec<Rational>)> {
    let columns = target.errors.len();
    let mut order: Vec<usize> = (1..=columns).collect();
    if latest {
        order.sort_by_key(|&entry| {
            (target.own.is_some_and(|own| own.entry() == entry), std::cmp::Reverse(entry))
        });
    }
    order.push(0);
    let equations = target
        .equations
        .iter()
        .filter(|row| reads_only_exact(row, target.errors) && holds_in_records(row, target))
        .map(|row| entries_at(row, order.iter().copied()));
    let span = Echelon::span(columns + 1, equations);
    let rows = span.rows().iter().zip(span.pivots()).filter(|(_, pivot)| order[**pivot] > 0);
    rows.map(|(row, &pivot)| {
        let scale = row.entry(pivot);
        let unit = (0..=columns).map(|place| {
            row.entry(place).checked_div(&scale).invariant("a row is not zero at its pivot")
        });
        (ActiveColumn::from_index(order[pivot] - 1), unit.collect())
    })
    .collect()
}

/// Whether an equation reads exact columns only.
pub(super) fn reads_only_exact(equation: &Row, errors: &[Rational]) -> bool {
    first_ids(errors.len())
        .all(|c: ActiveColumn| errors[c.index()].is_zero() || equation.signum(c.entry()) == 0)
}

/// Whether an equation holds in all records.
fn holds_in_records(equation: &Row, target: &RecordedOutcomes<'_>) -> bool {
    target.records.iter().all(|(x, _)| {
        let value = first_ids(target.errors.len())
            .fold(equation.entry(0), |sum, c: ActiveColumn| {
                &sum + &(&equation.entry(c.entry()) * &x[c.index()])
            });
        value.is_zero()
    })
}

/// What coefficients are multiples of.
fn step(decimals: u32, solved: &[(ActiveColumn, Vec<Rational>)]) -> Rational {
    let mut denominators = IBig::ONE;
    for denominator in solved.iter().flat_map(|(_, row)| row).map(Rational::denominator) {
        let common = IBig::from((&denominators).gcd(&denominator));
        denominators = denominators * denominator / common;
    }
    let power = IBig::from(10).pow(decimals as usize);
    Rational::from_integers(IBig::ONE, power * denominators).invariant("denominators are not zero")
}

struct Settling<'a> {
    target: &'a RecordedOutcomes<'a>,
    records: &'a RecordVectors<'a>,
    step: Rational,
    known: KnownCoefficients,
    working: BTreeSet<usize>,
}

impl Settling<'_> {
    /// What settles next; `None` when nothing does.
    fn stage(&mut self) -> Result<Option<Stage>, Refuted> {
        let Some(outer) = Outer::new(self.target, self.records, &self.known, &mut self.working)
        else {
            return Ok(None);
        };
        let mut bounds = outer.band.bounds(&self.working);
        let mut settled: Vec<Settlement> = Vec::new();
        let constant = self.known.constant.is_none().then_some(None);
        for column in outer.band.columns().iter().copied().map(Some).chain(constant) {
            let above = bounds.extreme(column, true);
            let below = bounds.extreme(column, false);
            match (above, below) {
                (
                    Extreme::Found { value: high, weights: above },
                    Extreme::Found { value: low, weights: below },
                ) => match one_multiple(&-&low, &high, &self.step) {
                    Multiples::One(value) => {
                        settled.push(Settlement { column, value, above, below })
                    }
                    Multiples::Several => {}
                    Multiples::None => return Err(Refuted),
                },
                (Extreme::Empty, _) | (_, Extreme::Empty) => return Err(Refuted),
                _ => {}
            }
        }
        self.working = bounds.into_working();
        if settled.is_empty() {
            return Ok(None);
        }
        for one in &settled {
            match one.column {
                Some(column) => drop(self.known.columns.insert(column, one.value.clone())),
                None => self.known.constant = Some(one.value.clone()),
            }
        }
        Ok(Some(Stage { spread: outer.spread, settled }))
    }
}

enum Multiples {
    None,
    One(Rational),
    Several,
}

/// The multiples of a step between two numbers.
fn one_multiple(low: &Rational, high: &Rational, step: &Rational) -> Multiples {
    let first = in_steps(low, step, Rounding::Up);
    let last = in_steps(high, step, Rounding::Down);
    match first.cmp(&last) {
        std::cmp::Ordering::Less => Multiples::Several,
        std::cmp::Ordering::Equal => Multiples::One(&first * step),
        std::cmp::Ordering::Greater => Multiples::None,
    }
}

/// How many steps a number is, rounded to an integer.
fn in_steps(value: &Rational, step: &Rational, rounding: Rounding) -> Rational {
    value.checked_div(step).invariant("a step is not zero").with_decimals(0, rounding)
}
