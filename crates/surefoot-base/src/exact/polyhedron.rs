//! A convex polyhedron, by what is known of it: facets, generators, or both.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use dashu_int::IBig;

use super::tester::{Point, Tester, TesterMemory};
use super::{Constraint, Rational, Row};

/// A convex polyhedron over some columns.
///
/// Its *equations* always bound it. Its *facets* either bound it, too
/// ([`Polyhedron::is_complete`]), or bound a part that lies inside it, where all of them would be
/// too many; then its *generators* are known, and it is what they span. A polyhedron made by
/// [`hull`](super::hull()) has both.
pub struct Polyhedron {
    columns: usize,
    equations: Vec<Constraint>,
    facets: Vec<Facet>,
    complete: bool,
    generators: Option<Generators>,
    tester: OnceLock<Box<Tester>>,
}

/// An inequality that bounds a polyhedron, and what spans it, where that is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Facet {
    /// Satisfied by the whole set, with equality on the facet.
    pub constraint: Constraint,
    /// The generators on the facet.
    pub span: Option<GeneratorSubset>,
}

/// Some of the generators, by number.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct GeneratorSubset {
    /// The numbers of vertices, ascending.
    pub points: Vec<usize>,
    /// The numbers of extreme rays, ascending.
    pub rays: Vec<usize>,
}

/// What spans a polyhedron: `conv(points) + cone(rays) + lines`. Points and rays have numbers:
/// their places in the lists that the polyhedron was made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Generators {
    /// The vertices, by ascending number; of equal points the first. Where the set contains lines
    /// it has no vertices: then one point of each minimal face.
    pub points: Vec<(usize, Vec<Rational>)>,
    /// The extreme rays, by ascending number; of parallel rays the first. Rays within
    /// [`Generators::lines`] are left out.
    pub rays: Vec<(usize, Vec<Rational>)>,
    /// A canonical basis of the lines through any point that stay in the set, as homogeneous rows
    /// `(0, r)`.
    pub lines: Vec<Row>,
}

impl Generators {
    /// The numbers of the points.
    pub fn vertices(&self) -> Vec<usize> {
        self.points.iter().map(|(number, _)| *number).collect()
    }

    /// Points and directions, each line as two opposite ones.
    pub fn vectors(&self) -> (Vec<Vec<Rational>>, Vec<Vec<Rational>>) {
        let points = self.points.iter().map(|(_, point)| point.clone()).collect();
        let lines = self.lines.iter().flat_map(|line| [line.clone(), line.negated()]);
        let lines = lines.map(|row| (1..row.len()).map(|column| row.entry(column)).collect());
        (points, self.rays.iter().map(|(_, ray)| ray.clone()).chain(lines).collect())
    }
}

impl Polyhedron {
    /// All that satisfies these equations and inequalities.
    pub fn bounded(
        columns: usize,
        equations: Vec<Constraint>,
        inequalities: Vec<Constraint>,
    ) -> Self {
        let facets =
            inequalities.into_iter().map(|constraint| Facet { constraint, span: None }).collect();
        Polyhedron {
            columns,
            equations,
            facets,
            complete: true,
            generators: None,
            tester: OnceLock::new(),
        }
    }

    /// All of `conv(points) + cone(rays)` that satisfies the equations; the inequalities bound a
    /// part that lies inside it.
    pub fn spanned(
        columns: usize,
        equations: Vec<Constraint>,
        inside: Vec<Constraint>,
        points: Vec<Vec<Rational>>,
        rays: Vec<Vec<Rational>>,
    ) -> Self {
        let (points, rays) =
            (points.into_iter().enumerate().collect(), rays.into_iter().enumerate().collect());
        let generators = Generators { points, rays, lines: Vec::new() };
        Polyhedron {
            complete: false,
            generators: Some(generators),
            ..Self::bounded(columns, equations, inside)
        }
    }

    /// What a hull was found to be.
    pub(super) fn found(
        columns: usize,
        equations: Vec<Constraint>,
        facets: Vec<Facet>,
        generators: Generators,
    ) -> Self {
        Polyhedron {
            columns,
            equations,
            facets,
            complete: true,
            generators: Some(generators),
            tester: OnceLock::new(),
        }
    }

    /// The set without points: its only equation is `0 = 1`.
    pub(super) fn empty(columns: usize) -> Self {
        let mut contradiction = vec![IBig::ZERO; columns + 1];
        contradiction[0] = -IBig::ONE;
        let equation = Constraint::homogeneous(Row::from_integers(contradiction));
        Self::found(columns, vec![equation], Vec::new(), Generators::default())
    }

    /// How many columns it is over.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The affine dimension, as its equations show it; `None` for a set that is known to be empty.
    pub fn dimension(&self) -> Option<usize> {
        (!self.is_empty()).then(|| self.columns.saturating_sub(self.equations.len()))
    }

