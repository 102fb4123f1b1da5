//! Failed attempts: the model refuses them all, and those that a certificate lists were recorded.
//!
//! What is listed of a failure is what `forbidden` rests on: which terms were one object, which of
//! the literals that no step refutes did not hold, which functions had no value, and the vector. A
//! list that claims more than one recorded attempt shows is not accepted. Where no vector is
//! listed, the failure lies among the steps that worked: in their affine hull, and behind no facet
//! that is listed. (Where only a part of the facets is, or the failure lacks a value, that it does
//! is the learner's word.) Where records have errors, it lies behind each facet by twice what
//! errors can do to it: once for the records that the facet rests on, once for its own.

use std::collections::BTreeSet;

use super::bindings::{BindingPattern, binding_of};
use super::linear::{NumberRow, RowSpan, dot, narrow};
use super::observe::Classes;
use super::vocabulary::{ActionVocabulary, FunctionProduct, product, row};
use super::{Obligation, words::Reasons};
use surefoot_base::certificate::{ActionRecord, FailureRecord, read_number};
use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Attempt, Condition, GroundAction, GroundAtom, GroundFunction, Step};

/// An attempt that failed, as its action sees it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct CheckedFailure {
    binding: BindingPattern,
    /// By lifted atom; `None` where its truth is unknown.
    truths: Vec<Option<bool>>,
    /// By function; `None` where it has no value, or none that is known.
    values: Vec<Option<Rational>>,
}

impl CheckedFailure {
    pub(super) fn of(
        vocabulary: &ActionVocabulary,
        attempt: Attempt<'_>,
        constants: usize,
    ) -> Self {
        let Attempt { before, action, universe } = attempt;
        let atoms =
            vocabulary.atoms.iter().map(|atom| universe.find_atom(&atom.ground(&action.arguments)));
        let functions = vocabulary
            .functions
            .iter()
            .map(|function| universe.find_value(&function.ground(&action.arguments)));
        CheckedFailure {
            binding: binding_of(&action.arguments, constants, &vocabulary.inputs),
            truths: atoms
                .map(|id| match id {
                    Some(id) if before.is_atom_unknown(id) => None,
                    Some(id) => Some(before.contains(id)),
                    None => Some(false),
                })
                .collect(),
            values: functions.map(|id| id.and_then(|id| before.value(id)).cloned()).collect(),
        }
    }
}

/// Whether a model allows what failed. Where it would have to read what is unknown, it does not.
pub(super) fn is_allowed(
    semantics: &Semantics<'_>,
    action: &GroundAction,
    attempt: Attempt<'_>,
) -> bool {
    semantics.applicable(action, attempt.universe, attempt.before).is_ok()
}

/// Whether a step changed anything, as far as is known.
pub(super) fn changed(step: Step<'_>) -> bool {
    step.before.differing_atoms(step.after).next().is_some()
        || step.before.differing_values(step.after).next().is_some()
}

/// What is wrong with reading a step as an attempt that failed: it changed something, or the model
/// would have changed nothing either.
pub(super) fn misread(
    semantics: &Semantics<'_>,
    action: &GroundAction,
    step: Step<'_>,
) -> Option<&'static str> {
    if changed(step) {
        return Some("a step that is read as a failed attempt changed something");
    }
    let Ok(changes) = semantics.effects(action, step.universe, step.before) else { return None };
    // Nothing changed, so what one of the two states says holds in both; what neither says shows
    // nothing.
    let states = [step.before, step.after];
    let truth = |atom: &GroundAtom| match step.universe.find_atom(atom) {
        None => Some(false),
        Some(id) => states
            .into_iter()
            .find(|state| !state.is_atom_unknown(id))
            .map(|state| state.contains(id)),
    };
    let differs =
        |function: &GroundFunction, after: &Rational| match step.universe.find_value(function) {
            None => true,
            Some(id) => {
                let known = states.into_iter().find(|state| !state.is_value_unknown(id));
                known.is_some_and(|state| state.value(id) != Some(after))
            }
        };
    let would = changes.adds.iter().any(|atom| truth(atom) == Some(false))
        || changes
            .deletes
            .iter()
            .any(|atom| truth(atom) == Some(true) && !changes.adds.contains(atom))
        || changes.values.iter().any(|(function, after)| differs(function, after));
    (!would).then_some(
        "a step is read as a failed attempt although the model would not have \
                        changed anything either",
    )
}

