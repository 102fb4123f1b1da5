//! The class a learner learns from and the settings a model is made with, resolved to the ids of a
//! domain; and the same in names, as [`Assumptions`].

use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::assumptions::{
    Algorithm, Assumptions, ErrorBound, ErrorMap, FactDeclarations, Monotone, Spec, Unchanged,
};
use surefoot_base::exact::Rational;
use surefoot_base::model::{ActionId, Domain, FunctionId, LiftedFunction, Term};
use surefoot_base::pddl::{Numbers, Writer};

use super::rays::{UnfitMark, check_marks};
use crate::evidence::{ColumnId, Learner, Monomial};

/// What a model is made with from the same evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Which actions are learned.
    pub algorithm: Algorithm,
    /// A(k): each numeric condition of the real preconditions mentions at most k functions.
    pub arity: Option<usize>,
    /// E(k): the right-hand side of each numeric effect reads at most k functions.
    pub effect_arity: Option<usize>,
    /// Q(N): coefficients and constants of numeric effects have at most N decimals.
    pub effect_decimals: Option<u32>,
    /// M, by action and column.
    pub monotone: BTreeMap<ActionId, BTreeMap<ColumnId, Monotone>>,
    /// Real preconditions have no negative atoms.
    pub positive_preconditions: bool,
    /// The most facets an action may have.
    pub facet_budget: usize,
    /// The most digits a coefficient may have; more are rounded inward.
    pub digits: Option<u32>,
    /// The most failed attempts of an action that are made use of.
    pub failure_budget: usize,
    /// Whether recorded steps that changed nothing, where their action would have changed
    /// something, are read as failed attempts.
    pub unchanged_failed: bool,
    /// The facts whose changes were declared, not recorded. Changes nothing but what the model says
    /// of itself.
    pub declared: FactDeclarations,
    /// Sentences about how the records were made from a log. Changes nothing but what the model
    /// says of itself.
    pub reading: BTreeSet<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            algorithm: Algorithm::default(),
            arity: None,
            effect_arity: None,
            effect_decimals: None,
            monotone: BTreeMap::new(),
            positive_preconditions: false,
            facet_budget: Spec::default().facet_budget,
            digits: None,
            failure_budget: Spec::default().failure_budget,
            unchanged_failed: false,
            declared: FactDeclarations::new(),
            reading: BTreeSet::new(),
        }
    }
}

/// Why settings make no sense for a learner.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingsError {
    /// A function is marked that occurs squared in a column.
    #[error(
        "{function} is marked, and {column} is a power of it: a change of it is no straight line \
         there; learn without squares, or without the mark"
    )]
    Squared {
        /// The function that is marked.
        function: String,
        /// The column that has it as a factor.
        column: String,
    },
    /// A function is marked whose products cannot be followed.
    #[error(
        "{function} is marked and is a factor of {column}, whose other factors must be listed as \
         relevant too"
    )]
    NotClosed {
        /// The function that is marked.
        function: String,
        /// The column that has it as a factor.
        column: String,
    },
}

impl Settings {
    /// These settings, changed by `change`. Fields may be added, so this is how to make one:
    /// `Settings::default().with(|settings| ..)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Whether the settings make sense for a learner. Marks that do not are no help to a model, and
    /// no danger: it is made without them.
    pub fn check(&self, learner: &Learner) -> Result<(), SettingsError> {
        for (&action, marks) in &self.monotone {
            let vocabulary = learner.vocabulary(action);
            let Err(unfit) = check_marks(vocabulary, marks) else { continue };
            let (UnfitMark::Squared { function, column }
            | UnfitMark::NotClosed { function, column }) = unfit;
            let function = learner.written(action, &Monomial(vec![function]));
            let column = learner.written(action, &vocabulary.columns[column]);
            return Err(match unfit {
                UnfitMark::Squared { .. } => SettingsError::Squared { function, column },
                UnfitMark::NotClosed { .. } => SettingsError::NotClosed { function, column },
            });
        }
        Ok(())
    }
}

