//! How far the successor that a domain of estimates computes may be from the true one, for steps
//! taken in recorded states.

use std::collections::BTreeMap;

use super::dynamics::gather;
use super::records::ErrorNumbers;
use crate::exact::Rational;
use crate::model::{
    ActionId, Domain, ErrorFunctions, FunctionId, GroundAction, GroundFunction, LiftedFunction,
    NumericEffect, NumericOperator, Polynomial, Term,
};

/// By action: the new error of each function that the action changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Promised {
    errors: BTreeMap<FunctionId, Rational>,
    changes: Vec<Vec<ErrorChange>>,
}

/// What an effect makes of the error of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ErrorChange {
    function: LiftedFunction,
    operator: NumericOperator,
    /// What is added or assigned; `None` where that depends on more than errors.
    amount: Option<Rational>,
}

impl Promised {
    /// What a domain promises of steps taken in records that are within these errors of the true
    /// states.
    pub fn of(domain: &Domain, errors: &BTreeMap<FunctionId, Rational>) -> Self {
        let functions = ErrorFunctions::of(&domain.signature);
        let numbers = ErrorNumbers { errors, functions: &functions };
        let change = |effect: &NumericEffect| {
            let function = functions.function_of(effect.target.symbol)?;
            let amount = Polynomial::of(&numbers.expression(&effect.value))
                .filter(|amount| amount.mentioned.is_empty());
            Some(ErrorChange {
                function: LiftedFunction { symbol: function, terms: effect.target.terms.clone() },
                operator: effect.operator,
                amount: amount.map(|amount| amount.constant_term()),
            })
        };
        let of_action = |id: ActionId| {
            let mut changes = Vec::new();
            gather(&domain.action(id).effect, &mut |effect| changes.extend(change(effect)));
            changes
        };
        Promised { errors: errors.clone(), changes: domain.action_ids().map(of_action).collect() }
    }

    /// How far a record of a function may be from the true value.
    pub fn of_record(&self, function: FunctionId) -> Rational {
        self.errors.get(&function).cloned().unwrap_or(Rational::ZERO)
    }

    /// How far the value that the domain computes for a function after a step may be from the true
    /// one; `None` if that depends on the state.
    pub fn after(&self, step: &GroundAction, function: &GroundFunction) -> Option<Rational> {
        let mut error = self.of_record(function.symbol);
        let changes = &self.changes[step.symbol.index()];
        for change in changes.iter().filter(|change| change.function.symbol == function.symbol) {
            // Variables beyond the parameters are bound by a quantifier: any object may be meant.
            let slots = change.function.terms.iter().all(|term| match term {
                Term::Variable(slot) => (*slot as usize) < step.arguments.len(),
                Term::Object(_) => true,
            });
            if slots && change.function.ground(&step.arguments) != *function {
                continue;
            }
            let amount = change.amount.as_ref()?;
            match change.operator {
                NumericOperator::Increase if slots => error += amount,
                NumericOperator::Decrease if slots => error += &-amount,
                NumericOperator::Assign if slots => error = amount.clone(),
                _ => return None,
            }
        }
        Some(error)
    }
}
