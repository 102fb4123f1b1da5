//! Nodes of the relaxed task in the order of their costs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Cost;
use super::structure::NodeId;

/// Nodes by cost: small costs in buckets, large ones in a heap.
#[derive(Default)]
pub(super) struct Queue {
    buckets: Vec<Vec<NodeId>>,
    /// No bucket below is in use.
    lowest: usize,
    begun: bool,
    heap: BinaryHeap<Reverse<(Cost, NodeId)>>,
}

/// From which cost on the heap is used.
const BUCKETS: usize = 2048;

impl Queue {
    pub(super) fn clear(&mut self) {
        self.buckets.iter_mut().for_each(Vec::clear);
        self.lowest = 0;
        self.begun = false;
        self.heap.clear();
    }

    #[inline]
    pub(super) fn push(&mut self, cost: Cost, node: NodeId) {
        let bucket = cost.steps() as usize;
        if bucket >= BUCKETS {
            return self.heap.push(Reverse((cost, node)));
        }
        if self.buckets.len() <= bucket {
            self.buckets.resize_with(bucket + 1, Vec::new);
        }
        self.buckets[bucket].push(node);
        self.lowest = self.lowest.min(bucket);
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<(Cost, NodeId)> {
        if self.lowest == 0 && !self.begun {
            self.begun = true;
            self.sort();
        }
        while self.lowest < self.buckets.len() {
            if let Some(node) = self.buckets[self.lowest].pop() {
                return Some((Cost::of(self.lowest as u32), node));
            }
            self.lowest += 1;
            self.sort();
        }
        self.heap.pop().map(|Reverse(entry)| entry)
    }

    /// Ties are broken the same way in every state, so that relaxed plans of neighbours agree.
    fn sort(&mut self) {
        if let Some(bucket) = self.buckets.get_mut(self.lowest) {
            bucket.sort_unstable_by(|one, other| other.cmp(one));
        }
    }
}
