//! The program `surefoot`.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(surefoot_cli::run(&std::env::args_os().collect::<Vec<OsString>>()))
}
