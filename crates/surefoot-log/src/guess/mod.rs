//! Guesses a map for an unknown log, with a reason for each guess, and a question for whatever the
//! log does not determine.
//!
//! A guess is a start for a person, never an assumption: a person reads it, with its reason, before
//! it is used. It looks at the names of columns, at what their cells look like, and at which cells
//! stay from row to row of the same object; never at what the domain might be about. Whatever the
//! log leaves undetermined is a question in the map, and every reader of maps refuses a map with a
//! question. Every map is tried on the log before it is written: it reads the log, or the reason
//! why it does not is one of its questions.

mod families;
mod inputs;
mod names;
mod profile;
mod roles;
mod sides;
mod state;
mod status;

use std::fmt::Write;
use std::path::Path;

use surefoot_base::invariant::guarded;
use surefoot_base::pddl::{Diagnostic, Source, visible};
use surefoot_learn::Recording;

use crate::log::Log;
use crate::map::Meaning;
use crate::names::named;
use crate::table::Table;
use families::ObjectSpelling;
use names::{Taken, variable};
use profile::LogSample;
use roles::{Guessed, Roles};
use sides::StateSide;
use state::StateGuess;

/// A map that was guessed.
#[derive(Clone, Debug)]
pub struct GuessedMap {
    /// The map, as TOML with a comment on each guess. If it has questions, [`Meaning::read`]
    /// refuses it.
    pub text: String,
    /// What the log leaves undetermined, by name and in words; these stand in the map, too.
    pub questions: Vec<MapQuestion>,
}

/// Something that a log leaves undetermined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapQuestion {
    /// Its name in the map, under `undecided`: `side`, `status`, `action`, `reading`, or a column.
    pub name: String,
    /// The question, and how to answer it.
    pub text: String,
}

/// The map that a log would be read with.
///
/// # Errors
/// The table cannot be read, or nothing in it can be an action.
pub fn guess(table: &Table) -> Result<GuessedMap, Diagnostic> {
    guarded(|| guess_unguarded(table))?
}

fn guess_unguarded(table: &Table) -> Result<GuessedMap, Diagnostic> {
    let sample = LogSample::of(table)?;
    let roles = Roles::of(&sample);
    let Some(action) = &roles.action else {
        let message = "no column of this table can be what was done: it would have a few words \
                       that come again and again";
        return Err(Diagnostic::of_file(table.name(), message)
            .help("write a map by hand; its key `action` names that column"));
    };
    let mut refused = None;
    for spelling in [ObjectSpelling::AnyCase, ObjectSpelling::Exact, ObjectSpelling::NoObjects] {
        let state = StateGuess::of(&sample, &roles, spelling);
        let mut questions: Vec<MapQuestion> =
            with_own_names(roles.questions.iter().chain(&state.questions));
        let text = written(table, &sample, &roles, &state, action, &questions);
        match reads(table, &text) {
            Ok(()) => return Ok(GuessedMap { text, questions }),
            Err(error) => {
                let said =
                    error.lines().next().unwrap_or("").trim_start_matches("error: ").to_owned();
                let text = format!(
                    "How is this log to be read? With this map it is refused: {said}. Correct the \
                     map or the log."
                );
                questions.push(MapQuestion { name: "reading".to_owned(), text });
                questions = with_own_names(questions.iter());
                let text = written(table, &sample, &roles, &state, action, &questions);
                refused.get_or_insert(GuessedMap { text, questions });
            }
        }
    }
    refused.ok_or_else(|| Diagnostic::of_file(table.name(), "no map can be guessed"))
}

/// Questions, each with a name of its own: a column may be called `side`.
fn with_own_names<'q>(questions: impl Iterator<Item = &'q MapQuestion>) -> Vec<MapQuestion> {
    let mut own: Vec<MapQuestion> = Vec::new();
    for question in questions {
        let mut question = question.clone();
        let stem = question.name.clone();
        let is_taken = |name: &str| own.iter().any(|earlier| earlier.name == name);
        let mut numbered = (2..).map(|number: usize| format!("{stem}-{number}"));
        while is_taken(&question.name) {
            question.name = numbered.next().unwrap_or_default();
        }
        own.push(question);
    }
    own
}

