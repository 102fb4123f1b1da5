//! A worked example: farmland's MOVE-FAST, observed four times.

use super::super::information::information;
use super::super::{DegreeTable, SpecificRule, learn_rules};
use crate::draws::Draws;
use crate::work::Work;

/// A column's values, row by row, and its labels as trapezoids.
type ExampleColumn = (Vec<f64>, Vec<[f64; 4]>);

fn degree([a, b, c, d]: [f64; 4], x: f64) -> f64 {
    if x < a {
        0.0
    } else if x < b {
        (x - a) / (b - a)
    } else if x <= c {
        1.0
    } else if x < d {
        (d - x) / (d - c)
    } else {
        0.0
    }
}

fn crisp(values: &[f64]) -> Vec<[f64; 4]> {
    values.iter().map(|&value| [value; 4]).collect()
}

fn table(columns: &[ExampleColumn]) -> DegreeTable {
    let labels = columns.iter().map(|(_, labels)| labels.len()).collect();
    DegreeTable {
        labels,
        degrees: (0..8)
            .flat_map(|row| {
                columns.iter().flat_map(move |(x, labels)| {
                    labels.iter().map(move |label| degree(*label, x[row]))
                })
            })
            .collect(),
        post: (0..8).map(|row| row >= 4).collect(),
    }
}

/// Both `adj` columns, true throughout.
fn logical() -> DegreeTable {
    table(&[(vec![1.0; 8], crisp(&[0.0, 1.0])), (vec![1.0; 8], crisp(&[0.0, 1.0]))])
}

/// cost, x ?1, x ?0, clock; EQ, LT, GT (cost, x ?1); EQ, LT (x ?1, x ?0); LT, GT (clock, 4); four
/// directions.
fn numeric() -> DegreeTable {
    let cost = [0., 1., 0., 0., 1., 2., 1., 1.];
    let x1 = [0., 0., 0., 0., 2., 2., 2., 2.];
    let x0 = [13., 8., 11., 6., 9., 4., 7., 2.];
    let clock = [1., 6., 0., 1., 2., 7., 1., 2.];
    let truth = |holds: &dyn Fn(usize) -> bool| {
        ((0..8).map(|row| f64::from(u8::from(holds(row)))).collect(), crisp(&[0.0, 1.0]))
    };
    let direction = |sign: f64| {
        ((0..8).map(|row| if row < 4 { 0.0 } else { sign }).collect(), crisp(&[0.0, sign]))
    };
    table(&[
        (cost.to_vec(), vec![[0.0; 4], [0.9999, 1.0, 2.0, 2.0005]]),
        (x1.to_vec(), crisp(&[0.0, 2.0])),
        (
            x0.to_vec(),
            vec![[8.9996, 9.0, 11.2, 13.002], [5.9998, 6.0, 7.1, 8.001], [1.9998, 2.0, 4.0, 4.001]],
        ),
        (clock.to_vec(), vec![[-0.0002, 0.0, 2.0, 2.001], [5.9999, 6.0, 6.05, 7.0005]]),
        truth(&|row| cost[row] == x1[row]),
        truth(&|row| cost[row] < x1[row]),
        truth(&|row| cost[row] > x1[row]),
        truth(&|row| x1[row] == x0[row]),
        truth(&|row| x1[row] < x0[row]),
        truth(&|row| clock[row] < 4.0),
        truth(&|row| clock[row] > 4.0),
        direction(1.0),
        direction(1.0),
        direction(-1.0),
        direction(1.0),
    ])
}

fn learned(table: &DegreeTable) -> Vec<SpecificRule> {
    learn_rules(table, None, &mut Draws::seeded(1), &mut Work::new(Some(1_000_000_000))).unwrap()
}

/// The conditions of a rule: column and admitted label, for active columns of two labels one of
/// which is admitted.
fn conditions(table: &DegreeTable, rule: &SpecificRule) -> Vec<(usize, usize)> {
    let mut first = 0;
    let mut conditions = Vec::new();
    for (column, &labels) in table.labels.iter().enumerate() {
        let bits = &rule.bits[first..first + labels];
        first += labels;
        if rule.active[column] && labels <= 2 && bits.contains(&false) {
            conditions.extend(bits.iter().position(|&bit| bit).map(|label| (column, label)));
        }
    }
    conditions
}

#[test]
fn information_of_the_columns() {
    let [pre, post] = information(&numeric());
    assert_eq!(to_six_decimals([pre[0], post[0]]), [0.231614, 0.678072]);
    assert_eq!(to_six_decimals([pre[1], post[1]]), [1.0, 1.0]);
    assert_eq!(to_six_decimals([pre[2], post[2]]), [0.207519, 0.083007]);
    assert_eq!(to_six_decimals([pre[4], post[4]]), [0.104193, 0.104193]);
}

#[test]
fn facts_that_never_change_make_one_rule() {
    let table = logical();
    let rules = learned(&table);
    assert_eq!(rules.len(), 1);
    assert!(rules[0].post);
    assert_eq!(conditions(&table, &rules[0]), [(0, 1), (1, 1)]);
    assert_eq!((rules[0].positive, rules[0].negative), (4.0, 4.0));
}

#[test]
fn numbers_make_a_rule_before_and_a_rule_after() {
    let table = numeric();
    let rules = learned(&table);
    let [post, pre] = &rules[..] else { panic!("{rules:#?}") };
    assert!(post.post && !pre.post);
    assert_eq!(post.positive, 4.0);
    assert_eq!(
        conditions(&table, post),
        [(0, 1), (1, 1), (6, 0), (11, 1), (12, 1), (13, 1), (14, 1)]
    );
    assert!((pre.positive - 2.0022).abs() < 1e-4, "{}", pre.positive);
    assert_eq!(
        conditions(&table, pre),
        [(1, 0), (5, 0), (7, 0), (8, 1), (11, 0), (12, 0), (13, 0), (14, 0)]
    );
}

fn to_six_decimals(values: [f64; 2]) -> [f64; 2] {
    values.map(|value| (value * 1e6).round() / 1e6)
}
