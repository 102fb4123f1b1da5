//! Leaves out what cannot matter for the goal: facts, variables and operators that no chain of conditions connects to it.
//!
//! A counter that is only ever increased would otherwise make every state a new one.

use fixedbitset::FixedBitSet;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::number::UNDEFINED;
use super::numeric::Numeric;
use super::task::{Change, Conjunction, Effects, Formula, Operation, Operator, Task};

/// Reduces a task to what matters; numbers facts, variables and conditions anew.
pub fn reduce(task: &mut Task) {
    let relevant = Relevant::of(task);
    let words = task.words();
    let (mut facts, mut variables) = (Numbering::default(), Numbering::default());
    let mut conditions: IndexMap<u32, Numeric, FxBuildHasher> = IndexMap::default();
    relevant.facts.ones().for_each(|fact| facts.add(fact));
    // What matters even without the metric comes first.
    let cost = task.cost.take();
    let core = Relevant::of(task).variables;
    task.cost = cost;
    core.ones().for_each(|variable| variables.add(variable));
    task.core = variables.order.len();
    relevant.variables.difference(&core).for_each(|variable| variables.add(variable));

    let mut renumber = Renumber { facts: &facts, variables: &variables, old: &task.conditions, conditions: &mut conditions };
    let operators = std::mem::take(&mut task.operators);
    for (index, mut operator) in operators.into_iter().enumerate() {
        if relevant.operators.contains(index) {
            renumber.conjunction(&mut operator.precondition);
            renumber.effects(&mut operator.effects, &relevant);
            for (condition, effects) in &mut operator.conditional {
                renumber.conjunction(condition);
                renumber.effects(effects, &relevant);
            }
            task.operators.push(operator);
        }
    }
    if let Some(goal) = &mut task.goal {
        renumber.conjunction(goal);
    }
    if let Some(cost) = &mut task.cost {
        cost.expression = cost.expression.renumbered(&|variable| variables.number(variable));
    }
    task.conditions = conditions.into_values().collect();

    let mut initial = vec![0u32; facts.order.len().div_ceil(32)];
    for (new, &old) in facts.order.iter().enumerate() {
        initial[new / 32] |= (task.initial[old / 32] >> (old % 32) & 1) << (new % 32);
    }
    initial.extend(variables.order.iter().map(|&old| task.initial[words + old]));
    task.initial = initial;
    task.facts = facts.order.len();
    task.variables = variables.order.len();
}

#[derive(Default)]
struct Numbering {
    order: Vec<usize>,
    new: Vec<u32>,
}

impl Numbering {
    fn add(&mut self, old: usize) {
        self.new.resize(self.new.len().max(old + 1), UNDEFINED);
        self.new[old] = self.order.len() as u32;
        self.order.push(old);
    }

    fn number(&self, old: u32) -> u32 {
        self.new[old as usize]
    }
}

struct Renumber<'r> {
    facts: &'r Numbering,
    variables: &'r Numbering,
    old: &'r [Numeric],
    conditions: &'r mut IndexMap<u32, Numeric, FxBuildHasher>,
}

impl Renumber<'_> {
    fn condition(&mut self, condition: u32) -> u32 {
        let entry = self.conditions.entry(condition);
        let new = entry.index() as u32;
        entry.or_insert_with(|| self.old[condition as usize].renumbered(&|variable| self.variables.number(variable)));
        new
    }

    fn conjunction(&mut self, conjunction: &mut Conjunction) {
        conjunction.facts.iter_mut().chain(&mut conjunction.absent).for_each(|fact| *fact = self.facts.number(*fact));
        for condition in &mut conjunction.numeric {
            *condition = self.condition(*condition);
        }
        conjunction.clauses.iter_mut().for_each(|clause| self.formula(clause));
    }

    fn formula(&mut self, formula: &mut Formula) {
        match formula {
            Formula::Fact(fact, _) => *fact = self.facts.number(*fact),
            Formula::Numeric(condition) => *condition = self.condition(*condition),
            Formula::And(parts) | Formula::Or(parts) => parts.iter_mut().for_each(|part| self.formula(part)),
        }
    }

    fn effects(&mut self, effects: &mut Effects, relevant: &Relevant) {
        let facts = |list: &[u32]| -> Box<[u32]> {
            let kept = list.iter().filter(|&&fact| relevant.facts.contains(fact as usize));
            kept.map(|&fact| self.facts.number(fact)).collect()
        };
        effects.adds = facts(&effects.adds);
        effects.deletes = facts(&effects.deletes);
        let number = |variable| self.variables.number(variable);
        let change = |change: &Change| Change {
            variable: number(change.variable),
            amount: change.amount.renumbered(&number),
            ..change.clone()
        };
        let kept = effects.changes.iter().filter(|change| relevant.variables.contains(change.variable as usize));
        effects.changes = kept.map(change).collect();
    }
}

