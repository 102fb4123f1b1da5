//! Errors as machines read them: one JSON object, with its kind, what is wrong, where, and what to
//! do.

use clap::error::ErrorKind;
use serde_json::{Value, json};
use surefoot_base::invariant::BrokenInvariant;
use surefoot_base::pddl::{Diagnostic, ReadError, visible_lines};
use surefoot_learn::LearnError;

use surefoot_io::output::Unwritable;
use surefoot_io::spelling::{Options, advice, spelled};

/// An error for people and for machines.
pub struct CommandFailure {
    /// What is printed for people.
    pub text: String,
    /// What is printed for machines: `{"error": {...}}`.
    pub value: Value,
    /// The exit code of the command.
    pub code: u8,
}

impl CommandFailure {
    /// What went wrong in a command.
    pub fn of(error: &anyhow::Error) -> Self {
        let text = visible_lines(&spelled(error, &Options)).into_owned();
        let learning = error.chain().find_map(|cause| cause.downcast_ref::<LearnError>());
        let reading = error.chain().find_map(|cause| cause.downcast_ref::<ReadError>());
        let mut value = match (learning, reading) {
            (Some(LearnError::Read(error)), _) | (_, Some(error)) => of_input(error),
            _ if error.chain().any(|cause| cause.is::<BrokenInvariant>()) => {
                plain("internal", &text)
            }
            (Some(LearnError::BadData(bad)), _) => {
                let mut value = of_diagnostic(&bad.first);
                value["kind"] = "bad-data".into();
                value["message"] = text.trim_end().into();
                value["diagnoses"] = serde_json::to_value(&bad.diagnoses).unwrap_or_default();
                value
            }
            (Some(_), _) => plain("learning", &text),
            _ if error.chain().any(|cause| cause.is::<std::io::Error>()) => plain("file", &text),
            _ => plain("command", &text),
        };
        if let Some(Unwritable { file }) = error.downcast_ref() {
            value["place"] = json!({ "file": file, "line": null, "column": null });
        }
        let advice = advice(error);
        if !advice.is_empty() {
            value["advice"] = advice.into();
        }
        value["exit_code"] = 2.into();
        CommandFailure { text, value: json!({ "error": value }), code: 2 }
    }

    /// A command line that is not one, as clap says it; `None` for help and versions, which are no
    /// errors.
    pub fn of_usage(error: &clap::Error) -> Option<Self> {
        if !error.use_stderr() {
            return None;
        }
        let code = u8::try_from(error.exit_code()).unwrap_or(2);
        let text = error.render().to_string();
        let (message, help) = match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                ("a command is missing", Some(text.trim()))
            }
            _ => match text.split_once("\n\n") {
                Some((message, help)) => (message, Some(help.trim())),
                None => (text.trim(), None),
            },
        };
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let value = json!({
            "kind": "usage",
            "message": message,
            "place": null,
            "help": help,
            "exit_code": code,
        });
        Some(CommandFailure { value: json!({ "error": value }), text, code })
    }

    /// Files of the command line that cannot be standard streams together.
    pub fn of_streams(error: &anyhow::Error) -> Self {
        let mut failure = CommandFailure::of(error);
        failure.value["error"]["kind"] = "usage".into();
        failure
    }

    /// A signal that ended the command.
    pub fn of_signal(signal: u8) -> Self {
        let code = 128 + signal;
        let text = "interrupted; no file was left half written";
        let value = json!({
            "kind": "interrupted",
            "message": text,
            "place": null,
            "help": null,
            "exit_code": code,
        });
        CommandFailure { text: text.to_owned(), value: json!({ "error": value }), code }
    }
}

fn plain(kind: &str, text: &str) -> Value {
    let text = text.strip_prefix("error: ").unwrap_or(text).trim_end();
    json!({ "kind": kind, "message": text, "place": null, "help": null })
}

/// The first message, and the others below it.
fn of_input(error: &ReadError) -> Value {
    let Some((first, others)) = error.diagnostics.split_first() else { return plain("input", "") };
    let mut value = of_diagnostic(first);
    if !others.is_empty() {
        value["others"] = others.iter().map(of_diagnostic).collect();
    }
    if error.omitted > 0 {
        value["omitted"] = error.omitted.into();
    }
    value
}

fn of_diagnostic(diagnostic: &Diagnostic) -> Value {
    let place = &diagnostic.place;
    let at = |number: usize| Some(number).filter(|_| place.position.line > 0);
    let mut value = json!({
        "kind": "input",
        "message": diagnostic.message,
        "place": {
            "file": place.file,
            "line": at(place.position.line),
            "column": at(place.position.column),
        },
        "help": diagnostic.help,
    });
    if !diagnostic.context.is_empty() {
        value["context"] = diagnostic.context.clone().into();
    }
    value
}
