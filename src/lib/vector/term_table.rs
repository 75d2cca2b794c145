//! Hash table of terms, each with a value.

use std::ops::Range;

use rayon::prelude::*;

use crate::bits::prefetch::prefetch;
use crate::bits::probe_table::{ProbeTable, Slot};
use crate::text::Key;

/// Slots per task of a parallel loop.
const SLOTS_PER_TASK: usize = 1 << 14;

/// Terms with values of type `T`. With a value of 12 bytes an entry is half a cache line, so nearly every lookup is a single cache miss.
#[derive(Debug, Clone)]
pub(crate) struct TermTable<T> {
    entries: ProbeTable<Entry<T>>,
    /// Terms that do not fit into their entries.
    text: String,
}

/// A term and its value, or a free slot.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
struct Entry<T> {
    /// The bytes of a short term in memory order, followed by zeros. Of a long term the hash and, in the upper half, the start of its text.
    head: u128,
    /// The term's length in bytes plus 1; 0 if the slot is free.
    length: u32,
    value: T,
}

impl<T: Copy + Default> Slot for Entry<T> {
    const MIN_SLOTS: usize = 64;
    const MAX_QUARTERS: usize = 3;

    #[inline(always)]
    fn is_free(&self) -> bool {
        self.length == 0
    }
}

impl<T: Copy + Default> Default for TermTable<T> {
    fn default() -> Self {
        TermTable { entries: ProbeTable::default(), text: String::new() }
    }
}

impl<T: Copy + Default> TermTable<T> {
    /// Returns the number of terms.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the slots in use, about in the order of hashes.
    pub fn used_slots(&self) -> impl Iterator<Item = usize> {
        self.used_slots_in(0..self.slots())
    }

    /// Returns all slots in ranges, for several threads.
    pub fn ranges(&self) -> impl IndexedParallelIterator<Item = Range<usize>> {
        let slots = self.slots();
        let tasks = (0..slots.div_ceil(SLOTS_PER_TASK)).into_par_iter();
        tasks.map(move |task| task * SLOTS_PER_TASK..((task + 1) * SLOTS_PER_TASK).min(slots))
    }

    /// Returns the slots of a range that are in use.
    pub fn used_slots_in(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        range.filter(|slot| !self.entry(*slot).is_free())
    }

    /// Returns the number of slots, free ones included.
    pub fn slots(&self) -> usize {
        self.entries.slots().len()
    }

    /// Prefetches the first slot of a search.
    #[inline(always)]
    pub fn prefetch(&self, key: &Key) {
        self.entries.prefetch(key.hash);
    }

    /// Prefetches a slot.
    pub fn prefetch_slot(&self, slot: usize) {
        prefetch(self.entry(slot));
    }

    /// Returns the value in a slot.
    #[inline(always)]
    pub fn value(&self, slot: usize) -> &T {
        &self.entry(slot).value
    }

    /// Returns the value in a slot, to be changed.
    #[inline(always)]
    pub fn value_mut(&mut self, slot: usize) -> &mut T {
        &mut self.entries.slot_mut(slot).value
    }

    /// Returns the term in a slot in use.
    pub fn term(&self, slot: usize) -> &str {
        let entry = self.entry(slot);
        match entry.term_length() {
            length if Key::fits(length) => {
                std::str::from_utf8(&bytemuck::bytes_of(&entry.head)[..length])
                    .expect("terms are text")
            }
            _ => entry.long_term(&self.text),
        }
    }

    /// Returns the key of the term in a slot in use.
    pub fn key(&self, slot: usize) -> Key {
        let entry = self.entry(slot);
        match entry.term_length() {
            length if Key::fits(length) => Key::short(u128::from_le(entry.head), length),
            _ => Key::of(self.term(slot)),
        }
    }

    /// Returns the first bytes of a term, padded with zeros, as a number of the same order.
    pub fn prefix(&self, slot: usize) -> u128 {
        self.key(slot).head.swap_bytes()
    }

    /// Returns the slot of a term.
    #[inline]
    pub fn find(&self, key: &Key, term: &str) -> Option<usize> {
        self.probe(key, || term).ok()
    }

    /// Returns the slot of a term; a new term gets a slot with the default value. `term` is called only for a long one. Slots change when
    /// the table grows.
    #[inline(always)]
    pub fn find_or_insert<'a>(&mut self, key: &Key, term: impl Fn() -> &'a str) -> usize {
        self.probe(key, &term).unwrap_or_else(|free| self.insert(free, key, term))
    }

    /// Grows to a capacity for `more` terms, best before those of another table are added.
    pub fn reserve(&mut self, more: usize) {
        self.entries.reserve(more, Entry::hash);
    }

    /// Returns the slot of a term, or the free slot for it.
    #[inline(always)]
    fn probe<'a>(&self, key: &Key, term: impl Fn() -> &'a str) -> Result<usize, usize> {
        if !key.holds_all() {
            return self.probe_long(key, term());
        }
        let (head, length) = (key.head.to_le(), key.length as u32 + 1);
        self.entries.find(key.hash, |entry| entry.head == head && entry.length == length)
    }

    fn probe_long(&self, key: &Key, term: &str) -> Result<usize, usize> {
        let (hash, length) = (key.hash, stored_length(term));
        self.entries.find(hash, |entry| {
            let has_hash = entry.head as u64 == hash && entry.length == length;
            has_hash && entry.long_term(&self.text) == term
        })
    }

    /// Puts a new term into a free slot, and returns its slot after the table has grown, if it had to.
    #[cold]
    fn insert<'a>(&mut self, free: usize, key: &Key, term: impl Fn() -> &'a str) -> usize {
        let (mut head, mut length) = (key.head.to_le(), key.length as u32 + 1);
        if !key.holds_all() {
            head = u128::from(key.hash) | (self.text.len() as u128) << u64::BITS;
            length = stored_length(term());
            self.text.push_str(term());
        }
        let entry = Entry { head, length, value: T::default() };
        if !self.entries.insert(free, entry, Entry::hash) {
            return free;
        }
        let is_it = |entry: &Entry<T>| entry.head == head && entry.length == length;
        self.entries.find(key.hash, is_it).expect("the term was inserted")
    }

    #[inline(always)]
    fn entry(&self, slot: usize) -> &Entry<T> {
        &self.entries.slots()[slot]
    }
}

