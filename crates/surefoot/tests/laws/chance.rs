//! Chance that is the same everywhere: the library's source of numbers, with the draws that random
//! worlds are made of.

use surefoot_base::random::Random;

/// A seeded source of draws; the seed names the case.
pub struct Chance(Random);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Chance(Random::new(seed))
    }

    /// For seeds that are next to each other, whose draws would be those of the neighbour, one
    /// later.
    pub fn scattered(seed: u64) -> Self {
        Chance::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66_D1CE_4E5B)
    }

    /// A number below a bound; zero below zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.number() % bound.max(1) as u64) as usize
    }

    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    pub fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}
