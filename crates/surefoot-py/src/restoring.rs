//! Models made anew of what was pickled of them.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::learner::Learner;
use crate::model::Model;

/// Makes a model of its pickled parts.
#[pyfunction]
pub fn _restore_model(
    py: Python<'_>,
    state: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
) -> PyResult<Model> {
    Learner::load(state, Some(options))?.model(py, "skip-action", 0.05, 2, None)
}
