//! The learner: a fold over transitions whose state can be merged, and the model it stands for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::effect::{Affine, NumericForm};
use super::evidence::{ActionEvidence, Observation};
use super::failures::{FailedAttempt, Failures};
use super::ids::{ActiveColumn, ActiveColumns, ColumnId, LiftedAtomId, LiftedFunctionId};
use super::inexact::{JointEvidence, Thin};
use super::linear;
use super::literals::{self, BooleanEffect, BooleanModel, Contradiction, same};
use super::numeric::{self, Numeric, NumericModel};
use super::settings::{Class, Settings};
use super::vocabulary::{Monomial, TooLarge, Vocabulary};
use crate::assumptions::{Algorithm, OF_ONE_LOG, SetAside};
use crate::certificate::vocabulary_of;
use crate::ids::IdVec;
use crate::invariant::Invariant;
use crate::model::{
    Action, ActionId, Condition, Domain, Effect, Expression, Names, NumericEffect, NumericOperator,
    Region, Unsatisfiable,
};
use crate::pddl::Writer;

/// Learns from transitions. Of the domain it uses the vocabulary alone: types, constants,
/// predicates, functions, and the names and parameters of actions; bodies, where present, are
/// ignored.
#[derive(Clone, Debug)]
pub struct Learner {
    domain: Arc<Domain>,
    class: Arc<Class>,
    vocabularies: Arc<IdVec<ActionId, Vocabulary>>,
    evidence: IdVec<ActionId, ActionEvidence>,
    /// The history of what was seen, and of what was decided about it.
    history: History,
}

/// Where evidence comes from, and what was decided about bad data. Merged by union, like evidence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct History {
    /// By digest, the trajectories that were read: how many steps of each action they have.
    pub traces: BTreeMap<String, Vec<usize>>,
    /// By digest, those of them that have failed attempts: how many of each action.
    pub attempts: BTreeMap<String, Vec<Attempts>>,
    /// What was taken for granted on the way from what was recorded to the steps that were seen, a
    /// sentence each.
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
}

/// How often an action was tried in vain.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Attempts {
    /// How many attempts failed.
    pub failed: usize,
    /// How many of them say nothing: something was unknown that the action may mention, or a
    /// recording error may have spoiled the state.
    pub unclear: usize,
    /// What was unknown in these, to be told to people. States do not keep it.
    pub unknown: BTreeSet<Mention>,
}

/// What an action may mention.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mention {
    /// An atom of its vocabulary.
    Atom(LiftedAtomId),
    /// A function of its vocabulary.
    Function(LiftedFunctionId),
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

impl History {
    fn merge(&mut self, other: &History) {
        for (trace, steps) in &other.read_as_failed {
            self.read_as_failed.entry(trace.clone()).or_default().extend(steps);
        }
        self.attempts.extend(
            other.attempts.iter().map(|(trace, attempts)| (trace.clone(), attempts.clone())),
        );
        self.traces
            .extend(other.traces.iter().map(|(trace, steps)| (trace.clone(), steps.clone())));
        self.assumed.extend(other.assumed.iter().cloned());
        self.set_aside.extend(other.set_aside.iter().cloned());
        self.set_aside_of
            .extend(other.set_aside_of.iter().map(|(step, action)| (step.clone(), *action)));
        for (&action, steps) in &other.skipped {
            self.skipped.entry(action).or_default().extend(steps.iter().cloned());
        }
    }
}

/// The class is too large for this action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what}")]
pub struct TooLargeAction {
    /// The action.
    pub action: ActionId,
    /// What there is too much of.
    pub what: TooLarge,
}

impl Learner {
    /// A learner that has seen nothing.
    pub fn new(domain: &Domain, class: Class) -> Result<Self, TooLargeAction> {
        let mut vocabularies = IdVec::new();
        for action in domain.action_ids() {
            let vocabulary = match class.relevant.get(&action) {
                None => Vocabulary::of(domain, action, class.degree),
                Some(listed) => Vocabulary::with_relevant(domain, action, class.degree, listed),
            };
            let vocabulary = vocabulary.map_err(|what| TooLargeAction { action, what })?;
            vocabularies.push(vocabulary.with_errors(&class.errors));
        }
        Ok(Learner {
            evidence: IdVec::filled(ActionEvidence::new(), vocabularies.len()),
            domain: Arc::new(domain.clone()),
            class: Arc::new(class),
            vocabularies: Arc::new(vocabularies),
            history: History::default(),
        })
    }

