//! Why there is no model, in words.

use std::fmt;

use surefoot_base::advice::{Advice, Setting, Text, Worded};
use surefoot_base::assumptions::Dial;
use surefoot_base::dial;
use surefoot_base::invariant::BrokenInvariant;
use surefoot_base::parts::FindParts;
use surefoot_base::pddl::{Diagnostic, ReadError};

use super::bad_data::BadData;
use crate::conclude::SpecError;
use crate::evidence::TooLargeAction;
/// Why there is no model.
#[derive(Debug)]
pub enum LearnError {
    /// An invariant of this library does not hold.
    Internal(BrokenInvariant),
    /// A trace cannot be read.
    Read(ReadError),
    /// A dial does not fit the domain.
    Spec(SpecError),
    /// A learner does not read a dial that was turned.
    Ignored {
        /// The title of the learner.
        learner: &'static str,
        /// The dial that the learner does not read.
        dial: &'static Dial,
    },
    /// The class has too many columns.
    TooLarge {
        /// The name of the action.
        action: String,
        /// What there is too much of.
        what: TooLargeAction,
    },
    /// Steps contradict every model of the class.
    BadData(BadData),
    /// What is left contradicts itself although no step is to blame.
    Contradiction(String),
    /// What was learned before and what was read now contradict each other.
    Earlier(String),
    /// An earlier run left these records out, and there are further records now; or the other way
    /// round.
    LeftOutEarlier(String),
    /// The parts of an action were found in other records than these.
    FoundElsewhere(String),
    /// An assumption is refuted by the data.
    EffectArity {
        /// The function whose changes refute it.
        function: String,
        /// The name of the action.
        action: String,
    },
    /// Another assumption is refuted by the data.
    EffectDecimals {
        /// The decimals that were assumed.
        decimals: u32,
        /// The function whose records refute it.
        function: String,
        /// The name of the action.
        action: String,
    },
    /// An assumption makes every model allow what failed.
    RefutedByFailure {
        /// The assumption, as it was given.
        assumption: Text,
        /// The name of the action.
        action: String,
        /// The place of the failed attempt.
        place: String,
        /// The place with an excerpt; `None` if the records are not at hand.
        at: Option<Box<Diagnostic>>,
    },
    /// The records that a state holds contradict each other.
    Failed(String),
    /// Earlier steps were read otherwise.
    Unchanged,
    /// Steps that changed nothing cannot be read by a learner that keeps no steps.
    UnchangedApart,
    /// Steps that changed nothing cannot be distinguished from those that changed a declared fact.
    UnchangedDeclared(String),
    /// Logs were read separately, and what one of them mentions, another may have taken for false.
    SeveralLogs {
        /// Whether one of the logs was read in an earlier run.
        is_earlier: bool,
        /// What is assumed of one of the logs.
        sentence: String,
    },
    /// A law of the learner itself is broken: no model is better than one that breaks it.
    Invariant(String),
    /// A learner of another kind failed.
    Other(String),
    /// The caller did not want it to go on.
    Stopped,
}

