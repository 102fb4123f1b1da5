//! The numeric precondition: the region that the observations prove safe (docs/theory.md, "The region",
//! "Arity", "Monotone marks" and "Too many facets").
//!
//! `conv(P) + cone(R)` where nothing more is assumed than the paper does and the rays R of monotone marks; under the arity assumption A(k)
//! the intersection of its shadows on the columns over each set of k functions; a polytope inside where facets exceed the budget.

use std::collections::{BTreeMap, BTreeSet};

use super::effect::Factors;
use super::ids::LiftedFunctionId;
use super::vocabulary::Vocabulary;
use crate::assumptions::Monotone;
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
    /// Where facets exceeded the budget, or were rounded: how many observed vectors the region leaves out.
    pub uncovered: usize,
    /// How the region was computed.
    pub extent: Extent,
    /// The bodies that bound it.
    pub shadows: Vec<Shadow>,
}

/// The shadow of the safe region on some columns, or a part of that shadow. Observations are numbered in the order in which the region
/// was given them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shadow {
    /// The columns, by position, ascending.
    pub columns: Vec<usize>,
    /// Where it is a part: the observations whose hull it is.
    pub part: Option<Vec<usize>>,
    /// Its facets over these columns, and observations that lie on them.
    pub facets: Vec<(Constraint, Vec<usize>)>,
}

/// How a region relates to the set its assumptions allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// It is that set.
    Exact,
    /// It is a part of it, since the facets of the whole exceed the budget.
    Inner,
}

/// So many shadows are computed under the arity assumption; where there are more, the region is bounded as a whole, which is stricter.
const MAX_SHADOWS: u64 = 30_000;

/// Computes the region. `rays` are directions the real precondition is closed under; `factors` says which functions the columns are
/// products of; `arity` is k of A(k), `None` is no assumption.
pub(super) fn region(
    points: &[Vec<Rational>],
    rays: &[Vec<Rational>],
    factors: &Factors,
    arity: Option<usize>,
    budget: usize,
) -> Region {
    let columns = points.first().map_or(0, Vec::len);
    let whole = || vec![(0..columns).collect::<Vec<usize>>()];
    let bodies = arity.and_then(|arity| factors.sets(arity, MAX_SHADOWS)).unwrap_or_else(whole);
    // Each shadow gets its share of the budget, so that the whole keeps to it; but enough to be of use.
    let share = match bodies.len() {
        1 => budget,
        many => (budget / many).max(2 * bodies[0].len() + 2).max(budget.min(1000)),
    };
    let mut equations = Equations::new(columns);
    let mut inequalities = BTreeSet::new();
    let mut shadows = Vec::new();
    for body in bodies {
        let (points, numbers) = narrowed(points, &body);
        let (rays, _) = narrowed(rays, &body);
        let rays: Vec<Vec<Rational>> = rays.into_iter().filter(|ray| ray.iter().any(|value| !value.is_zero())).collect();
        let (hull, extent) = bounded_hull(&points, &rays, share);
        hull.equations.iter().for_each(|equation| equations.insert(lifted(equation, &body, columns).row()));
        inequalities.extend(hull.facets.iter().map(|facet| lifted(&facet.constraint, &body, columns)));
        let original = |places: &[usize]| places.iter().map(|&place| numbers[place]).collect::<Vec<usize>>();
        shadows.push(Shadow {
            part: (extent == Extent::Inner).then(|| original(&hull.vertices)),
            facets: hull.facets.iter().map(|facet| (facet.constraint.clone(), original(&facet.points))).collect(),
            columns: body,
        });
    }
    let generators = points.iter().map(|point| Row::point(point)).chain(rays.iter().map(|ray| Row::ray(ray)));
    let inner = shadows.iter().any(|shadow| shadow.part.is_some());
    let mut region = Region {
        equations: equations.written(),
        inequalities: simplest_first(inequalities),
        dimension: Echelon::span(columns + 1, generators).rank().saturating_sub(1),
        uncovered: 0,
        extent: if inner { Extent::Inner } else { Extent::Exact },
        shadows,
    };
    if inner {
        region.uncovered = points.iter().filter(|point| !region.contains(point)).count();
    }
    region
}

