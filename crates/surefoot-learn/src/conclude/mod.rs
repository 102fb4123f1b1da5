//! Conclusions: what the evidence of one action amounts to under stated assumptions.
//!
//! *In*: the evidence of an action, and [`Settings`]: the assumptions in addition to the class, and
//! the budgets. *Out*: a [`Conclusion`]: a learned action, why there is too little evidence for
//! one, or why no model of the class explains the records.
//!
//! ```text
//!                    ┌─▶ literals ────────────────────────────┐
//! ActionEvidence ────┼─▶ effect, aliasing ─▶ numeric ─┐        ├─▶ action ─▶ Conclusion
//!                    └─▶ region, rays, rounding ──────┴────────┘
//! ```
//!
//! *The invariant*: the learned action allows a step only if *every* model of the class that
//! explains the records allows it, and does there what all of them do (docs/theory.md). It depends
//! on the set of records alone. Failed attempts play no part yet: `failures` decides what they
//! refute, and `model` has the last word.
//!
//! *Where to begin*: `action`. Atoms: `literals`. Numbers: `numeric` combines the `region` (with
//! `rays` for monotone functions) and the effects (`effect` for a function alone, `aliasing` for
//! several functions that refer to the same value). `inexact` is the same for records with errors.
//! `conclusion` has every reason to leave an action out, with its sentence. `settings` has the
//! dials by id, and the way back into names; `resolve` reads the dials of a user, `monotonicity`
//! says when more records can allow less.

mod action;
mod aliasing;
mod conclusion;
mod effect;
pub(crate) mod inexact;
pub(crate) mod linear;
pub(crate) mod literals;
mod monotonicity;
pub(crate) mod numeric;
mod rays;
mod region;
mod resolve;
mod rounding;
mod settings;

pub use action::contradiction;
pub use conclusion::{Conclusion, Inconsistency, LearnedAction, LeftOut, Unknown};
pub use effect::{Affine, NumericForm};
pub(crate) use effect::{Factors, explained};
pub use inexact::{Fit, Inexact, Settlement, Stage, Weights, smallest_error};
pub(crate) use inexact::{RecordedOutcomes, is_consistent};
pub(crate) use literals::not_all_equal;
pub use literals::same;
pub use literals::{BooleanEffect, BooleanModel, Contradiction};
pub use monotonicity::TakesBack;
pub use numeric::NumericModel;
pub(crate) use numeric::unexplained_together;
pub use rays::{Marked, UnfitMark, check_marks, rays};
pub(crate) use region::MAX_SHADOWS;
pub use region::{Extent, Region, Shadow};
pub use resolve::SpecError;
pub use settings::{Settings, SettingsError, assumptions, in_words};