    /// A learner of the same domain and class that has seen nothing.
    pub fn empty(&self) -> Self {
        Learner {
            domain: Arc::clone(&self.domain),
            class: Arc::clone(&self.class),
            vocabularies: Arc::clone(&self.vocabularies),
            evidence: IdVec::filled(ActionEvidence::new(), self.evidence.len()),
            history: History::default(),
        }
    }

    /// The domain whose vocabulary is used.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The class of models learned from.
    pub fn class(&self) -> &Class {
        &self.class
    }

    /// The vocabulary of an action.
    pub fn vocabulary(&self, action: ActionId) -> &Vocabulary {
        &self.vocabularies[action]
    }

    /// A column of an action in PDDL.
    pub fn written(&self, action: ActionId, monomial: &Monomial) -> String {
        let parameters = &self.domain.action(action).parameters;
        let writer =
            Writer::new(&self.domain, &self.domain.signature.constants).with_parameters(parameters);
        writer.expression(&self.vocabularies[action].expression(monomial))
    }

    /// What an action may mention, as it is written in its parameters.
    pub fn written_mention(&self, action: ActionId, mention: Mention) -> String {
        let parameters = &self.domain.action(action).parameters;
        let writer =
            Writer::new(&self.domain, &self.domain.signature.constants).with_parameters(parameters);
        match mention {
            Mention::Atom(atom) => writer.atom(&self.vocabularies[action].atoms[atom]),
            Mention::Function(function) => {
                writer.function(&self.vocabularies[action].functions[function])
            }
        }
    }

    /// What was seen of an action.
    pub fn evidence(&self, action: ActionId) -> &ActionEvidence {
        &self.evidence[action]
    }

    pub(super) fn set_evidence(&mut self, action: ActionId, evidence: ActionEvidence) {
        self.evidence[action] = evidence;
    }

    pub(super) fn restore_inexact(&mut self, action: ActionId, inexact: JointEvidence) {
        self.evidence[action].inexact = inexact;
    }

    pub(super) fn restore_failures(&mut self, action: ActionId, failures: Failures) {
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

    /// Leaves an action out of which steps were set aside: these are why.
    pub fn skip_set_aside(&mut self, action: ActionId) {
        let of = &self.history.set_aside_of;
        let is_own = |step: &&SetAside| of.get(&(step.trace.clone(), step.step)) == Some(&action);
        let steps: BTreeSet<SetAside> =
            self.history.set_aside.iter().filter(is_own).cloned().collect();
        self.history.skipped.entry(action).or_default().extend(steps);
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

    /// Whether steps that changed nothing count as ones that worked: `Some(false)` where they were
    /// read as failed attempts or left out, `None` where nothing was seen.
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
    }

    /// Where the evidence comes from, and what was decided about bad data.
    pub fn history(&self) -> &History {
        &self.history
    }

    pub(super) fn set_history(&mut self, history: History) {
        self.history = history;
    }

    /// Whether another learner has the same domain vocabulary and class, and read steps that
    /// changed nothing in the same way, so that both can be merged.
    pub fn is_compatible(&self, other: &Learner) -> bool {
        self.has_domain_of(other) && self.differing(other).is_empty()
    }

    /// The names of the dials that keep another learner of the same domain from being merged.
    pub fn differing(&self, other: &Learner) -> Vec<&'static str> {
        let mut names = self.class.differing(&other.class);
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
        vocabulary_of(&self.domain) == vocabulary_of(&other.domain)
    }

    /// A sentence about what only the rows of one log, read in one go, can tell; `None` where
    /// nothing was taken for granted that depends on it.
    pub fn of_one_log(&self) -> Option<&str> {
        self.history
            .assumed
            .iter()
            .find(|sentence| sentence.ends_with(OF_ONE_LOG))
            .map(String::as_str)
    }

