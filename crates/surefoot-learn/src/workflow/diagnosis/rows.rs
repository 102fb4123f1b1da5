//! The steps of one action, as many as can be held.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::evidence::{Observation, StepId};

/// At most this many steps of an action are examined.
const MOST: usize = 20_000;

/// The steps of an action, ordered by their observations, so that the order of traces does not
/// matter. If there are very many, a sample is kept, chosen by the observations.
#[derive(Clone)]
pub struct ActionRows {
    /// The identity of each step.
    pub steps: Vec<StepId>,
    /// The observation of each step.
    pub observations: Vec<Observation>,
    /// How many there are, kept or not.
    pub total: usize,
}

impl ActionRows {
    /// Whether all steps are kept.
    pub fn is_complete(&self) -> bool {
        self.total == self.observations.len()
    }

    /// The rows with the same observation as this one, which is among them.
    pub fn alike(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let observations = &self.observations;
        let before =
            (0..row).rev().take_while(move |&other| observations[other] == observations[row]);
        before.chain(
            (row..observations.len())
                .take_while(move |&other| observations[other] == observations[row]),
        )
    }
}

/// Collects the steps of an action.
#[derive(Default)]
pub struct Collector {
    kept: BinaryHeap<BlameCandidate>,
    total: usize,
}

struct BlameCandidate {
    rank: u64,
    step: StepId,
    observation: Observation,
}

impl Collector {
    /// Adds the observation of a step to the rows.
    pub fn push(&mut self, step: StepId, observation: Observation) {
        self.total += 1;
        let rank = rank(&observation);
        if self.kept.len() < MOST {
            self.kept.push(BlameCandidate { rank, step, observation });
        } else if let Some(mut last) = self.kept.peek_mut() {
            let candidate = BlameCandidate { rank, step, observation };
            if candidate < *last {
                *last = candidate;
            }
        }
    }

    /// All steps, ordered by their observations.
    pub fn finish(self) -> ActionRows {
        let mut kept = self.kept.into_vec();
        kept.sort_by(|one, other| {
            content(&one.observation, &other.observation).then(one.step.cmp(&other.step))
        });
        let (steps, observations) =
            kept.into_iter().map(|candidate| (candidate.step, candidate.observation)).unzip();
        ActionRows { steps, observations, total: self.total }
    }
}

/// A number that depends on the observation alone.
fn rank(observation: &Observation) -> u64 {
    let mut hasher = FxHasher::default();
    observation.pattern.hash(&mut hasher);
    observation.seen.iter().for_each(|seen| seen.0.hash(&mut hasher));
    observation.before.as_slice().hash(&mut hasher);
    observation.after.as_slice().hash(&mut hasher);
    // The last multiplication leaves the upper bits mixed best.
    hasher.finish().rotate_left(32)
}

fn content(one: &Observation, other: &Observation) -> Ordering {
    (one.pattern.cmp(&other.pattern))
        .then_with(|| one.before.as_slice().cmp(other.before.as_slice()))
        .then_with(|| one.after.as_slice().cmp(other.after.as_slice()))
        .then_with(|| one.seen.iter().map(|seen| seen.0).cmp(other.seen.iter().map(|seen| seen.0)))
}

impl Ord for BlameCandidate {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.rank.cmp(&other.rank))
            .then_with(|| content(&self.observation, &other.observation))
            .then_with(|| self.step.cmp(&other.step))
    }
}

impl PartialOrd for BlameCandidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for BlameCandidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for BlameCandidate {}
