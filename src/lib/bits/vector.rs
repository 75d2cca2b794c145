//! One algorithm for several sets of instructions: hot loops are written once over a [`Vector`] of bits, and [`Cpu::run`] compiles them
//! for each set.
//!
//! Everything on the way from [`Task::run`] to a vector's methods must be `#[inline(always)]` and free of closures that stay calls: only what is
//! inlined into the function with the target features is compiled for them. That holds for `count_ones` too, which becomes one
//! instruction there.

use super::bytes::{Bytes, PlainBytes};
use super::cpu::Cpu;

/// Many bits that are worked on at once. Lane `k` is bit `k % 64` of word `k / 64`, the lowest bit first.
pub trait Vector: Copy {
    /// Bits in the vector.
    const LANES: usize;
    /// Vectors of bytes for the same instructions.
    type Bytes: Bytes;
    /// The same bit in every lane.
    fn splat(bit: bool) -> Self;
    /// Lanes from words: `LANES / 64` of them.
    fn from_words(words: &[u64]) -> Self;
    /// The words of the lanes; those past `LANES / 64` stay as they are.
    fn write_words(self, words: &mut [u64; MOST_WORDS]);
    /// Whether no lane is set.
    fn is_zero(self) -> bool;
    /// Lanes set in both.
    fn and(self, other: Self) -> Self;
    /// Lanes set in one of the two or both.
    fn or(self, other: Self) -> Self;
    /// Lanes set in exactly one of the two.
    fn xor(self, other: Self) -> Self;
    /// Lanes set in `self` and not in `other`.
    fn and_not(self, other: Self) -> Self;

    /// Adds three one-bit numbers in every lane: the sum's lower and upper bit.
    #[inline(always)]
    fn full_add(self, second: Self, third: Self) -> (Self, Self) {
        let half = self.xor(second);
        (half.xor(third), self.and(second).or(half.and(third)))
    }

    /// Adds two one-bit numbers in every lane: the sum's lower and upper bit.
    #[inline(always)]
    fn half_add(self, second: Self) -> (Self, Self) {
        (self.xor(second), self.and(second))
    }

    /// Whether any of [`MANY`] rows of a few words, given word by word, differs from `one` in at most `most` bits.
    #[inline(always)]
    fn any_within<const WORDS: usize>(
        one: &[u64; WORDS],
        others: [&[u64; MANY]; WORDS],
        most: u64,
    ) -> bool {
        // Where the processor counts the bits of many words at once, this becomes that.
        let mut distances = [0u64; MANY];
        for word in 0..WORDS {
            for (distance, other) in distances.iter_mut().zip(others[word]) {
                *distance += u64::from((other ^ one[word]).count_ones());
            }
        }
        distances.iter().map(|distance| u64::from(*distance <= most)).sum::<u64>() > 0
    }
}

/// Rows that are compared with one at a time: a few instructions for each word; more would be wasted where there are few rows.
pub const MANY: usize = 16;

/// Words in the longest vector.
pub const MOST_WORDS: usize = 8;

/// Words in a vector of plain words: as long as those of AVX2, so that the compiler has room for what vector instructions every processor
/// of the architecture has (SSE2, NEON).
const PLAIN_WORDS: usize = 4;

/// Plain words.
#[derive(Clone, Copy)]
pub struct Plain([u64; PLAIN_WORDS]);

impl Plain {
    #[inline(always)]
    fn zip(self, other: Self, operate: impl Fn(u64, u64) -> u64) -> Self {
        let (a, b) = (self.0, other.0);
        Plain([operate(a[0], b[0]), operate(a[1], b[1]), operate(a[2], b[2]), operate(a[3], b[3])])
    }
}