    /// The same of two learners of which each read a trajectory that the other did not: then they
    /// are not to be merged.
    pub fn needs_one_reading<'s>(&'s self, other: &'s Learner) -> Option<&'s str> {
        let is_within = |one: &Learner, other: &Learner| {
            let (ours, theirs) = (&one.history.traces, &other.history.traces);
            let has_seen = !ours.is_empty() || one.takes_unchanged().is_some();
            !has_seen || !ours.is_empty() && ours.keys().all(|digest| theirs.contains_key(digest))
        };
        let sentence = self.of_one_log().or_else(|| other.of_one_log())?;
        (!is_within(self, other) && !is_within(other, self)).then_some(sentence)
    }

    /// Adds a step.
    pub fn observe(&mut self, action: ActionId, observation: &Observation) {
        self.evidence[action].observe(&self.vocabularies[action], observation);
    }

    /// Adds an attempt that failed. It takes nothing from what is allowed, and adds nothing to it.
    pub fn observe_failure(&mut self, action: ActionId, attempt: &FailedAttempt) {
        self.evidence[action].observe_failure(&self.vocabularies[action], attempt);
    }

    /// Adds all that another learner of the same domain and class saw. Associative, commutative and
    /// idempotent.
    pub fn merge(&mut self, other: &Learner) {
        for (action, theirs) in other.evidence.pairs() {
            self.evidence[action].merge(&self.vocabularies[action], theirs);
        }
        self.history.merge(&other.history);
    }

    /// The actions of which a step was set aside in one of the two, while the other has seen
    /// further steps of them. Which steps do not fit is decided by all of them together, so these
    /// two cannot be joined, unless such actions are left out.
    pub fn set_aside_apart(&self, other: &Learner) -> BTreeSet<ActionId> {
        let apart = |one: &History, other: &History| -> Vec<ActionId> {
            let new: Vec<&Vec<usize>> = other
                .traces
                .iter()
                .filter(|(trace, _)| !one.traces.contains_key(*trace))
                .map(|(_, steps)| steps)
                .collect();
            let has_more = |action: &ActionId| {
                new.iter().any(|steps| steps.get(action.index()).is_none_or(|&steps| steps > 0))
            };
            one.set_aside_of.values().copied().filter(has_more).collect()
        };
        let both =
            [apart(&self.history, &other.history), apart(&other.history, &self.history)].concat();
        let is_left_out = |action: &ActionId| {
            [self, other].iter().any(|one| one.history.skipped.contains_key(action))
        };
        both.into_iter().filter(|action| !is_left_out(action)).collect()
    }

    /// Forgets what depends on the order of observations, so that learners that saw the same are
    /// equal.
    pub fn settle(&mut self) {
        for (evidence, vocabulary) in
            self.evidence.as_mut_slice().iter_mut().zip(self.vocabularies.iter())
        {
            evidence.settle(vocabulary);
        }
    }

    /// Why no model of the class explains what was seen of an action, if none does; with `numbers`,
    /// of its numbers too. Quicker than to conclude it.
    pub fn contradiction(&self, action: ActionId, numbers: bool) -> Option<Inconsistency> {
        contradiction(self.vocabulary(action), self.evidence(action), numbers)
    }

    /// What one action's evidence amounts to. Depends on what was seen alone, not on its order or
    /// sharding.
    pub fn conclude(&self, action: ActionId, settings: &Settings) -> Conclusion {
        let evidence = self.evidence(action).settled(self.vocabulary(action));
        let concluded = self.conclude_from(action, &evidence, settings, |numeric, boolean| {
            numeric.conclude(boolean)
        });
        unless_contradictory(&evidence, self.unless_refused(action, settings, concluded))
    }

    /// What was concluded, unless attempts failed where it allows them.
    fn unless_refused(
        &self,
        action: ActionId,
        settings: &Settings,
        concluded: Conclusion,
    ) -> Conclusion {
        match concluded {
            Conclusion::Learned(learned) => match self.refused_by_failures(action, settings) {
                Some(inconsistency) => Conclusion::Inconsistent(inconsistency),
                None => Conclusion::Learned(learned),
            },
            other => other,
        }
    }

    /// The same for those who ask whether steps are allowed and write nothing: regions are known by
    /// what spans them, and are whole whatever the number of their facets. `facet_budget` and
    /// `digits` count for nothing. With more steps it never allows less, unless
    /// [`may_take_back`](Self::may_take_back) says why.
    pub fn conclude_spanned(&self, action: ActionId, settings: &Settings) -> Conclusion {
        let spanned = self.conclude_spanned_unrefused(action, settings);
        unless_contradictory(self.evidence(action), self.unless_refused(action, settings, spanned))
    }

