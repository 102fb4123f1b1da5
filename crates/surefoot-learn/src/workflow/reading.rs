//! Reads all traces of a job into one learner, in parallel: evidence is a set, so order does not
//! matter.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use surefoot_base::assumptions::of_one_log;
use surefoot_base::model::Event;
use surefoot_base::pddl::ReadError;

use super::bad_data::Finding;
use super::error::LearnError;
use super::job::Job;
use crate::evidence::{Attempts, InPart, Learner, Outside, Phase, Provenance, StepId};
type ReadingSum = (Reading, Option<(usize, ReadError)>);

fn earlier<T>(one: Option<(usize, T)>, other: Option<(usize, T)>) -> Option<(usize, T)> {
    [one, other].into_iter().flatten().min_by_key(|(number, _)| *number)
}

/// What reading all traces gave.
pub struct Reading {
    /// What was learned from.
    pub learner: Learner,
    /// By action: the number of observed steps.
    pub steps: Vec<usize>,
    /// By action: how many attempts failed.
    pub attempts: Vec<Attempts>,
    /// By action of the given domain: how many events are in no part of it.
    pub outside: Vec<Outside>,
    /// The steps that no model explains, whatever the other steps are.
    pub findings: Vec<Finding>,
}

impl Job<'_> {
    /// Folds all traces into a learner, leaving out some steps. Of several traces that cannot be
    /// read, the first is reported.
    ///
    /// # Errors
    /// A trace cannot be read, or the caller did not want it to go on.
    pub fn read(&self, without: &BTreeSet<StepId>) -> Result<Reading, LearnError> {
        // What comes after a trace that cannot be read does not matter; what comes before it may be
        // wrong too.
        let first_bad = AtomicUsize::new(usize::MAX);
        let nothing = || (self.nothing(), None);
        let logs = Mutex::new(BTreeSet::new());
        let fold = |(mut sum, mut failed): ReadingSum, trace: usize| -> ReadingSum {
            if trace > first_bad.load(Ordering::Relaxed) || !self.progress.go_on() {
                return (sum, failed);
            }
            match self.read_trace(trace, without, &mut sum) {
                Ok(log) => {
                    logs.lock().unwrap_or_else(PoisonError::into_inner).insert(log);
                    self.progress.trace_read()
                }
                Err(error) => {
                    first_bad.fetch_min(trace, Ordering::Relaxed);
                    failed = earlier(failed, Some((trace, error)));
                }
            }
            (sum, failed)
        };
        let join = |(mut one, failed): ReadingSum, (other, also): ReadingSum| -> ReadingSum {
            one.learner.merge(&other.learner);
            add(&mut one.steps, &other.steps);
            Attempts::add(&mut one.attempts, &other.attempts);
            Outside::add(&mut one.outside, &other.outside);
            one.findings.extend(other.findings);
            (one, earlier(failed, also))
        };
        let traces = self.recording.traces();
        self.progress.phase(Phase::Reading, traces);
        let (mut reading, failed) =
            (0..traces).into_par_iter().fold(nothing, fold).reduce(nothing, join);
        if !self.progress.go_on() {
            return Err(LearnError::Stopped);
        }
        if let Some((_, error)) = failed {
            return Err(error.into());
        }
        let logs = logs.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let (true, Some(sentence)) = (logs.len() > 1, logs.into_iter().flatten().next()) {
            return Err(LearnError::SeveralLogs { is_earlier: false, sentence });
        }
        if let Some(sentence) = reading.learner.needs_one_reading(self.start) {
            return Err(LearnError::SeveralLogs {
                is_earlier: true,
                sentence: sentence.to_owned(),
            });
        }
        reading.findings.sort_by_key(|finding| finding.step);
        if traces > 0 {
            reading.learner.assume(self.settings.stated());
        }
        reading.learner.merge(self.start);
        Ok(reading)
    }

    fn nothing(&self) -> Reading {
        let actions = self.start.domain().actions.len();
        Reading {
            learner: self.start.empty(),
            steps: vec![0; actions],
            attempts: vec![Attempts::default(); actions],
            outside: vec![Outside::default(); self.start.given().actions.len()],
            findings: Vec::new(),
        }
    }

    /// Adds what a trace shows. Returns the sentence about the one log that it comes from, if there
    /// is one.
    fn read_trace(
        &self,
        trace: usize,
        without: &BTreeSet<StepId>,
        sum: &mut Reading,
    ) -> Result<Option<String>, ReadError> {
        let mut steps = vec![0; sum.steps.len()];
        let mut attempts = vec![Attempts::default(); sum.steps.len()];
        let mut outside = vec![Outside::default(); sum.outside.len()];
        let lens = self.start.lens();
        let Provenance { digest, assumed } =
            lens.read_all(self.recording, trace, self.digests, &mut |recorded, observer| {
                let recorded = match recorded {
                    InPart::Yes(recorded) => recorded,
                    InPart::No(recorded) => {
                        let learner = &mut sum.learner;
                        learner.count_outside(recorded.event, observer, &mut outside);
                        return self.progress.go_on();
                    }
                };
                let action = recorded.event.action().symbol;
                let id = (trace, recorded.index);
                match recorded.event {
                    Event::Failed(_) if without.contains(&id) => {
                        attempts[action.index()].failed += 1;
                        attempts[action.index()].add_unclear(Vec::new());
                    }
                    Event::Failed(attempt) => {
                        let failed = observer.count_attempt(attempt, &mut attempts[action.index()]);
                        sum.learner.observe_failure(action, &failed);
                    }
                    Event::Worked(step) => {
                        steps[action.index()] += 1;
                        match observer.observe_step(step) {
                            _ if without.contains(&id) => {}
                            Ok(observation) => sum.learner.observe(action, &observation),
                            Err(anomaly) => {
                                let words = anomaly.in_words(lens.domain(), recorded.objects, step);
                                let diagnostic = recorded.error(words);
                                sum.findings.push(Finding { action, step: id, diagnostic });
                            }
                        }
                    }
                }
                self.progress.go_on()
            })?;
        add(&mut sum.steps, &steps);
        Attempts::add(&mut sum.attempts, &attempts);
        Outside::add(&mut sum.outside, &outside);
        let log = of_one_log(&assumed).next().map(str::to_owned);
        sum.learner.assume(assumed);
        if let Some(digest) = digest {
            if let Some(steps) = self.recording.read_as_failed(trace) {
                sum.learner.read_as_failed(digest.clone(), steps);
            }
            sum.learner.add_attempts(digest.clone(), attempts);
            sum.learner.add_outside(digest.clone(), outside);
            sum.learner.add_trace(digest, steps);
        }
        Ok(log)
    }
}

/// Adds numbers by action.
pub(super) fn add(sum: &mut [usize], more: &[usize]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}
