//! Is a point in `conv(points) + cone(rays)`? Decided by linear programming, exactly, without facets and in any dimension.
//!
//! In homogeneous coordinates the question is whether `b = (1, x)` lies in the cone of the generators. Either it is a
//! non-negative combination of independent generators, or some half-space contains all generators and not `b`; both are proofs,
//! and one of them is always returned. A simplex method in doubles guesses the basis of the proof; the proof is computed from it
//! with integers and checked. Where the guess was wrong the exact method of the *fundamental theorem of linear inequalities*
//! (Schrijver, Theorem 7.1) goes on from it: its least-index rule never cycles, so it always ends.

use dashu_int::IBig;

use super::basis::Basis;
use super::cone::Generators;
use super::frame::{Frame, Source, Writer};
use super::integer::{Entry, Fixed, Integer, minor_bits};
use super::{Constraint, Echelon, Rational, Row};

/// Where a point is, with proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Position {
    /// The point is `Σ weight · point + Σ weight · ray`, with positive weights, those of the points adding up to one.
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

impl Position {
    /// Whether the point is in the set.
    pub fn is_inside(&self) -> bool {
        matches!(self, Position::Inside { .. })
    }
}

/// The set `conv(points) + cone(rays)`, made ready for questions.
pub struct Membership {
    /// `None` for the empty set.
    frame: Option<Frame>,
    equations: Vec<Row>,
    cone: Tier,
}

/// Coordinates are machine integers where they fit and their minors are not too wide for fixed-width integers.
enum Tier {
    Machine(Generators<i64>),
    Big(Generators<IBig>),
}

impl Membership {
    /// Prepares the set. Vectors shorter than the longest are read as if zeros followed.
    pub fn new(points: &[Vec<Rational>], rays: &[Vec<Rational>]) -> Self {
        let frame = Frame::new(points, rays, |_, columns| Echelon::new(columns));
        let Some(frame) = frame else {
            return Membership { frame: None, equations: Vec::new(), cone: Tier::Big(Generators::new(1, Vec::new())) };
        };
        let widths = frame.widths();
        // Points asked about may be a little finer or farther away than the generators.
        let cone = match minor_bits(&widths).map(|bits| bits + 4 * widths.len() as u64) {
            Some(..=500) => Tier::Machine(generators(&frame)),
            _ => Tier::Big(generators(&frame)),
        };
        Membership { equations: frame.span.null_space(), frame: Some(frame), cone }
    }

    /// Where `x` is.
    pub fn decide(&self, x: &[Rational]) -> Position {
        let Some(frame) = &self.frame else {
            // 0 ≤ -1 excludes everything.
            let mut row = vec![IBig::ZERO; x.len() + 1];
            row[0] = IBig::ONE;
            return Position::Outside(Constraint::homogeneous(Row::from_integers(row)));
        };
        let homogeneous = frame.row(&x[..x.len().min(frame.columns)], true);
        if let Some(equation) = self.equations.iter().find(|equation| equation.dot_sign(&homogeneous).is_ne()) {
            let above = equation.dot_sign(&homogeneous).is_gt();
            return Position::Outside(Constraint::homogeneous(if above { equation.clone() } else { equation.negated() }));
        }
        let target = frame.locate(x);
        match self.search(frame, &target, None) {
            Found::Inside(weights) => Self::combination(frame, &target, weights),
            Found::Outside(functional) => Position::Outside(Writer::new(frame).constraint(&functional)),
        }
    }

    /// Whether `x` is in the set.
    pub fn contains(&self, x: &[Rational]) -> bool {
        self.decide(x).is_inside()
    }

    fn search(&self, frame: &Frame, target: &Row, among: Option<&[usize]>) -> Found {
        let target: Vec<IBig> = (0..target.len()).map(|j| target.integer(j)).collect();
        let widths: Vec<u64> = frame.widths().iter().zip(&target).map(|(&w, t)| w.max(Integer::bits(t) as u64)).collect();
        // Sums of as many functionals as there are columns must fit, too.
        let room = u64::from(target.len().next_power_of_two().trailing_zeros());
        match (&self.cone, minor_bits(&widths).map(|bits| bits + room)) {
            (Tier::Machine(cone), Some(..=127)) => Search::<Fixed<2>>::run(cone, &target, among),
            (Tier::Machine(cone), Some(..=255)) => Search::<Fixed<4>>::run(cone, &target, among),
            (Tier::Machine(cone), Some(..=511)) => Search::<Fixed<8>>::run(cone, &target, among),
            (Tier::Machine(_), _) => Search::<IBig>::run(&generators(frame), &target, among),
            (Tier::Big(cone), _) => Search::<IBig>::run(cone, &target, among),
        }
    }

