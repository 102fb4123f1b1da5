//! Records that rest on a state that a recording error may have spoiled: nothing is learned from
//! them, and the model is held against them all the same (docs/theory.md, "Bad data").

use std::collections::BTreeSet;

use super::checker::ActionCheck;
use super::errors::RecordErrors;
use surefoot_base::assumptions::Algorithm;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Attempt, GroundAction, GroundFunction, Step};
use surefoot_base::pddl::{ReadError, TrajectoryReader};

/// The records that begin or end in a state that one of these records may have spoiled: the states
/// before and after it. Where values were carried forward, these are all records of the trace.
pub(super) fn spoiled(
    reader: &mut TrajectoryReader<'_>,
    errors: &BTreeSet<usize>,
    carried: bool,
) -> Result<BTreeSet<usize>, ReadError> {
    let mut spoiled = BTreeSet::new();
    if errors.is_empty() {
        return Ok(spoiled);
    }
    // Whether the state at hand may be wrong, and the records that lead to it or were tried in it.
    let (mut doubtful, mut here, mut index) = (false, Vec::new(), 0);
    while let Some(entry) = reader.next_entry()? {
        let (worked, is_error) = (entry.event.step().is_some(), errors.contains(&index));
        if is_error {
            spoiled.extend(here.drain(..));
        }
        if doubtful || carried {
            spoiled.insert(index);
        }
        doubtful = is_error || doubtful && !worked;
        if worked {
            here.clear();
        }
        here.push(index);
        index += 1;
    }
    Ok(spoiled)
}

/// Whether a step ended in another state than the model predicts, as far as both are known and may
/// be off; `None` where the model does not certainly allow the step. `semantics` is that of the
/// model as it is written if records have errors.
pub(super) fn contradicts(
    semantics: &Semantics<'_>,
    action: &GroundAction,
    step: &Step<'_>,
    check: &ActionCheck<'_>,
    algorithm: Algorithm,
    errors: Option<&RecordErrors>,
) -> Option<bool> {
    let attempt = Attempt { action: step.action, before: step.before, universe: step.universe };
    let (mut universe, before) = match errors {
        None => (step.universe.clone(), step.before.clone()),
        Some(errors) => errors.of_record(&check.vocabulary, attempt),
    };
    let next = semantics.successor(action, &mut universe, &before).ok()?;
    if next.differing_atoms(step.after).next().is_some() {
        return Some(true);
    }
    if algorithm == Algorithm::Sam {
        return Some(false);
    }
    let wrong = next.differing_values(step.after).any(|id| {
        let function = universe.ground_function(id);
        let Some(errors) = errors else { return true };
        let (Some(predicted), Some(recorded)) = (next.value(id), step.after.value(id)) else {
            // The error of a function is no value that records have.
            return errors.has_records(function.symbol);
        };
        let carried = errors.carried(function.symbol).and_then(|symbol| {
            let arguments = function.arguments.clone();
            let error = universe.find_value(&GroundFunction { symbol, arguments })?;
            next.value(error)
        });
        match carried {
            Some(error) => {
                (predicted - recorded).abs() > error + &errors.of_records(function.symbol)
            }
            None => !errors.admit(function.symbol, predicted, recorded),
        }
    });
    Some(wrong)
}
