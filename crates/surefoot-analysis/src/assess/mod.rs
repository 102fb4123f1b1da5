//! Assesses what share of new traces a learned model will allow, from the training traces alone
//! (docs/theory.md, "How much is enough").
//!
//! *In*: a [`Job`] and a [`Question`]: which confidence, which share of steps. *Out*: an
//! [`Assessment`], which needs no real domain and no trace held out beforehand.
//!
//! A safe model refuses what it has no evidence for, so more traces make it more useful, never less
//! safe. Three answers say how useful it is already:
//!
//! - a bound after the data, which is proved ([`compression`], from `subset`);
//! - the number of traces that the theory requires in advance ([`traces_needed`], from `size`);
//! - an estimate (`estimate`), with a bound that is proved too ([`lower_bound`], from `betting`),
//!   and what refuses the rest (`rule`).
//!
//! A fourth says what is left of the promise if its assumptions are false: how often an allowed
//! step goes wrong (`wrong`).
//!
//! *The invariants*: each bound holds by itself with the stated confidence, provided that the
//! traces are drawn independently, the dials were chosen before anyone looked at the traces, and
//! nothing was set aside. If one of these is known to be false, there is no bound, and the
//! assessment says why. *Allowed* refers to the whole model: where facets exceed a budget, or are
//! rounded, the PDDL file allows less.
//!
//! *Where to begin*: `traces` (the evidence of each trace by itself), then `estimate`. `growing` is
//! a model that grows trace by trace. `curve` says how many more traces a share takes. `outlook` is
//! the line in the summary of `learn`. `words` has the answer for people.

mod betting;
mod curve;
mod estimate;
mod growing;
mod outlook;
mod rule;
mod size;
mod subset;
mod traces;
mod words;
mod wrong;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use crate::bound::{compression, traces_needed, wrong_at_most};
pub use betting::{Sequence, lower_bound};
pub use curve::More;
pub use outlook::{Outlook, learn_with_outlook};
pub use words::{at_most, in_lines};
pub use wrong::{Wrong, WrongBound};

use estimate::HeldOutTrace;
use rule::{FailedRule, Rule};
use surefoot_base::invariant::guarded;
use surefoot_base::model::ActionId;
use surefoot_learn::{Conclusion, Job, LearnError, TakesBack, refuted_assumption};
use traces::Traces;

/// The question: which confidence, and which share of steps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Question {
    /// With which confidence bounds shall hold, above 0 and below 1.
    pub confidence: f64,
    /// Which share is wanted, above 0 and below 1.
    pub share: f64,
}

impl Default for Question {
    /// 90 %, with a confidence of 95 %.
    fn default() -> Self {
        Question { confidence: 0.95, share: 0.9 }
    }
}

/// What can be said. Each bound holds by itself with the confidence asked for.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Assessment {
    /// How many traces there are.
    pub traces: usize,
    /// How many steps they have, without those set aside.
    pub steps: usize,
    /// How many traces have the text of one before them. Bounds are about traces drawn
    /// independently, which copies are not.
    pub copies: usize,
    /// The confidence of each bound.
    pub confidence: f64,
    /// The share that was asked for.
    pub wanted: f64,
    /// Of the steps of a new trace, the share that is allowed.
    pub step_share: Estimate,
    /// The share of new traces that are allowed as a whole.
    pub whole_traces: Estimate,
    /// What the compression bound says of new traces as a whole; `None` where it does not hold.
    pub compression: Option<Compression>,
    /// How many traces the theory requires in advance.
    pub theory: Theory,
    /// How many more traces the share that is wanted seems to take.
    pub more_traces: More,
    /// By action, the weakest first.
    pub actions: Vec<ActionAssessment>,
    /// How many traces were left out at a time for the estimates.
    pub left_out_at_a_time: usize,
    /// Why bounds that are `None` do not hold.
    pub void: Option<String>,
    /// How often an allowed step goes wrong, whatever is true of the world. This holds of what was
    /// set aside or left out, too.
    pub wrong: Wrong,
}

/// An estimated share, with a proved lower bound.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// Its estimate: the mean over traces, each tried in the model of the others. `None` of fewer
    /// than two traces.
    pub estimate: Option<f64>,
    /// It is at least that, with the confidence asked for; 0 where nothing can be said, `None`
    /// where nothing is proved.
    pub at_least: Option<f64>,
    /// It seems to be at most that: a bound like the other, but not proved, since the answers it
    /// rests on are not independent.
    pub at_most: f64,
}

/// What a few traces that suffice say.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Compression {
    /// The number of traces that suffice for a model that allows all others; no smaller number was
    /// found.
    pub sufficient: usize,
    /// With the confidence asked for, a new trace is allowed as a whole at least with this
    /// probability.
    pub at_least: f64,
    /// Which traces suffice, from 0.
    pub which: Vec<usize>,
}

