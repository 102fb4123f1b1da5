//! All learners that can be compared: those of the library, and baselines.

use surefoot_learn::{LEARNERS, LearnerKind};

/// All learners, the usual one first.
pub fn all() -> impl Iterator<Item = &'static LearnerKind> {
    LEARNERS.iter().chain(surefoot_planminer::LEARNERS)
}

/// The learner of a name.
pub fn find(name: &str) -> Option<&'static LearnerKind> {
    all().find(|kind| kind.name == name)
}