    /// The same, whatever attempts failed.
    pub(super) fn conclude_spanned_unrefused(
        &self,
        action: ActionId,
        settings: &Settings,
    ) -> Conclusion {
        let spanned =
            self.conclude_from(action, self.evidence(action), settings, |numeric, boolean| {
                numeric.conclude_spanned(boolean)
            });
        match spanned {
            Conclusion::Learned(mut learned) if learned.numeric.inexact.is_none() => {
                learned.bound_by_shadows(self.vocabulary(action));
                Conclusion::Learned(learned)
            }
            other => other,
        }
    }

    fn conclude_from(
        &self,
        action: ActionId,
        evidence: &ActionEvidence,
        settings: &Settings,
        numeric: fn(&Numeric<'_>, &BooleanModel) -> Result<NumericModel, Conclusion>,
    ) -> Conclusion {
        let vocabulary = self.vocabulary(action);
        if let Some(steps) = self.history.skipped.get(&action) {
            return Conclusion::LeftOut(LeftOut::Skipped { steps: steps.len() });
        }
        if evidence.is_empty() {
            return Conclusion::LeftOut(LeftOut::NeverObserved);
        }
        let boolean = match literals::conclude(
            vocabulary,
            &evidence.boolean(vocabulary),
            settings.positive_preconditions,
        ) {
            Ok(model) => model,
            Err(contradiction) => {
                return Conclusion::Inconsistent(Inconsistency::Boolean(contradiction));
            }
        };
        if let Some(atom) = boolean.outcome_unknown(vocabulary) {
            return Conclusion::LeftOut(LeftOut::OutcomeUnknown(Unknown::Atom(atom)));
        }
        if settings.algorithm == Algorithm::Sam {
            return Conclusion::Learned(Box::new(self.learned(
                action,
                boolean,
                NumericModel::default(),
            )));
        }
        let columns = evidence.columns(vocabulary);
        if let Some(reason) = too_few(settings.algorithm, evidence, &columns) {
            return Conclusion::LeftOut(reason);
        }
        let marks = settings.monotone.get(&action);
        match numeric(&Numeric { vocabulary, evidence, columns, settings, marks }, &boolean) {
            Ok(numeric) => Conclusion::Learned(Box::new(self.learned(action, boolean, numeric))),
            Err(conclusion) => conclusion,
        }
    }

    #[allow(
        clippy::mutable_key_type,
        reason = "the tester that a polyhedron makes on demand is no part of what it is compared by"
    )]
    fn learned(&self, id: ActionId, boolean: BooleanModel, numeric: NumericModel) -> LearnedAction {
        let vocabulary = self.vocabulary(id);
        let atom = |atom: &LiftedAtomId| Condition::Atom(vocabulary.atoms[*atom].clone());
        let not = |condition: Condition| Condition::Not(Box::new(condition));
        let mut conditions: Vec<Condition> = boolean.positive.iter().map(atom).collect();
        conditions.extend(boolean.negative.iter().map(|index| not(atom(index))));
        conditions.extend(boolean.equal.iter().map(|&equality| same(vocabulary, equality)));
        conditions
            .extend(boolean.different.iter().map(|&equality| not(same(vocabulary, equality))));
        conditions.extend(boolean.guards.iter().chain(&numeric.guards).cloned());
        let mut told = FxHashSet::default();
        let repeated: Vec<bool> =
            conditions.iter().map(|condition| !told.insert(condition)).collect();
        let mut repeated = repeated.into_iter();
        conditions.retain(|_| !repeated.next().invariant("every condition was looked at"));
        let column = |&column: &ColumnId| vocabulary.factors(column).cloned().collect();
        let region = Region {
            columns: numeric.columns.iter().map(column).collect(),
            set: Arc::clone(&numeric.region.set),
        };
        if !region.is_empty() {
            conditions.push(Condition::Within(region));
        }

        let mut effects: Vec<Effect> = Vec::new();
        let changed = |wanted: BooleanEffect| {
            let atoms = boolean.effects.pairs().filter(move |(_, effect)| **effect == wanted);
            atoms.map(|(atom, _)| vocabulary.atoms[atom].clone())
        };
        effects.extend(changed(BooleanEffect::Delete).map(Effect::Delete));
        effects.extend(changed(BooleanEffect::Add).map(Effect::Add));
        for (function, form) in numeric.effects.pairs() {
            effects.extend(
                self.numeric_effect(vocabulary, &numeric.columns, function, form)
                    .map(Effect::Numeric),
            );
        }
        let parameters = self.domain.action(id).parameters.clone();
        let action = Action {
            parameters,
            precondition: Condition::And(conditions),
            effect: Effect::And(effects),
        };
        LearnedAction { action, boolean, numeric }
    }

    fn numeric_effect(
        &self,
        vocabulary: &Vocabulary,
        columns: &ActiveColumns,
        function: LiftedFunctionId,
        form: &NumericForm,
    ) -> Option<NumericEffect> {
        let expression = |affine: &Affine| {
            let terms: Vec<_> = affine
                .terms
                .iter()
                .map(|(column, value)| (columns[*column], value.clone()))
                .collect();
            linear::affine(vocabulary, &terms, &affine.constant)
        };
        let negated = |affine: &Affine| Affine {
            constant: -&affine.constant,
            terms: affine.terms.iter().map(|(position, value)| (*position, -value)).collect(),
        };
        let (operator, value) = match form {
            NumericForm::Unchanged => return None,
            NumericForm::Assign(affine) => (NumericOperator::Assign, expression(affine)),
            NumericForm::Scale(factor) => {
                match factor.recip().filter(|inverse| inverse.is_integer() && !factor.is_integer())
                {
                    Some(inverse) => (NumericOperator::ScaleDown, Expression::Number(inverse)),
                    None => (NumericOperator::ScaleUp, Expression::Number(factor.clone())),
                }
            }
            // A decrease reads better than an increase by something negative.
            NumericForm::Change(affine) => {
                let leading =
                    affine.terms.first().map_or(&affine.constant, |(_, coefficient)| coefficient);
                let none_positive = affine.constant.signum() <= 0
                    && affine.terms.iter().all(|(_, value)| value.signum() < 0);
                if none_positive
                    || (leading.signum() < 0
                        && affine.terms.len() < 2
                        && affine.constant.signum() <= 0)
                {
                    (NumericOperator::Decrease, expression(&negated(affine)))
                } else {
                    (NumericOperator::Increase, expression(affine))
                }
            }
        };
        Some(NumericEffect { operator, target: vocabulary.functions[function].clone(), value })
    }
}

