//! What an individual of the genetic algorithm is made of.
//!
//! The original gives every column a level in [0, 1] and calls it active where the level is at
//! least a threshold of 0.2. The threshold never changes, and levels are only ever compared with
//! it, so one truth value per column says the same. Its further bits and integers, which have no
//! effect, are not kept: only their draws are made.

use std::ops::Range;

/// A level from which on a column is active.
pub(super) const THRESHOLD: f64 = 0.2;

/// Where each column's labels are.
#[derive(Debug, Clone)]
pub(super) struct LabelColumns {
    starts: Vec<usize>,
}

impl LabelColumns {
    pub(super) fn new(labels: &[usize]) -> LabelColumns {
        let mut starts = Vec::with_capacity(labels.len() + 1);
        let mut next = 0;
        for count in labels {
            starts.push(next);
            next += count;
        }
        starts.push(next);
        LabelColumns { starts }
    }

    /// Number of columns.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of labels of all columns.
    pub(super) fn label_count(&self) -> usize {
        self.starts[self.len()]
    }

    /// The labels of one column.
    pub(super) fn labels(&self, column: usize) -> Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }

    /// The columns' labels, in order of columns.
    pub(super) fn iter(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.starts.windows(2).map(|pair| pair[0]..pair[1])
    }
}

/// A rule: for each active column the labels it admits, and the class it concludes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Genes {
    pub(super) post: bool,
    pub(super) active: Vec<bool>,
    pub(super) bits: Vec<bool>,
}

impl Genes {
    /// Columns that admit everything become inactive.
    pub(super) fn settle(&mut self, columns: &LabelColumns) {
        for (active, labels) in self.active.iter_mut().zip(columns.iter()) {
            *active = *active && !self.bits[labels].iter().all(|&bit| bit);
        }
    }

    /// Whether some column is active and every active column admits a label. To be asked of settled
    /// genes.
    pub(super) fn valid(&self, columns: &LabelColumns) -> bool {
        self.active.contains(&true)
            && self.active.iter().zip(columns.iter()).all(
                |(&active, labels): (&bool, Range<usize>)| {
                    !active || self.bits[labels].iter().any(|&bit| bit)
                },
            )
    }

    /// Number of active columns.
    pub(super) fn breadth(&self) -> usize {
        self.active.iter().filter(|&&active| active).count()
    }

    /// The columns that restrict, with their labels.
    pub(super) fn restricting<'a>(
        &'a self,
        columns: &'a LabelColumns,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
        columns.iter().enumerate().filter(|(column, labels): &(usize, Range<usize>)| {
            self.active[*column] && !self.bits[labels.clone()].iter().all(|&bit| bit)
        })
    }

    /// Per label: the bit, read as 1 in inactive columns.
    pub(super) fn read(&self, columns: &LabelColumns) -> Vec<bool> {
        let mut read = self.bits.clone();
        for (&active, labels) in self.active.iter().zip(columns.iter()) {
            if !active {
                read[labels].fill(true);
            }
        }
        read
    }
}
