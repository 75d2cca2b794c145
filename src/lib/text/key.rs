//! What of a term is looked at first: its beginning and a hash. Tables keep keys side by side, so that they need not follow a term into
//! the memory where its text stands.

/// Bytes of a term that its key holds. Most terms have no more.
const HEAD: usize = 16;
/// Odd constants without a pattern: the fractions of the golden ratio and of two square roots.
const MIXERS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b];

/// The bits of a head that a term with so many bytes fills. A table, because shifts of 128 bits are many instructions.
const MASKS: [u128; HEAD + 1] = {
    let mut masks = [u128::MAX; HEAD + 1];
    let mut length = 0;
    while length < HEAD {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// A term's first 16 bytes (followed by zeros where it has fewer), its length and a hash of all of it. Nothing that is written depends on the hash.
/// No key lies in two cache lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(align(32))]
pub struct Key {
    head: u128,
    hash: u64,
    length: usize,
}

impl Key {
    /// The key of a term.
    pub fn of(term: &str) -> Self {
        Key::within(term.as_bytes(), 0, term.len())
    }

    /// The key of the term that stands in `text` from `start` to `end`. Knowing what surrounds the term makes it a matter of a few instructions
    /// without a branch that depends on its length.
    #[inline(always)]
    pub(crate) fn within(text: &[u8], start: usize, end: usize) -> Self {
        let mut key = Key::short(head_within(text, start, end), end - start);
        if !key.holds_all() {
            key.hash = hash_rest(key.hash, &text[start + HEAD..end]);
        }
        key
    }

    /// The key of the term in lower case, if that is one of ASCII letters and digits, and fits into its head.
    #[inline(always)]
    pub(crate) fn lower_within(text: &[u8], start: usize, end: usize) -> Option<Self> {
        // Letters differ from those of the other case by this bit alone, which digits have anyway.
        const LOWER: u128 = u128::from_ne_bytes([0x20; HEAD]);
        let length = end - start;
        let mask = MASKS.get(length)?;
        Some(Key::short(head_within(text, start, end) | LOWER & mask, length))
    }

    /// The key of a term that fits into its head, with zeros behind it.
    #[inline(always)]
    pub(crate) fn short(head: u128, length: usize) -> Self {
        let hash = mixed(head, MIXERS[1] ^ (length as u64).wrapping_mul(MIXERS[2]));
        Key { head, hash, length }
    }

    /// Whether a term with so many bytes fits into its head.
    #[inline]
    pub(crate) fn fits(length: usize) -> bool {
        length <= HEAD
    }

    /// The hash.
    #[inline]
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// The first 16 bytes, the first one lowest, followed by zeros.
    #[inline]
    pub(crate) fn head(&self) -> u128 {
        self.head
    }

    /// The term's length in bytes.
    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// How many characters a term has that fits into its head.
    #[inline]
    pub(crate) fn characters(&self) -> usize {
        const FIRST_BITS: u128 = u128::from_ne_bytes([0x80; HEAD]);
        if self.head & FIRST_BITS == 0 {
            return self.length;
        }
        // The bytes behind the first one of a character begin with 10.
        let others = self.head & !(self.head << 1) & FIRST_BITS;
        self.length - others.count_ones() as usize
    }

    /// Whether head and length are all of the term.
    #[inline]
    pub(crate) fn holds_all(&self) -> bool {
        Key::fits(self.length)
    }

    /// Whether two keys are those of the same term; `is_same_text` is asked only if the keys cannot tell.
    #[inline]
    pub(crate) fn is_same(&self, other: &Key, is_same_text: impl FnOnce() -> bool) -> bool {
        self == other && (self.holds_all() || is_same_text())
    }

    /// Appends the term, which is `text`. For a short one that is a copy of fixed length, of which the rest is cut off again.
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

/// The head of the term that stands in `text` from `start` to `end`.
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

/// The head of a term that ends where its text ends.
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

/// Both halves of a product: every bit of either factor moves about half of the result's.
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
        fn keys_do_not_depend_on_what_surrounds_a_term(
            before in "[ab]{0,3}", term in "[ab\0é€😀]{0,20}", after in "[ab]{0,20}",
        ) {
            let text = format!("{before}{term}{after}");
            let key = Key::within(text.as_bytes(), before.len(), before.len() + term.len());
            prop_assert_eq!(key, Key::of(&term));
            let mut line = b"x".to_vec();
            key.append_to(&mut line, &term);
            prop_assert!(!key.holds_all() || key.characters() == term.chars().count());
            prop_assert_eq!(line, format!("x{term}").into_bytes());
        }

        #[test]
        fn keys_in_lower_case_are_those_of_the_term_in_lower_case(term in "[a-cX-Z0-9]{1,18}", after in "[ X]{0,20}") {
            let text = format!("{term}{after}");
            let expected = Key::of(&term.to_lowercase());
            let found = Key::lower_within(text.as_bytes(), 0, term.len());
            prop_assert_eq!(found, expected.holds_all().then_some(expected));
        }

        #[test]
        fn keys_are_the_same_where_terms_are(left in "[ab\0]{0,34}", place in 0usize..34) {
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
