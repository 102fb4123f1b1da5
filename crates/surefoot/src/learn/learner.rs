//! The learner: a fold over transitions whose state can be merged, and the model it stands for.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::assumptions::{Algorithm, Class, Settings};
use super::effect::{Affine, NumericForm};
use super::evidence::{ActionEvidence, Observation};
use super::linear;
use super::literals::{self, BooleanEffect, BooleanModel, Contradiction, same};
use super::numeric::{Numeric, NumericFailure, NumericModel};
use super::snapshot::vocabulary_of;
use super::vocabulary::{MAX_COLUMNS, Monomial, Vocabulary};
use crate::model::{Action, ActionId, Condition, Domain, Effect, Names, NumericEffect, NumericOperator};
use crate::pddl::Writer;

/// Learns from transitions. Of the domain it uses the vocabulary alone: types, constants, predicates, functions, and the names and
/// parameters of actions; bodies, where present, are ignored.
#[derive(Clone, Debug)]
pub struct Learner {
    domain: Arc<Domain>,
    class: Arc<Class>,
    vocabularies: Arc<Vec<Vocabulary>>,
    evidence: Vec<ActionEvidence>,
    /// Steps that the user chose to set aside as recording errors: part of the assumptions.
    set_aside: BTreeSet<String>,
}

/// The class has too many columns for this action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("more than {MAX_COLUMNS} monomials")]
pub struct TooManyColumns {
    /// The action.
    pub action: ActionId,
}

impl Learner {
    /// A learner that has seen nothing.
    pub fn new(domain: &Domain, class: Class) -> Result<Self, TooManyColumns> {
        let mut vocabularies = Vec::new();
        for action in domain.action_ids() {
            let mapped = class.relevant.get(&action.index());
            let degree = if mapped.is_some() { super::Degree::LINEAR } else { class.degree };
            let mut vocabulary = Vocabulary::of(domain, action, degree).ok_or(TooManyColumns { action })?;
            if let Some(monomials) = mapped {
                vocabulary.columns = monomials.clone();
            }
            vocabularies.push(vocabulary);
        }
        Ok(Learner {
            evidence: vec![ActionEvidence::new(); vocabularies.len()],
            domain: Arc::new(domain.clone()),
            class: Arc::new(class),
            vocabularies: Arc::new(vocabularies),
            set_aside: BTreeSet::new(),
        })
    }

