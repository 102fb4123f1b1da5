//! Numeric effects of an action that reads or changes functions whose records have errors.
//!
//! Only *plain* steps count: the record has all numbers, and no two functions alias. The model
//! refuses every other binding. For each function y that may change the certificate lists a map f
//! of the columns. Let ρ be its largest residual, over all plain steps. The true map f* is affine,
//! so at the true vectors of the records, and hence on their hull,
//!
//! > `|f - f*| ≤ r := ρ + Σ |f_i| e_i + e_y`,
//!
//! unless coefficients are settled (`settled.rs`): where all are, f is f*. A region that keeps to
//! the hull needs no more. Beyond it, `f - f*` reads the columns U whose coefficients are not
//! settled, and no others. If none of them moves along a ray, the bound holds there, too; if some
//! shadow has all functions of U, so it does. Under an effect arity j there are at most 2j of them
//! besides y. Where all coefficients but the constant are settled, the difference is a number d
//! with `|y_j - f(x_j) - d| ≤ s` for all records j, which bounds it, too.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Obligation;
use super::bindings::{BindingPattern, cells};
use super::checker::{ActionCheck, ModelChecker};
use super::errors::RecordErrors;
use super::evidence::members;
use super::guards::{Left, left};
use super::linear::{EquationSystem, NumberRow, dot};
use super::margin::{Growth, Outgrown};
use super::numeric::too_few;
use super::observe::{ObservedSteps, StepValues};
use super::rays::rays;
use super::region::{Reach, RegionBounds, read_row};
use super::settled::{DeterminedCoefficients, Proof};
use super::vocabulary::{ActionVocabulary, FunctionPolynomial, RowColumns, row, same_names};
use super::words::Reasons;
use surefoot_base::assumptions::Spec;
use surefoot_base::certificate::{ActionRecord, EffectRecord, read_number};
use surefoot_base::exact::Rational;
use surefoot_base::model::{Condition, Effect, NumericEffect, NumericOperator};

/// Whether no two functions alias under a binding.
pub(super) fn is_plain(binding: &BindingPattern, vocabulary: &ActionVocabulary) -> bool {
    cells(binding, &vocabulary.functions)
        .iter()
        .enumerate()
        .all(|(function, &first)| function == first)
}

/// The plain steps whose record has all values.
fn plain_steps<'s>(
    observed: &'s ObservedSteps,
    vocabulary: &'s ActionVocabulary,
) -> impl Iterator<Item = &'s StepValues> {
    let plain = observed.steps.iter().filter(|(binding, _)| is_plain(binding, vocabulary));
    plain
        .flat_map(|(_, steps)| steps)
        .filter(|step| step.untold_before.is_empty() && step.untold_after.is_empty())
}

/// Bindings under which functions alias are refused: all of them if records have errors, otherwise
/// those under which errors of functions would grow together.
fn check_bindings(
    vocabulary: &ActionVocabulary,
    columns: &RowColumns,
    conditions: &[&Condition],
    bindings: &[&BindingPattern],
    harmful: impl Fn(&[usize]) -> bool,
    found: &mut Reasons<'_>,
) {
    let mut asked: HashSet<Vec<usize>> = HashSet::new();
    for binding in bindings {
        let first = cells(binding, &vocabulary.functions);
        let cell = members(&first).into_iter().find(|cell| cell.len() > 1 && harmful(cell));
        if let Some(cell) = cell
            && !conditions
                .iter()
                .any(|guard| left(guard, binding, vocabulary, columns) == Left::False)
            && asked.insert(cell.clone())
        {
            let names: Vec<String> =
                cell.iter().map(|&function| found.function(function)).collect();
            let binding = found.binding(binding);
            let what = names.join(" one with ");
            found.push(
                Obligation::Effect,
                format!("it allows {what}{binding}, where nothing bounds their errors"),
            );
        }
    }
}

