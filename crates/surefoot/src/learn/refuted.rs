//! Failures that no model explains, and assumptions that failures refute (docs/theory.md,
//! "Failures").
//!
//! A failure in a state that every model of the class allows is bad data: the record is wrong, or
//! the action failed for a reason that no precondition of the class states. Where only an
//! assumption of the user makes every model allow it, the assumption is refuted. Both are said
//! loudly, with the row where the records are at hand.

use rayon::prelude::*;

use super::bad_data::{Finding, StepId};
use super::failures::{FailedAttempt, Failure};
use super::forbids::Forbids;
use super::ids::LiftedFunctionId;
use super::learner::{Conclusion, Inconsistency, LearnedAction, Learner};
use super::model::with_bodies;
use super::observer::Observer;
use super::open::Open;
use super::recording::{Recorded, Recording};
use super::settings::{Class, Settings};
use super::vocabulary::Vocabulary;
use super::workflow::{LearnError, Reading};
use crate::assumptions::Algorithm;
use crate::exact::{Constraint, Polyhedron, Program, Rational};
use crate::ids::Id;
use crate::invariant::Invariant;
use crate::model::semantics::Semantics;
use crate::model::{
    ActionId, Arguments, Attempt, Domain, Event, GroundAction, ObjectId, Objects, State, Universe,
};
use crate::pddl::{Diagnostic, Numbers, ReadError, Writer};

impl Settings {
    /// The same without what the user assumes beyond the class.
    fn without_assumptions(&self) -> Settings {
        let algorithm =
            if self.algorithm == Algorithm::Sam { Algorithm::NsamStar } else { self.algorithm };
        Settings {
            algorithm,
            arity: None,
            effect_arity: None,
            monotone: Default::default(),
            positive_preconditions: false,
            ..self.clone()
        }
    }

    /// Each assumption that concerns an action, with its name, and the settings without it.
    fn assumptions_of(&self, learner: &Learner, action: ActionId) -> Vec<(String, Settings)> {
        let mut all = Vec::new();
        if self.algorithm == Algorithm::Sam {
            all.push((
                "--algorithm sam".to_owned(),
                Settings { algorithm: Algorithm::NsamStar, ..self.clone() },
            ));
        }
        if let Some(arity) = self.arity {
            all.push((format!("--arity {arity}"), Settings { arity: None, ..self.clone() }));
        }
        if let Some(arity) = self.effect_arity {
            all.push((
                format!("--effect-arity {arity}"),
                Settings { effect_arity: None, ..self.clone() },
            ));
        }
        for (&column, mark) in self.monotone.get(&action).into_iter().flatten() {
            let mut without = self.clone();
            without.monotone.entry(action).or_default().remove(&column);
            let mark =
                serde_json::to_value(mark).ok().and_then(|mark| mark.as_str().map(str::to_owned));
            let mark = mark.invariant("a mark is written as a word");
            let column = learner
                .vocabulary(action)
                .columns
                .get(column)
                .map(|column| learner.written(action, column));
            all.push((
                format!(
                    "the mark `{mark}` on {} (--monotone)",
                    column.invariant("marks are on columns")
                ),
                without,
            ));
        }
        if self.positive_preconditions {
            let without = Settings { positive_preconditions: false, ..self.clone() };
            all.push(("--positive-preconditions".to_owned(), without));
        }
        all
    }
}

impl Learner {
    /// The failures of an action under some settings, all that are kept.
    fn forbids(&self, action: ActionId, settings: &Settings) -> Forbids {
        let all = Settings { failure_budget: usize::MAX, ..settings.clone() };
        let marks = settings.monotone.get(&action).cloned().unwrap_or_default();
        Forbids::new(self.vocabulary(action), self.evidence(action), &all, marks)
    }

