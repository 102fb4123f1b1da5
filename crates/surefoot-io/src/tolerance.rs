//! By how much a numeric comparison may be missed where models are measured, as the paper does with
//! 0.1.
//!
//! Nothing is missed unless a user says so, and whatever was measured with a tolerance says so too.
//! Learning knows none.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use surefoot_base::exact::Rational;
use surefoot_base::pddl::Numbers;

/// A number that is not negative; zero unless said otherwise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tolerance(Rational);

impl Default for Tolerance {
    fn default() -> Self {
        Tolerance(Rational::ZERO)
    }
}

impl Tolerance {
    /// A tolerance as a user writes it: a decimal.
    ///
    /// # Errors
    /// It is no number, or negative.
    pub fn read(word: &str) -> Result<Self, String> {
        Self::of(Numbers::Exact.read(word).map_err(|error| error.to_string())?)
    }

    /// A tolerance of this number.
    ///
    /// # Errors
    /// It is negative.
    pub fn of(value: Rational) -> Result<Self, String> {
        if value.signum() < 0 {
            Err("a tolerance is not negative".into())
        } else {
            Ok(Tolerance(value))
        }
    }

    /// The tolerance as an exact number.
    pub fn number(&self) -> &Rational {
        &self.0
    }

    /// Whether comparisons are exact.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// What was measured with it has to say, on one line.
    pub fn in_words(&self) -> String {
        format!(
            "Not exact: numeric comparisons count as true when they are missed by at most {self}; \
             those of the learned model are divided by \
             the length of their coefficients first"
        )
    }
}

/// A tolerance is shown as a decimal.
impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_decimal().unwrap_or_else(|| self.0.to_f64().to_string()))
    }
}

impl Serialize for Tolerance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_string())
    }
}

/// From a number or from text. A double is taken for the shortest decimal that reads back to it:
/// 0.1 is one tenth.
impl<'de> Deserialize<'de> for Tolerance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Whole(i64),
            Double(f64),
            Text(String),
        }
        let word = match Written::deserialize(deserializer)? {
            Written::Whole(number) => number.to_string(),
            Written::Double(number) => number.to_string(),
            Written::Text(word) => word,
        };
        Tolerance::read(&word).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn tolerances_are_decimals_that_are_not_negative() {
        let tenth = Tolerance::read("0.1").unwrap();
        assert_eq!(tenth.number(), &Rational::new(1, 10).unwrap());
        assert_eq!(tenth.to_string(), "0.1");
        assert!(Tolerance::read("-0.1").is_err() && Tolerance::read("much").is_err());
        assert!(Tolerance::default().is_zero() && !tenth.is_zero());
        for text in ["0.1", "\"0.1\""] {
            assert_eq!(serde_json::from_str::<Tolerance>(text).unwrap(), tenth, "{text}");
        }
        assert_eq!(serde_json::from_str::<Tolerance>("0").unwrap(), Tolerance::default());
        assert!(serde_json::from_str::<Tolerance>("-1").is_err());
        assert_eq!(serde_json::to_string(&tenth).unwrap(), "\"0.1\"");
    }
}
