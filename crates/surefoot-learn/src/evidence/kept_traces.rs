//! Trajectories that a learner keeps as text, for those cases in which all records together decide
//! which of them are wrong. Evidence does not say how many steps of each kind it saw, so a learner
//! without them cannot tell whether a new record or an earlier one is wrong.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use surefoot_base::model::Domain;
use surefoot_base::pddl::{Numbers, ReadError, Source};

use super::learner::Learner;
use super::recording::{Recording, Trace, TraceSubset};
use super::snapshot::SnapshotError;

/// The name of the trajectories in a state.
pub(crate) const KEPT: &str = "kept trajectories";

/// The number of bytes of text that a learner keeps at most. Of more text it keeps nothing.
const MOST_BYTES: usize = 64 << 20;

/// By digest, all trajectories that a learner read.
pub type KeptTraces = BTreeMap<String, Arc<KeptTrace>>;

/// A trajectory as text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct KeptTrace {
    /// What messages call it.
    name: String,
    text: String,
    /// Its objects that are no constants, each with its type.
    objects: Vec<(String, String)>,
}

impl KeptTrace {
    /// `None` if the trace does not say which objects it has.
    fn of(trace: &Trace, domain: &Domain) -> Option<Self> {
        let (source, objects) = (trace.text(), trace.given_objects()?);
        let own = objects.ids().skip(domain.signature.constants.len());
        let types = &domain.signature.types;
        Some(KeptTrace {
            name: source.name().to_owned(),
            text: source.text().to_owned(),
            objects: own
                .map(|id| (objects.name(id).to_owned(), types.name(objects.type_of(id)).to_owned()))
                .collect(),
        })
    }

    /// The trajectory; `None` if it is not one of this domain.
    fn trace(&self, domain: &Domain) -> Option<Trace> {
        let mut objects = domain.signature.constants.clone();
        for (name, of) in &self.objects {
            objects.insert(name, domain.signature.types.find(of)?).ok()?;
        }
        Some(Trace::new(Source::new(&self.name, self.text.clone()), &objects))
    }
}

/// All traces of a recording, by digest; `None` if one was not recorded as text, or the text is too
/// long to be kept.
pub(crate) fn kept_traces(
    recording: &dyn Recording,
    domain: &Domain,
    numbers: Numbers,
) -> Result<Option<KeptTraces>, ReadError> {
    let mut kept = KeptTraces::new();
    for trace in 0..recording.traces() {
        let text = recording.text(trace, domain, numbers)?;
        let Some(text) = text.and_then(|text| KeptTrace::of(&text, domain)) else {
            return Ok(None);
        };
        add(&mut kept, recording.digest(trace)?, Arc::new(text));
        if is_too_long(&kept) {
            return Ok(None);
        }
    }
    Ok(Some(kept))
}

/// Of two traces with the same text, the one whose name and objects come first.
fn add(kept: &mut KeptTraces, digest: String, trace: Arc<KeptTrace>) {
    let one = kept.entry(digest).or_insert_with(|| Arc::clone(&trace));
    if trace < *one {
        *one = trace;
    }
}

fn is_too_long(kept: &KeptTraces) -> bool {
    kept.values().map(|trace| trace.text.len()).sum::<usize>() > MOST_BYTES
}

impl Learner {
    /// The same learner, which keeps the traces of this recording: all that it learned from. It
    /// keeps none if they are too long, or were not recorded as text.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn with_kept(&self, recording: &dyn Recording) -> Result<Learner, ReadError> {
        let mut learner = self.clone();
        learner.keep(kept_traces(recording, self.given(), self.class().numbers)?);
        Ok(learner)
    }

    /// The traces that are kept of two learners: all that they read, or none.
    pub(crate) fn kept_of_both(&self, other: &Learner) -> Option<KeptTraces> {
        if !self.has_seen_any() {
            return other.history().kept.clone();
        }
        let mut kept = self.history().kept.clone()?;
        if other.has_seen_any() {
            for (digest, trace) in other.history().kept.as_ref()? {
                add(&mut kept, digest.clone(), Arc::clone(trace));
            }
        }
        (!is_too_long(&kept)).then_some(kept)
    }

    /// All that it read, and which traces of a recording are not among that; `None` if it does not
    /// keep what it read.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn kept_beside<'r>(
        &self,
        recording: &'r dyn Recording,
    ) -> Result<Option<(Vec<Trace>, TraceSubset<'r>)>, ReadError> {
        let Some(mut kept) = self.history().kept.clone() else { return Ok(None) };
        let (domain, numbers) = (self.given(), self.class().numbers);
        let mut new = Vec::new();
        for trace in 0..recording.traces() {
            let digest = recording.digest(trace)?;
            if !kept.contains_key(&digest) {
                new.push(trace);
            } else if let Some(text) = recording.text(trace, domain, numbers)? {
                let again = KeptTrace::of(&text, domain);
                again.into_iter().for_each(|again| add(&mut kept, digest.clone(), Arc::new(again)));
            }
        }
        let kept: Option<Vec<Trace>> = kept.values().map(|trace| trace.trace(domain)).collect();
        Ok(kept.map(|kept| (kept, TraceSubset::new(recording, new))))
    }
}

/// The bytes of kept traces.
pub(crate) fn stored_traces(kept: &KeptTraces) -> Result<Vec<u8>, SnapshotError> {
    let all: Vec<(&String, &KeptTrace)> =
        kept.iter().map(|(digest, trace)| (digest, &**trace)).collect();
    postcard::to_stdvec(&all).map_err(|_| SnapshotError::Unwritable)
}

/// Kept traces from their bytes; `None` where they do not fit.
pub(crate) fn restored_traces(bytes: &[u8], domain: &Domain) -> Option<KeptTraces> {
    let all: Vec<(String, KeptTrace)> = postcard::from_bytes(bytes).ok()?;
    all.into_iter()
        .map(|(digest, trace)| {
            let is_its_text = surefoot_base::certificate::digest(&trace.text) == digest;
            (is_its_text && trace.trace(domain).is_some()).then(|| (digest, Arc::new(trace)))
        })
        .collect()
}