/// By function that an action changes: its value afterwards. `None` where an effect is not of the
/// class.
fn values_after<'e>(
    vocabulary: &ActionVocabulary,
    effects: &[&'e Effect],
) -> Result<BTreeMap<usize, FunctionPolynomial>, &'e Effect> {
    let mut after = BTreeMap::new();
    for effect in effects {
        let numeric = match effect {
            Effect::Numeric(numeric) => numeric,
            Effect::Add(_) | Effect::Delete(_) => continue,
            _ => return Err(effect),
        };
        let (function, value) = value_after(vocabulary, numeric).ok_or(*effect)?;
        if after.insert(function, value).is_some() {
            return Err(effect);
        }
    }
    Ok(after)
}

fn value_after(
    vocabulary: &ActionVocabulary,
    numeric: &NumericEffect,
) -> Option<(usize, FunctionPolynomial)> {
    let function = vocabulary.function(&numeric.target)?;
    let (own, value) = (FunctionPolynomial::of(function), vocabulary.polynomial(&numeric.value)?);
    let after = match numeric.operator {
        NumericOperator::Assign => value,
        NumericOperator::Increase => own.plus(&value),
        NumericOperator::Decrease => own.minus(&value),
        NumericOperator::ScaleUp => own.times(&value)?,
        NumericOperator::ScaleDown => own.times(&value.inverse()?)?,
    };
    Some((function, after))
}

/// Errors grow by at most what the model says, given how far each effect may be from the true one.
fn check_growth(
    growth: &Growth,
    after: &BTreeMap<usize, FunctionPolynomial>,
    bounds: &BTreeMap<usize, Rational>,
    found: &mut Reasons<'_>,
) {
    for function in 0..growth.carried.len() {
        let unchanged = FunctionPolynomial::of(function);
        let value = after.get(&function).unwrap_or(&unchanged);
        let bound = bounds.get(&function).cloned().unwrap_or(Rational::ZERO);
        let name = found.function(function);
        let what = match growth.covers(function, value, &bound) {
            Ok(()) => continue,
            Err(Outgrown::Exact) => {
                format!("{name} can be off after a step, but the model has no error for it")
            }
            Err(Outgrown::Product) => format!(
                "{name} depends on a product with a factor that can be off, which nothing bounds"
            ),
            Err(Outgrown::Error(of)) => {
                format!(
                    "the error of {name} grows by less than that of {} makes it",
                    found.function(of)
                )
            }
            Err(Outgrown::Bound) => {
                format!("the error of {name} grows by less than {bound}, by which it can be off")
            }
        };
        found.push(Obligation::Effect, what);
    }
}

