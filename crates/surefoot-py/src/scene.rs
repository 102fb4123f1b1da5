//! Python's states and actions, turned into those of the library. Names are resolved once, and remembered.

use std::collections::{HashMap, hash_map};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySet, PyString, PyTuple};
use surefoot::exact::Rational;
use surefoot::model::{
    Arguments, AtomId, Domain, Ground, GroundAction, GroundAtom, GroundFunction, ObjectId, Objects, State, TypeId, TypeSet,
    Types, Universe, ValueId, Variable,
};
use surefoot::pddl::Numbers;

use crate::error::{about, wrong_type, wrong_value};
use crate::number::{fraction, is_immutable, reading, shown};

/// The atoms and the values of a state, and what is unknown of it, as Python gave them.
struct StateParts<'py> {
    atoms: Option<Bound<'py, PyAny>>,
    values: Option<Bound<'py, PyDict>>,
    unknown: Option<Bound<'py, PyAny>>,
}

/// What names mean among some objects. Objects are declared, or else named by their use: then those of one call (a step, a
/// trajectory) must have a type that fits all their places.
pub struct NameScope {
    pub domain: Arc<Domain>,
    pub objects: Objects,
    pub universe: Universe,
    declared: bool,
    /// By name and objects: where to find it below.
    atoms: Py<PyDict>,
    functions: Py<PyDict>,
    actions: Py<PyDict>,
    known_atoms: Vec<Known<AtomId>>,
    known_functions: Vec<Known<ValueId>>,
    known_actions: Vec<(GroundAction, u64)>,
    uses: Vec<Use>,
    /// Numbers the calls, so that what was checked in this one is not checked again.
    call: u64,
    /// Whether the next state is the first of a call.
    beginning: bool,
    /// Whether an atom was met in two spellings.
    aliased: bool,
    last: Option<Last>,
    /// The state read before the last one.
    previous: State,
}

/// The state that was read last. Holds copies, since the user's own sets and dicts may change.
struct Last {
    atoms: Py<PySet>,
    values: Vec<StoredValue>,
    /// Whether a function has two entries in `values`, in two spellings.
    repeats: bool,
    state: State,
    /// How it differs from the state read before it; `None` where that takes a look at both.
    change: Option<Change>,
}

