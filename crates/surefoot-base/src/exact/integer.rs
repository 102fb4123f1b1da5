//! The integers that determinants are computed in: fixed-width ones that wrap, and big ones that
//! never overflow.
//!
//! All quantities of the hull and of fraction-free elimination are minors of one integer matrix,
//! and Hadamard's bound says beforehand how many bits a minor can have. Arithmetic modulo 2^(64 L)
//! with L words *above* that bound is therefore exact for every result that is a minor, whatever
//! its intermediate sums did: overflow in the middle cancels, and needs no check.

// Loops over words read several numbers at one position.
#![allow(clippy::needless_range_loop)]

use dashu_int::ops::{BitTest, UnsignedAbs};
use dashu_int::{IBig, UBig};

/// A coordinate of an input row.
pub(super) trait Entry: Clone + Ord {
    /// The coordinate, when it is small enough.
    fn read(value: &IBig) -> Option<Self>;
    /// `self · 2^exponent`, off by a relative 2^-52 at most (or by 2^-900, where it is smaller than
    /// any double of use).
    fn scaled(&self, exponent: i64) -> f64;
    /// The bit length of the magnitude.
    fn bits(&self) -> i64;
}

/// What the hull and the elimination need of a ring of integers.
///
/// Implementations may be modular: a result is the true integer whenever the true integer is
/// narrower than the implementation. The caller proves that, from a bound on its minors.
pub(super) trait Integer: Clone {
    /// A coordinate of an input row. Smaller than the determinants made of it.
    type Entry: Entry;
    /// A non-zero number, prepared for exact division by it.
    type Divisor;

    /// The coordinate as a determinant of one row.
    fn from_entry(entry: &Self::Entry) -> Self;
    /// The number zero.
    fn zero() -> Self;
    /// The additive inverse.
    fn neg(&self) -> Self;
    /// The sum.
    fn add(&self, other: &Self) -> Self;
    /// `Σ coefficients[j] · entries[j]`.
    fn dot(coefficients: &[Self], entries: &[Self::Entry]) -> Self;
    /// `-1`, `0` or `1`.
    fn signum(&self) -> i32;
    /// Prepares division by `self`, which must not be zero.
    fn divisor(&self) -> Self::Divisor;
    /// `(a·x + b·y) / divisor`, where the caller knows the division to be exact.
    fn combine(a: &Self, x: &Self, b: &Self, y: &Self, divisor: &Self::Divisor) -> Self;
    /// The bit length of the magnitude.
    fn bits(&self) -> i64;
    /// `self · 2^exponent`, with the error of [`Entry::scaled`].
    fn scaled(&self, exponent: i64) -> f64;
    /// The number as one without a bound on its size.
    fn to_big(&self) -> IBig;
}

/// How many bits, at most, the minors of a matrix have whose columns have entries of these widths:
/// Hadamard's bound.
///
/// A minor of `k` columns with entries below `2^w_j` is below `2^(Σ w_j) · k^(k/2)`.
pub(super) fn minor_bits(widths: &[u64]) -> u64 {
    let logarithm = u64::from(widths.len().next_power_of_two().trailing_zeros());
    widths.iter().sum::<u64>() + (widths.len() as u64 * logarithm).div_ceil(2) + 1
}

/// `top · 2^exponent`. Too large becomes infinite and too small becomes zero; both leave the
/// decision to exact arithmetic.
fn scale(top: u64, negative: bool, exponent: i64) -> f64 {
    let power = match exponent {
        ..-1022 => 0.0,
        1024.. => f64::INFINITY,
        _ => f64::from_bits(((exponent + 1023) as u64) << 52),
    };
    let magnitude = if top == 0 { 0.0 } else { top as f64 * power };
    if negative { -magnitude } else { magnitude }
}

impl Entry for i64 {
    fn read(value: &IBig) -> Option<Self> {
        i64::try_from(value).ok()
    }

    fn scaled(&self, exponent: i64) -> f64 {
        scale(self.unsigned_abs(), *self < 0, exponent)
    }

    fn bits(&self) -> i64 {
        64 - i64::from(self.unsigned_abs().leading_zeros())
    }
}

impl Entry for IBig {
    fn read(value: &IBig) -> Option<Self> {
        Some(value.clone())
    }

    fn scaled(&self, exponent: i64) -> f64 {
        Integer::scaled(self, exponent)
    }

    fn bits(&self) -> i64 {
        Integer::bits(self)
    }
}

