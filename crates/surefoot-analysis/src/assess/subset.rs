//! A few traces that suffice: what is learned from them allows all the others, and all traces
//! together allow no less.
//!
//! Which few does not matter to the bound, only how many. Greedy: take the trace of which the most
//! steps are refused, until none is refused; then drop those that the ones taken later made
//! superfluous. Where learning is monotone, the number of refused steps of a trace never grows, and
//! what was counted earlier is a bound for what is refused now: few traces are looked at again.
//! Where it may not be, the others must teach nothing, so that the model of the few is that of all.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use surefoot_learn::{Learner, Phase, Progress, Settings};

use super::growing::Growing;
use super::traces::Traces;

/// Traces from which a model is learned that allows all others as a whole, and no more than that of
/// all traces does; ascending. `None` where the caller did not want it to go on.
pub(super) fn sufficient(
    traces: &Traces,
    settings: &Settings,
    progress: &dyn Progress,
) -> Option<Vec<usize>> {
    progress.phase(Phase::Sufficing, 0);
    let mut model = Growing::new(traces, settings);
    let mut taken = Vec::new();
    // The most refused first; of equals the first.
    let mut open: BinaryHeap<(usize, Reverse<usize>)> = traces
        .all
        .iter()
        .enumerate()
        .map(|(number, trace)| (trace.length, Reverse(number)))
        .collect();
    while let Some((_, Reverse(number))) = open.pop() {
        if !progress.go_on() {
            return None;
        }
        let tally = model.tally(number);
        let refused = tally.steps - tally.allowed;
        if refused == 0 && is_superfluous(&mut model, number) {
            continue;
        }
        let candidate = (refused, Reverse(number));
        if open.peek().is_some_and(|next| *next > candidate) {
            open.push(candidate);
            continue;
        }
        model.add(number);
        taken.push(number);
    }
    let mut kept = without_superfluous(traces, settings, &taken, progress)?;
    kept.sort_unstable();
    if !suffice(traces, settings, &kept) {
        // What all of them say is true whatever happened above, and a bound that says nothing.
        kept = (0..traces.all.len()).collect();
    }
    Some(kept)
}

/// Whether a model needs a trace no more.
fn is_superfluous(model: &mut Growing<'_>, number: usize) -> bool {
    model.allows_trace(number) && (model.is_monotone() || model.knows(number))
}

/// Whether a model learned again from some traces needs none of the others.
fn suffice(traces: &Traces, settings: &Settings, kept: &[usize]) -> bool {
    let chosen: BTreeSet<usize> = kept.iter().copied().collect();
    let mut model = Growing::of(traces, settings, traces.merged(kept.iter().copied()));
    (0..traces.all.len())
        .filter(|number| !chosen.contains(number))
        .all(|number| is_superfluous(&mut model, number))
}

/// Drops traces, the first ones first, as long as the others still suffice.
fn without_superfluous(
    traces: &Traces,
    settings: &Settings,
    taken: &[usize],
    progress: &dyn Progress,
) -> Option<Vec<usize>> {
    // By place: what was learned from the traces after it.
    let mut after: Vec<Learner> = vec![traces.base.clone()];
    for &number in taken.iter().skip(1).rev() {
        let mut learner = after.last()?.clone();
        learner.merge(&traces.all[number].learner);
        after.push(learner);
    }
    let mut kept = Vec::new();
    let mut before = traces.base.clone();
    for &number in taken {
        if !progress.go_on() {
            return None;
        }
        let mut others = after.pop()?;
        others.merge(&before);
        let mut model = Growing::of(traces, settings, others);
        // A trace that is needed is most often refused itself, which is quickly found.
        let superfluous = is_superfluous(&mut model, number)
            && (0..traces.all.len()).all(|other| is_superfluous(&mut model, other));
        if !superfluous {
            before.merge(&traces.all[number].learner);
            kept.push(number);
        }
    }
    Some(kept)
}
