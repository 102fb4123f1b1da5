//! A text with its name, and places in it.

use std::ops::Range;

use super::diagnostic::{Diagnostic, SourcePlace};
use super::visible::{is_visible, visible};

/// The name of a file (for messages) and its text.
#[derive(Clone, Debug)]
pub struct Source {
    name: Box<str>,
    text: String,
}

/// A range of bytes of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span as a range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl From<Range<usize>> for Span {
    /// Sources are at most 4 GiB, so places in them fit.
    fn from(range: Range<usize>) -> Self {
        Span { start: range.start as u32, end: range.end as u32 }
    }
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

/// How much of a line a message shows on either side of the place it points at: lines of
/// trajectories are long.
const EXCERPT: usize = 60;

/// A text without the byte order mark that some editors write in front of it: nobody who reads the
/// beginning of a text has to think of it.
fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    text
}

impl Source {
    /// A source from text, without a byte order mark.
    pub fn new(name: impl AsRef<str>, text: impl Into<String>) -> Self {
        Source { name: visible(name.as_ref()).into(), text: without_mark(text.into()) }
    }

    /// A source from the bytes of a file. Refuses what is not UTF-8 (pointing at the first wrong
    /// byte) and files of 4 GiB and more.
    pub fn from_bytes(name: impl AsRef<str>, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        let name: Box<str> = visible(name.as_ref()).into();
        if u32::try_from(bytes.len()).is_err() {
            return Err(Diagnostic::of_file(&name, "the file is larger than 4 GiB")
                .help("split it into several files"));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source { name, text: without_mark(text) }),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let bytes = error.into_bytes();
                let mut text = String::from_utf8_lossy(&bytes[..valid]).into_owned();
                text.push('\u{fffd}');
                let source = Source { name, text };
                let message = format!(
                    "the file is not UTF-8 text: byte 0x{:02x} cannot stand here",
                    bytes[valid]
                );
                Err(source
                    .error(message, source.span_at(valid))
                    .help("PDDL files are plain text; is this one of another kind?"))
            }
        }
    }

    /// The name, usually a path, made safe to show: see [`visible`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty when it lies outside.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// An empty span at a byte.
    pub fn span_at(&self, byte: usize) -> Span {
        (byte..byte).into()
    }

    /// The line and column of a byte.
    pub fn position(&self, byte: usize) -> Position {
        let line_start = self.line_start(byte);
        Position {
            line: 1 + memchr::memchr_iter(b'\n', &self.text.as_bytes()[..line_start]).count(),
            column: 1 + self.text[line_start..self.floor(byte)].chars().count(),
        }
    }

    /// A message about a place of this source.
    pub fn error(&self, message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::at(self.place(span), message)
    }

    fn floor(&self, byte: usize) -> usize {
        self.text.floor_char_boundary(byte.min(self.text.len()))
    }

    fn line_start(&self, byte: usize) -> usize {
        memchr::memrchr(b'\n', &self.text.as_bytes()[..self.floor(byte)])
            .map_or(0, |newline| newline + 1)
    }

    /// The place of a span, with as much of its line as a message shows.
    pub fn place(&self, span: Span) -> SourcePlace {
        let start = self.floor(span.start as usize);
        let line_start = self.line_start(start);
        let rest = self.text[start..].find('\n').unwrap_or(self.text.len() - start);
        let line_end = start + self.text[start..start + rest].trim_end_matches('\r').len();
        let end = self.floor(span.end as usize).clamp(start, line_end);
        let left = self.text.floor_char_boundary(start.saturating_sub(EXCERPT)).max(line_start);
        let right =
            self.text.ceil_char_boundary((end.min(start + EXCERPT)) + EXCERPT).min(line_end);
        let end = end.min(right);
        let mut excerpt = String::new();
        if left > line_start {
            excerpt.push('…');
        }
        excerpt.extend(plain(&self.text[left..start]));
        let mark_start = excerpt.chars().count();
        excerpt.extend(plain(&self.text[start..end]));
        let mark_end = excerpt.chars().count();
        excerpt.extend(plain(&self.text[end..right]));
        if right < line_end {
            excerpt.push('…');
        }
        SourcePlace {
            file: self.name.clone(),
            position: self.position(start),
            excerpt,
            mark: mark_start..mark_end.max(mark_start + 1),
        }
    }
}

/// The characters of a text, with spaces for tabs and control characters: these would put a mark
/// below the wrong character.
fn plain(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|c| if is_visible(c) { c } else { ' ' })
}
