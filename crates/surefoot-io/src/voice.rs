//! How the command speaks beside its result: errors, warnings, notes and summaries, for people or
//! for machines.
//!
//! All of it goes to standard error, so that standard output holds the result and nothing else. For
//! people it is text, in colour on a terminal; with `--format json` each message is one JSON object
//! on a line of its own. Nobody is left to tell when standard error is closed, so that is no error,
//! and no reason to panic as `eprintln!` does.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::{paint, progress};

static JSON: AtomicBool = AtomicBool::new(false);
static QUIET: AtomicBool = AtomicBool::new(false);

/// Whom messages are for, and whether summaries, notes and progress are wanted.
pub fn set(json: bool, quiet: bool) {
    JSON.store(json, Ordering::Relaxed);
    QUIET.store(quiet, Ordering::Relaxed);
    progress::want(!quiet);
}

/// Whether messages are for machines.
pub fn is_json() -> bool {
    JSON.load(Ordering::Relaxed)
}

/// Whether only results, errors and warnings are wanted.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Something the user should know; silent with `-q`.
pub fn note(text: &str) {
    if !is_quiet() {
        remark("note", text);
    }
}

/// Something the user must know, however quiet.
pub fn warn(text: &str) {
    remark("warning", text);
}

fn remark(kind: &str, text: &str) {
    if is_json() {
        tell(&one_line(&json!({ kind: { "message": text } })));
    } else {
        tell(&paint::message(&format!("{kind}: {text}\n")));
    }
}

/// What was done, in words; silent with `-q`, and where machines get it as JSON.
pub fn summary(text: &str) {
    if !is_quiet() && !is_json() {
        tell(text);
    }
}

/// An answer that has no place on standard output, since that is for something else; given however
/// quiet.
pub fn answer(text: &str) {
    tell(text);
}

/// An error: its text for people, with `error:` before it, or what machines read of it.
pub fn error(text: &str, value: &Value) {
    if is_json() {
        return tell(&one_line(value));
    }
    // Messages about input say "error:" themselves, one for each place.
    let text = if text.starts_with("error:") { text.to_owned() } else { format!("error: {text}") };
    tell(&paint::message(&format!("{}\n", text.trim_end())));
}

fn one_line(value: &Value) -> String {
    format!("{value}\n")
}

/// Writes to standard error.
fn tell(text: &str) {
    progress::suspended(|| {
        let mut stream = anstream::stderr().lock();
        let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    });
}
