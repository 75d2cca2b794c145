//! Probability that tables find a pair.

use super::super::guarantee::DistanceDistribution;

/// Distribution of the number of differing bits outside the prefix, for pairs that pass the tests on the distance and on the prefix.
#[derive(Debug, Clone)]
pub(super) struct PassDistribution {
    bits: usize,
    prefix_bits: usize,
    /// Probability of each distance up to the maximum.
    distances: Vec<f64>,
    ln_factorials: Vec<f64>,
    /// For each number of differing bits outside the prefix, the probability that a pair has as many and passes.
    weights: Vec<f64>,
}

impl PassDistribution {
    /// Returns a distribution that no pair passes yet.
    pub(super) fn new(
        distances: &DistanceDistribution,
        max_distance: u32,
        prefix_bits: usize,
    ) -> Self {
        let bits = distances.bits();
        let near = (max_distance as usize).min(bits) + 1;
        let mut ln_factorials = vec![0.0; bits + 1];
        for n in 1..=bits {
            ln_factorials[n] = ln_factorials[n - 1] + libm::log(n as f64);
        }
        PassDistribution {
            bits,
            prefix_bits,
            distances: distances.probabilities()[..near].to_vec(),
            ln_factorials,
            weights: vec![0.0; near.min(bits - prefix_bits + 1)],
        }
    }

    fn ln_choose(&self, all: usize, some: usize) -> f64 {
        self.ln_factorials[all] - self.ln_factorials[some] - self.ln_factorials[all - some]
    }

    /// Admits pairs that differ in exactly `inside` bits of the prefix. Every set of positions of the differing bits is equally probable, so their
    /// number in the prefix is hypergeometric.
    pub(super) fn admit(&mut self, inside: usize) {
        let free = self.bits - self.prefix_bits;
        for outside in 0..self.weights.len() {
            let Some(distance) = self.distances.get(inside + outside) else { break };
            let ways = self.ln_choose(self.prefix_bits, inside) + self.ln_choose(free, outside);
            let share = libm::exp(ways - self.ln_choose(self.bits, inside + outside));
            self.weights[outside] += distance * share;
        }
    }

    /// Returns the number of bits outside the prefix.
    pub(super) fn free_bits(&self) -> usize {
        self.bits - self.prefix_bits
    }

    /// Returns the probability of passing both tests.
    pub(super) fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Returns the recall with keys of `key_bits` bits.
    pub(super) fn tables(&self, key_bits: usize) -> TableRecall {
        let free = (self.bits - self.prefix_bits) as f64;
        let agreeing = |outside: usize| -> f64 {
            let left = free - outside as f64;
            (0..key_bits).map(|bit| (left - bit as f64).max(0.0) / (free - bit as f64)).product()
        };
        let chance = |(outside, weight): (usize, &f64)| (*weight, libm::log1p(-agreeing(outside)));
        TableRecall(self.weights.iter().enumerate().map(chance).collect())
    }
}

/// Pairs by their probability and the logarithm of the probability that a table misses them.
pub(super) struct TableRecall(Vec<(f64, f64)>);

impl TableRecall {
    /// Returns the probability that a number of tables finds a pair.
    pub(super) fn recall(&self, tables: usize) -> f64 {
        let found = |(weight, ln_miss): &(f64, f64)| weight * -libm::expm1(tables as f64 * ln_miss);
        self.0.iter().map(found).sum()
    }

    /// Returns the minimum number of tables for a recall, if `max` suffice.
    pub(super) fn min_tables(&self, recall: f64, max: usize) -> Option<usize> {
        if self.recall(max) < recall {
            return None;
        }
        let (mut too_few, mut enough) = (0, max);
        while enough - too_few > 1 {
            let middle = (too_few + enough) / 2;
            if self.recall(middle) >= recall { enough = middle } else { too_few = middle }
        }
        Some(enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enumerates all patterns of differing bits, weighted by the probability of their distance, and all keys.
    fn by_enumeration(
        distances: &DistanceDistribution,
        most: u32,
        prefix: usize,
        limit: u32,
        key_bits: u32,
        tables: i32,
    ) -> f64 {
        let bits = distances.bits();
        let outside: u32 = (1 << (bits - prefix)) - 1;
        let keys: Vec<u32> = (0..=outside).filter(|key| key.count_ones() == key_bits).collect();
        let choose = |n: usize, k: u32| {
            (0..k).fold(1.0, |ways, i| ways * (n as f64 - f64::from(i)) / (f64::from(i) + 1.0))
        };
        let mut sum = 0.0;
        for pattern in 0..1u32 << bits {
            let distance = pattern.count_ones();
            let inside = (pattern >> (bits - prefix)).count_ones();
            if distance <= most && inside <= limit {
                let agreeing = keys.iter().filter(|key| *key & pattern == 0).count();
                let found = 1.0 - (1.0 - agreeing as f64 / keys.len() as f64).powi(tables);
                sum +=
                    found * distances.probabilities()[distance as usize] / choose(bits, distance);
            }
        }
        sum
    }

    #[test]
    fn recall_matches_the_enumeration() {
        for (bits, p, variance) in [(10, 0.2, 1.0), (11, 0.3, 1.1), (12, 0.45, 1.3)] {
            let distances = DistanceDistribution::new(bits, p, variance);
            for (most, prefix, limit) in [(4, 4, 1), (6, 3, 3), (12, 5, 2), (3, 6, 0)] {
                let mut passing = PassDistribution::new(&distances, most, prefix);
                (0..=limit as usize).for_each(|inside| passing.admit(inside));
                for (key_bits, tables) in [(1, 1), (2, 3), (4, 10)] {
                    let expected =
                        by_enumeration(&distances, most, prefix, limit, key_bits, tables);
                    let found = passing.tables(key_bits as usize).recall(tables as usize);
                    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
                }
            }
        }
    }

    #[test]
    fn the_minimum_suffices_and_one_table_less_does_not() {
        let distances = DistanceDistribution::at(1024, 0.8);
        let mut passing = PassDistribution::new(&distances, 260, 128);
        (0..=46).for_each(|inside| passing.admit(inside));
        for key_bits in [6, 10, 14] {
            let chances = passing.tables(key_bits);
            let fewest = chances.min_tables(0.999, 2000).unwrap();
            assert!(chances.recall(fewest) >= 0.999 && chances.recall(fewest - 1) < 0.999);
            assert_eq!(chances.min_tables(0.999, fewest - 1), None);
            assert_eq!(chances.min_tables(0.999_999_9, 2000), None, "the tests alone miss more");
        }
    }
}
