//! Tables: rows of cells under named columns, one row after the other, whatever the format of the
//! file.
//!
//! Each row is read into the same buffer, so memory does not grow with the file. Numbers stay text;
//! the learner decides what a decimal means. A [`Mark`] remembers where a row begins, so that it
//! can be read again without the rows before it.

mod csv;
mod data;
mod json;
mod memory;
#[cfg(feature = "parquet")]
mod parquet;
mod quotes;

use std::path::Path;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use surefoot_base::exact::Rational;
use surefoot_base::pddl::{Diagnostic, Numbers, Position, SourcePlace, visible};

use data::Data;
pub use data::TableFormat;
pub(crate) use json::{JsonObject, JsonText};
pub use memory::Value;

/// What a cell says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell<'r> {
    /// Nothing: it is empty, `null`, `NaN` or another of [`MISSING`].
    Missing,
    /// A cell with text.
    Text(&'r str),
    /// A number, as it was written.
    Number(&'r str),
    /// A cell with yes or no.
    Flag(bool),
}

impl<'r> Cell<'r> {
    /// The cell as it was written; empty where nothing was.
    pub fn text(self) -> &'r str {
        match self {
            Cell::Missing => "",
            Cell::Text(text) | Cell::Number(text) => text,
            Cell::Flag(true) => "true",
            Cell::Flag(false) => "false",
        }
    }
}

/// The words that stand for "there is no value", besides the empty cell: what pandas, R, SQL and
/// Python write.
pub const MISSING: [&str; 9] = ["NaN", "nan", "NA", "N/A", "<NA>", "NaT", "null", "NULL", "None"];

/// Whether a text, without blanks around it, stands for no value.
fn is_missing(text: &str) -> bool {
    text.is_empty() || text.len() <= 4 && MISSING.contains(&text)
}

/// The names of columns, in the order in which they were met.
#[derive(Clone, Debug, Default)]
pub struct ColumnNames(IndexSet<Box<str>, FxBuildHasher>);

impl ColumnNames {
    /// The number of a column.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.0.get_index_of(name)
    }

    /// The name of a column.
    pub fn name(&self, column: usize) -> &str {
        self.0.get_index(column).map_or("", |name| name)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|name| &**name)
    }

    /// The number of a column; a new one where it is met for the first time.
    fn intern(&mut self, name: &str) -> usize {
        match self.0.get_index_of(name) {
            Some(index) => index,
            None => self.0.insert_full(name.into()).0,
        }
    }
}

/// Where a row begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Mark {
    /// The bytes (in memory: the rows) before it.
    offset: u64,
    /// Its line, counted from 1; the line of names counts.
    line: u64,
}

impl Mark {
    /// The line of the row, counted from 1 as editors and spreadsheets do.
    pub fn line(self) -> usize {
        self.line as usize
    }
}

/// A row, read into memory that the next one uses again.
#[derive(Clone, Debug, Default)]
pub struct TableRow {
    mark: Mark,
    text: String,
    cells: Vec<CellText>,
}

#[derive(Clone, Copy, Debug)]
enum CellText {
    Missing,
    Text(u32, u32),
    Number(u32, u32),
    Flag(bool),
}

impl TableRow {
    /// The place where the row begins.
    pub fn mark(&self) -> Mark {
        self.mark
    }

