//! How far steps are from the affine map that fits them best. In floating point: this is for a
//! message, not for a model.

use surefoot_base::exact::Rational;

use super::Cause;
use super::exact::Table;
use super::subject::Seen;
use crate::evidence::{LiftedFunctionId, Monomial};

/// More columns than this are not fitted.
const MAX_FITTED: usize = 40;

/// If there are very many steps, this many decide which product is examined.
const SAMPLED: usize = 2000;

/// The share of steps that a fit has to explain; the worst of the others may be recording errors.
const EXPLAINED: f64 = 0.95;

/// Steps this many times farther away than the share above are much farther.
pub const FAR: f64 = 3.0;

/// Distances that computing in doubles explains, as a share of the largest value.
const FLOATING: f64 = 1e-9;

/// Distances that are called noise, as a share of the range of values.
pub const NOISE: f64 = 0.05;

/// A product that leaves less than this share of the distances is named.
const MUCH_BETTER: f64 = 0.25;

/// How nearly an affine map explains the changes of a function, if it does nearly.
pub fn inexact(seen: &Seen<'_>, function: LiftedFunctionId) -> Option<Cause> {
    let table = Table::of(seen, function)?;
    if table.columns.len() > MAX_FITTED || table.change.len() < 2 * table.columns.len() + 5 {
        return None;
    }
    let values =
        || table.after.iter().chain(table.before.iter().filter_map(|row| row[function].as_ref()));
    let (least, most) = (values().min()?, values().max()?);
    let (spread, size) = ((most - least).to_f64(), most.to_f64().abs().max(least.to_f64().abs()));
    let target: Vec<f64> = table.change.iter().map(|change| change.to_f64()).collect();
    let column = |product: &Monomial| {
        (0..target.len()).map(|row| table.value(row, product).to_f64()).collect::<Vec<f64>>()
    };
    let mut columns = vec![vec![1.0; target.len()]];
    columns.extend(table.columns.iter().map(column));
    let mut best = Fit::of(&columns, &target);
    let mut product = None;
    if best.within > FLOATING * size
        && let Some(candidate) = promising(&table, &columns, &target)
    {
        columns.push(column(&candidate));
        let fit = Fit::of(&columns, &target);
        if fit.within < MUCH_BETTER * best.within {
            (best, product) = (fit, Some(seen.learner.written(seen.action, &candidate)));
        }
    }
    let tiny = best.within <= FLOATING * size;
    // Numbers of few decimals were not rounded by computing in floating point: what is that near is
    // exact, but for a few steps.
    let floating = tiny && values().any(|value| !is_short(value));
    if tiny && !floating {
        return None;
    }
    let few = is_few(best.except, target.len());
    let Fit { within, except } = best;
    // Steps whose numbers are not known are not claimed to be near.
    let except = except + seen.rows.len() - table.rows.len();
    (few && (floating || within <= NOISE * spread)).then_some(Cause::Inexact {
        within,
        except,
        spread,
        product,
        floating,
    })
}

/// Whether a number has few decimals, as people and sensors write them.
fn is_short(number: &Rational) -> bool {
    const DECIMALS: u32 = 6;
    (number * &Rational::integer(10_i64.pow(DECIMALS))).is_integer()
}

/// The rows of a table, ascending, that are much farther than all others from the affine map that
/// fits these best, if they are few.
pub fn far_off(table: &Table) -> Vec<usize> {
    if table.columns.len() > MAX_FITTED || table.change.len() < 2 * table.columns.len() + 5 {
        return Vec::new();
    }
    let target: Vec<f64> = table.change.iter().map(|change| change.to_f64()).collect();
    let column = |product: &Monomial| {
        (0..target.len()).map(|row| table.value(row, product).to_f64()).collect::<Vec<f64>>()
    };
    let mut columns = vec![vec![1.0; target.len()]];
    columns.extend(table.columns.iter().map(column));
    let size = table.after.iter().map(|after| after.to_f64().abs()).fold(0.0, f64::max);
    let (distances, usual) = distances(&columns, &target);
    let far = FAR * usual.max(FLOATING * size);
    let odd: Vec<usize> = (0..target.len()).filter(|&row| distances[row] > far).collect();
    if is_few(odd.len(), target.len()) { odd } else { Vec::new() }
}

