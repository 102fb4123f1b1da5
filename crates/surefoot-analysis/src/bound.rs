//! Bounds that are proved: how often a new trace is allowed as a whole, how many traces that takes
//! (docs/theory.md, "How much is enough"), and how often a new trace goes wrong ("Wrong, whatever
//! is true").
//!
//! All of it is computed in logarithms, with every rounding error on the safe side: what is
//! returned is never above the true bound, and numbers of traces never below the true one.

/// Logarithms of factors between 1 and 2³² are sums of at most some millions of terms of at most
/// 23, each right to a few units in the last place: relative to the sum of the terms, the error is
/// far below this.
const ROUNDING: f64 = 1e-9;

/// At least `ln C(n, k)`.
fn ln_choose_above(n: usize, k: usize) -> f64 {
    let k = k.min(n - k.min(n));
    let sum: f64 = (0..k).map(|i| ((n - i) as f64 / (i + 1) as f64).ln()).sum();
    sum * (1.0 + ROUNDING) + ROUNDING
}

/// The share of traces that a model allows as a whole, at least, with confidence `1 - delta`: it
/// was learned from `k` of `m` independent traces, whichever these are, and allows the other
/// `m - k`.
///
/// `(delta / (m C(m, k)))^(1/(m - k))`: a model of `k` given traces that allows less than a share
/// `p` of all traces allows `m - k` others with probability at most `p^(m - k)`; there are
/// `C(m, k)` ways to choose the `k`, and `m` numbers `k` below `m`. Where `k = m` nothing follows,
/// and the bound is 0.
pub fn compression(m: usize, k: usize, delta: f64) -> f64 {
    if k >= m || !(0.0..1.0).contains(&delta) || delta == 0.0 {
        return 0.0;
    }
    // ln(m) and ln(1/delta), from above.
    let ln_ways =
        ln_choose_above(m, k) + ((m as f64).ln() - delta.ln()) * (1.0 + ROUNDING) + ROUNDING;
    let share = (-ln_ways / (m - k) as f64).exp();
    (share * (1.0 - ROUNDING)).clamp(0.0, 1.0)
}

/// The share of traces that go wrong, at most, with confidence `1 - delta`: of `m` independent
/// traces that the model was not learned from, `wrong` did.
///
/// The bound of Clopper and Pearson: the largest share with which so few of `m` go wrong with a
/// probability above `delta`. The probability falls as the share grows, so the share is found by
/// halving; it is returned from above.
pub fn wrong_at_most(m: usize, wrong: usize, delta: f64) -> f64 {
    if wrong >= m || !(0.0..1.0).contains(&delta) || delta == 0.0 {
        return 1.0;
    }
    // The logarithms of the ways to choose those that go wrong, from above; each from the last.
    let mut ln_ways = vec![0.0];
    for i in 0..wrong {
        ln_ways.push(ln_ways[i] + ((m - i) as f64 / (i + 1) as f64).ln());
    }
    let is_rare = |share: f64| {
        let term = |(i, &ways): (usize, &f64)| {
            let exponent = ways + i as f64 * share.ln() + (m - i) as f64 * (-share).ln_1p();
            (exponent + (ways.abs() + exponent.abs()) * ROUNDING + ROUNDING).exp()
        };
        ln_ways.iter().enumerate().map(term).sum::<f64>() * (1.0 + ROUNDING) <= delta
    };
    let (mut low, mut high) = (wrong as f64 / m as f64, 1.0);
    while high - low > high * ROUNDING {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if is_rare(middle) { high = middle } else { low = middle }
    }
    high
}

/// Whether `C(m, d) share^(m - d) <= delta`, even after rounding.
fn is_enough(m: usize, d: usize, share: f64, delta: f64) -> bool {
    ln_choose_above(m, d) + (m - d) as f64 * share.ln() * (1.0 - ROUNDING)
        <= delta.ln() * (1.0 + ROUNDING)
}

/// The least number of traces `m` with `C(m, d) share^(m - d) <= delta`: this many suffice,
/// whatever their distribution, for a model that `d` steps determine to allow a share of all traces
/// as a whole, with confidence `1 - delta`. `None` where no number does, or more than 10¹².
///
/// From `m = d`, where it is 1, the left side rises and then falls for good, so the least `m` is
/// found by halving.
pub fn traces_needed(d: usize, share: f64, delta: f64) -> Option<usize> {
    if !(share > 0.0 && share < 1.0 && delta > 0.0 && delta < 1.0) {
        return None;
    }
    let (mut few, mut many) = (d, d + 1);
    while !is_enough(many, d, share, delta) {
        few = many;
        many = d + (many - d).checked_mul(2)?;
        if many > 1_000_000_000_000 {
            return None;
        }
    }
    while many - few > 1 {
        let middle = few + (many - few) / 2;
        if is_enough(middle, d, share, delta) { many = middle } else { few = middle }
    }
    Some(many)
}
