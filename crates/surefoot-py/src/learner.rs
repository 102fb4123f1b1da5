//! `surefoot.Learner`, as Python sees it.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use surefoot_analysis::found::{asks_for_parts, find_parts, with_proposed_parts};
use surefoot_base::assumptions::Spec;
use surefoot_base::model::{ActionId, Attempt, Domain as CoreDomain, GroundAction, State, Step};
use surefoot_base::pddl::{Numbers, Source, visible};
use surefoot_io::corpus::{self, TraceFile};
use surefoot_lab::learners;
use surefoot_learn::Class;
use surefoot_learn::{
    BadData, Both, FailedAttempt, Job, LearnError, Learner as Core, Model as CoreModel,
    Observation, Observer, OnBadData, Policy, Progress, Recording, Remembered, SetAsideLimit,
    Settings, SnapshotError, StateKey, Unwatched, assumptions, learn_with, load, save,
};

use crate::error::{any, at_step, bad_data, bad_step, failed, unreadable, wrong_type, wrong_value};
use crate::log::{Log, refused};
use crate::memories::Memories;
use crate::memory::{check_lengths, is_step, no_steps, trajectory_part};
use crate::model::Model;
use crate::number::shown;
use crate::options::{keywords, settings, updated};
use crate::records::RecordSources;
use crate::scene::NameScope;
use crate::task::{Domain, domain_of};
use crate::waiting;

/// Learns from recorded executions. Its state is a small value: `bytes(learner)` for files, pickle
/// for processes, `merge` for both.
///
/// Of the domain only names, types and parameters are used. `algorithm` is "nsam-star" (every
/// observed action), "nsam" (those with more distinct observations than functions), "nsam-literal"
/// (those with more affinely independent ones) or "sam" (the Boolean part alone). Assumptions about
/// the real world make the model allow more: `arity` (each numeric condition mentions at most so
/// many functions), `effect_arity` (each numeric effect reads at most so many), `monotone` (of
/// which functions more, less or any amount never hurts), `positive_preconditions`. `relevant`,
/// `degree` and `squares` say what conditions are linear in; `decimals` rounds recorded numbers.
/// `facet_budget` and `digits` bound the size of what is written, and only ever make the model
/// stricter.
///
/// >>> from surefoot import Domain, Learner
/// >>> domain = Domain.parse('''(define (domain counting) (:predicates) (:functions (n))
/// ...   (:action up :parameters ()))''')
/// >>> learner = Learner(domain)
/// >>> learner.observe(({"atoms": set(), "values": {("n",): 1}}, ("up",),
/// ...                  {"atoms": set(), "values": {("n",): 2}}))
/// 1
/// >>> learner.observe(({"atoms": set(), "values": {("n",): 5}}, ("up",),
/// ...                  {"atoms": set(), "values": {("n",): 6}}))
/// 1
/// >>> model = learner.model()
/// >>> model.applicable({"atoms": set(), "values": {("n",): 3}}, ("up",))
/// True
/// >>> model.applicable({"atoms": set(), "values": {("n",): 6}}, ("up",))
/// False
/// >>> model = learner.model(monotone={"(n)": "more"})
/// >>> model.applicable({"atoms": set(), "values": {("n",): 6}}, ("up",))
/// True
#[pyclass(module = "surefoot")]
pub struct Learner {
    pub core: Core,
    spec: Spec,
    /// The files and logs learned from, for messages and certificates.
    records: RecordSources,
    /// Whether something was learned that is in none of these.
    beyond_files: bool,
    place: Option<StepScope>,
    /// The steps of Python, as long as they are not too many.
    remembered: Remembered,
}

/// Where steps of Python happen, kept from call to call.
struct StepScope {
    declared: Option<Py<PyDict>>,
    scene: NameScope,
    observer: Observer,
    /// The names of the arguments of the last step.
    arguments: Vec<Box<str>>,
}

#[pymethods]
impl Learner {
    #[new]
    #[pyo3(signature = (domain, algorithm = "nsam-star", **options))]
    fn new(
        domain: &Bound<'_, PyAny>,
        algorithm: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut spec = spec(algorithm, options)?;
        if let Ok(log) = domain.cast::<Log>() {
            spec = log.get().core.meaning().with_parts(spec).map_err(refused)?;
        }
        let core = Core::of(&*domain_of(domain)?, &spec).map_err(|error| failed(&error))?;
        settings(&spec, &core)?;
        let remembered = Remembered::new(core.lens());
        Ok(Learner {
            core,
            spec,
            records: RecordSources::default(),
            beyond_files: false,
            place: None,
            remembered,
        })
    }

