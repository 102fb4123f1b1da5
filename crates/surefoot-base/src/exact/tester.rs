//! Is a point in a polyhedron? One way to decide it: doubles, then integers, then vertices.
//!
//! A condition asks for the sign of `s = Σ rⱼ xⱼ` over the columns and the constant (for which
//! `x = 1`), the *slack* of a facet.
//!
//! **Doubles.** Let `u = 2⁻⁵³`. With `γ(k) = ku / (1 - ku)`, a coefficient's double is
//! `r̂ = r (1 + α)` with `|α| ≤ γ(3)`: it is an integer, and [`Rational::to_f64`] rounds at most
//! three times. A coordinate's double is `x̂ = x (1 + β)` with `|β| ≤ γ(e)`, where `e` is how many
//! roundings led to it, which [`Point`] says; where that does not hold (what is too small for a
//! normal double and not zero) it must be not a number. Products are rounded once, and a term of
//! the sum at most once for each of the `n` additions. With `m = n + e + 4`
//!
//! ```text
//! |ŝ - s| ≤ γ(m) Σ|rⱼ xⱼ| + (n + 1) 2⁻¹⁰⁷⁵
//! ```
//!
//! where the second part is what products below the normal doubles lose; sums lose nothing there.
//! The sum of magnitudes is computed in the same way from terms of one sign, so
//! `Σ|rⱼ xⱼ| ≤ (Σ̂ + (n + 1) 2⁻¹⁰⁷⁵) / (1 - γ(m))`, and for `mu ≤ 1/8` the error is at most
//! `(4/3) m u Σ̂` and some `(n + 1) 2⁻¹⁰⁷⁴`. So the sign of `ŝ` is that of `s` wherever
//! `|ŝ| > m 2u Σ̂ + 2⁻¹⁰²²`: two roundings in the bound itself are far less than what was rounded
//! up. Overflow makes the bound infinite, and what is not a number compares with nothing: both
//! leave the question open.
//!
//! **Whole doubles.** Where a point is scaled to integers below 2⁵³, the coefficients are such, and
//! `Σ̂ < 2⁵³`, nothing was rounded: the first sum or product to reach 2⁵³ would have been rounded
//! to no less. Then `ŝ = s`, also on a facet, where the bound leaves the question open.
//!
//! **Integers** decide what doubles leave open: [`Row::dot_sign`].
//!
//! **Vertices.** Where the facets bound only a part, those that all generators satisfy are
//! necessary, and [`Membership`] decides.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Constraint, Membership, PointPosition, Polyhedron, Rational, Row};

/// Doubles below this that are integers were not rounded.
const WHOLE: f64 = 9_007_199_254_740_992.0;
/// Roundings of a coefficient and of a product.
const ROUNDINGS: usize = 4;

/// A bound on the error of a sum of a constant and this many products of a coefficient and a
/// coordinate, whose magnitudes add up to `size`; `roundings` roundings led to each coordinate. See
/// the head of this module.
#[inline]
pub fn error_bound(products: usize, roundings: usize, size: f64) -> f64 {
    (products + roundings + ROUNDINGS) as f64 * f64::EPSILON * size + f64::MIN_POSITIVE
}

/// What is asked of a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SignTest {
    /// Zero or more.
    NonNegative,
    /// More than zero.
    Positive,
    /// Exactly zero.
    Zero,
}

impl SignTest {
    /// Whether a number passes.
    pub fn passes(self, number: &Rational) -> bool {
        self.of_order(number.signum().cmp(&0))
    }

    /// Whether a number that compares so to zero passes.
    #[inline]
    pub fn of_order(self, order: Ordering) -> bool {
        match self {
            SignTest::NonNegative => order.is_ge(),
            SignTest::Positive => order.is_gt(),
            SignTest::Zero => order.is_eq(),
        }
    }

    /// The answer for a double that is off by at most `error`, unless that leaves it open.
    #[inline]
    pub fn of_double(self, double: f64, error: f64) -> Option<bool> {
        if double > error {
            Some(self != SignTest::Zero)
        } else if double < -error {
            Some(false)
        } else {
            None
        }
    }
}

