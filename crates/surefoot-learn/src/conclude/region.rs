//! The numeric precondition: the region that the observations prove safe (docs/theory.md, "The
//! region", "Arity", "Monotone marks" and "Too many facets").
//!
//! `conv(P) + cone(R)` where nothing more is assumed than the paper does and the rays R of monotone
//! marks; under the arity assumption A(k) the intersection of its shadows on the columns over each
//! set of k functions; a polytope inside where facets exceed the budget.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use surefoot_base::exact::{Budget, Constraint, Echelon, Polyhedron, Rational, Row, hull, inner};
use surefoot_base::ids::{Id, first_ids};

use super::effect::Factors;
use crate::evidence::ActiveColumn;

/// The numeric precondition of an action, over the active columns, and how it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// What is written: facets the simplest first (fewest columns, then smallest coefficients), and
    /// rounded inward where few digits were asked for.
    pub set: Arc<Polyhedron>,
    /// The polyhedron before rounding.
    pub exact: Arc<Polyhedron>,
    /// The affine dimension of the observations with their rays.
    pub dimension: usize,
    /// Where facets exceeded the budget, or were rounded: how many observed vectors the region
    /// leaves out.
    pub uncovered: usize,
    /// How the region was computed.
    pub extent: Extent,
    /// The bodies that bound it.
    pub shadows: Vec<Shadow>,
    /// Where the region is a part of one body that is as wide: that body, by all observations and
    /// rays. The effects and the guards rest on the equations of the part, so a wider one is of no
    /// use.
    pub whole: Option<Arc<Polyhedron>>,
}

/// The shadow of the safe region on some columns, or a part of that shadow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shadow {
    /// The columns of the shadow, ascending.
    pub columns: Vec<ActiveColumn>,
    /// The shadow over these columns, with what spans it: observations, by number in the order in
    /// which the region was given them, and rays.
    pub set: Polyhedron,
    /// Whether it is all of the shadow.
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

/// At most this many shadows are computed under the arity assumption. With more, the region is
/// bounded as a whole, which is stricter.
pub(crate) const MAX_SHADOWS: u64 = 30_000;

/// What was observed: vectors that are wholly known, and, numbered after them, vectors of which
/// some columns are unknown. The latter count in shadows on the columns that they have.
#[derive(Clone, Copy)]
pub(crate) struct Vectors<'p> {
    pub whole: &'p [Vec<Rational>],
    pub partial: &'p [Vec<Option<Rational>>],
}

impl Vectors<'_> {
    /// The vectors over some columns, each once, sorted; and for each the number of one that it is
    /// the shadow of.
    fn over(&self, columns: &[ActiveColumn]) -> (Vec<Vec<Rational>>, Vec<usize>) {
        let mut first: BTreeMap<Vec<Rational>, usize> = BTreeMap::new();
        for (number, vector) in self.whole.iter().enumerate() {
            first
                .entry(columns.iter().map(|&column| vector[column.index()].clone()).collect())
                .or_insert(number);
        }
        for (number, vector) in self.partial.iter().enumerate() {
            let told: Option<Vec<Rational>> =
                columns.iter().map(|&column| vector[column.index()].clone()).collect();
            if let Some(told) = told {
                first.entry(told).or_insert(self.whole.len() + number);
            }
        }
        first.into_iter().unzip()
    }

    /// Whether some partly known vector has values for all of these columns.
    fn is_partly_known(&self, columns: &[ActiveColumn]) -> bool {
        self.partial
            .iter()
            .any(|vector| columns.iter().all(|column| vector[column.index()].is_some()))
    }
}

/// The sets of columns that bound the region: all columns, or, under an arity, those over each set
/// of that many functions.
fn bodies(factors: &Factors, arity: Option<usize>) -> Vec<Vec<ActiveColumn>> {
    arity
        .and_then(|arity| factors.sets(arity, MAX_SHADOWS))
        .unwrap_or_else(|| vec![first_ids(factors.columns()).collect()])
}

/// Whether some columns that bound the region are known in no vector.
pub(crate) fn is_unknown(vectors: Vectors<'_>, factors: &Factors, arity: Option<usize>) -> bool {
    if !vectors.whole.is_empty() {
        return false;
    }
    !bodies(factors, arity).iter().all(|body| vectors.is_partly_known(body))
}