    /// Loads a state: bytes, or a file of them, as `bytes(learner)` gives and
    /// `surefoot learn --save-state` writes them. Options of the model (algorithm, arity, ...) are
    /// no part of a state, and may be given here.
    #[staticmethod]
    #[pyo3(signature = (state, **options))]
    pub fn load(state: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let core = match state.cast::<PyBytes>() {
            Ok(bytes) => load(bytes.as_bytes()).map_err(|error| wrong_value(error.to_string()))?,
            Err(_) => {
                let path: PathBuf = state.extract().map_err(|_| {
                    wrong_type(format!("expected bytes or a path, found {}", shown(state)))
                })?;
                load(&std::fs::read(&path)?).map_err(|error| {
                    wrong_value(format!("{}: {error}", visible(&path.to_string_lossy())))
                })?
            }
        };
        let spec = updated(&Spec::default(), options, false)?;
        settings(&spec, &core)?;
        let mut remembered = Remembered::new(core.lens());
        remembered.forget();
        Ok(Learner {
            core,
            spec,
            records: RecordSources::default(),
            beyond_files: true,
            place: None,
            remembered,
        })
    }

    /// Learns from what was recorded, and returns how many steps it was. Nothing is learned when an
    /// exception is raised.
    ///
    /// `what` is a path of a trajectory or of a folder of them (or a list of paths), one step
    /// `(before, action, after)`, or a trajectory: a list of such steps, or
    /// `{"states": [...], "actions": [...]}`. States are
    /// `{"atoms": {("at", "t", "a")}, "values": {("fuel", "t"): 3}}`, actions
    /// `("drive", "t", "a", "b")`. `objects` maps objects to types where their use does not tell; a
    /// step whose state after is None is an attempt that failed. With a `map` (see
    /// `surefoot.from_dataframe`), `what` is a data frame or the paths of logs; a Log needs none.
    /// `problems` is the folder of the problems of trajectory files, if not beside them.
    /// `progress(done, total)` is called now and then with the number of files read; `threads`
    /// bounds the cores used for them.
    #[pyo3(signature = (
        what, map = None, *, objects = None, problems = None, progress = None, threads = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn observe(
        &mut self,
        py: Python<'_>,
        what: &Bound<'_, PyAny>,
        map: Option<&Bound<'_, PyAny>>,
        objects: Option<&Bound<'_, PyDict>>,
        problems: Option<PathBuf>,
        progress: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<usize> {
        if self.core.takes_unchanged() == Some(false) {
            return Err(wrong_value(
                "this learner's state was made with unchanged=\"failed\": what a step that changed \
                 nothing means is told by all steps \
                 together, so learn from all recordings at once (see surefoot.learn)",
            ));
        }
        if let Some(records) = RecordSources::of(py, what, map, problems)? {
            if objects.is_some() {
                return Err(wrong_type(
                    "objects is for steps of Python; files have problems beside them, or in the \
                     folder `problems`",
                ));
            }
            return self.observe_records(py, records, progress, threads);
        }
        self.observe_values(py, what, objects)
    }

    /// Learns from the text of a trajectory; `name` is what messages call it, `problem` the text of
    /// its problem.
    #[pyo3(signature = (text, name = "trajectory", problem = None))]
    fn observe_text(
        &mut self,
        py: Python<'_>,
        text: Bytes,
        name: &str,
        problem: Option<Bytes>,
    ) -> PyResult<usize> {
        let problem = problem.map(|text| text.named(format!("problem of {name}"))).transpose()?;
        let files = vec![TraceFile::given(text.named(name.to_owned())?, problem)];
        self.observe_records(py, RecordSources { files, logs: Vec::new() }, None, Some(1))
    }

    /// Adds all that another learner of the same domain and class saw. Associative, commutative,
    /// idempotent.
    fn merge(&mut self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        let other = other.cast::<Learner>().map_err(|_| wrong_type("expected a Learner"))?;
        // A learner merged with itself is itself.
        let Ok(other) = other.try_borrow() else { return Ok(()) };
        if !self.core.is_compatible(&other.core) {
            return Err(wrong_value(match self.core.has_domain_of(&other.core) {
                true => {
                    let dials = self.core.differing(&other.core).join(", ");
                    format!(
                        "these learners are of different classes of models: not the same {dials}"
                    )
                }
                false => "these learners are of different domains".to_owned(),
            }));
        }
        if let Some(sentence) = self.core.needs_one_reading(&other.core) {
            return Err(wrong_value(one_reading(sentence)));
        }
        if let Some(records) = self.core.left_out_apart(&other.core) {
            return Err(wrong_value(format!(
                "one of these learners left records out as wrong or doubtful ({records}). What \
                 those show of other actions is in neither learner: learn from all their \
                 recordings in one run",
            )));
        }
        self.core.merge(&other.core);
        self.records.extend(&other.records);
        self.beyond_files |= other.beyond_files;
        self.remembered.merge(&other.remembered);
        Ok(())
    }

    /// The model that the evidence amounts to. Options given here count for this model alone.
    ///
    /// `on_bad_data` says what becomes of actions that no model explains: "stop" raises
    /// BadDataError, with what the steps look like, and with the file, line and column (or the
    /// number in its call) of the first step to blame; "skip-action" leaves them out; "quarantine"
    /// sets the fewest steps aside as recording errors, which becomes an assumption: at most
    /// `set_aside_share` of an action's steps, or `set_aside_steps`. It takes steps that are
    /// remembered: those of files, and the first 50,000 in memory.
    #[pyo3(signature = (
        *, on_bad_data = "stop", set_aside_share = 0.05, set_aside_steps = 2, **options
    ))]
    pub fn model(
        &self,
        py: Python<'_>,
        on_bad_data: &str,
        set_aside_share: f64,
        set_aside_steps: usize,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Model> {
        let spec = updated(&self.spec, options, false)?;
        let settings = settings(&spec, &self.core)?;
        let policy = policy(on_bad_data, set_aside_share, set_aside_steps)?;
        let quarantine = policy.on_bad == OnBadData::Quarantine;
        if quarantine && !self.remembered.is_complete() {
            return Err(wrong_value(
                "steps can be set aside only where they are remembered: this learner was loaded, \
                 or saw more than 50,000 steps in memory. \
                 Learn from all of them at once: see surefoot.learn",
            ));
        }
        let (core, known, remembered) =
            (self.core.clone(), self.records.clone(), self.remembered.clone());
        let recorded = known.traces();
        let model = waiting::run(py, None, None, None, move |_| {
            let recording = &Both(&known, &remembered);
            let is_about_steps = quarantine
                || (settings.unchanged_failed || policy.on_bad == OnBadData::SkipAction)
                    && remembered.is_complete();
            if !is_about_steps {
                match CoreModel::of(&core, &settings, recording, policy.on_bad) {
                    // All of it is at hand, so that what contradicts a failure can be named.
                    Err(LearnError::Failed(_) | LearnError::RefutedByFailure { at: None, .. })
                        if remembered.is_complete() => {}
                    model => return model,
                }
            }
            let start = &core.empty();
            Job {
                start,
                settings: &settings,
                recording,
                policy,
                digests: true,
                progress: &Unwatched,
            }
            .run()
        })?;
        let model = model.map_err(|error| match &error {
            LearnError::BadData(bad) if bad.first_step.0 >= recorded => {
                bad_data(bad, Some(bad.first_step.1))
            }
            _ => failed(&error),
        })?;
        Ok(Model::new(model, spec, !self.beyond_files))
    }

    /// The domain whose vocabulary is used.
    #[getter]
    fn domain(&self) -> Domain {
        Domain { core: Arc::new(self.core.given().clone()) }
    }

    /// What models are made with.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        keywords(&self.spec, py)
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &saved(&self.core)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.borrow());
        let restore = py.import("surefoot._surefoot")?.getattr("_restore")?;
        let arguments = (PyBytes::new(py, &saved(&this.core)?), keywords(&this.spec, py)?);
        PyTuple::new(py, [restore, arguments.into_pyobject(py)?.into_any()])
    }

    /// Whether both saw the same steps, be it in files or in Python, and have the same options.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Learner>() else { return false };
        // Who cannot be borrowed is borrowed by this very call.
        other.try_borrow().map_or(true, |other| {
            self.spec == other.spec && evidence(&self.core) == evidence(&other.core)
        })
    }

    fn __copy__(&self) -> Self {
        Learner {
            core: self.core.clone(),
            spec: self.spec.clone(),
            records: self.records.clone(),
            beyond_files: self.beyond_files,
            place: None,
            remembered: self.remembered.clone(),
        }
    }

    fn __repr__(&self) -> String {
        let domain = self.core.domain();
        let seen = domain.action_ids().filter(|&id| !self.core.evidence(id).is_empty()).count();
        format!(
            "<Learner of {} ({}): {seen} of {} actions seen>",
            domain.name,
            self.spec.algorithm.name(),
            domain.actions.len()
        )
    }
}

