//! A ground planning task: facts, variables, operators; and how a state of it changes.
//!
//! A state is a row of words: one bit a fact, then which number in [`NumberTable`] each variable
//! is.

use super::burden::Burdens;
use super::expression::GroundExpression;
use super::ids::{ConditionId, FactId, NumberId, OperatorId, RegionId, StateWord, VariableId};
use super::number::{NumberTable, StateValues, too_large};
use super::numeric::{LiftedRegion, NumericCondition, PreparedCondition};
use surefoot_base::exact::Rational;
use surefoot_base::exact::TesterMemory;
use surefoot_base::ids::{Id, IdVec};
use surefoot_base::model::GroundAction;

/// A condition in negation normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// The fact is true, or false.
    Fact(FactId, bool),
    /// The numeric condition holds.
    Numeric(ConditionId),
    /// All parts hold.
    And(Vec<Formula>),
    /// Some part holds.
    Or(Vec<Formula>),
}

/// A conjunction, taken apart by what its parts are.
#[derive(Clone, Debug, Default)]
pub struct GroundConjunction {
    /// Facts that must be true.
    pub facts: Box<[FactId]>,
    /// Facts that must be false.
    pub absent: Box<[FactId]>,
    /// The numeric conditions that must hold.
    pub numeric: Box<[ConditionId]>,
    /// Disjunctions that must hold.
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
pub struct VariableChange {
    /// The variable that changes.
    pub variable: VariableId,
    /// Whether it is assigned, increased or scaled.
    pub operation: Operation,
    /// The operand of the change.
    pub amount: GroundExpression,
    /// The amount, where it is a number.
    pub constant: Option<NumberId>,
}

/// Effects that happen together.
#[derive(Clone, Debug, Default)]
pub struct GroundEffects {
    /// Facts that become true.
    pub adds: Box<[FactId]>,
    /// Facts that become false, unless something adds them.
    pub deletes: Box<[FactId]>,
    /// Variables that change, by number.
    pub changes: Box<[VariableChange]>,
}

/// A ground action of the task.
#[derive(Clone, Debug)]
pub struct Operator {
    /// What it is in the problem.
    pub step: GroundAction,
    /// When it can be taken.
    pub precondition: GroundConjunction,
    /// The effects of taking it.
    pub effects: GroundEffects,
    /// What it does besides, when more holds.
    pub conditional: Vec<(GroundConjunction, GroundEffects)>,
}

/// A ground planning task.
pub struct GroundTask {
    /// How many facts there are.
    pub facts: usize,
    /// How many variables there are.
    pub variables: usize,
    /// How many of them, the first, matter for more than the metric.
    pub core: usize,
    /// The ground actions that matter.
    pub operators: IdVec<OperatorId, Operator>,
    /// What is to be reached; `None`: it never holds.
    pub goal: Option<GroundConjunction>,
    /// The numeric conditions, each once.
    pub conditions: IdVec<ConditionId, NumericCondition>,
    /// The conditions, prepared for fast tests.
    pub prepared: IdVec<ConditionId, PreparedCondition>,
    /// The regions they speak of.
    pub regions: IdVec<RegionId, LiftedRegion>,
    /// The numbers of the initial state and of constant effects.
    pub numbers: NumberTable,
    /// The initial state as a row of words.
    pub initial: Vec<StateWord>,
    /// The metric, where it was asked for.
    pub cost: Option<PlanCost>,
    /// The variables whose values compare: burdens and assets.
    pub burdens: Burdens,
}

/// What a plan costs: less is better.
#[derive(Clone, Debug)]
pub struct PlanCost {
    /// What is measured in the last state.
    pub expression: GroundExpression,
    /// What each step adds.
    pub step: Rational,
}

impl GroundTask {
    /// How many words of a state hold facts.
    pub fn words(&self) -> usize {
        self.facts.div_ceil(32)
    }

    /// The values of the variables in a state.
    #[inline]
    pub fn values<'s>(&self, state: &'s [StateWord]) -> StateValues<'s> {
        StateValues::new(&state[self.words()..])
    }

    /// About how many bytes the task takes.
    pub fn bytes(&self) -> usize {
        self.operators.iter().map(Operator::bytes).sum::<usize>()
            + self.conditions.len() * 300
            + self.numbers.bytes()
    }
}

impl Operator {
    /// The effects under conditions, then those without.
    pub fn all_effects(&self) -> impl Iterator<Item = &GroundEffects> {
        self.conditional.iter().map(|(_, effects)| effects).chain([&self.effects])
    }

