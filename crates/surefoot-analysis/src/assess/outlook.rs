//! One line about unseen traces while a model is learned, for little more than learning costs: a
//! few traces are kept apart until the model of the others has been tried on them.

use std::collections::BTreeSet;
use std::fmt;

use surefoot_base::invariant::guarded;
use surefoot_learn::{Attempts, Job, LearnError, Model, Outside, Reading, Recording, TraceSubset};

use super::growing::Growing;
use super::traces::Traces;

/// Fewer traces say too little.
const LEAST: usize = 20;

/// One of this many traces is kept apart.
const ONE_OF: usize = 4;
/// At most this many traces are kept apart.
const MOST: usize = 12;

/// What the model of most traces does with the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outlook {
    /// How many traces that model was learned from.
    pub learned_from: usize,
    /// How many others it was tried on.
    pub tried: usize,
    /// How many steps these have.
    pub steps: usize,
    /// How many of them it allows.
    pub allowed: usize,
}

impl fmt::Display for Outlook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outlook { learned_from, tried, steps, allowed } = self;
        write!(
            f,
            "Unseen traces: a model of {learned_from} of these traces allows {allowed} of the \
             {steps} steps of {tried} others; \
             `surefoot assess` says more"
        )
    }
}

/// Learns a model, as [`Job::run`] does, to the byte; and says what most of the traces say about
/// the others, where there are enough of them and nothing is wrong with any.
///
/// # Errors
/// Those of [`Job::run`].
pub fn learn_with_outlook(job: &Job<'_>) -> Result<(Model, Option<Outlook>), LearnError> {
    guarded(|| learn_with_outlook_unguarded(job))?
}

fn learn_with_outlook_unguarded(job: &Job<'_>) -> Result<(Model, Option<Outlook>), LearnError> {
    let count = job.recording.traces();
    if count < LEAST || !job.start.history().traces.is_empty() || job.settings.unchanged_failed {
        return Ok((job.run()?, None));
    }
    let held = (count / ONE_OF).min(MOST);
    let apart: BTreeSet<usize> =
        (0..held).map(|number| (2 * number + 1) * count / (2 * held)).collect();
    match apart_from(job, &apart)? {
        Some((reading, outlook)) => {
            let model = job.conclude(reading)?;
            let clean = model.grounds().is_some_and(|grounds| {
                grounds.set_aside() == 0 && grounds.learner.history().skipped.is_empty()
            });
            Ok((model, Some(outlook).filter(|_| clean)))
        }
        // Whatever it is, learning says it better.
        None => Ok((job.run()?, None)),
    }
}

/// What all traces amount to, and the outlook; `None` where something is wrong with a trace.
fn apart_from(
    job: &Job<'_>,
    apart: &BTreeSet<usize>,
) -> Result<Option<(Reading, Outlook)>, LearnError> {
    let others = (0..job.recording.traces()).filter(|trace| !apart.contains(trace));
    let rest = TraceSubset::new(job.recording, others);
    let held = TraceSubset::new(job.recording, apart.iter().copied());
    let reading = match (Job { recording: &rest, ..*job }).read(&BTreeSet::new()) {
        Err(LearnError::Stopped) => return Err(LearnError::Stopped),
        other => other,
    };
    let traces = match Traces::read(job.start, &held, &BTreeSet::new(), job.digests, job.progress) {
        Err(LearnError::Stopped) => return Err(LearnError::Stopped),
        other => other,
    };
    let (Ok(mut reading), Ok((traces, findings))) = (reading, traces) else { return Ok(None) };
    if !reading.findings.is_empty() || !findings.is_empty() {
        return Ok(None);
    }
    let mut model = Growing::of(&traces, job.settings, reading.learner.clone());
    let (mut steps, mut allowed) = (0, 0);
    for trace in 0..traces.all.len() {
        let tally = model.tally(trace);
        steps += tally.steps;
        allowed += tally.allowed;
    }
    let outlook = Outlook { learned_from: rest.traces(), tried: apart.len(), steps, allowed };
    traces.all.iter().for_each(|trace| reading.learner.merge(&trace.learner));
    reading.steps.iter_mut().zip(&traces.steps).for_each(|(all, more)| *all += more);
    Attempts::add(&mut reading.attempts, &traces.attempts);
    Outside::add(&mut reading.outside, &traces.outside);
    Ok(Some((reading, outlook)))
}