/// What a learner saw, wherever it saw it.
fn evidence(core: &Core) -> Result<Vec<u8>, SnapshotError> {
    let mut core = core.clone();
    core.forget_traces();
    save(&core)
}

/// Bytes, or text as bytes.
struct Bytes(Vec<u8>);

impl Bytes {
    /// A text, and what messages call it.
    fn named(self, name: String) -> PyResult<Source> {
        Source::from_bytes(name, self.0).map_err(|diagnostic| unreadable(&diagnostic.into()))
    }
}

impl<'py> FromPyObject<'_, 'py> for Bytes {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Bytes(text.to_cow()?.into_owned().into_bytes()));
        }
        let bytes = value.cast::<PyBytes>().map_err(|_| wrong_type("expected text or bytes"))?;
        Ok(Bytes(bytes.as_bytes().to_vec()))
    }
}

/// The paths that a value stands for, if it does.
pub fn paths(what: &Bound<'_, PyAny>) -> PyResult<Option<Vec<PathBuf>>> {
    if let Some(path) = path(what)? {
        return Ok(Some(vec![path]));
    }
    let Ok(list) = what.cast::<PyList>() else { return Ok(None) };
    let found = list.iter().map(|item| path(&item)).collect::<PyResult<Vec<_>>>()?;
    match found.iter().all(Option::is_some) && !found.is_empty() {
        true => Ok(Some(found.into_iter().flatten().collect())),
        false => Ok(None),
    }
}

