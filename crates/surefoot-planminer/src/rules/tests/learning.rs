//! The learner as a whole.

use super::super::{DegreeTable, SpecificRule, learn_rules};
use super::random;
use crate::draws::Draws;
use crate::work::{Stop, Work};

/// A table of columns that hold the number of a label.
fn crisp(labels: Vec<usize>, rows: &[(bool, Vec<usize>)]) -> DegreeTable {
    let mut degrees = Vec::new();
    for (_, cells) in rows {
        for (&count, &cell) in labels.iter().zip(cells) {
            degrees.extend((0..count).map(|label| f64::from(u8::from(label == cell))));
        }
    }
    DegreeTable { labels, degrees, post: rows.iter().map(|(post, _)| *post).collect() }
}

fn learn(table: &DegreeTable) -> Result<Vec<SpecificRule>, Stop> {
    learn_rules(table, Some(100), &mut Draws::seeded(1), &mut Work::new(Some(1_000_000_000)))
}

#[test]
fn the_same_table_gives_the_same_rules_and_draws() {
    for seed in 1..=20 {
        let table = random::table(&mut Draws::seeded(seed), seed % 2 == 0);
        let run = |before: u32| {
            let mut draws = Draws::seeded(before);
            let rules =
                learn_rules(&table, Some(100), &mut draws, &mut Work::new(Some(1_000_000_000)));
            (rules, draws.draw())
        };
        let first = run(1);
        assert_eq!(first, run(99), "seed {seed}: the draws start anew");
        assert!(first.0.is_ok(), "seed {seed}");
    }
}

#[test]
fn rules_that_replace_each_other_for_ever_come_to_an_end() {
    // In this table of noise the rules found are deleted and found again, five rounds a turn.
    let table = random::table(&mut Draws::seeded(9), false);
    let mut work = Work::new(Some(20_000_000));
    let bounded = learn_rules(&table, Some(20), &mut Draws::seeded(1), &mut work);
    assert!(bounded.is_ok_and(|rules| !rules.is_empty()));
    let unbounded =
        learn_rules(&table, None, &mut Draws::seeded(1), &mut Work::new(Some(4 * work.spent())));
    assert_eq!(unbounded, Err(Stop::Limit));
}

#[test]
fn nothing_to_learn_from_gives_no_rule() {
    assert_eq!(learn(&crisp(vec![2], &[])), Ok(Vec::new()));
    assert_eq!(learn(&crisp(vec![], &[(false, vec![]), (true, vec![])])), Ok(Vec::new()));
}

#[test]
fn every_bound_of_work_ends_it() {
    let table = random::table(&mut Draws::seeded(5), true);
    let mut free = Work::new(None);
    learn_rules(&table, Some(100), &mut Draws::seeded(1), &mut free).unwrap();
    for limit in [0, 1, free.spent() / 2, free.spent() - 1] {
        let ended =
            learn_rules(&table, Some(100), &mut Draws::seeded(1), &mut Work::new(Some(limit)));
        assert_eq!(ended, Err(Stop::Limit), "{limit}");
    }
    let stopped = learn_rules(
        &table,
        Some(100),
        &mut Draws::seeded(1),
        &mut Work::new(None).until(std::time::Instant::now()),
    );
    assert_eq!(stopped, Err(Stop::Deadline));
}

/// 3000 rows before, 3000 after: the first batch ends among the latter. Column 0 tells the class,
/// but in the second batch all rows look as those before, if `odd`; column 1 is true of the second
/// batch only, if `odd`.
fn long(odd: bool) -> DegreeTable {
    crisp(
        vec![2; 3],
        &(0..6000)
            .map(|row| {
                let late = row >= 5000 && odd;
                (row >= 3000, vec![usize::from(row >= 3000 && !late), usize::from(late), row % 2])
            })
            .collect::<Vec<_>>(),
    )
}

#[test]
fn what_holds_in_all_batches_is_counted_in_all() {
    let rules = learn(&long(false)).unwrap();
    let mut sums: Vec<(bool, f64, f64)> =
        rules.iter().map(|rule| (rule.post, rule.positive, rule.negative)).collect();
    sums.sort_by_key(|sum| sum.0);
    assert_eq!(sums, [(false, 3000.0, 0.0), (true, 3000.0, 0.0)]);
}

#[test]
fn a_later_batch_adds_its_rules_in_front() {
    let rules = learn(&long(true)).unwrap();
    assert_eq!(rules.len(), 3, "{rules:#?}");
    assert!(
        rules[0].post && rules[0].active[1] && rules[0].bits[2..4] == [false, true],
        "{rules:#?}"
    );
    assert_eq!((rules[0].positive, rules[0].negative), (1000.0, 0.0));
}