    /// The cells of the row, in the order of columns.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        (0..self.cells.len()).map(|column| self.cell(column))
    }

    /// The cell of a column. A column that this row does not have says nothing.
    pub fn cell(&self, column: usize) -> Cell<'_> {
        let text = |start: u32, end: u32| self.text.get(start as usize..end as usize).unwrap_or("");
        match self.cells.get(column) {
            None | Some(CellText::Missing) => Cell::Missing,
            Some(&CellText::Text(start, end)) => Cell::Text(text(start, end)),
            Some(&CellText::Number(start, end)) => Cell::Number(text(start, end)),
            Some(&CellText::Flag(flag)) => Cell::Flag(flag),
        }
    }

    /// How many bytes a copy of it takes.
    pub(crate) fn size(&self) -> usize {
        size_of::<TableRow>() + self.text.len() + self.cells.len() * size_of::<CellText>()
    }

    fn begin(&mut self, mark: Mark, columns: usize) {
        self.mark = mark;
        self.text.clear();
        self.cells.clear();
        self.cells.resize(columns, CellText::Missing);
    }

    fn keep(&mut self, text: &str) -> (u32, u32) {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        (start, self.text.len() as u32)
    }

    fn set(&mut self, column: usize, kept: CellText) {
        if column >= self.cells.len() {
            self.cells.resize(column + 1, CellText::Missing);
        }
        self.cells[column] = kept;
    }

    /// A word, or nothing where it is one of the words for it. Blanks around it do not count.
    fn set_text(&mut self, column: usize, text: &str) {
        let text = text.trim();
        let kept = if is_missing(text) {
            CellText::Missing
        } else {
            let (start, end) = self.keep(text);
            CellText::Text(start, end)
        };
        self.set(column, kept);
    }

    fn set_number(&mut self, column: usize, text: &str) {
        let (start, end) = self.keep(text);
        self.set(column, CellText::Number(start, end));
    }
}

/// Rows, one after the other.
pub trait RowReader {
    /// The columns that are known by now. In CSV all of them are known at once; in JSON lines they
    /// come with the rows.
    fn columns(&self) -> &ColumnNames;

    /// Reads the next row; false at the end.
    ///
    /// # Errors
    /// The row is not one of the format.
    fn next(&mut self, row: &mut TableRow) -> Result<bool, Diagnostic>;
}

/// A table that can be read as often as need be.
#[derive(Clone, Debug)]
pub struct Table {
    name: Box<str>,
    data: Arc<Data>,
}

impl Table {
    /// A table in a file, compressed or not. What it is follows from its name, or else from how it
    /// begins.
    ///
    /// # Errors
    /// It cannot be opened, or its compression is damaged.
    pub fn open(path: &Path) -> Result<Self, Diagnostic> {
        let name = visible(&path.to_string_lossy()).into_owned();
        let data = Data::open(path, &name)?;
        Ok(Table { name: name.into(), data: Arc::new(data) })
    }

    /// A table that is read from somewhere once, such as standard input, and kept in a temporary
    /// file.
    ///
    /// # Errors
    /// It cannot be read or kept, or its compression is damaged.
    pub fn read(
        name: &str,
        reader: &mut dyn std::io::Read,
        format: Option<TableFormat>,
    ) -> Result<Self, Diagnostic> {
        let data = Data::spool(name, reader, format)?;
        Ok(Table { name: visible(name).into(), data: Arc::new(data) })
    }

    /// A table in memory: its columns, and all its cells row by row.
    pub fn in_memory<N: AsRef<str>>(
        name: &str,
        columns: impl IntoIterator<Item = N>,
        cells: Vec<Value>,
    ) -> Result<Self, Diagnostic> {
        let data = Data::Memory(memory::TableInMemory::new(name, columns, cells)?);
        Ok(Table { name: visible(name).into(), data: Arc::new(data) })
    }

    /// Its name, as messages show it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether every row has the same columns, which are known at once.
    pub fn has_fixed_columns(&self) -> bool {
        self.data.has_fixed_columns()
    }

    /// Reads the rows of the table from the first one on.
    ///
    /// # Errors
    /// It cannot be opened, or has no columns.
    pub fn rows(&self) -> Result<Box<dyn RowReader + '_>, Diagnostic> {
        self.data.rows(&self.name, None)
    }

    /// Its rows from a place on; the columns are those that were met before.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn rows_from(
        &self,
        mark: Mark,
        columns: ColumnNames,
    ) -> Result<Box<dyn RowReader + '_>, Diagnostic> {
        self.data.rows(&self.name, Some((mark, columns)))
    }

    /// A message about a cell: `file:row:column`, with the column's name and the cell.
    pub fn error(
        &self,
        row: &TableRow,
        column: usize,
        name: &str,
        message: impl Into<String>,
    ) -> Diagnostic {
        cell_error(&self.name, row.mark.line(), column, name, row.cell(column).text(), message)
    }

    /// A message about a cell, given its place.
    pub fn error_at(
        &self,
        line: usize,
        column: usize,
        name: &str,
        cell: &str,
        message: impl Into<String>,
    ) -> Diagnostic {
        cell_error(&self.name, line, column, name, cell, message)
    }

    /// A message about a row.
    pub fn row_error(&self, mark: Mark, message: impl Into<String>) -> Diagnostic {
        let position = Position { line: mark.line(), column: 1 };
        Diagnostic::at(
            SourcePlace {
                file: self.name.clone(),
                position,
                excerpt: "(this row)".into(),
                mark: 0..10,
            },
            message,
        )
    }
}