    /// Whether attempts failed in states that every model of the class allows: without the user's
    /// assumptions, or because of them.
    pub(super) fn refused_by_failures(
        &self,
        action: ActionId,
        settings: &Settings,
    ) -> Option<Inconsistency> {
        if self.evidence(action).failures().is_empty() || self.evidence(action).is_empty() {
            return None;
        }
        let contradicted = |settings: &Settings| self.allows_a_failure(action, settings);
        if contradicted(&settings.without_assumptions()) {
            return Some(Inconsistency::Failed);
        }
        contradicted(settings).then(|| {
            let assumed = settings.assumptions_of(self, action);
            Inconsistency::FailedAssumed {
                assumption: blamed(assumed, |weaker| !contradicted(weaker)),
            }
        })
    }
}

/// Failures that are kept, without the states in which they happened.
impl Learner {
    /// Whether attempts at an action failed in states that every model of the class allows,
    /// whatever anybody assumes.
    pub fn contradicted_by_failures(&self, action: ActionId) -> bool {
        let is_known =
            !self.evidence(action).failures().is_empty() && !self.evidence(action).is_empty();
        is_known && self.allows_a_failure(action, &Settings::default().without_assumptions())
    }

    /// Whether every model allows a failure that is kept, under some settings.
    fn allows_a_failure(&self, action: ActionId, settings: &Settings) -> bool {
        let forbids = self.forbids(action, settings);
        if forbids.contradictions().next().is_some() {
            return true;
        }
        if forbids.doubtful().is_empty() {
            return false;
        }
        let Conclusion::Learned(learned) = self.conclude_spanned_unrefused(action, settings) else {
            return false;
        };
        let model = with_bodies(self.domain(), |id| (id == action).then_some(&learned.action));
        self.is_allowed_by(action, &learned, &model, forbids.doubtful())
    }

    /// Whether a model for recorded states allows one of some failures that are kept.
    fn is_allowed_by<'f>(
        &self,
        action: ActionId,
        learned: &LearnedAction,
        model: &Domain,
        failures: impl IntoIterator<Item = &'f Failure>,
    ) -> bool {
        let region =
            learned.numeric.inexact.is_some().then(|| some_vector(&learned.numeric.region.set));
        let open = Open::new(self.vocabulary(action), self.evidence(action));
        failures.into_iter().any(|failure| match (failure.vector(&open), &region) {
            (Some(x), _) => self.allows_kept(model, action, &open, failure, &x),
            // It lies in the region over the columns that have a value there, so any vector of the
            // region stands for it.
            (None, Some(some)) => {
                some.as_ref().is_some_and(|x| self.allows_kept(model, action, &open, failure, x))
            }
            // It lies between the steps that worked: what is convex and holds for all of these
            // holds for it.
            (None, None) => {
                !open.points.is_empty()
                    && open
                        .points
                        .iter()
                        .all(|x| self.allows_kept(model, action, &open, failure, x))
            }
        })
    }

    /// An action of which a finished model, for recorded states, allows a failure that is kept:
    /// there is none, since what is concluded from failures left such actions out. Tried before any
    /// model leaves the library.
    pub(super) fn allowed_failure(
        &self,
        model: &Domain,
        conclusions: &[Conclusion],
    ) -> Option<ActionId> {
        let tried = |action: &ActionId| match &conclusions[action.index()] {
            Conclusion::Learned(learned) => self.is_allowed_by(
                *action,
                learned,
                model,
                self.evidence(*action).failures().iter(),
            ),
            _ => false,
        };
        self.domain().action_ids().collect::<Vec<_>>().into_par_iter().find_first(tried)
    }

    /// Whether what was learned allows a failure that is kept, with some vector: in a state with
    /// one object for each object of its pattern. What is not kept of the failure is unknown there.
    fn allows_kept(
        &self,
        learned: &Domain,
        action: ActionId,
        open: &Open<'_>,
        failure: &Failure,
        x: &[Rational],
    ) -> bool {
        let Vocabulary { atoms, functions, columns, .. } = open.vocabulary;
        let constants = learned.signature.constants.len();
        let object = |&place: &u32| match place as usize {
            slot if slot < failure.pattern.0.len() => ObjectId::from_index(constants + slot),
            constant => ObjectId::from_index(constant - failure.pattern.0.len()),
        };
        let arguments: Arguments = failure.pattern.0.iter().map(object).collect();
        let (mut universe, mut state) = (Universe::default(), State::default());
        let kept = open.pattern(&failure.pattern);
        for (place, class) in failure.pattern.classes(atoms).iter().enumerate() {
            let atom = universe.atom(&atoms[class[0]].ground(&arguments));
            match failure.truth(place) {
                _ if !kept.positive.contains(place) && !kept.negative.contains(place) => {
                    state.set_atom_unknown(atom)
                }
                None => state.set_atom_unknown(atom),
                Some(true) => state.insert(atom),
                Some(false) => state.remove(atom),
            }
        }
        // What no condition and no effect reads may have any value; of what is read only in
        // products, the value is not kept.
        for (id, function) in functions.pairs() {
            let value = universe.value(&function.ground(&arguments));
            match open.columns.iter().any(|&column| columns[column].0.contains(&id)) {
                true => state.set_value_unknown(value),
                false => state.set_value(value, Rational::ZERO),
            }
        }
        for (&column, number) in open.columns.iter().zip(x) {
            if let [function] = columns[column].0[..] {
                let value = universe.value(&functions[function].ground(&arguments));
                state.set_value(value, number.clone());
            }
        }
        for function in failure.defined.zeroes().map(LiftedFunctionId::from_index) {
            let value = universe.value(&functions[function].ground(&arguments));
            state.unset_value(value);
        }
        let semantics = Semantics::new(learned, &learned.signature.constants);
        let precondition = &learned.action(action).precondition;
        semantics.holds_with(precondition, &arguments, &universe, &state) == Ok(true) && {
            let step = GroundAction { symbol: action, arguments };
            semantics.effects(&step, &universe, &state).is_ok()
        }
    }
}

