//! What distinguishes failed attempts at an action from its steps that worked: a parameter, or one
//! condition; for all attempts, and for each error code.
//!
//! A claim is made only if it is true of every attempt, and of every step that worked the opposite.
//! Where the value that it is about is unknown before some of them, it is made of the others, which
//! are counted.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use surefoot_base::model::{ActionId, Event};
use surefoot_base::pddl::ReadError;

use super::split::{CONFIDENCE, Split, find, log_ways};
use super::writer;
use crate::evidence::{Learner, Observation, Recording};

/// At most this many events of an action are examined.
const MOST: usize = 20_000;

/// At most this many objects are listed.
const LISTED: usize = 3;

/// At most this many codes are listed.
const CODES: usize = 8;

/// What is known of the attempts at an action that failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FailureDiagnosis {
    /// The name of the action.
    pub action: String,
    /// How many steps worked.
    pub worked: usize,
    /// The attempts that failed, all together.
    pub all: FailedGroup,
    /// The attempts by error code, the most frequent first.
    pub codes: Vec<FailedGroup>,
}

/// Some attempts that failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FailedGroup {
    /// The code with which they failed; none, where they are all attempts that failed.
    pub code: Option<String>,
    /// How many they are.
    pub attempts: usize,
    /// What distinguishes them from steps that worked.
    pub sign: Option<FailureSign>,
}

/// What distinguishes some failed attempts from all steps that worked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureSign {
    /// A parameter was one of these objects in all steps that worked, and in none of the attempts.
    Worked {
        /// The name of the parameter.
        parameter: String,
        /// The objects it was bound to.
        objects: Vec<String>,
    },
    /// A parameter was one of these objects in all of the attempts, and in no step that worked.
    Failed {
        /// The name of the parameter.
        parameter: String,
        /// The objects it was bound to.
        objects: Vec<String>,
    },
    /// A condition held before all of the attempts, and before no step that worked.
    Condition(Split),
}

/// An event of an action.
struct ActionEvent {
    arguments: Vec<String>,
    /// What is known before it.
    observation: Observation,
    code: Option<String>,
}

/// What distinguishes the failed attempts at some actions from their steps that worked; without the
/// actions for which nothing does.
pub fn failure_diagnoses(
    learner: &Learner,
    actions: &BTreeSet<ActionId>,
    recording: &dyn Recording,
) -> Result<Vec<FailureDiagnosis>, ReadError> {
    let mut events: BTreeMap<ActionId, [Vec<ActionEvent>; 2]> = BTreeMap::new();
    let mut cut: BTreeSet<ActionId> = BTreeSet::new();
    learner.lens().each_event(recording, 0..recording.traces(), |_, recorded, observer| {
        let attempt = recorded.event.attempt();
        let action = attempt.action.symbol;
        if !actions.contains(&action) {
            return;
        }
        let [worked, failed] = events.entry(action).or_default();
        if worked.len() + failed.len() >= MOST {
            cut.insert(action);
            return;
        }
        let arguments = attempt
            .action
            .arguments
            .iter()
            .map(|&object| recorded.objects.name(object).to_owned())
            .collect();
        let observation = observer.observe_attempt(attempt).as_unchanged();
        match recorded.event {
            Event::Worked(_) => worked.push(ActionEvent { arguments, observation, code: None }),
            Event::Failed(_) => {
                failed.push(ActionEvent {
                    arguments,
                    observation,
                    code: recorded.code().map(str::to_owned),
                });
            }
        }
    })?;
    // Claims are about all events, or not made.
    let whole = events.into_iter().filter(|(action, _)| !cut.contains(action));
    Ok(whole
        .filter_map(|(action, [worked, failed])| diagnosis(learner, action, &worked, &failed))
        .collect())
}

fn diagnosis(
    learner: &Learner,
    action: ActionId,
    worked: &[ActionEvent],
    failed: &[ActionEvent],
) -> Option<FailureDiagnosis> {
    let mut by_code: BTreeMap<&str, Vec<&ActionEvent>> = BTreeMap::new();
    for event in failed {
        if let Some(code) = &event.code {
            by_code.entry(code).or_default().push(event);
        }
    }
    let mut codes: Vec<FailedGroup> = match by_code.len() {
        0 | 1 => Vec::new(),
        _ => by_code
            .into_iter()
            .map(|(code, attempts)| FailedGroup {
                code: Some(code.to_owned()),
                attempts: attempts.len(),
                sign: sign(learner, action, worked, &attempts),
            })
            .collect(),
    };
    codes.sort_by_key(|group| std::cmp::Reverse(group.attempts));
    codes.truncate(CODES);
    let all = FailedGroup {
        code: None,
        attempts: failed.len(),
        sign: sign(learner, action, worked, &failed.iter().collect::<Vec<_>>()),
    };
    let says_something = !failed.is_empty() && (all.sign.is_some() || !codes.is_empty());
    let name = learner.domain().action_name(action).to_owned();
    says_something.then_some(FailureDiagnosis { action: name, worked: worked.len(), all, codes })
}

fn sign(
    learner: &Learner,
    action: ActionId,
    worked: &[ActionEvent],
    failed: &[&ActionEvent],
) -> Option<FailureSign> {
    let parameters = &learner.domain().action(action).parameters;
    // By more than chance: among all ways to choose this many events, a parameter selects exactly
    // these.
    let candidates = 2 * parameters.len().max(1);
    if log_ways(worked.len() + failed.len(), failed.len()) < (CONFIDENCE * candidates as f64).ln() {
        return None;
    }
    let by_parameter = parameters.iter().enumerate().find_map(|(place, parameter)| {
        let in_worked: BTreeSet<&String> =
            worked.iter().map(|event| &event.arguments[place]).collect();
        let in_failed: BTreeSet<&String> =
            failed.iter().map(|event| &event.arguments[place]).collect();
        let parameter = format!("?{}", parameter.name);
        match in_worked.is_disjoint(&in_failed) {
            true if in_worked.len() <= LISTED => {
                let objects = in_worked.into_iter().cloned().collect();
                Some(FailureSign::Worked { parameter, objects })
            }
            true if in_failed.len() <= LISTED => {
                let objects = in_failed.into_iter().cloned().collect();
                Some(FailureSign::Failed { parameter, objects })
            }
            _ => None,
        }
    });
    by_parameter.or_else(|| {
        let rows: Vec<Observation> = worked
            .iter()
            .chain(failed.iter().copied())
            .map(|event| event.observation.clone())
            .collect();
        let odd: BTreeSet<usize> = (worked.len()..rows.len()).collect();
        find(learner.vocabulary(action), &writer(learner, action), &rows, &odd, None)
            .map(FailureSign::Condition)
    })
}
