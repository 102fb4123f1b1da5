//! An expression for the size of a change, by best-first search.
//!
//! An expression is a flat sequence of operands and operators without parentheses; × and ÷ bind
//! tighter than + and −, and equal precedence groups to the right, so 5 − 2 − 1 is 4. An operand is
//! a small integer or another column, with its value **after** the step. Longer expressions are
//! judged on a sample of the steps, and only one that is taken from the heap on all of them. Where
//! the search is given up, the best start is returned as if it had been found.

use super::column::{Amount, ArithmeticOperator, NumericQuantity};
use super::heap::Heap;
use super::observed::TypedApplication;
use super::repairs::Repairs;
use super::tables::{ActionTables, ObservedValue, changes};
use super::work::{Stop, Work};

/// The error of an expression without a row to judge it by.
const NO_ROWS: f64 = 99_999_999.0;

/// An expression meets the goal below this mean error, in percent.
const GOAL: f64 = 2.0;

/// The share of steps in the sample for longer expressions.
const SAMPLE: f64 = 0.05;

/// How many expressions the original judged within its limit of 300 seconds for one change,
/// measured where there are so few steps that a sample is one of them.
pub(super) const EVALUATIONS_OF_A_SEARCH: u64 = 2_978_646;

/// What the paper's ten minutes come to, in expressions judged: two searches that are given up take
/// all of them.
pub(super) const EVALUATIONS_OF_A_RUN: u64 = 2 * EVALUATIONS_OF_A_SEARCH;

/// Chance for samples: small, and the same everywhere. (The original asks the operating system for
/// a seed each time.)
#[derive(Clone, Debug)]
struct SampleGenerator(u64);

impl SampleGenerator {
    /// A number below `bound`, by splitmix64.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * bound as u128) >> 64) as usize
    }
}

/// An operand of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Operand {
    Constant(i8),
    Column(u16),
}

/// An expression: another one, extended.
#[derive(Clone, Copy, Debug)]
struct ExpressionNode {
    shorter: Option<(u32, ArithmeticOperator)>,
    last: Operand,
}

/// A search for one change.
struct ChangeSearch {
    /// |d|, or not a number.
    targets: Vec<f64>,
    /// The values of the columns that may occur, step by step; not a number where not observed.
    operands: Vec<Vec<f64>>,
    nodes: Vec<ExpressionNode>,
    heap: Heap<u32>,
}

/// Searches for expressions, one after the other.
pub(super) struct Searching {
    /// Operands have their values before the step.
    operands_before: bool,
    chance: SampleGenerator,
    /// How many expressions were judged so far, which the limit counts.
    work: Work,
}

impl Searching {
    pub(super) fn new(repairs: Repairs, seed: u64, work: Work) -> Searching {
        Searching { operands_before: repairs.pre_operands, chance: SampleGenerator(seed), work }
    }

    /// The expression for the change of a column.
    ///
    /// # Errors
    /// All work is spent.
    pub(super) fn find(&mut self, tables: &ActionTables, column: usize) -> Result<Amount, Stop> {
        let functions: Vec<(&TypedApplication, &[ObservedValue])> =
            operands(tables, column).collect();
        let rows =
            if self.operands_before { 0..tables.steps } else { tables.steps..2 * tables.steps };
        let mut search = ChangeSearch {
            targets: changes(&tables.numeric[column].1)
                .iter()
                .map(|change| change.unwrap_or(f64::NAN).abs())
                .collect(),
            operands: functions
                .iter()
                .map(|(_, cells)| {
                    cells[rows.clone()].iter().map(|cell| cell.unwrap_or(f64::NAN)).collect()
                })
                .collect(),
            nodes: Vec::new(),
            heap: Heap::new(),
        };
        let found = search.run(EVALUATIONS_OF_A_SEARCH, &mut self.chance, &mut self.work)?;
        let (operators, operands) = search.flat(found);
        Ok(grouped(
            &operators,
            operands.iter().map(|operand| match *operand {
                Operand::Constant(number) => Amount::Constant(i64::from(number)),
                Operand::Column(index) => Amount::Function(functions[usize::from(index)].0.clone()),
            }),
            |operator, left, right| Amount::Operation(operator, Box::new([left, right])),
        )
        .unwrap_or(Amount::Constant(0)))
    }
}

