//! How far a state is from the goal: numeric subgoaling with repetitions, and the relaxed plan it yields.
//!
//! Nothing ever becomes false, and each numeric condition is reached by repeating one operator: as often as its contribution
//! goes into what is missing. Of a hull only the violated facets count, and of these the hardest: they are met together.
//! Operators with the same numeric effects are one *class*: a condition asks which class helps it, never which operator.
//!
//! A state from which even this relaxation cannot reach the goal is a dead end: where an estimate of a contribution might
//! be wrong (amounts that depend on the state, products), the condition counts as reachable.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fixedbitset::FixedBitSet;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::expression::Expression;
use super::numeric::{Memory, Numeric, Prepared, Test, point, suspects};
use super::program;
use super::task::{Change, Conjunction, Formula, Interpreter, Operation, Task, is_true};
use crate::exact::Rational;

/// A cost that was not reached.
const UNREACHED: u32 = u32::MAX;
/// The largest cost told apart from larger ones.
const LARGEST: u32 = 1 << 28;
/// What a contribution that only might exist costs.
const DOUBT: u32 = 20;
/// How many of a hull's violated facets are looked at.
const FACETS: usize = 8;
/// Up to how many classes numeric goals are weighed against each other.
const CLASSES: usize = 400;
/// No class, no operator.
const NONE: u32 = u32::MAX;

/// Nodes by cost: small costs in buckets, large ones in a heap.
#[derive(Default)]
struct Queue {
    buckets: Vec<Vec<u32>>,
    /// No bucket below is in use.
    lowest: usize,
    begun: bool,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
}

/// From which cost on the heap is used.
const BUCKETS: u32 = 2048;

impl Queue {
    fn clear(&mut self) {
        self.buckets.iter_mut().for_each(Vec::clear);
        self.lowest = 0;
        self.begun = false;
        self.heap.clear();
    }

    #[inline]
    fn push(&mut self, cost: u32, node: u32) {
        if cost >= BUCKETS {
            return self.heap.push(Reverse((cost, node)));
        }
        if self.buckets.len() <= cost as usize {
            self.buckets.resize_with(cost as usize + 1, Vec::new);
        }
        self.buckets[cost as usize].push(node);
        self.lowest = self.lowest.min(cost as usize);
    }

    #[inline]
    fn pop(&mut self) -> Option<(u32, u32)> {
        if self.lowest == 0 && !self.begun {
            self.begun = true;
            self.sort();
        }
        while self.lowest < self.buckets.len() {
            if let Some(node) = self.buckets[self.lowest].pop() {
                return Some((self.lowest as u32, node));
            }
            self.lowest += 1;
            self.sort();
        }
        self.heap.pop().map(|Reverse(entry)| entry)
    }

    /// Ties are broken the same way in every state, so that relaxed plans of neighbours agree.
    fn sort(&mut self) {
        if let Some(bucket) = self.buckets.get_mut(self.lowest) {
            bucket.sort_unstable_by(|one, other| other.cmp(one));
        }
    }
}

/// Rows of different lengths, one after the other.
#[derive(Default)]
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn of(lists: &[Vec<u32>]) -> Self {
        let mut made = Lists { starts: vec![0], items: Vec::with_capacity(lists.iter().map(Vec::len).sum()) };
        for list in lists {
            made.items.extend_from_slice(list);
            made.starts.push(made.items.len() as u32);
        }
        made
    }

    #[inline]
    fn get(&self, index: u32) -> &[u32] {
        &self.items[self.starts[index as usize] as usize..self.starts[index as usize + 1] as usize]
    }
}

/// A numeric condition as floats see it.
enum View {
    Linear { variables: Box<[u32]>, factors: Box<[f64]>, test: Test },
    General(Expression, Test),
    Region(u32),
}

