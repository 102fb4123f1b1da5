//! Typed indices: a type of its own for each kind of thing that is numbered, so that numbers of
//! different things cannot be mixed up; and vectors and sets that take one kind only.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use fixedbitset::FixedBitSet;

/// A number that stands for one of the things of a table.
pub trait Id: Copy + Eq + Hash + fmt::Debug {
    /// The id of the thing at this place of its table.
    fn from_index(index: usize) -> Self;

    /// The place in the table that issued the id.
    fn index(self) -> usize;
}

/// Declares ids that are never zero inside, so that an `Option` of one is as small as the id.
#[doc(hidden)]
#[macro_export]
macro_rules! id {
    ($(#[$doc:meta])* $visibility:vis $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility struct $name(std::num::NonZeroU32);

        impl $crate::ids::Id for $name {
            /// Tables hold fewer than 2³² things, so an index always fits.
            #[inline]
            fn from_index(index: usize) -> Self {
                $name(std::num::NonZeroU32::MIN.saturating_add(index as u32))
            }

            #[inline]
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), $crate::ids::Id::index(*self))
            }
        }
    };
}
pub use id;

/// The first `count` ids of a table.
pub fn first_ids<I: Id>(count: usize) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator {
    (0..count).map(I::from_index)
}

/// A vector with one entry for each id of a kind.
pub struct IdVec<I, T> {
    entries: Vec<T>,
    ids: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty vector.
    pub const fn new() -> Self {
        IdVec { entries: Vec::new(), ids: PhantomData }
    }

    /// The same entry for each of `count` ids.
    pub fn filled(entry: T, count: usize) -> Self
    where
        T: Clone,
    {
        vec![entry; count].into()
    }

    /// Adds an entry; its id.
    pub fn push(&mut self, entry: T) -> I {
        self.entries.push(entry);
        I::from_index(self.entries.len() - 1)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// For how many entries there is room.
    pub fn capacity(&self) -> usize {
        self.entries.capacity()
    }

    /// The entry of an id, where there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.entries.get(id.index())
    }

    /// All entries, in the order of their ids.
    pub fn as_slice(&self) -> &[T] {
        &self.entries
    }

    /// All entries, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.entries
    }

    /// The first id whose entry is as wanted.
    pub fn position(&self, wanted: impl FnMut(&T) -> bool) -> Option<I> {
        self.entries.iter().position(wanted).map(I::from_index)
    }

    /// The ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        first_ids(self.entries.len())
    }

    /// The entries, in the order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.entries.iter()
    }

    /// Each id with its entry, in order.
    pub fn pairs(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.entries.iter().enumerate().map(|(index, entry)| (I::from_index(index), entry))
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        &self.entries[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.entries[id.index()]
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(entries: Vec<T>) -> Self {
        IdVec { entries, ids: PhantomData }
    }
}

impl<I, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<E: IntoIterator<Item = T>>(entries: E) -> Self {
        entries.into_iter().collect::<Vec<T>>().into()
    }
}

impl<I, T> IntoIterator for IdVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'v, I, T> IntoIterator for &'v IdVec<I, T> {
    type Item = &'v T;
    type IntoIter = std::slice::Iter<'v, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T: Clone> Clone for IdVec<I, T> {
    fn clone(&self) -> Self {
        self.entries.clone().into()
    }
}

impl<I, T: PartialEq> PartialEq for IdVec<I, T> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<I, T: Eq> Eq for IdVec<I, T> {}

impl<I, T: Hash> Hash for IdVec<I, T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entries.hash(state);
    }
}

impl<I, T: PartialOrd> PartialOrd for IdVec<I, T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.entries.partial_cmp(&other.entries)
    }
}

impl<I, T: Ord> Ord for IdVec<I, T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.entries.cmp(&other.entries)
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.entries.fmt(f)
    }
}

/// A set of ids of a kind.
pub struct IdSet<I> {
    bits: FixedBitSet,
    ids: PhantomData<fn(I) -> I>,
}

impl<I: Id> IdSet<I> {
    /// The empty set, with room for `count` ids.
    pub fn with_capacity(count: usize) -> Self {
        IdSet { bits: FixedBitSet::with_capacity(count), ids: PhantomData }
    }

    /// Whether an id is in the set; false for one beyond its room.
    #[inline]
    pub fn contains(&self, id: I) -> bool {
        self.bits.contains(id.index())
    }

    /// Adds an id, for which there must be room.
    #[inline]
    pub fn insert(&mut self, id: I) {
        self.bits.insert(id.index());
    }

    /// Adds an id, for which there must be room; whether it was there before.
    #[inline]
    pub fn put(&mut self, id: I) -> bool {
        self.bits.put(id.index())
    }

    /// Takes all ids out.
    pub fn clear(&mut self) {
        self.bits.clear();
    }

    /// Makes room for `count` ids.
    pub fn grow(&mut self, count: usize) {
        self.bits.grow(count);
    }

    /// For how many ids there is room.
    pub fn capacity(&self) -> usize {
        self.bits.len()
    }

    /// How many ids are in the set.
    pub fn len(&self) -> usize {
        self.bits.count_ones(..)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.bits.is_clear()
    }

    /// The ids in the set, in order.
    pub fn iter(&self) -> impl Iterator<Item = I> {
        self.bits.ones().map(I::from_index)
    }

    /// The ids in this set that are not in the other, in order.
    pub fn difference<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = I> + 's
    where
        I: 's,
    {
        self.bits.difference(&other.bits).map(I::from_index)
    }
}

impl<I: Id> Extend<I> for IdSet<I> {
    fn extend<E: IntoIterator<Item = I>>(&mut self, ids: E) {
        self.bits.extend(ids.into_iter().map(I::index));
    }
}

impl<I> Default for IdSet<I> {
    fn default() -> Self {
        IdSet { bits: FixedBitSet::new(), ids: PhantomData }
    }
}

impl<I> Clone for IdSet<I> {
    fn clone(&self) -> Self {
        IdSet { bits: self.bits.clone(), ids: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    id!(/// An id of the tests.
        ThingId);

    #[test]
    fn an_absent_id_takes_no_more_room_than_an_id() {
        assert_eq!(size_of::<Option<ThingId>>(), size_of::<u32>());
    }

    #[test]
    fn ids_are_the_places_of_what_was_pushed() {
        let mut things = IdVec::new();
        let (first, second): (ThingId, ThingId) = (things.push("a"), things.push("b"));
        assert_eq!((first.index(), second.index()), (0, 1));
        assert_eq!((things[first], things[second]), ("a", "b"));
        assert_eq!(things.ids().collect::<Vec<_>>(), [first, second]);
        assert_eq!(format!("{second:?}"), "ThingId(1)");
    }

    #[test]
    fn a_set_tells_what_was_put_into_it_in_order() {
        let [zero, one, two] = [0, 1, 2].map(ThingId::from_index);
        let mut set = IdSet::with_capacity(3);
        assert!(!set.put(two));
        assert!(set.put(two));
        set.insert(zero);
        assert!(!set.contains(one));
        assert_eq!(set.iter().collect::<Vec<_>>(), [zero, two]);
    }
}
