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

pub(super) fn coverage(table: &DegreeTable, rules: &[LearnedRule]) -> Vec<RowCoverage> {
    let of_row = |row: usize| {
        let of_class = |post: bool| {
            let ranked = rules.iter().enumerate().filter(|(_, rule)| rule.genes.post == post).map(
                |(index, rule)| {
                    let weight = weight((rule.positive, rule.negative));
                    (row_match(table, &rule.genes, row) * weight, weight, index)
                },
            );
            let mut ranked: Vec<Ranked> = ranked.filter(|rule| rule.0 > 0.0).collect();
            ranked.sort_by(|a, b| rank(b, a));
            ranked
        };
        let (own, other) = (of_class(table.post[row]), of_class(!table.post[row]));
        let beating = |these: &[Ranked], best: Option<&Ranked>| {
            these
                .iter()
                .filter(|rule| best.is_none_or(|best| rank(rule, best) == Ordering::Greater))
                .count() as i64
        };
        let covered = beating(&own, other.first()) > 0;
        let margin = if covered {
            beating(&own, other.first())
        } else if own.is_empty() {
            HOPELESS
        } else {
            -beating(&other, own.first())
        };
        let fired = if covered { own.first() } else { other.first() }.map(|rule| rule.2);
        let best = [false, true].map(|post| {
            of_class(post)
                .first()
                .map_or(Strength::NONE, |rule| Strength { strength: rule.0, weight: rule.1 })
        });
        RowCoverage { fired, covered, margin, best }
    };
    (0..table.post.len()).map(of_row).collect()
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
    let takes = |row: usize| {
        let m = row_match(table, genes, row);
        let rival = now[row].best[usize::from(!genes.post)];
        m > 0.0 && (m * w > rival.strength || (m * w == rival.strength && w > rival.weight))
    };
    let own = |row: &usize| table.post[*row] == genes.post;
    let taken: Vec<usize> = (0..count).filter(|&row| takes(row)).collect();
    let won: Vec<usize> =
        taken.iter().copied().filter(own).filter(|&row| !now[row].covered).collect();
    let hit: Vec<usize> = taken.iter().copied().filter(|row| !own(row)).collect();
    let (mut hits, mut harm) = (0.0, 0.0);
    won.iter().for_each(|&row| hits += row_match(table, genes, row) * w);
    hit.iter()
        .for_each(|&row| harm += row_match(table, genes, row) * w / uncovered(table.post[row]));
    let good = won.len() as f64;
    let bad = hit.iter().filter(|&&row| now[row].covered).count() as f64;
    let narrow = |rows: &[usize], rule: usize, margin: i64| {
        rows.iter()
            .filter(|&&row| now[row].fired == Some(rule) && now[row].margin == margin)
            .count() as f64
    };
    let all: Vec<usize> = (0..count).collect();
    let gain = |rule: usize| {
        narrow(&taken, rule, 1) - narrow(&all, rule, 1) + narrow(&all, rule, -1)
            - narrow(&taken, rule, -1)
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
    let breadth = |genes: &Genes| genes.active.iter().filter(|&&active| active).count() as f64;
    let mut fitness = [f0, removable.len() as f64, reach, -breadth(genes), 0.0, good - bad, extra];
    if removable.len() == 1 && (f0 == -n || f0 == 0.0) {
        let old = &rules[removable[0]];
        fitness[2] =
            if extra > 0.0 { 0.1 + extra } else { w - weight((old.positive, old.negative)) };
        fitness[3] = breadth(genes) - breadth(&old.genes);
        let zeros = |(active, bits, _): (bool, &[bool], &[f64])| {
            if active { bits.iter().filter(|&&bit| !bit).count() } else { 0 }
        };
        fitness[5] = cells(table, genes, 0).into_iter().map(zeros).sum::<usize>() as f64;
        fitness[6] = rules.get(1).map_or(0.0, |rule| -weight((rule.positive, rule.negative)));
    }
    (fitness, removable)
}