fn path(value: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    let is_path = value.is_instance_of::<PyString>()
        || value.hasattr(pyo3::intern!(value.py(), "__fspath__"))?;
    if is_path { Ok(Some(value.extract()?)) } else { Ok(None) }
}

/// The trajectories that paths name. Looking for a million files takes a while, too.
pub fn found(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    problems: Option<PathBuf>,
) -> PyResult<Vec<TraceFile>> {
    waiting::run(py, None, None, Some(1), move |_| corpus::find(&paths, problems.as_deref()))?
        .map_err(|error| any(&error))
}

/// Why two logs are to be read in one go.
fn one_reading(sentence: &str) -> String {
    format!(
        "a fact that one log does not mention may be mentioned by another, so all logs must be \
         read together. Learn from all of them in one call of surefoot.learn (it was assumed: \
         {sentence})"
    )
}

impl Learner {
    fn observe_records(
        &mut self,
        py: Python<'_>,
        records: RecordSources,
        progress: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<usize> {
        let (core, theirs) = (self.core.clone(), records.clone());
        let threads = threads.or_else(|| (records.traces() == 1).then_some(1));
        let settings = settings(&self.spec, &core)?;
        // The parts of a learner that was loaded are in its state alone.
        records.check_parts(&assumptions(&core, &settings).spec)?;
        let reading = waiting::run(py, progress, Some(records.traces()), threads, move |watch| {
            let (recording, policy) = (&theirs, Policy::default());
            let job = Job {
                start: &core,
                settings: &settings,
                recording,
                policy,
                digests: true,
                progress: watch,
            };
            let reading = job.read(&Default::default())?;
            match reading.findings.is_empty() {
                true => Ok(reading),
                false => {
                    Err(LearnError::from(BadData::new(&reading.findings, policy, &[], Vec::new())))
                }
            }
        })?;
        let reading = reading.map_err(|error| failed(&error))?;
        self.core = reading.learner;
        self.records.extend(&records);
        Ok(reading.steps.iter().sum())
    }

    fn observe_values(
        &mut self,
        py: Python<'_>,
        what: &Bound<'_, PyAny>,
        objects: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        let mut place = self.place(py, objects)?;
        self.remembered.begin();
        let result = self.observe_at(&mut place, what);
        if result.is_err() {
            place.scene.forget();
            self.remembered.take_back();
        }
        self.place = Some(place);
        let count = result?;
        if count > 0 {
            self.core.assume(settings(&self.spec, &self.core)?.stated());
            self.beyond_files = true;
        }
        Ok(count)
    }

    /// The place of the last call, if it is one of the same objects.
    fn place(
        &mut self,
        py: Python<'_>,
        objects: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<StepScope> {
        if let Some(place) = self.place.take() {
            let same = match (&place.declared, objects) {
                (None, None) => true,
                (Some(one), Some(other)) => one.bind(py).eq(other)?,
                _ => false,
            };
            if same && !place.scene.is_crowded() {
                return Ok(place);
            }
        }
        let domain = Arc::new(self.core.given().clone());
        let scene = NameScope::new(py, &domain, objects)?.with_errors(&self.core.class().errors);
        let declared = objects.map(|objects| objects.copy().map(Bound::unbind)).transpose()?;
        let observer = self.core.lens().observer();
        Ok(StepScope { declared, scene, observer, arguments: Vec::new() })
    }

    fn observe_at(&mut self, place: &mut StepScope, what: &Bound<'_, PyAny>) -> PyResult<usize> {
        let numbers = self.core.class().numbers;
        place.scene.begin();
        if is_step(what)? {
            let shown = place
                .step(&self.core, what.cast::<PyTuple>()?, numbers)
                .map_err(|error| at_step(what.py(), error, 0))?;
            shown.keep(&mut self.remembered, 0, place);
            shown.teach(&mut self.core);
            return Ok(1);
        }
        let mut seen = StepSums { rest: Vec::new(), sum: None, remembered: &mut self.remembered };
        let count = match what.cast::<PyDict>() {
            Ok(map) => place.trajectory(&self.core, &mut seen, map, numbers)?,
            Err(_) => place.steps(&self.core, &mut seen, what, numbers)?,
        };
        if let Some(sum) = &seen.sum {
            self.core.merge(sum);
        }
        seen.rest.iter().for_each(|shown| shown.teach(&mut self.core));
        Ok(count)
    }
}

/// What a call shows, kept apart until its end: all of it is learned, or nothing. A learner of its
/// own is small however much it sees, but merging it takes time that a few steps are not worth.
struct StepSums<'a> {
    rest: Vec<ObservedEvent>,
    sum: Option<Core>,
    remembered: &'a mut Remembered,
}

/// What a step, or an attempt that failed, shows of its action.
enum ObservedEvent {
    /// A step in no part of its action, an action of the given domain.
    Outside(ActionId, Option<Observation>),
    Step(ActionId, Observation),
    Failure(ActionId, FailedAttempt),
}

impl ObservedEvent {
    fn teach(&self, core: &mut Core) {
        match self {
            ObservedEvent::Outside(given, Some(observation)) => {
                core.observe_outside(*given, observation)
            }
            ObservedEvent::Outside(_, None) => {}
            ObservedEvent::Step(action, observation) => core.observe(*action, observation),
            ObservedEvent::Failure(action, failed) => core.observe_failure(*action, failed),
        }
    }

