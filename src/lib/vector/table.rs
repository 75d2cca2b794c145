//! A growing table of terms with something to each.

use std::num::NonZeroUsize;

use crate::bits::pages::advise_huge_pages;
use crate::text::Key;

/// Fewest places of a table.
const FEWEST: usize = 64;

/// Terms, each with a value, in an open-addressed table that is at most three quarters full. What is known of a term stands in one cache
/// line if its value is small, so that finding it is one wait for memory; all text stands in one piece.
#[derive(Debug)]
pub(crate) struct TermTable<V> {
    places: Vec<Option<Entry<V>>>,
    used: usize,
    text: String,
}

/// Begins a cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Entry<V> {
    key: Key,
    /// Where the text begins, counted from 1: what is never 0 leaves 0 to free places.
    start: NonZeroUsize,
    value: V,
}

impl<V> Entry<V> {
    fn term<'a>(&self, text: &'a str) -> &'a str {
        let start = self.start.get() - 1;
        &text[start..start + self.key.length()]
    }
}

impl<V> Default for TermTable<V> {
    fn default() -> Self {
        TermTable::with_room_for(0)
    }
}

impl<V> TermTable<V> {
    /// A table with room for so many terms.
    pub fn with_room_for(terms: usize) -> Self {
        let size = (terms + terms / 3 + 1).next_power_of_two().max(FEWEST);
        TermTable { places: free_places(size), used: 0, text: String::new() }
    }

    /// All terms in the order in which they came. They are put into it each time.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = &str> {
        let entries = self.places.iter().flatten();
        let mut ends: Vec<usize> =
            entries.map(|entry| entry.start.get() - 1 + entry.key.length()).collect();
        ends.sort_unstable();
        let mut start = 0;
        ends.into_iter().map(move |end| &self.text[std::mem::replace(&mut start, end)..end])
    }

    /// Takes a new term with its value and returns `None`; returns a known one's value.
    #[inline]
    pub fn insert(&mut self, key: &Key, term: &str, value: V) -> Option<&mut V> {
        let mask = self.places.len() - 1;
        let mut place = key.hash() as usize & mask;
        while let Some(entry) = &self.places[place] {
            if entry.key.is_same(key, || entry.term(&self.text) == term) {
                return self.places[place].as_mut().map(|entry| &mut entry.value);
            }
            place = (place + 1) & mask;
        }
        let start = NonZeroUsize::MIN.saturating_add(self.text.len());
        self.places[place] = Some(Entry { key: *key, start, value });
        self.text.push_str(term);
        self.used += 1;
        if self.used * 4 > self.places.len() * 3 {
            self.grow();
        }
        None
    }

    /// Doubles the table. Places are moved in their order, to two places that move along with them: no wait for memory.
    #[cold]
    fn grow(&mut self) {
        let mut places = free_places(self.places.len() * 2);
        let mask = places.len() - 1;
        for entry in std::mem::take(&mut self.places).into_iter().flatten() {
            let mut place = entry.key.hash() as usize & mask;
            while places[place].is_some() {
                place = (place + 1) & mask;
            }
            places[place] = Some(entry);
        }
        self.places = places;
    }
}

fn free_places<V>(size: usize) -> Vec<Option<Entry<V>>> {
    let mut places = Vec::with_capacity(size);
    advise_huge_pages(&places);
    places.resize_with(size, || None);
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn small_values_stand_beside_their_keys() {
        assert_eq!(size_of::<Option<Entry<[u64; 3]>>>(), 64);
    }

    proptest! {
        #[test]
        fn terms_and_values_are_those_of_a_map(words in prop::collection::vec("[a-c]{0,4}|[ab]{15,18}", 0..300), room in 0usize..200) {
            let mut table = TermTable::with_room_for(room);
            let mut map: HashMap<&str, u32> = HashMap::new();
            for word in &words {
                let key = Key::of(word);
                let known = table.insert(&key, word, 1u32).map(|value| { *value += 1; *value });
                let expected = map.entry(word).and_modify(|count| *count += 1).or_insert(1);
                prop_assert_eq!(known.unwrap_or(1), *expected);
            }
            prop_assert_eq!(table.used, map.len());
            let mut new = map.clone();
            let first = words.iter().filter(|word| new.remove(&***word).is_some());
            prop_assert!(table.terms().eq(first));
            for word in &words {
                prop_assert_eq!(table.insert(&Key::of(word), word, 0).copied(), Some(map[&**word]));
            }
        }
    }
}
