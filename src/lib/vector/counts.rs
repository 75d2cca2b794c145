//! A growing table of terms with their counts.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::Term;
use super::pages::in_large_pages;
use crate::bits::prefetch::prefetch;
use crate::text::Key;

/// Fewest entries of a table: a power of two.
const FEWEST: usize = 64;
/// Entries that are asked for before they are needed where they are read here and there.
const AHEAD: usize = 16;
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
    /// What else is known of it: the last of these documents, a number, a rank. Whoever fills a table uses one of them.
    mark: u32,
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
    /// Where the table has it.
    place: usize,
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
        if entry.mark == last {
            return Err(Uncountable::Twice);
        }
        entry.mark = last;
        self.count(place, term, count, 1)
    }

    /// Counts a term in a document that has it `count` times, and returns its number: terms are numbered from 1 as they come.
    #[inline]
    pub fn add_numbered(&mut self, key: &Key, term: &str, count: u64) -> Result<u32, Uncountable> {
        let place = self.place(key, term);
        if self.entries[place].mark == 0 {
            let newest = u32::try_from(self.used).expect("fewer than 2^32 terms fit into memory");
            self.entries[place].mark = newest;
        }
        self.count(place, term, count, 1)?;
        Ok(self.entries[place].mark)
    }

    /// Counts a term that documents counted elsewhere have.
    pub fn add_term(&mut self, term: Term<'_>) -> Result<(), Uncountable> {
        let documents = u32::try_from(term.documents).expect("fewer than 2^32 documents");
        let place = self.place(&Key::of(term.text), term.text);
        self.count(place, term.text, term.occurrences, documents)
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
        self.find(key, term).unwrap_or_else(|free| self.put(free, key, term))
    }

    /// Where the term stands, or the free entry where it belongs.
    #[inline(always)]
    fn find(&self, key: &Key, term: &str) -> Result<usize, usize> {
        if !key.holds_all() {
            return self.find_long(key, term);
        }
        let (home, length) = (self.home(key.hash()), key.length() as u32 + 1);
        let mut step = 0;
        loop {
            let entry = &self.entries[home ^ step];
            if entry.head == key.head() && entry.length == length {
                return Ok(home ^ step);
            }
            if entry.length == 0 {
                return Err(home ^ step);
            }
            step += 1;
        }
    }

    fn find_long(&self, key: &Key, term: &str) -> Result<usize, usize> {
        let (length, home) = (length_of_long(term), self.home(key.hash()));
        for place in (0..self.entries.len()).map(|step| home ^ step) {
            let entry = &self.entries[place];
            if entry.length == 0 {
                return Err(place);
            }
            let may_be = entry.head as u64 == key.hash() && entry.length == length;
            if may_be && self.text_of_long(entry.start(), entry.length) == term {
                return Ok(place);
            }
        }
        unreachable!("a table has free entries")
    }

    /// Puts a new term into a free entry, and returns where it stands then.
    fn put(&mut self, free: usize, key: &Key, term: &str) -> usize {
        if key.holds_all() {
            return self.fill(free, key.hash(), key.head(), key.length() as u32 + 1);
        }
        let head = u128::from(key.hash()) | (self.text.len() as u128) << u64::BITS;
        self.text.push_str(term);
        self.fill(free, key.hash(), head, length_of_long(term))
    }

    /// Fills a free entry, and returns where it stands when there is room for the next.
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
        all.absorb(&other)?;
        Ok(all)
    }

    /// Adds the counts of a table of other documents. Fails with a term of which there are too many.
    pub fn absorb(&mut self, other: &Self) -> Result<(), Box<str>> {
        // They come in the order of their hashes: without room for all, the first ones would crowd where the table's beginning is.
        while (self.used + other.used) * 4 > self.entries.len() * 3 {
            self.grow();
        }
        other.places().try_for_each(|place| {
            let found = other.found(place);
            let mut bytes = [0; 16];
            let term = other.term(&found, &mut bytes);
            let place = self.place(&Key::of(term), term);
            let counted = self.count(place, term, found.occurrences, found.documents);
            counted.map_err(|_| Box::from(term))
        })
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Marks the table's terms with their positions among `terms`. Returns these positions by the marks before, from 1 to `numbers`.
    pub fn rank(&mut self, terms: &[Found], numbers: usize) -> Vec<u32> {
        let mut ranks = vec![0; numbers];
        for (at, found) in terms.iter().enumerate() {
            if let Some(soon) = terms.get(at + AHEAD) {
                prefetch(&self.entries[soon.place]);
            }
            let number = std::mem::replace(&mut self.entries[found.place].mark, at as u32);
            if let Some(rank) = ranks.get_mut((number as usize).wrapping_sub(1)) {
                *rank = at as u32;
            }
        }
        ranks
    }

    /// The mark of a term, if this table has it.
    pub fn mark(&self, term: &str) -> Option<u32> {
        self.find(&Key::of(term), term).ok().map(|place| self.entries[place].mark)
    }

    /// For each number of another table, from 1 on, the mark that this one has for the term.
    pub fn marks_by_number(&self, other: &Self) -> Vec<u32> {
        let mut marks = vec![0; other.used];
        for place in other.places() {
            let mut bytes = [0; 16];
            let mark = self.mark(other.term(&other.found(place), &mut bytes));
            let number = other.entries[place].mark as usize;
            marks[number - 1] = mark.expect("this table has the terms of the other");
        }
        marks
    }

    /// All terms, about in the order of their hashes.
    pub fn terms(&self) -> Vec<Found> {
        let mut terms = Vec::with_capacity(self.used);
        in_large_pages(&terms);
        terms.extend(self.places().map(|place| self.found(place)));
        terms
    }

    fn places(&self) -> impl Iterator<Item = usize> {
        (0..self.entries.len()).filter(|place| self.entries[*place].length != 0)
    }

    fn found(&self, place: usize) -> Found {
        let entry = &self.entries[place];
        let (mut head, mut start) = (entry.head, 0);
        if !entry.is_short() {
            start = entry.start();
            head = Key::of(self.text_of_long(start, entry.length)).head();
        }
        let Entry { length, documents, occurrences, .. } = *entry;
        let (head, occurrences) = (head.swap_bytes(), occurrences.into());
        let mut found = Found { head, start, length, documents, occurrences, place };
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

/// The length of a term in its entry.
fn length_of_long(term: &str) -> u32 {
    u32::try_from(term.len() + 1).expect("a term of fewer than 2^32 bytes")
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
