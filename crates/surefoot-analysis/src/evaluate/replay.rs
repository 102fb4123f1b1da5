//! Whether a domain is the real one of some recorded executions: it replays them. Each recorded
//! step that worked is applicable in it and ends in the recorded state. Measuring a model against a
//! domain that does not do that would say nothing about the model.

use std::collections::BTreeMap;

use rayon::prelude::*;

use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::{Inapplicable, Semantics, StepChanges, ViolationCause};
use surefoot_base::model::{Domain, Effect, FunctionId, State, Step, Universe, ValueId};
use surefoot_base::pddl::{Diagnostic, Numbers, ReadError, Writer};
use surefoot_learn::{Recorded, Recording, SetAsideLimit, is_open};

/// What became of recorded executions when a domain replayed them.
#[derive(Clone, Debug)]
pub struct Replay {
    /// By action of the domain: its recorded steps that worked, and how many of them the domain
    /// does not replay.
    pub actions: Vec<ReplayCount>,
    /// The first step that the domain does not replay, where it stands, and what differs.
    pub first: Option<Diagnostic>,
}

/// The recorded steps of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReplayCount {
    /// Those that worked and that the record decides.
    pub steps: usize,
    /// Those that the domain refuses, or after which its state is another than the recorded one.
    pub differing: usize,
}

/// How a domain replays executions.
#[derive(Clone, Copy)]
pub struct Replayer<'a> {
    /// The domain that is taken for the real one.
    pub real: &'a Domain,
    /// By how much the numeric comparisons of its preconditions may be missed.
    pub tolerance: &'a Rational,
    /// How far recorded values may be from the true ones; empty, where records are exact. A number
    /// that the domain computes from inexact ones is not compared; one that the domain leaves alone
    /// is.
    pub errors: &'a BTreeMap<FunctionId, Rational>,
    /// How recorded numbers are read.
    pub numbers: Numbers,
}

impl Replay {
    /// Recorded steps that worked.
    pub fn steps(&self) -> usize {
        self.actions.iter().map(|action| action.steps).sum()
    }

    /// Those that the domain does not replay.
    pub fn differing(&self) -> usize {
        self.actions.iter().map(|action| action.differing).sum()
    }

    /// Whether every step is replayed, except for at most this many of an action that count as
    /// recording errors.
    pub fn is_faithful(&self, recording_errors: Option<SetAsideLimit>) -> bool {
        self.actions.iter().all(|action| {
            action.differing == 0
                || recording_errors
                    .is_some_and(|limit| limit.admits(action.differing, action.steps))
        })
    }
}

/// Whether no action of a domain has an effect: such a domain has the names of a world, and is not
/// the world's.
pub fn has_no_effects(domain: &Domain) -> bool {
    domain.action_ids().all(|id| is_nothing(&domain.action(id).effect))
}

fn is_nothing(effect: &Effect) -> bool {
    match effect {
        Effect::And(parts) => parts.iter().all(is_nothing),
        Effect::When(_, inner) | Effect::ForAll(_, inner) => is_nothing(inner),
        Effect::Add(_) | Effect::Delete(_) | Effect::Numeric(_) => false,
    }
}