/// Computes the region. `rays` are directions the real precondition is closed under; `factors` says
/// which functions the columns are products of; `arity` is k of A(k), `None` is no assumption.
pub(crate) fn region(
    vectors: Vectors<'_>,
    rays: &[Vec<Rational>],
    factors: &Factors,
    arity: Option<usize>,
    budget: usize,
) -> Region {
    let (columns, points) = (factors.columns(), vectors.whole);
    let bodies = bodies(factors, arity);
    // Each shadow gets its share of the budget, so that the whole keeps to it; but enough to be of
    // use.
    let share = match bodies.len() {
        1 => budget,
        many => (budget / many).max(2 * bodies[0].len() + 2).max(budget.min(1000)),
    };
    let mut equations = Equations::new(columns);
    let mut inequalities = BTreeSet::new();
    let mut shadows = Vec::new();
    for body in bodies {
        let (points, numbers) = vectors.over(&body);
        let (rays, _) = narrowed(rays, &body);
        let rays: Vec<Vec<Rational>> =
            rays.into_iter().filter(|ray| ray.iter().any(|value| !value.is_zero())).collect();
        let (hull, extent) = bounded_hull(&points, &rays, share);
        hull.equations()
            .iter()
            .for_each(|equation| equations.insert(lifted(equation, &body, columns).row()));
        inequalities
            .extend(hull.inequalities().map(|inequality| lifted(inequality, &body, columns)));
        shadows.push(Shadow {
            columns: body,
            set: hull.renumbered(|place| numbers[place]),
            extent,
        });
    }
    let generators =
        points.iter().map(|point| Row::point(point)).chain(rays.iter().map(|ray| Row::ray(ray)));
    let inner = shadows.iter().any(|shadow| shadow.extent == Extent::Inner);
    let set = match &shadows[..] {
        // One body over all columns: all that is known of it stays known.
        [only] if only.columns.len() == columns => only.set.clone().sorted_by_key(simplicity),
        _ => {
            let set = Polyhedron::bounded(
                columns,
                equations.written(),
                inequalities.into_iter().collect(),
            );
            set.sorted_by_key(simplicity)
        }
    };
    let set = Arc::new(set);
    let uncovered =
        if inner { points.iter().filter(|point| !set.contains(point)).count() } else { 0 };
    Region {
        exact: Arc::clone(&set),
        set,
        dimension: Echelon::span(columns + 1, generators).rank().saturating_sub(1),
        uncovered,
        extent: if inner { Extent::Inner } else { Extent::Exact },
        shadows,
        whole: None,
    }
}

/// The region given by its generators: whatever the number of its facets, it is all that the
/// assumptions allow. Its bodies bound it together with the equations of its set; facets are found
/// in the plane alone, where there are never many.
pub(crate) fn spanned(
    vectors: Vectors<'_>,
    rays: &[Vec<Rational>],
    factors: &Factors,
    arity: Option<usize>,
) -> Region {
    let (columns, points) = (factors.columns(), vectors.whole);
    let bodies = bodies(factors, arity);
    let mut equations = Equations::new(columns);
    let mut shadows = Vec::new();
    for body in bodies {
        let (points, _) = vectors.over(&body);
        let (rays, _) = narrowed(rays, &body);
        let rays: Vec<Vec<Rational>> =
            rays.into_iter().filter(|ray| ray.iter().any(|value| !value.is_zero())).collect();
        let flat = (body.len() <= 2)
            .then(|| hull(&points, &rays, Budget::facets(usize::MAX)).ok())
            .flatten();
        let set = match flat {
            Some(hull) => hull,
            None => Polyhedron::spanned(
                body.len(),
                affine_hull(&points, &rays, body.len()),
                Vec::new(),
                points,
                rays,
            ),
        };
        set.equations()
            .iter()
            .for_each(|equation| equations.insert(lifted(equation, &body, columns).row()));
        shadows.push(Shadow { columns: body, set, extent: Extent::Exact });
    }
    let generators =
        points.iter().map(|point| Row::point(point)).chain(rays.iter().map(|ray| Row::ray(ray)));
    let set = Arc::new(Polyhedron::bounded(columns, equations.written(), Vec::new()));
    Region {
        exact: Arc::clone(&set),
        set,
        dimension: Echelon::span(columns + 1, generators).rank().saturating_sub(1),
        uncovered: 0,
        extent: Extent::Exact,
        shadows,
        whole: None,
    }
}

/// The equations of the least affine set that contains all points and is closed under all rays.
fn affine_hull(
    points: &[Vec<Rational>],
    rays: &[Vec<Rational>],
    columns: usize,
) -> Vec<Constraint> {
    let generators =
        points.iter().map(|point| Row::point(point)).chain(rays.iter().map(|ray| Row::ray(ray)));
    Echelon::span(columns + 1, generators)
        .null_space()
        .into_iter()
        .map(Constraint::homogeneous)
        .collect()
}

