//! Numeric conditions weighed against each other: what helps one of them may harm another.

use super::structure::{Contribution, FloatCondition, GroupId};
use super::{Cost, Heuristic, LARGEST};
use crate::ids::{ConditionId, StateWord, VariableId};
use crate::number::StateValues;
use crate::numeric::SignTest;
use crate::program::{self, Demand, SparseRow};
use crate::task::Interpreter;
use surefoot_base::ids::IdVec;

/// Up to how many groups numeric goals are weighed against each other.
const GROUPS: usize = 400;

/// Which groups are weighed for a set of conditions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WeighingScope {
    /// Those that help one of the conditions.
    Helpers,
    /// Those, and all that produce what they spend. Then nothing is sold that was not bought.
    Producers,
}

/// A group used in a relaxed plan: how often, and the condition that its amount is not zero, where
/// it is now.
pub(super) struct GroupUse {
    pub(super) group: GroupId,
    pub(super) times: u32,
    pub(super) besides: Option<ConditionId>,
}

/// A group that may be used.
struct GroupCandidate {
    group: GroupId,
    /// The condition that takes, where its amount is zero now.
    besides: Option<ConditionId>,
}

/// A linear condition in a state: how much each candidate raises its value, the value, and what is
/// required of it.
struct WeighedCondition {
    gains: SparseRow,
    value: f64,
    test: SignTest,
}

/// By variable, the candidates that move it, and how far. The table is kept between weighings, and
/// empty between them.
pub(super) type Movers = IdVec<VariableId, Vec<(u32, f64)>>;

impl Heuristic {
    /// The fewest repetitions of groups after which all of these conditions hold together, without
    /// the conditions of the operators themselves failing on the way. `None` where there is no
    /// answer.
    pub(super) fn weigh(
        &mut self,
        conditions: &[ConditionId],
        interpreter: &Interpreter,
        state: &[StateWord],
    ) -> Option<Vec<GroupUse>> {
        let values = interpreter.task.values(state);
        let movers = std::mem::take(&mut self.movers);
        let mut weighing = Weighing {
            heuristic: self,
            interpreter,
            values,
            candidates: Vec::new(),
            movers,
            moved: Vec::new(),
        };
        let demands = weighing.gather(conditions).and_then(|()| weighing.demands(conditions));
        let Weighing { candidates, mut movers, moved, .. } = weighing;
        moved.into_iter().for_each(|variable| movers[variable].clear());
        self.movers = movers;
        self.work += candidates.len() as u64;
        let prices: Vec<f64> =
            candidates.iter().map(|candidate| self.price(candidate.group)).collect();
        let answer = program::minimize(&prices, demands?);
        self.work += answer.work / 4;
        let used = candidates.iter().zip(answer.solution?).filter(|&(_, share)| share > 1e-6);
        Some(used.map(|(candidate, share)| candidate.used(share)).collect())
    }

    /// A step of a group costs one; groups that need preparation are a little dearer.
    fn price(&self, group: GroupId) -> f64 {
        1.0 + f64::from(self.cost[self.structure.nodes.group(group)].steps().min(1000)) * 1e-3
    }
}

impl GroupCandidate {
    fn used(&self, share: f64) -> GroupUse {
        let times = (share - 1e-6).ceil().min(f64::from(LARGEST)) as u32;
        GroupUse { group: self.group, times, besides: self.besides }
    }
}

struct Weighing<'w> {
    heuristic: &'w Heuristic,
    interpreter: &'w Interpreter<'w>,
    values: StateValues<'w>,
    candidates: Vec<GroupCandidate>,
    movers: Movers,
    /// The variables that candidates move; some more than once.
    moved: Vec<VariableId>,
}

