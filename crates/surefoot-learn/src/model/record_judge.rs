//! What a model says of a recorded step or of a recorded attempt that failed: the one place where
//! records are held against a model.
//!
//! The replay of a finished model, the trial of an option and the score of a log all ask here, so
//! they agree on what is allowed, on what an unknown value leaves undecided, and on how far an
//! inexact number may be from the predicted one.

use surefoot_base::assumptions::Algorithm;
use surefoot_base::exact::Rational;
use surefoot_base::margins::Promised;
use surefoot_base::model::compiled::{Checker, Compiled, Resolutions};
use surefoot_base::model::semantics::{
    Fault, Inapplicable, Semantics, StepChanges, ViolationCause,
};
use surefoot_base::model::{
    ActionId, AtomId, Attempt, Domain, Event, GroundAction, Objects, Step, ValueId,
};

use crate::evidence::Recorded;

/// What a model says of a recorded event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It certainly allows the step.
    Allowed {
        /// Whether the recorded state after the step is the predicted one, as far as both are known
        /// and may be off. False for an attempt that failed.
        foreseen: bool,
    },
    /// It refuses the step.
    Refused,
    /// Its answer depends on what is unknown of the state.
    Undecided,
}

/// Holds records against a model.
pub struct RecordJudge<'a> {
    vocabulary: &'a Domain,
    model: Compiled<'a>,
    /// By action of the vocabulary: the action of the model with the same name.
    actions: Vec<Option<ActionId>>,
    promised: Promised,
    compares_numbers: bool,
}

/// What a [`RecordJudge`] has resolved for events of the same trace, which share their objects and
/// the numbers of their atoms.
#[derive(Default)]
pub struct ResolvedSteps(Option<Resolutions>);

impl<'a> RecordJudge<'a> {
    /// `model` is for states that are records, and has the signature of `vocabulary`; its actions
    /// are found by name, and one it does not have is never allowed. `promised` says how far the
    /// states after its steps may be off.
    pub fn new(vocabulary: &'a Domain, model: &'a Domain, promised: Promised) -> Self {
        let actions = vocabulary
            .action_ids()
            .map(|id| model.actions.find(vocabulary.action_name(id)).map(ActionId::from))
            .collect();
        RecordJudge {
            vocabulary,
            model: Compiled::new(model),
            actions,
            promised,
            compares_numbers: true,
        }
    }

    /// Considers the algorithm of the model: a model that says nothing about numbers is not asked
    /// for their values after a step.
    #[must_use]
    pub fn of_algorithm(self, algorithm: Algorithm) -> Self {
        RecordJudge { compares_numbers: algorithm != Algorithm::Sam, ..self }
    }

