//! Numeric conditions of a ground task: single comparisons, and hulls, whose many facets are one condition.
//!
//! A comparison is decided by floats wherever a bound on their error allows it, and exactly where not; so the answer is
//! always the exact one.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::expression::{GroundExpression, GroundMonomial};
use super::ids::{FacetId, RegionId, VariableId};
use super::number::{NumberTable, Values, float};
use crate::exact::Rational;
use crate::ids::{Id, IdVec};
use crate::model::Vertices;

/// What is asked of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SignTest {
    /// At least zero.
    NonNegative,
    /// Above zero.
    Positive,
    /// Zero.
    Zero,
}

impl SignTest {
    fn of_sign(self, sign: i32) -> bool {
        match self {
            SignTest::NonNegative => sign >= 0,
            SignTest::Positive => sign > 0,
            SignTest::Zero => sign == 0,
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
            Some(self != SignTest::Zero)
        } else if float < -error {
            Some(false)
        } else {
            None
        }
    }
}

/// A column of a region in one ground action: a number times a product of variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GroundColumn {
    /// The static part.
    pub scale: Rational,
    /// The variables.
    pub factors: GroundMonomial,
}

impl GroundColumn {
    /// The same with its variables renumbered.
    fn renumbered(&self, number: &dyn Fn(VariableId) -> VariableId) -> Self {
        let mut factors: GroundMonomial = self.factors.iter().map(|&variable| number(variable)).collect();
        factors.sort_unstable();
        GroundColumn { scale: self.scale.clone(), factors }
    }

    /// Its value; `None` where a variable is undefined.
    fn exact(&self, numbers: &NumberTable, values: Values) -> Option<Rational> {
        let mut factors = self.factors.iter();
        factors.try_fold(self.scale.clone(), |product, &variable| Some(&product * numbers.exact(values.number(variable)?)))
    }

    /// Its value as a float, given its scale as one; not a number where a variable is undefined.
    fn float(&self, scale: f64, numbers: &NumberTable, values: Values) -> f64 {
        self.factors.iter().fold(scale, |product, &variable| {
            let value = numbers.float(values.number(variable));
            let next = product * value;
            // A product too small for floats may be large again beside a facet's factor: no float decides it.
            if next.is_normal() || product == 0.0 || value == 0.0 { next } else { f64::NAN }
        })
    }
}

/// A linear condition: the columns times their factors, plus the constant, pass the test.
#[derive(Clone, Debug)]
pub struct RegionFacet {
    /// One factor a column.
    pub factors: Vec<Rational>,
    /// What is added.
    pub constant: Rational,
    /// What is asked of the sum.
    pub test: SignTest,
}

impl RegionFacet {
    /// Whether a point, given by its columns, passes.
    fn passes(&self, point: &[Rational]) -> bool {
        let mut sum = self.constant.clone();
        for (factor, value) in self.factors.iter().zip(point).filter(|(factor, _)| !factor.is_zero()) {
            sum += &(factor * value);
        }
        self.test.passes(&sum)
    }
}

/// The linear conditions of one lifted action over its columns: shared by all its groundings.
#[derive(Clone, Debug, Default)]
pub struct LiftedRegion {
    /// How many columns there are.
    pub width: usize,
    /// The conditions, equations first.
    pub facets: IdVec<FacetId, RegionFacet>,
    /// The same as floats: `width + 1` a facet.
    floats: Vec<f64>,
    /// The vertices that the point of the first columns must lie between; facets are then only a quick way to see that it does not.
    pub vertices: Option<Arc<Vertices>>,
}

impl LiftedRegion {
    /// A region of these facets.
    pub fn new(width: usize, mut facets: Vec<RegionFacet>, vertices: Option<Arc<Vertices>>) -> Self {
        // An equation is the test most likely to fail.
        facets.sort_by_key(|facet| facet.test != SignTest::Zero);
        substitute(&mut facets);
        let floats = facets.iter().flat_map(|facet| facet.factors.iter().chain([&facet.constant]).map(float)).collect();
        LiftedRegion { width, facets: facets.into(), floats, vertices }
    }

