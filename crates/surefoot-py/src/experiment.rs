//! Evaluations and the cells of experiments, for the Python around them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use surefoot_analysis::evaluate::{PlanOutcome, Score, Scores, Walks, aligned_with_errors};
use surefoot_base::exact::Rational;
use surefoot_base::margins::errors_by_function;
use surefoot_base::pddl::Numbers;
use surefoot_io::tolerance::Tolerance;
use surefoot_lab::evaluation::{self, Tests};
use surefoot_lab::experiment::parts;
use surefoot_learn::SetAsideLimit;

use crate::error::{any, warn, wrong_value};
use crate::learner::policy;
use crate::number::{fraction, rational};
use crate::task::{domain_of, errors_of, numbers, planned_domain_of};
use crate::waiting;

/// Compares a learned model with the real domain, by the metrics of the paper: on random walks from
/// the problems of a folder, on recorded traces, and, with a planner, by solving the problems.
/// Returns an Evaluation.
///
/// `truth` is a Domain or a path, `learned` a Model, a Domain or a path. A Model is measured as it
/// plans, with its whole hulls; a file, as it is written. `inapplicable` is the share of a walk's
/// steps that the real domain does not allow, `time_limit` is in seconds. The real domain replays
/// the recorded steps, of `traces` and of trajectories beside the problems, or an error says which
/// step it does not; with `on_bad_data="quarantine"`, up to two steps of an action, or one in
/// twenty, count as recording errors. Numeric comparisons are exact, unless a `tolerance` says by
/// how much they may be missed: "0.1" is the paper's.
#[pyfunction]
#[pyo3(signature = (truth, learned, problems, *, traces = None, walks = 1, steps = 200,
    inapplicable = 0.25, seed = 0, planner = None, time_limit = 60.0, decimals = None,
    tolerance = None, on_bad_data = "stop"))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn evaluate<'py>(
    py: Python<'py>,
    truth: &Bound<'py, PyAny>,
    learned: &Bound<'py, PyAny>,
    problems: PathBuf,
    traces: Option<PathBuf>,
    walks: usize,
    steps: usize,
    inapplicable: f64,
    seed: u64,
    planner: Option<String>,
    time_limit: f64,
    decimals: Option<u32>,
    tolerance: Option<&Bound<'py, PyAny>>,
    on_bad_data: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let (real, planned) = (domain_of(truth)?, planned_domain_of(learned)?);
    let aligned = aligned_with_errors(&planned, &real)
        .context("the learned model does not go with the real domain");
    let errors = errors_of(learned, &planned)?;
    let learned = aligned.map_err(|error| any(&error))?;
    let errors = errors_by_function(&learned, &errors).map_err(wrong_value)?;
    if !(0.0..=1.0).contains(&inapplicable) {
        return Err(wrong_value("inapplicable is a number from 0 to 1"));
    }
    let limit = Duration::try_from_secs_f64(time_limit)
        .ok()
        .filter(|limit| !limit.is_zero() && limit.as_secs() < 1 << 32);
    let limit = limit.ok_or_else(|| wrong_value("time_limit is a number of seconds above zero"))?;
    if decimals.is_some_and(|decimals| decimals > 1000) {
        return Err(wrong_value("decimals is a number from 0 to 1000"));
    }
    let tolerance =
        tolerance.map_or(Ok(Rational::ZERO), |value| rational(value, Numbers::Exact))?;
    let missed = fraction(py, &tolerance)?;
    let tests = Tests {
        problems,
        traces,
        walks: Walks { count: walks, steps, inapplicable },
        seed,
        planner: planner.map(|spec| (spec, limit)),
        numbers: numbers(decimals),
        tolerance: Tolerance::of(tolerance).map_err(wrong_value)?,
        on_bad_data: policy(
            on_bad_data,
            SetAsideLimit::default().share,
            SetAsideLimit::default().steps,
        )?
        .on_bad,
        answers: None,
        errors,
    };
    let found =
        waiting::run(py, None, None, None, move |_| evaluation::evaluate(&real, &learned, &tests))?;
    let found = found.map_err(|error| any(&error))?;
    warn(&found.warnings)?;
    let module = py.import("surefoot._evaluation")?;
    let class = module.getattr("Scores")?;
    let keywords = PyDict::new(py);
    keywords.set_item("mean", class.call((), Some(&figures(py, &found.mean)?))?)?;
    let actions = PyList::empty(py);
    for row in &found.actions {
        let scores = figures(py, &row.scores)?;
        scores.set_item("action", &row.action)?;
        scores.set_item("learned", row.learned)?;
        actions.append(class.call((), Some(&scores))?)?;
    }
    keywords.set_item("actions", actions)?;
    keywords.set_item("steps", found.steps)?;
    keywords.set_item("tolerance", missed)?;
    let successors = PyDict::new(py);
    for row in &found.successors {
        let both = PyDict::new(py);
        for (metric, number) in row.scores() {
            both.set_item(metric.name(), fraction(py, number)?)?;
        }
        successors.set_item(&row.action, both)?;
    }
    keywords.set_item("successors", successors)?;
    if let Some(coverage) = &found.coverage {
        keywords.set_item(
            "coverage",
            module.getattr("Coverage")?.call((), Some(&outcomes(py, coverage)?))?,
        )?;
    }
    module.getattr("Evaluation")?.call((), Some(&keywords))
}