    /// A learner of the same domain and class that has seen nothing.
    pub fn empty(&self) -> Self {
        Learner {
            domain: Arc::clone(&self.domain),
            class: Arc::clone(&self.class),
            vocabularies: Arc::clone(&self.vocabularies),
            evidence: vec![ActionEvidence::new(); self.evidence.len()],
            set_aside: BTreeSet::new(),
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
        &self.vocabularies[action.index()]
    }

    /// A column of an action in PDDL.
    pub fn written(&self, action: usize, monomial: &Monomial) -> String {
        let parameters = &self.domain.action(action.into()).parameters;
        let writer = Writer::new(&self.domain, &self.domain.signature.constants).with_parameters(parameters);
        writer.expression(&self.vocabularies[action].expression(monomial))
    }

    /// What was seen of an action.
    pub fn evidence(&self, action: ActionId) -> &ActionEvidence {
        &self.evidence[action.index()]
    }

    pub(super) fn set_evidence(&mut self, action: ActionId, evidence: ActionEvidence) {
        self.evidence[action.index()] = evidence;
    }

    /// The steps set aside as recording errors, in words.
    pub fn set_aside(&self) -> &BTreeSet<String> {
        &self.set_aside
    }

    /// Notes that a step was set aside as a recording error. Whoever does so leaves the step out.
    pub fn set_step_aside(&mut self, words: String) {
        self.set_aside.insert(words);
    }

    /// Whether another learner has the same domain vocabulary and class, so that both can be merged.
    pub fn is_compatible(&self, other: &Learner) -> bool {
        self.class == other.class && vocabulary_of(&self.domain) == vocabulary_of(&other.domain)
    }

    /// Adds a step.
    pub fn observe(&mut self, action: ActionId, observation: &Observation) {
        self.evidence[action.index()].observe(&self.vocabularies[action.index()], observation);
    }

    /// Adds all that another learner of the same domain and class saw. Associative, commutative and idempotent.
    pub fn merge(&mut self, other: &Learner) {
        for (action, theirs) in other.evidence.iter().enumerate() {
            self.evidence[action].merge(&self.vocabularies[action], theirs);
        }
        self.set_aside.extend(other.set_aside.iter().cloned());
    }

    /// Forgets what depends on the order of observations, so that learners that saw the same are equal.
    pub fn settle(&mut self) {
        for (evidence, vocabulary) in self.evidence.iter_mut().zip(self.vocabularies.iter()) {
            evidence.settle(vocabulary);
        }
    }

    /// What one action's evidence amounts to.
    pub fn conclude(&self, action: ActionId, settings: &Settings) -> Conclusion {
        let (vocabulary, evidence) = (self.vocabulary(action), self.evidence(action));
        if evidence.is_empty() {
            return Conclusion::LeftOut(LeftOut::NeverObserved);
        }
        let boolean = match literals::conclude(vocabulary, &evidence.boolean(vocabulary), settings.positive_preconditions) {
            Ok(model) => model,
            Err(contradiction) => return Conclusion::Inconsistent(Inconsistency::Boolean(contradiction)),
        };
        let columns = match settings.algorithm {
            Algorithm::Sam => Vec::new(),
            _ => evidence.columns(vocabulary),
        };
        if settings.algorithm == Algorithm::Nsam && evidence.distinct() < columns.len() + 1 {
            return Conclusion::LeftOut(LeftOut::TooFew { distinct: evidence.distinct(), needed: columns.len() + 1 });
        }
        let marks = settings.monotone.get(&action.index());
        let task = Numeric { vocabulary, evidence, columns, settings, marks };
        let numeric = if settings.algorithm == Algorithm::Sam { Ok(NumericModel::default()) } else { task.conclude(&boolean) };
        match numeric {
            Ok(numeric) => Conclusion::Learned(Box::new(self.learned(action, boolean, numeric))),
            Err(NumericFailure::LeftOut(reason)) => Conclusion::LeftOut(reason),
            Err(NumericFailure::Inconsistent(inconsistency)) => Conclusion::Inconsistent(inconsistency),
        }
    }

    fn learned(&self, id: ActionId, boolean: BooleanModel, numeric: NumericModel) -> LearnedAction {
        let vocabulary = self.vocabulary(id);
        let atom = |atom: &usize| Condition::Atom(vocabulary.atoms[*atom].clone());
        let not = |condition: Condition| Condition::Not(Box::new(condition));
        let mut conditions: Vec<Condition> = boolean.positive.iter().map(atom).collect();
        conditions.extend(boolean.negative.iter().map(|index| not(atom(index))));
        conditions.extend(boolean.equal.iter().map(|&equality| same(vocabulary, equality)));
        conditions.extend(boolean.different.iter().map(|&equality| not(same(vocabulary, equality))));
        conditions.extend(boolean.guards.iter().chain(&numeric.guards).cloned());
        let write = |constraint, equation| linear::condition(vocabulary, &numeric.columns, constraint, equation);
        conditions.extend(numeric.region.equations.iter().map(|constraint| write(constraint, true)));
        conditions.extend(numeric.region.inequalities.iter().map(|constraint| write(constraint, false)));

        let mut effects: Vec<Effect> = Vec::new();
        let changed = |wanted: BooleanEffect| {
            let indices = boolean.effects.iter().enumerate().filter(move |(_, effect)| **effect == wanted);
            indices.map(|(index, _)| vocabulary.atoms[index].clone())
        };
        effects.extend(changed(BooleanEffect::Delete).map(Effect::Delete));
        effects.extend(changed(BooleanEffect::Add).map(Effect::Add));
        for (function, form) in numeric.effects.iter().enumerate() {
            effects.extend(self.numeric_effect(vocabulary, &numeric.columns, function, form).map(Effect::Numeric));
        }
        let parameters = self.domain.action(id).parameters.clone();
        let action = Action { parameters, precondition: Condition::And(conditions), effect: Effect::And(effects), hull: None };
        LearnedAction { action, boolean, numeric }
    }

    fn numeric_effect(
        &self,
        vocabulary: &Vocabulary,
        columns: &[usize],
        function: usize,
        form: &NumericForm,
    ) -> Option<NumericEffect> {
        let expression = |affine: &Affine| {
            let terms: Vec<_> = affine.terms.iter().map(|(position, value)| (columns[*position], value.clone())).collect();
            linear::affine(vocabulary, &terms, &affine.constant)
        };
        let negated = |affine: &Affine| Affine {
            constant: -&affine.constant,
            terms: affine.terms.iter().map(|(position, value)| (*position, -value)).collect(),
        };
        let (operator, value) = match form {
            NumericForm::Unchanged => return None,
            NumericForm::Assign(affine) => (NumericOperator::Assign, expression(affine)),
            // A decrease reads better than an increase by something negative.
            NumericForm::Change(affine) => {
                let leading = affine.terms.first().map_or(&affine.constant, |(_, coefficient)| coefficient);
                let none_positive = affine.constant.signum() <= 0 && affine.terms.iter().all(|(_, value)| value.signum() < 0);
                if none_positive || (leading.signum() < 0 && affine.terms.len() < 2 && affine.constant.signum() <= 0) {
                    (NumericOperator::Decrease, expression(&negated(affine)))
                } else {
                    (NumericOperator::Increase, expression(affine))
                }
            }
        };
        Some(NumericEffect { operator, target: vocabulary.functions[function].clone(), value })
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
    /// The effect on a function was seen only where several functions are one, and in different ways.
    SharedOnly {
        /// The function.
        function: usize,
    },
}

/// Why no model of the class explains an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inconsistency {
    /// An atom changed in a way no effect explains.
    Boolean(Contradiction),
    /// The change of a function is no affine function of the columns.
    NotAffine {
        /// The function.
        function: usize,
    },
    /// No map that reads at most the assumed number of columns explains a change: E(k) is refuted.
    EffectArity {
        /// The function.
        function: usize,
    },
    /// Where several functions are one, their changes do not add up to what was seen.
    Composition {
        /// The functions.
        functions: Vec<usize>,
    },
}

/// The learned domain: the vocabulary of the given one, with what was learned for bodies. Actions that are not learned are not in
/// it.
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