    /// Keeps what was just looked at, while there is room for it.
    fn keep(&self, remembered: &mut Remembered, index: usize, place: &StepScope) {
        if !remembered.has_room() {
            return remembered.forget();
        }
        let StepScope { scene, arguments, .. } = place;
        let key = |state: &State| StateKey::of(&scene.objects, &scene.universe, state);
        let end = key(scene.current());
        match self {
            ObservedEvent::Outside(..) => {}
            ObservedEvent::Step(action, observation) => {
                let ends = [key(scene.previous()), end];
                remembered.push(index, *action, arguments.clone(), observation, ends)
            }
            ObservedEvent::Failure(action, failed) => {
                remembered.push_failure(index, *action, arguments.clone(), failed, end)
            }
        }
    }
}

impl StepSums<'_> {
    fn push(&mut self, core: &Core, index: usize, place: &StepScope, shown: ObservedEvent) {
        const MOST: usize = 4096;
        shown.keep(self.remembered, index, place);
        self.rest.push(shown);
        if self.rest.len() >= MOST {
            let sum = self.sum.get_or_insert_with(|| core.empty());
            self.rest.drain(..).for_each(|shown| shown.teach(sum));
        }
    }
}

impl StepScope {
    /// Reads an action, and notes the names of its arguments.
    fn action(&mut self, action: &Bound<'_, PyAny>) -> PyResult<GroundAction> {
        let action = self.scene.action(action)?;
        self.arguments.clear();
        self.arguments
            .extend(action.arguments.iter().map(|&object| self.scene.objects.name(object).into()));
        Ok(action)
    }

    /// What the step between the two states shows.
    fn look(
        &mut self,
        core: &Core,
        action: &Bound<'_, PyAny>,
        index: usize,
    ) -> PyResult<ObservedEvent> {
        let action = self.action(action)?;
        let (before, after) = (self.scene.previous(), self.scene.current());
        let step = Step { before, action: &action, after, universe: &self.scene.universe };
        let lens = core.lens();
        let attempt = Attempt { before, action: &action, universe: &self.scene.universe };
        let Some(in_part) = lens.in_part(attempt) else {
            let seen = lens.observe_outside(&mut self.observer, step);
            return Ok(ObservedEvent::Outside(action.symbol, seen));
        };
        let step = Step { action: &in_part, ..step };
        let seen = match self.scene.change() {
            Some(change) => self.observer.observe_changed(step, (&change.atoms, &change.values)),
            None => self.observer.observe_step(step),
        };
        match seen {
            Ok(observation) => Ok(ObservedEvent::Step(in_part.symbol, observation)),
            Err(anomaly) => {
                let words = anomaly.in_words(core.domain(), &self.scene.objects, step);
                Err(bad_step(format!("step {index}: {words}"), index))
            }
        }
    }

