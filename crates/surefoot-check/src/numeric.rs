//! The numeric part of an action whose records are exact: its region, and effects that the steps
//! determine.

use std::collections::BTreeSet;

use super::Obligation;
use super::bindings::BindingPattern;
use super::checker::{ActionCheck, ModelChecker};
use super::effects::EffectCheck;
use super::evidence::StepEvidence;
use super::linear::{EquationSystem, NumberRow, RowSpan};
use super::rays::rays;
use super::region::{ModelRegion, PartialRow, RegionBounds};
use super::vocabulary::{ActionVocabulary, RowColumns, product, row, same_names};
use super::words::Reasons;
use surefoot_base::assumptions::Algorithm;
use surefoot_base::certificate::ActionRecord;
use surefoot_base::exact::Rational;
use surefoot_base::model::{Condition, Effect, FunctionId};

impl ModelChecker<'_> {
    /// Obligations 4 and 5.
    pub(super) fn conclude_numeric(
        &self,
        check: &ActionCheck<'_>,
        record: &ActionRecord,
        conditions: &[&Condition],
        effects: &[&Effect],
        bindings: &[&BindingPattern],
        found: &mut Reasons<'_>,
    ) {
        let assumptions = &self.certificate.assumptions;
        let functions = check.vocabulary.functions.len();
        let (undefined, mut unchanged) = check.observed.undefined(functions);
        check.observed.add_unlisted(&check.vocabulary, &check.listed(), &mut unchanged);
        let defined = check
            .columns
            .iter()
            .filter(|column| !column.iter().any(|&function| undefined[function]));
        let columns = RowColumns::new(defined.cloned().collect());
        let names: Vec<String> = columns.all.iter().map(|column| found.monomial(column)).collect();
        if !same_names(&names, &record.columns) {
            return found.push(
                Obligation::Certificate,
                format!("the certificate is over other functions than {}", names.join(", ")),
            );
        }
        let mut points: BTreeSet<NumberRow> = BTreeSet::new();
        let mut partial: BTreeSet<PartialRow> = BTreeSet::new();
        // If a record does not say what became of every number, the model may have to refuse the
        // step. Of a number that is unknown before, it does not say by how much it changes.
        let mut refusable: BTreeSet<NumberRow> = BTreeSet::new();
        for step in check.observed.all() {
            match row(&columns.all, &step.before) {
                Some(point) if step.untold_before.is_empty() && step.untold_after.is_empty() => {
                    points.insert(point);
                }
                Some(point) => drop(refusable.insert(point)),
                None if columns
                    .all
                    .iter()
                    .flatten()
                    .any(|factor| step.untold_before.contains(factor)) =>
                {
                    let entries = columns.all.iter().map(|column| product(column, &step.before));
                    partial.insert(std::iter::once(Some(Rational::ONE)).chain(entries).collect());
                }
                None => {
                    return found.push(
                        Obligation::Unverifiable,
                        "a product of recorded numbers has more than 300,000 digits",
                    );
                }
            }
        }
        let partial: Vec<PartialRow> = partial.into_iter().collect();
        let whole: Vec<NumberRow> = points.iter().cloned().collect();
        points.append(&mut refusable);
        if let Some(what) = too_few(assumptions.spec.algorithm, check, &points, columns.width()) {
            found.push(Obligation::Evidence, what);
        }
        let points: Vec<NumberRow> = points.into_iter().collect();
        let class = columns;
        let columns = check.read_columns(&class, conditions);
        let region = check.region(&columns, conditions, found);
        let equations = EquationSystem::of(columns.width(), &region.equations);
        match rays(&class, &check.marks, &points) {
            Ok(rays) => {
                let told = check
                    .observed
                    .all()
                    .filter(|step| step.untold_before.is_empty() && step.untold_after.is_empty());
                let values: Vec<&Vec<Option<Rational>>> = told.map(|step| &step.before).collect();
                let arity = assumptions.spec.arity;
                let frame = RegionBounds {
                    columns: &columns,
                    points: &points,
                    whole: &whole,
                    partial: &partial,
                    rays: &rays,
                    values: &values,
                    arity,
                    errors: None,
                    record,
                };
                let _ = frame.check(&region, &equations, found);
            }
            Err(none) => found.no_rays(none),
        }
        let undefined = (&undefined[..], &unchanged[..]);
        let arity = assumptions.spec.effect_arity;
        let evidence =
            StepEvidence::new(&check.vocabulary, &columns, &check.observed, undefined, arity);
        EffectCheck::new(&check.vocabulary, evidence)
            .check(effects, conditions, &equations, bindings, found);
        if !self.errors.is_empty() {
            check.conclude_errors(&columns, (conditions, effects), bindings, found);
        }
        if !record.effects.is_empty() {
            found.push(
                Obligation::Certificate,
                "the certificate lists effects of it, although all its records are exact",
            );
        }
    }
}