impl ModelChecker<'_> {
    /// Obligations 4, 5 and 8 of an inexact action.
    pub(super) fn conclude_inexact(
        &self,
        check: &ActionCheck<'_>,
        record: &ActionRecord,
        (conditions, effects): (&[&Condition], &[&Effect]),
        bindings: &[&BindingPattern],
        found: &mut Reasons<'_>,
    ) {
        let (vocabulary, spec) = (&check.vocabulary, &self.certificate.assumptions.spec);
        let (undefined, untouched) = check.observed.undefined(vocabulary.functions.len());
        let defined = check
            .columns
            .iter()
            .filter(|column| !column.iter().any(|&function| undefined[function]));
        let class = RowColumns::new(defined.cloned().collect());
        let names: Vec<String> = class.all.iter().map(|column| found.monomial(column)).collect();
        if !same_names(&names, &record.columns) {
            let what = format!("the certificate is over other functions than {}", names.join(", "));
            return found.push(Obligation::Certificate, what);
        }
        // Effects are bounded in the region of the model. A whole hull would go on along all rays.
        if !record.vertices.is_empty() {
            let what = "the certificate lists vertices of an action whose records may be off";
            found.push(Obligation::Certificate, what);
        }
        let Some(column_errors) = self.errors.of_columns(vocabulary, &class.all) else {
            return found.push(
                Obligation::Unverifiable,
                "nothing bounds the error of a product with an inexact factor",
            );
        };
        let steps: Vec<&StepValues> = plain_steps(&check.observed, vocabulary).collect();
        let points: Option<BTreeSet<NumberRow>> =
            steps.iter().map(|step| row(&class.all, &step.before)).collect();
        let Some(points) = points else {
            return found.push(
                Obligation::Unverifiable,
                "a product of recorded numbers has more than 300,000 digits",
            );
        };
        if points.is_empty() {
            return found.push(
                Obligation::Evidence,
                "no recorded step has values for all its numbers with its functions referring \
                 to different objects",
            );
        }
        if let Some(what) = too_few(spec.algorithm, check, &points, class.width()) {
            found.push(Obligation::Evidence, what);
        }
        let points: Vec<NumberRow> = points.into_iter().collect();
        let columns = check.read_columns(&class, conditions);
        let region = check.region(&columns, conditions, found);
        let equations = EquationSystem::of(columns.width(), &region.equations);
        let rays = match rays(&class, &check.marks, &points) {
            Ok(rays) => rays,
            Err(none) => return found.no_rays(none),
        };
        let bounds = RegionBounds {
            columns: &columns,
            points: &points,
            whole: &points,
            partial: &[],
            rays: &rays,
            values: &[],
            arity: spec.arity,
            errors: Some(&column_errors),
            record,
        };
        let Some(reach) = bounds.check(&region, &equations, found) else { return };
        check_bindings(vocabulary, &columns, conditions, bindings, |_| true, found);
        let after = match values_after(vocabulary, effects) {
            Ok(after) => after,
            Err(effect) => return found.foreign_effect(effect),
        };
        let inexact = InexactCheck {
            vocabulary,
            columns: &class,
            observed: &check.observed,
            errors: &self.errors,
            listed: &check.listed(),
            column_errors: &column_errors,
            undefined: &undefined,
            untouched: &untouched,
            rays: &rays,
            reach,
            equations: &equations,
            width: columns.width(),
            spec,
        };
        let bounds = inexact.check(record, &after, found);
        check_growth(&check.growth, &after, &bounds, found);
    }
}

impl ActionCheck<'_> {
    /// Obligation 8 of an action all of whose records are exact, and that reads or changes
    /// functions which may be off while planning.
    pub(super) fn conclude_errors(
        &self,
        columns: &RowColumns,
        (conditions, effects): (&[&Condition], &[&Effect]),
        bindings: &[&BindingPattern],
        found: &mut Reasons<'_>,
    ) {
        let after = match values_after(&self.vocabulary, effects) {
            Ok(after) => after,
            Err(effect) => return found.foreign_effect(effect),
        };
        let changes =
            |&function: &usize| after.contains_key(&function) || self.growth.changes(function);
        check_bindings(
            &self.vocabulary,
            columns,
            conditions,
            bindings,
            |cell| {
                cell.iter().any(|&function| self.growth.carried[function])
                    && cell.iter().any(changes)
            },
            found,
        );
        check_growth(&self.growth, &after, &BTreeMap::new(), found);
    }
}

/// The check of the numeric effects of an inexact action.
struct InexactCheck<'a> {
    vocabulary: &'a ActionVocabulary,
    /// Those of the class that always have a value.
    columns: &'a RowColumns,
    observed: &'a ObservedSteps,
    errors: &'a RecordErrors,
    /// By function: whether it is a column of the class.
    listed: &'a [bool],
    /// The error of each column.
    column_errors: &'a [Rational],
    /// The functions without a value before some step, and those of them that nothing changes.
    undefined: &'a [bool],
    untouched: &'a [bool],
    rays: &'a [NumberRow],
    reach: Reach,
    /// Of true states wherever the model allows a step, over rows of this length.
    equations: &'a EquationSystem,
    width: usize,
    spec: &'a Spec,
}

