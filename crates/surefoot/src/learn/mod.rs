//! Learning: from transitions to evidence, from evidence to actions.
//!
//! transition → [`Lens`] → [`Observation`] → [`ActionEvidence`] (a mergeable value) → [`Conclusion`] → action. What is assumed on
//! the way is in [`Class`] and [`Settings`], and nowhere else.

mod assumptions;
mod audit;
mod binding;
mod certificate;
mod effect;
mod evidence;
mod learner;
mod lens;
mod linear;
mod literals;
mod numeric;
mod precondition;
mod rounding;
mod snapshot;
mod vocabulary;
mod whole;

pub use assumptions::{Algorithm, Class, Monotone, Settings, in_words};
pub use audit::outliers;
pub use binding::Pattern;
pub use certificate::{
    ActionRecord, AlgorithmRecord, Certificate, ClassRecord, FacetRecord, MonotoneRecord, SetAside, SettingsRecord, digest,
    vocabulary_digest,
};
pub use effect::{Affine, NumericForm};
pub use evidence::{ActionEvidence, Observation, PatternEvidence};
pub use learner::{Conclusion, Inconsistency, LearnedAction, Learner, LeftOut, TooManyColumns, learned_domain};
pub use lens::{Anomaly, Lens};
pub use literals::{BooleanEffect, BooleanModel, Contradiction, Seen};
pub use numeric::NumericModel;
pub use precondition::{Extent, Region};
pub use snapshot::{SnapshotError, load, save, vocabulary_of};
pub use vocabulary::{Degree, MAX_COLUMNS, Monomial, Vocabulary, count_monomials};
pub use whole::{Unfit, whole};