    fn bytes(&self) -> usize {
        let conditional = self
            .conditional
            .iter()
            .map(|(condition, effects)| 160 + condition.bytes() + effects.bytes());
        size_of::<Operator>()
            + self.precondition.bytes()
            + self.effects.bytes()
            + conditional.sum::<usize>()
    }
}

impl GroundConjunction {
    fn bytes(&self) -> usize {
        4 * (self.facts.len() + self.absent.len() + self.numeric.len()) + 64 * self.clauses.len()
    }
}

impl GroundEffects {
    fn bytes(&self) -> usize {
        4 * (self.adds.len() + self.deletes.len()) + 120 * self.changes.len()
    }
}

/// Whether a fact is true in a state.
#[inline]
pub fn is_true(state: &[StateWord], fact: FactId) -> bool {
    let (word, bit) = place(fact);
    state[word] & bit != 0
}

/// Makes a fact true.
#[inline]
pub fn set_true(state: &mut [StateWord], fact: FactId) {
    let (word, bit) = place(fact);
    state[word] |= bit;
}

/// Makes a fact false.
#[inline]
fn set_false(state: &mut [StateWord], fact: FactId) {
    let (word, bit) = place(fact);
    state[word] &= !bit;
}

/// The word of a state that holds a fact, and its bit there.
#[inline]
fn place(fact: FactId) -> (usize, StateWord) {
    (fact.index() / 32, 1 << (fact.index() % 32))
}

/// The facts that are true, given the words of a state that hold facts; in order.
pub fn true_facts(words: &[StateWord]) -> impl Iterator<Item = FactId> {
    words.iter().enumerate().flat_map(|(word, &bits)| {
        TrueBits { bits }.map(move |bit| FactId::from_index(word * 32 + bit))
    })
}

/// The places of the bits of a word that are set, lowest first.
struct TrueBits {
    bits: StateWord,
}

impl Iterator for TrueBits {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let bit = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits.checked_sub(1)?;
        Some(bit)
    }
}

/// Evaluates states of one task. Numbers met on the way are its own, so each search has one.
pub struct Interpreter<'t> {
    /// The task that is executed.
    pub task: &'t GroundTask,
    /// All numbers that states refer to.
    pub numbers: NumberTable,
    /// For each numeric condition, what makes its next evaluation quicker.
    pub caches: IdVec<ConditionId, TesterMemory>,
    /// Operators by a fact they need.
    watchers: IdVec<FactId, Vec<OperatorId>>,
    /// Operators that need no fact.
    unwatched: Vec<OperatorId>,
    /// Whether a step was left out because a number in it became too large: then nothing is proved
    /// any more.
    pub overflowed: bool,
    /// Work spent on numbers that are no machine integers.
    pub arithmetic: u64,
}

impl<'t> Interpreter<'t> {
    /// An interpreter that has met the initial state only.
    pub fn new(task: &'t GroundTask) -> Self {
        let mut uses: IdVec<FactId, u32> = IdVec::filled(0, task.facts);
        for operator in &task.operators {
            operator.precondition.facts.iter().for_each(|&fact| uses[fact] += 1);
        }
        let mut watchers: IdVec<FactId, Vec<OperatorId>> = IdVec::filled(Vec::new(), task.facts);
        let mut unwatched = Vec::new();
        for (id, operator) in task.operators.pairs() {
            // The fact that fewest operators need is the one that is rarely true.
            let rarest = operator.precondition.facts.iter().min_by_key(|&&fact| (uses[fact], fact));
            match rarest {
                Some(&fact) => watchers[fact].push(id),
                None => unwatched.push(id),
            }
        }
        Interpreter {
            task,
            numbers: task.numbers.clone(),
            caches: task.conditions.iter().map(|_| TesterMemory::of_places()).collect(),
            watchers,
            unwatched,
            overflowed: false,
            arithmetic: 0,
        }
    }

    /// About how many bytes are held beyond the task.
    pub fn bytes(&self) -> usize {
        self.numbers.bytes() + self.caches.iter().map(TesterMemory::bytes).sum::<usize>()
    }

    /// Whether a numeric condition holds.
    #[inline]
    pub fn numeric(&mut self, condition: ConditionId, state: &[StateWord]) -> bool {
        let values = self.task.values(state);
        self.task.prepared[condition].holds(
            &self.task.regions,
            &self.numbers,
            values,
            &mut self.caches[condition],
        )
    }

