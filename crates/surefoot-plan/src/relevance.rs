//! Leaves out what cannot matter for the goal: facts, variables and operators that no chain of
//! conditions connects to it.
//!
//! A counter that is only ever increased would otherwise make every state a new one.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::ids::{ConditionId, FactId, OperatorId, VariableId};
use super::numeric::NumericCondition;
use super::task::{
    Formula, GroundConjunction, GroundEffects, GroundTask, Operation, Operator, VariableChange,
    is_true, set_true,
};
use surefoot_base::ids::{Id, IdSet, IdVec};

/// Reduces a task to what matters; gives facts, variables and conditions new numbers.
pub fn reduce(task: &mut GroundTask) {
    let relevant = Relevant::of(task);
    let words = task.words();
    let (mut facts, mut variables) = (Renumbering::new(), Renumbering::new());
    let mut conditions: IndexMap<ConditionId, NumericCondition, FxBuildHasher> =
        IndexMap::default();
    relevant.facts.iter().for_each(|fact| facts.add(fact));
    // What matters even without the metric comes first.
    let cost = task.cost.take();
    let core = Relevant::of(task).variables;
    task.cost = cost;
    core.iter().for_each(|variable| variables.add(variable));
    task.core = variables.order.len();
    relevant.variables.difference(&core).for_each(|variable| variables.add(variable));

    let mut renumber = Renumber {
        facts: &facts,
        variables: &variables,
        old: &task.conditions,
        conditions: &mut conditions,
    };
    let mut operators = IdVec::new();
    for (index, mut operator) in std::mem::take(&mut task.operators).into_iter().enumerate() {
        if relevant.operators.contains(OperatorId::from_index(index)) {
            renumber.conjunction(&mut operator.precondition);
            renumber.effects(&mut operator.effects, &relevant);
            for (condition, effects) in &mut operator.conditional {
                renumber.conjunction(condition);
                renumber.effects(effects, &relevant);
            }
            operators.push(operator);
        }
    }
    task.operators = operators;
    if let Some(goal) = &mut task.goal {
        renumber.conjunction(goal);
    }
    if let Some(cost) = &mut task.cost {
        cost.expression = cost.expression.renumbered(&|variable| variables.number(variable));
    }
    task.conditions = conditions.into_values().collect();

    let mut initial = vec![0; facts.order.len().div_ceil(32)];
    for (new, &old) in facts.order.pairs() {
        if is_true(&task.initial, old) {
            set_true(&mut initial, new);
        }
    }
    initial.extend(variables.order.iter().map(|&old| task.initial[words + old.index()]));
    task.initial = initial;
    task.facts = facts.order.len();
    task.variables = variables.order.len();
}

/// New ids for some of the old ones.
struct Renumbering<I> {
    /// The old ids, by the new.
    order: IdVec<I, I>,
    /// The new ids, by the old.
    new: FxHashMap<I, I>,
}

impl<I: Id> Renumbering<I> {
    fn new() -> Self {
        Renumbering { order: IdVec::new(), new: FxHashMap::default() }
    }

    fn add(&mut self, old: I) {
        self.new.insert(old, self.order.push(old));
    }

    /// The new id of a thing that was not left out.
    fn number(&self, old: I) -> I {
        self.new[&old]
    }
}

struct Renumber<'r> {
    facts: &'r Renumbering<FactId>,
    variables: &'r Renumbering<VariableId>,
    old: &'r IdVec<ConditionId, NumericCondition>,
    conditions: &'r mut IndexMap<ConditionId, NumericCondition, FxBuildHasher>,
}

