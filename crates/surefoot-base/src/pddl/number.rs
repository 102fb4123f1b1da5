//! Decimal text to exact numbers, under a policy the user chooses.

use dashu_int::{IBig, UBig};

use crate::exact::Rational;

/// How numbers are read from text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Numbers {
    /// A number is exactly what is written.
    #[default]
    Exact,
    /// A number is rounded to this many decimals, halves away from zero. An assumption ("readings
    /// are exact to N decimals") that whoever sets it has to record.
    Decimals(u32),
}

/// Why a word is not a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NumberError {
    /// It is something else.
    #[error("expected a number")]
    NotANumber,
    /// It is one, but has more than 4,096 digits when written out.
    #[error("this number has more than {MAX_DIGITS} digits")]
    TooLong,
    /// It is a quotient by zero.
    #[error("division by zero")]
    DivisionByZero,
}

/// More digits than any measurement has; keeps `1e999999999` from eating memory.
const MAX_DIGITS: usize = 4096;

impl Numbers {
    /// Reads a decimal number: `-1.50`, `.5`, `3.`, `1e-05`, `+2`.
    pub fn read(self, word: &str) -> Result<Rational, NumberError> {
        let decimal = Decimal::read(word)?;
        Ok(match self {
            Numbers::Exact => decimal.exact(),
            Numbers::Decimals(places) => decimal.rounded(places),
        })
    }
}

/// The number written `(/ DIVIDEND DIVISOR)`.
pub(super) fn quotient(dividend: &Rational, divisor: &Rational) -> Result<Rational, NumberError> {
    let value = dividend.checked_div(divisor).ok_or(NumberError::DivisionByZero)?;
    if is_readable(&value) { Ok(value) } else { Err(NumberError::TooLong) }
}

/// The text of a number: a decimal, or a quotient where no decimal is exact.
pub(super) fn write_number(number: &Rational) -> String {
    match number.to_decimal() {
        Some(decimal) if is_readable_decimal(&decimal) => decimal,
        _ => format!("(/ {} {})", number.numerator(), number.denominator()),
    }
}

/// Whether what [`write_number`] writes is not refused as too long.
fn is_readable(number: &Rational) -> bool {
    number.as_small().is_some()
        || number.to_decimal().is_some_and(|decimal| is_readable_decimal(&decimal))
        || is_readable_integer(&number.numerator()) && is_readable_integer(&number.denominator())
}

fn is_readable_integer(integer: &IBig) -> bool {
    is_readable_decimal(&integer.to_string())
}

fn is_readable_decimal(decimal: &str) -> bool {
    decimal.len() <= MAX_DIGITS || Decimal::read(decimal).is_ok()
}

/// `digits · 10^exponent`, with a sign.
struct Decimal {
    negative: bool,
    digits: Digits,
    exponent: i64,
}

/// Nearly every number has at most 18 digits.
enum Digits {
    Small(u64),
    Big(UBig),
}

impl Decimal {
    fn read(word: &str) -> Result<Self, NumberError> {
        let bytes = word.as_bytes();
        let (negative, mut at) = match bytes.first() {
            Some(b'-') => (true, 1),
            Some(b'+') => (false, 1),
            _ => (false, 0),
        };
        let start = at;
        let (mut small, mut count, mut leading, mut point) = (0u64, 0usize, 0usize, None);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'0'..=b'9' => {
                    small = small.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                    leading += usize::from(leading == count && byte == b'0');
                    count += 1;
                }
                b'.' if point.is_none() => point = Some(count),
                _ => break,
            }
            at += 1;
        }
        let mantissa = &word[start..at];
        let written = match bytes.get(at) {
            None => 0,
            Some(b'e' | b'E') => Self::exponent(&word[at + 1..])?,
            Some(_) => return Err(NumberError::NotANumber),
        };
        if count == 0 {
            return Err(NumberError::NotANumber);
        }
        // The digits before the point and those after it, when written out.
        let exponent = written.saturating_sub_unsigned((count - point.unwrap_or(count)) as u64);
        let significant = (count - leading) as u64;
        let whole = significant.saturating_add_signed(exponent);
        if whole.saturating_add(exponent.min(0).unsigned_abs()) > MAX_DIGITS as u64 {
            return Err(NumberError::TooLong);
        }
        let digits = if significant <= 19 {
            Digits::Small(small)
        } else {
            let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
            Digits::Big(digits.parse().map_err(|_| NumberError::NotANumber)?)
        };
        Ok(Decimal { negative, digits, exponent })
    }

    fn exponent(word: &str) -> Result<i64, NumberError> {
        let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NumberError::NotANumber);
        }
        word.parse().map_err(|_| NumberError::TooLong)
    }

    fn exact(self) -> Rational {
        if let (Digits::Small(digits), exponent @ -18..=0) = (&self.digits, self.exponent)
            && let Ok(digits) = i64::try_from(*digits)
            && let Some(value) = Rational::new(
                if self.negative { -digits } else { digits },
                10i64.pow(exponent.unsigned_abs() as u32),
            )
        {
            return value;
        }
        let power = IBig::from(ten_to(self.exponent.unsigned_abs()));
        let (negative, exponent) = (self.negative, self.exponent);
        let digits = signed(self.into_digits(), negative);
        let (num, den) = if exponent < 0 { (digits, power) } else { (digits * power, IBig::ONE) };
        Rational::from_integers(num, den).unwrap_or(Rational::ZERO)
    }

    fn rounded(self, places: u32) -> Rational {
        let dropped = -self.exponent - i64::from(places);
        if dropped <= 0 {
            return self.exact();
        }
        if let (Digits::Small(digits), 1..=18) = (&self.digits, dropped) {
            let unit = 10u64.pow(dropped as u32);
            // Halves up, on the absolute value.
            let kept = digits / unit + u64::from(digits % unit >= unit / 2);
            return Decimal {
                digits: Digits::Small(kept),
                exponent: self.exponent + dropped,
                negative: self.negative,
            }
            .exact();
        }
        let (negative, exponent) = (self.negative, self.exponent + dropped);
        let unit = ten_to(dropped.unsigned_abs());
        let half = &unit / UBig::from(2u8);
        let kept = (self.into_digits() + half) / unit;
        Decimal { digits: Digits::Big(kept), exponent, negative }.exact()
    }

    fn into_digits(self) -> UBig {
        match self.digits {
            Digits::Small(digits) => digits.into(),
            Digits::Big(digits) => digits,
        }
    }
}

