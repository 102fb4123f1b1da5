//! Chance that is the same everywhere: a fixed generator, and our own ways to draw from it.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The source of all that is random in one problem.
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The stream of one problem of one domain.
    pub fn new(domain: &str, seed: u64, index: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&index.to_le_bytes());
        for (slot, byte) in key[16..].iter_mut().zip(domain.bytes()) {
            *slot = byte;
        }
        Dice(ChaCha8Rng::from_seed(key))
    }

    /// A number from 0 up to but not including `bound`, each as likely; 0 where there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = (bound as u64).max(1);
        // Draws above the last whole multiple of the bound would favour small numbers.
        let fair = u64::MAX - u64::MAX % bound;
        loop {
            let draw = self.0.next_u64();
            if draw < fair {
                return (draw % bound) as usize;
            }
        }
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// Yes, `of` times in `among`.
    pub fn chance(&mut self, of: usize, among: usize) -> bool {
        self.below(among) < of
    }

    /// One of some, which must not be none.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Any order, each as likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// Some of `items`, at most `count`, in any order.
    pub fn sample<T>(&mut self, mut items: Vec<T>, count: usize) -> Vec<T> {
        self.shuffle(&mut items);
        items.truncate(count);
        items
    }

    /// One sequence of several, each in its own order: what those who do not meet do at the same
    /// time.
    pub fn interleave(&mut self, sequences: Vec<Vec<String>>) -> Vec<String> {
        let mut turns: Vec<usize> = sequences
            .iter()
            .enumerate()
            .flat_map(|(index, steps)| std::iter::repeat_n(index, steps.len()))
            .collect();
        self.shuffle(&mut turns);
        let mut sequences: Vec<_> = sequences.into_iter().map(Vec::into_iter).collect();
        turns.into_iter().filter_map(|turn| sequences[turn].next()).collect()
    }
}
