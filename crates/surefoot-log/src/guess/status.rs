//! Which column says how an attempt went, and which of its words mean success.
//!
//! Words decide where they mean nothing else (`ok`, `E_BATT`), names where the words alone could
//! mean either (`1` of `success`, `0` of `rc`). Where neither does, it is a question: that what
//! failed leaves the world as it was does not tell, since rows in which `1` worked and that show
//! the state before look like rows in which `0` worked and that show the state after.

use std::collections::BTreeMap;

use super::MapQuestion;
use super::profile::{CellFormat, LogSample};
use super::roles::{Guessed, Roles, is_called, tokens};
use super::sides::{SideEvidence, Tracked};

/// The words of success and of failure; an empty word is the empty cell.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct StatusWords {
    pub ok: Vec<String>,
    pub failed: Vec<String>,
}

impl StatusWords {
    pub fn of(&self, cell: Option<&str>) -> Option<bool> {
        let cell = cell.unwrap_or("");
        if self.ok.iter().any(|word| word == cell) {
            Some(true)
        } else if (self.failed.iter()).any(|word| word == cell || !cell.is_empty() && word == "*") {
            Some(false)
        } else {
            None
        }
    }
}

const SUCCESSES: [&str; 8] =
    ["ok", "success", "succeeded", "successful", "worked", "pass", "passed", "succeed"];
const FAILURES: [&str; 8] =
    ["error", "err", "failed", "failure", "fail", "fault", "exception", "errmsg"];
const CODES: [&str; 8] =
    ["rc", "errno", "ret", "retcode", "returncode", "exit", "exitcode", "errorcode"];
const OUTCOMES: [&str; 5] = ["status", "result", "outcome", "verdict", "response"];
/// Those of them that name what became of an attempt, and no state.
const FAILED_ATTEMPTS: [&str; 3] = ["failed", "failure", "fail"];
/// Names of reasons of failures, and of other things.
const REASONS: [&str; 5] = ["reason", "cause", "alarm", "code", "message"];

const GOOD: [&str; 15] = [
    "ok",
    "okay",
    "success",
    "succeeded",
    "successful",
    "done",
    "completed",
    "complete",
    "pass",
    "passed",
    "finished",
    "accepted",
    "worked",
    "executed",
    "good",
];
const BAD: [&str; 22] = [
    "failed",
    "fail",
    "failure",
    "error",
    "err",
    "aborted",
    "abort",
    "rejected",
    "nok",
    "ko",
    "not ok",
    "not_ok",
    "refused",
    "denied",
    "timeout",
    "exception",
    "invalid",
    "unsuccessful",
    "impossible",
    "cancelled",
    "canceled",
    "bad",
];
/// In a column of errors: that there was none.
const NO_ERROR: [&str; 8] = ["none", "-", "no", "no_error", "no error", "noerror", "0", "false"];

/// What a word means by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordVerdict {
    Good,
    Bad,
    /// Yes and no, one and zero: of what, the name of the column says.
    Plain(bool),
    Other,
}

fn meaning(word: &str) -> WordVerdict {
    let word = word.to_lowercase();
    let begins = [
        "e_", "e-", "err_", "err-", "error_", "error-", "error ", "fail_", "failed_", "failed ",
        "failed:", "error:",
    ];
    if GOOD.contains(&&*word) {
        WordVerdict::Good
    } else if BAD.contains(&&*word)
        || begins.iter().any(|start| word.starts_with(start))
        || ["e", "err", "error"]
            .iter()
            .any(|start| word.strip_prefix(start).is_some_and(crate::table::is_digits))
    {
        WordVerdict::Bad
    } else if matches!(&*word, "true" | "yes" | "1" | "1.0" | "y" | "t") {
        WordVerdict::Plain(true)
    } else if matches!(&*word, "false" | "no" | "0" | "0.0" | "n" | "f") {
        WordVerdict::Plain(false)
    } else {
        WordVerdict::Other
    }
}

/// A column that may be the status.
struct StatusCandidate {
    column: usize,
    verdicts: StatusWords,
    /// Why it is doubted.
    doubt: Option<&'static str>,
    /// Whether its name says so.
    is_named: bool,
}

