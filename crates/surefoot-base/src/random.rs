//! Chance that is the same on every machine, from a seed.

/// A seeded source of numbers, the same on every machine (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// An independent source for a named part, so that what one part draws does not shift what
    /// another does.
    pub fn for_part(seed: u64, part: &str) -> Self {
        // FNV-1a over the name, from the seed.
        let hash = part.bytes().fold(seed ^ 0xCBF2_9CE4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        let mut random = Random(hash);
        random.number();
        random
    }

    /// The next number of the sequence.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below a bound that is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.number()) * bound as u128) >> 64) as usize
    }

    /// Puts items in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.below(index + 1));
        }
    }
}
