//! Distinct words of a document, and the few that represent it.

use std::cmp::Ordering;

use twox_hash::XxHash3_64;

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
    pub(super) bytes: Vec<u8>,
}

impl Scratch {
    pub(super) fn new(cpu: Cpu) -> Self {
        let (hashes, counts, characters, ranked, bytes) = Default::default();
        Scratch { cpu, hashes, counts, characters, ranked, bytes }
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

/// Whether a word is a term of the frequency methods: it contains no digit.
#[inline]
pub(super) fn is_term(word: &str) -> bool {
    !word.bytes().any(|byte| byte.is_ascii_digit())
        && (word.is_ascii() || !word.chars().any(char::is_numeric))
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
