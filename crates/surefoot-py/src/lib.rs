//! The Python module `surefoot._surefoot`: values of Python in, values of Python out, the library
//! in between.

mod error;
mod experiment;
mod learner;
mod log;
mod masking;
mod memories;
mod memory;
mod model;
mod number;
mod options;
mod picture;
mod planning;
mod records;
mod restoring;
mod scene;
mod scoring;
mod spelling;
mod task;
mod waiting;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs a command line, the program's name first, and returns its exit code: the program
/// `surefoot`.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| surefoot_cli::run(&arguments))
}

/// Says which command runs `surefoot`, since the running program is Python.
#[pyfunction]
fn set_program(words: Vec<OsString>) {
    surefoot_lab::planner::supervise::set_program(words);
}

/// What `surefoot` is made of.
#[pymodule]
mod _surefoot {
    use super::*;

    #[pymodule_export]
    use super::experiment::{Parts, evaluate};
    #[pymodule_export]
    use super::learner::{_restore, Learner, assess, learn_files};
    #[pymodule_export]
    use super::log::Log;
    #[pymodule_export]
    use super::masking::Masker;
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::planning::{plan, trace, validate};
    #[pymodule_export]
    use super::restoring::_restore_model;
    #[pymodule_export]
    use super::task::{Domain, Problem};
    #[pymodule_export]
    use super::{run_command, set_program};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