    /// The domain of the records.
    pub fn vocabulary(&self) -> &'a Domain {
        self.vocabulary
    }

    /// What the model says of a record.
    pub fn verdict(&self, recorded: &Recorded<'_>, resolved: &mut ResolvedSteps) -> Verdict {
        self.verdict_of(&recorded.event, recorded.objects, resolved)
    }

    /// What the model says of an event.
    pub fn verdict_of(
        &self,
        event: &Event<'_>,
        objects: &Objects,
        resolved: &mut ResolvedSteps,
    ) -> Verdict {
        let Some(symbol) = self.actions[event.action().symbol.index()] else {
            return Verdict::Refused;
        };
        let renamed;
        let action = if symbol == event.action().symbol {
            event.action()
        } else {
            renamed = GroundAction { symbol, arguments: event.action().arguments.clone() };
            &renamed
        };
        let attempt = Attempt { action, ..event.attempt() };
        match (self.changes(attempt, objects, resolved), event) {
            (Some(_), Event::Failed(_)) => Verdict::Allowed { foreseen: false },
            (Some(changes), Event::Worked(step)) => {
                Verdict::Allowed { foreseen: self.is_foreseen(&Step { action, ..*step }, &changes) }
            }
            (None, _) if self.is_undecided(attempt, objects) => Verdict::Undecided,
            (None, _) => Verdict::Refused,
        }
    }

    /// What the model says that an attempt changes, if it certainly allows it.
    fn changes(
        &self,
        attempt: Attempt<'_>,
        objects: &Objects,
        resolved: &mut ResolvedSteps,
    ) -> Option<StepChanges> {
        let Attempt { before, action, universe } = attempt;
        let mut checker = match resolved.0.take() {
            Some(resolutions) => Checker::again(&self.model, objects, resolutions),
            None => Checker::new(&self.model, objects),
        };
        let step = checker.step_found(action, universe);
        let allowed = checker.applicable(step, universe, before);
        let changes = allowed.then(|| checker.changes(step, universe, before)).and_then(Result::ok);
        resolved.0 = Some(checker.into_resolutions());
        changes
    }

    /// Whether it depends on what is unknown alone that the model does not allow an attempt.
    fn is_undecided(
        &self,
        Attempt { before, action, universe }: Attempt<'_>,
        objects: &Objects,
    ) -> bool {
        before.has_unknown()
            && Semantics::new(self.model.domain(), objects)
                .applicable(action, universe, before)
                .is_err_and(|reason| is_open(&reason))
    }

    /// Whether a step ended where the model says, as far as both are known, and may be off.
    fn is_foreseen(&self, step: &Step<'_>, changes: &StepChanges) -> bool {
        let Step { before, after, universe, .. } = step;
        // What has no number is false, or undefined, in every state until now.
        let (Some(adds), Some(values)) = (
            (changes.adds.iter())
                .map(|atom| universe.find_atom(atom))
                .collect::<Option<Vec<AtomId>>>(),
            (changes.values.iter())
                .map(|(function, value)| Some((universe.find_value(function)?, value)))
                .collect::<Option<Vec<_>>>(),
        ) else {
            return false;
        };
        let deletes: Vec<AtomId> = changes
            .deletes
            .iter()
            .filter_map(|atom| universe.find_atom(atom))
            .filter(|deleted| !adds.contains(deleted))
            .collect();
        let atoms = adds.iter().all(|&id| after.contains(id) || after.is_atom_unknown(id))
            && !deletes.iter().any(|&id| after.contains(id))
            && before.differing_atoms(after).all(|id| {
                if after.contains(id) { adds.contains(&id) } else { deletes.contains(&id) }
            });
        if !atoms || !self.compares_numbers {
            return atoms;
        }
        values.iter().all(|&(id, value)| self.is_as_recorded(step, id, value))
            && before
                .differing_values(after)
                .filter(|&id| !values.iter().any(|(changed, _)| *changed == id))
                .all(|id| {
                    before.value(id).is_some_and(|value| self.is_as_recorded(step, id, value))
                })
    }

    /// Whether a value that the model gives is the one recorded after a step, as far as that is
    /// known, and may be off.
    fn is_as_recorded(&self, step: &Step<'_>, id: ValueId, value: &Rational) -> bool {
        match step.after.value(id) {
            Some(recorded) => {
                value == recorded || self.is_within(step, id, &(value - recorded).abs())
            }
            None => step.after.is_value_unknown(id),
        }
    }

    /// Whether the model and the record differ by at most this distance.
    fn is_within(&self, step: &Step<'_>, id: ValueId, distance: &Rational) -> bool {
        let function = step.universe.ground_function(id);
        let after = self.promised.after(step.action, function);
        after.is_none_or(|error| *distance <= &error + &self.promised.of_record(function.symbol))
    }
}

/// Whether an answer rests on what is unknown alone.
pub fn is_open(reason: &Inapplicable) -> bool {
    match reason {
        Inapplicable::Precondition(violations) => violations.iter().all(|violation| {
            matches!(&violation.cause, ViolationCause::Fault(fault) if is_unknown(fault))
        }),
        Inapplicable::Effect(fault) => is_unknown(fault),
        Inapplicable::Arguments(_) | Inapplicable::Conflict(_) => false,
    }
}

/// Whether a fault is that something is not known.
fn is_unknown(fault: &Fault) -> bool {
    matches!(fault, Fault::Unknown(_) | Fault::UnknownAtom(_))
}
