//! How far a state is from the goal: numeric subgoaling with repetitions, and the relaxed plan it
//! yields.
//!
//! In the relaxed task, nothing ever becomes false. Each numeric condition is reached by repeating
//! one operator, as often as its contribution fits into the deficit. Of a region only the violated
//! facets count, and of these the hardest: they are met together. Operators with the same numeric
//! effects are one *group*: a condition asks which group helps it, never which operator.
//!
//! A state from which even the relaxed task cannot reach the goal is a dead end. If the estimate of
//! a contribution might be wrong (amounts that depend on the state, products), the condition counts
//! as reachable.
//!
//! A [burden](super::burden) is a variable of which less is never worse, so its growth never helps.
//! If a burden only grows, its growth never becomes smaller than it is now, so a group never helps
//! more later than it does now. If a burden fades (shrinks), no group has to make it fade: a
//! condition that would hold without the burden counts as reachable, with a doubt. Any other burden
//! is treated like any variable.

mod gain;
mod queue;
mod relaxed_plan;
mod structure;
mod weighing;

use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use gain::{GroupStep, possible};
use queue::Queue;
use structure::{Builder, FloatCondition, GroupId, NodeId, NodeKind, RuleId, Structure};
use weighing::Movers;
pub use weighing::WeighingScope;

use super::ids::{ConditionId, FacetId, OperatorId, StateWord, VariableId};
use super::number::StateValues;
use super::numeric::{GroundColumn, LiftedRegion, PreparedCondition, SignTest, point};
use super::task::{GroundTask, Interpreter, is_true};
use surefoot_base::exact::TesterMemory;
use surefoot_base::ids::{Id, IdSet, IdVec, first_ids};

/// The largest cost; larger ones count as equal to it.
const LARGEST: u32 = 1 << 28;
/// What a contribution that only might exist costs.
const DOUBT: u32 = 20;
/// How many of a region's violated facets are examined.
const FACETS: usize = 8;

/// The sign of a sum of floats is in doubt if the sum is smaller than this share of its terms.
const DOUBTFUL: f64 = 1e-12;

/// What it costs to reach something, in steps; infinite where it was not reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Cost(u32);

impl Cost {
    const ZERO: Cost = Cost(0);
    /// Above every number of steps.
    const INFINITE: Cost = Cost(u32::MAX);

    /// This many steps as a cost, at most the largest cost.
    #[inline]
    fn of(steps: u32) -> Self {
        Cost(steps.min(LARGEST))
    }

    /// The number of steps of a cost that is not infinite.
    #[inline]
    fn steps(self) -> u32 {
        self.0
    }

    fn is_infinite(self) -> bool {
        self == Cost::INFINITE
    }

    /// A finite cost plus this many steps.
    #[inline]
    fn plus(self, steps: u32) -> Self {
        Cost::of(self.0.saturating_add(steps))
    }
}

/// How a group helps to reduce a deficit.
#[derive(Clone, Copy)]
struct DeficitReduction {
    /// How often it is used.
    times: u32,
    /// What using it costs in addition.
    extra: u32,
    /// A condition that must be reached as well.
    besides: Option<ConditionId>,
}

impl DeficitReduction {
    /// A contribution that might exist.
    const DOUBTFUL: DeficitReduction = DeficitReduction { times: 1, extra: DOUBT, besides: None };
}

/// What one violated facet or comparison still needs.
struct Deficit {
    /// The facet, of a region that has any.
    facet: Option<FacetId>,
    missing: f64,
    cost: Cost,
    /// The cheapest group that helps, how often it is used, and the condition that must be reached
    /// as well.
    group: Option<GroupId>,
    times: u32,
    besides: Option<ConditionId>,
}

impl Deficit {
    /// A deficit that nothing reduces yet.
    fn new(facet: Option<FacetId>, missing: f64) -> Self {
        Deficit { facet, missing, cost: Cost::INFINITE, group: None, times: 0, besides: None }
    }
}

