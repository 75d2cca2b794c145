//! A growing table of terms, with something that is known of each.

mod absorb;

use std::ops::Range;

use rayon::prelude::*;

use crate::bits::pages::advise_huge_pages;
use crate::bits::prefetch::prefetch;
use crate::text::Key;

/// Fewest entries of a table: a power of two.
const FEWEST: usize = 64;
/// Up to so many entries a table is moved to other memory now and then as it grows.
const SMALL: usize = 1 << 12;
/// Beyond that it has room for so many at once. What of it is not used takes no memory, and memory that is touched for the first time is dear.
const ROOM: usize = 1 << 21;
/// Entries that one thread looks at, at a time.
const PIECE: usize = 1 << 14;

/// Terms in an open-addressed table that is at most three quarters full. An entry is half a cache line where `T` has 12 bytes, and the second place where
/// it may stand is in the same line: nearly every search waits for memory once. Entries stand about in the order of their hashes, so that
/// tables are put together, and grow, without waiting at all.
#[derive(Debug, Clone)]
pub(super) struct TermTable<T> {
    entries: Vec<Entry<T>>,
    used: usize,
    /// The terms that do not fit into their entries.
    text: String,
}

/// A term with what is known of it, or nothing.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
struct Entry<T> {
    /// The bytes of a short term, followed by zeros, as they stand in memory. Of a long one the hash, and in the higher half where its text begins.
    head: u128,
    /// The term's length in bytes, counted from 1; 0 if there is none.
    length: u32,
    value: T,
}

impl<T: Copy + Default> Default for TermTable<T> {
    fn default() -> Self {
        TermTable { entries: vec![Entry::default(); FEWEST], used: 0, text: String::new() }
    }
}

impl<T: Copy + Default> TermTable<T> {
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Where terms stand, about in the order of their hashes.
    pub fn places(&self) -> impl Iterator<Item = usize> {
        self.places_in(0..self.entries.len())
    }

    /// All places in pieces, for several threads; there may be nothing at some of them.
    pub fn pieces(&self) -> impl IndexedParallelIterator<Item = Range<usize>> {
        let places = self.entries.len();
        let pieces = (0..places.div_ceil(PIECE)).into_par_iter();
        pieces.map(move |piece| piece * PIECE..((piece + 1) * PIECE).min(places))
    }

    /// Those of some places where there are terms.
    pub fn places_in(&self, piece: Range<usize>) -> impl Iterator<Item = usize> {
        piece.filter(|place| self.entries[*place].length != 0)
    }

    /// How many places there are, with a term or without.
    pub fn room(&self) -> usize {
        self.entries.len()
    }

    /// Asks for the memory in which a term is looked for.
    #[inline(always)]
    pub fn prefetch(&self, key: &Key) {
        prefetch(&self.entries[self.home(key.hash())]);
    }

    /// Asks for the memory of a place.
    pub fn prefetch_place(&self, place: usize) {
        prefetch(&self.entries[place]);
    }

    /// What is known of the term at a place.
    #[inline(always)]
    pub fn value(&self, place: usize) -> &T {
        &self.entries[place].value
    }

    /// The same, to be changed.
    #[inline(always)]
    pub fn value_mut(&mut self, place: usize) -> &mut T {
        &mut self.entries[place].value
    }

    /// The term at a place.
    pub fn term(&self, place: usize) -> &str {
        let entry = &self.entries[place];
        let length = entry.length as usize - 1;
        if !Key::fits(length) {
            return &self.text[entry.start()..entry.start() + length];
        }
        std::str::from_utf8(&bytemuck::bytes_of(&entry.head)[..length]).expect("terms are text")
    }

    /// The key of the term at a place.
    pub fn key(&self, place: usize) -> Key {
        let entry = &self.entries[place];
        match entry.length as usize - 1 {
            length if Key::fits(length) => Key::short(u128::from_le(entry.head), length),
            _ => Key::of(self.term(place)),
        }
    }

    /// The first bytes of the term at a place, followed by zeros, as a number that orders as they do.
    pub fn beginning(&self, place: usize) -> u128 {
        self.key(place).head().swap_bytes()
    }

    /// Where a term stands.
    pub fn find(&self, key: &Key, term: &str) -> Option<usize> {
        self.look_for(key, || term).ok()
    }

