//! `surefoot.Domain` and `surefoot.Problem`, as Python sees them.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use surefoot_base::assumptions::ErrorMap;
use surefoot_base::margins::{ErrorFunctions, Gap, adapt, errors_by_function};
use surefoot_base::model::compiled::Compiled;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{
    Domain as CoreDomain, Objects, Problem as CoreProblem, State, TypeSet, Universe, Variable,
};
use surefoot_base::pddl::{
    Diagnostic, Numbers, Operands, Source, Warning, Writer, read_domain, read_published_problem,
    write_domain, write_domain_with, write_problem_with,
};
use surefoot_io::input;

use crate::error::{not_loaded, unreadable, warn, wrong_type, wrong_value};
use crate::log::Log;
use crate::masking::{Masker, all_applicable, mask};
use crate::model::Model;
use crate::number::{fraction, shown};
use crate::options::error_map;
use crate::scene::{ErrorBounds, NameScope, function_tuple, state_dict};

/// A planning domain: types, predicates, functions, actions.
///
/// >>> from surefoot import Domain
/// >>> domain = Domain.parse('''(define (domain counting)
/// ...   (:predicates (ready)) (:functions (n))
/// ...   (:action up :parameters ()
/// ...     :precondition (and (ready) (< (n) 3)) :effect (increase (n) 1)))''')
/// >>> domain.name, domain.actions
/// ('counting', {'up': []})
/// >>> domain.applicable({"atoms": {("ready",)}, "values": {("n",): 2}}, ("up",))
/// True
/// >>> domain.successor({"atoms": {("ready",)}, "values": {("n",): 2}}, ("up",))
/// {'atoms': {('ready',)}, 'values': {('n',): Fraction(3, 1)}}
#[pyclass(module = "surefoot", frozen)]
pub struct Domain {
    pub core: Arc<CoreDomain>,
}

