//! Exact convex hulls: the facets of `conv(points) + cone(rays)`, or of as large a part of it as a
//! budget allows.
//!
//! The set is first described by its affine hull (equations), then inside it by facets
//! (inequalities). Facets are computed in the columns that determine all others on the affine hull,
//! with the lines that the rays span divided out, and in integer coordinates; there the set is the
//! cross-section of a pointed cone of full dimension (see [`super::cone`]). Results are in
//! canonical form: they depend on the set, not on the order or repetition of what it was given by.

use dashu_int::IBig;

use super::cone::{Beyond, Boundary, Complex, ConeGenerators, Limit};
use super::frame::{ConstraintWriter, CoordinateFrame, GeneratorSource, columns};
use super::integer::{Entry, Fixed, Integer, minor_bits};
use super::membership;
use super::polyhedron::{Facet, GeneratorSubset, Generators};
use super::{Constraint, Echelon, Polyhedron, Rational};

/// What a hull may cost. The numbers bound time and memory whatever the data: a hull that needs
/// more is refused, not attempted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// The most facets a result may have.
    pub facets: usize,
    /// The most simplices the boundary may have at any time. A facet with many vertices is many
    /// simplices.
    pub simplices: usize,
    /// The most multiplications of machine numbers, about: a thousand million of them take one to
    /// two seconds.
    pub work: u64,
    /// The most memory for the boundary, about, in bytes.
    pub memory: u64,
}

impl Budget {
    /// A budget for hulls of up to `facets` facets: eight simplices a facet, twenty thousand
    /// multiplications a simplex, 2 GiB.
    pub fn facets(facets: usize) -> Self {
        let simplices = facets.saturating_mul(8).saturating_add(1_000);
        Budget {
            facets,
            simplices,
            work: (simplices as u64).saturating_mul(20_000),
            memory: 1 << 31,
        }
    }
}

impl Default for Budget {
    /// A hundred thousand facets.
    fn default() -> Self {
        Self::facets(100_000)
    }
}

/// The hull needs more than its budget. Nothing is known about its facets; see [`inner()`] for a
/// part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OverBudget {
    /// The size of the boundary when the budget was passed.
    pub facets: usize,
}

/// A polyhedron within `conv(points) + cone(rays)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inner {
    /// The exact hull of the chosen generators, which are its vertices and extreme rays.
    pub hull: Polyhedron,
    /// The points outside it, ascending.
    pub uncovered_points: Vec<usize>,
    /// The rays that do not belong to its directions, ascending.
    pub uncovered_rays: Vec<usize>,
}

/// The facets of `conv(points) + cone(rays)`.
///
/// Any dimension and any degeneracy: repeated points, fewer points than columns, opposite rays.
/// Without points the set is empty whatever the rays. Vectors shorter than the longest are read as
/// if zeros followed; zero rays are ignored.
///
/// The result does not depend on the order of the generators, nor on repetitions, but for the
/// indices that name them.
///
/// ```
/// use surefoot_base::exact::{Budget, Rational, hull};
///
/// // Seen at (x, y) = (0, 0), (4, 0) and (0, 2); more of y never hurts.
/// let points = [[0, 0], [4, 0], [0, 2]].map(|p| p.map(Rational::integer).to_vec());
/// let more = [vec![Rational::ZERO, Rational::ONE]];
/// let learned = hull(&points, &more, Budget::default()).unwrap();
/// assert_eq!(learned.facets().len(), 3); // 0 ≤ x, x ≤ 4, 0 ≤ y
/// assert!(learned.contains(&[Rational::integer(3), Rational::integer(1_000)]));
/// ```
pub fn hull(
    points: &[Vec<Rational>],
    rays: &[Vec<Rational>],
    budget: Budget,
) -> Result<Polyhedron, OverBudget> {
    match divided(points, rays) {
        Some(frame) => {
            let (boundary, _) = frame
                .boundary(FacetTask::Whole, budget)
                .map_err(|Beyond { simplices }| OverBudget { facets: simplices })?;
            let hull = frame.describe(boundary, points, rays);
            if hull.facets().len() > budget.facets {
                Err(OverBudget { facets: hull.facets().len() })
            } else {
                Ok(hull)
            }
        }
        None => Ok(Polyhedron::empty(columns(points, rays))),
    }
}

