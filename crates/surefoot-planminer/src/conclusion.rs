//! From pooled conditions to an action: what it needs, and what it does.

use std::collections::BTreeMap;

use super::column::{Amount, ColumnWriter, NumericQuantity, NumericRelation, TableColumn};
use super::interval::{ConstantComparison, NumericInterval};
use super::observed::TypedApplication;
use super::pools::{LabelCondition, Pools};
use surefoot_base::model::Comparison;

/// What an action needs.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Need {
    /// A literal. One that must be false is not written.
    Fact(TypedApplication, bool),
    /// A comparison. One of the clock is not written.
    Compare(Comparison, NumericQuantity, RightSide),
}

/// The right side of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum RightSide {
    Amount(Amount),
    /// Written with six decimals.
    Number(f64),
}

/// What an action does.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Deed {
    Fact(TypedApplication, bool),
    /// A number grows or shrinks.
    Change {
        quantity: NumericQuantity,
        grows: bool,
        amount: Amount,
    },
    /// A number takes a value. Of the clock it is written in a way that no reader accepts.
    Assign(NumericQuantity, i64),
}

/// What was concluded about an action.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Concluded {
    pub(super) needs: Vec<Need>,
    pub(super) deeds: Vec<Deed>,
}

/// Concludes an action. `static_facts` are facts that never vary, which become needs: the repair of
/// that name; else none.
pub(super) fn conclude(
    pools: &Pools,
    static_facts: &[LabelCondition],
    words: ColumnWriter<'_>,
) -> Concluded {
    let (mut before, mut after) = pools.resolved();
    for conditions in [&mut before, &mut after] {
        conditions
            .retain(|condition| !static_facts.iter().any(|fact| fact.column == condition.column));
    }
    before.extend_from_slice(static_facts);
    Concluded { needs: needs(&before, words), deeds: deeds(&before, &after, words) }
}

fn needs(before: &[LabelCondition], words: ColumnWriter<'_>) -> Vec<Need> {
    before
        .iter()
        .filter_map(|condition| match &condition.column {
            TableColumn::Fact(fact) => Some(Need::Fact(fact.clone(), condition.value == 1)),
            _ => None,
        })
        .chain(comparisons(before, words))
        .collect()
}

/// Comparisons of a left side with one right side, or with all constants.
struct ComparisonGroup<'a> {
    left: &'a NumericQuantity,
    right: &'a Amount,
    /// In the order of the pool.
    members: Vec<(NumericRelation, &'a Amount, bool)>,
}

fn comparisons(before: &[LabelCondition], words: ColumnWriter<'_>) -> Vec<Need> {
    let mut groups = BTreeMap::<(String, String), ComparisonGroup<'_>>::new();
    for condition in before {
        if let TableColumn::Comparison(relation, left, right) = &condition.column {
            let right_text = if let Amount::Constant(_) = right {
                "NUMERO".to_owned()
            } else {
                words.amount(right)
            };
            let group = groups
                .entry((words.quantity(left), right_text))
                .or_insert_with(|| ComparisonGroup { left, right, members: Vec::new() });
            group.members.push((*relation, right, condition.value == 1));
        }
    }
    without_contained(groups.values().flat_map(ComparisonGroup::comparisons).collect(), words)
}

