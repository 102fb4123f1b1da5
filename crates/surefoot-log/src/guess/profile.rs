//! What a column looks like, without knowing what it means.

use rustc_hash::FxHashMap;
use surefoot_base::pddl::{Diagnostic, Numbers};

use crate::table::is_digits;
use crate::table::{Cell, ColumnNames, Table, TableRow, has_decimal_comma};

/// The rows that are looked at. A guess is to be read by a person, so more of them would not make
/// it better.
const SAMPLE: usize = 20_000;

/// The beginning of a log, by columns.
pub(super) struct LogSample {
    pub columns: ColumnNames,
    pub rows: usize,
    /// Whether there are more rows.
    pub cut: bool,
    /// By row: its line in the file.
    pub lines: Vec<usize>,
    cells: Vec<Vec<Option<Box<str>>>>,
}

/// What the cells of a column look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CellFormat {
    /// All cells are empty.
    Empty,
    /// All say the same.
    Constant,
    /// All cells are dates or times.
    Time,
    /// All cells are numbers.
    Number,
    /// Numbers with decimal commas, which are none here.
    Comma,
    /// Whole numbers, few of them.
    Count,
    /// All cells say yes or no.
    Flag,
    /// Words that come again and again.
    Word,
    /// A word or number for each row: an id, a remark.
    Unique,
}

impl CellFormat {
    pub fn is_number(self) -> bool {
        matches!(self, CellFormat::Number | CellFormat::Count)
    }
}

impl LogSample {
    pub fn of(table: &Table) -> Result<LogSample, Diagnostic> {
        let mut source = table.rows()?;
        let (mut row, mut rows) = (TableRow::default(), 0);
        let mut cells: Vec<Vec<Option<Box<str>>>> = Vec::new();
        let mut cut = false;
        let mut lines = Vec::new();
        while source.next(&mut row)? {
            if rows == SAMPLE {
                cut = true;
                break;
            }
            cells.resize_with(source.columns().len(), || vec![None; rows]);
            for (column, cells) in cells.iter_mut().enumerate() {
                cells.push(match row.cell(column) {
                    Cell::Missing => None,
                    cell => Some(cell.text().into()),
                });
            }
            lines.push(row.mark().line());
            rows += 1;
        }
        // The row after the last may have brought columns, too.
        cells.resize_with(source.columns().len(), || vec![None; rows]);
        if rows == 0 {
            return Err(Diagnostic::of_file(table.name(), "the log has no rows")
                .help("a guess needs some: name a log that has them"));
        }
        Ok(LogSample { columns: source.columns().clone(), rows, cut, lines, cells })
    }

    pub fn cell(&self, column: usize, row: usize) -> Option<&str> {
        self.cells[column][row].as_deref()
    }

    pub fn filled(&self, column: usize) -> impl Iterator<Item = &str> {
        self.cells[column].iter().flatten().map(|text| &**text)
    }

    /// Its different words, and how often each comes; in the order in which they come.
    pub fn words(&self, column: usize) -> Vec<(&str, usize)> {
        let (mut words, mut places): (Vec<(&str, usize)>, FxHashMap<&str, usize>) =
            (Vec::new(), FxHashMap::default());
        for word in self.filled(column) {
            let place = *places.entry(word).or_insert_with(|| {
                words.push((word, 0));
                words.len() - 1
            });
            words[place].1 += 1;
        }
        words
    }

    /// What its cells look like as values of a state; values that never change count, too.
    pub fn looks_as_state(&self, column: usize) -> CellFormat {
        match self.looks(column) {
            CellFormat::Constant if self.filled(column).all(is_number) => CellFormat::Number,
            CellFormat::Constant if self.filled(column).all(is_flag) => CellFormat::Flag,
            CellFormat::Constant => CellFormat::Word,
            looks => looks,
        }
    }

