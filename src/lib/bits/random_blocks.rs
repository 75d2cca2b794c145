//! Random blocks in vectors, with the AES instructions that the machine has.
//!
//! Dispatch follows [`Cpu::run`]: [`AesEngine::run`] compiles an [`AesKernel`] for each set of AES instructions.

use super::ars::{ROUNDS, RoundKeys};
use super::cpu::Cpu;
#[cfg(target_arch = "x86_64")]
use super::cpu::InstructionSet;
use super::vector::{BitVector, MAX_WORDS, PlainBits};

/// Random blocks of 128 bits per vector of components.
pub const BLOCKS: usize = 4;

/// Generator of random blocks in vectors; each lane belongs to one bit of a signature. As with [`BitVector`], methods must be inlined into a
/// function compiled for the instructions they need.
pub trait RandomBlocks {
    /// The vector that holds blocks.
    type Vector: BitVector;
    /// 64-bit words per vector.
    const WORDS: usize = Self::Vector::LANES / 64;

    /// Returns the counters of the four blocks for each 128 bits of vector number `part`, for row 0 and with the first key added: block `j` of
    /// bits 128·g … is number (row, 4·g + j) of the generator.
    #[inline(always)]
    fn counters(keys: &RoundKeys, part: usize) -> [Self::Vector; BLOCKS] {
        let group = part * Self::WORDS / 2;
        std::array::from_fn(|block| {
            let mut words = [0; MAX_WORDS];
            for (at, pair) in words.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let number = ((group + at) * BLOCKS + block) as u64;
                *pair = [keys.0[0][0], keys.0[0][1] ^ number];
            }
            Self::Vector::from_words(&words)
        })
    }

    /// Returns the random blocks of a row.
    fn random(
        keys: &RoundKeys,
        counters: &[Self::Vector; BLOCKS],
        row: u32,
    ) -> [Self::Vector; BLOCKS];
}

/// AES rounds in software.
pub struct SoftwareAes;

impl RandomBlocks for SoftwareAes {
    type Vector = PlainBits;

    #[inline(always)]
    fn random(keys: &RoundKeys, counters: &[PlainBits; BLOCKS], row: u32) -> [PlainBits; BLOCKS] {
        counters.map(|counter| {
            let mut words = [0; MAX_WORDS];
            counter.write_words(&mut words);
            for block in words[..Self::WORDS].as_chunks_mut::<2>().0 {
                *block = keys.encrypt([block[0] ^ u64::from(row), block[1]]);
            }
            PlainBits::from_words(&words)
        })
    }
}

/// Work that can be compiled for every set of AES instructions.
pub trait AesKernel {
    /// Does the work. Must be `#[inline(always)]`.
    fn run<B: RandomBlocks>(self);
}

/// Set of AES instructions that this machine has. The blocks do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AesEngine(AesInstructions);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AesInstructions {
    Software,
    #[cfg(target_arch = "x86_64")]
    AesNi,
    #[cfg(target_arch = "x86_64")]
    Vaes,
    #[cfg(target_arch = "x86_64")]
    Vaes512,
}

impl AesEngine {
    /// Returns all engines that this machine can run with `cpu`, the fastest last.
    pub fn available(cpu: Cpu) -> Vec<AesEngine> {
        let mut engines = vec![AesEngine(AesInstructions::Software)];
        #[cfg(target_arch = "x86_64")]
        {
            let has_vaes = is_x86_feature_detected!("vaes");
            let (has_avx2, has_avx512) =
                (cpu.set() >= InstructionSet::Avx2, cpu.set() >= InstructionSet::Avx512);
            let others = [
                (AesInstructions::AesNi, has_avx2 && is_x86_feature_detected!("aes")),
                (AesInstructions::Vaes, has_avx2 && has_vaes),
                (AesInstructions::Vaes512, has_avx512 && has_vaes),
            ];
            engines.extend(others.iter().filter(|(_, has)| *has).map(|(set, _)| AesEngine(*set)));
        }
        let _ = cpu;
        engines
    }

    /// Returns the fastest engine that this machine can run with `cpu`.
    pub fn fastest(cpu: Cpu) -> AesEngine {
        *Self::available(cpu).last().expect("software is always available")
    }

