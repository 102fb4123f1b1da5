//! Parts that were found in the records: a hypothesis, with the counts that support it.

use serde::{Deserialize, Serialize};

/// The word that asks to find the parts in the records, in place of the parts themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FindParts {
    /// The word itself.
    #[serde(rename = "found")]
    Found,
}

impl FindParts {
    /// The word, as users write it.
    pub const WORD: &str = "found";

    /// The key of a map that stands for every action without an entry of its own.
    pub const ALL_ACTIONS: &str = "*";
}

/// The parts of one action, as they were found in records.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundParts {
    /// All of them stood the test: enough held-out steps were predicted, and none wrongly.
    pub found: Vec<FoundPart>,
}

/// A part that was found, and what supports it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundPart {
    /// Its tests, as PDDL.
    pub tests: Vec<String>,
    /// The number of recorded steps in it.
    pub steps: usize,
    /// The number of these steps that models predicted correctly that were found and learned
    /// without the traces of the steps.
    pub predicted: usize,
    /// The number of traces with such steps. Traces that repeat each other count once.
    pub traces: usize,
}

impl FoundPart {
    /// A part stands if so many held-out steps were predicted correctly, and none wrongly.
    pub const ENOUGH: usize = 20;

    /// Whether enough held-out steps were predicted, and no more than there are.
    pub fn stands(&self) -> bool {
        (Self::ENOUGH..=self.steps).contains(&self.predicted)
            && (1..=self.predicted).contains(&self.traces)
    }

    /// `where (<= (battery ?r) 66), 41 steps, 33 of them predicted in 12 held-out traces`
    fn in_words(&self) -> String {
        let FoundPart { tests, steps, predicted, traces } = self;
        let of = |count: usize, noun: &str| match count {
            1 => format!("1 {noun}"),
            count => format!("{count} {noun}s"),
        };
        let tests = tests.join(" ");
        let (steps, traces) = (of(*steps, "step"), of(*traces, "trace"));
        format!(
            "where {tests} ({steps}; {predicted} of them, in {traces}, predicted while held out)"
        )
    }
}

impl FoundParts {
    /// What is assumed of an action with these parts, and what supports it.
    pub(super) fn sentence(&self, action: &str) -> String {
        let found = self.found.iter().enumerate();
        let found: Vec<String> = found
            .map(|(place, part)| format!("{action}--{} {}", place + 1, part.in_words()))
            .collect();
        format!(
            "The parts of {action} were found in the data, not declared: {}. They are a \
             hypothesis: models with as many parts, found and learned without the traces of these \
             held-out steps, predicted no step wrongly. Within each part, {action} is an action as \
             described here; the parts may differ. Outside all parts, nothing is assumed about \
             {action}.",
            found.join("; ")
        )
    }

    /// The tests of the parts that stand.
    pub fn tests(&self) -> Vec<Vec<String>> {
        self.found.iter().map(|part| part.tests.clone()).collect()
    }
}