impl Replayer<'_> {
    /// Replays the steps of a recording in this domain, and says where it differs from the records.
    ///
    /// # Errors
    /// A trace cannot be read.
    pub fn replay(&self, recording: &dyn Recording) -> Result<Replay, ReadError> {
        let replays: Vec<Replay> = (0..recording.traces())
            .into_par_iter()
            .map(|trace| self.trace(recording, trace))
            .collect::<Result<_, _>>()?;
        let mut whole = self.nothing();
        for one in replays {
            for (sum, more) in whole.actions.iter_mut().zip(&one.actions) {
                sum.steps += more.steps;
                sum.differing += more.differing;
            }
            whole.first = whole.first.or(one.first);
        }
        Ok(whole)
    }

    fn nothing(&self) -> Replay {
        Replay { actions: vec![ReplayCount::default(); self.real.actions.len()], first: None }
    }

    fn trace(&self, recording: &dyn Recording, trace: usize) -> Result<Replay, ReadError> {
        let mut replay = self.nothing();
        recording.read(trace, self.real, self.numbers, false, &mut |recorded| {
            if let Some(step) = recorded.step()
                && let Some(difference) = self.difference(recorded, &step)
            {
                let count = &mut replay.actions[step.action.symbol.index()];
                count.steps += 1;
                if let Some(difference) = difference {
                    count.differing += 1;
                    replay.first.get_or_insert_with(|| recorded.error(difference));
                }
            }
            true
        })?;
        Ok(replay)
    }

    /// The difference between a recorded step and the domain's; `None` if unknown values decide it.
    fn difference(&self, recorded: &Recorded<'_>, step: &Step<'_>) -> Option<Option<String>> {
        let writer = Writer::new(self.real, recorded.objects);
        let semantics = Semantics::new(self.real, recorded.objects).with_tolerance(self.tolerance);
        let name = writer.ground_action(step.action);
        let changes = match semantics.changes(step.action, step.universe, step.before) {
            Ok(changes) => changes,
            Err(reason) if is_open(&reason) || self.is_inexact(&reason) => return None,
            Err(_) => {
                return Some(Some(format!(
                    "{name} worked, but it is not applicable in this domain"
                )));
            }
        };
        let Some(next) = after(&changes, step.universe, step.before) else {
            return Some(Some(format!(
                "{name} changes something in this domain that the recorded state after it does not \
                 have"
            )));
        };
        if let Some(atom) = next.differing_atoms(step.after).next() {
            let (recorded, here) = (step.after.contains(atom), next.contains(atom));
            let atom = writer.ground_atom(step.universe.ground_atom(atom));
            return Some(Some(format!(
                "after {name}, {atom} is {recorded}; in this domain it would be {here}"
            )));
        }
        let differing =
            next.differing_values(step.after).find(|&id| !self.is_within(step, id, &next));
        Some(differing.map(|id| {
            let function = writer.ground_function(step.universe.ground_function(id));
            format!(
                "after {name}, {function} is {}; in this domain it would be {}",
                value_in_words(step.after, id),
                value_in_words(&next, id)
            )
        }))
    }

    /// Whether the records' errors alone may be why a step is refused.
    fn is_inexact(&self, reason: &Inapplicable) -> bool {
        match reason {
            Inapplicable::Precondition(violations) => {
                !self.errors.is_empty()
                    && violations
                        .iter()
                        .all(|violation| matches!(violation.cause, ViolationCause::Values(..)))
            }
            Inapplicable::Effect(_) | Inapplicable::Arguments(_) | Inapplicable::Conflict(_) => {
                false
            }
        }
    }

    /// Whether the records' errors may explain a number that differs: the domain changes it, or
    /// both records are as far from one value as they may be.
    fn is_within(&self, step: &Step<'_>, id: ValueId, next: &State) -> bool {
        if self.errors.is_empty() {
            return false;
        }
        let error = self.errors.get(&step.universe.ground_function(id).symbol);
        match (step.before.value(id), step.after.value(id), next.value(id)) {
            (Some(before), Some(after), Some(here)) if before == here => {
                error.is_some_and(|error| (after - before).abs() <= error + error)
            }
            (Some(_), Some(_), Some(_)) => true,
            _ => false,
        }
    }
}

/// The state after some changes; `None` where they touch what is not numbered, and so is in no
/// recorded state.
fn after(changes: &StepChanges, universe: &Universe, before: &State) -> Option<State> {
    let mut next = before.clone();
    for id in changes.deletes.iter().filter_map(|atom| universe.find_atom(atom)) {
        next.remove(id);
    }
    for atom in &changes.adds {
        next.insert(universe.find_atom(atom)?);
    }
    for (function, value) in &changes.values {
        next.set_value(universe.find_value(function)?, value.clone());
    }
    Some(next)
}

fn value_in_words(state: &State, id: ValueId) -> String {
    state.value(id).map_or("undefined".to_owned(), ToString::to_string)
}
