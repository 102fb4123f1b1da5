//! Is a point in `conv(points) + cone(rays)`? Decided by linear programming, exactly, without
//! facets and in any dimension.
//!
//! In homogeneous coordinates the question is whether `b = (1, x)` lies in the cone of the
//! generators. Either it is a non-negative combination of independent generators, or some
//! half-space contains all generators and not `b`; both are proofs, and one of them is always
//! returned. Phase one of the simplex method in doubles guesses the basis of the proof; the proof
//! is computed from it with integers and checked. Where the guess was not the end, phase one goes
//! on from there in integers, without fractions; after a while it takes Bland's least-index rule,
//! which never cycles, so it always ends.

use std::cmp::Ordering;
use std::fmt;

use dashu_int::IBig;

use super::basis::Basis;
use super::cone::{ConeGenerators, dot};
use super::frame::{ConstraintWriter, CoordinateFrame, GeneratorSource};
use super::integer::{Entry, Fixed, Integer, minor_bits};
use super::member::{Member, inverse, leaving};
use super::{Constraint, Echelon, Rational, Row};
use crate::invariant::Invariant;

/// Where a point is, with proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PointPosition {
    /// The point is `Σ weight · point + Σ weight · ray`, with positive weights, those of the points
    /// adding up to one.
    ///
    /// The generators named are affinely independent; each is given by its index, ascending.
    Inside {
        /// Points and their weights.
        points: Vec<(usize, Rational)>,
        /// Rays and their weights.
        rays: Vec<(usize, Rational)>,
    },
    /// All points and rays satisfy this inequality, and the point asked for does not.
    Outside(Constraint),
}

impl PointPosition {
    /// Whether the point is in the set.
    pub fn is_inside(&self) -> bool {
        matches!(self, PointPosition::Inside { .. })
    }
}

/// The set `conv(points) + cone(rays)`, made ready for questions.
///
/// ```
/// use surefoot_base::exact::{Membership, PointPosition, Rational};
///
/// let points = [[0, 0], [4, 0], [0, 2]].map(|p| p.map(Rational::integer).to_vec());
/// let triangle = Membership::new(&points, &[]);
/// assert!(triangle.contains(&[Rational::integer(2), Rational::integer(1)]));
/// match triangle.decide(&[Rational::integer(3), Rational::integer(1)]) {
///     PointPosition::Outside(separating) => {
///         assert!(points.iter().all(|p| separating.compare(p).is_le()))
///     }
///     PointPosition::Inside { .. } => unreachable!(),
/// }
/// ```
pub struct Membership {
    /// `None` for the empty set.
    frame: Option<CoordinateFrame>,
    equations: Vec<Row>,
    /// The bit length of the largest entry of each coordinate.
    widths: Vec<u64>,
    cone: Tier,
}

/// Coordinates are machine integers where they fit and their minors are not too wide for
/// fixed-width integers.
enum Tier {
    Machine(ConeGenerators<i64>),
    Big(ConeGenerators<IBig>),
}

impl fmt::Debug for Membership {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let generators = self.frame.as_ref().map_or(0, |frame| frame.generators.len());
        f.debug_struct("Membership").field("generators", &generators).finish_non_exhaustive()
    }
}

impl Membership {
    /// Prepares the set. Vectors shorter than the longest are read as if zeros followed.
    pub fn new(points: &[Vec<Rational>], rays: &[Vec<Rational>]) -> Self {
        let frame = CoordinateFrame::new(points, rays, |_, columns| Echelon::new(columns));
        let Some(frame) = frame else {
            let cone = Tier::Big(ConeGenerators::new(1, Vec::new()));
            return Membership { frame: None, equations: Vec::new(), widths: Vec::new(), cone };
        };
        let widths = frame.widths();
        // Points asked about may be a little finer or farther away than the generators.
        let machine = minor_bits(&widths) + 4 * widths.len() as u64 <= 500
            && widths.iter().all(|&width| width <= 63);
        let cone =
            if machine { Tier::Machine(generators(&frame)) } else { Tier::Big(generators(&frame)) };
        Membership { equations: frame.span.null_space(), frame: Some(frame), widths, cone }
    }

