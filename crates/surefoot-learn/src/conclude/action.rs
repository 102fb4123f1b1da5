//! What the steps of one action amount to, whatever attempts failed: its literals, its region and
//! its effects together.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use surefoot_base::assumptions::Algorithm;
use surefoot_base::invariant::Invariant;
use surefoot_base::model::{
    Action, ActionId, Condition, Effect, Expression, NumericEffect, NumericOperator, Region,
};

use super::conclusion::{Conclusion, Inconsistency, LearnedAction, LeftOut, Unknown};
use super::effect::{Affine, NumericForm};
use super::linear;
use super::literals::{self, BooleanEffect, BooleanModel, same};
use super::numeric::{self, Numeric, NumericModel};
use super::settings::Settings;
use crate::evidence::{
    ActionEvidence, ActiveColumns, ColumnId, Learner, LiftedAtomId, LiftedFunctionId, Vocabulary,
};

impl Learner {
    /// Why no model of the class explains the observations of an action, if none does; with
    /// `numbers`, of its numbers too. This is quicker than concluding the action.
    pub fn contradiction(&self, action: ActionId, numbers: bool) -> Option<Inconsistency> {
        contradiction(self.vocabulary(action), self.evidence(action), numbers)
    }

    /// What an action's steps amount to, without a look at failed attempts. It depends on the set
    /// of observations alone, not on their order or on how they were split.
    pub(crate) fn conclude_unrefused(
        &self,
        action: ActionId,
        evidence: &ActionEvidence,
        settings: &Settings,
    ) -> Conclusion {
        self.conclude_from(action, evidence, settings, |numeric, boolean| numeric.conclude(boolean))
    }

    /// What an action's steps amount to for those who ask and write nothing (see
    /// `Learner::conclude_spanned`), whatever attempts failed.
    pub(crate) fn conclude_spanned_unrefused(
        &self,
        action: ActionId,
        settings: &Settings,
    ) -> Conclusion {
        let spanned =
            self.conclude_from(action, self.evidence(action), settings, |numeric, boolean| {
                numeric.conclude_spanned(boolean)
            });
        match spanned {
            Conclusion::Learned(mut learned) if learned.numeric.inexact.is_none() => {
                learned.bound_by_shadows(self.vocabulary(action));
                Conclusion::Learned(learned)
            }
            other => other,
        }
    }

