//! The model is tried on everything it was learned from (docs/theory.md, "Tried on its own
//! records").
//!
//! A finished model is held against every record at hand before anybody gets it. It allows no
//! attempt that failed. Each step that worked is allowed and ends where it ended, as far as both
//! may be off; or it is counted as refused, which an action's model may do only for a reason:
//! margins for errors, regions cut to a budget or to digits, guards, or records that leave
//! something out. By the argument for the learner nothing else can be. Where it is, there is no
//! model.

use std::sync::Arc;

use rayon::prelude::*;
use surefoot_base::margins::{Promised, for_records};
use surefoot_base::model::Event;
use surefoot_base::pddl::{ReadError, Writer};

use super::error::LearnError;
use super::spoiled::Unlearned;
use crate::evidence::{Observer, Phase, Progress, Recorded, Recording};
use crate::model::{Grounds, Model, RecordJudge, ResolvedSteps, Verdict};

/// The records that a model was learned from, as far as they are at hand.
pub(crate) struct ReplayedRecords<'a> {
    pub recording: &'a dyn Recording,
    /// Those that it was not learned from. The model is tried on them, too, but for the errors
    /// themselves.
    pub unlearned: &'a Unlearned,
    pub progress: &'a dyn Progress,
}

/// What a trace came to.
struct Replayed {
    /// By action: how many steps are refused.
    refused: Vec<usize>,
    /// What breaks the law, at the first record that does.
    broken: Option<String>,
}

impl ReplayedRecords<'_> {
    /// A model that was tried on all its records, with how many steps of each action it refuses.
    ///
    /// # Errors
    /// A record breaks the law, a trace cannot be read, or the caller did not want it to go on.
    pub fn tried(&self, model: Model) -> Result<Model, LearnError> {
        if let Some(action) = model.allowed_failure() {
            let name = model.by_part().vocabulary().action_name(action);
            return Err(LearnError::Invariant(format!(
                "the model of {name} allows an attempt that is recorded as failed"
            )));
        }
        let refused = self.refused_by(&model)?;
        Ok(model.with_refused(&refused))
    }

    /// By action: how many recorded steps a model refuses.
    fn refused_by(&self, model: &Model) -> Result<Vec<usize>, LearnError> {
        let Some(grounds) = model.grounds() else { return Ok(Vec::new()) };
        let traces = self.recording.traces();
        self.progress.phase(Phase::Trying, traces);
        let errors = &grounds.learner.class().errors;
        let by_part = model.by_part();
        let written = for_records(by_part.domain(), errors);
        let whole = Some(&**by_part.whole())
            .filter(|_| !errors.is_empty() || !Arc::ptr_eq(by_part.whole(), by_part.domain()));
        let promised = Promised::of(by_part.domain(), errors);
        let judge = |tried| {
            RecordJudge::new(by_part.vocabulary(), tried, promised.clone())
                .of_algorithm(grounds.settings.algorithm)
        };
        let rules = Rules { grounds, written: judge(&written), whole: whole.map(judge) };
        let replay = |trace: usize| -> Result<Replayed, ReadError> {
            let replayed = self.replay(&rules, trace);
            self.progress.part_done();
            replayed
        };
        let all: Vec<Result<Replayed, ReadError>> =
            (0..traces).into_par_iter().map(replay).collect();
        if !self.progress.go_on() {
            return Err(LearnError::Stopped);
        }
        let mut refused = vec![0; by_part.vocabulary().actions.len()];
        for replayed in all {
            let replayed = replayed?;
            if let Some(broken) = replayed.broken {
                return Err(LearnError::Invariant(broken));
            }
            refused.iter_mut().zip(replayed.refused).for_each(|(sum, more)| *sum += more);
        }
        Ok(refused)
    }

    fn replay(&self, rules: &Rules<'_>, trace: usize) -> Result<Replayed, ReadError> {
        let learner = &rules.grounds.learner;
        let mut replayed =
            Replayed { refused: vec![0; rules.grounds.conclusions.len()], broken: None };
        let mut resolved = Resolved::default();
        learner.lens().each_event_while(self.recording, [trace], |id, recorded, observer| {
            let action = recorded.event.action().symbol;
            let is_error = recorded.event.step().is_some() && self.unlearned.errors.contains(&id);
            if rules.grounds.learned(action).is_none() || is_error {
                return self.progress.go_on();
            }
            let is_learned = !self.unlearned.all.contains(&id);
            match rules.judge(recorded, is_learned, &mut resolved, observer) {
                ReplayVerdict::Kept => {}
                ReplayVerdict::Refused => replayed.refused[action.index()] += 1,
                ReplayVerdict::Broken(why) => {
                    let name = Writer::new(learner.domain(), recorded.objects)
                        .ground_action(recorded.event.action());
                    let place = recorded.error(String::new()).place;
                    replayed.broken =
                        Some(format!("{}:{}: {name} {why}", place.file, place.position.line));
                }
            }
            replayed.broken.is_none() && self.progress.go_on()
        })?;
        Ok(replayed)
    }
}

