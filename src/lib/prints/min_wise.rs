//! Min-wise hashes of sets of shingles.

use rand::RngExt;

use crate::bits::cpu::Cpu;
use crate::bits::min_hash::{MinHash, padded};
use crate::random::{Purpose, stream};

/// Functions h(x) = a·x + b modulo 2³² with odd a: each permutes the hashes, so that the smallest value belongs to a random element of a set
/// (Bohman, Cooper and Frieze 2000).
pub(super) struct MinWise {
    multipliers: Vec<u32>,
    offsets: Vec<u32>,
    count: usize,
}

impl MinWise {
    /// Draws `count` functions.
    pub fn new(count: usize, seed: u64) -> Self {
        let mut generator = stream(seed, Purpose::MinWiseHashes, 0, 0);
        let functions =
            (0..padded(count)).map(|_| (generator.random::<u32>() | 1, generator.random::<u32>()));
        let (multipliers, offsets) = functions.unzip();
        MinWise { multipliers, offsets, count }
    }

    /// Returns the smallest value of each function over all elements.
    pub fn minima(&self, elements: &[u32], cpu: Cpu) -> Vec<u32> {
        let mut minima = vec![u32::MAX; self.multipliers.len()];
        let MinWise { multipliers, offsets, .. } = self;
        cpu.run(MinHash { elements, multipliers, offsets, minima: &mut minima });
        minima.truncate(self.count);
        minima
    }
}