impl View {
    /// How a facet grows with a variable; `None` where that depends on the state.
    fn slope(&self, variable: u32, facet: u32, condition: u32, task: &Task) -> Option<f64> {
        match self {
            View::Linear { variables, factors, .. } => {
                Some(variables.iter().position(|&mine| mine == variable).map_or(0.0, |at| factors[at]))
            }
            View::General(..) => None,
            View::Region(hull) => {
                let Prepared::Region { slots, scales, .. } = &task.prepared[condition as usize] else { return None };
                let row = task.hulls[*hull as usize].floats(facet as usize);
                let mut slope = 0.0;
                for ((slot, scale), factor) in slots.iter().zip(scales).zip(row) {
                    match slot.factors[..] {
                        [mine] if mine == variable => slope += scale * factor,
                        [] | [_] => {}
                        _ => return None,
                    }
                }
                Some(slope)
            }
        }
    }
}

/// A change of a class, and the conditions that its amount is above or below zero, where it depends on the state.
struct Contribution {
    change: Change,
    constant: Option<f64>,
    above: u32,
    below: u32,
}

/// What one violated facet or comparison still needs.
struct Deficit {
    facet: u32,
    missing: f64,
    cost: u32,
    class: u32,
    times: u32,
    /// A condition that must be reached as well.
    besides: u32,
}

/// A class used in a relaxed plan: how often, and the condition that its amount is not zero, where it is now.
struct Use {
    class: u32,
    times: u32,
    besides: u32,
}

/// The structure of the relaxed task. Nodes are facts, absent facts, numeric conditions, classes and disjunctions.
struct Structure {
    facts: u32,
    /// The first node of numeric conditions, of classes, of disjunctions; the goal is the last node.
    conditions: u32,
    classes: u32,
    goal: u32,
    /// For each rule: how many nodes it needs, what it costs, which operator it is, which class.
    needs: Vec<u32>,
    prices: Vec<u32>,
    operators: Vec<u32>,
    class_of: Vec<u32>,
    requires: Lists,
    yields: Lists,
    /// For each node, the rules that need it.
    needed_by: Lists,
    /// For each class, the conditions it may help, and the other way round.
    helps: Lists,
    helped_by: Lists,
    /// For each condition, the classes whose amounts it makes possible.
    enables: Lists,
    contributions: Vec<Vec<Contribution>>,
    views: Vec<View>,
    /// Conditions beyond those of the task, ready for evaluation.
    extra: Vec<Prepared>,
}

/// An estimate of the distance to the goal.
pub struct Heuristic {
    structure: Structure,
    cost: Vec<u32>,
    support: Vec<u32>,
    done: FixedBitSet,
    remaining: Vec<u32>,
    sums: Vec<u32>,
    queue: Queue,
    deficits: Vec<Deficit>,
    /// For each condition, its deficits.
    ranges: Vec<(u32, u32)>,
    marked: FixedBitSet,
    counts: IndexMap<u32, u32, FxBuildHasher>,
    /// The operators of the last relaxed plan that can be taken now, and how often.
    pub preferred: Vec<(u32, u32)>,
    /// The sum of costs of the last evaluation: pays for shared subgoals as often as they are used.
    pub additive: u32,
    /// How much work evaluations were: nodes and rules looked at.
    pub work: u64,
}

impl Heuristic {
    /// The estimate for a task.
    pub fn new(task: &Task) -> Self {
        let structure = Builder::new(task).build();
        let nodes = structure.goal as usize + 1;
        Heuristic {
            cost: vec![UNREACHED; nodes],
            support: vec![NONE; nodes],
            done: FixedBitSet::with_capacity(nodes),
            remaining: structure.needs.clone(),
            sums: vec![0; structure.needs.len()],
            queue: Queue::default(),
            deficits: Vec::new(),
            ranges: vec![(0, 0); structure.views.len()],
            marked: FixedBitSet::with_capacity(nodes),
            counts: IndexMap::default(),
            preferred: Vec::new(),
            additive: 0,
            work: 0,
            structure,
        }
    }

    /// About how many bytes are held.
    pub fn bytes(&self) -> usize {
        let lists = [&self.structure.requires, &self.structure.yields, &self.structure.needed_by, &self.structure.helps];
        lists.iter().map(|list| 4 * (list.items.len() + list.starts.len())).sum::<usize>() + self.cost.len() * 20
    }