#[pymethods]
impl Domain {
    /// Reads a domain file. Raises ReadError, with file, line and column, where it is not PDDL.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Self> {
        Ok(Domain { core: Arc::new(input::domain(&path).map_err(|error| unreadable(&error))?) })
    }

    /// Reads a domain from text; `name` is what messages call the text.
    #[staticmethod]
    #[pyo3(signature = (text, name = "domain"))]
    fn parse(text: String, name: &str) -> PyResult<Self> {
        Ok(Domain {
            core: Arc::new(
                read_domain(&Source::new(name, text)).map_err(|error| unreadable(&error))?,
            ),
        })
    }

    /// The name in `(define (domain NAME)`.
    #[getter]
    fn name(&self) -> &str {
        &self.core.name
    }

    /// By name: the parameters of each action, as pairs of name and type.
    #[getter]
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.declared(
            py,
            self.core.actions.iter().map(|(name, action)| (name, &action.parameters[..])),
        )
    }

    /// By name: the parameters of each predicate.
    #[getter]
    fn predicates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.declared(
            py,
            self.core
                .signature
                .predicates
                .iter()
                .map(|(name, symbol)| (name, &symbol.parameters[..])),
        )
    }

    /// By name: the parameters of each numeric function.
    #[getter]
    fn functions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.declared(
            py,
            self.core
                .signature
                .functions
                .iter()
                .map(|(name, symbol)| (name, &symbol.parameters[..])),
        )
    }

    /// By name: the direct parents of each type but `object`.
    #[getter]
    fn types<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (map, types) = (PyDict::new(py), &self.core.signature.types);
        for id in types.ids().skip(1) {
            map.set_item(
                types.name(id),
                types.parents(id).iter().map(|&parent| types.name(parent)).collect::<Vec<_>>(),
            )?;
        }
        Ok(map)
    }

    /// By name: the type of each constant.
    #[getter]
    fn constants<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        object_dict(py, &self.core, &self.core.signature.constants)
    }

    /// The domain as PDDL. With `binary`, sums and products have two operands each, for programs
    /// that read no others.
    #[pyo3(signature = (*, binary = false))]
    fn to_pddl(&self, binary: bool) -> String {
        write_domain_with(&self.core, operands(binary))
    }

    /// Whether the action can be taken in the state. `objects` maps names to types, where their use
    /// does not tell.
    #[pyo3(signature = (state, action, objects = None))]
    fn applicable(
        &self,
        state: &Bound<'_, PyAny>,
        action: &Bound<'_, PyAny>,
        objects: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<bool> {
        applicable(&self.core, state, action, objects)
    }

    /// The state after the action, or None where it cannot be taken.
    #[pyo3(signature = (state, action, objects = None))]
    fn successor<'py>(
        &self,
        state: &Bound<'py, PyAny>,
        action: &Bound<'py, PyAny>,
        objects: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        successor(&self.core, state, action, objects)
    }

    /// All actions that can be taken in the state, in the order of the domain. `objects` maps names
    /// to types; without it, those are meant that the state names.
    #[pyo3(signature = (state, objects = None))]
    fn applicable_actions<'py>(
        &self,
        state: &Bound<'py, PyAny>,
        objects: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyList>> {
        all_applicable(
            &self.core,
            &Compiled::new(&self.core).prepared(),
            (Numbers::Exact, &ErrorBounds::new()),
            state,
            objects,
        )
    }

    /// For each of some actions: whether it can be taken in the state. Where the same actions are
    /// asked about in many states, `masker` is faster.
    #[pyo3(signature = (state, actions, objects = None))]
    fn mask(
        &self,
        state: &Bound<'_, PyAny>,
        actions: &Bound<'_, PyAny>,
        objects: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<bool>> {
        mask(
            &self.core,
            &Compiled::new(&self.core).prepared(),
            (Numbers::Exact, &ErrorBounds::new()),
            state,
            actions,
            objects,
        )
    }

    /// A Masker: called with a state, it says of each of these actions whether it can be taken.
    /// `objects` maps all objects to their types.
    fn masker(&self, actions: &Bound<'_, PyAny>, objects: &Bound<'_, PyDict>) -> PyResult<Masker> {
        Masker::new(
            &self.core,
            Compiled::new(&self.core).prepared(),
            (Numbers::Exact, &ErrorBounds::new()),
            actions,
            objects,
        )
    }

    fn __repr__(&self) -> String {
        format!("<Domain {}: {} actions>", self.core.name, self.core.actions.len())
    }

    fn __eq__(&self, other: &Domain) -> bool {
        self.core == other.core
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let parse = py.get_type::<Domain>().getattr("parse")?;
        PyTuple::new(py, [parse, PyTuple::new(py, [write_domain(&slf.get().core)])?.into_any()])
    }
}

impl Domain {
    fn declared<'py, 'a>(
        &self,
        py: Python<'py>,
        symbols: impl Iterator<Item = (&'a str, &'a [Variable])>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let map = PyDict::new(py);
        for (name, parameters) in symbols {
            let pairs = parameters
                .iter()
                .map(|variable| (variable.name.to_string(), self.type_text(&variable.types)));
            map.set_item(name, PyList::new(py, pairs.collect::<Vec<_>>())?)?;
        }
        Ok(map)
    }

    fn type_text(&self, set: &TypeSet) -> String {
        let names: Vec<&str> =
            set.types().iter().map(|&id| self.core.signature.types.name(id)).collect();
        if let [only] = names[..] {
            only.to_owned()
        } else {
            format!("(either {})", names.join(" "))
        }
    }
}

/// A state of Python, read among some objects.
pub struct Situation {
    pub scene: NameScope,
    pub state: State,
    pub objects: Objects,
    pub step: surefoot_base::model::GroundAction,
}

impl Situation {
    /// Reads a state and an action in it.
    pub fn read(
        domain: &Arc<CoreDomain>,
        state: &Bound<'_, PyAny>,
        action: &Bound<'_, PyAny>,
        declared: Option<&Bound<'_, PyDict>>,
        (numbers, errors): (Numbers, &ErrorBounds),
    ) -> PyResult<Self> {
        let mut scene = NameScope::new(state.py(), domain, declared)?.with_errors(errors);
        scene.begin();
        let mut read = State::default();
        scene.read_state(state, numbers, &mut read)?;
        let step = scene.action(action)?;
        Ok(Situation { objects: scene.typed_objects()?, scene, state: read, step })
    }
}

