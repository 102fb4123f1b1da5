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

use crate::error::{wrong_type, wrong_value};
use crate::number::{fraction, is_immutable, rational, shown};

/// The atoms and the values of a state, as Python gave them.
type StateParts<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

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
}

/// The state that was read last. Holds copies, since the user's own sets and dicts may change.
struct Last {
    atoms: Py<PySet>,
    values: Vec<StoredValue>,
    state: State,
}

impl Last {
    /// Whether functions and numbers are the same objects, in the same order.
    fn has_values(&self, entries: &[StoredValue]) -> bool {
        self.values.len() == entries.len()
            && self.values.iter().zip(entries).all(|(one, other)| one.key.is(&other.key) && one.value.is(&other.value))
    }
}

struct StoredValue {
    key: Py<PyAny>,
    value: Py<PyAny>,
    id: Option<ValueId>,
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

    /// Reads a state into `state`. Most facts of a state were facts of the one read before, and are not looked at again.
    pub fn read_state(&mut self, value: &Bound<'_, PyAny>, numbers: Numbers, state: &mut State) -> PyResult<()> {
        // An exception in the middle must not leave a half-read state to start from.
        let last = self.last.take();
        let beginning = std::mem::replace(&mut self.beginning, false);
        let (atoms, values) = self.parts(value)?;
        let entries = self.entries(values.as_ref(), last.as_ref())?;
        let change = match (&atoms, &last) {
            (Some(atoms), Some(last)) if !self.aliased && is_set(atoms) => {
                Some(last.atoms.bind(value.py()).bitxor(atoms)?.cast_into::<PySet>()?)
            }
            _ => None,
        };
        let mut current = match (last, change) {
            (Some(last), Some(change)) if !beginning || self.declared || (change.is_empty() && last.has_values(&entries)) => {
                self.changed(last, &change, entries, numbers)?
            }
            _ => {
                self.call += u64::from(beginning || self.call == 0);
                self.whole(atoms.as_ref(), entries, numbers, value.py())?
            }
        };
        if self.aliased {
            // One atom has several spellings, so that the sets of two states do not tell what changed.
            current = self.whole(atoms.as_ref(), current.values, numbers, value.py())?;
        }
        state.clone_from(&current.state);
        self.last = Some(current);
        Ok(())
    }

    /// The functions and numbers of a state, with what the last state knows of them.
    fn entries(&self, values: Option<&Bound<'_, PyAny>>, last: Option<&Last>) -> PyResult<Vec<StoredValue>> {
        let Some(values) = values else { return Ok(Vec::new()) };
        let Ok(values) = values.cast::<PyDict>() else {
            return Err(wrong_type(format!("expected a dict of function values, found {}", shown(values))));
        };
        let mut known = last.map_or(&[][..], |last| &last.values).iter();
        let mut entries = Vec::with_capacity(values.len());
        for (key, value) in values.iter() {
            let id = known.next().filter(|known| known.key.is(&key)).and_then(|known| known.id);
            entries.push(StoredValue { key: key.unbind(), value: value.unbind(), id });
        }
        Ok(entries)
    }

    /// A state by what differs from the last one.
    fn changed(
        &mut self,
        mut last: Last,
        change: &Bound<'_, PySet>,
        mut entries: Vec<StoredValue>,
        numbers: Numbers,
    ) -> PyResult<Last> {
        let py = change.py();
        for atom in change.iter() {
            let id = self.atom(&atom)?;
            if last.state.contains(id) {
                last.state.remove(id);
            } else {
                last.state.insert(id);
            }
        }
        if !change.is_empty() {
            last.atoms.bind(py).call_method1(pyo3::intern!(py, "symmetric_difference_update"), (change,))?;
        }
        if last.values.len() == entries.len() && entries.iter().all(|entry| entry.id.is_some()) {
            for (entry, old) in entries.iter().zip(&last.values) {
                if let (false, Some(id)) = (entry.value.is(&old.value) && is_immutable(entry.value.bind(py)), entry.id) {
                    last.state.set_value(id, rational(entry.value.bind(py), numbers)?);
                }
            }
        } else {
            last.values.iter().filter_map(|entry| entry.id).for_each(|id| last.state.unset_value(id));
            self.set_values(&mut last.state, &mut entries, numbers, py)?;
        }
        last.values = entries;
        Ok(last)
    }