    /// What one step shows.
    fn step(
        &mut self,
        core: &Core,
        parts: &Bound<'_, PyTuple>,
        numbers: Numbers,
    ) -> PyResult<ObservedEvent> {
        self.scene.read(&parts.get_item(0)?, numbers)?;
        self.next(core, &parts.get_item(1)?, &parts.get_item(2)?, numbers, 0)
    }

    /// What the step from the last state to this one shows.
    fn next(
        &mut self,
        core: &Core,
        action: &Bound<'_, PyAny>,
        after: &Bound<'_, PyAny>,
        numbers: Numbers,
        index: usize,
    ) -> PyResult<ObservedEvent> {
        if after.is_none() {
            return self.look_at_failure(core, action);
        }
        self.scene.read(after, numbers)?;
        self.look(core, action, index)
    }

    /// What it shows that an action failed in the last state.
    fn look_at_failure(
        &mut self,
        core: &Core,
        action: &Bound<'_, PyAny>,
    ) -> PyResult<ObservedEvent> {
        let action = self.action(action)?;
        let attempt = Attempt {
            before: self.scene.current(),
            action: &action,
            universe: &self.scene.universe,
        };
        let Some(in_part) = core.lens().in_part(attempt) else {
            return Ok(ObservedEvent::Outside(action.symbol, None));
        };
        let failed = self.observer.observe_attempt(Attempt { action: &in_part, ..attempt });
        Ok(ObservedEvent::Failure(in_part.symbol, failed))
    }

    /// `{"states": [...], "actions": [...]}`
    fn trajectory(
        &mut self,
        core: &Core,
        seen: &mut StepSums<'_>,
        map: &Bound<'_, PyDict>,
        numbers: Numbers,
    ) -> PyResult<usize> {
        let (states, actions) = (trajectory_part(map, "states")?, trajectory_part(map, "actions")?);
        check_lengths(&states, &actions)?;
        let py = map.py();
        self.scene.read(&states[0], numbers).map_err(|error| at_step(py, error, 0))?;
        for (index, (action, state)) in actions.iter().zip(&states[1..]).enumerate() {
            let shown = self
                .next(core, action, state, numbers, index)
                .map_err(|error| at_step(py, error, index))?;
            seen.push(core, index, self, shown);
        }
        Ok(actions.len())
    }

    fn steps(
        &mut self,
        core: &Core,
        seen: &mut StepSums<'_>,
        what: &Bound<'_, PyAny>,
        numbers: Numbers,
    ) -> PyResult<usize> {
        if what.is_instance_of::<PyString>() {
            return Err(no_steps(what));
        }
        // In a list, a state that is the one after the step before is the same object, unchanged;
        // what an iterator yields may be changed by it between two steps.
        let is_list = what.is_instance_of::<PyList>() || what.is_instance_of::<PyTuple>();
        let mut last: Option<Bound<'_, PyAny>> = None;
        let mut count = 0;
        for step in what.try_iter().map_err(|_| no_steps(what))? {
            let step = step?;
            if !is_step(&step)? {
                return Err(wrong_type(format!(
                    "step {count}: expected (before, action, after), found {}",
                    shown(&step)
                )));
            }
            let parts = step.cast::<PyTuple>()?;
            let (before, action, after) =
                (parts.get_item(0)?, parts.get_item(1)?, parts.get_item(2)?);
            if !(is_list && last.is_some_and(|last| last.is(&before))) {
                self.scene
                    .read(&before, numbers)
                    .map_err(|error| at_step(step.py(), error, count))?;
            }
            let shown = self
                .next(core, &action, &after, numbers, count)
                .map_err(|error| at_step(step.py(), error, count))?;
            seen.push(core, count, self, shown);
            last = Some(if after.is_none() { before } else { after });
            count += 1;
            if count % 4096 == 0 {
                what.py().check_signals()?;
            }
        }
        Ok(count)
    }
}

/// A learner's state as bytes.
pub fn saved(core: &Core) -> PyResult<Vec<u8>> {
    save(core).map_err(|error| wrong_value(error.to_string()))
}

