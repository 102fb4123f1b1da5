//! How far a state is from the goal: numeric subgoaling with repetitions, and the relaxed plan it yields.
//!
//! Nothing ever becomes false, and each numeric condition is reached by repeating one operator: as often as its contribution
//! goes into what is missing. Of a hull only the violated facets count, and of these the hardest: they are met together.
//! Operators with the same numeric effects are one *class*: a condition asks which class helps it, never which operator.
//!
//! A state from which even this relaxation cannot reach the goal is a dead end: where an estimate of a contribution might
//! be wrong (amounts that depend on the state, products), the condition counts as reachable.

mod queue;
mod relaxed_plan;
mod structure;

use fixedbitset::FixedBitSet;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use queue::Queue;
use structure::{Builder, Contribution, Structure, View};

use super::numeric::{Memory, Prepared, Slot, Test, point, suspects};
use super::task::{Change, Interpreter, Operation, Task, is_true};

/// A cost that was not reached.
const UNREACHED: u32 = u32::MAX;
/// The largest cost told apart from larger ones.
const LARGEST: u32 = 1 << 28;
/// What a contribution that only might exist costs.
const DOUBT: u32 = 20;
/// How many of a hull's violated facets are looked at.
const FACETS: usize = 8;
/// No class, no operator.
const NONE: u32 = u32::MAX;

/// How small a sum of floats may be beside its terms before its sign is in doubt.
const DOUBTFUL: f64 = 1e-12;

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
        let mut need = |facet: usize, value: f64, size: f64, test: Test| {
            // On which side of an equation a value lies decides what helps.
            let missing = match test {
                Test::Zero if value.abs() <= size * DOUBTFUL => f64::NAN,
                Test::Zero => value,
                _ => -value,
            };
            deficits.push(Deficit { facet: facet as u32, missing, cost: UNREACHED, class: NONE, times: 0, besides: NONE });
        };
        match &self.structure.views[condition] {
            View::Linear { variables, factors, test } => {
                let constant = factors[variables.len()];
                let terms = variables.iter().zip(factors).map(|(&v, &factor)| factor * numbers.float(values[v as usize]));
                let (sum, size) = terms.fold((constant, constant.abs()), |(sum, size), term| (sum + term, size + term.abs()));
                need(0, sum, size, *test);
            }
            View::General(expression, test) => {
                need(0, expression.float(&|variable| numbers.float(values[variable as usize])), 0.0, *test);
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
                    let (mut value, mut size) = (row[hull.columns], row[hull.columns].abs());
                    for (factor, coordinate) in row.iter().zip(&point) {
                        let term = factor * coordinate;
                        value += term;
                        size += term.abs();
                    }
                    // What floats cannot tell from the boundary may well hold.
                    if value.abs() <= size * DOUBTFUL || (hull.facets[facet].2 != Test::Zero && value > 0.0) {
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
                    need(facet, value, 0.0, hull.facets[facet].2);
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
        // One step may change a variable several times.
        let delta_of = |variable: u32| {
            contributions
                .iter()
                .zip(&deltas)
                .filter(|(c, _)| c.change.variable == variable)
                .fold(0.0, |sum, (_, delta)| sum + delta)
        };
        let whole = contributions.iter().all(|contribution| contribution.whole);
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
                        // A gain of exactly zero is none of those that help.
                        let terms = variables.iter().zip(factors).map(|(&v, &factor)| factor * delta_of(v));
                        let (gain, sure) = signed_sum(terms, false);
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
                            let moved = |(slot, &scale): (&Slot, &f64)| {
                                match slot.factors[..] {
                                    // A small step of a large value would be lost in the difference.
                                    [variable] => scale * delta_of(variable),
                                    _ => product(&slot.factors, scale, &new) - product(&slot.factors, scale, &old),
                                }
                            };
                            slots.iter().zip(scales).map(moved).collect()
                        });
                        let facets_whole = &self.structure.whole[*hull as usize];
                        let hull = &task.hulls[*hull as usize];
                        let row = hull.floats(deficit.facet as usize);
                        let whole = whole
                            && facets_whole.contains(deficit.facet as usize)
                            && slots.iter().all(|slot| slot.scale.is_integer());
                        let (gain, sure) =
                            signed_sum(row.iter().zip(columns.iter()).map(|(factor, moved)| factor * moved), whole);
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
        let Some(slope) = slope(contribution.change.variable).filter(|slope| !slope.is_nan()) else { return doubtful };
        let condition = match contribution.constant {
            Some(_) => NONE,
            // Where something is undefined, even a term of factor zero is in the way.
            None if slope == 0.0 => return doubtful.filter(|_| !missing.is_finite()),
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

/// A sum of floats, and whether its sign is that of the exact sum: beyond doubt by its size, or because all terms are zero,
/// or (the caller knows) whole.
fn signed_sum(terms: impl Iterator<Item = f64>, whole: bool) -> (f64, bool) {
    let (mut sum, mut size) = (0.0, 0.0f64);
    for term in terms {
        sum += term;
        size += term.abs();
    }
    (sum, size == 0.0 || (whole && size < 9e15) || sum.abs() > size * DOUBTFUL)
}
