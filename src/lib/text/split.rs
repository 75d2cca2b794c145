//! Where words begin and end, 64 bytes at a time: one bit a byte says what separates, and the edges of the runs of bits are the edges
//! of the words.

/// Bytes that are looked at together.
const BLOCK: usize = 64;
type Block = [u8; BLOCK];

/// Calls `visit` with the range of every word of a text: what stands between Unicode's white space, as `str::split_whitespace` has it.
#[inline(always)]
pub(crate) fn for_each_word(text: &str, visit: impl FnMut(usize, usize)) {
    let bytes = text.as_bytes();
    let mut spilled = 0;
    let separators = |block: &Block, base: usize| {
        let Masks { mut white, mut lead } = masks(block);
        white |= spilled;
        spilled = 0;
        while lead != 0 {
            let at = lead.trailing_zeros();
            lead &= lead - 1;
            let length = wide_space(&bytes[base + at as usize..]);
            // A character may reach into the next block.
            let bits = ((1u128 << length) - 1) << at;
            white |= bits as u64;
            spilled |= (bits >> BLOCK) as u64;
        }
        white
    };
    for_each_run(bytes, separators, visit);
}

/// Calls `visit` with the range of every run of bytes that holds no space.
#[inline(always)]
pub(crate) fn for_each_item(bytes: &[u8], visit: impl FnMut(usize, usize)) {
    for_each_run(bytes, |block, _| spaces(block), visit);
}

/// Calls `visit` with the range of every run of letters and digits of ASCII and of characters beyond it, whatever these are.
#[inline(always)]
pub(crate) fn for_each_lettered(text: &str, visit: impl FnMut(usize, usize)) {
    for_each_run(text.as_bytes(), |block, _| !lettered(block), visit);
}

/// Calls `visit` with the range of every run of bytes that are no separators. `separators` gets the blocks in order, each with its place,
/// the last one filled up with spaces.
#[inline(always)]
fn for_each_run(
    bytes: &[u8],
    mut separators: impl FnMut(&Block, usize) -> u64,
    mut visit: impl FnMut(usize, usize),
) {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let mut last = [b' '; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    let (mut start, mut before) = (0, 1);
    // One loop over all blocks: what is visited in one place becomes a part of it, and is not called.
    for number in 0..=blocks.len() {
        let (block, base) = (blocks.get(number).unwrap_or(&last), number * BLOCK);
        let mask = separators(block, base);
        let edges = mask ^ (mask << 1 | before);
        let (mut starts, mut ends) = (edges & !mask, edges & mask);
        // A run that began in an earlier block has its start already.
        if before == 1 {
            start = base + starts.trailing_zeros() as usize;
            starts &= starts.wrapping_sub(1);
        }
        before = mask >> (BLOCK - 1);
        while ends != 0 {
            visit(start, base + ends.trailing_zeros() as usize);
            ends &= ends - 1;
            // After the last run this is no start, but then the next block brings one.
            start = base + starts.trailing_zeros() as usize;
            starts &= starts.wrapping_sub(1);
        }
    }
}

/// One bit a byte of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Masks {
    /// ASCII's white space.
    white: u64,
    /// Bytes with which white space beyond ASCII may begin.
    lead: u64,
}

/// The length in bytes of the white space beyond ASCII that stands at the beginning, or 0. These are all characters of Unicode's
/// property `White_Space` from U+0080 on.
fn wide_space(bytes: &[u8]) -> u32 {
    match bytes {
        [0xc2, 0x85 | 0xa0, ..] => 2,
        [0xe1, 0x9a, 0x80, ..] | [0xe2, 0x81, 0x9f, ..] | [0xe3, 0x80, 0x80, ..] => 3,
        [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..] => 3,
        _ => 0,
    }
}

/// Byte by byte, where there are no such vectors.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod plain {
    use super::{Block, Masks};

    fn mask(block: &Block, is_set: impl Fn(u8) -> bool) -> u64 {
        block.iter().rev().fold(0, |mask, byte| mask << 1 | u64::from(is_set(*byte)))
    }

    pub(super) fn masks(block: &Block) -> Masks {
        let white = mask(block, |byte| matches!(byte, b'\t'..=b'\r' | b' '));
        Masks { white, lead: mask(block, |byte| matches!(byte, 0xc2 | 0xe1..=0xe3)) }
    }

    pub(super) fn spaces(block: &Block) -> u64 {
        mask(block, |byte| byte == b' ')
    }

    pub(super) fn lettered(block: &Block) -> u64 {
        mask(block, |byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
    }
}