    fn combination(frame: &Frame, target: &Row, weights: Vec<(usize, Rational)>) -> Position {
        let (mut points, mut rays) = (Vec::new(), Vec::new());
        for (generator, weight) in weights {
            let weight = weight.checked_div(&target.entry(0)).unwrap_or(Rational::ZERO);
            match frame.generators[generator].1 {
                Source::Point(i) => points.push((i, weight)),
                Source::Ray(i) => rays.push((i, &weight * &frame.stretch[i])),
            }
        }
        points.sort_unstable();
        rays.sort_unstable();
        Position::Inside { points, rays }
    }
}

fn generators<E: Entry>(frame: &Frame) -> Generators<E> {
    let entries = frame.generators.iter().flat_map(|(row, _)| row.iter().filter_map(E::read)).collect();
    Generators::new(frame.active.len(), entries)
}

/// The indices of the points that are vertices of `conv(points)`, ascending; of equal points the first. No facets are computed.
///
/// Clarkson's method: a point is tested only against the vertices found so far. A half-space that separates it from them leads
/// to a new vertex, the farthest beyond it. The number of tests is that of the points plus that of the vertices.
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
            let Found::Outside(functional) = set.search(frame, &target, Some(&known)) else { break };
            // Of the points farthest along a direction the lexicographically least is a vertex.
            let beyond = set.farthest(frame, &functional);
            if std::mem::replace(&mut found[beyond], true) {
                break;
            }
            known.push(beyond);
        }
    }
    let source = |&generator: &usize| match frame.generators[generator].1 {
        Source::Point(i) | Source::Ray(i) => i,
    };
    let mut vertices: Vec<usize> = known.iter().map(source).collect();
    vertices.sort_unstable();
    vertices
}

impl Membership {
    /// The first point that is farthest along `functional`.
    fn farthest(&self, frame: &Frame, functional: &[IBig]) -> usize {
        // Doubles find who may be farthest, integers who is.
        fn candidates<E: Entry>(cone: &Generators<E>, functional: &[IBig]) -> Vec<usize> {
            let mut plane = vec![0.0; functional.len() + 2];
            cone.shadow(functional, &mut plane);
            let value = |i: usize| plane.iter().zip(cone.double(i)).map(|(a, b)| a * b).sum::<f64>();
            let values: Vec<f64> = (0..cone.len()).map(value).collect();
            let threshold = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - 2.0 * plane[functional.len()];
            // Not `value >= threshold`: what is not a number stays.
            (0..cone.len()).filter(|&i| !(values[i] < threshold)).collect()
        }
        let candidates = match &self.cone {
            Tier::Machine(cone) => candidates(cone, functional),
            Tier::Big(cone) => candidates(cone, functional),
        };
        if let [only] = candidates[..] {
            return only;
        }
        let exact = |i: &usize| frame.generators[*i].0.iter().zip(functional).fold(IBig::ZERO, |sum, (a, b)| sum + a * b);
        candidates.into_iter().max_by(|a, b| exact(a).cmp(&exact(b)).then(b.cmp(a))).unwrap_or(0)
    }
}

/// The largest subspace within the cone of `rays`: it is spanned by the rays whose opposites are in the cone, too.
pub(super) fn lines(rays: &[Row], columns: usize) -> Echelon {
    let mut lines = Echelon::new(columns);
    let mut span = Echelon::new(columns);
    rays.iter().for_each(|ray| {
        span.insert(ray);
    });
    let restricted = |ray: &Row| -> Vec<IBig> { span.pivots().iter().map(|&column| ray.integer(column)).collect() };
    let rest: Vec<&Row> = rays.iter().filter(|ray| !ray.is_zero()).collect();
    let cone = Generators::new(span.rank(), rest.iter().flat_map(|ray| restricted(ray)).collect());
    for ray in rest {
        let opposite = restricted(ray).iter().map(|value| -value).collect::<Vec<IBig>>();
        if !lines.contains(ray) && matches!(Search::<IBig>::run(&cone, &opposite, None), Found::Inside(_)) {
            lines.insert(ray);
        }
    }
    lines
}

