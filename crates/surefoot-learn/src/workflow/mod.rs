//! The workflow: from recordings to a model, and what to do when the records do not agree.
//!
//! *In*: a [`Job`]: a recording, settings, and a policy for bad data. *Out*: a model, or a
//! [`LearnError`] that says which records contradict what, and what would help.
//!
//! ```text
//! read all traces ─▶ sort out bad data ─▶ conclude ─▶ try the model on all records ─▶ Model
//!                         │
//!                         └─▶ audit (which records), diagnosis (why, and what would help)
//! ```
//!
//! *The invariant*: no model leaves this room that contradicts a record it was learned from: each
//! step that worked ends where it was recorded to end, or is counted as refused, and no recorded
//! failure is allowed (`replay`). Nothing is dropped unless the user chose so, and then messages
//! name it.
//!
//! *Where to begin*: `job`. `reading` reads all traces, `error` has the words for why there is no
//! model, `bad_data` holds policies and findings, `spoiled` says what else a recording error makes
//! doubtful, `refutations` finds failures and assumptions that contradict each other, `trial` tries
//! an option before a message names it, `no_op_steps` reads steps that changed nothing, and
//! `learners` is the seam for other learners.

mod audit;
mod bad_data;
mod diagnosis;
mod error;
mod inexact_outliers;
mod job;
mod learners;
mod no_op_steps;
mod reading;
mod refutations;
mod replay;
mod spoiled;
mod trial;

pub use audit::{Outliers, outliers};
pub use bad_data::{
    BadData, CutNote, Finding, NoQuarantine, NoQuarantineReason, OnBadData, Policy, SetAsideLimit,
    places_of,
};
pub use diagnosis::{
    AffineFit, Cause, Diagnosis, Drift, FLOATING, FailedGroup, FailureDiagnosis, FailureSign,
    NOISE, NoSuggestion, Piece, Relation, Split, StepPlace, Suggestion, Way,
};
pub use error::LearnError;
pub use job::{Job, learn, refuted_assumption};
pub use learners::{LEARNERS, LearnerKind, Learns, Observed, Start, learn_with};
pub use no_op_steps::{Reread, is_unchanged};
pub use reading::Reading;
pub use spoiled::Unlearned;
pub use trial::{is_computed, is_refuted};
