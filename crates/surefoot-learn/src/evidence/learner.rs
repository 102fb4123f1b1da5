//! The learner: a fold over transitions whose state can be merged, and the model it stands for.

use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::assumptions::{SetAside, of_one_log};
use surefoot_base::certificate::vocabulary_of;
use surefoot_base::ids::IdVec;
use surefoot_base::model::{ActionId, Domain, Event};

use super::action::{ActionEvidence, Observation};
use super::class::Class;
use super::failed_attempts::{FailedAttempt, Failures};
use super::ids::LiftedFunctionId;
use super::joint::JointEvidence;
use super::kept_traces::KeptTraces;
use super::lens::{Lens, Mention, TooLargeAction};
use super::observer::Observer;
use super::vocabulary::{Monomial, Vocabulary};

/// Learns from transitions. Of the domain it uses the vocabulary alone: types, constants,
/// predicates, functions, and the names and parameters of actions; bodies, where present, are
/// ignored.
#[derive(Clone, Debug)]
pub struct Learner {
    lens: Lens,
    evidence: IdVec<ActionId, ActionEvidence>,
    /// Which trajectories were observed, and what was decided about them.
    history: History,
}

/// Where evidence comes from, and what was decided about bad data. Merged by union, like evidence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct History {
    /// By digest, the trajectories that were read: how many steps of each action they have.
    pub traces: BTreeMap<String, Vec<usize>>,
    /// By digest, those of them that have failed attempts: how many of each action.
    pub attempts: BTreeMap<String, Vec<Attempts>>,
    /// By digest, the trajectories that have events in no part of their action: how many, by action
    /// of the given domain.
    pub outside: BTreeMap<String, Vec<Outside>>,
    /// By action of the given domain: the functions that its map of relevant functions does not
    /// list, and that changed in a step that is in no part.
    pub changed_outside: BTreeMap<ActionId, BTreeSet<LiftedFunctionId>>,
    /// By digest, the trajectories themselves, where they may have to decide together which records
    /// are wrong. Then they are all that was learned from.
    pub kept: Option<KeptTraces>,
    /// What had to be assumed to read steps from the records, a sentence each.
    pub assumed: BTreeSet<String>,
    /// By digest, the trajectories of which steps that changed nothing were not taken for ones that
    /// worked, which is an assumption: those that were read as failed attempts. There may be none
    /// of them.
    pub read_as_failed: BTreeMap<String, BTreeSet<usize>>,
    /// Steps that the user chose to set aside as recording errors: part of the assumptions.
    pub set_aside: BTreeSet<SetAside>,
    /// By digest of the trajectory and number of the step: the actions of steps set aside, as far
    /// as they are known.
    pub set_aside_of: BTreeMap<(String, usize), ActionId>,
    /// By action: steps that no model explains, for which the user chose to leave the action out.
    pub skipped: BTreeMap<ActionId, BTreeSet<SetAside>>,
    /// Those of them that may be recording errors: nothing was learned from what rests on their
    /// states.
    pub doubtful: BTreeMap<ActionId, BTreeSet<SetAside>>,
    /// The actions among `skipped` whose records are taken to be right, so that their states taught
    /// what they taught.
    pub trusted: BTreeSet<ActionId>,
}

/// How many events of an action are in none of its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outside {
    /// How many steps that worked.
    pub steps: usize,
    /// How many attempts that failed.
    pub failed: usize,
}

impl Outside {
    /// Adds others, by action.
    pub fn add(sum: &mut [Outside], more: &[Outside]) {
        for (sum, more) in sum.iter_mut().zip(more) {
            sum.steps += more.steps;
            sum.failed += more.failed;
        }
    }
}

/// How often an action was tried in vain.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Attempts {
    /// How many attempts failed.
    pub failed: usize,
    /// How many of them say nothing: something was unknown that the action may mention, or a
    /// recording error may have spoiled the state.
    pub unclear: usize,
    /// What was unknown in these, for messages. States do not keep it.
    pub unknown: BTreeSet<Mention>,
}

