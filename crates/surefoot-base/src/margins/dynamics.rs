//! How errors develop during a plan, as far as the effects of actions show it without looking at
//! states.

use std::collections::BTreeSet;

use crate::exact::Rational;
use crate::model::{
    Domain, Effect, ErrorFunctions, Expression, FunctionId, NumericEffect, NumericOperator,
    Polynomial,
};

/// What the actions of a domain can do to errors. Functions are the blurred ones, not their error
/// functions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Dynamics {
    /// Functions that some action may make exact, whatever their error was before.
    pub made_exact: BTreeSet<FunctionId>,
    /// Functions whose error some action may make smaller.
    pub shrinking: BTreeSet<FunctionId>,
}

impl Dynamics {
    /// What the actions can do where these functions are exact for some objects at the start.
    pub fn of(
        domain: &Domain,
        errors: &ErrorFunctions,
        exact_at_start: &BTreeSet<FunctionId>,
    ) -> Self {
        let mut effects = Vec::new();
        for id in domain.action_ids().filter(|id| !domain.action(*id).is_left_out()) {
            gather(&domain.action(id).effect, &mut |effect| {
                if let Some(function) = errors.function_of(effect.target.symbol) {
                    effects.push((function, Afterwards::of(effect, errors)));
                }
            });
        }
        let mut dynamics = Dynamics::default();
        dynamics.shrinking.extend(
            effects.iter().filter(|(_, after)| after.may_be_smaller).map(|(function, _)| *function),
        );
        loop {
            let exact = |function: &FunctionId| {
                exact_at_start.contains(function) || dynamics.made_exact.contains(function)
            };
            let possible = effects.iter().filter(|(_, after)| {
                after.needs_exact.as_ref().is_some_and(|needed| needed.iter().all(exact))
            });
            let more: BTreeSet<FunctionId> = possible.map(|(function, _)| *function).collect();
            if more.is_subset(&dynamics.made_exact) {
                return dynamics;
            }
            dynamics.made_exact.extend(more);
        }
    }
}

/// An error after an effect on it.
struct Afterwards {
    may_be_smaller: bool,
    /// Which functions must be exact for the error to be 0 afterwards, whatever it was before;
    /// `None` where it stays above 0.
    needs_exact: Option<BTreeSet<FunctionId>>,
}

impl Afterwards {
    fn of(effect: &NumericEffect, errors: &ErrorFunctions) -> Self {
        let target = Expression::Function(effect.target.clone());
        let after = match effect.operator {
            NumericOperator::Assign => Polynomial::of(&effect.value),
            NumericOperator::Increase => {
                Polynomial::of(&Expression::Sum(vec![target, effect.value.clone()]))
            }
            NumericOperator::Decrease => {
                Polynomial::of(&Expression::Difference(Box::new([target, effect.value.clone()])))
            }
            NumericOperator::ScaleUp | NumericOperator::ScaleDown => None,
        };
        let Some(after) = after else {
            // Nothing is known of it.
            return Afterwards { may_be_smaller: true, needs_exact: Some(BTreeSet::new()) };
        };
        let mut own = Rational::ZERO;
        let mut grows = after.constant_term().signum() >= 0;
        let mut needed = BTreeSet::new();
        let (mut stays, mut open) = (after.constant_term().signum() > 0, false);
        for (factors, coefficient) in after.columns() {
            grows &= coefficient.signum() >= 0;
            match &factors[..] {
                [only] if *only == effect.target => {
                    own = coefficient.clone();
                    stays |= coefficient.signum() > 0;
                }
                [only] if errors.is_error(only.symbol) => {
                    needed.extend(errors.function_of(only.symbol))
                }
                _ => open = true,
            }
        }
        // Where something is subtracted, or is no error, what is left may be anything.
        let open = open || !grows;
        Afterwards {
            may_be_smaller: open || own < Rational::ONE,
            needs_exact: if open { Some(BTreeSet::new()) } else { (!stays).then_some(needed) },
        }
    }
}

/// Visits the numeric effects, also those under conditions and quantifiers.
pub(super) fn gather<'e>(effect: &'e Effect, visit: &mut impl FnMut(&'e NumericEffect)) {
    match effect {
        Effect::And(parts) => parts.iter().for_each(|part| gather(part, visit)),
        Effect::When(_, inner) | Effect::ForAll(_, inner) => gather(inner, visit),
        Effect::Numeric(numeric) => visit(numeric),
        Effect::Add(_) | Effect::Delete(_) => {}
    }
}

/// The functions that some action assigns, so that they may have a value later that have none at
/// the start.
pub(super) fn assigned(domain: &Domain) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    for id in domain.action_ids() {
        gather(&domain.action(id).effect, &mut |effect| {
            if effect.operator == NumericOperator::Assign {
                found.insert(effect.target.symbol);
            }
        });
    }
    found
}
