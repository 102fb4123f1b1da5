//! The program `surefoot`: it hands its arguments to the library of the command line, and exits
//! with its code.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(surefoot_cli::run(&std::env::args_os().collect::<Vec<OsString>>()))
}
