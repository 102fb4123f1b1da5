//! The fitness of a candidate, on top of the rules found so far.

use super::coverage::{LearnedRule, Narrow, RuleCoverage, Strength, weight};
use super::genes::Genes;
use super::rows::{Match, RowBatch};
use crate::work::{Stop, Work};
use std::cmp::Ordering;
use std::collections::HashMap;

/// Seven criteria, the most important one first; greater is better.
pub(super) type Fitness = [f64; 7];

/// Compares the first `depth` criteria. None of them is ever undefined.
pub(super) fn compare(a: &Fitness, b: &Fitness, depth: usize) -> Ordering {
    a[..depth].partial_cmp(&b[..depth]).unwrap_or(Ordering::Equal)
}

/// What is known of a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CandidateVerdict {
    pub(super) fitness: Fitness,
    pub(super) positive: f64,
    pub(super) negative: f64,
}

/// Judges candidates of one round.
///
/// A verdict depends on the class and on the labels admitted by active columns only. The population
/// soon consists of few different rules, so verdicts are kept.
pub(super) struct CandidateJudge<'a> {
    pub(super) rows: &'a RowBatch,
    pub(super) rules: &'a [LearnedRule],
    pub(super) coverage: &'a RuleCoverage,
    /// In reduction mode, only what makes rules superfluous counts besides what wins rows.
    pub(super) reduction: bool,
    /// So many rules, the first ones, are never removable.
    carried: usize,
    uncovered: [f64; 2],
    narrow: Vec<Narrow>,
    /// Per rule, the rows that it decides narrowly: rightly, wrongly.
    basic: Vec<i64>,
    wrong: Vec<i64>,
    kept: HashMap<Vec<u64>, CandidateVerdict>,
    matched: Match,
}

/// What a candidate would change, counted over the rows.
#[derive(Debug, Default)]
struct CandidateTally {
    hits: f64,
    harm: f64,
    good: i64,
    bad: i64,
    reach: i64,
    basic: Vec<i64>,
    wrong: Vec<i64>,
}

