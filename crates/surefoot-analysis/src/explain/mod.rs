//! Explains why a learned model allows or refuses a step, so that a person can act on it.
//!
//! *In*: a step and the state in which it would be taken ([`Asked`]), and a model with the evidence
//! that it was learned from ([`Grounds`]). *Out*: an [`Explanation`]: at most five lines for people
//! ([`Explanation::lines`]), and all violated conditions as values.
//!
//! ```text
//! Asked, Grounds ─▶ violated conditions ─▶ range, reason   which to say first
//!                                      ─▶ nearest          the recorded step that came nearest
//!                                      ─▶ question         assumptions that would admit the step
//!                                      ─▶ words            five lines
//! ```
//!
//! A learned region has many facets, and a state that violates one often violates dozens. So what
//! one number shows comes first ("battery of r1 is 3; every recorded value with which pick worked
//! is 6.2 or more"). Atoms come next, and last the one condition over several numbers that is
//! violated most, with the nearest recorded step.
//!
//! *The invariants*: an explanation agrees with the model; it never says that a step would work. No
//! assumption is proposed because it would admit the step: an assumption is true or false of the
//! world, whatever the user wishes to do. [`questions`] asks whether it is true, and only if no
//! record speaks against it.
//!
//! *Where to begin*: [`Explanation::of`], then `reason` and `question`. [`Explanation::within`] is
//! for those who have the parts of a model in separate files.

mod admission;
mod margin;
mod nearest;
mod question;
mod range;
mod reason;
mod words;

pub use admission::{Admission, admissions, is_of_model};
pub use nearest::{Nearest, Recorded, nearest, nearest_recorded};
pub use question::{FORESEEN, Question, contradicted, questions};
pub use range::{Bound, ranges};
pub use reason::Reason;
pub use words::{function_in_words, number_in_words};

use std::collections::BTreeMap;

use self::margin::Margins;
use surefoot_base::exact::Rational;
use surefoot_base::invariant::guarded;
use surefoot_base::model::semantics::{Inapplicable, Semantics, StepChanges, Violation};
use surefoot_base::model::{
    ActionId, Attempt, Domain, ErrorFunctions, FunctionId, GroundAction, Objects, State, Universe,
};
use surefoot_base::pddl::ReadError;
use surefoot_learn::{Answer, Answers, ColumnId, Conclusion, Learner, Model, Recording, Settings};

/// A step, and the state it is asked about in.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The ground action that is asked about.
    pub step: &'a GroundAction,
    /// The objects there are.
    pub objects: &'a Objects,
    /// What numbers the atoms and functions of the state.
    pub universe: &'a Universe,
    /// The state in which it is to be taken.
    pub state: &'a State,
}

/// What a model was learned from.
#[derive(Clone, Copy)]
pub struct Grounds<'a> {
    /// The evidence that the model was learned from.
    pub learner: &'a Learner,
    /// What the model was made with.
    pub settings: &'a Settings,
    /// The action in the domain that the learner was given: a written model leaves out what was not
    /// learned, and so may number actions otherwise.
    pub action: ActionId,
    /// The recorded steps, where they are at hand: evidence does not remember where it was
    /// recorded.
    pub recording: Option<&'a dyn Recording>,
}