/// What theory says without traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Theory {
    /// At most this many steps determine a model under arity 1; `None` if there is no such number,
    /// or it was not counted.
    pub determining_steps: Option<usize>,
    /// This many traces are enough under arity 1, whatever their distribution.
    pub traces: Option<usize>,
    /// Whether it is about this model: arity 1 was chosen, or no condition can mention more than
    /// one number.
    pub applies: bool,
    /// Why there is no number of traces, where there is none.
    pub missing: Option<NoNumber>,
}

/// Why theory names no number of traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoNumber {
    /// None is enough for every distribution.
    NoneIsEnough,
    /// The domain has too many ways to bind parameters to look through.
    NotCounted,
    /// It is above 10¹².
    TooLarge,
}

/// What leaving traces out says of an action.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ActionAssessment {
    /// The name of the action.
    pub action: String,
    /// How often it was taken.
    pub steps: usize,
    /// How many of these steps the model of the other traces refuses.
    pub refused: usize,
    /// What refuses them, the most frequent first.
    pub reasons: Vec<Refusal>,
}

/// A reason why steps are refused.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Refusal {
    /// The reason in words.
    pub reason: String,
    /// How many steps it refuses, alone or with others.
    pub steps: usize,
}

/// Says what the traces of a job are worth, with its dials and its policy about bad data.
///
/// # Errors
/// Whatever prevents learning a model from all traces; and a job that starts from a saved learner
/// state, because its traces cannot be separated.
pub fn assess(job: &Job<'_>, question: Question) -> Result<Assessment, LearnError> {
    guarded(|| assess_unguarded(job, question))?
}

fn assess_unguarded(job: &Job<'_>, question: Question) -> Result<Assessment, LearnError> {
    if !job.start.history().traces.is_empty()
        || job.start.domain().action_ids().any(|id| !job.start.evidence(id).is_empty())
    {
        let message = "traces are assessed from the first one on: what was learned before cannot \
                       be taken apart again";
        return Err(LearnError::Other(message.to_owned()));
    }
    let given = job;
    let reread = job.reread()?;
    let recording = reread.as_ref().map_or(job.recording, |reread| reread);
    let job = &Job { recording, ..*job };
    let (mut traces, mut void) = read(job)?;
    let delta = 1.0 - question.confidence;
    // What was set aside, or left out, voids all bounds; learning that is not monotone only those
    // that rest on it.
    let nothing_proved = void.is_some();
    traces.takes_back = taking_back(job, &traces);
    void = void.or_else(|| {
        traces.takes_back.map(|(action, why)| words::taking_back(traces.base.domain(), action, why))
    });
    let (in_order, (left_out, at_a_time)) = (
        estimate::in_order(&traces, job.settings, job.progress)?,
        estimate::left_out(&traces, job.settings, job.progress)?,
    );
    let shares = left_out.iter().map(|left| left.tally.share()).collect();
    let wholes = left_out.iter().map(|left| f64::from(u8::from(left.tally.whole()))).collect();
    let step_share = Estimate::of(&in_order.shares, shares, delta, void.is_none());
    let found = compressed(job, &traces, delta)?;
    let likely = found.which.iter().map(|&trace| traces.all[trace].number).collect();
    let wrong = wrong::wrong(given, &likely, delta)?;
    let compression = (!nothing_proved).then_some(found);
    let now = step_share.estimate.map_or(1.0, |share| 1.0 - share);
    Ok(Assessment {
        traces: traces.all.len(),
        steps: traces.all.iter().map(|trace| trace.length).sum(),
        copies: copies(job)?,
        confidence: question.confidence,
        wanted: question.share,
        more_traces: curve::more(&in_order.refused, now, question.share),
        step_share,
        whole_traces: Estimate::of(&in_order.wholes, wholes, delta, void.is_none()),
        compression,
        theory: theory(job, question.share, delta),
        actions: by_action(&traces, &left_out),
        left_out_at_a_time: at_a_time,
        void,
        wrong,
    })
}

