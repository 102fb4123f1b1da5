//! Which actions can be taken in a state: all of them, or which of some that are asked about again
//! and again.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use surefoot_base::model::compiled::{Checker, Compiled, CompiledParts, GroundStepId, Resolutions};
use surefoot_base::model::{Domain, Objects, State, applicable_actions};
use surefoot_base::pddl::Numbers;

use crate::error::wrong_value;
use crate::scene::{ErrorBounds, NameScope, action_tuple};

/// Says of a fixed list of actions which of them a model allows in a state. Made by `Model.masker`
/// and `Domain.masker`: names are looked up and conditions prepared once, and of each state only
/// what differs from the last one is read.
///
/// >>> from surefoot import Domain
/// >>> domain = Domain.parse('''(define (domain counting) (:types counter)
/// ...   (:predicates (on ?c - counter)) (:functions (n ?c - counter))
/// ...   (:action up :parameters (?c - counter)
/// ...     :precondition (and (on ?c) (< (n ?c) 3)) :effect (increase (n ?c) 1)))''')
/// >>> masker = domain.masker([("up", "a"), ("up", "b")], {"a": "counter", "b": "counter"})
/// >>> masker({"atoms": {("on", "a"), ("on", "b")}, "values": {("n", "a"): 2, ("n", "b"): 3}})
/// [True, False]
#[pyclass(module = "surefoot")]
pub struct Masker {
    domain: Arc<Domain>,
    numbers: Numbers,
    scene: NameScope,
    objects: Objects,
    prepared: CompiledParts,
    steps: Vec<GroundStepId>,
    /// Gone only while a state is looked at.
    resolutions: Option<Resolutions>,
    state: State,
    actions: Py<PyList>,
}

impl Masker {
    pub fn new(
        domain: &Arc<Domain>,
        prepared: CompiledParts,
        (numbers, errors): (Numbers, &ErrorBounds),
        actions: &Bound<'_, PyAny>,
        objects: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let py = actions.py();
        let mut scene = NameScope::new(py, domain, Some(objects))?.with_errors(errors);
        scene.begin();
        let objects = scene.typed_objects()?;
        let compiled = Compiled::again(domain, &prepared);
        let mut checker = Checker::new(&compiled, &objects);
        let list = PyList::empty(py);
        let mut steps = Vec::new();
        for action in actions.try_iter()? {
            let action = scene.action(&action?)?;
            list.append(action_tuple(py, domain, &objects, &action)?)?;
            steps.push(checker.step(&action, &mut scene.universe));
        }
        let resolutions = Some(checker.into_resolutions());
        let (domain, state) = (Arc::clone(domain), State::default());
        Ok(Masker {
            domain,
            numbers,
            scene,
            prepared,
            steps,
            resolutions,
            state,
            actions: list.unbind(),
            objects,
        })
    }
}

#[pymethods]
impl Masker {
    /// For each action, in the order in which they were given: whether it can be taken in the
    /// state.
    fn __call__(&mut self, state: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
        self.scene.begin();
        self.scene.read_state(state, self.numbers, &mut self.state)?;
        let known = self
            .resolutions
            .take()
            .ok_or_else(|| wrong_value("this masker was interrupted: make another one"))?;
        let compiled = Compiled::again(&self.domain, &self.prepared);
        let mut checker = Checker::again(&compiled, &self.objects, known);
        let universe = &self.scene.universe;
        let mask = self
            .steps
            .iter()
            .map(|&step| checker.applicable(step, universe, &self.state))
            .collect();
        self.resolutions = Some(checker.into_resolutions());
        Ok(mask)
    }

    /// The actions, as tuples.
    #[getter]
    fn actions(&self, py: Python<'_>) -> PyResult<Py<PyList>> {
        Ok(PyList::new(py, self.actions.bind(py).iter())?.unbind())
    }

    fn __len__(&self) -> usize {
        self.steps.len()
    }

    fn __repr__(&self) -> String {
        format!("<Masker of {}: {} actions>", self.domain.name, self.steps.len())
    }
}

/// A state of Python among objects that are declared, or named by their use.
struct Moment {
    scene: NameScope,
    state: State,
}

impl Moment {
    fn read(
        domain: &Arc<Domain>,
        (numbers, errors): (Numbers, &ErrorBounds),
        state: &Bound<'_, PyAny>,
        objects: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut scene = NameScope::new(state.py(), domain, objects)?.with_errors(errors);
        scene.begin();
        let mut read = State::default();
        scene.read_state(state, numbers, &mut read)?;
        Ok(Moment { scene, state: read })
    }
}

/// Which of some actions can be taken in a state.
pub fn mask(
    domain: &Arc<Domain>,
    prepared: &CompiledParts,
    read: (Numbers, &ErrorBounds),
    state: &Bound<'_, PyAny>,
    actions: &Bound<'_, PyAny>,
    objects: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<bool>> {
    let mut here = Moment::read(domain, read, state, objects)?;
    let actions = actions
        .try_iter()?
        .map(|action| here.scene.action(&action?))
        .collect::<PyResult<Vec<_>>>()?;
    let objects = here.scene.typed_objects()?;
    let compiled = Compiled::again(domain, prepared);
    let mut checker = Checker::new(&compiled, &objects);
    let universe = &mut here.scene.universe;
    let mask = actions.iter().map(|action| {
        let step = checker.step(action, universe);
        checker.applicable(step, universe, &here.state)
    });
    Ok(mask.collect())
}

/// All actions that can be taken in a state.
pub fn all_applicable<'py>(
    domain: &Arc<Domain>,
    prepared: &CompiledParts,
    read: (Numbers, &ErrorBounds),
    state: &Bound<'py, PyAny>,
    objects: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyList>> {
    const TRIED: usize = 4096;
    let py = state.py();
    let mut here = Moment::read(domain, read, state, objects)?;
    let objects = here.scene.typed_objects()?;
    let compiled = Compiled::again(domain, prepared);
    let mut checker = Checker::new(&compiled, &objects);
    let (mut tried, mut interrupted) = (0, Ok(()));
    let found =
        applicable_actions(&mut checker, &mut here.scene.universe, &here.state, &mut || {
            tried += 1;
            if tried % TRIED == 0 {
                interrupted = py.check_signals();
            }
            interrupted.is_ok()
        });
    interrupted?;
    let tuples = found.iter().map(|action| action_tuple(py, domain, &objects, action));
    PyList::new(py, tuples.collect::<PyResult<Vec<_>>>()?)
}
