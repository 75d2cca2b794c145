//! CPU dispatch: kernels are written once over a [`BitVector`], and [`Cpu::run`] compiles them for each instruction set.
//!
//! All functions from [`Kernel::run`] down to the methods of a vector must be `#[inline(always)]`, and closures must be inlined: only code
//! inlined into the function with the target features is compiled for them. That includes `count_ones`, which becomes one instruction there.
//! Kernels that need more than operations on bits are methods of [`BitVector`] with a portable default.

use super::cpu::{Cpu, InstructionSet};
use super::lookup::{self, LookupDot};
use super::panel::{self, PANEL, Panel};
use super::products::{self, BLOCK, Factor, GROUP};

/// Vector of bits. Lane `k` is bit `k % 64` of word `k / 64`, the lowest bit first.
pub trait BitVector: Copy {
    /// Bits per vector.
    const LANES: usize;
    /// Returns a vector with the same bit in every lane.
    fn splat(bit: bool) -> Self;
    /// Returns the first `LANES / 64` words.
    fn from_words(words: &[u64]) -> Self;
    /// Writes the first `LANES / 64` words.
    fn write_words(self, words: &mut [u64; MAX_WORDS]);
    /// Returns whether no lane is set.
    fn is_zero(self) -> bool;
    /// Returns the lanes set in both.
    fn and(self, other: Self) -> Self;
    /// Returns the lanes set in at least one.
    fn or(self, other: Self) -> Self;
    /// Returns the lanes set in exactly one.
    fn xor(self, other: Self) -> Self;
    /// Returns the lanes set in `self` and not in `other`.
    fn and_not(self, other: Self) -> Self;

    /// Adds three one-bit numbers in every lane; returns the lower and the upper bit of the sum.
    #[inline(always)]
    fn full_add(self, second: Self, third: Self) -> (Self, Self) {
        let half = self.xor(second);
        (half.xor(third), self.and(second).or(half.and(third)))
    }

    /// Adds two one-bit numbers in every lane; returns the lower and the upper bit of the sum.
    #[inline(always)]
    fn half_add(self, second: Self) -> (Self, Self) {
        (self.xor(second), self.and(second))
    }

    /// Returns the sums of weighted rows of a full panel, which must fit 32 bits.
    #[inline(always)]
    fn panel_sums(panel: &Panel<'_>, rows: &[u32], weights: &[i16]) -> [i32; PANEL] {
        panel::scalar_sums(panel, rows, weights)
    }

    /// Adds one block of products.
    #[inline(always)]
    fn add_products(factor: &Factor, block: &[u32; BLOCK], sums: &mut [u32; BLOCK]) {
        products::scalar_add(factor, block, sums);
    }

    /// Adds one group of products to the sums of their numbers below `end`.
    #[inline(always)]
    fn add_group(factor: &Factor, group: &[u64; GROUP], end: u32, sums: &mut [u32]) {
        products::scalar_add_group(factor, group, end, sums);
    }

    /// Returns the sum of exact products, in no particular order.
    #[inline(always)]
    fn dot(dot: LookupDot<'_, f32>) -> f64 {
        dot.scalar(|one, other| f64::from(one) * f64::from(other)).iter().sum()
    }

    /// Returns the sum of products of integers.
    #[inline(always)]
    fn dot_integers(dot: LookupDot<'_, u16>) -> u64 {
        dot.scalar(|one, other| u64::from(u32::from(one) * u32::from(other))).iter().sum()
    }
}

/// Words of the longest vector.
pub const MAX_WORDS: usize = 8;

/// Words per vector of plain words: as many as with AVX2, so that the compiler can use the baseline vector instructions (SSE2, NEON).
const PLAIN_WORDS: usize = 4;

/// Vector of plain words.
#[derive(Clone, Copy)]
pub struct PlainBits([u64; PLAIN_WORDS]);

impl PlainBits {
    #[inline(always)]
    fn zip(self, other: Self, operate: impl Fn(u64, u64) -> u64) -> Self {
        let (a, b) = (self.0, other.0);
        PlainBits([
            operate(a[0], b[0]),
            operate(a[1], b[1]),
            operate(a[2], b[2]),
            operate(a[3], b[3]),
        ])
    }
}

impl BitVector for PlainBits {
    const LANES: usize = 64 * PLAIN_WORDS;
    #[inline(always)]
    fn splat(bit: bool) -> Self {
        PlainBits([if bit { u64::MAX } else { 0 }; PLAIN_WORDS])
    }
    #[inline(always)]
    fn from_words(words: &[u64]) -> Self {
        PlainBits([words[0], words[1], words[2], words[3]])
    }
    #[inline(always)]
    fn write_words(self, words: &mut [u64; MAX_WORDS]) {
        words[..PLAIN_WORDS].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }
}

/// Work that can be compiled for every instruction set.
pub trait Kernel {
    /// The result.
    type Output;
    /// Does the work with the vectors of one instruction set. Must be `#[inline(always)]`.
    fn run<V: BitVector>(self) -> Self::Output;
}