/// Tries a map on the log, whichever side is meant where that is a question.
fn reads(table: &Table, text: &str) -> Result<(), String> {
    let source = Source::new("map.toml", text);
    let sides: &[bool] =
        if text.contains("\n[before-or-after]") { &[true, false] } else { &[false] };
    for &before in sides {
        let meaning = Meaning::draft(&source, before).map_err(|error| error.to_string())?;
        let log = Log::open(meaning, Path::new("."), vec![table.clone()])
            .map_err(|error| error.to_string())?;
        for trace in 0..log.traces() {
            log.digest(trace).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

fn written(
    table: &Table,
    sample: &LogSample,
    roles: &Roles,
    state: &StateGuess,
    action: &Guessed,
    questions: &[MapQuestion],
) -> String {
    let mut text = String::new();
    let rows = match sample.cut {
        true => format!("its first {} rows", sample.rows),
        false => format!("all {} rows", sample.rows),
    };
    let _ = writeln!(
        text,
        "# What the columns of {} seem to mean, guessed from {rows}. Read each line before \
         you use it.",
        visible(table.name())
    );
    if !questions.is_empty() {
        text.push_str(
            "# The log does not answer the questions below. For each one, change the map if \
             needed, then delete the line of the question. surefoot refuses the map while a \
             question is left.\n",
        );
    }
    for question in questions {
        let _ = writeln!(text, "undecided.{} = {}", quoted(&question.name), quoted(&question.text));
    }
    for (key, guessed) in
        [("time", &roles.time), ("episode", &roles.episode), ("action", &roles.action)]
    {
        if let Some(guessed) = guessed {
            let column = quoted(sample.columns.name(guessed.column));
            let _ = writeln!(text, "{key} = {column}  # {}", visible(&guessed.why));
        }
    }
    status(&mut text, sample, roles);
    if !state.ignored.is_empty() {
        text.push_str("ignore = [  # columns that are not read\n");
        for (column, why) in &state.ignored {
            let _ = writeln!(text, "  {},  # {why}", quoted(sample.columns.name(*column)));
        }
        text.push_str("]\n");
    }
    if !state.qualified.is_empty() {
        let of: Vec<String> = state.qualified.iter().map(|of| quoted(of)).collect();
        let _ = writeln!(
            text,
            "qualified = [{}]  # these types have objects of the same names",
            of.join(", ")
        );
    }
    if !state.types.is_empty() {
        text.push_str(
            "\n[objects]  # columns that name many of the same objects are of one type\n",
        );
        for (of, columns) in &state.types {
            let names: Vec<String> =
                columns.iter().map(|&column| quoted(sample.columns.name(column))).collect();
            let few: Vec<&str> =
                sample.words(columns[0]).into_iter().take(4).map(|(word, _)| word).collect();
            let _ = writeln!(text, "{of} = [{}]  # {}", names.join(", "), visible(&few.join(", ")));
        }
    }
    for (side, section) in [
        (StateSide::Before, "before"),
        (StateSide::After, "after"),
        (StateSide::Either, "before-or-after"),
    ] {
        let mut columns = state.columns.iter().filter(|column| column.side == side).peekable();
        if columns.peek().is_some() {
            let by_name =
                columns.clone().all(|column| column.why.starts_with("the side by its name"));
            let why = match side {
                StateSide::Either => "move each line to [before] or to [after], or rename this",
                _ if by_name => "by the names of the columns",
                _ => &state.why_side,
            };
            let _ = writeln!(text, "\n[{section}]  # {}", visible(why));
        }
        for column in columns {
            let facts: Vec<String> = column.facts.iter().map(|fact| quoted(fact)).collect();
            let facts =
                if facts.len() == 1 { facts[0].clone() } else { format!("[{}]", facts.join(", ")) };
            let _ = writeln!(text, "{} = {facts}  # {}", quoted(&column.key), visible(&column.why));
        }
    }
    actions(&mut text, sample, roles, state, action.column);
    text.push_str(
        "\n# What the log does not record but you know, such as: held from pick until place.\n# \
         [declared]\n# \"(holds ?robot ?item)\" = { from = \
         \"pick\", until = \"place\" }\n",
    );
    text
}

fn quoted_list(words: &[String]) -> String {
    format!("[{}]", words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", "))
}

fn status(text: &mut String, sample: &LogSample, roles: &Roles) {
    let Some(status) = &roles.status else { return };
    if let Some(error) = roles.error {
        let name = sample.columns.name(error);
        let codes: Vec<String> = sample
            .words(error)
            .iter()
            .take(20)
            .map(|(word, count)| format!("{word} {count}"))
            .collect();
        let _ = writeln!(
            text,
            "# {} says why something failed: {}.",
            visible(name),
            visible(&codes.join(", "))
        );
        let _ = writeln!(
            text,
            "# Failures by chance count neither as worked nor as failed: add chance = {{ {} = \
             [\"CODE\"] }} inside `status`, in the next line.",
            visible(&quoted(name))
        );
    }
    let (column, ok, failed) = (
        quoted(sample.columns.name(status.column)),
        quoted_list(&roles.verdicts.ok),
        quoted_list(&roles.verdicts.failed),
    );
    let code = roles.error.map_or_else(String::new, |error| {
        format!(", code = {}", quoted(sample.columns.name(error)))
    });
    let _ = writeln!(
        text,
        "status = {{ column = {column}, ok = {ok}, failed = {failed}{code} }}  # {}",
        visible(&status.why)
    );
}

/// By action: the columns of objects that its rows fill, each object once.
fn actions(
    text: &mut String,
    sample: &LogSample,
    roles: &Roles,
    state: &StateGuess,
    action: usize,
) {
    text.push_str(
        "\n[actions]  # parameters: the object columns that are filled in the rows of an action\n",
    );
    let episode = roles.episode.as_ref().map(|guessed| guessed.column);
    let pairs = sample.pairs(episode, state.actor);
    let mut later = vec![false; sample.rows];
    pairs.iter().for_each(|&(_, row)| later[row] = true);
    let objects: Vec<usize> = state.types.values().flatten().copied().collect();
    let actor = state.actor.and_then(|actor| variable(sample, &objects, actor));
    let words = sample.words(action);
    for &(word, count) in &words {
        let rows: Vec<usize> =
            (0..sample.rows).filter(|&row| sample.cell(action, row) == Some(word)).collect();
        if rows.iter().all(|&row| !later[row]) && words.len() > 1 && !pairs.is_empty() {
            let _ = writeln!(
                text,
                "{} = \"report\"  # always the first row of its {}: it only reports a state",
                quoted(word),
                if state.actor.is_some() { "object" } else { "episode" }
            );
            continue;
        }
        let mut columns: Vec<usize> = objects
            .iter()
            .copied()
            .filter(|&column| {
                rows.iter().filter(|&&row| sample.cell(column, row).is_some()).count() * 10
                    >= rows.len() * 9
            })
            .collect();
        columns.sort_unstable_by_key(|&column| (Some(column) != state.actor, column));
        let mut parameters: Vec<(String, String)> = Vec::new();
        let mut used: Vec<usize> = Vec::new();
        let mut taken = Taken::default();
        for &column in &columns {
            let name = sample.columns.name(column);
            if used.iter().any(|&earlier| {
                rows.iter().all(|&row| sample.cell(earlier, row) == sample.cell(column, row))
            }) {
                continue;
            }
            if let (Some(predicate), Some(owner)) = (state.places.get(&column), &actor)
                && !state.columns.iter().any(|state_column| {
                    state_column.key == name && state_column.side == StateSide::Before
                })
                // The action changes the place: it is asked for as it was before.
                && pairs.iter().any(|&(earlier, row)| {
                    sample.cell(action, row) == Some(word)
                        && roles.worked(sample, row) == Some(true)
                        && sample.cell(column, earlier) != sample.cell(column, row)
                })
            {
                let before = taken.fresh(&format!("{}-before", named(name, "p")), "p");
                parameters.push((before, format!("({predicate} ?{owner})")));
                // Another column says where it was to go, also for an attempt that failed.
                let of_type = state.types.values().find(|columns| columns.contains(&column));
                if of_type.is_some_and(|of_type| {
                    columns
                        .iter()
                        .any(|other| of_type.contains(other) && !state.places.contains_key(other))
                }) {
                    continue;
                }
            }
            used.push(column);
            parameters.push((taken.fresh(name, "p"), name.to_owned()));
        }
        let plain = parameters.iter().all(|(name, from)| name == from);
        let what = if plain {
            format!(
                "[{}]",
                parameters.iter().map(|(_, from)| quoted(from)).collect::<Vec<_>>().join(", ")
            )
        } else {
            let pairs: Vec<String> = parameters
                .iter()
                .map(|(name, from)| format!("{name} = {}", quoted(from)))
                .collect();
            format!("{{ {} }}", pairs.join(", "))
        };
        let _ = writeln!(text, "{} = {what}  # {count} rows", quoted(word));
    }
    if sample.filled(action).count() < sample.rows {
        text.push_str("\"\" = \"report\"  # rows without an action only report a state\n");
    }
}

fn listed(words: &[String]) -> String {
    let few: Vec<&str> = words.iter().take(4).map(String::as_str).collect();
    few.join(", ") + if words.len() > 4 { ", …" } else { "" }
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