/// Whether this many steps are few among all: a fit need not explain them.
pub fn is_few(odd: usize, all: usize) -> bool {
    odd as f64 <= (1.0 - EXPLAINED) * all as f64
}

/// How far steps are from a map.
struct Fit {
    /// The largest distance of the steps that fit.
    within: f64,
    /// The number of steps that are much farther away.
    except: usize,
}

impl Fit {
    /// The map that fits best once the worst steps do not count.
    fn of(columns: &[Vec<f64>], target: &[f64]) -> Fit {
        let (distances, usual) = distances(columns, target);
        let near = |distance: &&f64| **distance <= FAR * usual;
        let within = distances.iter().filter(near).copied().fold(0.0, f64::max);
        Fit { within, except: distances.len() - distances.iter().filter(near).count() }
    }
}

/// How far each step is from the map that fits best once the worst do not count, and how far all
/// but these are at most.
fn distances(columns: &[Vec<f64>], target: &[f64]) -> (Vec<f64>, f64) {
    const ROUNDS: usize = 3;
    let mut kept = vec![true; target.len()];
    let mut distances: Vec<f64> = Vec::new();
    let mut usual = 0.0;
    for _ in 0..ROUNDS {
        let basis = basis(columns, &kept);
        distances = reduced(target.to_vec(), &basis, &kept).into_iter().map(f64::abs).collect();
        let mut sorted = distances.clone();
        sorted.sort_by(f64::total_cmp);
        let last = ((EXPLAINED * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len());
        usual = sorted[last - 1];
        kept = distances.iter().map(|distance| *distance <= usual).collect();
    }
    (distances, usual)
}

/// The product that leaves the least of the changes unexplained.
fn promising(table: &Table, columns: &[Vec<f64>], target: &[f64]) -> Option<Monomial> {
    let step = target.len().div_ceil(SAMPLED);
    let sampled = |column: &[f64]| column.iter().step_by(step).copied().collect::<Vec<f64>>();
    let columns: Vec<Vec<f64>> = columns.iter().map(|column| sampled(column)).collect();
    let target = sampled(target);
    let kept = vec![true; target.len()];
    let basis = basis(&columns, &kept);
    let rest = reduced(target, &basis, &kept);
    let explained = |product: &Monomial| {
        let column: Vec<f64> = (0..table.change.len())
            .step_by(step)
            .map(|row| table.value(row, product).to_f64())
            .collect();
        let new = unit(column, &basis, &kept)?;
        Some(dot(&rest, &new, &kept).abs())
    };
    let candidates =
        table.candidates().into_iter().filter_map(|product| Some((explained(&product)?, product)));
    candidates
        .fold(None, |best: Option<(f64, Monomial)>, candidate| match best {
            Some(best) if best.0 >= candidate.0 => Some(best),
            _ => Some(candidate),
        })
        .map(|(_, product)| product)
}

fn dot(one: &[f64], other: &[f64], kept: &[bool]) -> f64 {
    one.iter().zip(other).zip(kept).filter(|(_, kept)| **kept).map(|((a, b), _)| a * b).sum()
}

/// What is left of a vector once all that the basis explains of it is gone, twice for good measure.
/// Only the kept rows decide; all are computed.
fn reduced(mut vector: Vec<f64>, basis: &[Vec<f64>], kept: &[bool]) -> Vec<f64> {
    for _ in 0..2 {
        for known in basis {
            let along = dot(&vector, known, kept);
            vector.iter_mut().zip(known).for_each(|(value, known)| *value -= along * known);
        }
    }
    vector
}

/// The direction that a column adds to a basis, if it adds one.
fn unit(column: Vec<f64>, basis: &[Vec<f64>], kept: &[bool]) -> Option<Vec<f64>> {
    let length = dot(&column, &column, kept).sqrt();
    let rest = reduced(column, basis, kept);
    let left = dot(&rest, &rest, kept).sqrt();
    (left > 1e-9 * length && left > 0.0)
        .then(|| rest.into_iter().map(|value| value / left).collect())
}

/// An orthogonal basis, by Gram and Schmidt.
fn basis(columns: &[Vec<f64>], kept: &[bool]) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for column in columns {
        basis.extend(unit(column.clone(), &basis, kept));
    }
    basis
}