/// What was concluded, unless no state satisfies the precondition: where records leave something
/// out, where coefficients are rounded or records are not exact, and where guards forbid what was
/// seen, the steps that were seen need not satisfy it.
fn unless_contradictory(evidence: &ActionEvidence, concluded: Conclusion) -> Conclusion {
    let Conclusion::Learned(learned) = concluded else { return concluded };
    let NumericModel { columns, region, forbidden, inexact, .. } = &learned.numeric;
    let told = !evidence.is_partial() && inexact.is_none() && forbidden.is_empty();
    let some_step_allowed =
        told && (region.uncovered == 0 || region.uncovered < evidence.points(columns).len());
    if some_step_allowed {
        return Conclusion::Learned(learned);
    }
    match learned.action.precondition.unsatisfiable() {
        // This region is for recorded states. Where these have too large errors, better known ones
        // may still be allowed.
        Some(Unsatisfiable::Numbers) if inexact.is_some() => Conclusion::Learned(learned),
        Some(why) => Conclusion::LeftOut(LeftOut::NeverApplicable(why)),
        None => Conclusion::Learned(learned),
    }
}

/// Why no model of the class explains what was seen of an action, if none does.
pub(super) fn contradiction(
    vocabulary: &Vocabulary,
    evidence: &ActionEvidence,
    numbers: bool,
) -> Option<Inconsistency> {
    let boolean = literals::conclude(vocabulary, &evidence.boolean(vocabulary), false);
    let numeric = || if numbers { numeric::contradiction(vocabulary, evidence) } else { None };
    boolean.err().map(Inconsistency::Boolean).or_else(numeric)
}