impl Weighing<'_> {
    /// Finds the candidates. `None` where too many groups would have to be weighed.
    fn gather(&mut self, conditions: &[ConditionId]) -> Option<()> {
        let structure = &self.heuristic.structure;
        // Also of conditions that hold: what helps the others may harm them.
        let mut groups: Vec<GroupId> = conditions
            .iter()
            .flat_map(|&condition| structure.helped_by.get(condition))
            .copied()
            .collect();
        groups.sort_unstable();
        groups.dedup();
        groups.retain(|group| !self.heuristic.cost[structure.nodes.group(*group)].is_infinite());
        if self.heuristic.scope == WeighingScope::Producers {
            self.add_producers(&mut groups);
        }
        if groups.len() > GROUPS {
            return None;
        }
        groups.into_iter().for_each(|group| self.add_candidate(group));
        Some(())
    }

    /// Adds the groups that help a condition of an operator that its own use harms, and those that
    /// these need in turn.
    fn add_producers(&self, groups: &mut Vec<GroupId>) {
        let structure = &self.heuristic.structure;
        let mut at = 0;
        while at < groups.len() && groups.len() <= GROUPS {
            let group = groups[at];
            at += 1;
            for &condition in self.spent_by(group) {
                for &producer in structure.helped_by.get(condition) {
                    if !self.heuristic.cost[structure.nodes.group(producer)].is_infinite()
                        && !groups.contains(&producer)
                    {
                        groups.push(producer);
                    }
                }
            }
        }
    }

    /// The numeric conditions of the operator that supports a group.
    fn spent_by(&self, group: GroupId) -> &[ConditionId] {
        let structure = &self.heuristic.structure;
        let rule = self.heuristic.support[structure.nodes.group(group)];
        let operator = rule.and_then(|rule| structure.operators[rule]);
        operator
            .map_or(&[], |operator| &self.interpreter.task.operators[operator].precondition.numeric)
    }

    fn add_candidate(&mut self, group: GroupId) {
        let at = self.candidates.len() as u32;
        let mut besides = None;
        let heuristic = self.heuristic;
        for contribution in &heuristic.structure.contributions[group] {
            let variable = contribution.change.variable;
            let amount = self.movement(contribution, &mut besides);
            self.movers[variable].push((at, amount));
            self.moved.push(variable);
        }
        self.candidates.push(GroupCandidate { group, besides });
    }

    /// How far a contribution moves its variable; if that is zero now, the condition under which it
    /// is not.
    fn movement(&self, contribution: &Contribution, besides: &mut Option<ConditionId>) -> f64 {
        let amount = contribution.delta(&self.interpreter.numbers, self.values);
        if amount != 0.0 {
            return amount;
        }
        // As if the amount became one, with the sign it gets more easily.
        let (above, below) = (self.cost(contribution.above), self.cost(contribution.below));
        let up = above <= below;
        *besides = if up { contribution.above } else { contribution.below };
        match above.min(below) {
            Cost::INFINITE => 0.0,
            _ if up => 1.0,
            _ => -1.0,
        }
    }

    fn cost(&self, condition: Option<ConditionId>) -> Cost {
        condition.map_or(Cost::INFINITE, |condition| {
            self.heuristic.cost[self.heuristic.structure.nodes.condition(condition)]
        })
    }

    /// How much each candidate raises a sum of variables, each with a factor.
    fn gains(&self, terms: impl Iterator<Item = (VariableId, f64)>) -> SparseRow {
        let mut gains: SparseRow = Vec::new();
        for (variable, factor) in terms {
            gains.extend(
                self.movers[variable]
                    .iter()
                    .map(|&(candidate, amount)| (candidate, factor * amount)),
            );
        }
        // A stable sort: sums of floats depend on their order.
        gains.sort_by_key(|&(candidate, _)| candidate);
        gains.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0.0 };
            same
        });
        gains.retain(|&(_, gain)| gain != 0.0);
        gains
    }

    /// A linear condition; `None` where it is none, or has no value.
    fn linear(&self, condition: ConditionId) -> Option<WeighedCondition> {
        let FloatCondition::Linear { variables, factors, test } =
            &self.heuristic.structure.conditions[condition]
        else {
            return None;
        };
        let numbers = &self.interpreter.numbers;
        let terms = variables
            .iter()
            .zip(factors)
            .map(|(&v, &factor)| factor * numbers.float(self.values.number(v)));
        let value = terms.sum::<f64>() + factors[variables.len()];
        let gains = || self.gains(variables.iter().copied().zip(factors.iter().copied()));
        value.is_finite().then(|| WeighedCondition { gains: gains(), value, test: *test })
    }

    /// The linear program. `None` where a condition cannot be put so.
    fn demands(&self, conditions: &[ConditionId]) -> Option<Vec<Demand>> {
        let (heuristic, task) = (self.heuristic, self.interpreter.task);
        let mut demands = Vec::new();
        for &condition in conditions {
            match &heuristic.structure.conditions[condition] {
                FloatCondition::Linear { .. } => self.linear(condition)?.demand(&mut demands),
                FloatCondition::General(..) => return None,
                view @ FloatCondition::Region(region) => {
                    let mut variables: Vec<VariableId> = Vec::new();
                    task.conditions[condition].variables(&mut |variable| variables.push(variable));
                    variables.sort_unstable();
                    variables.dedup();
                    let range = &heuristic.ranges[condition];
                    for deficit in &heuristic.deficits[range.start as usize..range.end as usize] {
                        let facet = deficit.facet?;
                        let test = task.regions[*region].test(facet);
                        let value =
                            if test == SignTest::Zero { deficit.missing } else { -deficit.missing };
                        if !value.is_finite() {
                            return None;
                        }
                        let slope = |variable: VariableId| {
                            view.slope(variable, Some(facet), condition, task).unwrap_or(0.0)
                        };
                        let gains = self
                            .gains(variables.iter().map(|&variable| (variable, slope(variable))));
                        WeighedCondition { gains, value, test }.demand(&mut demands);
                    }
                }
            }
        }
        self.keep_operators_applicable(conditions, &mut demands);
        Some(demands)
    }

    /// Demands that the conditions of the operators themselves hold on the way.
    fn keep_operators_applicable(&self, conditions: &[ConditionId], demands: &mut Vec<Demand>) {
        let mut bounded: Vec<ConditionId> = Vec::new();
        for (at, candidate) in self.candidates.iter().enumerate() {
            for &condition in self.spent_by(candidate.group) {
                if bounded.contains(&condition) || conditions.contains(&condition) {
                    continue;
                }
                let Some(WeighedCondition { gains, value, .. }) = self.linear(condition) else {
                    continue;
                };
                let own = gains
                    .iter()
                    .find(|&&(candidate, _)| candidate == at as u32)
                    .map_or(0.0, |&(_, gain)| gain);
                if own >= 0.0 {
                    continue;
                }
                // The last repetition may leave the condition behind.
                let least = own - value;
                if value >= 0.0 {
                    bounded.push(condition);
                    demands.push(Demand { gains, least });
                } else if self.heuristic.scope == WeighingScope::Producers {
                    // What is spent has to be produced, and no more than that is certain.
                    bounded.push(condition);
                    demands.push(Demand { gains, least: least.min(0.0) });
                }
            }
        }
    }
}

impl WeighedCondition {
    /// Adds the demands that the condition holds in the end.
    fn demand(self, demands: &mut Vec<Demand>) {
        if self.test == SignTest::Zero {
            let losses = self.gains.iter().map(|&(candidate, gain)| (candidate, -gain)).collect();
            demands.push(Demand { gains: losses, least: self.value });
        }
        let strict = if self.test == SignTest::Positive { 1e-3 } else { 0.0 };
        demands.push(Demand { gains: self.gains, least: strict - self.value });
    }
}
