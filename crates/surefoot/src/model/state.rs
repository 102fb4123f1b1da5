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
    /// What is applied.
    pub symbol: S,
    /// The objects.
    pub arguments: Arguments,
}

/// A predicate applied to objects.
pub type GroundAtom = Ground<PredicateId>;
/// A function applied to objects.
pub type GroundFunction = Ground<FunctionId>;
/// An action applied to objects.
pub type GroundAction = Ground<ActionId>;

/// Numbers ground atoms and ground functions in the order they are met, so that a state is a set of bits and a list of
/// values. States can only be compared when the same universe numbered them.
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

    /// The number of a function that was met before. A function never met is undefined in every state.
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

/// A state, under the closed-world assumption for atoms: what is not in it is false. A function without a value is
/// undefined, which is not zero.
#[derive(Clone, Default, Debug)]
pub struct State {
    atoms: FixedBitSet,
    values: Vec<Option<Rational>>,
}

impl State {
    /// Whether the atom is true.
    pub fn contains(&self, atom: AtomId) -> bool {
        self.atoms.contains(atom.index())
    }

    /// Makes the atom true.
    pub fn insert(&mut self, atom: AtomId) {
        self.atoms.grow_and_insert(atom.index());
    }

    /// Makes the atom false.
    pub fn remove(&mut self, atom: AtomId) {
        if atom.index() < self.atoms.len() {
            self.atoms.remove(atom.index());
        }
    }

    /// The value of a function, unless it is undefined.
    pub fn value(&self, function: ValueId) -> Option<&Rational> {
        self.values.get(function.index())?.as_ref()
    }

    /// Gives a function a value.
    pub fn set_value(&mut self, function: ValueId, value: Rational) {
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
        self.values.iter().enumerate().filter_map(|(index, value)| Some((index.into(), value.as_ref()?)))
    }

    /// The atoms that are true in one of both states only.
    pub fn differing_atoms<'a>(&'a self, other: &'a State) -> impl Iterator<Item = AtomId> + 'a {
        self.atoms.symmetric_difference(&other.atoms).map(AtomId::from)
    }

    /// The functions whose values differ, or that have one in one of both states only.
    pub fn differing_values(&self, other: &State) -> impl Iterator<Item = ValueId> {
        let count = self.values.len().max(other.values.len());
        (0..count).map(ValueId::from).filter(|&id| self.value(id) != other.value(id))
    }

    /// Makes every atom false and every function undefined; keeps the memory.
    pub fn clear(&mut self) {
        self.atoms.clear();
        self.values.fill(None);
    }
}

/// A state, what was done in it, and the state after.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The state before.
    pub before: &'a State,
    /// What was done.
    pub action: &'a GroundAction,
    /// The state after.
    pub after: &'a State,
    /// What numbers the atoms and functions of both states.
    pub universe: &'a Universe,
}

/// Equality of content: a state does not change when its universe grows.
impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.atoms().eq(other.atoms()) && self.values().eq(other.values())
    }
}

impl Eq for State {}
