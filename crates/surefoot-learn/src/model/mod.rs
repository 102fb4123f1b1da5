//! Models: the learned actions, the reasons why others are missing, and the assumptions and proof.
//!
//! *In*: a learner and settings. *Out*: a [`Model`]: what it allows in a state
//! ([`Model::for_states`]), what a planner gets ([`Model::for_planning`]), its PDDL, its
//! certificate, its summary, and [`Answers`] about states.
//!
//! ```text
//! Learner, Settings ─▶ verdict ─▶ Model ─▶ certify, summary, PDDL
//!                                   └────▶ answers: allowed, forbidden or unknown
//! ```
//!
//! *The invariant*: an action is in a model only if `verdict` said so, in one place, after
//! failures, unsatisfiable conditions and errors were considered. Writing only writes. Whatever a
//! model assumes is a sentence in its header.
//!
//! *Where to begin*: `verdict`, then `learned`. `estimates` is the domain for planning where
//! records have errors, `full_hull` reads one back with the regions of its certificate,
//! `record_judge` compares a domain with recorded steps.

mod answers;
mod by_part;
mod certify;
mod estimates;
mod full_hull;
mod learned;
mod reasons;
mod record_judge;
mod summary;
mod verdict;

pub use answers::{Answer, Answers};
pub use by_part::ByPart;
pub use certify::certificate;
pub use full_hull::{CertificateMismatch, whole};
pub use learned::{Grounds, Model};
pub use record_judge::{RecordJudge, ResolvedSteps, Verdict, is_open};
pub use summary::{ActionSummary, OutsideSummary, Summary};
pub(crate) use verdict::Verdicts;