/// Makes a learner of its pickled parts.
#[pyfunction]
pub fn _restore(state: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Learner> {
    Learner::load(state, Some(options))
}

/// Learns a model from trajectories in one call, and says what to do about bad data.
///
/// `traces` is a path of a trajectory or of a folder of them, a list of paths, a Log, or what else
/// `Learner.observe` takes: steps, a trajectory, or a list of trajectories; `learn(log)` takes the
/// domain from the log. `on_bad_data` is "stop" (raise BadDataError, with file, line and column, or
/// the number of the step, and with what the steps look like), "skip-action" (leave such actions
/// out) or "quarantine" (set the fewest steps aside as recording errors, which becomes an
/// assumption; more than `set_aside_share` of an action's steps, and more than `set_aside_steps`,
/// are refused as a wrong class). All other options are those of Learner.
#[pyfunction(name = "learn")]
#[pyo3(signature = (
    domain, traces = None, *, on_bad_data = "stop", set_aside_share = 0.05, set_aside_steps = 2,
    problems = None, progress = None, threads = None, algorithm = "nsam-star", **options
))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn learn_files(
    py: Python<'_>,
    domain: &Bound<'_, PyAny>,
    traces: Option<&Bound<'_, PyAny>>,
    on_bad_data: &str,
    set_aside_share: f64,
    set_aside_steps: usize,
    problems: Option<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    algorithm: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Model> {
    let policy = policy(on_bad_data, set_aside_share, set_aside_steps)?;
    let Some(records) = named(py, domain, traces, problems)? else {
        let spec = checked_spec(domain, algorithm, options)?;
        return learn_values(py, (domain, spec), traces.unwrap_or(domain), policy, threads);
    };
    let known = records.clone();
    if let Some(kind) = learners::find(algorithm).filter(|kind| !kind.is_safe()) {
        let (domain, spec) = (domain_of(domain)?, updated(&Spec::default(), options, true)?);
        if records.has_parts() {
            let warning = "this learner learns every action as one, so `split` of the map is not \
                           used";
            py.import("warnings")?.getattr("warn")?.call1((warning,))?;
        }
        let dials = spec.clone();
        let model = waiting::run(py, progress, Some(records.traces()), threads, move |watch| {
            kind.check_dials(&dials)?;
            let numbers = Class::of_spec(&dials, &domain)?.numbers;
            learn_with((kind.start)(&domain, &dials)?, &domain, numbers, &known, watch)
        })?;
        return Ok(Model::new(model.map_err(|error| failed(&error))?, spec, true));
    }
    let given = domain_of(domain)?;
    let spec = records.with_parts(checked_spec(domain, algorithm, options)?)?;
    let dials = spec.clone();
    let model = waiting::run(py, progress, Some(records.traces()), threads, move |watch| {
        learned(&given, &dials, &known, policy, watch)
    })?;
    Ok(Model::new(model.map_err(|error| failed(&error))?, spec, true))
}

/// Learns a model of a spec, whose parts may have to be found.
fn learned(
    domain: &CoreDomain,
    spec: &Spec,
    recording: &dyn Recording,
    policy: Policy,
    progress: &dyn Progress,
) -> Result<CoreModel, LearnError> {
    let found = find_parts(domain, spec, recording, policy.on_bad, progress)?;
    let start = &Core::of(domain, &found.spec)?;
    let settings = &Settings::of_spec(&found.spec, start)?;
    let job = Job { start, settings, recording, policy, digests: true, progress };
    job.run().map_err(|error| match asks_for_parts(spec) {
        true => found.explained(error),
        false => with_proposed_parts(&job, error),
    })
}

/// Learns a model from trajectories of Python.
fn learn_values(
    py: Python<'_>,
    (domain, spec): (&Bound<'_, PyAny>, Spec),
    what: &Bound<'_, PyAny>,
    policy: Policy,
    threads: Option<usize>,
) -> PyResult<Model> {
    let given = domain_of(domain)?;
    let numbers = spec.decimals.map_or(Numbers::Exact, Numbers::Decimals);
    let class = Class::default().with(|class| class.numbers = numbers);
    let memories = Memories::read(&Arc::new((*given).clone()), what, &class)?;
    let dials = spec.clone();
    let model = waiting::run(py, None, None, threads, move |watch| {
        learned(&given, &dials, &memories, policy, watch)
    })?;
    let model = model.map_err(|error| match &error {
        LearnError::BadData(bad) => bad_data(bad, Some(bad.first_step.1)),
        _ => failed(&error),
    })?;
    Ok(Model::new(model, spec, false))
}

/// Says how much trajectory files are worth, without the real domain: what a model learned from
/// them would allow of traces it has not seen. Returns an Assessment; `print` it, or look at its
/// numbers.
///
/// `confidence` is that of each bound by itself, `share` the share of steps that is wanted. All
/// other options are those of `learn`; choose them before you look at the answer.
#[pyfunction]
#[pyo3(signature = (
    domain, traces = None, *, confidence = 0.95, share = 0.9, on_bad_data = "stop",
    set_aside_share = 0.05, set_aside_steps = 2, problems = None, progress = None, threads = None,
    algorithm = "nsam-star", **options
))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn assess<'py>(
    py: Python<'py>,
    domain: &Bound<'py, PyAny>,
    traces: Option<&Bound<'py, PyAny>>,
    confidence: f64,
    share: f64,
    on_bad_data: &str,
    set_aside_share: f64,
    set_aside_steps: usize,
    problems: Option<PathBuf>,
    progress: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
    algorithm: &str,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    for (name, value) in [("confidence", confidence), ("share", share)] {
        if !(value > 0.0 && value < 1.0) {
            return Err(wrong_value(format!("{name} is a number above 0 and below 1")));
        }
    }
    let policy = policy(on_bad_data, set_aside_share, set_aside_steps)?;
    if let Some(kind) = learners::find(algorithm).filter(|kind| !kind.is_safe()) {
        return Err(wrong_value(format!(
            "what is proved here is proved of the safe learners, and {} is none of them",
            kind.title
        )));
    }
    let records = named(py, domain, traces, problems)?.ok_or_else(|| {
        let found = shown(traces.unwrap_or(domain));
        wrong_type(format!("expected a path, a list of paths or a Log, found {found}"))
    })?;
    let spec = records.with_parts(spec(algorithm, options)?)?;
    let start = Core::of(&*domain_of(domain)?, &spec).map_err(|error| failed(&error))?;
    let settings = settings(&spec, &start)?;
    let assessment = waiting::run(py, progress, Some(records.traces()), threads, move |watch| {
        let recording = &records;
        let job = Job {
            start: &start,
            settings: &settings,
            recording,
            policy,
            digests: false,
            progress: watch,
        };
        surefoot_analysis::assess::assess(
            &job,
            surefoot_analysis::assess::Question { confidence, share },
        )
    })?;
    let assessment = assessment.map_err(|error| failed(&error))?;
    let numbers =
        serde_json::to_string(&assessment).map_err(|error| wrong_value(error.to_string()))?;
    py.import("surefoot._assessment")?.getattr("_made")?.call1((numbers, assessment.to_string()))
}