/// The exact hull of some of the generators, chosen greedily such that it has at most
/// `budget.facets` facets.
///
/// Starts with a simplex of generators far apart, then adds what is farthest outside (rays first)
/// while the budget allows, so the result has the affine hull of the whole set. Where the budget is
/// too small even for a simplex of that dimension, it is a simplex of lower dimension; with a
/// budget of zero or one, a point. Empty when there are no points.
pub fn inner(points: &[Vec<Rational>], rays: &[Vec<Rational>], budget: Budget) -> Inner {
    let budget = Budget { simplices: budget.simplices.min(budget.facets), ..budget };
    let Some(frame) = divided(points, rays) else {
        let uncovered_rays = (0..rays.len()).collect();
        return Inner {
            hull: Polyhedron::empty(columns(points, rays)),
            uncovered_points: Vec::new(),
            uncovered_rays,
        };
    };
    if let Ok((boundary, uncovered)) = frame.boundary(FacetTask::Part, budget) {
        let uncovered_points =
            (0..points.len()).filter(|&point| frame.is_among(point, &uncovered)).collect();
        let uncovered_rays =
            (0..rays.len()).filter(|ray| frame.is_among(points.len() + ray, &uncovered)).collect();
        return Inner {
            hull: frame.describe(boundary, points, rays),
            uncovered_points,
            uncovered_rays,
        };
    }
    // Points that are affinely independent have as many facets as points: take as many as the
    // budget pays for.
    let mut chosen: Vec<usize> = Vec::new();
    let mut span = Echelon::new(columns(points, rays) + 1);
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| points[a].cmp(&points[b]).then(a.cmp(&b)));
    for point in order {
        if chosen.len() < budget.facets.max(1) && span.insert(&frame.row(&points[point], true)) {
            chosen.push(point);
        }
    }
    chosen.sort_unstable();
    let subset: Vec<Vec<Rational>> = chosen.iter().map(|&point| points[point].clone()).collect();
    let generous = Budget::facets(chosen.len() + 1);
    // Where even that exceeds a budget, nothing is inside: the empty set is a part of every hull.
    let hull = hull(&subset, &[], generous).unwrap_or_else(|_| Polyhedron::empty(frame.columns));
    let hull = hull.renumbered(|point| chosen[point]);
    let uncovered_points =
        (0..points.len()).filter(|&i| !hull.satisfied_by(&frame.row(&points[i], true))).collect();
    let uncovered_rays =
        (0..rays.len()).filter(|&i| !hull.satisfied_by(&frame.row(&rays[i], false))).collect();
    Inner { hull, uncovered_points, uncovered_rays }
}

/// The coordinates in which the cone over the set is pointed: the lines that the rays span are
/// divided out.
fn divided(points: &[Vec<Rational>], rays: &[Vec<Rational>]) -> Option<CoordinateFrame> {
    CoordinateFrame::new(points, rays, membership::lines)
}

#[derive(Clone, Copy, PartialEq)]
enum FacetTask {
    /// With all its facets.
    Whole,
    /// The facets of a part, within the budget.
    Part,
}

impl CoordinateFrame {
    /// Chooses the narrowest integers that hold every minor of the generators.
    fn boundary(&self, task: FacetTask, budget: Budget) -> Result<(Boundary, Vec<usize>), Beyond> {
        let widths = self.widths();
        let bits = minor_bits(&widths);
        if widths.iter().any(|&width| width > 63) {
            return self.solve::<IBig>(bits, task, budget);
        }
        match bits {
            ..=127 => self.solve::<Fixed<2>>(bits, task, budget),
            128..=191 => self.solve::<Fixed<3>>(bits, task, budget),
            192..=255 => self.solve::<Fixed<4>>(bits, task, budget),
            256..=511 => self.solve::<Fixed<8>>(bits, task, budget),
            _ => self.solve::<IBig>(bits, task, budget),
        }
    }

    fn solve<T: Integer>(
        &self,
        bits: u64,
        task: FacetTask,
        budget: Budget,
    ) -> Result<(Boundary, Vec<usize>), Beyond> {
        let dimension = self.active.len();
        if dimension < 2 {
            // Modulo lines the set is one point: all of the affine hull.
            let extreme = if self.generators.is_empty() { Vec::new() } else { vec![0] };
            return Ok((Boundary { faces: Vec::new(), extreme }, Vec::new()));
        }
        let entries = self
            .generators
            .iter()
            .flat_map(|(row, _)| row.iter().filter_map(T::Entry::read))
            .collect();
        let generators = ConeGenerators::new(dimension, entries);
        let Some((chosen, basis)) =
            generators.spread::<T>(|generator| task == FacetTask::Part && self.is_ray(generator))
        else {
            return Ok((Boundary::default(), Vec::new()));
        };
        // A coefficient is kept in as many words as its ring has; making one takes two products of
        // them and a division.
        let words = bits.div_ceil(64) + 1;
        let room = usize::try_from(budget.memory / (8 * dimension as u64 * (words + 3) + 64))
            .unwrap_or(usize::MAX);
        let creation = dimension as u64 * (3 * words * words + 16);
        let limit = Limit { simplices: budget.simplices.min(room), work: budget.work, creation };
        let mut complex = Complex::new(&generators, &chosen, &basis, limit)?;
        let uncovered = match task {
            FacetTask::Whole => complex.complete().map(|()| Vec::new())?,
            FacetTask::Part => complex.grow(|generator| self.is_ray(generator), 64),
        };
        // A facet too few would make the set too large, hence unsafe: a boundary that is not closed
        // is refused, not returned.
        let closed = complex.is_closed();
        debug_assert!(closed, "the boundary of {} simplices is not closed", complex.simplices());
        if !closed {
            return Err(Beyond { simplices: complex.simplices() });
        }
        Ok((complex.boundary(), uncovered))
    }

