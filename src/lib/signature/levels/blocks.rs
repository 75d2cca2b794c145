//! Random blocks in vectors, with each set of instructions that has some for the rounds of AES.

use super::generator::{Keys, ROUNDS};
use crate::bits::vector::{MOST_WORDS, Plain, Vector};

/// Random blocks of 128 bits that a component's bits are made of.
pub(super) const BLOCKS: usize = 4;

/// A way to make random blocks, each bit of which belongs to another bit of the signature.
///
/// # Safety
/// Those with instructions for AES may be used only where the processor has them, in functions that are compiled for them.
pub(super) trait Blocks {
    /// What the blocks stand in.
    type Vector: Vector;
    /// 64-bit words in a vector.
    const WORDS: usize = Self::Vector::LANES / 64;

    /// What the four random blocks for each 128 bits of vector number `part` begin with, before the term is known: block `j` of bits
    /// 128·g … is the generator's number (term, 4·g + j), of which here is (0, 4·g + j) with the first key added.
    #[inline(always)]
    fn starts(keys: &Keys, part: usize) -> [Self::Vector; BLOCKS] {
        let group = part * Self::WORDS / 2;
        std::array::from_fn(|block| {
            let mut words = [0; MOST_WORDS];
            for (at, pair) in words.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let number = ((group + at) * BLOCKS + block) as u64;
                *pair = [keys.0[0][0], keys.0[0][1] ^ number];
            }
            Self::Vector::from_words(&words)
        })
    }

    /// The random blocks of a term.
    fn random(keys: &Keys, starts: &[Self::Vector; BLOCKS], term: u32) -> [Self::Vector; BLOCKS];
}

/// In software.
pub(super) struct Portable;

impl Blocks for Portable {
    type Vector = Plain;

    #[inline(always)]
    fn random(keys: &Keys, starts: &[Plain; BLOCKS], term: u32) -> [Plain; BLOCKS] {
        starts.map(|start| {
            let mut words = [0; MOST_WORDS];
            start.write_words(&mut words);
            for block in words[..Self::WORDS].as_chunks_mut::<2>().0 {
                *block = keys.encrypted([block[0] ^ u64::from(term), block[1]]);
            }
            Plain::from_words(&words)
        })
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{AesNi, Vaes, Vaes512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BLOCKS, Blocks, Keys, ROUNDS};
    use crate::bits::vector::x86::{Avx2, Avx512};

    /// With the instructions for 128 bits.
    pub struct AesNi;
    /// With the instructions for 256 bits.
    pub struct Vaes;
    /// With the instructions for 512 bits.
    pub struct Vaes512;

    // SAFETY of what follows: the trait's condition is that the instructions are there.

    #[inline(always)]
    fn key(key: [u64; 2]) -> __m128i {
        unsafe { _mm_set_epi64x(key[1] as i64, key[0] as i64) }
    }

    impl Blocks for AesNi {
        type Vector = Avx2;

        #[inline(always)]
        fn random(keys: &Keys, starts: &[Avx2; BLOCKS], term: u32) -> [Avx2; BLOCKS] {
            unsafe {
                let term = _mm_cvtsi64_si128(i64::from(term));
                let mut states = [term; 2 * BLOCKS];
                for (pair, start) in states.as_chunks_mut::<2>().0.iter_mut().zip(starts) {
                    pair[0] = _mm_xor_si128(_mm256_castsi256_si128(start.0), term);
                    pair[1] = _mm_xor_si128(_mm256_extracti128_si256::<1>(start.0), term);
                }
                for round in 1..ROUNDS {
                    let key = key(keys.0[round]);
                    states.iter_mut().for_each(|state| *state = _mm_aesenc_si128(*state, key));
                }
                let key = key(keys.0[ROUNDS]);
                std::array::from_fn(|block| {
                    let first = _mm_aesenclast_si128(states[2 * block], key);
                    let second = _mm_aesenclast_si128(states[2 * block + 1], key);
                    Avx2(_mm256_set_m128i(second, first))
                })
            }
        }
    }

    impl Blocks for Vaes {
        type Vector = Avx2;

        #[inline(always)]
        fn random(keys: &Keys, starts: &[Avx2; BLOCKS], term: u32) -> [Avx2; BLOCKS] {
            unsafe {
                let wide = |round: usize| _mm256_broadcastsi128_si256(key(keys.0[round]));
                let term = _mm256_broadcastsi128_si256(_mm_cvtsi64_si128(i64::from(term)));
                let mut states = starts.map(|start| _mm256_xor_si256(start.0, term));
                for round in 1..ROUNDS {
                    let key = wide(round);
                    states.iter_mut().for_each(|state| *state = _mm256_aesenc_epi128(*state, key));
                }
                states.map(|state| Avx2(_mm256_aesenclast_epi128(state, wide(ROUNDS))))
            }
        }
    }

    impl Blocks for Vaes512 {
        type Vector = Avx512;

        #[inline(always)]
        fn random(keys: &Keys, starts: &[Avx512; BLOCKS], term: u32) -> [Avx512; BLOCKS] {
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
