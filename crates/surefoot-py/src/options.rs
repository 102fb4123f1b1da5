//! The keywords of a learner are the dials of the library: here they become values of its [`Spec`],
//! and back.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Value};
use surefoot_base::assumptions::{DIALS, Dial, DialGroup, ErrorMap, Spec, Takes};
use surefoot_learn::{Learner as Core, OnBadData, Settings};

use crate::error::{any, wrong_type, wrong_value};
use crate::number::{item, shown};

/// Takes keywords over; those that are left out stay as they were. Without `class`, the class of
/// models is fixed.
pub fn updated(spec: &Spec, keywords: Option<&Bound<'_, PyDict>>, class: bool) -> PyResult<Spec> {
    let mut spec = spec.clone();
    for (key, value) in keywords.into_iter().flat_map(|map| map.iter()) {
        let key: String = key.extract()?;
        let dial = Dial::find(&key).filter(|dial| class || dial.group == DialGroup::Model);
        let dial = dial.ok_or_else(|| wrong_type(format!("a learner has no option {key:?}")))?;
        let plain = if dial.takes == Takes::Errors { plain_errors(&value) } else { plain(&value) };
        let mut plain =
            plain.ok_or_else(|| wrong_value(format!("{key} is not for {}", shown(&value))))?;
        if dial.takes == Takes::Monotone {
            plain = for_all_actions(plain)?;
        }
        spec.set(dial.name, plain).map_err(|error| wrong_value(error.to_string()))?;
    }
    Ok(spec)
}

/// A value of Python as JSON has it; `None` where it has none such.
fn plain(value: &Bound<'_, PyAny>) -> Option<Value> {
    if value.is_none() {
        return Some(Value::Null);
    }
    if let Ok(word) = value.cast::<PyString>() {
        return Some(Value::from(word.to_cow().ok()?.into_owned()));
    }
    if value.is_instance_of::<PyBool>() {
        return value.extract::<bool>().ok().map(Value::from);
    }
    if value.is_instance_of::<PyInt>() {
        return value.extract::<i64>().ok().map(Value::from);
    }
    if let Ok(map) = value.cast::<PyDict>() {
        let pairs =
            map.iter().map(|(key, value)| Some((key.extract::<String>().ok()?, plain(&value)?)));
        return pairs.collect::<Option<Map<String, Value>>>().map(Value::from);
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter().ok()?.map(|item| plain(&item.ok()?));
        return items.collect::<Option<Vec<Value>>>().map(Value::from);
    }
    plain(&item(value).ok()??)
}

/// Errors by function, or one for all: floats, fractions and decimals are taken as they are
/// printed, since that is how people write them.
fn plain_errors(value: &Bound<'_, PyAny>) -> Option<Value> {
    if let Ok(map) = value.cast::<PyDict>() {
        let pairs = map
            .iter()
            .map(|(key, value)| Some((key.extract::<String>().ok()?, plain_errors(&value)?)));
        return pairs.collect::<Option<Map<String, Value>>>().map(Value::from);
    }
    plain(value).or_else(|| Some(Value::from(value.str().ok()?.to_cow().ok()?.into_owned())))
}

/// Errors by function as Python has them: a number for all, or a map.
pub fn error_map(value: &Bound<'_, PyAny>) -> PyResult<ErrorMap> {
    let map = plain_errors(value)
        .ok_or_else(|| wrong_value(format!("errors are not {}", shown(value))))?;
    let mut spec = Spec::default();
    spec.set("error", map).map_err(|error| wrong_value(error.to_string()))?;
    Ok(spec.error)
}

/// `{"*": {"(fuel ?t)": "more"}}`; the short `{"(fuel ?t)": "more"}` is for all actions.
fn for_all_actions(value: Value) -> PyResult<Value> {
    let Value::Object(map) = value else { return Ok(value) };
    let mut marks: Map<String, Value> = Map::new();
    for (key, value) in map {
        let (action, given) = match value {
            Value::String(_) => ("*".to_owned(), Map::from_iter([(key, value)])),
            Value::Object(given) => (key, given),
            other => (key, Map::from_iter([(String::new(), other)])),
        };
        let of_action = marks.entry(action).or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(of_action) = of_action else { continue };
        for (function, word) in given {
            if of_action.insert(function.clone(), word).is_some() {
                return Err(wrong_value(format!(
                    "monotone: {function:?} stands there twice, for all actions"
                )));
            }
        }
    }
    Ok(Value::Object(marks))
}

/// What a model is made with, in the ids of a learner.
pub fn settings(spec: &Spec, learner: &Core) -> PyResult<Settings> {
    Settings::of_spec(spec, learner).map_err(|error| any(&error.into()))
}

/// The dials of models as keywords.
pub fn keywords<'py>(spec: &Spec, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    let map = PyDict::new(py);
    for dial in DIALS.iter().filter(|dial| dial.group == DialGroup::Model) {
        map.set_item(dial.keyword(), of_python(py, &spec.get(dial))?)?;
    }
    Ok(map)
}

/// Whether models are made the same way.
pub fn same_options(one: &Spec, other: &Spec) -> bool {
    DIALS
        .iter()
        .filter(|dial| dial.group == DialGroup::Model)
        .all(|dial| one.get(dial) == other.get(dial))
}

fn of_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Number(number) => number.as_u64().into_pyobject(py)?,
        Value::String(word) => PyString::new(py, word).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            items.iter().try_for_each(|item| list.append(of_python(py, item)?))?;
            list.into_any()
        }
        Value::Object(fields) => {
            let map = PyDict::new(py);
            fields.iter().try_for_each(|(key, value)| map.set_item(key, of_python(py, value)?))?;
            map.into_any()
        }
    })
}

/// What to do about steps that nothing explains.
pub fn on_bad_data(word: &str) -> PyResult<OnBadData> {
    OnBadData::find(word).ok_or_else(|| {
        wrong_value(format!(
            "on_bad_data is \"stop\", \"skip-action\" or \"quarantine\", found {word:?}"
        ))
    })
}
