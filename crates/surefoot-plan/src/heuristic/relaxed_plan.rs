//! The relaxed plan behind an estimate: which operators, how often, and which of them can be taken
//! now.

use super::structure::{NodeId, NodeKind, RuleId};
use super::weighing::GroupUse;
use super::{Cost, Deficit, Heuristic, LARGEST};
use crate::ids::{ConditionId, FactId, StateWord};
use crate::task::Interpreter;
use surefoot_base::ids::first_ids;

/// What a relaxed plan still has to account for.
#[derive(Default)]
struct Agenda {
    /// Rules whose requirements are to be met; whether repetitions for different conditions add up.
    rules: Vec<(RuleId, bool)>,
    /// Nodes to be supported.
    nodes: Vec<NodeId>,
}

impl Heuristic {
    /// Collects the operators that support the goal; how many steps they are.
    pub(super) fn extract(&mut self, interpreter: &Interpreter, state: &[StateWord]) -> u32 {
        self.marked.clear();
        self.counts.clear();
        let mut agenda = Agenda::default();
        agenda.rules.extend(self.support[self.structure.nodes.goal()].map(|rule| (rule, true)));
        loop {
            if let Some((rule, sums)) = agenda.rules.pop() {
                self.require(rule, sums, interpreter, state, &mut agenda);
            } else if let Some(node) = agenda.nodes.pop() {
                self.support_of(node, &mut agenda);
            } else {
                break;
            }
        }
        self.counts.values().fold(0u32, |sum, &count| sum.saturating_add(count)).min(LARGEST)
    }

    /// Notes what a rule requires: numeric conditions weighed together where there are several, the
    /// rest as nodes. Of the goal, repetitions for different conditions add up.
    fn require(
        &mut self,
        rule: RuleId,
        sums: bool,
        interpreter: &Interpreter,
        state: &[StateWord],
        agenda: &mut Agenda,
    ) {
        let mut conditions: Vec<ConditionId> = Vec::new();
        let mut numeric: Vec<NodeId> = Vec::new();
        for &node in self.structure.requires.get(rule) {
            match self.structure.nodes.kind(node) {
                NodeKind::Condition(condition) => {
                    conditions.push(condition);
                    numeric.push(node);
                }
                NodeKind::Group(_) | NodeKind::Logical => agenda.nodes.push(node),
            }
        }
        let fresh =
            numeric.iter().any(|&node| self.cost[node] > Cost::ZERO && !self.marked.contains(node));
        let many = conditions.len() > 1
            || conditions.iter().any(|&condition| self.ranges[condition].len() > 1);
        let used = if fresh && (many || sums) {
            self.weigh(&conditions, interpreter, state)
        } else {
            None
        };
        let Some(used) = used else {
            agenda.nodes.extend(numeric);
            return;
        };
        numeric.iter().for_each(|&node| self.marked.insert(node));
        for GroupUse { group, times, besides } in used {
            if let Some(rule) = self.support[self.structure.nodes.group(group)] {
                self.count(rule, times, sums);
                agenda.rules.push((rule, false));
            }
            agenda.nodes.extend(besides.map(|condition| self.structure.nodes.condition(condition)));
        }
    }

    fn count(&mut self, rule: RuleId, times: u32, sums: bool) {
        if let Some(operator) = self.structure.operators[rule] {
            let count = self.counts.entry(operator).or_insert(0);
            *count = if sums { count.saturating_add(times) } else { (*count).max(times) };
        }
    }

    /// Notes what supports a node.
    fn support_of(&mut self, node: NodeId, agenda: &mut Agenda) {
        if self.cost[node] == Cost::ZERO || self.marked.put(node) {
            return;
        }
        let NodeKind::Condition(condition) = self.structure.nodes.kind(node) else {
            if let Some(rule) = self.support[node] {
                self.count(rule, 1, false);
                agenda.rules.push((rule, false));
            }
            return;
        };
        for at in self.ranges[condition].clone() {
            let Deficit { group, times, besides, .. } = self.deficits[at as usize];
            let Some(group) = group else { continue };
            if let Some(rule) = self.support[self.structure.nodes.group(group)] {
                self.count(rule, times, false);
                agenda.rules.push((rule, false));
            }
            agenda.nodes.extend(besides.map(|condition| self.structure.nodes.condition(condition)));
        }
    }

    /// The facts that the last relaxed plan makes true on its way.
    pub fn relaxed_facts(&self) -> Box<[FactId]> {
        first_ids(self.structure.facts)
            .filter(|&fact| self.marked.contains(self.structure.nodes.fact(fact, true)))
            .collect()
    }

    /// Fills [`Heuristic::preferred`] from the last relaxed plan.
    pub fn prefer(&mut self, interpreter: &mut Interpreter, state: &[StateWord]) {
        self.preferred.clear();
        let task = interpreter.task;
        for (&operator, &times) in &self.counts {
            if interpreter.holds(&task.operators[operator].precondition, state) {
                self.preferred.push((operator, times));
            }
        }
        self.preferred.sort_unstable();
    }
}
