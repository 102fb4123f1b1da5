//! The stamp of a model: one comment line in the header of its PDDL that says, for programs, what
//! the sentences around it say for people.
//!
//! ```text
//! ; surefoot-model {"format":1,"safe":true,"spec":{"decimals":6}}
//! ```
//!
//! Programs read settings from the stamp alone, never from sentences: how far numbers may be off,
//! how they were rounded, how steps were read that changed nothing, and whether the model is safe.
//! So sentences may be improved, and a damaged stamp is noticed. A model without a stamp is plain
//! PDDL; whoever needs a setting of it has to be told.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::assumptions::Spec;
use crate::invariant::Invariant;

/// The version of the format. A dial that a stamp leaves out has its default, so whoever changes a
/// default raises this, too.
pub const FORMAT: u64 = 1;

/// How the line begins.
pub const MARK: &str = "; surefoot-model ";

/// What a model says of itself to programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stamp {
    /// A safe model, and the dials it was learned with. The sentences about how records were read
    /// (the dial `reading`) are in the header alone.
    Safe(Box<Spec>),
    /// A model of a learner that promises nothing, and what is not promised, as a sentence.
    NotSafe(String),
}

/// Why the stamp of a model cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StampError {
    /// A later version wrote it.
    #[error(
        "the stamp of this model has format {0}, but this version reads format {FORMAT}: use a \
         later version of surefoot, or learn again with this one"
    )]
    Format(u64),
    /// The stamp is not JSON of the expected form.
    #[error(
        "the stamp of this model, the comment that begins with {MARK:?}, is damaged ({0}): learn \
         again, or take the header from a copy of the model"
    )]
    Damaged(String),
    /// There are several, and nobody knows which one is true.
    #[error(
        "the header of this model has {0} stamps, comments that begin with {MARK:?}: learn again, \
         or take the header from a copy of the model"
    )]
    Several(usize),
}

/// The stamp as JSON has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StampRecord {
    format: u64,
    safe: bool,
    /// The dials of a safe model that differ from their defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spec: Option<Map<String, Value>>,
    /// What is not promised of any other model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

impl Stamp {
    /// The stamp of a safe model.
    pub fn safe(spec: &Spec) -> Stamp {
        Stamp::Safe(Box::new(without_reading(spec)))
    }

    /// The stamp in the header of a model: the comments before its first parenthesis. `None` where
    /// there is none.
    ///
    /// # Errors
    /// There is one that cannot be read, or there are several.
    pub fn of_model(text: &str) -> Result<Option<Stamp>, StampError> {
        let header =
            text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with(';'));
        let stamps: Vec<&str> =
            header.filter_map(|line| line.strip_prefix(MARK.trim_end())).collect();
        match stamps[..] {
            [] => Ok(None),
            [only] => Stamp::read(only.trim()).map(Some),
            _ => Err(StampError::Several(stamps.len())),
        }
    }

    /// Reads what follows [`MARK`].
    fn read(json: &str) -> Result<Stamp, StampError> {
        let damaged = |what: String| StampError::Damaged(what);
        let value: Value =
            serde_json::from_str(json).map_err(|error| damaged(error.to_string()))?;
        match value.get("format").and_then(Value::as_u64) {
            Some(FORMAT) => {}
            Some(other) => return Err(StampError::Format(other)),
            None => return Err(damaged("it names no format".to_owned())),
        }
        let record: StampRecord =
            serde_json::from_value(value).map_err(|error| damaged(error.to_string()))?;
        match (record.safe, record.spec, record.warning) {
            (true, Some(spec), None) => {
                let read = serde_json::from_value::<Spec>(Value::Object(spec));
                let spec = read.map_err(|error| damaged(error.to_string()))?;
                match spec.reading.is_empty() {
                    true => Ok(Stamp::Safe(Box::new(spec))),
                    false => Err(damaged("it has sentences about the records".to_owned())),
                }
            }
            (false, None, Some(warning)) => Ok(Stamp::NotSafe(warning)),
            _ => Err(damaged(
                "a safe model has a spec, any other model has a warning instead".to_owned(),
            )),
        }
    }

    /// The line, with its end.
    pub fn line(&self) -> String {
        let record = match self {
            Stamp::Safe(spec) => StampRecord {
                format: FORMAT,
                safe: true,
                spec: Some(without_reading(spec).turned()),
                warning: None,
            },
            Stamp::NotSafe(warning) => StampRecord {
                format: FORMAT,
                safe: false,
                spec: None,
                warning: Some(warning.clone()),
            },
        };
        let json = serde_json::to_string(&record).invariant("a stamp is written as JSON");
        format!("{MARK}{json}\n")
    }

    /// The dials of a safe model.
    pub fn spec(&self) -> Option<&Spec> {
        match self {
            Stamp::Safe(spec) => Some(spec),
            Stamp::NotSafe(_) => None,
        }
    }

    /// What is not promised of a model that is not safe.
    pub fn not_safe(&self) -> Option<&str> {
        match self {
            Stamp::Safe(_) => None,
            Stamp::NotSafe(warning) => Some(warning),
        }
    }
}

