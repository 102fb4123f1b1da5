//! The world as a log records it: what is known of it now, and what it was before the last step.
//!
//! Facts are looked at when they are needed. A fact that some row reports is known from there on;
//! of a fact that an action may read and that no row has reported yet, what the files beside the
//! log say is true, and else it is *unknown*: the world has a value there, the log does not say it.
//! A state thus holds what the actions of this episode may read or change, and what its rows
//! report, and nothing else.
//!
//! Two states are kept, and what differs between them. A step costs what it changes, however large
//! the world is.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;
use surefoot_base::exact::Rational;
use surefoot_base::model::{
    Arguments, AtomId, Domain, Ground, GroundAction, GroundAtom, GroundFunction, LiftedAtom,
    LiftedFunction, ObjectId, Objects, PredicateId, State, Term, TypeId, Universe, ValueId,
    Variable,
};
use surefoot_base::pddl::Numbers;
use surefoot_learn::{Degree, Vocabulary};

use crate::map::{CellMeaning, Meaning, Meant, SymbolKey};
use crate::names::{alike, alike_message, is_name, looks_empty, name_of_chosen, named};
use crate::reported::Reported;
use crate::statics::{FactSubject, Grounded, StaticValue, Statics};

/// What happens to a state.
enum WorldChange {
    Insert(AtomId),
    Remove(AtomId),
    AtomUnknown(AtomId),
    Value(ValueId, Rational),
    Unset(ValueId),
    ValueUnknown(ValueId),
}

impl WorldChange {
    fn apply(&self, state: &mut State) {
        match self {
            WorldChange::Insert(atom) => state.insert(*atom),
            WorldChange::Remove(atom) => state.remove(*atom),
            WorldChange::AtomUnknown(atom) => state.set_atom_unknown(*atom),
            WorldChange::Value(function, value) => state.set_value(*function, value.clone()),
            WorldChange::Unset(function) => state.unset_value(*function),
            WorldChange::ValueUnknown(function) => state.set_value_unknown(*function),
        }
    }
}

/// The atoms of one predicate that differ in the object that cells name alone.
#[derive(Default)]
struct Slot {
    /// The atoms that are true.
    current: SmallVec<[AtomId; 1]>,
    /// Whether others may be true.
    unknown: bool,
    /// All that were met.
    met: SmallVec<[AtomId; 4]>,
}

/// What a map says of actions and facts, prepared once for a log.
pub(crate) struct Lexicon {
    /// By action: the atoms and functions that it may read or change.
    atoms: Vec<Vec<LiftedAtom>>,
    functions: Vec<Vec<LiftedFunction>>,
    /// The symbols that files beside the log mention.
    in_files: FxHashSet<SymbolKey>,
}

impl Lexicon {
    pub fn of(meaning: &Meaning) -> Result<Lexicon, String> {
        let domain = &meaning.domain;
        let (mut atoms, mut functions) = (Vec::new(), Vec::new());
        for action in domain.action_ids() {
            let vocabulary = Vocabulary::of(domain, action, Degree::LINEAR).map_err(|error| {
                format!("the action `{}` has {error}", domain.action_name(action))
            })?;
            atoms.push(vocabulary.atoms.into_iter().collect());
            functions.push(vocabulary.functions.into_iter().collect());
        }
        let in_files = meaning
            .statics
            .iter()
            .flat_map(|file| &file.facts)
            .map(|fact| fact.fact.kind.symbol())
            .collect();
        Ok(Lexicon { atoms, functions, in_files })
    }
}