/// What worked, as a certificate has it.
pub(super) struct WorkedSteps<'c> {
    /// The span of the rows `(1, x)` of recorded steps.
    pub(super) span: RowSpan,
    pub(super) record: &'c ActionRecord,
    /// By column: how far records may be off; `None` where that has no bound.
    pub(super) errors: Option<Vec<Rational>>,
}

/// How far errors can move a row past a facet, which has errors as well.
fn margin(facet: &NumberRow, columns: &[usize], errors: &[Rational]) -> Rational {
    let terms = columns
        .iter()
        .zip(facet.iter().skip(1))
        .map(|(&column, value)| &value.abs() * &errors[column]);
    &terms.fold(Rational::ZERO, |sum, term| &sum + &term) * &Rational::integer(2)
}

impl WorkedSteps<'_> {
    /// Whether a row `(1, x)` lies in the affine hull, and behind no facet that is listed as one of
    /// the whole, with margins for errors.
    fn may_contain(&self, row: &NumberRow) -> bool {
        let Some(errors) = &self.errors else { return false };
        let shadows = self.record.shadows.iter().filter(|shadow| shadow.part.is_none());
        self.span.contains(row)
            && shadows.into_iter().all(|shadow| {
                let entries: Vec<usize> = std::iter::once(0)
                    .chain(shadow.columns.iter().map(|column| column + 1))
                    .collect();
                entries.iter().all(|&entry| entry < row.len()) && {
                    let x = narrow(row, &entries);
                    shadow.facets.iter().all(|facet| {
                        let facet: Option<NumberRow> =
                            facet.row.iter().map(|text| read_number(text)).collect();
                        facet.is_some_and(|facet| {
                            facet.len() == x.len()
                                && (&dot(&facet, &x) + &margin(&facet, &shadow.columns, errors))
                                    .signum()
                                    <= 0
                        })
                    })
                }
            })
    }
}

/// Whether every failure that a certificate lists was recorded.
pub(super) fn check(
    listed: &[FailureRecord],
    tried: &BTreeSet<CheckedFailure>,
    vocabulary: &ActionVocabulary,
    (classes, undefined, columns): (&Classes, &[bool], &[FunctionProduct]),
    worked: &WorkedSteps<'_>,
    found: &mut Reasons<'_>,
) {
    let mut was = vec![[false; 2]; vocabulary.atoms.len()];
    for (class, seen) in classes.iter() {
        for truth in [false, true].into_iter().filter(|truth| seen.was(*truth)) {
            class.iter().for_each(|&atom| was[atom as usize][usize::from(truth)] = true);
        }
    }
    let atoms: Vec<[String; 2]> = vocabulary
        .atoms
        .iter()
        .map(|atom| {
            let atom = Condition::Atom(atom.clone());
            [found.condition(&atom), found.condition(&Condition::Not(Box::new(atom)))]
        })
        .collect();
    let functions: Vec<String> =
        (0..vocabulary.functions.len()).map(|function| found.function(function)).collect();
    for record in listed {
        let shows = |attempt: &&CheckedFailure| {
            let literals = attempt.truths.iter().enumerate().all(|(atom, &truth)| {
                // A literal that some step refutes is no condition. The one that does not hold is
                // to be listed; both, where that is unknown.
                [false, true]
                    .into_iter()
                    .filter(|&other| truth.is_none_or(|truth| truth == other))
                    .all(|truth| {
                        was[atom][usize::from(truth)]
                            || record.missing.contains(&atoms[atom][usize::from(truth)])
                    })
            });
            let values = attempt.values.iter().enumerate().all(|(function, value)| {
                value.is_some()
                    || undefined[function]
                    || record.undefined.contains(&functions[function])
            });
            attempt.binding == record.binding
                && literals
                && values
                && numbers(record, attempt, columns, worked)
        };
        if !tried.iter().any(|attempt| shows(&attempt)) {
            found
                .push(Obligation::Failure, "the certificate lists a failure that was not recorded");
            return;
        }
    }
}

/// Whether an attempt has the vector that is listed, if one is.
fn numbers(
    record: &FailureRecord,
    attempt: &CheckedFailure,
    columns: &[FunctionProduct],
    worked: &WorkedSteps<'_>,
) -> bool {
    let Some(listed) = &record.numbers else {
        let row = row(columns, &attempt.values);
        return !record.undefined.is_empty() || row.is_some_and(|row| worked.may_contain(&row));
    };
    listed.len() == columns.len()
        && columns.iter().zip(listed).all(|(column, listed)| {
            let value = product(column, &attempt.values);
            value == listed.as_ref().and_then(|text| read_number(text))
        })
}
