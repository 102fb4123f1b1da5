//! CSV and its relatives: the delimiter is a tab, a comma, a semicolon or a bar, whichever the line
//! of names has most of.

use std::io::{BufRead, Read};

use surefoot_base::pddl::{Diagnostic, Position, SourcePlace, visible};

use super::quotes::Quotes;
use super::{ColumnNames, Mark, RowReader, TableRow, cell_error};

pub(super) struct Csv<R> {
    name: Box<str>,
    reader: csv::Reader<Quotes<R>>,
    record: csv::ByteRecord,
    columns: ColumnNames,
    start: Mark,
}

impl<R: BufRead> Csv<R> {
    /// From the line of names on.
    pub fn new(name: &str, mut source: R, delimiter: u8) -> Result<Self, Diagnostic> {
        let beginning =
            source.fill_buf().map_err(|error| Diagnostic::of_file(name, error.to_string()))?;
        let is_crlf =
            beginning.split(|&byte| byte == b'\n').next().is_some_and(|line| line.ends_with(b"\r"));
        let mut csv = Self::resume(
            name,
            source,
            delimiter,
            Mark { offset: 0, line: 1 },
            ColumnNames::default(),
        );
        if !csv.read()? {
            return Err(Diagnostic::of_file(name, "the file is empty")
                .help("a table begins with a line of column names"));
        }
        for index in 0..csv.record.len() {
            let title = csv.cell(index)?.trim().trim_start_matches('\u{feff}').to_owned();
            let title = if title.is_empty() { format!("column {}", index + 1) } else { title };
            if csv.columns.find(&title).is_some() {
                return Err(cell_error(
                    name,
                    1,
                    index,
                    "name",
                    &title,
                    format!("two columns are named `{title}`"),
                )
                .help("rename one of them: the map names columns, so names must differ"));
            }
            csv.columns.intern(&title);
        }
        // A row ends at the carriage return: its line feed is counted with the next one, so that
        // lines would be one too low.
        csv.start.line += u64::from(is_crlf);
        Ok(csv)
    }

    /// From a row on.
    pub fn resume(name: &str, source: R, delimiter: u8, start: Mark, columns: ColumnNames) -> Self {
        let source = Quotes::new(source, delimiter, start.line, columns.len());
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(source);
        Csv { name: name.into(), reader, record: csv::ByteRecord::new(), columns, start }
    }

    fn read(&mut self) -> Result<bool, Diagnostic> {
        let read = self.reader.read_byte_record(&mut self.record);
        read.map_err(|error| match self.reader.get_ref().misquoted() {
            Some(misquoted) => misquoted.in_file(&self.name),
            None => Diagnostic::of_file(&self.name, format!("the file cannot be read: {error}")),
        })
    }

    fn mark(&self) -> Mark {
        let (byte, line) =
            self.record.position().map_or((0, 1), |position| (position.byte(), position.line()));
        Mark { offset: self.start.offset + byte, line: self.start.line + line - 1 }
    }

    fn cell(&self, index: usize) -> Result<&str, Diagnostic> {
        let bytes = self.record.get(index).unwrap_or(b"");
        std::str::from_utf8(bytes).map_err(|error| {
            let wrong = bytes.get(error.valid_up_to()).copied().unwrap_or(0);
            let shown = String::from_utf8_lossy(bytes);
            let message =
                format!("the cell is not UTF-8 text: byte 0x{wrong:02x} cannot stand here");
            cell_error(
                &self.name,
                self.mark().line(),
                index,
                self.columns.name(index),
                &shown,
                message,
            )
            .help("save the table as UTF-8; `iconv -f latin1 -t utf-8` turns an old one into it")
        })
    }
}

impl<R: BufRead> RowReader for Csv<R> {
    fn columns(&self) -> &ColumnNames {
        &self.columns
    }

    fn next(&mut self, row: &mut TableRow) -> Result<bool, Diagnostic> {
        if !self.read()? {
            return Ok(false);
        }
        let mark = self.mark();
        let (found, wanted) = (self.record.len(), self.columns.len());
        if found != wanted {
            let last = self.record.get(found.min(wanted).saturating_sub(1)).unwrap_or(b"");
            let excerpt = visible(&String::from_utf8_lossy(last))
                .chars()
                .take(super::SHOWN)
                .collect::<String>();
            let length = excerpt.chars().count().max(1);
            let position = Position { line: mark.line(), column: found.min(wanted) };
            let place = SourcePlace { file: self.name.clone(), position, excerpt, mark: 0..length };
            return Err(Diagnostic::at(
                place,
                format!("this row has {found} cells, but there are {wanted} columns"),
            )
            .help("is a comma inside a cell without quotes, or is the file cut off?"));
        }
        row.begin(mark, wanted);
        for index in 0..found {
            row.set_text(index, self.cell(index)?);
        }
        Ok(true)
    }
}

/// The delimiter of a table that begins like this.
pub(super) fn delimiter(beginning: &[u8]) -> u8 {
    let (mut counts, mut quoted) = ([0usize; 4], false);
    const CANDIDATES: [u8; 4] = *b",\t;|";
    for &byte in beginning.iter().take_while(|&&byte| byte != b'\n') {
        quoted ^= byte == b'"';
        if let Some(index) = CANDIDATES.iter().position(|&candidate| candidate == byte && !quoted) {
            counts[index] += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    counts.iter().position(|&count| count == most).map_or(b',', |index| CANDIDATES[index])
}

/// Reads as much of the beginning as the line of names may take.
pub(super) fn beginning(source: &mut dyn Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(1 << 16).read_to_end(&mut bytes)?;
    Ok(bytes)
}