/// What is known of the world.
pub(crate) struct KnownWorld<'l> {
    meaning: &'l Meaning,
    lexicon: &'l Lexicon,
    statics: &'l Statics,
    reported: &'l Reported,
    episode: &'l str,
    numbers: Numbers,
    pub objects: Objects,
    /// By object: its name in the log.
    spelled: Vec<Box<str>>,
    by_type: Vec<FxHashMap<Box<str>, ObjectId>>,
    /// The values of objects that are chosen numbers.
    chosen: FxHashMap<ObjectId, Rational>,
    /// By type, and by what alike words have in common: the object that has such a name, and where
    /// it was named first.
    alike: FxHashMap<(TypeId, String), (ObjectId, Box<str>)>,
    pub universe: Universe,
    pub before: State,
    pub after: State,
    /// What was applied to `after` and not yet to `before`.
    pending: Vec<WorldChange>,
    /// By function, and by atom: whether it was met.
    values_met: Vec<bool>,
    atoms_met: Vec<bool>,
    slots: IndexMap<GroundAtom, Slot, FxBuildHasher>,
    grounded: FxHashSet<GroundAction>,
    /// What was met, in order.
    met: Vec<Met>,
    /// The symbols whose facts a row may have changed without saying which: a fact that is met
    /// later was forgotten, too.
    forgotten: FxHashSet<Dynamic>,
    /// The objects that an action named.
    acted_on: FxHashSet<ObjectId>,
    /// The facts of files that the log spoke of.
    compared: FxHashSet<FactSubject>,
}

/// A fact that an action may read, or that a row reports.
#[derive(Clone)]
enum Met {
    Atom(GroundAtom),
    Value(GroundFunction),
}

impl<'l> KnownWorld<'l> {
    pub fn new(
        meaning: &'l Meaning,
        lexicon: &'l Lexicon,
        (statics, reported): (&'l Statics, &'l Reported),
        episode: &'l str,
        numbers: Numbers,
    ) -> Self {
        KnownWorld {
            meaning,
            lexicon,
            statics,
            reported,
            episode,
            numbers,
            objects: meaning.domain.signature.constants.clone(),
            spelled: Vec::new(),
            by_type: vec![FxHashMap::default(); meaning.domain.signature.types.ids().len()],
            chosen: FxHashMap::default(),
            alike: FxHashMap::default(),
            universe: Universe::default(),
            before: State::default(),
            after: State::default(),
            pending: Vec::new(),
            values_met: Vec::new(),
            atoms_met: Vec::new(),
            slots: IndexMap::default(),
            grounded: FxHashSet::default(),
            met: Vec::new(),
            forgotten: FxHashSet::default(),
            acted_on: FxHashSet::default(),
            compared: FxHashSet::default(),
        }
    }

    /// The world at its start, with everything that is needed later, so that the state has the same
    /// facts from the first step to the last.
    pub fn restarted(self) -> Result<Self, String> {
        let KnownWorld {
            meaning,
            lexicon,
            statics,
            reported,
            episode,
            numbers,
            objects,
            spelled,
            by_type,
            chosen,
            alike,
            met,
            ..
        } = self;
        let fresh = KnownWorld::new(meaning, lexicon, (statics, reported), episode, numbers);
        let mut world = KnownWorld { objects, spelled, by_type, chosen, alike, ..fresh };
        for fact in met {
            match fact {
                Met::Atom(atom) => world.meet_atom(&atom).map(drop)?,
                Met::Value(function) => world.meet_value(&function).map(drop)?,
            }
        }
        Ok(world)
    }

    /// The object that a cell names.
    ///
    /// # Errors
    /// It looks like another object of its type, or PDDL cannot distinguish it from another. `at`
    /// says where it is named.
    pub fn object(
        &mut self,
        of: TypeId,
        name: &str,
        at: &dyn Fn() -> String,
    ) -> Result<ObjectId, String> {
        if let Some(&object) = self.by_type[of.index()].get(name) {
            return Ok(object);
        }
        if let Some(message) = looks_empty(name) {
            return Err(message);
        }
        let types = &self.meaning.domain.signature.types;
        let prefix = types.name(of);
        let spelled = if self.meaning.qualified[of.index()] {
            format!("{prefix}-{name}")
        } else {
            name.to_owned()
        };
        let spelled = if is_name(&spelled) { spelled } else { named(&spelled, prefix) };
        let key = alike(name);
        if let Some((other, place)) = self.statics.alike(of, name, &key) {
            return Err(alike_message(name, other, &place));
        }
        match self.objects.insert(&spelled, of) {
            Ok(object) => {
                match self.alike.entry((of, key)) {
                    Entry::Occupied(taken) => {
                        let (other, place) = taken.get();
                        return Err(alike_message(name, &self.spelled[other.index()], place));
                    }
                    Entry::Vacant(free) => free.insert((object, at().into())),
                };
                self.by_type[of.index()].insert(name.into(), object);
                self.spelled.push(name.into());
                Ok(object)
            }
            Err(taken) => {
                let (other, earlier) = (self.objects.type_of(taken), &self.spelled[taken.index()]);
                Err(if other == of {
                    let place = self
                        .alike
                        .get(&(of, alike(earlier)))
                        .map_or("elsewhere", |(_, place)| place);
                    format!(
                        "{}. In PDDL, which knows letters, digits, `-`, `_` and no case, both \
                         would be `{spelled}`",
                        alike_message(name, earlier, place)
                    )
                } else if *name == **earlier {
                    let other = types.name(other);
                    format!(
                        "`{name}` names an object of type {prefix} here and one of type {other} \
                         elsewhere: give both columns one type, or put \
                         one of these types under `qualified`"
                    )
                } else {
                    let other = types.name(other);
                    format!(
                        "the object `{name}` of type {prefix} would be called `{spelled}` in PDDL, \
                         like `{earlier}` of type {other}: put \
                         {other} under `qualified`"
                    )
                })
            }
        }
    }

