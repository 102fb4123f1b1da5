//! Numbers with few decimal digits, for readers that cannot hold all of them.

use dashu_int::IBig;
use dashu_int::ops::{Abs, UnsignedAbs};

use super::rational::Rational;
use crate::invariant::Invariant;

/// Which of the two neighbours a number is rounded to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// To the next lower number.
    Down,
    /// To the next higher number.
    Up,
    /// The nearer one; halves away from zero.
    Nearest,
}

impl Rational {
    /// The number with at most `digits` significant decimal digits (at least one). What has no more
    /// is unchanged.
    #[must_use]
    pub fn with_digits(&self, digits: u32, rounding: Rounding) -> Rational {
        if self.is_zero() {
            return self.clone();
        }
        let digits = i64::from(digits.max(1));
        let (num, den) = (self.numerator(), self.denominator());
        // The position of the leading digit, off by one at most: one digit too few is asked for
        // then, and made up for below.
        let leading = length(&num) - length(&den);
        let places = digits - leading;
        let (scaled_up, scaled_down) = (power(places.max(0)), power((-places).max(0)));
        let quotient = round(&(&num * &scaled_up), &(&den * &scaled_down), rounding);
        // A digit too many, where the quotient has more than was asked for: rounding again, from
        // the exact value.
        if length(&quotient) <= digits {
            return exact(&quotient * &scaled_down, scaled_up);
        }
        let (scaled_up, scaled_down) = (power((places - 1).max(0)), power((1 - places).max(0)));
        let quotient = round(&(&num * &scaled_up), &(&den * &scaled_down), rounding);
        exact(&quotient * &scaled_down, scaled_up)
    }

    /// The number rounded to at most this many decimals. A number that has no more is unchanged.
    #[must_use]
    pub fn with_decimals(&self, places: u32, rounding: Rounding) -> Rational {
        let scale = power(places.into());
        exact(round(&(self.numerator() * &scale), &self.denominator(), rounding), scale)
    }
}

fn length(value: &IBig) -> i64 {
    value.unsigned_abs().to_string().len() as i64
}

fn power(exponent: i64) -> IBig {
    IBig::from(10)
        .pow(usize::try_from(exponent).invariant("powers of ten have exponents of at least zero"))
}

fn exact(num: IBig, den: IBig) -> Rational {
    Rational::from_integers(num, den).invariant("powers of ten are not zero")
}

/// The largest integer up to `num / den`; `den` is positive.
fn floor(num: &IBig, den: &IBig) -> IBig {
    let quotient = num / den;
    if *num < IBig::ZERO && &quotient * den != *num { quotient - IBig::ONE } else { quotient }
}

/// `num / den` as an integer; `den` is positive.
fn round(num: &IBig, den: &IBig, rounding: Rounding) -> IBig {
    match rounding {
        Rounding::Down => floor(num, den),
        Rounding::Up => -floor(&-num, den),
        Rounding::Nearest => {
            let two = IBig::from(2);
            let magnitude: IBig = (num.clone().abs() * &two + den) / (den * &two);
            if *num < IBig::ZERO { -magnitude } else { magnitude }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(num: i64, den: i64) -> Rational {
        Rational::new(num, den).unwrap()
    }

    #[test]
    fn short_numbers_stay() {
        for value in [number(1, 8), number(-1234, 10), number(99_900, 1), Rational::ZERO] {
            assert_eq!(value.with_digits(4, Rounding::Up), value);
        }
    }

    #[test]
    fn thirds_are_cut() {
        assert_eq!(number(1, 3).with_digits(3, Rounding::Down), number(333, 1000));
        assert_eq!(number(1, 3).with_digits(3, Rounding::Up), number(334, 1000));
        assert_eq!(number(-2, 3).with_digits(2, Rounding::Nearest), number(-67, 100));
        assert_eq!(number(999_996, 1).with_digits(5, Rounding::Nearest), number(1_000_000, 1));
        assert_eq!(number(-123_456, 1).with_digits(2, Rounding::Down), number(-130_000, 1));
    }

    #[test]
    fn decimals_are_counted_from_the_point() {
        assert_eq!(number(1234, 100).with_decimals(1, Rounding::Down), number(123, 10));
        assert_eq!(number(-1234, 100).with_decimals(0, Rounding::Down), number(-13, 1));
        assert_eq!(number(-1234, 100).with_decimals(1, Rounding::Nearest), number(-123, 10));
        assert_eq!(number(1, 3).with_decimals(2, Rounding::Up), number(34, 100));
        assert_eq!(number(1, 8).with_decimals(3, Rounding::Up), number(1, 8));
    }

    proptest! {
        #[test]
        fn a_rounded_number_is_short_near_and_on_its_side(
            num in any::<i64>(),
            den in 1..i64::MAX,
            digits in 1u32..20,
        ) {
            let value = number(num, den);
            let (down, up) = (
                value.with_digits(digits, Rounding::Down),
                value.with_digits(digits, Rounding::Up),
            );
            prop_assert!(down <= value && value <= up);
            let nearest = value.with_digits(digits, Rounding::Nearest);
            prop_assert!(nearest == down || nearest == up);
            for short in [down, up, nearest] {
                let text: String =
                    short.to_decimal().unwrap().chars().filter(char::is_ascii_digit).collect();
                prop_assert!(text.trim_matches('0').len() <= digits as usize);
                let error = (&short - &value).abs();
                let unit =
                    number(10, 1).checked_div(&exact(power(digits.into()), IBig::ONE)).unwrap();
                prop_assert!(error <= &unit * &value.abs());
            }
        }
    }
}