/// The exact coordinates of a point; asked for only where doubles leave something open.
pub trait Coordinates {
    /// All of them; `None` where one has no value.
    fn exact(&self) -> Option<Vec<Rational>>;
}

impl Coordinates for &[Rational] {
    fn exact(&self) -> Option<Vec<Rational>> {
        Some(self.to_vec())
    }
}

/// The coordinates of a point, rounded to doubles.
pub type Doubles = SmallVec<[f64; 12]>;

/// A point, in the forms in which it is looked at.
pub struct Point<C> {
    /// A positive multiple of the point, as doubles.
    doubles: Doubles,
    /// The factor by which the row was multiplied.
    weight: f64,
    /// How many roundings led to a double.
    roundings: usize,
    /// Whether doubles and weight are integers below [`WHOLE`], not rounded.
    whole: bool,
    coordinates: C,
    row: Option<Row>,
}

/// The number as a double; not a number where a normal double cannot hold it.
#[inline]
fn normal_double(value: &Rational) -> f64 {
    let double = value.to_f64();
    if double.is_normal() || value.is_zero() { double } else { f64::NAN }
}

impl<'v> Point<&'v [Rational]> {
    /// The point with these coordinates.
    pub fn of(values: &'v [Rational]) -> Self {
        if let Some((doubles, weight)) = common(values) {
            return Point {
                doubles,
                weight,
                roundings: 0,
                whole: true,
                coordinates: values,
                row: None,
            };
        }
        // A quotient of machine integers is rounded three times, one of big integers once.
        Point::new(values.iter().map(normal_double).collect(), 3, values)
    }
}

impl<C: Coordinates> Point<C> {
    /// A point by its coordinates as doubles, each the result of at most this many roundings. A
    /// coordinate that has no value, or is not zero and too small for a normal double, must be not
    /// a number.
    pub fn new(doubles: Doubles, roundings: usize, coordinates: C) -> Self {
        Point { doubles, weight: 1.0, roundings, whole: false, coordinates, row: None }
    }

    /// The coordinates as doubles.
    pub fn doubles(&self) -> &Doubles {
        &self.doubles
    }

    /// The coordinates; `None` where one has no value.
    fn key(&self) -> Option<Box<[Rational]>> {
        self.coordinates.exact().map(Into::into)
    }

    /// `(1, x)`; `None` where a coordinate has no value.
    fn row(&mut self) -> Option<&Row> {
        if self.row.is_none() {
            self.row = Some(Row::point(&self.coordinates.exact()?));
        }
        self.row.as_ref()
    }
}

/// The values times a common denominator, and that, where all are integers below [`WHOLE`].
fn common(values: &[Rational]) -> Option<(Doubles, f64)> {
    let mut denominator: i64 = 1;
    for value in values {
        let (_, den) = value.as_small()?;
        if denominator % den != 0 {
            let (mut a, mut b) = (denominator, den);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            denominator = (denominator / a).checked_mul(den)?;
        }
    }
    let mut scaled = Doubles::with_capacity(values.len());
    for value in values {
        let (num, den) = value.as_small()?;
        scaled.push(num.checked_mul(denominator / den)? as f64);
    }
    let weight = denominator as f64;
    (weight < WHOLE && scaled.iter().all(|entry| entry.abs() < WHOLE)).then_some((scaled, weight))
}

/// Linear conditions made ready for many points: those of a polyhedron, or any others.
#[derive(Debug, Default)]
pub struct Tester {
    columns: usize,
    /// The slack of each condition: factors of the columns, then the constant.
    doubles: Vec<f64>,
    /// Whether these are integers below [`WHOLE`], not rounded.
    whole: Vec<bool>,
    tests: Vec<SignTest>,
    /// The slack is `-row · (1, x)`.
    rows: Vec<Row>,
    /// The most bits that the numbers of one condition have together.
    bits: usize,
    /// By column: whether a condition mentions it.
    mentioned: Vec<bool>,
    /// Where the conditions are only necessary: what decides.
    generators: Option<Box<Membership>>,
}

