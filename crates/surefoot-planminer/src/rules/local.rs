//! Two searches around one rule: its most general and its most specific form at no loss.
//!
//! "Better" looks at the first three criteria and compares with the last change that was kept.

use super::genes::Genes;
use super::judge::{CandidateJudge, CandidateVerdict, compare};
use crate::work::{Stop, Work};
use std::cmp::Ordering;

/// How many criteria of two verdicts are compared.
const DEPTH: usize = 3;

/// Drops columns where that is better, then admits labels where that is not worse.
pub(super) fn general_form(
    genes: &mut Genes,
    judge: &mut CandidateJudge,
    work: &mut Work,
) -> Result<CandidateVerdict, Stop> {
    let columns = &judge.rows.columns;
    genes.bits = genes.read(columns);
    let mut kept = judge.judge(genes, work)?;
    for column in 0..columns.len() {
        if genes.active[column] {
            genes.active[column] = false;
            let tried = judge.judge(genes, work)?;
            if compare(&tried.fitness, &kept.fitness, DEPTH) == Ordering::Greater {
                kept = tried;
            } else {
                genes.active[column] = true;
            }
        }
    }
    for column in 0..columns.len() {
        if !genes.active[column] {
            continue;
        }
        for label in columns.labels(column) {
            if !genes.bits[label] {
                genes.bits[label] = true;
                let tried = judge.judge(genes, work)?;
                if compare(&tried.fitness, &kept.fitness, DEPTH) == Ordering::Less {
                    genes.bits[label] = false;
                    genes.active[column] = true;
                } else {
                    kept = tried;
                }
            }
        }
    }
    judge.judge(genes, work)
}

/// Excludes labels: in inactive columns where that is not worse, in active ones where it is better.
pub(super) fn specific_form(
    genes: &mut Genes,
    judge: &mut CandidateJudge,
    work: &mut Work,
) -> Result<CandidateVerdict, Stop> {
    let columns = &judge.rows.columns;
    let mut kept = judge.judge(genes, work)?;
    for column in 0..columns.len() {
        let was_active = genes.active[column];
        if !was_active {
            genes.bits[columns.labels(column)].fill(true);
        }
        let enough = if was_active { Ordering::Greater } else { Ordering::Equal };
        let mut changed = false;
        for label in columns.labels(column) {
            if genes.bits[label] {
                genes.bits[label] = false;
                genes.active[column] = true;
                let tried = judge.judge(genes, work)?;
                if compare(&tried.fitness, &kept.fitness, DEPTH) >= enough {
                    kept = tried;
                    changed = true;
                } else {
                    genes.bits[label] = true;
                }
            }
        }
        genes.active[column] = was_active || changed;
    }
    judge.judge(genes, work)
}
