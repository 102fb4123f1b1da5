//! The two tables of an action: rows of all states before its steps, then of all states after them.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::column::{Column, Quantity};
use super::observed::{Row, SeenStep, Symbol};

/// A cell; `None`: not observed.
pub(super) type Cell = Option<f64>;

/// Columns and their cells, column by column.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Table {
    pub(super) columns: Vec<(Column, Vec<Cell>)>,
}

/// What was observed of an action.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tables {
    /// The number of steps: the first row of a state after a step.
    pub(super) steps: usize,
    pub(super) logical: Table,
    /// Functions, and the clock.
    pub(super) numeric: Vec<(Quantity, Vec<Cell>)>,
}

/// The tables of an action's steps. Columns come in the order in which they are met; the clock ends
/// those of the first row.
pub(super) fn tables(steps: &[&SeenStep], with_clock: bool) -> Tables {
    let rows: Vec<&Row> =
        steps.iter().map(|step| &step.before).chain(steps.iter().map(|step| &step.after)).collect();
    let mut logical = IndexMap::<Column, Vec<Cell>, FxBuildHasher>::default();
    let mut numeric = IndexMap::<Quantity, Vec<Cell>, FxBuildHasher>::default();
    for (index, row) in rows.iter().enumerate() {
        for (literal, value) in &row.literals {
            let cells = match literal.symbol {
                Symbol::Predicate(_) => logical.entry(Column::Fact(literal.clone())).or_default(),
                Symbol::Function(_) => {
                    numeric.entry(Quantity::Function(literal.clone())).or_default()
                }
            };
            cells.resize(rows.len(), None);
            cells[index] = Some(*value);
        }
        if with_clock {
            let cells = numeric.entry(Quantity::Clock).or_default();
            cells.resize(rows.len(), None);
            cells[index] = Some(row.clock as f64);
        }
    }
    Tables {
        steps: steps.len(),
        logical: Table { columns: logical.into_iter().collect() },
        numeric: numeric.into_iter().collect(),
    }
}

/// The change of a column in every step.
pub(super) fn changes(cells: &[Cell]) -> Vec<Cell> {
    let (before, after) = cells.split_at(cells.len() / 2);
    before.iter().zip(after).map(|(before, after)| Some((*after)? - (*before)?)).collect()
}
