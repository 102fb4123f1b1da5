//! How much a column says about a class: what individuals start with.

use super::DegreeTable;
use super::genes::LabelColumns;

/// A table with more rows than this is judged by its first [`SAMPLE`] rows.
const MANY: usize = 10_000;
const SAMPLE: usize = 1_000;

/// Per class (0: before, 1: after) and column: mutual information over entropy, both of the part of
/// the class only.
///
/// Each row spreads a mass of 1 over the labels of a column, in proportion to its degrees.
pub(super) fn information(table: &DegreeTable) -> [Vec<f64>; 2] {
    let columns = LabelColumns::new(&table.labels);
    let width = columns.label_count();
    let rows = if table.post.len() > MANY { SAMPLE } else { table.post.len() };
    let mut mass = [vec![0.0; width], vec![0.0; width]];
    let mut class = [0.0; 2];
    for row in 0..rows {
        let post = usize::from(table.post[row]);
        class[post] += 1.0;
        let cells = &table.degrees[row * width..(row + 1) * width];
        for labels in columns.iter() {
            let whole: f64 = cells[labels.clone()].iter().sum();
            for label in labels {
                mass[post][label] += cells[label] / whole;
            }
        }
    }
    let total = class[0] + class[1];
    [0, 1].map(|k| {
        columns
            .iter()
            .map(|labels| {
                let (mut shared, mut entropy) = (0.0, 0.0);
                for label in labels {
                    let joint = mass[k][label] / total;
                    if joint > 0.0 {
                        let alone = (mass[0][label] + mass[1][label]) / total;
                        shared += joint * (joint / (alone * (class[k] / total))).ln();
                        entropy -= joint * joint.ln();
                    }
                }
                if entropy == 0.0 { 0.0 } else { shared / entropy }
            })
            .collect()
    })
}
