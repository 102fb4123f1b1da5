//! Which columns say when, in which episode, what was done, and how it went.

use std::cmp::Ordering;

use surefoot_base::exact::Rational;
use surefoot_base::pddl::Numbers;

use super::MapQuestion;
use super::profile::{CellFormat, LogSample};
use super::status::{self, StatusWords};
use crate::table::number;
use crate::time::Time;

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
    pub verdicts: StatusWords,
    /// The column that says why something failed.
    pub error: Option<usize>,
    /// Columns that say the same as the status.
    pub repeated: Vec<usize>,
    pub questions: Vec<MapQuestion>,
}

const TIMES: [&str; 9] =
    ["timestamp", "time", "datetime", "date", "ts", "t", "when", "clock", "at"];
/// Names of times, and of nothing else.
const CLEAR_TIMES: [&str; 6] = ["timestamp", "time", "datetime", "date", "ts", "clock"];
/// Words beside them that leave it a time.
const BESIDE_TIMES: [&str; 12] =
    ["utc", "unix", "epoch", "s", "ms", "us", "ns", "sec", "seconds", "event", "log", "row"];
/// How often rows of different objects must follow each other to show that a number rises
/// whatever the object.
const TURNS: usize = 5;
/// Names that mean an episode and nothing else.
const CLEAR_EPISODES: [&str; 5] = ["episode", "ep", "rollout", "trace", "trial"];
const EPISODES: [&str; 15] = [
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
    "batch",
];
/// Names of nothing but actions.
const ACTIONS: [&str; 9] =
    ["action", "activity", "command", "cmd", "verb", "operation", "op", "act", "instruction"];
/// Names of actions, and of other things.
const PERHAPS_ACTIONS: [&str; 8] =
    ["event", "task", "do", "what", "method", "request", "procedure", "concept"];
/// Next to one of these words, a name does not mean what the row itself did.
const OTHER_ROWS: [&str; 6] = ["last", "next", "prev", "previous", "count", "number"];

