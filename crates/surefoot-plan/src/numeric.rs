//! Numeric conditions of a ground task: single comparisons, and regions, whose many facets are one
//! condition.
//!
//! A comparison is decided by floats wherever a bound on their error allows it, and exactly where
//! not; so the answer is always the exact one. Regions are decided by
//! [`Tester`](surefoot_base::exact::Tester).

use std::sync::Arc;

use super::expression::{GroundExpression, GroundMonomial};
use super::ids::{FacetId, RegionId, VariableId};
use super::number::{NumberTable, StateValues, float};
pub use surefoot_base::exact::SignTest;
use surefoot_base::exact::{Coordinates, Point, Polyhedron, Rational, TesterMemory, error_bound};
use surefoot_base::ids::{Id, IdVec, first_ids};

/// A column of a region in one ground action: a number times a product of variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GroundColumn {
    /// The factor that no action changes.
    pub scale: Rational,
    /// The variables that are multiplied.
    pub factors: GroundMonomial,
}

impl GroundColumn {
    /// The column with its variables renumbered.
    fn renumbered(&self, number: &dyn Fn(VariableId) -> VariableId) -> Self {
        let mut factors: GroundMonomial =
            self.factors.iter().map(|&variable| number(variable)).collect();
        factors.sort_unstable();
        GroundColumn { scale: self.scale.clone(), factors }
    }

    /// How many roundings lead to its value as a float: those of each number, and one for each
    /// product.
    fn roundings(&self) -> usize {
        ROUNDINGS + (ROUNDINGS + 1) * self.factors.len()
    }

    /// Its value; `None` where a variable is undefined.
    fn exact(&self, numbers: &NumberTable, values: StateValues) -> Option<Rational> {
        let mut factors = self.factors.iter();
        factors.try_fold(self.scale.clone(), |product, &variable| {
            Some(&product * numbers.exact(values.number(variable)?))
        })
    }

    /// Its value as a float, given its scale as one; not a number where a variable is undefined.
    fn float(&self, scale: f64, numbers: &NumberTable, values: StateValues) -> f64 {
        self.factors.iter().fold(scale, |product, &variable| {
            let value = numbers.float(values.number(variable));
            let next = product * value;
            // A product that is too small for floats may become large when multiplied by a facet's
            // coefficient: no float decides it.
            if next.is_normal() || product == 0.0 || value == 0.0 { next } else { f64::NAN }
        })
    }
}

/// A region of a lifted action: shared by all its groundings.
#[derive(Clone, Debug)]
pub struct LiftedRegion {
    set: Arc<Polyhedron>,
}

impl LiftedRegion {
    /// The region of points in a set.
    pub fn new(set: Arc<Polyhedron>) -> Self {
        LiftedRegion { set }
    }

    /// Whether a point, given by its columns, lies in it.
    pub fn contains(&self, point: &[Rational]) -> bool {
        self.set.contains(point)
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.set.columns()
    }

    /// Whether its facets bound it.
    pub fn is_complete(&self) -> bool {
        self.set.is_complete()
    }

    /// The conditions that all of it satisfies, equations first.
    pub fn facets(&self) -> impl ExactSizeIterator<Item = FacetId> {
        first_ids(self.set.tester().len())
    }

    /// What is asked of a facet.
    pub fn test(&self, facet: FacetId) -> SignTest {
        self.set.tester().test(facet.index())
    }

    /// A facet as floats: the factors, then the constant.
    #[inline]
    pub fn floats(&self, facet: FacetId) -> &[f64] {
        self.set.tester().slack(facet.index())
    }

    /// Whether the factors of a facet are whole numbers.
    pub fn is_whole(&self, facet: FacetId) -> bool {
        self.set.tester().is_whole(facet.index())
    }

    /// Calls `visit` with every facet that the point may violate.
    pub fn suspects(
        &self,
        point: &mut RegionPoint,
        memory: &mut TesterMemory,
        mut visit: impl FnMut(FacetId, &[f64]),
    ) {
        self.set.tester().suspects(point, memory, |facet, point, _| {
            visit(FacetId::from_index(facet), point.doubles());
            true
        });
    }
}

/// A numeric condition of a ground task.
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
                columns
                    .iter()
                    .flat_map(|column| &column.factors)
                    .for_each(|&variable| visit(variable));
            }
        }
    }

    /// The condition with its variables renumbered.
    pub fn renumbered(&self, number: &dyn Fn(VariableId) -> VariableId) -> Self {
        match self {
            NumericCondition::Comparison(expression, test) => {
                NumericCondition::Comparison(expression.renumbered(number), *test)
            }
            NumericCondition::Region(region, columns) => NumericCondition::Region(
                *region,
                columns.iter().map(|column| column.renumbered(number)).collect(),
            ),
        }
    }
}

