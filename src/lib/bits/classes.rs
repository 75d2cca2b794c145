//! Classes of 64 bytes at a time: one bit per byte, the first byte lowest.

/// Bytes per block.
pub(crate) const BLOCK: usize = 64;
/// Bytes that are classified together.
pub(crate) type ByteBlock = [u8; BLOCK];

/// White space of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct WhiteSpace {
    /// ASCII white space.
    pub ascii: u64,
    /// Bytes that may start white space beyond ASCII in UTF-8.
    pub lead: u64,
}

/// Scalar twin, used where there is no SSE2.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod scalar {
    use super::{ByteBlock, WhiteSpace};

    fn mask(block: &ByteBlock, is_set: impl Fn(u8) -> bool) -> u64 {
        block.iter().rev().fold(0, |mask, byte| mask << 1 | u64::from(is_set(*byte)))
    }

    pub fn white_space(block: &ByteBlock) -> WhiteSpace {
        let ascii = mask(block, |byte| matches!(byte, b'\t'..=b'\r' | b' '));
        WhiteSpace { ascii, lead: mask(block, |byte| matches!(byte, 0xc2 | 0xe1..=0xe3)) }
    }

    pub fn spaces(block: &ByteBlock) -> u64 {
        mask(block, |byte| byte == b' ')
    }

    pub fn letters_and_digits(block: &ByteBlock) -> u64 {
        mask(block, |byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use scalar::{letters_and_digits, spaces, white_space};

/// SSE2, which every x86-64 processor has.
#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128,
        _mm_set1_epi8, _mm_sub_epi8,
    };

    use super::{BLOCK, ByteBlock, WhiteSpace};

    /// Bytes per vector.
    const LANES: usize = 16;

    // SAFETY of all unsafe blocks: SSE2 is part of x86-64.

    #[inline(always)]
    fn mask(block: &ByteBlock, is_set: impl Fn(__m128i) -> __m128i) -> u64 {
        (0..BLOCK / LANES).fold(0, |mask, part| {
            // SAFETY: a block holds BLOCK / LANES vectors; the load needs no alignment.
            let bytes = unsafe { _mm_loadu_si128(block.as_ptr().add(part * LANES).cast()) };
            let bits = unsafe { _mm_movemask_epi8(is_set(bytes)) } as u32;
            mask | u64::from(bits) << (part * LANES)
        })
    }

    #[inline(always)]
    fn is(bytes: __m128i, byte: u8) -> __m128i {
        unsafe { _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8)) }
    }

    /// Bytes from `first` to `last`.
    #[inline(always)]
    fn within(bytes: __m128i, first: u8, last: u8) -> __m128i {
        unsafe {
            let above = _mm_sub_epi8(bytes, _mm_set1_epi8(first as i8));
            _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8((last - first) as i8)), above)
        }
    }

    #[inline(always)]
    fn either(left: __m128i, right: __m128i) -> __m128i {
        unsafe { _mm_or_si128(left, right) }
    }

    /// White space of a block.
    #[inline(always)]
    pub fn white_space(block: &ByteBlock) -> WhiteSpace {
        let is_white = |bytes| either(is(bytes, b' '), within(bytes, b'\t', b'\r'));
        let is_lead = |bytes| either(is(bytes, 0xc2), within(bytes, 0xe1, 0xe3));
        WhiteSpace { ascii: mask(block, is_white), lead: mask(block, is_lead) }
    }

    /// Spaces of a block.
    #[inline(always)]
    pub fn spaces(block: &ByteBlock) -> u64 {
        mask(block, |bytes| is(bytes, b' '))
    }

    /// ASCII letters and digits, and all bytes beyond ASCII.
    #[inline(always)]
    pub fn letters_and_digits(block: &ByteBlock) -> u64 {
        let is_part = |bytes| {
            // Upper-case and lower-case letters differ in this bit alone.
            let letter = within(unsafe { _mm_or_si128(bytes, _mm_set1_epi8(0x20)) }, b'a', b'z');
            // The highest bit of each byte counts; it is set beyond ASCII.
            either(either(letter, within(bytes, b'0', b'9')), bytes)
        };
        mask(block, is_part)
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use sse2::{letters_and_digits, spaces, white_space};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn vectors_and_single_bytes_agree(block in prop::array::uniform32(any::<u8>()), other in prop::array::uniform32(0u8..=40)) {
            let block: ByteBlock = [block, other].concat().try_into().unwrap();
            prop_assert_eq!(white_space(&block), scalar::white_space(&block));
            prop_assert_eq!(spaces(&block), scalar::spaces(&block));
            prop_assert_eq!(letters_and_digits(&block), scalar::letters_and_digits(&block));
        }
    }
}
