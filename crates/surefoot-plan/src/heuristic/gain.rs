//! What one use of a group adds to a condition, and how often it must be used.

use smallvec::SmallVec;

use super::structure::{Contribution, FloatCondition, Structure};
use super::{Cost, DOUBTFUL, DeficitReduction, LARGEST};
use crate::ids::{ConditionId, FacetId, VariableId};
use crate::number::{NumberTable, StateValues};
use crate::numeric::{GroundColumn, PreparedCondition, SignTest};
use crate::task::{GroundTask, Operation, VariableChange};

/// What one use of a group does in a state.
pub(super) struct GroupStep<'s> {
    pub(super) contributions: &'s [Contribution],
    /// How far each contribution moves its variable.
    deltas: SmallVec<[f64; 4]>,
    numbers: &'s NumberTable,
    values: StateValues<'s>,
    /// Whether all amounts are the same in every state.
    pub(super) is_steady: bool,
    /// Whether all amounts are whole numbers.
    is_whole: bool,
    /// Whether all changes add, so that repeating them adds up.
    pub(super) is_addition: bool,
}

impl<'s> GroupStep<'s> {
    pub(super) fn new(
        contributions: &'s [Contribution],
        numbers: &'s NumberTable,
        values: StateValues<'s>,
    ) -> Self {
        GroupStep {
            deltas: contributions
                .iter()
                .map(|contribution| contribution.delta(numbers, values))
                .collect(),
            is_steady: contributions
                .iter()
                .all(|contribution| contribution.constant.is_some() || contribution.burdens),
            is_whole: contributions.iter().all(|contribution| contribution.whole),
            is_addition: contributions
                .iter()
                .all(|contribution| contribution.change.operation == Operation::Add),
            contributions,
            numbers,
            values,
        }
    }

    /// The value of a variable before it.
    #[inline]
    fn old(&self, variable: VariableId) -> f64 {
        self.numbers.float(self.values.number(variable))
    }

    /// By how much it moves a variable: one step may change it several times.
    #[inline]
    fn delta(&self, variable: VariableId) -> f64 {
        let contributions = self.contributions.iter().zip(&self.deltas);
        contributions
            .filter(|(c, _)| c.change.variable == variable)
            .fold(0.0, |sum, (_, delta)| sum + delta)
    }

    /// The value of a variable after it.
    fn new_value(&self, variable: VariableId) -> f64 {
        self.old(variable) + self.delta(variable)
    }

    /// By how much it moves a column.
    fn moved(&self, column: &GroundColumn, scale: f64) -> f64 {
        match column.factors[..] {
            // A small step of a large value would be lost in the difference.
            [variable] => scale * self.delta(variable),
            _ => {
                let new = column
                    .factors
                    .iter()
                    .fold(scale, |product, &variable| product * self.new_value(variable));
                new - column
                    .factors
                    .iter()
                    .fold(scale, |product, &variable| product * self.old(variable))
            }
        }
    }
}

/// What one use of a group adds to a comparison or a facet.
pub(super) struct Gain {
    pub(super) per_use: f64,
    /// Whether it is the same every time, its sign beyond doubt.
    pub(super) is_steady: bool,
    /// The test of the comparison or facet.
    pub(super) test: SignTest,
}

