//! Tries an option on the same records before a message proposes it.
//!
//! A proposal that nobody tried may lead to a model that the records refute. So whoever proposes an
//! option learns with it from the same records, and holds the model against them: it must allow no
//! attempt that failed, and each step that it allows must have ended where it says. Then the same
//! with parts of the records left out: what a model of the others says of them must be true, too.
//! And to round numbers is proposed only if that removes the tails of floating point, and nothing
//! else: whatever is rounded away from a number that somebody wrote would be forgotten.

use std::collections::BTreeSet;

use surefoot_base::assumptions::Spec;
use surefoot_base::exact::Rational;
use surefoot_base::margins::Promised;
use surefoot_base::model::{ActionId, Domain, Event};
use surefoot_base::pddl::{Numbers, ReadError};

use super::bad_data::{Finding, OnBadData, contradictory};
use super::job::Job;
use crate::conclude::Settings;
use crate::evidence::{Class, Learner, Provenance, Recording, StepId, Unwatched, Visit};
use crate::model::{RecordJudge, ResolvedSteps, Verdict};

/// The number of parts; each part of the records is left out once.
const PARTS: usize = 3;

/// Options to be tried: a class and settings, on some records.
pub(crate) struct Trial<'a> {
    /// The learner whose records they are; its class may be another one.
    pub learner: &'a Learner,
    /// The class to be tried.
    pub class: Class,
    /// The settings to be tried.
    pub settings: Settings,
    /// The records on which it is tried.
    pub recording: &'a dyn Recording,
    /// Steps that are left out, as recording errors.
    pub without: &'a BTreeSet<StepId>,
    /// The actions that the options are for.
    pub actions: &'a BTreeSet<ActionId>,
}

impl Trial<'_> {
    /// Whether the options give a model of the actions that no record refutes, nor any that was
    /// left out.
    pub fn passes(&self) -> Result<bool, ReadError> {
        Ok(self.foreseen()?.is_some())
    }

    /// How many steps a model foresees that is learned without a part of the records with them;
    /// `None` if a record refutes the options.
    pub fn foreseen(&self) -> Result<Option<usize>, ReadError> {
        if self.rounds_written_numbers()? {
            return Ok(None);
        }
        match self.holds(&|_| true, &|_| true, true)? {
            Some(_) => self.foreseen_in_parts(),
            None => Ok(None),
        }
    }

    /// How many steps of each part of the records the models foresee that are learned without it;
    /// `None` if one of them is not true of its part.
    fn foreseen_in_parts(&self) -> Result<Option<usize>, ReadError> {
        let mut sum = 0;
        for part in 0..PARTS {
            let by_trace = self.recording.traces() >= PARTS;
            let left_out =
                |(trace, step): StepId| (if by_trace { trace } else { step }) % PARTS == part;
            match self.holds(&|step| !left_out(step), &left_out, false)? {
                Some(foreseen) => sum += foreseen,
                None => return Ok(None),
            }
        }
        Ok(Some(sum))
    }

    /// How many of some steps a model foresees that is learned from some steps; `None` if it is not
    /// true of one, or if no model explains all actions, and one must. Where nothing has to be
    /// tried to know that it is true of all, no step is counted.
    fn holds(
        &self,
        learned_from: &(dyn Fn(StepId) -> bool + Sync),
        tested_on: &(dyn Fn(StepId) -> bool + Sync),
        whole: bool,
    ) -> Result<Option<usize>, ReadError> {
        let kept = |step: StepId| !self.without.contains(&step) && learned_from(step);
        let recording = RecordingPart { recording: self.recording, keeps: &kept };
        let Ok(start) = Learner::new(self.learner.given(), self.class.clone()) else {
            return Ok(None);
        };
        let policy = OnBadData::SkipAction.into();
        let job = Job {
            start: &start,
            settings: &self.settings,
            recording: &recording,
            policy,
            digests: false,
            progress: &Unwatched,
        };
        if self.is_decided_by_consistency(&job)? {
            return Ok((!whole || self.is_consistent(&job)?).then_some(0));
        }
        let Ok(model) = job.run() else { return Ok(None) };
        // An action for which errors leave no state is left out, and refutes nothing; one that no
        // model explains does.
        let skipped = model.grounds().map(|grounds| &grounds.learner.history().skipped);
        if whole
            && self
                .actions
                .iter()
                .any(|action| skipped.is_none_or(|skipped| skipped.contains_key(action)))
        {
            return Ok(None);
        }
        let by_part = model.by_part();
        let promised = Promised::of(by_part.domain(), &self.class.errors);
        let judge = RecordJudge::new(by_part.vocabulary(), by_part.whole(), promised)
            .of_algorithm(self.settings.algorithm);
        let (mut refuted, mut foreseen) = (false, 0);
        for trace in 0..self.recording.traces() {
            let mut resolved = ResolvedSteps::default();
            start.lens().each_event_while(self.recording, [trace], |step, recorded, _| {
                let counts = self.actions.contains(&recorded.event.action().symbol);
                if counts && tested_on(step) && !self.without.contains(&step) {
                    let verdict = judge.verdict(recorded, &mut resolved);
                    foreseen += usize::from(verdict == Verdict::Allowed { foreseen: true });
                    refuted |= match recorded.event {
                        Event::Failed(_) => matches!(verdict, Verdict::Allowed { .. }),
                        Event::Worked(_) => verdict == Verdict::Allowed { foreseen: false },
                    };
                }
                !refuted
            })?;
        }
        Ok((!refuted).then_some(foreseen))
    }
}

