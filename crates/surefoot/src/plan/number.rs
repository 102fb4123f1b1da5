//! Exact numbers, numbered: a state holds the index of each value, so that equal states are equal words.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::exact::Rational;

/// The index of "undefined", which is not zero.
pub const UNDEFINED: u32 = u32::MAX;

/// The float nearest to a number. Numbers too small for a relative error bound become NaN, which no comparison of floats
/// decides.
pub fn float(number: &Rational) -> f64 {
    let float = number.to_f64();
    if float.is_normal() || number.is_zero() { float } else { f64::NAN }
}

/// The most bits a number of a search may have, some 2,400 decimal digits: repeated squaring doubles them with every step,
/// and the time of a step grows with their square.
const BITS: usize = 1 << 13;

/// Whether a number is too large to go on with.
pub fn too_large(number: &Rational) -> bool {
    number.bits() > BITS
}

/// Every number met so far, with the nearest float beside it.
#[derive(Clone, Default)]
pub struct Numbers {
    table: IndexSet<Rational, FxBuildHasher>,
    floats: Vec<f64>,
    /// Sums met before: most steps add the same few constants to the same few values.
    sums: FxHashMap<(u32, u32), u32>,
}

impl Numbers {
    /// The index of a number.
    pub fn index(&mut self, number: Rational) -> u32 {
        let float = float(&number);
        let (index, new) = self.table.insert_full(number);
        if new {
            self.floats.push(float);
        }
        index as u32
    }

    /// The number of an index; `None` for [`UNDEFINED`].
    pub fn exact(&self, index: u32) -> Option<&Rational> {
        self.table.get_index(index as usize)
    }

    /// The nearest float; NaN for [`UNDEFINED`].
    #[inline]
    pub fn float(&self, index: u32) -> f64 {
        self.floats.get(index as usize).copied().unwrap_or(f64::NAN)
    }

    /// The index of the sum of two numbers, undefined when one is.
    pub fn sum(&mut self, one: u32, other: u32) -> u32 {
        if let Some(&known) = self.sums.get(&(one, other)) {
            return known;
        }
        let (Some(a), Some(b)) = (self.exact(one), self.exact(other)) else { return UNDEFINED };
        let sum = a + b;
        let sum = self.index(sum);
        self.sums.insert((one, other), sum);
        sum
    }

    /// About how many bytes are held.
    pub fn bytes(&self) -> usize {
        self.table.capacity() * (size_of::<Rational>() + 16) + self.floats.capacity() * 8 + self.sums.capacity() * 16
    }
}