    /// The length of a relaxed plan from this state; `None` when there is none, and then no plan either.
    pub fn evaluate(&mut self, interpreter: &mut Interpreter, state: &[u32]) -> Option<u32> {
        self.spread(interpreter, state, true);
        let goal = self.structure.goal;
        if !self.done.contains(goal as usize) {
            return None;
        }
        self.additive = self.cost[goal as usize];
        Some(self.extract(interpreter, state))
    }

    /// Finds everything that the relaxation reaches from this state.
    pub fn explore(&mut self, interpreter: &mut Interpreter, state: &[u32]) {
        self.spread(interpreter, state, false);
    }

    /// The operators that the last exploration reached.
    pub fn reached_operators(&self) -> impl Iterator<Item = u32> {
        let rules = self.structure.operators.iter().zip(&self.remaining);
        rules.filter(|&(&operator, &remaining)| operator != NONE && remaining == 0).map(|(&operator, _)| operator)
    }

    /// Computes costs from a state outward, up to the goal or to the end.
    fn spread(&mut self, interpreter: &mut Interpreter, state: &[u32], to_goal: bool) {
        self.start(interpreter, state);
        let goal = self.structure.goal;
        while let Some((cost, node)) = self.queue.pop() {
            if self.done.put(node as usize) {
                continue;
            }
            if node == goal && to_goal {
                return;
            }
            if node >= self.structure.classes && (node - self.structure.classes) < self.structure.contributions.len() as u32 {
                self.class_reached(node - self.structure.classes, cost, interpreter, state);
                continue;
            }
            self.node_reached(node, cost);
            if node >= self.structure.conditions && node < self.structure.classes {
                let condition = node - self.structure.conditions;
                for at in 0..self.structure.enables.get(condition).len() {
                    let class = self.structure.enables.get(condition)[at];
                    let node = (self.structure.classes + class) as usize;
                    if self.done.contains(node) {
                        self.class_reached(class, self.cost[node], interpreter, state);
                    }
                }
            }
        }
    }

    fn start(&mut self, interpreter: &mut Interpreter, state: &[u32]) {
        self.cost.fill(UNREACHED);
        self.done.clear();
        self.remaining.copy_from_slice(&self.structure.needs);
        self.sums.fill(0);
        self.queue.clear();
        self.deficits.clear();
        self.work += 1;
        for rule in 0..self.structure.needs.len() as u32 {
            if self.structure.needs[rule as usize] == 0 {
                self.fire(rule);
            }
        }
        let (facts, conditions) = (self.structure.facts, self.structure.conditions);
        for fact in 0..facts {
            let node = if is_true(state, fact) { fact } else { facts + fact };
            self.reach_now(node);
        }
        let values = &state[interpreter.task.words()..];
        let given = interpreter.task.conditions.len();
        for condition in 0..self.structure.views.len() {
            let holds = if condition < given {
                interpreter.numeric(condition as u32, state)
            } else {
                self.structure.extra[condition - given].holds(&[], &interpreter.numbers, values, &mut Memory::default())
            };
            self.work += 1;
            if holds {
                self.ranges[condition] = (0, 0);
                self.reach_now(conditions + condition as u32);
            } else {
                self.find_deficits(condition, interpreter, values);
            }
        }
    }

    /// A node that holds now.
    fn reach_now(&mut self, node: u32) {
        self.cost[node as usize] = 0;
        self.support[node as usize] = NONE;
        self.done.insert(node as usize);
        self.node_reached(node, 0);
    }

    fn node_reached(&mut self, node: u32, cost: u32) {
        let count = self.structure.needed_by.get(node).len();
        self.work += count as u64;
        for at in 0..count {
            let rule = self.structure.needed_by.get(node)[at];
            let sum = &mut self.sums[rule as usize];
            *sum = sum.saturating_add(cost).min(LARGEST);
            self.remaining[rule as usize] -= 1;
            if self.remaining[rule as usize] == 0 {
                self.fire(rule);
            }
        }
    }

