//! The sequence of `rand()` of the GNU C library, on which the original's results depend.
//!
//! An additive feedback generator, r_i = r_{i−3} + r_{i−31} mod 2³², started by a linear
//! congruential one; the lowest bit is dropped.

/// The largest number that a draw gives, as in the original's C library.
pub(super) const RAND_MAX: u32 = 2_147_483_647;

/// How far back the sums reach.
const WINDOW: usize = 31;

/// A state of `rand()`.
#[derive(Debug, Clone)]
pub(super) struct Draws {
    /// The last 31 values, in a ring.
    ring: [u32; WINDOW],
    /// The place of r_{i−31}, which r_i takes.
    at: usize,
}

impl Draws {
    /// The state after `srand(seed)`; seed 0 is seed 1.
    pub(super) fn seeded(seed: u32) -> Draws {
        let mut ring = [0; WINDOW];
        ring[0] = if seed == 0 { 1 } else { seed };
        // The C library computes with signed numbers and lifts a negative remainder.
        let mut last = i64::from(ring[0].cast_signed());
        for cell in &mut ring[1..] {
            last = (16807 * last) % i64::from(RAND_MAX);
            if last < 0 {
                last += i64::from(RAND_MAX);
            }
            // Between 0 and RAND_MAX.
            *cell = u32::try_from(last).unwrap_or(0);
        }
        // r_31, r_32, r_33 repeat r_0, r_1, r_2: the ring as it is, with r_34 next, at the place of
        // r_3.
        let mut draws = Draws { ring, at: 3 };
        for _ in 34..344 {
            draws.step();
        }
        draws
    }

    fn step(&mut self) -> u32 {
        let value = self.ring[self.at].wrapping_add(self.ring[(self.at + WINDOW - 3) % WINDOW]);
        self.ring[self.at] = value;
        self.at = (self.at + 1) % WINDOW;
        value
    }

    /// One call of `rand()`: a number from 0 to [`RAND_MAX`].
    pub(super) fn draw(&mut self) -> u32 {
        self.step() >> 1
    }

    /// Draws whose values have no effect.
    pub(super) fn skip(&mut self, draws: usize) {
        for _ in 0..draws {
            self.step();
        }
    }

    /// True with probability `x`: P(x).
    pub(super) fn chance(&mut self, x: f64) -> bool {
        f64::from(self.draw()) / f64::from(RAND_MAX) <= x
    }

    /// A number from 0 to `n` − 1.
    pub(super) fn pick(&mut self, n: usize) -> usize {
        // Below 2³¹ times `n` over 2³¹: the quotient is below `n`.
        usize::try_from((u128::from(self.draw()) * n as u128) >> 31).unwrap_or(0)
    }

    /// Two picks of `n`, the smaller one first.
    pub(super) fn cut(&mut self, n: usize) -> (usize, usize) {
        let (p, q) = (self.pick(n), self.pick(n));
        (p.min(q), p.max(q))
    }

    /// A number in [0, 1).
    pub(super) fn level(&mut self) -> f64 {
        f64::from(self.draw()) / (f64::from(RAND_MAX) + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_those_of_the_c_library() {
        let first = |seed| {
            let mut draws = Draws::seeded(seed);
            [(); 6].map(|()| draws.draw())
        };
        assert_eq!(
            first(1),
            [1804289383, 846930886, 1681692777, 1714636915, 1957747793, 424238335]
        );
        assert_eq!(first(0), first(1));
        assert_eq!(first(42)[..3], [71876166, 708592740, 1483128881]);
    }

    #[test]
    fn picks_stay_in_range_and_cuts_are_ordered() {
        let mut draws = Draws::seeded(7);
        let mut seen = [false; 5];
        for _ in 0..1000 {
            seen[draws.pick(5)] = true;
            let (p, q) = draws.cut(9);
            assert!(p <= q && q < 9);
            let level = draws.level();
            assert!((0.0..1.0).contains(&level));
        }
        assert_eq!(seen, [true; 5]);
        assert!((0..1000).all(|_| draws.chance(1.0)));
        let hits = (0..10_000).filter(|_| draws.chance(0.25)).count();
        assert!((2300..2700).contains(&hits), "{hits}");
    }
}