/// A two's complement integer of `L` 64-bit words, least significant first; arithmetic wraps. `L`
/// is at most [`Fixed::MOST`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fixed<const L: usize>([u64; L]);

/// An odd number's inverse modulo 2^(64 L), and how many factors of two go with it.
pub(super) struct FixedDivisor<const L: usize> {
    inverse: [u64; L],
    twos: u32,
}

impl<const L: usize> Fixed<L> {
    /// The widest instance in use. Products are formed in twice that many words.
    const MOST: usize = 8;

    fn is_negative(&self) -> bool {
        self.0[L - 1] >> 63 == 1
    }

    /// Word `i`, or `fill` past the last.
    #[inline]
    fn word_or(&self, i: usize, fill: u64) -> u64 {
        self.0.get(i).copied().unwrap_or(fill)
    }

    fn magnitude(&self) -> [u64; L] {
        if self.is_negative() { self.neg().0 } else { self.0 }
    }

    fn low_product(a: &[u64; L], b: &[u64; L]) -> [u64; L] {
        let mut out = [0u64; L];
        for i in 0..L {
            let mut carry = 0u64;
            for j in 0..L - i {
                let t = u128::from(a[i]) * u128::from(b[j])
                    + u128::from(out[i + j])
                    + u128::from(carry);
                out[i + j] = t as u64;
                carry = (t >> 64) as u64;
            }
        }
        out
    }

    /// The signed product in `2 L` words.
    #[inline(always)]
    fn product(&self, other: &Self) -> [u64; 16] {
        let (a, b) = (&self.0, &other.0);
        let mut out = [0u64; 16];
        for i in 0..L {
            let mut carry = 0u64;
            for j in 0..L {
                let t = u128::from(a[i]) * u128::from(b[j])
                    + u128::from(out[i + j])
                    + u128::from(carry);
                out[i + j] = t as u64;
                carry = (t >> 64) as u64;
            }
            out[i + L] = carry;
        }
        // A negative operand was read as itself plus 2^(64 L): take the other operand off the upper
        // half again.
        for (negative, words) in [(self.is_negative(), b), (other.is_negative(), a)] {
            if negative {
                let mut borrow = false;
                for i in 0..L {
                    let (t, under) = out[i + L].overflowing_sub(words[i]);
                    let (t, again) = t.overflowing_sub(u64::from(borrow));
                    out[i + L] = t;
                    borrow = under | again;
                }
            }
        }
        out
    }
}

impl<const L: usize> Integer for Fixed<L> {
    type Entry = i64;
    type Divisor = FixedDivisor<L>;

    fn from_entry(entry: &i64) -> Self {
        let mut words = [if *entry < 0 { u64::MAX } else { 0 }; L];
        words[0] = *entry as u64;
        Fixed(words)
    }

    fn zero() -> Self {
        Fixed([0; L])
    }

    fn neg(&self) -> Self {
        let mut out = [0u64; L];
        let mut carry = true;
        for i in 0..L {
            (out[i], carry) = (!self.0[i]).overflowing_add(u64::from(carry));
        }
        Fixed(out)
    }

    fn add(&self, other: &Self) -> Self {
        let mut out = [0u64; L];
        let mut carry = false;
        for i in 0..L {
            let (sum, over) = self.0[i].overflowing_add(other.0[i]);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            out[i] = sum;
            carry = over | again;
        }
        Fixed(out)
    }

    #[inline]
    fn dot(coefficients: &[Self], entries: &[i64]) -> Self {
        let mut sum = [0u64; L];
        for (Fixed(words), &entry) in coefficients.iter().zip(entries) {
            // words · entry mod 2^(64 L), with the entry's magnitude; a negative one is subtracted.
            let factor = entry.unsigned_abs();
            let (mut carry, mut spill) = (0u64, false);
            for i in 0..L {
                let t = u128::from(words[i]) * u128::from(factor) + u128::from(carry);
                carry = (t >> 64) as u64;
                let (low, first, second);
                if entry < 0 {
                    (low, first) = sum[i].overflowing_sub(t as u64);
                    (sum[i], second) = low.overflowing_sub(u64::from(spill));
                } else {
                    (low, first) = sum[i].overflowing_add(t as u64);
                    (sum[i], second) = low.overflowing_add(u64::from(spill));
                }
                spill = first | second;
            }
        }
        Fixed(sum)
    }