impl<T: Copy + Default + Send + Sync> TermTable<T> {
    /// Creates a table that holds `terms` without growing.
    pub fn with_capacity(terms: usize) -> Self {
        TermTable { entries: ProbeTable::with_capacity(terms), text: String::new() }
    }

    /// Adds the terms of another table, with several threads. `add` gets a term's value here, which is the default if it is new, and there.
    pub fn absorb(&mut self, other: &Self, add: impl Fn(&mut T, &T) + Sync) {
        let text = &self.text;
        let parts = self.entries.parts_mut().enumerate();
        let size = other.slots() / Entry::<T>::MIN_SLOTS;
        let new = parts.map(|(number, mut part)| {
            let mut new = Vec::new();
            for slot in other.used_slots_in(number * size..(number + 1) * size) {
                let entry = other.entry(slot);
                match part.find(entry.hash(), |own| own.has_term_of(text, entry, &other.text)) {
                    Some(own) => add(&mut own.value, &entry.value),
                    None => new.push(slot),
                }
            }
            new
        });
        let new = new.collect::<Vec<_>>().concat();
        self.reserve(new.len());
        for slot in new {
            let own = self.find_or_insert(&other.key(slot), || other.term(slot));
            add(self.value_mut(own), other.value(slot));
        }
    }
}

impl<T> Entry<T> {
    /// The term's length in bytes; the slot is in use.
    fn term_length(&self) -> usize {
        self.length as usize - 1
    }

    /// A long term, in the text of its table.
    fn long_term<'a>(&self, text: &'a str) -> &'a str {
        let start = (self.head >> u64::BITS) as usize;
        &text[start..start + self.term_length()]
    }

    fn hash(&self) -> u64 {
        match self.term_length() {
            length if Key::fits(length) => Key::short(u128::from_le(self.head), length).hash,
            _ => self.head as u64,
        }
    }

    /// Whether two entries, each of a table with its own text, have the same term.
    fn has_term_of(&self, text: &str, other: &Self, other_text: &str) -> bool {
        if self.length != other.length || Key::fits(self.term_length()) {
            return self.length == other.length && self.head == other.head;
        }
        self.head as u64 == other.head as u64 && self.long_term(text) == other.long_term(other_text)
    }
}

/// The length of a long term as stored in its entry.
fn stored_length(term: &str) -> u32 {
    u32::try_from(term.len() + 1).expect("a term of fewer than 2^32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn entries_are_half_a_cache_line() {
        assert_eq!(size_of::<Entry<[u32; 3]>>(), 32);
    }

    fn table(words: &[String]) -> TermTable<u32> {
        let mut table = TermTable::default();
        for word in words {
            let slot = table.find_or_insert(&Key::of(word), || word);
            *table.value_mut(slot) += 1;
        }
        table
    }

    fn counts(table: &TermTable<u32>) -> Vec<(&str, u32)> {
        let mut counts: Vec<_> =
            table.used_slots().map(|slot| (table.term(slot), *table.value(slot))).collect();
        counts.sort_unstable();
        counts
    }

    fn words() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[a-cé\0]{0,4}|[ab]{15,18}|[a-z]{2}", 0..400)
    }

    proptest! {
        #[test]
        fn tables_are_maps(words in words(), others in words(), more in 0usize..300) {
            let (mut table, mut map) = (table(&words), BTreeMap::new());
            for word in &words {
                *map.entry(word.as_str()).or_insert(0) += 1;
            }
            table.reserve(more);
            prop_assert_eq!(table.len(), map.len());
            prop_assert_eq!(counts(&table), map.iter().map(|(word, count)| (*word, *count)).collect::<Vec<_>>());
            for word in words.iter().chain(&others) {
                let key = Key::of(word);
                table.prefetch(&key);
                prop_assert_eq!(table.find(&key, word).is_some(), map.contains_key(&**word));
            }
            for slot in table.used_slots() {
                table.prefetch_slot(slot);
                let term = table.term(slot);
                prop_assert_eq!(table.find(&Key::of(term), term), Some(slot));
                prop_assert_eq!(table.key(slot), Key::of(term));
                let mut bytes = [0; 16];
                bytes.iter_mut().zip(term.bytes()).for_each(|(to, byte)| *to = byte);
                prop_assert_eq!(table.prefix(slot), u128::from_be_bytes(bytes));
            }
            prop_assert_eq!(table.slots(), table.ranges().map(|range| range.len()).sum::<usize>());
        }

        #[test]
        fn absorbed_terms_are_those_of_both(one in words(), other in words()) {
            let mut both = table(&one);
            both.absorb(&table(&other), |known, more| *known += more);
            let together = table(&[one, other].concat());
            prop_assert_eq!(both.len(), together.len());
            prop_assert_eq!(counts(&both), counts(&together));
            for (term, _) in counts(&together) {
                prop_assert!(both.find(&Key::of(term), term).is_some());
            }
        }
    }
}