/// Rays over some columns, each once, sorted; and for each the number of one that it is the shadow
/// of.
fn narrowed(
    vectors: &[Vec<Rational>],
    columns: &[ActiveColumn],
) -> (Vec<Vec<Rational>>, Vec<usize>) {
    let mut first: BTreeMap<Vec<Rational>, usize> = BTreeMap::new();
    for (number, vector) in vectors.iter().enumerate() {
        first
            .entry(columns.iter().map(|&column| vector[column.index()].clone()).collect())
            .or_insert(number);
    }
    first.into_iter().unzip()
}

/// Facets have as many coefficients as there are columns, and those as many digits: what is
/// written, and the time it takes, grows with the square of the columns. These bound it for exact
/// hulls, and for parts of what is too large anyway.
const EXACT_DIGITS: usize = 20_000_000;
const INNER_DIGITS: usize = 1_000_000;

fn bounded_hull(
    points: &[Vec<Rational>],
    rays: &[Vec<Rational>],
    budget: usize,
) -> (Polyhedron, Extent) {
    let square = points.first().map_or(1, |point| point.len().pow(2)).max(1);
    match hull(points, rays, Budget::facets(budget.min(EXACT_DIGITS / square))) {
        Ok(hull) => (hull, Extent::Exact),
        Err(_) => (
            inner(points, rays, Budget::facets(budget.min(INNER_DIGITS / square))).hull,
            Extent::Inner,
        ),
    }
}

/// The order in which people read conditions, and in which the first to fail is found fastest.
fn simplicity(constraint: &Constraint) -> (usize, Option<Rational>, Constraint) {
    let coefficients: Vec<Rational> =
        constraint.coefficients().filter(|coefficient| !coefficient.is_zero()).collect();
    let largest = coefficients.iter().map(Rational::abs).max();
    (coefficients.len(), largest, constraint.clone())
}

/// A constraint over a subset of the columns, over all columns.
fn lifted(constraint: &Constraint, subset: &[ActiveColumn], columns: usize) -> Constraint {
    let mut entries = vec![0.into(); columns + 1];
    entries[0] = constraint.row().integer(0);
    for (index, &column) in subset.iter().enumerate() {
        entries[column.entry()] = constraint.row().integer(index + 1);
    }
    Constraint::homogeneous(Row::from_integers(entries))
}

impl Region {
    /// All vectors over this many columns.
    pub(crate) fn unbounded(columns: usize) -> Self {
        let set = Arc::new(Polyhedron::bounded(columns, Vec::new(), Vec::new()));
        Region {
            exact: Arc::clone(&set),
            set,
            dimension: 0,
            uncovered: 0,
            extent: Extent::Exact,
            shadows: Vec::new(),
            whole: None,
        }
    }

    /// Remembers what the region is a part of.
    pub(crate) fn remember(&mut self, points: Vec<Vec<Rational>>, rays: Vec<Vec<Rational>>) {
        let columns = self.set.columns();
        if self.extent == Extent::Inner
            && self.shadows.len() == 1
            && self.equations().len() + self.dimension == columns
        {
            let inequalities = self.set.inequalities().cloned().collect();
            self.whole = Some(Arc::new(Polyhedron::spanned(
                columns,
                self.equations().to_vec(),
                inequalities,
                points,
                rays,
            )));
        }
    }

    /// The equations of what is written, later columns by earlier ones.
    pub fn equations(&self) -> &[Constraint] {
        self.set.equations()
    }

    /// Whether a vector satisfies all conditions.
    pub fn contains(&self, x: &[Rational]) -> bool {
        self.set.contains(x)
    }

    /// Intersects with more equations. Those that are implied change nothing.
    pub(crate) fn restrict(&mut self, columns: usize, more: &[Row]) {
        let mut equations = Equations::new(columns);
        self.equations().iter().for_each(|equation| equations.insert(equation.row()));
        let before = equations.rank();
        more.iter().for_each(|row| equations.insert(row));
        if equations.rank() > before {
            let inequalities = self.set.inequalities().cloned().collect();
            self.set = Arc::new(Polyhedron::bounded(columns, equations.written(), inequalities));
            self.exact = Arc::clone(&self.set);
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
        Echelon::span(self.0.columns(), self.0.null_space())
            .null_space()
            .into_iter()
            .map(Constraint::homogeneous)
            .collect()
    }
}
