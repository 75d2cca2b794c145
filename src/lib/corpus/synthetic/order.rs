//! A pseudo-random permutation without a table.

use rand::Rng;

/// A pseudo-random permutation of the numbers below a limit, computed in both directions: a Feistel network on the smallest even number of bits
/// that holds the limit, walked until it leads back below it (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
/// The network's domain is less than four times the limit, so a walk takes fewer than four steps in the mean.
#[derive(Debug, Clone)]
pub struct Permutation {
    count: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

/// Four rounds make a network pseudo-random in both directions (Luby and Rackoff 1988); two more because small domains mix worse.
const ROUNDS: usize = 6;

impl Permutation {
    /// Returns the permutation of `count` numbers keyed by the generator's next numbers.
    pub fn new(count: u64, generator: &mut impl Rng) -> Self {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        let keys = std::array::from_fn(|_| generator.next_u64());
        Permutation { count, half_bits: bits.div_ceil(2).max(1), keys }
    }

    /// Returns the number at a position below the count.
    pub fn at(&self, position: u64) -> u64 {
        self.walk(position, |value| self.forward(value))
    }

    /// Returns the position of a number below the count.
    pub fn position_of(&self, number: u64) -> u64 {
        self.walk(number, |value| self.backward(value))
    }

    fn walk(&self, start: u64, step: impl Fn(u64) -> u64) -> u64 {
        debug_assert!(start < self.count);
        let mut value = step(start);
        while value >= self.count {
            value = step(value);
        }
        value
    }

    fn forward(&self, value: u64) -> u64 {
        let (mut left, mut right) = self.halves(value);
        for key in self.keys {
            (left, right) = (right, left ^ self.scramble(right, key));
        }
        left << self.half_bits | right
    }

    fn backward(&self, value: u64) -> u64 {
        let (mut left, mut right) = self.halves(value);
        for key in self.keys.into_iter().rev() {
            (left, right) = (right ^ self.scramble(left, key), left);
        }
        left << self.half_bits | right
    }

    fn halves(&self, value: u64) -> (u64, u64) {
        (value >> self.half_bits, value & self.mask())
    }

    /// Returns the round function: the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    fn scramble(&self, half: u64, key: u64) -> u64 {
        let mut mixed = half ^ key;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) & self.mask()
    }

    fn mask(&self) -> u64 {
        (1 << self.half_bits) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use proptest::prelude::*;

    fn order(count: u64, seed: u64) -> Permutation {
        Permutation::new(count, &mut stream(seed, Purpose::SyntheticDocuments, 9, 0))
    }

    proptest! {
        #[test]
        fn every_number_has_one_position(count in 1u64..5000, seed: u64) {
            let order = order(count, seed);
            let mut seen: Vec<u64> = (0..count).map(|position| order.at(position)).collect();
            for (position, number) in seen.iter().enumerate() {
                prop_assert_eq!(order.position_of(*number), position as u64);
            }
            seen.sort_unstable();
            prop_assert!(seen.into_iter().eq(0..count));
        }

        #[test]
        fn large_counts_have_both_directions(count in 1u64 << 40..1 << 62, seed: u64, at: u64) {
            let order = order(count, seed);
            let number = order.at(at % count);
            prop_assert!(number < count);
            prop_assert_eq!(order.position_of(number), at % count);
        }
    }

    #[test]
    fn neighbours_do_not_stay_neighbours() {
        let order = order(100_000, 7);
        let near = (1..100_000).filter(|n| order.at(*n).abs_diff(order.at(n - 1)) <= 10).count();
        // Two of 100,000 shuffled numbers are at most 10 apart with probability 0.0002.
        assert!((5..50).contains(&near), "{near}");
    }
}