/// Vectors over some columns, each once, sorted; and for each the number of one that it is the shadow of.
fn narrowed(vectors: &[Vec<Rational>], columns: &[usize]) -> (Vec<Vec<Rational>>, Vec<usize>) {
    let mut first: BTreeMap<Vec<Rational>, usize> = BTreeMap::new();
    for (number, vector) in vectors.iter().enumerate() {
        first.entry(columns.iter().map(|&column| vector[column].clone()).collect()).or_insert(number);
    }
    first.into_iter().unzip()
}

/// Why marks cannot be taken into account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnfitMark {
    /// A marked function occurs squared in a column: what moves it is no straight line.
    Squared {
        /// The function.
        function: LiftedFunctionId,
        /// The column.
        column: usize,
    },
    /// A marked function is a factor of a column whose other factors are no column, so that nobody knows how far the product moves.
    NotClosed {
        /// The function.
        function: LiftedFunctionId,
        /// The column.
        column: usize,
    },
}

/// Whether the marks of some columns make sense in a vocabulary.
pub fn check_marks(vocabulary: &Vocabulary, marks: &BTreeMap<usize, Monotone>) -> Result<(), UnfitMark> {
    let known: BTreeSet<&Vec<LiftedFunctionId>> = vocabulary.columns.iter().map(|column| &column.0).collect();
    for (function, _) in marked_functions(vocabulary, marks) {
        for (column, monomial) in vocabulary.columns.iter().enumerate().filter(|(_, column)| column.0.contains(&function)) {
            let rest = without(&monomial.0, function);
            if rest.contains(&function) {
                return Err(UnfitMark::Squared { function, column });
            }
            if !rest.is_empty() && !known.contains(&rest) {
                return Err(UnfitMark::NotClosed { function, column });
            }
        }
    }
    Ok(())
}

/// A mark on a column that is a function is about the function; one on a product is about that column.
fn marked_functions(vocabulary: &Vocabulary, marks: &BTreeMap<usize, Monotone>) -> Vec<(LiftedFunctionId, Monotone)> {
    let function = |(&column, &mark): (&usize, &Monotone)| match vocabulary.columns.get(column)?.0[..] {
        [function] => Some((function, mark)),
        _ => None,
    };
    marks.iter().filter_map(function).collect()
}

/// A product without one occurrence of a factor.
fn without(factors: &[LiftedFunctionId], factor: LiftedFunctionId) -> Vec<LiftedFunctionId> {
    let place = factors.iter().position(|&other| other == factor);
    factors.iter().enumerate().filter(|(index, _)| Some(*index) != place).map(|(_, &other)| other).collect()
}

