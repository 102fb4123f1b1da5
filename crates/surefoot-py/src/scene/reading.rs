//! States of Python: read whole, or by what differs from the state before.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PySet, PyString, PyTuple};
use surefoot_base::exact::Rational;
use surefoot_base::model::{AtomId, State, ValueId};
use surefoot_base::pddl::Numbers;

use super::{NameScope, is_hashed, words};
use crate::error::{about, wrong_type, wrong_value};
use crate::number::{is_immutable, reading, reading_within, shown};

/// The atoms and the values of a state, and what is unknown of it, as Python gave them.
struct StateParts<'py> {
    atoms: Option<Bound<'py, PyAny>>,
    values: Option<Bound<'py, PyDict>>,
    unknown: Option<Bound<'py, PyAny>>,
}

/// The state that was read last. Holds copies, since the user's own sets and dicts may change.
pub(super) struct Last {
    atoms: Py<PySet>,
    values: Vec<StoredValue>,
    /// Whether a function has two entries in `values`, in two spellings.
    repeats: bool,
    state: State,
    /// How it differs from the state read before it; `None` where that takes a look at both.
    change: Option<StateDifference>,
}

impl Last {
    /// Whether functions and numbers are the same objects, in the same order.
    fn has_values(&self, values: Option<&Bound<'_, PyDict>>) -> bool {
        let Some(values) = values else { return self.values.is_empty() };
        self.values.len() == values.len()
            && self
                .values
                .iter()
                .zip(values.iter())
                .all(|(one, (key, value))| one.key.is(&key) && one.value.is(&value))
    }

    /// Makes the state before this one equal to it.
    fn bring_up(&self, before: &mut State) {
        let Some(change) = &self.change else { return before.clone_from(&self.state) };
        for &id in &change.atoms {
            if self.state.contains(id) { before.insert(id) } else { before.remove(id) }
        }
        for &id in &change.values {
            set(before, id, self.state.value(id).cloned());
        }
    }
}

/// The atoms and functions in which two states may differ.
#[derive(Default)]
pub struct StateDifference {
    pub atoms: Vec<AtomId>,
    pub values: Vec<ValueId>,
}

struct StoredValue {
    key: Py<PyAny>,
    value: Py<PyAny>,
    /// Whether the number can never be another one.
    fixed: bool,
    id: ValueId,
}

/// Gives a function a value, or makes it unknown.
fn set(state: &mut State, id: ValueId, value: Option<Rational>) {
    match value {
        Some(value) => state.set_value(id, value),
        None => state.set_value_unknown(id),
    }
}

impl NameScope {
    /// Reads a state into `state`.
    pub fn read_state(
        &mut self,
        value: &Bound<'_, PyAny>,
        numbers: Numbers,
        state: &mut State,
    ) -> PyResult<()> {
        self.read(value, numbers)?;
        state.clone_from(self.current());
        Ok(())
    }

    /// Reads the next state. Most facts of a state were facts of the one read before, and are not
    /// looked at again.
    pub fn read(&mut self, value: &Bound<'_, PyAny>, numbers: Numbers) -> PyResult<()> {
        // An exception in the middle must not leave a half-read state to start from.
        let last = self.last.take();
        let beginning = std::mem::replace(&mut self.beginning, false);
        let parts = self.parts(value)?;
        if let Some(last) = &last {
            last.bring_up(&mut self.previous);
        }
        let comparable =
            !self.aliased && parts.unknown.is_none() && parts.atoms.as_ref().is_some_and(is_set);
        let current = match last {
            Some(last) if comparable && last.state.unknown_atoms().next().is_none() => {
                let (added, removed) = difference(&parts, &last)?;
                let same = || {
                    added.is_empty() && removed.is_none() && last.has_values(parts.values.as_ref())
                };
                if !beginning || self.declared || same() {
                    Some(self.changed(
                        last,
                        &added,
                        removed.as_ref(),
                        parts.values.as_ref(),
                        numbers,
                    )?)
                } else {
                    None
                }
            }
            _ => None,
        };
        let current = match current {
            // Where one atom has several spellings, the sets of two states do not tell what
            // changed.
            Some(current) if !self.aliased => current,
            _ => {
                self.call += u64::from(beginning || self.call == 0);
                self.whole(&parts, numbers, value.py())?
            }
        };
        self.last = Some(current);
        Ok(())
    }

    /// The state that was read last.
    pub fn current(&self) -> &State {
        self.last.as_ref().map_or(&self.previous, |last| &last.state)
    }

    /// The state that was read before it.
    pub fn previous(&self) -> &State {
        &self.previous
    }

