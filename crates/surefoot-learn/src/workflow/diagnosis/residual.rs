//! How far steps are from the affine map that fits them best. In floating point: this is for a
//! message, not for a model.

use surefoot_base::exact::Rational;

use super::Cause;
use super::exact::ChangeTable;
use super::fit::{AffineFit, FLOATING, NOISE, is_few, trimmed_distances};
use super::subject::ActionObservations;
use crate::evidence::{LiftedFunctionId, Monomial};

/// More columns than this are not fitted.
const MAX_FITTED: usize = 40;

/// If there are very many steps, this many decide which product is examined.
const SAMPLED: usize = 2000;

/// Steps that are so many times farther away than the share above are much farther.
pub const FAR: f64 = 3.0;

/// A product that leaves less than this share of the distances is named.
const MUCH_BETTER: f64 = 0.25;

/// How nearly an affine map explains the changes of a function, if it does nearly.
pub fn inexact(seen: &ActionObservations<'_>, function: LiftedFunctionId) -> Option<Cause> {
    let table = ChangeTable::of(seen, function)?;
    let (mut columns, target) = fitted(&table)?;
    let before = table.before.iter().filter_map(|row| row[function].as_ref());
    let values: Vec<&Rational> = table.after.iter().chain(before).collect();
    let (least, most) = (*values.iter().min()?, *values.iter().max()?);
    let (spread, size) = ((most - least).to_f64(), most.to_f64().abs().max(least.to_f64().abs()));
    let mut best = Residual::of(&columns, &target);
    let mut product = None;
    if best.within > FLOATING * size
        && let Some(candidate) = promising(&table, &columns, &target)
    {
        columns.push(column(&table, &candidate));
        let fit = Residual::of(&columns, &target);
        if fit.within < MUCH_BETTER * best.within {
            (best, product) = (fit, Some(seen.learner.written(seen.action, &candidate)));
        }
    }
    let tiny = best.within <= FLOATING * size;
    // Numbers of few decimals were not rounded by computing in floating point: what is that near is
    // exact, but for a few steps.
    let floating = tiny && values.iter().any(|value| !is_short(value));
    if tiny && !floating {
        return None;
    }
    let few = is_few(best.except, target.len());
    let Residual { within, except } = best;
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
pub fn far_off(table: &ChangeTable) -> Vec<usize> {
    let Some((columns, target)) = fitted(table) else { return Vec::new() };
    let size = table.after.iter().map(|after| after.to_f64().abs()).fold(0.0, f64::max);
    let (distances, usual) = trimmed_distances(&columns, &target);
    let far = FAR * usual.max(FLOATING * size);
    let odd: Vec<usize> = (0..target.len()).filter(|&row| distances[row] > far).collect();
    if is_few(odd.len(), target.len()) { odd } else { Vec::new() }
}

/// How far steps are from a map.
struct Residual {
    /// So far, at most.
    within: f64,
    /// The number of steps that are much farther away.
    except: usize,
}

impl Residual {
    /// The map that fits best once the worst steps do not count.
    fn of(columns: &[Vec<f64>], target: &[f64]) -> Residual {
        let (distances, usual) = trimmed_distances(columns, target);
        let near: Vec<f64> =
            distances.iter().copied().filter(|&distance| distance <= FAR * usual).collect();
        let except = distances.len() - near.len();
        Residual { within: near.into_iter().fold(0.0, f64::max), except }
    }
}

/// The product that leaves the least of the changes unexplained.
fn promising(table: &ChangeTable, columns: &[Vec<f64>], target: &[f64]) -> Option<Monomial> {
    let step = target.len().div_ceil(SAMPLED);
    let columns: Vec<Vec<f64>> = columns.iter().map(|column| sampled(column, step)).collect();
    let target = sampled(target, step);
    let fit = AffineFit::over_all(&columns, target.len());
    let rest = fit.rest(&target);
    let mut best: Option<(f64, Monomial)> = None;
    for product in table.candidates() {
        let column = sampled(&column(table, &product), step);
        let Some(direction) = fit.direction(&column) else { continue };
        let explained = fit.dot(&rest, &direction).abs();
        if best.as_ref().is_none_or(|(most, _)| explained > *most) {
            best = Some((explained, product));
        }
    }
    best.map(|(_, product)| product)
}

/// Every so manieth value.
fn sampled(values: &[f64], step: usize) -> Vec<f64> {
    values.iter().step_by(step).copied().collect()
}

/// The values of a product in the rows of a table.
fn column(table: &ChangeTable, product: &Monomial) -> Vec<f64> {
    (0..table.change.len()).map(|row| table.value(row, product).to_f64()).collect()
}

/// The changes of a table, and its columns; `None` where there are too few steps to tell, or too
/// many columns.
fn fitted(table: &ChangeTable) -> Option<(Vec<Vec<f64>>, Vec<f64>)> {
    let columns = table.columns.len();
    (columns <= MAX_FITTED && table.change.len() >= 2 * columns + 5).then(|| {
        let changes = table.change.iter().map(|change| change.to_f64()).collect();
        (table.columns.iter().map(|product| column(table, product)).collect(), changes)
    })
}
