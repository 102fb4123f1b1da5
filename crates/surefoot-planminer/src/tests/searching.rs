//! Expressions for changes, and the columns made of them.

use smallvec::smallvec;

use crate::column::{Amount, ArithmeticOperator, NumericQuantity, NumericRelation, TableColumn};
use crate::completion::{ColumnChange, complete};
use crate::observed::{SymbolId, TypedApplication};
use crate::regression::Searching;
use crate::repairs::Repairs;
use crate::tables::{ActionTables, ObservationTable};
use crate::work::Work;
use surefoot_base::model::FunctionId;

fn function(index: usize) -> TypedApplication {
    TypedApplication { symbol: SymbolId::Function(FunctionId::from(index)), arguments: smallvec![] }
}

/// Functions with their values before and after each step.
fn tables(functions: &[(&[f64], &[f64])]) -> ActionTables {
    let numeric = functions.iter().enumerate().map(|(index, values)| {
        let (before, after) = values;
        let cells = before.iter().chain(*after).map(|&value| Some(value)).collect();
        (NumericQuantity::Function(function(index)), cells)
    });
    ActionTables {
        steps: functions[0].0.len(),
        logical: ObservationTable::default(),
        numeric: numeric.collect(),
    }
}

fn found(tables: &ActionTables, column: usize, repairs: Repairs) -> Amount {
    Searching::new(repairs, 0, Work::new(None)).find(tables, column).unwrap()
}

fn operation(operator: ArithmeticOperator, left: Amount, right: Amount) -> Amount {
    Amount::Operation(operator, Box::new([left, right]))
}

#[test]
fn a_constant_is_found_at_once_and_ties_decide_among_longer_expressions() {
    let constant = tables(&[(&[1.0, 5.0], &[4.0, 8.0])]);
    assert_eq!(found(&constant, 0, Repairs::default()), Amount::Constant(3));
    // With few steps no longer expression is judged before it is taken from the heap: of all that
    // are 1.5, the heap's order decides.
    let half = tables(&[(&[0.0, 1.0, 5.0], &[1.5, 2.5, 6.5])]);
    assert_eq!(
        found(&half, 0, Repairs::default()),
        operation(ArithmeticOperator::Over, Amount::Constant(9), Amount::Constant(6))
    );
}

#[test]
fn operands_are_read_after_the_step_unless_repaired() {
    // The second grows by the first, which grows by one itself: by its old value and one more.
    let tables =
        tables(&[(&[3.0, 7.0, 20.0], &[4.0, 8.0, 21.0]), (&[0.0, 1.0, 2.0], &[4.0, 9.0, 23.0])]);
    assert_eq!(found(&tables, 1, Repairs::default()), Amount::Function(function(0)));
    let repaired = found(&tables, 1, Repairs { pre_operands: true, ..Repairs::default() });
    let (one, first) = (Amount::Constant(1), Amount::Function(function(0)));
    let sums = [
        operation(ArithmeticOperator::Plus, one.clone(), first.clone()),
        operation(ArithmeticOperator::Plus, first, one),
    ];
    assert!(sums.contains(&repaired), "{repaired:?}");
}

#[test]
fn the_same_seed_finds_the_same() {
    let before: Vec<f64> = (0..60).map(f64::from).collect();
    let after: Vec<f64> = before.iter().map(|value| value + 2.0 * value + 1.0).collect();
    let other: Vec<f64> = before.clone();
    let tables = tables(&[(&before, &after), (&other, &other)]);
    let first = found(&tables, 0, Repairs::default());
    assert_eq!(found(&tables, 0, Repairs::default()), first);
}

/// The comparisons of a table: the relations, and the right sides.
fn compared(
    tables: &ActionTables,
    changes: &[ColumnChange],
    own_change: bool,
) -> Vec<(NumericRelation, Amount)> {
    let columns = complete(tables, changes, own_change).columns.into_iter();
    let compared = columns.filter_map(|(column, _)| match column {
        TableColumn::Comparison(relation, _, right) => Some((relation, right)),
        _ => None,
    });
    compared.collect()
}

#[test]
fn a_number_is_compared_with_its_own_change_only_if_repaired() {
    let tables = tables(&[(&[9.0, 4.0], &[5.0, 0.0])]);
    let changes = [ColumnChange { column: 0, amount: Amount::Constant(4) }];
    assert_eq!(compared(&tables, &changes, false), []);
    // 9, 4 before and 5, 0 after against 4.
    assert_eq!(
        compared(&tables, &changes, true),
        NumericRelation::ALL.map(|relation| (relation, Amount::Constant(4)))
    );
}

#[test]
fn an_increase_is_compared_with_the_wrong_sign_unless_repaired() {
    let tables = tables(&[(&[1.0, 5.0], &[3.0, 7.0]), (&[8.0, 9.0], &[7.0, 8.0])]);
    let changes = [
        ColumnChange { column: 0, amount: Amount::Constant(2) },
        ColumnChange { column: 1, amount: Amount::Constant(1) },
    ];
    // 1, 5, 3, 7 against 1: equal at first, greater later.
    let columns = complete(&tables, &changes, false).columns;
    let of_first = columns.iter().filter(|(column, _)| match column {
        TableColumn::Comparison(_, NumericQuantity::Function(left), Amount::Constant(1)) => {
            *left == function(0)
        }
        _ => false,
    });
    assert_eq!(of_first.count(), 2);
    // 8, 9, 7, 8 against −2: always greater. 1, 5, 3, 7 against 2, its own change: less at first.
    let with_two = [false, true].map(|own_change| {
        let compared = compared(&tables, &changes, own_change).into_iter();
        compared.filter(|(_, right)| *right == Amount::Constant(2)).count()
    });
    assert_eq!(with_two, [0, 2]);
}