/// Finds the status, its words, and the column that says why something failed.
pub(super) fn find(sample: &LogSample, roles: &mut Roles) {
    let mut candidates: Vec<StatusCandidate> =
        (0..sample.columns.len()).filter_map(|column| candidate(sample, column)).collect();
    candidates.sort_by_key(|candidate| {
        (candidate.doubt.is_some(), !candidate.is_named, candidate.column)
    });
    let mut candidates = candidates.into_iter();
    let Some(best) = candidates.next() else { return ask_for_status(sample, roles) };
    let name = sample.columns.name(best.column);
    let shown: Vec<String> = sample
        .words(best.column)
        .iter()
        .take(20)
        .map(|(word, count)| format!("{word} {count}"))
        .collect();
    let empty = sample.rows - sample.filled(best.column).count();
    let of_empty = if empty > 0 { format!(", empty {empty}") } else { String::new() };
    let why = format!("words of success and failure: {}{of_empty}", shown.join(", "));
    if let Some(doubt) = best.doubt {
        let text = format!(
            "Which words of `{name}` mean that an attempt worked ({}{of_empty})? {doubt}. This map \
             takes {} for success and {} for failure. Correct \
             `status`; if `{name}` does not say whether attempts worked, delete `status` and list \
             the column elsewhere.",
            shown.join(", "),
            list_of_words(&best.verdicts.ok),
            list_of_words(&best.verdicts.failed),
        );
        roles.questions.push(MapQuestion { name: "status".to_owned(), text });
    }
    for other in candidates {
        let differs = (0..sample.rows).find(|&row| {
            let both = (best.verdict(sample, row), other.verdict(sample, row));
            matches!(both, (Some(one), Some(other)) if one != other)
        });
        match differs {
            None if other.doubt.is_none() => {
                // The column of reasons is worth more than one that says the same.
                if roles.error.is_none() && is_called(sample.columns.name(other.column), &FAILURES)
                {
                    roles.error = Some(other.column);
                } else {
                    roles.repeated.push(other.column);
                }
            }
            Some(row)
                if other.doubt.is_none()
                    && other.is_named
                    && best.doubt.is_none()
                    && !roles.asks("status") =>
            {
                let text = format!(
                    "Which column says whether an attempt worked, `{name}` or `{}`? At line {} one \
                     says that it worked and the other that it failed. This map \
                     reads `{name}`.",
                    sample.columns.name(other.column),
                    sample.lines[row],
                );
                roles.questions.push(MapQuestion { name: "status".to_owned(), text });
            }
            _ => {}
        }
    }
    if roles.error.is_none() && best.doubt.is_none() {
        roles.error = (0..sample.columns.len()).find(|&error| {
            error != best.column
                && !roles.repeated.contains(&error)
                && (is_called(sample.columns.name(error), &FAILURES)
                    || is_called(sample.columns.name(error), &REASONS))
                && (0..sample.rows).all(|row| {
                    sample.cell(error, row).is_none() || best.verdict(sample, row) == Some(false)
                })
        });
    }
    roles.verdicts = best.verdicts;
    roles.status = Some(Guessed { column: best.column, why });
}

/// Without a status every row counts as one that worked. So a column with words of failure, or with
/// the name and the words of a status, is a question, whatever else it may be read as.
fn ask_for_status(sample: &LogSample, roles: &mut Roles) {
    for column in 0..sample.columns.len() {
        let name = sample.columns.name(column);
        let words = CountedWords(sample.words(column));
        let may_be_status = words.any_means(WordVerdict::Bad)
            || words.len() > 1 && words.any_means(WordVerdict::Good)
            || NameHints::of(name).is_named()
                && words.iter().any(|word| meaning(word) != WordVerdict::Other);
        if !(1..=40).contains(&words.len()) || !may_be_status {
            continue;
        }
        let shown: Vec<String> =
            words.0.iter().take(20).map(|(word, count)| format!("{word} {count}")).collect();
        let text = format!(
            "Does `{name}` say whether an attempt worked ({})? This map counts every row as one \
             that worked. If `{name}` says so, add `status = {{ column = \"{name}\", ok = [..], \
             failed = [..] }}` and list the column nowhere else.",
            shown.join(", ")
        );
        roles.questions.push(MapQuestion { name: "status".to_owned(), text });
    }
}

