//! Names that a guessed map may write: each once, and none that PDDL or the map reads as something
//! else.

use std::collections::BTreeSet;

use super::profile::LogSample;
use super::roles::tokens;
use super::sides::StateSide;
use crate::names::{is_name, is_reserved, named};

/// Names that are taken, whatever their letter case.
#[derive(Default)]
pub(super) struct Taken(BTreeSet<String>);

impl Taken {
    /// A name for a word that nothing else has.
    pub fn fresh(&mut self, word: &str, prefix: &str) -> String {
        let mut stem = named(word, prefix);
        stem.truncate(stem.trim_end_matches('-').len().max(1));
        if is_reserved(&stem) {
            stem = format!("{prefix}-{stem}");
        }
        let numbered = (2..).map(|number: usize| format!("{stem}-{number}"));
        let free = std::iter::once(stem.clone())
            .chain(numbered)
            .find(|name| self.0.insert(name.to_ascii_lowercase()));
        free.unwrap_or(stem)
    }
}

/// Whether a map can name a column of the state: braces stand for objects.
pub(super) fn is_key(name: &str) -> bool {
    !name.is_empty() && !name.contains(['{', '}'])
}

/// Whether a map can name a column of objects: ` - ` comes before a type, `(` begins a fact, and
/// blanks around a name do not count.
pub(super) fn is_source(name: &str) -> bool {
    !name.is_empty() && !name.contains(" - ") && !name.starts_with('(') && name.trim() == name
}

fn variable_of(name: &str) -> String {
    if is_name(name) { name.to_owned() } else { named(name, "p") }
}

/// The variable that means a column of objects in facts, if one does.
pub(super) fn variable(sample: &LogSample, objects: &[usize], column: usize) -> Option<String> {
    let own = variable_of(sample.columns.name(column));
    let is_only = objects
        .iter()
        .all(|&other| other == column || variable_of(sample.columns.name(other)) != own);
    (is_only && own != "cell" && is_source(sample.columns.name(column))).then_some(own)
}

/// Words that mean the state before where the column of the state after is there, too.
const EARLIER: [&str; 5] = ["prev", "previous", "pre", "old", "last"];
/// Words that mean the state after where the column of the state before is there, too.
const LATER: [&str; 4] = ["next", "post", "new", "nxt"];

/// Whether a name may say a side, but the column of the other side is not there.
pub(super) fn may_be_sided(sample: &LogSample, column: usize) -> bool {
    let name = sample.columns.name(column);
    side_of(sample, column).is_none()
        && (without(name, &EARLIER).is_some() || without(name, &LATER).is_some())
}

/// The side that the name of a column says, and the name without that.
///
/// `before` and `after` say it by themselves, also of nested columns (`before.stock`). Other words
/// do where the column of the other side is there, too: `obs` and `next_obs`, `prev_x` and `new_x`.
pub(super) fn side_of(sample: &LogSample, column: usize) -> Option<(StateSide, String)> {
    let name = sample.columns.name(column);
    if let Some((word, base)) = without(name, &["before", "after"]) {
        return Some((if word == "before" { StateSide::Before } else { StateSide::After }, base));
    }
    let others: Vec<&str> = (0..sample.columns.len())
        .filter(|&other| other != column)
        .map(|other| sample.columns.name(other))
        .collect();
    if let Some((_, base)) = without(name, &EARLIER) {
        return (have_base(&others, &base, &LATER) || have_base(&others, &base, &["after"]))
            .then_some((StateSide::Before, base));
    }
    if let Some((_, base)) = without(name, &LATER) {
        return (have_base(&others, &base, &EARLIER)
            || have_base(&others, &base, &["before"])
            || others.iter().any(|other| other.eq_ignore_ascii_case(&base)))
        .then_some((StateSide::After, base));
    }
    let is_before = have_base(&others, name, &LATER)
        && !have_base(&others, name, &EARLIER)
        && !have_base(&others, name, &["before"]);
    is_before.then(|| (StateSide::Before, name.to_owned()))
}

/// Whether one of some names is the base with one of these words before or after it.
fn have_base(names: &[&str], base: &str, words: &[&str]) -> bool {
    names
        .iter()
        .any(|name| without(name, words).is_some_and(|(_, found)| found.eq_ignore_ascii_case(base)))
}

/// A name without the first or last word of it, if that is one of some.
fn without(name: &str, words: &[&str]) -> Option<(String, String)> {
    let parts = tokens(name);
    if parts.len() < 2 {
        return None;
    }
    let (first, last) = (parts.first()?, parts.last()?);
    if words.contains(&first.as_str())
        && let Some(rest) = name.get(first.len()..)
        && name[..first.len()].eq_ignore_ascii_case(first)
    {
        return Some((first.clone(), without_separators(rest)));
    }
    if words.contains(&last.as_str())
        && let Some(start) = name.len().checked_sub(last.len())
        && let Some(rest) = name.get(..start)
        && name[start..].eq_ignore_ascii_case(last)
    {
        return Some((last.clone(), without_separators(rest)));
    }
    // `state.before.x`: within a path.
    let inner = name.split('.').position(|part| words.contains(&part))?;
    let base: Vec<&str> = name
        .split('.')
        .enumerate()
        .filter(|(place, _)| *place != inner)
        .map(|(_, part)| part)
        .collect();
    Some((name.split('.').nth(inner)?.to_owned(), base.join(".")))
}

fn without_separators(rest: &str) -> String {
    rest.trim_matches(['_', '-', '.', ':', '/', ' ']).to_owned()
}
