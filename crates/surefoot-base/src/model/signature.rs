//! The vocabulary of a domain: names, types, predicates, functions, objects.

use std::borrow::Cow;

use fixedbitset::FixedBitSet;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::expression::Variable;
use super::ids::{FunctionId, ObjectId, PredicateId, TypeId};

/// Names in the order they were declared, each with a value.
///
/// PDDL does not distinguish letter case: a name is found in any case and kept as its author
/// spelled it.
#[derive(Clone, Debug)]
pub struct Names<T> {
    table: IndexMap<Box<str>, (Box<str>, T), FxBuildHasher>,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Names { table: IndexMap::default() }
    }
}

impl<T> Names<T> {
    /// Adds a name; `Err` with the index it already has when it is taken.
    pub fn insert(&mut self, name: &str, value: T) -> Result<usize, usize> {
        match self.table.entry(folded(name).into()) {
            indexmap::map::Entry::Occupied(taken) => Err(taken.index()),
            indexmap::map::Entry::Vacant(free) => {
                let index = free.index();
                free.insert((name.into(), value));
                Ok(index)
            }
        }
    }

    /// The index of a name, in any letter case.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.table.get_index_of(folded(name).as_ref())
    }

    /// The name at an index, as its author spelled it.
    pub fn name(&self, index: usize) -> &str {
        &self.table[index].0
    }

    /// The value at an index.
    pub fn value(&self, index: usize) -> &T {
        &self.table[index].1
    }

    /// The value at an index.
    pub fn value_mut(&mut self, index: usize) -> &mut T {
        &mut self.table[index].1
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Names and values in the order of their indices.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &T)> {
        self.table.values().map(|(name, value)| (&**name, value))
    }
}

impl<T: PartialEq> PartialEq for Names<T> {
    fn eq(&self, other: &Self) -> bool {
        self.table.as_slice() == other.table.as_slice()
    }
}

impl<T: Eq> Eq for Names<T> {}

fn folded(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        name.to_ascii_lowercase().into()
    } else {
        name.into()
    }
}

/// The type hierarchy. A type may have several direct parents; every type descends from `object`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Types {
    names: Names<TypeNode>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct TypeNode {
    parents: Vec<TypeId>,
    /// Itself, and all it descends from but `object`.
    ancestors: FixedBitSet,
}

impl Default for Types {
    fn default() -> Self {
        let mut names = Names::default();
        let _ = names.insert("object", TypeNode::default());
        Types { names }
    }
}

impl Types {
    /// Declares a type without parents, or finds the one of that name.
    pub fn declare(&mut self, name: &str) -> TypeId {
        match self.names.insert(name, TypeNode::default()) {
            Ok(new) => {
                self.names.value_mut(new).ancestors.grow_and_insert(new);
                new.into()
            }
            Err(known) => known.into(),
        }
    }

    /// Makes `parent` a direct parent of `child`. Returns false, and changes nothing, when that
    /// would close a cycle.
    pub fn add_parent(&mut self, child: TypeId, parent: TypeId) -> bool {
        if child == TypeId::OBJECT || self.is_subtype(parent, child) {
            return child == parent && child == TypeId::OBJECT;
        }
        let node = self.names.value_mut(child.index());
        if !node.parents.contains(&parent) {
            node.parents.push(parent);
        }
        let inherited = self.names.value(parent.index()).ancestors.clone();
        for index in 0..self.names.len() {
            let ancestors = &mut self.names.value_mut(index).ancestors;
            if ancestors.contains(child.index()) {
                ancestors.grow(inherited.len());
                ancestors.union_with(&inherited);
            }
        }
        true
    }

    /// Whether every object of type `sub` is one of type `of`.
    pub fn is_subtype(&self, sub: TypeId, of: TypeId) -> bool {
        of == TypeId::OBJECT || self.names.value(sub.index()).ancestors.contains(of.index())
    }

    /// The type of that name.
    pub fn find(&self, name: &str) -> Option<TypeId> {
        self.names.find(name).map(TypeId::from)
    }

