//! Regions from records that are not exact.
//!
//! A state is in the hull of every choice of true vectors within the errors iff the box of errors
//! around it is in the hull of the records: each facet moves inward by as much as errors can move a
//! point across it. Nothing may be left: an equation over an inexact function, or a direction in
//! which the records differ by less than the errors.

use surefoot_base::exact::{Constraint, Membership, Polyhedron, Rational, Row};
use surefoot_base::ids::{Id, IdVec};

use super::ids::ActiveColumn;

/// How far errors can move a point along the normal of a condition.
fn margin(constraint: &Constraint, errors: &IdVec<ActiveColumn, Rational>) -> Rational {
    let terms = constraint.coefficients().zip(errors).filter(|(_, error)| !error.is_zero());
    terms.fold(Rational::ZERO, |sum, (coefficient, error)| &sum + &(&coefficient.abs() * error))
}

/// The set with each condition moved inward by this many times its margin; `None` if no point is
/// left. If a point that may be left is known, that saves a linear program.
pub(crate) fn eroded(
    set: &Polyhedron,
    errors: &IdVec<ActiveColumn, Rational>,
    times: u32,
    middle: Option<&[Rational]>,
) -> Option<Polyhedron> {
    let columns = set.columns();
    if set.equations().iter().any(|equation| !margin(equation, errors).is_zero()) {
        return None;
    }
    let times = Rational::integer(times.into());
    let moved = set.inequalities().map(|inequality| {
        let row = inequality.row();
        let mut entries: Vec<Rational> = (0..=columns).map(|place| row.entry(place)).collect();
        entries[0] += &(&margin(inequality, errors) * &times);
        Constraint::homogeneous(Row::direction(&entries))
    });
    let inequalities: Vec<Constraint> = moved.collect();
    let left = Polyhedron::bounded(columns, set.equations().to_vec(), inequalities);
    // Usually the middle is left.
    let is_nonempty = middle.is_some_and(|middle| left.contains(middle)) || {
        let inequalities: Vec<Constraint> = left.inequalities().cloned().collect();
        !contradict(columns, left.equations(), &inequalities)
    };
    is_nonempty.then_some(left)
}

/// Boxes of more inexact columns have too many corners to look at them all; nothing is known to
/// contain one.
const MOST_CORNERS: usize = 12;

/// Whether a hull contains the whole box around a vector. The box is in a convex set iff its
/// corners are.
pub(crate) fn contains_box(hull: &Membership, x: &[Rational], margins: &[Rational]) -> bool {
    let wide: Vec<usize> = (0..x.len()).filter(|&place| !margins[place].is_zero()).collect();
    if has_too_many_corners(margins) {
        return false;
    }
    (0..1usize << wide.len()).all(|signs| {
        let mut corner = x.to_vec();
        for (bit, &place) in wide.iter().enumerate() {
            corner[place] = if signs >> bit & 1 == 1 {
                &x[place] + &margins[place]
            } else {
                &x[place] - &margins[place]
            };
        }
        hull.contains(&corner)
    })
}

/// Whether a box has more corners than are examined.
pub(crate) fn has_too_many_corners(margins: &[Rational]) -> bool {
    margins.iter().filter(|margin| !margin.is_zero()).count() > MOST_CORNERS
}

/// Whether a vector lies in the hull of a set and of another vector: whether the way from that one
/// through it leads into the set.
pub(crate) fn is_between(set: &Polyhedron, x: &[Rational], y: &[Rational]) -> bool {
    // The vectors on that way are y + s (x - y) with s ≥ 1.
    let (mut least, mut most) = (Rational::ONE, None::<Rational>);
    let both = set.equations().iter().flat_map(|equation| [equation.clone(), equation.reversed()]);
    let all = both.chain(set.inequalities().cloned()).all(|constraint| {
        let (here, start) = (excess_at(&constraint, x), excess_at(&constraint, y));
        let slope = &here - &start;
        match (-&start).checked_div(&slope) {
            None => start.signum() <= 0,
            Some(meets) => {
                match slope.signum() > 0 {
                    true if most.as_ref().is_none_or(|most| meets < *most) => most = Some(meets),
                    false if meets > least => least = meets,
                    _ => {}
                }
                true
            }
        }
    });
    x == y || all && most.is_none_or(|most| least <= most)
}

/// By how much a vector violates a condition; negative or zero where it satisfies it.
fn excess_at(constraint: &Constraint, x: &[Rational]) -> Rational {
    let row = constraint.row();
    x.iter()
        .enumerate()
        .fold(row.entry(0), |sum, (place, value)| &sum + &(&row.entry(place + 1) * value))
}