impl Last {
    /// Whether functions and numbers are the same objects, in the same order.
    fn has_values(&self, values: Option<&Bound<'_, PyDict>>) -> bool {
        let Some(values) = values else { return self.values.is_empty() };
        self.values.len() == values.len()
            && self.values.iter().zip(values.iter()).all(|(one, (key, value))| one.key.is(&key) && one.value.is(&value))
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
struct Change {
    atoms: Vec<AtomId>,
    values: Vec<ValueId>,
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

struct Known<I> {
    id: I,
    arguments: Arguments,
    symbol: usize,
    checked: u64,
}

/// The types that an object may still have.
#[derive(Clone, Default)]
struct Use {
    call: u64,
    fitting: Vec<TypeId>,
}

#[derive(Clone, Copy)]
enum NameKind {
    Predicate,
    Function,
    Action,
}

impl NameKind {
    fn word(self) -> &'static str {
        match self {
            NameKind::Predicate => "predicate",
            NameKind::Function => "function",
            NameKind::Action => "action",
        }
    }
}

impl NameScope {
    /// A scene of declared objects (a mapping from names to types), or of those that will be named.
    pub fn new(py: Python<'_>, domain: &Arc<Domain>, declared: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut objects = domain.signature.constants.clone();
        for (name, of) in declared.into_iter().flat_map(|map| map.iter()) {
            let (name, of) = (text(&name)?, text(&of)?);
            let Some(id) = domain.signature.types.find(&of) else {
                return Err(wrong_value(format!("object {name:?}: the domain has no type {of:?}")));
            };
            if let Err(taken) = objects.insert(&name, id)
                && objects.type_of(taken) != id
            {
                return Err(wrong_value(format!("object {name:?} is a constant of another type, or is declared twice")));
            }
        }
        Ok(NameScope {
            domain: Arc::clone(domain),
            objects,
            universe: Universe::default(),
            declared: declared.is_some(),
            atoms: PyDict::new(py).unbind(),
            functions: PyDict::new(py).unbind(),
            actions: PyDict::new(py).unbind(),
            known_atoms: Vec::new(),
            known_functions: Vec::new(),
            known_actions: Vec::new(),
            uses: Vec::new(),
            call: 0,
            beginning: true,
            aliased: false,
            last: None,
            previous: State::default(),
        })
    }

    /// A scene of the objects of a problem.
    pub fn of_objects(py: Python<'_>, domain: &Arc<Domain>, objects: &Objects) -> PyResult<Self> {
        let mut scene = NameScope::new(py, domain, None)?;
        scene.objects = objects.clone();
        scene.declared = true;
        Ok(scene)
    }

    /// Whether so much was named that it is better to start anew: states are as large as all that was named.
    pub fn is_crowded(&self) -> bool {
        const MOST: usize = 20_000;
        self.universe.atom_count() + self.universe.value_count() + self.known_actions.len() > MOST
    }

    /// Begins a step or a trajectory. Unless it goes on where the last one ended, undeclared objects may have other types than before.
    pub fn begin(&mut self) {
        self.beginning = true;
    }

    /// Begins anew, whatever comes next.
    pub fn forget(&mut self) {
        self.last = None;
    }

    /// Reads a state into `state`.
    pub fn read_state(&mut self, value: &Bound<'_, PyAny>, numbers: Numbers, state: &mut State) -> PyResult<()> {
        self.read(value, numbers)?;
        state.clone_from(self.current());
        Ok(())
    }

    /// Reads the next state. Most facts of a state were facts of the one read before, and are not looked at again.
    pub fn read(&mut self, value: &Bound<'_, PyAny>, numbers: Numbers) -> PyResult<()> {
        // An exception in the middle must not leave a half-read state to start from.
        let last = self.last.take();
        let beginning = std::mem::replace(&mut self.beginning, false);
        let parts = self.parts(value)?;
        if let Some(last) = &last {
            last.bring_up(&mut self.previous);
        }
        let comparable = !self.aliased && parts.unknown.is_none() && parts.atoms.as_ref().is_some_and(is_set);
        let current = match last {
            Some(last) if comparable && last.state.unknown_atoms().next().is_none() => {
                let (added, removed) = difference(&parts, &last)?;
                let same = || added.is_empty() && removed.is_none() && last.has_values(parts.values.as_ref());
                if !beginning || self.declared || same() {
                    Some(self.changed(last, &added, removed.as_ref(), parts.values.as_ref(), numbers)?)
                } else {
                    None
                }
            }
            _ => None,
        };
        let current = match current {
            // Where one atom has several spellings, the sets of two states do not tell what changed.
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

    /// Takes over those numbers that differ; returns whether functions are the same, in the same order.
    fn update_values(
        &mut self,
        last: &mut Last,
        values: Option<&Bound<'_, PyDict>>,
        numbers: Numbers,
        change: &mut Change,
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
            set(&mut last.state, entry.id, self.number(&entry.key, &value, numbers)?);
            change.values.push(entry.id);
            entry.fixed = is_immutable(&value);
            entry.value = value.unbind();
        }
        Ok(true)
    }

    /// A number, or `None` where it is unknown; errors name the function.
    fn number(&self, key: &Py<PyAny>, value: &Bound<'_, PyAny>, numbers: Numbers) -> PyResult<Option<Rational>> {
        reading(value, numbers).map_err(|error| about(error, key.bind(value.py())))
    }

    /// A state from scratch.
    fn whole(&mut self, parts: &StateParts<'_>, numbers: Numbers, py: Python<'_>) -> PyResult<Last> {
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
        let mut last = Last { atoms: kept.unbind(), values: Vec::new(), repeats: false, state, change: None };
        self.set_values(&mut last, parts.values.as_ref(), numbers)?;
        if let Some(unknown) = &parts.unknown {
            for fact in unknown.try_iter()? {
                self.set_unknown(&mut last.state, &fact?)?;
            }
        }
        Ok(last)
    }

    fn set_values(&mut self, last: &mut Last, values: Option<&Bound<'_, PyDict>>, numbers: Numbers) -> PyResult<()> {
        last.values.clear();
        last.repeats = false;
        for (key, value) in values.iter().flat_map(|values| values.iter()) {
            let id = self.function(&key)?;
            let key = key.unbind();
            let number = self.number(&key, &value, numbers)?;
            if last.state.value(id).is_some() || last.state.is_value_unknown(id) {
                last.repeats = true;
                if last.state.value(id) != number.as_ref() {
                    return Err(wrong_value(format!("{} has two values in one state", shown(key.bind(value.py())))));
                }
            }
            set(&mut last.state, id, number);
            last.values.push(StoredValue { key, fixed: is_immutable(&value), value: value.unbind(), id });
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
        if told { Err(wrong_value(format!("{} is both told and unknown", shown(fact)))) } else { Ok(()) }
    }

    /// The parts of a state: `{"atoms": {...}, "values": {...}}`, with `"unknown": {...}` or without, or a pair of atoms and values.
    fn parts<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<StateParts<'py>> {
        let py = value.py();
        if let Ok(map) = value.cast::<PyDict>() {
            let (atoms, values) = (map.get_item(pyo3::intern!(py, "atoms"))?, map.get_item(pyo3::intern!(py, "values"))?);
            let known = usize::from(atoms.is_some()) + usize::from(values.is_some());
            let unknown = match map.len() == known {
                true => None,
                false => Some(map.get_item(pyo3::intern!(py, "unknown"))?.ok_or_else(|| no_state(value))?),
            };
            let signature = &self.domain.signature;
            if map.len() != known + usize::from(unknown.is_some()) {
                return Err(no_state(value));
            }
            // A part that was forgotten would change what is learned.
            if atoms.is_none() && !signature.predicates.is_empty() {
                return Err(wrong_value("this state has no \"atoms\"; where none is true, say so with an empty set"));
            }
            if values.is_none() && !signature.functions.is_empty() {
                return Err(wrong_value("this state has no \"values\"; where no function has one, say so with an empty dict"));
            }
            return Ok(StateParts { atoms, values: values.map(mapping).transpose()?, unknown });
        }
        if let Ok(pair) = value.cast::<PyTuple>()
            && pair.len() == 2
        {
            return Ok(StateParts { atoms: Some(pair.get_item(0)?), values: Some(mapping(pair.get_item(1)?)?), unknown: None });
        }
        Err(no_state(value))
    }

    fn atom(&mut self, key: &Bound<'_, PyAny>) -> PyResult<AtomId> {
        let place = match lookup(&self.atoms, key)? {
            Some(place) => place,
            None => {
                let (symbol, arguments) = self.resolve(NameKind::Predicate, key)?;
                let ground: GroundAtom = Ground { symbol: symbol.into(), arguments: arguments.clone() };
                self.aliased |= self.universe.find_atom(&ground).is_some();
                self.known_atoms.push(Known { id: self.universe.atom(&ground), arguments, symbol, checked: 0 });
                remember(&self.atoms, key, self.known_atoms.len() - 1)?;
                self.known_atoms.len() - 1
            }
        };
        let known = &mut self.known_atoms[place];
        if known.checked != self.call {
            known.checked = self.call;
            let (symbol, arguments, id) = (known.symbol, known.arguments.clone(), known.id);
            self.check(NameKind::Predicate, symbol, &arguments)?;
            return Ok(id);
        }
        Ok(known.id)
    }

    fn function(&mut self, key: &Bound<'_, PyAny>) -> PyResult<ValueId> {
        let place = match lookup(&self.functions, key)? {
            Some(place) => place,
            None => {
                let (symbol, arguments) = self.resolve(NameKind::Function, key)?;
                let ground: GroundFunction = Ground { symbol: symbol.into(), arguments: arguments.clone() };
                self.known_functions.push(Known { id: self.universe.value(&ground), arguments, symbol, checked: 0 });
                remember(&self.functions, key, self.known_functions.len() - 1)?;
                self.known_functions.len() - 1
            }
        };
        let known = &mut self.known_functions[place];
        if known.checked != self.call {
            known.checked = self.call;
            let (symbol, arguments, id) = (known.symbol, known.arguments.clone(), known.id);
            self.check(NameKind::Function, symbol, &arguments)?;
            return Ok(id);
        }
        Ok(known.id)
    }

    /// Reads an action, `("drive", "t", "a", "b")`.
    pub fn action(&mut self, key: &Bound<'_, PyAny>) -> PyResult<GroundAction> {
        let place = match lookup(&self.actions, key)? {
            Some(place) => place,
            None => {
                let (symbol, arguments) = self.resolve(NameKind::Action, key)?;
                self.known_actions.push((Ground { symbol: symbol.into(), arguments }, 0));
                remember(&self.actions, key, self.known_actions.len() - 1)?;
                self.known_actions.len() - 1
            }
        };
        if self.known_actions[place].1 != self.call {
            self.known_actions[place].1 = self.call;
            let action = self.known_actions[place].0.clone();
            self.check(NameKind::Action, action.symbol.index(), &action.arguments)?;
        }
        Ok(self.known_actions[place].0.clone())
    }

    fn parameters(&self, kind: NameKind, symbol: usize) -> &[Variable] {
        match kind {
            NameKind::Predicate => &self.domain.signature.predicates.value(symbol).parameters,
            NameKind::Function => &self.domain.signature.functions.value(symbol).parameters,
            NameKind::Action => &self.domain.actions.value(symbol).parameters,
        }
    }

    fn resolve(&mut self, kind: NameKind, key: &Bound<'_, PyAny>) -> PyResult<(usize, Arguments)> {
        let words = words(key)?;
        let Some((name, names)) = words.split_first() else {
            return Err(wrong_value(format!("expected a {} and its objects, found {}", kind.word(), shown(key))));
        };
        let signature = &self.domain.signature;
        let symbol = match kind {
            NameKind::Predicate => signature.predicates.find(name),
            NameKind::Function => signature.functions.find(name),
            NameKind::Action => self.domain.actions.find(name),
        };
        let Some(symbol) = symbol else {
            return Err(wrong_value(format!("{}: domain {} has no {} {name:?}", shown(key), self.domain.name, kind.word())));
        };
        let takes = self.parameters(kind, symbol).len();
        if takes != names.len() {
            return Err(wrong_value(format!("{}: {name} takes {takes} objects, found {}", shown(key), names.len())));
        }
        let mut arguments = Arguments::new();
        for name in names {
            let object = match self.objects.find(name) {
                Some(object) => object,
                None if self.declared => {
                    return Err(wrong_value(format!("{}: there is no object {name:?}", shown(key))));
                }
                None => self.objects.insert(name, TypeId::OBJECT).unwrap_or_else(|known| known),
            };
            arguments.push(object);
        }
        Ok((symbol, arguments))
    }

    /// Whether objects fit their places.
    fn check(&mut self, kind: NameKind, symbol: usize, arguments: &[ObjectId]) -> PyResult<()> {
        let domain = Arc::clone(&self.domain);
        let (types, constants) = (&domain.signature.types, domain.signature.constants.len());
        let parameters = match kind {
            NameKind::Predicate => &domain.signature.predicates.value(symbol).parameters,
            NameKind::Function => &domain.signature.functions.value(symbol).parameters,
            NameKind::Action => &domain.actions.value(symbol).parameters,
        };
        self.uses.resize(self.objects.len(), Use::default());
        for (parameter, &object) in parameters.iter().zip(arguments) {
            let place: &TypeSet = &parameter.types;
            if self.declared || object.index() < constants {
                let of = self.objects.type_of(object);
                if !place.admits(types, of) {
                    let expected: Vec<&str> = place.types().iter().map(|&id| types.name(id)).collect();
                    return Err(wrong_value(format!(
                        "{} is of type {}, but ?{} of {} is of type {}",
                        self.objects.name(object),
                        types.name(of),
                        parameter.name,
                        name_of(&domain, kind, symbol),
                        expected.join(" or ")
                    )));
                }
                continue;
            }
            let used = &mut self.uses[object.index()];
            if used.call != self.call {
                used.call = self.call;
                used.fitting.clear();
                used.fitting.extend(types.ids());
            }
            used.fitting.retain(|&id| place.admits(types, id));
            if used.fitting.is_empty() {
                return Err(wrong_value(format!(
                    "no type fits all places of {:?}, the last of them ?{} of {}",
                    self.objects.name(object),
                    parameter.name,
                    name_of(&domain, kind, symbol)
                )));
            }
        }
        Ok(())
    }

    /// The objects with the types that their use in this call tells; an error where it does not tell.
    pub fn typed_objects(&self) -> PyResult<Objects> {
        if self.declared {
            return Ok(self.objects.clone());
        }
        let types = &self.domain.signature.types;
        let mut objects = self.domain.signature.constants.clone();
        for id in self.objects.ids().skip(objects.len()) {
            let fitting = self.uses.get(id.index()).filter(|used| used.call == self.call).map_or(&[][..], |used| &used.fitting);
            let name = self.objects.name(id);
            let of = match most_general(types, fitting)[..] {
                [] => TypeId::OBJECT,
                [only] => only,
                [one, other, ..] => {
                    let (one, other) = (types.name(one), types.name(other));
                    return Err(wrong_value(format!(
                        "{name:?} may be a {one} or a {other}: say which with objects={{{name:?}: ...}}"
                    )));
                }
            };
            let _ = objects.insert(name, of);
        }
        Ok(objects)
    }
}

/// Those of some types that are no subtypes of others of them.
fn most_general(types: &Types, some: &[TypeId]) -> Vec<TypeId> {
    let mut general = some.to_vec();
    general.retain(|&one| !some.iter().any(|&other| other != one && types.is_subtype(one, other)));
    general
}

/// The atoms of a state that are none of the last one's, and those of the last one's that are gone, if there are any.
fn difference<'py>(parts: &StateParts<'py>, last: &Last) -> PyResult<(Bound<'py, PySet>, Option<Bound<'py, PySet>>)> {
    let Some(atoms) = &parts.atoms else { return Err(wrong_value("this state has no atoms")) };
    let py = atoms.py();
    let before = last.atoms.bind(py);
    let added = match atoms.sub(before)?.cast_into::<PySet>() {
        Ok(added) => added,
        // What a frozen set leaves over is frozen.
        Err(other) => PySet::new(py, other.into_inner().try_iter()?.collect::<PyResult<Vec<_>>>()?)?,
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
        return Err(wrong_type(format!("expected a dict of function values, found {}", shown(&values))));
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
        "expected a state, {{\"atoms\": {{(\"at\", \"t\", \"a\")}}, \"values\": {{(\"fuel\", \"t\"): 3}}}}, found {}",
        shown(value)
    ))
}

fn name_of(domain: &Domain, kind: NameKind, symbol: usize) -> &str {
    match kind {
        NameKind::Predicate => domain.signature.predicates.name(symbol),
        NameKind::Function => domain.signature.functions.name(symbol),
        NameKind::Action => domain.actions.name(symbol),
    }
}

/// Whether words can be the key of a table: lists and arrays of words cannot.
fn is_hashed(key: &Bound<'_, PyAny>) -> bool {
    key.is_instance_of::<PyTuple>() || key.is_instance_of::<PyString>()
}

fn lookup(table: &Py<PyDict>, key: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if !is_hashed(key) {
        return Ok(None);
    }
    match table.bind(key.py()).get_item(key)? {
        Some(place) => Ok(Some(place.extract()?)),
        None => Ok(None),
    }
}

fn remember(table: &Py<PyDict>, key: &Bound<'_, PyAny>, place: usize) -> PyResult<()> {
    if !is_hashed(key) {
        return Ok(());
    }
    table.bind(key.py()).set_item(key, place)
}

fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = value.cast::<PyString>().map_err(|_| wrong_type(format!("expected a name, found {}", shown(value))))?;
    Ok(text.to_cow()?.into_owned())
}