impl Worded for LearnError {
    fn text(&self) -> Text {
        let leaves_out =
            || Text::from(Advice::on_bad_data("skip-action")) + " leaves the action out";
        match self {
            LearnError::Internal(error) => error.to_string().into(),
            LearnError::Read(error) => error.to_string().into(),
            LearnError::Spec(error) => error.text(),
            LearnError::Ignored { learner, dial } => {
                Text::from(format!("{learner} does not read "))
                    + Advice::named(Setting::Dial(dial))
                    + ": leave it out"
            }
            LearnError::TooLarge { action, what } => {
                Text::from(format!("{action} has {what}; choose a smaller "))
                    + dial!("degree")
                    + ", or give a "
                    + dial!("relevant")
                    + " map"
            }
            LearnError::BadData(bad) => bad.text(),
            LearnError::Contradiction(action) => format!(
                "no model of the class explains the steps of {action}, and setting single steps \
                 aside does not help"
            )
            .into(),
            LearnError::Earlier(action) => {
                Text::from(format!(
                    "no model of the class explains the steps of {action}: those of earlier runs, \
                     which the learner's state holds, and those read now contradict each other. \
                     Learn from all their trajectories together to see which steps are to blame; "
                )) + leaves_out()
            }
            LearnError::LeftOutEarlier(records) => {
                Text::from(format!(
                    "the learner's state cannot be continued with these records, since some \
                     records were left out as wrong or doubtful ({records}). Which records are \
                     wrong is decided by all of them together, and the state does not hold the \
                     earlier ones. Learn from all records in one run. (With "
                )) + Advice::on_bad_data("quarantine")
                    + ", states of trajectories hold up to 64 MB of their text, and can be resumed)"
            }
            LearnError::FoundElsewhere(action) => {
                Text::from(format!(
                    "the parts of {action} were found in other records than these. All records \
                     together show which parts an action has: learn from all of them in one run, \
                     with "
                )) + dial!("parts", FindParts::WORD)
                    + ", or declare its parts"
            }
            LearnError::EffectArity { function, action } => {
                Text::from(dial!("effect-arity"))
                    + format!(
                        " is refuted: no effect that reads so few functions explains the changes \
                         of {function} in {action}; choose a larger one"
                    )
            }
            LearnError::EffectDecimals { decimals, function, action } => {
                Text::from(dial!("effect-decimals", *decimals))
                    + format!(
                        " is refuted: no effect with so few decimals is within the recording \
                         errors of {function} in {action}; choose more decimals, or larger errors"
                    )
            }
            LearnError::RefutedByFailure { assumption, action, place, .. } => {
                assumption.clone()
                    + format!(
                        " is refuted by {place}: {action} failed there, in a state that every \
                         model allows if the assumption holds. Learn without it, or with a weaker \
                         one"
                    )
            }
            LearnError::Failed(action) => {
                Text::from(format!(
                    "no model of the class explains why {action} failed: in attempts that the \
                     learner's state holds, everything held that held before each step that \
                     worked, and the numbers lay between those of such steps. Learn from all \
                     trajectories together to see which attempts these are; "
                )) + leaves_out()
            }
            LearnError::Unchanged => {
                Text::from("the learner's state was made without ")
                    + dial!("unchanged", "failed")
                    + ", so it counts steps that changed nothing as steps that worked; learn from \
                       all trajectories together, with "
                    + dial!("unchanged", "failed")
            }
            LearnError::UnchangedApart => {
                Text::from("with ")
                    + dial!("unchanged", "failed")
                    + ", all steps together decide what a step that changed nothing means, and a \
                       learner that is given steps one by one does not keep them: learn from the \
                       recordings in one run"
            }
            LearnError::UnchangedDeclared(sentence) => {
                Text::from("with ")
                    + dial!("unchanged", "failed")
                    + format!(
                        ", a row that worked may be an attempt that failed; but a declared fact \
                         changes with every row that worked, so its value would be unknown. Leave \
                         out `[declared]` of the map, or say with `status` which rows failed. \
                         ({sentence})"
                    )
            }
            LearnError::SeveralLogs { is_earlier, sentence } => {
                let which = match is_earlier {
                    true => "the learner's state and what is read now come from",
                    false => "these records come from",
                };
                format!(
                    "{which} logs that were read separately, and what one log mentions was taken \
                     for false in another. Learn from all of them in one run, or import them \
                     together (assumed of one of them: {sentence})"
                )
                .into()
            }
            LearnError::Invariant(what) => format!(
                "internal error, and no model is written: {what}. Please report this, with the \
                 records if you can"
            )
            .into(),
            LearnError::Other(what) => what.as_str().into(),
            LearnError::Stopped => "stopped".into(),
        }
    }
}

impl fmt::Display for LearnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl std::error::Error for LearnError {}

impl From<BrokenInvariant> for LearnError {
    fn from(error: BrokenInvariant) -> Self {
        LearnError::Internal(error)
    }
}

impl From<ReadError> for LearnError {
    fn from(error: ReadError) -> Self {
        LearnError::Read(error)
    }
}

impl From<SpecError> for LearnError {
    fn from(error: SpecError) -> Self {
        LearnError::Spec(error)
    }
}

impl From<BadData> for LearnError {
    fn from(error: BadData) -> Self {
        LearnError::BadData(error)
    }
}