impl Renumber<'_> {
    fn condition(&mut self, condition: ConditionId) -> ConditionId {
        let entry = self.conditions.entry(condition);
        let new = ConditionId::from_index(entry.index());
        entry.or_insert_with(|| {
            self.old[condition].renumbered(&|variable| self.variables.number(variable))
        });
        new
    }

    fn conjunction(&mut self, conjunction: &mut GroundConjunction) {
        conjunction
            .facts
            .iter_mut()
            .chain(&mut conjunction.absent)
            .for_each(|fact| *fact = self.facts.number(*fact));
        for condition in &mut conjunction.numeric {
            *condition = self.condition(*condition);
        }
        conjunction.clauses.iter_mut().for_each(|clause| self.formula(clause));
    }

    fn formula(&mut self, formula: &mut Formula) {
        match formula {
            Formula::Fact(fact, _) => *fact = self.facts.number(*fact),
            Formula::Numeric(condition) => *condition = self.condition(*condition),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter_mut().for_each(|part| self.formula(part))
            }
        }
    }

    fn effects(&mut self, effects: &mut GroundEffects, relevant: &Relevant) {
        effects.adds = self.kept(&effects.adds, relevant);
        effects.deletes = self.kept(&effects.deletes, relevant);
        let kept =
            effects.changes.iter().filter(|change| relevant.variables.contains(change.variable));
        effects.changes = kept.map(|change| self.change(change)).collect();
    }

    fn kept(&self, facts: &[FactId], relevant: &Relevant) -> Box<[FactId]> {
        facts
            .iter()
            .filter(|&&fact| relevant.facts.contains(fact))
            .map(|&fact| self.facts.number(fact))
            .collect()
    }

    fn change(&self, change: &VariableChange) -> VariableChange {
        VariableChange {
            variable: self.variables.number(change.variable),
            amount: change.amount.renumbered(&|variable| self.variables.number(variable)),
            ..change.clone()
        }
    }
}

struct Relevant {
    facts: IdSet<FactId>,
    variables: IdSet<VariableId>,
    operators: IdSet<OperatorId>,
}

impl Relevant {
    fn of(task: &GroundTask) -> Self {
        let mut relevant = Relevant {
            facts: IdSet::with_capacity(task.facts),
            variables: IdSet::with_capacity(task.variables),
            operators: IdSet::with_capacity(task.operators.len()),
        };
        if let Some(goal) = &task.goal {
            relevant.conjunction(goal, task);
        }
        if let Some(cost) = &task.cost {
            cost.expression.variables(&mut |variable| relevant.variables.insert(variable));
        }
        loop {
            let before = relevant.size();
            for (id, operator) in task.operators.pairs() {
                if relevant.operators.contains(id) || relevant.is_touched(operator) {
                    relevant.operators.insert(id);
                    relevant.operator(operator, task);
                }
            }
            if relevant.size() == before {
                return relevant;
            }
        }
    }

    fn size(&self) -> usize {
        self.facts.len() + self.variables.len() + self.operators.len()
    }

    fn is_touched(&self, operator: &Operator) -> bool {
        operator.all_effects().any(|effects| {
            effects.adds.iter().chain(&effects.deletes).any(|&fact| self.facts.contains(fact))
                || effects.changes.iter().any(|change| self.variables.contains(change.variable))
        })
    }

    fn operator(&mut self, operator: &Operator, task: &GroundTask) {
        self.conjunction(&operator.precondition, task);
        operator.conditional.iter().for_each(|(condition, _)| self.conjunction(condition, task));
        let initial = task.values(&task.initial);
        for change in operator.all_effects().flat_map(|effects| &effects.changes) {
            let mut settled = !change.amount.divides();
            change.amount.variables(&mut |variable| settled &= initial.number(variable).is_some());
            let alone = operator.all_effects().flat_map(|effects| &effects.changes).all(|other| {
                other.variable != change.variable
                    || std::ptr::eq(other, change)
                    || (other.operation, change.operation) == (Operation::Add, Operation::Add)
            });
            // A change that may be undefined, or contradict another, decides whether the step can
            // be taken at all.
            let harmless = settled
                && alone
                && (initial.number(change.variable).is_some()
                    || change.operation == Operation::Assign);
            if !harmless || self.variables.contains(change.variable) {
                self.variables.insert(change.variable);
                change.amount.variables(&mut |variable| self.variables.insert(variable));
            }
        }
    }

    fn conjunction(&mut self, conjunction: &GroundConjunction, task: &GroundTask) {
        self.facts.extend(conjunction.facts.iter().chain(&conjunction.absent).copied());
        conjunction.numeric.iter().for_each(|&condition| self.condition(condition, task));
        conjunction.clauses.iter().for_each(|clause| self.formula(clause, task));
    }

    fn condition(&mut self, condition: ConditionId, task: &GroundTask) {
        task.conditions[condition].variables(&mut |variable| self.variables.insert(variable));
    }

    fn formula(&mut self, formula: &Formula, task: &GroundTask) {
        match formula {
            Formula::Fact(fact, _) => self.facts.insert(*fact),
            Formula::Numeric(condition) => self.condition(*condition, task),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| self.formula(part, task))
            }
        }
    }
}