pub fn applicable(
    domain: &Arc<CoreDomain>,
    state: &Bound<'_, PyAny>,
    action: &Bound<'_, PyAny>,
    objects: Option<&Bound<'_, PyDict>>,
) -> PyResult<bool> {
    let here =
        Situation::read(domain, state, action, objects, (Numbers::Exact, &ErrorBounds::new()))?;
    Ok(Semantics::new(domain, &here.objects)
        .applicable(&here.step, &here.scene.universe, &here.state)
        .is_ok())
}

pub fn successor<'py>(
    domain: &Arc<CoreDomain>,
    state: &Bound<'py, PyAny>,
    action: &Bound<'py, PyAny>,
    objects: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let mut here =
        Situation::read(domain, state, action, objects, (Numbers::Exact, &ErrorBounds::new()))?;
    match Semantics::new(domain, &here.objects).successor(
        &here.step,
        &mut here.scene.universe,
        &here.state,
    ) {
        Ok(next) => {
            Ok(Some(state_dict(state.py(), domain, &here.objects, &here.scene.universe, &next)?))
        }
        Err(_) => Ok(None),
    }
}

/// By name: the type of each object.
pub fn object_dict<'py>(
    py: Python<'py>,
    domain: &CoreDomain,
    objects: &Objects,
) -> PyResult<Bound<'py, PyDict>> {
    let map = PyDict::new(py);
    for id in objects.ids() {
        map.set_item(objects.name(id), domain.signature.types.name(objects.type_of(id)))?;
    }
    Ok(map)
}

/// The domain that a `Domain`, a `Model`, a `Log` or a path stands for.
pub fn domain_of(value: &Bound<'_, PyAny>) -> PyResult<Arc<CoreDomain>> {
    if let Ok(domain) = value.cast::<Domain>() {
        return Ok(Arc::clone(&domain.get().core));
    }
    if let Ok(model) = value.cast::<Model>() {
        return Ok(Arc::clone(model.get().core().for_states()));
    }
    if let Ok(log) = value.cast::<Log>() {
        return Ok(Arc::new(log.get().core.domain().clone()));
    }
    let path: PathBuf = value.extract().map_err(|_| {
        wrong_type(format!("expected a Domain, a Model, a Log or a path, found {}", shown(value)))
    })?;
    Ok(Arc::new(input::domain(&path).map_err(|error| unreadable(&error))?))
}

/// The same for planning: of a `Model` of records with errors, the domain that carries them along.
/// A path may be that of a saved model.
pub fn planned_domain_of(value: &Bound<'_, PyAny>) -> PyResult<Arc<CoreDomain>> {
    if let Ok(model) = value.cast::<Model>() {
        return Ok(Arc::clone(model.get().core().for_planning()));
    }
    let saved = match value.extract::<PathBuf>() {
        Ok(path) => input::saved(&path).map_err(|error| unreadable(&error))?.zip(Some(path)),
        Err(_) => None,
    };
    match saved {
        Some((parts, path)) => {
            Ok(Arc::new(parts.for_planning().map_err(|error| not_loaded(&path, &error))?))
        }
        None => domain_of(value),
    }
}

/// How far recorded values may be from the true ones, as a `Model` knows, or the stamp in a
/// file says.
pub fn errors_of(value: &Bound<'_, PyAny>, domain: &CoreDomain) -> PyResult<ErrorMap> {
    if ErrorFunctions::of(&domain.signature).is_empty() {
        return Ok(ErrorMap::new());
    }
    if let Ok(model) = value.cast::<Model>() {
        return Ok(model.get().errors());
    }
    let path: PathBuf = value.extract().map_err(|_| {
        wrong_value(
            "a domain does not say how far recorded values may be off: give the Model, its file, \
             or errors",
        )
    })?;
    let model = input::model(&path).map_err(|error| unreadable(&error))?;
    model.error_map().map_err(|error| unreadable(&error))
}

