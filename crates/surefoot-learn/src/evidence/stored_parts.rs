//! The parts of actions in a learner's state, and what was seen of events that are in none.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use surefoot_base::model::{ActionId, Domain};
use surefoot_base::parts::{DeclaredParts, DomainParts, FoundParts, PartsMap};

use super::learner::{History, Learner, Outside};
use super::snapshot::{SnapshotError, checked_id, checked_ids, indices};

/// The key of the parts: by action, the tests of each.
pub(crate) const PARTS: &str = "parts";

/// The key of parts that were found in records: by action, their tests and counts.
pub(crate) const FOUND: &str = "found parts";

/// The key of what was seen in no part.
pub(crate) const OUTSIDE: &str = "outside";

type StoredParts = BTreeMap<String, Vec<Vec<String>>>;

#[derive(Serialize, Deserialize)]
struct StoredOutside {
    /// By trajectory and action of the given domain: steps, and failed attempts.
    counts: BTreeMap<String, Vec<(usize, usize)>>,
    /// By action of the given domain: the functions that changed.
    changed: BTreeMap<usize, BTreeSet<usize>>,
}

/// The entries of a state; none where no action has parts.
pub(crate) fn stored_parts(learner: &Learner) -> Result<Vec<(String, Vec<u8>)>, SnapshotError> {
    let class = learner.class();
    if class.parts.is_empty() {
        return Ok(Vec::new());
    }
    let declared = class.parts.declared(learner.given());
    let (mut listed, mut found) = (StoredParts::new(), BTreeMap::<String, FoundParts>::new());
    for (action, parts) in declared {
        let tests = match parts {
            DeclaredParts::Listed(parts) => parts,
            DeclaredParts::Found(parts) => {
                let tests = parts.tests();
                found.insert(action.clone(), parts);
                tests
            }
            // Parts of a class are listed one by one.
            DeclaredParts::ToFind(_) | DeclaredParts::Cut(_) | DeclaredParts::Cuts(_) => {
                return Err(SnapshotError::Unwritable);
            }
        };
        listed.insert(action, tests);
    }
    let bytes = postcard::to_stdvec(&listed).map_err(|_| SnapshotError::Unwritable)?;
    let mut entries = vec![(PARTS.to_owned(), bytes)];
    if !found.is_empty() {
        let bytes = postcard::to_stdvec(&found).map_err(|_| SnapshotError::Unwritable)?;
        entries.push((FOUND.to_owned(), bytes));
    }
    let History { outside, changed_outside, .. } = learner.history();
    if !outside.is_empty() || !changed_outside.is_empty() {
        let counts = |counts: &Vec<Outside>| {
            counts.iter().map(|count| (count.steps, count.failed)).collect()
        };
        let stored = StoredOutside {
            counts: outside.iter().map(|(trace, all)| (trace.clone(), counts(all))).collect(),
            changed: changed_outside
                .iter()
                .map(|(action, functions)| (action.index(), indices(functions)))
                .collect(),
        };
        let bytes = postcard::to_stdvec(&stored).map_err(|_| SnapshotError::Unwritable)?;
        entries.push((OUTSIDE.to_owned(), bytes));
    }
    Ok(entries)
}

/// The parts that were stored, and which of them were found; `None` if they are none of the domain.
pub(crate) fn restored_parts(
    bytes: &[u8],
    found: Option<&[u8]>,
    given: &Domain,
    degree: (u32, bool),
) -> Option<DomainParts> {
    let stored: StoredParts = postcard::from_bytes(bytes).ok()?;
    let listed = |(action, parts)| (action, DeclaredParts::Listed(parts));
    let mut declared: PartsMap = stored.into_iter().map(listed).collect();
    if let Some(found) = found {
        let found: BTreeMap<String, FoundParts> = postcard::from_bytes(found).ok()?;
        for (action, parts) in found {
            let is_listed = DeclaredParts::Listed(parts.tests());
            if declared.insert(action, DeclaredParts::Found(parts)) != Some(is_listed) {
                return None;
            }
        }
    }
    DomainParts::read(given, &declared, degree).ok().filter(|parts| !parts.is_empty())
}

/// Takes over what was seen in no part.
pub(crate) fn restored_outside(
    learner: &Learner,
    bytes: &[u8],
    history: &mut History,
) -> Option<()> {
    let stored: StoredOutside = postcard::from_bytes(bytes).ok()?;
    let actions = learner.given().actions.len();
    for (trace, counts) in stored.counts {
        let count = |(steps, failed)| Outside { steps, failed };
        let counts: Vec<Outside> = counts.into_iter().map(count).collect();
        (counts.len() == actions).then(|| history.outside.insert(trace, counts))?;
    }
    for (action, functions) in stored.changed {
        let action: ActionId = checked_id(action, actions)?;
        let part = learner.lens().parts().learned_ids(action).next()?;
        let functions = checked_ids(functions, learner.vocabulary(part).functions.len())?;
        history.changed_outside.insert(action, functions);
    }
    Some(())
}