/// The proof found for one target.
enum Found {
    /// Positive weights of generators, with the target as their sum.
    Inside(Vec<(usize, Rational)>),
    /// A functional that is at most zero on all generators and positive on the target.
    Outside(Vec<IBig>),
}

/// A member of a basis: a generator, or a unit vector with a sign that stands in for one.
#[derive(Clone, Copy, PartialEq)]
enum Member {
    Generator(usize),
    Unit(usize, bool),
}

/// One question put to one cone.
struct Search<'a, T: Integer> {
    cone: &'a Generators<T::Entry>,
    among: Option<&'a [usize]>,
    target: Vec<T::Entry>,
    dimension: usize,
}

impl<'a, T: Integer> Search<'a, T> {
    fn run(cone: &'a Generators<T::Entry>, target: &[IBig], among: Option<&'a [usize]>) -> Found {
        let target: Vec<T::Entry> = target.iter().filter_map(T::Entry::read).collect();
        let search: Self = Search { dimension: target.len(), cone, among, target };
        let guess = search.guess();
        search.prove(guess)
    }

    fn generators(&self) -> impl Iterator<Item = usize> + '_ {
        let count = self.among.map_or(self.cone.len(), <[usize]>::len);
        (0..count).map(|at| self.among.map_or(at, |among| among[at]))
    }

    /// A basis that proves the answer if doubles are to be trusted: phase one of the simplex method.
    fn guess(&self) -> Vec<Member> {
        let size = self.dimension;
        let scaled = self.cone.scale(&self.target);
        let length = scaled.iter().fold(0.0f64, |most, value| most.max(value.abs())).max(f64::MIN_POSITIVE);
        let target: Vec<f64> = scaled.iter().map(|value| value / length).collect();
        let mut members: Vec<Member> = (0..size).map(|j| Member::Unit(j, target[j] < 0.0)).collect();
        let mut inverse = vec![0.0; size * size];
        (0..size).for_each(|j| inverse[j * size + j] = if target[j] < 0.0 { -1.0 } else { 1.0 });
        let mut weights: Vec<f64> = target.iter().map(|value| value.abs()).collect();
        const SMALL: f64 = 1e-10;
        for _ in 0..50 + 20 * size {
            let mut prices = vec![0.0; size];
            let mut missing = 0.0;
            for i in (0..size).filter(|&i| matches!(members[i], Member::Unit(..))) {
                prices.iter_mut().zip(&inverse[i * size..]).for_each(|(price, value)| *price += value);
                missing += weights[i];
            }
            if missing < SMALL {
                break;
            }
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let gain = |generator: usize| dot(&prices, self.cone.double(generator));
            let best = self.generators().map(|generator| (gain(generator), generator));
            let best = best.fold((SMALL, usize::MAX), |best, next| if next.0 > best.0 { next } else { best });
            if best.1 == usize::MAX {
                break;
            }
            let column: Vec<f64> = (0..size).map(|i| dot(&inverse[i * size..(i + 1) * size], self.cone.double(best.1))).collect();
            let ratio = |i: usize| weights[i].max(0.0) / column[i];
            let better = |a: &usize, b: &usize| ratio(*a).total_cmp(&ratio(*b)).then(column[*b].total_cmp(&column[*a]));
            let Some(out) = (0..size).filter(|&i| column[i] > SMALL).min_by(better) else { break };
            let step = ratio(out);
            let leaving: Vec<f64> = inverse[out * size..(out + 1) * size].iter().map(|value| value / column[out]).collect();
            for i in (0..size).filter(|&i| i != out && column[i] != 0.0) {
                inverse[i * size..(i + 1) * size].iter_mut().zip(&leaving).for_each(|(value, left)| *value -= column[i] * left);
                weights[i] -= column[i] * step;
            }
            inverse[out * size..(out + 1) * size].copy_from_slice(&leaving);
            weights[out] = step;
            members[out] = Member::Generator(best.1);
        }
        members
    }

    fn basis(&self, members: &[Member]) -> Option<Basis<T>> {
        let unit = |j: usize, negative: bool| -> Vec<T::Entry> {
            let sign = if negative { -IBig::ONE } else { IBig::ONE };
            (0..self.dimension).filter_map(|i| T::Entry::read(&if i == j { sign.clone() } else { IBig::ZERO })).collect()
        };
        let rows: Vec<Vec<T::Entry>> = members
            .iter()
            .map(|member| match *member {
                Member::Generator(generator) => self.cone.row(generator).to_vec(),
                Member::Unit(j, negative) => unit(j, negative),
            })
            .collect();
        Basis::new(rows.iter().map(Vec::as_slice))
    }

    /// The proof that starts from a guessed basis.
    fn prove(&self, mut members: Vec<Member>) -> Found {
        let mut basis = match self.basis(&members) {
            Some(basis) => basis,
            None => {
                members = (0..self.dimension).map(|j| Member::Unit(j, false)).collect();
                match self.basis(&members) {
                    Some(basis) => basis,
                    // No columns: the target is the empty sum.
                    None => return Found::Inside(Vec::new()),
                }
            }
        };
        if let Some(functional) = self.prices(&members, &basis) {
            return Found::Outside(functional);
        }
        if let Some(functional) = self.expel_units(&mut members, &mut basis) {
            return Found::Outside(functional);
        }
        loop {
            let orientation = basis.determinant().signum();
            let negative = |&i: &usize| T::dot(basis.functional(i), &self.target).signum() * orientation < 0;
            let name = |i: &usize| match members[*i] {
                Member::Generator(generator) => generator,
                Member::Unit(..) => usize::MAX,
            };
            let Some(out) = (0..self.dimension).filter(negative).min_by_key(name) else { break };
            // Negative on the target, and it should be nowhere negative on the generators: turned around, a proof.
            let functional = turned(basis.functional(out), -orientation);
            match self.first_above(&functional) {
                Some(entering) => {
                    basis.exchange(out, self.cone.row(entering));
                    members[out] = Member::Generator(entering);
                }
                None => return Found::Outside(functional.iter().map(T::to_big).collect()),
            }
        }
        let determinant = basis.determinant().to_big();
        let weight = |(i, member): (usize, &Member)| {
            let value = T::dot(basis.functional(i), &self.target);
            match member {
                Member::Generator(generator) if value.signum() != 0 => {
                    Rational::from_integers(value.to_big(), determinant.clone()).map(|weight| (*generator, weight))
                }
                _ => None,
            }
        };
        Found::Inside(members.iter().enumerate().filter_map(weight).collect())
    }

    /// The dual solution of phase one, when it is a proof that the target is outside.
    fn prices(&self, members: &[Member], basis: &Basis<T>) -> Option<Vec<IBig>> {
        let orientation = basis.determinant().signum();
        let mut sum = vec![T::zero(); self.dimension];
        for i in (0..members.len()).filter(|&i| matches!(members[i], Member::Unit(..))) {
            let functional = turned(basis.functional(i), orientation);
            sum.iter_mut().zip(&functional).for_each(|(total, value)| *total = total.add(value));
        }
        let proves = T::dot(&sum, &self.target).signum() > 0 && self.first_above(&sum).is_none();
        proves.then(|| sum.iter().map(T::to_big).collect())
    }

    /// Replaces units by generators where that is possible. A functional that vanishes on all generators and not on the target is
    /// a proof by itself; one that vanishes on the target, too, does no harm.
    fn expel_units(&self, members: &mut [Member], basis: &mut Basis<T>) -> Option<Vec<IBig>> {
        for i in 0..members.len() {
            if !matches!(members[i], Member::Unit(..)) {
                continue;
            }
            let up = basis.functional(i).to_vec();
            let down = turned(&up, -1);
            match self.first_above(&up).or_else(|| self.first_above(&down)) {
                Some(generator) => {
                    basis.exchange(i, self.cone.row(generator));
                    members[i] = Member::Generator(generator);
                }
                None => match T::dot(&up, &self.target).signum() {
                    1 => return Some(up.iter().map(T::to_big).collect()),
                    -1 => return Some(down.iter().map(T::to_big).collect()),
                    _ => {}
                },
            }
        }
        None
    }

    /// The first generator on which the functional is positive.
    fn first_above(&self, functional: &[T]) -> Option<usize> {
        let mut plane = vec![0.0; self.dimension + 2];
        self.cone.shadow(functional, &mut plane);
        self.generators().filter(|&generator| self.cone.height(&plane, functional, generator).is_some()).min()
    }
}

fn turned<T: Integer>(functional: &[T], sign: i32) -> Vec<T> {
    functional.iter().map(|value| if sign < 0 { value.neg() } else { value.clone() }).collect()
}