    fn signum(&self) -> i32 {
        if self.is_negative() { -1 } else { i32::from(self.0.iter().any(|&word| word != 0)) }
    }

    fn divisor(&self) -> FixedDivisor<L> {
        let zeros = self.0.iter().take_while(|&&word| word == 0).count();
        let twos = match self.0.get(zeros) {
            Some(word) => 64 * zeros as u32 + word.trailing_zeros(),
            None => return FixedDivisor { inverse: [0; L], twos: 0 },
        };
        let (words, bits) = ((twos / 64) as usize, twos % 64);
        let fill = if self.is_negative() { u64::MAX } else { 0 };
        let odd: [u64; L] = std::array::from_fn(|i| {
            let low = self.word_or(i + words, fill);
            if bits == 0 {
                low
            } else {
                low >> bits | self.word_or(i + words + 1, fill) << (64 - bits)
            }
        });
        // Newton: x ← x (2 - d x) doubles the number of correct low bits; an odd d is its own
        // inverse modulo 8.
        let mut low = odd[0];
        for _ in 0..5 {
            low = low.wrapping_mul(2u64.wrapping_sub(odd[0].wrapping_mul(low)));
        }
        let mut inverse = [0u64; L];
        inverse[0] = low;
        let mut correct = 1;
        while correct < L {
            let mut factor = Fixed(Self::low_product(&odd, &inverse)).neg().0;
            let mut carry = 2u64;
            for word in &mut factor {
                let over;
                (*word, over) = word.overflowing_add(carry);
                carry = u64::from(over);
            }
            inverse = Self::low_product(&inverse, &factor);
            correct *= 2;
        }
        FixedDivisor { inverse, twos }
    }

    #[inline]
    fn combine(a: &Self, x: &Self, b: &Self, y: &Self, divisor: &FixedDivisor<L>) -> Self {
        const { assert!(L <= Self::MOST) };
        let (mut sum, other) = (a.product(x), b.product(y));
        let mut carry = false;
        for i in 0..2 * L {
            let (t, over) = sum[i].overflowing_add(other[i]);
            let (t, again) = t.overflowing_add(u64::from(carry));
            sum[i] = t;
            carry = over | again;
        }
        // Exact division: take the powers of two off, then multiply by the inverse of the odd rest.
        let (words, bits) = ((divisor.twos / 64) as usize, divisor.twos % 64);
        let shifted: [u64; L] = std::array::from_fn(|i| {
            let low = sum[i + words];
            if bits == 0 { low } else { low >> bits | sum[i + words + 1] << (64 - bits) }
        });
        Fixed(Self::low_product(&shifted, &divisor.inverse))
    }

    fn bits(&self) -> i64 {
        let magnitude = self.magnitude();
        (0..L)
            .rev()
            .find(|&i| magnitude[i] != 0)
            .map_or(0, |i| 64 * (i as i64 + 1) - i64::from(magnitude[i].leading_zeros()))
    }

    fn scaled(&self, exponent: i64) -> f64 {
        let magnitude = self.magnitude();
        let Some(high) = (0..L).rev().find(|&i| magnitude[i] != 0) else { return 0.0 };
        let zeros = magnitude[high].leading_zeros();
        let next = if high == 0 { 0 } else { magnitude[high - 1] };
        let top = if zeros == 0 {
            magnitude[high]
        } else {
            magnitude[high] << zeros | next >> (64 - zeros)
        };
        scale(top, self.is_negative(), exponent + 64 * high as i64 - i64::from(zeros))
    }

    fn to_big(&self) -> IBig {
        // Most numbers are far narrower than their bound, and a double word needs no allocation.
        let sign = if self.is_negative() { u64::MAX } else { 0 };
        let high = self.0.get(1).copied().unwrap_or(sign);
        if self.0.iter().skip(2).all(|&word| word == sign) && high >> 63 == sign >> 63 {
            return IBig::from((u128::from(high) << 64 | u128::from(self.0[0])) as i128);
        }
        let bytes: Vec<u8> = self.magnitude().iter().flat_map(|word| word.to_le_bytes()).collect();
        let magnitude = IBig::from(UBig::from_le_bytes(&bytes));
        if self.is_negative() { -magnitude } else { magnitude }
    }
}

impl Integer for IBig {
    type Entry = IBig;
    type Divisor = IBig;

    fn from_entry(entry: &IBig) -> Self {
        entry.clone()
    }