impl ComparisonGroup<'_> {
    fn comparisons(&self) -> Vec<(Comparison, NumericQuantity, RightSide)> {
        if let Amount::Constant(_) = self.right {
            return self
                .interval()
                .comparisons()
                .into_iter()
                .map(|(sign, number)| (sign, self.left.clone(), RightSide::Number(number)))
                .collect();
        }
        // Only the last one counts, and only if it is true.
        let last = self.members.last().filter(|(_, _, is_true)| *is_true).map(|(relation, ..)| {
            match relation {
                NumericRelation::Equal => Comparison::Equal,
                NumericRelation::Less => Comparison::Less,
                NumericRelation::Greater => Comparison::Greater,
            }
        });
        last.into_iter()
            .map(|sign| (sign, self.left.clone(), RightSide::Amount(self.right.clone())))
            .collect()
    }

    fn interval(&self) -> NumericInterval {
        let mut constants = BTreeMap::<i64, Vec<NumericRelation>>::new();
        for (relation, amount, is_true) in &self.members {
            if let (Amount::Constant(constant), true) = (amount, is_true) {
                constants.entry(*constant).or_default().push(*relation);
            }
        }
        let mut interval = NumericInterval::default();
        for (constant, relations) in constants {
            let [equal, less, greater] =
                NumericRelation::ALL.map(|relation| relations.contains(&relation));
            if let Some(item) = ConstantComparison::of(equal, less, greater) {
                interval.take(item, constant as f64);
            }
        }
        interval
    }
}

fn right_text(side: &RightSide, words: ColumnWriter<'_>) -> String {
    match side {
        RightSide::Amount(amount) => words.amount(amount),
        RightSide::Number(number) => six_decimals(*number),
    }
}

fn is_weak(sign: Comparison) -> bool {
    matches!(sign, Comparison::LessOrEqual | Comparison::GreaterOrEqual)
}

/// Of strict comparisons and equations with the same left side, those go whose right text is part
/// of another's.
fn without_contained(
    all: Vec<(Comparison, NumericQuantity, RightSide)>,
    words: ColumnWriter<'_>,
) -> Vec<Need> {
    let contained: Vec<bool> = all
        .iter()
        .enumerate()
        .map(|(index, (sign, left, side))| {
            let own = right_text(side, words);
            let mut others = all.iter().enumerate().filter(|(other, (sign, quantity, _))| {
                *other != index && !is_weak(*sign) && quantity == left
            });
            !is_weak(*sign)
                && others.any(|(_, (_, _, side))| right_text(side, words).contains(&own))
        })
        .collect();
    let kept = all.into_iter().zip(contained).filter(|(_, contained)| !contained);
    kept.map(|((sign, left, side), _)| Need::Compare(sign, left, side)).collect()
}

/// How the original writes numbers in comparisons.
pub(super) fn six_decimals(number: f64) -> String {
    format!("{number:.6}")
}

/// The change that a direction says; `None` where it says that nothing changes.
fn change_of(quantity: &NumericQuantity, amount: &Amount, direction: i64) -> Option<Deed> {
    let (quantity, amount) = (quantity.clone(), amount.clone());
    (direction != 0).then_some(Deed::Change { quantity, grows: direction > 0, amount })
}

fn deeds(
    before: &[LabelCondition],
    after: &[LabelCondition],
    words: ColumnWriter<'_>,
) -> Vec<Deed> {
    let mut first = Vec::new();
    let mut last = BTreeMap::<String, Deed>::new();
    for condition in after {
        match &condition.column {
            TableColumn::Fact(fact) if !before.contains(condition) => {
                first.push(Deed::Fact(fact.clone(), condition.value == 1))
            }
            TableColumn::Fact(_) | TableColumn::Comparison(..) => {}
            TableColumn::Direction(_, Amount::Constant(0)) => {}
            TableColumn::Direction(quantity, amount @ Amount::Constant(constant)) => {
                let text = format!("{} {constant}", words.quantity(quantity));
                last.extend(change_of(quantity, amount, condition.value).map(|deed| (text, deed)));
            }
            TableColumn::Direction(quantity, amount) => {
                first.extend(change_of(quantity, amount, condition.value))
            }
            TableColumn::Number(quantity) => {
                let same =
                    TableColumn::Direction(quantity.clone(), Amount::Constant(condition.value));
                if !after.iter().any(|other| other.column == same) {
                    last.insert(
                        words.quantity(quantity),
                        Deed::Assign(quantity.clone(), condition.value),
                    );
                }
            }
        }
    }
    first.into_iter().chain(last.into_values()).collect()
}
