//! Packed bit vectors, Hamming-distance kernels and the other inner loops, with [CPU dispatch](vector). Knows nothing of documents.
//!
//! SIMD and `unsafe` live here only. Every kernel has a portable twin that tests compare on all instruction sets.

#![allow(unsafe_code)]

pub(crate) mod ars;
pub(crate) mod classes;
pub mod cpu;
pub mod groups;
pub mod lookup;
pub(crate) mod min_hash;
pub(crate) mod pages;
pub mod panel;
pub mod planes;
pub(crate) mod prefetch;
pub(crate) mod probe_table;
pub mod products;
pub(crate) mod random_blocks;
pub mod scaled_add;
pub mod sliced;
pub mod transpose;
pub mod vector;
pub(crate) mod weighted_sum;

use std::sync::atomic::AtomicU64;

/// Returns the Hamming distance of two equally long slices.
#[inline(always)]
pub fn distance(left: &[u64], right: &[u64]) -> u32 {
    left.iter().zip(right).map(|(l, r)| (l ^ r).count_ones()).sum()
}

/// Words between two comparisons with the limit.
const STRIDE: usize = 4;

/// Returns the Hamming distance if it is at most `max`. Stops early if it is not.
#[inline(always)]
pub fn distance_within(left: &[u64], right: &[u64], max: u32) -> Option<u32> {
    let mut sum = 0;
    for (l, r) in left.chunks(STRIDE).zip(right.chunks(STRIDE)) {
        sum += distance(l, r);
        if sum > max {
            return None;
        }
    }
    Some(sum)
}

/// Returns words that several threads may write.
pub(crate) fn as_atomic(words: &mut [u64]) -> &[AtomicU64] {
    // SAFETY: both types have the same size and, as asserted, the same alignment; the borrow excludes other accesses.
    const { assert!(align_of::<u64>() == align_of::<AtomicU64>()) };
    unsafe { &*(std::ptr::from_mut(words) as *const [AtomicU64]) }
}

#[cfg(test)]
mod tests {
    use super::cpu::Cpu;
    use super::vector::{BitVector, Kernel};
    use super::*;
    use proptest::prelude::*;

    /// Distance, and distance within a limit.
    struct Both<'a>(&'a [u64], &'a [u64], u32);

    impl Kernel for Both<'_> {
        type Output = (u32, Option<u32>);
        #[inline(always)]
        fn run<V: BitVector>(self) -> Self::Output {
            (distance(self.0, self.1), distance_within(self.0, self.1, self.2))
        }
    }

    proptest! {
        #[test]
        fn all_instruction_sets_count_the_same_bits(
            words in prop::collection::vec(any::<(u64, u64)>(), 0..40), most in 0u32..1500,
        ) {
            let (left, right): (Vec<u64>, Vec<u64>) = words.into_iter().unzip();
            let bits = |words: &[u64]| -> Vec<bool> {
                words.iter().flat_map(|word| (0..64).map(move |bit| word >> bit & 1 == 1)).collect()
            };
            let differing = bits(&left).iter().zip(bits(&right)).filter(|(l, r)| **l != *r).count() as u32;
            for cpu in Cpu::available() {
                let expected = (differing, (differing <= most).then_some(differing));
                prop_assert_eq!(cpu.run(Both(&left, &right, most)), expected);
            }
        }
    }
}
