//! The conditions of all rules of an action, taken together.

use super::column::TableColumn;
use super::rules::SpecificRule;
use super::tables::ObservationTable;
use super::trapezoid::Trapezoid;
use surefoot_base::model::TypeId;

/// A column and the label it is in: true 1 and false 0, a direction 1, 0 or −1, or the middle of a
/// label as an integer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LabelCondition {
    pub(super) column: TableColumn,
    pub(super) value: i64,
}

/// A condition with the weight of the rules that have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pooled {
    pub(super) condition: LabelCondition,
    pub(super) weight: i64,
}

/// The conditions of the rules for states before a step, and of those for states after it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Pools {
    pub(super) before: Vec<Pooled>,
    pub(super) after: Vec<Pooled>,
}

/// The share of a weight below which a value that contradicts another one is not kept.
const CONFLICT_SHARE: f64 = 0.05;

impl Pools {
    /// Adds the rules of a table. Types of parameters become those of the header, so columns that
    /// differ in these alone coincide.
    pub(super) fn add(
        &mut self,
        rules: &[SpecificRule],
        table: &ObservationTable,
        labels: &[Vec<Trapezoid>],
        types: &[TypeId],
    ) {
        for rule in rules {
            let weight = rule.positive.floor() as i64;
            // The weight of a rule for states before is stored as a negative number: one of zero
            // counts as one for states after.
            let pool = if rule.post || weight < 1 { &mut self.after } else { &mut self.before };
            let mut seen: Vec<LabelCondition> = Vec::new();
            for condition in conditions(rule, table, labels, types) {
                if !seen.contains(&condition) {
                    seen.push(condition);
                }
            }
            for condition in seen {
                match pool.iter_mut().find(|pooled| pooled.condition == condition) {
                    Some(pooled) => pooled.weight += weight,
                    None => pool.push(Pooled { condition, weight }),
                }
            }
        }
    }

    /// The conditions that stay where a column has several values.
    pub(super) fn resolved(&self) -> (Vec<LabelCondition>, Vec<LabelCondition>) {
        (resolve(&self.before, false), resolve(&self.after, true))
    }
}

/// The conditions of a rule that are handed on: columns with more than two labels vanish.
fn conditions<'a>(
    rule: &'a SpecificRule,
    table: &'a ObservationTable,
    labels: &'a [Vec<Trapezoid>],
    types: &'a [TypeId],
) -> impl Iterator<Item = LabelCondition> + 'a {
    let mut start = 0;
    let places = labels.iter().map(move |labels| {
        let place = start;
        start += labels.len();
        place
    });
    let columns = table.columns.iter().zip(labels).zip(places).zip(&rule.active);
    columns.filter_map(move |((((column, _), labels), place), &active)| {
        let bits = &rule.bits[place..place + labels.len()];
        let restricts = active && labels.len() <= 2 && bits.contains(&false);
        let label = bits.iter().position(|bit| *bit).filter(|_| restricts)?;
        Some(LabelCondition {
            column: column.with_types(types),
            value: labels[label].middle().trunc() as i64,
        })
    })
}

/// Of several values of a column the first is kept, if its weight counts beside the last one's;
/// else the last. (After a step it is the first in either case.)
fn resolve(pool: &[Pooled], after: bool) -> Vec<LabelCondition> {
    let mut kept = Vec::new();
    for pooled in pool {
        let column = &pooled.condition.column;
        let mut same = pool.iter().filter(|other| other.condition.column == *column);
        let Some(first) = same.next() else { continue };
        let last = same.next_back().unwrap_or(first);
        let sum = (first.weight + last.weight) as f64;
        let [first_counts, last_counts] =
            [first, last].map(|pooled| pooled.weight as f64 / sum > CONFLICT_SHARE);
        let winner = if std::ptr::eq(first, last) || first_counts {
            Some(first)
        } else if last_counts {
            Some(if after { first } else { last })
        } else {
            None
        };
        if winner.is_some_and(|winner| std::ptr::eq(winner, pooled)) {
            kept.push(pooled.condition.clone());
        }
    }
    kept
}