/// A task without anything that becomes false: made once, and shared by the estimates of all
/// searches.
#[derive(Clone)]
pub struct RelaxedTask {
    structure: Arc<Structure>,
}

impl RelaxedTask {
    /// The relaxation of a task.
    pub fn of(task: &GroundTask) -> Self {
        RelaxedTask { structure: Arc::new(Builder::new(task).build()) }
    }
}

/// An estimate of the distance to the goal.
pub struct Heuristic {
    structure: Arc<Structure>,
    cost: IdVec<NodeId, Cost>,
    support: IdVec<NodeId, Option<RuleId>>,
    done: IdSet<NodeId>,
    remaining: IdVec<RuleId, u32>,
    sums: IdVec<RuleId, Cost>,
    queue: Queue,
    deficits: Vec<Deficit>,
    /// For each condition, its deficits.
    ranges: IdVec<ConditionId, Range<u32>>,
    marked: IdSet<NodeId>,
    scope: WeighingScope,
    movers: Movers,
    counts: IndexMap<OperatorId, u32, FxBuildHasher>,
    /// The operators of the last relaxed plan that can be taken now, and how often.
    pub preferred: Vec<(OperatorId, u32)>,
    /// The sum of costs of the last evaluation: pays for shared subgoals as often as they are used.
    pub additive: u32,
    /// How much work evaluations were: nodes and rules examined.
    pub work: u64,
}

impl Heuristic {
    /// The estimate for a task.
    pub fn new(task: &GroundTask, relaxed: &RelaxedTask, scope: WeighingScope) -> Self {
        let structure = Arc::clone(&relaxed.structure);
        let nodes = structure.nodes.count();
        Heuristic {
            cost: IdVec::filled(Cost::INFINITE, nodes),
            support: IdVec::filled(None, nodes),
            done: IdSet::with_capacity(nodes),
            remaining: structure.needs.clone(),
            sums: IdVec::filled(Cost::ZERO, structure.needs.len()),
            queue: Queue::default(),
            deficits: Vec::new(),
            ranges: IdVec::filled(0..0, structure.conditions.len()),
            marked: IdSet::with_capacity(nodes),
            scope,
            movers: IdVec::filled(Vec::new(), task.variables),
            counts: IndexMap::default(),
            preferred: Vec::new(),
            additive: 0,
            work: 0,
            structure,
        }
    }

    /// About how many bytes are held.
    pub fn bytes(&self) -> usize {
        let rules = self.structure.requires.bytes()
            + self.structure.yields.bytes()
            + self.structure.needed_by.bytes();
        rules + self.structure.helps.bytes() + self.cost.len() * 20
    }

    /// The length of a relaxed plan from this state; `None` when there is none, and then no plan
    /// either.
    pub fn evaluate(&mut self, interpreter: &mut Interpreter, state: &[StateWord]) -> Option<u32> {
        self.spread(interpreter, state, true);
        let goal = self.structure.nodes.goal();
        if !self.done.contains(goal) {
            return None;
        }
        self.additive = self.cost[goal].steps();
        Some(self.extract(interpreter, state))
    }

    /// Finds everything that the relaxation reaches from this state.
    pub fn explore(&mut self, interpreter: &mut Interpreter, state: &[StateWord]) {
        self.spread(interpreter, state, false);
    }

    /// The operators that the last exploration reached.
    pub fn reached_operators(&self) -> impl Iterator<Item = OperatorId> {
        let rules = self.structure.operators.iter().zip(&self.remaining);
        rules.filter(|&(_, &remaining)| remaining == 0).filter_map(|(&operator, _)| operator)
    }

