//! How fast the refused share falls with more traces, and where that leads: not farther than twice
//! the data.

use serde::{Serialize, Serializer};

/// What the data suggest about more traces. As JSON, a number of traces (0 where the share is
/// reached), `"more than as many again"`, or `null`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum More {
    /// The share asked for is reached.
    Reached,
    /// About this many more traces.
    About(usize),
    /// More than as many again: nothing can be said.
    BeyondTwice,
    /// Too few traces to see how the share grows.
    CannotSay,
}

impl Serialize for More {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            More::Reached => serializer.serialize_u64(0),
            More::About(traces) => serializer.serialize_u64(*traces as u64),
            More::BeyondTwice => serializer.serialize_str("more than as many again"),
            More::CannotSay => serializer.serialize_none(),
        }
    }
}

/// Fewer traces show no curve.
const LEAST: usize = 8;

/// How many more traces a share of steps takes. `refused` has, by number of traces learned from,
/// the share that was refused of the next one (a mean over several orders); `now` is the share
/// refused after all of them.
///
/// The share refused falls like a power of the number of traces: the factor by which it fell from
/// the second quarter to the second half, where the number doubles, is the factor of the next
/// doubling.
pub(super) fn more(refused: &[f64], now: f64, share: f64) -> More {
    let count = refused.len();
    let wanted = 1.0 - share;
    if now <= wanted {
        return More::Reached;
    }
    if count < LEAST {
        return More::CannotSay;
    }
    let (early, late) = (mean(&refused[count / 4..count / 2]), mean(&refused[count / 2..]));
    if !(late > 0.0 && early > late) {
        return More::BeyondTwice;
    }
    let exponent = (early / late).log2();
    let factor = (now / wanted.max(f64::MIN_POSITIVE)).powf(1.0 / exponent);
    if factor > 2.0 {
        More::BeyondTwice
    } else {
        More::About((((factor - 1.0) * count as f64).ceil() as usize).max(1))
    }
}

/// The mean of some values; 0 where there are none.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