    /// How both differ; `None` where that takes a look at both.
    pub fn change(&self) -> Option<&StateDifference> {
        self.last.as_ref()?.change.as_ref()
    }

    /// A state by what differs from the last one.
    fn changed(
        &mut self,
        mut last: Last,
        added: &Bound<'_, PySet>,
        removed: Option<&Bound<'_, PySet>>,
        values: Option<&Bound<'_, PyDict>>,
        numbers: Numbers,
    ) -> PyResult<Last> {
        let py = added.py();
        let mut change = last.change.take().unwrap_or_default();
        change.atoms.clear();
        change.values.clear();
        let kept = last.atoms.bind(py).clone();
        for atom in removed.into_iter().flat_map(|set| set.iter()) {
            let id = self.atom(&atom)?;
            kept.discard(&atom)?;
            last.state.remove(id);
            change.atoms.push(id);
        }
        for atom in added.iter() {
            let id = self.atom(&atom)?;
            kept.add(&atom)?;
            last.state.insert(id);
            change.atoms.push(id);
        }
        if self.update_values(&mut last, values, numbers, &mut change)? {
            last.change = Some(change);
        } else {
            last.values.iter().for_each(|entry| last.state.unset_value(entry.id));
            self.set_values(&mut last, values, numbers)?;
        }
        Ok(last)
    }

    /// Takes over those numbers that differ; returns whether functions are the same, in the same
    /// order.
    fn update_values(
        &mut self,
        last: &mut Last,
        values: Option<&Bound<'_, PyDict>>,
        numbers: Numbers,
        change: &mut StateDifference,
    ) -> PyResult<bool> {
        let Some(values) = values else { return Ok(last.values.is_empty()) };
        if last.repeats || values.len() != last.values.len() {
            return Ok(false);
        }
        for (entry, (key, value)) in last.values.iter_mut().zip(values.iter()) {
            if !entry.key.is(&key) {
                if self.function(&key)? != entry.id {
                    return Ok(false);
                }
                entry.key = key.unbind();
            }
            if entry.fixed && entry.value.is(&value) {
                continue;
            }
            set(&mut last.state, entry.id, self.number(entry.id, &entry.key, &value, numbers)?);
            change.values.push(entry.id);
            entry.fixed = is_immutable(&value);
            entry.value = value.unbind();
        }
        Ok(true)
    }

    /// A number, or `None` where it is unknown; errors name the function.
    fn number(
        &self,
        id: ValueId,
        key: &Py<PyAny>,
        value: &Bound<'_, PyAny>,
        numbers: Numbers,
    ) -> PyResult<Option<Rational>> {
        let number = match self.inexact.contains(&self.universe.ground_function(id).symbol) {
            true => reading_within(value, numbers),
            false => reading(value, numbers),
        };
        number.map_err(|error| about(error, key.bind(value.py())))
    }

    /// A state from scratch.
    fn whole(
        &mut self,
        parts: &StateParts<'_>,
        numbers: Numbers,
        py: Python<'_>,
    ) -> PyResult<Last> {
        let mut state = State::default();
        let kept = PySet::empty(py)?;
        if let Some(atoms) = &parts.atoms {
            if atoms.is_instance_of::<PyString>() || atoms.is_instance_of::<PyDict>() {
                return Err(wrong_type(format!("expected a set of atoms, found {}", shown(atoms))));
            }
            for atom in atoms.try_iter()? {
                let atom = atom?;
                state.insert(self.atom(&atom)?);
                match is_hashed(&atom) {
                    true => kept.add(atom)?,
                    false => self.aliased = true,
                }
            }
        }
        let mut last =
            Last { atoms: kept.unbind(), values: Vec::new(), repeats: false, state, change: None };
        self.set_values(&mut last, parts.values.as_ref(), numbers)?;
        if let Some(unknown) = &parts.unknown {
            for fact in unknown.try_iter()? {
                self.set_unknown(&mut last.state, &fact?)?;
            }
        }
        Ok(last)
    }

    fn set_values(
        &mut self,
        last: &mut Last,
        values: Option<&Bound<'_, PyDict>>,
        numbers: Numbers,
    ) -> PyResult<()> {
        last.values.clear();
        last.repeats = false;
        for (key, value) in values.iter().flat_map(|values| values.iter()) {
            let id = self.function(&key)?;
            let key = key.unbind();
            let number = self.number(id, &key, &value, numbers)?;
            if last.state.value(id).is_some() || last.state.is_value_unknown(id) {
                last.repeats = true;
                if last.state.value(id) != number.as_ref() {
                    return Err(wrong_value(format!(
                        "{} has two values in one state",
                        shown(key.bind(value.py()))
                    )));
                }
            }
            set(&mut last.state, id, number);
            last.values.push(StoredValue {
                key,
                fixed: is_immutable(&value),
                value: value.unbind(),
                id,
            });
        }
        Ok(())
    }