    /// Decides whether `x` is inside, with proof.
    pub fn decide(&self, x: &[Rational]) -> PointPosition {
        let Some(frame) = &self.frame else {
            // 0 ≤ -1 excludes everything.
            let mut row = vec![IBig::ZERO; x.len() + 1];
            row[0] = IBig::ONE;
            return PointPosition::Outside(Constraint::homogeneous(Row::from_integers(row)));
        };
        let homogeneous = frame.row(&x[..x.len().min(frame.columns)], true);
        if let Some(equation) =
            self.equations.iter().find(|equation| equation.dot_sign(&homogeneous).is_ne())
        {
            let above = equation.dot_sign(&homogeneous).is_gt();
            return PointPosition::Outside(Constraint::homogeneous(if above {
                equation.clone()
            } else {
                equation.negated()
            }));
        }
        let target = frame.locate(x);
        match self.search(frame, &target, None) {
            TargetProof::Inside(weights) => Self::combination(frame, &target, weights),
            TargetProof::Outside(functional) => {
                PointPosition::Outside(ConstraintWriter::new(frame).constraint(&functional))
            }
        }
    }

    /// Whether `x` is in the set.
    pub fn contains(&self, x: &[Rational]) -> bool {
        self.decide(x).is_inside()
    }

    fn search(
        &self,
        frame: &CoordinateFrame,
        target: &Row,
        among: Option<&[usize]>,
    ) -> TargetProof {
        let target: Vec<IBig> = (0..target.len()).map(|j| target.integer(j)).collect();
        let widths: Vec<u64> =
            self.widths.iter().zip(&target).map(|(&w, t)| w.max(Integer::bits(t) as u64)).collect();
        // Sums of as many functionals as there are columns must fit, too.
        let room = u64::from(target.len().next_power_of_two().trailing_zeros());
        let bits = if widths.iter().all(|&width| width <= 63) {
            minor_bits(&widths) + room
        } else {
            u64::MAX
        };
        match (&self.cone, bits) {
            (Tier::Machine(cone), ..=127) => SupportSearch::<Fixed<2>>::run(cone, &target, among),
            (Tier::Machine(cone), 128..=255) => {
                SupportSearch::<Fixed<4>>::run(cone, &target, among)
            }
            (Tier::Machine(cone), 256..=511) => {
                SupportSearch::<Fixed<8>>::run(cone, &target, among)
            }
            (Tier::Machine(_), _) => SupportSearch::<IBig>::run(&generators(frame), &target, among),
            (Tier::Big(cone), _) => SupportSearch::<IBig>::run(cone, &target, among),
        }
    }

    fn combination(
        frame: &CoordinateFrame,
        target: &Row,
        weights: Vec<(usize, Rational)>,
    ) -> PointPosition {
        let (mut points, mut rays) = (Vec::new(), Vec::new());
        for (generator, weight) in weights {
            let weight = weight
                .checked_div(&target.entry(0))
                .invariant("the homogeneous coordinate of a point is positive");
            match frame.generators[generator].1 {
                GeneratorSource::Point(i) => points.push((i, weight)),
                GeneratorSource::Ray(i) => {
                    let stretch = frame.stretch[i]
                        .as_ref()
                        .invariant("no lines are divided out, and the ray is not zero");
                    rays.push((i, &weight * stretch));
                }
            }
        }
        points.sort_unstable();
        rays.sort_unstable();
        PointPosition::Inside { points, rays }
    }
}

fn generators<E: Entry>(frame: &CoordinateFrame) -> ConeGenerators<E> {
    let read =
        |entry: &IBig| E::read(entry).invariant("entries fit the type that their widths chose");
    let entries = frame.generators.iter().flat_map(|(row, _)| row.iter().map(read)).collect();
    ConeGenerators::new(frame.active.len(), entries)
}

