//! A growing table of terms with their counts.

use std::collections::HashMap;

use super::pages::in_large_pages;
use crate::bits::prefetch::prefetch;
use crate::text::Key;

/// Fewest entries of a table: a power of two.
const FEWEST: usize = 64;
/// Instead of a number of occurrences: there are more than fit beside the others.
const MANY: u32 = u32::MAX;

/// Terms and their counts in an open-addressed table that is at most three quarters full. An entry is half a cache line, and the second place where
/// it may stand is in the same line: nearly every search waits for memory once. Entries stand about in the order of their hashes, so that
/// tables are put together, and grow, without waiting at all.
#[derive(Debug)]
pub(super) struct CountTable {
    entries: Vec<Entry>,
    used: usize,
    /// The terms that do not fit into their entries.
    text: String,
    /// Occurrences of the terms that have very many.
    many: HashMap<Box<str>, u64>,
}

/// A term with its counts, or nothing.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
struct Entry {
    /// A short term, as in its key. Of a long one the hash, and in the higher half where its text begins.
    head: u128,
    /// The term's length in bytes, counted from 1; 0 if there is none.
    length: u32,
    /// How often it occurs, or [`MANY`].
    occurrences: u32,
    /// How many documents have it.
    documents: u32,
    /// The last of these.
    last: u32,
}

/// What cannot be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Uncountable {
    /// A term for the second time in one document.
    Twice,
    /// More occurrences than there are numbers.
    TooMany,
}

/// A term of a table, without the text of a long one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// The first bytes, followed by zeros, as a number that orders as they do.
    pub head: u128,
    /// Where the text begins, if the head does not hold all of it.
    start: usize,
    length: u32,
    pub documents: u32,
    pub occurrences: u64,
}

impl Default for CountTable {
    fn default() -> Self {
        let (entries, text, many) = (free_entries(FEWEST), String::new(), HashMap::new());
        CountTable { entries, used: 0, text, many }
    }
}

impl CountTable {
    /// Asks for the memory that [`CountTable::add`] will read.
    #[inline]
    pub fn prefetch(&self, key: &Key) {
        prefetch(&self.entries[self.home(key.hash())]);
    }

    /// Counts a term in document `last`, counted from 1; a document is counted completely before the next one.
    #[inline]
    pub fn add(&mut self, key: &Key, term: &str, count: u64, last: u32) -> Result<(), Uncountable> {
        let place = self.place(key, term);
        let entry = &mut self.entries[place];
        if entry.last == last {
            return Err(Uncountable::Twice);
        }
        entry.last = last;
        self.count(place, term, count, 1)
    }

    #[inline]
    fn count(
        &mut self,
        place: usize,
        term: &str,
        occurrences: u64,
        documents: u32,
    ) -> Result<(), Uncountable> {
        let entry = &mut self.entries[place];
        let sum = entry.documents.checked_add(documents);
        entry.documents = sum.expect("fewer than 2^32 documents");
        let sum = u64::from(entry.occurrences).saturating_add(occurrences);
        if sum >= u64::from(MANY) {
            return self.count_many(place, term, occurrences);
        }
        entry.occurrences = sum as u32;
        Ok(())
    }

    #[cold]
    fn count_many(&mut self, place: usize, term: &str, more: u64) -> Result<(), Uncountable> {
        let entry = &mut self.entries[place];
        let before = u64::from(entry.occurrences);
        let sum = self.many.entry(term.into()).or_insert(before);
        *sum = sum.checked_add(more).ok_or(Uncountable::TooMany)?;
        entry.occurrences = MANY;
        Ok(())
    }

    /// Where the term stands; a new one gets a place.
    #[inline(always)]
    fn place(&mut self, key: &Key, term: &str) -> usize {
        if !key.holds_all() {
            return self.place_of_long(key, term);
        }
        let (home, length) = (self.home(key.hash()), key.length() as u32 + 1);
        let mut step = 0;
        loop {
            let entry = &self.entries[home ^ step];
            if entry.head == key.head() && entry.length == length {
                return home ^ step;
            }
            if entry.length == 0 {
                return self.fill(home ^ step, key.hash(), key.head(), length);
            }
            step += 1;
        }
    }

    fn place_of_long(&mut self, key: &Key, term: &str) -> usize {
        let length = u32::try_from(term.len() + 1).expect("a term of fewer than 2^32 bytes");
        let home = self.home(key.hash());
        for place in (0..self.entries.len()).map(|step| home ^ step) {
            let entry = &self.entries[place];
            if entry.length == 0 {
                let head = u128::from(key.hash()) | (self.text.len() as u128) << u64::BITS;
                self.text.push_str(term);
                return self.fill(place, key.hash(), head, length);
            }
            let may_be = entry.head as u64 == key.hash() && entry.length == length;
            if may_be && self.text_of_long(entry.start(), entry.length) == term {
                return place;
            }
        }
        unreachable!("a table has free entries")
    }

    /// Takes a new term into a free entry, and returns where it stands then.
    fn fill(&mut self, place: usize, hash: u64, head: u128, length: u32) -> usize {
        self.entries[place] = Entry { head, length, ..Entry::default() };
        self.used += 1;
        if self.used * 4 <= self.entries.len() * 3 {
            return place;
        }
        self.grow();
        let home = self.home(hash);
        let is_it = |place: &usize| {
            self.entries[*place].head == head && self.entries[*place].length == length
        };
        (0..self.entries.len()).map(|step| home ^ step).find(is_it).expect("it was moved too")
    }

