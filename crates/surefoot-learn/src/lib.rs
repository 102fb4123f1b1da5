//! Learns safe PDDL action models from recorded executions. The crate `surefoot` re-exports this
//! learner as `surefoot_learn::learn`; its page has the promise and an example.
//!
//! Five rooms; each one uses only those above it:
//!
//! ```text
//! evidence    recorded steps ─▶ what they show of each action: a Learner, which merges
//! conclude    the evidence of an action, under assumptions ─▶ what it amounts to: a Conclusion
//! failures    failed attempts ─▶ what they forbid, and what they refute
//! model       all conclusions ─▶ the last word on each action: a Model, its PDDL and certificate
//! workflow    a Job ─▶ a Model, or why not: bad data, diagnosis, advice that was tried
//! ```
//!
//! *Where to begin*: each room has a page at the top of its `mod.rs`. A step goes through
//! [`Recording`] → [`Observer`] → [`Learner`] → [`Learner::conclude`] (in `model::verdict`) →
//! [`Model`]; [`Job::run`] does all of this.
#![forbid(unsafe_code)]

mod conclude;
mod evidence;
mod failures;
mod model;
mod workflow;

pub use conclude::{
    Affine, BooleanEffect, BooleanModel, Conclusion, Contradiction, Extent, Fit, Inconsistency,
    Inexact, LearnedAction, LeftOut, Marked, NumericForm, NumericModel, Region, Settings,
    SettingsError, Settlement, Shadow, SpecError, Stage, TakesBack, UnfitMark, Unknown, Weights,
    assumptions, check_marks, in_words, rays, smallest_error,
};
pub use evidence::{
    ActionEvidence, ActiveColumn, ActiveColumns, Anomaly, Attempts, Both, Class, ColumnId, Degree,
    EqualityId, FailedAttempt, Failure, Failures, History, InPart, Layout, Learner, Lens,
    LiftedAtomId, LiftedFunctionId, MAX_ATOMS, MAX_COLUMNS, MaskedSteps, Mention, Monomial,
    NoTraces, Observation, Observer, Outside, PartialSteps, Pattern, PatternEvidence, Phase,
    Progress, Provenance, Recorded, Recording, Remembered, SnapshotError, StateKey, StepId, Texts,
    Thin, TooLarge, TooLargeAction, Trace, TraceSubset, TruthPairs, UnknownValues, Unwatched,
    Visit, Vocabulary, count_monomials, load, save,
};
pub use failures::{Witness, WitnessNumber};
pub use model::{
    ActionSummary, Answer, Answers, ByPart, CertificateMismatch, Grounds, Model, OutsideSummary,
    RecordJudge, ResolvedSteps, Summary, Verdict, certificate, whole,
};
pub use surefoot_base::assumptions::{Algorithm, FAILS_ONLY, Monotone};
pub use workflow::{
    BadData, Cause, CutNote, Diagnosis, Drift, FailedGroup, FailureDiagnosis, FailureSign, Finding,
    Job, LEARNERS, LearnError, LearnerKind, Learns, NoQuarantine, NoQuarantineReason, NoSuggestion,
    Observed, OnBadData, Outliers, Piece, Policy, Reading, Relation, Reread, SetAsideLimit, Split,
    Start, StepPlace, Suggestion, Way, learn, learn_with, outliers,
};

// For the rest of `surefoot` (explain, lint, assess, evaluate, found); not for users.
#[doc(hidden)]
pub use conclude::{contradiction, same};
#[doc(hidden)]
pub use evidence::ExampleStep;
#[doc(hidden)]
pub use failures::is_failure_contradictory;
#[doc(hidden)]
pub use model::is_open;
#[doc(hidden)]
pub use workflow::{
    AffineFit, FLOATING, NOISE, Unlearned, is_computed, is_refuted, is_unchanged, places_of,
    refuted_assumption,
};
