//! The model as it is written where records are not exact: actions over estimates that carry their
//! errors along.
//!
//! A function is *blurred* if planning may know it within an error only: its records are not exact,
//! or some effect on it is not, or reads what is blurred. Each blurred function gets an error
//! function; conditions ask for margins of it, and effects say how it grows.

use std::collections::BTreeSet;
use std::sync::Arc;

use surefoot_base::exact::Rational;
use surefoot_base::ids::IdVec;
use surefoot_base::margins::robust;
use surefoot_base::model::{
    Action, ActionId, Condition, Domain, Effect, ErrorFunctions, Expression, FunctionId,
    LiftedFunction, NumericEffect, NumericOperator, scaled, sum,
};

use crate::conclude::{Conclusion, LearnedAction, LeftOut, NumericForm, not_all_equal};
use crate::evidence::{ColumnId, Learner, LiftedFunctionId, Vocabulary};

/// The value of a function after a step: what it is computed from, and how far off that can be by
/// itself.
struct Successor {
    /// The coefficient of the function itself.
    own: Rational,
    /// Other columns that are read, and their coefficients.
    others: Vec<(ColumnId, Rational)>,
    bound: Rational,
}

impl Successor {
    /// What an effect does to a function; `None` if it certainly leaves the function as it is.
    fn of(
        vocabulary: &Vocabulary,
        learned: &LearnedAction,
        function: LiftedFunctionId,
    ) -> Option<Self> {
        let numeric = &learned.numeric;
        let form = numeric.effects.get(function)?;
        let fit = numeric.inexact.as_ref().and_then(|inexact| inexact.fits[function].as_ref());
        let bound = fit.map_or(Rational::ZERO, |fit| fit.bound.clone());
        let (start, affine) = match form {
            NumericForm::Unchanged if bound.is_zero() => return None,
            NumericForm::Unchanged => (Rational::ONE, None),
            NumericForm::Change(change) => (Rational::ONE, Some(change)),
            NumericForm::Assign(value) => (Rational::ZERO, Some(value)),
            NumericForm::Scale(factor) => (factor.clone(), None),
        };
        let mut successor = Successor { own: start, others: Vec::new(), bound };
        let own = vocabulary.column_of(function);
        for (column, coefficient) in affine.into_iter().flat_map(|affine| &affine.terms) {
            let column = numeric.columns[*column];
            if Some(column) == own {
                successor.own += coefficient;
            } else {
                successor.others.push((column, coefficient.clone()));
            }
        }
        Some(successor)
    }
}

/// The learned actions of a learner.
fn learned(conclusions: &[Conclusion]) -> impl Iterator<Item = (ActionId, &LearnedAction)> {
    conclusions.iter().enumerate().filter_map(|(index, conclusion)| match conclusion {
        Conclusion::Learned(learned) => Some((ActionId::from(index), &**learned)),
        _ => None,
    })
}

/// The functions that planning may know within an error only.
fn blurred(learner: &Learner, conclusions: &[Conclusion]) -> BTreeSet<FunctionId> {
    let mut blurred: BTreeSet<FunctionId> = learner.class().errors.keys().copied().collect();
    loop {
        let before = blurred.len();
        for (action, learned) in learned(conclusions) {
            let vocabulary = learner.vocabulary(action);
            for (function, lifted) in vocabulary.functions.pairs() {
                let Some(successor) = Successor::of(vocabulary, learned, function) else {
                    continue;
                };
                let mut read =
                    successor.others.iter().flat_map(|(column, _)| vocabulary.factors(*column));
                if !successor.bound.is_zero() || read.any(|factor| blurred.contains(&factor.symbol))
                {
                    blurred.insert(lifted.symbol);
                }
            }
        }
        if blurred.len() == before {
            return blurred;
        }
    }
}

/// A domain over estimates.
pub(super) struct Estimates {
    /// The domain, with error functions after those of the learner's domain.
    pub domain: Domain,
    /// The learned actions that are not in it, since they cannot have margins.
    pub left_out: Vec<(ActionId, LeftOut)>,
}

