//! Records that rest on what a recording error may have spoiled (docs/theory.md, "Bad data").
//!
//! A step that is set aside is wrong somewhere, and nobody knows where. The state before it is the
//! state after the step before, and the state after it is the state before the next step. So both
//! steps teach nothing either, nor does any attempt that failed in these states. Where values were
//! carried forward from row to row, as in logs, a wrong value stays until the next row that reports
//! it, and a row may tell the outcome of any earlier step on the same object: there the whole trace
//! teaches nothing. Values may have been carried forward wherever something had to be assumed to
//! make the records, whoever says so: the map of a log, a comment of a trajectory, or the user.
//!
//! Steps in memory are observed in any portions: one by one, in batches, or shuffled. There, the
//! neighbours of an error are the records of any trace that begin in the very state after the error
//! or end in the very state before it.

use std::collections::BTreeSet;

use surefoot_base::model::{Domain, Event};
use surefoot_base::pddl::{Numbers, ReadError};

use crate::evidence::{Recording, StepId};

/// The records that a model is not learned from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unlearned {
    /// Those that may be wrong themselves: they contradict others.
    pub errors: BTreeSet<StepId>,
    /// These, and all records that rest on a state that one of these may have spoiled. The latter
    /// fit the others, so the model must not predict them wrongly.
    pub all: BTreeSet<StepId>,
}

/// The records that may be wrong, and with them all that rest on a state that one of these may have
/// spoiled. `carried`: values may have been carried forward from record to record.
pub(crate) fn with_spoiled(
    errors: BTreeSet<StepId>,
    recording: &dyn Recording,
    domain: &Domain,
    (numbers, carried): (Numbers, bool),
) -> Result<Unlearned, ReadError> {
    let mut all = errors.clone();
    // The states before and after the errors in memory.
    let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
    let traces: BTreeSet<usize> = errors.iter().map(|&(trace, _)| trace).collect();
    for trace in traces {
        let (mut worked, mut joins_others) = (Vec::new(), false);
        recording.read(trace, domain, numbers, false, &mut |recorded| {
            worked.push(matches!(recorded.event, Event::Worked(_)));
            if let Some([begin, end]) = recorded.ends() {
                joins_others = true;
                if errors.contains(&(trace, recorded.index)) {
                    before.insert(begin);
                    after.insert(end);
                }
            }
            true
        })?;
        if joins_others {
            continue;
        }
        let aside = errors.iter().filter(|&&(of, _)| of == trace).map(|&(_, index)| index);
        all.extend(
            spoiled(&worked, &aside.collect(), carried).into_iter().map(|index| (trace, index)),
        );
    }
    if before.is_empty() {
        return Ok(Unlearned { errors, all });
    }
    for trace in 0..recording.traces() {
        recording.read(trace, domain, numbers, false, &mut |recorded| {
            if let Some([begin, end]) = recorded.ends()
                && (carried || after.contains(&begin) || before.contains(&end))
            {
                all.insert((trace, recorded.index));
            }
            true
        })?;
    }
    Ok(Unlearned { errors, all })
}

/// The records of a trace that rest on a spoiled state. `worked` says of each record whether it led
/// to another state.
fn spoiled(worked: &[bool], set_aside: &BTreeSet<usize>, carried: bool) -> BTreeSet<usize> {
    // States are numbered: one before all records, and one after each that worked.
    let before: Vec<usize> = worked
        .iter()
        .scan(0, |state, &worked| {
            let before = *state;
            *state += usize::from(worked);
            Some(before)
        })
        .collect();
    let after: Vec<usize> =
        before.iter().zip(worked).map(|(before, &worked)| before + usize::from(worked)).collect();
    let mut found = BTreeSet::new();
    for &error in set_aside.iter().filter(|&&index| index < worked.len()) {
        found.extend((0..worked.len()).filter(|&index| {
            let begins_after = index > error && before[index] == after[error];
            let ends_before = index < error && after[index] == before[error];
            carried || begins_after || ends_before
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(worked: &[bool], error: usize, carried: bool) -> Vec<usize> {
        spoiled(worked, &BTreeSet::from([error]), carried).into_iter().collect()
    }

    #[test]
    fn the_steps_beside_an_error_share_a_state_that_may_be_wrong() {
        assert_eq!(of(&[true; 5], 2, false), [1, 3]);
        assert_eq!(of(&[true; 5], 4, false), [3]);
    }

    #[test]
    fn attempts_in_a_spoiled_state_teach_nothing() {
        // Two attempts fail after the error, in the state it led to.
        assert_eq!(of(&[true, true, false, false, true, true], 1, false), [0, 2, 3, 4]);
        // An attempt that really worked led to another state than the one recorded.
        assert_eq!(of(&[true, false, false, true, true], 1, false), [0, 2, 3]);
    }

    #[test]
    fn values_that_are_carried_forward_spoil_the_whole_trace() {
        assert_eq!(of(&[true, true, true, true, true], 3, true), [0, 1, 2, 3, 4]);
        assert_eq!(of(&[true, false, true, true], 2, true), [0, 1, 2, 3]);
    }
}
