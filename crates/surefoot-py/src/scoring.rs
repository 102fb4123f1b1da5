//! What a model says of a log, for Python.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use surefoot_analysis::assess::wrong_at_most;
use surefoot_analysis::evaluate::{ActionLogScore, LogScore, score};
use surefoot_base::exact::Rational;
use surefoot_base::model::{Domain, FunctionId};
use surefoot_base::pddl::{Diagnostic, Numbers};
use surefoot_learn::{Model, Recording};

use crate::error::failed;
use crate::memory::{PythonTrajectory, trajectories};
use crate::records::RecordSources;
use crate::scene::NameScope;
use crate::waiting;

/// How files and logs are read.
pub struct Watching<'a, 'py> {
    pub map: Option<&'a Bound<'py, PyAny>>,
    pub problems: Option<PathBuf>,
    pub progress: Option<&'a Bound<'py, PyAny>>,
    pub threads: Option<usize>,
}

/// Scores a model on paths, a log, steps or trajectories.
pub fn scored<'py>(
    py: Python<'py>,
    model: &Arc<Model>,
    numbers: Numbers,
    log: &Bound<'py, PyAny>,
    objects: Option<&Bound<'py, PyDict>>,
    how: Watching<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let core = Arc::clone(model);
    let scores = if let Some(records) = RecordSources::of(py, log, how.map, how.problems)? {
        let total = Some(records.traces());
        let judge = move |watch: &waiting::WorkProgress| {
            let (judged, errors) = judged(&core);
            score(
                core.vocabulary(),
                judged,
                &errors,
                numbers,
                unchanged_failed(&core),
                &records,
                watch,
            )
        };
        vec![
            waiting::run(py, how.progress, total, how.threads, judge)?
                .map_err(|error| failed(&error))?,
        ]
    } else {
        let several = trajectories(log).unwrap_or_else(|| vec![log.clone()]);
        let one = |log: &Bound<'_, PyAny>| {
            let mut scene =
                NameScope::new(py, model.vocabulary(), objects)?.with_errors(&judged(model).1);
            let (core, memory) =
                (Arc::clone(model), PythonTrajectory::read(&mut scene, log, numbers)?);
            let judge = move |watch: &waiting::WorkProgress| {
                let (judged, errors) = judged(&core);
                score(
                    core.vocabulary(),
                    judged,
                    &errors,
                    numbers,
                    unchanged_failed(&core),
                    &memory,
                    watch,
                )
            };
            waiting::run(py, how.progress, Some(1), Some(1), judge)?.map_err(|error| failed(&error))
        };
        several.iter().map(one).collect::<PyResult<Vec<_>>>()?
    };
    log_score(py, model, &scores)
}

/// What is scored, and how far records may be from true states.
fn judged(model: &Model) -> (&Domain, BTreeMap<FunctionId, Rational>) {
    let errors =
        model.grounds().map(|grounds| grounds.learner.class().errors.clone()).unwrap_or_default();
    (model.for_planning(), errors)
}

/// Whether steps that changed nothing were not taken for ones that worked.
fn unchanged_failed(model: &Model) -> bool {
    model.grounds().is_some_and(|grounds| grounds.settings.unchanged_failed)
}

/// Scores of parts of a log, for Python.
fn log_score<'py>(
    py: Python<'py>,
    model: &Model,
    scores: &[LogScore],
) -> PyResult<Bound<'py, PyAny>> {
    let vocabulary = model.vocabulary();
    let class = py.import("surefoot._results")?.getattr("LogScore")?;
    let made = |score: ActionLogScore| {
        let keywords = PyDict::new(py);
        for (key, number) in [
            ("worked", score.worked),
            ("allowed", score.allowed),
            ("mistaken", score.mistaken),
            ("failed", score.failed),
            ("allowed_failures", score.allowed_failures),
            ("undecided", score.undecided),
        ] {
            keywords.set_item(key, number)?;
        }
        PyResult::Ok(keywords)
    };
    let (actions, mut all) = (PyDict::new(py), ActionLogScore::default());
    for id in vocabulary.action_ids() {
        let sum = scores
            .iter()
            .fold(ActionLogScore::default(), |sum, score| sum.plus(score.actions[id.index()]));
        actions.set_item(vocabulary.action_name(id), class.call((), Some(&made(sum)?))?)?;
        all = all.plus(sum);
    }
    let keywords = made(all)?;
    keywords.set_item("actions", actions)?;
    let named = scores.iter().flat_map(|score| &score.contradictions).take(LogScore::NAMED);
    keywords.set_item("contradictions", named.map(in_one_line).collect::<Vec<_>>())?;
    let traces = scores.iter().map(|score| score.traces).sum();
    let wrong = scores.iter().map(|score| score.wrong_traces.len()).sum();
    keywords.set_item("traces", traces)?;
    keywords.set_item("wrong_traces", wrong)?;
    keywords.set_item("wrong_at_most", wrong_at_most(traces, wrong, 0.05))?;
    class.call((), Some(&keywords))
}

/// A message with its place, where it has one.
fn in_one_line(diagnostic: &Diagnostic) -> String {
    let place = &diagnostic.place;
    match (&*place.file, place.position.line) {
        ("", _) => diagnostic.message.clone(),
        (file, 0) => format!("{file}: {}", diagnostic.message),
        (file, line) => format!("{file}:{line}:{}: {}", place.position.column, diagnostic.message),
    }
}
