//! How far recorded values may be from the true ones, as a user says it and as a model says it of
//! itself.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::exact::Rational;
use crate::pddl::Numbers;

/// By function, as its name or as PDDL (`*`: every function that is not named): how far recorded
/// values may be from the true ones.
pub type ErrorMap = BTreeMap<String, ErrorBound>;

/// How far a recorded value may be from the true one: a number, exactly as it is written, and not
/// below zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ErrorBound(Rational);

impl ErrorBound {
    /// The key of all functions that are not named.
    pub const OTHERS: &str = "*";

    /// A bound; `None` below zero.
    pub fn new(bound: Rational) -> Option<Self> {
        (bound.signum() >= 0).then_some(ErrorBound(bound))
    }

    /// The bound as a number.
    pub fn value(&self) -> &Rational {
        &self.0
    }

    /// A number as people write it: `0.05`, `1e-9`, `1/3`.
    pub fn read(text: &str) -> Option<Self> {
        let read = |word: &str| Numbers::Exact.read(word.trim()).ok();
        let bound = match text.split_once('/') {
            Some((numerator, denominator)) => read(numerator)?.checked_div(&read(denominator)?)?,
            None => read(text)?,
        };
        Self::new(bound)
    }
}

impl fmt::Display for ErrorBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&short_number(&self.0))
    }
}

/// A number as people read it, exactly: tiny ones as `1e-9` and not as a row of zeros.
pub fn short_number(number: &Rational) -> String {
    let text = number.to_string();
    let (sign, digits) = text.strip_prefix('-').map_or(("", &*text), |digits| ("-", digits));
    let Some(decimals) = digits.strip_prefix("0.000") else { return text };
    let significant = decimals.trim_start_matches('0');
    let exponent = 4 + decimals.len() - significant.len();
    match significant.split_at_checked(1) {
        Some((first, "")) => format!("{sign}{first}e-{exponent}"),
        Some((first, rest)) => format!("{sign}{first}.{rest}e-{exponent}"),
        None => text,
    }
}

impl Serialize for ErrorBound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ErrorBound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::Number(number) => number.to_string(),
            serde_json::Value::String(text) => text,
            other => {
                return Err(de::Error::custom(format!(
                    "expected a number that is not below zero, found {other}"
                )));
            }
        };
        let wrong =
            || de::Error::custom(format!("expected a number that is not below zero, found {text}"));
        ErrorBound::read(&text).ok_or_else(wrong)
    }
}

/// The sentences about errors, by function. Functions that are not named have exact records.
pub(super) fn sentences(errors: &ErrorMap) -> Vec<String> {
    let sentence = |(name, bound): (&String, &ErrorBound)| {
        let name = if name == ErrorBound::OTHERS { "every function" } else { name };
        format!("Each recorded value of {name} is within {bound} of the true one.")
    };
    let mut all: Vec<String> = errors.iter().map(sentence).collect();
    if !errors.is_empty() && !errors.contains_key(ErrorBound::OTHERS) {
        all.push("Recorded values of all other functions are exact.".to_owned());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_as_they_are_written() {
        let read =
            |json: &str| serde_json::from_str::<ErrorBound>(json).map(|bound| bound.to_string());
        assert_eq!(read("0.15").unwrap(), "0.15");
        assert_eq!(read("1e-9").unwrap(), "1e-9");
        assert_eq!(read("0.00000000198").unwrap(), "1.98e-9");
        assert_eq!(read("0.000123").unwrap(), "1.23e-4");
        assert_eq!(read("0.00123").unwrap(), "0.00123");
        assert_eq!(read("\"1/3\"").unwrap(), "1/3");
        assert_eq!(read("0").unwrap(), "0");
        for wrong in ["-1", "\"-0.1\"", "\"many\"", "true", "\"1/0\"", "\"nan\""] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