impl Tester {
    /// A tester of points in a polyhedron: its equations first, then its facets. Where these bound
    /// only a part, those of them that hold everywhere in it.
    pub fn new(set: &Polyhedron) -> Self {
        let mut tester = Tester::over(set.columns());
        set.equations()
            .iter()
            .for_each(|equation| tester.push(equation.row().clone(), SignTest::Zero));
        if set.is_complete() {
            set.inequalities().for_each(|inequality| {
                tester.push(inequality.row().clone(), SignTest::NonNegative)
            });
        } else if let Some(generators) = set.generators() {
            let (points, rays) = generators.vectors();
            let rows: Vec<Row> = points
                .iter()
                .map(|point| Row::point(point))
                .chain(rays.iter().map(|ray| Row::ray(ray)))
                .collect();
            for inequality in set.inequalities() {
                if rows.iter().all(|row| inequality.compare_row(row).is_le()) {
                    tester.push(inequality.row().clone(), SignTest::NonNegative);
                }
            }
            tester.generators = Some(Box::new(Membership::new(&points, &rays)));
        }
        tester
    }

    /// A tester without conditions.
    pub fn over(columns: usize) -> Self {
        Tester { columns, mentioned: vec![false; columns], ..Self::default() }
    }

    /// Adds the condition that `-row · (1, x)` passes the test.
    pub fn push(&mut self, row: Row, test: SignTest) {
        self.mentioned
            .iter_mut()
            .enumerate()
            .for_each(|(column, mentioned)| *mentioned |= row.signum(column + 1) != 0);
        let start = self.doubles.len();
        self.bits = self.bits.max((0..row.len()).map(|column| row.entry(column).bits() + 1).sum());
        self.doubles
            .extend((1..=self.columns).chain([0]).map(|column| -row.entry(column).to_f64()));
        let whole = self.doubles[start..].iter().all(|entry| entry.abs() < WHOLE);
        self.whole.push(whole);
        self.tests.push(test);
        self.rows.push(row);
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many conditions there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What is asked of the slack of a condition.
    pub fn test(&self, condition: usize) -> SignTest {
        self.tests[condition]
    }

    /// A condition as a constraint; of an equation, one that holds with equality.
    pub fn constraint(&self, condition: usize) -> Constraint {
        Constraint::homogeneous(self.rows[condition].clone())
    }

    /// Whether a column matters: some condition mentions it, or generators decide.
    pub fn reads(&self, column: usize) -> bool {
        self.generators.is_some() || self.mentioned[column]
    }

    /// The most bits that the numbers of one condition have together, with one for each.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The slack of a condition as doubles: the factors of the columns, then the constant.
    #[inline]
    pub fn slack(&self, condition: usize) -> &[f64] {
        &self.doubles[condition * (self.columns + 1)..][..self.columns + 1]
    }

    /// Whether the slack of a condition has whole factors that were not rounded.
    pub fn is_whole(&self, condition: usize) -> bool {
        self.whole[condition]
    }

    /// Whether a point satisfies a condition; not where a coordinate has no value.
    #[inline]
    pub fn holds<C: Coordinates>(&self, condition: usize, point: &mut Point<C>) -> bool {
        let row = self.slack(condition);
        let mut sum = row[self.columns] * point.weight;
        let mut size = sum.abs();
        for (factor, value) in row.iter().zip(&point.doubles) {
            let term = factor * value;
            sum += term;
            size += term.abs();
        }
        let test = self.tests[condition];
        if point.whole && size < WHOLE && self.whole[condition] {
            return test.of_order(if sum > 0.0 {
                Ordering::Greater
            } else if sum < 0.0 {
                Ordering::Less
            } else {
                Ordering::Equal
            });
        }
        match test.of_double(sum, error_bound(self.columns, point.roundings, size)) {
            Some(answer) => answer,
            None => self.close_call(condition, point),
        }
    }

    #[cold]
    fn close_call<C: Coordinates>(&self, condition: usize, point: &mut Point<C>) -> bool {
        let Some(row) = point.row() else { return false };
        self.tests[condition].of_order(self.rows[condition].dot_sign(row).reverse())
    }

    /// Whether a point satisfies all conditions and, where these are only necessary, lies between
    /// the vertices.
    pub fn contains<C: Coordinates>(
        &self,
        point: &mut Point<C>,
        memory: &mut TesterMemory,
    ) -> bool {
        for place in 0..memory.hot.len() {
            let condition = memory.hot[place] as usize;
            if condition < self.len() && !self.holds(condition, point) {
                memory.hot[..=place].rotate_right(1);
                return false;
            }
        }
        let remembers = memory.habit == Habit::Points && self.len() > MEMORABLE;
        let mut key = if remembers { point.key() } else { None };
        if let Some(&known) = key.as_ref().and_then(|key| memory.decided.get(key)) {
            return known;
        }
        let mut inside = true;
        self.suspects(point, memory, |condition, point, memory| {
            inside = self.holds(condition, point);
            if !inside {
                memory.hot.truncate(memory.habit.hot() - 1);
                memory.hot.insert(0, condition as u32);
            }
            inside
        });
        if let Some(generators) = self.generators.as_ref().filter(|_| inside) {
            key = key.or_else(|| point.key());
            let Some(key) = &key else { return false };
            inside = memory.decided.get(key).copied().unwrap_or_else(|| generators.contains(key));
        }
        if let Some(key) = key {
            if memory.decided.len() >= POINTS {
                memory.decided.clear();
            }
            memory.decided.insert(key, inside);
        }
        inside
    }

    /// The conditions that a point does not satisfy.
    pub fn failing(&self, x: &[Rational]) -> Vec<usize> {
        let mut point = Point::of(x);
        (0..self.len()).filter(|&condition| !self.holds(condition, &mut point)).collect()
    }

    /// Where a point is in relation to the generators, with proof, where these decide.
    pub fn position(&self, x: &[Rational]) -> Option<PointPosition> {
        self.generators.as_ref().map(|generators| generators.decide(x))
    }

    /// Calls `visit` with every condition that the point may fail, until it returns false.
    pub fn suspects<C: Coordinates>(
        &self,
        point: &mut Point<C>,
        memory: &mut TesterMemory,
        mut visit: impl FnMut(usize, &mut Point<C>, &mut TesterMemory) -> bool,
    ) {
        let count = self.len();
        if memory.habit == Habit::Near
            && (FACETS_WORTH..=FACETS_AT_MOST).contains(&count)
            && point.weight == 1.0
        {
            let mut near = memory.near.take();
            if near.as_ref().is_none_or(|near| near.candidates(&point.doubles).is_none()) {
                near = Neighbourhood::new(self, point).map(Box::new);
            }
            let facets = near.as_ref().and_then(|near| near.candidates(&point.doubles));
            let looked = facets.map(|facets| {
                facets.iter().all(|&(_, facet)| visit(facet as usize, point, memory))
            });
            memory.near = near;
            if looked.is_some() {
                return;
            }
        }
        (0..count).all(|condition| visit(condition, point, memory));
    }
}

/// From how many conditions on points are remembered, and how many points.
const MEMORABLE: usize = 256;
const POINTS: usize = 1 << 16;
/// From how many facets on distances to them are remembered, and up to how many facets in all.
const FACETS_WORTH: usize = 48;
const FACETS_AT_MOST: usize = 20_000;

/// How questions follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Habit {
    /// In no known way.
    #[default]
    Any,
    /// The next point is often one that was asked about before.
    Points,
    /// The next point is often near the last one.
    Near,
}

