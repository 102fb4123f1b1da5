//! Rule after rule until nothing is added, and batch after batch where a table is long.

use super::DegreeTable;
use super::coverage::{LearnedRule, RuleCoverage};
use super::genetic::Population;
use super::information::information;
use super::judge::CandidateJudge;
use super::merging::{SharedBits, merge};
use super::rows::{Match, RowBatch};
use crate::draws::Draws;
use crate::work::{Stop, Work};

/// Rows looked at together.
const BATCH: usize = 5000;

/// The rules of a table.
pub(super) fn in_batches(
    table: &DegreeTable,
    repeats: Option<usize>,
    draws: &mut Draws,
    work: &mut Work,
) -> Result<Vec<LearnedRule>, Stop> {
    work.spend(table.degrees.len() as u64)?;
    let information = information(table);
    let total = table.post.len();
    let batch =
        |number: usize| RowBatch::new(table, number * BATCH..total.min((number + 1) * BATCH));
    let mut learner = CoveringLearner { information, repeats, draws, work };
    if total <= BATCH {
        let mut rules = learner.cover(&batch(0), Vec::new())?;
        let fresh = rules.len();
        merge(&mut rules, fresh);
        return Ok(rules);
    }
    let mut rules: Vec<LearnedRule> = Vec::new();
    let mut limit = 1.0;
    for number in 0..total.div_ceil(BATCH) {
        let earlier = match number {
            2..=9 => Some(0),
            _ => number.checked_sub(10).filter(|_| number % 10 == 0),
        };
        if let Some(earlier) = earlier {
            limit = 0.9 * RuleCoverage::of(&batch(earlier), &rules).accuracy();
        }
        let rows = batch(number);
        learner.batch(&rows, limit, &mut rules)?;
    }
    Ok(rules)
}

struct CoveringLearner<'a> {
    information: [Vec<f64>; 2],
    repeats: Option<usize>,
    draws: &'a mut Draws,
    work: &'a mut Work,
}

impl CoveringLearner<'_> {
    /// Takes one batch in: counts it for the rules so far, and learns further ones where they do
    /// not reach `limit`.
    fn batch(
        &mut self,
        rows: &RowBatch,
        limit: f64,
        rules: &mut Vec<LearnedRule>,
    ) -> Result<(), Stop> {
        let mut matched = Match::default();
        for rule in rules.iter_mut() {
            rows.matching(&rule.genes, &mut matched);
            let (positive, negative) = matched.sums(rows, rule.genes.post);
            rule.positive += positive;
            rule.negative += negative;
        }
        let coverage = RuleCoverage::of(rows, rules);
        let before = coverage.accuracy();
        if before >= limit {
            return Ok(());
        }
        let carried = rules
            .iter()
            .enumerate()
            .filter(|(index, _)| coverage.rows.iter().any(|row| row.fired == Some(*index)))
            .map(|(_, rule)| rule.clone())
            .collect();
        let found = self.cover(rows, carried)?;
        let fresh = found.len();
        rules.splice(0..0, found);
        if RuleCoverage::of(rows, rules).accuracy() > before {
            merge(rules, fresh);
        } else {
            rules.drain(..fresh);
        }
        Ok(())
    }

    /// Adds rules to those carried over until a round adds nothing, twice: the second time
    /// superfluous rules are looked for.
    ///
    /// This need not end: each of two rules can be superfluous beside the other, and both are
    /// deleted, only to be found again.
    fn cover(
        &mut self,
        rows: &RowBatch,
        mut rules: Vec<LearnedRule>,
    ) -> Result<Vec<LearnedRule>, Stop> {
        let carried = rules.len();
        let mut coverage = RuleCoverage::of(rows, &rules);
        let mut population = Population::start(rows, &coverage, &self.information, self.draws);
        let mut reduction = false;
        let mut last_pattern: Option<SharedBits> = None;
        let mut most_covered = 0;
        let mut idle_rounds = 0;
        loop {
            self.work.spend((rows.len() * (rules.len() + 1)) as u64)?;
            let mut judge = CandidateJudge::new(rows, &rules, &coverage, carried, reduction);
            let found = population.round(&mut judge, self.repeats, self.draws, self.work)?;
            let mut added = false;
            if let Some(found) = found {
                // A rule with the pattern of the last one stays, but does not count.
                added = last_pattern.as_ref() != Some(&found.rule.pattern);
                last_pattern = Some(found.rule.pattern.clone());
                rules.push(found.rule);
                if added {
                    let mut index = 0..;
                    rules.retain(|_| {
                        !index.next().is_some_and(|index| found.removable.contains(&index))
                    });
                }
                coverage = RuleCoverage::of(rows, &rules);
            }
            let covered = coverage.covered();
            idle_rounds = if covered > most_covered { 0 } else { idle_rounds + 1 };
            most_covered = most_covered.max(covered);
            if self.repeats.is_some_and(|bound| idle_rounds >= bound) {
                return Ok(rules);
            }
            if !added {
                if reduction || population.individuals[0].fitness[0] == -2.0 * rows.len() as f64 {
                    return Ok(rules);
                }
                reduction = true;
            }
        }
    }
}