/// Figures by the names of their metrics: shares as floats, exact numbers as fractions, None where
/// there is nothing to share.
fn figures<'py>(py: Python<'py>, scores: &Scores) -> PyResult<Bound<'py, PyDict>> {
    let figures = PyDict::new(py);
    for metric in Scores::metrics() {
        match scores.get(metric) {
            None => figures.set_item(metric.name(), py.None())?,
            Some(Score::Share(share)) => figures.set_item(metric.name(), share)?,
            Some(Score::Exact(number)) => figures.set_item(metric.name(), fraction(py, number)?)?,
        }
    }
    Ok(figures)
}

/// How many problems had each outcome, and which had which.
fn outcomes<'py>(py: Python<'py>, coverage: &evaluation::Coverage) -> PyResult<Bound<'py, PyDict>> {
    let keywords = PyDict::new(py);
    keywords.set_item("planner", &coverage.planner)?;
    keywords.set_item("coverage", coverage.share())?;
    for (outcome, count) in PlanOutcome::ALL.iter().zip(coverage.tally()) {
        keywords.set_item(outcome.name().replace('-', "_"), count)?;
    }
    let problems = PyDict::new(py);
    for judged in &coverage.problems {
        problems.set_item(&judged.problem, judged.outcome.name())?;
    }
    keywords.set_item("problems", problems)?;
    Ok(keywords)
}

/// An experiment whose cells are worked on one at a time, anywhere.
#[pyclass(module = "surefoot._surefoot", frozen)]
pub struct Parts {
    core: Arc<parts::CellwiseExperiment>,
}

#[pymethods]
impl Parts {
    /// Reads a configuration, as `surefoot experiment` does, and finds its data.
    #[new]
    #[pyo3(signature = (config, traces_root = None))]
    fn new(config: PathBuf, traces_root: Option<PathBuf>) -> PyResult<Self> {
        let core = parts::CellwiseExperiment::open(&config, traces_root.as_deref())
            .map_err(|error| any(&error))?;
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
        waiting::run(py, None, None, Some(1), move |_| core.work(cell))?
            .map_err(|error| any(&error))
    }

    /// Keeps a record in a folder.
    fn keep(&self, output: PathBuf, record: &str) -> PyResult<()> {
        self.core.keep(&output, record).map_err(|error| any(&error))
    }

    /// Writes the tables of a folder that has all records; returns how many cells there are, and
    /// how many failed.
    fn finish(&self, output: PathBuf) -> PyResult<(usize, usize)> {
        self.core.finish(&output).map_err(|error| any(&error))
    }
}