impl Attempts {
    /// Counts a failed attempt that says nothing, since this was unknown.
    pub fn add_unclear(&mut self, unknown: Vec<Mention>) {
        self.unclear += 1;
        self.unknown.extend(unknown);
    }

    /// Adds others, by action.
    pub fn add(sum: &mut [Attempts], more: &[Attempts]) {
        for (sum, more) in sum.iter_mut().zip(more) {
            sum.failed += more.failed;
            sum.unclear += more.unclear;
            sum.unknown.extend(&more.unknown);
        }
    }
}

/// By action, the records in doubt.
pub(crate) type Doubts = BTreeMap<ActionId, BTreeSet<SetAside>>;

impl History {
    /// The records in doubt of trajectories that another history does not have, or of which it has
    /// the same doubts; and the actions of all others.
    fn doubts_beside(&self, other: &History) -> (Doubts, BTreeSet<ActionId>) {
        let (mut doubts, mut trusted) = (Doubts::new(), BTreeSet::new());
        for (&action, steps) in &self.doubtful {
            for step in steps {
                let theirs = other.doubtful.get(&action);
                let is_shared = theirs.is_some_and(|steps| steps.contains(step));
                match is_shared || !other.traces.contains_key(&step.trace) {
                    true => {
                        doubts.entry(action).or_default().insert(step.clone());
                    }
                    false => {
                        trusted.insert(action);
                    }
                }
            }
        }
        (doubts, trusted)
    }

    /// The first records that were left out, and how many more there are.
    fn left_out_in_words(&self) -> String {
        const SHOWN: usize = 2;
        let all: BTreeSet<&str> = (self.set_aside.iter())
            .chain(self.doubtful.values().flatten())
            .map(|record| record.what.trim_end_matches('.'))
            .collect();
        let first: Vec<&str> = all.iter().take(SHOWN).copied().collect();
        let more = all.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        first.join("; ") + &more
    }

    fn merge(&mut self, other: &History) {
        // What one of the two holds in doubt, the other may have learned from.
        let (ours, theirs) = (self.doubts_beside(other), other.doubts_beside(self));
        self.doubtful = ours.0;
        for (action, steps) in theirs.0 {
            self.doubtful.entry(action).or_default().extend(steps);
        }
        self.trusted.extend(ours.1);
        self.trusted.extend(theirs.1);
        self.trusted.extend(&other.trusted);
        for (trace, steps) in &other.read_as_failed {
            self.read_as_failed.entry(trace.clone()).or_default().extend(steps);
        }
        self.attempts.extend(
            other.attempts.iter().map(|(trace, attempts)| (trace.clone(), attempts.clone())),
        );
        self.traces
            .extend(other.traces.iter().map(|(trace, steps)| (trace.clone(), steps.clone())));
        self.outside
            .extend(other.outside.iter().map(|(trace, counts)| (trace.clone(), counts.clone())));
        for (&action, functions) in &other.changed_outside {
            self.changed_outside.entry(action).or_default().extend(functions);
        }
        self.assumed.extend(other.assumed.iter().cloned());
        self.set_aside.extend(other.set_aside.iter().cloned());
        self.set_aside_of
            .extend(other.set_aside_of.iter().map(|(step, action)| (step.clone(), *action)));
        for (&action, steps) in &other.skipped {
            self.skipped.entry(action).or_default().extend(steps.iter().cloned());
        }
    }
}

impl Learner {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// The class is too large for an action.
    pub fn new(domain: &Domain, class: Class) -> Result<Self, TooLargeAction> {
        Lens::new(domain, class).map(Learner::with_lens)
    }

    /// A learner that has seen nothing, and looks at records through this lens.
    pub fn with_lens(lens: Lens) -> Self {
        let actions = lens.domain().actions.len();
        Learner {
            lens,
            evidence: IdVec::filled(ActionEvidence::new(), actions),
            history: History::default(),
        }
    }

