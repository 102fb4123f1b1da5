//! The numeric precondition: the region that the observations prove safe (theory, sections 3 to 5).
//!
//! `conv(P) + cone(R)` where nothing more is assumed than the paper does and the rays R of monotone functions; the intersection of
//! its shadows on all k-subsets of the columns under the arity assumption A(k); a polytope inside where facets exceed the budget.

use std::collections::{BTreeMap, BTreeSet};

use super::assumptions::Monotone;
use super::effect::{binomial, for_each_subset};
use crate::exact::{Budget, Constraint, Echelon, Hull, Rational, Row, hull, inner};

/// A region by equations and inequalities over the active columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// Equations, later columns by earlier ones.
    pub equations: Vec<Constraint>,
    /// Inequalities, the simplest first: fewest columns, then smallest coefficients.
    pub inequalities: Vec<Constraint>,
    /// The affine dimension of the observations with their rays.
    pub dimension: usize,
    /// Where facets exceeded the budget: how many observed vectors the region leaves out.
    pub uncovered: usize,
    /// How the region was computed.
    pub extent: Extent,
}

/// How a region relates to the set its assumptions allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// It is that set.
    Exact,
    /// It is a part of it, since the facets of the whole exceed the budget.
    Inner,
}

/// So many shadows are computed under the arity assumption; where there are more, the region is a polytope inside.
const MAX_SHADOWS: u64 = 30_000;

/// Computes the region. `rays` are directions the real precondition is closed under; `arity` is k of A(k); `None` is no assumption.
pub fn region(points: &[Vec<Rational>], rays: &[Vec<Rational>], arity: Option<usize>, budget: usize) -> Region {
    let columns = points.first().map_or(0, Vec::len);
    match shadow_arity(columns, arity) {
        Some(arity) => shadows(points, rays, arity, budget),
        None => whole(points, rays, budget),
    }
}

/// The directions that marks of columns say the real precondition is closed under.
pub fn rays(columns: &[usize], marks: Option<&BTreeMap<usize, Monotone>>) -> Vec<Vec<Rational>> {
    let mut rays = Vec::new();
    for (position, column) in columns.iter().enumerate() {
        let signs: &[i64] = match marks.and_then(|marks| marks.get(column)) {
            Some(Monotone::More) => &[1],
            Some(Monotone::Less) => &[-1],
            Some(Monotone::Any) => &[1, -1],
            None => &[],
        };
        for &sign in signs {
            let mut ray = vec![Rational::ZERO; columns.len()];
            ray[position] = Rational::integer(sign);
            rays.push(ray);
        }
    }
    rays
}

/// The size of the subsets of the columns whose shadows bound the region; `None` where it is bounded as a whole.
pub fn shadow_arity(columns: usize, arity: Option<usize>) -> Option<usize> {
    arity.filter(|&arity| arity < columns && binomial(columns, arity) <= MAX_SHADOWS)
}

fn whole(points: &[Vec<Rational>], rays: &[Vec<Rational>], budget: usize) -> Region {
    let (hull, uncovered, extent) = bounded_hull(points, rays, budget);
    Region {
        dimension: hull.dimension.unwrap_or(0),
        equations: hull.equations,
        inequalities: simplest_first(hull.facets.into_iter().map(|facet| facet.constraint)),
        uncovered,
        extent,
    }
}

/// Facets have as many coefficients as there are columns, and those as many digits: what is written, and the time it takes,
/// grows with the square of the columns. These bound it for exact hulls, and for parts of what is too large anyway.
const EXACT_DIGITS: usize = 20_000_000;
const INNER_DIGITS: usize = 1_000_000;

fn bounded_hull(points: &[Vec<Rational>], rays: &[Vec<Rational>], budget: usize) -> (Hull, usize, Extent) {
    let square = points.first().map_or(1, |point| point.len().pow(2)).max(1);
    match hull(points, rays, Budget::facets(budget.min(EXACT_DIGITS / square))) {
        Ok(hull) => (hull, 0, Extent::Exact),
        Err(_) => {
            let inner = inner(points, rays, Budget::facets(budget.min(INNER_DIGITS / square)));
            (inner.hull, inner.uncovered_points.len(), Extent::Inner)
        }
    }
}