    /// Computes costs from a state outward, up to the goal or to the end.
    fn spread(&mut self, interpreter: &mut Interpreter, state: &[StateWord], to_goal: bool) {
        self.start(interpreter, state);
        let goal = self.structure.nodes.goal();
        while let Some((cost, node)) = self.queue.pop() {
            if self.done.put(node) {
                continue;
            }
            if node == goal && to_goal {
                return;
            }
            match self.structure.nodes.kind(node) {
                NodeKind::Group(group) => self.group_reached(group, cost, interpreter, state),
                NodeKind::Logical => self.node_reached(node, cost),
                NodeKind::Condition(condition) => {
                    self.node_reached(node, cost);
                    for at in 0..self.structure.enables.get(condition).len() {
                        let group = self.structure.enables.get(condition)[at];
                        let node = self.structure.nodes.group(group);
                        if self.done.contains(node) {
                            self.group_reached(group, self.cost[node], interpreter, state);
                        }
                    }
                }
            }
        }
    }

    fn start(&mut self, interpreter: &mut Interpreter, state: &[StateWord]) {
        self.cost.as_mut_slice().fill(Cost::INFINITE);
        self.done.clear();
        self.remaining.as_mut_slice().copy_from_slice(self.structure.needs.as_slice());
        self.sums.as_mut_slice().fill(Cost::ZERO);
        self.queue.clear();
        self.deficits.clear();
        self.work += 1;
        for rule in self.structure.needs.ids() {
            if self.structure.needs[rule] == 0 {
                self.fire(rule);
            }
        }
        for fact in first_ids(self.structure.facts) {
            self.reach_now(self.structure.nodes.fact(fact, is_true(state, fact)));
        }
        let values = interpreter.task.values(state);
        let given = interpreter.task.conditions.len();
        for condition in self.structure.conditions.ids() {
            let holds = match condition.index().checked_sub(given) {
                None => interpreter.numeric(condition, state),
                Some(beyond) => {
                    let extra = &self.structure.extra[beyond];
                    extra.holds(
                        &IdVec::new(),
                        &interpreter.numbers,
                        values,
                        &mut TesterMemory::default(),
                    )
                }
            };
            self.work += 1;
            if holds {
                self.ranges[condition] = 0..0;
                self.reach_now(self.structure.nodes.condition(condition));
            } else {
                self.find_deficits(condition, interpreter, values);
            }
        }
    }

    /// A node that holds now.
    fn reach_now(&mut self, node: NodeId) {
        self.cost[node] = Cost::ZERO;
        self.support[node] = None;
        self.done.insert(node);
        self.node_reached(node, Cost::ZERO);
    }

    fn node_reached(&mut self, node: NodeId, cost: Cost) {
        let count = self.structure.needed_by.get(node).len();
        self.work += count as u64;
        for at in 0..count {
            let rule = self.structure.needed_by.get(node)[at];
            self.sums[rule] = self.sums[rule].plus(cost.steps());
            self.remaining[rule] -= 1;
            if self.remaining[rule] == 0 {
                self.fire(rule);
            }
        }
    }

    fn fire(&mut self, rule: RuleId) {
        let sum = self.sums[rule];
        let total = sum.plus(self.structure.prices[rule]);
        for at in 0..self.structure.yields.get(rule).len() {
            let node = self.structure.yields.get(rule)[at];
            self.lower(node, total, rule);
        }
        if let Some(group) = self.structure.group_of[rule] {
            self.lower(self.structure.nodes.group(group), sum, rule);
        }
    }

    fn lower(&mut self, node: NodeId, cost: Cost, rule: RuleId) {
        if cost < self.cost[node] {
            self.cost[node] = cost;
            self.support[node] = Some(rule);
            self.queue.push(cost, node);
        }
    }

