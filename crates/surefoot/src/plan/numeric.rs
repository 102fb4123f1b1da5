//! Numeric conditions of a ground task: single comparisons, and hulls, whose many facets are one condition.
//!
//! A comparison is decided by floats wherever a bound on their error allows it, and exactly where not; so the answer is
//! always the exact one.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::expression::{Expression, Monomial};
use super::number::{Numbers, float};
use crate::exact::{Polyhedron, Rational};

/// What is asked of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Test {
    /// At least zero.
    NonNegative,
    /// Above zero.
    Positive,
    /// Zero.
    Zero,
}

impl Test {
    fn of_sign(self, sign: i32) -> bool {
        match self {
            Test::NonNegative => sign >= 0,
            Test::Positive => sign > 0,
            Test::Zero => sign == 0,
        }
    }

    /// Whether a number passes.
    pub fn passes(self, number: &Rational) -> bool {
        self.of_sign(number.signum())
    }

    /// The answer for a float that is off by at most `error`, unless that leaves it open.
    #[inline]
    fn of_float(self, float: f64, error: f64) -> Option<bool> {
        if float > error {
            Some(self != Test::Zero)
        } else if float < -error {
            Some(false)
        } else {
            None
        }
    }
}

/// A column of a hull in one ground action: a number times a product of variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Slot {
    /// The static part.
    pub scale: Rational,
    /// The variables.
    pub factors: Monomial,
}

/// The linear conditions of one lifted action over its columns: shared by all its groundings.
#[derive(Clone, Debug, Default)]
pub struct Hull {
    /// How many columns there are.
    pub columns: usize,
    /// Each facet: factors of the columns, the constant, and the test; equations first.
    pub facets: Vec<(Vec<Rational>, Rational, Test)>,
    /// The same as floats: `columns + 1` a facet.
    floats: Vec<f64>,
    /// The vertices that the point of the first columns must lie between; facets are then only a quick way to see that it does not.
    pub vertices: Option<Arc<Polyhedron>>,
}

impl Hull {
    /// A hull of these facets.
    pub fn new(columns: usize, mut facets: Vec<(Vec<Rational>, Rational, Test)>, vertices: Option<Arc<Polyhedron>>) -> Self {
        // An equation is the test most likely to fail.
        facets.sort_by_key(|facet| facet.2 != Test::Zero);
        substitute(&mut facets);
        let floats = facets.iter().flat_map(|(factors, constant, _)| factors.iter().chain([constant]).map(float)).collect();
        Hull { columns, facets, floats, vertices }
    }

    /// Whether a point, given by its columns, lies in it.
    pub fn contains(&self, point: &[Rational]) -> bool {
        let beyond = |(factors, constant, test): &(Vec<Rational>, Rational, Test)| {
            let sum = factors.iter().zip(point).fold(constant.clone(), |sum, (factor, value)| &sum + &(factor * value));
            !test.passes(&sum)
        };
        let between = |vertices: &Arc<Polyhedron>| vertices.contains(&point[..vertices.columns()]);
        !self.facets.iter().any(beyond) && self.vertices.as_ref().is_none_or(between)
    }

    /// A facet as floats: the factors, then the constant.
    #[inline]
    pub fn floats(&self, facet: usize) -> &[f64] {
        &self.floats[facet * (self.columns + 1)..][..self.columns + 1]
    }
}

/// Solves each equation for one of its columns and puts that into all facets after it, which are then about fewer columns.
/// The equations stay, so the conditions together mean the same.
fn substitute(facets: &mut [(Vec<Rational>, Rational, Test)]) {
    for index in 0..facets.len() {
        let (done, rest) = facets.split_at_mut(index + 1);
        let Some((factors, constant, Test::Zero)) = done.last() else { return };
        let Some(pivot) = factors.iter().position(|factor| !factor.is_zero()) else { continue };
        for (row, offset, _) in rest.iter_mut().filter(|(row, ..)| !row[pivot].is_zero()) {
            let Some(share) = row[pivot].checked_div(&factors[pivot]) else { continue };
            row.iter_mut().zip(factors).for_each(|(entry, factor)| *entry = &*entry - &(&share * factor));
            *offset = &*offset - &(&share * constant);
        }
    }
}

