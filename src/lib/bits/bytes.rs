//! Vectors of bytes with lookups in tables of sixteen entries.

/// Bytes per vector.
pub const BYTES: usize = 32;

/// Vector of bytes. As with [`BitVector`](super::vector::BitVector), methods must be inlined into a function compiled for the
/// instructions they need.
pub trait ByteVector: Copy {
    /// Returns a vector of equal bytes.
    fn splat(byte: u8) -> Self;
    /// Returns a vector of the given bytes.
    fn from_bytes(bytes: &[u8; BYTES]) -> Self;
    /// Returns a table for [`ByteVector::look_up`].
    fn table(entries: &[u8; 16]) -> Self;
    /// Returns the entry of this table for each index, all below sixteen.
    fn look_up(self, indexes: Self) -> Self;
    /// Returns the sums modulo 256.
    fn add(self, other: Self) -> Self;
    /// Returns the sums, at most 255.
    fn saturating_add(self, other: Self) -> Self;
    /// Returns the differences modulo 256.
    fn sub(self, other: Self) -> Self;
    /// Returns half of the sums, rounded up.
    fn average(self, other: Self) -> Self;
    /// Returns the bits set in both.
    fn and(self, other: Self) -> Self;
    /// Divides each byte by `2^BITS`, rounding down.
    fn shift_right<const BITS: i32>(self) -> Self;
    /// Returns one bit per byte, the first the lowest: whether it is at most `max`.
    fn at_most(self, max: u8) -> u32;
}

/// Vector of plain bytes.
#[derive(Clone, Copy)]
pub struct PlainBytes([u8; BYTES]);

impl PlainBytes {
    #[inline(always)]
    fn zip(mut self, other: Self, operate: impl Fn(u8, u8) -> u8) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a = operate(*a, b);
        }
        self
    }
}

impl ByteVector for PlainBytes {
    #[inline(always)]
    fn splat(byte: u8) -> Self {
        PlainBytes([byte; BYTES])
    }
    #[inline(always)]
    fn from_bytes(bytes: &[u8; BYTES]) -> Self {
        PlainBytes(*bytes)
    }
    #[inline(always)]
    fn table(entries: &[u8; 16]) -> Self {
        PlainBytes(std::array::from_fn(|index| entries[index % 16]))
    }
    #[inline(always)]
    fn look_up(self, indexes: Self) -> Self {
        indexes.zip(indexes, |index, _| self.0[usize::from(index % 16)])
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, u8::wrapping_add)
    }
    #[inline(always)]
    fn saturating_add(self, other: Self) -> Self {
        self.zip(other, u8::saturating_add)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, u8::wrapping_sub)
    }
    #[inline(always)]
    fn average(self, other: Self) -> Self {
        self.zip(other, |a, b| (u16::from(a) + u16::from(b)).div_ceil(2) as u8)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        self.zip(self, |a, _| a >> BITS)
    }
    #[inline(always)]
    fn at_most(self, max: u8) -> u32 {
        let bits = self.0.iter().enumerate().map(|(at, byte)| u32::from(*byte <= max) << at);
        bits.fold(0, |all, bit| all | bit)
    }
}

/// Vector of bytes with AVX2.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BYTES, ByteVector};

    #[derive(Clone, Copy)]
    pub struct Avx2Bytes(__m256i);

    // SAFETY of all methods: only the vectors of `run_avx2` and `run_avx512` name this type, on machines with AVX2; loads need no alignment and
    // stay within arrays.
    impl ByteVector for Avx2Bytes {
        #[inline(always)]
        fn splat(byte: u8) -> Self {
            Avx2Bytes(unsafe { _mm256_set1_epi8(byte as i8) })
        }
        #[inline(always)]
        fn from_bytes(bytes: &[u8; BYTES]) -> Self {
            Avx2Bytes(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) })
        }
        #[inline(always)]
        fn table(entries: &[u8; 16]) -> Self {
            Avx2Bytes(unsafe {
                _mm256_broadcastsi128_si256(_mm_loadu_si128(entries.as_ptr().cast()))
            })
        }
        #[inline(always)]
        fn look_up(self, indexes: Self) -> Self {
            Avx2Bytes(unsafe { _mm256_shuffle_epi8(self.0, indexes.0) })
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Avx2Bytes(unsafe { _mm256_add_epi8(self.0, other.0) })
        }
        #[inline(always)]
        fn saturating_add(self, other: Self) -> Self {
            Avx2Bytes(unsafe { _mm256_adds_epu8(self.0, other.0) })
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            Avx2Bytes(unsafe { _mm256_sub_epi8(self.0, other.0) })
        }
        #[inline(always)]
        fn average(self, other: Self) -> Self {
            Avx2Bytes(unsafe { _mm256_avg_epu8(self.0, other.0) })
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Avx2Bytes(unsafe { _mm256_and_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn shift_right<const BITS: i32>(self) -> Self {
            // There is no shift of bytes: mask the bits that come from the byte above.
            Avx2Bytes(unsafe { _mm256_srli_epi16::<BITS>(self.0) }).and(Self::splat(0xff >> BITS))
        }
        #[inline(always)]
        fn at_most(self, max: u8) -> u32 {
            unsafe {
                let least = _mm256_min_epu8(self.0, Self::splat(max).0);
                _mm256_movemask_epi8(_mm256_cmpeq_epi8(least, self.0)) as u32
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::Avx2Bytes;