/// What an algorithm finds wanting in the vectors of an action that was observed.
fn too_few(
    algorithm: Algorithm,
    evidence: &ActionEvidence,
    columns: &ActiveColumns,
) -> Option<LeftOut> {
    let needed = columns.len() + 1;
    match algorithm {
        Algorithm::NsamStar | Algorithm::Sam => None,
        Algorithm::Nsam => {
            let distinct = evidence.distinct();
            (distinct < needed).then_some(LeftOut::TooFew { distinct, needed })
        }
        Algorithm::NsamLiteral => {
            let independent = evidence.independent(columns);
            (independent < needed).then_some(LeftOut::TooFewIndependent { independent, needed })
        }
    }
}

/// What became of one action.
#[derive(Clone, Debug)]
pub enum Conclusion {
    /// It is learned.
    Learned(Box<LearnedAction>),
    /// There is too little evidence for it.
    LeftOut(LeftOut),
    /// No model of the class explains what was seen.
    Inconsistent(Inconsistency),
}

impl From<Inconsistency> for Conclusion {
    fn from(why: Inconsistency) -> Self {
        Conclusion::Inconsistent(why)
    }
}

impl fmt::Display for Conclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Conclusion::Learned(_) => f.write_str("learned"),
            Conclusion::Inconsistent(_) => f.write_str("no model of the class explains its steps"),
            Conclusion::LeftOut(why) => why.fmt(f),
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeftOut::NeverObserved => f.write_str("never observed"),
            LeftOut::TooFew { distinct, needed } => write!(
                f,
                "{distinct} distinct vectors, N-SAM \
                asks for {needed}"
            ),
            LeftOut::TooFewIndependent { independent, needed } => {
                write!(
                    f,
                    "{independent} affinely independent vectors, N-SAM's Algorithm 1 asks \
                           for {needed}"
                )
            }
            // Which of them are to blame, and how many, depends on what was read together.
            LeftOut::Skipped { .. } => f.write_str("no model of the class explains its steps"),
            LeftOut::NeverComplete => f.write_str(
                "no step of it tells the values of all its \
                functions before it",
            ),
            LeftOut::OutcomeUnknown(Unknown::Atom(_)) => f.write_str(
                "no step of it tells what \
                becomes of one of its facts",
            ),
            LeftOut::OutcomeUnknown(Unknown::Function(_)) => {
                f.write_str("no step of it tells what becomes of one of its functions")
            }
            LeftOut::NeverApart => f.write_str(
                "no step of it tells all its numbers and has no two \
                of its functions in one",
            ),
            LeftOut::Unlisted(_) => f.write_str(
                "it changes a function that the map of relevant \
                functions does not list",
            ),
            LeftOut::Thin(_) => f.write_str("its records differ by less than they may be off"),
            LeftOut::Blurred => f.write_str(
                "it multiplies numbers that are known within an error \
                only",
            ),
            LeftOut::NeverApplicable(Unsatisfiable::Atom(_)) => f.write_str(
                "its precondition would ask for an atom and for its opposite: no step of it tells \
                 whether the atom was true before it",
            ),
            LeftOut::NeverApplicable(Unsatisfiable::Numbers) => f.write_str(
                "no state would \
                satisfy its numeric conditions",
            ),
            LeftOut::NeverApplicable(Unsatisfiable::Together) => f.write_str(
                "no state would \
                satisfy all its conditions",
            ),
        }
    }
}

/// A learned action, and how it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LearnedAction {
    /// The action.
    pub action: Action,
    /// Its Boolean part.
    pub boolean: BooleanModel,
    /// Its numeric part.
    pub numeric: NumericModel,
}

impl LearnedAction {
    /// The action with the whole region, where its own is a part of one that is too large for
    /// facets.
    pub fn whole(&self) -> Action {
        let mut action = self.action.clone();
        if let (Some(whole), Condition::And(parts)) =
            (&self.numeric.region.whole, &mut action.precondition)
        {
            for part in parts {
                if let Condition::Within(region) = part {
                    region.set = Arc::clone(whole);
                }
            }
        }
        action
    }