/// A numeric condition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Numeric {
    /// The expression passes the test.
    Comparison(Expression, Test),
    /// The point lies in the hull of this number.
    Region(u32, Vec<Slot>),
}

impl Numeric {
    /// Calls `visit` for every variable, once for each time it is mentioned.
    pub fn variables(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Numeric::Comparison(expression, _) => expression.variables(visit),
            Numeric::Region(_, slots) => slots.iter().flat_map(|slot| &slot.factors).for_each(|&variable| visit(variable)),
        }
    }

    /// The same with its variables renumbered.
    pub fn renumbered(&self, number: &dyn Fn(u32) -> u32) -> Self {
        match self {
            Numeric::Comparison(expression, test) => Numeric::Comparison(expression.renumbered(number), *test),
            Numeric::Region(hull, slots) => {
                let slot = |slot: &Slot| {
                    let mut factors: Monomial = slot.factors.iter().map(|&v| number(v)).collect();
                    factors.sort_unstable();
                    Slot { scale: slot.scale.clone(), factors }
                };
                Numeric::Region(*hull, slots.iter().map(slot).collect())
            }
        }
    }
}

/// A numeric condition made ready for many evaluations.
pub enum Prepared {
    /// A linear comparison.
    Linear {
        /// The variables.
        variables: Box<[u32]>,
        /// Their factors, then the constant.
        floats: Box<[f64]>,
        /// The same where all are machine integers, for values that are.
        integers: Option<Box<[i64]>>,
        /// The expression itself.
        expression: Expression,
        /// What is asked of it.
        test: Test,
    },
    /// Any other comparison.
    General(Expression, Test),
    /// A point in a hull.
    Region {
        /// The hull.
        hull: u32,
        /// Where the columns come from.
        slots: Box<[Slot]>,
        /// Their scales as floats.
        scales: Box<[f64]>,
    },
}

/// Bounds the relative error of the operations that lead to one float, for each of them; products too small for floats are
/// covered by the smallest normal float beside it.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl Prepared {
    /// Prepares a condition.
    pub fn new(condition: &Numeric) -> Self {
        match condition {
            Numeric::Comparison(Expression::Polynomial(polynomial), test) if polynomial.is_linear() => {
                let numbers = || polynomial.terms.iter().map(|(_, factor)| factor).chain([&polynomial.constant]);
                Prepared::Linear {
                    variables: polynomial.terms.iter().flat_map(|(monomial, _)| monomial.iter().copied()).collect(),
                    floats: numbers().map(float).collect(),
                    integers: numbers()
                        .map(|number| number.as_small().filter(|&(_, den)| den == 1).map(|(num, _)| num))
                        .collect(),
                    expression: Expression::Polynomial(polynomial.clone()),
                    test: *test,
                }
            }
            Numeric::Comparison(expression, test) => Prepared::General(expression.clone(), *test),
            Numeric::Region(hull, slots) => Prepared::Region {
                hull: *hull,
                scales: slots.iter().map(|slot| float(&slot.scale)).collect(),
                slots: slots.clone().into(),
            },
        }
    }

    /// Whether the condition holds for these values.
    #[inline]
    pub fn holds(&self, hulls: &[Hull], numbers: &Numbers, values: &[u32], memory: &mut Memory) -> bool {
        match self {
            Prepared::Linear { variables, floats, integers, expression, test } => {
                let mut sum = floats[variables.len()];
                let mut size = sum.abs();
                for (&variable, &factor) in variables.iter().zip(floats) {
                    let term = factor * numbers.float(values[variable as usize]);
                    sum += term;
                    size += term.abs();
                }
                let error = size * (variables.len() + 4) as f64 * ROUNDING + f64::MIN_POSITIVE;
                match test.of_float(sum, error) {
                    Some(answer) => answer,
                    None => close_call(variables, integers.as_deref(), expression, *test, numbers, values),
                }
            }
            Prepared::General(expression, test) => expression.exact(numbers, values).is_some_and(|value| test.passes(&value)),
            Prepared::Region { hull, slots, scales } => inside(&hulls[*hull as usize], slots, scales, numbers, values, memory),
        }
    }
}