/// Refuses a problem that gives no errors to a domain that has them, and warns of what else it
/// lacks.
pub fn check_errors(domain: &CoreDomain, problem: &CoreProblem) -> PyResult<()> {
    let Some(gap) = Gap::of(domain, problem) else { return Ok(()) };
    let words = gap.words(domain, &problem.objects);
    let help = "`problem.with_errors(model)` is the problem that goes with the model";
    match gap {
        Gap::NoErrors(_) | Gap::NegativeError(_) => Err(wrong_value(format!("{words}; {help}"))),
        Gap::MissingError(_) | Gap::NoMargins => {
            warn(&[Warning(Diagnostic::of_file(&problem.name, words).help(help))])
        }
    }
}

/// A planning problem: objects, an initial state, a goal.
#[pyclass(module = "surefoot", frozen)]
pub struct Problem {
    pub core: Arc<CoreProblem>,
    pub domain: Arc<CoreDomain>,
    source: Arc<Source>,
    decimals: Option<u32>,
}

/// How sums and products are written.
pub fn operands(binary: bool) -> Operands {
    if binary { Operands::Two } else { Operands::Many }
}

/// How numbers are read.
pub fn numbers(decimals: Option<u32>) -> Numbers {
    decimals.map_or(Numbers::Exact, Numbers::Decimals)
}

impl Problem {
    pub fn of(source: Source, domain: &Arc<CoreDomain>, decimals: Option<u32>) -> PyResult<Self> {
        let (core, warnings) = read_published_problem(&source, domain, numbers(decimals))
            .map_err(|error| unreadable(&error))?;
        warn(&warnings)?;
        Ok(Problem {
            core: Arc::new(core),
            domain: Arc::clone(domain),
            source: Arc::new(source),
            decimals,
        })
    }

    /// This problem in another domain of the same vocabulary, or as its text reads there.
    pub fn within(&self, domain: &Arc<CoreDomain>) -> PyResult<Arc<CoreProblem>> {
        if self.domain.signature == domain.signature {
            return Ok(Arc::clone(&self.core));
        }
        let read = read_published_problem(&self.source, domain, numbers(self.decimals));
        let (read, warnings) = read.map_err(|error| unreadable(&error))?;
        warn(&warnings)?;
        Ok(Arc::new(read))
    }
}

/// The problem that a `Problem` or a path stands for in a domain.
pub fn problem_of(
    value: &Bound<'_, PyAny>,
    domain: &Arc<CoreDomain>,
) -> PyResult<Arc<CoreProblem>> {
    if let Ok(problem) = value.cast::<Problem>() {
        return problem.get().within(domain);
    }
    let path: PathBuf = value
        .extract()
        .map_err(|_| wrong_type(format!("expected a Problem or a path, found {}", shown(value))))?;
    let (read, warnings) =
        input::problem(&path, domain, Numbers::Exact).map_err(|error| unreadable(&error))?;
    warn(&warnings)?;
    Ok(Arc::new(read))
}

#[pymethods]
impl Problem {
    /// Reads a problem file of a domain (a Domain, a Model, or a path). With `decimals`, numbers
    /// are rounded to so many.
    ///
    /// Warns (ReadWarning) of values for functions that the domain does not declare, which are
    /// passed over, and of functions that are only increased and have no initial value, which start
    /// at 0.
    #[staticmethod]
    #[pyo3(signature = (path, domain, decimals = None))]
    fn read(path: PathBuf, domain: &Bound<'_, PyAny>, decimals: Option<u32>) -> PyResult<Self> {
        Problem::of(
            input::source(&path).map_err(|error| unreadable(&error))?,
            &domain_of(domain)?,
            decimals,
        )
    }

