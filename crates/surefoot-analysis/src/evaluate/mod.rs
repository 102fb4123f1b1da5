//! Measures how good a learned model is: the paper's metrics, and what they are computed from.
//!
//! *In*: a learned model, and a real domain or held-out records. *Out*: [`Scores`], a value for
//! each [`Metric`], of one action or of a model.
//!
//! ```text
//! recorded steps, random walks ─▶ Dataset (each step with the real model's verdict)
//!                                    │
//! learned model ──▶ align ──▶ semantic (same steps), syntactic (same literals) ─▶ Scores
//!               ──▶ outcome       what plans made with the model achieve in the real domain
//!               ──▶ score         what the model says of held-out records, without a real domain
//!               ──▶ assumption    whether its assumptions are true of the real domain
//!               ──▶ successors    how large the errors of its successors are
//! ```
//!
//! *The invariants*: comparisons are exact unless the caller gives a tolerance. A tolerance applies
//! to the real model as it is written, and to a learned model with [`unit_normals`], so that it is
//! a distance. A domain counts as real only if it replays the records ([`Replayer`]).
//!
//! *Where to begin*: `metric` (every figure, by name), then `semantic`. [`Interval`] says how far
//! folds agree; `walk` makes the random steps; `answers` counts allowed, forbidden and unknown.

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
    /// How many cases have the property.
    pub hits: u64,
    /// How many cases there are.
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