    /// Whether a point, given by its columns, lies in it.
    pub fn contains(&self, point: &[Rational]) -> bool {
        self.facets.iter().all(|facet| facet.passes(point))
            && self.vertices.as_ref().is_none_or(|vertices| vertices.contains(&point[..vertices.columns().len()]))
    }

    /// A facet as floats: the factors, then the constant.
    #[inline]
    pub fn floats(&self, facet: FacetId) -> &[f64] {
        &self.floats[facet.index() * (self.width + 1)..][..self.width + 1]
    }
}

/// Solves each equation for one of its columns and puts that into all facets after it, which are then about fewer columns.
/// The equations stay, so the conditions together mean the same.
fn substitute(facets: &mut [RegionFacet]) {
    for index in 0..facets.len() {
        let (done, rest) = facets.split_at_mut(index + 1);
        let Some(RegionFacet { factors, constant, test: SignTest::Zero }) = done.last() else { return };
        let Some(pivot) = factors.iter().position(|factor| !factor.is_zero()) else { continue };
        for facet in rest.iter_mut().filter(|facet| !facet.factors[pivot].is_zero()) {
            let Some(share) = facet.factors[pivot].checked_div(&factors[pivot]) else { continue };
            facet.factors.iter_mut().zip(factors).for_each(|(entry, factor)| *entry = &*entry - &(&share * factor));
            facet.constant = &facet.constant - &(&share * constant);
        }
    }
}

/// A numeric condition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NumericCondition {
    /// The expression passes the test.
    Comparison(GroundExpression, SignTest),
    /// The point of these columns lies in the region.
    Region(RegionId, Vec<GroundColumn>),
}

impl NumericCondition {
    /// Calls `visit` for every variable, once for each time it is mentioned.
    pub fn variables(&self, visit: &mut dyn FnMut(VariableId)) {
        match self {
            NumericCondition::Comparison(expression, _) => expression.variables(visit),
            NumericCondition::Region(_, columns) => {
                columns.iter().flat_map(|column| &column.factors).for_each(|&variable| visit(variable));
            }
        }
    }

    /// The same with its variables renumbered.
    pub fn renumbered(&self, number: &dyn Fn(VariableId) -> VariableId) -> Self {
        match self {
            NumericCondition::Comparison(expression, test) => NumericCondition::Comparison(expression.renumbered(number), *test),
            NumericCondition::Region(region, columns) => {
                NumericCondition::Region(*region, columns.iter().map(|column| column.renumbered(number)).collect())
            }
        }
    }
}

/// A numeric condition made ready for many evaluations.
pub enum PreparedCondition {
    /// A linear comparison.
    Linear {
        /// The variables.
        variables: Box<[VariableId]>,
        /// Their factors, then the constant.
        floats: Box<[f64]>,
        /// The same where all are machine integers, for values that are.
        integers: Option<Box<[i64]>>,
        /// The expression itself.
        expression: GroundExpression,
        /// What is asked of it.
        test: SignTest,
    },
    /// Any other comparison.
    General(GroundExpression, SignTest),
    /// A point in a region.
    Region {
        /// The region.
        region: RegionId,
        /// Where the columns come from.
        columns: Box<[GroundColumn]>,
        /// Their scales as floats.
        scales: Box<[f64]>,
    },
}

