//! An option is tried on the very records before anybody is told about it.
//!
//! A proposal that nobody tried may lead to a model that the records refute. So whoever proposes an option learns with it from the same
//! records, and holds the model against them: it must allow no attempt that failed, and each step that it allows must have ended where it
//! says. Then the same with parts of the records left out: what a model of the others says of them must be true, too.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::bad_data::{Finding, OnBadData, StepId, contradictory};
use super::learner::Learner;
use super::recording::{Provenance, Recorded, Recording, Unwatched, Visit};
use super::settings::{Class, Settings};
use super::workflow::Job;
use crate::assumptions::Spec;
use crate::margins::Promised;
use crate::model::semantics::{Cause, Changes, Fault, Inapplicable, Semantics};
use crate::model::{ActionId, Domain, Event, GroundAction, State, Step, Universe, ValueId};
use crate::pddl::{Numbers, ReadError};

/// The records are left out in so many parts.
const PARTS: usize = 3;

/// Options to be tried: a class and settings, on some records.
pub(super) struct Trial<'a> {
    /// The learner whose records they are; its class may be another one.
    pub learner: &'a Learner,
    /// The class to be tried.
    pub class: Class,
    /// The settings to be tried.
    pub settings: Settings,
    /// The records.
    pub recording: &'a dyn Recording,
    /// Steps that are left out, as recording errors.
    pub without: &'a BTreeSet<StepId>,
    /// The actions that the options are for.
    pub actions: &'a BTreeSet<ActionId>,
}

impl Trial<'_> {
    /// Whether the options give a model of the actions that no record refutes, nor any that was left out.
    pub fn passes(&self) -> Result<bool, ReadError> {
        Ok(self.holds(&|_| true, &|_| true, true)? && self.holds_of_parts()?)
    }

    /// Whether models that are learned without a part of the records are true of that part.
    fn holds_of_parts(&self) -> Result<bool, ReadError> {
        for part in 0..PARTS {
            let by_trace = self.recording.traces() >= PARTS;
            let left_out = |(trace, step): StepId| (if by_trace { trace } else { step }) % PARTS == part;
            if !self.holds(&|step| !left_out(step), &left_out, false)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a model that is learned from some steps is true of some steps; and some model explains all actions, if it must.
    fn holds(
        &self,
        learned_from: &(dyn Fn(StepId) -> bool + Sync),
        tested_on: &(dyn Fn(StepId) -> bool + Sync),
        whole: bool,
    ) -> Result<bool, ReadError> {
        let kept = |step: StepId| !self.without.contains(&step) && learned_from(step);
        let recording = Part { recording: self.recording, keeps: &kept };
        let Ok(start) = Learner::new(self.learner.domain(), self.class.clone()) else { return Ok(false) };
        let policy = OnBadData::SkipAction.into();
        let job =
            Job { start: &start, settings: &self.settings, recording: &recording, policy, digests: false, progress: &Unwatched };
        if self.is_decided_by_consistency(&job)? {
            return Ok(!whole || self.is_consistent(&job)?);
        }
        let Ok(model) = job.run() else { return Ok(false) };
        // An action of which the errors leave nothing is left out, and refutes nothing; one that no model explains does.
        let skipped = model.grounds().map(|grounds| &grounds.learner.history().skipped);
        if whole && self.actions.iter().any(|action| skipped.is_none_or(|skipped| skipped.contains_key(action))) {
            return Ok(false);
        }
        let judge = RecordJudge::new(model.vocabulary(), model.for_records(), Promised::of(model.domain(), &self.class.errors));
        let refuted = AtomicBool::new(false);
        for trace in 0..self.recording.traces() {
            self.recording.read(trace, self.learner.domain(), self.class.numbers, false, &mut |recorded| {
                let step = (trace, recorded.index);
                let counts = self.actions.contains(&recorded.event.action().symbol);
                if counts && tested_on(step) && !self.without.contains(&step) {
                    let wrong = match (&recorded.event, judge.verdict(recorded)) {
                        (Event::Failed(_), verdict) => matches!(verdict, Verdict::Allowed { .. }),
                        (Event::Worked(_), verdict) => verdict == Verdict::Allowed { foreseen: false },
                    };
                    refuted.fetch_or(wrong, Ordering::Relaxed);
                }
                !refuted.load(Ordering::Relaxed)
            })?;
        }
        Ok(!refuted.into_inner())
    }
}

impl Trial<'_> {
    /// Whether no failure of the actions was recorded and all numbers are exact. Then a model of the whole foresees each step, and so does
    /// whatever is learned from a part: it allows only where all models of the class agree that explain the part, and the model of the
    /// whole is one of them.
    fn is_decided_by_consistency(&self, job: &Job<'_>) -> Result<bool, ReadError> {
        let mut failed = !self.class.errors.is_empty() || self.settings.unchanged_failed;
        for trace in 0..self.recording.traces() {
            if failed {
                break;
            }
            self.recording.read(trace, job.start.domain(), self.class.numbers, false, &mut |recorded| {
                failed |= recorded.step().is_none() && self.actions.contains(&recorded.event.action().symbol);
                !failed
            })?;
        }
        Ok(!failed)
    }

    /// Whether some model of the class explains all steps of the actions.
    fn is_consistent(&self, job: &Job<'_>) -> Result<bool, ReadError> {
        let Ok(reading) = job.read(&BTreeSet::new()) else { return Ok(false) };
        let contradictory = contradictory(&reading.learner, self.settings.algorithm);
        let anomalous = |finding: &Finding| self.actions.contains(&finding.action);
        Ok(self.actions.is_disjoint(&contradictory) && !reading.findings.iter().any(anomalous))
    }
}

