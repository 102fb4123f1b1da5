//! Three answers (docs/theory.md, "Failures"): whether an action can be taken in a state, as the
//! records show it.
//!
//! `allowed`: every model of the class that explains the records allows it. `forbidden`: none does,
//! and one failed attempt proves it. `unknown`: the records leave it open. Forbidden rests on one
//! more assumption than allowed: [`FAILS_ONLY`](surefoot_base::assumptions::FAILS_ONLY).

use std::sync::Arc;

use rayon::prelude::*;
use surefoot_base::exact::Rational;
use surefoot_base::invariant::{BrokenInvariant, Invariant, guarded};
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{
    ActionId, Attempt, Domain, ErrorFunctions, Event, GroundAction, GroundFunction, LiftedFunction,
    Objects,
};
use surefoot_base::pddl::{Diagnostic, ReadError, Writer};

use super::learned::Model;
use crate::conclude::{Conclusion, Inconsistency, Settings};
use crate::evidence::{FailedAttempt, Learner, Lens, Observer, Recording};
use crate::failures::{Forbids, Seen, Witness};

/// What the records prove of an action in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Every model that explains the records allows it, and all agree on what it does.
    Allowed,
    /// No model that explains the records allows it; this failure proves it.
    Forbidden(Box<Witness>),
    /// Some models that explain the records allow it, and others do not.
    Unknown,
}

impl Answer {
    /// The name of the answer.
    pub fn name(&self) -> &'static str {
        match self {
            Answer::Allowed => "allowed",
            Answer::Forbidden(_) => "forbidden",
            Answer::Unknown => "unknown",
        }
    }
}

/// Answers about all actions, prepared for many states.
pub struct Answers {
    lens: Lens,
    model: Arc<Domain>,
    /// By action; none where no model explains its records, or nothing was concluded about it.
    forbids: Vec<Option<Forbids>>,
}

impl Answers {
    /// What a learner knows under some settings. Regions are whole, whatever their number of
    /// facets.
    pub fn new(learner: &Learner, settings: &Settings) -> Answers {
        Answers::about(learner, settings, |_| true)
    }

    /// Answers about some actions of the given domain. The answer about any other action is that it
    /// is unknown.
    pub fn about(
        learner: &Learner,
        settings: &Settings,
        asked: impl Fn(ActionId) -> bool + Sync,
    ) -> Answers {
        let actions: Vec<ActionId> = learner.domain().action_ids().collect();
        let is_asked = |id: ActionId| asked(learner.lens().parts().given_id(id).0);
        let conclude = |id: ActionId| is_asked(id).then(|| learner.conclude_spanned(id, settings));
        let conclusions: Vec<Option<Conclusion>> = actions.into_par_iter().map(conclude).collect();
        let model = learner.domain().with_bodies(|id| match &conclusions[id.index()] {
            Some(Conclusion::Learned(learned)) => Some(&learned.action),
            _ => None,
        });
        Answers::with(learner, settings, |id| conclusions[id.index()].as_ref(), Arc::new(model))
    }

    /// The answers of a safe model; `None` for a model of another learner, which proves nothing.
    pub fn of(model: &Model) -> Option<Answers> {
        let grounds = model.grounds()?;
        let conclusion = |id: ActionId| grounds.conclusions.get(id.index());
        Some(Answers::with(
            &grounds.learner,
            &grounds.settings,
            conclusion,
            Arc::clone(model.by_part().whole()),
        ))
    }