    /// The object that is a chosen number: equal numbers are one object.
    ///
    /// # Errors
    /// Another object has its name.
    pub fn chosen_number(&mut self, of: TypeId, value: Rational) -> Result<ObjectId, String> {
        let spelled = value.to_string();
        if let Some(&object) = self.by_type[of.index()].get(&*spelled) {
            return Ok(object);
        }
        let type_name = self.meaning.domain.signature.types.name(of);
        let name = name_of_chosen(type_name, &value);
        let object = self.objects.insert(&name, of).map_err(|taken| {
            let (other, earlier) = (self.objects.type_of(taken), &self.spelled[taken.index()]);
            let other = self.meaning.domain.signature.types.name(other);
            format!(
                "the number {spelled} would be called `{name}` in PDDL, like `{earlier}` of type \
                 {other}: put {other} under `qualified`"
            )
        })?;
        self.by_type[of.index()].insert(spelled.as_str().into(), object);
        self.spelled.push(spelled.into());
        self.chosen.insert(object, value);
        Ok(object)
    }

    /// Whether files beside the log say how such facts are.
    pub fn files_speak_of(&self, kind: &CellMeaning) -> bool {
        self.lexicon.in_files.contains(&kind.symbol())
    }

    /// Compares what the log says of a fact for the first time with what files say of its start.
    /// Once an action named one of its objects, it may be another.
    ///
    /// # Errors
    /// They differ.
    pub fn compare_with_files(
        &mut self,
        kind: &CellMeaning,
        arguments: &Arguments,
        meant: &Meant,
    ) -> Result<(), String> {
        if !self.files_speak_of(kind) {
            return Ok(());
        }
        let symbol = kind.symbol();
        let (key, dynamic, name) = match kind {
            CellMeaning::Number(function) => (
                FactSubject::of_function(*function, self.names(arguments)),
                Dynamic::Function(symbol.1),
                self.meaning.domain.signature.functions.name(symbol.1),
            ),
            CellMeaning::Object(predicate) | CellMeaning::Flag(predicate, _) => (
                FactSubject::of_predicate(*predicate, self.names(arguments)),
                Dynamic::Predicate(symbol.1),
                self.meaning.domain.signature.predicates.name(symbol.1),
            ),
        };
        let is_acted_on = match arguments.is_empty() {
            true => !self.acted_on.is_empty() || !self.grounded.is_empty(),
            false => arguments.iter().any(|object| self.acted_on.contains(object)),
        };
        if is_acted_on || self.forgotten.contains(&dynamic) || self.compared.contains(&key) {
            return Ok(());
        }
        let differs = self.statics.differs(self.episode, &key, meant);
        let fact: Vec<&str> = std::iter::once(name).chain(self.names(arguments)).collect();
        let message = differs.map(|(told, place)| {
            let fact = fact.join(" ");
            format!(
                "no action has named the objects of ({fact}) yet, but this differs from its \
                     start: {place} says {told}"
            )
        });
        self.compared.insert(key);
        message.map_or(Ok(()), Err)
    }

