//! Evaluations and the cells of experiments, for the Python around them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use surefoot_cli::session;

use crate::error::any;
use crate::waiting;

/// What `surefoot evaluate` with these options prints as JSON.
#[pyfunction]
pub fn evaluate_json(py: Python<'_>, options: Vec<OsString>) -> PyResult<String> {
    waiting::run(py, None, None, None, move |_| session::evaluate(options))?.map_err(|error| any(&error))
}

/// An experiment whose cells are worked on one at a time, anywhere.
#[pyclass(module = "surefoot._surefoot", frozen)]
pub struct Parts {
    core: Arc<session::Parts>,
}

#[pymethods]
impl Parts {
    /// Reads a configuration, as `surefoot experiment` does, and finds its data.
    #[new]
    #[pyo3(signature = (config, traces_root = None))]
    fn new(config: PathBuf, traces_root: Option<PathBuf>) -> PyResult<Self> {
        let core = session::Parts::open(&config, traces_root.as_deref()).map_err(|error| any(&error))?;
        Ok(Parts { core: Arc::new(core) })
    }

    fn __len__(&self) -> usize {
        self.core.len()
    }

    /// The cells that a folder does not have yet. Makes the folder.
    fn missing(&self, output: PathBuf) -> PyResult<Vec<usize>> {
        self.core.missing(&output).map_err(|error| any(&error))
    }

    /// Works on a cell, and returns its record as JSON.
    fn work(&self, py: Python<'_>, cell: usize) -> PyResult<String> {
        let core = Arc::clone(&self.core);
        waiting::run(py, None, None, Some(1), move |_| core.work(cell))?.map_err(|error| any(&error))
    }

    /// Keeps a record in a folder.
    fn keep(&self, output: PathBuf, record: &str) -> PyResult<()> {
        self.core.keep(&output, record).map_err(|error| any(&error))
    }

    /// Writes the tables of a folder that has all records; returns how many cells there are, and how many failed.
    fn finish(&self, output: PathBuf) -> PyResult<(usize, usize)> {
        self.core.finish(&output).map_err(|error| any(&error))
    }
}