/// Bounds the relative error of the operations that lead to one float, for each of them; products too small for floats are
/// covered by the smallest normal float beside it.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl PreparedCondition {
    /// Prepares a condition.
    pub fn new(condition: &NumericCondition) -> Self {
        match condition {
            NumericCondition::Comparison(GroundExpression::Polynomial(polynomial), test) if polynomial.is_linear() => {
                let numbers = || polynomial.terms.iter().map(|(_, factor)| factor).chain([&polynomial.constant]);
                PreparedCondition::Linear {
                    variables: polynomial.terms.iter().flat_map(|(monomial, _)| monomial.iter().copied()).collect(),
                    floats: numbers().map(float).collect(),
                    integers: numbers()
                        .map(|number| number.as_small().filter(|&(_, den)| den == 1).map(|(num, _)| num))
                        .collect(),
                    expression: GroundExpression::Polynomial(polynomial.clone()),
                    test: *test,
                }
            }
            NumericCondition::Comparison(expression, test) => PreparedCondition::General(expression.clone(), *test),
            NumericCondition::Region(region, columns) => PreparedCondition::Region {
                region: *region,
                scales: columns.iter().map(|column| float(&column.scale)).collect(),
                columns: columns.clone().into(),
            },
        }
    }

    /// Whether the condition holds for these values.
    #[inline]
    pub fn holds(
        &self,
        regions: &IdVec<RegionId, LiftedRegion>,
        numbers: &NumberTable,
        values: Values,
        cache: &mut ConditionCache,
    ) -> bool {
        match self {
            PreparedCondition::Linear { variables, floats, integers, expression, test } => {
                let mut sum = floats[variables.len()];
                let mut size = sum.abs();
                for (&variable, &factor) in variables.iter().zip(floats) {
                    let term = factor * numbers.float(values.number(variable));
                    sum += term;
                    size += term.abs();
                }
                let error = size * (variables.len() + 4) as f64 * ROUNDING + f64::MIN_POSITIVE;
                match test.of_float(sum, error) {
                    Some(answer) => answer,
                    None => close_call(variables, integers.as_deref(), expression, *test, numbers, values),
                }
            }
            PreparedCondition::General(expression, test) => {
                expression.exact(numbers, values).is_some_and(|value| test.passes(&value))
            }
            PreparedCondition::Region { region, columns, scales } => {
                inside(&regions[*region], columns, scales, numbers, values, cache)
            }
        }
    }
}

/// A comparison too close for floats.
#[cold]
fn close_call(
    variables: &[VariableId],
    integers: Option<&[i64]>,
    expression: &GroundExpression,
    test: SignTest,
    numbers: &NumberTable,
    values: Values,
) -> bool {
    match integers.and_then(|integers| integer_sum(variables, integers, numbers, values)) {
        Some(sum) => test.of_sign(sum.signum() as i32),
        None => expression.exact(numbers, values).is_some_and(|value| test.passes(&value)),
    }
}

/// The value of a linear form with integer factors, the constant last; `None` where a value is no machine integer.
fn integer_sum(variables: &[VariableId], integers: &[i64], numbers: &NumberTable, values: Values) -> Option<i128> {
    let mut sum = i128::from(integers[variables.len()]);
    for (&variable, &factor) in variables.iter().zip(integers) {
        let (value, 1) = numbers.exact(values.number(variable)?).as_small()? else { return None };
        // A product of two has at most 126 bits; checked because sums may have more.
        sum = sum.checked_add(i128::from(factor) * i128::from(value))?;
    }
    Some(sum)
}

/// The point of a region's columns, as floats; not a number where a variable is undefined.
pub fn point(columns: &[GroundColumn], scales: &[f64], numbers: &NumberTable, values: Values) -> FloatPoint {
    columns.iter().zip(scales).map(|(column, &scale)| column.float(scale, numbers, values)).collect()
}

/// What is remembered of a region between evaluations: only ever a short cut, never the answer itself.
#[derive(Default)]
pub struct ConditionCache {
    /// The facet that failed last; it is tried first.
    hint: Option<FacetId>,
    near: Option<Box<FacetDistances>>,
    /// Points and whether they lie between the vertices: deciding it is a linear program.
    decided: FxHashMap<Box<[Rational]>, bool>,
}

impl ConditionCache {
    /// How many bytes are held beyond the memory itself.
    pub fn bytes(&self) -> usize {
        let near = self.near.as_ref().map_or(0, |near| near.order.capacity() * size_of::<(f64, FacetId)>());
        let columns = self.decided.keys().next().map_or(0, |point| point.len());
        near + self.decided.len() * (columns * size_of::<Rational>() + 32)
    }
}