    /// A learner without evidence, of the same domain and class.
    pub fn empty(&self) -> Self {
        Learner::with_lens(self.lens.clone())
    }

    /// What it looks at records through: the domain and the class, without evidence.
    pub fn lens(&self) -> &Lens {
        &self.lens
    }

    /// The domain that recordings are read with.
    pub fn given(&self) -> &Domain {
        self.lens.given()
    }

    /// The domain whose actions are learned: the given one, in which an action with parts stands
    /// once for each part.
    pub fn domain(&self) -> &Domain {
        self.lens.domain()
    }

    /// The class of models learned from.
    pub fn class(&self) -> &Class {
        self.lens.class()
    }

    /// The vocabulary of an action.
    pub fn vocabulary(&self, action: ActionId) -> &Vocabulary {
        self.lens.vocabulary(action)
    }

    /// A column of an action in PDDL.
    pub fn written(&self, action: ActionId, monomial: &Monomial) -> String {
        self.lens.written(action, monomial)
    }

    /// The evidence of an action.
    pub fn evidence(&self, action: ActionId) -> &ActionEvidence {
        &self.evidence[action]
    }

    pub(crate) fn set_evidence(&mut self, action: ActionId, evidence: ActionEvidence) {
        self.evidence[action] = evidence;
    }

    pub(crate) fn restore_inexact(&mut self, action: ActionId, inexact: JointEvidence) {
        self.evidence[action].inexact = inexact;
    }

    pub(crate) fn restore_failures(&mut self, action: ActionId, failures: Failures) {
        self.evidence[action].failures = failures;
    }

    /// The steps set aside as recording errors.
    pub fn set_aside(&self) -> &BTreeSet<SetAside> {
        &self.history.set_aside
    }

    /// Notes that a step of an action was set aside as a recording error. Whoever does so leaves
    /// the step out.
    pub fn set_step_aside(&mut self, action: ActionId, step: SetAside) {
        self.history.set_aside_of.insert((step.trace.clone(), step.step), action);
        self.history.set_aside.insert(step);
    }

    /// Notes that no model explains a step, and that the user chose to leave its action out.
    pub fn skip_action(&mut self, action: ActionId, step: SetAside) {
        self.history.skipped.entry(action).or_default().insert(step);
    }

    /// Notes that a record of an action that is left out may be wrong. Whoever does so leaves out
    /// what rests on its states.
    pub fn doubt(&mut self, action: ActionId, step: SetAside) {
        self.history.doubtful.entry(action).or_default().insert(step);
    }

    /// Notes that records of an action contradict each other, and that something was learned from
    /// their states all the same.
    pub fn trust(&mut self, action: ActionId) {
        self.history.trusted.insert(action);
    }

    /// Notes that a trajectory with this digest was read, and how many steps of each action it has.
    pub fn add_trace(&mut self, digest: String, steps: Vec<usize>) {
        self.history.traces.insert(digest, steps);
    }

    /// Notes how many attempts of each action failed in a trajectory; nothing where none did.
    pub fn add_attempts(&mut self, digest: String, attempts: Vec<Attempts>) {
        if attempts.iter().any(|attempts| attempts.failed > 0) {
            self.history.attempts.insert(digest, attempts);
        }
    }

    /// Notes how many events of each action of the given domain are in no part of it in a
    /// trajectory; nothing where none is.
    pub fn add_outside(&mut self, digest: String, outside: Vec<Outside>) {
        if outside.iter().any(|outside| *outside != Outside::default()) {
            self.history.outside.insert(digest, outside);
        }
    }