/// Some vector of a region that is known by its facets; `None` where it has none.
fn some_vector(region: &Polyhedron) -> Option<Vec<Rational>> {
    let mut program = Program::new(region.columns());
    let coefficients =
        |constraint: &Constraint| constraint.coefficients().collect::<Vec<Rational>>();
    region
        .equations()
        .iter()
        .for_each(|equation| program.add_equation(&coefficients(equation), &equation.bound()));
    region
        .inequalities()
        .for_each(|inequality| program.add(&coefficients(inequality), &inequality.bound()));
    program.feasible().ok()
}

/// The assumptions each of which is needed, or all where they are only together.
fn blamed(
    assumed: Vec<(String, Settings)>,
    suffices_without: impl Fn(&Settings) -> bool,
) -> String {
    let needed: Vec<&str> = assumed
        .iter()
        .filter(|(_, weaker)| suffices_without(weaker))
        .map(|(name, _)| name.as_str())
        .collect();
    match needed.is_empty() {
        false => needed.join(" or "),
        true => assumed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" or "),
    }
}

/// What decides whether an attempt is one that every model of the class allows.
struct Judge {
    action: ActionId,
    forbids: Forbids,
    /// What was learned, where that is more than what failures alone are compared with: where
    /// functions are one.
    learned: Option<Domain>,
}

impl Judge {
    fn new(learner: &Learner, action: ActionId, settings: &Settings) -> Judge {
        let learned = match learner.conclude_spanned_unrefused(action, settings) {
            Conclusion::Learned(learned) => {
                Some(with_bodies(learner.domain(), |id| (id == action).then_some(&learned.action)))
            }
            _ => None,
        };
        Judge { action, forbids: learner.forbids(action, settings), learned }
    }