/// The mean of some points; `None` where there is none.
pub(crate) fn middle(points: &[Vec<Rational>]) -> Option<Vec<Rational>> {
    let (first, rest) = points.split_first()?;
    let mut sum = first.clone();
    for point in rest {
        sum.iter_mut().zip(point).for_each(|(sum, value)| *sum += value);
    }
    let count = Rational::integer(i64::try_from(points.len()).ok()?);
    sum.iter().map(|value| value.checked_div(&count)).collect()
}

/// Whether no point satisfies all of these: then, by Farkas, some non-negative sum of them says
/// that zero is below zero.
fn contradict(columns: usize, equations: &[Constraint], inequalities: &[Constraint]) -> bool {
    let both = equations.iter().flat_map(|equation| [equation.clone(), equation.reversed()]);
    let all = both.chain(inequalities.iter().cloned());
    // Rows `(c, a)` say `c + a x <= 0`; a larger constant says more, so a sum of `(1, 0)` or more
    // is a contradiction.
    let mut less = vec![Rational::ZERO; columns + 1];
    less[0] = -&Rational::ONE;
    let rays: Vec<Vec<Rational>> = all
        .map(|constraint| (0..=columns).map(|place| constraint.row().entry(place)).collect())
        .chain([less])
        .collect();
    let mut wanted = vec![Rational::ZERO; columns + 1];
    wanted[0] = Rational::ONE;
    Membership::new(&[vec![Rational::ZERO; columns + 1]], &rays).contains(&wanted)
}

/// An inexact column whose records differ by little.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thin {
    /// The column whose records differ.
    pub column: ActiveColumn,
    /// How far its records differ.
    pub spread: Rational,
    /// How far each may be from the true value.
    pub error: Rational,
    /// Whether something would be left if this column alone were exact.
    pub alone: bool,
}

impl Thin {
    /// Whether it is to blame by itself.
    fn is_to_blame(&self) -> bool {
        self.alone || self.spread <= &Rational::integer(2) * &self.error
    }
}

/// Why nothing is left of a region: the inexact columns that are to blame, those that are so by
/// themselves first.
pub(crate) fn thin(
    set: &Polyhedron,
    points: &[Vec<Rational>],
    errors: &IdVec<ActiveColumn, Rational>,
) -> Vec<Thin> {
    let inexact = errors.pairs().filter(|(_, error)| !error.is_zero());
    let mut found: Vec<Thin> = inexact
        .map(|(column, error)| {
            let values = points.iter().map(|point| &point[column.index()]);
            let ends = values.clone().max().zip(values.min());
            let spread = ends.map_or(Rational::ZERO, |(high, low)| high - low);
            let mut without = errors.clone();
            without[column] = Rational::ZERO;
            Thin {
                column,
                spread,
                error: error.clone(),
                alone: eroded(set, &without, 1, None).is_some(),
            }
        })
        .collect();
    if found.iter().any(Thin::is_to_blame) {
        found.retain(Thin::is_to_blame);
    }
    found.sort_by_key(|thin| !thin.alone);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use surefoot_base::exact::{Budget, hull};

    fn number(value: i64) -> Rational {
        Rational::new(value, 2).unwrap_or(Rational::ZERO)
    }

    proptest! {
        /// A point is left iff the whole box of errors around it is in the hull of the records.
        #[test]
        fn a_point_is_left_iff_its_box_is_inside(
            records in prop::collection::vec(prop::collection::vec(-6i64..7, 3), 4..9),
            errors in prop::collection::vec(0i64..3, 3),
            x in prop::collection::vec(-4i64..5, 3),
        ) {
            let points: Vec<Vec<Rational>> = records
                .iter()
                .map(|point| point.iter().map(|&v| number(2 * v)).collect())
                .collect();
            let errors: IdVec<ActiveColumn, Rational> =
                errors.iter().map(|&error| number(error)).collect();
            let x: Vec<Rational> = x.iter().map(|&value| number(value)).collect();
            let set = hull(&points, &[], Budget::facets(1000)).unwrap();
            let corners = (0..8u32).map(|corner| -> Vec<Rational> {
                let moved = |(place, value): (usize, &Rational)| {
                    let error = &errors[ActiveColumn::from_index(place)];
                    if corner >> place & 1 == 1 { value + error } else { value - error }
                };
                x.iter().enumerate().map(moved).collect()
            });
            let inside = corners.into_iter().all(|corner| set.contains(&corner));
            let left = eroded(&set, &errors, 1, middle(&points).as_deref())
                .is_some_and(|left| left.contains(&x));
            prop_assert_eq!(left, inside);
        }
    }
}
