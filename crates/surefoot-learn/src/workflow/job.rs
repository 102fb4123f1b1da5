//! Learning a model from recorded executions: one workflow for every caller, wherever the steps
//! come from.
//!
//! Steps are folded into a learner, bad data are dealt with as the user chose, and every action is
//! concluded. Nothing but the recording, the learner it starts from, the settings and the policy
//! decides about the model.

use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::assumptions::Spec;
use surefoot_base::invariant::{Invariant, guarded};
use surefoot_base::model::{ActionId, Domain};
use surefoot_base::pddl::ReadError;

use super::bad_data::{self, BadData, Finding, NoQuarantine, OnBadData, Policy};
use super::diagnosis::suggestion;
use super::error::LearnError;
use super::reading::{Reading, add};
use super::refutations::{refuted_by_failure, refuted_class, unexplained};
use super::replay::ReplayedRecords;
use super::spoiled::{Unlearned, with_spoiled};
use crate::conclude::{Conclusion, Inconsistency, Settings};
use crate::evidence::{
    Attempts, Both, Class, Learner, LiftedFunctionId, Mention, NoTraces, Outside, Phase, Progress,
    Recording, StepId, Trace, Unwatched, kept_traces,
};
use crate::model::{Model, Verdicts};

/// What is learned from, and how.
pub struct Job<'a> {
    /// Where learning starts: an empty learner, or one that saw other traces.
    pub start: &'a Learner,
    /// What the model is made with.
    pub settings: &'a Settings,
    /// The records to learn from.
    pub recording: &'a dyn Recording,
    /// What to do about steps that no model explains.
    pub policy: Policy,
    /// Whether the learner shall remember which traces it saw, as states and certificates ask for.
    pub digests: bool,
    /// Whom to report progress to.
    pub progress: &'a dyn Progress,
}

/// What was decided about records that contradict others.
#[derive(Default)]
struct Decided {
    /// Steps that are taken for recording errors.
    set_aside: Vec<Finding>,
    /// Records for which their actions are left out.
    left_out: Vec<Finding>,
    /// Those of them that may be recording errors.
    doubtful: BTreeSet<StepId>,
}

/// Why the number of records of an action is known.
const COUNTED: &str = "the records of every action were counted";

/// Learns a model from traces: traces in, a model out. Stops at bad data.
///
/// # Errors
/// See [`LearnError`].
pub fn learn(domain: &Domain, spec: &Spec, traces: &[Trace]) -> Result<Model, LearnError> {
    let start = Learner::of(domain, spec)?;
    let settings = Settings::of_spec(spec, &start)?;
    let (policy, recording) = (Policy::default(), &traces);
    Job {
        start: &start,
        settings: &settings,
        recording,
        policy,
        digests: true,
        progress: &Unwatched,
    }
    .run()
}

impl Learner {
    /// A learner without evidence, of the class that a spec describes.
    ///
    /// # Errors
    /// The spec names what the domain does not have, or its class is too large.
    pub fn of(domain: &Domain, spec: &Spec) -> Result<Learner, LearnError> {
        let class = Class::of_spec(spec, domain)?;
        let learned = class.parts.learned_domain(domain);
        Learner::new(domain, class).map_err(|what| LearnError::TooLarge {
            action: learned.action_name(what.action).to_owned(),
            what,
        })
    }
}

