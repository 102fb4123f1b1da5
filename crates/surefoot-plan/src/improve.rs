//! Better and better plans: weighted best-first search below the cost of the best plan found yet.
//!
//! The cost of a state is the problem's metric there, or the number of steps. Two states that
//! differ in nothing but variables that only the metric reads count as one; the cheaper counts.
//! Where they differ in burdens or assets, both count, unless one is no dearer and no worse in any
//! of them.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::SearchEffort;
use super::expression::{GroundExpression, GroundPolynomial};
use super::heuristic::RelaxedTask;
use super::ids::{StateId, StateWord, VariableId};
use super::search::{Control, PlanSearch, SearchContext, SearchStatus};
use super::task::{GroundTask, Operation};
use surefoot_base::exact::Rational;
use surefoot_base::ids::{Id, IdVec};

/// The most states that a new one is compared with.
const FRONT: usize = 32;

/// Weights of the estimate, from greedy to careful.
const WEIGHTS: [f64; 4] = [5.0, 3.0, 2.0, 1.0];

/// A search that knows a bound and looks for something cheaper.
pub struct Improve<'t> {
    context: SearchContext<'t>,
    task: &'t GroundTask,
    open: BTreeMap<(u64, u64), StateId>,
    entered: u64,
    /// Cost and number of steps of each stored state.
    costs: IdVec<StateId, (f64, u32)>,
    /// The states that no other is better than, by what matters of them besides burdens and assets.
    /// Without these: the cheapest.
    cheapest: FxHashMap<Box<[StateWord]>, SmallVec<[StateId; 1]>>,
    /// States that were met before a better one.
    dominated: FxHashSet<StateId>,
    bound: f64,
    weight: usize,
    started: bool,
    /// Whether the metric never falls, so that costly states can be left out.
    grows: bool,
}

impl<'t> Improve<'t> {
    /// Looks for plans cheaper than `bound`.
    pub fn new(task: &'t GroundTask, relaxed: &RelaxedTask, bound: f64) -> Self {
        Improve {
            context: SearchContext::telling_apart(task, relaxed),
            task,
            open: BTreeMap::new(),
            entered: 0,
            costs: IdVec::new(),
            cheapest: FxHashMap::default(),
            dominated: FxHashSet::default(),
            bound,
            weight: 0,
            started: false,
            grows: grows(task),
        }
    }

    /// The cost of a state that this many steps reached.
    fn cost(&self, state: StateId, steps: u32) -> f64 {
        match &self.task.cost {
            None => f64::from(steps),
            Some(cost) => {
                let values = self.task.values(self.context.space.row(state));
                let numbers = &self.context.interpreter.numbers;
                cost.expression.float(&|variable| numbers.float(values.number(variable)))
                    + cost.step.to_f64() * f64::from(steps)
            }
        }
    }

    /// Puts a new state in line, unless it is too costly; whether it was.
    fn enter(&mut self, state: StateId, steps: u32) -> bool {
        let cost = self.cost(state, steps);
        self.costs.push((cost, steps));
        if self.grows && cost >= self.bound - 1e-9 {
            return false;
        }
        if !self.is_better(state) {
            return false;
        }
        let Some(estimate) = self.context.evaluate(state) else { return false };
        // The estimate counts steps, whether cost is steps or a metric. It is scaled by the mean
        // cost of the steps until now.
        let unit = if self.task.cost.is_some() && steps > 0 {
            ((cost - self.costs[StateId::INITIAL].0) / f64::from(steps)).max(1e-3)
        } else {
            1.0
        };
        let rank = (cost - self.costs[StateId::INITIAL].0).max(0.0)
            + WEIGHTS[self.weight] * unit * f64::from(estimate);
        // Ranks are not negative, so their bits are in their order.
        self.entered += 1;
        self.open.insert((rank.to_bits(), self.entered), state);
        true
    }

    /// Whether no state met before is as good as this one, which then takes the place of those it
    /// is as good as.
    fn is_better(&mut self, state: StateId) -> bool {
        let Improve { context, task, costs, cheapest, dominated, .. } = self;
        let words = task.words();
        let mut key: Box<[StateWord]> = context.space.row(state)[..words + task.core].into();
        let burdens = &task.burdens;
        burdens.variables().for_each(|variable| key[words + variable.index()] = 0);
        let as_good = |one: StateId, other: StateId| {
            let (first, second) = (context.space.row(one), context.space.row(other));
            costs[one].0 <= costs[other].0
                && burdens.is_no_worse(first, second, words, &context.interpreter.numbers)
        };
        let known = cheapest.entry(key).or_default();
        if known.iter().any(|&known| as_good(known, state)) {
            return false;
        }
        known.retain(|known| {
            // Without burdens one state is known, and it is dearer.
            if burdens.is_empty() {
                return false;
            }
            let worse = as_good(state, *known);
            if worse {
                dominated.insert(*known);
            }
            !worse
        });
        if known.len() < FRONT {
            known.push(state);
        }
        true
    }
}

/// Whether no operator can make the metric smaller.
fn grows(task: &GroundTask) -> bool {
    let Some(cost) = &task.cost else { return true };
    let GroundExpression::Polynomial(polynomial) = &cost.expression else { return false };
    if !polynomial.is_linear() || cost.step.signum() < 0 {
        return false;
    }
    task.operators
        .iter()
        .flat_map(|operator| operator.all_effects())
        .flat_map(|effects| &effects.changes)
        .all(|change| {
            let Some(factor) = factor(polynomial, change.variable) else { return true };
            let amount = change.amount.as_constant().filter(|_| change.operation == Operation::Add);
            amount.is_some_and(|amount| (factor * amount).signum() >= 0)
        })
}

/// The factor of a variable in a linear polynomial.
fn factor(polynomial: &GroundPolynomial, variable: VariableId) -> Option<&Rational> {
    polynomial.terms.iter().find(|(monomial, _)| monomial[0] == variable).map(|(_, factor)| factor)
}

impl PlanSearch for Improve<'_> {
    fn advance(&mut self, work: u64, control: &Control) -> SearchStatus {
        let end = self.context.work() + work;
        if !self.started {
            self.started = true;
            if !self.enter(StateId::INITIAL, 0) {
                return SearchStatus::Exhausted;
            }
        }
        loop {
            let Some((_, state)) = self.open.pop_first() else {
                return self.context.nothing_left();
            };
            let (cost, steps) = self.costs[state];
            if self.grows && cost >= self.bound - 1e-9 || self.dominated.contains(&state) {
                continue;
            }
            self.context.find_applicable(state);
            let applicable = std::mem::take(&mut self.context.applicable);
            for &operator in &applicable {
                let Some(next) = self.context.take(state, operator, 1) else { continue };
                let is_goal = self.context.is_goal(next);
                self.enter(next, steps + 1);
                if is_goal && self.costs[next].0 < self.bound - 1e-9 {
                    return SearchStatus::Solved(self.context.space.path(next));
                }
            }
            self.context.applicable = applicable;
            if let Some(limit) =
                self.context.limit(control, self.costs.len() * 64 + self.open.len() * 48)
            {
                return limit;
            }
            if self.context.work() >= end {
                // Not there yet: be more careful about cost.
                self.weight = (self.weight + 1).min(WEIGHTS.len() - 1);
                return SearchStatus::Open;
            }
        }
    }

    fn effort(&self) -> SearchEffort {
        self.context.effort
    }
}
