//! `surefoot.Model`, as Python sees it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use surefoot_analysis::explain::{
    Admission, Applicability, Asked, Explanation, Grounds as Evidence,
};
use surefoot_analysis::saved::{SavedModel, SavedParts, to_bytes};
use surefoot_base::assumptions::{ErrorMap, Spec};
use surefoot_base::certificate::digest;
use surefoot_base::model::Attempt;
use surefoot_base::model::compiled::{Compiled, CompiledParts};
use surefoot_base::model::semantics::{Inapplicable, Semantics, StepChanges, ViolationCause};
use surefoot_base::pddl::Numbers;
use surefoot_io::corpus;
use surefoot_io::output::{ConditionWriter, write_file};
use surefoot_learn::{Answer, Answers, Grounds, Model as CoreModel, Monotone};

use crate::error::{any, not_loaded, wrong_value};
use crate::learner::saved;
use crate::masking::{Masker, all_applicable, mask};
use crate::number::fraction;
use crate::options::{keywords, same_options};
use crate::picture;
use crate::scene::{ErrorBounds, action_tuple, atom_tuple, state_dict};
use crate::scoring::{Watching, scored};
use crate::task::{Domain, Situation, operands, value_pair};
use crate::waiting;

/// A learned model: what it allows works in the real world and does what it says, if its
/// assumptions are true.
///
/// >>> from surefoot import Domain, Learner
/// >>> domain = Domain.parse('''(define (domain counting) (:predicates) (:functions (n))
/// ...   (:action up :parameters ()))''')
/// >>> learner = Learner(domain)
/// >>> for n in (1, 5):
/// ...     _ = learner.observe(({"atoms": set(), "values": {("n",): n}}, ("up",),
/// ...                          {"atoms": set(), "values": {("n",): n + 1}}))
/// >>> model = learner.model()
/// >>> print(model.explain({"atoms": set(), "values": {("n",): 6}}, ("up",)))
/// (up) is not applicable: 1 condition of the model does not hold; unknown: the records leave open whether it would work
/// n is 6; every recorded value with which up worked is 5 or less
/// nearest up that worked: n 5 (here 6)
/// >>> model.successor({"atoms": set(), "values": {("n",): 4}}, ("up",))
/// {'atoms': set(), 'values': {('n',): Fraction(5, 1)}}
#[pyclass(module = "surefoot", frozen)]
pub struct Model {
    core: Arc<CoreModel>,
    spec: Spec,
    /// Whether all that was learned from is in traces that are known.
    complete: bool,
    prepared: OnceLock<CompiledParts>,
    /// What failures prove, once it was asked for.
    answers: OnceLock<Option<Answers>>,
}

impl Model {
    pub fn new(core: CoreModel, spec: Spec, complete: bool) -> Self {
        Model {
            core: Arc::new(core),
            spec,
            complete,
            prepared: OnceLock::new(),
            answers: OnceLock::new(),
        }
    }

    /// The model taken apart, once.
    fn prepared(&self) -> &CompiledParts {
        self.prepared.get_or_init(|| Compiled::new(self.core.for_states()).prepared())
    }

    /// How far values of states may be from the true ones.
    fn known_errors(&self) -> ErrorBounds {
        self.core
            .grounds()
            .map(|grounds| grounds.learner.class().errors.clone())
            .unwrap_or_default()
    }

    /// How numbers of states are read.
    fn numbers(&self) -> Numbers {
        let typed = self.spec.decimals.map_or(Numbers::Exact, Numbers::Decimals);
        self.core.grounds().map_or(typed, |grounds| grounds.learner.class().numbers)
    }

    pub fn core(&self) -> &CoreModel {
        &self.core
    }

    /// How far recorded values may be from the true ones.
    pub fn errors(&self) -> ErrorMap {
        self.core.assumptions().map(|assumptions| assumptions.spec.error).unwrap_or_default()
    }

    fn grounds(&self) -> PyResult<&Grounds> {
        self.core
            .grounds()
            .ok_or_else(|| wrong_value("this model rests on no evidence that is known here"))
    }