/// The indices of the points that are vertices of `conv(points)`, ascending; of equal points the
/// first. No facets are computed.
///
/// Clarkson's method: a point is tested only against the vertices found so far. A half-space that
/// separates it from them leads to a new vertex, the farthest beyond it. The number of tests is
/// that of the points plus that of the vertices.
pub fn vertices(points: &[Vec<Rational>]) -> Vec<usize> {
    let set = Membership::new(points, &[]);
    let Some(frame) = &set.frame else { return Vec::new() };
    let mut found = vec![false; frame.generators.len()];
    // Sorted lexicographically, the first and the last point are vertices.
    let mut known: Vec<usize> = vec![0];
    found[0] = true;
    for point in 1..frame.generators.len() {
        let target = Row::from_integers(frame.generators[point].0.clone());
        while !found[point] {
            let TargetProof::Outside(functional) = set.search(frame, &target, Some(&known)) else {
                break;
            };
            // Of the points farthest along a direction the lexicographically least is a vertex.
            let beyond = set.farthest(frame, &functional);
            if std::mem::replace(&mut found[beyond], true) {
                break;
            }
            known.push(beyond);
        }
    }
    let mut vertices: Vec<usize> =
        known.iter().map(|&generator| frame.generators[generator].1.index()).collect();
    vertices.sort_unstable();
    vertices
}

impl Membership {
    /// The first point that is farthest along `functional`.
    fn farthest(&self, frame: &CoordinateFrame, functional: &[IBig]) -> usize {
        // Doubles find who may be farthest, integers who is.
        fn candidates<E: Entry>(cone: &ConeGenerators<E>, functional: &[IBig]) -> Vec<usize> {
            let mut plane = vec![0.0; functional.len() + 2];
            cone.shadow(functional, &mut plane);
            let values: Vec<f64> = (0..cone.len()).map(|i| dot(&plane, cone.double(i))).collect();
            let threshold = values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
                - 2.0 * plane[functional.len()];
            // What is not a number stays.
            (0..cone.len())
                .filter(|&i| values[i].partial_cmp(&threshold) != Some(Ordering::Less))
                .collect()
        }
        let candidates = match &self.cone {
            Tier::Machine(cone) => candidates(cone, functional),
            Tier::Big(cone) => candidates(cone, functional),
        };
        if let [only] = candidates[..] {
            return only;
        }
        let values =
            candidates.into_iter().map(|i| (IBig::dot(functional, &frame.generators[i].0), i));
        values
            .max_by(|(a, i), (b, j)| a.cmp(b).then(j.cmp(i)))
            .invariant("a frame has generators")
            .1
    }
}

/// The largest subspace within the cone of `rays`: it is spanned by the rays whose opposites are in
/// the cone, too.
pub(super) fn lines(rays: &[Row], columns: usize) -> Echelon {
    let mut lines = Echelon::new(columns);
    let mut span = Echelon::new(columns);
    rays.iter().for_each(|ray| {
        span.insert(ray);
    });
    let rest: Vec<&Row> = rays.iter().filter(|ray| !ray.is_zero()).collect();
    let entries =
        rest.iter().flat_map(|ray| span.pivots().iter().map(|&column| ray.integer(column)));
    let cone = ConeGenerators::new(span.rank(), entries.collect());
    for ray in rest {
        let opposite: Vec<IBig> =
            span.pivots().iter().map(|&column| -ray.integer(column)).collect();
        if !lines.contains(ray)
            && matches!(SupportSearch::<IBig>::run(&cone, &opposite, None), TargetProof::Inside(_))
        {
            lines.insert(ray);
        }
    }
    lines
}