/// Reads all traces, and deals with bad data as the policy says; why bounds do not hold, if
/// something was done about bad data.
fn read(job: &Job<'_>) -> Result<(Traces, Option<String>), LearnError> {
    let (mut traces, findings) =
        Traces::read(job.start, job.recording, &BTreeSet::new(), false, job.progress)?;
    let (reading, unlearned) = job.sort_out(traces.reading(findings))?;
    let mut void = None;
    if !unlearned.all.is_empty() {
        traces = Traces::read(job.start, job.recording, &unlearned.all, false, job.progress)?.0;
        // A trace of which nothing is left says nothing of what a model allows.
        traces.all.retain(|trace| trace.length > 0);
        void = Some(format!(
            "{} left out: which they are depends on all traces together",
            words::steps(unlearned.all.len(), "was", "were")
        ));
    }
    for (&action, steps) in &reading.learner.history().skipped {
        steps.iter().for_each(|step| traces.base.skip_action(action, step.clone()));
        void = Some(
            "actions are left out because of some of their steps: which they are depends on \
                  all traces together"
                .to_owned(),
        );
    }
    let learner = reading.learner;
    let conclusions: Vec<Conclusion> = learner
        .domain()
        .action_ids()
        .map(|action| Rule::of(&learner, action, job.settings).1)
        .collect();
    refuted_assumption(&learner, job.settings, &conclusions)?;
    Ok((traces, void))
}

/// The first action for which all traces together may allow less than some of them, and why.
fn taking_back(job: &Job<'_>, traces: &Traces) -> Option<(ActionId, TakesBack)> {
    let all = traces.merged(0..traces.all.len());
    all.domain()
        .action_ids()
        .find_map(|action| Some((action, all.may_take_back(action, job.settings)?)))
}

/// How many traces have the text of an earlier one.
fn copies(job: &Job<'_>) -> Result<usize, LearnError> {
    let mut seen = BTreeSet::new();
    let mut copies = 0;
    for trace in 0..job.recording.traces() {
        let digest = job.recording.digest(trace)?;
        copies += usize::from(!digest.is_empty() && !seen.insert(digest));
    }
    Ok(copies)
}

fn theory(job: &Job<'_>, share: f64, delta: f64) -> Theory {
    let applies = size::is_boxed(job.start, job.settings);
    let (determining_steps, mut missing) = match size::determining_steps(job.start, job.settings) {
        Ok(steps) => (Some(steps), None),
        Err(why) => (None, Some(why)),
    };
    let traces = determining_steps.and_then(|steps| traces_needed(steps, share, delta));
    if determining_steps.is_some() && traces.is_none() {
        missing = Some(NoNumber::TooLarge);
    }
    Theory { determining_steps, traces, applies, missing }
}

impl Estimate {
    fn of(in_order: &[Sequence], left_out: Sequence, delta: f64, proved: bool) -> Self {
        let mean = left_out.iter().sum::<f64>() / left_out.len() as f64;
        let missing = left_out.iter().map(|share| 1.0 - share).collect();
        Estimate {
            estimate: (left_out.len() > 1).then_some(mean),
            at_least: proved.then(|| lower_bound(in_order, delta)),
            at_most: 1.0 - lower_bound(&[missing], delta),
        }
    }
}

fn compressed(job: &Job<'_>, traces: &Traces, delta: f64) -> Result<Compression, LearnError> {
    let which =
        subset::sufficient(traces, job.settings, job.progress).ok_or(LearnError::Stopped)?;
    Ok(Compression {
        sufficient: which.len(),
        at_least: compression(traces.all.len(), which.len(), delta),
        which,
    })
}

/// Most refused first; what was refused as often in the order of the domain.
fn by_action(traces: &Traces, left_out: &[HeldOutTrace]) -> Vec<ActionAssessment> {
    let domain = traces.base.domain();
    let mut refused: BTreeMap<usize, (usize, BTreeMap<&FailedRule, usize>)> = BTreeMap::new();
    for (step, reasons) in left_out.iter().flat_map(|left| &left.refused) {
        let (steps, all) = refused.entry(step.action.index()).or_default();
        *steps += step.times;
        reasons.iter().for_each(|reason| *all.entry(reason).or_default() += step.times);
    }
    let mut actions: Vec<ActionAssessment> = Vec::new();
    for action in domain.action_ids() {
        let (count, reasons) = refused.remove(&action.index()).unwrap_or_default();
        let mut reasons: Vec<Refusal> = reasons
            .into_iter()
            .map(|(reason, steps)| Refusal { reason: reason.to_string(), steps })
            .collect();
        reasons.sort_by_key(|refusal| std::cmp::Reverse(refusal.steps));
        let steps = traces.steps[action.index()];
        actions.push(ActionAssessment {
            action: domain.action_name(action).to_owned(),
            steps,
            refused: count,
            reasons,
        });
    }
    actions.sort_by(|one, other| other.refused_share().total_cmp(&one.refused_share()));
    actions
}

impl ActionAssessment {
    /// The share of its steps that is refused; all where there is none.
    pub fn refused_share(&self) -> f64 {
        if self.steps == 0 { 1.0 } else { self.refused as f64 / self.steps as f64 }
    }
}
