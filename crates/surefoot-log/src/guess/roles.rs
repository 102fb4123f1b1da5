//! Which columns say when, in which episode, what was done, and how it went.

use super::profile::{Looks, Sample};

/// A column and why it is taken for what it is.
pub(super) struct Guessed {
    pub column: usize,
    pub why: String,
}

/// The columns that frame a row.
#[derive(Default)]
pub(super) struct Roles {
    pub time: Option<Guessed>,
    pub episode: Option<Guessed>,
    pub action: Option<Guessed>,
    pub status: Option<Guessed>,
    pub ok: Vec<String>,
    pub failed: Vec<String>,
    pub error: Option<usize>,
}

const TIMES: [&str; 8] = ["timestamp", "time", "datetime", "date", "ts", "t", "when", "clock"];
const EPISODES: [&str; 14] = [
    "episode",
    "shift",
    "run",
    "trial",
    "session",
    "trace",
    "case",
    "rollout",
    "day",
    "game",
    "job",
    "experiment",
    "ep",
    "mission",
];
const ACTIONS: [&str; 11] = ["action", "activity", "event", "operation", "command", "verb", "task", "do", "act", "op", "what"];
const STATUSES: [&str; 7] = ["status", "result", "outcome", "success", "ok", "succeeded", "state"];
const ERRORS: [&str; 6] = ["error", "err", "fault", "reason", "code", "cause"];
const OK: [&str; 13] = [
    "ok",
    "success",
    "succeeded",
    "successful",
    "done",
    "completed",
    "complete",
    "true",
    "1",
    "yes",
    "pass",
    "passed",
    "finished",
];
const FAILED: [&str; 15] = [
    "failed",
    "fail",
    "failure",
    "error",
    "false",
    "0",
    "no",
    "aborted",
    "rejected",
    "nok",
    "not ok",
    "refused",
    "denied",
    "timeout",
    "exception",
];

/// Words of any yes and no.
const PLAIN: [&str; 3] = ["false", "0", "no"];

/// Whether a name is one of some words, as a whole or as a part: `event_type`, `run-id`.
fn is_called(name: &str, words: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    words.iter().any(|word| name.split(['_', '-', '.', ' ']).next() == Some(word))
}

impl Roles {
    pub fn of(sample: &Sample) -> Roles {
        let mut roles = Roles::default();
        roles.status(sample);
        roles.time(sample);
        roles.episode(sample);
        roles.action(sample);
        roles
    }

    pub fn has(&self, column: usize) -> bool {
        let taken = [&self.time, &self.episode, &self.action, &self.status];
        taken.into_iter().flatten().any(|guessed| guessed.column == column) || self.error == Some(column)
    }

    fn status(&mut self, sample: &Sample) {
        let is = |words: &[&str], word: &str| words.contains(&word.to_ascii_lowercase().as_str());
        let candidates = (0..sample.columns.len()).filter(|&column| {
            let words = sample.words(column);
            (1..=6).contains(&words.len())
                && words.iter().all(|(word, _)| is(&OK, word) || is(&FAILED, word))
                && words.iter().any(|(word, _)| is(&OK, word))
                && (is_called(sample.columns.name(column), &STATUSES)
                    || words.iter().any(|(word, _)| !is(&PLAIN, word) && is(&FAILED, word)))
        });
        let named = |column: &usize| is_called(sample.columns.name(*column), &STATUSES);
        let Some(column) = candidates.max_by_key(|column| (named(column), usize::MAX - column)) else { return };
        let words = sample.words(column);
        self.ok = words.iter().filter(|(word, _)| is(&OK, word)).map(|(word, _)| (*word).to_owned()).collect();
        self.failed = words.iter().filter(|(word, _)| !is(&OK, word)).map(|(word, _)| (*word).to_owned()).collect();
        let told: Vec<String> = words.iter().map(|(word, count)| format!("{word} {count}")).collect();
        self.status = Some(Guessed { column, why: format!("words of success and failure: {}", told.join(", ")) });
        self.error = (0..sample.columns.len()).find(|&error| {
            let failed = |row: usize| sample.cell(column, row).is_some_and(|word| !is(&OK, word));
            error != column
                && is_called(sample.columns.name(error), &ERRORS)
                && (0..sample.rows).all(|row| sample.cell(error, row).is_none() || failed(row))
        });
    }

    fn time(&mut self, sample: &Sample) {
        let mut columns = (0..sample.columns.len()).filter(|&column| !self.has(column));
        let found =
            columns.clone().find(|&column| sample.looks(column) == Looks::Time).map(|column| (column, "it has dates or times"));
        let found = found.or_else(|| {
            let named = columns.find(|&column| is_called(sample.columns.name(column), &TIMES));
            named.map(|column| (column, "by its name"))
        });
        self.time = found.map(|(column, why)| Guessed { column, why: why.to_owned() });
    }

    fn episode(&mut self, sample: &Sample) {
        let candidates =
            || (0..sample.columns.len()).filter(|&column| !self.has(column) && sample.filled(column).count() == sample.rows);
        let named = candidates().find(|&column| {
            is_called(sample.columns.name(column), &EPISODES) && sample.words(column).len() * 2 < sample.rows.max(2)
        });
        let found = named.map(|column| (column, "by its name")).or_else(|| {
            let stretches = candidates().find(|&column| {
                let count = sample.words(column).len();
                count > 1
                    && count * 8 < sample.rows
                    && matches!(sample.looks(column), Looks::Word | Looks::Count)
                    && sample.is_in_stretches(column)
            });
            stretches.map(|column| (column, "the rows of each of its words come one after the other"))
        });
        self.episode =
            found.map(|(column, why)| Guessed { column, why: format!("{why}; {} of them", sample.words(column).len()) });
    }

    fn action(&mut self, sample: &Sample) {
        let words = |column: usize| sample.words(column).len();
        let candidates: Vec<usize> = (0..sample.columns.len())
            .filter(|&column| {
                !self.has(column)
                    && matches!(sample.looks(column), Looks::Word | Looks::Constant)
                    && (1..=60).contains(&words(column))
            })
            .collect();
        let named = candidates
            .iter()
            .find(|&&column| is_called(sample.columns.name(column), &ACTIONS))
            .map(|&column| (column, "by its name"));
        let fewest = || candidates.iter().min_by_key(|&&column| words(column)).map(|&column| (column, "it has the fewest words"));
        self.action = named.or_else(fewest).map(|(column, why)| {
            let told: Vec<String> = sample.words(column).iter().take(12).map(|(word, count)| format!("{word} {count}")).collect();
            Guessed { column, why: format!("{why}: {}", told.join(", ")) }
        });
    }
}
