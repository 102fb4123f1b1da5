//! How often an allowed step goes wrong, whatever is true of the world (docs/theory.md, "Wrong,
//! whatever is true").
//!
//! *In*: a [`Job`], and a few traces that may suffice for its model. *Out*: [`Wrong`]: a count of
//! traces that were left out, and a bound for new ones.
//!
//! A step *goes wrong* if the model allows it and it failed, or ended in another state than the
//! model predicts. The promise of a safe model, that none does, rests on assumptions. This module
//! relies on none: learning, with all that looks at the records, is one function of a set of
//! traces, and nothing else is known of it.
//!
//! *The invariant*: the bound is that of the theory for some set of traces from which the very same
//! model is learned, while none of the others goes wrong. It holds for all such sets at once, so
//! any way to look for one will do.

use std::collections::BTreeSet;

use serde::Serialize;

use surefoot_learn::{Job, LearnError, Model, Phase, TraceSubset};

use crate::bound::compression;
use crate::evaluate::{LogScore, score};

/// The number of groups of traces that are left out, one after another.
const GROUPS: usize = 10;

/// What is known of allowed steps that go wrong, without any assumption about the world.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Wrong {
    /// How many traces were left out, in groups, and tried in the model of the others.
    pub tried: usize,
    /// How many of their steps and attempts that model allows.
    pub allowed: u64,
    /// How many of these went wrong.
    pub wrong: u64,
    /// In how many traces.
    pub wrong_traces: usize,
    /// The first of them, where they stand.
    pub first: Vec<String>,
    /// How many of the traces could not be tried, since no model was learned from the others.
    pub without_model: usize,
    /// What follows for new traces.
    pub bound: Option<WrongBound>,
}

/// A bound on the share of new traces that go wrong.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WrongBound {
    /// With the confidence asked for, at most this share of new traces contains a step that goes
    /// wrong.
    pub at_most: f64,
    /// From how many traces the very same model is learned; none of the others goes wrong.
    pub sufficient: usize,
}

/// Tries models on traces that they were not learned from, and looks for traces that suffice for
/// the model of all; `likely` are some that may.
pub(super) fn wrong(
    job: &Job<'_>,
    likely: &BTreeSet<usize>,
    delta: f64,
) -> Result<Wrong, LearnError> {
    let mut found = left_out(job)?;
    found.bound = bound(job, likely, delta)?;
    Ok(found)
}

/// A model of some traces of a job; `None` where there is none.
fn learned(
    job: &Job<'_>,
    traces: impl Iterator<Item = usize>,
) -> Result<Option<Model>, LearnError> {
    let recording = TraceSubset::new(job.recording, traces);
    match (Job { recording: &recording, ..*job }).run() {
        Ok(model) => Ok(Some(model)),
        Err(LearnError::Stopped) => Err(LearnError::Stopped),
        // Whatever it says of so few traces: there is no model that could go wrong.
        Err(_) => Ok(None),
    }
}

/// What a model says of some traces.
fn tried(
    job: &Job<'_>,
    model: &Model,
    traces: impl Iterator<Item = usize>,
) -> Result<LogScore, LearnError> {
    let class = job.start.class();
    let recording = TraceSubset::new(job.recording, traces);
    let (vocabulary, planned) = (model.vocabulary(), model.for_planning());
    let unchanged_failed = job.settings.unchanged_failed;
    let (errors, numbers) = (&class.errors, class.numbers);
    score(vocabulary, planned, errors, numbers, unchanged_failed, &recording, job.progress)
}

/// Leaves out each group of traces once.
fn left_out(job: &Job<'_>) -> Result<Wrong, LearnError> {
    let count = job.recording.traces();
    let mut found = Wrong {
        tried: 0,
        allowed: 0,
        wrong: 0,
        wrong_traces: 0,
        first: Vec::new(),
        without_model: 0,
        bound: None,
    };
    let groups = if count < 2 { 0 } else { count.min(GROUPS) };
    job.progress.phase(Phase::LeavingOut, groups);
    for group in 0..groups {
        let is_in = |trace: &usize| trace % groups == group;
        let Some(model) = learned(job, (0..count).filter(|trace| !is_in(trace)))? else {
            found.without_model += (0..count).filter(is_in).count();
            continue;
        };
        let score = tried(job, &model, (0..count).filter(is_in))?;
        let total = score.total();
        found.tried += score.traces;
        found.allowed += total.all_allowed();
        found.wrong += total.contradictions();
        found.wrong_traces += score.wrong_traces.len();
        found.first.extend(score.contradictions.iter().map(ToString::to_string));
        job.progress.part_done();
    }
    found.first.truncate(LogScore::NAMED);
    Ok(found)
}

/// Whether two models say the same of every state: the same actions with the same bodies.
fn is_same(one: &Model, other: &Model) -> bool {
    one.for_planning() == other.for_planning() && one.read_back() == other.read_back()
}

/// Looks for traces from which the model of all is learned again: those that may suffice and those
/// that go wrong, then twice as many, and so on.
fn bound(
    job: &Job<'_>,
    likely: &BTreeSet<usize>,
    delta: f64,
) -> Result<Option<WrongBound>, LearnError> {
    let count = job.recording.traces();
    let Some(whole) = learned(job, 0..count)? else { return Ok(None) };
    let mut chosen = likely.clone();
    chosen.extend(tried(job, &whole, 0..count)?.wrong_traces);
    loop {
        if 2 * chosen.len() > count {
            return Ok(None);
        }
        if learned(job, chosen.iter().copied())?.is_some_and(|model| is_same(&model, &whole)) {
            let share = compression(count, chosen.len(), delta);
            return Ok(Some(WrongBound { at_most: 1.0 - share, sufficient: chosen.len() }));
        }
        let others = (0..count).filter(|trace| !chosen.contains(trace));
        let more: Vec<usize> = others.take(chosen.len().max(1)).collect();
        chosen.extend(more);
    }
}
