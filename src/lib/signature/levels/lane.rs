//! Many bits at once: what a vector register can do, in each set of instructions that we know.

use super::generator::{Keys, ROUNDS};

/// Random blocks of 128 bits that a component's bits are made of.
pub(super) const BLOCKS: usize = 4;

/// A register full of bits, of which each belongs to another bit of the signature.
///
/// # Safety
/// Those for vector registers may be used only where the processor has their instructions, in functions that are compiled for them.
pub(super) trait Lane: Copy {
    /// 64-bit words in a register.
    const WORDS: usize;

    /// All bits 0.
    fn zero() -> Self;
    /// From the first words of a slice.
    fn load(words: &[u64]) -> Self;
    /// Into the first words of a slice.
    fn store(self, words: &mut [u64]);
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;

    /// Adds three bits: their sum and their carry.
    #[inline(always)]
    fn add(self, one: Self, other: Self) -> (Self, Self) {
        let half = self.xor(one);
        (half.xor(other), self.and(one).or(half.and(other)))
    }

    /// What the four random blocks for each 128 bits of register number `lane` begin with, before the term is known: block `j` of bits
    /// 128·g … is the generator's number (term, 4·g + j), of which here is (0, 4·g + j) with the first key added.
    #[inline(always)]
    fn starts(keys: &Keys, lane: usize) -> [Self; BLOCKS] {
        let group = lane * Self::WORDS / 2;
        std::array::from_fn(|block| {
            let mut words = [0; 8];
            for (at, pair) in words.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let number = ((group + at) * BLOCKS + block) as u64;
                *pair = [keys.0[0][0], keys.0[0][1] ^ number];
            }
            Self::load(&words)
        })
    }

    /// The random blocks of a term.
    fn random(keys: &Keys, starts: &[Self; BLOCKS], term: u32) -> [Self; BLOCKS];
}

/// Words of 64 bits; what every processor has.
#[derive(Clone, Copy)]
pub(super) struct Portable([u64; 4]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Portable(std::array::from_fn(|at| operation(self.0[at], other.0[at])))
    }
}

impl Lane for Portable {
    const WORDS: usize = 4;

