//! What recorded steps are looked at through: the vocabulary of a domain and a class of models,
//! without evidence. It is cheap to clone, and it is what [`Observer`]s, learners and answers
//! share.
//!
//! There are two domains. Recordings are read with the *given* one. In the *learned* one an action
//! with parts stands once for each part. A lens shows an event of such an action under the part
//! that its state is in, so whoever reads through a lens knows of actions alone.

use std::sync::Arc;

use surefoot_base::ids::IdVec;
use surefoot_base::model::{ActionId, Attempt, Domain, Event, GroundAction, Step};
use surefoot_base::parts::DomainParts;
use surefoot_base::pddl::{ReadError, Writer};

use super::action::Observation;
use super::class::Class;
use super::ids::{LiftedAtomId, LiftedFunctionId};
use super::observer::Observer;
use super::recording::{Provenance, Recorded, Recording, StepId};
use super::vocabulary::{Monomial, TooLarge, Vocabulary};

/// The vocabulary of a domain's actions under a class of models.
#[derive(Clone, Debug)]
pub struct Lens {
    /// What recordings are read with.
    given: Arc<Domain>,
    /// What is learned: the given domain with an action for each part.
    domain: Arc<Domain>,
    class: Arc<Class>,
    vocabularies: Arc<IdVec<ActionId, Vocabulary>>,
}

/// The class is too large for this action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what}")]
pub struct TooLargeAction {
    /// The action for which the class is too large.
    pub action: ActionId,
    /// What there is too much of.
    pub what: TooLarge,
}

/// What an action may mention.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mention {
    /// An atom of its vocabulary.
    Atom(LiftedAtomId),
    /// A function of its vocabulary.
    Function(LiftedFunctionId),
}

impl Lens {
    /// The lens for a given domain and a class.
    ///
    /// # Errors
    /// The class is too large for an action.
    pub fn new(given: &Domain, class: Class) -> Result<Self, TooLargeAction> {
        let learned = class.parts.learned_domain(given);
        let domain = &learned;
        let mut vocabularies = IdVec::new();
        for action in domain.action_ids() {
            let vocabulary = match class.relevant.get(&action) {
                None => Vocabulary::of(domain, action, class.degree),
                Some(listed) => Vocabulary::with_relevant(domain, action, class.degree, listed),
            };
            let vocabulary = vocabulary.map_err(|what| TooLargeAction { action, what })?;
            vocabularies.push(vocabulary.with_errors(&class.errors));
        }
        Ok(Lens {
            given: Arc::new(given.clone()),
            domain: Arc::new(learned),
            class: Arc::new(class),
            vocabularies: Arc::new(vocabularies),
        })
    }

    /// The domain that recordings are read with.
    pub fn given(&self) -> &Domain {
        &self.given
    }

    /// The parts of actions.
    pub fn parts(&self) -> &DomainParts {
        &self.class.parts
    }

    /// A ground action of the given domain as the action of the learned one that stands for it in a
    /// state; `None` if the state is in no part of it.
    pub fn in_part(&self, attempt: Attempt<'_>) -> Option<GroundAction> {
        let symbol = self.class.parts.part_of(&self.given, attempt)?;
        Some(GroundAction { symbol, arguments: attempt.action.arguments.clone() })
    }

    /// What a step shows that is in no part of its action, in the vocabulary of the action.
    pub fn observe_outside(&self, observer: &mut Observer, step: Step<'_>) -> Option<Observation> {
        let symbol = self.parts().learned_ids(step.action.symbol).next()?;
        let action = GroundAction { symbol, arguments: step.action.arguments.clone() };
        observer.observe_step(Step { action: &action, ..step }).ok()
    }

    /// The domain whose actions are learned.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The class of models.
    pub fn class(&self) -> &Class {
        &self.class
    }

    /// The vocabulary of an action.
    pub fn vocabulary(&self, action: ActionId) -> &Vocabulary {
        &self.vocabularies[action]
    }

    /// A column of an action in PDDL.
    pub fn written(&self, action: ActionId, monomial: &Monomial) -> String {
        self.writer(action).expression(&self.vocabulary(action).expression(monomial))
    }

