//! Whether more steps can make a learned action allow less (docs/theory.md, "How much is enough").
//!
//! Evidence only refutes, so as a rule they cannot. What a map says of functions that it does not
//! list is taken back where a step shows otherwise. Where records are not exact, a region that
//! grows beyond an equation can leave effects undetermined that arity and marks rely on. Where
//! functions alias, what is known of each persists, but four things can still change: how the model
//! writes effects that only add up to what was seen (they may read more than the effect arity, or a
//! function that a state need not have), whether a function has a column of its own, and whether
//! effects are found at all.

use std::collections::BTreeSet;

use surefoot_base::assumptions::{Algorithm, Monotone};
use surefoot_base::model::ActionId;

use super::aliasing::{Cells, Choice};
use super::effect::NumericForm;
use super::settings::Settings;
use crate::evidence::{ActiveColumn, ColumnId, Learner, LiftedFunctionId};

/// Why steps may have made an action allow less than fewer of them did.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TakesBack {
    /// Records are not exact, and several functions were one ground function in some step.
    Shared,
    /// Several functions were one ground function in some step, and some step gave one of them its
    /// first value.
    SharedFirstValue,
    /// Several functions were one ground function in some step, and their effects read more
    /// functions than the effect arity says.
    SharedReadsMore,
    /// Several functions were one ground function in some step, and their effects read a function
    /// that is marked `any`.
    SharedReadsAny,
    /// Several functions were one ground function in some step, and the search for effects that
    /// explain it was given up.
    SharedUnexplained,
    /// A function changed that a map of relevant functions does not list.
    UnlistedChanged,
    /// Records are not exact, and marks or an arity allow steps beyond them: as long as effects are
    /// known there, which more steps can put in doubt.
    Unsettled,
}

impl Learner {
    /// Why the observations of an action may allow less than a part of them; `None` if they allow
    /// all that each part allows.
    pub fn may_take_back(&self, action: ActionId, settings: &Settings) -> Option<TakesBack> {
        if settings.algorithm == Algorithm::Sam {
            return None;
        }
        let (vocabulary, evidence) = (self.vocabulary(action), self.evidence(action));
        let functions = &vocabulary.functions;
        let shared: BTreeSet<LiftedFunctionId> = evidence
            .patterns
            .keys()
            .flat_map(|pattern| pattern.classes(functions))
            .filter(|cell| cell.len() > 1)
            .flatten()
            .collect();
        if vocabulary.is_inexact() && !shared.is_empty() {
            return Some(TakesBack::Shared);
        }
        let unlisted = |function| vocabulary.column_of(function).is_none();
        if functions
            .ids()
            .any(|function| unlisted(function) && evidence.inexact.moved().contains(&function))
        {
            return Some(TakesBack::UnlistedChanged);
        }
        let beyond = settings.arity.is_some()
            || settings.monotone.get(&action).is_some_and(|marks| !marks.is_empty());
        if vocabulary.is_inexact() && beyond {
            return Some(TakesBack::Unsettled);
        }
        let changed = |function| evidence.patterns.values().any(|entry| entry.changes(function));
        if functions.ids().any(|function| unlisted(function) && changed(function)) {
            return Some(TakesBack::UnlistedChanged);
        }
        if !self.changed_elsewhere(action).is_empty() {
            return Some(TakesBack::UnlistedChanged);
        }
        if shared.is_empty() { None } else { self.shared_may_take_back(action, settings, &shared) }
    }

    /// Likewise for an action for which these functions aliased others.
    fn shared_may_take_back(
        &self,
        action: ActionId,
        settings: &Settings,
        shared: &BTreeSet<LiftedFunctionId>,
    ) -> Option<TakesBack> {
        let (vocabulary, evidence) = (self.vocabulary(action), self.evidence(action));
        if shared.iter().any(|function| {
            evidence.undefined.contains(function) && !evidence.untouched.contains(function)
        }) {
            return Some(TakesBack::SharedFirstValue);
        }
        let columns = evidence.columns(vocabulary);
        // Where nothing explains the steps, no model is learned of all of them.
        let cells = Cells::new(vocabulary, evidence, &columns, settings.effect_arity).ok()?;
        let Choice { forms, coherent } = cells.choose().ok()?;
        if cells.shared().any(|cell| !coherent.contains(&cell.members)) {
            return Some(TakesBack::SharedUnexplained);
        }
        let read = |function: LiftedFunctionId| -> Vec<ActiveColumn> {
            match &forms[function] {
                NumericForm::Unchanged => Vec::new(),
                NumericForm::Change(map) | NumericForm::Assign(map) => {
                    map.terms.iter().map(|(column, _)| *column).collect()
                }
                NumericForm::Scale(_) => cells.own[function].into_iter().collect(),
            }
        };
        if let Some(arity) = settings.effect_arity
            && shared.iter().any(|&function| cells.factors.count(read(function)) > arity)
        {
            return Some(TakesBack::SharedReadsMore);
        }
        let marks = settings.monotone.get(&action)?;
        let is_any = |column: ColumnId| marks.get(&column) == Some(&Monotone::Any);
        let any: BTreeSet<LiftedFunctionId> = (vocabulary.columns.ids())
            .filter(|&column| is_any(column))
            .flat_map(|column| vocabulary.columns[column].0.iter().copied())
            .collect();
        let reads_any = |column: ActiveColumn| {
            vocabulary.columns[columns[column]].0.iter().any(|factor| any.contains(factor))
        };
        shared
            .iter()
            .any(|&function| read(function).into_iter().any(reads_any))
            .then_some(TakesBack::SharedReadsAny)
    }
}
