//! A ground planning task: facts, variables, operators; and how a state of it changes.
//!
//! A state is a row of words: one bit a fact, then the index of each variable's value in [`Numbers`].

use super::expression::Expression;
use super::number::{Numbers, UNDEFINED, too_large};
use super::numeric::{Hull, Memory, Numeric, Prepared};
use crate::exact::Rational;
use crate::model::GroundAction;

/// A condition in negation normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// The fact is true, or false.
    Fact(u32, bool),
    /// The numeric condition holds.
    Numeric(u32),
    /// All hold.
    And(Vec<Formula>),
    /// One holds.
    Or(Vec<Formula>),
}

/// A conjunction, taken apart by what its parts are.
#[derive(Clone, Debug, Default)]
pub struct Conjunction {
    /// Facts that must be true.
    pub facts: Box<[u32]>,
    /// Facts that must be false.
    pub absent: Box<[u32]>,
    /// Numeric conditions.
    pub numeric: Box<[u32]>,
    /// Disjunctions.
    pub clauses: Box<[Formula]>,
}

/// How a variable changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// It becomes the amount.
    Assign,
    /// The amount is added.
    Add,
    /// It is multiplied by the amount.
    Scale,
}

/// A change of one variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Change {
    /// Which.
    pub variable: u32,
    /// How.
    pub operation: Operation,
    /// By how much.
    pub amount: Expression,
    /// The index of the amount, where it is a number.
    pub constant: Option<u32>,
}

/// What happens together.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Facts that become true.
    pub adds: Box<[u32]>,
    /// Facts that become false, unless something adds them.
    pub deletes: Box<[u32]>,
    /// Variables that change, by number.
    pub changes: Box<[Change]>,
}

/// A ground action.
#[derive(Clone, Debug)]
pub struct Operator {
    /// What it is in the problem.
    pub step: GroundAction,
    /// When it can be taken.
    pub precondition: Conjunction,
    /// What it does.
    pub effects: Effects,
    /// What it does besides, when more holds.
    pub conditional: Vec<(Conjunction, Effects)>,
}

/// A ground task.
pub struct Task {
    /// How many facts there are.
    pub facts: usize,
    /// How many variables there are.
    pub variables: usize,
    /// How many of them, the first, matter for more than the metric.
    pub core: usize,
    /// The operators.
    pub operators: Vec<Operator>,
    /// What is to be reached; `None`: it never holds.
    pub goal: Option<Conjunction>,
    /// The numeric conditions, each once.
    pub conditions: Vec<Numeric>,
    /// The same, made ready.
    pub prepared: Vec<Prepared>,
    /// The hulls they speak of.
    pub hulls: Vec<Hull>,
    /// The numbers of the initial state and of constant effects.
    pub numbers: Numbers,
    /// The initial state.
    pub initial: Vec<u32>,
    /// The metric, where it was asked for.
    pub cost: Option<Cost>,
}

/// What a plan costs: less is better.
#[derive(Clone, Debug)]
pub struct Cost {
    /// What is measured in the last state.
    pub expression: Expression,
    /// What each step adds.
    pub step: Rational,
}

impl Task {
    /// How many words of a state hold facts.
    pub fn words(&self) -> usize {
        self.facts.div_ceil(32)
    }

    /// About how many bytes the task takes.
    pub fn bytes(&self) -> usize {
        let operator = |operator: &Operator| {
            let effects = |effects: &Effects| 4 * (effects.adds.len() + effects.deletes.len()) + 120 * effects.changes.len();
            let conjunction = |c: &Conjunction| 4 * (c.facts.len() + c.absent.len() + c.numeric.len()) + 64 * c.clauses.len();
            let conditional = operator.conditional.iter().map(|(c, e)| 160 + conjunction(c) + effects(e));
            size_of::<Operator>() + conjunction(&operator.precondition) + effects(&operator.effects) + conditional.sum::<usize>()
        };
        self.operators.iter().map(operator).sum::<usize>() + self.conditions.len() * 300 + self.numbers.bytes()
    }
}

/// Whether a fact is true in a state.
#[inline]
pub fn is_true(state: &[u32], fact: u32) -> bool {
    state[(fact / 32) as usize] >> (fact % 32) & 1 != 0
}

/// Evaluates states of one task. Numbers met on the way are its own, so each search has one.
pub struct Interpreter<'t> {
    /// The task.
    pub task: &'t Task,
    /// The numbers met.
    pub numbers: Numbers,
    /// For each numeric condition, what makes its next evaluation quicker.
    pub memories: Vec<Memory>,
    /// Operators by a fact they need; those that need none come last.
    watchers: Vec<Vec<u32>>,
    /// Whether a step was left out because a number in it became too large: then nothing is proved any more.
    pub overflowed: bool,
    /// Work spent on numbers that are no machine integers.
    pub arithmetic: u64,
}

impl<'t> Interpreter<'t> {
    /// An interpreter that has met the initial state only.
    pub fn new(task: &'t Task) -> Self {
        let mut uses = vec![0u32; task.facts];
        for operator in &task.operators {
            operator.precondition.facts.iter().for_each(|&fact| uses[fact as usize] += 1);
        }
        let mut watchers = vec![Vec::new(); task.facts + 1];
        for (index, operator) in task.operators.iter().enumerate() {
            // The fact that fewest operators need is the one that is rarely true.
            let rarest = operator.precondition.facts.iter().min_by_key(|&&fact| (uses[fact as usize], fact));
            watchers[rarest.map_or(task.facts, |&fact| fact as usize)].push(index as u32);
        }
        Interpreter {
            task,
            numbers: task.numbers.clone(),
            memories: task.conditions.iter().map(|_| Memory::default()).collect(),
            watchers,
            overflowed: false,
            arithmetic: 0,
        }
    }

