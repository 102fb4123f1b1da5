//! `surefoot.Log`: rows of tables as records to learn from. Cells of Python become cells of a table
//! here.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use surefoot_base::pddl::{Diagnostic, ReadError, Source};
use surefoot_log::table::Value;
use surefoot_log::{Log as Core, Meaning, Table};

use crate::error::{unreadable, wrong_type, wrong_value};
use crate::number::{is_missing, item, shown};
use crate::task::Domain;
use crate::waiting;

/// Rows of tables and what their columns mean: records to learn from. Made by
/// `surefoot.from_dataframe`, or by `Log.read` of files.
///
/// `Learner.observe`, `learn` and `Model.score` take it. Its `domain` is the vocabulary that the
/// map declares.
#[pyclass(module = "surefoot", frozen)]
pub struct Log {
    pub core: Arc<Core>,
}

/// A map or a table that cannot be read.
pub fn refused(error: Diagnostic) -> PyErr {
    unreadable(&ReadError::from(error))
}

impl Log {
    fn open(
        py: Python<'_>,
        tables: Vec<Table>,
        map: (String, String),
        folder: PathBuf,
    ) -> PyResult<Self> {
        let opened = waiting::run(py, None, None, Some(1), move |_| {
            let meaning = Meaning::read(&Source::new(map.1, map.0))?;
            Core::open(meaning, &folder, tables)
        })?;
        let log = Log { core: Arc::new(opened.map_err(|error| unreadable(&error))?) };
        // What would make a wrong model is told, however the log was opened.
        for doubt in log.core.doubts().iter().filter(|doubt| doubt.is_grave) {
            py.import("warnings")?.getattr("warn")?.call1((&doubt.text,))?;
        }
        Ok(log)
    }
}

#[pymethods]
impl Log {
    /// Reads logs from files: CSV, TSV, JSON lines (Parquet where it was built in), compressed or
    /// not. `map` says what the columns mean, as for `surefoot.from_dataframe`.
    #[staticmethod]
    pub fn read(
        py: Python<'_>,
        paths: &Bound<'_, PyAny>,
        map: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let paths = crate::learner::paths(paths)?.ok_or_else(|| {
            wrong_type(format!("expected a path or a list of paths, found {}", shown(paths)))
        })?;
        let (text, name, folder): (String, String, PathBuf) =
            py.import("surefoot._frames")?.getattr("map_text")?.call1((map,))?.extract()?;
        let tables = paths
            .iter()
            .map(|path| Table::open(path))
            .collect::<Result<_, _>>()
            .map_err(refused)?;
        Log::open(py, tables, (text, name), folder)
    }

    /// A log of columns of plain values.
    #[staticmethod]
    fn _of_columns(
        py: Python<'_>,
        name: &str,
        names: Vec<String>,
        columns: Vec<Bound<'_, PyList>>,
        map: String,
        title: String,
        folder: PathBuf,
    ) -> PyResult<Self> {
        let rows = columns.first().map_or(0, |column| column.len());
        if let Some((short, column)) =
            names.iter().zip(&columns).find(|(_, column)| column.len() != rows)
        {
            return Err(wrong_value(format!(
                "column {short:?} has {} cells, others have {rows}",
                column.len()
            )));
        }
        let width = columns.len();
        let mut cells = vec![Value::Missing; rows * width];
        for (place, (title, column)) in names.iter().zip(&columns).enumerate() {
            for (row, cell) in column.iter().enumerate() {
                cells[row * width + place] = value(&cell).map_err(|error| {
                    wrong_type(format!("row {row}, column {title:?}: {}", error.value(py)))
                })?;
                if row % 65_536 == 65_535 {
                    py.check_signals()?;
                }
            }
        }
        let table = Table::in_memory(name, names, cells).map_err(refused)?;
        Log::open(py, vec![table], (map, title), folder)
    }

    /// The vocabulary: types, predicates, functions, and actions with their parameters.
    #[getter]
    fn domain(&self) -> Domain {
        Domain { core: Arc::new(self.core.domain().clone()) }
    }

    /// The parts of actions that the map declares with `split`, as `parts` of a learner has them.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parts = serde_json::to_string(&self.core.meaning().parts())
            .map_err(|error| wrong_value(error.to_string()))?;
        py.import("json")?.getattr("loads")?.call1((parts,))
    }

    /// The names of the episodes, each a record of its own.
    #[getter]
    fn episodes(&self) -> Vec<String> {
        self.core.episodes().map(str::to_owned).collect()
    }

    fn __len__(&self) -> usize {
        self.core.episodes().len()
    }

    fn __repr__(&self) -> String {
        format!("<Log of {}: {} episodes>", self.core.domain().name, self.core.episodes().len())
    }
}

/// A cell of a frame. Floats mean their shortest decimals, as they would in a file.
fn value(cell: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(text) = cell.cast::<PyString>() {
        return Ok(Value::Text(text.to_cow()?.into_owned().into()));
    }
    if let Ok(float) = cell.cast::<PyFloat>() {
        let float = float.value();
        return Ok(match float.is_nan() {
            true => Value::Missing,
            false => Value::Number(decimals(float).into()),
        });
    }
    if cell.is_instance_of::<PyBool>() {
        return Ok(Value::Flag(cell.is_truthy()?));
    }
    if cell.is_instance_of::<PyInt>() {
        return Ok(Value::Number(match cell.extract::<i64>() {
            Ok(small) => small.to_string().into(),
            Err(_) => cell.str()?.to_cow()?.into_owned().into(),
        }));
    }
    if is_missing(cell)? {
        return Ok(Value::Missing);
    }
    if cell.is_instance_of::<PyDict>()
        || cell.is_instance_of::<PyList>()
        || cell.is_instance_of::<PyTuple>()
    {
        return Err(wrong_type(format!(
            "{} is not one value: make columns of its parts",
            shown(cell)
        )));
    }
    if let Some(inner) = item(cell)? {
        return value(&inner);
    }
    let text = cell.str()?.to_cow()?.into_owned();
    // Decimals are numbers; whatever else there is (times, identifiers) is what it prints as.
    Ok(match cell.get_type().name()?.to_cow()?.as_ref() {
        "Decimal" if text.ends_with("NaN") => Value::Missing,
        "Decimal" => Value::Number(text.into()),
        _ => Value::Text(text.into()),
    })
}

/// The shortest decimals of a float, with an exponent where they would be long.
fn decimals(float: f64) -> String {
    let size = float.abs();
    if size != 0.0 && !(1e-5..1e16).contains(&size) {
        format!("{float:e}")
    } else {
        float.to_string()
    }
}