    /// What is missing for a condition that does not hold.
    fn find_deficits(
        &mut self,
        condition: ConditionId,
        interpreter: &mut Interpreter,
        values: StateValues,
    ) {
        let task = interpreter.task;
        let numbers = &interpreter.numbers;
        let first = self.deficits.len();
        match &self.structure.conditions[condition] {
            FloatCondition::Linear { variables, factors, test } => {
                let constant = factors[variables.len()];
                let terms = variables
                    .iter()
                    .zip(factors)
                    .map(|(&v, &factor)| factor * numbers.float(values.number(v)));
                let (sum, size) = terms.fold((constant, constant.abs()), |(sum, size), term| {
                    (sum + term, size + term.abs())
                });
                self.deficits.push(Deficit::new(None, missing(sum, size, *test)));
            }
            FloatCondition::General(expression, test) => {
                let value = expression.float(&|variable| numbers.float(values.number(variable)));
                self.deficits.push(Deficit::new(None, missing(value, 0.0, *test)));
            }
            FloatCondition::Region(region) => {
                let PreparedCondition::Region { columns, scales, roundings, .. } =
                    &task.prepared[condition]
                else {
                    return;
                };
                let region = &task.regions[*region];
                let mut point = point(columns, scales, *roundings, numbers, values);
                let mut worst = Violated::default();
                region.suspects(&mut point, &mut interpreter.caches[condition], |facet, point| {
                    worst.look(facet, region, columns, point);
                });
                self.work += worst.looked / 4;
                if point.doubles().iter().any(|value| value.is_nan()) || worst.facets.is_empty() {
                    self.deficits.push(Deficit::new(region.facets().next(), f64::NAN));
                } else {
                    let facets = worst.facets.iter();
                    let deficits = facets
                        .map(|&(_, facet, value)| (facet, missing(value, 0.0, region.test(facet))));
                    self.deficits.extend(
                        deficits.map(|(facet, missing)| Deficit::new(Some(facet), missing)),
                    );
                }
            }
        }
        self.ranges[condition] = first as u32..self.deficits.len() as u32;
        if !self.structure.fading[condition].is_empty() {
            self.doubt_deficits(condition, interpreter, values);
        }
    }

    /// Treats a deficit as reachable if shrinking burdens alone could remove it.
    fn doubt_deficits(
        &mut self,
        condition: ConditionId,
        interpreter: &Interpreter,
        values: StateValues,
    ) {
        let (task, numbers) = (interpreter.task, &interpreter.numbers);
        let view = &self.structure.conditions[condition];
        let mut all = Cost::ZERO;
        for deficit in &mut self.deficits[self.ranges[condition].start as usize..] {
            let now = |variable: VariableId| numbers.float(values.number(variable));
            let slope = |variable: VariableId| {
                view.slope(variable, deficit.facet, condition, task).unwrap_or(f64::NAN)
            };
            let relief: f64 = self.structure.fading[condition]
                .iter()
                .map(|&burden| slope(burden).abs() * now(burden))
                .sum();
            // What is not a number, because a slope is not known, is in doubt, too.
            let is_hopeless = || {
                relief
                    < deficit.missing - DOUBTFUL * view.size(deficit.facet, condition, task, &now)
            };
            if relief != 0.0 && !is_hopeless() {
                deficit.cost = Cost::of(DOUBT);
            }
            all = all.max(deficit.cost);
        }
        let node = self.structure.nodes.condition(condition);
        if all < self.cost[node] {
            self.cost[node] = all;
            self.queue.push(all, node);
        }
    }

