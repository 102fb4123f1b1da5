//! The file in which a planner leaves its plan: whatever it is, looking at it neither blocks nor
//! goes on for ever.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// The most bytes of a plan that are read: more than a million steps.
const MOST_BYTES: u64 = 64 << 20;

/// The text that a planner left in a file, `None` where there is no file; or, in words, why what is
/// there is no plan.
pub fn saved_plan(path: &Path) -> Result<Option<String>, String> {
    let file = match opened(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(unreadable)?,
    };
    let of = file.metadata().map_err(unreadable)?.file_type();
    if !of.is_file() {
        return Err(format!("where its plan should be it left {}", kind(of)));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("its plan has more than {} MB", MOST_BYTES >> 20));
    }
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|error| {
        format!("its plan is not text: byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1)
    })
}

fn unreadable(error: io::Error) -> String {
    format!("its plan cannot be read: {error}")
}

/// Does not wait for whoever is to write to a pipe.
fn opened(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

fn kind(of: FileType) -> &'static str {
    if of.is_dir() {
        "a folder"
    } else if of.is_fifo() {
        "a pipe"
    } else if of.is_char_device() || of.is_block_device() {
        "a device"
    } else {
        "something that is no file"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_and_none_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan");
        assert_eq!(saved_plan(&path), Ok(None));
        std::fs::write(&path, "(a b)\n").unwrap();
        assert_eq!(saved_plan(&path), Ok(Some("(a b)\n".into())));
        std::fs::write(&path, b"(a \xff)\n").unwrap();
        assert_eq!(saved_plan(&path), Err("its plan is not text: byte 4 is not UTF-8".into()));
    }

    #[test]
    fn a_file_without_end_is_not_read_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(saved_plan(&path), Err("its plan has more than 64 MB".into()));
    }

    #[test]
    fn what_is_no_file_is_said() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            saved_plan(folder.path()),
            Err("where its plan should be it left a folder".into())
        );
        assert_eq!(
            saved_plan(Path::new("/dev/zero")),
            Err("where its plan should be it left a device".into())
        );
    }
}
