//! Random tables and rules.

use super::super::DegreeTable;
use super::super::coverage::LearnedRule;
use super::super::genes::Genes;
use super::naive;
use crate::draws::Draws;

/// A table of up to 150 rows. `soft`: with degrees strictly between 0 and 1 too.
pub(super) fn table(draws: &mut Draws, soft: bool) -> DegreeTable {
    let labels: Vec<usize> = (0..1 + draws.pick(5)).map(|_| 1 + draws.pick(4)).collect();
    let rows = 1 + draws.pick(150);
    let mut degrees = Vec::new();
    for _ in 0..rows {
        for &count in &labels {
            degrees.extend(cell(draws, count, soft));
        }
    }
    DegreeTable { labels, degrees, post: (0..rows).map(|_| draws.chance(0.5)).collect() }
}

/// Mostly one label of degree 1; now and then all of them, as in a cell that was not observed, or a
/// share of two.
fn cell(draws: &mut Draws, count: usize, soft: bool) -> Vec<f64> {
    if draws.chance(0.1) {
        return vec![1.0; count];
    }
    let mut degrees = vec![0.0; count];
    degrees[draws.pick(count)] = 1.0;
    if soft && draws.chance(0.5) {
        degrees.fill(0.0);
        degrees[draws.pick(count)] = draws.level();
        degrees[draws.pick(count)] = 0.1 + 0.8 * draws.level();
    }
    degrees
}

pub(super) fn genes(draws: &mut Draws, table: &DegreeTable) -> Genes {
    let active = table.labels.iter().map(|_| draws.chance(0.5)).collect();
    let bits = (0..table.labels.iter().sum()).map(|_| draws.chance(0.6)).collect();
    Genes { post: draws.chance(0.5), active, bits }
}

/// Up to five valid rules with the sums they have on the table.
pub(super) fn rules(draws: &mut Draws, table: &DegreeTable) -> Vec<LearnedRule> {
    let wanted = draws.pick(6);
    let mut rules = Vec::new();
    for _ in 0..100 {
        let genes = naive::settled(table, &genes(draws, table));
        if rules.len() < wanted && naive::valid(table, &genes) {
            let (positive, negative) = naive::sums(table, &genes);
            rules.push(LearnedRule { genes, positive, negative, pattern: Vec::new() });
        }
    }
    rules
}
