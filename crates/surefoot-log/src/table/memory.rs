//! Tables in memory: data frames, and whatever else a caller has at hand.

use surefoot_base::pddl::Diagnostic;

use super::{Cell, CellText, ColumnNames, Mark, RowReader, TableRow};

/// A cell of a table in memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Value {
    /// There is no value.
    #[default]
    Missing,
    /// A cell with text.
    Text(Box<str>),
    /// A number, as it is written; floats as Python prints them.
    Number(Box<str>),
    /// A cell with yes or no.
    Flag(bool),
}

impl Value {
    /// What a text says: blanks around it do not count, and some words stand for no value.
    pub fn of_text(text: &str) -> Value {
        let text = text.trim();
        if super::is_missing(text) { Value::Missing } else { Value::Text(text.into()) }
    }

    /// The value as a cell.
    pub fn cell(&self) -> Cell<'_> {
        match self {
            Value::Missing => Cell::Missing,
            Value::Text(text) => Cell::Text(text),
            Value::Number(text) => Cell::Number(text),
            Value::Flag(flag) => Cell::Flag(*flag),
        }
    }
}

#[derive(Debug)]
pub(super) struct TableInMemory {
    columns: ColumnNames,
    cells: Vec<Value>,
}

impl TableInMemory {
    pub fn new<N: AsRef<str>>(
        name: &str,
        titles: impl IntoIterator<Item = N>,
        cells: Vec<Value>,
    ) -> Result<Self, Diagnostic> {
        let mut columns = ColumnNames::default();
        for title in titles {
            let title = title.as_ref();
            if columns.find(title).is_some() {
                return Err(Diagnostic::of_file(name, format!("two columns are named `{title}`")));
            }
            columns.intern(title);
        }
        if columns.is_empty() || !cells.len().is_multiple_of(columns.len()) {
            let message =
                format!("{} cells do not make rows of {} columns", cells.len(), columns.len());
            return Err(Diagnostic::of_file(name, message));
        }
        Ok(TableInMemory { columns, cells })
    }

    pub fn rows(&self, from: u64) -> MemoryRows<'_> {
        MemoryRows { memory: self, next: from }
    }
}

pub(super) struct MemoryRows<'m> {
    memory: &'m TableInMemory,
    next: u64,
}

impl RowReader for MemoryRows<'_> {
    fn columns(&self) -> &ColumnNames {
        &self.memory.columns
    }

    fn next(&mut self, row: &mut TableRow) -> Result<bool, Diagnostic> {
        let width = self.memory.columns.len();
        let start = self.next as usize * width;
        let Some(cells) = self.memory.cells.get(start..start + width) else { return Ok(false) };
        // As in a file: the line of names is the first.
        row.begin(Mark { offset: self.next, line: self.next + 2 }, width);
        for (column, cell) in cells.iter().enumerate() {
            match cell {
                Value::Missing => {}
                Value::Text(text) => row.set_text(column, text),
                Value::Number(text) => row.set_number(column, text),
                Value::Flag(flag) => row.set(column, CellText::Flag(*flag)),
            }
        }
        self.next += 1;
        Ok(true)
    }
}
