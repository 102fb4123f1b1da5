//! Quotes of CSV are closed where they should be.
//!
//! A cell that begins with a quote ends at the next single quote, and a delimiter or the end of the
//! line follows. Readers of CSV are lenient: where a remark begins with a quote that nobody closes
//! (`"5 inch`), they swallow all rows up to the next quote. Whoever learns from the rest would
//! never know. So every byte is looked at before the reader of CSV sees it, and what is not quoted
//! as it should be is an error.

use std::io::Read;

use surefoot_base::pddl::{Diagnostic, Position, SourcePlace, visible};

/// The number of characters after a quote that are shown.
const SHOWN: usize = 40;

/// A source of CSV whose quotes are checked while it is read.
pub(super) struct Quotes<R> {
    source: R,
    delimiter: u8,
    at: At,
    line: u64,
    /// How many columns a row has; 0 until the line of names was read.
    columns: usize,
    /// How many cells of this row came before this one.
    cell: usize,
    cells: Quoted,
    misquoted: Option<Misquoted>,
}

/// Where the next byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// At the beginning of a cell.
    Start,
    Unquoted,
    Quoted,
    /// After a quote within a quoted cell: it closes the cell, or another one follows.
    AfterQuote,
}

/// The last cell that begins with a quote.
#[derive(Default)]
struct Quoted {
    /// The line of its first quote.
    line: u64,
    /// The beginning of the cell.
    beginning: Vec<u8>,
    /// How many delimiters stand on its first line, and on its last.
    first: usize,
    last: usize,
}

/// What is wrong with a quote.
#[derive(Clone)]
pub(super) struct Misquoted {
    line: u64,
    beginning: Vec<u8>,
    what: String,
}

impl Misquoted {
    pub fn in_file(&self, name: &str) -> Diagnostic {
        let excerpt =
            visible(&format!("\"{}", String::from_utf8_lossy(&self.beginning))).into_owned();
        let length = excerpt.chars().count();
        let position = Position { line: self.line as usize, column: 1 };
        let place = SourcePlace { file: name.into(), position, excerpt, mark: 0..length };
        Diagnostic::at(place, format!("the cell that opens with this quote {}", self.what)).help(
            "leave the quote out, or put the whole cell into quotes and write each quote in \
                   it twice: \"5\"\" pipe\"",
        )
    }
}

impl<R: Read> Quotes<R> {
    /// Of a table from a line on; `columns`: how many it has, 0 if this is the line of names.
    pub fn new(source: R, delimiter: u8, line: u64, columns: usize) -> Self {
        Quotes {
            source,
            delimiter,
            at: At::Start,
            line,
            columns,
            cell: 0,
            cells: Quoted::default(),
            misquoted: None,
        }
    }

    /// What is wrong with the quotes read until now.
    pub fn misquoted(&self) -> Option<&Misquoted> {
        self.misquoted.as_ref()
    }

    /// Looks at one byte; the error says what is wrong with the quote before it.
    fn see(&mut self, byte: u8) -> Result<(), String> {
        self.at = match (self.at, byte) {
            // The mark that says how characters are written stands before the first cell.
            (At::Start, 0xef | 0xbb | 0xbf) if self.columns == 0 && self.cell == 0 => At::Start,
            (At::Start, b'"') => {
                self.cells = Quoted { line: self.line, ..Quoted::default() };
                At::Quoted
            }
            (At::Quoted, b'"') => At::AfterQuote,
            (At::AfterQuote, b'"') => At::Quoted,
            (At::Quoted, byte) => {
                self.see_quoted(byte);
                At::Quoted
            }
            (At::AfterQuote, byte) if byte != self.delimiter && !matches!(byte, b'\r' | b'\n') => {
                return Err(if self.cells.line == self.line {
                    "goes on after its closing quote".to_owned()
                } else {
                    format!(
                        "is closed in line {}, where text follows. It would swallow the rows in \
                         between",
                        self.line
                    )
                });
            }
            (_, byte) if byte == self.delimiter => {
                self.is_no_row()?;
                self.cell += 1;
                At::Start
            }
            (_, b'\r' | b'\n') => {
                self.is_no_row()?;
                // An empty line, or the second half of the end of a line, is no row.
                if self.columns == 0 && (self.cell > 0 || self.at != At::Start) {
                    self.columns = self.cell + 1;
                }
                self.cell = 0;
                At::Start
            }
            _ => At::Unquoted,
        };
        self.line += u64::from(byte == b'\n');
        Ok(())
    }

