//! Random signatures and the obvious search, for tests.

use proptest::prelude::*;
use proptest::sample::Index;

use super::SignaturePair;
use crate::signature::{BITS_PER_WORD, SignatureSet};

/// Returns all pairs at most `max` apart by comparing each bit of each pair.
pub(super) fn every_pair(set: &SignatureSet, max: u32) -> Vec<SignaturePair> {
    let mut found = Vec::new();
    for low in 0..set.len() {
        for high in low + 1..set.len() {
            let differing =
                set.get(low).iter().zip(set.get(high)).map(|(l, r)| (l ^ r).count_ones());
            let distance = differing.sum();
            if distance <= max {
                found.push(SignaturePair { low: low as u32, high: high as u32, distance });
            }
        }
    }
    found
}

/// Generates signatures of several lengths, many near others, with balanced or skewed bits, and a maximum distance.
pub(super) fn signatures() -> impl Strategy<Value = (SignatureSet, u32)> {
    let bits = prop::sample::select(&[1usize, 4, 28, 60, 64, 68, 128, 200, 512, 1024, 2048][..]);
    let skew = prop::sample::select(&[0u32, 1, 3][..]);
    (bits, skew, 0.0..1.1f64).prop_flat_map(|(bits, skew, share)| {
        let words = SignatureSet::words_for(bits);
        let fresh = prop::collection::vec(any::<[u64; 4]>(), words);
        let flips = prop::collection::vec(any::<Index>(), 0..12);
        let plan = (fresh, any::<Index>(), flips, any::<bool>());
        let most = (share * bits as f64 / 2.0) as u32;
        let most = if share > 1.0 { bits as u32 + 3 } else { most };
        prop::collection::vec(plan, 0..60).prop_map(move |plans| (build(bits, skew, plans), most))
    })
}

type Plan = (Vec<[u64; 4]>, Index, Vec<Index>, bool);

fn build(bits: usize, skew: u32, plans: Vec<Plan>) -> SignatureSet {
    let mut set = SignatureSet::new(bits);
    for (fresh, of, flips, is_derived) in plans {
        // The more words a bit must be set in, the rarer it is.
        let rare =
            |words: &[u64; 4]| words[..=skew as usize].iter().fold(u64::MAX, |all, w| all & w);
        let mut words: Vec<u64> = fresh.iter().map(rare).collect();
        if is_derived && !set.is_empty() {
            words = set.get(of.index(set.len())).to_vec();
            for flip in &flips {
                let bit = flip.index(bits);
                words[bit / BITS_PER_WORD] ^= 1 << (BITS_PER_WORD - 1 - bit % BITS_PER_WORD);
            }
        }
        if !bits.is_multiple_of(BITS_PER_WORD) {
            // Bits past the length are 0.
            *words.last_mut().unwrap() &= !(u64::MAX >> (bits % BITS_PER_WORD));
        }
        set.push(&words);
    }
    set
}
