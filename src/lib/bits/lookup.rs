//! Dot products of a dense vector with sparse ones: one lookup per component, where merging two sorted lists needs a comparison, hard to
//! predict, per component of both.

use super::vector::{BitVector, Kernel, PlainBits};

/// Dot product of components with those that a table has at their indexes. The table has an element after the last index.
pub struct LookupDot<'a, T> {
    /// The dense vector.
    pub table: &'a [T],
    /// Indexes of the sparse vector.
    pub indexes: &'a [u32],
    /// Its components.
    pub components: &'a [T],
}

/// Largest table for vector instructions, whose indexes are signed.
const MAX_TABLE: usize = 1 << 31;

/// The sum of exact products, in no particular order.
impl Kernel for LookupDot<'_, f32> {
    type Output = f64;

    #[inline(always)]
    fn run<V: BitVector>(self) -> f64 {
        if self.table.len() > MAX_TABLE { PlainBits::dot(self) } else { V::dot(self) }
    }
}

impl Kernel for LookupDot<'_, u16> {
    type Output = u64;

    #[inline(always)]
    fn run<V: BitVector>(self) -> u64 {
        if self.table.len() > MAX_TABLE {
            PlainBits::dot_integers(self)
        } else {
            V::dot_integers(self)
        }
    }
}

/// Independent sums: an addition need not wait for the one before.
const LANES: usize = 4;

impl<T: Copy> LookupDot<'_, T> {
    /// Returns the sums of products, one after the other.
    #[inline(always)]
    pub(super) fn scalar<S: Copy + Default + std::ops::AddAssign>(
        self,
        product: impl Fn(T, T) -> S,
    ) -> [S; LANES] {
        let (indexes, components) =
            (self.indexes.chunks_exact(LANES), self.components.chunks_exact(LANES));
        let rest = indexes.remainder().iter().zip(components.remainder());
        let mut sums = [S::default(); LANES];
        for (lane, (index, component)) in rest.enumerate() {
            sums[lane] += product(self.table[*index as usize], *component);
        }
        for (indexes, components) in indexes.zip(components) {
            for lane in 0..LANES {
                sums[lane] += product(self.table[indexes[lane] as usize], components[lane]);
            }
        }
        sums
    }
}

/// The lookups with AVX-512.
#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use std::arch::x86_64::*;

    use super::{LookupDot, MAX_TABLE};

    /// Components per step.
    const STEP: usize = 16;

    impl<T> LookupDot<'_, T> {
        /// Returns the number of components and the largest index that is looked up.
        #[inline(always)]
        fn size(&self) -> (usize, u32) {
            assert!((2..=MAX_TABLE).contains(&self.table.len()), "wrong size of table");
            (self.indexes.len().min(self.components.len()), self.table.len() as u32 - 2)
        }

        /// Returns the indexes of a step, none too large, and the lanes that have one.
        #[inline(always)]
        unsafe fn indexes(&self, at: usize, len: usize, max: u32) -> (__m512i, u16) {
            let lanes = u16::MAX >> STEP.saturating_sub(len - at);
            // SAFETY: the caller runs on AVX-512; only lanes within the slice are read.
            unsafe {
                let indexes = _mm512_maskz_loadu_epi32(lanes, self.indexes.as_ptr().add(at).cast());
                (_mm512_min_epu32(indexes, _mm512_set1_epi32(max as i32)), lanes)
            }
        }
    }

    /// Returns the dot product.
    ///
    /// # Safety
    /// Must be inlined into a function compiled for AVX-512 F, on a machine that has it.
    #[inline(always)]
    pub unsafe fn dot(dot: &LookupDot<'_, f32>) -> f64 {
        let (len, max) = dot.size();
        // SAFETY: the caller runs on AVX-512; lanes outside the slices are not read, and no index is larger than `max`.
        unsafe {
            let none = _mm512_setzero_ps();
            let mut sums = [_mm512_setzero_pd(); 2];
            for at in (0..len).step_by(STEP) {
                let (indexes, lanes) = dot.indexes(at, len, max);
                let other =
                    _mm512_mask_i32gather_ps::<4>(none, lanes, indexes, dot.table.as_ptr().cast());
                let own = _mm512_maskz_loadu_ps(lanes, dot.components.as_ptr().add(at));
                let low = |all: __m512| _mm512_cvtps_pd(_mm512_castps512_ps256(all));
                let high = |all: __m512| {
                    let half = _mm512_extractf64x4_pd::<1>(_mm512_castps_pd(all));
                    _mm512_cvtps_pd(_mm256_castpd_ps(half))
                };
                sums[0] = _mm512_fmadd_pd(low(own), low(other), sums[0]);
                sums[1] = _mm512_fmadd_pd(high(own), high(other), sums[1]);
            }
            _mm512_reduce_add_pd(_mm512_add_pd(sums[0], sums[1]))
        }
    }

    /// Returns the dot product of integers.
    ///
    /// # Safety
    /// Must be inlined into a function compiled for AVX-512 F, BW and VL, on a machine that has them.
    #[inline(always)]
    pub unsafe fn dot_integers(dot: &LookupDot<'_, u16>) -> u64 {
        let (len, max) = dot.size();
        // SAFETY: as above. Two elements are read at a time, the second at most the last.
        unsafe {
            let none = _mm512_setzero_si512();
            let (mut even, mut odd) = (none, none);
            for at in (0..len).step_by(STEP) {
                let (indexes, lanes) = dot.indexes(at, len, max);
                let table = dot.table.as_ptr().cast();
                let other = _mm512_mask_i32gather_epi32::<2>(none, lanes, indexes, table);
                let other = _mm512_and_si512(other, _mm512_set1_epi32(0xffff));
                let own = _mm256_maskz_loadu_epi16(lanes, dot.components.as_ptr().add(at).cast());
                let products = _mm512_mullo_epi32(other, _mm512_cvtepu16_epi32(own));
                let low = _mm512_and_si512(products, _mm512_set1_epi64(0xffff_ffff));
                even = _mm512_add_epi64(even, low);
                odd = _mm512_add_epi64(odd, _mm512_srli_epi64::<32>(products));
            }
            _mm512_reduce_add_epi64(_mm512_add_epi64(even, odd)) as u64
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bits::cpu::Cpu;

    proptest! {
        #[test]
        fn all_instruction_sets_look_up_the_same(
            table in prop::collection::vec(any::<u16>(), 2..300), own in prop::collection::vec((any::<u32>(), any::<u16>()), 0..70),
        ) {
            let indexes: Vec<u32> = own.iter().map(|(index, _)| index % (table.len() as u32 - 1)).collect();
            let components: Vec<u16> = own.iter().map(|(_, component)| *component).collect();
            let product = |(index, component): (&u32, &u16)| u64::from(table[*index as usize]) * u64::from(*component);
            let expected: u64 = indexes.iter().zip(&components).map(product).sum();
            let floats = |numbers: &[u16]| numbers.iter().map(|n| f32::from(*n)).collect::<Vec<f32>>();
            let (float_table, float_components) = (floats(&table), floats(&components));
            for cpu in Cpu::available() {
                let dot = LookupDot { table: &table[..], indexes: &indexes, components: &components };
                prop_assert_eq!(cpu.run(dot), expected);
                let dot = LookupDot { table: &float_table[..], indexes: &indexes, components: &float_components };
                prop_assert_eq!(cpu.run(dot), expected as f64);
            }
        }
    }
}