/// A column with two words may be the status although neither its name nor its words say so. Then
/// no rule of actions says when the column itself changes, as for a state, and nothing changes in
/// the rows with one of the words.
pub(super) fn ask_for_marks(sample: &LogSample, roles: &mut Roles) {
    if roles.status.is_some() || roles.asks("status") {
        return;
    }
    let columns = (0..sample.columns.len()).filter(|&column| !roles.has(column));
    let marks: Vec<(usize, String)> = columns
        .filter_map(|column| Some((column, still_word(sample, roles, column)?.to_owned())))
        .collect();
    for (column, word) in marks {
        let name = sample.columns.name(column);
        let shown: Vec<String> =
            sample.words(column).iter().map(|(word, count)| format!("{word} {count}")).collect();
        let still = match &*word {
            "" => "is empty".to_owned(),
            word => format!("is {word}"),
        };
        let text = format!(
            "Does `{name}` say whether an attempt worked ({})? No state changes where it {still}. \
             This map counts every row as one that worked. If `{name}` says so, add `status = {{ \
             column = \"{name}\", ok = [..], failed = [..] }}` and list the column nowhere else.",
            shown.join(", "),
        );
        roles.questions.push(MapQuestion { name: "status".to_owned(), text });
    }
}

/// Whether all rows of an action fill a column, or none: as a parameter of it.
fn is_by_action(sample: &LogSample, roles: &Roles, column: usize) -> bool {
    let Some(action) = roles.action.as_ref().map(|action| action.column) else { return true };
    let mut filled: BTreeMap<Option<&str>, bool> = BTreeMap::new();
    (0..sample.rows).all(|row| {
        let is_filled = sample.cell(column, row).is_some();
        *filled.entry(sample.cell(action, row)).or_insert(is_filled) == is_filled
    })
}

/// The word of a column with two words with which no state changes, unless actions say when the
/// column changes.
fn still_word<'s>(sample: &'s LogSample, roles: &Roles, column: usize) -> Option<&'s str> {
    let words = sample.words(column);
    let empty = sample.rows - sample.filled(column).count();
    let words = match (&words[..], empty) {
        (&[(one, _), (other, _)], 0) => [one, other],
        (&[(only, _)], 1..) => [only, ""],
        _ => return None,
    };
    let evidence = SideEvidence::new(sample, roles, &[]);
    let owners: Vec<Option<usize>> = (0..sample.columns.len())
        .filter(|&owner| {
            owner != column
                && !roles.has(owner)
                && sample.looks(owner) == CellFormat::Word
                && sample.filled(owner).count() == sample.rows
        })
        .map(Some)
        .chain([None])
        .collect();
    // An empty cell is a word here, and no rule says when a cell is empty.
    let is_whole = !words.contains(&"");
    let is_ruled = |&owner: &Option<usize>| evidence.may_be_ruled(Tracked { column, owner });
    if is_whole && owners.iter().any(is_ruled) || !is_whole && is_by_action(sample, roles, column) {
        return None;
    }
    owners.into_iter().find_map(|owner| {
        let pairs = evidence.pairs(owner);
        let states: Vec<usize> = (0..sample.columns.len())
            .filter(|&other| other != column && Some(other) != owner && !roles.has(other))
            .filter(|&other| sample.filled(other).count() == sample.rows)
            .filter(|&other| {
                let stays = pairs
                    .iter()
                    .filter(|&&(earlier, row)| {
                        sample.cell(other, earlier) == sample.cell(other, row)
                    })
                    .count();
                stays * 2 > pairs.len()
            })
            .collect();
        let is_still = |word: &str, state: usize, after: bool| {
            pairs.iter().all(|&(earlier, row)| {
                let by = if after { row } else { earlier };
                sample.cell(column, by).unwrap_or("") != word
                    || sample.cell(state, earlier) == sample.cell(state, row)
            })
        };
        words.into_iter().filter(|_| !states.is_empty()).find(|&word| {
            states.iter().all(|&state| is_still(word, state, true) || is_still(word, state, false))
        })
    })
}

impl StatusCandidate {
    /// Whether the attempt of a row worked, if the column is the status.
    fn verdict(&self, sample: &LogSample, row: usize) -> Option<bool> {
        self.verdicts.of(sample.cell(self.column, row))
    }
}

