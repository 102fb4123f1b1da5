//! What a learner's state keeps of records that are not exact: the errors, and by action the joint
//! vectors.

use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::exact::{Rational, Row};
use surefoot_base::model::FunctionId;

use super::joint::JointEvidence;
use super::learner::Learner;
use super::snapshot::{
    SnapshotError, StoredInteger, StoredRow, checked_id, checked_ids, indices, read_row, stored_row,
};

/// The name of the errors of functions.
pub(crate) const ERRORS: &str = "errors";

/// The name of the joint vectors.
pub(crate) const JOINTS: &str = "joint vectors";

type StoredErrors = Vec<(usize, StoredInteger, StoredInteger)>;

/// By action: by function whether only vertices are kept, and the joint vectors; the functions that
/// moved, and those that got their first value.
type StoredJoints = Vec<(Vec<(bool, Vec<StoredRow>)>, BTreeSet<usize>, BTreeSet<usize>)>;

/// Both, by name; nothing where all records are exact.
pub(crate) fn stored_inexact(learner: &Learner) -> Result<Vec<(String, Vec<u8>)>, SnapshotError> {
    let errors = &learner.class().errors;
    if errors.is_empty() {
        return Ok(Vec::new());
    }
    let errors: StoredErrors = (errors.iter())
        .map(|(function, error)| {
            (function.index(), error.numerator().into(), error.denominator().into())
        })
        .collect();
    let joints: StoredJoints = (learner.domain().action_ids())
        .map(|action| &learner.evidence(action).inexact)
        .map(|joint| {
            let rows = joint
                .rows()
                .map(|(thinned, rows)| (thinned, rows.into_iter().map(stored_row).collect()))
                .collect();
            (rows, indices(joint.moved()), indices(joint.assigned()))
        })
        .collect();
    let errors = postcard::to_stdvec(&errors).map_err(|_| SnapshotError::Unwritable)?;
    let joints = postcard::to_stdvec(&joints).map_err(|_| SnapshotError::Unwritable)?;
    Ok(vec![(ERRORS.to_owned(), errors), (JOINTS.to_owned(), joints)])
}

/// The errors, of a domain with this many functions; `None` if they do not fit.
pub(crate) fn restored_errors(
    bytes: &[u8],
    functions: usize,
) -> Option<BTreeMap<FunctionId, Rational>> {
    let stored: StoredErrors = postcard::from_bytes(bytes).ok()?;
    let errors = stored.into_iter().map(|(function, numerator, denominator)| {
        let error = Rational::from_integers(numerator.read()?, denominator.read()?)?;
        (error.signum() > 0).then_some(())?;
        Some((checked_id(function, functions)?, error))
    });
    errors.collect()
}

/// Takes in the joint vectors; `None` where they do not fit.
pub(crate) fn restored_joints(learner: &mut Learner, bytes: &[u8]) -> Option<()> {
    let stored: StoredJoints = postcard::from_bytes(bytes).ok()?;
    let actions: Vec<_> = learner.domain().action_ids().collect();
    (stored.len() == actions.len()).then_some(())?;
    for (action, (targets, moved, assigned)) in actions.into_iter().zip(stored) {
        let vocabulary = learner.vocabulary(action);
        let (functions, width) = (vocabulary.functions.len(), vocabulary.columns.len() + 2);
        (targets.is_empty() || targets.len() == functions).then_some(())?;
        let targets = targets.into_iter().map(|(thinned, rows)| {
            let rows: Vec<Row> =
                rows.iter().map(|row| read_row(row, width)).collect::<Option<_>>()?;
            rows.iter().all(|row| row.signum(0) > 0).then_some((thinned, rows))
        });
        let targets = targets.collect::<Option<Vec<_>>>()?;
        let (moved, assigned) = (checked_ids(moved, functions)?, checked_ids(assigned, functions)?);
        learner.restore_inexact(action, JointEvidence::restore(targets, moved, assigned));
    }
    Some(())
}