impl Cpu {
    /// Runs a kernel with these instructions. The output does not depend on them.
    #[inline(always)]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.set() {
            InstructionSet::Scalar => kernel.run::<PlainBits>(),
            // SAFETY: `Cpu::new` checks that the machine has the instructions.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => unsafe { x86::run_avx2(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => unsafe { x86::run_avx512(kernel) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("Cpu::new admits only the baseline"),
        }
    }
}

/// Vectors of x86-64. Their methods are called only from functions with these target features, after inlining.
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86 {
    use std::arch::x86_64::*;

    use super::*;

    #[target_feature(enable = "avx2,bmi2,popcnt")]
    pub unsafe fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx2Bits>()
    }

    #[target_feature(enable = "avx2,bmi2,popcnt,avx512f,avx512bw,avx512vl,avx512vpopcntdq")]
    pub unsafe fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx512Bits>()
    }

    #[derive(Clone, Copy)]
    pub struct Avx2Bits(pub(crate) __m256i);

    // SAFETY of all methods: this type is named only in functions that run on machines with AVX2; loads and stores need no alignment and stay within
    // slices whose length is checked.
    impl BitVector for Avx2Bits {
        const LANES: usize = 256;
        #[inline(always)]
        fn splat(bit: bool) -> Self {
            Avx2Bits(unsafe { _mm256_set1_epi64x(-i64::from(bit)) })
        }
        #[inline(always)]
        fn from_words(words: &[u64]) -> Self {
            let words = &words[..Self::LANES / 64];
            Avx2Bits(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
        }
        #[inline(always)]
        fn write_words(self, words: &mut [u64; MAX_WORDS]) {
            unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn is_zero(self) -> bool {
            unsafe { _mm256_testz_si256(self.0, self.0) == 1 }
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Avx2Bits(unsafe { _mm256_and_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Avx2Bits(unsafe { _mm256_or_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            Avx2Bits(unsafe { _mm256_xor_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            Avx2Bits(unsafe { _mm256_andnot_si256(other.0, self.0) })
        }
        /// Counts bits by nibble lookups (Muła). The counts of a byte stay below 256 over all words and are added once.
        #[inline(always)]
        fn panel_sums(panel: &Panel<'_>, rows: &[u32], weights: &[i16]) -> [i32; PANEL] {
            unsafe { panel::x86::sums(panel, rows, weights) }
        }
        #[inline(always)]
        fn add_products(factor: &Factor, block: &[u32; BLOCK], sums: &mut [u32; BLOCK]) {
            unsafe { products::x86::add_avx2(factor, block, sums) }
        }
    }

    #[derive(Clone, Copy)]
    pub struct Avx512Bits(pub(crate) __m512i);

    /// Truth table of `a ^ b ^ c` for ternary logic.
    const PARITY: i32 = 0x96;
    /// Truth table of "at least two of three".
    const MAJORITY: i32 = 0xe8;

    // SAFETY of all methods: this type is named only in functions that run on machines with AVX-512 F.
    impl BitVector for Avx512Bits {
        const LANES: usize = 512;
        #[inline(always)]
        fn splat(bit: bool) -> Self {
            Avx512Bits(unsafe { _mm512_set1_epi64(-i64::from(bit)) })
        }
        #[inline(always)]
        fn from_words(words: &[u64]) -> Self {
            let words = &words[..Self::LANES / 64];
            Avx512Bits(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
        }
        #[inline(always)]
        fn write_words(self, words: &mut [u64; MAX_WORDS]) {
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn is_zero(self) -> bool {
            unsafe { _mm512_test_epi64_mask(self.0, self.0) == 0 }
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Avx512Bits(unsafe { _mm512_and_si512(self.0, other.0) })
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Avx512Bits(unsafe { _mm512_or_si512(self.0, other.0) })
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            Avx512Bits(unsafe { _mm512_xor_si512(self.0, other.0) })
        }
        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            Avx512Bits(unsafe { _mm512_andnot_si512(other.0, self.0) })
        }
        #[inline(always)]
        fn full_add(self, second: Self, third: Self) -> (Self, Self) {
            let (a, b, c) = (self.0, second.0, third.0);
            unsafe {
                (
                    Avx512Bits(_mm512_ternarylogic_epi64::<PARITY>(a, b, c)),
                    Avx512Bits(_mm512_ternarylogic_epi64::<MAJORITY>(a, b, c)),
                )
            }
        }
        #[inline(always)]
        fn panel_sums(panel: &Panel<'_>, rows: &[u32], weights: &[i16]) -> [i32; PANEL] {
            unsafe { panel::x86::sums(panel, rows, weights) }
        }
        #[inline(always)]
        fn add_products(factor: &Factor, block: &[u32; BLOCK], sums: &mut [u32; BLOCK]) {
            unsafe { products::x86::add_avx512(factor, block, sums) }
        }
        #[inline(always)]
        fn add_group(factor: &Factor, group: &[u64; GROUP], end: u32, sums: &mut [u32]) {
            unsafe { products::x86::add_group(factor, group, end, sums) }
        }
        #[inline(always)]
        fn dot(dot: LookupDot<'_, f32>) -> f64 {
            unsafe { lookup::x86::dot(&dot) }
        }
        #[inline(always)]
        fn dot_integers(dot: LookupDot<'_, u16>) -> u64 {
            unsafe { lookup::x86::dot_integers(&dot) }
        }
    }
}
