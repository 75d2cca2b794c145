//! Distinct words of a document, and the few that represent it.

use std::cmp::Ordering;

use twox_hash::XxHash3_64;

use super::lexicon_text::LexiconText;
use crate::bits::cpu::Cpu;
use crate::text::TextWords;

/// Buffers that a thread reuses for all of its documents.
pub struct Scratch {
    /// The instructions of inner loops.
    pub(super) cpu: Cpu,
    /// Hashes, of shingles or substrings.
    pub(super) hashes: Vec<u64>,
    /// Distinct words, or beginnings of substrings.
    pub(super) counts: HashCounts,
    pub(super) characters: Vec<char>,
    /// Positions, with a rank each.
    pub(super) ranked: Vec<(u64, usize)>,
    pub(super) lexicon_text: LexiconText,
}

impl Scratch {
    pub(super) fn new(cpu: Cpu) -> Self {
        let (hashes, counts, characters, ranked, lexicon_text) = Default::default();
        Scratch { cpu, hashes, counts, characters, ranked, lexicon_text }
    }
}

/// A distinct word of a document, or any other item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordCount {
    pub hash: u64,
    /// Number of its first occurrence among the words.
    pub first: usize,
    pub count: u64,
}

/// Counts of hashes, in the order of their first occurrence.
#[derive(Default)]
pub(super) struct HashCounts {
    pub items: Vec<WordCount>,
    /// Positions in `items`, from 1, by the lowest bits of hashes; 0 is a free slot. A power of two, or none.
    slots: Vec<u32>,
}

/// Slots of the smallest table: those of a common document fit the L1 cache.
const MIN_SLOTS: usize = 1024;

impl HashCounts {
    pub fn clear(&mut self) {
        // Few slots of a table that once held a large document are in use.
        if self.items.len() * 8 < self.slots.len() {
            for item in &self.items {
                let (mut slot, mask) = (item.hash as usize, self.slots.len() - 1);
                while self.slots[slot & mask] != 0 {
                    self.slots[slot & mask] = 0;
                    slot += 1;
                }
            }
        } else {
            self.slots.fill(0);
        }
        self.items.clear();
    }

    /// Counts a hash that occurs at `position`. Returns the position of its item.
    #[inline]
    pub fn add(&mut self, hash: u64, position: usize) -> usize {
        if self.items.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] as usize {
                0 => break,
                number if self.items[number - 1].hash == hash => {
                    self.items[number - 1].count += 1;
                    return number - 1;
                }
                _ => slot = (slot + 1) & mask,
            }
        }
        self.items.push(WordCount { hash, first: position, count: 1 });
        self.slots[slot] = u32::try_from(self.items.len()).expect("fewer than 2^32 words");
        self.items.len() - 1
    }

    fn grow(&mut self) {
        let slots = (self.slots.len() * 2).max(MIN_SLOTS);
        self.slots.clear();
        self.slots.resize(slots, 0);
        for (item, number) in self.items.iter().zip(1..) {
            let mut slot = item.hash as usize & (slots - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (slots - 1);
            }
            self.slots[slot] = number;
        }
    }
}

/// Returns the hash of a word or shingle.
#[inline]
pub(super) fn hash(text: &str) -> u64 {
    XxHash3_64::oneshot(text.as_bytes())
}

/// Returns the first eight bytes of a text as a big-endian number, with zeros for missing ones: numbers are in the order of the texts, except for
/// those that begin alike.
#[inline]
pub(super) fn first_bytes(text: &[u8]) -> u64 {
    if let Some(bytes) = text.first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        // Both contain the bytes in the middle.
        let last = u64::from(u32::from_be_bytes(*last)) << (8 * (8 - text.len()));
        return u64::from(u32::from_be_bytes(*first)) << 32 | last;
    }
    (0..).zip(text).fold(0, |number, (place, byte)| number | u64::from(*byte) << (56 - 8 * place))
}

/// Whether a word is a term of the frequency methods: it contains no digit.
#[inline]
pub(super) fn is_term(word: &str) -> bool {
    // Eight bytes at a time: the highest bit of a byte tells whether it is at least '0', and at most '9'.
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let mut digits = 0;
    for bytes in word.as_bytes().chunks(8) {
        let bytes = first_bytes(bytes);
        if bytes & (0x80 * ONES) != 0 {
            return !word.chars().any(char::is_numeric);
        }
        let (from_0, above_9) = (bytes + 0x50 * ONES, bytes + 0x46 * ONES);
        digits |= from_0 & !above_9 & (0x80 * ONES);
    }
    digits == 0
}

/// Counts the distinct words that `is_counted`.
pub(super) fn count_words(
    words: TextWords<'_>,
    counts: &mut HashCounts,
    is_counted: impl Fn(&str) -> bool,
) {
    counts.clear();
    let counted = words.iter().enumerate().filter(|(_, word)| is_counted(word));
    counted.for_each(|(position, word)| {
        counts.add(hash(word), position);
    });
}

/// Keeps the first `limit` items in an order, sorted.
pub(super) fn keep_first<T>(
    items: &mut Vec<T>,
    limit: usize,
    mut order: impl FnMut(&T, &T) -> Ordering,
) {
    if items.len() > limit && limit > 0 {
        items.select_nth_unstable_by(limit - 1, &mut order);
    }
    items.truncate(limit);
    items.sort_unstable_by(order);
}

/// Appends the CRC-32 of texts, joined with a byte that no word contains, unless there is none.
pub(super) fn push_checksum<'a>(texts: impl Iterator<Item = &'a str>, print: &mut Vec<u64>) {
    let mut hasher = crc32fast::Hasher::new();
    let mut count = 0;
    for text in texts {
        hasher.update(text.as_bytes());
        hasher.update(b"\n");
        count += 1;
    }
    if count > 0 {
        print.push(u64::from(hasher.finalize()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn terms_have_no_digit(word in "[a-z0-9/:é٣½]{0,20}|[a-z]{0,20}[0-9/:٣]?[a-z]{0,4}") {
            prop_assert_eq!(is_term(&word), !word.chars().any(char::is_numeric));
        }

        #[test]
        fn first_bytes_are_in_the_order_of_texts(one in prop::collection::vec(0u8..4, 0..10), other in prop::collection::vec(0u8..4, 0..10)) {
            let padded = |text: &[u8]| std::array::from_fn(|at| text.get(at).copied().unwrap_or(0));
            prop_assert_eq!(first_bytes(&one), u64::from_be_bytes(padded(&one)));
            let order = first_bytes(&one).cmp(&first_bytes(&other));
            prop_assert!(order.is_eq() || order == one.cmp(&other));
        }

        #[test]
        fn hashes_are_counted(lists in prop::collection::vec(prop::collection::vec(prop_oneof![0u64..9, (0u64..9).prop_map(|h| h << 20), any::<u64>()], 0..1500), 1..4)) {
            let mut counts = HashCounts::default();
            for hashes in lists {
                counts.clear();
                let mut expected: BTreeMap<u64, (usize, u64)> = BTreeMap::new();
                for (position, hash) in hashes.iter().enumerate() {
                    let item = counts.add(*hash, position);
                    prop_assert_eq!(counts.items[item].hash, *hash);
                    expected.entry(*hash).or_insert((position, 0)).1 += 1;
                }
                prop_assert!(counts.items.is_sorted_by_key(|item| item.first));
                let found: BTreeMap<u64, (usize, u64)> =
                    counts.items.iter().map(|item| (item.hash, (item.first, item.count))).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
