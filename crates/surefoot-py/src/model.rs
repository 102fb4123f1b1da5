//! `surefoot.Model`, as Python sees it.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use surefoot::assumptions::Spec;
use surefoot::certificate::digest;
use surefoot::explain::{Admission, admissions, nearest};
use surefoot::learn::{Grounds, Model as CoreModel, Monotone};
use surefoot::model::Domain as CoreDomain;
use surefoot::model::semantics::{Cause, Changes, Inapplicable, Semantics};
use surefoot::pddl::Numbers;
use surefoot_cli::session::{Trace, Words, find_traces};

use crate::error::{any, wrong_value};
use crate::learner::{Learner, saved};
use crate::number::fraction;
use crate::options::keywords;
use crate::picture;
use crate::scene::{action_tuple, atom_tuple, state_dict};
use crate::task::{Domain, Situation, value_pair};
use crate::waiting;

/// A learned model: what it allows works in the real world and does what it says, if its assumptions are true.
///
/// >>> from surefoot import Domain, Learner
/// >>> domain = Domain.parse('''(define (domain counting) (:predicates) (:functions (n))
/// ...   (:action up :parameters ()))''')
/// >>> learner = Learner(domain)
/// >>> for n in (1, 5):
/// ...     _ = learner.observe(({"atoms": set(), "values": {("n",): n}}, ("up",), {"atoms": set(), "values": {("n",): n + 1}}))
/// >>> model = learner.model()
/// >>> print(model.explain({"atoms": set(), "values": {("n",): 6}}, ("up",)))
/// (up) is not applicable
///   (<= (n) 5): 6 <= 5 is false
/// the nearest of 2 observed vectors is
///   (n): 5, here 6   <-
/// it would be applicable with
///   monotone={'up': {'(n)': 'more'}}
/// >>> model.successor({"atoms": set(), "values": {("n",): 4}}, ("up",))
/// {'atoms': set(), 'values': {('n',): Fraction(5, 1)}}
#[pyclass(module = "surefoot", frozen)]
pub struct Model {
    core: Arc<CoreModel>,
    spec: Spec,
    /// All that was learned from, if that is known.
    traces: Option<Vec<Trace>>,
}

impl Model {
    pub fn new(core: CoreModel, spec: Spec, traces: Option<Vec<Trace>>) -> Self {
        Model { core: Arc::new(core), spec, traces }
    }

    pub fn domain(&self) -> Arc<CoreDomain> {
        Arc::clone(self.core.whole())
    }

    fn grounds(&self) -> PyResult<&Grounds> {
        self.core.grounds().ok_or_else(|| wrong_value("this model rests on no evidence that is known here"))
    }

    /// A state and an action in it.
    fn situation(
        &self,
        state: &Bound<'_, PyAny>,
        action: &Bound<'_, PyAny>,
        objects: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Situation> {
        let typed = self.spec.decimals.map_or(Numbers::Exact, Numbers::Decimals);
        let numbers = self.core.grounds().map_or(typed, |grounds| grounds.learner.class().numbers);
        Situation::read(self.core.vocabulary(), state, action, objects, numbers)
    }

    /// What the step does, or why it is not allowed; `None` where the action is missing.
    fn changes(&self, here: &Situation) -> Option<Result<Changes, Inapplicable>> {
        if self.core.missing(here.step.symbol).is_some() {
            return None;
        }
        Some(Semantics::new(self.core.whole(), &here.objects).changes(&here.step, &here.scene.universe, &here.state))
    }
}

#[pymethods]
impl Model {
    /// The learned domain as PDDL, headed by what it promises and under which assumptions.
    fn to_pddl(&self) -> String {
        self.core.to_pddl()
    }

    /// The learned domain.
    #[getter(domain)]
    fn get_domain(&self) -> Domain {
        Domain { core: Arc::new(self.core.whole().of_known_actions()) }
    }

    /// What must be true of the real world for the promise to hold, one sentence each.
    #[getter]
    fn assumptions(&self) -> Vec<String> {
        self.core.assumptions().map(|assumptions| assumptions.in_words()).unwrap_or_default()
    }

    /// What is not promised of this model, where its learner is not safe; `None` for a safe one.
    #[getter]
    fn not_safe(&self) -> Option<&str> {
        self.core.warning()
    }

    /// What the model was made with.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        keywords(&self.spec, py)
    }

