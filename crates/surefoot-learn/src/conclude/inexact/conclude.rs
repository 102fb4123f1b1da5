//! The numeric part of an action whose records are not exact: an eroded region, and effects with
//! bounds.
//!
//! Only steps in which no two functions alias count, since the joint change of aliases would have
//! to be split among them. The model refuses other bindings.

use std::sync::Arc;

use surefoot_base::exact::{Constraint, Polyhedron, Rational, Rounding, Row};
use surefoot_base::ids::IdVec;
use surefoot_base::model::Condition;

use super::exact_coefficients::reads_only_exact;
use super::fit::{Fit, RecordedOutcomes, Unfit, fit, is_consistent};
use crate::conclude::conclusion::{Conclusion, Inconsistency, LeftOut, Unknown};
use crate::conclude::effect::{Factors, NumericForm};
use crate::conclude::literals::{BooleanModel, not_all_equal};
use crate::conclude::numeric::{Numeric, NumericModel};
use crate::conclude::rays::{is_moved, rays};
use crate::conclude::region::{Region, Vectors, region};
use crate::conclude::rounding::round_inward;
use crate::evidence::{ActiveColumn, LiftedFunctionId, Thin, eroded, middle, thin};

/// The number of digits in which a bound on an effect's error is written; it is rounded up to them.
const BOUND_DIGITS: u32 = 3;

/// What is known of an action whose records are not exact, besides its region for recorded states
/// and its effects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inexact {
    /// By active column: how far recorded values may be from the true ones.
    pub errors: IdVec<ActiveColumn, Rational>,
    /// The hull of the records, before any margin.
    pub hull: Arc<Polyhedron>,
    /// The polyhedron moved inward by what errors can do to the records: the true states that are
    /// certainly allowed.
    pub eroded: Arc<Polyhedron>,
    /// By function: its effect and how far that can be off; none for functions that nothing
    /// changes.
    pub fits: IdVec<LiftedFunctionId, Option<Fit>>,
    /// The function for which arity and marks are not made use of: its effect is not known well
    /// enough beyond what was recorded.
    pub kept_within: Option<LiftedFunctionId>,
}