    /// A state and an action in it.
    fn situation(
        &self,
        state: &Bound<'_, PyAny>,
        action: &Bound<'_, PyAny>,
        objects: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Situation> {
        Situation::read(
            self.core.vocabulary(),
            state,
            action,
            objects,
            (self.numbers(), &self.known_errors()),
        )
    }

    /// What the step does, or why it is not allowed; `None` where the action is missing.
    fn changes(&self, here: &Situation) -> Option<Result<StepChanges, Inapplicable>> {
        if self.core.missing(here.step.symbol).is_some() {
            return None;
        }
        Some(Semantics::new(self.core.for_states(), &here.objects).changes(
            &here.step,
            &here.scene.universe,
            &here.state,
        ))
    }
}

#[pymethods]
impl Model {
    /// The learned domain as PDDL, headed by what it promises and under which assumptions. With
    /// `binary`, sums and products have two operands each, for programs that read no others.
    #[pyo3(signature = (*, binary = false))]
    fn to_pddl(&self, binary: bool) -> String {
        self.core.to_pddl_with(operands(binary))
    }

    /// The learned domain. Where records are not exact, its numbers are estimates, and functions
    /// `error-of-...` say how far they may be off.
    #[getter(domain)]
    fn get_domain(&self) -> Domain {
        Domain { core: Arc::new(self.core.for_planning().of_known_actions()) }
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

    /// Whether the model allows the action in the state. Actions that were not learned are never
    /// allowed.
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

    /// What the records tell of the action in the state, an Answer: "allowed"; "forbidden", where a
    /// failed attempt proves that it cannot be taken, with that proof in words; or "unknown".
    /// Forbidden rests on one more assumption: that a step fails only because its precondition does
    /// not hold.
    #[pyo3(signature = (state, action, objects = None))]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<'py, PyAny>,
        action: &Bound<'py, PyAny>,
        objects: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let here = self.situation(state, action, objects)?;
        let attempt =
            Attempt { before: &here.state, action: &here.step, universe: &here.scene.universe };
        let (word, because) = match self.answers.get_or_init(|| Answers::of(&self.core)) {
            Some(answers) => {
                let answer = answers.ask(&mut answers.observer(), &here.objects, attempt);
                let answer =
                    answer.map_err(|broken| PyRuntimeError::new_err(broken.to_string()))?;
                let because = match &answer {
                    Answer::Forbidden(witness) => {
                        Some(answers.in_words(here.step.symbol, witness, None))
                    }
                    _ => None,
                };
                (answer.name(), because)
            }
            // Of a model that promises nothing, nothing is proved.
            None => (
                if matches!(self.changes(&here), Some(Ok(_))) {
                    Answer::Allowed
                } else {
                    Answer::Unknown
                }
                .name(),
                None,
            ),
        };
        py.import("surefoot._results")?.getattr("Answer")?.call1((word, because))
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
        Ok(Some(state_dict(
            state.py(),
            self.core.vocabulary(),
            &here.objects,
            &here.scene.universe,
            &here.state,
        )?))
    }

    /// All actions that the model allows in the state, in the order of the domain. `objects` maps
    /// names to types; without it, those are meant that the state names.
    #[pyo3(signature = (state, objects = None))]
    fn applicable_actions<'py>(
        &self,
        state: &Bound<'py, PyAny>,
        objects: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyList>> {
        all_applicable(
            self.core.for_states(),
            self.prepared(),
            (self.numbers(), &self.known_errors()),
            state,
            objects,
        )
    }