impl InexactCheck<'_> {
    /// Verifies what the certificate says of effects, and that the model says the same. By
    /// function, how far it may be off afterwards.
    fn check(
        &self,
        record: &ActionRecord,
        after: &BTreeMap<usize, FunctionPolynomial>,
        found: &mut Reasons<'_>,
    ) -> BTreeMap<usize, Rational> {
        let names: Vec<String> =
            (0..self.vocabulary.functions.len()).map(|function| found.function(function)).collect();
        let mut listed: HashMap<usize, &EffectRecord> = HashMap::new();
        for effect in &record.effects {
            let function =
                names.iter().position(|name| name.eq_ignore_ascii_case(&effect.function));
            if function.is_none_or(|function| listed.insert(function, effect).is_some()) {
                let name = &effect.function;
                let what = format!(
                    "the certificate has two effects on {name}, or {name} is no function of the \
                     action"
                );
                found.push(Obligation::Certificate, what);
            }
        }
        let mut bounds = BTreeMap::new();
        for (function, name) in names.iter().enumerate() {
            let verdict = match listed.get(&function) {
                Some(effect) => self
                    .effect(function, effect, after.get(&function))
                    .map(|bound| drop(bounds.insert(function, bound))),
                None => self.left_alone(function, after.contains_key(&function)),
            };
            if let Err((kind, what)) = verdict {
                found.push(kind, format!("{name}: {what}"));
            }
        }
        bounds
    }

    /// What the certificate lists no effect on is not changed.
    fn left_alone(&self, function: usize, changed: bool) -> Result<(), (Obligation, String)> {
        if changed {
            return Err((
                Obligation::Effect,
                "the model changes it, but the certificate has no effect on it".to_owned(),
            ));
        }
        if self.columns.find(&[function]).is_some() {
            return Err((
                Obligation::Certificate,
                "the certificate does not say what becomes of it".to_owned(),
            ));
        }
        // Nothing assigns it, or it would have got a value.
        if self.untouched[function] {
            return Ok(());
        }
        if self.listed[function] {
            return Err((
                Obligation::Effect,
                "the steps do not determine what becomes of it".to_owned(),
            ));
        }
        // It is none of the relevant ones.
        let symbol = self.vocabulary.functions[function].symbol;
        for step in self
            .observed
            .steps
            .iter()
            .filter(|(binding, _)| is_plain(binding, self.vocabulary))
            .flat_map(|(_, steps)| steps)
        {
            let untold =
                step.untold_before.contains(&function) || step.untold_after.contains(&function);
            let same = match (&step.before[function], &step.after[function]) {
                (Some(before), Some(after)) => self.errors.admit(symbol, before, after),
                (before, after) => before == after,
            };
            if !untold && !same {
                return Err((
                    Obligation::Effect,
                    "a step changes it by more than its error, but the model does not".to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// Verifies a listed effect, and returns how far it may be from the true one.
    fn effect(
        &self,
        function: usize,
        effect: &EffectRecord,
        after: Option<&FunctionPolynomial>,
    ) -> Result<Rational, (Obligation, String)> {
        let lies = |what: &str| (Obligation::Certificate, what.to_owned());
        let texts: Vec<String> =
            std::iter::once(&effect.constant).chain(&effect.coefficients).cloned().collect();
        let map = read_row(&texts, self.columns.width())
            .ok_or_else(|| lies("its effect is no map of the columns"))?;
        let (residual, bound) = read_number(&effect.residual)
            .zip(read_number(&effect.bound))
            .filter(|(residual, bound)| residual.signum() >= 0 && bound.signum() >= 0)
            .ok_or_else(|| lies("its residual or its bound is no number"))?;
        let own = self.columns.find(&[function]);
        if own.is_none() && !self.is_assigned(function) {
            return Err((
                Obligation::Effect,
                "the steps do not determine what becomes of it".to_owned(),
            ));
        }
        let unchanged = FunctionPolynomial::of(function);
        if after.unwrap_or(&unchanged).row(self.columns).as_ref() != Some(&map) {
            return Err((
                Obligation::Effect,
                "the model has another effect on it than the certificate".to_owned(),
            ));
        }
        let mut recorded: HashSet<NumberRow> = HashSet::new();
        let (mut least, mut most) = (None, None);
        for step in plain_steps(self.observed, self.vocabulary) {
            let (Some(mut before), Some(value)) =
                (row(&self.columns.all, &step.before), &step.after[function])
            else {
                return Err((
                    Obligation::Effect,
                    "a step takes away its value, which no effect can".to_owned(),
                ));
            };
            let above = value - &dot(&map, &before);
            let distance = above.abs();
            least = Some(
                least.map_or_else(|| above.clone(), |least: Rational| least.min(above.clone())),
            );
            most =
                Some(most.map_or_else(|| above.clone(), |most: Rational| most.max(above.clone())));
            if distance > residual {
                let what = format!(
                    "a step is {distance} off its effect, which is said to be at most {residual} \
                     off"
                );
                return Err((Obligation::Effect, what));
            }
            before.push(value.clone());
            recorded.insert(before);
        }
        let error = self.errors.of_records(self.vocabulary.functions[function].symbol);
        let coefficients = map.iter().skip(1).zip(self.column_errors);
        let read = coefficients
            .fold(error.clone(), |sum, (factor, error)| &sum + &(&factor.abs() * error));
        let proof = Proof {
            record: effect,
            map: &map,
            errors: self.column_errors,
            error,
            decimals: self.spec.effect_decimals,
            recorded: &recorded,
            equations: self.equations,
            width: self.width,
        };
        let settled = proof.verify().map_err(|what| (Obligation::Certificate, what))?;
        let mut proved = &residual + &read;
        if settled.iter().skip(1).all(|settled| *settled)
            && let Some((least, most)) = least.zip(most)
        {
            // The constant alone is open, and the true one is within s of all records.
            proved = proved.min((&read + &least).max(&read - &most));
        }
        if !settled.iter().all(|settled| *settled) && bound < proved {
            let what = format!(
                "it is said to be at most {bound} off after a step, but what is proved is {proved}"
            );
            return Err((Obligation::Effect, what));
        }
        self.reaches(&map, own, &settled)?;
        Ok(bound)
    }

    /// Whether a plain step gives a function its first value, so that it is assigned.
    fn is_assigned(&self, function: usize) -> bool {
        let mut steps = plain_steps(self.observed, self.vocabulary);
        self.undefined[function]
            && !self.untouched[function]
            && steps.any(|step| step.before[function].is_none() && step.after[function].is_some())
    }

    /// The bound holds wherever the region goes.
    fn reaches(
        &self,
        map: &NumberRow,
        own: Option<usize>,
        settled: &DeterminedCoefficients,
    ) -> Result<(), (Obligation, String)> {
        let open: Vec<usize> =
            (0..self.columns.all.len()).filter(|column| !settled[column + 1]).collect();
        if self.reach.along_rays
            && open.iter().any(|column| self.rays.iter().any(|ray| !ray[column + 1].is_zero()))
        {
            let what = "its effect is bounded among the records alone, but a mark allows steps \
                        beyond them";
            return Err((Obligation::Effect, what.to_owned()));
        }
        let Some(arity) = self.spec.arity.filter(|_| self.reach.by_arity) else { return Ok(()) };
        let functions = |columns: &mut dyn Iterator<Item = usize>| -> BTreeSet<usize> {
            columns.flat_map(|column| self.columns.all[column].iter().copied()).collect()
        };
        if functions(&mut open.iter().copied()).len() <= arity {
            return Ok(());
        }
        // As an assignment it reads these; as an increase, one of its own more or less.
        let mut read = (0..self.columns.all.len()).filter(|column| !map[column + 1].is_zero());
        let assigned = functions(&mut read);
        let mut read = (0..self.columns.all.len()).filter(|&column| match Some(column) == own {
            true => map[column + 1] != Rational::ONE,
            false => !map[column + 1].is_zero(),
        });
        let increased = functions(&mut read);
        let reads_few = self
            .spec
            .effect_arity
            .is_some_and(|reads| 2 * reads < arity && assigned.len().min(increased.len()) <= reads);
        if reads_few && !self.reach.along_rays {
            return Ok(());
        }
        let what = "its effect is bounded among the records alone, but the arity of conditions \
                    allows steps beyond them";
        Err((Obligation::Effect, what.to_owned()))
    }
}