    /// One ActionSummary for each action of the domain, learned or not.
    #[getter]
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let class = py.import("surefoot._results")?.getattr("ActionSummary")?;
        let list = PyList::empty(py);
        for row in self.core.summary().actions {
            let keywords = PyDict::new(py);
            keywords.set_item("action", row.action)?;
            keywords.set_item("learned", row.learned)?;
            keywords.set_item("result", row.result)?;
            for (key, number) in [
                ("set_aside", row.set_aside),
                ("vectors", row.vectors),
                ("columns", row.columns),
                ("dimension", row.dimension),
                ("literals", Some(row.literals)),
                ("equations", Some(row.equations)),
                ("facets", Some(row.facets)),
                ("effects", Some(row.effects)),
                ("numeric_effects", Some(row.numeric_effects)),
                ("uncovered", row.uncovered),
                ("refused", row.refused),
            ] {
                keywords.set_item(key, number)?;
            }
            keywords.set_item("inner", row.inner)?;
            list.append(class.call((), Some(&keywords))?)?;
        }
        Ok(list)
    }

    /// Whether the model allows the action in the state. Actions that were not learned are never allowed.
    #[pyo3(signature = (state, action, objects = None))]
    fn applicable(
        &self,
        state: &Bound<'_, PyAny>,
        action: &Bound<'_, PyAny>,
        objects: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<bool> {
        let here = self.situation(state, action, objects)?;
        Ok(matches!(self.changes(&here), Some(Ok(_))))
    }

    /// The state after the action, or None where the model does not allow it.
    #[pyo3(signature = (state, action, objects = None))]
    fn successor<'py>(
        &self,
        state: &Bound<'py, PyAny>,
        action: &Bound<'py, PyAny>,
        objects: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let mut here = self.situation(state, action, objects)?;
        let Some(Ok(changes)) = self.changes(&here) else { return Ok(None) };
        changes.apply(&mut here.scene.universe, &mut here.state);
        Ok(Some(state_dict(state.py(), self.core.vocabulary(), &here.objects, &here.scene.universe, &here.state)?))
    }

    /// Why the model allows the action in the state or not: an Explanation, with the violated conditions and their values, the
    /// nearest observation, and the options under which the action would be allowed.
    #[pyo3(signature = (state, action, objects = None))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<'py, PyAny>,
        action: &Bound<'py, PyAny>,
        objects: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let here = self.situation(state, action, objects)?;
        let (vocabulary, learned) = (self.core.vocabulary(), self.core.whole());
        let results = py.import("surefoot._results")?;
        let keywords = PyDict::new(py);
        keywords.set_item("action", action_tuple(py, vocabulary, &here.objects, &here.step)?)?;
        let (violations, adds, deletes, values) = (PyList::empty(py), PyList::empty(py), PyList::empty(py), PyDict::new(py));
        let changes = self.changes(&here);
        keywords.set_item("applicable", matches!(changes, Some(Ok(_))))?;
        match &changes {
            Some(Ok(changes)) => {
                for (list, atoms) in [(&adds, &changes.adds), (&deletes, &changes.deletes)] {
                    for atom in atoms {
                        list.append(atom_tuple(py, learned, &here.objects, atom)?)?;
                    }
                }
                for (function, value) in &changes.values {
                    let (key, value) = value_pair(py, learned, &here.objects, function, value)?;
                    values.set_item(key, value)?;
                }
            }
            Some(Err(reason)) => {
                let words = Words::new(learned, &here.objects);
                let class = results.getattr("Violation")?;
                match reason {
                    Inapplicable::Precondition(found) => {
                        for violation in found {
                            let (left, right) = match &violation.cause {
                                Cause::Values(left, right) => (Some(fraction(py, left)?), Some(fraction(py, right)?)),
                                _ => (None, None),
                            };
                            let condition = words.condition(violation);
                            violations.append(class.call1((condition, words.cause(violation), left, right))?)?;
                        }
                    }
                    other => {
                        for reason in words.reasons(&here.step, other) {
                            violations.append(class.call1(("", reason, py.None(), py.None()))?)?;
                        }
                    }
                }
            }
            None => {
                let result = self.core.missing(here.step.symbol).unwrap_or_default();
                let class = results.getattr("Violation")?;
                violations.append(class.call1(("", format!("left out of the model: {result}"), py.None(), py.None()))?)?;
            }
        }
        keywords.set_item("violations", violations)?;
        keywords.set_item("adds", adds)?;
        keywords.set_item("deletes", deletes)?;
        keywords.set_item("values", values)?;
        if !matches!(changes, Some(Ok(_))) && self.core.grounds().is_some() {
            self.nearby(py, here, &keywords)?;
        }
        results.getattr("Explanation")?.call((), Some(&keywords))
    }

    /// A proof of the model as JSON, which `surefoot check` verifies against the trajectories. Where not all was learned from files
    /// that are still known (a loaded state, steps of Python), name the files in `traces`.
    #[pyo3(signature = (traces = None))]
    fn certificate(&self, traces: Option<Vec<PathBuf>>) -> PyResult<String> {
        let given = traces.map(|paths| find_traces(&paths, None)).transpose().map_err(|error| any(&error))?;
        let certificate = self.core.certificate();
        let mut certificate = certificate.ok_or_else(|| wrong_value("only safe models have certificates"))?;
        match given {
            Some(traces) => {
                let digests = traces.iter().map(|trace| Ok(digest(trace.source()?.text())));
                certificate.traces = digests.collect::<anyhow::Result<_>>().map_err(|error| any(&error))?;
            }
            None if self.traces.is_some() => {}
            None => {
                return Err(wrong_value(
                    "a certificate names the trajectories it rests on, and not all of them are known: pass certificate(traces=[...])",
                ));
            }
        }
        certificate.to_json().map_err(|error| wrong_value(error.to_string()))
    }

    /// A pickle holds the evidence and the options. What it rests on is known no more: a certificate needs `traces`.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.get());
        let restore = py.import("surefoot._surefoot")?.getattr("_restore_model")?;
        let arguments = (PyBytes::new(py, &saved(&this.grounds()?.learner)?), keywords(&this.spec, py)?);
        PyTuple::new(py, [restore, arguments.into_pyobject(py)?.into_any()])
    }

    fn _repr_html_(&self) -> String {
        picture::page(&self.core)
    }

    fn __repr__(&self) -> String {
        let summary = self.core.summary();
        let learned = summary.actions.iter().filter(|row| row.learned).count();
        let safe = if summary.not_safe.is_some() { ", NOT SAFE" } else { "" };
        let (domain, algorithm, all) = (summary.domain, summary.algorithm, summary.actions.len());
        format!("<Model of {domain} ({algorithm}{safe}): {learned} of {all} actions learned>")
    }
}