    /// About how many bytes are held beyond the task.
    pub fn bytes(&self) -> usize {
        self.numbers.bytes() + self.memories.iter().map(Memory::bytes).sum::<usize>()
    }

    /// Whether a numeric condition holds.
    #[inline]
    pub fn numeric(&mut self, condition: u32, state: &[u32]) -> bool {
        let condition = condition as usize;
        let values = &state[self.task.words()..];
        self.task.prepared[condition].holds(&self.task.hulls, &self.numbers, values, &mut self.memories[condition])
    }

    /// Whether a formula holds.
    pub fn formula(&mut self, formula: &Formula, state: &[u32]) -> bool {
        match formula {
            Formula::Fact(fact, truth) => is_true(state, *fact) == *truth,
            Formula::Numeric(condition) => self.numeric(*condition, state),
            Formula::And(parts) => parts.iter().all(|part| self.formula(part, state)),
            Formula::Or(parts) => parts.iter().any(|part| self.formula(part, state)),
        }
    }

    /// Whether a conjunction holds.
    #[inline]
    pub fn holds(&mut self, conjunction: &Conjunction, state: &[u32]) -> bool {
        conjunction.facts.iter().all(|&fact| is_true(state, fact))
            && conjunction.absent.iter().all(|&fact| !is_true(state, fact))
            && conjunction.numeric.iter().all(|&condition| self.numeric(condition, state))
            && conjunction.clauses.iter().all(|clause| self.formula(clause, state))
    }

    /// Whether the goal holds.
    pub fn is_goal(&mut self, state: &[u32]) -> bool {
        let task = self.task;
        task.goal.as_ref().is_some_and(|goal| self.holds(goal, state))
    }

    /// The operators whose preconditions hold, in a fixed order.
    pub fn applicable(&mut self, state: &[u32], found: &mut Vec<u32>) {
        found.clear();
        let task = self.task;
        let watchers = std::mem::take(&mut self.watchers);
        let mut look = |list: &[u32], this: &mut Self| {
            for &operator in list {
                if this.holds(&task.operators[operator as usize].precondition, state) {
                    found.push(operator);
                }
            }
        };
        for (word, &bits) in state[..task.words()].iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let fact = word * 32 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                look(&watchers[fact], self);
            }
        }
        look(&watchers[task.facts], self);
        self.watchers = watchers;
    }

    /// Writes the state after an operator whose precondition holds; false when its effects contradict each other or are
    /// undefined, and then `next` means nothing.
    pub fn apply(&mut self, operator: u32, state: &[u32], next: &mut Vec<u32>) -> bool {
        next.clear();
        next.extend_from_slice(state);
        let task = self.task;
        let operator = &task.operators[operator as usize];
        if operator.conditional.is_empty() {
            remove(&operator.effects, next);
            insert(&operator.effects, next);
            return self.change(&operator.effects.changes, state, next);
        }
        let mut together = vec![&operator.effects];
        for (condition, effects) in &operator.conditional {
            if self.holds(condition, state) {
                together.push(effects);
            }
        }
        together.iter().for_each(|effects| remove(effects, next));
        together.iter().for_each(|effects| insert(effects, next));
        let mut changes: Vec<Change> = together.iter().flat_map(|effects| effects.changes.iter().cloned()).collect();
        changes.sort_by_key(|change| change.variable);
        self.change(&changes, state, next)
    }

    fn change(&mut self, changes: &[Change], state: &[u32], next: &mut [u32]) -> bool {
        let words = self.task.words();
        let values = &state[words..];
        let mut rest = changes;
        while let [first, ..] = rest {
            let count = rest.iter().take_while(|change| change.variable == first.variable).count();
            let (group, later) = rest.split_at(count);
            rest = later;
            let place = words + first.variable as usize;
            let old = state[place];
            let new = match (group, first.constant) {
                ([_], Some(amount)) if first.operation == Operation::Add => self.numbers.sum(old, amount),
                ([_], Some(amount)) if first.operation == Operation::Assign => amount,
                _ => match self.combined(group, old, values) {
                    Some(number) => {
                        // Lowest terms take time with the square of the digits.
                        self.arithmetic += (number.bits() as u64 / 64).pow(2);
                        if too_large(&number) {
                            self.overflowed = true;
                            return false;
                        }
                        self.numbers.index(number)
                    }
                    None => UNDEFINED,
                },
            };
            if new == UNDEFINED {
                return false;
            }
            next[place] = new;
        }
        true
    }

    /// What several changes of one variable come to, as `model::semantics` defines it.
    fn combined(&self, group: &[Change], old: u32, values: &[u32]) -> Option<Rational> {
        let mut total = group[0].amount.exact(&self.numbers, values)?;
        for change in &group[1..] {
            let amount = change.amount.exact(&self.numbers, values)?;
            total = match (group[0].operation, change.operation) {
                (Operation::Assign, Operation::Assign) if total == amount => amount,
                (Operation::Add, Operation::Add) => &total + &amount,
                (Operation::Scale, Operation::Scale) => &total * &amount,
                _ => return None,
            };
        }
        match group[0].operation {
            Operation::Assign => Some(total),
            Operation::Add => Some(self.numbers.exact(old)? + &total),
            Operation::Scale => Some(self.numbers.exact(old)? * &total),
        }
    }
}

fn remove(effects: &Effects, state: &mut [u32]) {
    effects.deletes.iter().for_each(|&fact| state[(fact / 32) as usize] &= !(1 << (fact % 32)));
}

fn insert(effects: &Effects, state: &mut [u32]) {
    effects.adds.iter().for_each(|&fact| state[(fact / 32) as usize] |= 1 << (fact % 32));
}