/// Whether records refute every model of a spec that is learned from them: it allows what failed, or says where a step ends that ended
/// elsewhere. Actions that no model explains are left out.
///
/// # Errors
/// The recording cannot be read.
pub(crate) fn is_refuted(domain: &Domain, spec: &Spec, recording: &dyn Recording) -> Result<bool, ReadError> {
    let Ok(learner) = Learner::of(domain, spec) else { return Ok(true) };
    let Ok(settings) = spec.settings(&learner) else { return Ok(true) };
    let (without, actions) = (BTreeSet::new(), domain.action_ids().collect());
    let class = learner.class().clone();
    let trial = Trial { learner: &learner, class, settings, recording, without: &without, actions: &actions };
    Ok(!trial.holds(&|_| true, &|_| true, false)? || !trial.holds_of_parts()?)
}

/// Some steps of a recording.
struct Part<'a> {
    recording: &'a dyn Recording,
    keeps: &'a (dyn Fn(StepId) -> bool + Sync),
}

impl Recording for Part<'_> {
    fn traces(&self) -> usize {
        self.recording.traces()
    }

    fn read(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
        with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError> {
        self.recording
            .read(trace, domain, numbers, with_digest, &mut |recorded| !(self.keeps)((trace, recorded.index)) || visit(recorded))
    }

    fn read_as_failed(&self, trace: usize) -> Option<BTreeSet<usize>> {
        self.recording.read_as_failed(trace)
    }

    fn digest(&self, trace: usize) -> Result<String, ReadError> {
        self.recording.digest(trace)
    }
}

/// What a model says of a recorded event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It allows the step; whether the state after it is the recorded one, as far as both may be off.
    Allowed {
        /// False also for an attempt that failed.
        foreseen: bool,
    },
    /// It refuses the step.
    Refused,
    /// It decides by what is unknown of the state.
    Undecided,
}

/// Holds records against a model.
pub struct RecordJudge<'a> {
    vocabulary: &'a Domain,
    model: &'a Domain,
    promised: Promised,
}

impl<'a> RecordJudge<'a> {
    /// `model` is for states that are records, and has the signature of `vocabulary`; its actions are found by name, and one it does not
    /// have is never allowed. `promised` says how far the states after its steps may be off.
    pub fn new(vocabulary: &'a Domain, model: &'a Domain, promised: Promised) -> Self {
        RecordJudge { vocabulary, model, promised }
    }

    /// The domain of the records.
    pub fn vocabulary(&self) -> &'a Domain {
        self.vocabulary
    }

    /// What the model says of an event.
    pub fn verdict(&self, recorded: &Recorded<'_>) -> Verdict {
        let attempt = recorded.event.attempt();
        let Some(action) = self.in_model(attempt.action) else { return Verdict::Refused };
        let changes = Semantics::new(self.model, recorded.objects).changes(&action, attempt.universe, attempt.before);
        match (&recorded.event, changes) {
            (_, Err(reason)) if is_open(&reason) => Verdict::Undecided,
            (_, Err(_)) => Verdict::Refused,
            (Event::Failed(_), Ok(_)) => Verdict::Allowed { foreseen: false },
            (Event::Worked(step), Ok(changes)) => {
                let foreseen = after(&changes, attempt.universe, attempt.before).is_some_and(|next| {
                    next.differing_atoms(step.after).next().is_none()
                        && next.differing_values(step.after).all(|id| self.is_within(step, id, &next))
                });
                Verdict::Allowed { foreseen }
            }
        }
    }

    /// Whether a value is as far from the recorded one as the model and the record may both be off, and no further.
    fn is_within(&self, step: &Step<'_>, id: ValueId, next: &State) -> bool {
        let function = step.universe.ground_function(id);
        let Some(action) = self.in_model(step.action) else { return false };
        let (Some(value), Some(recorded)) = (next.value(id), step.after.value(id)) else { return false };
        let allowed = self.promised.after(&action, function).map(|error| &error + &self.promised.of_record(function.symbol));
        allowed.is_none_or(|allowed| (value - recorded).abs() <= allowed)
    }

    /// The same step in the ids of the model.
    fn in_model(&self, action: &GroundAction) -> Option<GroundAction> {
        let symbol = self.model.actions.find(self.vocabulary.action_name(action.symbol))?;
        Some(GroundAction { symbol: ActionId::from(symbol), arguments: action.arguments.clone() })
    }
}

/// The state after some changes; `None` where they touch what is not numbered, and so is in no recorded state.
fn after(changes: &Changes, universe: &Universe, before: &State) -> Option<State> {
    let mut next = before.clone();
    for id in changes.deletes.iter().filter_map(|atom| universe.find_atom(atom)) {
        next.remove(id);
    }
    for atom in &changes.adds {
        next.insert(universe.find_atom(atom)?);
    }
    for (function, value) in &changes.values {
        next.set_value(universe.find_value(function)?, value.clone());
    }
    Some(next)
}

/// Whether an answer rests on what is unknown alone.
pub(super) fn is_open(reason: &Inapplicable) -> bool {
    let unknown = |fault: &Fault| matches!(fault, Fault::Unknown(_) | Fault::UnknownAtom(_));
    match reason {
        Inapplicable::Precondition(violations) => {
            violations.iter().all(|violation| matches!(&violation.cause, Cause::Fault(fault) if unknown(fault)))
        }
        Inapplicable::Effect(fault) => unknown(fault),
        Inapplicable::Arguments(_) | Inapplicable::Conflict(_) => false,
    }
}
