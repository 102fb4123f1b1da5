//! How far recorded values may be from the true ones, and the functions of a model that carry
//! errors along while planning.
//!
//! A function may have an error at all where its records have one, or where some effect on it has:
//! then the model has a function `error-of-f` with the same parameters, behind all functions of the
//! domain.

use super::inputs::value_of_inputs;
use super::vocabulary::{ActionVocabulary, FunctionProduct};
use surefoot_base::assumptions::{ErrorBound, ErrorMap};
use surefoot_base::exact::Rational;
use surefoot_base::invariant::Invariant;
use surefoot_base::model::{
    Attempt, Domain, FunctionId, GroundFunction, Names, Signature, State, Universe,
};

/// How the name of the function begins that is the error of another.
const ERROR_OF: &str = "error-of-";

/// What is assumed of records, and what the model carries along.
pub(super) struct RecordErrors {
    /// By function of the domain: how far a recorded value may be from the true one.
    bounds: Vec<Rational>,
    /// By function of the domain: the function of the model that is its error.
    carried: Vec<Option<FunctionId>>,
}

impl RecordErrors {
    /// What a certificate assumes of the functions of a domain; `Err` where it names others.
    pub(super) fn of(domain: &Domain, map: &ErrorMap) -> Result<Self, String> {
        let functions = &domain.signature.functions;
        let mut named: Vec<Option<&ErrorBound>> = vec![None; functions.len()];
        for (text, bound) in map.iter().filter(|(text, _)| *text != ErrorBound::OTHERS) {
            let name =
                text.trim_matches(['(', ')', ' ']).split_whitespace().next().unwrap_or_default();
            let slot = functions.find(name).and_then(|function| named.get_mut(function));
            match slot {
                Some(slot) if slot.is_none() => *slot = Some(bound),
                Some(_) => return Err(format!("the certificate has two errors of {name}")),
                None => {
                    return Err(format!(
                        "the certificate has an error of {text}, which is no function of the domain"
                    ));
                }
            }
        }
        let others = map.get(ErrorBound::OTHERS);
        let bounds: Vec<Rational> = named
            .into_iter()
            .map(|named| named.or(others).map_or(Rational::ZERO, |bound| bound.value().clone()))
            .collect();
        if value_of_inputs(domain).is_some_and(|value| !bounds[value].is_zero()) {
            return Err("the certificate has an error of the values of chosen numbers".to_owned());
        }
        Ok(RecordErrors { bounds, carried: vec![None; functions.len()] })
    }

    /// No errors of the functions of a domain.
    pub(super) fn none(domain: &Domain) -> Self {
        let functions = domain.signature.functions.len();
        RecordErrors { bounds: vec![Rational::ZERO; functions], carried: vec![None; functions] }
    }

    /// Whether all records are exact.
    pub(super) fn is_empty(&self) -> bool {
        self.bounds.iter().all(Rational::is_zero)
    }

    /// Finds the error functions of a model; whether its vocabulary is that of the domain but for
    /// these. Without errors it has none.
    pub(super) fn find_carried(&mut self, domain: &Domain, model: &Domain) -> bool {
        if self.is_empty() {
            return model.signature == domain.signature;
        }
        let (own, written) = (&domain.signature.functions, &model.signature.functions);
        let mut functions = Names::default();
        for (name, symbol) in written.iter().take(own.len()) {
            let _ = functions.insert(name, symbol.clone());
        }
        for (index, (name, symbol)) in written.iter().enumerate().skip(own.len()) {
            let name = name.to_ascii_lowercase();
            let Some(of) = name.strip_prefix(ERROR_OF).and_then(|of| own.find(of)) else {
                return false;
            };
            if own.value(of) != symbol {
                return false;
            }
            self.carried[of] = Some(FunctionId::from(index));
        }
        Signature { functions, ..model.signature.clone() } == domain.signature
    }

    /// How far a recorded value of a function may be from the true one.
    pub(super) fn of_records(&self, function: FunctionId) -> Rational {
        self.bounds
            .get(function.index())
            .cloned()
            .invariant("records have functions of the domain alone")
    }

    /// Whether records have values of a function; those of error functions are of the model alone.
    pub(super) fn has_records(&self, function: FunctionId) -> bool {
        function.index() < self.bounds.len()
    }

    /// The function of the model that is the error of another; none where it has none.
    pub(super) fn carried(&self, function: FunctionId) -> Option<FunctionId> {
        self.carried.get(function.index()).copied().flatten()
    }

    /// The functions whose records have errors, and that the model takes for exact.
    pub(super) fn forgotten(&self) -> impl Iterator<Item = FunctionId> {
        let all = self.bounds.iter().zip(&self.carried).enumerate();
        all.filter(|(_, (bound, carried))| !bound.is_zero() && carried.is_none())
            .map(|(index, _)| FunctionId::from(index))
    }

    /// Whether records of some function that an action can reach have errors.
    pub(super) fn reach(&self, vocabulary: &ActionVocabulary) -> bool {
        vocabulary.functions.iter().any(|function| !self.of_records(function.symbol).is_zero())
    }

    /// How far recorded values of columns may be from the true ones; `None` where a product has an
    /// inexact factor.
    pub(super) fn of_columns(
        &self,
        vocabulary: &ActionVocabulary,
        columns: &[FunctionProduct],
    ) -> Option<Vec<Rational>> {
        let error = |function: usize| self.of_records(vocabulary.functions[function].symbol);
        columns
            .iter()
            .map(|column| match column[..] {
                [function] => Some(error(function)),
                _ => column.iter().all(|&factor| error(factor).is_zero()).then_some(Rational::ZERO),
            })
            .collect()
    }

    /// A recorded state as a model takes it that carries errors along: each value with the error of
    /// its record.
    pub(super) fn of_record(
        &self,
        vocabulary: &ActionVocabulary,
        attempt: Attempt<'_>,
    ) -> (Universe, State) {
        let (mut universe, mut state) = (attempt.universe.clone(), attempt.before.clone());
        for function in &vocabulary.functions {
            let ground = function.ground(&attempt.action.arguments);
            let value = universe.find_value(&ground);
            if let Some(symbol) = self.carried(function.symbol)
                && value.is_some_and(|id| attempt.before.value(id).is_some())
            {
                let error = universe.value(&GroundFunction { symbol, arguments: ground.arguments });
                state.set_value(error, self.of_records(function.symbol));
            }
        }
        (universe, state)
    }

    /// Whether two records of a function can be of one true value.
    pub(super) fn admit(&self, function: FunctionId, one: &Rational, other: &Rational) -> bool {
        one == other || (one - other).abs() <= &Rational::integer(2) * &self.of_records(function)
    }
}