impl Vector for Plain {
    const LANES: usize = 64 * PLAIN_WORDS;
    type Bytes = PlainBytes;
    #[inline(always)]
    fn splat(bit: bool) -> Self {
        Plain([if bit { u64::MAX } else { 0 }; PLAIN_WORDS])
    }
    #[inline(always)]
    fn from_words(words: &[u64]) -> Self {
        Plain([words[0], words[1], words[2], words[3]])
    }
    #[inline(always)]
    fn write_words(self, words: &mut [u64; MOST_WORDS]) {
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

/// Work that can be compiled for every set of instructions.
pub trait Task {
    /// What comes out.
    type Output;
    /// Does the work with vectors of this kind. Must be `#[inline(always)]`.
    fn run<V: Vector>(self) -> Self::Output;
}

impl Cpu {
    /// Does the work with these instructions. The output does not depend on which they are.
    ///
    /// # Panics
    /// If the machine does not have them.
    pub fn run<T: Task>(self, task: T) -> T::Output {
        assert!(self <= Cpu::best(), "this machine has no {}", self.name());
        match self {
            Cpu::Scalar => task.run::<Plain>(),
            // SAFETY: it was checked that the machine has the instructions.
            #[cfg(target_arch = "x86_64")]
            Cpu::Avx2 => unsafe { x86::run_avx2(task) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Cpu::Avx512 => unsafe { x86::run_avx512(task) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("other machines are never said to have these"),
        }
    }
}

/// The vectors of x86-64. Their methods are only called from inside functions with these target features, after inlining.
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86 {
    use std::arch::x86_64::*;

    use super::super::bytes::Avx2Bytes;
    use super::{MANY, MOST_WORDS, Task, Vector};

    #[target_feature(enable = "avx2,bmi2,popcnt")]
    pub unsafe fn run_avx2<T: Task>(task: T) -> T::Output {
        task.run::<Avx2>()
    }

    #[target_feature(enable = "avx2,bmi2,popcnt,avx512f,avx512bw,avx512vl,avx512vpopcntdq")]
    pub unsafe fn run_avx512<T: Task>(task: T) -> T::Output {
        task.run::<Avx512>()
    }

    #[derive(Clone, Copy)]
    pub struct Avx2(pub(crate) __m256i);

    // SAFETY of all methods: this type is named only in functions that run on machines with AVX2; loads and stores allow any alignment and stay
    // within slices whose length is checked.
    impl Vector for Avx2 {
        const LANES: usize = 256;
        type Bytes = Avx2Bytes;
        #[inline(always)]
        fn splat(bit: bool) -> Self {
            Avx2(unsafe { _mm256_set1_epi64x(-i64::from(bit)) })
        }
        #[inline(always)]
        fn from_words(words: &[u64]) -> Self {
            let words = &words[..Self::LANES / 64];
            Avx2(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
        }
        #[inline(always)]
        fn write_words(self, words: &mut [u64; MOST_WORDS]) {
            unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn is_zero(self) -> bool {
            unsafe { _mm256_testz_si256(self.0, self.0) == 1 }
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Avx2(unsafe { _mm256_and_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Avx2(unsafe { _mm256_or_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            Avx2(unsafe { _mm256_xor_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            Avx2(unsafe { _mm256_andnot_si256(other.0, self.0) })
        }
        /// Bits are counted by looking half bytes up (Muła); the counts of a byte's words stay below 256 and are added up once.
        #[inline(always)]
        fn any_within<const WORDS: usize>(
            one: &[u64; WORDS],
            others: [&[u64; MANY]; WORDS],
            most: u64,
        ) -> bool {
            const { assert!(WORDS < 32) };
            unsafe {
                let half = _mm256_set1_epi8(0x0f);
                // The numbers of bits of 0 to 15, twice, the first the lowest byte.
                let counts = _mm256_set_epi64x(
                    0x0403_0302_0302_0201,
                    0x0302_0201_0201_0100,
                    0x0403_0302_0302_0201,
                    0x0302_0201_0201_0100,
                );
                let beyond = _mm256_set1_epi64x(most as i64 + 1);
                let mut near = _mm256_setzero_si256();
                for at in (0..MANY).step_by(4) {
                    let mut sums = _mm256_setzero_si256();
                    for word in 0..WORDS {
                        let other = _mm256_loadu_si256(others[word].as_ptr().add(at).cast());
                        let bits = _mm256_xor_si256(other, _mm256_set1_epi64x(one[word] as i64));
                        let low = _mm256_and_si256(bits, half);
                        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bits), half);
                        sums = _mm256_add_epi8(sums, _mm256_shuffle_epi8(counts, low));
                        sums = _mm256_add_epi8(sums, _mm256_shuffle_epi8(counts, high));
                    }
                    let distances = _mm256_sad_epu8(sums, _mm256_setzero_si256());
                    near = _mm256_or_si256(near, _mm256_cmpgt_epi64(beyond, distances));
                }
                _mm256_testz_si256(near, near) == 0
            }
        }
    }

    #[derive(Clone, Copy)]
    pub struct Avx512(pub(crate) __m512i);

    /// The truth table of `a ^ b ^ c` for ternary logic.
    const PARITY: i32 = 0x96;
    /// The truth table of "at least two of three".
    const MAJORITY: i32 = 0xe8;

    // SAFETY of all methods: this type is named only in functions that run on machines with AVX-512 F.
    impl Vector for Avx512 {
        const LANES: usize = 512;
        type Bytes = Avx2Bytes;
        #[inline(always)]
        fn splat(bit: bool) -> Self {
            Avx512(unsafe { _mm512_set1_epi64(-i64::from(bit)) })
        }
        #[inline(always)]
        fn from_words(words: &[u64]) -> Self {
            let words = &words[..Self::LANES / 64];
            Avx512(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
        }
        #[inline(always)]
        fn write_words(self, words: &mut [u64; MOST_WORDS]) {
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn is_zero(self) -> bool {
            unsafe { _mm512_test_epi64_mask(self.0, self.0) == 0 }
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_and_si512(self.0, other.0) })
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_or_si512(self.0, other.0) })
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_xor_si512(self.0, other.0) })
        }
        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_andnot_si512(other.0, self.0) })
        }
        #[inline(always)]
        fn full_add(self, second: Self, third: Self) -> (Self, Self) {
            let (a, b, c) = (self.0, second.0, third.0);
            unsafe {
                (
                    Avx512(_mm512_ternarylogic_epi64::<PARITY>(a, b, c)),
                    Avx512(_mm512_ternarylogic_epi64::<MAJORITY>(a, b, c)),
                )
            }
        }
    }
}
