//! A map for a log of which nothing is known: what it would be, with the reason of each guess beside it.
//!
//! A guess is a start for a person, never an assumption: it is written down, with what speaks for it, and read before it is used. It looks at the
//! names of columns, at what their cells look like, and at which cells stay from row to row of the same object; never at what the domain might
//! be about.

mod profile;
mod roles;
mod state;

use std::fmt::Write;

use surefoot::pddl::{Diagnostic, visible};

use crate::names::named;
use crate::table::Table;
use profile::Sample;
use roles::{Guessed, Roles};
use state::{State, neighbours};

/// The map that a log would be read with, as TOML with a comment on each guess.
///
/// # Errors
/// The table cannot be read, or nothing in it can be an action.
pub fn guess(table: &Table) -> Result<String, Diagnostic> {
    let sample = Sample::of(table)?;
    let roles = Roles::of(&sample);
    let Some(action) = &roles.action else {
        let message = "no column of this table can be what was done: it would have a few words that come again and again";
        return Err(Diagnostic::of_file(table.name(), message).help("write a map by hand; its key `action` names that column"));
    };
    let state = State::of(&sample, &roles);
    let mut text = String::new();
    let rows = if sample.cut { "its first rows" } else { "its rows" };
    let _ = writeln!(
        text,
        "# What the columns of {} seem to mean, guessed from {} of {rows}. Read each line before you use it.",
        visible(table.name()),
        sample.rows
    );
    let mut line = |key: &str, guessed: &Option<Guessed>| {
        if let Some(guessed) = guessed {
            let _ = writeln!(text, "{key} = {}  # {}", quoted(sample.columns.name(guessed.column)), visible(&guessed.why));
        }
    };
    line("time", &roles.time);
    line("episode", &roles.episode);
    line("action", &roles.action);
    status(&mut text, &sample, &roles);
    if !state.ignored.is_empty() {
        text.push_str("ignore = [  # columns of no interest\n");
        for (column, why) in &state.ignored {
            let _ = writeln!(text, "  {},  # {why}", quoted(sample.columns.name(*column)));
        }
        text.push_str("]\n");
    }
    if !state.types.is_empty() {
        text.push_str("\n[objects]  # columns that name many of the same objects are of one type\n");
        for (of, columns) in &state.types {
            let names: Vec<String> = columns.iter().map(|&column| quoted(sample.columns.name(column))).collect();
            let few: Vec<&str> = sample.words(columns[0]).into_iter().take(4).map(|(word, _)| word).collect();
            let _ = writeln!(text, "{of} = [{}]  # {}", names.join(", "), visible(&few.join(", ")));
        }
    }
    for (before, section) in [(true, "before"), (false, "after")] {
        let mut shown = state.shown.iter().filter(|shown| shown.before == before).peekable();
        if shown.peek().is_some() {
            let _ = writeln!(text, "\n[{section}]  # {}", state.why_after);
        }
        for shown in shown {
            let _ = writeln!(text, "{} = {}  # {}", quoted(&shown.key), quoted(&shown.fact), visible(&shown.why));
        }
    }
    actions(&mut text, &sample, &roles, &state, action.column);
    text.push_str(
        "\n# What the log does not record but you know, such as: held from pick until place.\n# [declared]\n# \"(holds ?robot ?item)\" = { from = \
         \"pick\", until = \"place\" }\n",
    );
    Ok(text)
}

fn status(text: &mut String, sample: &Sample, roles: &Roles) {
    let Some(status) = &roles.status else { return };
    let list = |words: &[String]| format!("[{}]", words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", "));
    if let Some(error) = roles.error {
        let name = sample.columns.name(error);
        let codes: Vec<String> = sample.words(error).iter().take(20).map(|(word, count)| format!("{word} {count}")).collect();
        let _ = writeln!(text, "# {} says why something failed: {}.", visible(name), visible(&codes.join(", ")));
        let _ = writeln!(
            text,
            "# Codes of what chance decides count neither way: add chance = {{ {} = [\"CODE\"] }} below.",
            quoted(name)
        );
    }
    let (column, ok, failed) = (quoted(sample.columns.name(status.column)), list(&roles.ok), list(&roles.failed));
    let _ = writeln!(text, "status = {{ column = {column}, ok = {ok}, failed = {failed} }}  # {}", visible(&status.why));
}