    /// The name of a type, as declared.
    pub fn name(&self, id: TypeId) -> &str {
        self.names.name(id.index())
    }

    /// The declared direct parents of a type (none: `object`).
    pub fn parents(&self, id: TypeId) -> &[TypeId] {
        &self.names.value(id.index()).parents
    }

    /// All types, `object` first.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = TypeId> + use<> {
        (0..self.names.len()).map(TypeId::from)
    }
}

/// What a variable may stand for: an object of one of these types (several: PDDL's `either`).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TypeSet(SmallVec<[TypeId; 1]>);

impl TypeSet {
    /// Objects of any type.
    pub fn object() -> Self {
        TypeSet(SmallVec::from_elem(TypeId::OBJECT, 1))
    }

    /// Objects of one of `types`; of any type when there are none.
    pub fn either(types: impl IntoIterator<Item = TypeId>) -> Self {
        let types: SmallVec<_> = types.into_iter().collect();
        if types.is_empty() { Self::object() } else { TypeSet(types) }
    }

    /// The types, as declared.
    pub fn types(&self) -> &[TypeId] {
        &self.0
    }

    /// Whether an object of type `of` belongs here.
    pub fn admits(&self, types: &Types, of: TypeId) -> bool {
        self.0.iter().any(|&mine| types.is_subtype(of, mine))
    }

    /// Whether everything that belongs to `other` belongs here.
    pub fn contains(&self, types: &Types, other: &TypeSet) -> bool {
        other.0.iter().all(|&theirs| self.admits(types, theirs))
    }

    /// Whether some declared type belongs to both, so that one object may.
    pub fn meets(&self, types: &Types, other: &TypeSet) -> bool {
        types.ids().any(|id| self.admits(types, id) && other.admits(types, id))
    }
}

/// The type of an object, and (with [`Objects`]) its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object {
    /// The one declared type.
    pub of: TypeId,
}

/// Constants of the domain, followed by the objects of a problem.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Objects {
    names: Names<Object>,
}

impl Objects {
    /// Adds an object; `Err` with the one that has the name already.
    pub fn insert(&mut self, name: &str, of: TypeId) -> Result<ObjectId, ObjectId> {
        self.names.insert(name, Object { of }).map(ObjectId::from).map_err(ObjectId::from)
    }

    /// The object of that name.
    pub fn find(&self, name: &str) -> Option<ObjectId> {
        self.names.find(name).map(ObjectId::from)
    }

    /// The name of an object, as declared.
    pub fn name(&self, id: ObjectId) -> &str {
        self.names.name(id.index())
    }

    /// The declared type of an object.
    pub fn type_of(&self, id: ObjectId) -> TypeId {
        self.names.value(id.index()).of
    }

    /// All objects, in declaration order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ObjectId> + use<> {
        (0..self.names.len()).map(ObjectId::from)
    }

    /// The objects that belong to `set`, in declaration order.
    pub fn of<'a>(
        &'a self,
        types: &'a Types,
        set: &'a TypeSet,
    ) -> impl Iterator<Item = ObjectId> + 'a {
        self.ids().filter(|&id| set.admits(types, self.type_of(id)))
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// A predicate or function: its parameters, and (with [`Names`]) its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The parameters with their types.
    pub parameters: Vec<Variable>,
}

/// Everything a domain names but its actions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    /// The hierarchy of types.
    pub types: Types,
    /// The constants of the domain.
    pub constants: Objects,
    /// The predicates, by name and id.
    pub predicates: Names<Symbol>,
    /// The numeric functions, by name and id.
    pub functions: Names<Symbol>,
}

impl Signature {
    /// The declaration of a predicate.
    pub fn predicate(&self, id: PredicateId) -> &Symbol {
        self.predicates.value(id.index())
    }

    /// The declaration of a function.
    pub fn function(&self, id: FunctionId) -> &Symbol {
        self.functions.value(id.index())
    }
}