/// What a model of this learner takes for granted, with these settings: the one place that derives
/// it. It holds all that was taken for granted of anything that the learner saw, on whatever way it
/// came there.
pub fn assumptions(learner: &Learner, settings: &Settings) -> Assumptions {
    let (class, history) = (learner.class(), learner.history());
    let name = |action: ActionId| learner.domain().action_name(action).to_ascii_lowercase();
    let listed = |action: ActionId, monomials: &[Monomial]| -> Vec<String> {
        let texts: BTreeSet<String> =
            monomials.iter().map(|monomial| learner.written(action, monomial)).collect();
        texts.into_iter().collect()
    };
    let marks = |action: ActionId, marks: &BTreeMap<ColumnId, Monotone>| {
        let columns = &learner.vocabulary(action).columns;
        let mark = |(&column, &mark): (&ColumnId, &Monotone)| {
            Some((learner.written(action, columns.get(column)?), mark))
        };
        marks.iter().filter_map(mark).collect()
    };
    let spec = Spec {
        algorithm: settings.algorithm,
        degree: class.degree.degree,
        squares: class.degree.squares,
        decimals: match class.numbers {
            Numbers::Exact => None,
            Numbers::Decimals(places) => Some(places),
        },
        relevant: class
            .relevant
            .iter()
            .map(|(&action, monomials)| (name(action), listed(action, monomials)))
            .collect(),
        parts: class.parts.declared(learner.given()),
        arity: settings.arity,
        error: error_map(learner),
        effect_arity: settings.effect_arity,
        effect_decimals: settings.effect_decimals,
        monotone: settings
            .monotone
            .iter()
            .map(|(&action, all)| (name(action), marks(action, all)))
            .collect(),
        positive_preconditions: settings.positive_preconditions,
        facet_budget: settings.facet_budget,
        digits: settings.digits,
        failure_budget: settings.failure_budget,
        unchanged: (settings.unchanged_failed || !history.read_as_failed.is_empty())
            .then_some(Unchanged::Failed),
        declared: settings.declared.clone(),
        reading: settings.reading.union(&history.assumed).cloned().collect(),
        repair: Vec::new(),
        seed: None,
        time_limit: None,
    };
    let read_as_failed = history.read_as_failed.iter().filter(|(_, steps)| !steps.is_empty());
    let read_as_failed =
        read_as_failed.map(|(trace, steps)| (trace.clone(), steps.clone())).collect();
    Assumptions {
        spec,
        set_aside: learner.set_aside().clone(),
        doubtful: history.doubtful.values().flatten().cloned().collect(),
        trusted: history.trusted.iter().map(|&action| name(action)).collect(),
        read_as_failed,
        inputs: Assumptions::inputs_of(learner.given()),
    }
}

impl Learner {
    /// The tests of the part that an action of the learned domain stands for, as PDDL.
    pub fn tests_in_words(&self, action: ActionId) -> Option<String> {
        let part = self.lens().parts().part(action)?;
        let mut writer = self.lens().writer(action);
        let tests: Vec<String> = part.tests.iter().map(|test| writer.condition(test)).collect();
        Some(tests.join(" "))
    }
}

impl Settings {
    /// What the user says of the records: how they were read, and what was declared in them. Whoever
    /// learns from records under these settings goes on to assume it.
    pub fn stated(&self) -> BTreeSet<String> {
        let declared = self.declared.iter().map(|(fact, declared)| declared.sentence(fact));
        self.reading.iter().cloned().chain(declared).collect()
    }
}

/// Errors by function, as PDDL; one entry for all where all are the same.
fn error_map(learner: &Learner) -> ErrorMap {
    let (domain, errors) = (learner.domain(), &learner.class().errors);
    let same = errors.len() == domain.signature.functions.len()
        && errors.values().all(|error| Some(error) == errors.values().next());
    let bound = |error: &Rational| ErrorBound::new(error.clone());
    if same {
        let all = errors.values().next().and_then(bound);
        return all.map(|bound| (ErrorBound::OTHERS.to_owned(), bound)).into_iter().collect();
    }
    errors
        .iter()
        .filter_map(|(&function, error)| Some((declared_function(domain, function), bound(error)?)))
        .collect()
}

/// A function as it is declared: `(battery ?r)`.
fn declared_function(domain: &Domain, function: FunctionId) -> String {
    let parameters = &domain.signature.function(function).parameters;
    let terms = (0..parameters.len()).map(|slot| Term::Variable(slot as u32)).collect();
    let writer = Writer::new(domain, &domain.signature.constants).with_parameters(parameters);
    writer.function(&LiftedFunction { symbol: function, terms })
}

/// The assumptions of these settings in words, one sentence a line.
pub fn in_words(learner: &Learner, settings: &Settings) -> Vec<String> {
    assumptions(learner, settings).in_words()
}