    /// For each of some actions: whether the model allows it in the state. Where the same actions
    /// are asked about in many states, `masker` is faster.
    #[pyo3(signature = (state, actions, objects = None))]
    fn mask(
        &self,
        state: &Bound<'_, PyAny>,
        actions: &Bound<'_, PyAny>,
        objects: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<bool>> {
        mask(
            self.core.for_states(),
            self.prepared(),
            (self.numbers(), &self.known_errors()),
            state,
            actions,
            objects,
        )
    }

    /// A Masker: called with a state, it says of each of these actions whether the model allows it.
    /// `objects` maps all objects to their types.
    fn masker(&self, actions: &Bound<'_, PyAny>, objects: &Bound<'_, PyDict>) -> PyResult<Masker> {
        Masker::new(
            self.core.for_states(),
            self.prepared().clone(),
            (self.numbers(), &self.known_errors()),
            actions,
            objects,
        )
    }

    /// Why the model allows the action in the state or not: an Explanation. Printed, it is five
    /// lines at most; it also has all violated conditions and their values, the nearest
    /// observation, and questions: what would admit the action, if it were true.
    #[pyo3(signature = (state, action, objects = None))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<'py, PyAny>,
        action: &Bound<'py, PyAny>,
        objects: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let here = self.situation(state, action, objects)?;
        let (vocabulary, learned) = (self.core.vocabulary(), self.core.for_states());
        let here = Arc::new(here);
        let (core, at) = (Arc::clone(&self.core), Arc::clone(&here));
        let (explanation, lines) = waiting::run(py, None, None, None, move |_| {
            let asked = asked(&at);
            let grounds = Evidence::of(&core, at.step.symbol, None);
            let explanation =
                Explanation::of(&core, asked, None).map_err(|error| error.to_string())?;
            let lines =
                explanation.lines(core.for_states(), asked, grounds, "`violations`, `questions`");
            Ok::<_, String>((explanation, lines))
        })?
        .map_err(wrong_value)?;
        let results = py.import("surefoot._results")?;
        let keywords = PyDict::new(py);
        keywords.set_item("action", action_tuple(py, vocabulary, &here.objects, &here.step)?)?;
        keywords.set_item("applicable", explanation.is_allowed())?;
        keywords
            .set_item("answer", explanation.answer.as_ref().map(surefoot_learn::Answer::name))?;
        keywords.set_item("witness", &explanation.witness)?;
        keywords.set_item("lines", lines)?;
        let (violations, adds, deletes, values) =
            (PyList::empty(py), PyList::empty(py), PyList::empty(py), PyDict::new(py));
        match &explanation.applicability {
            Applicability::Applicable(changes) => {
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
            Applicability::Refused(reason) => {
                let words = ConditionWriter::new(learned, &here.objects);
                let class = results.getattr("Violation")?;
                match reason {
                    Inapplicable::Precondition(found) => {
                        for violation in found {
                            let (left, right) = match &violation.cause {
                                ViolationCause::Values(left, right) => {
                                    (Some(fraction(py, left)?), Some(fraction(py, right)?))
                                }
                                _ => (None, None),
                            };
                            let condition = words.condition(violation);
                            violations.append(class.call1((
                                condition,
                                words.cause(violation),
                                left,
                                right,
                            ))?)?;
                        }
                    }
                    other => {
                        for reason in words.reasons(&here.step, other) {
                            violations.append(class.call1((
                                "",
                                reason,
                                py.None(),
                                py.None(),
                            ))?)?;
                        }
                    }
                }
            }
            Applicability::Missing(why) => {
                let class = results.getattr("Violation")?;
                violations.append(class.call1((
                    "",
                    format!("left out of the model: {why}"),
                    py.None(),
                    py.None(),
                ))?)?;
            }
        }
        keywords.set_item("violations", violations)?;
        keywords.set_item("adds", adds)?;
        keywords.set_item("deletes", deletes)?;
        keywords.set_item("values", values)?;
        if let Some(evidence) = Evidence::of(&self.core, here.step.symbol, None) {
            self.nearby(py, &explanation, evidence, &keywords)?;
        }
        results.getattr("Explanation")?.call((), Some(&keywords))
    }

    /// What the model says of a log, without the real domain: of the steps that worked, how many it
    /// allows, of those that failed, how many (a safe model whose assumptions are true: none), by
    /// action. Returns a LogScore; `print` it.
    ///
    /// `log` is what `Learner.observe` takes: paths, a Log, a data frame with its `map`, steps,
    /// trajectories (or a list of these). A step whose state after is None failed.
    #[pyo3(signature = (
        log, map = None, *, objects = None, problems = None, progress = None, threads = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn score<'py>(
        &self,
        py: Python<'py>,
        log: &Bound<'py, PyAny>,
        map: Option<&Bound<'py, PyAny>>,
        objects: Option<&Bound<'py, PyDict>>,
        problems: Option<PathBuf>,
        progress: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let how = Watching { map, problems, progress, threads };
        scored(py, &self.core, self.numbers(), log, objects, how)
    }