    /// Translates a boundary back to the columns of the input.
    fn describe(
        &self,
        boundary: Boundary,
        points: &[Vec<Rational>],
        rays: &[Vec<Rational>],
    ) -> Polyhedron {
        let writer = ConstraintWriter::new(self);
        let mut facets: Vec<Facet> = Vec::with_capacity(boundary.faces.len());
        for face in &boundary.faces {
            // A functional of column 0 alone says 0 ≤ 1: the facet at infinity, made of rays.
            if face.normal.iter().skip(1).any(|value| *value != IBig::ZERO) {
                facets.push(Facet {
                    constraint: writer.constraint(&face.normal),
                    span: Some(self.sources(&face.on)),
                });
            }
        }
        facets.sort_by(|a, b| a.constraint.cmp(&b.constraint));
        let extreme = self.sources(&boundary.extreme);
        let generators = Generators {
            points: self.numbered(extreme.points, points),
            rays: self.numbered(extreme.rays, rays),
            lines: self.lines.rows().to_vec(),
        };
        let equations = self.span.null_space().into_iter().map(Constraint::homogeneous).collect();
        Polyhedron::found(self.columns, equations, facets, generators)
    }

    fn is_ray(&self, generator: usize) -> bool {
        matches!(self.generators[generator].1, GeneratorSource::Ray(_))
    }

    /// Whether a point or ray, by its place in [`CoordinateFrame::image`], has its generator among
    /// these, which ascend.
    fn is_among(&self, place: usize, generators: &[usize]) -> bool {
        self.image[place].is_some_and(|image| generators.binary_search(&image).is_ok())
    }

    /// The points and rays that the generators came from.
    fn sources(&self, generators: &[usize]) -> GeneratorSubset {
        let (mut points, mut rays) = (Vec::new(), Vec::new());
        for &generator in generators {
            match self.generators[generator].1 {
                GeneratorSource::Point(i) => points.push(i),
                GeneratorSource::Ray(i) => rays.push(i),
            }
        }
        points.sort_unstable();
        rays.sort_unstable();
        GeneratorSubset { points, rays }
    }

    /// The vectors with these numbers, filled up with zeros.
    fn numbered(
        &self,
        numbers: Vec<usize>,
        vectors: &[Vec<Rational>],
    ) -> Vec<(usize, Vec<Rational>)> {
        numbers.into_iter().map(|number| (number, self.padded(&vectors[number]))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Vectors<'v> = &'v [Vec<Rational>];

    fn described<T: Integer>(
        frame: &CoordinateFrame,
        points: Vectors,
        rays: Vectors,
    ) -> Option<Polyhedron> {
        let (boundary, _) = frame.solve::<T>(1, FacetTask::Whole, Budget::default()).ok()?;
        Some(frame.describe(boundary, points, rays))
    }

    proptest! {
        #[test]
        fn each_tier_agrees_with_the_big_one(
            points in prop::collection::vec(
                prop::collection::vec((-500_000i64..500_000, 0u32..7), 4),
                1..16,
            ),
        ) {
            // Between 4 · 20 and 4 · 23 bits with the constant factor: narrow enough for all.
            let points: Vec<Vec<Rational>> = points
                .iter()
                .map(|x| {
                    x.iter()
                        .map(|&(n, k)| Rational::new(n >> (3 * k), 1 << (k / 3)).unwrap())
                        .collect()
                })
                .collect();
            let rays = [vec![Rational::ZERO, Rational::ONE, Rational::ZERO, Rational::ONE]];
            for rays in [&rays[..], &[]] {
                let frame = divided(&points, rays).unwrap();
                prop_assert!(minor_bits(&frame.widths()) <= 127);
                let big = described::<IBig>(&frame, &points, rays);
                prop_assert!(big.is_some());
                prop_assert_eq!(&described::<Fixed<2>>(&frame, &points, rays), &big);
                prop_assert_eq!(&described::<Fixed<3>>(&frame, &points, rays), &big);
                prop_assert_eq!(&described::<Fixed<4>>(&frame, &points, rays), &big);
                prop_assert_eq!(&described::<Fixed<8>>(&frame, &points, rays), &big);
            }
        }
    }
}
