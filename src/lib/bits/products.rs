//! Sums of products of packed numbers, with a bound that each sum is compared with.

use super::vector::{BitVector, Kernel};

/// Numbers per block.
pub const BLOCK: usize = 64;
/// Words per group: their numbers fill one vector.
pub const GROUP: usize = 16;

/// Bit of a sum that has reached its bound.
pub const REACHED: u32 = 1 << 31;

/// Weight in the lower half of a word, length in the upper half, both below 2¹⁵.
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
    /// Minimum sum, at most 2³⁰. Sums stay at it once they reach it, so that none overflows.
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
    /// Adds the product of the weights to `sum`, and sets its bit [`REACHED`] if it reaches the bound. Returns whether it does.
    #[inline(always)]
    pub fn add(&self, other: Packed, sum: &mut u32) -> bool {
        let total = (*sum & !REACHED) + self.own.weight() * other.weight();
        let (one, other) = (self.own.length(), other.length());
        // The smaller one of one · other and min · max(one, other).
        let rest = one.max(other) * other.min(one.min(self.min));
        let is_reached = total + rest >= self.sum;
        *sum = *sum & REACHED | total.min(self.sum) | if is_reached { REACHED } else { 0 };
        is_reached
    }
}

/// Adds one block of products, one number at a time.
#[inline(always)]
pub(super) fn scalar_add(factor: &Factor, block: &[u32; BLOCK], sums: &mut [u32; BLOCK]) {
    for (other, sum) in block.iter().zip(sums) {
        factor.add(Packed(*other), sum);
    }
}

/// Adds one group of products, one number at a time.
#[inline(always)]
pub(super) fn scalar_add_group(factor: &Factor, group: &[u64; GROUP], end: u32, sums: &mut [u32]) {
    for word in group {
        let number = (word >> 32) as u32;
        if number < end {
            factor.add(Packed(*word as u32), &mut sums[number as usize]);
        }
    }
}

/// Adds groups of products to the sums of their numbers below `end`. A word has a number, distinct and ascending, in its upper half, and the
/// other factor in its lower half. Returns the number of groups with a number below the end.
pub struct AddGroups<'a> {
    /// The factor.
    pub factor: Factor,
    /// Numbers and other factors.
    pub groups: &'a [[u64; GROUP]],
    /// End of the numbers.
    pub end: u32,
    /// The sums by number.
    pub sums: &'a mut [u32],
}

impl Kernel for AddGroups<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<V: BitVector>(self) -> usize {
        for (number, group) in self.groups.iter().enumerate() {
            if (group[0] >> 32) as u32 >= self.end {
                return number;
            }
            V::add_group(&self.factor, group, self.end, self.sums);
        }
        self.groups.len()
    }
}

/// Adds blocks of products.
pub struct AddBlocks<'a> {
    /// The factor.
    pub factor: Factor,
    /// The other factors.
    pub blocks: &'a [[u32; BLOCK]],
    /// The sums.
    pub sums: &'a mut [[u32; BLOCK]],
}

impl Kernel for AddBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: BitVector>(self) {
        for (block, sums) in self.blocks.iter().zip(self.sums) {
            V::add_products(&self.factor, block, sums);
        }
    }
}