/// A model as records are tried in it.
struct Rules<'m> {
    grounds: &'m Grounds,
    /// The model as it is written, for states that are records.
    written: RecordJudge<'m>,
    /// The model with whole regions, where that is another one. It allows more, and no less must be
    /// true of it.
    whole: Option<RecordJudge<'m>>,
}

/// What the written and the whole model have resolved in a trace.
#[derive(Default)]
struct Resolved {
    written: ResolvedSteps,
    whole: ResolvedSteps,
}

/// What became of a record.
enum ReplayVerdict {
    /// The model is true of it.
    Kept,
    /// A step that worked is refused, and there is a reason why it may be.
    Refused,
    /// The law is broken.
    Broken(&'static str),
}

impl Rules<'_> {
    /// `is_learned` says whether the model was learned from the record. If not, it may refuse it.
    fn judge(
        &self,
        recorded: &Recorded<'_>,
        is_learned: bool,
        resolved: &mut Resolved,
        observer: &mut Observer,
    ) -> ReplayVerdict {
        let written = self.written.verdict(recorded, &mut resolved.written);
        let by_whole = self.whole.as_ref().filter(|_| !matches!(written, Verdict::Allowed { .. }));
        let whole = by_whole.map(|whole| whole.verdict(recorded, &mut resolved.whole));
        match (&recorded.event, written, whole) {
            (Event::Failed(_), Verdict::Allowed { .. }, _)
            | (Event::Failed(_), _, Some(Verdict::Allowed { .. })) => {
                ReplayVerdict::Broken("failed, and the model allows it")
            }
            (Event::Failed(_), ..) => ReplayVerdict::Kept,
            (_, Verdict::Allowed { foreseen: false }, _)
            | (_, _, Some(Verdict::Allowed { foreseen: false })) => {
                ReplayVerdict::Broken("led to another state than the model predicts")
            }
            (_, Verdict::Allowed { foreseen: true }, _) => ReplayVerdict::Kept,
            _ if !is_learned => ReplayVerdict::Kept,
            (_, _, Some(Verdict::Allowed { foreseen: true })) | (_, Verdict::Refused, _) => {
                self.refused(&recorded.event, observer)
            }
            // It is undetermined whether the model allows the step.
            (_, Verdict::Undecided, _) => ReplayVerdict::Kept,
        }
    }

