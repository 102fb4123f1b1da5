//! Conditions with few digits, rounded inward: what is printed is contained in what was learned
//! (docs/theory.md, "Exact numbers").

use std::sync::Arc;

use dashu_int::IBig;
use dashu_int::ops::{Abs, UnsignedAbs};
use surefoot_base::exact::{Constraint, Polyhedron, Rational, Row};
use surefoot_base::ids::{Id, first_ids};

use super::region::Region;
use crate::evidence::ActiveColumn;

/// Rounds the inequalities of a region to coefficients of at most `digits` digits. `open` are the
/// columns in whose direction the region is unbounded; conditions that mention one are left as they
/// are, and so are equations, which have no inside.
///
/// Rounding is inward only within a box, so where anything was rounded the bounds of the
/// observations become conditions.
pub fn round_inward(
    region: &mut Region,
    points: &[Vec<Rational>],
    open: &[ActiveColumn],
    digits: u32,
) {
    let columns = region.exact.columns();
    let bounds: Vec<(Rational, Rational)> =
        first_ids(columns).filter_map(|column| bounds(points, column)).collect();
    if bounds.len() < columns {
        // No vector is wholly known, so no box is either.
        return;
    }
    let mut rounded = false;
    let mut inequalities: Vec<Constraint> = region.exact.inequalities().cloned().collect();
    for inequality in &mut inequalities {
        let mentions_open =
            open.iter().any(|&column| !inequality.coefficient(column.index()).is_zero());
        if !mentions_open && let Some(inside) = inward(inequality, &bounds, digits) {
            *inequality = inside;
            rounded = true;
        }
    }
    if rounded {
        let closed = first_ids(columns).filter(|column| !open.contains(column));
        inequalities
            .extend(closed.flat_map(|column| box_sides(&bounds[column.index()], column, columns)));
        inequalities.sort();
        inequalities.dedup();
        region.set =
            Arc::new(Polyhedron::bounded(columns, region.exact.equations().to_vec(), inequalities));
        region.uncovered = points.iter().filter(|point| !region.contains(point)).count();
    }
}

fn bounds(points: &[Vec<Rational>], column: ActiveColumn) -> Option<(Rational, Rational)> {
    let place = column.index();
    let least = points.iter().map(|point| &point[place]).min()?;
    let most = points.iter().map(|point| &point[place]).max()?;
    Some((least.clone(), most.clone()))
}

/// `x ≤ high` and `-x ≤ -low`.
fn box_sides(
    (low, high): &(Rational, Rational),
    column: ActiveColumn,
    columns: usize,
) -> [Constraint; 2] {
    [box_side(1, high, column, columns), box_side(-1, &-low, column, columns)]
}

/// `sign · x ≤ bound`.
fn box_side(sign: i64, bound: &Rational, column: ActiveColumn, columns: usize) -> Constraint {
    let mut entries = vec![Rational::ZERO; columns + 1];
    entries[0] = -bound;
    entries[column.entry()] = Rational::integer(sign);
    Constraint::homogeneous(Row::direction(&entries))
}

/// A constraint with short coefficients that implies the given one in the box; `None` where the
/// given one is short enough.
fn inward(
    constraint: &Constraint,
    bounds: &[(Rational, Rational)],
    digits: u32,
) -> Option<Constraint> {
    let row = constraint.row();
    let limit = IBig::from(10).pow(digits as usize);
    let integers: Vec<IBig> = (0..row.len()).map(|index| row.integer(index)).collect();
    if integers.iter().all(|value| value.clone().abs() < limit) {
        return None;
    }
    // Scale the largest coefficient to the limit, and take what is cut off from the bound, at its
    // worst in the box.
    let largest = Rational::from_integers(
        integers[1..].iter().map(|value| value.clone().abs()).max()?,
        IBig::ONE,
    )?;
    let scale = Rational::from_integers(limit - IBig::ONE, IBig::ONE)?.checked_div(&largest)?;
    let mut entries = vec![Rational::ZERO; row.len()];
    let mut bound = &constraint.bound() * &scale;
    for (column, (low, high)) in first_ids::<ActiveColumn>(bounds.len()).zip(bounds) {
        let exact = &constraint.coefficient(column.index()) * &scale;
        let short = nearest(&exact)?;
        let error = &exact - &short;
        bound = &bound - &(&error * low).max(&error * high);
        entries[column.entry()] = short;
    }
    entries[0] = -&floor_to(&bound, digits)?;
    let row = Row::direction(&entries);
    (!row.is_zero()).then(|| Constraint::homogeneous(row))
}

fn floor(value: &Rational) -> IBig {
    let (num, den) = (value.numerator(), value.denominator());
    let quotient = &num / &den;
    if num < IBig::ZERO && &quotient * &den != num { quotient - IBig::ONE } else { quotient }
}

fn nearest(value: &Rational) -> Option<Rational> {
    let half = Rational::new(1, 2)?;
    Rational::from_integers(floor(&(value + &half)), IBig::ONE)
}

/// The largest number below that has no more significant digits.
fn floor_to(value: &Rational, digits: u32) -> Option<Rational> {
    let length = floor(value).unsigned_abs().to_string().len();
    let unit = IBig::from(10).pow(length.saturating_sub(digits as usize));
    let unit = Rational::from_integers(unit, IBig::ONE)?;
    Some(&Rational::from_integers(floor(&value.checked_div(&unit)?), IBig::ONE)? * &unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use surefoot_base::exact::{Budget, hull};

    /// Under an arity, vectors that each have some columns bound a region, although none has all of
    /// them.
    #[test]
    fn without_a_box_nothing_is_rounded() {
        let points = [123_456, 654_321]
            .map(|value| vec![Rational::integer(value), Rational::integer(-value)]);
        let set = Arc::new(hull(&points, &[], Budget::default()).unwrap());
        let exact = Region { exact: Arc::clone(&set), set, ..Region::unbounded(2) };
        let mut rounded = exact.clone();
        round_inward(&mut rounded, &[], &[], 2);
        assert_eq!(rounded, exact);
    }

    proptest! {
        #[test]
        fn what_is_printed_is_contained_in_what_was_learned(
            points in prop::collection::vec(prop::collection::vec(-100_000i64..100_000, 3), 4..10),
            probes in prop::collection::vec(prop::collection::vec(-120_000i64..120_000, 3), 40),
            digits in 1u32..6,
        ) {
            let vector = |values: &Vec<i64>| {
                values.iter().map(|&value| Rational::new(value, 7).unwrap()).collect::<Vec<_>>()
            };
            let points: Vec<_> = points.iter().map(vector).collect();
            let set = Arc::new(hull(&points, &[], Budget::default()).unwrap());
            let exact = Region { exact: Arc::clone(&set), set, ..Region::unbounded(3) };
            let mut rounded = exact.clone();
            round_inward(&mut rounded, &points, &[], digits);
            for probe in probes.iter().map(vector).chain(points.iter().cloned()) {
                prop_assert!(!rounded.contains(&probe) || exact.contains(&probe));
            }
        }
    }
}