    /// Notes that a row acts on objects, though not all of them are known.
    pub fn act_on(&mut self, objects: impl Iterator<Item = ObjectId>) {
        self.acted_on.extend(objects);
    }

    /// Gives a function a value; `None`: it is unknown.
    pub fn set_value(
        &mut self,
        function: &GroundFunction,
        value: Option<Rational>,
    ) -> Result<(), String> {
        let id = self.meet_value(function)?;
        let change = match value {
            Some(value) if self.after.value(id) == Some(&value) => return Ok(()),
            Some(value) => WorldChange::Value(id, value),
            None if self.after.is_value_unknown(id) => return Ok(()),
            None => WorldChange::ValueUnknown(id),
        };
        self.change(change);
        Ok(())
    }

    /// Makes a function undefined.
    pub fn unset_value(&mut self, function: &GroundFunction) -> Result<(), String> {
        let id = self.meet_value(function)?;
        if self.after.value(id).is_some() || self.after.is_value_unknown(id) {
            self.change(WorldChange::Unset(id));
        }
        Ok(())
    }

    /// Makes an atom true, false, or (`None`) unknown. Others that differ in the object that cells
    /// name stay as they are.
    pub fn set_atom(&mut self, atom: &GroundAtom, truth: Option<bool>) -> Result<(), String> {
        let id = self.meet_atom(atom)?;
        if let Some((key, _)) = self.slot_key(atom)
            && let Some(slot) = self.slots.get_mut(&key)
        {
            slot.current.retain(|current| *current != id);
            match truth {
                Some(true) => slot.current.push(id),
                Some(false) => {}
                None => slot.unknown = true,
            }
        }
        self.set_atom_id(id, truth);
        Ok(())
    }

    fn set_atom_id(&mut self, id: AtomId, truth: Option<bool>) {
        let change = match truth {
            Some(true) if !self.after.contains(id) => WorldChange::Insert(id),
            Some(false) if self.after.contains(id) || self.after.is_atom_unknown(id) => {
                WorldChange::Remove(id)
            }
            None if !self.after.is_atom_unknown(id) => WorldChange::AtomUnknown(id),
            _ => return,
        };
        self.change(change);
    }

    /// Says which object stands in the place of a predicate that cells name: none, or (`None`) that
    /// it is unknown. `key` is an atom without that place.
    pub fn set_slot(
        &mut self,
        key: &GroundAtom,
        value: usize,
        object: Option<Option<ObjectId>>,
    ) -> Result<(), String> {
        self.open_slot(key, value)?;
        let atom = match object.flatten() {
            None => None,
            Some(object) => {
                let mut atom = key.clone();
                atom.arguments.insert(value, object);
                Some(self.meet_atom(&atom)?)
            }
        };
        let Some(slot) = self.slots.get_mut(key) else { return Ok(()) };
        let unknown = object.is_none();
        if !unknown && !slot.unknown && slot.current.as_slice() == atom.as_slice() {
            return Ok(());
        }
        let every = unknown || slot.unknown;
        let others: SmallVec<[AtomId; 4]> =
            if every { slot.met.clone() } else { slot.current.iter().copied().collect() };
        slot.unknown = unknown;
        slot.current = atom.into_iter().collect();
        for other in others {
            if Some(other) != atom {
                self.set_atom_id(other, if unknown { None } else { Some(false) });
            }
        }
        if let Some(atom) = atom {
            self.set_atom_id(atom, Some(true));
        }
        Ok(())
    }

    /// The object that stands in the place of a predicate that cells name; `None` where that is
    /// unknown, or not one.
    pub fn slot(&mut self, key: &GroundAtom, value: usize) -> Result<Option<ObjectId>, String> {
        self.open_slot(key, value)?;
        let Some(Slot { current, unknown: false, .. }) = self.slots.get(key) else {
            return Ok(None);
        };
        Ok(match current[..] {
            [only] => self.universe.ground_atom(only).arguments.get(value).copied(),
            _ => None,
        })
    }

    /// The atom without the object that cells name, and the place of that.
    fn slot_key(&self, atom: &GroundAtom) -> Option<(GroundAtom, usize)> {
        let value = self.meaning.predicates[atom.symbol.index()].value?;
        let mut key = atom.clone();
        key.arguments.remove(value);
        Some((key, value))
    }

