//! States: which ground atoms are true, and which values ground functions have.

use fixedbitset::FixedBitSet;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::ids::{ActionId, AtomId, FunctionId, ObjectId, PredicateId, ValueId};
use crate::exact::Rational;

/// The objects a symbol is applied to.
pub type Arguments = SmallVec<[ObjectId; 4]>;

/// A predicate, function or action applied to objects.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ground<S> {
    /// The predicate, function or action.
    pub symbol: S,
    /// The objects it is applied to, in order.
    pub arguments: Arguments,
}

/// A predicate applied to objects.
pub type GroundAtom = Ground<PredicateId>;
/// A function applied to objects.
pub type GroundFunction = Ground<FunctionId>;
/// An action applied to objects.
pub type GroundAction = Ground<ActionId>;

/// Numbers ground atoms and ground functions in the order they are met, so that a state is a set of
/// bits and a list of values. States can only be compared when the same universe numbered them.
#[derive(Clone, Default, Debug)]
pub struct Universe {
    atoms: IndexSet<GroundAtom, FxBuildHasher>,
    functions: IndexSet<GroundFunction, FxBuildHasher>,
}

impl Universe {
    /// The number of an atom; a new one when it is met for the first time.
    pub fn atom(&mut self, atom: &GroundAtom) -> AtomId {
        number(&mut self.atoms, atom).into()
    }

    /// The number of a function; a new one when it is met for the first time.
    pub fn value(&mut self, function: &GroundFunction) -> ValueId {
        number(&mut self.functions, function).into()
    }

    /// The number of an atom that was met before. An atom never met is false in every state.
    pub fn find_atom(&self, atom: &GroundAtom) -> Option<AtomId> {
        self.atoms.get_index_of(atom).map(AtomId::from)
    }

    /// The number of a function that was met before. A function never met is undefined in every
    /// state.
    pub fn find_value(&self, function: &GroundFunction) -> Option<ValueId> {
        self.functions.get_index_of(function).map(ValueId::from)
    }

    /// The atom of that number.
    pub fn ground_atom(&self, id: AtomId) -> &GroundAtom {
        &self.atoms[id.index()]
    }

    /// The function of that number.
    pub fn ground_function(&self, id: ValueId) -> &GroundFunction {
        &self.functions[id.index()]
    }

    /// How many atoms were met.
    pub fn atom_count(&self) -> usize {
        self.atoms.len()
    }

    /// How many functions were met.
    pub fn value_count(&self) -> usize {
        self.functions.len()
    }
}

fn number<T: Clone + Eq + std::hash::Hash>(set: &mut IndexSet<T, FxBuildHasher>, key: &T) -> usize {
    match set.get_index_of(key) {
        Some(index) => index,
        None => set.insert_full(key.clone()).0,
    }
}

/// A state, under the closed-world assumption for atoms: what is not in it is false. A function
/// without a value is undefined, which is not zero.
///
/// What a record does not say is *unknown*, which is neither false nor undefined: the world had a
/// truth or a value there. Those who only ask what is true see an unknown atom as not true and an
/// unknown function as without a value; who draws conclusions from what is *not* there has to ask
/// whether it is unknown.
#[derive(Clone, Default, Debug)]
pub struct State {
    atoms: FixedBitSet,
    values: Vec<Option<Rational>>,
    unknown_atoms: FixedBitSet,
    unknown_values: FixedBitSet,
}

impl State {
    /// Whether the atom is true.
    pub fn contains(&self, atom: AtomId) -> bool {
        self.atoms.contains(atom.index())
    }

    /// Makes the atom true.
    pub fn insert(&mut self, atom: AtomId) {
        forget(&mut self.unknown_atoms, atom.index());
        self.atoms.grow_and_insert(atom.index());
    }

    /// Makes the atom false.
    pub fn remove(&mut self, atom: AtomId) {
        forget(&mut self.unknown_atoms, atom.index());
        forget(&mut self.atoms, atom.index());
    }

    /// Whether the record leaves open if the atom is true.
    pub fn is_atom_unknown(&self, atom: AtomId) -> bool {
        self.unknown_atoms.contains(atom.index())
    }

    /// Makes the truth of an atom unknown.
    pub fn set_atom_unknown(&mut self, atom: AtomId) {
        self.remove(atom);
        self.unknown_atoms.grow_and_insert(atom.index());
    }

    /// Whether the record leaves open which value a function has. A function that is not unknown
    /// and has no value is undefined.
    pub fn is_value_unknown(&self, function: ValueId) -> bool {
        self.unknown_values.contains(function.index())
    }

    /// Makes the value of a function unknown.
    pub fn set_value_unknown(&mut self, function: ValueId) {
        self.unset_value(function);
        self.unknown_values.grow_and_insert(function.index());
    }

    /// Whether anything is unknown.
    pub fn has_unknown(&self) -> bool {
        !self.unknown_atoms.is_clear() || !self.unknown_values.is_clear()
    }