    fn fire(&mut self, rule: u32) {
        let sum = self.sums[rule as usize];
        let total = sum.saturating_add(self.structure.prices[rule as usize]).min(LARGEST);
        for at in 0..self.structure.yields.get(rule).len() {
            let node = self.structure.yields.get(rule)[at];
            self.lower(node, total, rule);
        }
        let class = self.structure.class_of[rule as usize];
        if class != NONE {
            self.lower(self.structure.classes + class, sum, rule);
        }
    }

    fn lower(&mut self, node: u32, cost: u32, rule: u32) {
        if cost < self.cost[node as usize] {
            self.cost[node as usize] = cost;
            self.support[node as usize] = rule;
            self.queue.push(cost, node);
        }
    }

    /// What is missing for a condition that does not hold.
    fn find_deficits(&mut self, condition: usize, interpreter: &mut Interpreter, values: &[u32]) {
        let task = interpreter.task;
        let numbers = &interpreter.numbers;
        let first = self.deficits.len();
        let deficits = &mut self.deficits;
        let mut need = |facet: usize, value: f64, test: Test| {
            let missing = if test == Test::Zero { value } else { -value };
            deficits.push(Deficit { facet: facet as u32, missing, cost: UNREACHED, class: NONE, times: 0, besides: NONE });
        };
        match &self.structure.views[condition] {
            View::Linear { variables, factors, test } => {
                let constant = factors[variables.len()];
                let terms = variables.iter().zip(factors).map(|(&v, &factor)| factor * numbers.float(values[v as usize]));
                need(0, constant + terms.sum::<f64>(), *test);
            }
            View::General(expression, test) => {
                need(0, expression.float(&|variable| numbers.float(values[variable as usize])), *test);
            }
            View::Region(hull) => {
                let Prepared::Region { slots, scales, .. } = &task.prepared[condition] else { return };
                let hull = &task.hulls[*hull as usize];
                let point = point(slots, scales, numbers, values);
                // The violated facets that are farthest away, by their own scale.
                let mut worst: Vec<(f64, usize, f64)> = Vec::with_capacity(FACETS + 1);
                let mut looked = 0;
                suspects(hull, &point, &mut interpreter.memories[condition], |facet| {
                    looked += 1;
                    let row = hull.floats(facet);
                    let value = row.iter().zip(&point).fold(row[hull.columns], |sum, (factor, value)| sum + factor * value);
                    let test = hull.facets[facet].2;
                    if (test == Test::Zero && value == 0.0) || (test != Test::Zero && value > 0.0) {
                        return true;
                    }
                    let scale = row[..hull.columns].iter().zip(slots).filter(|(_, slot)| !slot.factors.is_empty());
                    let size = scale.map(|(factor, _)| factor.abs()).sum::<f64>();
                    let distance = if size > 0.0 { value.abs() / size } else { f64::INFINITY };
                    let at = worst.partition_point(|entry| entry.0 >= distance);
                    if at < FACETS {
                        worst.insert(at, (distance, facet, value));
                        worst.truncate(FACETS);
                    }
                    true
                });
                self.work += looked / 4;
                if point.iter().any(|value| value.is_nan()) {
                    worst = vec![(f64::NAN, 0, f64::NAN)];
                }
                for (_, facet, value) in worst {
                    // On the boundary by floats, but not violated by more than they can tell.
                    if value != 0.0 {
                        need(facet, value, hull.facets[facet].2);
                    }
                }
                if deficits.len() == first {
                    deficits.push(Deficit { facet: 0, missing: f64::NAN, cost: UNREACHED, class: NONE, times: 0, besides: NONE });
                }
            }
        }
        self.ranges[condition] = (first as u32, self.deficits.len() as u32);
    }

