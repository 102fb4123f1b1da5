//! A lower confidence bound on a mean, by betting (docs/theory.md, "How much is enough").
//!
//! Someone who bets that values in [0, 1] are above `c`, a share of their capital each time that
//! they choose before they see the value, does not get rich if the values' means are at most `c`:
//! the capital has a mean of at most 1, so it reaches `1/δ` with probability at most δ. Where it
//! does, `c` is refuted. The means need not be equal: they may be those of a model that grows. If
//! no mean is above the last one, what is refuted is refuted of the last one. Capitals of several
//! bettors, who see the same values in other orders, are averaged: the average has a mean of at
//! most 1 too. (Waudby-Smith and Ramdas, *Estimating means of bounded random variables by betting*,
//! 2024; Vovk and Wang, *E-values: calibration, combination and applications*, 2021.)

/// Values in [0, 1] in the order in which one bettor sees them.
pub type Sequence = Vec<f64>;

/// What is bet on each value: a share of the capital for each unit that it is above `c`. It depends
/// on the values before alone, and not on `c`, so that the capital falls with `c`; at most 1, so
/// that no value takes all of it.
fn stakes(values: &[f64], delta: f64) -> Vec<f64> {
    // As if a mean of 3/4 and a variance of 1/8 had been observed once.
    let (mut mean_sum, mut spread_sum, mut seen) = (0.75, 0.125, 1.0);
    let count = values.len() as f64;
    let mut stakes = Vec::with_capacity(values.len());
    for &value in values {
        let variance: f64 = spread_sum / seen;
        stakes.push((2.0 * (1.0 / delta).ln() / (variance * count)).sqrt().min(1.0));
        let mean = mean_sum / seen;
        seen += 1.0;
        mean_sum += value;
        spread_sum += (value - mean) * (value - mean_sum / seen);
    }
    stakes
}

/// The logarithm of the capital after betting against a mean of at most `c`.
fn ln_capital(values: &[f64], stakes: &[f64], c: f64) -> f64 {
    values.iter().zip(stakes).map(|(value, stake)| (stake * (value - c)).ln_1p()).sum()
}

/// Rounding may not refute what the capital does not: it must be this much larger.
const MARGIN: f64 = 1e-9;

/// Whether the mean capital of the bettors refutes, with confidence `1 - delta`, a mean of `c`.
fn is_refuted(sequences: &[(&Sequence, Vec<f64>)], c: f64, delta: f64) -> bool {
    let capitals: f64 = sequences
        .iter()
        .map(|(values, stakes)| ln_capital(values, stakes, c).min(700.0).exp())
        .sum();
    capitals / sequences.len() as f64 > (1.0 + MARGIN) / delta
}

/// The least mean that is not refuted, with confidence `1 - delta`: the mean of the last of the
/// values that any bettor saw is at least that, if each bettor's values have means that never fall.
/// 0 where nothing is refuted.
pub fn lower_bound(sequences: &[Sequence], delta: f64) -> f64 {
    let sequences: Vec<(&Sequence, Vec<f64>)> =
        sequences.iter().map(|values| (values, stakes(values, delta))).collect();
    if sequences.is_empty() || !(delta > 0.0 && delta < 1.0) {
        return 0.0;
    }
    // Capital falls with c, so what lies below a refuted c is refuted.
    let (mut below, mut above) = (0.0, 1.0);
    if !is_refuted(&sequences, below, delta) {
        return 0.0;
    }
    for _ in 0..50 {
        let middle = (below + above) / 2.0;
        if is_refuted(&sequences, middle, delta) { below = middle } else { above = middle }
    }
    below
}