    /// The unknown atoms, in the order of their numbers.
    pub fn unknown_atoms(&self) -> impl Iterator<Item = AtomId> {
        self.unknown_atoms.ones().map(AtomId::from)
    }

    /// The functions whose value is unknown, in the order of their numbers.
    pub fn unknown_values(&self) -> impl Iterator<Item = ValueId> {
        self.unknown_values.ones().map(ValueId::from)
    }

    /// The value of a function, unless it is undefined.
    pub fn value(&self, function: ValueId) -> Option<&Rational> {
        self.values.get(function.index())?.as_ref()
    }

    /// Gives a function a value.
    pub fn set_value(&mut self, function: ValueId, value: Rational) {
        forget(&mut self.unknown_values, function.index());
        match self.values.get_mut(function.index()) {
            Some(place) => *place = Some(value),
            None => {
                self.values.resize(function.index(), None);
                self.values.push(Some(value));
            }
        }
    }

    /// Makes a function undefined.
    pub fn unset_value(&mut self, function: ValueId) {
        forget(&mut self.unknown_values, function.index());
        if let Some(place) = self.values.get_mut(function.index()) {
            *place = None;
        }
    }

    /// The true atoms, in the order of their numbers.
    pub fn atoms(&self) -> impl Iterator<Item = AtomId> {
        self.atoms.ones().map(AtomId::from)
    }

    /// The defined values, in the order of their functions' numbers.
    pub fn values(&self) -> impl Iterator<Item = (ValueId, &Rational)> {
        self.values
            .iter()
            .enumerate()
            .filter_map(|(index, value)| Some((index.into(), value.as_ref()?)))
    }

    /// The atoms that are true in one of both states and false in the other.
    pub fn differing_atoms<'a>(&'a self, other: &'a State) -> impl Iterator<Item = AtomId> + 'a {
        self.atoms
            .symmetric_difference(&other.atoms)
            .map(AtomId::from)
            .filter(|&id| self.differs_in_atom(other, id))
    }

    /// Whether an atom is true in one of both states and false in the other.
    pub fn differs_in_atom(&self, other: &State, id: AtomId) -> bool {
        self.contains(id) != other.contains(id)
            && !self.is_atom_unknown(id)
            && !other.is_atom_unknown(id)
    }

    /// The functions whose values differ, or that have one in one of both states and are undefined
    /// in the other.
    pub fn differing_values(&self, other: &State) -> impl Iterator<Item = ValueId> {
        let count = self.values.len().max(other.values.len());
        (0..count).map(ValueId::from).filter(move |&id| self.differs_in_value(other, id))
    }

    /// Whether a function has another value, or none, in the other state.
    pub fn differs_in_value(&self, other: &State, id: ValueId) -> bool {
        self.value(id) != other.value(id)
            && !self.is_value_unknown(id)
            && !other.is_value_unknown(id)
    }

    /// Makes every atom false and every function undefined; keeps the memory.
    pub fn clear(&mut self) {
        self.atoms.clear();
        self.values.fill(None);
        self.unknown_atoms.clear();
        self.unknown_values.clear();
    }
}

fn forget(set: &mut FixedBitSet, index: usize) {
    if index < set.len() {
        set.remove(index);
    }
}

/// A state, what was done in it, and the state after.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The state in which the action was taken.
    pub before: &'a State,
    /// The action that was taken.
    pub action: &'a GroundAction,
    /// The state that followed.
    pub after: &'a State,
    /// What numbers the atoms and functions of both states.
    pub universe: &'a Universe,
}

/// A state, and what was tried in it and failed: the world did not move.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The state in which it was tried.
    pub before: &'a State,
    /// The action that was tried.
    pub action: &'a GroundAction,
    /// What numbers the atoms and functions of the state.
    pub universe: &'a Universe,
}

/// What a record says of one action: that it worked, and which state followed, or that it failed.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The action worked, and led to the next state.
    Worked(Step<'a>),
    /// It was tried, and could not be taken.
    Failed(Attempt<'a>),
}

impl<'a> Event<'a> {
    /// What was done or tried.
    pub fn action(&self) -> &'a GroundAction {
        self.attempt().action
    }

    /// The state it was done or tried in, and what it was.
    pub fn attempt(&self) -> Attempt<'a> {
        match *self {
            Event::Worked(Step { before, action, universe, .. }) => {
                Attempt { before, action, universe }
            }
            Event::Failed(attempt) => attempt,
        }
    }

    /// The step, where it worked.
    pub fn step(&self) -> Option<Step<'a>> {
        match *self {
            Event::Worked(step) => Some(step),
            Event::Failed(_) => None,
        }
    }
}

/// Equality of content: a state does not change when its universe grows.
impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.atoms().eq(other.atoms())
            && self.values().eq(other.values())
            && self.unknown_atoms().eq(other.unknown_atoms())
            && self.unknown_values().eq(other.unknown_values())
    }
}

impl Eq for State {}