impl Job<'_> {
    /// Reads all traces and concludes every action.
    ///
    /// # Errors
    /// See [`LearnError`].
    pub fn run(&self) -> Result<Model, LearnError> {
        guarded(|| self.run_unguarded())?
    }

    fn run_unguarded(&self) -> Result<Model, LearnError> {
        if self.policy.on_bad == OnBadData::Quarantine
            && let Some((earlier, new)) = self.start.kept_beside(self.recording)?
        {
            // All records together decide which of them are wrong. What was assumed of the earlier
            // ones, and how they were read, goes on.
            let earlier = &earlier[..];
            let (mut start, recording) = (self.start.empty(), Both(&new, &earlier));
            start.assume(self.start.history().assumed.clone());
            let mut settings = self.settings.clone();
            settings.unchanged_failed |= self.start.takes_unchanged() == Some(false);
            let (start, settings) = (&start, &settings);
            return Job { start, settings, recording: &recording, ..*self }.run_unguarded();
        }
        // Where steps were set aside before, it matters which traces are new.
        // The header counts the steps of each part, and equal traces count once, however they come.
        let has_parts = !self.start.class().parts.is_empty();
        let digests = self.digests || has_parts || !self.start.history().set_aside_of.is_empty();
        if let Some(reread) = self.reread()? {
            let job = Job { recording: &reread, digests, ..*self };
            let model = job.conclude(job.read(&BTreeSet::new())?)?;
            return Ok(model.with_left_out(reread.left_out()));
        }
        let job = Job { digests, ..*self };
        job.conclude(job.read(&BTreeSet::new())?)
    }

    /// The actions of the learned domain that the records refute: no model of the class explains
    /// them. With `by_failures`, also those that failed where every model of the class allows them.
    ///
    /// # Errors
    /// See [`LearnError`].
    pub fn refuted_actions(&self, by_failures: bool) -> Result<BTreeSet<ActionId>, LearnError> {
        guarded(|| {
            let mut reading = self.read(&BTreeSet::new())?;
            let mut refuted = bad_data::contradictory(&reading.learner, self.settings.algorithm);
            reading.learner.settle();
            if by_failures {
                let failures = unexplained(&reading, self.settings, self.recording)?;
                refuted.extend(failures.into_iter().map(|finding| finding.action));
            }
            Ok(refuted)
        })?
    }

    /// Whether some parts of actions were found in records.
    fn has_found_parts(&self) -> bool {
        self.start.lens().parts().found().next().is_some()
    }

    /// Concludes every action from what was read; bad data are dealt with as the policy says.
    ///
    /// # Errors
    /// See [`LearnError`].
    pub fn conclude(&self, reading: Reading) -> Result<Model, LearnError> {
        guarded(|| self.conclude_unguarded(reading))?
    }

    fn conclude_unguarded(&self, reading: Reading) -> Result<Model, LearnError> {
        if let (Some(sentence), true) =
            (reading.learner.of_one_log().first(), reading.learner.of_one_log().len() > 1)
        {
            let sentence = (*sentence).to_owned();
            return Err(LearnError::SeveralLogs { is_earlier: false, sentence });
        }
        let steps = self.all_steps(&reading);
        found_in(self.start, &steps)?;
        // Records in no part change no count of a part, and may refute all of them.
        if let Some((given, _)) = self.start.lens().parts().found().next()
            && self.start.has_seen_any()
            && self.recording.traces() > 0
        {
            let name = self.start.given().action_name(given).to_owned();
            return Err(LearnError::FoundElsewhere(name));
        }
        let attempts = self.all_attempts(&reading);
        let outside = self.all_outside(&reading);
        let (mut reading, unlearned) = self.sort_out(reading)?;
        self.progress.phase(Phase::Concluding, self.start.domain().actions.len());
        reading.learner.settle();
        let verdicts = Verdicts::new(&reading.learner, self.settings, self.progress)
            .ok_or(LearnError::Stopped)?;
        refuted_assumption(&reading.learner, self.settings, &verdicts.conclusions)?;
        unexplained_by_any(&reading.learner, &verdicts.conclusions, self.policy.on_bad)?;
        trust_inconsistent(&mut reading.learner, &verdicts.conclusions);
        let records = ReplayedRecords {
            recording: self.recording,
            unlearned: &unlearned,
            progress: self.progress,
        };
        let needs_all = self.policy.on_bad == OnBadData::Quarantine || self.has_found_parts();
        if needs_all && self.digests && !self.start.has_seen_any() {
            let (given, numbers) = (self.start.given(), self.start.class().numbers);
            reading.learner.keep(kept_traces(self.recording, given, numbers)?);
        }
        let model = Model::new(reading.learner, self.settings.clone(), &steps, verdicts);
        Ok(records.tried(model)?.with_attempts(&attempts).with_outside(&outside))
    }

    /// Deals with bad data as the policy says: what is left to conclude from, and the records that
    /// were not learned from.
    ///
    /// # Errors
    /// See [`LearnError`].
    pub fn sort_out(&self, mut reading: Reading) -> Result<(Reading, Unlearned), LearnError> {
        let Job { start, settings, recording, policy, .. } = *self;
        let steps = self.all_steps(&reading);
        let mut decided = Decided::default();
        self.progress.phase(Phase::Blaming, 0);
        self.nothing_left_out_earlier(&reading.learner)?;
        let contradictory = bad_data::contradictory(&reading.learner, settings.algorithm);
        let rows = bad_data::rows(&reading.learner, &contradictory, recording)?;
        let mut findings = std::mem::take(&mut reading.findings);
        let anomalies = !findings.is_empty();
        let blamed =
            bad_data::blamed(start, &reading.learner, &rows, recording, settings.algorithm)?;
        findings.extend(blamed.findings);
        let unrecorded = bad_data::Unrecorded::of(&reading.learner, &findings, &rows, settings);
        let why_not = (&unrecorded, &blamed.tied);
        let refused = bad_data::refused(&reading.learner, &steps, &findings, why_not, policy);
        let refusal = |learner: &Learner| -> Result<LearnError, ReadError> {
            let diagnoses = bad_data::diagnoses(learner, &rows, recording, policy.limit, settings)?;
            let suggestion = suggestion(learner, settings, anomalies, &diagnoses, recording)?;
            let refuted =
                bad_data::refuted(learner, settings, &steps, &findings, &refused, recording)?;
            let refused = [refused.clone(), refuted].concat();
            let bad =
                BadData::new(&findings, policy, &refused, diagnoses).with_suggestion(suggestion);
            Ok(bad.with_failures(learner, &findings, recording)?.into())
        };
        match policy.on_bad {
            _ if findings.is_empty() => {}
            OnBadData::Stop => return Err(refusal(&reading.learner)?),
            OnBadData::SkipAction => decided.left_out = findings,
            OnBadData::Quarantine => {
                // What was learned before cannot be looked at again: another step may be the one to
                // blame.
                if let Some(action) = bad_data::contradicts_earlier(start, &findings, &rows) {
                    return Err(LearnError::Earlier(start.domain().action_name(action).to_owned()));
                }
                if self.is_all_refused(&steps, &refused) {
                    return Err(refusal(&reading.learner)?);
                }
                // An action whose steps are no recording errors is left out by itself.
                let is_refused = |finding: &Finding| self.is_among(finding.action, &refused);
                (decided.left_out, decided.set_aside) = findings.into_iter().partition(is_refused);
            }
        }
        decided.doubtful = self.doubtful(&decided.left_out, &steps, &blamed.tied);
        let (reading, unlearned) = self.apply(&decided, reading)?;
        if policy.on_bad != OnBadData::SkipAction {
            let contradictory = bad_data::contradictory(&reading.learner, settings.algorithm);
            self.contradiction(&reading.learner, &contradictory)?;
        }
        self.sort_out_failures(reading, unlearned, decided)
    }

    /// Of the records for which their actions are left out: those that may be recording errors,
    /// since they are few. Many show that the class is wrong, or that something is not recorded.
    /// Where as few other records may be wrong instead, or the action was learned from before,
    /// nobody knows which.
    fn doubtful(
        &self,
        left_out: &[Finding],
        recorded: &[usize],
        tied: &BTreeSet<ActionId>,
    ) -> BTreeSet<StepId> {
        let mut few: BTreeMap<ActionId, Vec<StepId>> = BTreeMap::new();
        for finding in left_out {
            few.entry(finding.action).or_default().push(finding.step);
        }
        few.retain(|action, steps| {
            let all = *recorded.get(action.index()).invariant(COUNTED);
            self.policy.limit.admits(steps.len(), all)
                && !tied.contains(action)
                && self.start.evidence(*action).is_empty()
        });
        few.into_values().flatten().collect()
    }

    /// What is left to learn from after these decisions; and the records that were not learned
    /// from.
    fn apply(
        &self,
        decided: &Decided,
        mut reading: Reading,
    ) -> Result<(Reading, Unlearned), LearnError> {
        let aside = decided.set_aside.iter().map(|finding| finding.step);
        let errors: BTreeSet<StepId> = aside.chain(decided.doubtful.iter().copied()).collect();
        let numbers = self.start.class().numbers;
        let carried = !reading.learner.history().assumed.is_empty();
        let unlearned =
            with_spoiled(errors, self.recording, self.start.given(), (numbers, carried))?;
        if !unlearned.all.is_empty() {
            reading = self.read(&unlearned.all)?;
            self.nothing_left_out_earlier(&reading.learner)?;
        }
        let left_out = bad_data::named(&decided.left_out, self.recording)?;
        for ((action, step), finding) in left_out.into_iter().zip(&decided.left_out) {
            match decided.doubtful.contains(&finding.step) {
                true => reading.learner.doubt(action, step.clone()),
                false => reading.learner.trust(action),
            }
            reading.learner.skip_action(action, step);
        }
        for (action, step) in bad_data::named(&decided.set_aside, self.recording)? {
            reading.learner.set_step_aside(action, step);
        }
        Ok((reading, unlearned))
    }

    /// Fails if an earlier run left records out and there are further ones now.
    fn nothing_left_out_earlier(&self, learner: &Learner) -> Result<(), LearnError> {
        match self.start.left_out_apart(learner) {
            Some(records) => Err(LearnError::LeftOutEarlier(records)),
            None => Ok(()),
        }
    }

    /// Likewise for attempts that failed although every model of the class allows them. None is set
    /// aside: the model would allow what failed.
    fn sort_out_failures(
        &self,
        mut reading: Reading,
        unlearned: Unlearned,
        mut decided: Decided,
    ) -> Result<(Reading, Unlearned), LearnError> {
        let Job { settings, recording, policy, .. } = *self;
        reading.learner.settle();
        let findings = unexplained(&reading, settings, recording)?;
        if let Some(first) = findings.first()
            && let Some(refuted) = refuted_class(&reading.learner, settings, recording, first)?
        {
            return Err(refuted);
        }
        let mut steps = self.all_steps(&reading);
        steps
            .iter_mut()
            .zip(self.all_attempts(&reading))
            .for_each(|(steps, attempts)| *steps += attempts.failed);
        let refused = bad_data::refused_failures(&reading.learner, &steps, &findings);
        let stops = match policy.on_bad {
            OnBadData::Stop => true,
            OnBadData::SkipAction => false,
            OnBadData::Quarantine => self.is_all_refused(&steps, &refused),
        };
        if stops && !findings.is_empty() {
            let bad = BadData::new(&findings, policy, &refused, Vec::new());
            return Err(bad.with_failures(&reading.learner, &findings, recording)?.into());
        }
        let (mut reading, unlearned) = match findings.is_empty() {
            true => (reading, unlearned),
            false => {
                decided.doubtful.extend(self.doubtful(&findings, &steps, &BTreeSet::new()));
                decided.left_out.extend(findings);
                self.apply(&decided, reading)?
            }
        };
        reading.learner.settle();
        refuted_by_failure(&reading, settings, recording)?;
        Ok((reading, unlearned))
    }

    /// Whether an action is among those whose steps cannot be set aside.
    fn is_among(&self, action: ActionId, refused: &[NoQuarantine]) -> bool {
        let name = self.start.domain().action_name(action);
        refused.iter().any(|refused| refused.action == name)
    }

    /// Whether there is an action whose steps cannot be set aside, and no other was recorded.
    fn is_all_refused(&self, steps: &[usize], refused: &[NoQuarantine]) -> bool {
        let recorded = self.start.domain().action_ids().filter(|id| steps[id.index()] > 0);
        !refused.is_empty() && recorded.into_iter().all(|action| self.is_among(action, refused))
    }

    /// By action: how many attempts failed, now and before. A trace that is known by its digest
    /// counts once.
    fn all_attempts(&self, reading: &Reading) -> Vec<Attempts> {
        let (mut all, known) = match self.digests {
            true => (
                vec![Attempts::default(); reading.steps.len()],
                &reading.learner.history().attempts,
            ),
            false => (reading.attempts.clone(), &self.start.history().attempts),
        };
        all.resize(reading.steps.len(), Attempts::default());
        known.values().for_each(|attempts| Attempts::add(&mut all, attempts));
        all
    }

    /// Likewise for events that are in no part of their action, by action of the given domain.
    fn all_outside(&self, reading: &Reading) -> Vec<Outside> {
        let (mut all, known) = match self.digests {
            true => {
                let none = vec![Outside::default(); reading.outside.len()];
                (none, &reading.learner.history().outside)
            }
            false => (reading.outside.clone(), &self.start.history().outside),
        };
        known.values().for_each(|outside| Outside::add(&mut all, outside));
        all
    }

    /// By action: the number of steps observed now and before. A trace that is known by its digest
    /// counts once.
    fn all_steps(&self, reading: &Reading) -> Vec<usize> {
        let (mut all, known) = match self.digests {
            true => (vec![0; reading.steps.len()], &reading.learner.history().traces),
            false => (reading.steps.clone(), &self.start.history().traces),
        };
        known.values().for_each(|steps| add(&mut all, steps));
        all
    }

    /// What is left contradicts itself although no step of the traces at hand is to blame: it lies
    /// in what was learned before.
    fn contradiction(
        &self,
        learner: &Learner,
        contradictory: &BTreeSet<ActionId>,
    ) -> Result<(), LearnError> {
        let Some(action) = contradictory.first() else { return Ok(()) };
        let name = learner.domain().action_name(*action).to_owned();
        match self.start.evidence(*action).is_empty() {
            true => Err(LearnError::Contradiction(name)),
            false => Err(LearnError::Earlier(name)),
        }
    }
}