/// The directions that marks say the real precondition is closed under, over the active columns, sorted, each once.
///
/// Moving a function f moves every column that contains it, by the value of its other factors: at an observed z the ray has the value of
/// m/f at every column m that contains f. Moving several functions at once adds, for each set V of them, the derivative with respect
/// to all of V. Every half-space that contains the observations and all that the marks reach from them contains these rays,
/// and their cone with the observations is the strongest set with that property.
pub fn rays(
    vocabulary: &Vocabulary,
    columns: &[usize],
    marks: Option<&BTreeMap<usize, Monotone>>,
    points: &[Vec<Rational>],
) -> Vec<Vec<Rational>> {
    let known = |column: &usize| *column < vocabulary.columns.len();
    let Some(marks) = marks.filter(|marks| check_marks(vocabulary, marks).is_ok() && marks.keys().all(known)) else {
        return Vec::new();
    };
    let product = |column: usize| &vocabulary.columns[column].0;
    let position: BTreeMap<&Vec<LiftedFunctionId>, usize> =
        columns.iter().enumerate().map(|(position, &column)| (product(column), position)).collect();
    let mut rows: BTreeSet<Row> = BTreeSet::new();
    let mut add = |ray: Vec<Rational>, signs: &[i64]| {
        for &sign in signs {
            let ray: Vec<Rational> = ray.iter().map(|value| value * &Rational::integer(sign)).collect();
            let row = Row::ray(&ray);
            if !row.is_zero() {
                rows.insert(row);
            }
        }
    };
    let zero = vec![Rational::ZERO; columns.len()];
    for (column, mark) in marks.iter().filter(|(column, _)| product(**column).len() > 1) {
        if let Some(&place) = position.get(product(*column)) {
            let mut ray = zero.clone();
            ray[place] = Rational::ONE;
            add(ray, mark.signs());
        }
    }
    for (moved, signs) in moved_together(vocabulary, columns, &marked_functions(vocabulary, marks)) {
        // Which columns move, and the column whose value says by how much; none: by one.
        let mut moves: Vec<(usize, Option<usize>)> = Vec::new();
        for (place, &column) in columns.iter().enumerate() {
            let rest = moved
                .iter()
                .try_fold(product(column).clone(), |rest, function| rest.contains(function).then(|| without(&rest, *function)));
            match rest {
                None => {}
                Some(rest) if rest.is_empty() => moves.push((place, None)),
                // Closed under removing marked factors, so it is there.
                Some(rest) => moves.extend(position.get(&rest).map(|&by| (place, Some(by)))),
            }
        }
        let constant = moves.iter().all(|(_, by)| by.is_none());
        for point in points.iter().take(if constant { 1 } else { usize::MAX }) {
            let mut ray = zero.clone();
            for &(place, by) in &moves {
                ray[place] = by.map_or(Rational::ONE, |by| point[by].clone());
            }
            add(ray, &signs);
        }
    }
    rows.iter().map(|row| (1..row.len()).map(|index| row.entry(index)).collect()).collect()
}

/// The sets of marked functions that some column contains, each with the signs that its derivative has.
fn moved_together(
    vocabulary: &Vocabulary,
    columns: &[usize],
    marked: &[(LiftedFunctionId, Monotone)],
) -> Vec<(Vec<LiftedFunctionId>, Vec<i64>)> {
    let mut sets: BTreeSet<Vec<LiftedFunctionId>> = BTreeSet::new();
    for &column in columns {
        let factors = &vocabulary.columns[column].0;
        let mine: Vec<LiftedFunctionId> =
            marked.iter().map(|(function, _)| *function).filter(|function| factors.contains(function)).collect();
        for bits in 1u64..1 << mine.len().min(20) {
            sets.insert(
                mine.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1).map(|(_, &function)| function).collect(),
            );
        }
    }
    let signs = |set: &Vec<LiftedFunctionId>| -> Vec<i64> {
        let mut signs = BTreeSet::from([1]);
        for (_, mark) in marked.iter().filter(|(function, _)| set.contains(function)) {
            signs = signs.iter().flat_map(|sign| mark.signs().iter().map(move |other| sign * other)).collect();
        }
        signs.into_iter().collect()
    };
    sets.into_iter().map(|set| (set.clone(), signs(&set))).collect()
}

/// Facets have as many coefficients as there are columns, and those as many digits: what is written, and the time it takes,
/// grows with the square of the columns. These bound it for exact hulls, and for parts of what is too large anyway.
const EXACT_DIGITS: usize = 20_000_000;
const INNER_DIGITS: usize = 1_000_000;

fn bounded_hull(points: &[Vec<Rational>], rays: &[Vec<Rational>], budget: usize) -> (Hull, Extent) {
    let square = points.first().map_or(1, |point| point.len().pow(2)).max(1);
    match hull(points, rays, Budget::facets(budget.min(EXACT_DIGITS / square))) {
        Ok(hull) => (hull, Extent::Exact),
        Err(_) => (inner(points, rays, Budget::facets(budget.min(INNER_DIGITS / square))).hull, Extent::Inner),
    }
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