/// Makes a model of its pickled parts.
#[pyfunction]
pub fn _restore_model(py: Python<'_>, state: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Model> {
    Learner::load(state, Some(options))?.model(py, "skip-action", None)
}

impl Model {
    /// What was observed nearby, and what would admit the step.
    fn nearby(&self, py: Python<'_>, here: Situation, keywords: &Bound<'_, PyDict>) -> PyResult<()> {
        let learner = &self.grounds()?.learner;
        let action = here.step.symbol;
        let (universe, state, step, objects) = (here.scene.universe, here.state, here.step, here.objects);
        if let Some(nearest) = nearest(learner, &step, &universe, &state) {
            let map = PyDict::new(py);
            for (column, value, observed) in &nearest.columns {
                let name = learner.written(action, &learner.vocabulary(action).columns[*column]);
                map.set_item(name, (fraction(py, observed)?, fraction(py, value)?))?;
            }
            keywords.set_item("nearest", map)?;
            keywords.set_item("among", nearest.among)?;
        }
        let core = Arc::clone(&self.core);
        let found = waiting::run(py, None, None, None, move |_| match core.grounds() {
            Some(grounds) => admissions(&grounds.learner, &grounds.settings, &step, &objects, &universe, &state),
            None => Vec::new(),
        })?;
        let list = PyList::empty(py);
        for admission in found {
            let options = PyDict::new(py);
            match admission {
                Admission::Arity(arity, effects) => {
                    options.set_item("arity", arity)?;
                    if effects {
                        options.set_item("effect_arity", arity)?;
                    }
                }
                Admission::Monotone(column, mark) => {
                    let name = learner.written(action, &learner.vocabulary(action).columns[column]);
                    let marks = PyDict::new(py);
                    marks.set_item(name, if mark == Monotone::More { "more" } else { "less" })?;
                    let map = PyDict::new(py);
                    map.set_item(self.core.vocabulary().action_name(action), marks)?;
                    options.set_item("monotone", map)?;
                }
                Admission::PositivePreconditions => options.set_item("positive_preconditions", true)?,
            }
            list.append(options)?;
        }
        keywords.set_item("admissions", list)
    }
}
