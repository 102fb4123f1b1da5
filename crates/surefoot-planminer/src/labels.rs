//! Cells become degrees in a few labels.

use super::clusters::clusters;
use super::column::TableColumn;
use super::draws::Draws;
use super::rules;
use super::tables::{ObservationTable, ObservedValue};
use super::trapezoid::Trapezoid;

/// The labels of a column, in the order of the clusters. Numbers that stand for words have a label
/// each.
pub(super) fn labels(
    column: &TableColumn,
    cells: &[ObservedValue],
    draws: &mut Draws,
) -> Vec<Trapezoid> {
    match column {
        TableColumn::Fact(_) | TableColumn::Comparison(..) => {
            [0.0, 1.0].map(Trapezoid::point).to_vec()
        }
        TableColumn::Direction(..) => {
            let signs = [1.0, -1.0].into_iter().filter(|&sign| cells.contains(&Some(sign)));
            std::iter::once(0.0).chain(signs).map(Trapezoid::point).collect()
        }
        TableColumn::Number(_) => {
            let values: Vec<f64> = cells.iter().copied().flatten().collect();
            clusters(&values, draws).iter().map(|cluster| Trapezoid::of(cluster)).collect()
        }
    }
}

/// A table as the rule learner reads it; `None` where a cell fits no label of its column.
pub(super) fn degrees(
    table: &ObservationTable,
    labels: &[Vec<Trapezoid>],
    steps: usize,
) -> Option<rules::DegreeTable> {
    let rows = 2 * steps;
    let mut degrees = Vec::with_capacity(rows * labels.iter().map(Vec::len).sum::<usize>());
    for row in 0..rows {
        for ((_, cells), labels) in table.columns.iter().zip(labels) {
            let start = degrees.len();
            degrees.extend(
                labels.iter().map(|label| cells[row].map_or(1.0, |value| label.degree(value))),
            );
            if degrees[start..].iter().all(|degree| *degree == 0.0) {
                return None;
            }
        }
    }
    let labels = labels.iter().map(Vec::len).collect();
    Some(rules::DegreeTable { labels, degrees, post: (0..rows).map(|row| row >= steps).collect() })
}
