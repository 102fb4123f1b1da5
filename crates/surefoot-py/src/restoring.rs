//! Models made anew of what was pickled or saved of them.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use surefoot::assumptions::Spec;
use surefoot::evaluate::aligned;
use surefoot::learn::Model as CoreModel;
use surefoot::model::ActionId;
use surefoot::pddl::{Source, read_domain};

use crate::error::{unreadable, wrong_value};
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

/// The same of a model that was saved; `complete` says whether all it rests on is known.
#[pyfunction]
pub fn _restore_saved(
    py: Python<'_>,
    state: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
    complete: bool,
) -> PyResult<Model> {
    Ok(_restore_model(py, state, options)?.resting_on_known_traces(complete))
}

/// Makes a model that promises nothing of its vocabulary and its PDDL.
#[pyfunction]
pub fn _restore_other(
    vocabulary: String,
    model: String,
    learner: (String, String),
    missing: HashMap<String, String>,
    decimals: Option<u32>,
) -> PyResult<Model> {
    let read = |name: &str, text: String| {
        read_domain(&Source::new(name, text)).map_err(|error| unreadable(&error))
    };
    let vocabulary = read("domain.pddl", vocabulary)?;
    let learned = aligned(&read("model.pddl", model)?, &vocabulary)
        .map_err(|error| wrong_value(error.to_string()))?;
    let body = |id: ActionId| {
        let name = vocabulary.action_name(id);
        let reason = || missing.get(name).cloned().unwrap_or_else(|| "not learned".to_owned());
        learned
            .actions
            .find(name)
            .map(|place| learned.actions.value(place).clone())
            .ok_or_else(reason)
    };
    let bodies = vocabulary.action_ids().map(body).collect();
    let core = CoreModel::of_other(Arc::new(vocabulary), learner.0, learner.1, bodies);
    Ok(Model::new(core, Spec { decimals, ..Spec::default() }, true))
}