    /// Adds to the precondition that each shadow of the region holds by itself.
    fn bound_by_shadows(&mut self, vocabulary: &Vocabulary) {
        let Condition::And(parts) = &mut self.action.precondition else { return };
        let columns = &self.numeric.columns;
        for shadow in &self.numeric.region.shadows {
            let factors =
                |&column: &ActiveColumn| vocabulary.factors(columns[column]).cloned().collect();
            let columns = shadow.columns.iter().map(factors).collect();
            parts.push(Condition::Within(Region { columns, set: Arc::new(shadow.set.clone()) }));
        }
    }

    /// Whether the action certainly allows every step that it was learned from: its region leaves
    /// out no observed vector, and no guard forbids what was seen.
    pub fn allows_all_seen(&self) -> bool {
        self.numeric.region.uncovered == 0 && self.numeric.forbidden.is_empty()
    }
}

/// Why an action is not in the model although nothing contradicts it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LeftOut {
    /// It was never seen.
    NeverObserved,
    /// N-SAM asks for more distinct vectors.
    TooFew {
        /// How many were seen.
        distinct: usize,
        /// How many it asks for.
        needed: usize,
    },
    /// N-SAM's Algorithm 1, read literally, asks for more affinely independent vectors.
    TooFewIndependent {
        /// How many of those seen are affinely independent.
        independent: usize,
        /// How many it asks for.
        needed: usize,
    },
    /// Some of its steps contradict every model, and the user chose to leave such actions out.
    Skipped {
        /// How many.
        steps: usize,
    },
    /// In each of its steps the value of some function before it is unknown, so that nothing bounds
    /// what it may need. Under an arity assumption: of some functions that may be read together.
    NeverComplete,
    /// The records tell of no step what becomes of this.
    OutcomeUnknown(Unknown),
    /// Records are not exact, and no step counts: in each some number is unknown, or two functions
    /// are one.
    NeverApart,
    /// Records are not exact, and these functions change, which are not listed as relevant.
    Unlisted(Vec<LiftedFunctionId>),
    /// Records are not exact, and differ by so little that nothing is certainly allowed: the
    /// functions to blame.
    Thin(Vec<(LiftedFunctionId, Thin)>),
    /// Records are not exact, and the model would multiply numbers that are known within an error
    /// only.
    Blurred,
    /// No state would satisfy its precondition.
    NeverApplicable(Unsatisfiable),
}

/// What no record tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// Whether an atom is true afterwards.
    Atom(LiftedAtomId),
    /// The value of a function afterwards.
    Function(LiftedFunctionId),
}

/// Why no model of the class explains an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inconsistency {
    /// It failed in a state that every model of the class allows.
    Failed,
    /// It failed in a state that every model allows for which the user's assumptions hold.
    FailedAssumed {
        /// Which of them.
        assumption: String,
    },
    /// An atom changed in a way no effect explains.
    Boolean(Contradiction),
    /// The change of a function is no affine function of the columns.
    NotAffine {
        /// The function.
        function: LiftedFunctionId,
    },
    /// No map that reads at most the assumed number of columns explains a change: E(k) is refuted.
    EffectArity {
        /// The function.
        function: LiftedFunctionId,
    },
    /// No map with the assumed number of decimals is within the errors of what was recorded: Q(N)
    /// is refuted.
    EffectDecimals {
        /// The function.
        function: LiftedFunctionId,
    },
    /// Functions (one, or several that are one) changed that nothing can change: in other steps
    /// they had no value before, and none after.
    Undefined {
        /// The functions.
        functions: Vec<LiftedFunctionId>,
    },
    /// Where several functions are one, no effects on them come to what was seen.
    Composition {
        /// The functions.
        functions: Vec<LiftedFunctionId>,
    },
}

/// The learned domain: the vocabulary of the given one, with what was learned for bodies. Actions
/// that are not learned are not in it.
pub fn learned_domain(learner: &Learner, learned: &[(ActionId, &LearnedAction)]) -> Domain {
    let mut domain = Domain {
        name: learner.domain.name.clone(),
        requirements: Vec::new(),
        signature: learner.domain.signature.clone(),
        actions: Names::default(),
    };
    for (id, action) in learned {
        let _ = domain.actions.insert(learner.domain.action_name(*id), action.action.clone());
    }
    domain.requirements = domain.used_requirements();
    domain
}
