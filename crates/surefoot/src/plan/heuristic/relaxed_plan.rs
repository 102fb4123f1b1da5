//! The relaxed plan behind an estimate: which operators, how often, and which of them can be taken now.

use super::structure::{Contribution, View};
use super::{Deficit, Heuristic, LARGEST, NONE, UNREACHED, delta};
use crate::plan::numeric::Test;
use crate::plan::program;
use crate::plan::task::Interpreter;

/// Up to how many classes numeric goals are weighed against each other.
const CLASSES: usize = 400;

/// A class used in a relaxed plan: how often, and the condition that its amount is not zero, where it is now.
struct Use {
    class: u32,
    times: u32,
    besides: u32,
}

impl Heuristic {
    /// Collects the operators that support the goal; how many steps they are.
    pub(super) fn extract(&mut self, interpreter: &Interpreter, state: &[u32]) -> u32 {
        self.marked.clear();
        self.counts.clear();
        let goal = self.support[self.structure.goal as usize];
        let mut rules = vec![(goal, true)];
        let mut nodes = Vec::new();
        loop {
            if let Some((rule, sums)) = rules.pop() {
                self.require(rule, sums, interpreter, state, &mut nodes, &mut rules);
            } else if let Some(node) = nodes.pop() {
                self.support_of(node, &mut nodes, &mut rules);
            } else {
                break;
            }
        }
        self.counts.values().fold(0u32, |sum, &count| sum.saturating_add(count)).min(LARGEST)
    }

    /// Notes what a rule requires: numeric conditions weighed together where there are several, the rest as nodes. Of the
    /// goal, repetitions for different conditions add up.
    fn require(
        &mut self,
        rule: u32,
        sums: bool,
        interpreter: &Interpreter,
        state: &[u32],
        nodes: &mut Vec<u32>,
        rules: &mut Vec<(u32, bool)>,
    ) {
        let numeric = self.structure.conditions..self.structure.classes;
        let (given, rest): (Vec<u32>, Vec<u32>) =
            self.structure.requires.get(rule).iter().partition(|&node| numeric.contains(node));
        nodes.extend(rest);
        let fresh = given.iter().any(|&node| self.cost[node as usize] > 0 && !self.marked.contains(node as usize));
        let many = given.len() > 1
            || given.iter().any(|&node| {
                let (first, last) = self.ranges[(node - numeric.start) as usize];
                last - first > 1
            });
        if !(fresh && (many || sums)) {
            nodes.extend(given);
            return;
        }
        let conditions: Vec<u32> = given.iter().map(|node| node - numeric.start).collect();
        let Some(used) = self.weigh(&conditions, interpreter, state) else {
            nodes.extend(given);
            return;
        };
        given.iter().for_each(|&node| self.marked.insert(node as usize));
        for Use { class, times, besides } in used {
            let rule = self.support[(self.structure.classes + class) as usize];
            self.count(rule, times, sums);
            rules.push((rule, false));
            nodes.extend((besides != NONE).then(|| self.structure.conditions + besides));
        }
    }

    fn count(&mut self, rule: u32, times: u32, sums: bool) {
        let operator = self.structure.operators[rule as usize];
        if operator != NONE {
            let count = self.counts.entry(operator).or_insert(0);
            *count = if sums { count.saturating_add(times) } else { (*count).max(times) };
        }
    }

    /// Notes what supports a node.
    fn support_of(&mut self, node: u32, nodes: &mut Vec<u32>, rules: &mut Vec<(u32, bool)>) {
        let (conditions, classes) = (self.structure.conditions, self.structure.classes);
        if self.cost[node as usize] == 0 || self.marked.put(node as usize) {
            return;
        }
        if node < conditions || node >= classes {
            let rule = self.support[node as usize];
            if rule != NONE {
                self.count(rule, 1, false);
                rules.push((rule, false));
            }
            return;
        }
        let (first, last) = self.ranges[(node - conditions) as usize];
        for at in first..last {
            let Deficit { class, times, besides, .. } = self.deficits[at as usize];
            if class != NONE {
                let rule = self.support[(classes + class) as usize];
                self.count(rule, times, false);
                rules.push((rule, false));
                nodes.extend((besides != NONE).then(|| conditions + besides));
            }
        }
    }

