//! Keys of terms: the first bytes, the length and a hash. Tables store keys inline, so most comparisons need no access to the term's text.

use super::characters::letters_of;

/// Bytes of a term in its key. Most terms are no longer.
const HEAD: usize = 16;
/// Odd constants without a pattern: the fractions of the golden ratio and of two square roots.
const MIXERS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b];

/// Masks of the first bytes of a head. A table, because a 128-bit shift takes many instructions.
const MASKS: [u128; HEAD + 1] = {
    let mut masks = [u128::MAX; HEAD + 1];
    let mut length = 0;
    while length < HEAD {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// A term's first 16 bytes, padded with zeros, its length and a hash of all of it. No output depends on the hash. Aligned so that no key spans two
/// cache lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(align(32))]
pub struct Key {
    /// The first 16 bytes, little-endian, padded with zeros.
    pub(crate) head: u128,
    /// A hash of the whole term.
    pub(crate) hash: u64,
    /// The term's length in bytes.
    pub(crate) length: usize,
}

impl Key {
    /// Returns the key of a term.
    pub fn of(term: &str) -> Self {
        Key::within(term.as_bytes(), 0, term.len())
    }

    /// Returns the key of the term at `start..end` of `text`. With the surrounding text at hand this takes few instructions and no branch that
    /// depends on the length.
    #[inline(always)]
    pub(crate) fn within(text: &[u8], start: usize, end: usize) -> Self {
        let mut key = Key::short(head_within(text, start, end), end - start);
        if !key.holds_all() {
            key.hash = hash_rest(key.hash, &text[start + HEAD..end]);
        }
        key
    }

    /// Returns the key of the lower-case form of a term of ASCII letters and digits, if it fits into the head.
    #[inline(always)]
    pub(crate) fn lower_within(text: &[u8], start: usize, end: usize) -> Option<Self> {
        // Upper-case letters lack only this bit; digits have it.
        const LOWER: u128 = u128::from_ne_bytes([0x20; HEAD]);
        let length = end - start;
        let mask = MASKS.get(length)?;
        Some(Key::short(head_within(text, start, end) | LOWER & mask, length))
    }

    /// Returns the key of a term that fits into the head, padded with zeros.
    #[inline(always)]
    pub(crate) fn short(head: u128, length: usize) -> Self {
        let hash = mixed(head, MIXERS[1] ^ (length as u64).wrapping_mul(MIXERS[2]));
        Key { head, hash, length }
    }

    /// Returns whether a term of this many bytes fits into the head.
    #[inline]
    pub(crate) fn fits(length: usize) -> bool {
        length <= HEAD
    }

    /// Returns the number of letters of a term that fits into the head; a character of a script without spaces counts as several.
    #[inline]
    pub(crate) fn letters(&self) -> usize {
        const FIRST_BITS: u128 = u128::from_ne_bytes([0x80; HEAD]);
        if self.head & FIRST_BITS == 0 {
            return self.length;
        }
        // Characters of three and more bytes start with the bits 111. Those of fewer belong to scripts with spaces.
        if self.head & self.head << 1 & self.head << 2 & FIRST_BITS != 0 {
            return self.letters_by_character();
        }
        // Continuation bytes start with the bits 10.
        let others = self.head & !(self.head << 1) & FIRST_BITS;
        self.length - others.count_ones() as usize
    }

    #[inline(never)]
    fn letters_by_character(&self) -> usize {
        let bytes = self.head.to_le_bytes();
        let text = std::str::from_utf8(&bytes[..self.length]).unwrap_or_default();
        text.chars().map(letters_of).sum()
    }

    /// Returns whether the key contains the whole term.
    #[inline]
    pub(crate) fn holds_all(&self) -> bool {
        Key::fits(self.length)
    }

    /// Returns whether two keys belong to the same term. Calls `is_same_text` only if the keys do not decide.
    #[inline]
    pub(crate) fn is_same(&self, other: &Key, is_same_text: impl FnOnce() -> bool) -> bool {
        self == other && (self.holds_all() || is_same_text())
    }

    /// Appends the term, which is `text`. A short one is copied with fixed length and then truncated.
    #[inline]
    pub(crate) fn append_to(&self, line: &mut Vec<u8>, text: &str) {
        if self.holds_all() {
            line.extend_from_slice(&self.head.to_le_bytes());
            line.truncate(line.len() - HEAD + self.length);
        } else {
            line.extend_from_slice(text.as_bytes());
        }
    }
}

/// The head of the term at `start..end` of `text`.
#[inline(always)]
fn head_within(text: &[u8], start: usize, end: usize) -> u128 {
    match text.get(start..start + HEAD) {
        Some(bytes) => {
            let bytes = u128::from_le_bytes(bytes.try_into().expect("as many bytes"));
            bytes & MASKS[(end - start).min(HEAD)]
        }
        None => head_at_end(&text[start..end]),
    }
}

/// The head of a term near the end of its text.
#[cold]
fn head_at_end(term: &[u8]) -> u128 {
    let mut bytes = [0; HEAD];
    let length = term.len().min(HEAD);
    bytes[..length].copy_from_slice(&term[..length]);
    u128::from_le_bytes(bytes)
}

#[cold]
fn hash_rest(hash: u64, rest: &[u8]) -> u64 {
    rest.chunks(HEAD).fold(hash, |hash, chunk| mixed(head_at_end(chunk), hash))
}

/// Folds both halves of a product: every bit of either factor flips about half of the result's bits.
#[inline(always)]
fn mixed(head: u128, state: u64) -> u64 {
    let (low, high) = (head as u64 ^ MIXERS[0], (head >> 64) as u64 ^ state);
    let product = u128::from(low) * u128::from(high);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_strings_rarely_share_a_hash() {
        // All strings of up to three letters of an alphabet of 40: the low and the high halves are used apart.
        let letters: Vec<char> = (b'0'..b'0' + 40).map(char::from).collect();
        let mut strings = vec![String::new()];
        for length in 0..3 {
            let longest: Vec<_> = strings.iter().filter(|s| s.len() == length).cloned().collect();
            for string in longest {
                strings.extend(letters.iter().map(|letter| format!("{string}{letter}")));
            }
        }
        for half in [0, 32] {
            let mut halves: Vec<u32> =
                strings.iter().map(|string| (Key::of(string).hash >> half) as u32).collect();
            halves.sort_unstable();
            halves.dedup();
            // By chance about n² / 2³³ = 0.5 of n = 65,641 values would be missing.
            assert!(strings.len() - halves.len() < 10, "{half}: {}", halves.len());
        }
    }

    proptest! {
        #[test]
        fn keys_do_not_depend_on_surrounding_text(
            before in "[ab]{0,3}", term in "[ab\0é€😀中กह한]{0,20}", after in "[ab]{0,20}",
        ) {
            let text = format!("{before}{term}{after}");
            let key = Key::within(text.as_bytes(), before.len(), before.len() + term.len());
            prop_assert_eq!(key, Key::of(&term));
            let mut line = b"x".to_vec();
            key.append_to(&mut line, &term);
            prop_assert!(!key.holds_all() || key.letters() == term.chars().map(letters_of).sum::<usize>());
            prop_assert_eq!(line, format!("x{term}").into_bytes());
        }

        #[test]
        fn lower_case_keys_are_keys_of_lower_case_terms(term in "[a-cX-Z0-9]{1,18}", after in "[ X]{0,20}") {
            let text = format!("{term}{after}");
            let expected = Key::of(&term.to_lowercase());
            let found = Key::lower_within(text.as_bytes(), 0, term.len());
            prop_assert_eq!(found, expected.holds_all().then_some(expected));
        }

        #[test]
        fn keys_are_equal_exactly_for_equal_terms(left in "[ab\0]{0,34}", place in 0usize..34) {
            let mut right = left.clone().into_bytes();
            let same = |left: &str, right: &str| Key::of(left).is_same(&Key::of(right), || left == right);
            if let Some(byte) = right.get_mut(place) {
                *byte ^= 1;
            }
            let right = String::from_utf8(right).unwrap();
            prop_assert!(same(&left, &left));
            prop_assert_eq!(same(&left, &right), left == right);
            let longer = format!("{left}\0");
            prop_assert!(!same(&left, &longer));
        }
    }
}