    /// A class can be used: lets it help the conditions that it changes.
    fn class_reached(&mut self, class: u32, cost: u32, interpreter: &Interpreter, state: &[u32]) {
        let task = interpreter.task;
        let values = &state[task.words()..];
        let numbers = &interpreter.numbers;
        let old = |variable: u32| numbers.float(values[variable as usize]);
        let contributions = &self.structure.contributions[class as usize];
        let deltas: Vec<f64> = contributions
            .iter()
            .map(|contribution| match contribution.constant {
                Some(constant) => constant,
                None => delta(&contribution.change, &old),
            })
            .collect();
        let steady = contributions.iter().all(|contribution| contribution.constant.is_some());
        let delta_of = |variable: u32| {
            contributions.iter().position(|contribution| contribution.change.variable == variable).map_or(0.0, |at| deltas[at])
        };
        self.work += self.structure.helps.get(class).len() as u64;
        for &condition in self.structure.helps.get(class) {
            let node = (self.structure.conditions + condition) as usize;
            let (first, last) = self.ranges[condition as usize];
            if first == last || self.done.contains(node) {
                continue;
            }
            let mut columns: Option<Vec<f64>> = None;
            let mut all = 0;
            for deficit in &mut self.deficits[first as usize..last as usize] {
                let (gain, steadily, test) = match &self.structure.views[condition as usize] {
                    View::Linear { variables, factors, test } => {
                        let (gain, sure) = signed_sum(variables.iter().zip(factors).map(|(&v, &factor)| factor * delta_of(v)));
                        (gain, sure, *test)
                    }
                    View::General(expression, test) => {
                        let new = expression.float(&|variable| old(variable) + delta_of(variable));
                        (new - expression.float(&old), false, *test)
                    }
                    View::Region(hull) => {
                        let Prepared::Region { slots, scales, .. } = &task.prepared[condition as usize] else { continue };
                        let columns = columns.get_or_insert_with(|| {
                            let product = |factors: &[u32], scale: f64, value: &dyn Fn(u32) -> f64| {
                                factors.iter().fold(scale, |product, &variable| product * value(variable))
                            };
                            let new = |variable: u32| old(variable) + delta_of(variable);
                            let moved = |(slot, &scale): (&super::numeric::Slot, &f64)| {
                                product(&slot.factors, scale, &new) - product(&slot.factors, scale, &old)
                            };
                            slots.iter().zip(scales).map(moved).collect()
                        });
                        let hull = &task.hulls[*hull as usize];
                        let row = hull.floats(deficit.facet as usize);
                        let (gain, sure) = signed_sum(row.iter().zip(columns.iter()).map(|(factor, moved)| factor * moved));
                        let linear = slots.iter().all(|slot| slot.factors.len() <= 1);
                        (gain, sure && linear, hull.facets[deficit.facet as usize].2)
                    }
                };
                // For an equation `missing` is the value itself, which must shrink to zero.
                let (gain, missing) = match test {
                    Test::Zero if deficit.missing > 0.0 => (-gain, deficit.missing),
                    Test::Zero => (gain, -deficit.missing),
                    _ => (gain, deficit.missing),
                };
                let once = contributions.iter().any(|contribution| contribution.change.operation != Operation::Add);
                let (times, extra, besides) = if gain > 0.0 && missing.is_finite() {
                    let ratio = missing / gain;
                    let times = match test {
                        Test::Positive => (ratio + 1e-9).floor() + 1.0,
                        _ => (ratio - 1e-9).ceil().max(1.0),
                    };
                    let times = times.min(f64::from(LARGEST)) as u32;
                    if once && times > 1 { (1, DOUBT, NONE) } else { (times, 0, NONE) }
                } else if steady && steadily && missing.is_finite() && gain.is_finite() {
                    // It never helps.
                    all = all.max(deficit.cost);
                    continue;
                } else {
                    let sign = if test == Test::Zero && deficit.missing > 0.0 { -1.0 } else { 1.0 };
                    let view = &self.structure.views[condition as usize];
                    let slope = |variable: u32| view.slope(variable, deficit.facet, condition, task).map(|slope| sign * slope);
                    match possible(contributions, &self.cost, self.structure.conditions, missing, &slope) {
                        Some(way) => way,
                        None => {
                            all = all.max(deficit.cost);
                            continue;
                        }
                    }
                };
                let total = cost.saturating_add(times).saturating_add(extra).min(LARGEST);
                if total < deficit.cost {
                    *deficit = Deficit { cost: total, class, times, besides, ..*deficit };
                }
                all = all.max(deficit.cost);
            }
            if all < self.cost[node] {
                self.cost[node] = all;
                self.queue.push(all, node as u32);
            }
        }
    }