    /// Looks up how a slot is at the start, when it is met for the first time.
    fn open_slot(&mut self, key: &GroundAtom, value: usize) -> Result<(), String> {
        if self.slots.contains_key(key) {
            return Ok(());
        }
        let mut slot = Slot::default();
        if self.forgotten.contains(&Dynamic::Predicate(key.symbol.index())) {
            slot.unknown = true;
            self.slots.insert(key.clone(), slot);
            return Ok(());
        }
        let fact = FactSubject::of_predicate(key.symbol, self.names(&key.arguments));
        match self.statics.find(self.episode, &fact) {
            Some(StaticValue::Objects(names)) => {
                let of = self.meaning.domain.signature.predicate(key.symbol).parameters[value]
                    .types
                    .types()[0];
                for name in names {
                    let mut atom = key.clone();
                    atom.arguments.insert(
                        value,
                        self.object(of, name, &|| "a file beside the log".to_owned())?,
                    );
                    let id = self.universe.atom(&atom);
                    slot.current.push(id);
                    slot.met.push(id);
                    self.start_atom(id, Some(true));
                }
            }
            Some(_) => slot.unknown = true,
            None => slot.unknown = self.unsaid(key.symbol, &fact) != Some(false),
        }
        self.slots.insert(key.clone(), slot);
        Ok(())
    }

    /// The truth of an atom at the start if no file beside the log says it: false if nothing ever
    /// mentions it and its predicate is `complete`; otherwise what the map says of its predicate;
    /// otherwise unknown.
    fn unsaid(&self, predicate: PredicateId, fact: &FactSubject) -> Option<bool> {
        let role = self.meaning.predicates[predicate.index()];
        if role.complete && !self.mentions((false, predicate.index()), fact) {
            Some(false)
        } else {
            role.start
        }
    }

    /// Whether rows, readings or files mention a fact of a `complete` symbol, of whichever episode.
    /// Then it exists, and is unknown where nothing says how it is.
    fn mentions(&self, symbol: SymbolKey, fact: &FactSubject) -> bool {
        self.reported.mentions(symbol, fact) || self.statics.mentions(fact)
    }

    /// The truth of an atom at the start of the episode, as the map and the files beside the log
    /// say it.
    pub fn at_start(&self, atom: &GroundAtom) -> Option<bool> {
        let slot = self.slot_key(atom);
        let about = slot.as_ref().map_or(atom, |(key, _)| key);
        let fact = FactSubject::of_predicate(about.symbol, self.names(&about.arguments));
        match (self.statics.find(self.episode, &fact), slot) {
            (Some(StaticValue::Objects(names)), Some((_, value))) => Some(
                names.iter().any(|name| **name == *self.spelled[atom.arguments[value].index()]),
            ),
            (Some(StaticValue::Flag(truth)), None) => Some(*truth),
            (Some(_), _) => None,
            (None, _) => self.unsaid(atom.symbol, &fact),
        }
    }

    fn names<'w>(&'w self, arguments: &'w [ObjectId]) -> impl Iterator<Item = &'w str> {
        arguments.iter().map(|object| &*self.spelled[object.index()])
    }

    /// Says of both states how something was from the start.
    fn start_atom(&mut self, id: AtomId, truth: Option<bool>) {
        for state in [&mut self.before, &mut self.after] {
            match truth {
                Some(true) => state.insert(id),
                Some(false) => state.remove(id),
                None => state.set_atom_unknown(id),
            }
        }
    }

    /// Makes sure that all is known, or known to be unknown, that an action may read or change.
    pub fn ground(&mut self, action: &GroundAction) -> Result<(), String> {
        if self.grounded.contains(action) {
            return Ok(());
        }
        self.grounded.insert(action.clone());
        self.acted_on.extend(&action.arguments);
        let (lexicon, index) = (self.lexicon, action.symbol.index());
        for function in &lexicon.functions[index] {
            let arguments = arguments(&function.terms, action);
            self.meet_value(&Ground { symbol: function.symbol, arguments })?;
        }
        for atom in &lexicon.atoms[index] {
            let arguments = arguments(&atom.terms, action);
            self.meet_atom(&Ground { symbol: atom.symbol, arguments })?;
        }
        Ok(())
    }