    /// Whether it is known to have no point.
    pub fn is_empty(&self) -> bool {
        self.generators.as_ref().is_some_and(|generators| generators.points.is_empty())
    }

    /// The equations. Those of a hull are independent, as
    /// [`Echelon::null_space`](super::Echelon::null_space) writes them: later columns by earlier
    /// ones.
    pub fn equations(&self) -> &[Constraint] {
        &self.equations
    }

    /// The facets; of a part, unless [`Polyhedron::is_complete`]. Those of a hull are sorted by
    /// constraint, none is implied by the others, and they mention only columns that no equation
    /// determines.
    pub fn facets(&self) -> &[Facet] {
        &self.facets
    }

    /// The inequalities of the facets.
    pub fn inequalities(&self) -> impl ExactSizeIterator<Item = &Constraint> {
        self.facets.iter().map(|facet| &facet.constraint)
    }

    /// Whether equations and facets are all that bounds it.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// What spans it, where that is known.
    pub fn generators(&self) -> Option<&Generators> {
        self.generators.as_ref()
    }

    /// Whether `x` lies in it, decided exactly.
    pub fn contains(&self, x: &[Rational]) -> bool {
        self.tester().contains(&mut Point::of(x), &mut TesterMemory::default())
    }

    /// Whether a homogeneous row, `(1, x)` of a point or `(0, r)` of a direction, satisfies all
    /// equations and facets.
    pub fn satisfied_by(&self, row: &Row) -> bool {
        self.equations.iter().all(|equation| equation.compare_row(row).is_eq())
            && self.inequalities().all(|inequality| inequality.compare_row(row).is_le())
    }

    /// This set prepared for many questions. It is made when first asked for, and kept.
    pub fn tester(&self) -> &Tester {
        self.tester.get_or_init(|| Box::new(Tester::new(self)))
    }

    /// This set with its facets in another order.
    #[must_use]
    pub fn sorted_by_key<K: Ord>(mut self, key: impl Fn(&Constraint) -> K) -> Self {
        self.facets.sort_by_cached_key(|facet| key(&facet.constraint));
        self.tester = OnceLock::new();
        self
    }

    /// This set with other numbers for its points.
    #[must_use]
    pub fn renumbered(mut self, number: impl Fn(usize) -> usize) -> Self {
        let points = self.generators.iter_mut().flat_map(|generators| &mut generators.points);
        points.for_each(|(point, _)| *point = number(*point));
        let spans = self.facets.iter_mut().flat_map(|facet| &mut facet.span);
        spans.for_each(|span| span.points.iter_mut().for_each(|point| *point = number(*point)));
        self
    }

    /// This set with each equation solved for its first column and put into all that follow, which
    /// then have fewer columns.
    #[must_use]
    pub fn substituted(&self) -> Self {
        let mut rows: Vec<Row> = self
            .equations
            .iter()
            .chain(self.inequalities())
            .map(|each| each.row().clone())
            .collect();
        for index in 0..self.equations.len() {
            let (done, rest) = rows.split_at_mut(index + 1);
            let Some(equation) = done.last() else { break };
            let Some(pivot) = (1..equation.len()).find(|&column| equation.signum(column) != 0)
            else {
                continue;
            };
            let solved =
                if equation.signum(pivot) < 0 { equation.negated() } else { equation.clone() };
            for row in rest.iter_mut().filter(|row| row.signum(pivot) != 0) {
                *row = row.eliminated(&solved, pivot);
            }
        }
        let inequalities = rows.split_off(self.equations.len());
        let bounded = Self::bounded(self.columns, constraints(rows), constraints(inequalities));
        Polyhedron { complete: self.complete, generators: self.generators.clone(), ..bounded }
    }
}

fn constraints(rows: Vec<Row>) -> Vec<Constraint> {
    rows.into_iter().map(Constraint::homogeneous).collect()
}

impl Clone for Polyhedron {
    /// The tester is not copied: it is made again where it is asked for.
    fn clone(&self) -> Self {
        Polyhedron {
            columns: self.columns,
            equations: self.equations.clone(),
            facets: self.facets.clone(),
            complete: self.complete,
            generators: self.generators.clone(),
            tester: OnceLock::new(),
        }
    }
}

impl PartialEq for Polyhedron {
    fn eq(&self, other: &Self) -> bool {
        (self.columns, self.complete) == (other.columns, other.complete)
            && self.equations == other.equations
            && self.facets == other.facets
            && self.generators == other.generators
    }
}

impl Eq for Polyhedron {}

impl Hash for Polyhedron {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.columns, self.complete, &self.equations, &self.facets).hash(state);
    }
}

impl fmt::Debug for Polyhedron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Polyhedron")
            .field("equations", &self.equations)
            .field("facets", &self.facets)
            .field("complete", &self.complete)
            .field("generators", &self.generators)
            .finish()
    }
}
