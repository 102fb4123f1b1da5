//! Rationals of the oracle: two machine integers, and an error where these do not suffice.

use std::cmp::Ordering;

/// In lowest terms, the denominator positive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rat {
    pub num: i128,
    pub den: i128,
}

/// A number does not fit; the question is passed over, and counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl Rat {
    pub const ZERO: Rat = Rat { num: 0, den: 1 };
    pub const ONE: Rat = Rat { num: 1, den: 1 };

    pub fn int(value: i128) -> Self {
        Rat { num: value, den: 1 }
    }

    pub fn new(num: i128, den: i128) -> Self {
        Self::reduced(num, den).expect("a denominator that is not zero")
    }

    pub fn reduced(num: i128, den: i128) -> Result<Self, TooLarge> {
        let divisor = gcd(num.unsigned_abs(), den.unsigned_abs());
        if den == 0
            || divisor == 0
            || divisor > i128::MAX as u128
            || num == i128::MIN
            || den == i128::MIN
        {
            return Err(TooLarge);
        }
        let sign = den.signum();
        Ok(Rat { num: sign * (num / divisor as i128), den: sign * (den / divisor as i128) })
    }

    pub fn is_zero(self) -> bool {
        self.num == 0
    }

    pub fn plus(self, other: Self) -> Result<Self, TooLarge> {
        let one = self.num.checked_mul(other.den).ok_or(TooLarge)?;
        let two = other.num.checked_mul(self.den).ok_or(TooLarge)?;
        Self::reduced(
            one.checked_add(two).ok_or(TooLarge)?,
            self.den.checked_mul(other.den).ok_or(TooLarge)?,
        )
    }

    pub fn minus(self, other: Self) -> Result<Self, TooLarge> {
        self.plus(other.negated())
    }

    pub fn negated(self) -> Self {
        Rat { num: -self.num, den: self.den }
    }

    pub fn times(self, other: Self) -> Result<Self, TooLarge> {
        Self::reduced(
            self.num.checked_mul(other.num).ok_or(TooLarge)?,
            self.den.checked_mul(other.den).ok_or(TooLarge)?,
        )
    }

    /// `None` where the divisor is zero.
    pub fn over(self, other: Self) -> Result<Option<Self>, TooLarge> {
        if other.num == 0 {
            return Ok(None);
        }
        let num = self.num.checked_mul(other.den).ok_or(TooLarge)?;
        Self::reduced(num, self.den.checked_mul(other.num).ok_or(TooLarge)?).map(Some)
    }

    pub fn compare(self, other: Self) -> Result<Ordering, TooLarge> {
        let one = self.num.checked_mul(other.den).ok_or(TooLarge)?;
        Ok(one.cmp(&other.num.checked_mul(self.den).ok_or(TooLarge)?))
    }

    /// Few enough digits for a record.
    pub fn is_small(self) -> bool {
        self.num.abs() <= 4000 && self.den <= 64
    }

    /// As PDDL: a decimal where there is one, a quotient otherwise.
    pub fn written(self) -> String {
        let (mut num, mut den, mut places) = (self.num, self.den, 0);
        while den % 10 == 0 {
            (den, places) = (den / 10, places + 1);
        }
        for (factor, other) in [(2, 5), (5, 2)] {
            while den % factor == 0 {
                (num, den, places) = (num * other, den / factor, places + 1);
            }
        }
        if den != 1 {
            let sign = if self.num < 0 { "-" } else { "" };
            return format!("(/ {sign}{} {})", self.num.abs(), self.den);
        }
        let digits = format!("{:0>width$}", num.abs(), width = places + 1);
        let (whole, part) = digits.split_at(digits.len() - places);
        let sign = if num < 0 { "-" } else { "" };
        if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
