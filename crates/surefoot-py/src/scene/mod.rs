//! Python's states and actions, turned into those of the library. Names are resolved once, and
//! remembered.

mod reading;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use surefoot_base::exact::Rational;
use surefoot_base::model::{
    Arguments, AtomId, Domain, FunctionId, Ground, GroundAction, GroundAtom, GroundFunction,
    ObjectId, Objects, State, TypeId, TypeSet, Types, Universe, ValueId, Variable,
};

use crate::error::{wrong_type, wrong_value};
use crate::number::shown;
use reading::Last;
pub use told::{States, action_tuple, atom_tuple, function_tuple, state_dict};

/// By function: how far recorded values may be from the true ones. Those of others are exact.
pub type ErrorBounds = BTreeMap<FunctionId, Rational>;

/// What names mean among some objects. Objects are declared, or else named by their use: then those
/// of one call (a step, a trajectory) must have a type that fits all their places.
pub struct NameScope {
    pub domain: Arc<Domain>,
    pub objects: Objects,
    pub universe: Universe,
    declared: bool,
    /// By name and objects: where to find it below.
    atoms: Py<PyDict>,
    functions: Py<PyDict>,
    actions: Py<PyDict>,
    known_atoms: Vec<KnownSymbol<AtomId>>,
    known_functions: Vec<KnownSymbol<ValueId>>,
    known_actions: Vec<(GroundAction, u64)>,
    uses: Vec<PossibleTypes>,
    /// Numbers the calls, so that what was checked in this one is not checked again.
    call: u64,
    /// Whether the next state is the first of a call.
    beginning: bool,
    /// Whether an atom was met in two spellings.
    aliased: bool,
    last: Option<Last>,
    /// The state read before the last one.
    previous: State,
    /// The functions whose recorded values have errors.
    inexact: BTreeSet<FunctionId>,
}

struct KnownSymbol<I> {
    id: I,
    arguments: Arguments,
    symbol: usize,
    checked: u64,
}

/// The types that an object may still have.
#[derive(Clone, Default)]
struct PossibleTypes {
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
    pub fn new(
        py: Python<'_>,
        domain: &Arc<Domain>,
        declared: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut objects = domain.signature.constants.clone();
        for (name, of) in declared.into_iter().flat_map(|map| map.iter()) {
            let (name, of) = (text(&name)?, text(&of)?);
            let Some(id) = domain.signature.types.find(&of) else {
                return Err(wrong_value(format!("object {name:?}: the domain has no type {of:?}")));
            };
            if let Err(taken) = objects.insert(&name, id)
                && objects.type_of(taken) != id
            {
                return Err(wrong_value(format!(
                    "object {name:?} is a constant of another type, or is declared twice"
                )));
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
            inexact: BTreeSet::new(),
        })
    }

    /// The same if recorded values of some functions have errors: their values may be floats.
    pub fn with_errors(mut self, errors: &ErrorBounds) -> Self {
        self.inexact = errors.keys().copied().collect();
        self
    }

    /// A scene of the objects of a problem.
    pub fn of_objects(py: Python<'_>, domain: &Arc<Domain>, objects: &Objects) -> PyResult<Self> {
        let mut scene = NameScope::new(py, domain, None)?;
        scene.objects = objects.clone();
        scene.declared = true;
        Ok(scene)
    }

    /// Whether so much was named that it is better to start anew: states are as large as all that
    /// was named.
    pub fn is_crowded(&self) -> bool {
        const MOST: usize = 20_000;
        self.universe.atom_count() + self.universe.value_count() + self.known_actions.len() > MOST
    }

    /// Begins a step or a trajectory. Unless it goes on where the last one ended, undeclared
    /// objects may have other types than before.
    pub fn begin(&mut self) {
        self.beginning = true;
    }

    /// Begins anew, whatever comes next.
    pub fn forget(&mut self) {
        self.last = None;
    }

    fn atom(&mut self, key: &Bound<'_, PyAny>) -> PyResult<AtomId> {
        let place = match lookup(&self.atoms, key)? {
            Some(place) => place,
            None => {
                let (symbol, arguments) = self.resolve(NameKind::Predicate, key)?;
                let ground: GroundAtom =
                    Ground { symbol: symbol.into(), arguments: arguments.clone() };
                self.aliased |= self.universe.find_atom(&ground).is_some();
                self.known_atoms.push(KnownSymbol {
                    id: self.universe.atom(&ground),
                    arguments,
                    symbol,
                    checked: 0,
                });
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
                let ground: GroundFunction =
                    Ground { symbol: symbol.into(), arguments: arguments.clone() };
                self.known_functions.push(KnownSymbol {
                    id: self.universe.value(&ground),
                    arguments,
                    symbol,
                    checked: 0,
                });
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
            return Err(wrong_value(format!(
                "expected a {} and its objects, found {}",
                kind.word(),
                shown(key)
            )));
        };
        let signature = &self.domain.signature;
        let symbol = match kind {
            NameKind::Predicate => signature.predicates.find(name),
            NameKind::Function => signature.functions.find(name),
            NameKind::Action => self.domain.actions.find(name),
        };
        let Some(symbol) = symbol else {
            return Err(wrong_value(format!(
                "{}: domain {} has no {} {name:?}",
                shown(key),
                self.domain.name,
                kind.word()
            )));
        };
        let takes = self.parameters(kind, symbol).len();
        if takes != names.len() {
            return Err(wrong_value(format!(
                "{}: {name} takes {takes} objects, found {}",
                shown(key),
                names.len()
            )));
        }
        let mut arguments = Arguments::new();
        for name in names {
            let object = match self.objects.find(name) {
                Some(object) => object,
                None if self.declared => {
                    return Err(wrong_value(format!(
                        "{}: there is no object {name:?}",
                        shown(key)
                    )));
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
        self.uses.resize(self.objects.len(), PossibleTypes::default());
        for (parameter, &object) in parameters.iter().zip(arguments) {
            let place: &TypeSet = &parameter.types;
            if self.declared || object.index() < constants {
                let of = self.objects.type_of(object);
                if !place.admits(types, of) {
                    let expected: Vec<&str> =
                        place.types().iter().map(|&id| types.name(id)).collect();
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

    /// The objects with the types that their use in this call shows; an error if it does not show
    /// one.
    pub fn typed_objects(&self) -> PyResult<Objects> {
        if self.declared {
            return Ok(self.objects.clone());
        }
        let types = &self.domain.signature.types;
        let mut objects = self.domain.signature.constants.clone();
        for id in self.objects.ids().skip(objects.len()) {
            let fitting = self
                .uses
                .get(id.index())
                .filter(|used| used.call == self.call)
                .map_or(&[][..], |used| &used.fitting);
            let name = self.objects.name(id);
            let of = match most_general(types, fitting)[..] {
                [] => TypeId::OBJECT,
                [only] => only,
                [one, other, ..] => {
                    let (one, other) = (types.name(one), types.name(other));
                    return Err(wrong_value(format!(
                        "{name:?} may be a {one} or a {other}: say which with objects={{{name:?}: \
                         ...}}"
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
    let text = value
        .cast::<PyString>()
        .map_err(|_| wrong_type(format!("expected a name, found {}", shown(value))))?;
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
