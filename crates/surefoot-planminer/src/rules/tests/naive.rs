//! The definitions, written down once more with nothing but the definition in mind.

use super::super::DegreeTable;
use super::super::coverage::{HOPELESS, LearnedRule, RowCoverage, Strength};
use super::super::genes::Genes;
use super::super::judge::Fitness;
use std::cmp::Ordering;

/// The bits of each column with the degrees of a row.
fn cells<'a>(
    table: &'a DegreeTable,
    genes: &'a Genes,
    row: usize,
) -> Vec<(bool, &'a [bool], &'a [f64])> {
    let width: usize = table.labels.iter().sum();
    let mut start = 0;
    let mut cells = Vec::new();
    for (column, &count) in table.labels.iter().enumerate() {
        let degrees = &table.degrees[row * width + start..row * width + start + count];
        cells.push((genes.active[column], &genes.bits[start..start + count], degrees));
        start += count;
    }
    cells
}

pub(super) fn settled(table: &DegreeTable, genes: &Genes) -> Genes {
    let active = cells(table, genes, 0)
        .into_iter()
        .map(|(active, bits, _)| active && bits.contains(&false))
        .collect();
    Genes { active, ..genes.clone() }
}

pub(super) fn valid(table: &DegreeTable, genes: &Genes) -> bool {
    let restricting = cells(table, genes, 0).into_iter().filter(|(active, ..)| *active);
    let admitting: Vec<bool> = restricting.map(|(_, bits, _)| bits.contains(&true)).collect();
    !admitting.is_empty() && admitting.into_iter().all(|admits| admits)
}

pub(super) fn row_match(table: &DegreeTable, genes: &Genes, row: usize) -> f64 {
    let mut least = 1.0_f64;
    for (active, bits, degrees) in cells(table, genes, row) {
        if !active || bits.iter().all(|&bit| bit) {
            continue;
        }
        let mut column = 0.0;
        for (&bit, &degree) in bits.iter().zip(degrees) {
            if bit && degree > 0.0 {
                column = if column == 0.0 { degree } else { 1.0 };
            }
        }
        least = least.min(column);
    }
    least
}

pub(super) fn sums(table: &DegreeTable, genes: &Genes) -> (f64, f64) {
    let mut sums = (0.0, 0.0);
    for row in 0..table.post.len() {
        let matched = row_match(table, genes, row);
        if table.post[row] == genes.post { sums.0 += matched } else { sums.1 += matched }
    }
    sums
}

fn weight((positive, negative): (f64, f64)) -> f64 {
    (positive + 1.0) / (positive + negative + 1.0)
}

/// A rule on a row, ordered by strength, then weight, then earliness.
type Ranked = (f64, f64, usize);

fn rank(a: &Ranked, b: &Ranked) -> Ordering {
    a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(b.2.cmp(&a.2))
}

/// The rules of a class that match a row, the best first.
fn ranked(table: &DegreeTable, rules: &[LearnedRule], row: usize, post: bool) -> Vec<Ranked> {
    let of_class = rules.iter().enumerate().filter(|(_, rule)| rule.genes.post == post);
    let ranked = of_class.map(|(index, rule)| {
        let weight = weight((rule.positive, rule.negative));
        (row_match(table, &rule.genes, row) * weight, weight, index)
    });
    let mut ranked: Vec<Ranked> = ranked.filter(|rule| rule.0 > 0.0).collect();
    ranked.sort_by(|a, b| rank(b, a));
    ranked
}

fn count_beating(rules: &[Ranked], best: Option<&Ranked>) -> i64 {
    rules
        .iter()
        .filter(|rule| best.is_none_or(|best| rank(rule, best) == Ordering::Greater))
        .count() as i64
}

fn coverage_of(table: &DegreeTable, rules: &[LearnedRule], row: usize) -> RowCoverage {
    let (own, other) =
        (ranked(table, rules, row, table.post[row]), ranked(table, rules, row, !table.post[row]));
    let covered = count_beating(&own, other.first()) > 0;
    let margin = if covered {
        count_beating(&own, other.first())
    } else if own.is_empty() {
        HOPELESS
    } else {
        -count_beating(&other, own.first())
    };
    let fired = if covered { own.first() } else { other.first() }.map(|rule| rule.2);
    let best = [false, true].map(|post| {
        ranked(table, rules, row, post)
            .first()
            .map_or(Strength::NONE, |rule| Strength { strength: rule.0, weight: rule.1 })
    });
    RowCoverage { fired, covered, margin, best }
}