#[cfg(not(target_arch = "x86_64"))]
use plain::{lettered, masks, spaces};

/// With SSE2, which every x86-64 has.
#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128,
        _mm_set1_epi8, _mm_sub_epi8,
    };

    use super::{BLOCK, Block, Masks};

    /// Bytes in a vector.
    const LANES: usize = 16;

    // SAFETY of all of these: SSE2 is a part of x86-64.

    #[inline(always)]
    fn mask(block: &Block, is_set: impl Fn(__m128i) -> __m128i) -> u64 {
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

    #[inline(always)]
    pub(super) fn masks(block: &Block) -> Masks {
        let is_white = |bytes| either(is(bytes, b' '), within(bytes, b'\t', b'\r'));
        let is_lead = |bytes| either(is(bytes, 0xc2), within(bytes, 0xe1, 0xe3));
        Masks { white: mask(block, is_white), lead: mask(block, is_lead) }
    }

    #[inline(always)]
    pub(super) fn spaces(block: &Block) -> u64 {
        mask(block, |bytes| is(bytes, b' '))
    }

    #[inline(always)]
    pub(super) fn lettered(block: &Block) -> u64 {
        let is_lettered = |bytes| {
            // Letters differ from those of the other case by this bit alone.
            let letter = within(unsafe { _mm_or_si128(bytes, _mm_set1_epi8(0x20)) }, b'a', b'z');
            // Of each byte the highest bit counts, which is set beyond ASCII.
            either(either(letter, within(bytes, b'0', b'9')), bytes)
        };
        mask(block, is_lettered)
    }
}

#[cfg(target_arch = "x86_64")]
use sse2::{lettered, masks, spaces};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        for_each_word(text, |start, end| found.push(&text[start..end]));
        found
    }

    #[test]
    fn every_character_separates_or_not_as_unicode_says() {
        for character in '\0'..=char::MAX {
            // In every place of a block, and over its end.
            let place = character as usize % (BLOCK + 1);
            let text = format!("{}{character}b", "a".repeat(place));
            assert!(words(&text).into_iter().eq(text.split_whitespace()), "{character:?}");
        }
        for character in ['\u{85}', '\u{a0}', '\u{2028}', '\u{3000}', '\u{1680}', ' ', 'é', '€']
        {
            for place in 0..=2 * BLOCK {
                let text = format!("{}{character}{character}b", "a".repeat(place));
                assert!(words(&text).into_iter().eq(text.split_whitespace()), "{text:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn words_are_those_of_split_whitespace(
            text in "([a-c]{0,70}[ \t\n\u{b}-\u{d}\u{85}\u{a0}\u{1680}\u{2000}-\u{2030}\u{205f}\u{3000}\u{c2}é€😀]{0,3}){0,9}|\\PC{0,200}"
        ) {
            prop_assert_eq!(words(&text), text.split_whitespace().collect::<Vec<_>>());
        }

        #[test]
        fn items_are_what_spaces_separate(text in "[ab\t\u{a0} ]{0,300}") {
            let mut found = Vec::new();
            for_each_item(text.as_bytes(), |start, end| found.push(&text[start..end]));
            let expected: Vec<&str> = text.split(' ').filter(|item| !item.is_empty()).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn lettered_runs_end_at_other_characters_of_ascii(text in "([a-cX-Z0-9é€😀]{0,70}[ @\\[`{/:_\t]{0,3}){0,9}") {
            let mut found = Vec::new();
            for_each_lettered(&text, |start, end| found.push(&text[start..end]));
            let is_other = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
            let expected: Vec<&str> = text.split(is_other).filter(|run| !run.is_empty()).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn vectors_and_single_bytes_agree(block in prop::array::uniform32(any::<u8>()), other in prop::array::uniform32(0u8..=40)) {
            let block: Block = [block, other].concat().try_into().unwrap();
            prop_assert_eq!(masks(&block), plain::masks(&block));
            prop_assert_eq!(spaces(&block), plain::spaces(&block));
            prop_assert_eq!(lettered(&block), plain::lettered(&block));
        }
    }
}