impl<'a> Grounds<'a> {
    /// The same for the learner's own domain, in which an action with parts stands once for each
    /// part: the action is that of the part that the state is in. `None` if it is in none.
    pub fn in_part(self, asked: Asked<'_>) -> Option<Grounds<'a>> {
        let named = GroundAction { symbol: self.action, arguments: asked.step.arguments.clone() };
        let attempt = Attempt { before: asked.state, action: &named, universe: asked.universe };
        let action = self.learner.lens().in_part(attempt)?.symbol;
        Some(Grounds { action, ..self })
    }

    /// Whether the action has parts.
    fn has_parts(&self) -> bool {
        !self.learner.lens().parts().of(self.action).is_empty()
    }

    /// Which part the state is in, or which there are where it is in none; `None` if the action has
    /// no parts.
    fn part_in_words(&self, asked: Asked<'_>) -> Option<String> {
        if !self.has_parts() {
            return None;
        }
        let name = self.learner.given().action_name(self.action);
        let learned = self.learner.domain();
        let tests = |id: ActionId| self.learner.tests_in_words(id).unwrap_or_default();
        Some(match self.in_part(asked) {
            Some(Grounds { action, .. }) => {
                let part = learned.action_name(action);
                format!("this state is in the part {part} of {name}, where {}", tests(action))
            }
            None => {
                let parts = self.learner.lens().parts().learned_ids(self.action);
                let parts: Vec<String> = parts.map(tests).collect();
                format!(
                    "this state is in no part of {name}, so nothing is known of {name} here; its \
                     parts: {}",
                    parts.join("; ")
                )
            }
        })
    }
}

/// What a model says of a step.
#[derive(Clone, Debug)]
pub enum Applicability {
    /// It can be taken, and changes this.
    Applicable(StepChanges),
    /// The model does not allow it.
    Refused(Inapplicable),
    /// The action is not in the model, for this reason.
    Missing(String),
}

impl Applicability {
    /// What a domain says of a step of one of its actions.
    fn under(domain: &Domain, asked: Asked<'_>) -> Self {
        let semantics = Semantics::new(domain, asked.objects);
        match semantics.changes(asked.step, asked.universe, asked.state) {
            Ok(changes) => Applicability::Applicable(changes),
            Err(reason) => Applicability::Refused(reason),
        }
    }
}

impl<'a> Grounds<'a> {
    /// What a model rests on, for questions about one of its actions; `None` for a model that
    /// promises nothing.
    pub fn of(
        model: &'a Model,
        action: ActionId,
        recording: Option<&'a dyn Recording>,
    ) -> Option<Self> {
        let grounds = model.grounds()?;
        Some(Grounds { learner: &grounds.learner, settings: &grounds.settings, action, recording })
    }
}

/// Whether a state gives a value of an error function of a domain.
fn gives_errors(domain: &Domain, asked: Asked<'_>) -> bool {
    let functions = ErrorFunctions::of(&domain.signature);
    let mut known = asked.state.values().map(|(id, _)| asked.universe.ground_function(id));
    known.any(|function| functions.is_error(function.symbol))
}

/// Why a model allows a step, or not.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What the model says.
    pub applicability: Applicability,
    /// If the action behaves in several ways: which part of the states this one is in, or that it
    /// is in none.
    pub part: Option<String>,
    /// Why it refuses the step, the most telling reason first. All violated conditions count, but
    /// those that a range already explains are not repeated.
    pub reasons: Vec<Reason>,
    /// What the records prove, if they are at hand: whether no model that explains them allows the
    /// step.
    pub answer: Option<Answer>,
    /// The failed attempt that proves it, in words, where none does.
    pub witness: Option<String>,
    /// The recorded vector that came nearest.
    pub nearest: Option<Nearest>,
    /// Assumptions under which it would be allowed, as questions.
    pub questions: Vec<Question>,
}