/// By action: the columns of objects that its rows fill, each object once.
fn actions(text: &mut String, sample: &Sample, roles: &Roles, state: &State, action: usize) {
    text.push_str("\n[actions]  # parameters: the columns of objects that the rows of an action fill\n");
    let pairs = state.actor.map_or_else(Vec::new, |actor| neighbours(sample, roles, actor));
    let worked = |row: usize| {
        roles
            .status
            .as_ref()
            .is_none_or(|status| sample.cell(status.column, row).is_some_and(|word| roles.ok.iter().any(|ok| ok == word)))
    };
    for (word, count) in sample.words(action) {
        let rows: Vec<usize> = (0..sample.rows).filter(|&row| sample.cell(action, row) == Some(word)).collect();
        let is_first = |row: &usize| !pairs.iter().any(|(_, later)| later == row);
        if rows.iter().all(is_first) && sample.words(action).len() > 1 && state.actor.is_some() {
            let _ = writeln!(
                text,
                "{} = \"report\"  # always the first row of its object: it only says how things are",
                quoted(word)
            );
            continue;
        }
        let objects = state.types.values().flatten().copied();
        let mut columns: Vec<usize> = objects
            .filter(|&column| rows.iter().filter(|&&row| sample.cell(column, row).is_some()).count() * 10 >= rows.len() * 9)
            .collect();
        columns.sort_unstable_by_key(|&column| (Some(column) != state.actor, column));
        // A place that the action changes: it is asked for as it was before.
        let moves = |column: usize| {
            pairs.iter().any(|(earlier, row)| {
                sample.cell(action, *row) == Some(word)
                    && worked(*row)
                    && sample.cell(column, *earlier) != sample.cell(column, *row)
            })
        };
        let moved: Vec<usize> =
            state.places.iter().copied().filter(|&column| columns.contains(&column) && moves(column)).collect();
        let same = |one: usize, other: usize| rows.iter().all(|&row| sample.cell(one, row) == sample.cell(other, row));
        let mut parameters: Vec<(String, String)> = Vec::new();
        let mut told: Vec<usize> = Vec::new();
        for &column in &columns {
            let name = sample.columns.name(column);
            if told.iter().any(|&earlier| same(earlier, column)) {
                continue;
            }
            if moved.contains(&column) {
                let owner = state.actor.map_or("", |actor| sample.columns.name(actor));
                parameters.push((format!("{}-before", named(name, "p")), format!("({}-of ?{owner})", named(name, "p"))));
                // Where it was to go is told by another column, also of an attempt that failed.
                let of_type = state.types.values().find(|columns| columns.contains(&column));
                if of_type
                    .is_some_and(|of_type| columns.iter().any(|other| of_type.contains(other) && !state.places.contains(other)))
                {
                    continue;
                }
            }
            told.push(column);
            parameters.push((named(name, "p"), name.to_owned()));
        }
        let plain = parameters.iter().all(|(name, from)| name == from);
        let what = if plain {
            format!("[{}]", parameters.iter().map(|(_, from)| quoted(from)).collect::<Vec<_>>().join(", "))
        } else {
            let pairs: Vec<String> = parameters.iter().map(|(name, from)| format!("{name} = {}", quoted(from))).collect();
            format!("{{ {} }}", pairs.join(", "))
        };
        let _ = writeln!(text, "{} = {what}  # {count} rows", quoted(word));
    }
}

/// A word in quotes, as TOML has it.
fn quoted(word: &str) -> String {
    let mut text = String::from("\"");
    for c in word.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(text, "\\u{:04X}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text + "\""
}
