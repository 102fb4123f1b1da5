//! How good a learned model is: the paper's metrics of correctness and effectiveness, and what
//! stands behind them.
//!
//! A [`Metric`] is a figure with a name, [`Scores`] are those of an action or a model;
//! [`syntactic`] compares texts, [`semantic`] compares meanings on recorded and random steps
//! ([`Dataset`]), [`PlanOutcome`] says what plans made with a model come to in the real one,
//! [`Replayer`] whether a domain is the real one of some records, [`score`] what a model says of a
//! log without the real one, [`assumption`] whether what a learner was told is true, and
//! [`Interval`] how far folds agree. Comparisons are exact unless a caller gives a tolerance: to
//! the real model as it is written, to a learned one with [`unit_normals`].

mod align;
pub mod answers;
pub mod assumption;
mod dataset;
mod interval;
mod metric;
mod outcome;
mod replay;
mod score;
mod scores;
pub mod semantic;
mod successors;
pub mod syntactic;
mod unit;
mod walk;

pub use align::{UnknownName, aligned, aligned_with_errors};
pub use answers::ActionAnswers;
pub use dataset::{Dataset, Delta, Episode, Sample, Scene};
pub use interval::Interval;
pub use metric::{Better, Kind, Metric, UnknownMetric};
pub use outcome::{Attempt, PlanOutcome, judge, translated};
pub use replay::{Replay, ReplayCount, Replayer, has_no_effects};
pub use score::{ActionLogScore, LogScore, score};
pub use scores::{Score, Scores};
pub use successors::Successors;
pub use unit::unit_normals;
pub use walk::{Walks, wander};

/// A share that is undefined where there is nothing to share.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ratio {
    /// How many are.
    pub hits: u64,
    /// Of how many.
    pub of: u64,
}

impl Ratio {
    /// The share; `None` of nothing.
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }

    /// The share; of nothing, the given value.
    pub fn value_or(self, nothing: f64) -> f64 {
        self.value().unwrap_or(nothing)
    }

    /// Whether all are, exactly.
    pub fn is_whole(self) -> bool {
        self.hits == self.of
    }
}

/// The mean of values; `None` of none.
pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) =
        values.into_iter().fold((0.0, 0u64), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}