impl Numeric<'_> {
    /// The numeric part of an inexact action.
    pub(crate) fn conclude_inexact(
        &self,
        boolean: &BooleanModel,
    ) -> Result<NumericModel, Conclusion> {
        if let Some(inconsistency) = self.untouched_moved() {
            return Err(inconsistency.into());
        }
        let moved = self.evidence.inexact.moved().iter().copied();
        let unlisted: Vec<LiftedFunctionId> =
            moved.filter(|&function| self.vocabulary.column_of(function).is_none()).collect();
        if !unlisted.is_empty() {
            return Err(Conclusion::LeftOut(LeftOut::Unlisted(unlisted)));
        }
        if let Some(function) = self.changing().find(|&function| self.is_perhaps_assigned(function))
        {
            return Err(Conclusion::LeftOut(LeftOut::OutcomeUnknown(Unknown::Function(function))));
        }
        let points = self.evidence.points(&self.columns);
        if points.is_empty() {
            return Err(Conclusion::LeftOut(LeftOut::NeverApart));
        }
        let factors =
            Factors::new(self.columns.iter().map(|&column| &self.vocabulary.columns[column].0));
        let errors = self.errors();
        let rays = rays(self.vocabulary, &self.columns, self.marks, &points);
        let vectors = Vectors { whole: &points, partial: &[] };
        let budget = self.settings.facet_budget;
        let mut found = region(vectors, &rays, &factors, self.settings.arity, budget);
        let mut fits = self.fits(&factors, &errors, &found)?;
        let kept_within = self.unbounded_beyond(&factors, &fits, &rays);
        let mut rays = rays;
        if kept_within.is_some() {
            rays = Vec::new();
            found = region(vectors, &rays, &factors, None, budget);
            fits = self.fits(&factors, &errors, &found)?;
        }
        if let Some(digits) = self.settings.digits {
            let open: Vec<ActiveColumn> =
                self.columns.ids().filter(|&column| is_moved(column, &rays)).collect();
            round_inward(&mut found, &points, &open, digits);
        }
        let hull = Arc::clone(&found.set);
        let middle = middle(&points);
        let Some(inner) = eroded(&hull, &errors, 1, middle.as_deref()) else {
            return Err(Conclusion::LeftOut(LeftOut::Thin(
                self.blamed(thin(&hull, &points, &errors)),
            )));
        };
        let for_records = eroded(&hull, &errors, 2, middle.as_deref())
            .unwrap_or_else(|| nothing(self.columns.len()));
        found.set = Arc::new(for_records);
        found.uncovered = points.iter().filter(|point| !found.set.contains(point)).count();
        let effects = fits
            .iter()
            .map(|fit| fit.as_ref().map_or(NumericForm::Unchanged, |fit| fit.form.clone()))
            .collect();
        let inexact = Inexact { errors, hull, eroded: Arc::new(inner), fits, kept_within };
        let guards = self.apart(boolean);
        let columns = self.columns.clone();
        Ok(NumericModel {
            columns,
            region: found,
            effects,
            guards,
            forbidden: Vec::new(),
            inexact: Some(Arc::new(inexact)),
        })
    }

    /// Why no effects of the class are within the errors of what was recorded, if none are.
    pub(crate) fn contradiction_inexact(&self) -> Option<Inconsistency> {
        let factors =
            Factors::new(self.columns.iter().map(|&column| &self.vocabulary.columns[column].0));
        let errors = self.errors();
        self.untouched_moved().or_else(|| {
            self.changing().filter(|&function| !self.is_perhaps_assigned(function)).find_map(
                |function| {
                    let records = self.evidence.inexact.records(&self.columns, function);
                    let consistent =
                        is_consistent(&self.target(function, &records, &factors, &errors));
                    (!consistent).then(|| self.inconsistent(function, Unfit::NotAffine))
                },
            )
        })
    }

    /// Whether a function had no value before some step, so that no effect reads it, and no step
    /// that counts shows that it is assigned: it may be, or nothing may change it.
    fn is_perhaps_assigned(&self, function: LiftedFunctionId) -> bool {
        self.evidence.undefined.contains(&function)
            && !self.evidence.inexact.assigned().contains(&function)
    }

    /// A function that some steps show to change, and others that nothing changes it.
    fn untouched_moved(&self) -> Option<Inconsistency> {
        let mut moved = self.evidence.inexact.moved().iter().copied();
        let function = moved.find(|function| self.evidence.untouched.contains(function))?;
        Some(Inconsistency::Undefined { functions: vec![function] })
    }

    fn errors(&self) -> IdVec<ActiveColumn, Rational> {
        self.columns.iter().map(|&column| self.vocabulary.column_error(column)).collect()
    }

    /// The functions that a step may change. Those that are no columns are assumed not to change,
    /// and those that had no value before some step and none after it do not.
    fn changing(&self) -> impl Iterator<Item = LiftedFunctionId> {
        let functions = self.vocabulary.functions.ids();
        functions.filter(|&function| {
            self.vocabulary.column_of(function).is_some()
                && !self.evidence.untouched.contains(&function)
        })
    }

    fn fits(
        &self,
        factors: &Factors,
        errors: &IdVec<ActiveColumn, Rational>,
        region: &Region,
    ) -> Result<IdVec<LiftedFunctionId, Option<Fit>>, Conclusion> {
        let equations: Vec<Row> = region
            .equations()
            .iter()
            .map(Constraint::row)
            .filter(|row| reads_only_exact(row, errors.as_slice()))
            .cloned()
            .collect();
        let mut fits: IdVec<LiftedFunctionId, Option<Fit>> =
            IdVec::filled(None, self.vocabulary.functions.len());
        for function in self.changing() {
            let fit = self.fit(function, factors, errors, &equations);
            let mut fit = fit.map_err(|unfit| self.inconsistent(function, unfit))?;
            fit.bound = fit.bound.with_digits(BOUND_DIGITS, Rounding::Up);
            fits[function] = Some(fit);
        }
        Ok(fits)
    }

    fn fit(
        &self,
        function: LiftedFunctionId,
        factors: &Factors,
        errors: &IdVec<ActiveColumn, Rational>,
        equations: &[Row],
    ) -> Result<Fit, Unfit> {
        let records = self.evidence.inexact.records(&self.columns, function);
        let target =
            RecordedOutcomes { equations, ..self.target(function, &records, factors, errors) };
        // Whoever acts chooses the number: no step changes it, however the records look.
        let symbol = self.vocabulary.functions[function].symbol;
        if Some(symbol) == self.vocabulary.value_of_inputs
            && let Some(own) = target.own
        {
            return Ok(target.unchanged(own));
        }
        fit(&target, self.settings.effect_arity, self.settings.effect_decimals)
    }

    fn target<'t>(
        &self,
        function: LiftedFunctionId,
        records: &'t [(Vec<Rational>, Rational)],
        factors: &'t Factors,
        errors: &'t IdVec<ActiveColumn, Rational>,
    ) -> RecordedOutcomes<'t> {
        let own = self.vocabulary.column_of(function);
        RecordedOutcomes {
            records,
            errors: errors.as_slice(),
            error: self.vocabulary.error(function).clone(),
            own: own.and_then(|own| self.columns.position(|&column| column == own)),
            factors,
            equations: &[],
            beyond: self.settings.arity.is_some()
                || self.marks.is_some_and(|marks| !marks.is_empty()),
        }
    }

    fn inconsistent(&self, function: LiftedFunctionId, unfit: Unfit) -> Inconsistency {
        match unfit {
            Unfit::NotAffine => Inconsistency::NotAffine { function },
            Unfit::Arity => Inconsistency::EffectArity { function },
            Unfit::Decimals => Inconsistency::EffectDecimals { function },
        }
    }

    /// A function whose bound does not hold wherever arity and marks allow a step: what its effect
    /// and the true one differ in reads a marked column, or more functions than a shadow holds.
    fn unbounded_beyond(
        &self,
        factors: &Factors,
        fits: &IdVec<LiftedFunctionId, Option<Fit>>,
        rays: &[Vec<Rational>],
    ) -> Option<LiftedFunctionId> {
        // A mark moves every product that its function is a factor of.
        let any_marked = self.columns.ids().any(|column| is_moved(column, rays));
        if self.settings.arity.is_none() && !any_marked {
            return None;
        }
        fits.pairs()
            .find(|(_, fit)| {
                fit.as_ref().is_some_and(|fit| !self.holds_beyond(fit, factors, rays, any_marked))
            })
            .map(|(function, _)| function)
    }

    /// Whether the bound of an effect holds wherever arity and marks allow a step.
    fn holds_beyond(
        &self,
        fit: &Fit,
        factors: &Factors,
        rays: &[Vec<Rational>],
        any_marked: bool,
    ) -> bool {
        let open: Vec<ActiveColumn> =
            self.columns.ids().filter(|column| !fit.settled.contains(column)).collect();
        if fit.bound.is_zero() && open.is_empty() {
            return true;
        }
        if open.iter().any(|&column| is_moved(column, rays)) {
            return false;
        }
        let Some(arity) = self.settings.arity else { return true };
        // How many functions the effect and the true one may differ in.
        let differing = self
            .settings
            .effect_arity
            .filter(|&reads| !any_marked && functions_read(&fit.form, factors) <= reads)
            .map(|reads| 2 * reads + 1);
        factors.count(open.iter().copied()) <= arity
            || differing.is_some_and(|differing| differing <= arity)
    }

    /// The condition that no two functions alias.
    fn apart(&self, boolean: &BooleanModel) -> Vec<Condition> {
        let functions = &self.vocabulary.functions;
        let mut guards = Vec::new();
        for (one, function) in functions.pairs() {
            for (_, other) in functions.pairs().filter(|(other, _)| *other > one) {
                let Some(equalities) = self.vocabulary.unifier(function, other) else { continue };
                guards.extend(
                    not_all_equal(self.vocabulary, boolean, &equalities)
                        .filter(|guard| !guards.contains(guard)),
                );
            }
        }
        guards
    }

    fn blamed(&self, thin: Vec<Thin>) -> Vec<(LiftedFunctionId, Thin)> {
        thin.into_iter()
            .filter_map(|thin| {
                let column = &self.vocabulary.columns[self.columns[thin.column]];
                Some((*column.0.first()?, thin))
            })
            .collect()
    }
}

/// How many functions the map of an effect reads.
fn functions_read(form: &NumericForm, factors: &Factors) -> usize {
    match form {
        NumericForm::Change(map) | NumericForm::Assign(map) => {
            factors.count(map.terms.iter().map(|term| term.0))
        }
        NumericForm::Unchanged | NumericForm::Scale(_) => 0,
    }
}

/// No vector at all.
fn nothing(columns: usize) -> Polyhedron {
    let mut row = vec![Rational::ZERO; columns + 1];
    row[0] = Rational::ONE;
    Polyhedron::bounded(columns, Vec::new(), vec![Constraint::homogeneous(Row::direction(&row))])
}
