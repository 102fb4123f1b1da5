//! Steps of Python as a recording: read once, under the GIL, and then looked at without it.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use surefoot_base::model::{Attempt, Domain, Event, GroundAction, Objects, State, Step, Universe};
use surefoot_base::pddl::{Diagnostic, Numbers, ReadError};
use surefoot_learn::{Provenance, Recorded, Recording, StateKey, Visit};

use crate::error::{at_step, wrong_type, wrong_value};
use crate::number::shown;
use crate::scene::NameScope;

/// One trajectory of Python.
pub struct PythonTrajectory {
    objects: Objects,
    universe: Universe,
    states: Vec<State>,
    /// The keys of these states: a step may stand in any trajectory, and in any order.
    keys: Vec<StateKey>,
    /// What was done or tried, in which of the states; the state after it, or `None` where it
    /// failed.
    events: Vec<(usize, GroundAction, Option<usize>)>,
}

impl PythonTrajectory {
    /// Reads a step, a list of steps, or `{"states": [...], "actions": [...]}`. A step whose state
    /// after is None is an attempt that failed.
    pub fn read(
        scene: &mut NameScope,
        what: &Bound<'_, PyAny>,
        numbers: Numbers,
    ) -> PyResult<Self> {
        scene.begin();
        let mut memory = PythonTrajectory {
            objects: Objects::default(),
            universe: Universe::default(),
            states: Vec::new(),
            keys: Vec::new(),
            events: Vec::new(),
        };
        if let Ok(map) = what.cast::<PyDict>() {
            memory.trajectory(scene, map, numbers)?;
        } else if is_step(what)? {
            memory
                .step(scene, what.cast()?, numbers)
                .map_err(|error| at_step(what.py(), error, 0))?;
        } else {
            memory.steps(scene, what, numbers)?;
        }
        memory.objects = scene.typed_objects()?;
        memory.universe = scene.universe.clone();
        Ok(memory)
    }

    fn trajectory(
        &mut self,
        scene: &mut NameScope,
        map: &Bound<'_, PyDict>,
        numbers: Numbers,
    ) -> PyResult<()> {
        let (states, actions) = (trajectory_part(map, "states")?, trajectory_part(map, "actions")?);
        check_lengths(&states, &actions)?;
        let py = map.py();
        self.state(scene, &states[0], numbers).map_err(|error| at_step(py, error, 0))?;
        for (index, (action, after)) in actions.iter().zip(&states[1..]).enumerate() {
            self.event(scene, action, after, numbers).map_err(|error| at_step(py, error, index))?;
        }
        Ok(())
    }

    fn steps(
        &mut self,
        scene: &mut NameScope,
        what: &Bound<'_, PyAny>,
        numbers: Numbers,
    ) -> PyResult<()> {
        if what.is_instance_of::<PyString>() {
            return Err(no_steps(what));
        }
        for (index, step) in what.try_iter().map_err(|_| no_steps(what))?.enumerate() {
            let step = step?;
            if !is_step(&step)? {
                return Err(wrong_type(format!(
                    "step {index}: expected (before, action, after), found {}",
                    shown(&step)
                )));
            }
            self.step(scene, step.cast()?, numbers)
                .map_err(|error| at_step(step.py(), error, index))?;
            if index % 4096 == 4095 {
                what.py().check_signals()?;
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        scene: &mut NameScope,
        parts: &Bound<'_, PyTuple>,
        numbers: Numbers,
    ) -> PyResult<()> {
        self.state(scene, &parts.get_item(0)?, numbers)?;
        self.event(scene, &parts.get_item(1)?, &parts.get_item(2)?, numbers)
    }

    fn state(
        &mut self,
        scene: &mut NameScope,
        state: &Bound<'_, PyAny>,
        numbers: Numbers,
    ) -> PyResult<()> {
        scene.read(state, numbers)?;
        if self.states.last() != Some(scene.current()) {
            self.keys.push(StateKey::of(&scene.objects, &scene.universe, scene.current()));
            self.states.push(scene.current().clone());
        }
        Ok(())
    }

    fn event(
        &mut self,
        scene: &mut NameScope,
        action: &Bound<'_, PyAny>,
        after: &Bound<'_, PyAny>,
        numbers: Numbers,
    ) -> PyResult<()> {
        let before = self.states.len() - 1;
        if after.is_none() {
            self.events.push((before, scene.action(action)?, None));
            return Ok(());
        }
        self.state(scene, after, numbers)?;
        self.events.push((before, scene.action(action)?, Some(self.states.len() - 1)));
        Ok(())
    }
}

impl Recording for PythonTrajectory {
    fn traces(&self) -> usize {
        1
    }

    fn read(
        &self,
        _trace: usize,
        _domain: &Domain,
        _numbers: Numbers,
        _with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError> {
        for (index, (before, action, after)) in self.events.iter().enumerate() {
            let ends = [self.keys[*before], self.keys[after.unwrap_or(*before)]];
            let (before, universe) = (&self.states[*before], &self.universe);
            let event = match after {
                Some(after) => {
                    Event::Worked(Step { before, action, after: &self.states[*after], universe })
                }
                None => Event::Failed(Attempt { before, action, universe }),
            };
            let place =
                |message: String| Diagnostic::of_file("", format!("step {index}: {message}"));
            if !visit(&Recorded::new(index, event, &self.objects, &place).between(ends)) {
                break;
            }
        }
        Ok(Provenance::default())
    }

    fn digest(&self, _trace: usize) -> Result<String, ReadError> {
        Ok(String::new())
    }
}

/// Whether a value is one step: its first part is a state, not a step.
pub fn is_step(what: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(parts) = what.cast::<PyTuple>() else { return Ok(false) };
    if parts.len() != 3 {
        return Ok(false);
    }
    let first = parts.get_item(0)?;
    Ok(first.is_instance_of::<PyDict>()
        || first.cast::<PyTuple>().is_ok_and(|pair| pair.len() == 2))
}

/// The states or the actions of a trajectory.
pub fn trajectory_part<'py>(
    map: &Bound<'py, PyDict>,
    key: &str,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let found = map.get_item(key)?.ok_or_else(|| {
        wrong_value(format!(
            "expected a trajectory, {{\"states\": [...], \"actions\": [...]}}, found {}",
            shown(map)
        ))
    })?;
    found.try_iter()?.collect()
}

/// Whether states and actions of a trajectory go together.
pub fn check_lengths(states: &[Bound<'_, PyAny>], actions: &[Bound<'_, PyAny>]) -> PyResult<()> {
    if states.len() == actions.len() + 1 {
        return Ok(());
    }
    Err(wrong_value(format!(
        "a trajectory has one state more than actions, found {} and {}",
        states.len(),
        actions.len()
    )))
}

/// Why something is neither a path nor steps.
pub fn no_steps(what: &Bound<'_, PyAny>) -> PyErr {
    wrong_type(format!(
        "expected a path, a step (before, action, after), or a list of steps, found {}",
        shown(what)
    ))
}

/// A list of trajectories: whether each of its items is one.
pub fn trajectories<'py>(what: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    let list: Vec<Bound<'py, PyAny>> = what.cast::<PyList>().ok()?.iter().collect();
    let is_trajectory = |item: &Bound<'_, PyAny>| {
        item.cast::<PyDict>().is_ok_and(|map| map.contains("states").unwrap_or(false))
    };
    (!list.is_empty() && list.iter().all(is_trajectory)).then_some(list)
}