impl ActionCheck<'_> {
    /// By function: whether it is a column of the class.
    pub(super) fn listed(&self) -> Vec<bool> {
        let mut listed = vec![false; self.vocabulary.functions.len()];
        for column in &self.columns {
            if let [function] = column[..] {
                listed[function] = true;
            }
        }
        listed
    }

    /// The columns of the model's rows: those of the class, and any functions that the model reads
    /// in addition.
    pub(super) fn read_columns(&self, class: &RowColumns, conditions: &[&Condition]) -> RowColumns {
        let mut read = BTreeSet::new();
        conditions
            .iter()
            .for_each(|condition| functions_of(condition, &self.vocabulary, &mut read));
        // Under a binding they may be one with others of their symbol.
        let symbols: BTreeSet<FunctionId> = (read.into_iter())
            .filter(|&function| class.find(&[function]).is_none())
            .map(|function| self.vocabulary.functions[function].symbol)
            .collect();
        let others = self
            .vocabulary
            .functions
            .iter()
            .enumerate()
            .filter(|(_, function)| symbols.contains(&function.symbol));
        class.with(others.map(|(number, _)| number))
    }

    /// The numeric conditions of the model.
    pub(super) fn region<'c>(
        &self,
        columns: &RowColumns,
        conditions: &[&'c Condition],
        found: &mut Reasons<'_>,
    ) -> ModelRegion<'c> {
        let region = ModelRegion::of(&self.vocabulary, columns, conditions);
        for condition in &region.foreign {
            let condition = found.condition(condition);
            found.push(
                Obligation::Unverifiable,
                format!("{condition} is no linear condition over defined functions of the action"),
            );
        }
        region
    }
}

/// What an algorithm finds wanting in what was observed: N-SAM counts vectors, its literal reading
/// those that are affinely independent over the columns that are always defined.
pub(super) fn too_few(
    algorithm: Algorithm,
    check: &ActionCheck<'_>,
    points: &BTreeSet<NumberRow>,
    needed: usize,
) -> Option<String> {
    match algorithm {
        Algorithm::NsamStar | Algorithm::Sam => None,
        Algorithm::Nsam => {
            let mut distinct: BTreeSet<Vec<Option<Rational>>> = BTreeSet::new();
            for step in check.observed.all() {
                let mut factors = check.columns.iter().flatten();
                if !factors.any(|factor| step.untold_before.contains(factor)) {
                    let vector = check.columns.iter().map(|column| product(column, &step.before));
                    distinct.insert(vector.collect());
                }
            }
            let seen = distinct.len();
            (seen < needed).then(|| {
                format!("{seen} distinct vectors were observed, but N-SAM asks for {needed}")
            })
        }
        Algorithm::NsamLiteral => {
            let seen = RowSpan::of(needed, points).rank();
            (seen < needed).then(|| {
                format!(
                    "{seen} affinely independent vectors were observed, but N-SAM, read literally, \
                     asks for {needed}"
                )
            })
        }
    }
}

/// The functions that a condition compares.
fn functions_of(condition: &Condition, vocabulary: &ActionVocabulary, found: &mut BTreeSet<usize>) {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().for_each(|part| functions_of(part, vocabulary, found))
        }
        Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
            functions_of(inner, vocabulary, found);
        }
        Condition::Imply(both) => {
            both.iter().for_each(|part| functions_of(part, vocabulary, found))
        }
        Condition::Compare(_, sides) => {
            for polynomial in sides.iter().filter_map(|side| vocabulary.polynomial(side)) {
                found.extend(polynomial.0.keys().flatten());
            }
        }
        // A region is refused before anybody asks.
        Condition::Atom(_) | Condition::Same(..) | Condition::Within(_) => {}
    }
}