/// The functions that may occur in the expression for a column's change: all others.
fn operands(
    tables: &ActionTables,
    column: usize,
) -> impl Iterator<Item = (&TypedApplication, &[ObservedValue])> {
    tables.numeric.iter().enumerate().filter_map(move |(index, (quantity, cells))| match quantity {
        NumericQuantity::Function(function) if index != column => Some((function, &cells[..])),
        _ => None,
    })
}

impl ChangeSearch {
    /// The expression found, or the best start where the search is given up.
    fn run(
        &mut self,
        bound: u64,
        chance: &mut SampleGenerator,
        work: &mut Work,
    ) -> Result<u32, Stop> {
        let columns: Vec<Operand> =
            (0..self.operands.len()).map(|index| Operand::Column(index as u16)).collect();
        let mut evaluations = 0;
        for last in (0..=10).chain([-1]).map(Operand::Constant).chain(columns.iter().copied()) {
            let error = self.error_of_all(&[], &[last]);
            self.push(ExpressionNode { shorter: None, last }, error, 2.0);
            evaluations += 1;
        }
        let best = self.heap.top().unwrap_or_default();
        if self.meets_goal(best) {
            work.spend(evaluations)?;
            return Ok(best);
        }
        let mut spent = 0;
        while let Some(next) = self.heap.pop() {
            if self.meets_goal(next) {
                work.spend(evaluations - spent)?;
                return Ok(next);
            }
            evaluations += self.extend(next, &columns, chance);
            work.spend(evaluations - spent)?;
            spent = evaluations;
            if evaluations >= bound {
                break;
            }
        }
        Ok(best)
    }

    /// Pushes all extensions of an expression by one operand; how many there are.
    fn extend(&mut self, shorter: u32, columns: &[Operand], chance: &mut SampleGenerator) -> u64 {
        let (mut operators, mut operands) = self.flat(shorter);
        let cost = 4.0 * (operands.len() + 1) as f64;
        let before = self.nodes.len();
        for operator in ArithmeticOperator::ALL {
            let first = if operator.is_tight() { 2 } else { 1 };
            operators.push(operator);
            for last in (first..=10).map(Operand::Constant).chain(columns.iter().copied()) {
                operands.push(last);
                let error = self.error_of_sample(&operators, &operands, chance);
                self.push(ExpressionNode { shorter: Some((shorter, operator)), last }, error, cost);
                operands.pop();
            }
            operators.pop();
        }
        (self.nodes.len() - before) as u64
    }

    fn push(&mut self, node: ExpressionNode, error: f64, cost: f64) {
        self.nodes.push(node);
        self.heap.push(error / 10.0 + cost, (self.nodes.len() - 1) as u32);
    }

    fn meets_goal(&self, node: u32) -> bool {
        let (operators, operands) = self.flat(node);
        self.error_of_all(&operators, &operands) < GOAL
    }

    /// Operators and operands from left to right.
    fn flat(&self, node: u32) -> (Vec<ArithmeticOperator>, Vec<Operand>) {
        let mut node = self.nodes[node as usize];
        let (mut operators, mut operands) = (Vec::new(), vec![node.last]);
        while let Some((shorter, operator)) = node.shorter {
            node = self.nodes[shorter as usize];
            operators.push(operator);
            operands.push(node.last);
        }
        operators.reverse();
        operands.reverse();
        (operators, operands)
    }

    fn error_of_all(&self, operators: &[ArithmeticOperator], operands: &[Operand]) -> f64 {
        let mut mean = MeanError::default();
        (0..self.targets.len())
            .for_each(|row| mean.add(self.targets[row], self.value(operators, operands, row)));
        mean.percent()
    }

    /// The error on rows drawn with replacement. The first row is never drawn; one past the end may
    /// be, and is skipped.
    fn error_of_sample(
        &self,
        operators: &[ArithmeticOperator],
        operands: &[Operand],
        chance: &mut SampleGenerator,
    ) -> f64 {
        let rows = self.targets.len();
        let mut mean = MeanError::default();
        for _ in 0..(SAMPLE * rows as f64) as usize {
            let row = 1 + chance.below(rows);
            if row < rows {
                mean.add(self.targets[row], self.value(operators, operands, row));
            }
        }
        mean.percent()
    }