impl Habit {
    /// How many conditions that failed lately are tried first.
    fn hot(self) -> usize {
        if self == Habit::Points { 6 } else { 1 }
    }
}

/// What is remembered of a tester between questions: only ever a short cut, never another answer.
/// One memory serves one tester.
#[derive(Debug, Default)]
pub struct TesterMemory {
    habit: Habit,
    /// Conditions that failed lately: what failed last is what fails first.
    hot: SmallVec<[u32; 6]>,
    near: Option<Box<Neighbourhood>>,
    decided: FxHashMap<Box<[Rational]>, bool>,
}

impl TesterMemory {
    /// For points that come again: walks come back to the same numbers.
    pub fn of_points() -> Self {
        TesterMemory { habit: Habit::Points, ..Self::default() }
    }

    /// For points that are often near the one before: successors in a search.
    pub fn of_places() -> Self {
        TesterMemory { habit: Habit::Near, ..Self::default() }
    }

    /// How many bytes are held beyond the memory itself.
    pub fn bytes(&self) -> usize {
        let near =
            self.near.as_ref().map_or(0, |near| near.order.capacity() * size_of::<(f64, u32)>());
        let columns = self.decided.keys().next().map_or(0, |point| point.len());
        near + self.decided.len() * (columns * size_of::<Rational>() + 32)
    }
}

