//! Which rows a set of rules decides rightly, and how narrowly.

use super::SpecificRule;
use super::genes::Genes;
use super::merging::SharedBits;
use super::rows::{Match, RowBatch};

/// A rule of the set: its specific form, the sums of its match, and the pattern that its general
/// and specific form share.
#[derive(Debug, Clone)]
pub(super) struct LearnedRule {
    pub(super) genes: Genes,
    pub(super) positive: f64,
    pub(super) negative: f64,
    pub(super) pattern: SharedBits,
}

impl LearnedRule {
    pub(super) fn weight(&self) -> f64 {
        weight(self.positive, self.negative)
    }

    pub(super) fn into_rule(self) -> SpecificRule {
        let Genes { post, active, bits } = self.genes;
        SpecificRule { post, active, bits, positive: self.positive, negative: self.negative }
    }
}

/// The weight of a rule whose match sums up to `positive` over its class and to `negative` over the
/// other.
pub(super) fn weight(positive: f64, negative: f64) -> f64 {
    (positive + 1.0) / (positive + negative + 1.0)
}

/// How strongly a rule speaks for its class on a row: match times weight, then weight. (0, 0) is no
/// rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Strength {
    pub(super) strength: f64,
    pub(super) weight: f64,
}

impl Strength {
    pub(super) const NONE: Strength = Strength { strength: 0.0, weight: 0.0 };

    /// Strictly stronger; on equality, of strictly greater weight.
    pub(super) fn beats(self, other: Strength) -> bool {
        self.strength > other.strength
            || (self.strength == other.strength && self.weight > other.weight)
    }
}

/// A rule on whose side a row stands by one rule only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Narrow {
    /// Decided rightly, by this rule, with none of its class beside it.
    Basic(usize),
    /// Decided wrongly, by this rule, with none of its class beside it.
    Wrong(usize),
    No,
}

/// What a set of rules says about one row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowCoverage {
    /// The index of the strongest rule that fires, if any does.
    pub(super) fired: Option<usize>,
    /// Whether that rule concludes the row's class.
    pub(super) covered: bool,
    /// Covered: the number of rules of the row's class that beat all others. Not covered: minus the
    /// number of others that beat all of the row's class, or [`HOPELESS`] if no rule of the row's
    /// class matches.
    pub(super) margin: i64,
    /// The strongest rule that concludes "before", and "after".
    pub(super) best: [Strength; 2],
}

pub(super) const HOPELESS: i64 = -1000;

impl RowCoverage {
    pub(super) fn narrow(&self) -> Narrow {
        match (self.fired, self.margin) {
            (Some(rule), 1) => Narrow::Basic(rule),
            (Some(rule), -1) => Narrow::Wrong(rule),
            _ => Narrow::No,
        }
    }
}

/// What a set of rules says about all rows at hand.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RuleCoverage {
    pub(super) rows: Vec<RowCoverage>,
}

impl RuleCoverage {
    pub(super) fn of(rows: &RowBatch, rules: &[LearnedRule]) -> RuleCoverage {
        let mut matched = Match::default();
        // By row, the strength of every rule.
        let mut strengths = vec![Strength::NONE; rows.len() * rules.len()];
        for (index, rule) in rules.iter().enumerate() {
            rows.matching(&rule.genes, &mut matched);
            let weight = rule.weight();
            for row in matched.alive.iter() {
                strengths[row * rules.len() + index] =
                    Strength { strength: matched.degree[row] * weight, weight };
            }
        }
        RuleCoverage {
            rows: (0..rows.len())
                .map(|row| {
                    cover(
                        rules,
                        &strengths[row * rules.len()..(row + 1) * rules.len()],
                        rows.post[row],
                    )
                })
                .collect(),
        }
    }

    /// Number of rows that are covered.
    pub(super) fn covered(&self) -> usize {
        self.rows.iter().filter(|row| row.covered).count()
    }

    /// Share of the rows that are covered.
    pub(super) fn accuracy(&self) -> f64 {
        self.covered() as f64 / self.rows.len() as f64
    }

    /// Number of uncovered rows of each class.
    pub(super) fn uncovered(&self, rows: &RowBatch) -> [usize; 2] {
        let mut count = [0; 2];
        for (coverage, &post) in self.rows.iter().zip(&rows.post) {
            count[usize::from(post)] += usize::from(!coverage.covered);
        }
        count
    }
}

/// What rules with these strengths say about a row of class `post`.
fn cover(rules: &[LearnedRule], strengths: &[Strength], post: bool) -> RowCoverage {
    let mut first: [Option<usize>; 2] = [None; 2];
    let mut best = [Strength::NONE; 2];
    for (index, (rule, &strength)) in rules.iter().zip(strengths).enumerate() {
        let class = usize::from(rule.genes.post);
        if strength.beats(best[class]) {
            (first[class], best[class]) = (Some(index), strength);
        }
    }
    let (own, other) = (usize::from(post), usize::from(!post));
    let covered = match (first[own], first[other]) {
        (Some(mine), Some(theirs)) => {
            best[own].beats(best[other]) || (best[own] == best[other] && mine < theirs)
        }
        (mine, _) => mine.is_some(),
    };
    let (ahead, behind) = if covered { (own, other) } else { (other, own) };
    let margin = match (covered, first[own]) {
        (false, None) => HOPELESS,
        (true, _) | (false, Some(_)) => {
            // Rules of the class ahead that beat the best of the class behind. A rule that does not
            // match the row beats nothing, not even the absence of rivals: read otherwise, a run
            // that the original finishes does not end.
            let ahead_rules = rules
                .iter()
                .zip(strengths)
                .enumerate()
                .filter(|(_, (rule, _))| usize::from(rule.genes.post) == ahead);
            let beating = ahead_rules.filter(|(index, (_, strength))| {
                strength.beats(best[behind])
                    || (**strength == best[behind]
                        && first[behind].is_some_and(|rival| *index < rival))
            });
            let beating = i64::try_from(beating.count()).unwrap_or(i64::MAX);
            if covered { beating } else { -beating }
        }
    };
    RowCoverage { fired: first[ahead], covered, margin, best }
}