/// From how many facets on distances to them are remembered, and up to how many facets in all.
const FACETS_WORTH: usize = 48;
const FACETS_AT_MOST: usize = 20_000;

/// How far every facet was from one point, so that near it only the nearest facets have to be looked at.
struct FacetDistances {
    center: FloatPoint,
    /// One over the scale of each column.
    scales: FloatPoint,
    /// Facets and a lower bound of how many scales away they are, the nearest first.
    order: Vec<(f64, FacetId)>,
}

/// The columns of a region as floats.
pub type FloatPoint = SmallVec<[f64; 12]>;

impl FacetDistances {
    fn new(region: &LiftedRegion, center: &FloatPoint) -> Option<Self> {
        if !center.iter().all(|value| value.is_finite()) {
            return None;
        }
        let mut order: Vec<(f64, FacetId)> = Vec::with_capacity(region.facets.len());
        for (facet, RegionFacet { test, .. }) in region.facets.pairs() {
            let row = region.floats(facet);
            let (mut sum, mut size, mut reach) = (row[region.width], row[region.width].abs(), f64::MIN_POSITIVE);
            for (factor, &value) in row.iter().zip(center) {
                sum += factor * value;
                size += (factor * value).abs();
                reach += factor.abs() * scale(value);
            }
            let slack = if *test == SignTest::Zero { 0.0 } else { sum };
            let sure = slack - size * (region.width + 8) as f64 * ROUNDING - f64::MIN_POSITIVE;
            let bound = sure / reach * (1.0 - 1e-9);
            // What floats cannot bound is always looked at.
            order.push((if bound.is_finite() { bound } else { f64::NEG_INFINITY }, facet));
        }
        order.sort_by(|one, other| one.0.total_cmp(&other.0));
        Some(FacetDistances { center: center.clone(), scales: center.iter().map(|&value| 1.0 / scale(value)).collect(), order })
    }

    /// The facets that this point may violate; `None` when they are too many to be worth it.
    fn candidates(&self, point: &FloatPoint) -> Option<&[(f64, FacetId)]> {
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

/// The scale of a column near a value.
fn scale(value: f64) -> f64 {
    1.0 + value.abs()
}

/// Calls `visit` with every facet that the point may violate, until it returns false.
pub fn suspects(region: &LiftedRegion, point: &FloatPoint, cache: &mut ConditionCache, mut visit: impl FnMut(FacetId) -> bool) {
    if !(FACETS_WORTH..=FACETS_AT_MOST).contains(&region.facets.len()) {
        region.facets.ids().all(visit);
        return;
    }
    if let Some(facets) = cache.near.as_ref().and_then(|near| near.candidates(point)) {
        facets.iter().all(|&(_, facet)| visit(facet));
        return;
    }
    cache.near = FacetDistances::new(region, point).map(Box::new);
    let near = cache.near.as_ref().and_then(|near| near.candidates(point));
    match near {
        Some(facets) => facets.iter().all(|&(_, facet)| visit(facet)),
        None => region.facets.ids().all(visit),
    };
}

/// A point that is looked at: its floats, and its exact coordinates from when they are first needed.
struct CandidatePoint<'c> {
    columns: &'c [GroundColumn],
    numbers: &'c NumberTable,
    values: Values<'c>,
    floats: &'c FloatPoint,
    exact: Option<Vec<Rational>>,
}

impl CandidatePoint<'_> {
    /// Whether the point passes a facet.
    #[inline]
    fn passes(&mut self, region: &LiftedRegion, id: FacetId) -> bool {
        let row = region.floats(id);
        let mut sum = row[region.width];
        let mut size = sum.abs();
        for (&factor, &value) in row.iter().zip(self.floats) {
            let term = factor * value;
            sum += term;
            size += term.abs();
        }
        let facet = &region.facets[id];
        match facet.test.of_float(sum, size * (region.width + 8) as f64 * ROUNDING + f64::MIN_POSITIVE) {
            Some(answer) => answer,
            None => self.exact().is_some_and(|point| facet.passes(point)),
        }
    }

