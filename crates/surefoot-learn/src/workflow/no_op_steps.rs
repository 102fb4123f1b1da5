//! Steps that changed nothing, read as attempts that failed (docs/theory.md, "Failures").
//!
//! Some recorders write a failed step as one that changed nothing. With `--unchanged failed` such a
//! step is read as a failure if no model of the class that explains the steps of its action that
//! changed something leaves everything there as it is. Where some model does, nobody can tell
//! whether it worked, so it counts neither way: it is not shown to anybody.

use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::assumptions::{Algorithm, is_of_declared};
use surefoot_base::model::{ActionId, Domain, Step};
use surefoot_base::pddl::{Numbers, ReadError};

use super::error::LearnError;
use super::job::Job;
use crate::conclude::contradiction;
use crate::evidence::{
    ActionEvidence, InPart, Learner, Observation, Observer, Provenance, Recording, StepId, Trace,
    Visit,
};

/// A recording of whose steps that changed nothing some are read as attempts that failed, and all
/// others are left out.
pub struct Reread<'r> {
    recording: &'r dyn Recording,
    /// By trace: the steps that are read as failed.
    failed: Vec<BTreeSet<usize>>,
    /// By trace: the steps that count neither way.
    left_out: Vec<BTreeSet<usize>>,
}

impl Reread<'_> {
    /// How many steps count neither way.
    pub fn left_out(&self) -> usize {
        self.left_out.iter().map(BTreeSet::len).sum()
    }
}

impl Recording for Reread<'_> {
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
        let (failed, left_out) = (&self.failed[trace], &self.left_out[trace]);
        self.recording.read(trace, domain, numbers, with_digest, &mut |recorded| match failed
            .contains(&recorded.index)
        {
            true => visit(&recorded.as_failed()),
            false => left_out.contains(&recorded.index) || visit(recorded),
        })
    }

    fn digest(&self, trace: usize) -> Result<String, ReadError> {
        self.recording.digest(trace)
    }

    fn read_as_failed(&self, trace: usize) -> Option<BTreeSet<usize>> {
        Some(self.failed[trace].clone())
    }

    fn text(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
    ) -> Result<Option<Trace>, ReadError> {
        self.recording.text(trace, domain, numbers)
    }
}

impl<'a> Job<'a> {
    /// The recording with the steps that changed nothing read as the settings say, or as those
    /// before were; `None` where they are steps like any other. No step that changed nothing is
    /// among those it shows as ones that worked.
    ///
    /// # Errors
    /// A trace cannot be read, the caller did not want it to go on, or earlier steps that changed
    /// nothing were taken for ones that worked.
    pub fn reread(&self) -> Result<Option<Reread<'a>>, LearnError> {
        match (self.settings.unchanged_failed, self.start.takes_unchanged()) {
            // What was read so before goes on so.
            (_, Some(false)) | (true, None) => {}
            (true, Some(true)) => return Err(LearnError::Unchanged),
            (false, _) => return Ok(None),
        }
        let mut changing = self.start.clone();
        let assumed = self.each_step(|_, step, observer| {
            if !is_unchanged(step)
                && let Ok(observation) = observer.observe_step(step)
            {
                changing.observe(step.action.symbol, &observation);
            }
        })?;
        // What is declared was applied to the steps that may have failed: none of them is
        // unchanged, and each is wrong about it.
        let declared =
            self.settings.declared.iter().map(|(fact, declared)| declared.sentence(fact));
        if let Some(sentence) = declared.chain(assumed).find(|sentence| is_of_declared(sentence)) {
            return Err(LearnError::UnchangedDeclared(sentence));
        }
        let numbers = self.settings.algorithm != Algorithm::Sam;
        let mut judges: BTreeMap<ActionId, Judge<'_>> = BTreeMap::new();
        let mut failed = vec![BTreeSet::new(); self.recording.traces()];
        let mut left_out = failed.clone();
        for (trace, left_out) in left_out.iter_mut().enumerate() {
            let lens = self.start.lens();
            if lens.parts().is_empty() {
                break;
            }
            // A step in no part shows nothing of what its action would have changed.
            lens.read_all(self.recording, trace, false, &mut |recorded, _| {
                if let InPart::No(recorded) = recorded
                    && recorded.step().is_some_and(is_unchanged)
                {
                    left_out.insert(recorded.index);
                }
                self.progress.go_on()
            })?;
        }
        self.each_step(|(trace, index), step, observer| {
            if !is_unchanged(step) {
                return;
            }
            let action = step.action.symbol;
            let judge =
                judges.entry(action).or_insert_with(|| Judge::new(&changing, action, numbers));
            let would_have =
                observer.observe_step(step).is_ok_and(|seen| judge.would_have_changed(&seen));
            let steps = if would_have { &mut failed } else { &mut left_out };
            steps[trace].insert(index);
        })?;
        Ok(Some(Reread { recording: self.recording, failed, left_out }))
    }

    /// Shows all steps; returns what was taken for granted to read them.
    fn each_step(
        &self,
        mut visit: impl FnMut(StepId, Step<'_>, &mut Observer),
    ) -> Result<BTreeSet<String>, LearnError> {
        let mut assumed = self.start.history().assumed.clone();
        for trace in 0..self.recording.traces() {
            let lens = self.start.lens();
            let provenance =
                lens.read(self.recording, trace, false, &mut |recorded, observer| {
                    if let Some(step) = recorded.step() {
                        visit((trace, recorded.index), step, observer);
                    }
                    self.progress.go_on()
                })?;
            if !self.progress.go_on() {
                return Err(LearnError::Stopped);
            }
            assumed.extend(provenance.assumed);
        }
        Ok(assumed)
    }
}