    /// Reads a problem from text; `name` is what messages call the text.
    #[staticmethod]
    #[pyo3(signature = (text, domain, name = "problem", decimals = None))]
    fn parse(
        text: String,
        domain: &Bound<'_, PyAny>,
        name: &str,
        decimals: Option<u32>,
    ) -> PyResult<Self> {
        Problem::of(Source::new(name, text), &domain_of(domain)?, decimals)
    }

    /// The name in `(define (problem NAME)`.
    #[getter]
    fn name(&self) -> &str {
        &self.core.name
    }

    /// By name: the type of each object, constants included.
    #[getter]
    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        object_dict(py, &self.domain, &self.core.objects)
    }

    /// The state before the first step.
    #[getter]
    fn initial_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut universe = Universe::default();
        let state = self.core.initial_state(&mut universe);
        state_dict(py, &self.domain, &self.core.objects, &universe, &state)
    }

    /// The goal as PDDL.
    #[getter]
    fn goal(&self) -> String {
        Writer::new(&self.domain, &self.core.objects).condition(&self.core.goal)
    }

    /// Whether the goal holds in a state.
    fn is_goal(&self, state: &Bound<'_, PyAny>) -> PyResult<bool> {
        let mut scene = NameScope::of_objects(state.py(), &self.domain, &self.core.objects)?;
        scene.begin();
        let mut read = State::default();
        scene.read_state(state, numbers(self.decimals), &mut read)?;
        Ok(Semantics::new(&self.domain, &self.core.objects).holds(
            &self.core.goal,
            &scene.universe,
            &read,
        ) == Ok(true))
    }

    /// The problem that goes with a model of records with errors: each initial value has its error,
    /// and the goal has margins, so that a plan reaches it from every true initial state within the
    /// errors. `errors` says how far initial values may be from the true ones, as a number or by
    /// function; without it, as far as records may be. A problem of a model without errors is
    /// returned as it is.
    ///
    /// Raises ValueError where the goal cannot be promised: where it asks for one number of a
    /// function that is known within an error.
    #[pyo3(signature = (model, errors = None))]
    fn with_errors(
        &self,
        model: &Bound<'_, PyAny>,
        errors: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let domain = planned_domain_of(model)?;
        let errors = errors.map_or_else(|| errors_of(model, &domain), error_map)?;
        let errors = errors_by_function(&domain, &errors).map_err(wrong_value)?;
        let adapted = adapt(&domain, &*self.within(&domain)?, &errors)
            .map_err(|reason| wrong_value(reason.to_string()))?;
        let remarks = adapted
            .remarks
            .iter()
            .map(|remark| Warning(Diagnostic::of_file(&self.core.name, remark.as_str())));
        warn(&remarks.collect::<Vec<_>>())?;
        let text = write_problem_with(&domain, &adapted.problem, Operands::Many);
        Problem::of(Source::new(self.source.name(), text), &domain, None)
    }

    /// The problem as PDDL. With `binary`, sums and products have two operands each, for programs
    /// that read no others.
    #[pyo3(signature = (*, binary = false))]
    fn to_pddl(&self, binary: bool) -> String {
        write_problem_with(&self.domain, &self.core, operands(binary))
    }

    fn __repr__(&self) -> String {
        format!(
            "<Problem {} of {}: {} objects>",
            self.core.name,
            self.core.domain_name,
            self.core.objects.len()
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.get());
        let parse = py.get_type::<Problem>().getattr("parse")?;
        let domain = Bound::new(py, Domain { core: Arc::clone(&this.domain) })?;
        let arguments = (this.source.text(), domain, this.source.name(), this.decimals);
        PyTuple::new(py, [parse, arguments.into_pyobject(py)?.into_any()])
    }
}

/// A ground function and a value, for people's eyes and programs alike.
pub fn value_pair<'py>(
    py: Python<'py>,
    domain: &CoreDomain,
    objects: &Objects,
    function: &surefoot_base::model::GroundFunction,
    value: &surefoot_base::exact::Rational,
) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyAny>)> {
    Ok((function_tuple(py, domain, objects, function)?, fraction(py, value)?))
}
