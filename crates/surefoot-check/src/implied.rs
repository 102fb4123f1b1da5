//! What follows from the inequalities that a model prints: each facet of the region, up to rounding
//! inward.

use std::collections::HashSet;

use super::linear::{EquationSystem, NumberRow, direction, is_zero};
use super::region::{MAX_COMPARISONS, ModelRegion};
use surefoot_base::exact::Rational;

/// The inequalities of a model, to find what follows from them and its equations.
pub(super) struct PrintedInequalities<'a> {
    equations: &'a EquationSystem,
    /// As they are, and with what the equations express by others left out.
    rows: [Vec<NumberRow>; 2],
    /// The latter, scaled; those that mention a column.
    pub(super) known: HashSet<NumberRow>,
    /// By column: the bounds that inequalities of one column alone give, for each list of rows.
    bounds: [Vec<[Option<Rational>; 2]>; 2],
    /// For each list of rows: where they point, roughly. It only orders attempts.
    directions: Option<[Vec<Vec<f64>>; 2]>,
    compared: usize,
}

impl<'a> PrintedInequalities<'a> {
    pub(super) fn new(region: &ModelRegion<'_>, equations: &'a EquationSystem) -> Self {
        let reduced: Vec<NumberRow> =
            region.inequalities.iter().map(|row| equations.reduce(row)).collect();
        PrintedInequalities {
            equations,
            known: reduced
                .iter()
                .filter(|row| !is_zero(&row[1..]))
                .map(|row| direction(row))
                .collect(),
            bounds: [bounds(&region.inequalities), bounds(&reduced)],
            rows: [region.inequalities.clone(), reduced],
            directions: None,
            compared: 0,
        }
    }

    /// Whether `row · (1, x) ≤ 0` follows: it is printed, or follows from one printed inequality
    /// and the printed bounds of single columns, up to the equations. `None` where it takes too
    /// long to say.
    pub(super) fn imply(&mut self, row: &NumberRow) -> Option<bool> {
        let reduced = self.equations.reduce(row);
        if self.equations.is_impossible() || self.known.contains(&direction(&reduced)) {
            return Some(true);
        }
        if is_zero(&reduced[1..]) && reduced[0].signum() <= 0 {
            return Some(true);
        }
        self.compared = self.compared.saturating_add(2 * self.rows[0].len());
        if self.compared > MAX_COMPARISONS {
            return None;
        }
        let directions =
            self.directions.get_or_insert_with(|| [units(&self.rows[0]), units(&self.rows[1])]);
        for (list, wanted) in [&reduced, row].into_iter().enumerate() {
            // Reduced ones first: they say most.
            let list = 1 - list;
            let mine = unit(wanted);
            let mut order: Vec<(f64, usize)> =
                directions[list].iter().map(|other| likeness(&mine, other)).zip(0..).collect();
            order.sort_by(|one, other| other.0.total_cmp(&one.0));
            // Mostly it follows from one of the first. Where others that are not rounded are more
            // alike, it may be any.
            for (_, index) in order {
                if follows(wanted, &self.rows[list][index], &self.bounds[list]) {
                    return Some(true);
                }
                self.compared = self.compared.saturating_add(wanted.len().pow(2));
                if self.compared > MAX_COMPARISONS {
                    return None;
                }
            }
        }
        Some(false)
    }
}

fn unit(row: &[Rational]) -> Vec<f64> {
    let entries: Vec<f64> = row.iter().skip(1).map(Rational::to_f64).collect();
    let length = entries.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    entries.into_iter().map(|entry| entry / length).collect()
}

fn units(rows: &[NumberRow]) -> Vec<Vec<f64>> {
    rows.iter().map(|row| unit(row)).collect()
}

/// How much two directions are the same: the cosine of their angle.
fn likeness(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// By column: the lower and the upper bound that inequalities of one column alone give.
fn bounds(rows: &[NumberRow]) -> Vec<[Option<Rational>; 2]> {
    let width = rows.first().map_or(0, Vec::len);
    let mut bounds: Vec<[Option<Rational>; 2]> = vec![[None, None]; width];
    for row in rows {
        let mentioned: Vec<usize> = (1..width).filter(|&at| !row[at].is_zero()).collect();
        if let [at] = mentioned[..]
            && let Some(bound) = (-&row[0]).checked_div(&row[at])
        {
            let above = row[at].signum() > 0;
            let known = &mut bounds[at][usize::from(above)];
            if known
                .as_ref()
                .is_none_or(|known| if above { bound < *known } else { bound > *known })
            {
                *known = Some(bound);
            }
        }
    }
    bounds
}

/// Whether an inequality follows from a given one and bounds:
/// `a · x ≤ λ (a' · x) + max (a - λ a') · x ≤ λ b' + max (a - λ a') · x ≤ b` for some λ ≥ 0, the
/// maximum being over the box. The right-hand side is convex and piecewise linear in λ, so the λ
/// that make some entry of `a - λ a'` zero decide.
fn follows(wanted: &NumberRow, given: &NumberRow, bounds: &[[Option<Rational>; 2]]) -> bool {
    let ratios = (1..wanted.len())
        .filter_map(|at| wanted[at].checked_div(&given[at]))
        .filter(|ratio| ratio.signum() >= 0);
    ratios.chain([Rational::ZERO]).any(|factor| follows_with(&factor, wanted, given, bounds))
}

/// Whether it follows with this λ.
fn follows_with(
    factor: &Rational,
    wanted: &NumberRow,
    given: &NumberRow,
    bounds: &[[Option<Rational>; 2]],
) -> bool {
    // The largest value of the difference in the box; none where it is unbounded.
    let mut largest = &wanted[0] - &(factor * &given[0]);
    for at in 1..wanted.len() {
        let rest = &wanted[at] - &(factor * &given[at]);
        match &bounds[at][usize::from(rest.signum() > 0)] {
            _ if rest.is_zero() => {}
            Some(bound) => largest = &largest + &(&rest * bound),
            None => return false,
        }
    }
    largest.signum() <= 0
}
