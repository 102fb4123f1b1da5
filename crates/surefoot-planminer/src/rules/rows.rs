//! The rows at hand, label by label, and how a rule matches them.
//!
//! Most degrees are 0 or 1. So a rule's match is computed on sets of rows, 64 at a time; only rows
//! with a degree strictly in between are looked at one by one.

use super::DegreeTable;
use super::genes::{Genes, LabelColumns};
use std::ops::Range;

/// A set of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RowSet {
    words: Vec<u64>,
}

impl RowSet {
    fn empty(rows: usize) -> RowSet {
        RowSet { words: vec![0; rows.div_ceil(64)] }
    }

    fn insert(&mut self, row: usize) {
        self.words[row / 64] |= 1 << (row % 64);
    }

    /// The rows in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words
            .iter()
            .enumerate()
            .flat_map(|(index, &word)| Ones(word).map(move |bit| index * 64 + bit))
    }

    fn intersection<'a>(&'a self, other: &'a RowSet) -> impl Iterator<Item = usize> + 'a {
        let common = self.words.iter().zip(&other.words).enumerate();
        common.flat_map(|(index, (a, b))| Ones(a & b).map(move |bit| index * 64 + bit))
    }
}

/// The places of the ones in a word, lowest first.
struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lowest = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(lowest as usize)
    }
}

/// A batch of a table's rows.
#[derive(Debug)]
pub(super) struct RowBatch {
    pub(super) columns: LabelColumns,
    /// The class of each row.
    pub(super) post: Vec<bool>,
    /// Per label, the degree of each row.
    degrees: Vec<Vec<f64>>,
    /// Per label, the rows with a degree above 0.
    present: Vec<RowSet>,
    /// Per column, the rows with a degree strictly between 0 and 1.
    soft: Vec<RowSet>,
}

/// How a rule matches the rows at hand. Reused, to save allocations.
#[derive(Debug, Default)]
pub(super) struct Match {
    /// The rows with a match above 0.
    pub(super) alive: RowSet,
    /// The match of those rows; of others the value says nothing.
    pub(super) degree: Vec<f64>,
    admitted: Vec<u64>,
}

impl RowBatch {
    pub(super) fn new(table: &DegreeTable, batch: Range<usize>) -> RowBatch {
        let columns = LabelColumns::new(&table.labels);
        let (count, width) = (batch.len(), columns.label_count());
        let mut degrees = vec![Vec::with_capacity(count); width];
        let mut present = vec![RowSet::empty(count); width];
        let mut soft = vec![RowSet::empty(count); columns.len()];
        for (row, index) in batch.clone().enumerate() {
            let cells = &table.degrees[index * width..(index + 1) * width];
            for (column, labels) in columns.iter().enumerate() {
                for label in labels {
                    let degree = cells[label];
                    degrees[label].push(degree);
                    if degree > 0.0 {
                        present[label].insert(row);
                        if degree < 1.0 {
                            soft[column].insert(row);
                        }
                    }
                }
            }
        }
        RowBatch { columns, post: table.post[batch].to_vec(), degrees, present, soft }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.post.len()
    }

    /// The degree of a row in a label.
    pub(super) fn degree(&self, row: usize, label: usize) -> f64 {
        self.degrees[label][row]
    }

    /// Computes the match of every row: the minimum over the columns that restrict; 1 if none does.
    pub(super) fn matching(&self, genes: &Genes, into: &mut Match) {
        let Match { alive, degree, admitted } = into;
        alive.words.clear();
        alive.words.resize(self.len().div_ceil(64), u64::MAX);
        if let Some(last) = alive.words.last_mut().filter(|_| !self.len().is_multiple_of(64)) {
            *last >>= 64 - self.len() % 64;
        }
        for (_, labels) in genes.restricting(&self.columns) {
            admitted.clear();
            admitted.resize(alive.words.len(), 0);
            for label in labels.filter(|&label| genes.bits[label]) {
                admitted
                    .iter_mut()
                    .zip(&self.present[label].words)
                    .for_each(|(to, from)| *to |= from);
            }
            alive.words.iter_mut().zip(&*admitted).for_each(|(to, from)| *to &= from);
        }
        degree.clear();
        degree.resize(self.len(), 1.0);
        for (column, labels) in genes.restricting(&self.columns) {
            for row in alive.intersection(&self.soft[column]) {
                degree[row] = degree[row].min(self.column_match(genes, labels.clone(), row));
            }
        }
    }

    /// Over the admitted labels in order: the first degree above 0, but 1 if a further one is above
    /// 0.
    fn column_match(&self, genes: &Genes, labels: Range<usize>, row: usize) -> f64 {
        let mut above = labels
            .filter(|&label| genes.bits[label])
            .map(|label| self.degrees[label][row])
            .filter(|&d| d > 0.0);
        match (above.next(), above.next()) {
            (None, _) => 0.0,
            (Some(degree), None) => degree,
            (Some(_), Some(_)) => 1.0,
        }
    }
}

impl Match {
    /// Sums of the match over the rows of class `post` and over the others, in the order of rows.
    pub(super) fn sums(&self, rows: &RowBatch, post: bool) -> (f64, f64) {
        let (mut positive, mut negative) = (0.0, 0.0);
        for row in self.alive.iter() {
            let sum = if rows.post[row] == post { &mut positive } else { &mut negative };
            *sum += self.degree[row];
        }
        (positive, negative)
    }
}
