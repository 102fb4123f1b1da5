//! `-`: standard input where a file is read, standard output where one is written.
//!
//! There is one of each, and a file that is really called `-` is named `./-`.

use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Whether a path names a standard stream.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// All of standard input. It can be read once, and is kept, since files are read more than once.
pub fn standard_input() -> io::Result<Arc<[u8]>> {
    static READ: OnceLock<Result<Arc<[u8]>, io::ErrorKind>> = OnceLock::new();
    let read = READ.get_or_init(|| {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(|error| error.kind())?;
        Ok(bytes.into())
    });
    read.clone().map_err(io::Error::from)
}
