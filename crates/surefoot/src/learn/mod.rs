//! Learning: from transitions to evidence, from evidence to actions.
//!
//! transition → [`Lens`] → [`Observation`] → [`ActionEvidence`] (a mergeable value) → [`Conclusion`] → action. What is assumed on
//! the way is in [`Class`] and [`Settings`], and nowhere else.

mod audit;
mod binding;
mod cells;
mod certify;
mod effect;
mod evidence;
mod learner;
mod lens;
mod linear;
mod literals;
mod numeric;
mod reading;
mod region;
mod rounding;
mod settings;
mod snapshot;
mod vocabulary;
mod whole;

pub use crate::assumptions::{Algorithm, Monotone};
pub use audit::outliers;
pub use binding::Pattern;
pub use certify::certificate;
pub use effect::{Affine, NumericForm};
pub use evidence::{ActionEvidence, Layout, Observation, PatternEvidence};
pub use learner::{Conclusion, History, Inconsistency, LearnedAction, Learner, LeftOut, TooLargeAction, learned_domain};
pub use lens::{Anomaly, Lens};
pub use literals::{BooleanEffect, BooleanModel, Contradiction, TruthPairs};
pub use numeric::NumericModel;
pub use region::{Extent, Region, Shadow, UnfitMark, check_marks, rays};
pub use settings::{Class, Settings, SettingsError, assumptions, in_words};
pub use snapshot::{SnapshotError, load, save};
pub use vocabulary::{Degree, MAX_ATOMS, MAX_COLUMNS, Monomial, TooLarge, Vocabulary, count_monomials};
pub use whole::{Unfit, whole};
