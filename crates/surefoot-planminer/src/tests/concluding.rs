//! From pooled conditions to an action.

use smallvec::smallvec;

use crate::column::{
    Amount, ArithmeticOperator, ColumnWriter, NumericQuantity, NumericRelation, TableColumn,
};
use crate::conclusion::{Concluded, Deed, Need, RightSide, conclude};
use crate::interval::{ConstantComparison, NumericInterval};
use crate::observed::{SymbolId, TypedApplication};
use crate::pools::{LabelCondition, Pooled, Pools};
use crate::types::HeaderTypes;
use surefoot_base::model::{Comparison, Domain, FunctionId, PredicateId};
use surefoot_base::pddl::{Source, read_domain};

fn domain() -> Domain {
    let text = "(define (domain d) (:predicates (p) (q)) (:functions (f) (g)) (:action go \
                :parameters ()))";
    read_domain(&Source::new("domain.pddl", text)).unwrap()
}

fn fact(index: usize) -> TypedApplication {
    TypedApplication {
        symbol: SymbolId::Predicate(PredicateId::from(index)),
        arguments: smallvec![],
    }
}

fn function(index: usize) -> TypedApplication {
    TypedApplication { symbol: SymbolId::Function(FunctionId::from(index)), arguments: smallvec![] }
}

fn f() -> NumericQuantity {
    NumericQuantity::Function(function(0))
}

fn compare(relation: NumericRelation, right: Amount) -> TableColumn {
    TableColumn::Comparison(relation, f(), right)
}

fn pool(conditions: &[(TableColumn, i64, i64)]) -> Vec<Pooled> {
    conditions
        .iter()
        .map(|(column, value, weight): &(TableColumn, i64, i64)| Pooled {
            condition: LabelCondition { column: column.clone(), value: *value },
            weight: *weight,
        })
        .collect()
}

fn concluded(before: &[(TableColumn, i64, i64)], after: &[(TableColumn, i64, i64)]) -> Concluded {
    let (domain, pools) = (domain(), Pools { before: pool(before), after: pool(after) });
    let types = HeaderTypes::default();
    conclude(&pools, &[], ColumnWriter { domain: &domain, types: &types })
}

fn folded(items: &[(ConstantComparison, f64)]) -> Vec<(Comparison, f64)> {
    let mut interval = NumericInterval::default();
    items.iter().for_each(|&(item, at)| interval.take(item, at));
    interval.comparisons()
}

#[test]
fn constants_are_folded_as_the_table_says() {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
    use ConstantComparison::{Above, At, AtLeast, AtMost, Below};
    let void = vec![(LessOrEqual, 0.0), (GreaterOrEqual, f64::MAX)];
    for (items, expected) in [
        (vec![], vec![]),
        (vec![(AtLeast, 2.0)], vec![(GreaterOrEqual, 2.0)]),
        (vec![(Below, 2.0)], vec![(Less, 2.0)]),
        (vec![(At, 2.0)], vec![(Equal, 2.0)]),
        // A point takes a lower bound below it, and an upper one above it.
        (vec![(At, 2.0), (Above, 2.0)], vec![(Greater, 2.0)]),
        (vec![(At, 2.0), (Above, 3.0)], void.clone()),
        (vec![(At, 2.0), (AtMost, 2.0)], vec![(LessOrEqual, 2.0)]),
        (vec![(At, 2.0), (Below, 2.0)], void.clone()),
        (vec![(At, 2.0), (At, 3.0)], void.clone()),
        // A lower bound: only smaller ones replace it.
        (vec![(Above, 2.0), (AtLeast, 3.0)], vec![(Greater, 2.0)]),
        (vec![(Above, 2.0), (AtLeast, 1.0)], vec![(GreaterOrEqual, 1.0)]),
        (vec![(Above, 2.0), (AtMost, 5.0)], vec![(LessOrEqual, 5.0), (Greater, 2.0)]),
        (vec![(Above, 2.0), (Below, 2.0)], void.clone()),
        (vec![(Above, 2.0), (At, 1.0)], void.clone()),
        (vec![(Above, 2.0), (At, 3.0)], vec![(Greater, 2.0)]),
        // An upper bound: larger ones replace it.
        (vec![(AtMost, 2.0), (AtMost, 3.0)], vec![(LessOrEqual, 3.0)]),
        (vec![(AtMost, 2.0), (AtLeast, 1.0)], vec![(LessOrEqual, 2.0), (GreaterOrEqual, 1.0)]),
        (vec![(AtMost, 2.0), (Above, 2.0)], void.clone()),
        (vec![(AtMost, 2.0), (At, 3.0)], void.clone()),
        // Open on both sides.
        (vec![(Above, 1.0), (Below, 3.0), (Below, 5.0)], vec![(Less, 5.0), (Greater, 1.0)]),
        (vec![(Above, 1.0), (Below, 3.0), (Above, 2.0)], void.clone()),
        (vec![(Above, 1.0), (Below, 3.0), (At, 4.0)], void),
        // Shapes that are not in the table take nothing more.
        (vec![(Below, 2.0), (Above, 7.0)], vec![(Less, 2.0)]),
        (
            vec![(AtLeast, 1.0), (AtMost, 3.0), (At, 9.0)],
            vec![(LessOrEqual, 3.0), (GreaterOrEqual, 1.0)],
        ),
    ] {
        assert_eq!(folded(&items), expected, "{items:?}");
    }
}

