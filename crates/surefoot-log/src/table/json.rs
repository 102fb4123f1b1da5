//! JSON lines: an object a line. What is nested becomes columns of its own:
//! `{"a": {"b": 1}, "c": [2]}` has `a.b` and `c[0]`.

use std::borrow::Cow;
use std::fmt::Write;
use std::io::BufRead;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use surefoot_base::pddl::{Diagnostic, Position, SourcePlace, visible};

use super::{Cell, CellText, ColumnNames, Mark, RowReader, TableRow};

/// Deeper than any state; keeps a line of brackets from eating the stack.
const MAX_DEPTH: usize = 32;

pub(super) struct JsonLines<R> {
    name: Box<str>,
    source: R,
    columns: ColumnNames,
    next: Mark,
    line: Vec<u8>,
}

impl<R: BufRead> JsonLines<R> {
    pub fn new(name: &str, source: R, start: Mark, columns: ColumnNames) -> Self {
        JsonLines { name: name.into(), source, columns, next: start, line: Vec::new() }
    }

    fn error(&self, line: u64, column: usize, message: String) -> Diagnostic {
        let text = String::from_utf8_lossy(&self.line);
        let left = column.saturating_sub(1 + super::SHOWN);
        let shown: String = visible(&text).chars().skip(left).take(2 * super::SHOWN).collect();
        let place = column.saturating_sub(1) - left;
        let position = Position { line: line as usize, column };
        let place = SourcePlace {
            file: self.name.clone(),
            position,
            excerpt: shown,
            mark: place..place + 1,
        };
        Diagnostic::at(place, message)
    }
}

impl<R: BufRead> RowReader for JsonLines<R> {
    fn columns(&self) -> &ColumnNames {
        &self.columns
    }

    fn next(&mut self, row: &mut TableRow) -> Result<bool, Diagnostic> {
        loop {
            self.line.clear();
            let read = self.source.read_until(b'\n', &mut self.line);
            let length = read.map_err(|error| {
                Diagnostic::of_file(&self.name, format!("the file cannot be read: {error}"))
            })?;
            if length == 0 {
                return Ok(false);
            }
            let mark = self.next;
            self.next = Mark { offset: mark.offset + length as u64, line: mark.line + 1 };
            if self.line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            row.begin(mark, self.columns.len());
            let text = match std::str::from_utf8(&self.line) {
                Ok(text) => text.trim_start_matches('\u{feff}'),
                Err(error) => {
                    let column = error.valid_up_to() + 1;
                    return Err(self.error(mark.line, column, "the line is not UTF-8 text".into()));
                }
            };
            return match fill(text, row, &mut self.columns) {
                Ok(()) => Ok(true),
                // Python writes NaN where there is no number, which is not JSON; here it means what
                // null means.
                Err(_) if text.contains("NaN") => {
                    let mended = without_nan(text);
                    row.begin(mark, self.columns.len());
                    let filled = fill(&mended, row, &mut self.columns);
                    filled
                        .map(|()| true)
                        .map_err(|(column, message)| self.error(mark.line, column, message))
                }
                Err((column, message)) => Err(self.error(mark.line, column, message)),
            };
        }
    }
}

fn fill(text: &str, row: &mut TableRow, columns: &mut ColumnNames) -> Result<(), (usize, String)> {
    let object: JsonObject<'_> = serde_json::from_str(text).map_err(|error| {
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or(&what);
        (error.column().max(1), format!("this line is not a JSON object: {what}"))
    })?;
    let mut path = String::new();
    flatten_object(object, &mut path, 0, row, columns).map_err(|message| (1, message))
}

fn flatten_object(
    object: JsonObject<'_>,
    path: &mut String,
    depth: usize,
    row: &mut TableRow,
    columns: &mut ColumnNames,
) -> Result<(), String> {
    let length = path.len();
    for (index, (key, value)) in object.0.iter().enumerate() {
        if object.0[..index].iter().any(|(earlier, _)| earlier == key) {
            return Err(format!("`{path}{key}` stands here twice"));
        }
        path.push_str(key);
        flatten(value.get(), path, depth + 1, row, columns)?;
        path.truncate(length);
    }
    Ok(())
}

fn flatten(
    text: &str,
    path: &mut String,
    depth: usize,
    row: &mut TableRow,
    columns: &mut ColumnNames,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("`{path}` is nested too deeply"));
    }
    let length = path.len();
    match text.as_bytes().first() {
        Some(b'{') => {
            let object: JsonObject<'_> =
                serde_json::from_str(text).map_err(|error| error.to_string())?;
            path.push('.');
            flatten_object(object, path, depth, row, columns)?;
        }
        Some(b'[') => {
            let items: Vec<&RawValue> =
                serde_json::from_str(text).map_err(|error| error.to_string())?;
            for (index, item) in items.into_iter().enumerate() {
                let _ = write!(path, "[{index}]");
                flatten(item.get(), path, depth + 1, row, columns)?;
                path.truncate(length);
            }
        }
        Some(b'"') => {
            let word: JsonText<'_> =
                serde_json::from_str(text).map_err(|error| error.to_string())?;
            let column = once(path, row, columns)?;
            row.set_text(column, &word.0);
        }
        Some(b't') => row.set(once(path, row, columns)?, CellText::Flag(true)),
        Some(b'f') => row.set(once(path, row, columns)?, CellText::Flag(false)),
        Some(b'n') | None => row.set(once(path, row, columns)?, CellText::Missing),
        Some(_) => {
            let column = once(path, row, columns)?;
            row.set_number(column, text);
        }
    }
    path.truncate(length);
    Ok(())
}

/// The number of a column that this row has said nothing of yet: `{"a.b": 1, "a": {"b": 2}}` would
/// say two things of one.
fn once(path: &str, row: &TableRow, columns: &mut ColumnNames) -> Result<usize, String> {
    let column = columns.intern(path);
    if row.cell(column) == Cell::Missing {
        Ok(column)
    } else {
        Err(format!("`{path}` stands here twice"))
    }
}

/// `null` for every `NaN` that is not in quotes.
fn without_nan(text: &str) -> String {
    let (mut out, mut quoted, mut escaped) = (String::with_capacity(text.len()), false, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if !quoted && rest.starts_with("NaN") {
            out.push_str("null");
            rest = &rest[3..];
            continue;
        }
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// The members of an object, in order.
pub(crate) struct JsonObject<'t>(pub Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'de> Deserialize<'de> for JsonObject<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = JsonObject<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object such as {\"action\": \"move\", \"battery\": 41.5}")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((key, value)) = map.next_entry::<JsonText<'de>, &'de RawValue>()? {
                    members.push((key.0, value));
                }
                Ok(JsonObject(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A string, borrowed where nothing in it is escaped.
pub(crate) struct JsonText<'t>(pub Cow<'t, str>);

impl<'de> Deserialize<'de> for JsonText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct JsonCellVisitor;
        impl<'de> Visitor<'de> for JsonCellVisitor {
            type Value = JsonText<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(JsonText(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(JsonText(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(JsonCellVisitor)
    }
}