fn list_of_words(words: &[String]) -> String {
    if words.is_empty() {
        return "nothing".to_owned();
    }
    let words = words.iter().map(|word| match &**word {
        "" => "the empty cell".to_owned(),
        word => format!("`{word}`"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The words of a column, each with how many cells have it.
struct CountedWords<'s>(Vec<(&'s str, usize)>);

impl CountedWords<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.iter().map(|(word, _)| *word)
    }

    fn all_mean(&self, test: impl Fn(WordVerdict) -> bool) -> bool {
        self.iter().all(|word| test(meaning(word)))
    }

    fn any_means(&self, wanted: WordVerdict) -> bool {
        self.iter().any(|word| meaning(word) == wanted)
    }

    /// The words of success, and the others.
    fn split(&self, is_ok: impl Fn(&str) -> bool) -> StatusWords {
        let (ok, failed) = self.iter().map(str::to_owned).partition(|word: &String| is_ok(word));
        StatusWords { ok, failed }
    }
}

fn is_plain(word: WordVerdict) -> bool {
    matches!(word, WordVerdict::Plain(_))
}

fn says_yes(word: &str) -> bool {
    meaning(word) == WordVerdict::Plain(true)
}

/// What the name of a column says of the status.
struct NameHints {
    of_success: bool,
    of_failure: bool,
    is_code: bool,
    of_outcome: bool,
}

impl NameHints {
    fn of(name: &str) -> NameHints {
        let is_code = is_called(name, &CODES)
            || tokens(name).iter().any(|token| FAILURES.contains(&&**token))
                && is_called(name, &["code"]);
        NameHints {
            of_success: is_called(name, &SUCCESSES),
            of_failure: is_called(name, &FAILURES) && !is_code,
            is_code,
            of_outcome: is_called(name, &OUTCOMES),
        }
    }

    fn is_named(&self) -> bool {
        self.of_success || self.of_failure || self.is_code || self.of_outcome
    }
}

fn candidate(sample: &LogSample, column: usize) -> Option<StatusCandidate> {
    let hints = NameHints::of(sample.columns.name(column));
    let (verdicts, doubt) = status_words(sample, column, &hints)?;
    Some(StatusCandidate { column, verdicts, doubt, is_named: hints.is_named() })
}

