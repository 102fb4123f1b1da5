//! Classification rules "before or after the step?", by a genetic rule learner of the SLAVE/NSLV
//! family.
//!
//! A rule names admitted labels for some columns and concludes a class. Rules are found one after
//! the other: a genetic algorithm ([`genetic`]) looks for the rule that adds most to those found so
//! far, as judged by [`judge`] on top of their [`coverage`]; [`local`] makes it as general, then as
//! specific as it can be at no loss; [`covering`] repeats this until no rule is added, in batches
//! if a table is long; and [`merging`] joins rules that agree.
//!
//! Results equal those of the original program bit for bit. So the order of draws matters, and sums
//! of degrees are taken in the order of rows. What is fast here rests on exact facts only: degrees
//! of 0 and 1 need no sums ([`rows`]), an individual's levels are read only as "at least the
//! threshold or not" ([`genes`]), and equal rules have equal fitness ([`judge`]).

mod coverage;
mod covering;
mod genes;
mod genetic;
mod information;
mod judge;
mod local;
mod merging;
mod rows;
#[cfg(test)]
mod tests;

use super::draws::Draws;
use super::work::{Stop, Work};

/// What rules are learned from: fuzzy degrees of every row in every label, and the class of every
/// row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DegreeTable {
    /// Number of labels of each column, the class excluded.
    pub(super) labels: Vec<usize>,
    /// Row by row, the degree in every label, from 0 to 1, the columns' labels one after the other.
    /// A cell that was not observed has degree 1 in all of its column's labels. Every cell has a
    /// degree above 0 in some label.
    pub(super) degrees: Vec<f64>,
    /// Per row: is it a state after the step?
    pub(super) post: Vec<bool>,
}

/// A rule in its specific form: with every condition that costs nothing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SpecificRule {
    /// The class it concludes.
    pub(super) post: bool,
    /// Per column: is the rule's level of it at least its threshold? A column whose bits are all 1
    /// restricts nothing.
    pub(super) active: Vec<bool>,
    /// Per label, columns one after the other: is it among the values that the rule admits? To be
    /// read for active columns only.
    pub(super) bits: Vec<bool>,
    /// Sum of the match over the rows of its class, n⁺, not rounded.
    pub(super) positive: f64,
    /// Sum of the match over the rows of the other class, n⁻.
    pub(super) negative: f64,
}

/// The rules of a table, in the order of the original's specific set. It may be empty.
///
/// The draws start anew, with seed 0, and are left where the learner ends.
///
/// Two loops of the original need not end: general and specific forms are taken in turns until they
/// agree, and rules are found, deleted and found again. `repeats` bounds both: the number of turns,
/// and the number of successive rounds that cover no more rows than before. `None` is the original;
/// then only `work` ends them. Tables of a few thousand rows take some million units of work, and a
/// million units some ten milliseconds.
///
/// # Errors
/// The reason of `work` to end.
pub(super) fn learn_rules(
    table: &DegreeTable,
    repeats: Option<usize>,
    draws: &mut Draws,
    work: &mut Work,
) -> Result<Vec<SpecificRule>, Stop> {
    *draws = Draws::seeded(0);
    if table.labels.is_empty() || table.post.is_empty() {
        return Ok(Vec::new());
    }
    let learned = covering::in_batches(table, repeats, draws, work)?;
    Ok(learned.into_iter().map(coverage::LearnedRule::into_rule).collect())
}
