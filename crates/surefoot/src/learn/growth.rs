//! Whether more steps can make a learned action allow less (docs/theory.md, "How much is enough").
//!
//! Evidence only refutes, so as a rule they cannot. But a guard on functions that may be one ground function is left out where
//! equations of the region imply it, and a region that grows loses equations: then the guard is written, and refuses bindings of
//! which nothing new was seen. (Where functions never were one, the parameters that would make them one are required to differ,
//! and no such guard says more.) What a map says of functions that it does not list is taken back where a step shows otherwise. And where
//! records are not exact, a region that grows beyond an equation can leave effects open that arity and marks rely on.

use super::learner::Learner;
use super::settings::Settings;
use crate::assumptions::Algorithm;
use crate::model::ActionId;

/// Why steps may have made an action allow less than fewer of them did.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TakesBack {
    /// Several functions were one ground function in some step.
    Shared,
    /// A function that a map of relevant functions does not list was shown to change.
    UnlistedChanged,
    /// Records are not exact, and marks or an arity allow steps beyond them: as long as effects are known there, which more steps can
    /// put in doubt.
    Unsettled,
}

impl Learner {
    /// Why what was seen of an action may allow less than a part of it; `None` where it allows all that each part allows.
    pub fn may_take_back(&self, action: ActionId, settings: &Settings) -> Option<TakesBack> {
        if settings.algorithm == Algorithm::Sam {
            return None;
        }
        let (vocabulary, evidence) = (self.vocabulary(action), self.evidence(action));
        let functions = &vocabulary.functions;
        if evidence.patterns.keys().any(|pattern| pattern.classes(functions).iter().any(|cell| cell.len() > 1)) {
            return Some(TakesBack::Shared);
        }
        let unlisted = |function| vocabulary.column_of(function).is_none();
        if functions.ids().any(|function| unlisted(function) && evidence.inexact.moved().contains(&function)) {
            return Some(TakesBack::UnlistedChanged);
        }
        let beyond = settings.arity.is_some() || settings.monotone.get(&action).is_some_and(|marks| !marks.is_empty());
        if vocabulary.is_inexact() && beyond {
            return Some(TakesBack::Unsettled);
        }
        let changed = |function| evidence.patterns.values().any(|entry| entry.changes(function));
        functions.ids().any(|function| unlisted(function) && changed(function)).then_some(TakesBack::UnlistedChanged)
    }
}
