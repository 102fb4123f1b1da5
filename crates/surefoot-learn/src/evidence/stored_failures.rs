//! Failed attempts as a part of a learner's state. Where there are none, there is no such part, and
//! a version that does not know of them refuses a state that has some.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};
use surefoot_base::model::ActionId;

use super::binding::Pattern;
use super::failed_attempts::{Failure, Failures};
use super::learner::{Attempts, History, Learner};
use super::snapshot::{SnapshotError, StoredRow, read_row, stored_row};
use super::vocabulary::Vocabulary;

/// The name of this part.
pub(crate) const FAILURES: &str = "failures";

#[derive(Serialize, Deserialize)]
struct StoredFailures {
    /// By digest: the number of failed attempts of each action, and of those with unknown values.
    attempts: BTreeMap<String, Vec<(usize, usize)>>,
    /// By digest: steps that changed nothing and were read as failed attempts.
    read_as_failed: BTreeMap<String, BTreeSet<usize>>,
    /// The failures of each action.
    actions: Vec<Vec<StoredFailure>>,
}

#[derive(Serialize, Deserialize)]
struct StoredFailure {
    pattern: Vec<u32>,
    /// The classes of atoms whose truth is unknown.
    unknown: Vec<usize>,
    /// The classes of atoms that were true.
    holds: Vec<usize>,
    /// The functions without a known value.
    undefined: Vec<usize>,
    point: Option<StoredRow>,
}

/// The bytes of this part; none where no attempt failed, and none may have.
pub(crate) fn stored_failures(learner: &Learner) -> Result<Option<Vec<u8>>, SnapshotError> {
    let History { attempts, read_as_failed, .. } = learner.history();
    let failures: Vec<&Failures> =
        (learner.domain().action_ids()).map(|action| learner.evidence(action).failures()).collect();
    let nothing_failed = failures.iter().all(|failures| failures.is_empty());
    if attempts.is_empty() && read_as_failed.is_empty() && nothing_failed {
        return Ok(None);
    }
    let stored = StoredFailures {
        attempts: attempts
            .iter()
            .map(|(trace, attempts)| {
                let counts = attempts.iter().map(|attempts| (attempts.failed, attempts.unclear));
                (trace.clone(), counts.collect())
            })
            .collect(),
        read_as_failed: read_as_failed.clone(),
        actions: failures
            .into_iter()
            .map(|failures| failures.iter().map(stored_failure).collect())
            .collect(),
    };
    postcard::to_stdvec(&stored).map(Some).map_err(|_| SnapshotError::Unwritable)
}

fn stored_failure(failure: &Failure) -> StoredFailure {
    StoredFailure {
        pattern: failure.pattern.0.clone(),
        unknown: failure.unknown.ones().collect(),
        holds: failure.holds.ones().collect(),
        undefined: failure.defined.zeroes().collect(),
        point: failure.point.as_ref().map(stored_row),
    }
}

/// Takes failures over; what is no evidence goes to the history.
pub(crate) fn restored_failures(
    learner: &mut Learner,
    bytes: &[u8],
    history: &mut History,
) -> Option<()> {
    let stored: StoredFailures = postcard::from_bytes(bytes).ok()?;
    let actions: Vec<ActionId> = learner.domain().action_ids().collect();
    let mut attempts: BTreeMap<String, Vec<Attempts>> = BTreeMap::new();
    for (trace, counts) in stored.attempts {
        (counts.len() == actions.len()).then_some(())?;
        let counts = counts.into_iter().map(|(failed, unclear)| Attempts {
            failed,
            unclear,
            ..Attempts::default()
        });
        attempts.insert(trace, counts.collect());
    }
    if stored.actions.len() != actions.len() {
        return None;
    }
    for (&action, stored) in actions.iter().zip(stored.actions) {
        let vocabulary = learner.vocabulary(action);
        let failures: BTreeSet<Failure> = stored
            .into_iter()
            .map(|failure| restored_failure(vocabulary, failure))
            .collect::<Option<_>>()?;
        learner.restore_failures(action, Failures::restore(failures));
    }
    history.attempts = attempts;
    history.read_as_failed = stored.read_as_failed;
    Some(())
}

fn restored_failure(vocabulary: &Vocabulary, stored: StoredFailure) -> Option<Failure> {
    let pattern =
        (stored.pattern.len() == vocabulary.parameters).then_some(Pattern(stored.pattern))?;
    let mut defined = read_bits(vocabulary.functions.len(), stored.undefined)?;
    defined.toggle_range(..);
    let point = match &stored.point {
        None => None,
        Some(row) => {
            Some(read_row(row, vocabulary.columns.len() + 1).filter(|row| row.signum(0) > 0)?)
        }
    };
    let classes = pattern.classes(&vocabulary.atoms).len();
    let (unknown, holds) = (read_bits(classes, stored.unknown)?, read_bits(classes, stored.holds)?);
    unknown.is_disjoint(&holds).then_some(Failure { pattern, unknown, holds, defined, point })
}

/// A set of these places; `None` if there are fewer places, or one is twice among them.
fn read_bits(count: usize, ones: Vec<usize>) -> Option<FixedBitSet> {
    let mut bits = FixedBitSet::with_capacity(count);
    ones.into_iter().all(|place| place < count && !bits.put(place)).then_some(bits)
}