    /// The exact coordinates; `None` where a variable is undefined.
    fn exact(&mut self) -> Option<&[Rational]> {
        if self.exact.is_none() {
            self.exact = self.columns.iter().map(|column| column.exact(self.numbers, self.values)).collect();
        }
        self.exact.as_deref()
    }
}

fn inside(
    region: &LiftedRegion,
    columns: &[GroundColumn],
    scales: &[f64],
    numbers: &NumberTable,
    values: Values,
    cache: &mut ConditionCache,
) -> bool {
    let floats = point(columns, scales, numbers, values);
    let mut candidate = CandidatePoint { columns, numbers, values, floats: &floats, exact: None };
    // What failed last is what fails first.
    let hint = cache.hint.or_else(|| region.facets.ids().next());
    if hint.is_some_and(|hint| !candidate.passes(region, hint)) {
        return false;
    }
    let mut failed = None;
    suspects(region, &floats, cache, |facet| {
        let passed = candidate.passes(region, facet);
        if !passed {
            failed = Some(facet);
        }
        passed
    });
    if failed.is_some() {
        cache.hint = failed;
        return false;
    }
    let Some(vertices) = &region.vertices else { return true };
    let Some(point) = candidate.exact() else { return false };
    let point = &point[..vertices.columns().len()];
    *cache.decided.entry(point.into()).or_insert_with_key(|point| vertices.contains(point))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::evaluate::Random;
    use crate::ids::first_ids;
    use crate::plan::ids::NumberId;

    fn ratio(num: i64, den: i64) -> Rational {
        Rational::new(num, den).unwrap()
    }

    fn dot(factors: &[Rational], point: &[Rational]) -> Rational {
        factors.iter().zip(point).fold(Rational::ZERO, |sum, (factor, value)| &sum + &(factor * value))
    }

    /// Very many conditions around the origin, over columns of very different sizes; some strict.
    fn many(random: &mut Random, columns: usize, count: usize) -> LiftedRegion {
        let sizes: Vec<Rational> = (0..columns).map(|column| ratio([1, 1000, 1][column % 3], [1, 1, 50][column % 3])).collect();
        let facet = |random: &mut Random| {
            let normal: Vec<i64> = (0..columns).map(|_| random.below(2001) as i64 - 1000).collect();
            let length: i64 = normal.iter().map(|entry| entry.abs()).sum::<i64>() + 1;
            let factors = normal.iter().zip(&sizes).map(|(&entry, size)| ratio(entry, 1).checked_div(size).unwrap()).collect();
            let test = if random.below(4) == 0 { SignTest::Positive } else { SignTest::NonNegative };
            RegionFacet { factors, constant: ratio(length * (5 + random.below(3) as i64), 1), test }
        };
        LiftedRegion::new(columns, (0..count).map(|_| facet(random)).collect(), None)
    }

    struct Site {
        regions: IdVec<RegionId, LiftedRegion>,
        prepared: PreparedCondition,
        numbers: NumberTable,
        cache: ConditionCache,
        looks: usize,
        cut: usize,
    }

    impl Site {
        fn new(region: LiftedRegion) -> Self {
            let column = |variable| GroundColumn { scale: Rational::ONE, factors: SmallVec::from_slice(&[variable]) };
            let columns = first_ids(region.width).map(column).collect();
            let mut regions = IdVec::new();
            let prepared = PreparedCondition::new(&NumericCondition::Region(regions.push(region), columns));
            Site { regions, prepared, numbers: NumberTable::default(), cache: ConditionCache::default(), looks: 0, cut: 0 }
        }

        fn region(&self) -> &LiftedRegion {
            &self.regions.as_slice()[0]
        }

        /// Asks about a point, and compares with what plain exact arithmetic says.
        fn ask(&mut self, point: &[Rational]) -> bool {
            let values: Vec<u32> = point.iter().map(|value| NumberId::word(Some(self.numbers.id(value.clone())))).collect();
            let floats: FloatPoint = point.iter().map(float).collect();
            let facets = self.cache.near.as_ref().and_then(|near| near.candidates(&floats)).map_or(usize::MAX, <[_]>::len);
            self.looks += 1;
            self.cut += usize::from(facets < self.region().facets.len());
            let said = self.prepared.holds(&self.regions, &self.numbers, Values::new(&values), &mut self.cache);
            assert_eq!(said, self.region().contains(point), "{point:?}");
            said
        }
    }

    /// A point inside, near the boundary: on the way from one inside outward, the last hundredth before the first facet.
    fn near_boundary(region: &LiftedRegion, random: &mut Random) -> Vec<Rational> {
        let direction: Vec<Rational> = (0..region.width)
            .map(|column| ratio((random.below(201) as i64 - 100) * [1, 1000, 1][column % 3], [100, 100, 5000][column % 3]))
            .collect();
        let reach = |facet: &RegionFacet| {
            let along = dot(&facet.factors, &direction);
            if along.signum() < 0 { facet.constant.checked_div(&-&along) } else { None }
        };
        let first = region.facets.iter().filter_map(reach).min().unwrap_or(Rational::ONE);
        let most = &first * &ratio(99, 100);
        direction.iter().map(|entry| entry * &most).collect()
    }

    /// From a point that the region remembers, the way to a facet on which the remembered distance is used up soonest; a hair before
    /// it, on it and a hair beyond. Then far away, and back. A cut-off that is too near by a millionth forgets a facet here.
    #[test]
    fn regions_of_more_than_a_thousand_facets_agree_with_plain_exact_arithmetic_near_and_far() {
        for (seed, columns, count) in [(1, 2, 1000), (3, 4, 1200), (4, 3, 2000)] {
            let mut random = Random::new(seed);
            let region = many(&mut random, columns, count);
            let mut site = Site::new(region);
            let (mut inside, mut outside) = (0, 0);
            for round in 0..24 {
                let center = near_boundary(site.region(), &mut random);
                let scales: Vec<Rational> = center.iter().map(|value| &Rational::ONE + &value.abs()).collect();
                // The nearest facets, by how many scales away they are.
                let mut nearest: Vec<(Rational, FacetId)> = (site.region().facets.pairs())
                    .filter_map(|(id, RegionFacet { factors, constant, .. })| {
                        let slack = &dot(factors, &center) + constant;
                        let size = dot(&factors.iter().map(Rational::abs).collect::<Vec<_>>(), &scales);
                        Some((slack.checked_div(&size)?, id))
                    })
                    .collect();
                nearest.sort();
                for (distance, facet) in nearest.iter().take(1).chain(nearest.iter().step_by(1 + count / 20).take(3)) {
                    for factor in [ratio(999_999, 1_000_000), Rational::ONE, ratio(1_000_001, 1_000_000)] {
                        if round % 2 == 0 {
                            site.cache = ConditionCache::default();
                        }
                        site.ask(&center);
                        let move_by = distance * &factor;
                        let step = |(place, value): (usize, &Rational)| {
                            let sign = site.region().facets[*facet].factors[place].signum();
                            value - &(&(&move_by * &scales[place]) * &ratio(i64::from(sign), 1))
                        };
                        let point: Vec<Rational> = center.iter().enumerate().map(step).collect();
                        // What failed last is tried first, which would hide a facet that was forgotten.
                        site.cache.hint = None;
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
        let mut facets: Vec<RegionFacet> = plain.facets.into_iter().collect();
        // The fourth column is the sum of the first and the third.
        for RegionFacet { factors, .. } in &mut facets {
            factors.push(Rational::ZERO);
        }
        let factors = vec![ratio(1, 1), Rational::ZERO, ratio(1, 1), ratio(-1, 1)];
        facets.push(RegionFacet { factors, constant: Rational::ZERO, test: SignTest::Zero });
        let mut site = Site::new(LiftedRegion::new(4, facets, None));
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
                site.cache = ConditionCache { hint: Some(FacetId::from_index(1)), ..ConditionCache::default() };
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