/// How far every facet was from one point, so that near it only the nearest facets have to be
/// looked at.
#[derive(Debug)]
struct Neighbourhood {
    center: Doubles,
    /// One over the scale of each column.
    scales: Doubles,
    /// Facets and a lower bound of how many scales away they are, the nearest first.
    order: Vec<(f64, u32)>,
}

impl Neighbourhood {
    /// Around the doubles of a point, taken for a point themselves. What another point's own
    /// doubles may be off by near this one is subtracted, too: that is what doubling the bound on
    /// the error is for, and the factors beside one below.
    fn new<C>(tester: &Tester, point: &Point<C>) -> Option<Self> {
        let center = &point.doubles;
        if !center.iter().all(|value| value.is_finite()) {
            return None;
        }
        let mut order: Vec<(f64, u32)> = Vec::with_capacity(tester.len());
        for facet in 0..tester.len() {
            let row = tester.slack(facet);
            let constant = row[tester.columns];
            let (mut sum, mut size, mut reach) = (constant, constant.abs(), f64::MIN_POSITIVE);
            for (factor, value) in row.iter().zip(center) {
                sum += factor * value;
                size += (factor * value).abs();
                reach += factor.abs() * (1.0 + value.abs());
            }
            let slack = if tester.tests[facet] == SignTest::Zero { 0.0 } else { sum };
            let sure = slack - 2.0 * error_bound(tester.columns, point.roundings, size);
            let bound = sure / reach * (1.0 - 1e-9);
            // What doubles cannot bound is always looked at.
            order.push((if bound.is_finite() { bound } else { f64::NEG_INFINITY }, facet as u32));
        }
        order.sort_by(|one, other| one.0.total_cmp(&other.0));
        Some(Neighbourhood {
            center: center.clone(),
            scales: center.iter().map(|value| 1.0 / (1.0 + value.abs())).collect(),
            order,
        })
    }