    /// A proof of the model as JSON, which `surefoot check` verifies against the trajectories.
    /// Where not all was learned from files that are still known (a loaded state, steps of Python),
    /// name the files in `traces`.
    #[pyo3(signature = (traces = None))]
    fn certificate(&self, traces: Option<Vec<PathBuf>>) -> PyResult<String> {
        let given = traces
            .map(|paths| corpus::find(&paths, None))
            .transpose()
            .map_err(|error| any(&error))?;
        let certificate = self.core.certificate();
        let mut certificate =
            certificate.ok_or_else(|| wrong_value("only safe models have certificates"))?;
        match given {
            Some(traces) => {
                let digests = traces.iter().map(|trace| Ok(digest(trace.source()?.text())));
                certificate.traces =
                    digests.collect::<anyhow::Result<_>>().map_err(|error| any(&error))?;
            }
            None if self.complete => {}
            None => {
                return Err(wrong_value(
                    "a certificate names the trajectories it rests on, and not all of them are \
                     known: pass certificate(traces=[...])",
                ));
            }
        }
        certificate.to_json().map_err(|error| wrong_value(error.to_string()))
    }

    /// Saves the model with all it is (PDDL, certificate, evidence, options) in one file, with the
    /// same bytes for the same model. Model.load reads it; it is a ZIP archive, so that other
    /// programs can take its parts.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let bytes = to_bytes(&self.core, &self.spec, self.complete)
            .map_err(|error| wrong_value(error.to_string()))?;
        write_file(&path, &bytes).map_err(|error| any(&error))
    }

    /// Loads a saved model: equal to the one that was saved, with all it can do. Raises
    /// SurefootError where the file was changed.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Model> {
        let bytes = std::fs::read(&path)?;
        let made = waiting::run(py, None, None, None, move |_| {
            SavedParts::read(&bytes).and_then(|parts| parts.model())
        })?;
        let SavedModel { model, spec, complete } =
            made.map_err(|error| not_loaded(&path, &error))?;
        Ok(Model::new(model, spec, complete))
    }

    /// Whether both are the same model: the same actions, assumptions and options, from the same
    /// evidence.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Model>() else { return Ok(false) };
        let other = other.get();
        let evidence =
            |model: &Model| model.core.grounds().map(|grounds| saved(&grounds.learner)).transpose();
        Ok(same_options(&self.spec, &other.spec)
            && self.core.to_pddl() == other.core.to_pddl()
            && evidence(self)? == evidence(other)?)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.core.to_pddl().hash(&mut hasher);
        hasher.finish()
    }

    /// A pickle holds the evidence and the options. What it rests on is known no more: a
    /// certificate needs `traces`.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.get());
        let restore = py.import("surefoot._surefoot")?.getattr("_restore_model")?;
        let arguments =
            (PyBytes::new(py, &saved(&this.grounds()?.learner)?), keywords(&this.spec, py)?);
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

/// A step of Python, as it is asked about.
fn asked(here: &Situation) -> Asked<'_> {
    Asked {
        step: &here.step,
        objects: &here.objects,
        universe: &here.scene.universe,
        state: &here.state,
    }
}

impl Model {
    /// What was observed nearby, and which questions are worth asking.
    fn nearby(
        &self,
        py: Python<'_>,
        explanation: &Explanation,
        evidence: Evidence<'_>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        let Evidence { learner, action, .. } = evidence;
        if let Some(nearest) = &explanation.nearest {
            let map = PyDict::new(py);
            for (column, value, observed) in &nearest.columns {
                let name = learner.written(action, &learner.vocabulary(action).columns[*column]);
                map.set_item(name, (fraction(py, observed)?, fraction(py, value)?))?;
            }
            keywords.set_item("nearest", map)?;
            keywords.set_item("among", nearest.among)?;
        }
        let (list, questions) = (PyList::empty(py), PyList::empty(py));
        for question in &explanation.questions {
            let options = PyDict::new(py);
            match question.admission {
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
                    map.set_item(learner.domain().action_name(action), marks)?;
                    options.set_item("monotone", map)?;
                }
                Admission::PositivePreconditions => {
                    options.set_item("positive_preconditions", true)?
                }
            }
            list.append(options)?;
            questions.append(question.in_words(learner, action))?;
        }
        keywords.set_item("admissions", list)?;
        keywords.set_item("questions", questions)
    }
}
