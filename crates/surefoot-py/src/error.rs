//! Errors as Python exceptions, with the place they are about.

use std::path::Path;

use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError, PyValueError};
use pyo3::prelude::*;
use surefoot_analysis::saved::SavedError;
use surefoot_base::advice::Worded;
use surefoot_base::pddl::{Diagnostic, ReadError, Warning};
use surefoot_io::output::{shown_path, warning_texts};
use surefoot_io::spelling::spelled;
use surefoot_learn::{BadData, LearnError};

use crate::spelling::Keywords;

/// An exception of a class of `surefoot._errors`, with file, line and column where a text is to
/// blame.
fn raised(class: &str, message: String, place: Option<&Diagnostic>) -> PyErr {
    Python::attach(|py| made(py, class, &message, place).unwrap_or_else(|error| error))
}

fn made(py: Python<'_>, class: &str, message: &str, place: Option<&Diagnostic>) -> PyResult<PyErr> {
    let class = py.import("surefoot._errors")?.getattr(class)?;
    let (file, position) = match place {
        Some(diagnostic) => (Some(&*diagnostic.place.file), Some(diagnostic.place.position)),
        None => (None, None),
    };
    let position = position.filter(|position| position.line > 0);
    let (line, column) =
        (position.map(|position| position.line), position.map(|position| position.column));
    Ok(PyErr::from_value(class.call1((message, file, line, column))?))
}

/// A text that cannot be read.
pub fn unreadable(error: &ReadError) -> PyErr {
    raised("ReadError", error.to_string(), error.diagnostics.first())
}

/// A saved model that cannot be loaded.
pub fn not_loaded(path: &Path, error: &SavedError) -> PyErr {
    let place = Diagnostic::of_file(&path.to_string_lossy(), error.to_string());
    raised("SurefootError", format!("{}: {error}", shown_path(path)), Some(&place))
}

/// Warns of what was passed over in a text, as Python's filters of warnings say; one of them may
/// make it an exception.
pub fn warn(warnings: &[Warning]) -> PyResult<()> {
    if warnings.is_empty() {
        return Ok(());
    }
    Python::attach(|py| {
        let category = py.import("surefoot._errors")?.getattr("ReadWarning")?;
        let warn = py.import("warnings")?.getattr("warn")?;
        warning_texts(warnings).iter().try_for_each(|text| warn.call1((text, &category)).map(drop))
    })
}

/// A value that is not what was expected of a state, an action or a number.
pub fn wrong_value(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

/// A value of another type than expected.
pub fn wrong_type(message: impl Into<String>) -> PyErr {
    PyTypeError::new_err(message.into())
}

/// A step that no model of the class explains, and that comes from no file.
pub fn bad_step(message: String, index: usize) -> PyErr {
    let error = raised("BadDataError", message, None);
    Python::attach(|py| {
        let _ = error.value(py).setattr("step", index);
    });
    error
}

/// The same error about a number, with the function whose value it should be.
pub fn about(error: PyErr, key: &Bound<'_, PyAny>) -> PyErr {
    let py = key.py();
    let message = error.value(py).to_string();
    let named = format!("the value of {}: {message}", crate::number::shown(key));
    if error.is_instance_of::<PyTypeError>(py) {
        wrong_type(named)
    } else if error.is_instance_of::<PyValueError>(py) {
        wrong_value(named)
    } else {
        error
    }
}

/// The same error, said of a step: its index among the steps of a call goes before the message, and
/// into the attribute `step`.
pub fn at_step(py: Python<'_>, error: PyErr, index: usize) -> PyErr {
    let value = error.value(py);
    if value.hasattr("step").unwrap_or(true)
        && value.getattr("step").is_ok_and(|step| !step.is_none())
    {
        return error;
    }
    let first = value
        .getattr("args")
        .and_then(|args| args.get_item(0))
        .and_then(|first| first.extract::<String>());
    if let Ok(message) = first
        && (error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyTypeError>(py))
    {
        let named =
            if message.starts_with("step ") { message } else { format!("step {index}: {message}") };
        let _ = value.setattr("args", (named,));
        let _ = value.setattr("step", index);
    }
    error
}

/// Whatever the command line's crate has to complain about.
pub fn any(error: &anyhow::Error) -> PyErr {
    if let Some(error) = error.downcast_ref::<ReadError>() {
        unreadable(error)
    } else if let Some(error) = error.downcast_ref::<LearnError>() {
        failed(error)
    } else {
        raised("SurefootError", spelled(error, &Keywords), None)
    }
}

/// Why there is no model.
pub fn failed(error: &LearnError) -> PyErr {
    match error {
        LearnError::Read(error) => unreadable(error),
        LearnError::BadData(bad) => bad_data(bad, None),
        LearnError::Stopped => PyKeyboardInterrupt::new_err(()),
        LearnError::TooLarge { .. } => wrong_value(error.spelled(&Keywords)),
        LearnError::Failed(_) => raised("BadDataError", error.spelled(&Keywords), None),
        LearnError::RefutedByFailure { at, .. } => {
            raised("SurefootError", error.spelled(&Keywords), at.as_deref())
        }
        other => raised("SurefootError", other.spelled(&Keywords), None),
    }
}

/// Steps that no model explains, with what may explain them. `step` is the number of the first one
/// in its call, where it comes from no file.
pub fn bad_data(bad: &BadData, step: Option<usize>) -> PyErr {
    let error =
        raised("BadDataError", bad.spelled(&Keywords), step.is_none().then_some(&bad.first));
    let diagnosed = |py: Python<'_>| -> PyResult<()> {
        let values = serde_json::to_string(&bad.diagnoses)
            .map_err(|error| wrong_value(error.to_string()))?;
        let words: Vec<String> =
            bad.diagnoses.iter().map(|diagnosis| diagnosis.spelled(&Keywords)).collect();
        let diagnoses =
            py.import("surefoot._errors")?.getattr("_diagnoses")?.call1((values, words))?;
        error.value(py).setattr("diagnoses", diagnoses)?;
        if let Some(suggestion) = bad.suggestion.as_ref().filter(|suggestion| !suggestion.rounded) {
            error.value(py).setattr("errors", suggestion.errors.clone())?;
        }
        error.value(py).setattr("step", step)
    };
    match Python::attach(diagnosed) {
        Ok(()) => error,
        Err(other) => other,
    }
}
