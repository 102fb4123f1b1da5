//! The numeric table completed: how changing numbers compare with others, and which way they
//! change.

use super::column::{Amount, NumericQuantity, NumericRelation, TableColumn};
use super::tables::{ActionTables, ObservationTable, ObservedValue, changes};

/// A column that changes, and the expression for the size of its change.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ColumnChange {
    /// Its place among the numeric columns.
    pub(super) column: usize,
    pub(super) amount: Amount,
}

/// The numeric columns that change in some step.
pub(super) fn changing(tables: &ActionTables) -> Vec<usize> {
    (0..tables.numeric.len())
        .filter(|&index| {
            changes(&tables.numeric[index].1).into_iter().flatten().any(|change| change != 0.0)
        })
        .collect()
}

/// Numbers, comparisons, directions, in this order. With `own_change` a number is compared with its
/// own change too, and changes have the sign that their expressions have.
pub(super) fn complete(
    tables: &ActionTables,
    changed: &[ColumnChange],
    own_change: bool,
) -> ObservationTable {
    let mut columns: Vec<(TableColumn, Vec<ObservedValue>)> = tables
        .numeric
        .iter()
        .map(|(quantity, cells)| (TableColumn::Number(quantity.clone()), cells.clone()))
        .collect();
    for change in changed {
        let (left, left_cells) = &tables.numeric[change.column];
        for (right, right_cells) in &tables.numeric[change.column + 1..] {
            if let NumericQuantity::Function(right) = right {
                let right = Amount::Function(right.clone());
                columns.extend(comparisons(left, left_cells, &right, right_cells));
            }
        }
        for other in changed {
            let is_own = other.column == change.column;
            let (quantity, cells) = &tables.numeric[other.column];
            if *quantity != NumericQuantity::Clock && (own_change || !is_own) {
                let sizes: Vec<ObservedValue> = changes(cells)
                    .into_iter()
                    .map(|cell| cell.map(|change| if own_change { change.abs() } else { -change }))
                    .collect();
                columns.extend(comparisons(left, left_cells, &other.amount, &sizes.repeat(2)));
            }
        }
    }
    for change in changed {
        let (quantity, cells) = &tables.numeric[change.column];
        let after = changes(cells)
            .into_iter()
            .map(|cell| cell.map(|change| if change > 0.0 { 1.0 } else { -1.0 }));
        let directions = std::iter::repeat_n(Some(0.0), tables.steps).chain(after).collect();
        columns.push((TableColumn::Direction(quantity.clone(), change.amount.clone()), directions));
    }
    ObservationTable { columns }
}

/// Equal, less, greater: those that have another value somewhere than in the first row.
fn comparisons(
    left: &NumericQuantity,
    left_cells: &[ObservedValue],
    right: &Amount,
    right_cells: &[ObservedValue],
) -> Vec<(TableColumn, Vec<ObservedValue>)> {
    let mut columns = Vec::new();
    for relation in NumericRelation::ALL {
        let cells: Vec<ObservedValue> = left_cells
            .iter()
            .zip(right_cells)
            .map(|(left, right): (&ObservedValue, &ObservedValue)| {
                Some(f64::from(u8::from(relation.holds((*left)?, (*right)?))))
            })
            .collect();
        if cells.iter().skip(1).any(|cell| cell.is_some() && *cell != cells[0]) {
            columns.push((TableColumn::Comparison(relation, left.clone(), right.clone()), cells));
        }
    }
    columns
}
