//! The container of a saved model: a ZIP archive without compression, that people can open and that
//! has the same bytes for the same parts wherever it is made.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};

use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipArchive, ZipWriter};

/// The parts of an archive, by name.
pub(super) type ArchiveParts = BTreeMap<String, Vec<u8>>;

/// How every ZIP archive with something in it begins.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

/// The archive of some parts. When and where it was made is not in it.
pub(super) fn packed(parts: &ArchiveParts) -> ZipResult<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .system(System::Unix)
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        let large = u32::try_from(bytes.len()).is_err();
        archive.start_file(name, options.large_file(large))?;
        archive.write_all(bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// The parts of an archive. Only these names are taken, each at most once, and nothing that is
/// compressed or encrypted: so what is read is no longer than the archive.
pub(super) fn unpacked(bytes: &[u8], known: &[&str]) -> Result<ArchiveParts, String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    if archive.has_duplicate_names() {
        return Err("two of its parts have one name".to_owned());
    }
    let mut parts = ArchiveParts::new();
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).map_err(|error| error.to_string())?;
        let name = part.name().map_err(|error| error.to_string())?.into_owned();
        if !known.contains(&&*name) {
            return Err(format!("it has a part that no saved model has: {name:?}"));
        }
        let plain = part.compression() == CompressionMethod::Stored && !part.encrypted();
        if !plain || part.size() > bytes.len() as u64 {
            return Err(format!("its part {name} is not stored as it is"));
        }
        let mut content = Vec::new();
        // What a header says of sizes is not relied on.
        let limit = bytes.len() as u64 + 1;
        part.by_ref().take(limit).read_to_end(&mut content).map_err(|error| error.to_string())?;
        if content.len() > bytes.len() || parts.insert(name, content).is_some() {
            return Err("its parts are not told apart".to_owned());
        }
    }
    Ok(parts)
}