impl Structure {
    /// What a step adds to a comparison or to a facet of a region; `columns` remembers how it moves
    /// the region's columns. `None` for a condition that was not made ready.
    pub(super) fn gain(
        &self,
        step: &GroupStep,
        condition: ConditionId,
        facet: Option<FacetId>,
        columns: &mut Option<Vec<f64>>,
        task: &GroundTask,
    ) -> Option<Gain> {
        Some(match &self.conditions[condition] {
            FloatCondition::Linear { variables, factors, test } => {
                // A gain of exactly zero is none of those that help.
                let terms =
                    variables.iter().zip(factors).map(|(&v, &factor)| factor * step.delta(v));
                let (per_use, is_steady) = signed_sum(terms, false);
                Gain { per_use, is_steady, test: *test }
            }
            FloatCondition::General(expression, test) => {
                let new = expression.float(&|variable| step.new_value(variable));
                let per_use = new - expression.float(&|variable| step.old(variable));
                Gain { per_use, is_steady: false, test: *test }
            }
            FloatCondition::Region(id) => {
                let PreparedCondition::Region { columns: slots, scales, .. } =
                    &task.prepared[condition]
                else {
                    return None;
                };
                // Of a region that is known by its vertices alone nothing is known.
                let Some(facet) = facet else {
                    return Some(Gain {
                        per_use: f64::NAN,
                        is_steady: false,
                        test: SignTest::NonNegative,
                    });
                };
                let columns = columns.get_or_insert_with(|| {
                    slots
                        .iter()
                        .zip(scales)
                        .map(|(column, &scale)| step.moved(column, scale))
                        .collect()
                });
                let region = &task.regions[*id];
                let row = region.floats(facet);
                let whole = step.is_whole
                    && region.is_whole(facet)
                    && slots.iter().all(|slot| slot.scale.is_integer());
                let (per_use, sure) = signed_sum(
                    row.iter().zip(columns.iter()).map(|(factor, moved)| factor * moved),
                    whole,
                );
                let linear = slots.iter().all(|slot| slot.factors.len() <= 1);
                Gain { per_use, is_steady: sure && linear, test: region.test(facet) }
            }
        })
    }
}

impl Contribution {
    /// By how much it moves its variable from these values.
    pub(super) fn delta(&self, numbers: &NumberTable, values: StateValues) -> f64 {
        self.constant.unwrap_or_else(|| delta(&self.change, numbers, values))
    }
}

/// By how much a change moves its variable from these values.
fn delta(change: &VariableChange, numbers: &NumberTable, values: StateValues) -> f64 {
    let amount = change.amount.float(&|variable| numbers.float(values.number(variable)));
    let old = numbers.float(values.number(change.variable));
    match change.operation {
        Operation::Add => amount,
        Operation::Assign => amount - old,
        Operation::Scale => old * (amount - 1.0),
    }
}

/// How a group may help later, though it does not help now. `slope` is how a condition grows with a
/// variable, if that is known; `cost` is the cost of reaching a condition.
pub(super) fn possible(
    contributions: &[Contribution],
    missing: f64,
    slope: &dyn Fn(VariableId) -> Option<f64>,
    cost: &dyn Fn(ConditionId) -> Cost,
) -> Option<DeficitReduction> {
    let ways = contributions.iter().filter(|contribution| !contribution.burdens).filter_map(
        |contribution| {
            let Some(slope) = slope(contribution.change.variable).filter(|slope| !slope.is_nan())
            else {
                return Some(DeficitReduction::DOUBTFUL);
            };
            let condition = match contribution.constant {
                Some(_) => None,
                // Where something is undefined, even a term of factor zero is in the way.
                None if slope == 0.0 => {
                    return (!missing.is_finite()).then_some(DeficitReduction::DOUBTFUL);
                }
                None if slope > 0.0 => contribution.above,
                None => contribution.below,
            };
            let Some(condition) = condition.filter(|_| missing.is_finite()) else {
                return Some(DeficitReduction::DOUBTFUL);
            };
            let extra = cost(condition);
            // As if the amount became one.
            let times = (missing / slope.abs()).ceil().clamp(1.0, f64::from(LARGEST)) as u32;
            (!extra.is_infinite()).then_some(DeficitReduction {
                times,
                extra: extra.steps(),
                besides: Some(condition),
            })
        },
    );
    ways.min_by_key(|way| way.times.saturating_add(way.extra))
}

/// A sum of floats, and whether its sign is that of the exact sum: beyond doubt by its size, or
/// because all terms are zero, or (the caller knows) whole.
fn signed_sum(terms: impl Iterator<Item = f64>, whole: bool) -> (f64, bool) {
    let (mut sum, mut size) = (0.0, 0.0f64);
    for term in terms {
        sum += term;
        size += term.abs();
    }
    (sum, size == 0.0 || (whole && size < 9e15) || sum.abs() > size * DOUBTFUL)
}