    /// The facets that this point may violate; `None` when they are too many to be worth it.
    fn candidates(&self, point: &Doubles) -> Option<&[(f64, u32)]> {
        let moved = self
            .center
            .iter()
            .zip(point)
            .zip(&self.scales)
            .map(|((old, new), scale)| (new - old).abs() * scale);
        let distance = moved
            .fold(0.0, |most, moved| if moved > most || moved.is_nan() { moved } else { most });
        let limit = distance * (1.0 + 1e-9) + 1e-300;
        if limit.is_nan() {
            return None;
        }
        let count = self.order.partition_point(|&(bound, _)| bound <= limit);
        (count <= self.order.len() / 3).then(|| &self.order[..count])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::exact::{Budget, hull};
    use crate::random::Random;
    use proptest::prelude::*;

    fn ratio(num: i64, den: i64) -> Rational {
        Rational::new(num, den).unwrap()
    }

    fn dot(factors: &[Rational], point: &[Rational]) -> Rational {
        factors
            .iter()
            .zip(point)
            .fold(Rational::ZERO, |sum, (factor, value)| &sum + &(factor * value))
    }

    /// Conditions `factors · x + constant` that pass a test, and the tester of them.
    struct Site {
        facets: Vec<(Vec<Rational>, Rational, SignTest)>,
        tester: Tester,
        memory: TesterMemory,
        looks: usize,
        cut: usize,
    }

    impl Site {
        fn new(mut facets: Vec<(Vec<Rational>, Rational, SignTest)>) -> Self {
            facets.sort_by_key(|facet| facet.2 != SignTest::Zero);
            let mut tester = Tester::over(facets[0].0.len());
            for (factors, constant, test) in &facets {
                let row: Vec<Rational> =
                    [constant].into_iter().chain(factors).map(|entry| -entry).collect();
                tester.push(Row::direction(&row), *test);
            }
            Site { facets, tester, memory: TesterMemory::of_places(), looks: 0, cut: 0 }
        }

        fn columns(&self) -> usize {
            self.tester.columns()
        }

        /// What plain exact arithmetic says.
        fn contains(&self, point: &[Rational]) -> bool {
            let passes = |(factors, constant, test): &(Vec<Rational>, Rational, SignTest)| {
                test.passes(&(&dot(factors, point) + constant))
            };
            self.facets.iter().all(passes)
        }

        /// Asks about a point by its doubles, and compares with plain exact arithmetic.
        fn ask(&mut self, point: &[Rational]) -> bool {
            let doubles: Doubles = point.iter().map(Rational::to_f64).collect();
            let facets = self
                .memory
                .near
                .as_ref()
                .and_then(|near| near.candidates(&doubles))
                .map_or(usize::MAX, <[_]>::len);
            self.looks += 1;
            self.cut += usize::from(facets < self.facets.len());
            let said = self.tester.contains(&mut Point::new(doubles, 3, point), &mut self.memory);
            assert_eq!(said, self.contains(point), "{point:?}");
            assert_eq!(
                said,
                self.tester.contains(&mut Point::of(point), &mut TesterMemory::default()),
                "{point:?}"
            );
            said
        }
    }

    /// Very many conditions around the origin, over columns of very different sizes; some strict.
    fn many(
        random: &mut Random,
        columns: usize,
        count: usize,
    ) -> Vec<(Vec<Rational>, Rational, SignTest)> {
        let sizes: Vec<Rational> = (0..columns)
            .map(|column| ratio([1, 1000, 1][column % 3], [1, 1, 50][column % 3]))
            .collect();
        let facet = |random: &mut Random| {
            let normal: Vec<i64> = (0..columns).map(|_| random.below(2001) as i64 - 1000).collect();
            let length: i64 = normal.iter().map(|entry| entry.abs()).sum::<i64>() + 1;
            let factors = normal
                .iter()
                .zip(&sizes)
                .map(|(&entry, size)| ratio(entry, 1).checked_div(size).unwrap())
                .collect();
            let test =
                if random.below(4) == 0 { SignTest::Positive } else { SignTest::NonNegative };
            (factors, ratio(length * (5 + random.below(3) as i64), 1), test)
        };
        (0..count).map(|_| facet(random)).collect()
    }

    /// A point inside, near the boundary: on the way from one inside outward, the last hundredth
    /// before the first facet.
    fn near_boundary(site: &Site, random: &mut Random) -> Vec<Rational> {
        let direction: Vec<Rational> = (0..site.columns())
            .map(|column| {
                ratio(
                    (random.below(201) as i64 - 100) * [1, 1000, 1][column % 3],
                    [100, 100, 5000][column % 3],
                )
            })
            .collect();
        let reach = |(factors, constant, _): &(Vec<Rational>, Rational, SignTest)| {
            let along = dot(factors, &direction);
            if along.signum() < 0 { constant.checked_div(&-&along) } else { None }
        };
        let first = site.facets.iter().filter_map(reach).min().unwrap_or(Rational::ONE);
        let most = &first * &ratio(99, 100);
        direction.iter().map(|entry| entry * &most).collect()
    }

    /// From a point that is remembered, the way to a facet on which the remembered distance is used
    /// up soonest; a hair before it, on it and a hair beyond. Then far away, and back. A cut-off
    /// that is too near by a millionth forgets a facet here.
    #[test]
    fn more_than_a_thousand_facets_agree_with_plain_exact_arithmetic_near_and_far() {
        for (seed, columns, count) in [(1, 2, 1000), (3, 4, 1200), (4, 3, 2000)] {
            let mut random = Random::new(seed);
            let mut site = Site::new(many(&mut random, columns, count));
            let (mut inside, mut outside) = (0, 0);
            for round in 0..24 {
                let center = near_boundary(&site, &mut random);
                let scales: Vec<Rational> =
                    center.iter().map(|value| &Rational::ONE + &value.abs()).collect();
                // The nearest facets, by how many scales away they are.
                let mut nearest: Vec<(Rational, usize)> = (site.facets.iter().enumerate())
                    .filter_map(|(index, (factors, constant, _))| {
                        let slack = &dot(factors, &center) + constant;
                        let size =
                            dot(&factors.iter().map(Rational::abs).collect::<Vec<_>>(), &scales);
                        Some((slack.checked_div(&size)?, index))
                    })
                    .collect();
                nearest.sort();
                for (distance, facet) in
                    nearest.iter().take(1).chain(nearest.iter().step_by(1 + count / 20).take(3))
                {
                    for factor in
                        [ratio(999_999, 1_000_000), Rational::ONE, ratio(1_000_001, 1_000_000)]
                    {
                        if round % 2 == 0 {
                            site.memory = TesterMemory::of_places();
                        }
                        site.ask(&center);
                        let move_by = distance * &factor;
                        let step = |(place, value): (usize, &Rational)| {
                            let sign = site.facets[*facet].0[place].signum();
                            value - &(&(&move_by * &scales[place]) * &ratio(i64::from(sign), 1))
                        };
                        let point: Vec<Rational> = center.iter().enumerate().map(step).collect();
                        // What failed last is tried first, which would hide a facet that was
                        // forgotten.
                        site.memory.hot.clear();
                        if site.ask(&point) { inside += 1 } else { outside += 1 }
                    }
                }
                let far: Vec<Rational> =
                    center.iter().map(|value| value * &ratio(1000 - 90 * round, 7)).collect();
                site.ask(&far);
                site.ask(&vec![Rational::ZERO; columns]);
            }
            assert!(inside > 25 && outside > 25, "{inside} inside, {outside} outside");
            assert!(site.cut * 3 > site.looks, "cut off in {} of {} looks", site.cut, site.looks);
        }
    }

    /// A walk of small and large steps, with an equation among the conditions.
    #[test]
    fn walks_among_more_than_a_thousand_facets_agree_with_plain_exact_arithmetic() {
        let mut random = Random::new(7);
        let mut facets = many(&mut random, 3, 1200);
        // The fourth column is the sum of the first and the third.
        for (factors, ..) in &mut facets {
            factors.push(Rational::ZERO);
        }
        facets.push((
            vec![ratio(1, 1), Rational::ZERO, ratio(1, 1), ratio(-1, 1)],
            Rational::ZERO,
            SignTest::Zero,
        ));
        let mut site = Site::new(facets);
        let (mut inside, mut outside) = (0, 0);
        let mut here = vec![Rational::ZERO; 3];
        for step in 0..2000 {
            let span = [1_000_000, 10_000, 100, 4][random.below(4)];
            let moved: Vec<Rational> = here
                .iter()
                .enumerate()
                .map(|(column, value)| {
                    let by = ratio(
                        (random.below(2001) as i64 - 1000) * [1, 1000, 1][column],
                        span * [1, 1, 50][column],
                    );
                    value + &by
                })
                .collect();
            let mut point = moved.clone();
            point.push(&moved[0] + &moved[2]);
            if step % 50 == 49 {
                point[3] = &point[3] + &ratio(1, 1 << 40);
            }
            if step % 50 == 48 {
                // Off the flat, on the side that an inequality would allow, and remembered as a
                // place of its own.
                site.memory = TesterMemory::of_places();
                point[3] = &point[3] - &Rational::ONE;
            }
            if site.ask(&point) {
                inside += 1;
                here = moved;
            } else {
                outside += 1;
            }
        }
        assert!(inside > 300 && outside > 50, "{inside} inside, {outside} outside");
        assert!(site.cut > 300, "cut off in {} of {} looks", site.cut, site.looks);
    }

    /// Numbers of all sizes: small integers, fractions, powers of two far outside what a double
    /// holds.
    fn number() -> impl Strategy<Value = Rational> {
        let scaled = |(num, den, shift): (i64, i64, i32)| {
            let power = dashu_int::IBig::ONE << shift.unsigned_abs() as usize;
            let factor = if shift < 0 {
                Rational::from_integers(dashu_int::IBig::ONE, power)
            } else {
                Rational::from_integers(power, dashu_int::IBig::ONE)
            };
            &ratio(num, den) * &factor.unwrap()
        };
        prop_oneof![
            4 => (-20i64..20).prop_map(Rational::integer),
            4 => (-1000i64..1000, 1i64..100).prop_map(|(num, den)| ratio(num, den)),
            2 => (-(1i64 << 60)..(1 << 60)).prop_map(Rational::integer),
            1 => (-50i64..50, 1i64..9, -1200i32..1200).prop_map(scaled),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        /// On a facet, and off it by anything: the sign of the slack is the exact one, whatever the
        /// doubles are.
        #[test]
        fn a_point_near_a_facet_is_on_the_side_that_exact_arithmetic_says(
            factors in prop::collection::vec(number(), 1..5),
            others in prop::collection::vec(number(), 4),
            off in prop_oneof![
                2 => Just(Rational::ZERO),
                3 => number(),
                1 => (1u32..300).prop_map(|bits| {
                    let bits = dashu_int::IBig::ONE << bits as usize;
                    Rational::from_integers(1.into(), bits).unwrap()
                })
            ],
            towards in any::<bool>(),
            test in prop_oneof![
                Just(SignTest::NonNegative),
                Just(SignTest::Positive),
                Just(SignTest::Zero)
            ],
        ) {
            // A point of which the slack is what the point is off by.
            let point = others[..factors.len()].to_vec();
            let off = if towards { off } else { -&off };
            let constant = &off - &dot(&factors, &point);
            let row: Vec<Rational> =
                [&constant].into_iter().chain(&factors).map(|entry| -entry).collect();
            let mut tester = Tester::over(factors.len());
            tester.push(Row::direction(&row), test);
            let expected = test.passes(&off);
            prop_assert_eq!(tester.holds(0, &mut Point::of(&point)), expected);
            let double = |value: &Rational| {
                let double = value.to_f64();
                if double.is_normal() || value.is_zero() { double } else { f64::NAN }
            };
            let rounded = Point::new(point.iter().map(double).collect(), 3, &point[..]);
            prop_assert_eq!(
                tester.contains(&mut { rounded }, &mut TesterMemory::of_places()),
                expected
            );
        }

        /// Facets and generators of one set give one answer; so does a part of the facets together
        /// with the generators.
        #[test]
        fn facets_and_generators_contain_the_same_points(
            points in prop::collection::vec(prop::collection::vec(-6i64..7, 3), 1..9),
            rays in prop::collection::vec(prop::collection::vec(-1i64..2, 3), 0..3),
            probes in prop::collection::vec((prop::collection::vec(-8i64..9, 3), 1i64..4), 12),
            kept in any::<u64>(),
        ) {
            let vectors = |rows: &[Vec<i64>]| -> Vec<Vec<Rational>> {
                rows.iter()
                    .map(|row| row.iter().map(|&value| Rational::integer(value)).collect())
                    .collect()
            };
            let (points, rays) = (vectors(&points), vectors(&rays));
            let whole = hull(&points, &rays, Budget::default()).unwrap();
            // Some of its facets, and one moved inward: it cuts off a part, so that it must not
            // decide.
            let mut some: Vec<Constraint> = whole
                .inequalities()
                .enumerate()
                .filter(|(at, _)| kept >> (at % 64) & 1 == 1)
                .map(|(_, each)| each.clone())
                .collect();
            if let Some(first) = whole.inequalities().next() {
                let entry = |column: usize| {
                    if column == 0 {
                        &first.row().entry(0) + &Rational::ONE
                    } else {
                        first.row().entry(column)
                    }
                };
                let row: Vec<Rational> = (0..first.row().len()).map(entry).collect();
                some.push(Constraint::homogeneous(Row::direction(&row)));
            }
            let (vertices, directions) = whole.generators().unwrap().vectors();
            let spanned =
                Polyhedron::spanned(3, whole.equations().to_vec(), some, vertices, directions);
            let mut memory = TesterMemory::of_places();
            for (probe, scale) in &probes {
                let x: Vec<Rational> = probe.iter().map(|&value| ratio(value, *scale)).collect();
                let expected = whole.satisfied_by(&Row::point(&x));
                prop_assert_eq!(whole.contains(&x), expected);
                prop_assert_eq!(whole.substituted().contains(&x), expected);
                for _ in 0..2 {
                    prop_assert_eq!(
                        spanned.tester().contains(&mut Point::of(&x), &mut memory),
                        expected
                    );
                }
            }
        }
    }
}