/// Whether a text is digits and nothing else.
pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The number that a cell is; the error says what is wrong with it.
pub(crate) fn number(numbers: Numbers, text: &str) -> Result<Rational, String> {
    numbers.read(text).map_err(|error| advice(text).unwrap_or_else(|| error.to_string()))
}

/// Digits in groups of three, without what is between them.
fn joined_thousands(text: &str, between: impl FnMut(char) -> bool) -> Option<String> {
    let mut groups = text.split(between);
    let first = groups.next().unwrap_or("");
    let rest: Vec<&str> = groups.collect();
    let are_groups = is_digits(first)
        && first.len() <= 3
        && rest.iter().all(|group| is_digits(group) && group.len() == 3);
    (are_groups && !rest.is_empty()).then(|| format!("{first}{}", rest.concat()))
}

fn without_signs(sign: &str, plain: &str) -> String {
    format!("a number has no signs between its thousands: write {sign}{plain}")
}

/// What to write for a number with signs between its digits; `None` where it is none. Only what can
/// be meant is advised.
fn advice(text: &str) -> Option<String> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some((whole, part)) = unsigned
        .rsplit_once(['.', ','])
        .filter(|_| unsigned.contains(',') && unsigned.contains('.'))
    {
        let between = if unsigned[whole.len()..].starts_with(',') { '.' } else { ',' };
        return joined_thousands(whole, |c| c == between)
            .filter(|_| is_digits(part))
            .map(|whole| without_signs(sign, &format!("{whole}.{part}")));
    }
    if let Some((whole, part)) =
        unsigned.split_once(',').filter(|(whole, part)| is_digits(whole) && is_digits(part))
    {
        let plain = joined_thousands(unsigned, |c| c == ',').filter(|_| !whole.starts_with('0'));
        return Some(match plain {
            Some(plain) => format!(
                "the comma may stand between thousands or before decimals: write {sign}{plain} or \
                 {sign}{whole}.{part}, whichever is meant"
            ),
            None => format!(
                "a decimal comma? Numbers have a decimal point: write {sign}{whole}.{part} \
                 (pandas: read_csv(…, decimal=\",\"), then to_csv)"
            ),
        });
    }
    let joined = joined_thousands(unsigned, |c| c == ',')
        .or_else(|| joined_thousands(unsigned, |c| c == '.'))
        .or_else(|| {
            joined_thousands(unsigned, |c: char| c.is_whitespace() || "_'\u{2019}".contains(c))
        });
    joined.map(|plain| without_signs(sign, &plain))
}

/// Whether a cell would be a number if its comma were a point: `63,7`.
pub(crate) fn has_decimal_comma(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    unsigned.split_once(',').is_some_and(|(whole, rest)| is_digits(whole) && is_digits(rest))
}

/// The longest cell that a message shows, in characters.
const SHOWN: usize = 60;

fn cell_error(
    file: &str,
    line: usize,
    column: usize,
    name: &str,
    cell: &str,
    message: impl Into<String>,
) -> Diagnostic {
    let mut excerpt = format!("{} = ", visible(name));
    let start = excerpt.chars().count();
    let cell = visible(cell);
    excerpt.extend(cell.chars().take(SHOWN));
    if cell.chars().count() > SHOWN {
        excerpt.push('…');
    }
    let end = excerpt.chars().count().max(start + 1);
    let place = SourcePlace {
        file: file.into(),
        position: Position { line, column: column + 1 },
        excerpt,
        mark: start..end,
    };
    Diagnostic::at(place, message)
}
