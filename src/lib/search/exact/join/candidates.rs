//! Candidates of a query, collected from the posting lists of its prefix.
//!
//! The products of common prefix terms are added up per vector, from the rarest term on. Which common prefix term is the last one of a pair is
//! unknown, so the bound is tested at each: a similar pair reaches it at the last.

use super::postings::{Bound, Posting};

/// Sums and candidates of one query.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Upper bounds on the sums of products, a power of two of them. Vectors may share a sum, which only makes it larger.
    sums: Vec<u32>,
    /// One bit per vector: whether it is in `found`.
    is_found: Vec<u64>,
    found: Vec<u32>,
}

/// Sums per posting, so that few vectors share one.
const SUMS_PER_POSTING: usize = 2;

impl Candidates {
    /// Begins a query whose lists have `postings` postings in total, of vectors numbered below `vectors`.
    pub(super) fn begin(&mut self, postings: usize, vectors: usize) {
        let size = postings.saturating_mul(SUMS_PER_POSTING).min(vectors).next_power_of_two();
        self.sums.clear();
        self.sums.resize(size, 0);
        self.is_found.resize(vectors.div_ceil(u64::BITS as usize), 0);
    }

    /// Adds the products of a posting list with the query's own posting. The list is sorted by number; vectors from the query on are left
    /// out. Returns how many were added.
    pub(super) fn add(&mut self, own: Posting, list: &[u64], bound: &Bound) -> usize {
        // Locals, so that nothing but the list and the sums is read from memory.
        let (sums, is_found, bound) = (&mut self.sums[..], &mut self.is_found[..], *bound);
        let mask = sums.len() - 1;
        for (added, word) in list.iter().enumerate() {
            let other = Posting(*word);
            let number = other.number();
            if number >= own.number() {
                return added;
            }
            let sum = &mut sums[number as usize & mask];
            *sum = sum.saturating_add(own.product(other));
            if *sum >= bound.missing(own, other) {
                let (word, bit) =
                    (&mut is_found[(number / u64::BITS) as usize], 1 << (number % u64::BITS));
                if *word & bit == 0 {
                    *word |= bit;
                    self.found.push(number);
                }
            }
        }
        list.len()
    }

    /// Moves the candidates to `found`, ascending.
    pub(super) fn finish(&mut self, found: &mut Vec<u32>) {
        found.clear();
        found.append(&mut self.found);
        found.iter().for_each(|number| self.is_found[(number / u64::BITS) as usize] = 0);
        found.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    fn posting() -> impl Strategy<Value = Posting> {
        let length = prop_oneof![Just(0.0), Just(1.0 + 1e-6), 0.0..1.0];
        (0..80u32, length.clone(), length).prop_map(|(number, w, s)| Posting::new(number, w, s))
    }

    /// Generates a posting list with distinct numbers.
    fn list() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::vec(posting(), 0..70).prop_map(|list| {
            let list: BTreeMap<u32, u64> = list.iter().map(|p| (p.number(), p.0)).collect();
            list.into_values().collect()
        })
    }

    proptest! {
        #[test]
        fn candidates_reach_the_bound_at_some_list(
            lists in prop::collection::vec((posting(), list()), 0..6), own in 0..90u32, min in 0.0..1.0, few: bool,
        ) {
            let bound = Bound::new(min);
            let (mut sums, mut expected) = (BTreeMap::<u32, u32>::new(), BTreeSet::new());
            let (mut candidates, mut found) = (Candidates::default(), vec![7]);
            for _ in 0..2 {
                let postings = if few { 3 } else { 1000 };
                candidates.begin(postings, 80);
                sums.clear();
                for (posting, list) in &lists {
                    let query = Posting(posting.0 & 0xffff_ffff | u64::from(own) << 32);
                    let before = list.iter().map(|word| Posting(*word)).filter(|p| p.number() < own);
                    for other in before.clone() {
                        let sum = sums.entry(other.number()).or_default();
                        *sum = sum.saturating_add(query.product(other));
                        if *sum >= bound.missing(query, other) {
                            expected.insert(other.number());
                        }
                    }
                    prop_assert_eq!(candidates.add(query, list, &bound), before.count());
                }
                candidates.finish(&mut found);
                prop_assert!(found.is_sorted_by(|one, other| one < other));
                prop_assert!(expected.iter().all(|number| found.contains(number)));
                prop_assert!(few || found.len() == expected.len(), "sums are not shared");
            }
        }
    }
}
