//! The two tables of an action: rows of all states before its steps, then of all states after them.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::column::{NumericQuantity, TableColumn};
use super::observed::{SeenStep, StateRow, SymbolId};

/// A cell; `None`: not observed.
pub(super) type ObservedValue = Option<f64>;

/// Columns and their cells, column by column.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct ObservationTable {
    pub(super) columns: Vec<(TableColumn, Vec<ObservedValue>)>,
}

/// What was observed of an action.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ActionTables {
    /// The number of steps: the first row of a state after a step.
    pub(super) steps: usize,
    pub(super) logical: ObservationTable,
    /// Functions, and the clock.
    pub(super) numeric: Vec<(NumericQuantity, Vec<ObservedValue>)>,
}

/// The tables of an action's steps. Columns come in the order in which they are met; the clock ends
/// those of the first row.
pub(super) fn tables(steps: &[&SeenStep], with_clock: bool) -> ActionTables {
    let rows: Vec<&StateRow> =
        steps.iter().map(|step| &step.before).chain(steps.iter().map(|step| &step.after)).collect();
    let mut logical = IndexMap::<TableColumn, Vec<ObservedValue>, FxBuildHasher>::default();
    let mut numeric = IndexMap::<NumericQuantity, Vec<ObservedValue>, FxBuildHasher>::default();
    for (index, row) in rows.iter().enumerate() {
        for (literal, value) in &row.literals {
            let cells = match literal.symbol {
                SymbolId::Predicate(_) => {
                    logical.entry(TableColumn::Fact(literal.clone())).or_default()
                }
                SymbolId::Function(_) => {
                    numeric.entry(NumericQuantity::Function(literal.clone())).or_default()
                }
            };
            cells.resize(rows.len(), None);
            cells[index] = Some(*value);
        }
        if with_clock {
            let cells = numeric.entry(NumericQuantity::Clock).or_default();
            cells.resize(rows.len(), None);
            cells[index] = Some(row.clock as f64);
        }
    }
    ActionTables {
        steps: steps.len(),
        logical: ObservationTable { columns: logical.into_iter().collect() },
        numeric: numeric.into_iter().collect(),
    }
}

/// The change of a column in every step.
pub(super) fn changes(cells: &[ObservedValue]) -> Vec<ObservedValue> {
    let (before, after) = cells.split_at(cells.len() / 2);
    before.iter().zip(after).map(|(before, after)| Some((*after)? - (*before)?)).collect()
}
