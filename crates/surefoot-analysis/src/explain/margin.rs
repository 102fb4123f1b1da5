//! How much of a condition is margin, where numbers are known within errors only.
//!
//! A learned condition `a · x ≤ b` asks for `Σ |aᵢ| (eᵢ + Eᵢ)` less than `b`: eᵢ since the records
//! it was learned from may be off, and Eᵢ since the state may be. In a model that carries errors
//! along, Eᵢ is the value of an error function; in one for recorded states it is a number, eᵢ
//! again. A person sees the sum as one number.

use std::collections::BTreeMap;

use super::Asked;
use surefoot_base::exact::Rational;
use surefoot_base::model::{Domain, ErrorFunctions, FunctionId, GroundFunction};

/// A linear form over products of functions.
pub(super) type Terms = Vec<(Vec<GroundFunction>, Rational)>;

/// What is known of errors.
#[derive(Clone, Debug, Default)]
pub(super) struct Margins {
    /// By function: how far a recorded value may be from the true one.
    records: BTreeMap<FunctionId, Rational>,
    /// The error functions of the model.
    functions: ErrorFunctions,
}

impl Margins {
    pub fn new(model: Option<&Domain>, records: &BTreeMap<FunctionId, Rational>) -> Self {
        let functions = model.map(|model| ErrorFunctions::of(&model.signature)).unwrap_or_default();
        Margins { records: records.clone(), functions }
    }

    /// The error functions of the model, where the state is an estimate with errors of its own.
    pub fn estimate(&self) -> Option<&ErrorFunctions> {
        Some(&self.functions).filter(|functions| !functions.is_empty())
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.functions.is_empty()
    }

    /// A condition `Σ terms ≤ bound` without the errors of the state, whose part is taken from the
    /// bound; and how much of the bound is margin. `None` where an error has no value.
    pub fn apart(
        &self,
        terms: Terms,
        bound: &Rational,
        asked: Asked<'_>,
    ) -> Option<(Terms, Rational, Rational)> {
        let (mut plain, mut margin, mut errors) = (Terms::new(), Rational::ZERO, Rational::ZERO);
        for (factors, coefficient) in terms {
            match &factors[..] {
                [error] if self.functions.is_error(error.symbol) => {
                    let value =
                        asked.universe.find_value(error).and_then(|id| asked.state.value(id))?;
                    errors += &(&coefficient * value);
                }
                _ => plain.push((factors, coefficient)),
            }
        }
        for (factors, coefficient) in &plain {
            if let [function] = &factors[..]
                && let Some(error) = self.records.get(&function.symbol)
            {
                margin += &(&coefficient.abs() * error);
                // Without error functions the model is for recorded states, which are off as much.
                if self.functions.is_empty() {
                    margin += &(&coefficient.abs() * error);
                }
            }
        }
        Some((plain, bound - &errors, &margin + &errors))
    }
}