/// Fails if parts were found in other records than those with so many steps, by action.
fn found_in(learner: &Learner, steps: &[usize]) -> Result<(), LearnError> {
    let parts = learner.lens().parts();
    for (given, found) in parts.found() {
        let counted = parts.learned_ids(given).map(|id| steps.get(id.index()).copied());
        if !counted.eq(found.found.iter().map(|part| Some(part.steps))) {
            let name = learner.given().action_name(given).to_owned();
            return Err(LearnError::FoundElsewhere(name));
        }
    }
    Ok(())
}

impl Model {
    /// What a learner amounts to, whatever it learned from; not with
    /// [`Settings::unchanged_failed`], for which [`Job::run`] looks at all steps. Of actions that
    /// nothing explains, the steps to blame are looked for in the recording; they cannot be set
    /// aside any more.
    ///
    /// # Errors
    /// See [`LearnError`].
    pub fn of(
        learner: &Learner,
        settings: &Settings,
        recording: &dyn Recording,
        on_bad: OnBadData,
    ) -> Result<Model, LearnError> {
        guarded(|| Self::of_unguarded(learner, settings, recording, on_bad))?
    }

    fn of_unguarded(
        learner: &Learner,
        settings: &Settings,
        recording: &dyn Recording,
        on_bad: OnBadData,
    ) -> Result<Model, LearnError> {
        if settings.unchanged_failed && learner.takes_unchanged() != Some(false) {
            return Err(LearnError::UnchangedApart);
        }
        let mut observed = vec![0; learner.domain().actions.len()];
        learner.history().traces.values().for_each(|steps| add(&mut observed, steps));
        found_in(learner, &observed)?;
        let mut learner = learner.clone();
        learner.settle();
        if on_bad != OnBadData::SkipAction {
            let contradictory = bad_data::contradictory(&learner, settings.algorithm);
            let rows = bad_data::rows(&learner, &contradictory, recording)?;
            let bad_data::Blamed { findings, tied } =
                bad_data::blamed(&learner.empty(), &learner, &rows, recording, settings.algorithm)?;
            if !findings.is_empty() {
                let policy = Policy::from(on_bad);
                let diagnoses =
                    bad_data::diagnoses(&learner, &rows, recording, policy.limit, settings)?;
                let suggestion = suggestion(&learner, settings, false, &diagnoses, recording)?;
                let unrecorded = bad_data::Unrecorded::of(&learner, &findings, &rows, settings);
                let steps: Vec<usize> = learner
                    .domain()
                    .action_ids()
                    .map(|id| rows.get(&id).map_or(0, |rows| rows.total))
                    .collect();
                let why_not = (&unrecorded, &tied);
                let refused = bad_data::refused(&learner, &steps, &findings, why_not, policy);
                return Err(BadData::new(&findings, policy, &refused, diagnoses)
                    .with_suggestion(suggestion)
                    .into());
            }
            if let Some(action) = contradictory.first() {
                return Err(LearnError::Earlier(learner.domain().action_name(*action).to_owned()));
            }
        }
        let verdicts = Verdicts::new(&learner, settings, &Unwatched).ok_or(LearnError::Stopped)?;
        refuted_assumption(&learner, settings, &verdicts.conclusions)?;
        unexplained_by_any(&learner, &verdicts.conclusions, on_bad)?;
        trust_inconsistent(&mut learner, &verdicts.conclusions);
        let steps = vec![0; learner.domain().actions.len()];
        let records = ReplayedRecords {
            recording: &NoTraces,
            unlearned: &Unlearned::default(),
            progress: &Unwatched,
        };
        records.tried(Model::new(learner, settings.clone(), &steps, verdicts))
    }
}

