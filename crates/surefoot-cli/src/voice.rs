//! How the command speaks beside its result: errors, warnings, notes and summaries, for people or for machines.
//!
//! All of it goes to standard error, so that standard output holds the result and nothing else. For people it is text, in colour on a
//! terminal; with `--format json` each message is one JSON object on a line of its own. Nobody is left to tell when standard error is
//! closed, so that is no error, and no reason to panic as `eprintln!` does.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;
use serde_json::{Value, json};

use crate::paint;

static JSON: AtomicBool = AtomicBool::new(false);
static QUIET: AtomicBool = AtomicBool::new(false);
/// The bar or line that is drawn on the terminal; messages go above it.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Whom messages are for, and whether summaries, notes and progress are wanted.
pub fn set(json: bool, quiet: bool) {
    JSON.store(json, Ordering::Relaxed);
    QUIET.store(quiet, Ordering::Relaxed);
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

/// An answer that has no place on standard output, since that is for something else; said however quiet.
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

/// A JSON value that stands beside the result: where standard output is taken by the result itself.
pub fn beside(value: &Value) {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    tell(&format!("{text}\n"));
}

fn one_line(value: &Value) -> String {
    format!("{value}\n")
}

/// Writes to standard error, above the bar.
fn tell(text: &str) {
    let write = || {
        let mut stream = anstream::stderr().lock();
        let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    };
    match &*SHOWN.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// From now on messages go above this bar.
pub fn show(bar: &ProgressBar) {
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
}

/// Takes the bar off the terminal.
pub fn clear() {
    if let Some(bar) = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take() {
        bar.finish_and_clear();
    }
}