    fn zero() -> Self {
        IBig::ZERO
    }

    fn neg(&self) -> Self {
        -self
    }

    fn add(&self, other: &Self) -> Self {
        self + other
    }

    fn dot(coefficients: &[Self], entries: &[IBig]) -> Self {
        coefficients.iter().zip(entries).fold(IBig::ZERO, |sum, (a, b)| sum + a * b)
    }

    fn signum(&self) -> i32 {
        match self.cmp(&IBig::ZERO) {
            std::cmp::Ordering::Less => -1,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => 1,
        }
    }

    fn divisor(&self) -> IBig {
        self.clone()
    }

    fn combine(a: &Self, x: &Self, b: &Self, y: &Self, divisor: &IBig) -> Self {
        let sum = a * x + b * y;
        if *divisor == IBig::ONE { sum } else { sum / divisor }
    }

    fn bits(&self) -> i64 {
        self.unsigned_abs().bit_len() as i64
    }

    fn scaled(&self, exponent: i64) -> f64 {
        let bits = Integer::bits(self);
        let shift = (bits - 64).max(0);
        let top = u64::try_from(self.unsigned_abs() >> shift as usize).unwrap_or(u64::MAX);
        scale(top, *self < IBig::ZERO, exponent + shift)
    }

    fn to_big(&self) -> IBig {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fixed<const L: usize>(value: &IBig) -> Fixed<L> {
        let mut words = [0u64; L];
        for (i, word) in words.iter_mut().enumerate() {
            let part = (value.unsigned_abs() >> (64 * i)) & UBig::from(u64::MAX);
            *word = u64::try_from(part).unwrap();
        }
        if *value < IBig::ZERO { Fixed(words).neg() } else { Fixed(words) }
    }

    /// Numbers of all lengths up to 120 bits, and with many factors of two.
    fn number() -> impl Strategy<Value = IBig> {
        (any::<i128>(), 8u32..128, 0u32..20).prop_map(|(value, right, left)| {
            let value = value >> right;
            if value.unsigned_abs().leading_zeros() > left + 8 {
                IBig::from(value << left)
            } else {
                IBig::from(value)
            }
        })
    }

    fn agrees<const L: usize>(a: &IBig, x: &IBig, b: &IBig, q: &IBig, entries: [i64; 3]) {
        let convert = fixed::<L>;
        assert_eq!(convert(a).to_big(), *a);
        assert_eq!(Integer::bits(&convert(a)), Integer::bits(a));
        assert_eq!(Integer::signum(&convert(a)), Integer::signum(a));
        assert_eq!(Integer::scaled(&convert(a), -70), Integer::scaled(a, -70));
        let row = [a.clone(), x.clone(), b.clone()];
        let expected = IBig::dot(&row, &entries.map(IBig::from));
        if Integer::bits(&expected) < 64 * L as i64 - 1 {
            assert_eq!(Fixed::<L>::dot(&row.map(|v| convert(&v)), &entries).to_big(), expected);
        }
        // a·x + b·y is made divisible by b through the choice of y: a·x + b·y = b·q needs a·x
        // divisible by b.
        if *b != IBig::ZERO {
            let (a, y) = (a * b, q - a * x);
            if [&a, &y].iter().all(|v| Integer::bits(*v) < 64 * L as i64 - 1) {
                let divisor = Integer::divisor(&convert(b));
                let got =
                    Fixed::combine(&convert(&a), &convert(x), &convert(b), &convert(&y), &divisor);
                assert_eq!(got.to_big(), *q);
                assert_eq!(IBig::combine(&a, x, b, &y, b), *q);
            }
        }
    }

    proptest! {
        #[test]
        fn each_tier_agrees_with_the_big_one(
            a in number(),
            x in number(),
            b in number(),
            q in number(),
            e in any::<[i64; 3]>(),
        ) {
            agrees::<2>(&a, &x, &b, &q, e);
            agrees::<3>(&a, &x, &b, &q, e);
            agrees::<4>(&a, &x, &b, &q, e);
            agrees::<8>(&a, &x, &b, &q, e);
        }

        #[test]
        fn doubles_are_as_near_as_promised(a in any::<i128>(), shift in 0u32..127) {
            let a = a >> shift;
            let (float, exact) = (Integer::scaled(&IBig::from(a), 0), a as f64);
            prop_assert!((float - exact).abs() <= exact.abs() * f64::EPSILON);
        }
    }
}