    /// The value in a step; not a number where a value is missing or something is divided by zero.
    fn value(&self, operators: &[ArithmeticOperator], operands: &[Operand], row: usize) -> f64 {
        let numbers = operands.iter().map(|&operand| match operand {
            Operand::Constant(number) => f64::from(number),
            Operand::Column(index) => self.operands[usize::from(index)][row],
        });
        grouped(operators, numbers, apply).unwrap_or(f64::NAN)
    }
}

fn apply(operator: ArithmeticOperator, left: f64, right: f64) -> f64 {
    match operator {
        ArithmeticOperator::Plus => left + right,
        ArithmeticOperator::Times => left * right,
        ArithmeticOperator::Minus => left - right,
        ArithmeticOperator::Over if right == 0.0 => f64::NAN,
        ArithmeticOperator::Over => left / right,
    }
}

/// The mean of errors: absolute where the target is small, else relative.
#[derive(Default)]
struct MeanError {
    sum: f64,
    rows: usize,
}

impl MeanError {
    fn add(&mut self, target: f64, value: f64) {
        if value.is_nan() || target.is_nan() {
            return;
        }
        self.sum += if target.abs() < 1.0 {
            (target - value).abs()
        } else {
            ((target - value) / target).abs()
        };
        self.rows += 1;
    }

    fn percent(&self) -> f64 {
        if self.rows == 0 { NO_ROWS } else { 100.0 * (self.sum / self.rows as f64) }
    }
}

/// Applies operators as the original groups them. There is one operand more than operators, at
/// least one.
fn grouped<V>(
    operators: &[ArithmeticOperator],
    operands: impl DoubleEndedIterator<Item = V>,
    combine: impl Fn(ArithmeticOperator, V, V) -> V,
) -> Option<V> {
    let mut operands = operands.rev();
    let mut term = operands.next()?;
    let mut rest: Option<(ArithmeticOperator, V)> = None;
    for (&operator, operand) in operators.iter().rev().zip(operands) {
        if operator.is_tight() {
            term = combine(operator, operand, term);
        } else {
            let right = match rest {
                Some((loose, right)) => combine(loose, term, right),
                None => term,
            };
            rest = Some((operator, right));
            term = operand;
        }
    }
    Some(match rest {
        Some((loose, right)) => combine(loose, term, right),
        None => term,
    })
}

#[cfg(test)]
mod tests {
    use super::ArithmeticOperator::{Minus, Over, Plus, Times};
    use super::*;

    #[test]
    fn equal_precedence_groups_to_the_right() {
        let value = |operators: &[ArithmeticOperator], operands: &[f64]| {
            grouped(operators, operands.iter().copied(), apply)
        };
        assert_eq!(value(&[Minus, Minus], &[5.0, 2.0, 1.0]), Some(4.0));
        assert_eq!(value(&[Minus, Plus], &[5.0, 2.0, 1.0]), Some(2.0));
        assert_eq!(value(&[Over, Times], &[8.0, 4.0, 2.0]), Some(1.0));
        assert_eq!(value(&[Times, Minus], &[2.0, 3.0, 1.0]), Some(5.0));
        assert_eq!(value(&[Minus, Over], &[2.0, 1.0, 2.0]), Some(1.5));
        assert_eq!(value(&[Plus, Times, Minus], &[1.0, 2.0, 3.0, 4.0]), Some(3.0));
        assert!(value(&[Over], &[1.0, 0.0]).is_some_and(f64::is_nan));
    }

    #[test]
    fn errors_are_relative_from_one_on_and_absolute_below() {
        let mut mean = MeanError::default();
        assert_eq!(mean.percent(), NO_ROWS);
        mean.add(0.5, 0.75);
        mean.add(10.0, 5.0);
        mean.add(f64::NAN, 1.0);
        mean.add(1.0, f64::NAN);
        assert_eq!(mean.percent(), 37.5);
    }
}
