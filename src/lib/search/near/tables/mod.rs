//! Candidates by bit-sampling tables: signatures that agree in some sampled bits share a bucket, and only those of one bucket are compared.
//!
//! A table distributes all signatures to buckets by a few bits. Two documents at the threshold agree in these with a small but known
//! probability, unrelated ones with a far smaller one; with enough tables hardly any similar pair is missed. Within a bucket, a prefix of the
//! signatures is compared first, then all of their bits. Whether a pair is found depends on the pair, the parameters and the seed alone: at most
//! `max_distance` bits differ, at most `prefix_limit` of them in the prefix, and the pair agrees in the bits of at least one table. The bits of
//! tables lie outside the prefix.
//!
//! The positions of tables are cut from random permutations of all positions outside the prefix, so the tables of one permutation are disjoint.
//! For a pair with x differing bits there, all sets of x positions are equally probable (the bits of a pair are exchangeable), a table contains
//! none of them with the hypergeometric probability q(x), and all of L tables miss the pair with probability at most (1 − q(x))^L: tables of
//! different permutations are independent, and for disjoint ones it is even less probable that all contain a differing bit (such counts are
//! negatively associated; Joag-Dev, Proschan 1983).
//!
//! A bucket is compared as a whole, however large: cutting it would lose pairs. Its cost is its number of pairs times that of the prefix test. If
//! the buckets of some tables show that a scan of all pairs is cheaper, all pairs are scanned, and those that the tables would find are returned.

mod chance;
mod choose;
mod search;

pub(super) use self::choose::{TableChoice, Workload, cheapest, cycles};
pub use self::search::pairs;

use crate::random::table_positions;
use crate::signature::BITS_PER_WORD;

/// Maximum prefix length in words.
pub const MAX_PREFIX_WORDS: usize = 4;
/// Maximum key length in bits: the counters stay in L2.
pub const MAX_KEY_BITS: usize = 16;

/// Parameters of bit-sampling tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SamplingTables {
    /// Maximum Hamming distance of a pair.
    pub max_distance: u32,
    /// Words that are compared first, from 1 to [`MAX_PREFIX_WORDS`].
    pub prefix_words: usize,
    /// Maximum Hamming distance of these.
    pub prefix_limit: u32,
    /// Bits per key, from 1 to [`MAX_KEY_BITS`].
    pub key_bits: usize,
    /// Number of tables.
    pub tables: usize,
}

impl SamplingTables {
    /// Returns whether signatures of `bits` bits are long enough.
    pub fn fit(&self, bits: usize) -> bool {
        (1..=MAX_PREFIX_WORDS).contains(&self.prefix_words)
            && (1..=MAX_KEY_BITS).contains(&self.key_bits)
            && self.prefix_bits() + self.key_bits <= bits
    }

    fn prefix_bits(&self) -> usize {
        self.prefix_words * BITS_PER_WORD
    }

    /// Returns the bit positions of every table.
    fn positions(&self, bits: usize, seed: u64) -> Vec<Vec<usize>> {
        let free = bits - self.prefix_bits();
        let tables_per_permutation = free / self.key_bits;
        let orders = self.tables.div_ceil(tables_per_permutation) as u64;
        let shifted = |position: usize| position + self.prefix_bits();
        let tables = (0..orders).flat_map(|number| {
            let order = table_positions(seed, number, free as u32);
            let table = |positions: &[usize]| positions.iter().copied().map(shifted).collect();
            order.chunks_exact(self.key_bits).map(table).collect::<Vec<_>>()
        });
        tables.take(self.tables).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_one_permutation_are_disjoint_and_outside_the_prefix() {
        let tables = SamplingTables {
            max_distance: 9,
            prefix_words: 2,
            prefix_limit: 5,
            key_bits: 10,
            tables: 100,
        };
        assert!(tables.fit(1024) && tables.fit(138) && !tables.fit(137));
        let positions = tables.positions(1024, 7);
        assert_eq!(positions.len(), 100);
        let first: std::collections::BTreeSet<usize> =
            positions[..89].iter().flatten().copied().collect();
        assert_eq!(first.len(), 890);
        assert!(positions.iter().flatten().all(|position| (128..1024).contains(position)));
        assert_ne!(positions[89], positions[0], "the next permutation differs");
        let fewer = SamplingTables { tables: 90, ..tables };
        assert_eq!(fewer.positions(1024, 7), positions[..90], "more tables only add");
    }
}
