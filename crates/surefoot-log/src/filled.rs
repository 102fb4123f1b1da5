//! Which columns the rows of each action fill: where one of them is empty, its cell was lost.
//!
//! A row that leaves a cell and the cell that says whose it is empty either is not about such a
//! fact, as no row of its action is, or lost both.

use crate::map::Meaning;
use crate::table::{Cell, TableRow};

/// The columns that some row of each word of the action column fills.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilledColumns {
    columns: usize,
    /// By word of the map, and one for all other words; then by column.
    filled: Vec<bool>,
}

impl FilledColumns {
    /// None of a table with so many columns.
    pub fn new(meaning: &Meaning, columns: usize) -> Self {
        FilledColumns { columns, filled: vec![false; (meaning.actions.len() + 1) * columns] }
    }

    /// Looks at a row, whose action stands in the column `action`.
    pub fn row(&mut self, meaning: &Meaning, action: usize, row: &TableRow) {
        let first = self.first(meaning, action, row);
        for (column, filled) in self.filled.iter_mut().skip(first).take(self.columns).enumerate() {
            *filled |= row.cell(column) != Cell::Missing;
        }
    }

    /// Whether some row with the action of this one fills a column.
    pub fn fills(&self, meaning: &Meaning, action: usize, row: &TableRow, column: usize) -> bool {
        self.filled.get(self.first(meaning, action, row) + column).copied().unwrap_or(true)
    }

    fn first(&self, meaning: &Meaning, action: usize, row: &TableRow) -> usize {
        let word = meaning.names.of(row.cell(action));
        let number = meaning.actions.get_index_of(&*word).unwrap_or(meaning.actions.len());
        number * self.columns
    }
}