    /// Notes what a step of an action of the given domain shows that is in no part of it: the
    /// functions that it changes although the map of relevant functions does not list them. Other
    /// than that it shows nothing.
    pub fn observe_outside(&mut self, given: ActionId, observation: &Observation) {
        let Some(part) = self.lens.parts().learned_ids(given).next() else { return };
        if !self.class().relevant.contains_key(&part) {
            return;
        }
        let vocabulary = self.lens.vocabulary(part);
        let changed: Vec<LiftedFunctionId> = observation
            .functions()
            .filter(|&(function, before, after)| {
                before != after
                    && observation.is_known(function)
                    && vocabulary.column_of(function).is_none()
            })
            .map(|(function, ..)| function)
            .collect();
        if !changed.is_empty() {
            self.history.changed_outside.entry(given).or_default().extend(changed);
        }
    }

    /// Counts an event that is in no part of its action, an action of the given domain, and notes
    /// what it shows all the same.
    pub fn count_outside(
        &mut self,
        event: Event<'_>,
        observer: &mut Observer,
        counts: &mut [Outside],
    ) {
        let given = event.action().symbol;
        let count = &mut counts[given.index()];
        let Event::Worked(step) = event else {
            count.failed += 1;
            return;
        };
        count.steps += 1;
        // What such a step changes beyond its arguments is nobody's concern.
        if let Some(observation) = self.lens.observe_outside(observer, step) {
            self.observe_outside(given, &observation);
        }
    }

    /// The functions that the map of relevant functions of an action does not list, and that
    /// changed in a step of another part of it, or in one that is in no part.
    pub(crate) fn changed_elsewhere(&self, action: ActionId) -> BTreeSet<LiftedFunctionId> {
        let (given, part) = self.lens.parts().given_id(action);
        if part.is_none() || !self.class().relevant.contains_key(&action) {
            return BTreeSet::new();
        }
        let mut changed = self.history.changed_outside.get(&given).cloned().unwrap_or_default();
        let vocabulary = self.vocabulary(action);
        for other in self.lens.parts().learned_ids(given).filter(|other| *other != action) {
            let patterns = || self.evidence[other].patterns.values();
            changed.extend(vocabulary.functions.ids().filter(|&function| {
                vocabulary.column_of(function).is_none()
                    && patterns().any(|entry| entry.changes(function))
            }));
        }
        changed
    }

    /// Notes which steps of a trajectory that changed nothing were read as failed attempts; none of
    /// the others counts as one that worked.
    pub fn read_as_failed(&mut self, digest: String, steps: BTreeSet<usize>) {
        self.history.read_as_failed.entry(digest).or_default().extend(steps);
    }

    /// Notes what was taken for granted to read what was observed. Every model of this learner
    /// assumes it.
    pub fn assume(&mut self, sentences: BTreeSet<String>) {
        self.history.assumed.extend(sentences);
    }

    /// Whether steps that changed nothing count as steps that worked: `Some(false)` if they were
    /// read as failed attempts or left out, `None` if nothing was observed.
    pub fn takes_unchanged(&self) -> Option<bool> {
        match self.history.read_as_failed.is_empty() {
            false => Some(false),
            true => {
                self.evidence.as_slice().iter().any(|evidence| !evidence.is_empty()).then_some(true)
            }
        }
    }

    /// Forgets which trajectories were read, so that learners that saw the same steps are equal
    /// wherever they saw them.
    pub fn forget_traces(&mut self) {
        self.history.traces.clear();
        self.history.attempts.clear();
        self.history.outside.clear();
        self.history.kept = None;
    }

    /// Where the evidence comes from, and what was decided about bad data.
    pub fn history(&self) -> &History {
        &self.history
    }

    pub(crate) fn set_history(&mut self, history: History) {
        self.history = history;
    }

    /// Whether another learner has the same domain vocabulary and class, and read steps that
    /// changed nothing in the same way, so that both can be merged.
    pub fn is_compatible(&self, other: &Learner) -> bool {
        self.has_domain_of(other) && self.differing(other).is_empty()
    }