    fn with<'c>(
        learner: &Learner,
        settings: &Settings,
        conclusion: impl Fn(ActionId) -> Option<&'c Conclusion> + Sync,
        model: Arc<Domain>,
    ) -> Answers {
        let ids: Vec<ActionId> = learner.domain().action_ids().collect();
        let explained = |id: ActionId| {
            !learner.history().skipped.contains_key(&id)
                && conclusion(id).is_some_and(|conclusion| {
                    !matches!(
                        conclusion,
                        Conclusion::Inconsistent(
                            Inconsistency::Boolean(_)
                                | Inconsistency::Failed
                                | Inconsistency::FailedAssumed { .. }
                        )
                    )
                })
        };
        let prepare = |id: ActionId| {
            let vocabulary = learner.vocabulary(id);
            let marks = settings.monotone.get(&id).cloned().unwrap_or_default();
            let evidence = learner.evidence(id).settled(vocabulary);
            explained(id).then(|| Forbids::new(vocabulary, &evidence, settings, marks))
        };
        let forbids = ids.into_par_iter().map(prepare).collect();
        Answers { lens: learner.lens().clone(), model, forbids }
    }

    /// An observer for questions about the states of one universe.
    pub fn observer(&self) -> Observer {
        self.lens.observer()
    }

    /// The domain that is asked about.
    pub fn domain(&self) -> &Domain {
        self.lens.given()
    }

    /// Whether failed attempts of an action were recorded; otherwise nothing is forbidden.
    pub fn has_failures(&self, action: ActionId) -> bool {
        let any = |id: ActionId| {
            self.forbids[id.index()].as_ref().is_some_and(|forbids| !forbids.is_empty())
        };
        self.lens.parts().learned_ids(action).any(any)
    }

    /// Whether failed attempts of any action were recorded.
    pub fn has_any_failures(&self) -> bool {
        self.domain().action_ids().any(|id| self.has_failures(id))
    }

    /// The answer for a ground action in a state. The observer keeps what is the same for all
    /// states of one universe. Where records have errors, the state is taken for a record: its
    /// values are as far off as theirs.
    ///
    /// # Errors
    /// An invariant of this library does not hold.
    pub fn ask(
        &self,
        observer: &mut Observer,
        objects: &Objects,
        asked: Attempt<'_>,
    ) -> Result<Answer, BrokenInvariant> {
        guarded(|| self.answer(observer, objects, asked))
    }

    fn answer(&self, observer: &mut Observer, objects: &Objects, asked: Attempt<'_>) -> Answer {
        let semantics = Semantics::new(&self.model, objects);
        // In no part of an action, nothing is known of it.
        let Some(action) = self.lens.in_part(asked) else { return Answer::Unknown };
        if semantics.applicable(&action, asked.universe, asked.before).is_ok() {
            return Answer::Allowed;
        }
        self.refutation(observer, asked)
            .map_or(Answer::Unknown, |witness| Answer::Forbidden(Box::new(witness)))
    }

    /// The failure that proves that a ground action cannot be taken in a state, if there is one.
    /// For those who know that it is not allowed.
    pub fn refutation(&self, observer: &mut Observer, asked: Attempt<'_>) -> Option<Witness> {
        self.refutation_within(observer, asked, None)
    }

    /// Like [`Self::refutation`], for an estimate whose errors are the values of these functions in
    /// the state. Without any, the state is taken for a record.
    pub fn refutation_within(
        &self,
        observer: &mut Observer,
        asked: Attempt<'_>,
        errors: Option<&ErrorFunctions>,
    ) -> Option<Witness> {
        let (forbids, state) = self.seen(observer, asked, errors)?;
        let failure = forbids.witness(&state)?;
        Some(forbids.told(failure, &state))
    }

    /// Whether a failure proves that a ground action cannot be taken in a state.
    pub fn forbids(&self, observer: &mut Observer, asked: Attempt<'_>) -> bool {
        self.seen(observer, asked, None)
            .is_some_and(|(forbids, state)| forbids.witness(&state).is_some())
    }

    fn seen(
        &self,
        observer: &mut Observer,
        asked: Attempt<'_>,
        errors: Option<&ErrorFunctions>,
    ) -> Option<(&Forbids, Seen)> {
        let action = self.lens.in_part(asked)?;
        let asked = Attempt { action: &action, ..asked };
        let forbids =
            self.forbids[action.symbol.index()].as_ref().filter(|forbids| !forbids.is_empty())?;
        // What is unknown may hold or not: no failure is known to have all that the state has.
        let seen = Some(observer.observe_attempt(asked)).filter(FailedAttempt::is_complete)?;
        let Some(errors) = errors else { return Some((forbids, forbids.seen(&seen))) };
        let of_state = |function: &LiftedFunction| {
            // What has no error function is known exactly; of an error without a value nothing is
            // known.
            let Some(symbol) = errors.get(function.symbol) else { return Some(Rational::ZERO) };
            let error = GroundFunction {
                symbol,
                arguments: function.ground(&asked.action.arguments).arguments,
            };
            asked.universe.find_value(&error).and_then(|id| asked.before.value(id)).cloned()
        };
        let functions = &self.lens.vocabulary(asked.action.symbol).functions;
        let errors = functions.iter().map(of_state).collect::<Option<Vec<Rational>>>()?;
        Some((forbids, forbids.seen_within(&seen, &errors.into_iter().collect())?))
    }

    /// The first recorded attempt that proves that a ground action cannot be taken in a state, or
    /// in an estimate with the errors that these functions have: what failed, and where.
    ///
    /// # Errors
    /// A trace cannot be read.
    pub fn locate(
        &self,
        asked: Attempt<'_>,
        errors: Option<&ErrorFunctions>,
        recording: &dyn Recording,
    ) -> Result<Option<Diagnostic>, ReadError> {
        let Some((forbids, state)) = self.seen(&mut self.observer(), asked, errors) else {
            return Ok(None);
        };
        let Some(part) = self.lens.in_part(asked) else { return Ok(None) };
        let mut found = None;
        self.lens.each_event_while(recording, 0..recording.traces(), |_, recorded, observer| {
            if let Event::Failed(attempt) = recorded.event
                && attempt.action.symbol == part.symbol
                && forbids.is_witness(&observer.observe_attempt(attempt), &state)
            {
                let (symbol, arguments) = (asked.action.symbol, attempt.action.arguments.clone());
                let action = GroundAction { symbol, arguments };
                let action = Writer::new(self.domain(), recorded.objects).ground_action(&action);
                found = Some(recorded.error(format!("{action} failed")));
            }
            found.is_none()
        })?;
        Ok(found)
    }

    /// A witness in words: a sentence, with the names of the action's parameters. `at` is where it
    /// was recorded, where that is known.
    pub fn in_words(&self, action: ActionId, witness: &Witness, at: Option<&Diagnostic>) -> String {
        let domain = self.domain();
        // The parts of an action mention the same.
        let part = self.lens.parts().learned_ids(action).next();
        let part = part.invariant("an action is learned as one action at least");
        let writer = || {
            Writer::new(domain, &domain.signature.constants)
                .with_parameters(&domain.action(action).parameters)
        };
        let mut words = match at {
            Some(at) => format!("At {}:{} it failed", at.place.file, at.place.position.line),
            None => "It has failed".to_owned(),
        };
        words += ", although every candidate precondition that holds here held there, too";
        let between = witness.numbers.iter().any(|number| number.worked.is_some());
        words +=
            if between { ", with numbers between those here and those that worked" } else { "" };
        if let Some(number) = witness.numbers.iter().find(|number| number.is_outside()) {
            let column =
                self.lens.written(part, &self.lens.vocabulary(part).columns[number.column]);
            words += &format!(": {column} was {}, here it is {}", number.failed, number.here);
            if let Some((least, most)) = &number.worked {
                words += &format!(", and it worked from {least} to {most}");
            }
        }
        if !witness.missing.is_empty() {
            const SHOWN: usize = 3;
            let texts: Vec<String> = witness
                .missing
                .iter()
                .take(SHOWN)
                .map(|condition| writer().condition(condition))
                .collect();
            let more = witness.missing.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            words += &format!(
                ". Missing there: {}{more}, which held before every success",
                texts.join(" and ")
            );
        }
        words + "."
    }
}