/// A comparison too close for floats.
#[cold]
fn close_call(
    variables: &[u32],
    integers: Option<&[i64]>,
    expression: &Expression,
    test: Test,
    numbers: &Numbers,
    values: &[u32],
) -> bool {
    let whole = |integers: &[i64]| {
        let mut sum = i128::from(integers[variables.len()]);
        for (&variable, &factor) in variables.iter().zip(integers) {
            let (value, 1) = numbers.exact(values[variable as usize])?.as_small()? else { return None };
            // A product of two has at most 126 bits; checked because sums may have more.
            sum = sum.checked_add(i128::from(factor) * i128::from(value))?;
        }
        Some(sum)
    };
    match integers.and_then(whole) {
        Some(sum) => test.of_sign(sum.signum() as i32),
        None => expression.exact(numbers, values).is_some_and(|value| test.passes(&value)),
    }
}

/// The point of a region's columns, as floats; not a number where a variable is undefined.
pub fn point(slots: &[Slot], scales: &[f64], numbers: &Numbers, values: &[u32]) -> Point {
    let column = |(slot, &scale): (&Slot, &f64)| {
        slot.factors.iter().fold(scale, |product, &variable| {
            let value = numbers.float(values[variable as usize]);
            let next = product * value;
            // A product too small for floats may be large again beside a facet's factor: no float decides it.
            if next.is_normal() || product == 0.0 || value == 0.0 { next } else { f64::NAN }
        })
    };
    slots.iter().zip(scales).map(column).collect()
}

/// What is remembered of a region between evaluations: only ever a short cut, never the answer itself.
#[derive(Default)]
pub struct Memory {
    /// The facet that failed last; it is tried first.
    hint: u32,
    near: Option<Box<Neighbourhood>>,
    /// Points and whether they lie between the vertices: deciding it is a linear program.
    decided: FxHashMap<Box<[Rational]>, bool>,
}

impl Memory {
    /// How many bytes are held beyond the memory itself.
    pub fn bytes(&self) -> usize {
        let near = self.near.as_ref().map_or(0, |near| near.order.capacity() * size_of::<(f64, u32)>());
        let columns = self.decided.keys().next().map_or(0, |point| point.len());
        near + self.decided.len() * (columns * size_of::<Rational>() + 32)
    }
}

/// From how many facets on distances to them are remembered, and up to how many facets in all.
const FACETS_WORTH: usize = 48;
const FACETS_AT_MOST: usize = 20_000;

/// How far every facet was from one point, so that near it only the nearest facets have to be looked at.
struct Neighbourhood {
    center: Point,
    /// One over the scale of each column.
    scales: Point,
    /// Facets and a lower bound of how many scales away they are, the nearest first.
    order: Vec<(f64, u32)>,
}

/// The columns of a region as floats.
pub type Point = SmallVec<[f64; 12]>;

impl Neighbourhood {
    fn new(hull: &Hull, center: &Point) -> Option<Self> {
        let scale = |value: &f64| 1.0 + value.abs();
        if !center.iter().all(|value| value.is_finite()) {
            return None;
        }
        let mut order: Vec<(f64, u32)> = Vec::with_capacity(hull.facets.len());
        for facet in 0..hull.facets.len() {
            let row = hull.floats(facet);
            let (mut sum, mut size, mut reach) = (row[hull.columns], row[hull.columns].abs(), f64::MIN_POSITIVE);
            for (factor, value) in row.iter().zip(center) {
                sum += factor * value;
                size += (factor * value).abs();
                reach += factor.abs() * scale(value);
            }
            let slack = if hull.facets[facet].2 == Test::Zero { 0.0 } else { sum };
            let sure = slack - size * (hull.columns + 8) as f64 * ROUNDING - f64::MIN_POSITIVE;
            let bound = sure / reach * (1.0 - 1e-9);
            // What floats cannot bound is always looked at.
            order.push((if bound.is_finite() { bound } else { f64::NEG_INFINITY }, facet as u32));
        }
        order.sort_by(|one, other| one.0.total_cmp(&other.0));
        Some(Neighbourhood { center: center.clone(), scales: center.iter().map(|value| 1.0 / scale(value)).collect(), order })
    }