impl Trial<'_> {
    /// Whether no failure of the actions was recorded and all numbers are exact. Then a model of
    /// the whole foresees each step, and so does whatever is learned from a part: it allows only
    /// where all models of the class agree that explain the part, and the model of the whole is one
    /// of them.
    fn is_decided_by_consistency(&self, job: &Job<'_>) -> Result<bool, ReadError> {
        let mut failed = !self.class.errors.is_empty() || self.settings.unchanged_failed;
        let traces = if failed { 0 } else { self.recording.traces() };
        job.start.lens().each_event_while(self.recording, 0..traces, |_, recorded, _| {
            failed |=
                recorded.step().is_none() && self.actions.contains(&recorded.event.action().symbol);
            !failed
        })?;
        Ok(!failed)
    }

    /// Whether the class rounds a recorded number that was not computed in floating point.
    fn rounds_written_numbers(&self) -> Result<bool, ReadError> {
        let Numbers::Decimals(decimals) = self.class.numbers else { return Ok(false) };
        let Some(unit) = 10_i64.checked_pow(decimals).map(Rational::from) else { return Ok(false) };
        let mut found = false;
        let domain = self.learner.given();
        let is_rounded = |value: &Rational| {
            !value.is_integer() && !(value * &unit).is_integer() && !is_computed(value)
        };
        for trace in 0..self.recording.traces() {
            self.recording.read(trace, domain, Numbers::Exact, false, &mut |recorded| {
                let before = recorded.event.attempt().before;
                found |= before.values().any(|(_, value)| is_rounded(value));
                if let Some(step) = recorded.event.step() {
                    let changed = step.before.differing_values(step.after);
                    found |= changed.filter_map(|id| step.after.value(id)).any(is_rounded);
                }
                !found
            })?;
        }
        Ok(found)
    }

    /// Whether some model of the class explains all steps of the actions.
    fn is_consistent(&self, job: &Job<'_>) -> Result<bool, ReadError> {
        let Ok(reading) = job.read(&BTreeSet::new()) else { return Ok(false) };
        let contradictory = contradictory(&reading.learner, self.settings.algorithm);
        let anomalous = |finding: &Finding| self.actions.contains(&finding.action);
        Ok(self.actions.is_disjoint(&contradictory) && !reading.findings.iter().any(anomalous))
    }
}

/// Doubles have about 16 digits: a number with this many was computed, not written.
const COMPUTED: usize = 15;

/// Whether a number has so many digits that it was computed in floating point.
pub fn is_computed(value: &Rational) -> bool {
    value.to_decimal().is_none_or(|text| {
        let digits = text.chars().filter(char::is_ascii_digit);
        text.contains('.') && digits.skip_while(|&digit| digit == '0').count() >= COMPUTED
    })
}

/// Whether records refute every model of a spec that is learned from them: it allows what failed,
/// or says where a step ends that ended elsewhere. Actions that no model explains are left out.
///
/// # Errors
/// The recording cannot be read.
pub fn is_refuted(
    domain: &Domain,
    spec: &Spec,
    recording: &dyn Recording,
) -> Result<bool, ReadError> {
    let Ok(learner) = Learner::of(domain, spec) else { return Ok(true) };
    let Ok(settings) = Settings::of_spec(spec, &learner) else { return Ok(true) };
    let (without, actions) = (BTreeSet::new(), learner.domain().action_ids().collect());
    let class = learner.class().clone();
    let trial = Trial {
        learner: &learner,
        class,
        settings,
        recording,
        without: &without,
        actions: &actions,
    };
    if trial.rounds_written_numbers()? {
        return Ok(true);
    }
    let is_true = trial.holds(&|_| true, &|_| true, false)?.is_some();
    Ok(!is_true || trial.foreseen_in_parts()?.is_none())
}

/// Some steps of a recording.
struct RecordingPart<'a> {
    recording: &'a dyn Recording,
    keeps: &'a (dyn Fn(StepId) -> bool + Sync),
}

impl Recording for RecordingPart<'_> {
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
        self.recording.read(trace, domain, numbers, with_digest, &mut |recorded| {
            !(self.keeps)((trace, recorded.index)) || visit(recorded)
        })
    }

    fn read_as_failed(&self, trace: usize) -> Option<BTreeSet<usize>> {
        self.recording.read_as_failed(trace)
    }

    fn digest(&self, trace: usize) -> Result<String, ReadError> {
        self.recording.digest(trace)
    }
}
