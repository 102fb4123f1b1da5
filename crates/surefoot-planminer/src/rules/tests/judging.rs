//! Matches, coverage and fitness are those of the definitions, to the last bit.

use super::super::coverage::RuleCoverage;
use super::super::judge::{CandidateJudge, compare};
use super::super::local::{general_form, specific_form};
use super::super::rows::{Match, RowBatch};
use super::{naive, random};
use crate::draws::Draws;
use crate::work::Work;
use std::cmp::Ordering;

const CASES: u32 = 400;

#[test]
fn matches_and_their_sums_are_those_of_the_definition() {
    let mut reused = Match::default();
    for seed in 1..=CASES {
        let mut draws = Draws::seeded(seed);
        let table = random::table(&mut draws, seed % 2 == 0);
        let rows = RowBatch::new(&table, 0..table.post.len());
        for _ in 0..5 {
            let genes = random::genes(&mut draws, &table);
            rows.matching(&genes, &mut reused);
            let alive: Vec<usize> = reused.alive.iter().collect();
            for row in 0..rows.len() {
                let matched = naive::row_match(&table, &genes, row);
                assert_eq!(alive.contains(&row), matched > 0.0, "seed {seed}, row {row}");
                assert!(matched == 0.0 || matched == reused.degree[row], "seed {seed}, row {row}");
            }
            assert_eq!(reused.sums(&rows, genes.post), naive::sums(&table, &genes), "seed {seed}");
        }
    }
}

#[test]
fn a_batch_is_a_table_of_its_rows() {
    let mut draws = Draws::seeded(3);
    let table = random::table(&mut draws, true);
    let (from, width) = (table.post.len() / 3, table.labels.iter().sum::<usize>());
    let mut part = table.clone();
    part.degrees.drain(..from * width);
    part.post.drain(..from);
    let (batch, whole) =
        (RowBatch::new(&table, from..table.post.len()), RowBatch::new(&part, 0..part.post.len()));
    let (mut one, mut two) = (Match::default(), Match::default());
    for _ in 0..20 {
        let genes = random::genes(&mut draws, &table);
        batch.matching(&genes, &mut one);
        whole.matching(&genes, &mut two);
        assert_eq!((&one.alive, &one.degree), (&two.alive, &two.degree));
    }
}

#[test]
fn coverage_is_that_of_the_definition() {
    let mut margins = std::collections::BTreeSet::new();
    for seed in 1..=CASES {
        let mut draws = Draws::seeded(seed);
        let table = random::table(&mut draws, seed % 2 == 0);
        let rules = random::rules(&mut draws, &table);
        let rows = RowBatch::new(&table, 0..table.post.len());
        let coverage = RuleCoverage::of(&rows, &rules);
        assert_eq!(coverage.rows, naive::coverage(&table, &rules), "seed {seed}");
        let covered = coverage.rows.iter().filter(|row| row.covered).count();
        assert_eq!(coverage.accuracy(), covered as f64 / rows.len() as f64);
        assert_eq!(coverage.uncovered(&rows).iter().sum::<usize>(), rows.len() - covered);
        margins.extend(coverage.rows.iter().map(|row| row.margin));
    }
    // The cases reach what is to be told apart.
    assert!([-1000, -2, -1, 1, 2, 3].iter().all(|margin| margins.contains(margin)), "{margins:?}");
}

#[test]
fn fitness_is_that_of_the_definition() {
    let (mut invalid, mut won, mut harmful, mut replacing, mut reduced) = (0, 0, 0, 0, 0);
    for seed in 1..=CASES {
        let mut draws = Draws::seeded(seed);
        let table = random::table(&mut draws, seed % 2 == 0);
        let rules = random::rules(&mut draws, &table);
        let rows = RowBatch::new(&table, 0..table.post.len());
        let coverage = RuleCoverage::of(&rows, &rules);
        let (carried, reduction) = (draws.pick(rules.len() + 1), draws.chance(0.5));
        let mut judge = CandidateJudge::new(&rows, &rules, &coverage, carried, reduction);
        for _ in 0..20 {
            let mut genes = random::genes(&mut draws, &table);
            let settled = naive::settled(&table, &genes);
            let (fitness, removable) = naive::fitness(&table, &rules, carried, reduction, &settled);
            let verdict = judge.judge(&mut genes, &mut Work::new(None)).unwrap();
            assert_eq!(genes, settled);
            assert_eq!(verdict.fitness, fitness, "seed {seed}");
            // Once more: the verdict that was kept.
            assert_eq!(judge.judge(&mut genes, &mut Work::new(None)), Ok(verdict));
            let n = judge.size();
            if naive::valid(&table, &genes) {
                assert_eq!(
                    (verdict.positive, verdict.negative),
                    naive::sums(&table, &genes),
                    "seed {seed}"
                );
                assert_eq!(judge.removable(&genes), removable, "seed {seed}");
                won += u32::from(fitness[0] > 0.0);
                harmful += u32::from(fitness[0] == -0.9);
                replacing += u32::from(fitness[0] == -n && fitness[1] == 1.0);
                reduced += u32::from(reduction && fitness[0] == -2.0 * n);
            } else {
                invalid += 1;
            }
        }
    }
    let reached = [invalid, won, harmful, replacing, reduced];
    assert!(reached.iter().all(|&count| count > 20), "{reached:?}");
}

#[test]
fn forms_are_never_worse_than_what_they_start_from() {
    for seed in 1..=CASES {
        let mut draws = Draws::seeded(seed);
        let table = random::table(&mut draws, seed % 2 == 0);
        let rules = random::rules(&mut draws, &table);
        let rows = RowBatch::new(&table, 0..table.post.len());
        let coverage = RuleCoverage::of(&rows, &rules);
        let mut judge = CandidateJudge::new(&rows, &rules, &coverage, 0, false);
        let mut work = Work::new(Some(10_000_000));
        let mut start = random::genes(&mut draws, &table);
        let before = judge.judge(&mut start, &mut work).unwrap();
        for form in [general_form, specific_form] {
            let mut genes = start.clone();
            let after = form(&mut genes, &mut judge, &mut work).unwrap();
            assert_ne!(compare(&after.fitness, &before.fitness, 3), Ordering::Less, "seed {seed}");
            assert_eq!(judge.judge(&mut genes, &mut work), Ok(after));
            assert_eq!(genes.post, start.post);
        }
        // A general form admits whatever does not matter, a specific one excludes it.
        let (mut general, mut specific) = (start.clone(), start.clone());
        general_form(&mut general, &mut judge, &mut work).unwrap();
        specific_form(&mut specific, &mut judge, &mut work).unwrap();
        assert!(
            general.breadth() <= start.breadth() && specific.breadth() >= start.breadth(),
            "seed {seed}"
        );
    }
}