    /// The facets that this point may violate; `None` when they are too many to be worth it.
    fn candidates(&self, point: &Point) -> Option<&[(f64, u32)]> {
        let moved = self.center.iter().zip(point).zip(&self.scales).map(|((old, new), scale)| (new - old).abs() * scale);
        let distance = moved.fold(0.0, |most, moved| if moved > most || moved.is_nan() { moved } else { most });
        let limit = distance * (1.0 + 1e-9) + 1e-300;
        if limit.is_nan() {
            return None;
        }
        let count = self.order.partition_point(|&(bound, _)| bound <= limit);
        (count <= self.order.len() / 3).then(|| &self.order[..count])
    }
}

/// Calls `visit` with every facet that the point may violate, until it returns false.
pub fn suspects(hull: &Hull, point: &Point, memory: &mut Memory, mut visit: impl FnMut(usize) -> bool) {
    let count = hull.facets.len();
    if !(FACETS_WORTH..=FACETS_AT_MOST).contains(&count) {
        (0..count).all(visit);
        return;
    }
    if let Some(facets) = memory.near.as_ref().and_then(|near| near.candidates(point)) {
        facets.iter().all(|&(_, facet)| visit(facet as usize));
        return;
    }
    memory.near = Neighbourhood::new(hull, point).map(Box::new);
    let near = memory.near.as_ref().and_then(|near| near.candidates(point));
    match near {
        Some(facets) => facets.iter().all(|&(_, facet)| visit(facet as usize)),
        None => (0..count).all(visit),
    };
}

fn inside(hull: &Hull, slots: &[Slot], scales: &[f64], numbers: &Numbers, values: &[u32], memory: &mut Memory) -> bool {
    let floats = point(slots, scales, numbers, values);
    let mut exact: Option<Vec<Rational>> = None;
    let mut passes = |facet: usize| {
        let row = hull.floats(facet);
        let mut sum = row[hull.columns];
        let mut size = sum.abs();
        for (&factor, &value) in row.iter().zip(&floats) {
            let term = factor * value;
            sum += term;
            size += term.abs();
        }
        let (factors, constant, test) = &hull.facets[facet];
        match test.of_float(sum, size * (hull.columns + 8) as f64 * ROUNDING + f64::MIN_POSITIVE) {
            Some(answer) => answer,
            None => {
                let point = match &exact {
                    Some(point) => point,
                    None => match exact_point(slots, numbers, values) {
                        Some(point) => exact.insert(point),
                        None => return false,
                    },
                };
                let sum = factors.iter().zip(point).fold(constant.clone(), |mut sum, (factor, value)| {
                    if !factor.is_zero() {
                        sum += &(factor * value);
                    }
                    sum
                });
                test.passes(&sum)
            }
        }
    };
    // What failed last is what fails first.
    if (memory.hint as usize) < hull.facets.len() && !passes(memory.hint as usize) {
        return false;
    }
    let mut failed = None;
    suspects(hull, &floats, memory, |facet| {
        let passed = passes(facet);
        if !passed {
            failed = Some(facet as u32);
        }
        passed
    });
    memory.hint = failed.unwrap_or(memory.hint);
    let Some(vertices) = hull.vertices.as_ref().filter(|_| failed.is_none()) else { return failed.is_none() };
    let Some(mut point) = exact.or_else(|| exact_point(slots, numbers, values)) else { return false };
    point.truncate(vertices.columns());
    *memory.decided.entry(point.into()).or_insert_with_key(|point| vertices.contains(point))
}