    /// The number of a function. When it is met for the first time, both states learn how it was at
    /// the start.
    fn meet_value(&mut self, function: &GroundFunction) -> Result<ValueId, String> {
        let id = self.universe.value(function);
        if self.values_met.len() <= id.index() {
            self.values_met.resize(id.index() + 1, false);
        }
        if std::mem::replace(&mut self.values_met[id.index()], true) {
            return Ok(id);
        }
        if self.meaning.value_of_inputs == Some(function.symbol) {
            // A chosen number has its value before any row names it.
            if let Some(value) = function.arguments.first().and_then(|one| self.chosen.get(one)) {
                self.before.set_value(id, value.clone());
                self.after.set_value(id, value.clone());
            }
            self.met.push(Met::Value(function.clone()));
            return Ok(id);
        }
        let is_forgotten = self.forgotten.contains(&Dynamic::Function(function.symbol.index()));
        let fact = FactSubject::of_function(function.symbol, self.names(&function.arguments));
        let index = function.symbol.index();
        let is_absent =
            || self.meaning.complete_functions[index] && !self.mentions((true, index), &fact);
        match self.statics.find(self.episode, &fact) {
            Some(StaticValue::Number(text)) if !is_forgotten => {
                let value = self.numbers.read(text).map_err(|error| error.to_string())?;
                self.before.set_value(id, value.clone());
                self.after.set_value(id, value);
            }
            None if !is_forgotten && is_absent() => {}
            _ => {
                self.before.set_value_unknown(id);
                self.after.set_value_unknown(id);
            }
        }
        self.met.push(Met::Value(function.clone()));
        Ok(id)
    }

    /// The numbers and flags beside the log that are about objects of the episode, although none of
    /// its steps could read or change them: a problem has them, so that plans can. In the order of
    /// their symbols and objects.
    pub fn further_statics(&self) -> Result<Grounded, String> {
        let signature = &self.meaning.domain.signature;
        let mut named: FxHashMap<&str, Vec<ObjectId>> = FxHashMap::default();
        for object in self.objects.ids() {
            named.entry(&self.spelled[object.index()]).or_default().push(object);
        }
        let bound = |names: &[&str], parameters: &[Variable]| -> Option<Arguments> {
            (names.len() == parameters.len()).then(|| {
                names
                    .iter()
                    .zip(parameters)
                    .map(|(name, parameter): (&&str, &Variable)| {
                        named.get(name)?.iter().copied().find(|object| {
                            parameter.types.admits(&signature.types, self.objects.type_of(*object))
                        })
                    })
                    .collect()
            })?
        };
        let (mut atoms, mut values) = (BTreeSet::new(), BTreeMap::new());
        for (key, told) in self.statics.all(self.episode) {
            match (key.parts(), told) {
                (Some((true, index, names)), StaticValue::Number(text)) => {
                    let Some(arguments) =
                        bound(&names, &signature.functions.value(index).parameters)
                    else {
                        continue;
                    };
                    let function = Ground { symbol: index.into(), arguments };
                    if self.universe.find_value(&function).is_none() {
                        values
                            .entry(function)
                            .or_insert(self.numbers.read(text).map_err(|error| error.to_string())?);
                    }
                }
                (Some((false, index, names)), StaticValue::Flag(true)) => {
                    let Some(arguments) =
                        bound(&names, &signature.predicates.value(index).parameters)
                    else {
                        continue;
                    };
                    let atom = Ground { symbol: index.into(), arguments };
                    if self.universe.find_atom(&atom).is_none() {
                        atoms.insert(atom);
                    }
                }
                _ => {}
            }
        }
        Ok((atoms.into_iter().collect(), values.into_iter().collect()))
    }