/// A numeric condition made ready for many evaluations.
pub enum PreparedCondition {
    /// A comparison of a linear expression with zero.
    Linear {
        /// The variables of the expression.
        variables: Box<[VariableId]>,
        /// Their factors, then the constant.
        floats: Box<[f64]>,
        /// The coefficients as machine integers, if all of them are such, for values that are, too.
        integers: Option<Box<[i64]>>,
        /// The expression that is compared.
        expression: GroundExpression,
        /// What is asked of it.
        test: SignTest,
    },
    /// Any other comparison.
    General(GroundExpression, SignTest),
    /// A point in a region.
    Region {
        /// The region that must contain the point.
        region: RegionId,
        /// Where the columns come from.
        columns: Box<[GroundColumn]>,
        /// Their scales as floats.
        scales: Box<[f64]>,
        /// How many roundings lead to a column as a float.
        roundings: usize,
    },
}

/// Roundings of a number as a float.
const ROUNDINGS: usize = 3;

impl PreparedCondition {
    /// Prepares a condition for fast tests.
    pub fn new(condition: &NumericCondition) -> Self {
        match condition {
            NumericCondition::Comparison(GroundExpression::Polynomial(polynomial), test)
                if polynomial.is_linear() =>
            {
                let numbers = || {
                    polynomial.terms.iter().map(|(_, factor)| factor).chain([&polynomial.constant])
                };
                PreparedCondition::Linear {
                    variables: polynomial
                        .terms
                        .iter()
                        .flat_map(|(monomial, _)| monomial.iter().copied())
                        .collect(),
                    floats: numbers().map(float).collect(),
                    integers: numbers()
                        .map(|number| {
                            number.as_small().filter(|&(_, den)| den == 1).map(|(num, _)| num)
                        })
                        .collect(),
                    expression: GroundExpression::Polynomial(polynomial.clone()),
                    test: *test,
                }
            }
            NumericCondition::Comparison(expression, test) => {
                PreparedCondition::General(expression.clone(), *test)
            }
            NumericCondition::Region(region, columns) => PreparedCondition::Region {
                region: *region,
                scales: columns.iter().map(|column| float(&column.scale)).collect(),
                roundings: columns.iter().map(GroundColumn::roundings).max().unwrap_or(0),
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
        values: StateValues,
        memory: &mut TesterMemory,
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
                match test.of_double(sum, error_bound(variables.len(), ROUNDINGS, size)) {
                    Some(answer) => answer,
                    None => close_call(
                        variables,
                        integers.as_deref(),
                        expression,
                        *test,
                        numbers,
                        values,
                    ),
                }
            }
            PreparedCondition::General(expression, test) => {
                expression.exact(numbers, values).is_some_and(|value| test.passes(&value))
            }
            PreparedCondition::Region { region, columns, scales, roundings } => {
                let mut point = point(columns, scales, *roundings, numbers, values);
                regions[*region].set.tester().contains(&mut point, memory)
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
    values: StateValues,
) -> bool {
    match integers.and_then(|integers| integer_sum(variables, integers, numbers, values)) {
        Some(sum) => test.of_order(sum.cmp(&0)),
        None => expression.exact(numbers, values).is_some_and(|value| test.passes(&value)),
    }
}

/// The value of a linear form with integer factors, the constant last; `None` where a value is no
/// machine integer.
fn integer_sum(
    variables: &[VariableId],
    integers: &[i64],
    numbers: &NumberTable,
    values: StateValues,
) -> Option<i128> {
    let mut sum = i128::from(integers[variables.len()]);
    for (&variable, &factor) in variables.iter().zip(integers) {
        let (value, 1) = numbers.exact(values.number(variable)?).as_small()? else { return None };
        // A product of two has at most 126 bits; checked because sums may have more.
        sum = sum.checked_add(i128::from(factor) * i128::from(value))?;
    }
    Some(sum)
}

/// The columns of a region in a state.
pub struct StateColumns<'c> {
    columns: &'c [GroundColumn],
    numbers: &'c NumberTable,
    values: StateValues<'c>,
}

impl Coordinates for StateColumns<'_> {
    fn exact(&self) -> Option<Vec<Rational>> {
        self.columns.iter().map(|column| column.exact(self.numbers, self.values)).collect()
    }
}

/// The point of a region's columns in a state.
pub type RegionPoint<'c> = Point<StateColumns<'c>>;

/// The point of a region's columns; as floats not a number where a variable is undefined.
pub fn point<'c>(
    columns: &'c [GroundColumn],
    scales: &[f64],
    roundings: usize,
    numbers: &'c NumberTable,
    values: StateValues<'c>,
) -> RegionPoint<'c> {
    let floats = columns
        .iter()
        .zip(scales)
        .map(|(column, &scale)| column.float(scale, numbers, values))
        .collect();
    Point::new(floats, roundings, StateColumns { columns, numbers, values })
}