/// The words of success and of failure of a column that may be the status, and why it is doubted.
fn status_words(
    sample: &LogSample,
    column: usize,
    hints: &NameHints,
) -> Option<(StatusWords, Option<&'static str>)> {
    let name = sample.columns.name(column);
    let words = CountedWords(sample.words(column));
    if !(1..=40).contains(&words.len()) {
        return None;
    }
    let empty = sample.rows - sample.filled(column).count();
    let &NameHints { of_success, of_failure, is_code, of_outcome } = hints;
    let is_named = hints.is_named();
    let are_numbers = sample.looks(column).is_number();

    if of_failure {
        // Errors: empty, none or zero where there was none.
        let mut verdicts = words.split(|word| {
            NO_ERROR.contains(&&*word.to_lowercase()) || meaning(word) == WordVerdict::Good
        });
        if empty > 0
            && verdicts.ok.is_empty()
            && !verdicts.failed.is_empty()
            && !words.all_mean(is_plain)
        {
            verdicts.ok.push(String::new());
            if sample.cut {
                verdicts.failed = vec!["*".to_owned()];
            }
            return Some((verdicts, None));
        }
        let is_flag = words.all_mean(is_plain) && empty == 0;
        if empty == 0 && !verdicts.ok.is_empty() && (is_flag || !are_numbers) {
            // A robot may have a fault, whatever becomes of its attempts.
            let doubt = (is_flag && !is_called(name, &FAILED_ATTEMPTS))
                .then_some("It may be a state of whoever acts, which says nothing of attempts");
            return Some((verdicts, doubt));
        }
        return None;
    }
    if is_called(name, &REASONS)
        && !is_named
        && empty > 0
        && !are_numbers
        && words.all_mean(|word| matches!(word, WordVerdict::Bad | WordVerdict::Other))
    {
        let mut verdicts = words.split(|_| false);
        verdicts.ok.push(String::new());
        return words
            .any_means(WordVerdict::Bad)
            .then_some((verdicts, Some("An empty cell may mean that nothing failed")));
    }
    if empty * 10 > sample.rows {
        return None;
    }
    if words.all_mean(|word| matches!(word, WordVerdict::Good | WordVerdict::Bad)) {
        let verdicts = words.split(|word| meaning(word) == WordVerdict::Good);
        let both = !verdicts.ok.is_empty() && !verdicts.failed.is_empty();
        return match (is_named, both) {
            (true, _) if !verdicts.ok.is_empty() => Some((verdicts, None)),
            (true, _) => Some((verdicts, Some("None of its words means success"))),
            (false, true) => {
                Some((verdicts, Some("Its name does not say that it is about attempts")))
            }
            (false, false) => None,
        };
    }
    if words.all_mean(is_plain) {
        let zero_is_ok = words.split(|word| !says_yes(word));
        return match () {
            () if of_success => Some((words.split(says_yes), None)),
            () if is_code => Some((zero_is_ok, None)),
            () if !of_outcome => None,
            () if words.len() == 2 => {
                let is_zero = is_still(sample, column, true) && !is_still(sample, column, false);
                Some((
                    if is_zero { zero_is_ok } else { words.split(says_yes) },
                    Some("Either may be the word of success"),
                ))
            }
            () => Some((words.split(says_yes), Some("Its one word may mean success or failure"))),
        };
    }
    let codes = words.iter().filter(|word| meaning(word) != WordVerdict::Plain(false));
    let has_zero = words.any_means(WordVerdict::Plain(false));
    if has_zero && codes.clone().all(|word| meaning(word) == WordVerdict::Bad) {
        let doubt = (!is_named && !is_called(name, &REASONS))
            .then_some("Its name does not say that it is about attempts");
        return Some((words.split(|word| meaning(word) == WordVerdict::Plain(false)), doubt));
    }
    if words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')) {
        if (is_named || is_called(name, &["code", "http"]))
            && words.iter().all(|word| word.len() == 3 && matches!(word.as_bytes()[0], b'1'..=b'5'))
        {
            let verdicts = words.split(|word| word.starts_with('2'));
            let known = words.iter().all(|word| matches!(word.as_bytes()[0], b'2' | b'4' | b'5'));
            if !verdicts.ok.is_empty() {
                return Some((
                    verdicts,
                    (!known).then_some("Not all of its words are HTTP codes of success or failure"),
                ));
            }
        }
        let verdicts = words.split(|word| meaning(word) == WordVerdict::Plain(false));
        return match () {
            () if is_code && has_zero => Some((verdicts, None)),
            () if has_zero && (of_outcome || is_called(name, &["code"])) && words.len() <= 8 => {
                Some((verdicts, Some("Zero may mean success")))
            }
            () => None,
        };
    }
    if !matches!(sample.looks(column), CellFormat::Word | CellFormat::Constant)
        || words.len() > 20
        || !is_named && !words.any_means(WordVerdict::Good)
    {
        return None;
    }
    let is_good = |word: &str| meaning(word) == WordVerdict::Good || of_success && says_yes(word);
    let has_good = words.iter().any(is_good);
    if !is_named && !words.any_means(WordVerdict::Bad) {
        return None;
    }
    let most = words.0.iter().max_by_key(|(_, count)| *count).map_or("", |(word, _)| *word);
    let verdicts = if has_good { words.split(is_good) } else { words.split(|word| word == most) };
    Some((verdicts, Some("What some of its words mean is not clear")))
}

/// Whether some number never changes in (or after) rows with one of two words, while it often does
/// with the other.
fn is_still(sample: &LogSample, column: usize, word: bool) -> bool {
    let numbers: Vec<usize> = (0..sample.columns.len())
        .filter(|&other| other != column && sample.looks(other).is_number())
        .collect();
    let owners = (0..sample.columns.len())
        .filter(|&owner| {
            sample.looks(owner) == CellFormat::Word && sample.filled(owner).count() == sample.rows
        })
        .map(Some);
    owners.chain([None]).any(|owner| {
        let pairs = sample.pairs(None, owner);
        numbers.iter().any(|&number| {
            [true, false].into_iter().any(|after| {
                let (mut with, mut moved, mut elsewhere) = (0usize, 0usize, 0usize);
                for &(earlier, row) in &pairs {
                    let said = sample.cell(column, if after { row } else { earlier }).map(meaning);
                    let moves =
                        usize::from(sample.cell(number, earlier) != sample.cell(number, row));
                    if said == Some(WordVerdict::Plain(word)) {
                        with += 1;
                        moved += moves;
                    } else {
                        elsewhere += moves;
                    }
                }
                with >= 5 && moved == 0 && elsewhere >= 5
            })
        })
    })
}