fn exact_point(slots: &[Slot], numbers: &Numbers, values: &[u32]) -> Option<Vec<Rational>> {
    let column = |slot: &Slot| {
        slot.factors.iter().try_fold(slot.scale.clone(), |product, &v| Some(&product * numbers.exact(values[v as usize])?))
    };
    slots.iter().map(column).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::evaluate::Random;

    fn ratio(num: i64, den: i64) -> Rational {
        Rational::new(num, den).unwrap()
    }

    fn dot(factors: &[Rational], point: &[Rational]) -> Rational {
        factors.iter().zip(point).fold(Rational::ZERO, |sum, (factor, value)| &sum + &(factor * value))
    }

    /// Very many conditions around the origin, over columns of very different sizes; some strict.
    fn many(random: &mut Random, columns: usize, count: usize) -> Hull {
        let sizes: Vec<Rational> = (0..columns).map(|column| ratio([1, 1000, 1][column % 3], [1, 1, 50][column % 3])).collect();
        let facet = |random: &mut Random| {
            let normal: Vec<i64> = (0..columns).map(|_| random.below(2001) as i64 - 1000).collect();
            let length: i64 = normal.iter().map(|entry| entry.abs()).sum::<i64>() + 1;
            let factors = normal.iter().zip(&sizes).map(|(&entry, size)| ratio(entry, 1).checked_div(size).unwrap()).collect();
            let test = if random.below(4) == 0 { Test::Positive } else { Test::NonNegative };
            (factors, ratio(length * (5 + random.below(3) as i64), 1), test)
        };
        Hull::new(columns, (0..count).map(|_| facet(random)).collect(), None)
    }

    struct Site {
        hull: Hull,
        prepared: Prepared,
        numbers: Numbers,
        memory: Memory,
        looks: usize,
        cut: usize,
    }

    impl Site {
        fn new(hull: Hull) -> Self {
            let slot = |column| Slot { scale: Rational::ONE, factors: SmallVec::from_slice(&[column]) };
            let prepared = Prepared::new(&Numeric::Region(0, (0..hull.columns as u32).map(slot).collect()));
            Site { hull, prepared, numbers: Numbers::default(), memory: Memory::default(), looks: 0, cut: 0 }
        }

        /// Asks about a point, and compares with what plain exact arithmetic says.
        fn ask(&mut self, point: &[Rational]) -> bool {
            let values: Vec<u32> = point.iter().map(|value| self.numbers.index(value.clone())).collect();
            let floats: Point = point.iter().map(float).collect();
            let facets = self.memory.near.as_ref().and_then(|near| near.candidates(&floats)).map_or(usize::MAX, <[_]>::len);
            self.looks += 1;
            self.cut += usize::from(facets < self.hull.facets.len());
            let said = self.prepared.holds(std::slice::from_ref(&self.hull), &self.numbers, &values, &mut self.memory);
            assert_eq!(said, self.hull.contains(point), "{point:?}");
            said
        }
    }

    /// A point inside, near the boundary: on the way from one inside outward, the last hundredth before the first facet.
    fn near_boundary(hull: &Hull, random: &mut Random) -> Vec<Rational> {
        let direction: Vec<Rational> = (0..hull.columns)
            .map(|column| ratio((random.below(201) as i64 - 100) * [1, 1000, 1][column % 3], [100, 100, 5000][column % 3]))
            .collect();
        let reach = |(factors, constant, _): &(Vec<Rational>, Rational, Test)| {
            let along = dot(factors, &direction);
            if along.signum() < 0 { constant.checked_div(&-&along) } else { None }
        };
        let first = hull.facets.iter().filter_map(reach).min().unwrap_or(Rational::ONE);
        let most = &first * &ratio(99, 100);
        direction.iter().map(|entry| entry * &most).collect()
    }

    /// From a point that the region remembers, the way to a facet on which the remembered distance is used up soonest; a hair before
    /// it, on it and a hair beyond. Then far away, and back. A cut-off that is too near by a millionth forgets a facet here.
    #[test]
    fn regions_of_more_than_a_thousand_facets_agree_with_plain_exact_arithmetic_near_and_far() {
        for (seed, columns, count) in [(1, 2, 1000), (3, 4, 1200), (4, 3, 2000)] {
            let mut random = Random::new(seed);
            let hull = many(&mut random, columns, count);
            let mut site = Site::new(hull);
            let (mut inside, mut outside) = (0, 0);
            for round in 0..24 {
                let center = near_boundary(&site.hull, &mut random);
                let scales: Vec<Rational> = center.iter().map(|value| &Rational::ONE + &value.abs()).collect();
                // The nearest facets, by how many scales away they are.
                let mut nearest: Vec<(Rational, usize)> = (site.hull.facets.iter().enumerate())
                    .filter_map(|(index, (factors, constant, _))| {
                        let slack = &dot(factors, &center) + constant;
                        let size = dot(&factors.iter().map(Rational::abs).collect::<Vec<_>>(), &scales);
                        Some((slack.checked_div(&size)?, index))
                    })
                    .collect();
                nearest.sort();
                for (distance, facet) in nearest.iter().take(1).chain(nearest.iter().step_by(1 + count / 20).take(3)) {
                    for factor in [ratio(999_999, 1_000_000), Rational::ONE, ratio(1_000_001, 1_000_000)] {
                        if round % 2 == 0 {
                            site.memory = Memory::default();
                        }
                        site.ask(&center);
                        let move_by = distance * &factor;
                        let step = |(place, value): (usize, &Rational)| {
                            let sign = site.hull.facets[*facet].0[place].signum();
                            value - &(&(&move_by * &scales[place]) * &ratio(i64::from(sign), 1))
                        };
                        let point: Vec<Rational> = center.iter().enumerate().map(step).collect();
                        // What failed last is tried first, which would hide a facet that was forgotten.
                        site.memory.hint = 0;
                        if site.ask(&point) { inside += 1 } else { outside += 1 }
                    }
                }
                let far: Vec<Rational> = center.iter().map(|value| value * &ratio(1000 - 90 * round, 7)).collect();
                site.ask(&far);
                site.ask(&vec![Rational::ZERO; columns]);
            }
            assert!(inside > 25 && outside > 25, "{inside} inside, {outside} outside");
            assert!(site.cut * 3 > site.looks, "cut off in {} of {} looks", site.cut, site.looks);
        }
    }

    /// A walk of small and large steps, with an equation among the conditions.
    #[test]
    fn walks_through_regions_of_more_than_a_thousand_facets_agree_with_plain_exact_arithmetic() {
        let mut random = Random::new(7);
        let plain = many(&mut random, 3, 1200);
        let mut facets = plain.facets;
        // The fourth column is the sum of the first and the third.
        for (factors, ..) in &mut facets {
            factors.push(Rational::ZERO);
        }
        facets.push((vec![ratio(1, 1), Rational::ZERO, ratio(1, 1), ratio(-1, 1)], Rational::ZERO, Test::Zero));
        let mut site = Site::new(Hull::new(4, facets, None));
        let (mut inside, mut outside) = (0, 0);
        let mut here = vec![Rational::ZERO; 3];
        for step in 0..2000 {
            let span = [1_000_000, 10_000, 100, 4][random.below(4)];
            let moved: Vec<Rational> = here
                .iter()
                .enumerate()
                .map(|(column, value)| {
                    let by = ratio((random.below(2001) as i64 - 1000) * [1, 1000, 1][column], span * [1, 1, 50][column]);
                    value + &by
                })
                .collect();
            let mut point = moved.clone();
            point.push(&moved[0] + &moved[2]);
            if step % 50 == 49 {
                point[3] = &point[3] + &ratio(1, 1 << 40);
            }
            if step % 50 == 48 {
                // Off the flat, on the side that an inequality would allow, and remembered as a place of its own.
                site.memory = Memory { hint: 1, ..Memory::default() };
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
}
