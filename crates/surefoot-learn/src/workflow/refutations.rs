//! Failures that no model explains, and assumptions that failures refute (docs/theory.md,
//! "Failures").
//!
//! A failure in a state that every model of the class allows is bad data: the record is wrong, or
//! the action failed for a reason that no precondition of the class states. Where only an
//! assumption of the user makes every model allow it, the assumption is refuted. Both are said
//! loudly, with the row where the records are at hand.

use rayon::prelude::*;
use surefoot_base::advice::Text;
use surefoot_base::dial;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{ActionId, Attempt, Domain, Event, Objects};
use surefoot_base::pddl::{Diagnostic, Numbers, ReadError, Writer};

use super::bad_data::Finding;
use super::error::LearnError;
use super::reading::Reading;
use crate::conclude::{Conclusion, Settings};
use crate::evidence::{Class, FailedAttempt, Learner, Lens, Recorded, Recording, StepId};
use crate::failures::{Forbids, blamed};

/// Decides whether every model of the class allows an attempt.
struct AttemptJudge {
    action: ActionId,
    forbids: Forbids,
    /// The learned domain, if functions alias: then it is more than failures alone are compared
    /// with.
    learned: Option<Domain>,
}

impl AttemptJudge {
    fn new(learner: &Learner, action: ActionId, settings: &Settings) -> AttemptJudge {
        let learned = match learner.conclude_spanned_unrefused(action, settings) {
            Conclusion::Learned(learned) => {
                Some(learner.domain().with_bodies(|id| (id == action).then_some(&learned.action)))
            }
            _ => None,
        };
        AttemptJudge { action, forbids: learner.forbids(action, settings), learned }
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

/// The actions of which failures may be in states that every model allows, under some settings. If
/// functions alias, or if failures have unknown values, the records decide.
fn suspects(reading: &Reading, settings: &Settings) -> Vec<ActionId> {
    let learner = &reading.learner;
    let ids = learner.domain().action_ids();
    let actions: Vec<ActionId> = ids.filter(|&id| worked_and_failed(reading, id)).collect();
    actions
        .into_par_iter()
        .filter(|&id| {
            has_unclear_attempts(reading, id) || learner.forbids(id, settings).may_contradict()
        })
        .collect()
}

/// Whether an action that is not skipped has steps that worked and attempts that failed.
fn worked_and_failed(reading: &Reading, id: ActionId) -> bool {
    let learner = &reading.learner;
    !learner.history().skipped.contains_key(&id)
        && (!learner.evidence(id).failures().is_empty() || has_unclear_attempts(reading, id))
        && !learner.evidence(id).is_empty()
}

/// Whether something is unknown before some of the failed attempts at an action.
fn has_unclear_attempts(reading: &Reading, id: ActionId) -> bool {
    reading.attempts.get(id.index()).is_some_and(|attempts| attempts.unclear > 0)
}

/// Looks at an attempt that failed where every model allows it, and says whether to go on.
type VisitAllowed<'v> =
    dyn FnMut(&AttemptJudge, StepId, &Recorded<'_>, Attempt<'_>, &FailedAttempt) -> bool + 'v;

/// Shows the attempts that failed in states that every model allows, until `visit` returns false.
/// None is left out, whatever was set aside: no model allows a recorded failure.
fn each_allowed(
    reading: &Reading,
    settings: &Settings,
    recording: &dyn Recording,
    visit: &mut VisitAllowed<'_>,
) -> Result<(), ReadError> {
    let learner = &reading.learner;
    let judges: Vec<AttemptJudge> = suspects(reading, settings)
        .into_iter()
        .map(|id| AttemptJudge::new(learner, id, settings))
        .collect();
    let traces = if judges.is_empty() { 0 } else { recording.traces() };
    learner.lens().each_event_while(recording, 0..traces, |id, recorded, observer| {
        let Event::Failed(attempt) = recorded.event else { return true };
        let Some(judge) = judges.iter().find(|judge| judge.action == attempt.action.symbol) else {
            return true;
        };
        let seen = observer.observe_attempt(attempt);
        !judge.allows(recorded.objects, attempt, &seen)
            || visit(judge, id, recorded, attempt, &seen)
    })
}

/// The attempts that failed although every model of the class allows them, whatever the user
/// assumes.
pub(crate) fn unexplained(
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
                ", by more than the recording errors explain",
                ", or are records less exact than assumed",
            ),
            false => ("", ""),
        };
        let name = learner.domain().action_name(attempt.action.symbol);
        let what = format!(
            "{action} failed, although every fact that held before all successful steps of {name} \
             held here too, and its numbers lie in the region of theirs{margins}"
        );
        let help = format!(
            "did it fail by chance, or for a reason that no fact about its parameters \
             shows{doubt}?"
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
pub(crate) fn refuted_by_failure(
    reading: &Reading,
    settings: &Settings,
    recording: &dyn Recording,
) -> Result<(), LearnError> {
    let learner = &reading.learner;
    if *settings == settings.without_assumptions() {
        return Ok(());
    }
    let mut found: Option<(ActionId, Text, Diagnostic)> = None;
    each_allowed(reading, settings, recording, &mut |judge, _, recorded, attempt, seen| {
        let assumption = blamed(settings.assumptions_of(learner, judge.action), |weaker| {
            let weaker = AttemptJudge::new(learner, judge.action, weaker);
            !weaker.allows(recorded.objects, attempt, seen)
        });
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

/// Likewise for the class of a learner: whether every model allows an attempt only because of a map
/// of relevant functions, or of rounding.
pub(crate) fn refuted_class(
    learner: &Learner,
    settings: &Settings,
    recording: &dyn Recording,
    finding: &Finding,
) -> Result<Option<LearnError>, LearnError> {
    let class = learner.class();
    let mut wider: Vec<(Text, Class)> = Vec::new();
    if class.relevant.contains_key(&finding.action) {
        let mut relevant = class.relevant.clone();
        relevant.remove(&finding.action);
        let map = Text::from("the ") + dial!("relevant") + " map";
        wider.push((map, Class { relevant, ..class.clone() }));
    }
    if let Numbers::Decimals(places) = class.numbers {
        wider.push((
            dial!("decimals", places).into(),
            Class { numbers: Numbers::Exact, ..class.clone() },
        ));
    }
    let bare = settings.without_assumptions();
    for (assumption, class) in wider {
        let Ok(lens) = Lens::new(learner.given(), class) else { continue };
        let mut other = Learner::with_lens(lens.clone());
        lens.each_event(recording, 0..recording.traces(), |_, recorded, observer| {
            if let Some(step) = recorded.step()
                && step.action.symbol == finding.action
                && let Ok(observation) = observer.observe_step(step)
            {
                other.observe(finding.action, &observation);
            }
        })?;
        let judge = AttemptJudge::new(&other, finding.action, &bare);
        let mut is_refused = false;
        lens.each_event_while(recording, [finding.step.0], |id, recorded, observer| {
            if let Event::Failed(attempt) = recorded.event
                && id == finding.step
            {
                let seen = observer.observe_attempt(attempt);
                is_refused = !judge.allows(recorded.objects, attempt, &seen);
            }
            id < finding.step
        })?;
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
