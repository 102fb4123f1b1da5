//! What the traces say about a trace that is not among them: each is tried in models that did not
//! see it.
//!
//! - *In order*: each trace is tried in the model of those before it. Where learning is monotone
//!   the models only grow, so what is proved of these answers holds of the model of all traces,
//!   too; several orders are tried.
//! - *Left out*: each trace is tried in the model of all others (where there are very many, of all
//!   but a group): the estimate, from below, of what the model of all would do with a new one.

use std::collections::BTreeMap;

use rayon::prelude::*;

use surefoot_base::model::ActionId;
use surefoot_base::random::Random;
use surefoot_learn::{LearnError, Learner, Phase, Progress, Settings};

use super::betting::Sequence;
use super::growing::{Growing, Tally};
use super::rule::FailedRule;
use super::traces::{EqualSteps, Traces};

/// The number of orders in which traces are tried. It is fixed, and so are the random draws:
/// whoever could choose would choose what pleases.
const ORDERS: usize = 4;

/// The number of groups of traces that are left out, one after another; if there are no more
/// traces, each trace is a group.
const GROUPS: usize = 100;

/// What the traces of each order showed.
pub(super) struct InOrder {
    /// By order: the share of steps allowed.
    pub shares: Vec<Sequence>,
    /// By order: 1 where the trace is allowed as a whole, else 0.
    pub wholes: Vec<Sequence>,
    /// By number of traces learned from: the mean share of steps refused.
    pub refused: Vec<f64>,
}

/// The numbers below a bound in an order drawn at random, always the same.
fn order(count: usize, number: usize) -> Vec<usize> {
    let mut random = Random::for_part(number as u64, "assess");
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, random.below(last + 1));
    }
    order
}

/// Of each order, the model of the first third sees no bets: it knows too little.
pub(super) fn learned_first(count: usize) -> usize {
    count.div_ceil(3)
}

/// Tries the traces in several orders.
pub(super) fn in_order(
    traces: &Traces,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<InOrder, LearnError> {
    progress.phase(Phase::Ordering, ORDERS);
    let all: Vec<Vec<Tally>> = (0..ORDERS)
        .into_par_iter()
        .map(|number| try_order(traces, settings, progress, number))
        .collect::<Result<_, _>>()?;
    Ok(InOrder {
        shares: after_first(&all, |tally| tally.share()),
        wholes: after_first(&all, |tally| if tally.whole() { 1.0 } else { 0.0 }),
        refused: (0..traces.all.len())
            .map(|place| {
                all.iter().map(|tallies| 1.0 - tallies[place].share()).sum::<f64>() / ORDERS as f64
            })
            .collect(),
    })
}

/// Tries each trace in the model of those before it in an order.
fn try_order(
    traces: &Traces,
    settings: &Settings,
    progress: &dyn Progress,
    number: usize,
) -> Result<Vec<Tally>, LearnError> {
    let mut model = Growing::new(traces, settings);
    let mut tallies = Vec::new();
    for trace in order(traces.all.len(), number) {
        if !progress.go_on() {
            return Err(LearnError::Stopped);
        }
        tallies.push(model.tally(trace));
        model.add(trace);
    }
    progress.part_done();
    Ok(tallies)
}

/// By order: a figure of each trace after those that are only learned from.
fn after_first(orders: &[Vec<Tally>], figure: fn(&Tally) -> f64) -> Vec<Sequence> {
    orders
        .iter()
        .map(|tallies| tallies[learned_first(tallies.len())..].iter().map(figure).collect())
        .collect()
}

/// What a trace that was left out showed.
pub(super) struct HeldOutTrace {
    pub tally: Tally,
    /// Its refused steps, and why.
    pub refused: Vec<(EqualSteps, Vec<FailedRule>)>,
}

/// Tries each trace in the model of the others; how many traces are left out at a time.
pub(super) fn left_out(
    traces: &Traces,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<(Vec<HeldOutTrace>, usize), LearnError> {
    let count = traces.all.len();
    let size = count.div_ceil(GROUPS).max(1);
    let shuffled = order(count, ORDERS);
    let groups: Vec<&[usize]> = shuffled.chunks(size).collect();
    progress.phase(Phase::LeavingOut, count);
    // A model that refuses a step it was learned from says nothing about a state that another trace
    // has, too.
    let mut whole = Growing::of(traces, settings, traces.merged(0..count));
    let consistent =
        traces.takes_back.is_none() && (0..count).all(|trace| whole.allows_trace(trace));
    let trial = HeldOutTrial { traces, settings, progress, consistent };
    let mut found = trial.without(&groups, traces.base.clone())?;
    found.sort_by_key(|(trace, _)| *trace);
    Ok((found.into_iter().map(|(_, left_out)| left_out).collect(), size))
}

struct HeldOutTrial<'a> {
    traces: &'a Traces,
    settings: &'a Settings,
    progress: &'a dyn Progress,
    /// Whether what was learned of an action allows each state that it was learned from.
    consistent: bool,
}

impl HeldOutTrial<'_> {
    /// Tries each of some groups in the model of all else: of what was learned outside of them, and
    /// of the other groups. Halving them, each trace is merged as often as the groups can be
    /// halved.
    fn without(
        &self,
        groups: &[&[usize]],
        outside: Learner,
    ) -> Result<Vec<(usize, HeldOutTrace)>, LearnError> {
        if !self.progress.go_on() {
            return Err(LearnError::Stopped);
        }
        match groups {
            [] => Ok(Vec::new()),
            [group] => {
                let tried = self.try_group(group, outside);
                group.iter().for_each(|_| self.progress.part_done());
                Ok(tried)
            }
            _ => {
                let (left, right) = groups.split_at(groups.len() / 2);
                let (one, other) = rayon::join(
                    || self.without(left, self.merge_groups(&outside, right)),
                    || self.without(right, self.merge_groups(&outside, left)),
                );
                let mut all = one?;
                all.extend(other?);
                Ok(all)
            }
        }
    }

    /// What was learned outside of some groups, and of them.
    fn merge_groups(&self, outside: &Learner, groups: &[&[usize]]) -> Learner {
        let mut learner = outside.clone();
        groups
            .iter()
            .copied()
            .flatten()
            .for_each(|&trace| learner.merge(&self.traces.all[trace].learner));
        learner
    }

    fn try_group(&self, group: &[usize], others: Learner) -> Vec<(usize, HeldOutTrace)> {
        let mut own: BTreeMap<(ActionId, usize), usize> = BTreeMap::new();
        for step in group.iter().flat_map(|&trace| &self.traces.all[trace].steps) {
            if let Some(before) = step.before {
                *own.entry((step.action, before)).or_default() += 1;
            }
        }
        let mut model = Growing::of(self.traces, self.settings, others);
        let mut found = Vec::new();
        for &number in group {
            let trace = &self.traces.all[number];
            let mut refused = Vec::new();
            let mut allowed = 0;
            for step in &trace.steps {
                let shown = self.consistent
                    && step.before.is_some_and(|before| {
                        self.traces.shared[step.action][before] > own[&(step.action, before)]
                    })
                    && model.has_learned(step.action);
                if shown || model.allows(step) {
                    allowed += step.times;
                } else {
                    refused.push((*step, model.reasons(step)));
                }
            }
            found.push((
                number,
                HeldOutTrace { tally: Tally { allowed, steps: trace.length }, refused },
            ));
        }
        found
    }
}