/// The products with AVX2 and AVX-512.
#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use std::arch::x86_64::*;

    use super::{BLOCK, Factor, GROUP, REACHED};

    /// Adds one block of products, eight at a time.
    ///
    /// # Safety
    /// Must be inlined into a function compiled for AVX2, on a machine that has it.
    #[inline(always)]
    pub unsafe fn add_avx2(factor: &Factor, block: &[u32; BLOCK], sums: &mut [u32; BLOCK]) {
        // SAFETY: the caller runs on AVX2; loads and stores need no alignment and stay within a block.
        unsafe {
            let splat = |number: u32| _mm256_set1_epi32(number as i32);
            let (weight, length) = (splat(factor.own.weight()), splat(factor.own.length()));
            let (min, wanted) = (splat(factor.own.length().min(factor.min)), splat(factor.sum));
            let reached = splat(REACHED);
            for at in (0..BLOCK).step_by(8) {
                let other = _mm256_loadu_si256(block.as_ptr().add(at).cast());
                let old = _mm256_loadu_si256(sums.as_ptr().add(at).cast());
                // The upper half of the weight is zero: lengths add nothing.
                let product = _mm256_madd_epi16(other, weight);
                let sum = _mm256_add_epi32(_mm256_andnot_si256(reached, old), product);
                let other = _mm256_srli_epi32::<16>(other);
                let (larger, smaller) =
                    (_mm256_max_epu32(other, length), _mm256_min_epu32(other, min));
                let total = _mm256_add_epi32(sum, _mm256_madd_epi16(larger, smaller));
                let is_reached = _mm256_cmpeq_epi32(_mm256_max_epu32(total, wanted), total);
                let bit = _mm256_and_si256(_mm256_or_si256(is_reached, old), reached);
                let sum = _mm256_or_si256(_mm256_min_epu32(sum, wanted), bit);
                _mm256_storeu_si256(sums.as_mut_ptr().add(at).cast(), sum);
            }
        }
    }

    /// A [`Factor`] in registers.
    struct Wide {
        weight: __m512i,
        length: __m512i,
        min: __m512i,
        wanted: __m512i,
        reached: __m512i,
    }

    impl Wide {
        #[inline(always)]
        unsafe fn new(factor: &Factor) -> Self {
            // SAFETY: as the caller.
            let splat = |number: u32| unsafe { _mm512_set1_epi32(number as i32) };
            Wide {
                weight: splat(factor.own.weight()),
                length: splat(factor.own.length()),
                min: splat(factor.own.length().min(factor.min)),
                wanted: splat(factor.sum),
                reached: splat(REACHED),
            }
        }

        /// Returns the new sums.
        #[inline(always)]
        unsafe fn add(&self, other: __m512i, old: __m512i) -> __m512i {
            // SAFETY: as the caller.
            unsafe {
                let product = _mm512_madd_epi16(other, self.weight);
                let sum = _mm512_add_epi32(_mm512_andnot_si512(self.reached, old), product);
                let other = _mm512_srli_epi32::<16>(other);
                let larger = _mm512_max_epu32(other, self.length);
                let smaller = _mm512_min_epu32(other, self.min);
                let total = _mm512_add_epi32(sum, _mm512_madd_epi16(larger, smaller));
                let is_reached = _mm512_cmpge_epu32_mask(total, self.wanted);
                let bit = _mm512_and_si512(old, self.reached);
                let sum = _mm512_or_si512(_mm512_min_epu32(sum, self.wanted), bit);
                _mm512_mask_or_epi32(sum, is_reached, sum, self.reached)
            }
        }
    }

    /// Adds one block of products, sixteen at a time.
    ///
    /// # Safety
    /// Must be inlined into a function compiled for AVX-512 F and BW, on a machine that has them.
    #[inline(always)]
    pub unsafe fn add_avx512(factor: &Factor, block: &[u32; BLOCK], sums: &mut [u32; BLOCK]) {
        // SAFETY: the caller runs on AVX-512; loads and stores need no alignment and stay within a block.
        unsafe {
            let factor = Wide::new(factor);
            for at in (0..BLOCK).step_by(16) {
                let other = _mm512_loadu_si512(block.as_ptr().add(at).cast());
                let sum = factor.add(other, _mm512_loadu_si512(sums.as_ptr().add(at).cast()));
                _mm512_storeu_si512(sums.as_mut_ptr().add(at).cast(), sum);
            }
        }
    }

    /// Adds one group of products to the sums of their numbers, all at once; numbers from `end` on and those without a sum are left out.
    ///
    /// # Safety
    /// Must be inlined into a function compiled for AVX-512 F and BW, on a machine that has them.
    #[inline(always)]
    pub unsafe fn add_group(factor: &Factor, group: &[u64; GROUP], end: u32, sums: &mut [u32]) {
        // SAFETY: the caller runs on AVX-512; loads stay within the group, and only sums within the slice are read and written.
        unsafe {
            let low = _mm512_loadu_si512(group.as_ptr().cast());
            let high = _mm512_loadu_si512(group.as_ptr().add(GROUP / 2).cast());
            let even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
            let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
            let other = _mm512_permutex2var_epi32(low, even, high);
            let number = _mm512_permutex2var_epi32(low, odd, high);
            // Gathers have signed indexes.
            assert!(sums.len() <= 1 << 31, "too many sums");
            let end = _mm512_set1_epi32(end.min(sums.len() as u32) as i32);
            let within = _mm512_cmplt_epu32_mask(number, end);
            let none = _mm512_setzero_si512();
            let sum = _mm512_mask_i32gather_epi32::<4>(none, within, number, sums.as_ptr().cast());
            let sum = Wide::new(factor).add(other, sum);
            _mm512_mask_i32scatter_epi32::<4>(sums.as_mut_ptr().cast(), within, number, sum);
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

    /// Checks that all instruction sets return what the baseline returns.
    fn check<T: PartialEq + std::fmt::Debug>(add: impl Fn(Cpu) -> T) -> Result<(), TestCaseError> {
        for cpu in Cpu::available() {
            prop_assert_eq!(add(cpu), add(Cpu::SCALAR));
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn all_instruction_sets_add_the_same(
            others in prop::collection::vec(packed(), 2 * BLOCK),
            shares in prop::collection::vec(0.0..=1.0, 2 * BLOCK), steps in prop::collection::vec(1..4u64, 2 * BLOCK),
            own in packed(), min in 1..=32_001u32, sum in 0..=1_024_000_000u32, end in 0..260u32,
        ) {
            let factor = Factor { own: Packed(own), min, sum };
            let sums = shares.iter().map(|share| (share * f64::from(sum)) as u32 | if *share < 0.1 { REACHED } else { 0 });
            let sums: Vec<u32> = sums.collect();
            check(|cpu| {
                let mut sums = sums.clone();
                let (blocks, places) = (others.as_chunks().0, sums.as_chunks_mut().0);
                cpu.run(AddBlocks { factor, blocks, sums: places });
                sums
            })?;
            let mut number = 0;
            let numbers = steps.iter().map(|step| { number += step; number });
            let words: Vec<u64> = numbers.zip(&others).map(|(number, other)| number << 32 | u64::from(*other)).collect();
            check(|cpu| {
                let mut sums = [&sums[..], &sums].concat();
                let end = end.min(sums.len() as u32);
                let groups = cpu.run(AddGroups { factor, groups: words.as_chunks().0, end, sums: &mut sums });
                (sums, groups)
            })?;
        }
    }
}