/// Failures that a state holds and no model explains are said loudly; there is no record to set
/// aside.
fn unexplained_by_any(
    learner: &Learner,
    conclusions: &[Conclusion],
    on_bad: OnBadData,
) -> Result<(), LearnError> {
    let failed = |conclusion: &Conclusion| {
        matches!(conclusion, Conclusion::Inconsistent(Inconsistency::Failed))
    };
    match conclusions.iter().position(failed).filter(|_| on_bad != OnBadData::SkipAction) {
        Some(place) => {
            Err(LearnError::Failed(learner.domain().action_name(place.into()).to_owned()))
        }
        None => Ok(()),
    }
}

/// Actions that are left out since evidence of them contradicts itself, where the records to blame
/// are not at hand: other actions were learned from the states of these records.
fn trust_inconsistent(learner: &mut Learner, conclusions: &[Conclusion]) {
    let ids = learner.domain().action_ids();
    let inconsistent: Vec<ActionId> = ids
        .zip(conclusions)
        .filter(|(_, conclusion)| matches!(conclusion, Conclusion::Inconsistent(_)))
        .map(|(action, _)| action)
        .collect();
    inconsistent.into_iter().for_each(|action| learner.trust(action));
}

/// An assumption that the data refute is said loudly, not worked around.
pub fn refuted_assumption(
    learner: &Learner,
    settings: &Settings,
    conclusions: &[Conclusion],
) -> Result<(), LearnError> {
    let domain = learner.domain();
    for (action, conclusion) in domain.action_ids().zip(conclusions) {
        let written = |function: LiftedFunctionId| {
            learner.lens().written_mention(action, Mention::Function(function))
        };
        if let Conclusion::Inconsistent(Inconsistency::EffectArity { function }) = conclusion {
            return Err(LearnError::EffectArity {
                function: written(*function),
                action: domain.action_name(action).to_owned(),
            });
        }
        if let Conclusion::Inconsistent(Inconsistency::EffectDecimals { function }) = conclusion {
            return Err(LearnError::EffectDecimals {
                decimals: settings
                    .effect_decimals
                    .invariant("decimals are refuted only where they are assumed"),
                function: written(*function),
                action: domain.action_name(action).to_owned(),
            });
        }
        if let Conclusion::Inconsistent(Inconsistency::FailedAssumed { assumption }) = conclusion {
            return Err(LearnError::RefutedByFailure {
                assumption: assumption.clone(),
                action: domain.action_name(action).to_owned(),
                place: "a failed attempt".to_owned(),
                at: None,
            });
        }
    }
    Ok(())
}