    /// Whether a formula holds.
    pub fn formula(&mut self, formula: &Formula, state: &[StateWord]) -> bool {
        match formula {
            Formula::Fact(fact, truth) => is_true(state, *fact) == *truth,
            Formula::Numeric(condition) => self.numeric(*condition, state),
            Formula::And(parts) => parts.iter().all(|part| self.formula(part, state)),
            Formula::Or(parts) => parts.iter().any(|part| self.formula(part, state)),
        }
    }

    /// Whether a conjunction holds.
    #[inline]
    pub fn holds(&mut self, conjunction: &GroundConjunction, state: &[StateWord]) -> bool {
        conjunction.facts.iter().all(|&fact| is_true(state, fact))
            && conjunction.absent.iter().all(|&fact| !is_true(state, fact))
            && conjunction.numeric.iter().all(|&condition| self.numeric(condition, state))
            && conjunction.clauses.iter().all(|clause| self.formula(clause, state))
    }

    /// Whether the goal holds.
    pub fn is_goal(&mut self, state: &[StateWord]) -> bool {
        let task = self.task;
        task.goal.as_ref().is_some_and(|goal| self.holds(goal, state))
    }

    /// The operators whose preconditions hold, in a fixed order.
    pub fn applicable(&mut self, state: &[StateWord], found: &mut Vec<OperatorId>) {
        found.clear();
        let (watchers, unwatched) =
            (std::mem::take(&mut self.watchers), std::mem::take(&mut self.unwatched));
        for fact in true_facts(&state[..self.task.words()]) {
            self.keep_applicable(&watchers[fact], state, found);
        }
        self.keep_applicable(&unwatched, state, found);
        (self.watchers, self.unwatched) = (watchers, unwatched);
    }

    #[inline]
    fn keep_applicable(
        &mut self,
        candidates: &[OperatorId],
        state: &[StateWord],
        found: &mut Vec<OperatorId>,
    ) {
        let task = self.task;
        for &operator in candidates {
            if self.holds(&task.operators[operator].precondition, state) {
                found.push(operator);
            }
        }
    }

    /// Writes the state after an operator whose precondition holds; false when its effects
    /// contradict each other or are undefined, and then `next` means nothing.
    pub fn apply(
        &mut self,
        operator: OperatorId,
        state: &[StateWord],
        next: &mut Vec<StateWord>,
    ) -> bool {
        next.clear();
        next.extend_from_slice(state);
        let task = self.task;
        let operator = &task.operators[operator];
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
        let mut changes: Vec<VariableChange> =
            together.iter().flat_map(|effects| effects.changes.iter().cloned()).collect();
        changes.sort_by_key(|change| change.variable);
        self.change(&changes, state, next)
    }

    fn change(
        &mut self,
        changes: &[VariableChange],
        state: &[StateWord],
        next: &mut [StateWord],
    ) -> bool {
        let words = self.task.words();
        let values = self.task.values(state);
        let mut rest = changes;
        while let [first, ..] = rest {
            let count = rest.iter().take_while(|change| change.variable == first.variable).count();
            let (group, later) = rest.split_at(count);
            rest = later;
            let old = values.number(first.variable);
            let new = match (group, first.constant) {
                ([_], Some(amount)) if first.operation == Operation::Add => {
                    old.map(|old| self.numbers.sum(old, amount))
                }
                ([_], Some(amount)) if first.operation == Operation::Assign => Some(amount),
                _ => match self.combined(group, old, values) {
                    Some(number) => {
                        // Lowest terms take time with the square of the digits.
                        self.arithmetic += (number.bits() as u64 / 64).pow(2);
                        if too_large(&number) {
                            self.overflowed = true;
                            return false;
                        }
                        Some(self.numbers.id(number))
                    }
                    None => None,
                },
            };
            if new.is_none() {
                return false;
            }
            next[words + first.variable.index()] = NumberId::word(new);
        }
        true
    }

    /// The total effect of several changes of one variable, as `model::semantics` defines it.
    fn combined(
        &self,
        group: &[VariableChange],
        old: Option<NumberId>,
        values: StateValues,
    ) -> Option<Rational> {
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
            Operation::Add => Some(self.numbers.exact(old?) + &total),
            Operation::Scale => Some(self.numbers.exact(old?) * &total),
        }
    }
}

fn remove(effects: &GroundEffects, state: &mut [StateWord]) {
    effects.deletes.iter().for_each(|&fact| set_false(state, fact));
}

fn insert(effects: &GroundEffects, state: &mut [StateWord]) {
    effects.adds.iter().for_each(|&fact| set_true(state, fact));
}