    /// Runs a kernel with the engine's instructions.
    pub fn run(self, kernel: impl AesKernel) {
        match self.0 {
            AesInstructions::Software => kernel.run::<SoftwareAes>(),
            // SAFETY: engines are made by `available` alone, which checks that the machine has the instructions.
            #[cfg(target_arch = "x86_64")]
            AesInstructions::AesNi => unsafe { x86::run_aes_ni(kernel) },
            #[cfg(target_arch = "x86_64")]
            AesInstructions::Vaes => unsafe { x86::run_vaes(kernel) },
            #[cfg(target_arch = "x86_64")]
            AesInstructions::Vaes512 => unsafe { x86::run_vaes512(kernel) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::super::vector::x86::{Avx2Bits, Avx512Bits};
    use super::{AesKernel, BLOCKS, ROUNDS, RandomBlocks, RoundKeys};

    #[target_feature(enable = "avx2,aes")]
    pub fn run_aes_ni(kernel: impl AesKernel) {
        kernel.run::<AesNi>();
    }

    #[target_feature(enable = "avx2,aes,vaes")]
    pub fn run_vaes(kernel: impl AesKernel) {
        kernel.run::<Vaes>();
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
    pub fn run_vaes512(kernel: impl AesKernel) {
        kernel.run::<Vaes512>();
    }

    /// Instructions for 128 bits.
    struct AesNi;
    /// Instructions for 256 bits.
    struct Vaes;
    /// Instructions for 512 bits.
    struct Vaes512;

    // SAFETY of all methods: these types are named only in the functions above, which run on machines that have the instructions.

    #[inline(always)]
    fn key(key: [u64; 2]) -> __m128i {
        unsafe { _mm_set_epi64x(key[1] as i64, key[0] as i64) }
    }

    impl RandomBlocks for AesNi {
        type Vector = Avx2Bits;

        #[inline(always)]
        fn random(keys: &RoundKeys, counters: &[Avx2Bits; BLOCKS], row: u32) -> [Avx2Bits; BLOCKS] {
            unsafe {
                let row = _mm_cvtsi64_si128(i64::from(row));
                let mut states = [row; 2 * BLOCKS];
                for (pair, counter) in states.as_chunks_mut::<2>().0.iter_mut().zip(counters) {
                    pair[0] = _mm_xor_si128(_mm256_castsi256_si128(counter.0), row);
                    pair[1] = _mm_xor_si128(_mm256_extracti128_si256::<1>(counter.0), row);
                }
                for round in 1..ROUNDS {
                    let key = key(keys.0[round]);
                    states.iter_mut().for_each(|state| *state = _mm_aesenc_si128(*state, key));
                }
                let key = key(keys.0[ROUNDS]);
                std::array::from_fn(|block| {
                    let first = _mm_aesenclast_si128(states[2 * block], key);
                    let second = _mm_aesenclast_si128(states[2 * block + 1], key);
                    Avx2Bits(_mm256_set_m128i(second, first))
                })
            }
        }
    }

    impl RandomBlocks for Vaes {
        type Vector = Avx2Bits;

        #[inline(always)]
        fn random(keys: &RoundKeys, counters: &[Avx2Bits; BLOCKS], row: u32) -> [Avx2Bits; BLOCKS] {
            unsafe {
                let wide = |round: usize| _mm256_broadcastsi128_si256(key(keys.0[round]));
                let row = _mm256_broadcastsi128_si256(_mm_cvtsi64_si128(i64::from(row)));
                let mut states = counters.map(|counter| _mm256_xor_si256(counter.0, row));
                for round in 1..ROUNDS {
                    let key = wide(round);
                    states.iter_mut().for_each(|state| *state = _mm256_aesenc_epi128(*state, key));
                }
                states.map(|state| Avx2Bits(_mm256_aesenclast_epi128(state, wide(ROUNDS))))
            }
        }
    }

    impl RandomBlocks for Vaes512 {
        type Vector = Avx512Bits;

        #[inline(always)]
        fn random(
            keys: &RoundKeys,
            counters: &[Avx512Bits; BLOCKS],
            row: u32,
        ) -> [Avx512Bits; BLOCKS] {
            unsafe {
                let wide = |round: usize| _mm512_broadcast_i32x4(key(keys.0[round]));
                let row = _mm512_broadcast_i32x4(_mm_cvtsi64_si128(i64::from(row)));
                let mut states = counters.map(|counter| _mm512_xor_si512(counter.0, row));
                for round in 1..ROUNDS {
                    let key = wide(round);
                    states.iter_mut().for_each(|state| *state = _mm512_aesenc_epi128(*state, key));
                }
                states.map(|state| Avx512Bits(_mm512_aesenclast_epi128(state, wide(ROUNDS))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Writes the words of the first parts of a row.
    struct Row<'a>(&'a RoundKeys, u32, &'a mut Vec<u64>);

    /// Parts of 512 bits.
    const PARTS: usize = 3;

    impl AesKernel for Row<'_> {
        #[inline(always)]
        fn run<B: RandomBlocks>(self) {
            let mut blocks = [const { Vec::new() }; BLOCKS];
            for part in 0..PARTS * MAX_WORDS / B::WORDS {
                let counters = B::counters(self.0, part);
                let random = B::random(self.0, &counters, self.1);
                for (all, vector) in blocks.iter_mut().zip(random) {
                    let mut words = [0; MAX_WORDS];
                    vector.write_words(&mut words);
                    all.extend_from_slice(&words[..B::WORDS]);
                }
            }
            self.2.extend(blocks.concat());
        }
    }

    proptest! {
        #[test]
        fn all_engines_make_the_same_blocks(seed: u64, row: u32) {
            let keys = RoundKeys::new(seed);
            let words = |engine: AesEngine| {
                let mut words = Vec::new();
                engine.run(Row(&keys, row, &mut words));
                words
            };
            let expected = words(AesEngine(AesInstructions::Software));
            for engine in Cpu::available().flat_map(AesEngine::available) {
                prop_assert_eq!(&words(engine), &expected, "{:?}", engine);
            }
        }
    }
}