    /// A group can be used: lets it help the conditions that it changes.
    fn group_reached(
        &mut self,
        group: GroupId,
        cost: Cost,
        interpreter: &Interpreter,
        state: &[StateWord],
    ) {
        let task = interpreter.task;
        let step = GroupStep::new(
            &self.structure.contributions[group],
            &interpreter.numbers,
            task.values(state),
        );
        self.work += self.structure.helps.get(group).len() as u64;
        for &condition in self.structure.helps.get(group) {
            let node = self.structure.nodes.condition(condition);
            let range = self.ranges[condition].start as usize..self.ranges[condition].end as usize;
            if range.is_empty() || self.done.contains(node) {
                continue;
            }
            let mut columns: Option<Vec<f64>> = None;
            let mut all = Cost::ZERO;
            for deficit in &mut self.deficits[range] {
                let view = &self.structure.conditions[condition];
                let Some(gain) =
                    self.structure.gain(&step, condition, deficit.facet, &mut columns, task)
                else {
                    continue;
                };
                // For an equation `missing` is the value itself, which must shrink to zero.
                let shrinks = gain.test == SignTest::Zero && deficit.missing > 0.0;
                let (per_use, missing) = match gain.test {
                    SignTest::Zero if shrinks => (-gain.per_use, deficit.missing),
                    SignTest::Zero => (gain.per_use, -deficit.missing),
                    _ => (gain.per_use, deficit.missing),
                };
                let way = if per_use > 0.0 && missing.is_finite() {
                    let times = repetitions(missing / per_use, gain.test);
                    let way = DeficitReduction { times, extra: 0, besides: None };
                    Some(if step.is_addition || times <= 1 {
                        way
                    } else {
                        DeficitReduction::DOUBTFUL
                    })
                } else if step.is_steady
                    && gain.is_steady
                    && missing.is_finite()
                    && per_use.is_finite()
                {
                    // It never helps.
                    None
                } else {
                    let sign = if shrinks { -1.0 } else { 1.0 };
                    possible(
                        step.contributions,
                        missing,
                        &|variable| {
                            view.slope(variable, deficit.facet, condition, task)
                                .map(|slope| sign * slope)
                        },
                        &|condition| self.cost[self.structure.nodes.condition(condition)],
                    )
                };
                if let Some(DeficitReduction { times, extra, besides }) = way {
                    let total = cost.plus(times).plus(extra);
                    if total < deficit.cost {
                        *deficit =
                            Deficit { cost: total, group: Some(group), times, besides, ..*deficit };
                    }
                }
                all = all.max(deficit.cost);
            }
            if all < self.cost[node] {
                self.cost[node] = all;
                self.queue.push(all, node);
            }
        }
    }
}

/// What a value lacks to pass a test; of an equation, the value itself, unless its sign is in
/// doubt.
fn missing(value: f64, size: f64, test: SignTest) -> f64 {
    match test {
        // On which side of an equation a value lies decides what helps.
        SignTest::Zero if value.abs() <= size * DOUBTFUL => f64::NAN,
        SignTest::Zero => value,
        _ => -value,
    }
}

/// How often a step must be repeated, given the ratio of the deficit to what the step adds.
fn repetitions(ratio: f64, test: SignTest) -> u32 {
    let times = match test {
        SignTest::Positive => (ratio + 1e-9).floor() + 1.0,
        _ => (ratio - 1e-9).ceil().max(1.0),
    };
    times.min(f64::from(LARGEST)) as u32
}

/// The violated facets of a region that are farthest away, by their own scale.
#[derive(Default)]
struct Violated {
    /// The distance of each, the facet and its value; the farthest first.
    facets: Vec<(f64, FacetId, f64)>,
    /// How many facets were examined.
    looked: u64,
}

impl Violated {
    /// Keeps a facet, if the point violates it and few are farther away.
    #[inline]
    fn look(
        &mut self,
        facet: FacetId,
        region: &LiftedRegion,
        columns: &[GroundColumn],
        point: &[f64],
    ) {
        self.looked += 1;
        let row = region.floats(facet);
        let (mut value, mut size) = (row[region.width()], row[region.width()].abs());
        for (factor, coordinate) in row.iter().zip(point) {
            let term = factor * coordinate;
            value += term;
            size += term.abs();
        }
        // A value that floats cannot distinguish from the boundary may well satisfy the condition.
        if value.abs() <= size * DOUBTFUL || (region.test(facet) != SignTest::Zero && value > 0.0) {
            return;
        }
        let scale = row[..region.width()]
            .iter()
            .zip(columns)
            .filter(|(_, column)| !column.factors.is_empty());
        let size = scale.map(|(factor, _)| factor.abs()).sum::<f64>();
        let distance = if size > 0.0 { value.abs() / size } else { f64::INFINITY };
        let at = self.facets.partition_point(|entry| entry.0 >= distance);
        if at < FACETS {
            self.facets.insert(at, (distance, facet, value));
            self.facets.truncate(FACETS);
        }
    }
}