    /// The number of an atom. When it is met for the first time, both states learn how it was at
    /// the start.
    fn meet_atom(&mut self, atom: &GroundAtom) -> Result<AtomId, String> {
        let id = self.universe.atom(atom);
        if self.atoms_met.get(id.index()).copied() == Some(true) {
            return Ok(id);
        }
        match self.slot_key(atom) {
            Some((key, value)) => {
                self.open_slot(&key, value)?;
                if let Some(slot) = self.slots.get_mut(&key)
                    && !slot.met.contains(&id)
                {
                    slot.met.push(id);
                    if slot.unknown {
                        self.start_atom(id, None);
                    }
                }
            }
            None if self.forgotten.contains(&Dynamic::Predicate(atom.symbol.index())) => {
                self.start_atom(id, None)
            }
            None => self.start_atom(id, self.at_start(atom)),
        }
        if self.atoms_met.len() <= id.index() {
            self.atoms_met.resize(id.index() + 1, false);
        }
        self.atoms_met[id.index()] = true;
        self.met.push(Met::Atom(atom.clone()));
        Ok(id)
    }

    /// Forgets all that is known of the facts of some symbols, those that are met later among them.
    pub fn forget(&mut self, symbols: &[Dynamic]) {
        self.forgotten.extend(symbols);
        for index in 0..self.universe.value_count() {
            let id = ValueId::from(index);
            let symbol = Dynamic::Function(self.universe.ground_function(id).symbol.index());
            if symbols.contains(&symbol) && !self.after.is_value_unknown(id) {
                self.change(WorldChange::ValueUnknown(id));
            }
        }
        for (key, slot) in &mut self.slots {
            if symbols.contains(&Dynamic::Predicate(key.symbol.index())) {
                slot.unknown = true;
                slot.current.clear();
            }
        }
        for index in 0..self.universe.atom_count() {
            let id = AtomId::from(index);
            if symbols.contains(&Dynamic::Predicate(self.universe.ground_atom(id).symbol.index())) {
                self.set_atom_id(id, None);
            }
        }
    }

    fn change(&mut self, change: WorldChange) {
        change.apply(&mut self.after);
        self.pending.push(change);
    }

    /// Whether the state after differs from the one before.
    pub fn has_moved(&self) -> bool {
        !self.pending.is_empty()
    }

    /// How many changes the state after has beyond the one before.
    pub fn changes(&self) -> usize {
        self.pending.len()
    }

    /// Whether one of the changes after the first few gives another value to something that is
    /// known.
    pub fn has_changed_known(&self, first: usize) -> bool {
        self.pending.iter().skip(first).any(|change| match *change {
            WorldChange::Insert(atom) | WorldChange::Remove(atom) => {
                !self.before.is_atom_unknown(atom)
                    && !self.after.is_atom_unknown(atom)
                    && self.before.contains(atom) != self.after.contains(atom)
            }
            WorldChange::Value(id, _) | WorldChange::Unset(id) => {
                !self.before.is_value_unknown(id)
                    && !self.after.is_value_unknown(id)
                    && self.before.value(id) != self.after.value(id)
            }
            WorldChange::AtomUnknown(_) | WorldChange::ValueUnknown(_) => false,
        })
    }

    /// The largest change of a known number, among the changes after the first few.
    pub fn largest_change(&self, first: usize) -> Option<Rational> {
        let changes = self.pending.iter().skip(first).filter_map(|change| match *change {
            WorldChange::Value(id, _) => {
                Some((self.after.value(id)? - self.before.value(id)?).abs())
            }
            _ => None,
        });
        changes.max()
    }

    /// Makes the state after the one before.
    pub fn commit(&mut self) {
        for change in self.pending.drain(..) {
            change.apply(&mut self.before);
        }
    }
}

/// A symbol that rows report, or that is declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Dynamic {
    Predicate(usize),
    Function(usize),
}

impl Dynamic {
    /// The variables of the symbol.
    pub fn parameters(self, domain: &Domain) -> &[Variable] {
        match self {
            Dynamic::Predicate(index) => &domain.signature.predicates.value(index).parameters,
            Dynamic::Function(index) => &domain.signature.functions.value(index).parameters,
        }
    }
}

fn arguments(terms: &[Term], action: &GroundAction) -> Arguments {
    terms
        .iter()
        .map(|term| match *term {
            Term::Variable(slot) => action.arguments[slot as usize],
            Term::Object(object) => object,
        })
        .collect()
}