    pub fn looks(&self, column: usize) -> CellFormat {
        let filled = self.filled(column).count();
        let words = self.words(column);
        let all = |test: &dyn Fn(&str) -> bool| words.iter().all(|(word, _)| test(word));
        match words.len() {
            0 => CellFormat::Empty,
            _ if words.iter().any(|(word, _)| has_decimal_comma(word))
                && all(&|word| is_number(word) || has_decimal_comma(word)) =>
            {
                CellFormat::Comma
            }
            1 if filled == self.rows && self.rows > 2 => CellFormat::Constant,
            _ if all(&is_time) => CellFormat::Time,
            2 if all(&is_flag) => CellFormat::Flag,
            different if all(&is_number) => {
                let whole = all(&|word| word.bytes().all(|byte| byte.is_ascii_digit()));
                if whole && different * 5 < filled { CellFormat::Count } else { CellFormat::Number }
            }
            different if different * 2 > filled && filled > 10 => CellFormat::Unique,
            _ => CellFormat::Word,
        }
    }

    /// Pairs of rows of one episode and one object with none of it in between.
    pub fn pairs(&self, episode: Option<usize>, of: Option<usize>) -> Vec<(usize, usize)> {
        let mut last: FxHashMap<(Option<&str>, Option<&str>), usize> = FxHashMap::default();
        let mut pairs = Vec::new();
        for row in 0..self.rows {
            let owner = of.and_then(|of| self.cell(of, row));
            if of.is_some() && owner.is_none() {
                continue;
            }
            let episode = episode.and_then(|episode| self.cell(episode, row));
            if let Some(earlier) = last.insert((episode, owner), row) {
                pairs.push((earlier, row));
            }
        }
        pairs
    }

    /// Whether all cells are numbers that may be seconds since 1970.
    pub fn looks_like_epoch(&self, column: usize) -> bool {
        let mut words = self.filled(column).peekable();
        words.peek().is_some() && words.all(is_like_epoch)
    }

    /// Whether the rows of each word of a column come one after the other.
    pub fn is_in_stretches(&self, column: usize) -> bool {
        let changes = (1..self.rows)
            .filter(|&row| self.cell(column, row) != self.cell(column, row - 1))
            .count();
        changes + 1 == self.words(column).len()
    }
}

fn is_number(word: &str) -> bool {
    Numbers::Exact.read(word).is_ok()
}

fn is_flag(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "true" | "false" | "yes" | "no" | "on" | "off")
}

/// `2025-03-01...` or `06:00:16`. Seconds since 1970 are numbers: as many bytes may be free.
fn is_time(word: &str) -> bool {
    let bytes = word.as_bytes();
    let date = bytes.len() >= 8
        && is_digits(&word.chars().take(4).collect::<String>())
        && matches!(bytes.get(4), Some(b'-' | b'/'));
    let clock = bytes.len() >= 5 && matches!(bytes.get(2), Some(b':')) && bytes[0].is_ascii_digit();
    date || clock
}

/// Whether a number may be seconds since 1970, as seconds, milliseconds or microseconds.
fn is_like_epoch(word: &str) -> bool {
    let whole = word.split('.').next().filter(|whole| is_digits(whole));
    whole.and_then(|whole| whole.parse::<u64>().ok()).is_some_and(|number| {
        [1, 1_000, 1_000_000]
            .iter()
            .any(|unit| (946_684_800 * unit..4_102_444_800 * unit).contains(&number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_not_numbers() {
        for word in ["2025-03-01T06:00:00", "2025/03/01", "06:00:16"] {
            assert!(is_time(word), "{word}");
        }
        for word in ["1740808816", "1740808816123", "1740808816.25"] {
            assert!(is_like_epoch(word) && !is_time(word), "{word}");
        }
        for word in ["7585.099999999999", "12", "r-1", "9999999", ""] {
            assert!(!is_time(word) && !is_like_epoch(word), "{word}");
        }
    }
}
