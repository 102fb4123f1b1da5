//! What recorded steps are looked at through: the vocabulary of a domain and a class of models,
//! without evidence. It is cheap to clone, and it is what [`Observer`]s, learners and answers share.

use std::sync::Arc;

use surefoot_base::ids::IdVec;
use surefoot_base::model::{ActionId, Domain};
use surefoot_base::pddl::{ReadError, Writer};

use super::class::Class;
use super::ids::{LiftedAtomId, LiftedFunctionId};
use super::observer::Observer;
use super::recording::{Provenance, Recorded, Recording, StepId};
use super::vocabulary::{Monomial, TooLarge, Vocabulary};

/// The vocabulary of a domain's actions under a class of models.
#[derive(Clone, Debug)]
pub struct Lens {
    domain: Arc<Domain>,
    class: Arc<Class>,
    vocabularies: Arc<IdVec<ActionId, Vocabulary>>,
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

/// What an action may mention.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mention {
    /// An atom of its vocabulary.
    Atom(LiftedAtomId),
    /// A function of its vocabulary.
    Function(LiftedFunctionId),
}

impl Lens {
    /// The lens for a domain and a class.
    ///
    /// # Errors
    /// The class is too large for an action.
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
        Ok(Lens {
            domain: Arc::new(domain.clone()),
            class: Arc::new(class),
            vocabularies: Arc::new(vocabularies),
        })
    }

    /// The domain whose vocabulary is used.
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
        let mut observer = self.observer();
        recording.read(trace, &self.domain, self.class.numbers, with_digest, &mut |recorded| {
            visit(recorded, &mut observer)
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