fn signed(digits: UBig, negative: bool) -> IBig {
    if negative { -IBig::from(digits) } else { digits.into() }
}

fn ten_to(power: u64) -> UBig {
    UBig::from(10u8).pow(power as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exact(word: &str) -> String {
        Numbers::Exact.read(word).unwrap().to_string()
    }

    #[test]
    fn decimals_as_people_write_them() {
        for (word, value) in [
            ("-1.50", "-1.5"),
            (".5", "0.5"),
            ("3.", "3"),
            ("1e-05", "0.00001"),
            ("+2", "2"),
            ("1.5E3", "1500"),
            ("-0.0", "0"),
            ("007", "7"),
        ] {
            assert_eq!(exact(word), value, "{word}");
        }
        assert_eq!(exact("68.66799999999999"), "68.66799999999999");
        assert_eq!(exact("123456789012345678901234567890.5"), "123456789012345678901234567890.5");
        assert_eq!(exact("18446744073709551615"), "18446744073709551615");
        assert_eq!(exact("99999999999999999999"), "99999999999999999999");
        assert_eq!(exact("9223372036854775808e-1"), "922337203685477580.8");
    }

    #[test]
    fn words_that_are_not_numbers() {
        for word in [
            "", "-", ".", "e5", "1e", "1e+", "1.2.3", "1x", "0x10", "--1", "inf", "NaN", "1/2",
            "1e1.5", "½",
        ] {
            assert_eq!(Numbers::Exact.read(word), Err(NumberError::NotANumber), "{word}");
        }
        for word in ["1e999999999", "1e-99999", "1e99999999999999999999", &"9".repeat(5000)] {
            assert_eq!(Numbers::Exact.read(word), Err(NumberError::TooLong));
        }
    }

    #[test]
    fn snapping_rounds_halves_away_from_zero() {
        let snap = |word: &str, places| Numbers::Decimals(places).read(word).unwrap().to_string();
        assert_eq!(snap("68.66799999999999", 6), "68.668");
        assert_eq!(snap("-0.5", 0), "-1");
        assert_eq!(snap("0.49999999999999999999999999", 0), "0");
        assert_eq!(snap("1234567890123456789012.5", 0), "1234567890123456789013");
        assert_eq!(snap("1e-40", 6), "0");
        assert_eq!(snap("2.5", 6), "2.5");
    }

    proptest! {
        #[test]
        fn reading_inverts_writing(num in any::<i64>(), twos in 0u32..30, fives in 0u32..14) {
            let value = Rational::from_integers(
                num.into(),
                IBig::from(2).pow(twos as usize) * IBig::from(5).pow(fives as usize),
            )
            .unwrap();
            prop_assert_eq!(Numbers::Exact.read(&value.to_string()).unwrap(), value);
        }

        #[test]
        fn snapping_moves_by_half_a_unit_at_most(
            digits in "-?[0-9]{0,25}\\.[0-9]{1,25}",
            places in 0u32..12,
        ) {
            let exact = Numbers::Exact.read(&digits).unwrap();
            let snapped = Numbers::Decimals(places).read(&digits).unwrap();
            let unit = Numbers::Exact.read(&format!("1e-{places}")).unwrap();
            prop_assert!(&(&exact - &snapped).abs() * &Rational::integer(2) <= unit);
            prop_assert!(snapped.checked_div(&unit).unwrap().is_integer());
        }
    }
}
