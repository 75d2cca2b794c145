//! A growing table of terms with something to each.

use super::pages::{in_large_pages, prefetch};
use super::slots::Slots;
use crate::text::{CountedTerm, Key};

/// Terms, numbered in the order in which they came, each with a value. All text stands in one piece of memory.
#[derive(Debug)]
pub(crate) struct TermTable<V> {
    slots: Slots,
    entries: Vec<Entry<V>>,
    text: String,
}

#[derive(Debug)]
struct Entry<V> {
    key: Key,
    start: usize,
    value: V,
}

impl<V> Default for TermTable<V> {
    fn default() -> Self {
        TermTable { slots: Slots::with_room_for(0), entries: Vec::new(), text: String::new() }
    }
}

impl<V> TermTable<V> {
    /// A table with room for so many terms.
    pub fn with_room_for(terms: usize) -> Self {
        let (slots, entries) = (Slots::with_room_for(terms), Vec::with_capacity(terms));
        TermTable { slots, entries, text: String::new() }
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The term with this number.
    pub fn term(&self, number: usize) -> &str {
        let end = self.entries.get(number + 1).map_or(self.text.len(), |next| next.start);
        &self.text[self.entries[number].start..end]
    }

    /// All terms in their order.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|number| self.term(number))
    }

    /// The key and the value of the term with this number.
    pub fn entry(&self, number: usize) -> (&Key, &V) {
        let entry = &self.entries[number];
        (&entry.key, &entry.value)
    }

    /// Gives a new term its number and value and returns `None`; returns a known one's value.
    #[inline]
    pub fn insert(&mut self, key: &Key, term: &str, value: V) -> Option<&mut V> {
        let is_same =
            |number: usize| self.entries[number].key.is_same(key, || self.term(number) == term);
        match self.slots.find(key.hash(), is_same) {
            Ok(number) => return Some(&mut self.entries[number].value),
            Err(slot) => self.slots.fill(slot, key.hash(), self.entries.len()),
        }
        self.entries.push(Entry { key: *key, start: self.text.len(), value });
        self.text.push_str(term);
        if self.slots.is_full() {
            self.slots.grow(self.entries.iter().map(|entry| entry.key.hash()));
            // There will be as many again.
            self.entries.reserve_exact(self.entries.len());
            in_large_pages(&self.entries);
        }
        None
    }

    /// Asks for what [`TermTable::insert`] will read of these terms, so that it waits for memory once and not for each.
    pub fn prefetch(&self, terms: &[CountedTerm<'_>]) {
        terms.iter().for_each(|term| self.slots.prefetch(term.key.hash()));
        for number in terms.iter().filter_map(|term| self.slots.candidate(term.key.hash())) {
            let entry = &self.entries[number];
            prefetch(&entry.key);
            prefetch(&entry.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn numbers_and_values_are_those_of_a_map(words in prop::collection::vec("[a-c]{0,4}|[ab]{15,18}", 0..300)) {
            let mut table = TermTable::default();
            let mut map: HashMap<&str, (usize, u32)> = HashMap::new();
            for word in &words {
                let key = Key::of(word);
                table.prefetch(&[CountedTerm { text: word, key, count: 1 }]);
                let known = table.insert(&key, word, 1u32).map(|value| { *value += 1; *value });
                let next = map.len();
                let expected = map.entry(word).and_modify(|(_, count)| *count += 1);
                let expected = expected.or_insert((next, 1));
                prop_assert_eq!(known.unwrap_or(1), expected.1);
            }
            prop_assert_eq!(table.len(), map.len());
            for (number, term) in table.terms().enumerate() {
                prop_assert_eq!((number, *table.entry(number).1), map[term]);
            }
        }
    }
}