/// The domain over estimates; `None` where all records are exact.
pub(super) fn estimates(learner: &Learner, conclusions: &[Conclusion]) -> Option<Estimates> {
    if learner.class().errors.is_empty() {
        return None;
    }
    let mut vocabulary = learner.domain().clone();
    let blurred = blurred(learner, conclusions);
    let Ok(errors) = ErrorFunctions::declare(&mut vocabulary.signature, blurred) else {
        // No names are left for the errors, so nothing can be promised.
        let left_out = learner.domain().action_ids().map(|id| (id, LeftOut::Blurred)).collect();
        return Some(Estimates { domain: learner.domain().with_bodies(|_| None), left_out });
    };
    let writer = ActionWriter { learner, errors: &errors };
    let mut bodies: IdVec<ActionId, Option<Action>> = IdVec::filled(None, conclusions.len());
    let mut left_out = Vec::new();
    for (id, action) in learned(conclusions) {
        let body = writer.action(id, action);
        let why_not = match &body {
            None => Some(LeftOut::Blurred),
            Some(body) => body.precondition.unsatisfiable().map(LeftOut::NeverApplicable),
        };
        match why_not {
            Some(why) => left_out.push((id, why)),
            None => bodies[id] = body,
        }
    }
    Some(Estimates { domain: vocabulary.with_bodies(|id| bodies[id].as_ref()), left_out })
}

struct ActionWriter<'a> {
    learner: &'a Learner,
    errors: &'a ErrorFunctions,
}

impl ActionWriter<'_> {
    /// The action with margins and growing errors; `None` where a product has a blurred factor.
    fn action(&self, id: ActionId, learned: &LearnedAction) -> Option<Action> {
        let vocabulary = self.learner.vocabulary(id);
        let mut action = learned.action.clone();
        if let (Some(inexact), Condition::And(parts)) =
            (&learned.numeric.inexact, &mut action.precondition)
        {
            for part in parts {
                if let Condition::Within(region) = part {
                    region.set = Arc::clone(&inexact.eroded);
                }
            }
        }
        let parts = match robust(&action.precondition, self.errors).ok()? {
            Condition::And(parts) => parts,
            other => vec![other],
        };
        let mut conditions = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                // Numbers with many digits would make coefficients long.
                Condition::Within(region) => conditions.extend(region.short_comparisons()),
                other => conditions.push(other),
            }
        }
        for guard in self.apart(vocabulary, learned) {
            if !conditions.contains(&guard) {
                conditions.push(guard);
            }
        }
        action.precondition = Condition::And(conditions);
        let mut effects = match action.effect {
            Effect::And(parts) => parts,
            other => vec![other],
        };
        for (function, _) in vocabulary.functions.pairs() {
            if let Some(successor) = Successor::of(vocabulary, learned, function) {
                effects.extend(self.growth(vocabulary, function, &successor)?.map(Effect::Numeric));
            }
        }
        action.effect = Effect::And(effects);
        Some(action)
    }

    /// The condition that no two blurred functions alias: they would share an error.
    fn apart(&self, vocabulary: &Vocabulary, learned: &LearnedAction) -> Vec<Condition> {
        let blurred: Vec<&LiftedFunction> = vocabulary
            .functions
            .iter()
            .filter(|function| self.errors.get(function.symbol).is_some())
            .collect();
        let mut guards = Vec::new();
        for (place, one) in blurred.iter().enumerate() {
            for other in &blurred[place + 1..] {
                let Some(equalities) = vocabulary.unifier(one, other) else { continue };
                guards.extend(not_all_equal(vocabulary, &learned.boolean, &equalities));
            }
        }
        guards
    }

    /// How the error of a function grows; `Some(None)` if it does not, `None` if there is no bound.
    fn growth(
        &self,
        vocabulary: &Vocabulary,
        function: LiftedFunctionId,
        successor: &Successor,
    ) -> Option<Option<NumericEffect>> {
        let mut terms = Vec::new();
        for (column, coefficient) in &successor.others {
            let factors: Vec<_> = vocabulary.factors(*column).collect();
            match factors[..] {
                [only] => terms.extend(
                    self.errors
                        .error(only)
                        .map(|error| scaled(&coefficient.abs(), Expression::Function(error))),
                ),
                _ if factors.iter().any(|factor| self.errors.get(factor.symbol).is_some()) => {
                    return None;
                }
                _ => {}
            }
        }
        // What is not blurred reads nothing that is, and has no bound.
        let Some(error) = self.errors.error(&vocabulary.functions[function]) else {
            return Some(None);
        };
        if !successor.bound.is_zero() {
            terms.push(Expression::Number(successor.bound.clone()));
        }
        let operator = if successor.own.is_zero() {
            NumericOperator::Assign
        } else {
            NumericOperator::Increase
        };
        let more = &successor.own.abs() - &Rational::ONE;
        if operator == NumericOperator::Increase && !more.is_zero() {
            terms.insert(0, scaled(&more, Expression::Function(error.clone())));
        }
        let value = match terms.len() {
            0 if operator == NumericOperator::Increase => return Some(None),
            _ => sum(terms),
        };
        Some(Some(NumericEffect { operator, target: error, value }))
    }
}
