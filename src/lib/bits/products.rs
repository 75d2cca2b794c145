//! Sums of products of packed numbers, with a bound that each sum is compared with.

use super::vector::{BitVector, Kernel};

/// Numbers per block: one bit of a word each.
pub const BLOCK: usize = u64::BITS as usize;

/// Weight in the lower half of a word, length in the upper half, both at most 2¹⁵.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed(pub u32);

/// One factor of all products, and the bound of their sums: `sum` less the smaller one of the product of both lengths and `min` times the
/// larger length.
#[derive(Debug, Clone, Copy)]
pub struct Factor {
    /// Weight and length of the factor.
    pub own: Packed,
    /// Minimum length.
    pub min: u32,
    /// Minimum sum.
    pub sum: u32,
}

impl Packed {
    #[inline(always)]
    fn weight(self) -> u32 {
        self.0 & 0xffff
    }

    #[inline(always)]
    fn length(self) -> u32 {
        self.0 >> 16
    }
}

impl Factor {
    /// Adds the product of the weights to `sum`, up to the largest number. Returns whether the sum reaches the bound.
    #[inline(always)]
    pub fn add(&self, other: Packed, sum: &mut u32) -> bool {
        *sum = sum.saturating_add(self.own.weight() * other.weight());
        let (one, other) = (self.own.length(), other.length());
        // The smaller one of one · other and min · max(one, other).
        let rest = one.max(other) * other.min(one.min(self.min));
        *sum >= self.sum.saturating_sub(rest)
    }
}

/// Adds one block of products, one number at a time.
#[inline(always)]
pub(super) fn scalar_add(factor: &Factor, block: &[u32; BLOCK], sums: &mut [u32; BLOCK]) -> u64 {
    let mut reached = 0;
    for (lane, (other, sum)) in block.iter().zip(sums).enumerate() {
        reached |= u64::from(factor.add(Packed(*other), sum)) << lane;
    }
    reached
}

/// Adds blocks of products; `reached` is called with the number of each block and the bits of the sums that reach the bound.
pub struct AddBlocks<'a, F> {
    /// The factor.
    pub factor: Factor,
    /// The other factors.
    pub blocks: &'a [[u32; BLOCK]],
    /// The sums.
    pub sums: &'a mut [[u32; BLOCK]],
    /// Receives the bits.
    pub reached: F,
}

impl<F: FnMut(usize, u64)> Kernel for AddBlocks<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<V: BitVector>(mut self) {
        for (number, (block, sums)) in self.blocks.iter().zip(self.sums).enumerate() {
            (self.reached)(number, V::add_products(&self.factor, block, sums));
        }
    }
}

/// The products with AVX2.
#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use std::arch::x86_64::*;

    use super::{BLOCK, Factor};

    /// Numbers per register.
    const LANES: usize = 8;

    /// Adds one block of products, a register at a time.
    ///
    /// # Safety
    /// Must be inlined into a function compiled for AVX2, on a machine that has it.
    #[inline(always)]
    pub unsafe fn add(factor: &Factor, block: &[u32; BLOCK], sums: &mut [u32; BLOCK]) -> u64 {
        // SAFETY: the caller runs on AVX2; loads and stores need no alignment and stay within a block.
        unsafe {
            let splat = |number: u32| _mm256_set1_epi32(number as i32);
            let (weight, length) = (splat(factor.own.weight()), splat(factor.own.length()));
            let min = splat(factor.own.length().min(factor.min));
            let (low, all, wanted) = (splat(0xffff), splat(u32::MAX), splat(factor.sum));
            let mut reached = 0;
            for at in (0..BLOCK).step_by(LANES) {
                let other = _mm256_loadu_si256(block.as_ptr().add(at).cast());
                let sum = _mm256_loadu_si256(sums.as_ptr().add(at).cast());
                let product = _mm256_mullo_epi32(_mm256_and_si256(other, low), weight);
                // Saturates: a sum is at most the largest number less the product.
                let sum = _mm256_min_epu32(sum, _mm256_xor_si256(product, all));
                let sum = _mm256_add_epi32(sum, product);
                _mm256_storeu_si256(sums.as_mut_ptr().add(at).cast(), sum);
                let other = _mm256_srli_epi32::<16>(other);
                let (larger, smaller) =
                    (_mm256_max_epu32(other, length), _mm256_min_epu32(other, min));
                let rest = _mm256_mullo_epi32(larger, smaller);
                let bound = _mm256_sub_epi32(_mm256_max_epu32(wanted, rest), rest);
                let is_reached = _mm256_cmpeq_epi32(_mm256_max_epu32(sum, bound), sum);
                let bits = _mm256_movemask_ps(_mm256_castsi256_ps(is_reached)) as u32;
                reached |= u64::from(bits) << at;
            }
            reached
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bits::cpu::Cpu;

    fn packed() -> impl Strategy<Value = u32> {
        let half = prop_oneof![Just(0u32), Just(32_001), 0..=32_001u32];
        (half.clone(), half).prop_map(|(length, weight)| length << 16 | weight)
    }

    proptest! {
        #[test]
        fn all_instruction_sets_add_the_same(
            others in prop::collection::vec(packed(), 2 * BLOCK),
            sums in prop::collection::vec(prop_oneof![0..2_000_000_000u32, any::<u32>()], 2 * BLOCK),
            own in packed(), min in 1..=32_001u32, sum in 0..=1_024_000_000u32,
        ) {
            let factor = Factor { own: Packed(own), min, sum };
            let add = |cpu: Cpu| {
                let (mut sums, mut reached) = (sums.clone(), Vec::new());
                cpu.run(AddBlocks {
                    factor,
                    blocks: others.as_chunks().0,
                    sums: sums.as_chunks_mut().0,
                    reached: |number, bits| reached.push((number, bits)),
                });
                (sums, reached)
            };
            for cpu in Cpu::available() {
                prop_assert_eq!(add(cpu), add(Cpu::SCALAR));
            }
        }
    }
}
