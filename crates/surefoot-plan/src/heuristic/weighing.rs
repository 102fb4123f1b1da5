//! Numeric conditions weighed against each other: what helps one of them may harm another.

use super::structure::{Contribution, FloatCondition, GroupId};
use super::{Cost, Heuristic, LARGEST};
use crate::ids::{ConditionId, VariableId, Word};
use crate::number::Values;
use crate::numeric::SignTest;
use crate::program;
use crate::task::Interpreter;

/// Up to how many groups numeric goals are weighed against each other.
const GROUPS: usize = 400;

/// A group used in a relaxed plan: how often, and the condition that its amount is not zero, where it is now.
pub(super) struct GroupUse {
    pub(super) group: GroupId,
    pub(super) times: u32,
    pub(super) besides: Option<ConditionId>,
}

/// A group that may be used, and how it would move variables.
struct GroupCandidate {
    group: GroupId,
    moves: Vec<(VariableId, f64)>,
    /// The condition that takes, where its amount is zero now.
    besides: Option<ConditionId>,
}

/// A linear condition in a state: by how much each candidate raises its value, the value, and what is asked of it.
struct WeighedCondition {
    gains: Vec<f64>,
    value: f64,
    test: SignTest,
}

impl Heuristic {
    /// The fewest repetitions of groups after which all of these conditions hold together, without the conditions of the
    /// operators themselves failing on the way. `None` where there is no answer.
    pub(super) fn weigh(
        &mut self,
        conditions: &[ConditionId],
        interpreter: &Interpreter,
        state: &[Word],
    ) -> Option<Vec<GroupUse>> {
        let values = interpreter.task.values(state);
        let weighing = Weighing::new(self, conditions, interpreter, values)?;
        let rows = weighing.rows(conditions)?;
        let candidates = weighing.candidates;
        self.work += (rows.len() * candidates.len()) as u64;
        let prices: Vec<f64> = candidates.iter().map(|candidate| self.price(candidate.group)).collect();
        let solution = program::minimize(&prices, &rows)?;
        let used = candidates.iter().zip(solution).filter(|&(_, share)| share > 1e-6);
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
    values: Values<'w>,
    candidates: Vec<GroupCandidate>,
}

impl<'w> Weighing<'w> {
    /// `None` where too many groups would have to be weighed.
    fn new(
        heuristic: &'w Heuristic,
        conditions: &[ConditionId],
        interpreter: &'w Interpreter<'w>,
        values: Values<'w>,
    ) -> Option<Self> {
        let structure = &heuristic.structure;
        // Also of conditions that hold: what helps the others may harm them.
        let mut groups: Vec<GroupId> =
            conditions.iter().flat_map(|&condition| structure.helped_by.get(condition)).copied().collect();
        groups.sort_unstable();
        groups.dedup();
        groups.retain(|&group| !heuristic.cost[structure.nodes.group(group)].is_infinite());
        if groups.len() > GROUPS {
            return None;
        }
        let mut weighing = Weighing { heuristic, interpreter, values, candidates: Vec::new() };
        weighing.candidates = groups.into_iter().map(|group| weighing.candidate(group)).collect();
        Some(weighing)
    }

    fn candidate(&self, group: GroupId) -> GroupCandidate {
        let mut besides = None;
        let contributions = self.heuristic.structure.contributions[group].iter();
        let moves = contributions.map(|c| (c.change.variable, self.movement(c, &mut besides))).collect();
        GroupCandidate { group, moves, besides }
    }

    /// By how much a contribution moves its variable; where that is zero now, the condition that it is not.
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
        condition.map_or(Cost::INFINITE, |condition| self.heuristic.cost[self.heuristic.structure.nodes.condition(condition)])
    }

    /// By how much each candidate raises what grows with variables like this.
    fn gains(&self, slope: &dyn Fn(VariableId) -> f64) -> Vec<f64> {
        let candidates = self.candidates.iter();
        candidates.map(|candidate| candidate.moves.iter().map(|&(v, amount)| slope(v) * amount).sum()).collect()
    }

    /// A linear condition; `None` where it is none, or has no value.
    fn linear(&self, condition: ConditionId) -> Option<WeighedCondition> {
        let FloatCondition::Linear { variables, factors, test } = &self.heuristic.structure.conditions[condition] else {
            return None;
        };
        let numbers = &self.interpreter.numbers;
        let terms = variables.iter().zip(factors).map(|(&v, &factor)| factor * numbers.float(self.values.number(v)));
        let value = terms.sum::<f64>() + factors[variables.len()];
        let gains = || self.gains(&|variable| variables.iter().position(|&v| v == variable).map_or(0.0, |at| factors[at]));
        value.is_finite().then(|| WeighedCondition { gains: gains(), value, test: *test })
    }

    /// The linear program: rows of gains and what they must come to at least. `None` where a condition cannot be put so.
    fn rows(&self, conditions: &[ConditionId]) -> Option<Vec<(Vec<f64>, f64)>> {
        let (heuristic, task) = (self.heuristic, self.interpreter.task);
        let mut rows = Vec::new();
        for &condition in conditions {
            match &heuristic.structure.conditions[condition] {
                FloatCondition::Linear { .. } => self.linear(condition)?.demand(&mut rows),
                FloatCondition::General(..) => return None,
                view @ FloatCondition::Region(region) => {
                    let range = &heuristic.ranges[condition];
                    for deficit in &heuristic.deficits[range.start as usize..range.end as usize] {
                        let facet = deficit.facet?;
                        let test = task.regions[*region].test(facet);
                        let value = if test == SignTest::Zero { deficit.missing } else { -deficit.missing };
                        if !value.is_finite() {
                            return None;
                        }
                        let gains = self.gains(&|variable| view.slope(variable, Some(facet), condition, task).unwrap_or(0.0));
                        WeighedCondition { gains, value, test }.demand(&mut rows);
                    }
                }
            }
        }
        self.keep_operators_applicable(conditions, &mut rows);
        Some(rows)
    }

    /// Demands that the conditions of the operators themselves hold on the way.
    fn keep_operators_applicable(&self, conditions: &[ConditionId], rows: &mut Vec<(Vec<f64>, f64)>) {
        let structure = &self.heuristic.structure;
        let mut bounded: Vec<ConditionId> = Vec::new();
        for (at, candidate) in self.candidates.iter().enumerate() {
            let rule = self.heuristic.support[structure.nodes.group(candidate.group)];
            let Some(operator) = rule.and_then(|rule| structure.operators[rule]) else { continue };
            for &condition in &self.interpreter.task.operators[operator].precondition.numeric {
                if bounded.contains(&condition) || conditions.contains(&condition) {
                    continue;
                }
                let Some(WeighedCondition { gains, value, .. }) = self.linear(condition) else { continue };
                // The last repetition may leave the condition behind.
                if value >= 0.0 && gains[at] < 0.0 {
                    bounded.push(condition);
                    let least = gains[at] - value;
                    rows.push((gains, least));
                }
            }
        }
    }
}

impl WeighedCondition {
    /// Adds the rows that say the condition holds in the end.
    fn demand(self, rows: &mut Vec<(Vec<f64>, f64)>) {
        if self.test == SignTest::Zero {
            rows.push((self.gains.iter().map(|gain| -gain).collect(), self.value));
        }
        let strict = if self.test == SignTest::Positive { 1e-3 } else { 0.0 };
        rows.push((self.gains, strict - self.value));
    }
}
