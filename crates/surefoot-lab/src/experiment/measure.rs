//! What the numbers of an experiment are of, as values; files have their names.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use surefoot_analysis::evaluate::{Metric, PlanOutcome, UnknownMetric};

/// What a number is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Measure {
    /// A metric of the model or of one of its actions.
    Metric(Metric),
    /// The share of test problems that came to this with one planner: `solved:builtin`.
    Outcome(PlanOutcome, String),
}

impl From<Metric> for Measure {
    fn from(metric: Metric) -> Self {
        Measure::Metric(metric)
    }
}

impl Display for Measure {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Measure::Metric(metric) => Display::fmt(metric, out),
            Measure::Outcome(outcome, planner) => write!(out, "{}:{planner}", outcome.name()),
        }
    }
}

impl FromStr for Measure {
    type Err = UnknownMetric;

    fn from_str(name: &str) -> Result<Self, UnknownMetric> {
        let outcome = name
            .split_once(':')
            .and_then(|(word, planner)| Some((PlanOutcome::of_name(word)?, planner)));
        match outcome {
            Some((outcome, planner)) => Ok(Measure::Outcome(outcome, planner.to_owned())),
            None => name.parse().map(Measure::Metric),
        }
    }
}

impl Serialize for Measure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Measure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// What is true of the assumptions that a model was learned under.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// All of them are true of the real domain.
    Holds,
    /// None is known to be false, and of some it is not known whether they are true.
    Undecided,
    /// One of them is false.
    Refuted,
}

impl Standing {
    /// Its word, in tables and on pages.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Holds => "holds",
            Standing::Undecided => "undecided",
            Standing::Refuted => "refuted",
        }
    }
}

impl Display for Standing {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// What of a cell failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailedPart {
    /// Every part of the cell failed.
    #[default]
    All,
    /// Only the coverage of the cell failed.
    Coverage,
}

impl FailedPart {
    /// The word for it in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            FailedPart::All => "all",
            FailedPart::Coverage => "coverage",
        }
    }
}

/// A number as text in JSON, with the fewest digits that give it back: the same after any number of
/// readings, NaN and infinity included.
pub mod as_text {
    use super::*;

    /// Writes a number with the digits that matter.
    pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    /// Reads such a number.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_measures_read_back() {
        let outcomes = PlanOutcome::ALL
            .map(|outcome| Measure::Outcome(outcome, "my-planner {domain}: {problem}".into()));
        for measure in Metric::all().map(Measure::Metric).chain(outcomes) {
            assert_eq!(measure.to_string().parse(), Ok(measure));
        }
        assert!("won:builtin".parse::<Measure>().is_err());
    }

    #[test]
    fn words_are_the_same_for_people_and_in_files() {
        for standing in [Standing::Holds, Standing::Undecided, Standing::Refuted] {
            assert_eq!(serde_json::to_value(standing).ok(), Some(standing.name().into()));
        }
        for part in [FailedPart::All, FailedPart::Coverage] {
            assert_eq!(serde_json::to_value(part).ok(), Some(part.name().into()));
        }
    }
}