    /// What an action may mention, as it is written in its parameters.
    pub fn written_mention(&self, action: ActionId, mention: Mention) -> String {
        let vocabulary = self.vocabulary(action);
        match mention {
            Mention::Atom(atom) => self.writer(action).atom(&vocabulary.atoms[atom]),
            Mention::Function(function) => {
                self.writer(action).function(&vocabulary.functions[function])
            }
        }
    }

    /// Writes in the parameters of an action.
    pub fn writer(&self, action: ActionId) -> Writer<'_> {
        Writer::new(&self.domain, &self.domain.signature.constants)
            .with_parameters(&self.domain.action(action).parameters)
    }

    /// An observer of the events of one trace.
    pub fn observer(&self) -> Observer {
        Observer::new(self.clone())
    }

    /// Shows the events of a trace, with an observer of that trace, until `visit` returns false.
    /// Events that are in no part of their action are not among them: they teach nothing.
    ///
    /// # Errors
    /// The trace cannot be read, or does not read as one of the domain.
    pub fn read(
        &self,
        recording: &dyn Recording,
        trace: usize,
        with_digest: bool,
        visit: &mut dyn FnMut(&Recorded<'_>, &mut Observer) -> bool,
    ) -> Result<Provenance, ReadError> {
        self.read_all(recording, trace, with_digest, &mut |recorded, observer| match recorded {
            InPart::Yes(recorded) => visit(recorded, observer),
            InPart::No(_) => true,
        })
    }

    /// Like [`Lens::read`], with the events that are in no part of their action.
    ///
    /// # Errors
    /// The trace cannot be read, or does not read as one of the domain.
    pub fn read_all(
        &self,
        recording: &dyn Recording,
        trace: usize,
        with_digest: bool,
        visit: &mut dyn FnMut(InPart<'_, '_>, &mut Observer) -> bool,
    ) -> Result<Provenance, ReadError> {
        let mut observer = self.observer();
        recording.read(trace, &self.given, self.class.numbers, with_digest, &mut |recorded| {
            if self.parts().is_empty() {
                return visit(InPart::Yes(recorded), &mut observer);
            }
            match self.in_part(recorded.event.attempt()) {
                Some(action) => {
                    let shown = recorded.with_event(with_action(recorded.event, &action));
                    visit(InPart::Yes(&shown), &mut observer)
                }
                None => visit(InPart::No(recorded), &mut observer),
            }
        })
    }

    /// Shows the events of some traces, in order.
    ///
    /// # Errors
    /// A trace cannot be read, or does not read as one of the domain.
    pub fn each_event(
        &self,
        recording: &dyn Recording,
        traces: impl IntoIterator<Item = usize>,
        mut visit: impl FnMut(StepId, &Recorded<'_>, &mut Observer),
    ) -> Result<(), ReadError> {
        self.each_event_while(recording, traces, |id, recorded, observer| {
            visit(id, recorded, observer);
            true
        })
    }

    /// Shows the events of some traces, in order, until `visit` returns false.
    ///
    /// # Errors
    /// A trace cannot be read, or does not read as one of the domain.
    pub fn each_event_while(
        &self,
        recording: &dyn Recording,
        traces: impl IntoIterator<Item = usize>,
        mut visit: impl FnMut(StepId, &Recorded<'_>, &mut Observer) -> bool,
    ) -> Result<(), ReadError> {
        let mut go_on = true;
        for trace in traces {
            self.read(recording, trace, false, &mut |recorded, observer| {
                go_on = visit((trace, recorded.index), recorded, observer);
                go_on
            })?;
            if !go_on {
                break;
            }
        }
        Ok(())
    }
}

/// An event, and whether it is in a part of its action.
pub enum InPart<'r, 'a> {
    /// The event, with the action of the learned domain that stands for the part.
    Yes(&'r Recorded<'a>),
    /// The event, with an action of the given domain.
    No(&'r Recorded<'a>),
}

/// The same event under another name.
pub(crate) fn with_action<'a>(event: Event<'a>, action: &'a GroundAction) -> Event<'a> {
    match event {
        Event::Worked(step) => Event::Worked(Step { action, ..step }),
        Event::Failed(attempt) => Event::Failed(Attempt { action, ..attempt }),
    }
}