/// Whether both states of a step agree in all that the record says.
pub fn is_unchanged(step: Step<'_>) -> bool {
    step.before.differing_atoms(step.after).next().is_none()
        && step.before.differing_values(step.after).next().is_none()
}

/// What the steps of an action that changed something say about one that changed nothing.
struct Judge<'l> {
    learner: &'l Learner,
    action: ActionId,
    numbers: bool,
    /// The observations without those that say nothing of effects; `None` if no model explains
    /// them, so that they say nothing.
    effects: Option<ActionEvidence>,
    known: Vec<(Observation, bool)>,
}

/// The number of steps that are remembered, for records that repeat them.
const REMEMBERED: usize = 64;

impl<'l> Judge<'l> {
    fn new(learner: &'l Learner, action: ActionId, numbers: bool) -> Self {
        let explained = !learner.evidence(action).is_empty()
            && learner.contradiction(action, numbers).is_none();
        let effects = explained.then(|| learner.evidence(action).of_effects());
        Judge { learner, action, numbers, effects, known: Vec::new() }
    }

    /// Whether no model leaves everything as it is there.
    fn would_have_changed(&mut self, step: &Observation) -> bool {
        let Some(effects) = &self.effects else { return false };
        if let Some((_, known)) = self.known.iter().find(|(known, _)| known == step) {
            return *known;
        }
        let mut with = effects.clone();
        with.observe(self.learner.vocabulary(self.action), step);
        let answer =
            contradiction(self.learner.vocabulary(self.action), &with, self.numbers).is_some();
        if self.known.len() < REMEMBERED {
            self.known.push((step.clone(), answer));
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::super::bad_data::OnBadData;
    use super::*;
    use crate::conclude::Settings;
    use crate::evidence::{NoTraces, Trace};
    use crate::model::Model;
    use surefoot_base::assumptions::Declared;
    use surefoot_base::pddl::{Source, read_domain};

    #[test]
    fn no_step_that_changed_nothing_is_shown_as_one_that_worked() {
        let text =
            "(define (domain d) (:predicates (power) (on) (z)) (:action switch-on :parameters ()))";
        let domain = read_domain(&Source::new("d", text)).unwrap();
        let start = Learner::new(&domain, Default::default()).unwrap();
        let settings = Settings { unchanged_failed: true, ..Settings::default() };
        let text = "((:init (power)) (operator: (switch-on)) (:state (power) (on))
                    (:reset (z)) (operator: (switch-on)) (:state (z)) (:reset (on)) (operator: \
                    (switch-on)) (:state (on)))";
        let traces = [Trace::inferred(Source::new("t", text))];
        let (recording, policy): (&[Trace], _) = (&traces, OnBadData::Stop.into());
        let progress = &crate::evidence::Unwatched;
        let job = Job {
            start: &start,
            settings: &settings,
            recording: &recording,
            policy,
            digests: false,
            progress,
        };
        let reread = job.reread().unwrap().unwrap();
        assert_eq!((reread.read_as_failed(0), reread.left_out()), (Some([1].into()), 1));
        let mut shown = Vec::new();
        let mut visit = |recorded: &crate::evidence::Recorded<'_>| {
            shown.push((recorded.index, recorded.step().is_some()));
            true
        };
        reread.read(0, &domain, Numbers::Exact, false, &mut visit).unwrap();
        assert_eq!(shown, [(0, true), (1, false)]);
        // What is declared changes in steps that changed nothing else.
        let declared =
            Declared { from: vec!["switch-on".to_owned()], until: Vec::new() }.sentence("(z)");
        let text = format!("; assumed: {declared}\n((:init) (operator: (switch-on)) (:state (z)))");
        let traces = [Trace::inferred(Source::new("t", text))];
        let recording: &[Trace] = &traces;
        let refused = Job { recording: &recording, ..job }.reread();
        assert!(
            matches!(refused, Err(LearnError::UnchangedDeclared(sentence)) if sentence == declared)
        );
        // A learner that observed steps one by one cannot know.
        assert!(matches!(
            Model::of(&start, &settings, &NoTraces, OnBadData::Stop),
            Err(LearnError::UnchangedApart)
        ));
    }
}
