//! Better and better plans: weighted best-first search below the cost of the best plan so far.
//!
//! The cost of a state is the problem's metric there, or the number of steps. Two states that differ in nothing but
//! variables that only the metric reads are one; the cheaper counts.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::Effort;
use super::expression::Expression;
use super::search::{Control, Field, Search, Status};
use super::task::{Operation, Task};

/// Weights of the estimate, from greedy to careful.
const WEIGHTS: [f64; 4] = [5.0, 3.0, 2.0, 1.0];

/// A search that knows a bound and looks for something cheaper.
pub struct Improve<'t> {
    field: Field<'t>,
    task: &'t Task,
    open: BTreeMap<(u64, u64), u32>,
    entered: u64,
    /// Cost and number of steps of each stored state.
    costs: Vec<(f64, u32)>,
    /// The lowest cost at which what matters of a state was met.
    cheapest: FxHashMap<Box<[u32]>, f64>,
    bound: f64,
    weight: usize,
    started: bool,
    /// Whether the metric never falls, so that costly states can be left out.
    grows: bool,
}

impl<'t> Improve<'t> {
    /// Looks for plans cheaper than `bound`.
    pub fn new(task: &'t Task, bound: f64) -> Self {
        Improve {
            field: Field::new(task),
            task,
            open: BTreeMap::new(),
            entered: 0,
            costs: Vec::new(),
            cheapest: FxHashMap::default(),
            bound,
            weight: 0,
            started: false,
            grows: grows(task),
        }
    }

    /// The cost of a state reached in so many steps.
    fn cost(&self, state: u32, steps: u32) -> f64 {
        match &self.task.cost {
            None => f64::from(steps),
            Some(cost) => {
                let values = &self.field.space.row(state)[self.task.words()..];
                let value = |variable: u32| self.field.interpreter.numbers.float(values[variable as usize]);
                cost.expression.float(&value) + cost.step.to_f64() * f64::from(steps)
            }
        }
    }

    /// Puts a new state in line, unless it is too costly; whether it was.
    fn enter(&mut self, state: u32, steps: u32) -> bool {
        let cost = self.cost(state, steps);
        self.costs.push((cost, steps));
        if self.grows && cost >= self.bound - 1e-9 {
            return false;
        }
        let key: Box<[u32]> = self.field.space.row(state)[..self.task.words() + self.task.core].into();
        let known = self.cheapest.get(&key);
        if known.is_some_and(|&known| known <= cost) {
            return false;
        }
        self.cheapest.insert(key, cost);
        let Some(estimate) = self.field.evaluate(state) else { return false };
        // By steps and by metric alike, the estimate counts steps: it is scaled to what a step has cost so far.
        let unit =
            if self.task.cost.is_some() && steps > 0 { ((cost - self.costs[0].0) / f64::from(steps)).max(1e-3) } else { 1.0 };
        let rank = (cost - self.costs[0].0).max(0.0) + WEIGHTS[self.weight] * unit * f64::from(estimate);
        // Ranks are not negative, so their bits are in their order.
        self.entered += 1;
        self.open.insert((rank.to_bits(), self.entered), state);
        true
    }
}

/// Whether no operator can make the metric smaller.
fn grows(task: &Task) -> bool {
    let Some(cost) = &task.cost else { return true };
    let Expression::Polynomial(polynomial) = &cost.expression else { return false };
    if !polynomial.is_linear() || cost.step.signum() < 0 {
        return false;
    }
    let factor = |variable: u32| polynomial.terms.iter().find(|(monomial, _)| monomial[0] == variable).map(|(_, factor)| factor);
    task.operators.iter().all(|operator| {
        let effects = operator.conditional.iter().map(|(_, effects)| effects).chain([&operator.effects]);
        effects.flat_map(|effects| effects.changes.iter()).all(|change| {
            let Some(factor) = factor(change.variable) else { return true };
            let amount = change.amount.as_constant().filter(|_| change.operation == Operation::Add);
            amount.is_some_and(|amount| (factor * amount).signum() >= 0)
        })
    })
}

impl Search for Improve<'_> {
    fn advance(&mut self, work: u64, control: &Control) -> Status {
        let end = self.field.work() + work;
        if !self.started {
            self.started = true;
            if !self.enter(0, 0) {
                return Status::Exhausted;
            }
        }
        loop {
            let Some((_, state)) = self.open.pop_first() else { return self.field.nothing_left() };
            let (cost, steps) = self.costs[state as usize];
            if self.grows && cost >= self.bound - 1e-9 {
                continue;
            }
            self.field.find_applicable(state);
            let applicable = std::mem::take(&mut self.field.applicable);
            for &operator in &applicable {
                let Some(next) = self.field.take(state, operator, 1) else { continue };
                let is_goal = self.field.is_goal(next);
                self.enter(next, steps + 1);
                if is_goal && self.costs[next as usize].0 < self.bound - 1e-9 {
                    return Status::Solved(self.field.space.path(next));
                }
            }
            self.field.applicable = applicable;
            if let Some(limit) = self.field.limit(control, self.costs.len() * 64 + self.open.len() * 48) {
                return limit;
            }
            if self.field.work() >= end {
                // Not there yet: be more careful about cost.
                self.weight = (self.weight + 1).min(WEIGHTS.len() - 1);
                return Status::Open;
            }
        }
    }

    fn effort(&self) -> Effort {
        self.field.effort
    }
}