pub(super) fn coverage(table: &DegreeTable, rules: &[LearnedRule]) -> Vec<RowCoverage> {
    (0..table.post.len()).map(|row| coverage_of(table, rules, row)).collect()
}

/// How many of some rows this rule wins, or would have to win, by this margin.
fn count_narrow(now: &[RowCoverage], rows: &[usize], rule: usize, margin: i64) -> f64 {
    rows.iter().filter(|&&row| now[row].fired == Some(rule) && now[row].margin == margin).count()
        as f64
}

fn count_active(genes: &Genes) -> f64 {
    genes.active.iter().filter(|&&active| active).count() as f64
}

/// The fitness of settled genes and the removable rules.
pub(super) fn fitness(
    table: &DegreeTable,
    rules: &[LearnedRule],
    carried: usize,
    reduction: bool,
    genes: &Genes,
) -> (Fitness, Vec<usize>) {
    let count = table.post.len();
    let n = count as f64;
    if !valid(table, genes) {
        return ([-2.0 * n; 7], Vec::new());
    }
    let now = coverage(table, rules);
    let sums = sums(table, genes);
    let w = weight(sums);
    let uncovered = |post: bool| {
        (0..count).filter(|&row| table.post[row] == post && !now[row].covered).count() as f64
    };
    // Rows of the class that are won, rows of the other class that are hit.
    let own = |row: &usize| table.post[*row] == genes.post;
    let taken: Vec<usize> = (0..count)
        .filter(|&row| {
            let m = row_match(table, genes, row);
            let rival = now[row].best[usize::from(!genes.post)];
            m > 0.0 && (m * w > rival.strength || (m * w == rival.strength && w > rival.weight))
        })
        .collect();
    let won: Vec<usize> =
        taken.iter().copied().filter(own).filter(|&row| !now[row].covered).collect();
    let hit: Vec<usize> = taken.iter().copied().filter(|row| !own(row)).collect();
    let (mut hits, mut harm) = (0.0, 0.0);
    won.iter().for_each(|&row| hits += row_match(table, genes, row) * w);
    hit.iter()
        .for_each(|&row| harm += row_match(table, genes, row) * w / uncovered(table.post[row]));
    let good = won.len() as f64;
    let bad = hit.iter().filter(|&&row| now[row].covered).count() as f64;
    let all: Vec<usize> = (0..count).collect();
    let gain = |rule: usize| {
        count_narrow(&now, &taken, rule, 1) - count_narrow(&now, &all, rule, 1)
            + count_narrow(&now, &all, rule, -1)
            - count_narrow(&now, &taken, rule, -1)
    };
    let removable: Vec<usize> = (carried..rules.len()).filter(|&rule| gain(rule) >= 0.0).collect();
    let extra: f64 = removable.iter().map(|&rule| gain(rule)).sum();
    let mut reach =
        all.iter().filter(|row| own(row) && row_match(table, genes, **row) > 0.0).count() as f64;
    let mine = uncovered(genes.post);
    if mine > 0.0 {
        reach /= mine;
        hits /= mine;
    } else {
        hits = 0.0;
    }
    let mut f0;
    if good + extra - bad > 0.0 {
        f0 = if mine == 0.0 || (hits == 0.0 && sums.0 == 0.0) {
            -2.0 * n
        } else if hits < harm {
            -0.9
        } else {
            (hits - harm) * (w * w * w * w * w * w * w * w * w)
        };
    } else if good + extra > 0.0 {
        f0 = good + extra - bad;
        if f0 == 0.0 {
            f0 = -n;
        } else if reduction && (removable.len() as f64) < 2.0 - f0 {
            f0 = -2.0 * n;
        }
    } else {
        f0 = -(n + bad);
    }
    let mut fitness =
        [f0, removable.len() as f64, reach, -count_active(genes), 0.0, good - bad, extra];
    if removable.len() == 1 && (f0 == -n || f0 == 0.0) {
        let old = &rules[removable[0]];
        fitness[2] =
            if extra > 0.0 { 0.1 + extra } else { w - weight((old.positive, old.negative)) };
        fitness[3] = count_active(genes) - count_active(&old.genes);
        fitness[5] = cells(table, genes, 0)
            .into_iter()
            .map(
                |(active, bits, _): (bool, &[bool], &[f64])| {
                    if active { bits.iter().filter(|&&bit| !bit).count() } else { 0 }
                },
            )
            .sum::<usize>() as f64;
        fitness[6] = rules.get(1).map_or(0.0, |rule| -weight((rule.positive, rule.negative)));
    }
    (fitness, removable)
}