/// The proof found for one target.
enum TargetProof {
    /// Positive weights of generators, with the target as their sum.
    Inside(Vec<(usize, Rational)>),
    /// A functional that is at most zero on all generators and positive on the target.
    Outside(Vec<IBig>),
}

/// One question put to one cone.
struct SupportSearch<'a, T: Integer> {
    cone: &'a ConeGenerators<T::Entry>,
    among: Option<&'a [usize]>,
    target: Vec<T::Entry>,
    dimension: usize,
}

impl<'a, T: Integer> SupportSearch<'a, T> {
    fn run(
        cone: &'a ConeGenerators<T::Entry>,
        target: &[IBig],
        among: Option<&'a [usize]>,
    ) -> TargetProof {
        let target: Vec<T::Entry> = target.iter().filter_map(T::Entry::read).collect();
        let search: Self = SupportSearch { dimension: target.len(), cone, among, target };
        let guess = search.guess();
        search.prove(guess)
    }

    fn generators(&self) -> impl Iterator<Item = usize> + '_ {
        let count = self.among.map_or(self.cone.len(), <[usize]>::len);
        (0..count).map(|at| self.among.map_or(at, |among| among[at]))
    }

    /// A basis that proves the answer if doubles are to be trusted: phase one of the simplex
    /// method.
    fn guess(&self) -> Vec<Member> {
        /// What counts as zero. A wrong choice costs time, not truth.
        const SMALL: f64 = 1e-10;
        /// The number of pivots after which the inverse is computed again, to remove accumulated
        /// errors.
        const STALE: usize = 40;
        let size = self.dimension;
        let scaled = self.cone.scale(&self.target);
        let length =
            scaled.iter().fold(0.0f64, |most, value| most.max(value.abs())).max(f64::MIN_POSITIVE);
        let target: Vec<f64> = scaled.iter().map(|value| value / length).collect();
        let mut members: Vec<Member> =
            (0..size).map(|j| Member::Unit(j, target[j] < 0.0)).collect();
        let mut inverse = vec![0.0; size * size];
        (0..size).for_each(|j| inverse[j * size + j] = if target[j] < 0.0 { -1.0 } else { 1.0 });
        let mut weights: Vec<f64> = target.iter().map(|value| value.abs()).collect();
        let mut gains = Vec::new();
        let (mut prices, mut column, mut leaving) =
            (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
        for pivots in 1..=50 + 20 * size {
            if pivots % STALE == 0 {
                let Some(fresh) = self.invert(&members) else { break };
                inverse = fresh;
                (0..size)
                    .for_each(|i| weights[i] = dot(&inverse[i * size..(i + 1) * size], &target));
            }
            prices.fill(0.0);
            let mut missing = 0.0;
            for i in (0..size).filter(|&i| members[i].is_artificial()) {
                prices
                    .iter_mut()
                    .zip(&inverse[i * size..])
                    .for_each(|(price, value)| *price += value);
                missing += weights[i];
            }
            if missing < SMALL {
                break;
            }
            let best = self.steepest(&prices, &mut gains);
            let Some((_, entering)) = best.filter(|(gain, _)| *gain > SMALL) else { break };
            let row = self.cone.double(entering);
            column
                .iter_mut()
                .zip(inverse.chunks_exact(size))
                .for_each(|(value, functional)| *value = dot(functional, row));
            let shrinking = (0..size).filter(|&i| column[i] > SMALL);
            let steps = shrinking.map(|i| (weights[i].max(0.0) / column[i], i));
            let shortest = steps
                .min_by(|(a, i), (b, j)| a.total_cmp(b).then(column[*j].total_cmp(&column[*i])));
            let Some((step, out)) = shortest else { break };
            leaving.copy_from_slice(&inverse[out * size..(out + 1) * size]);
            leaving.iter_mut().for_each(|value| *value /= column[out]);
            for i in (0..size).filter(|&i| i != out && column[i] != 0.0) {
                inverse[i * size..(i + 1) * size]
                    .iter_mut()
                    .zip(&leaving)
                    .for_each(|(value, left)| *value -= column[i] * left);
                weights[i] -= column[i] * step;
            }
            inverse[out * size..(out + 1) * size].copy_from_slice(&leaving);
            weights[out] = step;
            members[out] = Member::Given(entering);
        }
        members
    }

    /// The generator with the largest value of a functional in doubles, and that value; the first
    /// of equals.
    fn steepest(&self, functional: &[f64], values: &mut Vec<f64>) -> Option<(f64, usize)> {
        match self.among {
            Some(among) => {
                among.iter().map(|&i| (dot(self.cone.double(i), functional), i)).fold(None, steeper)
            }
            None => {
                self.cone.values(functional, values);
                values.iter().copied().zip(0..).fold(None, steeper)
            }
        }
    }

    /// The inverse of a basis in doubles: functionals that are one on their member and zero on the
    /// others.
    fn invert(&self, members: &[Member]) -> Option<Vec<f64>> {
        inverse(
            members
                .iter()
                .map(|&member| member.doubles(self.dimension, |i| self.cone.double(i)))
                .collect(),
        )
    }

    /// The vector of a member.
    fn row(&self, member: Member) -> Vec<T::Entry> {
        member.entries::<T>(self.dimension, |i| self.cone.row(i))
    }

    fn basis(&self, members: &[Member]) -> Option<Basis<T>> {
        let rows: Vec<Vec<T::Entry>> = members.iter().map(|&member| self.row(member)).collect();
        Basis::new(rows.iter().map(Vec::as_slice))
    }

    /// The proof that starts from a guessed basis: phase one of the simplex method, exactly.
    fn prove(&self, mut members: Vec<Member>) -> TargetProof {
        let guessed = self.basis(&members);
        let basis = guessed.or_else(|| {
            members = (0..self.dimension).map(|j| Member::Unit(j, false)).collect();
            self.basis(&members)
        });
        // Without columns the target is the empty sum.
        let Some(mut basis) = basis else { return TargetProof::Inside(Vec::new()) };
        // A member with a negative weight is turned around, and thereby made artificial: the
        // weights are feasible.
        for (i, member) in members.iter_mut().enumerate() {
            if self.weight(&basis, i).signum() < 0 {
                *member = member.opposite();
                basis.exchange(i, &self.row(*member));
            }
        }
        let (mut pivots, patience) = (0usize, 50 + 10 * self.dimension);
        loop {
            let weights: Vec<T> = (0..self.dimension).map(|i| self.weight(&basis, i)).collect();
            if (0..self.dimension).all(|i| !members[i].is_artificial() || weights[i].signum() == 0)
            {
                let determinant =
                    basis.determinant().to_big() * IBig::from(basis.determinant().signum());
                let kept =
                    members.iter().zip(&weights).filter_map(|(member, weight)| match member {
                        Member::Given(generator) if weight.signum() > 0 => {
                            Rational::from_integers(weight.to_big(), determinant.clone())
                                .map(|weight| (*generator, weight))
                        }
                        _ => None,
                    });
                return TargetProof::Inside(kept.collect());
            }
            let orientation = basis.determinant().signum();
            let prices = self.prices(&members, &basis, orientation);
            let Some(entering) = self.entering(&prices, pivots < patience) else {
                return TargetProof::Outside(prices.iter().map(T::to_big).collect());
            };
            let row = self.cone.row(entering);
            let column: Vec<T> = (0..self.dimension)
                .map(|i| T::dot(&turned(basis.functional(i), orientation), row))
                .collect();
            let out = leaving(&members, &weights, &column).invariant(
                "some member leaves the basis: otherwise weights could grow without end, yet those \
                 of artificial members only shrink",
            );
            basis.exchange(out, row);
            members[out] = Member::Given(entering);
            pivots += 1;
        }
    }

    /// The determinant's magnitude times the weight of a member in the sum that is the target.
    fn weight(&self, basis: &Basis<T>, i: usize) -> T {
        let value = T::dot(basis.functional(i), &self.target);
        if basis.determinant().signum() < 0 { value.neg() } else { value }
    }

    /// The dual solution: the sum of the functionals of the artificial members. Its value on the
    /// target is what is missing.
    fn prices(&self, members: &[Member], basis: &Basis<T>, orientation: i32) -> Vec<T> {
        let mut sum = vec![T::zero(); self.dimension];
        for i in (0..members.len()).filter(|&i| members[i].is_artificial()) {
            let functional = turned(basis.functional(i), orientation);
            sum.iter_mut().zip(&functional).for_each(|(total, value)| *total = total.add(value));
        }
        sum
    }

    /// A generator on which the functional is positive: a large value while that is wanted,
    /// otherwise the first.
    fn entering(&self, functional: &[T], steep: bool) -> Option<usize> {
        let mut plane = vec![0.0; self.dimension + 2];
        self.cone.shadow(functional, &mut plane);
        if steep
            && let Some((_, generator)) = self.steepest(&plane[..self.dimension], &mut Vec::new())
            && self.cone.height(&plane, functional, generator).is_some()
        {
            return Some(generator);
        }
        self.generators()
            .filter(|&generator| self.cone.height(&plane, functional, generator).is_some())
            .min()
    }
}

