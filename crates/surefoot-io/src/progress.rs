//! How far a command is: one line on a terminal, through all its stages; nothing in a pipe, with
//! `-q`, or where nobody asked for it.
//!
//! There is one such line in a process, since there is one terminal. So whoever works for long says
//! what it is at, however deep it is, and nobody has to hand a bar down to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use surefoot_base::pddl::visible;
use surefoot_learn::{Phase, Progress};

static WANTED: AtomicBool = AtomicBool::new(false);
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn shown() -> MutexGuard<'static, Option<ProgressBar>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether stages are shown from now on.
pub fn want(wanted: bool) {
    WANTED.store(wanted, Ordering::Relaxed);
}

/// Begins a stage of so many parts; none: nobody knows how many there are.
pub fn stage(what: &str, parts: usize, noun: &str) {
    if !WANTED.load(Ordering::Relaxed) {
        return;
    }
    let mut shown = shown();
    let bar = shown.get_or_insert_with(|| {
        let bar = ProgressBar::new(0);
        // However long a part takes, the clock goes on.
        bar.enable_steady_tick(Duration::from_millis(100));
        bar
    });
    let template = match parts {
        0 => "{spinner} {msg}, {elapsed} so far".to_owned(),
        _ => format!("{{spinner}} {{msg}} [{{bar:40}}] {{pos}}/{{len}} {noun}, {{elapsed}} so far"),
    };
    bar.set_message(what.to_owned());
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.set_length(parts as u64);
    bar.set_position(0);
    bar.reset_elapsed();
}

/// A part of the stage is done.
pub fn part_done() {
    if let Some(bar) = &*shown() {
        bar.inc(1);
    }
}

/// The number of parts that were done before.
pub fn done_before(parts: usize) {
    if let Some(bar) = &*shown() {
        bar.set_position(parts as u64);
    }
}

/// Says more about the stage.
pub fn message(text: String) {
    if let Some(bar) = &*shown() {
        bar.set_message(text);
    }
}

/// Takes the line off the terminal while something else is written there.
pub fn suspended(write: impl FnOnce()) {
    match &*shown() {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Takes the line off the terminal, for good.
pub fn clear() {
    if let Some(bar) = shown().take() {
        bar.finish_and_clear();
    }
}

/// Shows the stages of learning.
pub struct ProgressLine;

impl Progress for ProgressLine {
    fn phase(&self, phase: Phase, parts: usize) {
        stage(phase.in_words(), parts, phase.parts());
    }

    fn trace_read(&self) {
        part_done();
    }

    fn part_begun(&self, phase: Phase, name: &str) {
        message(format!("{} {}", phase.in_words(), visible(name)));
    }

    fn part_done(&self) {
        part_done();
    }
}
