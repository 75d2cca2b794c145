//! Positions of words, 64 bytes at a time: one bit per byte marks separators, and the edges of the runs of bits are the edges of the words.

use crate::bits::classes::{BLOCK, ByteBlock, WhiteSpace, letters_and_digits, spaces, white_space};

/// Calls `visit` with the range of every word of a text: the parts between Unicode white space, as in `str::split_whitespace`.
#[inline(always)]
pub(crate) fn for_each_word(text: &str, visit: impl FnMut(usize, usize)) {
    let bytes = text.as_bytes();
    let mut spilled = 0;
    let separators = |block: &ByteBlock, base: usize| {
        let WhiteSpace { ascii, mut lead } = white_space(block);
        let mut white = ascii | spilled;
        spilled = 0;
        while lead != 0 {
            let at = lead.trailing_zeros();
            lead &= lead - 1;
            let length = wide_space(&bytes[base + at as usize..]);
            // A character may extend into the next block.
            let bits = ((1u128 << length) - 1) << at;
            white |= bits as u64;
            spilled |= (bits >> BLOCK) as u64;
        }
        white
    };
    for_each_run(bytes, separators, visit);
}

/// Calls `visit` with the range of every run of bytes without a space.
#[inline(always)]
pub(crate) fn for_each_item(bytes: &[u8], visit: impl FnMut(usize, usize)) {
    for_each_run(bytes, |block, _| spaces(block), visit);
}

/// Calls `visit` with the range of every run of ASCII letters and digits and of any characters beyond ASCII.
#[inline(always)]
pub(super) fn for_each_run_of_letters(text: &str, visit: impl FnMut(usize, usize)) {
    for_each_run(text.as_bytes(), |block, _| !letters_and_digits(block), visit);
}

/// Calls `visit` with the range of every run of bytes that are not separators. `separators` gets the blocks in order, each with its position,
/// the last one padded with spaces.
#[inline(always)]
fn for_each_run(
    bytes: &[u8],
    mut separators: impl FnMut(&ByteBlock, usize) -> u64,
    mut visit: impl FnMut(usize, usize),
) {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let mut last = [b' '; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    let (mut start, mut before) = (0, 1);
    // A single loop over all blocks: `visit` occurs at one place, so it is inlined.
    for number in 0..=blocks.len() {
        let (block, base) = (blocks.get(number).unwrap_or(&last), number * BLOCK);
        let mask = separators(block, base);
        let edges = mask ^ (mask << 1 | before);
        let (mut starts, mut ends) = (edges & !mask, edges & mask);
        // The start of a run that began in an earlier block is known.
        if before == 1 {
            start = base + starts.trailing_zeros() as usize;
            starts &= starts.wrapping_sub(1);
        }
        before = mask >> (BLOCK - 1);
        while ends != 0 {
            visit(start, base + ends.trailing_zeros() as usize);
            ends &= ends - 1;
            // After the last run this is no start; then the next block sets it.
            start = base + starts.trailing_zeros() as usize;
            starts &= starts.wrapping_sub(1);
        }
    }
}

/// The length in bytes of white space beyond ASCII at the start, or 0. These are all characters of Unicode's property `White_Space` from U+0080 on.
fn wide_space(bytes: &[u8]) -> u32 {
    match bytes {
        [0xc2, 0x85 | 0xa0, ..] => 2,
        [0xe1, 0x9a, 0x80, ..] | [0xe2, 0x81, 0x9f, ..] | [0xe3, 0x80, 0x80, ..] => 3,
        [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..] => 3,
        _ => 0,
    }
}

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
    fn unicode_white_space_separates_words() {
        for character in '\0'..=char::MAX {
            // At every position of a block, and across its end.
            let position = character as usize % (BLOCK + 1);
            let text = format!("{}{character}b", "a".repeat(position));
            assert!(words(&text).into_iter().eq(text.split_whitespace()), "{character:?}");
        }
        for character in ['\u{85}', '\u{a0}', '\u{2028}', '\u{3000}', '\u{1680}', ' ', 'é', '€']
        {
            for position in 0..=2 * BLOCK {
                let text = format!("{}{character}{character}b", "a".repeat(position));
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
        fn spaces_separate_items(text in "[ab\t\u{a0} ]{0,300}") {
            let mut found = Vec::new();
            for_each_item(text.as_bytes(), |start, end| found.push(&text[start..end]));
            let expected: Vec<&str> = text.split(' ').filter(|item| !item.is_empty()).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn runs_of_letters_end_at_other_ascii_characters(text in "([a-cX-Z0-9é€😀]{0,70}[ @\\[`{/:_\t]{0,3}){0,9}") {
            let mut found = Vec::new();
            for_each_run_of_letters(&text, |start, end| found.push(&text[start..end]));
            let is_other = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
            let expected: Vec<&str> = text.split(is_other).filter(|run| !run.is_empty()).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