    fn conclude_from(
        &self,
        action: ActionId,
        evidence: &ActionEvidence,
        settings: &Settings,
        numeric: fn(&Numeric<'_>, &BooleanModel) -> Result<NumericModel, Conclusion>,
    ) -> Conclusion {
        let vocabulary = self.vocabulary(action);
        if let Some(steps) = self.history().skipped.get(&action) {
            return Conclusion::LeftOut(LeftOut::Skipped { steps: steps.len() });
        }
        if evidence.is_empty() {
            let history = self.history();
            let is_all_sound = history.set_aside.is_empty() && history.doubtful.is_empty();
            return Conclusion::LeftOut(match is_all_sound {
                true => LeftOut::NeverObserved,
                false => LeftOut::NothingLeft,
            });
        }
        let boolean = match literals::conclude(
            vocabulary,
            &evidence.boolean(vocabulary),
            settings.positive_preconditions,
        ) {
            Ok(model) => model,
            Err(contradiction) => {
                return Conclusion::Inconsistent(Inconsistency::Boolean(contradiction));
            }
        };
        if let Some(atom) = boolean.outcome_unknown(vocabulary) {
            return Conclusion::LeftOut(LeftOut::OutcomeUnknown(Unknown::Atom(atom)));
        }
        if settings.algorithm == Algorithm::Sam {
            return Conclusion::Learned(Box::new(self.learned(
                action,
                boolean,
                NumericModel::default(),
            )));
        }
        let elsewhere = self.changed_elsewhere(action);
        if !elsewhere.is_empty() {
            return Conclusion::LeftOut(LeftOut::UnlistedElsewhere(
                elsewhere.into_iter().collect(),
            ));
        }
        let columns = evidence.columns(vocabulary);
        if let Some(reason) = too_few(settings.algorithm, evidence, &columns) {
            return Conclusion::LeftOut(reason);
        }
        let marks = settings.monotone.get(&action);
        match numeric(&Numeric { vocabulary, evidence, columns, settings, marks }, &boolean) {
            Ok(numeric) => Conclusion::Learned(Box::new(self.learned(action, boolean, numeric))),
            Err(conclusion) => conclusion,
        }
    }

    #[allow(
        clippy::mutable_key_type,
        reason = "the tester that a polyhedron makes on demand is no part of what it is compared by"
    )]
    fn learned(&self, id: ActionId, boolean: BooleanModel, numeric: NumericModel) -> LearnedAction {
        let vocabulary = self.vocabulary(id);
        let atom = |atom: &LiftedAtomId| Condition::Atom(vocabulary.atoms[*atom].clone());
        let not = |condition: Condition| Condition::Not(Box::new(condition));
        // The tests of a part come first: whatever rays and projections allow stays in the part.
        let part = self.lens().parts().part(id);
        let mut conditions: Vec<Condition> = part.map_or(Vec::new(), |part| part.tests.clone());
        conditions.extend(boolean.positive.iter().map(atom));
        conditions.extend(boolean.negative.iter().map(|index| not(atom(index))));
        conditions.extend(boolean.equal.iter().map(|&equality| same(vocabulary, equality)));
        conditions
            .extend(boolean.different.iter().map(|&equality| not(same(vocabulary, equality))));
        conditions.extend(boolean.guards.iter().chain(&numeric.guards).cloned());
        let mut told = FxHashSet::default();
        let repeated: Vec<bool> =
            conditions.iter().map(|condition| !told.insert(condition)).collect();
        let mut repeated = repeated.into_iter();
        conditions.retain(|_| !repeated.next().invariant("every condition was looked at"));
        let column = |&column: &ColumnId| vocabulary.factors(column).cloned().collect();
        let region = Region {
            columns: numeric.columns.iter().map(column).collect(),
            set: Arc::clone(&numeric.region.set),
        };
        if !region.is_empty() {
            conditions.push(Condition::Within(region));
        }

        let mut effects: Vec<Effect> = Vec::new();
        let changed = |wanted: BooleanEffect| {
            let atoms = boolean.effects.pairs().filter(move |(_, effect)| **effect == wanted);
            atoms.map(|(atom, _)| vocabulary.atoms[atom].clone())
        };
        effects.extend(changed(BooleanEffect::Delete).map(Effect::Delete));
        effects.extend(changed(BooleanEffect::Add).map(Effect::Add));
        for (function, form) in numeric.effects.pairs() {
            effects.extend(
                self.numeric_effect(vocabulary, &numeric.columns, function, form)
                    .map(Effect::Numeric),
            );
        }
        let parameters = self.domain().action(id).parameters.clone();
        let action = Action {
            parameters,
            precondition: Condition::And(conditions),
            effect: Effect::And(effects),
        };
        LearnedAction { action, boolean, numeric }
    }

    fn numeric_effect(
        &self,
        vocabulary: &Vocabulary,
        columns: &ActiveColumns,
        function: LiftedFunctionId,
        form: &NumericForm,
    ) -> Option<NumericEffect> {
        let expression = |affine: &Affine| {
            let terms: Vec<_> = affine
                .terms
                .iter()
                .map(|(column, value)| (columns[*column], value.clone()))
                .collect();
            linear::affine(vocabulary, &terms, &affine.constant)
        };
        let negated = |affine: &Affine| Affine {
            constant: -&affine.constant,
            terms: affine.terms.iter().map(|(position, value)| (*position, -value)).collect(),
        };
        let (operator, value) = match form {
            NumericForm::Unchanged => return None,
            NumericForm::Assign(affine) => (NumericOperator::Assign, expression(affine)),
            NumericForm::Scale(factor) => {
                match factor.recip().filter(|inverse| inverse.is_integer() && !factor.is_integer())
                {
                    Some(inverse) => (NumericOperator::ScaleDown, Expression::Number(inverse)),
                    None => (NumericOperator::ScaleUp, Expression::Number(factor.clone())),
                }
            }
            // A decrease reads better than an increase by something negative.
            NumericForm::Change(affine) => {
                let leading =
                    affine.terms.first().map_or(&affine.constant, |(_, coefficient)| coefficient);
                let none_positive = affine.constant.signum() <= 0
                    && affine.terms.iter().all(|(_, value)| value.signum() < 0);
                if none_positive
                    || (leading.signum() < 0
                        && affine.terms.len() < 2
                        && affine.constant.signum() <= 0)
                {
                    (NumericOperator::Decrease, expression(&negated(affine)))
                } else {
                    (NumericOperator::Increase, expression(affine))
                }
            }
        };
        Some(NumericEffect { operator, target: vocabulary.functions[function].clone(), value })
    }
}

/// Why no model of the class explains the observations of an action, if none does.
pub fn contradiction(
    vocabulary: &Vocabulary,
    evidence: &ActionEvidence,
    numbers: bool,
) -> Option<Inconsistency> {
    let boolean = literals::conclude(vocabulary, &evidence.boolean(vocabulary), false);
    let numeric = || if numbers { numeric::contradiction(vocabulary, evidence) } else { None };
    boolean.err().map(Inconsistency::Boolean).or_else(numeric)
}

/// What an algorithm finds wanting in the vectors of an action that was observed.
fn too_few(
    algorithm: Algorithm,
    evidence: &ActionEvidence,
    columns: &ActiveColumns,
) -> Option<LeftOut> {
    let needed = columns.len() + 1;
    match algorithm {
        Algorithm::NsamStar | Algorithm::Sam => None,
        Algorithm::Nsam => {
            let distinct = evidence.distinct();
            (distinct < needed).then_some(LeftOut::TooFewVectors { distinct, needed })
        }
        Algorithm::NsamLiteral => {
            let independent = evidence.independent(columns);
            (independent < needed).then_some(LeftOut::TooFewIndependent { independent, needed })
        }
    }
}