    /// Where something is unknown that the action may mention, what was learned allows the attempt
    /// if it reads none of that.
    fn allows(&self, objects: &Objects, attempt: Attempt<'_>, seen: &FailedAttempt) -> bool {
        self.forbids.accepts(seen)
            || self.learned.as_ref().is_some_and(|learned| {
                Semantics::new(learned, objects)
                    .applicable(attempt.action, attempt.universe, attempt.before)
                    .is_ok()
            })
    }
}

/// The actions of which failures may be in states that every model allows, under some settings.
/// Those where functions are one ground function, and those with failures of which something is
/// unknown, are looked at in the records.
fn suspects(reading: &Reading, settings: &Settings) -> Vec<ActionId> {
    let learner = &reading.learner;
    let skipped = |id: &ActionId| learner.history().skipped.contains_key(id);
    let is_unclear = |id: ActionId| {
        reading.attempts.get(id.index()).is_some_and(|attempts| attempts.unclear > 0)
    };
    let failed = |id: &ActionId| !learner.evidence(*id).failures().is_empty() || is_unclear(*id);
    let worked = |id: &ActionId| !learner.evidence(*id).is_empty();
    let ids = learner.domain().action_ids();
    let actions: Vec<ActionId> =
        ids.filter(|id| !skipped(id) && failed(id) && worked(id)).collect();
    actions
        .into_par_iter()
        .filter(|&id| is_unclear(id) || learner.forbids(id, settings).may_contradict())
        .collect()
}

/// Looks at an attempt that failed where every model allows it, and says whether to go on.
type VisitAllowed<'v> =
    dyn FnMut(&Judge, StepId, &Recorded<'_>, Attempt<'_>, &FailedAttempt) -> bool + 'v;

/// Shows the attempts that failed in states that every model allows, until `visit` returns false.
/// None is left out, whatever was set aside: no model allows a recorded failure.
fn each_allowed(
    reading: &Reading,
    settings: &Settings,
    recording: &dyn Recording,
    visit: &mut VisitAllowed<'_>,
) -> Result<(), ReadError> {
    let learner = &reading.learner;
    let judges: Vec<Judge> = suspects(reading, settings)
        .into_iter()
        .map(|id| Judge::new(learner, id, settings))
        .collect();
    let mut go_on = !judges.is_empty();
    for trace in 0..recording.traces() {
        if !go_on {
            break;
        }
        let mut observer = Observer::default();
        recording.read(
            trace,
            learner.domain(),
            learner.class().numbers,
            false,
            &mut |recorded| {
                let Event::Failed(attempt) = recorded.event else { return true };
                let id = (trace, recorded.index);
                if let Some(judge) =
                    judges.iter().find(|judge| judge.action == attempt.action.symbol)
                {
                    let seen = observer.observe_attempt(learner, attempt);
                    if judge.allows(recorded.objects, attempt, &seen) {
                        go_on = visit(judge, id, recorded, attempt, &seen);
                    }
                }
                go_on
            },
        )?;
    }
    Ok(())
}

/// The attempts that failed although every model of the class allows them, whatever the user
/// assumes.
pub(super) fn unexplained(
    reading: &Reading,
    settings: &Settings,
    recording: &dyn Recording,
) -> Result<Vec<Finding>, ReadError> {
    let learner = &reading.learner;
    let mut findings = Vec::new();
    let bare = settings.without_assumptions();
    each_allowed(reading, &bare, recording, &mut |judge, step, recorded, attempt, _| {
        let action = Writer::new(learner.domain(), recorded.objects).ground_action(attempt.action);
        let (margins, doubt) = match learner.vocabulary(judge.action).is_inexact() {
            true => (
                ", farther inside than the errors of records explain",
                "; or may records be further off than was assumed",
            ),
            false => ("", ""),
        };
        let what = format!(
            "{action} failed, although all that its steps that worked have in common holds, and \
             its numbers lie between \
             theirs{margins}"
        );
        let help = format!(
            "did it fail by chance, or for a reason that its parameters do not show{doubt}?"
        );
        findings.push(Finding {
            action: judge.action,
            step,
            diagnostic: recorded.error(what).help(help),
        });
        true
    })?;
    Ok(findings)
}

