//! Candidates of a query, collected from the posting lists of its prefix.
//!
//! The products of common prefix terms are added up per vector, from the rarest term on. Which common prefix term is the last one of a pair is
//! unknown, so the bound is tested at each: a similar pair reaches it at the last.

use super::index::Postings;
use super::postings::{Bound, Posting};
use crate::bits::cpu::Cpu;
use crate::bits::products::{AddBlocks, AddGroups, BLOCK, Factor, GROUP, REACHED};

/// Sums and candidates of one query.
///
/// A query with many postings has one sum per vector, and the candidates are read from the sums at the end. With few postings, vectors share
/// sums, which only makes them larger, and candidates are collected.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Upper bounds on the sums of products, a power of two of them.
    sums: Vec<u32>,
    /// Vectors from this one on are left out.
    end: u32,
    /// One bit per vector: whether it is in `found`. Unused with one sum per vector, as is `found`.
    is_found: Vec<u64>,
    found: Vec<u32>,
}

/// Bits per word.
const WORD: usize = u64::BITS as usize;

/// Length from which a list is added in groups.
const MIN_GROUPED: usize = 2 * GROUP;

/// Numbers that one vector instruction adds, in the count of additions.
const LANES: usize = 8;

impl Candidates {
    /// Begins a query among the vectors below `end`, with at least `sums` sums, or one per vector if that is less.
    pub(super) fn begin(&mut self, sums: usize, end: usize) {
        self.sums.clear();
        self.sums.resize(sums.min(end).next_power_of_two().max(BLOCK), 0);
        self.end = end as u32;
        self.is_found.resize(self.is_found.len().max(end.div_ceil(WORD)), 0);
    }

    /// Returns whether each vector has its own sum.
    fn has_own_sums(&self) -> bool {
        self.sums.len() >= self.end as usize
    }

    /// Adds the products of a posting list with the query's own posting. Returns the number of additions, where vector instructions count once.
    pub(super) fn add(
        &mut self,
        own: Posting,
        list: Postings<'_>,
        bound: &Bound,
        cpu: Cpu,
    ) -> usize {
        let factor = bound.at(own);
        match list {
            Postings::Dense(blocks) => {
                let blocks = &blocks[..blocks.len().min((self.end as usize).div_ceil(BLOCK))];
                let sums = self.sums.as_chunks_mut().0;
                cpu.run(AddBlocks { factor, blocks, sums });
                blocks.len() * BLOCK / LANES
            }
            Postings::Sparse(words) if self.has_own_sums() => self.add_own(factor, words, cpu),
            Postings::Sparse(words) => self.add_shared(factor, words),
        }
    }

    fn add_own(&mut self, factor: Factor, list: &[u64], cpu: Cpu) -> usize {
        let (sums, end, mut added) = (&mut self.sums[..], self.end, 0);
        if list.len() >= MIN_GROUPED && sums.len() <= 1 << 31 {
            let groups = list.as_chunks().0;
            added = GROUP * cpu.run(AddGroups { factor, groups, end, sums });
        }
        let rest = list[added..].iter().map(|word| Posting(*word));
        for other in rest.take_while(|other| other.number() < end) {
            factor.add(other.packed(), &mut sums[other.number() as usize]);
            added += 1;
        }
        added
    }

    fn add_shared(&mut self, factor: Factor, list: &[u64]) -> usize {
        // Locals, so that nothing but the list and the sums is read from memory.
        let (mask, sums, end) = (self.sums.len() - 1, &mut self.sums[..], self.end);
        for (added, word) in list.iter().enumerate() {
            let other = Posting(*word);
            let number = other.number();
            if number >= end {
                return added;
            }
            if factor.add(other.packed(), &mut sums[number as usize & mask]) {
                let (word, bit) = (number as usize / WORD, 1 << (number as usize % WORD));
                if self.is_found[word] & bit == 0 {
                    self.is_found[word] |= bit;
                    self.found.push(number);
                }
            }
        }
        list.len()
    }

    /// Moves the candidates that `may_reach`, given their sum, to `found`.
    pub(super) fn finish(&mut self, found: &mut Vec<u32>, may_reach: impl Fn(u32, u32) -> bool) {
        found.clear();
        if self.has_own_sums() {
            let sums = &self.sums[..self.end as usize];
            for (group, sums) in (0..).step_by(GROUP).zip(sums.chunks(GROUP)) {
                if sums.iter().fold(0, |any, sum| any | sum) < REACHED {
                    continue;
                }
                let reached = (group..).zip(sums).filter(|(_, sum)| **sum >= REACHED);
                let passed = reached.filter(|(number, sum)| may_reach(*number, *sum & !REACHED));
                found.extend(passed.map(|(number, _)| number));
            }
        }
        let mask = self.sums.len() - 1;
        for number in self.found.drain(..) {
            self.is_found[number as usize / WORD] = 0;
            if may_reach(number, self.sums[number as usize & mask] & !REACHED) {
                found.push(number);
            }
        }
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
                candidates.begin(if few && !is_dense { 3 } else { 128 }, own.min(128) as usize);
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
                prop_assert!(few && own > 64 && !is_dense || distinct == expected, "sums are not shared");
            }
        }
    }
}