/// The records that a call of `learn` or `assess` names, where they are not in memory; a log may
/// stand for its domain, too.
fn named(
    py: Python<'_>,
    domain: &Bound<'_, PyAny>,
    traces: Option<&Bound<'_, PyAny>>,
    problems: Option<PathBuf>,
) -> PyResult<Option<RecordSources>> {
    let what = traces.unwrap_or(domain);
    if traces.is_none() && !what.is_instance_of::<Log>() {
        return Err(wrong_type("name the traces: learn(domain, traces), or learn(log)"));
    }
    RecordSources::of(py, what, None, problems)
}

/// What to do about bad data.
pub fn policy(on_bad_data: &str, share: f64, steps: usize) -> PyResult<Policy> {
    if !(0.0..=1.0).contains(&share) {
        return Err(wrong_value("set_aside_share is a number from 0 to 1"));
    }
    Ok(Policy {
        on_bad: crate::options::on_bad_data(on_bad_data)?,
        limit: SetAsideLimit { share, steps },
    })
}

/// The dials of a model that is learned in one call.
fn checked_spec(
    domain: &Bound<'_, PyAny>,
    algorithm: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Spec> {
    let spec = spec(algorithm, options)?;
    // Where parts are to be found, there is no learner before the records are read.
    if !asks_for_parts(&spec) {
        Learner::new(domain, algorithm, options)?;
    }
    Ok(spec)
}

/// The dials of a learner that is made.
fn spec(algorithm: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Spec> {
    if let Some(kind) = learners::find(algorithm).filter(|kind| !kind.is_safe()) {
        let how = format!("surefoot.learn(domain, traces, algorithm={algorithm:?})");
        return Err(wrong_value(format!(
            "{} is not safe, and learns from all traces at once: {how}",
            kind.title
        )));
    }
    let mut usual = Spec::default();
    usual.set("algorithm", algorithm.into()).map_err(|error| wrong_value(error.to_string()))?;
    updated(&usual, options, true)
}