/// The larger of two values, each with its generator; the first of equals.
#[inline]
fn steeper(best: Option<(f64, usize)>, next: (f64, usize)) -> Option<(f64, usize)> {
    match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    }
}

fn turned<T: Integer>(functional: &[T], sign: i32) -> Vec<T> {
    functional.iter().map(|value| if sign < 0 { value.neg() } else { value.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The exact method needs no guess: from artificial members alone, or from a wrong basis,
        /// it ends with the same answer.
        #[test]
        fn a_wrong_guess_costs_time_not_truth(
            rows in prop::collection::vec(prop::collection::vec(-3i64..4, 3), 1..9),
            target in prop::collection::vec(-3i64..4, 3),
            wrong in prop::collection::vec((0usize..9, any::<bool>()), 3),
        ) {
            let cone = ConeGenerators::new(3, rows.concat());
            let search = SupportSearch::<Fixed<2>> {
                cone: &cone,
                among: None,
                dimension: 3,
                target: target.clone(),
            };
            let units = (0..3).map(|j| Member::Unit(j, true)).collect();
            let wrong = wrong.iter().map(|&(i, against)| {
                if against {
                    Member::Against(i % rows.len())
                } else {
                    Member::Given(i % rows.len())
                }
            });
            let guesses = [search.guess(), units, wrong.collect()];
            let found: Vec<TargetProof> =
                guesses.into_iter().map(|guess| search.prove(guess)).collect();
            for found in &found {
                match found {
                    TargetProof::Inside(weights) => {
                        for j in 0..3 {
                            let terms =
                                weights.iter().map(|(i, w)| w * &Rational::integer(rows[*i][j]));
                            prop_assert_eq!(
                                terms.fold(Rational::ZERO, |a, b| &a + &b),
                                Rational::integer(target[j])
                            );
                        }
                        prop_assert!(weights.iter().all(|(_, weight)| weight.signum() > 0));
                    }
                    TargetProof::Outside(functional) => {
                        let value = |row: &[i64]| {
                            (0..3).fold(IBig::ZERO, |sum, j| {
                                sum + &functional[j] * IBig::from(row[j])
                            })
                        };
                        prop_assert!(value(&target) > IBig::ZERO);
                        prop_assert!(rows.iter().all(|row| value(row) <= IBig::ZERO));
                    }
                }
            }
            prop_assert!(found.iter().all(|f| matches!(f, TargetProof::Inside(_))
                == matches!(found[0], TargetProof::Inside(_))));
        }
    }
}
