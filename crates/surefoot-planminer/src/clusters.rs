//! One-dimensional clusters: k-means with more and more clusters, as long as a score grows.

use super::draws::{Draws, RAND_MAX};

/// Clusters of values, each with its values in their order; none is empty.
pub(super) fn clusters(values: &[f64], draws: &mut Draws) -> Vec<Vec<f64>> {
    let mut best = Partition::of(values, 1, draws);
    let mut best_score = best.score(values);
    for count in 2.. {
        let partition = Partition::of(values, count, draws);
        let score = partition.score(values);
        if score > best_score {
            (best, best_score) = (partition, score);
        } else {
            break;
        }
    }
    best.members.retain(|members| !members.is_empty());
    best.members
}

struct Partition {
    centres: Vec<f64>,
    members: Vec<Vec<f64>>,
}

impl Partition {
    /// k-means, from values at equal distances in their order, until no centre moves. There is at
    /// least one value.
    fn of(values: &[f64], count: usize, draws: &mut Draws) -> Partition {
        let width = values.len() / count;
        let mut centres: Vec<f64> =
            (0..count).map(|index| values[width * index + width / 2]).collect();
        loop {
            let mut members = vec![Vec::new(); count];
            for &value in values {
                members[nearest(&centres, value)].push(value);
            }
            let mut moved = false;
            for (centre, members) in centres.iter_mut().zip(&members) {
                let new = if members.is_empty() { any_of(values, draws) } else { mean(members) };
                moved |= new != *centre;
                *centre = new;
            }
            if !moved {
                return Partition { centres, members };
            }
        }
    }

    /// How far the **last** cluster is from the middle, over how wide all are.
    fn score(&self, values: &[f64]) -> f64 {
        let within: f64 = self
            .centres
            .iter()
            .zip(&self.members)
            .map(|(centre, members): (&f64, &Vec<f64>)| {
                members.iter().map(|value| (value - centre) * (value - centre)).sum::<f64>()
            })
            .sum();
        let within = if within == 0.0 { 1.0 } else { within };
        let middle = mean(values);
        let between = match (self.centres.last(), self.members.last()) {
            (Some(centre), Some(members)) => {
                members.len() as f64 * (centre - middle) * (centre - middle)
            }
            _ => 0.0,
        };
        let (all, count) = (values.len() as u64, self.centres.len() as u64);
        // Unsigned, as in the original: with more clusters than values the factor is huge.
        let factor = if count == 1 { all - 1 } else { all.wrapping_sub(count) / (count - 1) };
        between / within * factor as f64
    }
}

fn nearest(centres: &[f64], value: f64) -> usize {
    let mut nearest = 0;
    let distance = |index: usize| (value - centres[index]) * (value - centres[index]);
    for index in 1..centres.len() {
        if distance(index) < distance(nearest) {
            nearest = index;
        }
    }
    nearest
}

/// A new centre for an empty cluster. The quotient can be one past the end, where the original
/// reads what is not its own.
fn any_of(values: &[f64], draws: &mut Draws) -> f64 {
    let index = draws.draw() as usize / (RAND_MAX as usize / values.len()).max(1);
    values[index.min(values.len() - 1)]
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
