//! Where the bytes of a table are, and in which format.
//!
//! Rows are read as often as need be and from any place on, so what cannot be read twice (standard
//! input) or not from any place on (what is compressed) goes to a temporary file first. Memory does
//! not grow with it.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use surefoot_base::pddl::Diagnostic;
use tempfile::NamedTempFile;

use super::csv::{Csv, beginning, delimiter};
use super::json::JsonLines;
use super::memory::TableInMemory;
use super::{ColumnNames, Mark, RowReader};

/// The format of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFormat {
    /// A line of names, then a line a row, with this byte between cells.
    Csv(u8),
    /// A JSON object a line.
    JsonLines,
}

#[derive(Debug)]
pub(super) enum Data {
    File(PathBuf, TableFormat),
    Spooled(NamedTempFile, TableFormat),
    Memory(TableInMemory),
}

const GZIP: &[u8] = &[0x1f, 0x8b];
const PARQUET: &[u8] = b"PAR1";
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

impl Data {
    pub fn open(path: &Path, name: &str) -> Result<Self, Diagnostic> {
        let failed = |error: std::io::Error| {
            Diagnostic::of_file(name, format!("the file cannot be read: {error}"))
        };
        let mut file = File::open(path).map_err(failed)?;
        let start = beginning(&mut file).map_err(failed)?;
        if start.starts_with(GZIP) || start.starts_with(ZSTD) {
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            return Self::spool(name, &mut file, by_name(path));
        }
        if start.starts_with(PARQUET) {
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            return Self::parquet(name, file);
        }
        let format = known(name, by_name(path), &start)?;
        Ok(Data::File(path.to_owned(), format))
    }

    pub fn spool(
        name: &str,
        reader: &mut dyn Read,
        format: Option<TableFormat>,
    ) -> Result<Self, Diagnostic> {
        let failed = |error: std::io::Error| {
            Diagnostic::of_file(name, format!("the table cannot be read: {error}"))
        };
        let mut reader = BufReader::new(reader);
        let mut magic = Vec::new();
        reader.by_ref().take(4).read_to_end(&mut magic).map_err(failed)?;
        let (gzip, zstd) = (magic.starts_with(GZIP), magic.starts_with(ZSTD));
        let whole = std::io::Cursor::new(magic).chain(reader);
        let mut kept = NamedTempFile::new().map_err(failed)?;
        if gzip {
            std::io::copy(&mut flate2::read::MultiGzDecoder::new(whole), &mut kept)
                .map_err(failed)?;
        } else if zstd {
            unzstd(whole, &mut kept).map_err(failed)?;
        } else {
            let mut whole = whole;
            std::io::copy(&mut whole, &mut kept).map_err(failed)?;
        }
        kept.flush().map_err(failed)?;
        let start = beginning(&mut kept.reopen().map_err(failed)?).map_err(failed)?;
        if start.starts_with(PARQUET) {
            return Self::parquet(name, kept.reopen().map_err(failed)?);
        }
        let format = known(name, format, &start)?;
        Ok(Data::Spooled(kept, format))
    }

    #[cfg(feature = "parquet")]
    fn parquet(name: &str, file: File) -> Result<Self, Diagnostic> {
        Ok(Data::Spooled(super::parquet::as_lines(name, file)?, TableFormat::JsonLines))
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet(name: &str, _: File) -> Result<Self, Diagnostic> {
        Err(Diagnostic::of_file(
            name,
            "this is a Parquet file, and this program was built without Parquet",
        )
        .help("build surefoot with the feature `parquet`, or write the table as CSV"))
    }

    pub fn has_fixed_columns(&self) -> bool {
        !matches!(
            self,
            Data::File(_, TableFormat::JsonLines) | Data::Spooled(_, TableFormat::JsonLines)
        )
    }

    pub fn rows<'d>(
        &'d self,
        name: &str,
        from: Option<(Mark, ColumnNames)>,
    ) -> Result<Box<dyn RowReader + 'd>, Diagnostic> {
        let failed = |error: std::io::Error| {
            Diagnostic::of_file(name, format!("the file cannot be read: {error}"))
        };
        let (mut file, format) = match self {
            Data::Memory(memory) => {
                return Ok(Box::new(memory.rows(from.map_or(0, |(mark, _)| mark.offset))));
            }
            Data::File(path, format) => (File::open(path).map_err(failed)?, *format),
            Data::Spooled(file, format) => (file.reopen().map_err(failed)?, *format),
        };
        let offset = from.as_ref().map_or(0, |(mark, _)| mark.offset);
        file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        // Where one of many episodes is read, what comes after it is read in vain.
        let source = BufReader::with_capacity(if from.is_some() { 1 << 13 } else { 1 << 16 }, file);
        Ok(match (format, from) {
            (TableFormat::Csv(delimiter), None) => Box::new(Csv::new(name, source, delimiter)?),
            (TableFormat::Csv(delimiter), Some((mark, columns))) => {
                Box::new(Csv::resume(name, source, delimiter, mark, columns))
            }
            (TableFormat::JsonLines, None) => Box::new(JsonLines::new(
                name,
                source,
                Mark { offset: 0, line: 1 },
                ColumnNames::default(),
            )),
            (TableFormat::JsonLines, Some((mark, columns))) => {
                Box::new(JsonLines::new(name, source, mark, columns))
            }
        })
    }
}

/// All frames of a zstd stream, one after the other.
fn unzstd(source: impl Read, target: &mut impl Write) -> std::io::Result<()> {
    let mut source = BufReader::new(source);
    loop {
        if std::io::BufRead::fill_buf(&mut source)?.is_empty() {
            return Ok(());
        }
        let mut frame = ruzstd::decoding::StreamingDecoder::new(&mut source).map_err(|error| {
            std::io::Error::new(std::io::ErrorKind::InvalidData, error.to_string())
        })?;
        std::io::copy(&mut frame, target)?;
    }
}

/// The format by the name of a file, without the ending of its compression.
fn by_name(path: &Path) -> Option<TableFormat> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    match name.rsplit_once('.')?.1 {
        "tsv" | "tab" => Some(TableFormat::Csv(b'\t')),
        "jsonl" | "ndjson" | "json" => Some(TableFormat::JsonLines),
        _ => None,
    }
}

fn known(name: &str, told: Option<TableFormat>, start: &[u8]) -> Result<TableFormat, Diagnostic> {
    let is_wide =
        matches!(start, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [_, 0, _, 0, ..] | [0, _, 0, _, ..]);
    if is_wide {
        return Err(Diagnostic::of_file(
            name,
            "this is UTF-16 text, as some programs of Windows write it; a log is UTF-8",
        )
        .help("`iconv -f utf-16 -t utf-8 FILE > NEW` makes UTF-8 of it"));
    }
    let first = start.iter().find(|byte| !byte.is_ascii_whitespace());
    match (told, first) {
        (_, None) => Err(Diagnostic::of_file(name, "the file is empty")),
        (Some(TableFormat::JsonLines) | None, Some(b'[')) => Err(Diagnostic::of_file(
            name,
            "this is one JSON array; a log is JSON lines, an object a line",
        )
        .help("`jq -c '.[]' FILE` makes lines of it")),
        (Some(format), _) => Ok(format),
        (None, Some(b'{')) => Ok(TableFormat::JsonLines),
        (None, _) => Ok(TableFormat::Csv(delimiter(start))),
    }
}