fn shadows(points: &[Vec<Rational>], rays: &[Vec<Rational>], arity: usize, budget: usize) -> Region {
    let columns = points.first().map_or(0, Vec::len);
    let mut equations = Equations::new(columns);
    let mut inequalities = BTreeSet::new();
    let mut extent = Extent::Exact;
    // Each shadow gets its share of the budget, so that the whole keeps to it.
    let share = usize::try_from(budget as u64 / binomial(columns, arity).max(1)).unwrap_or(budget).max(2 * arity + 2);
    for_each_subset(columns, arity, &mut |subset| {
        let shadow = |vectors: &[Vec<Rational>]| -> Vec<Vec<Rational>> {
            let projected = vectors.iter().map(|vector| subset.iter().map(|&column| vector[column].clone()).collect());
            projected.collect::<BTreeSet<Vec<Rational>>>().into_iter().collect()
        };
        let (hull, _, this) = bounded_hull(&shadow(points), &shadow(rays), share.max(budget.min(1000)));
        if this == Extent::Inner {
            extent = Extent::Inner;
        }
        hull.equations.iter().for_each(|equation| equations.insert(lifted(equation, subset, columns).row()));
        inequalities.extend(hull.facets.iter().map(|facet| lifted(&facet.constraint, subset, columns)));
    });
    let generators = points.iter().map(|point| Row::point(point)).chain(rays.iter().map(|ray| Row::ray(ray)));
    let span = Echelon::span(columns + 1, generators);
    let mut region = Region {
        equations: equations.written(),
        inequalities: simplest_first(inequalities),
        dimension: span.rank().saturating_sub(1),
        uncovered: 0,
        extent,
    };
    if extent == Extent::Inner {
        region.uncovered = points.iter().filter(|point| !region.contains(point)).count();
    }
    region
}

/// The order in which people read conditions, and in which the first to fail is found fastest.
fn simplest_first(constraints: impl IntoIterator<Item = Constraint>) -> Vec<Constraint> {
    let mut constraints: Vec<Constraint> = constraints.into_iter().collect();
    constraints.sort_by_cached_key(|constraint| {
        let coefficients = || constraint.coefficients().filter(|coefficient| !coefficient.is_zero());
        let largest = coefficients().map(|coefficient| coefficient.abs()).max();
        (coefficients().count(), largest, constraint.clone())
    });
    constraints
}

/// A constraint over a subset of the columns, over all columns.
fn lifted(constraint: &Constraint, subset: &[usize], columns: usize) -> Constraint {
    let mut entries = vec![0.into(); columns + 1];
    entries[0] = constraint.row().integer(0);
    for (index, &column) in subset.iter().enumerate() {
        entries[column + 1] = constraint.row().integer(index + 1);
    }
    Constraint::homogeneous(Row::from_integers(entries))
}

impl Region {
    /// Whether a vector satisfies all conditions.
    pub fn contains(&self, x: &[Rational]) -> bool {
        let row = Row::point(x);
        self.equations.iter().all(|equation| equation.compare_row(&row).is_eq())
            && self.inequalities.iter().all(|inequality| inequality.compare_row(&row).is_le())
    }

    /// Intersects with more equations. Those that are implied change nothing.
    pub fn restrict(&mut self, columns: usize, more: &[Row]) {
        let mut equations = Equations::new(columns);
        self.equations.iter().for_each(|equation| equations.insert(equation.row()));
        let before = equations.rank();
        more.iter().for_each(|row| equations.insert(row));
        if equations.rank() > before {
            self.equations = equations.written();
        }
    }
}

/// A set of equations, reduced.
struct Equations(Echelon);

impl Equations {
    fn new(columns: usize) -> Self {
        Equations(Echelon::new(columns + 1))
    }

    fn insert(&mut self, row: &Row) {
        self.0.insert(row);
    }

    fn rank(&self) -> usize {
        self.0.rank()
    }

    /// The equations as the hull writes them: later columns by earlier ones.
    fn written(&self) -> Vec<Constraint> {
        Echelon::span(self.0.columns(), self.0.null_space()).null_space().into_iter().map(Constraint::homogeneous).collect()
    }
}
