//! Exact numbers, numbered: a state holds the id of each value, so that equal states are equal
//! words.

use std::cmp::Ordering;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::ids::{NumberId, StateWord, VariableId};
use surefoot_base::exact::Rational;
use surefoot_base::ids::Id;

/// The float nearest to a number. Numbers too small for a relative error bound become NaN, which no
/// comparison of floats decides.
pub fn float(number: &Rational) -> f64 {
    let float = number.to_f64();
    if float.is_normal() || number.is_zero() { float } else { f64::NAN }
}

/// The most bits a number of a search may have, some 2,400 decimal digits: repeated squaring
/// doubles them with every step, and the time of a step grows with their square.
const MOST_SEARCH_BITS: usize = 1 << 13;

/// Whether a number is too large to go on with.
pub fn too_large(number: &Rational) -> bool {
    number.bits() > MOST_SEARCH_BITS
}

/// The values of the variables in a state.
#[derive(Clone, Copy)]
pub struct StateValues<'s> {
    words: &'s [StateWord],
}

impl<'s> StateValues<'s> {
    /// The values of the variables, given as words of a state.
    #[inline]
    pub fn new(words: &'s [StateWord]) -> Self {
        StateValues { words }
    }

    /// The value of a variable; `None` where it is undefined, which is not zero.
    #[inline]
    pub fn number(self, variable: VariableId) -> Option<NumberId> {
        NumberId::of_word(self.words[variable.index()])
    }
}

/// Every number that was met, with the nearest float.
#[derive(Clone)]
pub struct NumberTable {
    exact: IndexSet<Rational, FxBuildHasher>,
    /// NaN, for what is undefined, then the float of each number.
    floats: Vec<f64>,
    /// Sums met before: most steps add the same few constants to the same few values.
    sums: FxHashMap<(NumberId, NumberId), NumberId>,
}

impl Default for NumberTable {
    fn default() -> Self {
        NumberTable {
            exact: IndexSet::default(),
            floats: vec![f64::NAN],
            sums: FxHashMap::default(),
        }
    }
}

impl NumberTable {
    /// The id of a number.
    pub fn id(&mut self, number: Rational) -> NumberId {
        let float = float(&number);
        let (index, new) = self.exact.insert_full(number);
        if new {
            self.floats.push(float);
        }
        NumberId::from_index(index)
    }

    /// The number of an id.
    pub fn exact(&self, id: NumberId) -> &Rational {
        &self.exact[id.index()]
    }

    /// The float nearest to a value; NaN where it is undefined.
    #[inline]
    pub fn float(&self, value: Option<NumberId>) -> f64 {
        self.floats[NumberId::word(value) as usize]
    }

    /// How two numbers compare: by floats if these decide it, each of which is off by at most three
    /// roundings.
    pub fn compare(&self, one: NumberId, other: NumberId) -> Ordering {
        if one == other {
            return Ordering::Equal;
        }
        let (left, right) = (self.float(Some(one)), self.float(Some(other)));
        if (left - right).abs() > 8.0 * f64::EPSILON * (left.abs() + right.abs()) {
            return left.total_cmp(&right);
        }
        self.exact(one).cmp(self.exact(other))
    }

    /// The sum of two numbers.
    pub fn sum(&mut self, one: NumberId, other: NumberId) -> NumberId {
        if let Some(&known) = self.sums.get(&(one, other)) {
            return known;
        }
        let sum = self.exact(one) + self.exact(other);
        let sum = self.id(sum);
        self.sums.insert((one, other), sum);
        sum
    }

    /// About how many bytes are held.
    pub fn bytes(&self) -> usize {
        self.exact.capacity() * (size_of::<Rational>() + 16)
            + self.floats.capacity() * 8
            + self.sums.capacity() * 16
    }
}