    /// Collects the operators that support the goal; how many steps they are.
    fn extract(&mut self, interpreter: &Interpreter, state: &[u32]) -> u32 {
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

/// By how much a change moves its variable from these values.
fn delta(change: &Change, old: &dyn Fn(u32) -> f64) -> f64 {
    let amount = change.amount.float(old);
    match change.operation {
        Operation::Add => amount,
        Operation::Assign => amount - old(change.variable),
        Operation::Scale => old(change.variable) * (amount - 1.0),
    }
}

/// How often a class would be used, what it costs beyond that, and which condition it takes, that it may come to help.
/// `slope` tells how a condition grows with a variable, where that is known.
fn possible(
    contributions: &[Contribution],
    cost: &[u32],
    conditions: u32,
    missing: f64,
    slope: &dyn Fn(u32) -> Option<f64>,
) -> Option<(u32, u32, u32)> {
    let ways = contributions.iter().filter_map(|contribution| {
        let doubtful = Some((1, DOUBT, NONE));
        let Some(slope) = slope(contribution.change.variable) else { return doubtful };
        let condition = match contribution.constant {
            Some(_) => NONE,
            None if slope == 0.0 => return None,
            None if slope > 0.0 => contribution.above,
            None => contribution.below,
        };
        if condition == NONE || !missing.is_finite() {
            return doubtful;
        }
        let extra = cost[(conditions + condition) as usize];
        // As if the amount became one.
        let times = (missing / slope.abs()).ceil().clamp(1.0, f64::from(LARGEST)) as u32;
        (extra != UNREACHED).then_some((times, extra, condition))
    });
    ways.min_by_key(|&(times, extra, _)| times.saturating_add(extra))
}

/// Builds the structure of the relaxed task.
struct Builder<'t> {
    task: &'t Task,
    conditions: IndexMap<Numeric, (), FxBuildHasher>,
    classes: IndexMap<Box<[Change]>, (), FxBuildHasher>,
    contributions: Vec<Vec<Contribution>>,
    disjunctions: IndexMap<Formula, (), FxBuildHasher>,
    rules: Vec<Rule>,
}

/// A node before all kinds of nodes are counted.
#[derive(Clone, Copy)]
enum Node {
    Fact(u32, bool),
    Condition(u32),
    Disjunction(u32),
    Goal,
}

struct Rule {
    requires: Vec<Node>,
    yields: Vec<Node>,
    price: u32,
    operator: u32,
    class: u32,
}

impl<'t> Builder<'t> {
    fn new(task: &'t Task) -> Self {
        Builder {
            task,
            conditions: task.conditions.iter().map(|condition| (condition.clone(), ())).collect(),
            classes: IndexMap::default(),
            contributions: Vec::new(),
            disjunctions: IndexMap::default(),
            rules: Vec::new(),
        }
    }

    fn build(mut self) -> Structure {
        let task = self.task;
        for (index, operator) in task.operators.iter().enumerate() {
            let requires = self.conjunction(&operator.precondition);
            self.effects(index as u32, requires.clone(), &operator.effects);
            for (condition, effects) in &operator.conditional {
                let mut both = requires.clone();
                both.extend(self.conjunction(condition));
                self.effects(index as u32, both, effects);
            }
        }
        if let Some(goal) = &task.goal {
            let requires = self.conjunction(goal);
            self.rules.push(Rule { requires, yields: vec![Node::Goal], price: 0, operator: NONE, class: NONE });
        }
        self.finish()
    }

    fn conjunction(&mut self, conjunction: &Conjunction) -> Vec<Node> {
        let mut nodes: Vec<Node> = conjunction.facts.iter().map(|&fact| Node::Fact(fact, true)).collect();
        nodes.extend(conjunction.absent.iter().map(|&fact| Node::Fact(fact, false)));
        nodes.extend(conjunction.numeric.iter().map(|&condition| Node::Condition(condition)));
        conjunction.clauses.iter().for_each(|clause| self.formula(clause, &mut nodes));
        nodes
    }