fn no_words(key: &Bound<'_, PyAny>) -> PyErr {
    wrong_type(format!("expected a tuple of a name and objects, found {}", shown(key)))
}

/// The words of `("at", "t", "a")`, or of `"(at t a)"`.
fn words(key: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(line) = key.cast::<PyString>() {
        let line = line.to_cow()?;
        let line = line.trim();
        let inner = line.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(line);
        return Ok(inner.split_whitespace().map(str::to_owned).collect());
    }
    if !key.is_instance_of::<PyTuple>() && !key.is_instance_of::<PyList>() {
        // An array of names.
        if key.hasattr("tolist")? {
            let list = key.call_method0("tolist")?;
            return if list.is_instance_of::<PyList>() { words(&list) } else { Err(no_words(key)) };
        }
        return Err(no_words(key));
    }
    key.try_iter()?.map(|word| text(&word?)).collect()
}

/// A name and objects as a tuple.
fn tuple<'py, S: Copy>(
    py: Python<'py>,
    ground: &Ground<S>,
    name: impl Fn(S) -> String,
    objects: &Objects,
) -> PyResult<Bound<'py, PyTuple>> {
    let words = std::iter::once(name(ground.symbol)).chain(ground.arguments.iter().map(|&id| objects.name(id).to_owned()));
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
pub fn atom_tuple<'py>(py: Python<'py>, domain: &Domain, objects: &Objects, atom: &GroundAtom) -> PyResult<Bound<'py, PyTuple>> {
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