/// The words that a name is made of: `event_type`, `run-id`, `caseName`, `case:name`.
pub(super) fn tokens(name: &str) -> Vec<String> {
    let mut tokens: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && was_lower {
            tokens.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = tokens.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// Whether the first or the last word of a name is one of some words.
pub(super) fn is_called(name: &str, words: &[&str]) -> bool {
    let tokens = tokens(name);
    [tokens.first(), tokens.last()]
        .into_iter()
        .flatten()
        .any(|token| words.contains(&token.as_str()))
}

impl Roles {
    pub fn of(sample: &LogSample) -> Roles {
        let mut roles = Roles::default();
        status::find(sample, &mut roles);
        roles.episode(sample);
        roles.action(sample);
        roles.time(sample);
        status::ask_for_marks(sample, &mut roles);
        roles
    }

    pub fn has(&self, column: usize) -> bool {
        let taken = [&self.time, &self.episode, &self.action, &self.status];
        taken.into_iter().flatten().any(|guessed| guessed.column == column)
            || self.error == Some(column)
            || self.repeated.contains(&column)
    }

    /// Whether a question is open, by its name.
    pub fn asks(&self, name: &str) -> bool {
        self.questions.iter().any(|question| question.name == name)
    }

    /// Whether what a row tried worked; `None` where the log does not say.
    pub fn worked(&self, sample: &LogSample, row: usize) -> Option<bool> {
        match &self.status {
            None => Some(true),
            Some(status) => self.verdicts.of(sample.cell(status.column, row)),
        }
    }

    fn time(&mut self, sample: &LogSample) {
        let free: Vec<usize> = (0..sample.columns.len())
            .filter(|&column| !self.has(column) && self.never_goes_back(sample, column))
            .collect();
        let dated = free.iter().copied().find(|&column| sample.looks(column) == CellFormat::Time);
        if let Some(column) = dated {
            self.time = Some(Guessed { column, why: "it has dates or times".to_owned() });
            return;
        }
        let named = |column: &usize| {
            is_called(sample.columns.name(*column), &TIMES) && sample.looks(*column).is_number()
        };
        let candidates: Vec<usize> = free.into_iter().filter(named).collect();
        let sure = candidates.iter().copied().find(|&column| self.is_surely_time(sample, column));
        let Some(column) = sure.or_else(|| candidates.first().copied()) else { return };
        if sure.is_none() {
            let name = sample.columns.name(column);
            let text = format!(
                "Is `{name}` the time of a row, or part of the state? Its name may say a time, and \
                 its numbers never fall in an episode, but numbers of a state may do so, too. This \
                 map takes it for the time. If it is part of the state, delete `time` and list \
                 `{name}` under [before] or [after]."
            );
            self.questions.push(MapQuestion { name: name.to_owned(), text });
        }
        let why = "by its name, and it never goes back in an episode".to_owned();
        self.time = Some(Guessed { column, why });
    }

    /// Whether the cells of a column of numbers that never fall say that it is a time.
    fn is_surely_time(&self, sample: &LogSample, column: usize) -> bool {
        let name = tokens(sample.columns.name(column));
        let is_clear = name.iter().any(|token| CLEAR_TIMES.contains(&&**token))
            && name
                .iter()
                .all(|token| CLEAR_TIMES.contains(&&**token) || BESIDE_TIMES.contains(&&**token));
        is_clear && (sample.looks_like_epoch(column) || self.rises(sample, column))
            || self.rises_by_itself(sample, column)
            || self.counts_rows(sample, column)
    }

    /// Whether a column is greater by one in each row than in the row before it of its episode, and
    /// several actions occur: no action has a share in that.
    fn counts_rows(&self, sample: &LogSample, column: usize) -> bool {
        let Some(action) = &self.action else { return false };
        let episode = self.episode.as_ref().map(|guessed| guessed.column);
        let pairs = sample.pairs(episode, None);
        let read = |row: usize| number(Numbers::Exact, sample.cell(column, row)?).ok();
        sample.words(action.column).len() > 1
            && !pairs.is_empty()
            && pairs.into_iter().all(|(earlier, row)| {
                read(earlier).zip(read(row)).is_some_and(|(from, to)| &to - &from == Rational::ONE)
            })
    }

    /// Whether a column has a greater number in each row than in the row before it of its episode.
    pub fn rises(&self, sample: &LogSample, column: usize) -> bool {
        let episode = self.episode.as_ref().map(|guessed| guessed.column);
        let pairs = sample.pairs(episode, None);
        let time = |row: usize| sample.cell(column, row).map(Time::read);
        !pairs.is_empty()
            && pairs.into_iter().all(|(earlier, row)| {
                time(earlier).zip(time(row)).is_some_and(|(earlier, time)| {
                    time.compare(&earlier) == Some(Ordering::Greater)
                })
            })
    }

    /// Whether a column rises from row to row, whatever is done and whatever it is done to. The
    /// number of one object rises only in its own rows, so rows of several must come in turn.
    pub fn rises_by_itself(&self, sample: &LogSample, column: usize) -> bool {
        let Some(action) = &self.action else { return false };
        let episode = self.episode.as_ref().map(|guessed| guessed.column);
        let pairs = sample.pairs(episode, None);
        let mut objects = (0..sample.columns.len())
            .filter(|&other| {
                other != column
                    && !self.has(other)
                    && matches!(sample.looks(other), CellFormat::Word | CellFormat::Count)
                    && sample.filled(other).count() == sample.rows
            })
            .peekable();
        let turns = |object: usize| {
            let differs = |&&(one, other): &&(usize, usize)| {
                sample.cell(object, one) != sample.cell(object, other)
            };
            pairs.iter().filter(differs).count()
        };
        sample.words(action.column).len() > 1
            && objects.peek().is_some()
            && objects.all(|object| turns(object) >= TURNS)
            && self.rises(sample, column)
    }

    fn never_goes_back(&self, sample: &LogSample, column: usize) -> bool {
        let episode = self.episode.as_ref().map(|guessed| guessed.column);
        let times: Vec<Option<Time>> =
            (0..sample.rows).map(|row| sample.cell(column, row).map(Time::read)).collect();
        sample.pairs(episode, None).into_iter().all(|(earlier, row)| {
            match (&times[earlier], &times[row]) {
                (Some(earlier), Some(time)) => {
                    time.compare(earlier).is_some_and(|order| order != Ordering::Less)
                }
                _ => true,
            }
        })
    }

    fn episode(&mut self, sample: &LogSample) {
        let candidates: Vec<usize> = (0..sample.columns.len())
            .filter(|&column| !self.has(column) && sample.filled(column).count() == sample.rows)
            .collect();
        let named = candidates.iter().copied().find(|&column| {
            is_called(sample.columns.name(column), &EPISODES)
                && sample.words(column).len() * 2 < sample.rows.max(2)
        });
        let found = named.map(|column| (column, "by its name")).or_else(|| {
            let stretches = candidates.iter().copied().find(|&column| {
                let count = sample.words(column).len();
                count > 1
                    && count * 8 < sample.rows
                    && matches!(sample.looks(column), CellFormat::Word | CellFormat::Count)
                    && !is_called(sample.columns.name(column), &ACTIONS)
                    && sample.is_in_stretches(column)
            });
            stretches
                .map(|column| (column, "the rows of each of its words come one after the other"))
        });
        if let (None, Some((column, _))) = (named, found) {
            let name = sample.columns.name(column);
            let text = format!(
                "Does `{name}` identify episodes? The rows of each of its words come one \
                 after the other, as those of a state do that is left only once. This map \
                 reads it so. If it is a state, delete `episode` and list `{name}` under \
                 [before] or [after]."
            );
            self.questions.push(MapQuestion { name: "episode".to_owned(), text });
        }
        if let Some(column) = named
            && !sample.is_in_stretches(column)
            && !is_called(sample.columns.name(column), &CLEAR_EPISODES)
        {
            let name = sample.columns.name(column);
            let text = format!(
                "Does `{name}` identify episodes? Rows with different words of it alternate, as \
                 those of an object do that actions are about. This map reads it as the episode, \
                 by its name. If it names an object, delete `episode`, list `{name}` under \
                 [objects], and add it to the parameters of the actions."
            );
            self.questions.push(MapQuestion { name: "episode".to_owned(), text });
        }
        self.episode = found.map(|(column, why)| Guessed {
            column,
            why: format!("{why}; {} of them", sample.words(column).len()),
        });
    }

    /// Whether the cells of a column may name actions; `strictly`: they are words.
    fn may_be_action(&self, sample: &LogSample, column: usize, strictly: bool) -> bool {
        let looks = sample.looks(column);
        !self.has(column)
            && sample.filled(column).count() * 2 > sample.rows
            && (1..=60).contains(&sample.words(column).len())
            && (matches!(looks, CellFormat::Word | CellFormat::Constant)
                || !strictly && matches!(looks, CellFormat::Count | CellFormat::Flag))
    }

    /// The columns that may name the action of their own row and have one of these names.
    fn actions_called(&self, sample: &LogSample, names: &[&str]) -> Vec<usize> {
        let mut columns: Vec<usize> = (0..sample.columns.len()).collect();
        columns.retain(|&column| {
            let name = sample.columns.name(column);
            is_called(name, names)
                && !tokens(name).iter().any(|token| OTHER_ROWS.contains(&&**token))
                && self.may_be_action(sample, column, false)
        });
        columns
    }

    /// The column of actions has a name that means nothing else, or a name that often means it, if
    /// no other column has such a name. Anything else is a question: the words of a column do not
    /// say what it means.
    fn action(&mut self, sample: &LogSample) {
        let (surely, perhaps) =
            (self.actions_called(sample, &ACTIONS), self.actions_called(sample, &PERHAPS_ACTIONS));
        // Of `action` and `action_kind`, the one that is called nothing else.
        let plain: Vec<usize> = surely
            .iter()
            .copied()
            .filter(|&column| tokens(sample.columns.name(column)).len() == 1)
            .collect();
        let by_contents: Vec<usize> = (0..sample.columns.len())
            .filter(|&column| self.may_be_action(sample, column, true))
            .collect();
        let (column, why, rivals) = match (&surely[..], &plain[..], &perhaps[..]) {
            ([only], _, _) | (_, [only], _) => (*only, "by its name", Vec::new()),
            ([], _, [only]) => (*only, "by its name", Vec::new()),
            ([first, ..], _, _) | ([], _, [first, ..]) => {
                (*first, "by its name", if surely.is_empty() { perhaps } else { surely })
            }
            _ => {
                let Some(&fewest) =
                    by_contents.iter().min_by_key(|&&column| sample.words(column).len())
                else {
                    return;
                };
                (fewest, "it has the fewest words", by_contents)
            }
        };
        let some: Vec<String> = sample
            .words(column)
            .iter()
            .take(12)
            .map(|(word, count)| format!("{word} {count}"))
            .collect();
        self.action = Some(Guessed { column, why: format!("{why}: {}", some.join(", ")) });
        if !rivals.is_empty() {
            let rivals: Vec<String> = rivals
                .iter()
                .map(|&column| {
                    let some: Vec<&str> =
                        sample.words(column).into_iter().take(4).map(|(word, _)| word).collect();
                    format!("`{}` ({})", sample.columns.name(column), some.join(", "))
                })
                .collect();
            let text = format!(
                "Which column names what was done: {}? This map reads `{}`. If another one is \
                 right, write it after `action` and its words under [actions].",
                rivals.join(", "),
                sample.columns.name(column)
            );
            self.questions.push(MapQuestion { name: "action".to_owned(), text });
        }
    }
}