    #[inline(always)]
    fn zero() -> Self {
        Portable([0; 4])
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Portable(std::array::from_fn(|at| words[at]))
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[..Self::WORDS].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |left, right| left & right)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |left, right| left | right)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |left, right| left ^ right)
    }

    #[inline(always)]
    fn random(keys: &Keys, starts: &[Self; BLOCKS], term: u32) -> [Self; BLOCKS] {
        starts.map(|Portable([a, b, c, d])| {
            let term = u64::from(term);
            let [first, second] = [keys.encrypted([a ^ term, b]), keys.encrypted([c ^ term, d])];
            Portable([first[0], first[1], second[0], second[1]])
        })
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{AesNi, Avx512, Vaes};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BLOCKS, Keys, Lane, ROUNDS};

    /// 256 bits with AVX2; random bits with the AES instructions for 128 bits.
    #[derive(Clone, Copy)]
    pub struct AesNi(__m256i);

    /// 256 bits with AVX2; random bits with the AES instructions for 256 bits.
    #[derive(Clone, Copy)]
    pub struct Vaes(__m256i);

    /// 512 bits with AVX-512, which adds three bits in two instructions, and the AES instructions for them.
    #[derive(Clone, Copy)]
    pub struct Avx512(__m512i);

    // SAFETY of what follows: the trait's condition is that the instructions are there; loads and stores check their slices first.

    macro_rules! with_256_bits {
        ($name:ident, $random:expr) => {
            impl Lane for $name {
                const WORDS: usize = 4;

                #[inline(always)]
                fn zero() -> Self {
                    $name(unsafe { _mm256_setzero_si256() })
                }

                #[inline(always)]
                fn load(words: &[u64]) -> Self {
                    let words = &words[..Self::WORDS];
                    $name(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
                }

                #[inline(always)]
                fn store(self, words: &mut [u64]) {
                    let words = &mut words[..Self::WORDS];
                    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
                }

                #[inline(always)]
                fn and(self, other: Self) -> Self {
                    $name(unsafe { _mm256_and_si256(self.0, other.0) })
                }

                #[inline(always)]
                fn or(self, other: Self) -> Self {
                    $name(unsafe { _mm256_or_si256(self.0, other.0) })
                }

                #[inline(always)]
                fn xor(self, other: Self) -> Self {
                    $name(unsafe { _mm256_xor_si256(self.0, other.0) })
                }

                #[inline(always)]
                fn random(keys: &Keys, starts: &[Self; BLOCKS], term: u32) -> [Self; BLOCKS] {
                    unsafe { $random(keys, starts.map(|start| start.0), term) }.map($name)
                }
            }
        };
    }

    with_256_bits!(AesNi, random_128);
    with_256_bits!(Vaes, random_256);

    #[inline(always)]
    unsafe fn key(key: [u64; 2]) -> __m128i {
        unsafe { _mm_set_epi64x(key[1] as i64, key[0] as i64) }
    }

    #[inline(always)]
    unsafe fn random_128(keys: &Keys, starts: [__m256i; BLOCKS], term: u32) -> [__m256i; BLOCKS] {
        unsafe {
            let term = _mm_cvtsi64_si128(i64::from(term));
            let mut states = [term; 2 * BLOCKS];
            for (pair, start) in states.as_chunks_mut::<2>().0.iter_mut().zip(starts) {
                pair[0] = _mm_xor_si128(_mm256_castsi256_si128(start), term);
                pair[1] = _mm_xor_si128(_mm256_extracti128_si256::<1>(start), term);
            }
            for round in 1..ROUNDS {
                let key = key(keys.0[round]);
                states.iter_mut().for_each(|state| *state = _mm_aesenc_si128(*state, key));
            }
            let key = key(keys.0[ROUNDS]);
            std::array::from_fn(|block| {
                let first = _mm_aesenclast_si128(states[2 * block], key);
                _mm256_set_m128i(_mm_aesenclast_si128(states[2 * block + 1], key), first)
            })
        }
    }

    #[inline(always)]
    unsafe fn random_256(keys: &Keys, starts: [__m256i; BLOCKS], term: u32) -> [__m256i; BLOCKS] {
        unsafe {
            let wide = |round: usize| _mm256_broadcastsi128_si256(key(keys.0[round]));
            let term = _mm256_broadcastsi128_si256(_mm_cvtsi64_si128(i64::from(term)));
            let mut states = starts.map(|start| _mm256_xor_si256(start, term));
            for round in 1..ROUNDS {
                let key = wide(round);
                states.iter_mut().for_each(|state| *state = _mm256_aesenc_epi128(*state, key));
            }
            states.map(|state| _mm256_aesenclast_epi128(state, wide(ROUNDS)))
        }
    }

    impl Lane for Avx512 {
        const WORDS: usize = 8;

        #[inline(always)]
        fn zero() -> Self {
            Avx512(unsafe { _mm512_setzero_si512() })
        }

        #[inline(always)]
        fn load(words: &[u64]) -> Self {
            let words = &words[..Self::WORDS];
            Avx512(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store(self, words: &mut [u64]) {
            let words = &mut words[..Self::WORDS];
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) };
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
        fn add(self, one: Self, other: Self) -> (Self, Self) {
            /// The truth tables of "an odd number of three" and of "at least two of three".
            const ODD: i32 = 0x96;
            const MAJORITY: i32 = 0xE8;
            unsafe {
                let sum = _mm512_ternarylogic_epi64::<ODD>(self.0, one.0, other.0);
                let carry = _mm512_ternarylogic_epi64::<MAJORITY>(self.0, one.0, other.0);
                (Avx512(sum), Avx512(carry))
            }
        }

        #[inline(always)]
        fn random(keys: &Keys, starts: &[Self; BLOCKS], term: u32) -> [Self; BLOCKS] {
            unsafe {
                let wide = |round: usize| _mm512_broadcast_i32x4(key(keys.0[round]));
                let term = _mm512_broadcast_i32x4(_mm_cvtsi64_si128(i64::from(term)));
                let mut states = starts.map(|start| _mm512_xor_si512(start.0, term));
                for round in 1..ROUNDS {
                    let key = wide(round);
                    states.iter_mut().for_each(|state| *state = _mm512_aesenc_epi128(*state, key));
                }
                states.map(|state| Avx512(_mm512_aesenclast_epi128(state, wide(ROUNDS))))
            }
        }
    }
}