    /// Makes an atom or a function unknown.
    fn set_unknown(&mut self, state: &mut State, fact: &Bound<'_, PyAny>) -> PyResult<()> {
        let named = words(fact)?;
        let is_function = named.first().is_some_and(|name| {
            let signature = &self.domain.signature;
            signature.predicates.find(name).is_none() && signature.functions.find(name).is_some()
        });
        let told = if is_function {
            let id = self.function(fact)?;
            let told = state.value(id).is_some();
            state.set_value_unknown(id);
            told
        } else {
            let id = self.atom(fact)?;
            let told = state.contains(id);
            state.set_atom_unknown(id);
            told
        };
        if told {
            Err(wrong_value(format!("{} is both given and unknown", shown(fact))))
        } else {
            Ok(())
        }
    }

    /// The parts of a state: `{"atoms": {...}, "values": {...}}`, with `"unknown": {...}` or
    /// without, or a pair of atoms and values.
    fn parts<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<StateParts<'py>> {
        let py = value.py();
        if let Ok(map) = value.cast::<PyDict>() {
            let (atoms, values) = (
                map.get_item(pyo3::intern!(py, "atoms"))?,
                map.get_item(pyo3::intern!(py, "values"))?,
            );
            let known = usize::from(atoms.is_some()) + usize::from(values.is_some());
            let unknown = match map.len() == known {
                true => None,
                false => Some(
                    map.get_item(pyo3::intern!(py, "unknown"))?.ok_or_else(|| no_state(value))?,
                ),
            };
            let signature = &self.domain.signature;
            if map.len() != known + usize::from(unknown.is_some()) {
                return Err(no_state(value));
            }
            // A part that was forgotten would change what is learned.
            if atoms.is_none() && !signature.predicates.is_empty() {
                return Err(wrong_value(
                    "this state has no \"atoms\"; where none is true, say so with an empty set",
                ));
            }
            if values.is_none() && !signature.functions.is_empty() {
                return Err(wrong_value(
                    "this state has no \"values\"; where no function has one, say so with an empty \
                     dict",
                ));
            }
            return Ok(StateParts { atoms, values: values.map(mapping).transpose()?, unknown });
        }
        if let Ok(pair) = value.cast::<PyTuple>()
            && pair.len() == 2
        {
            return Ok(StateParts {
                atoms: Some(pair.get_item(0)?),
                values: Some(mapping(pair.get_item(1)?)?),
                unknown: None,
            });
        }
        Err(no_state(value))
    }
}

/// The atoms of a state that are none of the last one's, and those of the last one's that are gone,
/// if there are any.
fn difference<'py>(
    parts: &StateParts<'py>,
    last: &Last,
) -> PyResult<(Bound<'py, PySet>, Option<Bound<'py, PySet>>)> {
    let Some(atoms) = &parts.atoms else { return Err(wrong_value("this state has no atoms")) };
    let py = atoms.py();
    let before = last.atoms.bind(py);
    let added = match atoms.sub(before)?.cast_into::<PySet>() {
        Ok(added) => added,
        // What a frozen set leaves over is frozen.
        Err(other) => {
            PySet::new(py, other.into_inner().try_iter()?.collect::<PyResult<Vec<_>>>()?)?
        }
    };
    if before.len() + added.len() == atoms.len()? {
        return Ok((added, None));
    }
    Ok((added, Some(before.sub(atoms)?.cast_into::<PySet>()?)))
}

/// The values of a state as a dict: one, or a mapping such as a Series of pandas.
fn mapping<'py>(values: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let values = match values.cast_into::<PyDict>() {
        Ok(dict) => return Ok(dict),
        Err(other) => other.into_inner(),
    };
    let py = values.py();
    if !values.hasattr(pyo3::intern!(py, "items"))? {
        return Err(wrong_type(format!(
            "expected a dict of function values, found {}",
            shown(&values)
        )));
    }
    let map = PyDict::new(py);
    for pair in values.call_method0(pyo3::intern!(py, "items"))?.try_iter()? {
        let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair?.extract()?;
        map.set_item(key, value)?;
    }
    Ok(map)
}

/// Why something is no state.
fn no_state(value: &Bound<'_, PyAny>) -> PyErr {
    wrong_type(format!(
        "expected a state, {{\"atoms\": {{(\"at\", \"t\", \"a\")}}, \"values\": \
         {{(\"fuel\", \"t\"): 3}}}}, found {}",
        shown(value)
    ))
}

fn is_set(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PySet>() || value.is_exact_instance_of::<PyFrozenSet>()
}
