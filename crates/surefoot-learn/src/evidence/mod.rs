//! Evidence: what recorded executions show of each action, as a value that merges.
//!
//! *In*: recorded steps and failed attempts, through a [`Recording`]. *Out*: a [`Learner`], which
//! holds the [`ActionEvidence`] of each action, and where the evidence came from ([`History`]).
//!
//! ```text
//! Recording ─▶ Recorded ─▶ Observer ─▶ Observation    ─▶ ActionEvidence ─▶ Learner
//!                                  └─▶ FailedAttempt  ─▶ Failures      ─┘     │ save, load
//! ```
//!
//! *The invariant*: evidence is a set. `merge` is associative, commutative and idempotent, and
//! [`Learner::settle`] brings it into one form, so that the same records give the same bytes in any
//! order, in any parts, on any number of machines. Nothing here depends on the assumptions with
//! which a model is made; `conclude` uses these. The [`Class`] decides which numbers are kept. How
//! often something was recorded is no evidence: [`History`] counts steps by trace, for summaries,
//! and no conclusion may depend on these counts.
//!
//! *Where to begin*: `action` (what is kept of an action), `lens` (the domain and class through
//! which records are read, and the one loop over them) and `observer` (how a step becomes
//! evidence). `vocabulary` says what an action may mention, `binding` which of its parameters are
//! one object; `truth_pairs`, `points`, `joint`, `incomplete` and `failed_attempts` are the kinds
//! of evidence; `candidates` says which literals may still be preconditions; `snapshot` stores a
//! learner.

mod action;
mod binding;
mod candidates;
mod class;
mod erosion;
mod failed_attempts;
mod ids;
mod in_memory;
mod incomplete;
mod joint;
mod kept_traces;
mod learner;
mod lens;
mod observer;
mod points;
mod reading;
mod recording;
mod snapshot;
mod stored_failures;
mod stored_inexact;
mod stored_parts;
mod truth_pairs;
mod vocabulary;

pub use action::{ActionEvidence, Layout, Observation, PatternEvidence};
pub use binding::Pattern;
pub(crate) use candidates::{Conflicts, Open, over};
pub use class::Class;
pub use erosion::Thin;
pub(crate) use erosion::{contains_box, eroded, has_too_many_corners, middle, thin};
pub use failed_attempts::{FailedAttempt, Failure, Failures};
pub use ids::{ActiveColumn, ActiveColumns, ColumnId, EqualityId, LiftedAtomId, LiftedFunctionId};
pub use in_memory::{Both, ExampleStep, Remembered};
pub(crate) use incomplete::Places;
pub use incomplete::{MaskedSteps, PartialSteps, UnknownValues};
pub(crate) use kept_traces::kept_traces;
pub use learner::{Attempts, History, Learner, Outside};
pub use lens::{InPart, Lens, Mention, TooLargeAction};
pub use observer::{Anomaly, Observer};
pub use recording::{
    NoTraces, Phase, Progress, Provenance, Recorded, Recording, StateKey, StepId, Texts, Trace,
    TraceSubset, Unwatched, Visit,
};
pub use snapshot::{SnapshotError, load, save};
pub(crate) use truth_pairs::BooleanEvidence;
pub use truth_pairs::TruthPairs;
pub use vocabulary::{
    Degree, MAX_ATOMS, MAX_COLUMNS, Monomial, TooLarge, Vocabulary, count_monomials,
};
