//! Small integers that stand for named things. A separate type for each kind, so that they cannot
//! be mixed up.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into the table that issued it.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl crate::ids::Id for $name {
            fn from_index(index: usize) -> Self {
                Self::from(index)
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// Tables are built from text of at most 4 GiB, so an index always fits.
            fn from(index: usize) -> Self {
                $name(index as u32)
            }
        }
    };
}

id!(/// A type of the domain. `TypeId::OBJECT` is the root.
    TypeId);
id!(/// A predicate of the domain.
    PredicateId);
id!(/// A numeric function of the domain.
    FunctionId);
id!(/// An action of the domain.
    ActionId);
id!(/// An object of the problem, or a constant of the domain: constants come first and keep their
    /// ids in every problem.
    ObjectId);
id!(/// A ground atom, numbered by a [`Universe`](super::Universe).
    AtomId);
id!(/// A ground function, numbered by a [`Universe`](super::Universe).
    ValueId);

impl TypeId {
    /// The type every other type descends from.
    pub const OBJECT: TypeId = TypeId(0);
}