impl<'a> CandidateJudge<'a> {
    pub(super) fn new(
        rows: &'a RowBatch,
        rules: &'a [LearnedRule],
        coverage: &'a RuleCoverage,
        carried: usize,
        reduction: bool,
    ) -> CandidateJudge<'a> {
        let narrow: Vec<Narrow> = coverage.rows.iter().map(|row| row.narrow()).collect();
        let (mut basic, mut wrong) = (vec![0; rules.len()], vec![0; rules.len()]);
        for case in &narrow {
            count_narrow(*case, &mut basic, &mut wrong);
        }
        let uncovered = coverage.uncovered(rows).map(|count| count as f64);
        CandidateJudge {
            rows,
            rules,
            coverage,
            reduction,
            carried,
            uncovered,
            narrow,
            basic,
            wrong,
            kept: HashMap::new(),
            matched: Match::default(),
        }
    }

    /// Number of rows.
    pub(super) fn size(&self) -> f64 {
        self.rows.len() as f64
    }

    /// Settles the genes and judges them.
    pub(super) fn judge(
        &mut self,
        genes: &mut Genes,
        work: &mut Work,
    ) -> Result<CandidateVerdict, Stop> {
        genes.settle(&self.rows.columns);
        let key = self.key(genes);
        work.spend(key.len() as u64)?;
        if let Some(verdict) = self.kept.get(&key) {
            return Ok(*verdict);
        }
        work.spend(self.rows.len() as u64)?;
        let verdict = self.compute(genes);
        self.kept.insert(key, verdict);
        Ok(verdict)
    }

    /// The rules that are not needed any more once this one is there.
    pub(super) fn removable(&mut self, genes: &Genes) -> Vec<usize> {
        let (tally, _) = self.tally(genes);
        self.gains(&tally).map(|(rule, _)| rule).collect()
    }

    /// What a verdict depends on.
    fn key(&self, genes: &Genes) -> Vec<u64> {
        let mut key = vec![0; self.rows.columns.label_count() / 64 + 1];
        for (column, labels) in self.rows.columns.iter().enumerate() {
            for label in labels {
                key[label / 64] |=
                    u64::from(genes.bits[label] || !genes.active[column]) << (label % 64);
            }
        }
        let class = self.rows.columns.label_count();
        key[class / 64] |= u64::from(genes.post) << (class % 64);
        key
    }

    fn tally(&mut self, genes: &Genes) -> (CandidateTally, (f64, f64)) {
        self.rows.matching(genes, &mut self.matched);
        let (positive, negative) = self.matched.sums(self.rows, genes.post);
        let weight = weight(positive, negative);
        let rival_class = usize::from(!genes.post);
        let mut tally = CandidateTally {
            basic: vec![0; self.rules.len()],
            wrong: vec![0; self.rules.len()],
            ..CandidateTally::default()
        };
        for row in self.matched.alive.iter() {
            let own = self.rows.post[row] == genes.post;
            tally.reach += i64::from(own);
            let strength = self.matched.degree[row] * weight;
            let now = &self.coverage.rows[row];
            if !(Strength { strength, weight }).beats(now.best[rival_class]) {
                continue;
            }
            if own && !now.covered {
                tally.hits += strength;
                tally.good += 1;
            }
            if !own {
                tally.harm += strength / self.uncovered[rival_class];
                tally.bad += i64::from(now.covered);
            }
            count_narrow(self.narrow[row], &mut tally.basic, &mut tally.wrong);
        }
        (tally, (positive, negative))
    }

    /// The removable rules, each with its gain.
    fn gains<'t>(&'t self, tally: &'t CandidateTally) -> impl Iterator<Item = (usize, i64)> + 't {
        (self.carried..self.rules.len())
            .map(|rule| {
                let basic = tally.basic[rule] - self.basic[rule];
                (rule, basic + (self.wrong[rule] - tally.wrong[rule]))
            })
            .filter(|(_, gain)| *gain >= 0)
    }

    fn compute(&mut self, genes: &Genes) -> CandidateVerdict {
        let size = self.size();
        if !genes.valid(&self.rows.columns) {
            return CandidateVerdict { fitness: [-2.0 * size; 7], positive: 0.0, negative: 0.0 };
        }
        let (tally, (positive, negative)) = self.tally(genes);
        let weight = weight(positive, negative);
        let uncovered = self.uncovered[usize::from(genes.post)];
        let (mut removable, mut count, mut extra) = (None, 0, 0);
        for (rule, gain) in self.gains(&tally) {
            (removable, count, extra) = (Some(rule), count + 1, extra + gain);
        }
        let (reach, hits) = if uncovered == 0.0 {
            (tally.reach as f64, 0.0)
        } else {
            (tally.reach as f64 / uncovered, tally.hits / uncovered)
        };
        let gained = tally.good + extra;
        let net = gained - tally.bad;
        let first = if net > 0 {
            if uncovered == 0.0 || (hits == 0.0 && positive == 0.0) {
                -2.0 * size
            } else if hits < tally.harm {
                -0.9
            } else {
                let power = (0..9).fold(1.0, |product, _| product * weight);
                (hits - tally.harm) * power
            }
        } else if gained > 0 {
            if net == 0 {
                -size
            } else if self.reduction && count < 2 - net {
                -2.0 * size
            } else {
                net as f64
            }
        } else {
            -(size + tally.bad as f64)
        };
        let breadth = genes.breadth() as f64;
        let mut fitness = [
            first,
            count as f64,
            reach,
            -breadth,
            0.0,
            (tally.good - tally.bad) as f64,
            extra as f64,
        ];
        if let (1, Some(rule)) = (count, removable)
            && (first == -size || first == 0.0)
        {
            let replaced = &self.rules[rule];
            fitness[2] = if extra > 0 { 0.1 + extra as f64 } else { weight - replaced.weight() };
            fitness[3] = breadth - replaced.genes.breadth() as f64;
            fitness[5] = self.zeros(genes) as f64;
            // Rule number 1, not the one replaced. The original reads undefined memory where there
            // is only one rule.
            fitness[6] = self.rules.get(1).map_or(0.0, |second| -second.weight());
        }
        CandidateVerdict { fitness, positive, negative }
    }

    /// Number of labels that active columns do not admit.
    fn zeros(&self, genes: &Genes) -> usize {
        genes
            .restricting(&self.rows.columns)
            .map(|(_, labels)| genes.bits[labels].iter().filter(|&&bit| !bit).count())
            .sum()
    }
}

fn count_narrow(case: Narrow, basic: &mut [i64], wrong: &mut [i64]) {
    match case {
        Narrow::Basic(rule) => basic[rule] += 1,
        Narrow::Wrong(rule) => wrong[rule] += 1,
        Narrow::No => {}
    }
}