/// Fails where an assumption of the user makes every model allow an attempt that failed.
pub(super) fn refuted_by_failure(
    reading: &Reading,
    settings: &Settings,
    recording: &dyn Recording,
) -> Result<(), LearnError> {
    let learner = &reading.learner;
    if *settings == settings.without_assumptions() {
        return Ok(());
    }
    let mut found: Option<(ActionId, String, Diagnostic)> = None;
    each_allowed(reading, settings, recording, &mut |judge, _, recorded, attempt, seen| {
        let refuses = |weaker: &Settings| {
            !Judge::new(learner, judge.action, weaker).allows(recorded.objects, attempt, seen)
        };
        let assumption = blamed(settings.assumptions_of(learner, judge.action), refuses);
        let action = Writer::new(learner.domain(), recorded.objects).ground_action(attempt.action);
        found = Some((judge.action, assumption, recorded.error(format!("{action} failed"))));
        false
    })?;
    match found {
        None => Ok(()),
        Some((action, assumption, at)) => Err(LearnError::RefutedByFailure {
            assumption,
            action: learner.domain().action_name(action).to_owned(),
            place: format!("{}:{}", at.place.file, at.place.position.line),
            at: Some(Box::new(at)),
        }),
    }
}

/// The same for the class of a learner: whether a map of relevant functions, or rounding, is what
/// makes every model allow an attempt.
pub(super) fn refuted_class(
    learner: &Learner,
    settings: &Settings,
    recording: &dyn Recording,
    finding: &Finding,
) -> Result<Option<LearnError>, LearnError> {
    let class = learner.class();
    let mut wider: Vec<(String, Class)> = Vec::new();
    if class.relevant.contains_key(&finding.action) {
        let mut relevant = class.relevant.clone();
        relevant.remove(&finding.action);
        wider.push(("the --relevant map".to_owned(), Class { relevant, ..class.clone() }));
    }
    if let Numbers::Decimals(places) = class.numbers {
        wider.push((
            format!("--decimals {places}"),
            Class { numbers: Numbers::Exact, ..class.clone() },
        ));
    }
    let bare = settings.without_assumptions();
    for (assumption, class) in wider {
        let Ok(empty) = Learner::new(learner.domain(), class) else { continue };
        let mut other = empty.clone();
        for trace in 0..recording.traces() {
            let mut observer = Observer::default();
            recording.read(
                trace,
                empty.domain(),
                empty.class().numbers,
                false,
                &mut |recorded| {
                    if recorded.event.action().symbol != finding.action {
                        return true;
                    }
                    if let Some(step) = recorded.step()
                        && let Ok(observation) = observer.observe_step(&empty, step)
                    {
                        other.observe(finding.action, &observation);
                    }
                    true
                },
            )?;
        }
        let judge = Judge::new(&other, finding.action, &bare);
        let mut is_refused = false;
        recording.read(
            finding.step.0,
            empty.domain(),
            empty.class().numbers,
            false,
            &mut |recorded| {
                if let Event::Failed(attempt) = recorded.event
                    && recorded.index == finding.step.1
                {
                    let seen = Observer::default().observe_attempt(&empty, attempt);
                    is_refused = !judge.allows(recorded.objects, attempt, &seen);
                }
                recorded.index < finding.step.1
            },
        )?;
        if is_refused {
            let place = &finding.diagnostic.place;
            return Ok(Some(LearnError::RefutedByFailure {
                assumption,
                action: learner.domain().action_name(finding.action).to_owned(),
                place: format!("{}:{}", place.file, place.position.line),
                at: Some(Box::new(finding.diagnostic.clone())),
            }));
        }
    }
    Ok(None)
}