/// States as `{"atoms": {...}, "values": {...}}`, with what is unknown of them: a value `None`, atoms under `"unknown"`. Facts and numbers that repeat are the same objects, which is small and quick to
/// compare.
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
    pub fn new(py: Python<'py>, domain: &'a Domain, objects: &'a Objects, universe: &'a Universe) -> Self {
        let (atoms, functions, numbers) = (HashMap::new(), HashMap::new(), HashMap::new());
        States { py, domain, objects, universe, atoms, functions, numbers }
    }

    pub fn dict(&mut self, state: &State) -> PyResult<Bound<'py, PyDict>> {
        let py = self.py;
        let (atoms, values) = (PySet::empty(py)?, PyDict::new(py));
        for id in state.atoms() {
            let key = match self.atoms.entry(id) {
                hash_map::Entry::Occupied(known) => known.into_mut(),
                hash_map::Entry::Vacant(free) => {
                    free.insert(atom_tuple(py, self.domain, self.objects, self.universe.ground_atom(id))?)
                }
            };
            atoms.add(&*key)?;
        }
        for (id, value) in state.values() {
            let key = match self.functions.entry(id) {
                hash_map::Entry::Occupied(known) => known.into_mut(),
                hash_map::Entry::Vacant(free) => {
                    free.insert(function_tuple(py, self.domain, self.objects, self.universe.ground_function(id))?)
                }
            };
            let number = match self.numbers.entry(value.clone()) {
                hash_map::Entry::Occupied(known) => known.into_mut(),
                hash_map::Entry::Vacant(free) => free.insert(fraction(py, value)?),
            };
            values.set_item(&*key, &*number)?;
        }
        for id in state.unknown_values() {
            values.set_item(function_tuple(py, self.domain, self.objects, self.universe.ground_function(id))?, py.None())?;
        }
        let unknown = state.unknown_atoms().map(|id| atom_tuple(py, self.domain, self.objects, self.universe.ground_atom(id)));
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

fn is_set(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PySet>() || value.is_exact_instance_of::<PyFrozenSet>()
}