    /// A state from scratch.
    fn whole(
        &mut self,
        atoms: Option<&Bound<'_, PyAny>>,
        mut entries: Vec<StoredValue>,
        numbers: Numbers,
        py: Python<'_>,
    ) -> PyResult<Last> {
        let mut state = State::default();
        let kept = PySet::empty(py)?;
        if let Some(atoms) = atoms {
            if atoms.is_instance_of::<PyString>() || atoms.is_instance_of::<PyDict>() {
                return Err(wrong_type(format!("expected a set of atoms, found {}", shown(atoms))));
            }
            for atom in atoms.try_iter()? {
                let atom = atom?;
                state.insert(self.atom(&atom)?);
                match atom.is_instance_of::<PyList>() {
                    true => self.aliased = true,
                    false => kept.add(atom)?,
                }
            }
        }
        self.set_values(&mut state, &mut entries, numbers, py)?;
        Ok(Last { atoms: kept.unbind(), values: entries, state })
    }

    fn set_values(&mut self, state: &mut State, entries: &mut [StoredValue], numbers: Numbers, py: Python<'_>) -> PyResult<()> {
        for entry in entries {
            let id = self.function(entry.key.bind(py))?;
            entry.id = Some(id);
            let number = rational(entry.value.bind(py), numbers)?;
            if state.value(id).is_some_and(|other| *other != number) {
                return Err(wrong_value(format!("{} has two values in one state", shown(entry.key.bind(py)))));
            }
            state.set_value(id, number);
        }
        Ok(())
    }

    /// The atoms and the values of a state: `{"atoms": {...}, "values": {...}}`, or a pair of both.
    fn parts<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<StateParts<'py>> {
        let py = value.py();
        if let Ok(map) = value.cast::<PyDict>() {
            let (atoms, values) = (map.get_item(pyo3::intern!(py, "atoms"))?, map.get_item(pyo3::intern!(py, "values"))?);
            let signature = &self.domain.signature;
            if map.len() != usize::from(atoms.is_some()) + usize::from(values.is_some()) {
                return Err(no_state(value));
            }
            // A part that was forgotten would change what is learned.
            if atoms.is_none() && !signature.predicates.is_empty() {
                return Err(wrong_value("this state has no \"atoms\"; where none is true, say so with an empty set"));
            }
            if values.is_none() && !signature.functions.is_empty() {
                return Err(wrong_value("this state has no \"values\"; where no function has one, say so with an empty dict"));
            }
            return Ok((atoms, values));
        }
        if let Ok(pair) = value.cast::<PyTuple>()
            && pair.len() == 2
        {
            return Ok((Some(pair.get_item(0)?), Some(pair.get_item(1)?)));
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

fn lookup(table: &Py<PyDict>, key: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if key.is_instance_of::<PyList>() {
        return Ok(None);
    }
    match table.bind(key.py()).get_item(key)? {
        Some(place) => Ok(Some(place.extract()?)),
        None => Ok(None),
    }
}

fn remember(table: &Py<PyDict>, key: &Bound<'_, PyAny>, place: usize) -> PyResult<()> {
    if key.is_instance_of::<PyList>() {
        return Ok(());
    }
    table.bind(key.py()).set_item(key, place)
}

fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = value.cast::<PyString>().map_err(|_| wrong_type(format!("expected a name, found {}", shown(value))))?;
    Ok(text.to_cow()?.into_owned())
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
        return Err(wrong_type(format!("expected a tuple of a name and objects, found {}", shown(key))));
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

/// States as `{"atoms": {...}, "values": {...}}`. Facts and numbers that repeat are the same objects, which is small and quick to
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
        let map = PyDict::new(py);
        map.set_item("atoms", atoms)?;
        map.set_item("values", values)?;
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