    /// A step that worked is refused: is there a reason why it may be?
    fn refused(&self, event: &Event<'_>, observer: &mut Observer) -> ReplayVerdict {
        let (learner, action) = (&self.grounds.learner, event.action().symbol);
        let cut = self
            .grounds
            .learned(action)
            .is_some_and(|one| !one.allows_all_seen() || one.numeric.inexact.is_some());
        // What is unknown before it and after it leaves no trace in the evidence, but refutes no
        // condition either.
        match cut
            || learner.evidence(action).is_partial()
            || !observer.unknown_of(event.attempt()).is_empty()
        {
            true => ReplayVerdict::Refused,
            false => ReplayVerdict::Broken("worked, and the model refuses it"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::job::learn;
    use super::*;
    use crate::evidence::{Trace, Unwatched};
    use surefoot_base::assumptions::Spec;
    use surefoot_base::pddl::{Source, read_domain};

    /// What a model that was learned from some records does not keep to in others.
    fn trace(text: &str) -> [Trace; 1] {
        [Trace::inferred(Source::new("other", text))]
    }

    fn broken(text: &str, unlearned: &Unlearned) -> Result<Vec<usize>, String> {
        let domain = "(define (domain d) (:predicates (power) (on)) (:functions (x)) (:action go \
                      :parameters ()))";
        let domain = read_domain(&Source::new("d", domain)).unwrap();
        let worked = "((:init (power) (= (x) 1)) (operator: (go)) (:state (power) (on) (= (x) 2))
                       (:reset (power) (= (x) 5)) (operator: (go)) (:state (power) (on) (= (x) \
                      6)))";
        let model = learn(&domain, &Spec::default(), &trace(worked)).unwrap();
        let others = trace(text);
        let recording: &[Trace] = &others;
        ReplayedRecords { recording: &recording, unlearned, progress: &Unwatched }
            .refused_by(&model)
            .map_err(|error| {
                assert!(matches!(error, LearnError::Invariant(_)));
                error.to_string()
            })
    }

    #[test]
    fn a_model_that_is_not_true_of_its_records_is_none() {
        let none = Unlearned::default();
        let spoiled = Unlearned { all: [(0, 0)].into(), ..Unlearned::default() };
        let error = Unlearned { errors: [(0, 0)].into(), ..spoiled.clone() };
        let step = "((:init (power) (= (x) 3))\n(operator: (go)) (:state (power) (on) (= (x) 4)))";
        assert_eq!(broken(step, &none), Ok(vec![0]));
        for (text, why) in [
            (
                "((:init (power) (= (x) 3))\n(failed: (go)))",
                "other:2: (go) failed, and the model allows it",
            ),
            (
                "((:init (power) (= (x) 3)) (operator: (go)) (:state (power) (on) (= (x) 5)))",
                "led to another state",
            ),
            (
                "((:init (power) (= (x) 3)) (operator: (go)) (:state (power) (= (x) 4)))",
                "led to another state",
            ),
            (
                "((:init (power) (= (x) 3)) (operator: (go)) (:state (on) (= (x) 4)))",
                "led to another state",
            ),
            (
                "((:init (power) (= (x) 7)) (operator: (go)) (:state (power) (on) (= (x) 8)))",
                "worked, and the model refuses it",
            ),
        ] {
            let said = broken(text, &none).unwrap_err();
            assert!(said.contains(why), "{said}");
            // A step that is set aside is not asked about. A failure is, whatever was set aside.
            let set_aside = broken(text, &error);
            assert_eq!(set_aside.is_ok(), !text.contains("(failed:"), "set aside: {text}");
            // Of a step whose state an error may have spoiled, the model says nothing false.
            let spoiled = broken(text, &spoiled);
            assert_eq!(spoiled.is_ok(), why.contains("refuses"), "spoiled: {text}");
        }
        // The model reads what is unknown: it allows nothing there.
        assert_eq!(
            broken("((:init (power) (unknown (on)) (= (x) 3)) (failed: (go)))", &none),
            Ok(vec![0])
        );
        // Two literals of the same atom under this binding; nothing shows which of them is no
        // condition.
        let domain = "(define (domain d) (:predicates (held ?a)) (:functions (x)) (:action use \
                      :parameters (?a ?b)))";
        let domain = read_domain(&Source::new("d", domain)).unwrap();
        let step = |call: &str, facts: &str| {
            format!("{facts} (= (x) 1)) (operator: (use {call})) (:state {facts} (= (x) 1))")
        };
        let text = format!(
            "((:init {} (:reset {})",
            step("a b", "(held a)"),
            step("c c", "(unknown (held c))")
        );
        let model = learn(&domain, &Spec::default(), &trace(&text)).unwrap();
        assert_eq!(model.summary().actions[0].refused, Some(1), "{model}");
        // As far as it is known, it ended where the model says.
        let open = "((:init (power) (= (x) 3)) (operator: (go)) (:state (unknown (power)) (on) \
                    (unknown (x))))";
        assert_eq!(broken(open, &none), Ok(vec![0]));
    }
}
