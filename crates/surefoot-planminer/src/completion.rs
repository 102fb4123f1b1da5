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
    let changes =
        |cells: &[ObservedValue]| changes(cells).into_iter().flatten().any(|change| change != 0.0);
    (0..tables.numeric.len()).filter(|&index| changes(&tables.numeric[index].1)).collect()
}

/// Numbers, comparisons, directions, in this order. With `own_change` a number is compared with its
/// own change too, and changes have the sign that their expressions have.
pub(super) fn complete(
    tables: &ActionTables,
    changed: &[ColumnChange],
    own_change: bool,
) -> ObservationTable {
    let quantity = |index: usize| &tables.numeric[index].0;
    let cells = |index: usize| &tables.numeric[index].1;
    let mut columns: Vec<(TableColumn, Vec<ObservedValue>)> = tables
        .numeric
        .iter()
        .map(|(quantity, cells)| (TableColumn::Number(quantity.clone()), cells.clone()))
        .collect();
    for change in changed {
        let left = quantity(change.column);
        for other in change.column + 1..tables.numeric.len() {
            if let NumericQuantity::Function(right) = quantity(other) {
                let right = Amount::Function(right.clone());
                columns.extend(comparisons(left, cells(change.column), &right, cells(other)));
            }
        }
        for other in changed {
            let is_own = other.column == change.column;
            if *quantity(other.column) != NumericQuantity::Clock && (own_change || !is_own) {
                let size = |cell: ObservedValue| {
                    cell.map(|change| if own_change { change.abs() } else { -change })
                };
                let sizes: Vec<ObservedValue> =
                    changes(cells(other.column)).into_iter().map(size).collect();
                columns.extend(comparisons(
                    left,
                    cells(change.column),
                    &other.amount,
                    &sizes.repeat(2),
                ));
            }
        }
    }
    for change in changed {
        let direction =
            |cell: ObservedValue| cell.map(|change| if change > 0.0 { 1.0 } else { -1.0 });
        let after = changes(cells(change.column)).into_iter().map(direction);
        let directions = std::iter::repeat_n(Some(0.0), tables.steps).chain(after).collect();
        columns.push((
            TableColumn::Direction(quantity(change.column).clone(), change.amount.clone()),
            directions,
        ));
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
    let column = |relation: NumericRelation| {
        let compare = |(left, right): (&ObservedValue, &ObservedValue)| {
            Some(f64::from(u8::from(relation.holds((*left)?, (*right)?))))
        };
        let cells: Vec<ObservedValue> = left_cells.iter().zip(right_cells).map(compare).collect();
        let varies = cells.iter().skip(1).any(|cell| cell.is_some() && *cell != cells[0]);
        varies.then(|| (TableColumn::Comparison(relation, left.clone(), right.clone()), cells))
    };
    NumericRelation::ALL.into_iter().filter_map(column).collect()
}