    /// Where a term stands; a new one gets a place. Only the text of a long one is asked for. Places change when the table grows.
    #[inline(always)]
    pub fn place<'a>(&mut self, key: &Key, term: impl Fn() -> &'a str) -> usize {
        self.look_for(key, &term).unwrap_or_else(|free| self.put(free, key, term))
    }

    /// Where the term stands, or the free entry where it belongs.
    #[inline(always)]
    fn look_for<'a>(&self, key: &Key, term: impl Fn() -> &'a str) -> Result<usize, usize> {
        if !key.holds_all() {
            return self.look_for_long(key, term());
        }
        let (head, length) = (key.head().to_le(), key.length() as u32 + 1);
        let (home, mut step) = (self.home(key.hash()), 0);
        loop {
            let entry = &self.entries[home ^ step];
            if entry.head == head && entry.length == length {
                return Ok(home ^ step);
            }
            if entry.length == 0 {
                return Err(home ^ step);
            }
            step += 1;
        }
    }

    fn look_for_long(&self, key: &Key, term: &str) -> Result<usize, usize> {
        let (length, home) = (length_of_long(term), self.home(key.hash()));
        for place in (0..self.entries.len()).map(|step| home ^ step) {
            let entry = &self.entries[place];
            if entry.length == 0 {
                return Err(place);
            }
            let may_be = entry.head as u64 == key.hash() && entry.length == length;
            if may_be && self.term(place) == term {
                return Ok(place);
            }
        }
        unreachable!("a table has free entries")
    }

    /// Puts a new term into a free entry, and returns where it stands then.
    #[cold]
    fn put<'a>(&mut self, free: usize, key: &Key, term: impl Fn() -> &'a str) -> usize {
        let (mut head, mut length) = (key.head().to_le(), key.length() as u32 + 1);
        if !key.holds_all() {
            head = u128::from(key.hash()) | (self.text.len() as u128) << u64::BITS;
            length = length_of_long(term());
            self.text.push_str(term());
        }
        self.entries[free] = Entry { head, length, value: T::default() };
        self.used += 1;
        if !self.is_too_full(0) {
            return free;
        }
        self.grow();
        let home = self.home(key.hash());
        let is_it = |place: &usize| {
            self.entries[*place].head == head && self.entries[*place].length == length
        };
        (0..self.entries.len()).map(|step| home ^ step).find(is_it).expect("it was moved too")
    }

    fn is_too_full(&self, more: usize) -> bool {
        (self.used + more) * 4 > self.entries.len() * 3
    }

    /// Makes room for so many more terms. Those of another table come in the order of their hashes: where the table has to grow for them, this must be before the first, or these
    /// would crowd where its beginning is.
    pub fn make_room(&mut self, more: usize) {
        while self.is_too_full(more) {
            self.grow();
        }
    }

    /// Makes the table twice as large, where it stands if there is room: entries are moved from the last one on, each to about twice its place, where nothing is left.
    #[cold]
    fn grow(&mut self) {
        let size = self.entries.len();
        if self.entries.capacity() < 2 * size {
            // What the system enlarges would come out of its large pages.
            let mut larger =
                with_room_for(if size < SMALL { 8 * size } else { ROOM.max(2 * size) });
            larger.extend_from_slice(&self.entries);
            self.entries = larger;
        }
        self.entries.resize(2 * size, Entry::default());
        let mut late = Vec::new();
        for place in (0..size).rev() {
            let entry = std::mem::take(&mut self.entries[place]);
            if entry.length != 0 {
                late.extend(self.moved(entry, place));
            }
        }
        late.into_iter().for_each(|entry| assert!(self.moved(entry, 0).is_none()));
    }

    /// Puts an entry where it belongs; or gives it back if that may be before `from`, where nothing was moved yet.
    fn moved(&mut self, entry: Entry<T>, from: usize) -> Option<Entry<T>> {
        let (mut step, home) = (0, self.home(entry.hash()));
        loop {
            match &mut self.entries[home ^ step] {
                _ if home ^ step < from => return Some(entry),
                free if free.length == 0 => {
                    *free = entry;
                    return None;
                }
                _ => step += 1,
            }
        }
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        home(hash, self.entries.len())
    }
}

/// Where a term belongs that has this hash, among so many places: a power of two. The highest bits tell, so that entries are in the order of their hashes.
#[inline(always)]
fn home(hash: u64, places: usize) -> usize {
    (hash >> (u64::BITS - places.trailing_zeros())) as usize
}

/// The length of a term in its entry.
fn length_of_long(term: &str) -> u32 {
    u32::try_from(term.len() + 1).expect("a term of fewer than 2^32 bytes")
}

impl<T> Entry<T> {
    /// Where a long term's text begins.
    fn start(&self) -> usize {
        (self.head >> u64::BITS) as usize
    }

    fn hash(&self) -> u64 {
        match self.length as usize - 1 {
            length if Key::fits(length) => Key::short(u128::from_le(self.head), length).hash(),
            _ => self.head as u64,
        }
    }
}

fn with_room_for<T>(size: usize) -> Vec<Entry<T>> {
    let entries = Vec::with_capacity(size);
    advise_huge_pages(&entries);
    entries
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

    proptest! {
        #[test]
        fn tables_are_maps(
            words in prop::collection::vec("[a-cé\0]{0,4}|[ab]{15,18}", 0..300), room in 0usize..300,
        ) {
            let (mut table, mut map) = (TermTable::<u32>::default(), BTreeMap::new());
            for word in &words {
                let key = Key::of(word);
                table.prefetch(&key);
                prop_assert_eq!(table.find(&key, word).is_some(), map.contains_key(word));
                let place = table.place(&key, || word);
                *table.value_mut(place) += 1;
                *map.entry(word.clone()).or_insert(0) += 1;
            }
            table.make_room(room);
            prop_assert_eq!(table.len(), map.len());
            for place in table.places() {
                table.prefetch_place(place);
                let term = table.term(place);
                prop_assert_eq!(table.value(place), &map[term]);
                prop_assert_eq!(table.find(&Key::of(term), term), Some(place));
                prop_assert_eq!(table.key(place), Key::of(term));
                let mut bytes = [0; 16];
                bytes.iter_mut().zip(term.bytes()).for_each(|(to, byte)| *to = byte);
                prop_assert_eq!(table.beginning(place), u128::from_be_bytes(bytes));
            }
            prop_assert_eq!(table.places().count(), map.len());
            prop_assert_eq!(table.room(), table.pieces().map(|piece| piece.len()).sum::<usize>());
        }
    }
}
