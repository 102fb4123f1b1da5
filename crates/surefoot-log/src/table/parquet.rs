//! Parquet: its rows, written as JSON lines to a temporary file, from which they are read as often
//! as need be.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use surefoot_base::pddl::Diagnostic;
use tempfile::NamedTempFile;

/// Writes the rows of a file as JSON lines.
pub(super) fn as_lines(name: &str, file: File) -> Result<NamedTempFile, Diagnostic> {
    let broken = |error: ParquetError| {
        Diagnostic::of_file(name, format!("this is not a Parquet file that can be read: {error}"))
    };
    let failed = |error: std::io::Error| {
        Diagnostic::of_file(name, format!("the table cannot be kept: {error}"))
    };
    let reader = SerializedFileReader::new(file).map_err(broken)?;
    let mut kept = NamedTempFile::new().map_err(failed)?;
    let mut target = BufWriter::new(&mut kept);
    let mut line = String::new();
    for row in reader.get_row_iter(None).map_err(broken)? {
        line.clear();
        write_row(&row.map_err(broken)?, &mut line);
        line.push('\n');
        target.write_all(line.as_bytes()).map_err(failed)?;
    }
    target.flush().map_err(failed)?;
    drop(target);
    Ok(kept)
}

fn write_row(row: &Row, text: &mut String) {
    text.push('{');
    for (index, (name, field)) in row.get_column_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_text(name, text);
        text.push(':');
        write_field(field, text);
    }
    text.push('}');
}

fn write_number(text: &mut String, shown: &dyn std::fmt::Display) {
    let _ = write!(text, "{shown}");
}

fn write_field(field: &Field, text: &mut String) {
    match field {
        Field::Null => text.push_str("null"),
        Field::Bool(flag) => write_number(text, flag),
        Field::Byte(value) => write_number(text, value),
        Field::Short(value) => write_number(text, value),
        Field::Int(value) => write_number(text, value),
        Field::Long(value) => write_number(text, value),
        Field::UByte(value) => write_number(text, value),
        Field::UShort(value) => write_number(text, value),
        Field::UInt(value) => write_number(text, value),
        Field::ULong(value) => write_number(text, value),
        // The shortest text that reads back as the same number, as Python writes it.
        Field::Float(value) if value.is_finite() => write_number(text, &format_args!("{value:?}")),
        Field::Double(value) if value.is_finite() => write_number(text, &format_args!("{value:?}")),
        Field::Float(value) if !value.is_nan() => write_text(&value.to_string(), text),
        Field::Double(value) if !value.is_nan() => write_text(&value.to_string(), text),
        Field::Float(_) | Field::Double(_) => text.push_str("null"),
        Field::Str(value) => write_text(value, text),
        Field::Group(row) => write_row(row, text),
        Field::ListInternal(list) => {
            text.push('[');
            for (index, element) in list.elements().iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_field(element, text);
            }
            text.push(']');
        }
        // Decimals, dates, times and the rest as they show themselves.
        other => {
            let shown = other.to_string();
            if matches!(other, Field::Decimal(_) | Field::Float16(_)) {
                text.push_str(&shown)
            } else {
                write_text(&shown, text)
            }
        }
    }
}

fn write_text(word: &str, text: &mut String) {
    text.push_str(&serde_json::Value::from(word).to_string());
}
