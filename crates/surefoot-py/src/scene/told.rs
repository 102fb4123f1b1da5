//! What Python is told: names applied to objects as tuples, states as dicts and sets.

use std::collections::{HashMap, hash_map};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PySet, PyTuple};
use surefoot_base::exact::Rational;
use surefoot_base::model::{
    AtomId, Domain, Ground, GroundAction, GroundAtom, GroundFunction, Objects, State, Universe,
    ValueId,
};

use crate::number::fraction;

/// A name and objects as a tuple.
fn tuple<'py, S: Copy>(
    py: Python<'py>,
    ground: &Ground<S>,
    name: impl Fn(S) -> String,
    objects: &Objects,
) -> PyResult<Bound<'py, PyTuple>> {
    let words = std::iter::once(name(ground.symbol))
        .chain(ground.arguments.iter().map(|&id| objects.name(id).to_owned()));
    PyTuple::new(py, words.collect::<Vec<_>>())
}

/// An action as a tuple.
pub fn action_tuple<'py>(
    py: Python<'py>,
    domain: &Domain,
    objects: &Objects,
    action: &GroundAction,
) -> PyResult<Bound<'py, PyTuple>> {
    tuple(py, action, |id| domain.action_name(id).to_owned(), objects)
}

/// An atom as a tuple.
pub fn atom_tuple<'py>(
    py: Python<'py>,
    domain: &Domain,
    objects: &Objects,
    atom: &GroundAtom,
) -> PyResult<Bound<'py, PyTuple>> {
    tuple(py, atom, |id| domain.signature.predicates.name(id.index()).to_owned(), objects)
}

/// A function as a tuple.
pub fn function_tuple<'py>(
    py: Python<'py>,
    domain: &Domain,
    objects: &Objects,
    function: &GroundFunction,
) -> PyResult<Bound<'py, PyTuple>> {
    tuple(py, function, |id| domain.signature.functions.name(id.index()).to_owned(), objects)
}

/// States as `{"atoms": {...}, "values": {...}}`, with what is unknown of them: a value `None`,
/// atoms under `"unknown"`. Facts and numbers that repeat are the same objects, which is small and
/// quick to compare.
pub struct States<'a, 'py> {
    py: Python<'py>,
    domain: &'a Domain,
    objects: &'a Objects,
    universe: &'a Universe,
    atoms: HashMap<AtomId, Bound<'py, PyTuple>>,
    functions: HashMap<ValueId, Bound<'py, PyTuple>>,
    numbers: HashMap<Rational, Bound<'py, PyAny>>,
}

impl<'a, 'py> States<'a, 'py> {
    pub fn new(
        py: Python<'py>,
        domain: &'a Domain,
        objects: &'a Objects,
        universe: &'a Universe,
    ) -> Self {
        let (atoms, functions, numbers) = (HashMap::new(), HashMap::new(), HashMap::new());
        States { py, domain, objects, universe, atoms, functions, numbers }
    }

    pub fn dict(&mut self, state: &State) -> PyResult<Bound<'py, PyDict>> {
        let py = self.py;
        let (atoms, values) = (PySet::empty(py)?, PyDict::new(py));
        for id in state.atoms() {
            let key = match self.atoms.entry(id) {
                hash_map::Entry::Occupied(known) => known.into_mut(),
                hash_map::Entry::Vacant(free) => free.insert(atom_tuple(
                    py,
                    self.domain,
                    self.objects,
                    self.universe.ground_atom(id),
                )?),
            };
            atoms.add(&*key)?;
        }
        for (id, value) in state.values() {
            let key = match self.functions.entry(id) {
                hash_map::Entry::Occupied(known) => known.into_mut(),
                hash_map::Entry::Vacant(free) => free.insert(function_tuple(
                    py,
                    self.domain,
                    self.objects,
                    self.universe.ground_function(id),
                )?),
            };
            let number = match self.numbers.entry(value.clone()) {
                hash_map::Entry::Occupied(known) => known.into_mut(),
                hash_map::Entry::Vacant(free) => free.insert(fraction(py, value)?),
            };
            values.set_item(&*key, &*number)?;
        }
        for id in state.unknown_values() {
            values.set_item(
                function_tuple(py, self.domain, self.objects, self.universe.ground_function(id))?,
                py.None(),
            )?;
        }
        let unknown = state
            .unknown_atoms()
            .map(|id| atom_tuple(py, self.domain, self.objects, self.universe.ground_atom(id)));
        let unknown = unknown.collect::<PyResult<Vec<_>>>()?;
        let map = PyDict::new(py);
        map.set_item("atoms", atoms)?;
        map.set_item("values", values)?;
        if !unknown.is_empty() {
            map.set_item("unknown", PySet::new(py, unknown)?)?;
        }
        Ok(map)
    }
}

/// One state.
pub fn state_dict<'py>(
    py: Python<'py>,
    domain: &Domain,
    objects: &Objects,
    universe: &Universe,
    state: &State,
) -> PyResult<Bound<'py, PyDict>> {
    States::new(py, domain, objects, universe).dict(state)
}