    /// The names of the dials that keep another learner of the same domain from being merged.
    pub fn differing(&self, other: &Learner) -> Vec<&'static str> {
        let mut names = self.class().differing(other.class());
        if let (Some(ours), Some(theirs)) = (self.takes_unchanged(), other.takes_unchanged())
            && ours != theirs
        {
            names.push("unchanged");
        }
        names
    }

    /// Whether another learner has the same domain vocabulary. Then only [`Learner::differing`] can
    /// keep both from being merged.
    pub fn has_domain_of(&self, other: &Learner) -> bool {
        vocabulary_of(self.given()) == vocabulary_of(other.given())
    }

    /// Whether it learned anything.
    pub fn has_seen_any(&self) -> bool {
        !self.history.traces.is_empty() || self.takes_unchanged().is_some()
    }

    /// The sentences about what only one log, read in one go, can show. If there are several, logs
    /// were read separately: what one mentions, another may have taken for false.
    pub(crate) fn of_one_log(&self) -> BTreeSet<&str> {
        of_one_log(&self.history.assumed).collect()
    }

    /// Such a sentence of two learners, if they read different logs and each read a trajectory that
    /// the other did not: then they must not be merged.
    pub fn needs_one_reading<'s>(&'s self, other: &'s Learner) -> Option<&'s str> {
        let is_within = |one: &Learner, other: &Learner| {
            let (ours, theirs) = (&one.history.traces, &other.history.traces);
            !one.has_seen_any()
                || !ours.is_empty() && ours.keys().all(|digest| theirs.contains_key(digest))
        };
        let (ours, theirs) = (self.of_one_log(), other.of_one_log());
        let sentence = ours.symmetric_difference(&theirs).next().copied()?;
        (!is_within(self, other) && !is_within(other, self)).then_some(sentence)
    }

    /// Adds the observation of a step.
    pub fn observe(&mut self, action: ActionId, observation: &Observation) {
        self.history.kept = None;
        self.evidence[action].observe(self.lens.vocabulary(action), observation);
    }

    /// Adds an attempt that failed. It takes nothing from what is allowed, and adds nothing to it.
    pub fn observe_failure(&mut self, action: ActionId, attempt: &FailedAttempt) {
        self.history.kept = None;
        self.evidence[action].observe_failure(self.lens.vocabulary(action), attempt);
    }

    /// Adds all that another learner of the same domain and class saw. Associative, commutative and
    /// idempotent.
    pub fn merge(&mut self, other: &Learner) {
        let kept = self.kept_of_both(other);
        for (action, theirs) in other.evidence.pairs() {
            self.evidence[action].merge(self.lens.vocabulary(action), theirs);
        }
        self.history.merge(&other.history);
        self.history.kept = kept;
    }

    /// Keeps these traces, which are all that it read; or none.
    pub(crate) fn keep(&mut self, traces: Option<KeptTraces>) {
        self.history.kept = traces;
    }

    /// Whether one of the two left records out as wrong or doubtful, with what their states may
    /// have spoiled, while the other has read further traces. What the spoiled traces show of other
    /// actions, failures above all, is in no state. So these two must not be joined. Names the
    /// first of these records.
    pub fn left_out_apart(&self, other: &Learner) -> Option<String> {
        let apart = |one: &Learner, other: &Learner| {
            let (ours, theirs) = (&one.history, &other.history);
            let is_within = !theirs.traces.is_empty()
                && theirs.traces.keys().all(|trace| ours.traces.contains_key(trace));
            let left_out = !ours.set_aside_of.is_empty() || !ours.doubtful.is_empty();
            (left_out && other.has_seen_any() && !is_within).then(|| ours.left_out_in_words())
        };
        apart(self, other).or_else(|| apart(other, self))
    }

    /// Forgets what depends on the order of observations, so that learners that saw the same are
    /// equal.
    pub fn settle(&mut self) {
        let ids: Vec<ActionId> = self.evidence.ids().collect();
        for action in ids {
            self.evidence[action].settle(self.lens.vocabulary(action));
        }
    }
}