    fn see_quoted(&mut self, byte: u8) {
        let cell = &mut self.cells;
        let delimiters = usize::from(byte == self.delimiter);
        if self.line == cell.line {
            if cell.beginning.len() < SHOWN && !matches!(byte, b'\r' | b'\n') {
                cell.beginning.push(byte);
            }
            cell.first += delimiters;
        }
        cell.last = if byte == b'\n' { 0 } else { cell.last + delimiters };
    }

    /// Where the first line of a quoted cell could end one row, and its last line begin another,
    /// two quotes that belong to different rows were taken for those of one cell.
    fn is_no_row(&self) -> Result<(), String> {
        let (rest, before) = (self.columns.saturating_sub(self.cell + 1), self.cell);
        let is_row = self.at == At::AfterQuote
            && self.cells.line < self.line
            && self.columns > 2
            && (self.cells.first, self.cells.last) == (rest, before);
        if is_row {
            Err(format!(
                "is closed in line {}, and the lines in between look like rows. It would swallow \
                 them",
                self.line
            ))
        } else {
            Ok(())
        }
    }

    fn end(&self) -> Result<(), String> {
        if self.at == At::Quoted {
            Err("is never closed. It would swallow the rest of the file".to_owned())
        } else {
            self.is_no_row()
        }
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.source.read(buffer)?;
        let seen = match read {
            0 if !buffer.is_empty() => self.end(),
            _ => buffer[..read].iter().try_for_each(|&byte| self.see(byte)),
        };
        seen.map(|()| read).map_err(|what| {
            self.misquoted = Some(Misquoted {
                line: self.cells.line,
                beginning: self.cells.beginning.clone(),
                what,
            });
            std::io::Error::other("a quote is not closed")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Option<(u64, String)> {
        let mut quotes = Quotes::new(text.as_bytes(), b',', 1, 0);
        let read = std::io::copy(&mut quotes, &mut std::io::sink());
        assert_eq!(read.is_err(), quotes.misquoted().is_some());
        quotes.misquoted().map(|misquoted| (misquoted.line, misquoted.what.clone()))
    }

    #[test]
    fn cells_that_are_quoted_as_they_should_be() {
        for text in [
            "",
            "a,b,c\n",
            "\"a\",b,\"c\"",
            "a,b,c\r\n1,\"two, and \"\"three\"\"\",5\" pipe\r\n",
            "a,b,c\n1,\"\",\"\"\"\"\n",
            // A cell with lines of its own.
            "a,b,c\n1,2,\"It broke,\nand was mended\"\n4,5,6\n",
            "\"a\r\nlong name\",b,c\n1,2,3",
        ] {
            assert_eq!(said(text), None, "{text}");
        }
    }

    #[test]
    fn quotes_that_are_not_closed_are_told_by_their_line() {
        for (text, line, what) in [
            ("a,b,c\n1,2,\"5 inch\n1,2,3\n", 2, "never closed"),
            (
                "a,b,c\n1,2,\"5 inch\n1,2,3\n1,2,\"7 inch\n",
                2,
                "closed in line 4, where text follows",
            ),
            (
                "a,b,c\r\n1,2,\"5 inch\r\n1,2,3\r\n1,2,7\"\r\n",
                2,
                "closed in line 4, and the lines in between look like rows",
            ),
            ("a,b,c\n1,\"5 inch,2\n1,7\",3\n", 2, "look like rows"),
            ("a,b,c\n\"5 inch,2,3\n7\",2,3\n", 2, "look like rows"),
            ("a,b,c\n1,2,\"5 inch\n1,2,7\"", 2, "look like rows"),
            ("a,b,c\n1,\"x\" y,3\n", 2, "goes on after its closing quote"),
        ] {
            let (found, said) = said(text).unwrap_or_else(|| panic!("{text} is read"));
            assert!(found == line && said.contains(what), "{text}: {found}: {said}");
        }
    }
}
