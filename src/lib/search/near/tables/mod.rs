//! Candidates by tables: signatures that agree on some sampled bits are in one bucket, and only those of one bucket are compared.
//!
//! A table sorts all signatures by a few bits. Two documents as similar as the threshold agree on these with a small but known probability, unrelated ones with
//! a far smaller one; with enough tables hardly any similar pair is missed. Inside a bucket a prefix of the signatures is
//! compared first, then all of their bits. What a pair must be to be found depends on the pair, the parameters and the seed alone: at most `max_distance` bits apart, at most
//! `prefix_limit` of them in the prefix, and in agreement on the bits of at least one table. The bits of tables are those that the prefix has not.
//!
//! The positions of tables are cut from random orders of all positions outside the prefix, so that the tables of one order have no position in
//! common. For a pair with x differing bits there, all sets of x positions are equally probable (the bits of a pair are exchangeable), a table has none
//! of them with the hypergeometric probability q(x), and of the tables none agrees with probability at most (1 − q(x))^L: those of different orders are independent,
//! and of disjoint ones it is the less probable that all have a differing bit (such counts are negatively associated; Joag-Dev, Proschan 1983).
//!
//! A bucket is compared as a whole, however large: cutting it would lose pairs. Its cost is its number of pairs times that of the prefix test; where it
//! turns out on some tables that a scan of all pairs is cheaper, all are scanned instead, and those are told that the tables would have found.

mod chance;
mod choose;
mod search;

pub(super) use self::choose::{Choice, Work, cheapest, cycles};
pub use self::search::pairs;

use crate::random::table_positions;
use crate::signature::BITS_PER_WORD;

/// Words of the longest prefix.
pub const MOST_PREFIX_WORDS: usize = 4;
/// Bits of the longest key: its counters stay in the second cache.
pub const MOST_KEY_BITS: usize = 16;

/// How tables look for pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SamplingTables {
    /// The greatest distance of a pair.
    pub max_distance: u32,
    /// Words of a signature that are compared first, from 1 to [`MOST_PREFIX_WORDS`].
    pub prefix_words: usize,
    /// In how many bits these may differ.
    pub prefix_limit: u32,
    /// Bits by which a table sorts, from 1 to [`MOST_KEY_BITS`].
    pub key_bits: usize,
    /// How many tables there are.
    pub tables: usize,
}

impl SamplingTables {
    /// Whether signatures of so many bits are long enough.
    pub fn fit(&self, bits: usize) -> bool {
        (1..=MOST_PREFIX_WORDS).contains(&self.prefix_words)
            && (1..=MOST_KEY_BITS).contains(&self.key_bits)
            && self.prefix_bits() + self.key_bits <= bits
    }

    fn prefix_bits(&self) -> usize {
        self.prefix_words * BITS_PER_WORD
    }

    /// The positions of every table's bits.
    fn positions(&self, bits: usize, seed: u64) -> Vec<Vec<usize>> {
        let free = bits - self.prefix_bits();
        let tables_an_order = free / self.key_bits;
        let orders = self.tables.div_ceil(tables_an_order) as u64;
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
    fn positions_of_one_order_are_disjoint_and_outside_the_prefix() {
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
        assert_ne!(positions[89], positions[0], "the next order is another one");
        let fewer = SamplingTables { tables: 90, ..tables };
        assert_eq!(fewer.positions(1024, 7), positions[..90], "more tables only add");
    }
}