    fn formula(&mut self, formula: &Formula, nodes: &mut Vec<Node>) {
        match formula {
            Formula::Fact(fact, truth) => nodes.push(Node::Fact(*fact, *truth)),
            Formula::Numeric(condition) => nodes.push(Node::Condition(*condition)),
            Formula::And(parts) => parts.iter().for_each(|part| self.formula(part, nodes)),
            Formula::Or(parts) => {
                let (index, known) = self.disjunctions.insert_full(formula.clone(), ());
                nodes.push(Node::Disjunction(index as u32));
                if known.is_none() {
                    for part in parts {
                        let mut requires = Vec::new();
                        self.formula(part, &mut requires);
                        let yields = vec![Node::Disjunction(index as u32)];
                        self.rules.push(Rule { requires, yields, price: 0, operator: NONE, class: NONE });
                    }
                }
            }
        }
    }

    fn effects(&mut self, operator: u32, requires: Vec<Node>, effects: &super::task::Effects) {
        let mut yields: Vec<Node> = effects.adds.iter().map(|&fact| Node::Fact(fact, true)).collect();
        let lost = effects.deletes.iter().filter(|fact| !effects.adds.contains(fact));
        yields.extend(lost.map(|&fact| Node::Fact(fact, false)));
        let class = if effects.changes.is_empty() { NONE } else { self.class(&effects.changes) };
        self.rules.push(Rule { requires, yields, price: 1, operator, class });
    }

    fn class(&mut self, changes: &[Change]) -> u32 {
        let (class, known) = self.classes.insert_full(changes.into(), ());
        if known.is_none() {
            let contributions = changes.iter().map(|change| self.contribution(change)).collect();
            self.contributions.push(contributions);
        }
        class as u32
    }

    fn contribution(&mut self, change: &Change) -> Contribution {
        let constant = match (change.operation, change.amount.as_constant()) {
            (Operation::Add, Some(number)) => Some(number.to_f64()),
            _ => None,
        };
        let (mut above, mut below) = (NONE, NONE);
        // For an amount that depends on the state: the conditions that it has a sign. Assignments and scalings count as
        // possible at once.
        if constant.is_none() && change.operation == Operation::Add && matches!(change.amount, Expression::Polynomial(_)) {
            let never = |_| true;
            above = self.conditions.insert_full(Numeric::Comparison(change.amount.clone(), Test::Positive), ()).0 as u32;
            let negative = change.amount.clone().product(Expression::constant(-&Rational::ONE), &never);
            below = self.conditions.insert_full(Numeric::Comparison(negative, Test::Positive), ()).0 as u32;
        }
        Contribution { change: change.clone(), constant, above, below }
    }