    #[cold]
    fn grow(&mut self) {
        let larger = free_entries(self.entries.len() * 2);
        for entry in std::mem::replace(&mut self.entries, larger) {
            if entry.length != 0 {
                let (mut step, home) = (0, self.home(entry.hash()));
                while self.entries[home ^ step].length != 0 {
                    step += 1;
                }
                self.entries[home ^ step] = entry;
            }
        }
    }

    /// The highest bits, so that entries are in the order of their hashes.
    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (hash >> (u64::BITS - self.entries.len().trailing_zeros())) as usize
    }

    /// Both tables' terms with the sums of their counts, or the term of which there are too many. Documents of the two are different ones.
    pub fn merged(self, other: Self) -> Result<Self, Box<str>> {
        let (mut all, other) = if self.used < other.used { (other, self) } else { (self, other) };
        for entry in other.entries.iter().filter(|entry| entry.length != 0) {
            let found = other.found(entry);
            let mut bytes = [0; 16];
            let term = other.term(&found, &mut bytes);
            let place = all.place(&Key::of(term), term);
            let counted = all.count(place, term, found.occurrences, found.documents);
            counted.map_err(|_| Box::from(term))?;
        }
        Ok(all)
    }

    /// All terms, about in the order of their hashes.
    pub fn terms(&self) -> Vec<Found> {
        let mut terms = Vec::with_capacity(self.used);
        in_large_pages(&terms);
        let used = self.entries.iter().filter(|entry| entry.length != 0);
        terms.extend(used.map(|entry| self.found(entry)));
        terms
    }

    fn found(&self, entry: &Entry) -> Found {
        let (mut head, mut start) = (entry.head, 0);
        if !entry.is_short() {
            start = entry.start();
            head = Key::of(self.text_of_long(start, entry.length)).head();
        }
        let Entry { length, documents, occurrences, .. } = *entry;
        let (head, occurrences) = (head.swap_bytes(), occurrences.into());
        let mut found = Found { head, start, length, documents, occurrences };
        if entry.occurrences == MANY {
            found.occurrences = self.many[self.term(&found, &mut [0; 16])];
        }
        found
    }

    /// The text of a term of this table; `bytes` are for one that stands nowhere else.
    pub fn term<'a>(&'a self, found: &Found, bytes: &'a mut [u8; 16]) -> &'a str {
        let length = found.length as usize - 1;
        if !Key::fits(length) {
            return self.text_of_long(found.start, found.length);
        }
        *bytes = found.head.to_be_bytes();
        std::str::from_utf8(&bytes[..length]).expect("terms are text")
    }

    fn text_of_long(&self, start: usize, length: u32) -> &str {
        &self.text[start..start + length as usize - 1]
    }
}

impl Entry {
    fn is_short(&self) -> bool {
        Key::fits(self.length as usize - 1)
    }

    /// Where a long term's text begins.
    fn start(&self) -> usize {
        (self.head >> u64::BITS) as usize
    }

    fn hash(&self) -> u64 {
        if self.is_short() {
            Key::short(self.head, self.length as usize - 1).hash()
        } else {
            self.head as u64
        }
    }
}

fn free_entries(size: usize) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(size);
    in_large_pages(&entries);
    entries.resize(size, Entry::default());
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Terms = BTreeMap<String, (u64, u32)>;

    fn terms(table: &CountTable) -> Terms {
        let all = table.terms().into_iter().map(|found| {
            let term = table.term(&found, &mut [0; 16]).to_string();
            assert_eq!(found.head, Key::of(&term).head().swap_bytes());
            (term, (found.occurrences, found.documents))
        });
        let all: Terms = all.collect();
        assert_eq!(table.used, all.len());
        all
    }

    fn table(words: &[(String, u64)], map: &mut Terms) -> CountTable {
        let mut table = CountTable::default();
        for ((word, count), document) in words.iter().zip(1..) {
            let key = Key::of(word);
            table.prefetch(&key);
            table.add(&key, word, *count, document).unwrap();
            assert_eq!(table.add(&key, word, *count, document), Err(Uncountable::Twice));
            let sum = map.entry(word.clone()).or_default();
            *sum = (sum.0 + count, sum.1 + 1);
        }
        table
    }

    #[test]
    fn entries_are_half_a_cache_line() {
        assert_eq!(size_of::<Entry>(), 32);
    }

    proptest! {
        #[test]
        fn counts_are_those_of_a_map(
            words in prop::collection::vec(("[a-c\0]{0,4}|[ab]{15,18}", prop_oneof![1u64..5, 1u64..1 << 33]), 0..300),
            cut in 0usize..300,
        ) {
            let (left, right) = words.split_at(cut.min(words.len()));
            let mut map = Terms::new();
            let left = table(left, &mut map);
            prop_assert_eq!(&terms(&left), &map);
            let right = table(right, &mut map);
            prop_assert_eq!(&terms(&left.merged(right).unwrap()), &map);
        }
    }
}