/// The dials that a stamp has.
fn without_reading(spec: &Spec) -> Spec {
    Spec { reading: Default::default(), ..spec.clone() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::assumptions::Unchanged;

    fn turned() -> Spec {
        let mut spec = Spec {
            decimals: Some(6),
            unchanged: Some(Unchanged::Failed),
            facet_budget: 7,
            ..Spec::default()
        };
        spec.set("error", serde_json::json!({"(battery ?r)": 0.15, "*": "1e-9"})).unwrap();
        spec.set("monotone", serde_json::json!({"*": {"(fuel ?t)": "more"}})).unwrap();
        spec
    }

    #[test]
    fn a_stamp_is_read_back_from_anywhere_in_the_header() {
        for stamp in [
            Stamp::safe(&Spec::default()),
            Stamp::safe(&turned()),
            Stamp::NotSafe("It promises \"nothing\".".to_owned()),
        ] {
            let line = stamp.line();
            assert_eq!(line.lines().count(), 1, "{line}");
            for text in [
                line.clone(),
                format!("; Learned.\n\n  {line};  - A sentence.\n(define (domain d))"),
                line.replace('\n', "\r\n"),
            ] {
                assert_eq!(Stamp::of_model(&text), Ok(Some(stamp.clone())), "{text}");
            }
            assert_eq!(Stamp::of_model(&format!("(define (domain d))\n{line}")), Ok(None));
        }
        let spec = Spec { reading: ["Nothing was.".to_owned()].into(), ..turned() };
        assert_eq!(Stamp::safe(&spec), Stamp::safe(&turned()));
    }

    #[test]
    fn a_stamp_that_is_not_as_it_was_written_is_no_stamp() {
        let line = Stamp::safe(&turned()).line();
        let damaged = |text: &str| match Stamp::of_model(text) {
            Err(error) => error.to_string(),
            other => panic!("{text}: {other:?}"),
        };
        for end in MARK.len()..line.trim_end().len() {
            damaged(&line[..end]);
        }
        for (old, new) in [
            ("true", "false"),
            ("\"spec\"", "\"specs\""),
            ("\"decimals\"", "\"decimal\""),
            ("\"decimals\":6", "\"decimals\":-6"),
            ("\"0.15\"", "\"-0.15\""),
            ("{\"format\":1,", "{"),
            ("\"spec\":", "\"warning\":\"none\",\"spec\":"),
            ("\"spec\":{", "\"spec\":{\"reading\":[\"It rained.\"],"),
        ] {
            assert!(line.contains(old), "{old} is in {line}");
            damaged(&line.replacen(old, new, 1));
        }
        assert!(damaged(&line.replace("\"format\":1", "\"format\":9")).contains("format 9"));
        assert!(damaged(&format!("{line}{line}")).contains("has 2 stamps"));
    }

    /// What a stamp leaves out is read as a default, by every later version.
    #[test]
    fn defaults_are_part_of_the_format() {
        assert_eq!(Stamp::safe(&Spec::default()).line(), {
            "; surefoot-model {\"format\":1,\"safe\":true,\"spec\":{}}\n"
        });
        let Value::Object(fields) = serde_json::to_value(Spec::default()).unwrap() else {
            panic!()
        };
        let defaults = Value::Object(fields).to_string();
        assert_eq!(
            defaults,
            "{\"algorithm\":\"nsam-star\",\"arity\":null,\"decimals\":null,\"degree\":1,\
             \"digits\":null,\"effect-arity\":null,\"facet-budget\":100000,\"monotone\":{},\
             \"positive-preconditions\":false,\"relevant\":{},\"squares\":false}",
            "a stamp of format {FORMAT} that leaves a dial out means this value: raise FORMAT"
        );
        assert_eq!(Spec::default().failure_budget, 1_000, "raise FORMAT");
    }
}