struct Relevant {
    facts: FixedBitSet,
    variables: FixedBitSet,
    operators: FixedBitSet,
}

impl Relevant {
    fn of(task: &Task) -> Self {
        let mut relevant = Relevant {
            facts: FixedBitSet::with_capacity(task.facts),
            variables: FixedBitSet::with_capacity(task.variables),
            operators: FixedBitSet::with_capacity(task.operators.len()),
        };
        if let Some(goal) = &task.goal {
            relevant.conjunction(goal, task);
        }
        if let Some(cost) = &task.cost {
            cost.expression.variables(&mut |variable| relevant.variables.insert(variable as usize));
        }
        loop {
            let before = relevant.size();
            for (index, operator) in task.operators.iter().enumerate() {
                if relevant.operators.contains(index) || relevant.is_touched(operator) {
                    relevant.operators.insert(index);
                    relevant.operator(operator, task);
                }
            }
            if relevant.size() == before {
                return relevant;
            }
        }
    }

    fn size(&self) -> usize {
        self.facts.count_ones(..) + self.variables.count_ones(..) + self.operators.count_ones(..)
    }

    fn is_touched(&self, operator: &Operator) -> bool {
        let touched = |effects: &Effects| {
            effects.adds.iter().chain(&effects.deletes).any(|&fact| self.facts.contains(fact as usize))
                || effects.changes.iter().any(|change| self.variables.contains(change.variable as usize))
        };
        touched(&operator.effects) || operator.conditional.iter().any(|(_, effects)| touched(effects))
    }

    fn operator(&mut self, operator: &Operator, task: &Task) {
        self.conjunction(&operator.precondition, task);
        operator.conditional.iter().for_each(|(condition, _)| self.conjunction(condition, task));
        let changes =
            || operator.conditional.iter().map(|(_, effects)| effects).chain([&operator.effects]).flat_map(|e| &e.changes);
        let defined = |variable: u32| task.initial[task.words() + variable as usize] != UNDEFINED;
        for change in changes() {
            let mut settled = !change.amount.divides();
            change.amount.variables(&mut |variable| settled &= defined(variable));
            let alone = changes().all(|other| {
                other.variable != change.variable
                    || std::ptr::eq(other, change)
                    || (other.operation, change.operation) == (Operation::Add, Operation::Add)
            });
            // A change that may be undefined, or contradict another, decides whether the step can be taken at all.
            let harmless = settled && alone && (defined(change.variable) || change.operation == Operation::Assign);
            if !harmless || self.variables.contains(change.variable as usize) {
                self.variables.insert(change.variable as usize);
                change.amount.variables(&mut |variable| self.variables.insert(variable as usize));
            }
        }
    }

    fn conjunction(&mut self, conjunction: &Conjunction, task: &Task) {
        self.facts.extend(conjunction.facts.iter().chain(&conjunction.absent).map(|&fact| fact as usize));
        conjunction.numeric.iter().for_each(|&condition| self.condition(condition, task));
        conjunction.clauses.iter().for_each(|clause| self.formula(clause, task));
    }

    fn condition(&mut self, condition: u32, task: &Task) {
        task.conditions[condition as usize].variables(&mut |variable| self.variables.insert(variable as usize));
    }

    fn formula(&mut self, formula: &Formula, task: &Task) {
        match formula {
            Formula::Fact(fact, _) => self.facts.insert(*fact as usize),
            Formula::Numeric(condition) => self.condition(*condition, task),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| self.formula(part, task)),
        }
    }
}