    fn finish(self) -> Structure {
        let task = self.task;
        let facts = task.facts as u32;
        let conditions = 2 * facts;
        let classes = conditions + self.conditions.len() as u32;
        let disjunctions = classes + self.contributions.len() as u32;
        let goal = disjunctions + self.disjunctions.len() as u32;
        let number = |node: &Node| match *node {
            Node::Fact(fact, true) => fact,
            Node::Fact(fact, false) => facts + fact,
            Node::Condition(condition) => conditions + condition,
            Node::Disjunction(index) => disjunctions + index,
            Node::Goal => goal,
        };
        let distinct = |nodes: &[Node]| -> Vec<u32> { nodes.iter().map(number).collect::<IndexSet<u32>>().into_iter().collect() };
        let requires: Vec<Vec<u32>> = self.rules.iter().map(|rule| distinct(&rule.requires)).collect();
        let mut needed_by = vec![Vec::new(); goal as usize + 1];
        for (rule, nodes) in requires.iter().enumerate() {
            nodes.iter().for_each(|&node| needed_by[node as usize].push(rule as u32));
        }
        // Nothing asks for most absent facts.
        let yields: Vec<Vec<u32>> = self
            .rules
            .iter()
            .map(|rule| {
                let mut nodes = distinct(&rule.yields);
                nodes.retain(|&node| node == goal || !needed_by[node as usize].is_empty());
                nodes
            })
            .collect();
        let views: Vec<View> = self.conditions.keys().map(view).collect();
        let mut changed_by: Vec<Vec<u32>> = vec![Vec::new(); task.variables];
        for (condition, numeric) in self.conditions.keys().enumerate() {
            numeric.variables(&mut |variable| changed_by[variable as usize].push(condition as u32));
        }
        let mut helps = Vec::with_capacity(self.contributions.len());
        let mut enables = vec![Vec::new(); self.conditions.len()];
        for (class, contributions) in self.contributions.iter().enumerate() {
            let touched = contributions.iter().flat_map(|contribution| &changed_by[contribution.change.variable as usize]);
            let mut list: Vec<u32> = touched.copied().collect();
            list.sort_unstable();
            list.dedup();
            list.retain(|&condition| {
                self.conditions.get_index(condition as usize).is_none_or(|(c, ())| may_help(contributions, c))
            });
            helps.push(list);
            for contribution in contributions {
                for condition in [contribution.above, contribution.below] {
                    if condition != NONE {
                        enables[condition as usize].push(class as u32);
                    }
                }
            }
        }
        let mut helped_by = vec![Vec::new(); self.conditions.len()];
        for (class, conditions) in helps.iter().enumerate() {
            conditions.iter().for_each(|&condition| helped_by[condition as usize].push(class as u32));
        }
        let given = task.conditions.len();
        Structure {
            facts,
            conditions,
            classes,
            goal,
            needs: requires.iter().map(|nodes| nodes.len() as u32).collect(),
            prices: self.rules.iter().map(|rule| rule.price).collect(),
            operators: self.rules.iter().map(|rule| rule.operator).collect(),
            class_of: self.rules.iter().map(|rule| rule.class).collect(),
            requires: Lists::of(&requires),
            yields: Lists::of(&yields),
            needed_by: Lists::of(&needed_by),
            helps: Lists::of(&helps),
            helped_by: Lists::of(&helped_by),
            enables: Lists::of(&enables),
            contributions: self.contributions,
            views,
            extra: self.conditions.keys().skip(given).map(Prepared::new).collect(),
        }
    }
}

fn view(condition: &Numeric) -> View {
    match condition {
        Numeric::Comparison(Expression::Polynomial(polynomial), test) if polynomial.is_linear() => View::Linear {
            variables: polynomial.terms.iter().flat_map(|(monomial, _)| monomial.iter().copied()).collect(),
            factors: polynomial
                .terms
                .iter()
                .map(|(_, factor)| factor)
                .chain([&polynomial.constant])
                .map(Rational::to_f64)
                .collect(),
            test: *test,
        },
        Numeric::Comparison(expression, test) => View::General(expression.clone(), *test),
        Numeric::Region(hull, _) => View::Region(*hull),
    }
}

/// Whether a class can ever help a condition: a steady contribution that points away from it cannot.
fn may_help(contributions: &[Contribution], condition: &Numeric) -> bool {
    let Numeric::Comparison(Expression::Polynomial(polynomial), test) = condition else { return true };
    let mut gain = Rational::ZERO;
    for contribution in contributions {
        let Some(amount) = contribution.change.amount.as_constant().filter(|_| contribution.constant.is_some()) else {
            return true;
        };
        for (monomial, factor) in &polynomial.terms {
            match monomial[..] {
                [variable] if variable == contribution.change.variable => gain += &(factor * amount),
                [_] => {}
                _ => return true,
            }
        }
    }
    match test {
        Test::Zero => !gain.is_zero(),
        _ => gain.signum() > 0,
    }
}

/// A sum of floats, and whether its sign is that of the exact sum: beyond doubt by its size, or because all are whole.
fn signed_sum(terms: impl Iterator<Item = f64>) -> (f64, bool) {
    let (mut sum, mut size, mut whole) = (0.0, 0.0f64, true);
    for term in terms {
        sum += term;
        size += term.abs();
        whole &= term.fract() == 0.0;
    }
    (sum, (whole && size < 9e15) || sum.abs() > size * 1e-12)
}
