//! Lexicographic order of signatures with permuted bits.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::{PlebSettings, Shift};
use crate::bits::planes::BitPlanes;
use crate::random;
use crate::signature::{BITS_PER_WORD, SignatureSet};

/// Leading bits in a sort key: half a word, so that the number of a signature fits the other half.
const KEY_BITS: usize = 32;
/// Target bucket size: small enough for L1, large enough that buckets cost little.
const SIGNATURES_PER_BUCKET: usize = 64;
/// Maximum number of buckets, as a power of two: the write positions of more would not stay in the cache.
const MAX_BUCKET_BITS: u32 = 14;
/// Minimum number of buckets per task.
const BUCKETS_PER_TASK: usize = 16;

/// Permutation of bit positions.
pub(super) struct Permutation {
    /// The bit at each position.
    bit_at: Vec<usize>,
    /// The position of each bit.
    position_of: Vec<usize>,
}

impl Permutation {
    pub(super) fn identity(bits: usize) -> Self {
        Permutation { bit_at: (0..bits).collect(), position_of: (0..bits).collect() }
    }

    /// Permutes positions after an iteration.
    pub(super) fn shuffle(&mut self, settings: PlebSettings, iteration: u64) {
        self.permute(settings, iteration);
        self.invert();
    }

    /// Permutes positions after each of the first `iterations` iterations.
    pub(super) fn shuffle_all(&mut self, settings: PlebSettings, iterations: u64) {
        // A new permutation does not depend on the ones before.
        let first = match settings.shift {
            Shift::Fresh => iterations.saturating_sub(1),
            Shift::Transpositions(_) => 0,
        };
        (first..iterations).for_each(|iteration| self.permute(settings, iteration));
        self.invert();
    }

    /// Permutes the bits after an iteration. A signature of one bit has nothing to swap.
    fn permute(&mut self, settings: PlebSettings, iteration: u64) {
        let bits = self.bit_at.len() as u32;
        match settings.shift {
            Shift::Transpositions(count) if bits > 1 => {
                for (one, other) in random::transpositions(settings.seed, iteration, bits, count) {
                    self.bit_at.swap(one, other);
                }
            }
            Shift::Transpositions(_) => {}
            Shift::Fresh => self.bit_at = random::permutation(settings.seed, iteration, bits),
        }
    }

    /// Computes the positions of bits from the bits at positions.
    fn invert(&mut self) {
        for (position, bit) in self.bit_at.iter().enumerate() {
            self.position_of[*bit] = position;
        }
    }

    /// Orders two signatures by the first permuted position at which they differ.
    fn compare(&self, left: &[u64], right: &[u64]) -> Ordering {
        let mut first = usize::MAX;
        for (number, (l, r)) in left.iter().zip(right).enumerate() {
            let mut differing = l ^ r;
            while differing != 0 {
                let bit = differing.leading_zeros() as usize;
                first = first.min(self.position_of[number * BITS_PER_WORD + bit]);
                differing &= !(1 << (BITS_PER_WORD - 1 - bit));
            }
        }
        if first == usize::MAX {
            return Ordering::Equal;
        }
        let value = |words: &[u64]| {
            let bit = self.bit_at[first];
            words[bit / BITS_PER_WORD] >> (BITS_PER_WORD - 1 - bit % BITS_PER_WORD) & 1
        };
        value(left).cmp(&value(right))
    }
}

/// Sorter of the signatures of one set.
pub(super) struct SortOrder {
    planes: BitPlanes,
    /// Key and number of each signature.
    entries: Vec<u64>,
    /// The same, by bucket.
    sorted: Vec<u64>,
    bucket_bits: u32,
}

impl SortOrder {
    pub(super) fn new(set: &SignatureSet) -> Self {
        let buckets = (set.len() / SIGNATURES_PER_BUCKET).max(1);
        SortOrder {
            planes: BitPlanes::new(set.words(), SignatureSet::words_for(set.bits())),
            entries: vec![0; set.len()],
            sorted: vec![0; set.len()],
            bucket_bits: buckets.ilog2().min(MAX_BUCKET_BITS),
        }
    }

    /// Returns the signatures in lexicographic order of their permuted bits, equal ones by number. The lower half of an entry is the number of the
    /// signature.
    pub(super) fn sorted(&mut self, set: &SignatureSet, permutation: &Permutation) -> &[u64] {
        let leading = &permutation.bit_at[..permutation.bit_at.len().min(KEY_BITS)];
        self.planes.gather(leading, &mut self.entries, |entry, key, number| {
            *entry = u64::from(key) << KEY_BITS | number as u64;
        });
        let sizes = self.scatter();
        let mut rest = &mut self.sorted[..];
        let mut buckets = Vec::with_capacity(sizes.len());
        for size in sizes {
            let (bucket, after) = rest.split_at_mut(size);
            buckets.push(bucket);
            rest = after;
        }
        buckets
            .into_par_iter()
            .with_min_len(BUCKETS_PER_TASK)
            .for_each(|bucket| sort(bucket, set, permutation));
        &self.sorted
    }

    /// Distributes the entries to buckets by their highest bits; returns the bucket sizes.
    fn scatter(&mut self) -> Vec<usize> {
        let count = 1 << self.bucket_bits;
        // A shift by 64 bits would overflow.
        let bucket_of = |entry: u64| (entry >> 1 >> (63 - self.bucket_bits)) as usize;
        let mut sizes = vec![0; count];
        self.entries.iter().for_each(|entry| sizes[bucket_of(*entry)] += 1);
        let mut next = Vec::with_capacity(count);
        let mut start = 0;
        for size in &sizes {
            next.push(start);
            start += size;
        }
        for entry in &self.entries {
            let place = &mut next[bucket_of(*entry)];
            self.sorted[*place] = *entry;
            *place += 1;
        }
        sizes
    }
}

/// Sorts a bucket by key, ties by the remaining bits.
fn sort(bucket: &mut [u64], set: &SignatureSet, permutation: &Permutation) {
    bucket.sort_unstable();
    let key = |entry: &u64| entry >> KEY_BITS;
    for ties in bucket.chunk_by_mut(|one, other| key(one) == key(other)) {
        if ties.len() > 1 && set.bits() > KEY_BITS {
            let words = |entry: &u64| set.get(*entry as u32 as usize);
            // A stable sort keeps equal signatures in the order of their numbers.
            ties.sort_by(|one, other| permutation.compare(words(one), words(other)));
        }
    }
}
