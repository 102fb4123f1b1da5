//! Learning: from transitions to evidence, from evidence to actions.
//!
//! transition → [`Observer`] → [`Observation`] → [`ActionEvidence`] (a mergeable value) →
//! [`Conclusion`] → action. What is assumed on the way is in [`Class`] and [`Settings`], and
//! nowhere else.

mod answer;
mod audit;
mod bad_data;
mod binding;
mod cells;
mod certify;
mod diagnosis;
mod effect;
mod evidence;
mod failures;
mod forbids;
mod growth;
mod ids;
mod inexact;
mod judge;
mod learner;
mod learners;
mod linear;
mod literals;
mod model;
mod numeric;
mod observer;
mod open;
mod partial;
mod points;
mod rays;
mod reading;
mod recording;
mod refuted;
mod region;
mod remembered;
mod replay;
mod resolve;
mod rounding;
mod settings;
mod snapshot;
mod spoiled;
mod stored_failures;
mod stored_inexact;
mod summary;
mod trial;
mod unchanged;
mod vocabulary;
mod whole;
mod workflow;

pub use crate::assumptions::{Algorithm, FAILS_ONLY, Monotone};
pub use answer::{Answer, Answers, Witness, WitnessNumber};
pub use audit::outliers;
pub use bad_data::{
    BadData, Finding, NoQuarantine, NoQuarantineReason, OnBadData, Policy, SetAsideLimit, StepId,
};
pub use binding::Pattern;
pub use certify::certificate;
pub(crate) use diagnosis::least_squares;
pub use diagnosis::{
    Cause, Diagnosis, Drift, FailedGroup, FailureDiagnosis, FailureSign, NoSuggestion, Piece,
    Relation, Split, StepPlace, Suggestion, Way,
};
pub use effect::{Affine, NumericForm};
pub use evidence::{ActionEvidence, Layout, Observation, PatternEvidence};
pub use failures::{FailedAttempt, Failure, Failures};
pub use growth::TakesBack;
pub use ids::{ActiveColumn, ActiveColumns, ColumnId, EqualityId, LiftedAtomId, LiftedFunctionId};
pub use inexact::{Fit, Inexact, Settlement, Stage, Thin, Weights, smallest_error};
pub(crate) use judge::is_open;
pub use judge::{RecordJudge, ResolvedSteps, Verdict};
pub use learner::{
    Attempts, Conclusion, History, Inconsistency, LearnedAction, Learner, LeftOut, Mention,
    TooLargeAction, Unknown, learned_domain,
};
pub use learners::{LEARNERS, LearnerKind, Learns, Observed, Start, learn_with};
pub use literals::{BooleanEffect, BooleanModel, Contradiction, TruthPairs};
pub(crate) use model::with_bodies;
pub use model::{Grounds, Model, NOT_SAFE};
pub use numeric::NumericModel;
pub use observer::{Anomaly, Observer};
pub use partial::{MaskedSteps, PartialSteps, UnknownValues};
pub use rays::{Marked, UnfitMark, check_marks, rays};
pub use recording::{
    NoTraces, Phase, Progress, Provenance, Recorded, Recording, Texts, Trace, Unwatched, Visit,
};
pub use region::{Extent, Region, Shadow};
pub use remembered::{Both, Remembered};
pub use resolve::SpecError;
pub use settings::{Class, Settings, SettingsError, assumptions, in_words};
pub use snapshot::{SnapshotError, load, save};
pub use summary::{ActionSummary, Summary};
pub(crate) use trial::is_refuted;
pub use unchanged::Reread;
pub(crate) use unchanged::is_unchanged;
pub use vocabulary::{
    Degree, MAX_ATOMS, MAX_COLUMNS, Monomial, TooLarge, Vocabulary, count_monomials,
};
pub use whole::{Unfit, whole};
pub(crate) use workflow::refuted_assumption;
pub use workflow::{Job, LearnError, Reading, learn};