#[test]
fn only_the_last_comparison_with_a_right_side_counts() {
    let right = Amount::Function(function(1));
    let last_true = concluded(
        &[
            (compare(NumericRelation::Greater, right.clone()), 0, 9),
            (compare(NumericRelation::Less, right.clone()), 1, 9),
        ],
        &[],
    );
    assert_eq!(
        last_true.needs,
        [Need::Compare(Comparison::Less, f(), RightSide::Amount(right.clone()))]
    );
    let last_false = concluded(
        &[
            (compare(NumericRelation::Less, right.clone()), 1, 9),
            (compare(NumericRelation::Greater, right), 0, 9),
        ],
        &[],
    );
    assert_eq!(last_false.needs, []);
}

#[test]
fn what_is_part_of_another_right_side_goes() {
    let (g, one) = (Amount::Function(function(1)), Amount::Constant(1));
    let sum = Amount::Operation(ArithmeticOperator::Plus, Box::new([one, g.clone()]));
    let both = concluded(
        &[
            (compare(NumericRelation::Less, g), 1, 9),
            (compare(NumericRelation::Greater, sum.clone()), 1, 9),
        ],
        &[],
    );
    assert_eq!(both.needs, [Need::Compare(Comparison::Greater, f(), RightSide::Amount(sum))]);
    // 0.000000 is part of 10.000000.
    let numbers = concluded(
        &[
            (compare(NumericRelation::Greater, Amount::Constant(0)), 1, 9),
            (compare(NumericRelation::Less, Amount::Constant(10)), 1, 9),
        ],
        &[],
    );
    assert_eq!(numbers.needs, [Need::Compare(Comparison::Less, f(), RightSide::Number(10.0))]);
}

#[test]
fn of_several_values_the_first_that_counts_is_kept() {
    let p = TableColumn::Fact(fact(0));
    assert_eq!(
        concluded(&[(p.clone(), 1, 90), (p.clone(), 0, 10)], &[]).needs,
        [Need::Fact(fact(0), true)]
    );
    assert_eq!(
        concluded(&[(p.clone(), 1, 4), (p.clone(), 0, 96)], &[]).needs,
        [Need::Fact(fact(0), false)]
    );
    assert_eq!(
        concluded(&[], &[(p.clone(), 1, 4), (p.clone(), 0, 96)]).deeds,
        [Deed::Fact(fact(0), true)]
    );
}

#[test]
fn effects_are_what_no_precondition_says_and_an_assignment_equal_to_a_change_goes() {
    let (p, q) = (TableColumn::Fact(fact(0)), TableColumn::Fact(fact(1)));
    let direction = |amount: Amount, value: i64| (TableColumn::Direction(f(), amount), value, 5);
    let constant = concluded(
        &[(p.clone(), 1, 5)],
        &[
            (p, 1, 5),
            (q.clone(), 0, 5),
            (TableColumn::Number(f()), 3, 5),
            direction(Amount::Constant(3), -1),
        ],
    );
    let shrinks = Deed::Change { quantity: f(), grows: false, amount: Amount::Constant(3) };
    assert_eq!(constant.deeds, [Deed::Fact(fact(1), false), shrinks]);
    // Another value stays, before a change by a constant and after one by an expression; a change
    // by 0 goes.
    let assign = Deed::Assign(f(), 7);
    let added = Deed::Fact(fact(1), true);
    let beside = |amount: Amount| {
        concluded(&[], &[(TableColumn::Number(f()), 7, 5), direction(amount, 1), (q.clone(), 1, 5)])
            .deeds
    };
    let grows = |amount: Amount| Deed::Change { quantity: f(), grows: true, amount };
    assert_eq!(
        beside(Amount::Constant(3)),
        [added.clone(), assign.clone(), grows(Amount::Constant(3))]
    );
    let g = Amount::Function(function(1));
    assert_eq!(beside(g.clone()), [grows(g), added.clone(), assign.clone()]);
    assert_eq!(beside(Amount::Constant(0)), [added, assign]);
}