impl Explanation {
    /// Explains why a step is allowed or refused in a state, with whatever evidence is at hand.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn new(
        model: &Domain,
        asked: Asked<'_>,
        grounds: Option<Grounds<'_>>,
    ) -> Result<Self, ReadError> {
        let errors =
            grounds.map(|grounds| grounds.learner.class().errors.clone()).unwrap_or_default();
        Explanation::within(model, asked, grounds, &errors)
    }

    /// Like [`Self::new`], given how far the recorded values of each function may be from the true
    /// ones.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn within(
        model: &Domain,
        asked: Asked<'_>,
        grounds: Option<Grounds<'_>>,
        errors: &BTreeMap<FunctionId, Rational>,
    ) -> Result<Self, ReadError> {
        guarded(|| {
            let applicability = Applicability::under(model, asked);
            let margins = Margins::new(Some(model), errors);
            Explanation::explained(applicability, asked, grounds, &margins)
        })?
    }

    /// Explains a step under a model with its evidence, in the ids of its vocabulary. The state is
    /// taken for a recorded one, unless it gives errors: then its values are estimates. With a
    /// recording, the nearest recorded step is named with its place.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn of(
        model: &Model,
        asked: Asked<'_>,
        recording: Option<&dyn Recording>,
    ) -> Result<Self, ReadError> {
        guarded(|| {
            let grounds = Grounds::of(model, asked.step.symbol, recording);
            let none = BTreeMap::new();
            let errors = grounds.map_or(&none, |grounds| &grounds.learner.class().errors);
            let estimated = !errors.is_empty() && gives_errors(model.for_planning(), asked);
            let domain = if estimated { model.for_planning() } else { model.for_states() };
            let margins = Margins::new(Some(&**domain).filter(|_| estimated), errors);
            let applicability = match model.missing(asked.step.symbol) {
                Some(why) => Applicability::Missing(why.to_owned()),
                None => Applicability::under(domain, asked),
            };
            Explanation::explained(applicability, asked, grounds, &margins)
        })?
    }

    fn explained(
        applicability: Applicability,
        asked: Asked<'_>,
        grounds: Option<Grounds<'_>>,
        margins: &Margins,
    ) -> Result<Self, ReadError> {
        let part = grounds.and_then(|grounds| grounds.part_in_words(asked));
        let in_part = grounds.and_then(|grounds| grounds.in_part(asked));
        let applicability = match (applicability, in_part, &part) {
            (Applicability::Refused(refusal), Some(in_part), Some(_)) => {
                refused_in_part(refusal, asked, in_part)
            }
            (applicability, ..) => applicability,
        };
        let reasons = match &applicability {
            // In no part there is nothing more to say.
            _ if part.is_some() && in_part.is_none() => Vec::new(),
            Applicability::Refused(refusal) => reason::reasons(refusal, asked, in_part, margins),
            _ => Vec::new(),
        };
        let (answer, witness, nearest, questions) = (None, None, None, Vec::new());
        let mut explanation =
            Explanation { applicability, part, reasons, answer, witness, nearest, questions };
        let Some(of_given) = grounds else { return Ok(explanation) };
        if explanation.is_allowed() {
            explanation.answer = Some(Answer::Allowed);
            return Ok(explanation);
        }
        let Some(grounds) = in_part else {
            explanation.answer = Some(Answer::Unknown);
            return Ok(explanation);
        };
        let named =
            GroundAction { symbol: of_given.action, arguments: asked.step.arguments.clone() };
        explanation.look_back(Asked { step: &named, ..asked }, of_given, grounds, margins)?;
        // The step in the numbering of the learner.
        let step = GroundAction { symbol: grounds.action, ..named };
        let asked = Asked { step: &step, ..asked };
        if !matches!(explanation.applicability, Applicability::Refused(_)) {
            return Ok(explanation);
        }
        let recorded = grounds
            .recording
            .map(|recording| nearest_recorded(grounds.learner, asked, recording))
            .transpose()?;
        let (found, vectors) = recorded.unwrap_or_default();
        explanation.nearest =
            found.or_else(|| self::nearest(grounds.learner, &step, asked.universe, asked.state));
        // What no model allows, none does under an assumption that the records do not refute.
        if explanation.witness.is_none() {
            explanation.questions =
                question::questions_among(grounds.learner, grounds.settings, asked, &vectors);
        }
        Ok(explanation)
    }

    /// Whether a recorded failure proves that a step that is not allowed cannot be taken.
    fn look_back(
        &mut self,
        asked: Asked<'_>,
        grounds: Grounds<'_>,
        in_part: Grounds<'_>,
        margins: &Margins,
    ) -> Result<(), ReadError> {
        self.answer = Some(Answer::Unknown);
        if grounds.learner.evidence(in_part.action).failures().is_empty() {
            return Ok(());
        }
        let answers = Answers::about(grounds.learner, grounds.settings, |id| id == grounds.action);
        let attempt = Attempt { before: asked.state, action: asked.step, universe: asked.universe };
        if let Some(witness) =
            answers.refutation_within(&mut answers.observer(), attempt, margins.estimate())
        {
            let place = match grounds.recording {
                Some(recording) => answers.locate(attempt, margins.estimate(), recording)?,
                None => None,
            };
            self.witness = Some(answers.in_words(grounds.action, &witness, place.as_ref()));
            self.answer = Some(Answer::Forbidden(Box::new(witness)));
        }
        Ok(())
    }

    /// Whether the model allows the step.
    pub fn is_allowed(&self) -> bool {
        matches!(self.applicability, Applicability::Applicable(_))
    }

    /// The conditions that do not hold, all of them, as the model has them.
    pub fn violations(&self) -> &[Violation] {
        match &self.applicability {
            Applicability::Refused(Inapplicable::Precondition(violations)) => violations,
            _ => &[],
        }
    }
}

/// Why the part of a state does not allow a step that the whole action refuses: the action as it is
/// written says no more than that none of its alternatives holds.
fn refused_in_part(refusal: Inapplicable, asked: Asked<'_>, grounds: Grounds<'_>) -> Applicability {
    let Grounds { learner, settings, action, .. } = grounds;
    let conclusion = learner.conclude(action, settings);
    let Conclusion::Learned(learned) = conclusion else {
        return Applicability::Missing(learner.reason(action, &conclusion));
    };
    let whole = learned.whole();
    let domain = learner.domain().with_bodies(|id| (id == action).then_some(&whole));
    let step = GroundAction { symbol: action, arguments: asked.step.arguments.clone() };
    let semantics = Semantics::new(&domain, asked.objects);
    match semantics.changes(&step, asked.universe, asked.state) {
        Ok(_) => Applicability::Refused(refusal),
        Err(reason) => Applicability::Refused(reason),
    }
}

/// A column of an action, as a product of functions of the objects of a step.
fn ground_column(
    learner: &Learner,
    step: &GroundAction,
    column: ColumnId,
) -> Vec<surefoot_base::model::GroundFunction> {
    learner
        .vocabulary(step.symbol)
        .factors(column)
        .map(|function| function.ground(&step.arguments))
        .collect()
}