    /// What helps one condition may harm another: the fewest repetitions of classes after which all of these hold together,
    /// without the conditions of the operators themselves failing on the way. `None` where there is no answer.
    fn weigh(&mut self, conditions: &[u32], interpreter: &Interpreter, state: &[u32]) -> Option<Vec<Use>> {
        let task = interpreter.task;
        let values = &state[task.words()..];
        let old = |variable: u32| interpreter.numbers.float(values[variable as usize]);
        let structure = &self.structure;
        // Also of conditions that hold: what helps the others may harm them.
        let mut classes: Vec<u32> =
            conditions.iter().flat_map(|&condition| structure.helped_by.get(condition)).copied().collect();
        classes.sort_unstable();
        classes.dedup();
        classes.retain(|&class| self.cost[(structure.classes + class) as usize] != UNREACHED);
        if classes.len() > CLASSES {
            return None;
        }
        let cost =
            |condition: u32| if condition == NONE { UNREACHED } else { self.cost[(structure.conditions + condition) as usize] };
        // For each class: how it moves variables, and the condition that takes.
        let mut moves: Vec<Vec<(u32, f64)>> = Vec::with_capacity(classes.len());
        let mut besides = vec![NONE; classes.len()];
        for (at, &class) in classes.iter().enumerate() {
            let step = |contribution: &Contribution, besides: &mut u32| {
                let amount = contribution.constant.unwrap_or_else(|| delta(&contribution.change, &old));
                if amount != 0.0 {
                    return amount;
                }
                // As if the amount became one, with the sign it gets more easily.
                let (above, below) = (cost(contribution.above), cost(contribution.below));
                let up = above <= below;
                *besides = if up { contribution.above } else { contribution.below };
                match above.min(below) {
                    UNREACHED => 0.0,
                    _ if up => 1.0,
                    _ => -1.0,
                }
            };
            let contributions = &structure.contributions[class as usize];
            moves.push(contributions.iter().map(|c| (c.change.variable, step(c, &mut besides[at]))).collect());
        }
        let gains = |slope: &dyn Fn(u32) -> f64| -> Vec<f64> {
            moves.iter().map(|moves| moves.iter().map(|&(v, amount)| slope(v) * amount).sum()).collect()
        };
        let linear = |condition: u32| {
            let View::Linear { variables, factors, test } = &structure.views[condition as usize] else { return None };
            let terms = variables.iter().zip(factors).map(|(&v, &factor)| factor * old(v));
            let value = terms.sum::<f64>() + factors[variables.len()];
            let slope = |variable: u32| variables.iter().position(|&v| v == variable).map_or(0.0, |at| factors[at]);
            value.is_finite().then(|| (gains(&slope), value, *test))
        };
        let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
        let mut demand = |gains: Vec<f64>, value: f64, test: Test| {
            if test == Test::Zero {
                rows.push((gains.iter().map(|gain| -gain).collect(), value));
            }
            let strict = if test == Test::Positive { 1e-3 } else { 0.0 };
            rows.push((gains, strict - value));
        };
        for &condition in conditions {
            match &structure.views[condition as usize] {
                View::Linear { .. } => {
                    let (gains, value, test) = linear(condition)?;
                    demand(gains, value, test);
                }
                View::General(..) => return None,
                view @ View::Region(hull) => {
                    let (first, last) = self.ranges[condition as usize];
                    for deficit in &self.deficits[first as usize..last as usize] {
                        let test = task.hulls[*hull as usize].facets[deficit.facet as usize].2;
                        let value = if test == Test::Zero { deficit.missing } else { -deficit.missing };
                        let slope = |variable: u32| view.slope(variable, deficit.facet, condition, task).unwrap_or(0.0);
                        if !value.is_finite() {
                            return None;
                        }
                        demand(gains(&slope), value, test);
                    }
                }
            }
        }
        let mut bounded: Vec<u32> = Vec::new();
        for (at, &class) in classes.iter().enumerate() {
            let rule = self.support[(structure.classes + class) as usize];
            let operator = &task.operators[structure.operators[rule as usize] as usize];
            for &condition in &operator.precondition.numeric {
                if bounded.contains(&condition) || conditions.contains(&condition) {
                    continue;
                }
                let Some((gains, value, _)) = linear(condition) else { continue };
                // The last repetition may leave the condition behind.
                if value >= 0.0 && gains[at] < 0.0 {
                    bounded.push(condition);
                    let least = gains[at] - value;
                    rows.push((gains, least));
                }
            }
        }
        self.work += (rows.len() * classes.len()) as u64;
        // A step of a class costs one; classes that need preparation are a little dearer.
        let price = |&class: &u32| 1.0 + f64::from(self.cost[(structure.classes + class) as usize].min(1000)) * 1e-3;
        let prices: Vec<f64> = classes.iter().map(price).collect();
        let solution = program::minimize(&prices, &rows)?;
        let used = solution.iter().enumerate().filter(|&(_, &times)| times > 1e-6);
        let times = |times: f64| (times - 1e-6).ceil().min(f64::from(LARGEST)) as u32;
        Some(used.map(|(at, &share)| Use { class: classes[at], times: times(share), besides: besides[at] }).collect())
    }

    /// The facts that the last relaxed plan makes true on its way.
    pub fn relaxed_facts(&self) -> Box<[u32]> {
        (0..self.structure.facts).filter(|&fact| self.marked.contains(fact as usize)).collect()
    }

    /// Fills [`Heuristic::preferred`] from the last relaxed plan.
    pub fn prefer(&mut self, interpreter: &mut Interpreter, state: &[u32]) {
        self.preferred.clear();
        let task = interpreter.task;
        for (&operator, &times) in &self.counts {
            if interpreter.holds(&task.operators[operator as usize].precondition, state) {
                self.preferred.push((operator, times));
            }
        }
        self.preferred.sort_unstable();
    }
}
