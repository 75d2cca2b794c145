//! Candidates of a query, collected from the posting lists of its prefix.
//!
//! The products of common prefix terms are added up per vector, from the rarest term on. Which common prefix term is the last one of a pair is
//! unknown, so the bound is tested at each: a similar pair reaches it at the last.

use super::index::Postings;
use super::postings::{Bound, Posting};
use crate::bits::cpu::Cpu;
use crate::bits::products::{AddBlocks, AddGroups, BLOCK, GROUP};

/// Sums and candidates of one query.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Upper bounds on the sums of products, a power of two of them. Vectors may share a sum, which only makes it larger.
    sums: Vec<u32>,
    vectors: usize,
    /// One bit per vector: whether it is in `found`.
    is_found: Vec<u64>,
    found: Vec<u32>,
}

impl Candidates {
    /// Begins a query with at least `sums` sums, for vectors numbered below `vectors`.
    pub(super) fn begin(&mut self, sums: usize, vectors: usize) {
        self.sums.clear();
        self.sums.resize(sums.next_power_of_two(), 0);
        self.vectors = vectors;
        self.is_found.resize(vectors.div_ceil(BLOCK), 0);
    }

    /// Adds the products of a posting list with the query's own posting. Vectors from the query on are left out. Returns the number of
    /// additions, where vector instructions count once.
    pub(super) fn add(
        &mut self,
        own: Posting,
        list: Postings<'_>,
        bound: &Bound,
        cpu: Cpu,
    ) -> usize {
        match list {
            Postings::Sparse(words) => self.add_sparse(own, words, bound, cpu),
            Postings::Dense(blocks) => self.add_dense(own, blocks, bound, cpu),
        }
    }

    fn add_sparse(&mut self, own: Posting, list: &[u64], bound: &Bound, cpu: Cpu) -> usize {
        let added = self.add_groups(own, list, bound, cpu);
        // Locals, so that nothing but the list and the sums is read from memory.
        let (sums, factor) = (&mut self.sums[..], bound.at(own));
        let mask = sums.len() - 1;
        for (at, word) in list.iter().enumerate().skip(added) {
            let other = Posting(*word);
            let number = other.number();
            if number >= own.number() {
                return at;
            }
            if factor.add(other.packed(), &mut sums[number as usize & mask]) {
                let (at, bit) = (number as usize / BLOCK, 1 << (number as usize % BLOCK));
                insert(&mut self.is_found[at], bit, at, &mut self.found);
            }
        }
        list.len()
    }

    /// Adds whole groups of a long list, if no two vectors share a sum. Returns their length.
    fn add_groups(&mut self, own: Posting, list: &[u64], bound: &Bound, cpu: Cpu) -> usize {
        if list.len() < MIN_GROUPED || !(self.vectors..=1 << 31).contains(&self.sums.len()) {
            return 0;
        }
        let groups = list.as_chunks().0;
        let (is_found, found) = (&mut self.is_found, &mut self.found);
        let reached = |group: &[u64; GROUP], mut bits: u16| {
            while bits != 0 {
                let number = Posting(group[bits.trailing_zeros() as usize]).number() as usize;
                insert(&mut is_found[number / BLOCK], 1 << (number % BLOCK), number / BLOCK, found);
                bits &= bits - 1;
            }
        };
        let (factor, end) = (bound.at(own), own.number());
        cpu.run(AddGroups { factor, groups, end, sums: &mut self.sums, reached }) * GROUP
    }

    fn add_dense(&mut self, own: Posting, list: &[[u32; BLOCK]], bound: &Bound, cpu: Cpu) -> usize {
        let before = own.number() as usize;
        let blocks = &list[..list.len().min(before.div_ceil(BLOCK))];
        let (is_found, found) = (&mut self.is_found, &mut self.found);
        let reached = |block: usize, bits: u64| {
            let rest = before - block * BLOCK;
            let bits = if rest < BLOCK { bits & ((1 << rest) - 1) } else { bits };
            insert(&mut is_found[block], bits, block, found);
        };
        let sums = self.sums.as_chunks_mut().0;
        cpu.run(AddBlocks { factor: bound.at(own), blocks, sums, reached });
        blocks.len() * BLOCK / LANES
    }

    /// Moves the candidates that `may_reach`, given their sum, to `found`.
    pub(super) fn finish(&mut self, found: &mut Vec<u32>, may_reach: impl Fn(u32, u32) -> bool) {
        found.clear();
        let mask = self.sums.len() - 1;
        for number in self.found.drain(..) {
            self.is_found[number as usize / BLOCK] = 0;
            if may_reach(number, self.sums[number as usize & mask]) {
                found.push(number);
            }
        }
    }
}

/// Length from which a list is added in groups.
const MIN_GROUPED: usize = 2 * GROUP;

/// Numbers that one vector instruction adds.
const LANES: usize = 8;

/// Adds the vectors of a block to the candidates, unless they are there.
#[inline(always)]
fn insert(is_found: &mut u64, bits: u64, block: usize, found: &mut Vec<u32>) {
    let mut new = bits & !*is_found;
    *is_found |= bits;
    while new != 0 {
        found.push((block * BLOCK) as u32 + new.trailing_zeros());
        new &= new - 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    fn posting() -> impl Strategy<Value = Posting> {
        let length = prop_oneof![Just(0.0), Just(1.0 + 1e-6), 0.0..1.0];
        (0..128u32, length.clone(), length).prop_map(|(number, w, s)| Posting::new(number, w, s))
    }

    /// Generates a posting list with distinct numbers.
    fn list() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::vec(posting(), 0..120).prop_map(|list| {
            let list: BTreeMap<u32, u64> = list.iter().map(|p| (p.number(), p.0)).collect();
            list.into_values().collect()
        })
    }

    fn dense(list: &[u64]) -> Vec<[u32; BLOCK]> {
        let mut blocks = vec![[0; BLOCK]; 2];
        for posting in list.iter().map(|word| Posting(*word)) {
            let number = posting.number() as usize;
            blocks[number / BLOCK][number % BLOCK] = posting.packed().0;
        }
        blocks
    }

    proptest! {
        #[test]
        fn candidates_reach_the_bound_at_some_list(
            lists in prop::collection::vec((posting(), list()), 0..6), own in 0..140u32, min in 0.01..1.0, few: bool, is_dense: bool,
        ) {
            let bound = Bound::new(min);
            let (mut sums, mut expected) = (BTreeMap::<u32, u32>::new(), BTreeSet::new());
            let (mut candidates, mut found) = (Candidates::default(), vec![7]);
            for cpu in Cpu::available() {
                candidates.begin(if few && !is_dense { 3 } else { 128 }, 128);
                sums.clear();
                for (posting, list) in &lists {
                    let query = Posting(posting.0 & 0xffff_ffff | u64::from(own) << 32);
                    let before = list.iter().map(|word| Posting(*word)).filter(|p| p.number() < own);
                    for other in before {
                        if bound.at(query).add(other.packed(), sums.entry(other.number()).or_default()) {
                            expected.insert(other.number());
                        }
                    }
                    let blocks = dense(list);
                    let list = if is_dense { Postings::Dense(&blocks) } else { Postings::Sparse(list) };
                    candidates.add(query, list, &bound, cpu);
                }
                candidates.finish(&mut found, |_, _| true);
                let distinct = BTreeSet::from_iter(found.iter().copied());
                prop_assert!(distinct.len() == found.len() && distinct.is_superset(&expected));
                prop_assert!(few && !is_dense || distinct == expected, "sums are not shared");
            }
        }
    }
}
