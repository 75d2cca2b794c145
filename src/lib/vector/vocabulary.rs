//! The vocabulary of a collection.

use rayon::prelude::*;

use super::slots::Slots;
use crate::bits::pages::advise_huge_pages;
use crate::text::{CountedTerm, Key};

/// A term and how often it occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term<'a> {
    /// The term.
    pub text: &'a str,
    /// TC: its occurrences in the collection.
    pub occurrences: u64,
    /// DC: the documents that hold it.
    pub documents: u64,
}

/// The terms of a collection. A term's position is its index in vectors. All text stands in one piece of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    /// Documents in the collection.
    pub documents: u64,
    text: String,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    /// Where the term's text ends; it begins where that of the one before ends.
    end: usize,
    occurrences: u64,
    documents: u64,
}

impl Vocabulary {
    /// A collection of so many documents, no term yet.
    pub fn new(documents: u64) -> Self {
        Vocabulary { documents, text: String::new(), entries: Vec::new() }
    }

    /// Adds a term, whose index is the number of those before.
    pub fn push(&mut self, term: Term<'_>) {
        self.text.push_str(term.text);
        let (end, Term { occurrences, documents, .. }) = (self.text.len(), term);
        self.entries.push(Entry { end, occurrences, documents });
    }

    /// Adds all terms of another.
    pub fn append(&mut self, other: &Vocabulary) {
        let before = self.text.len();
        self.text.push_str(&other.text);
        let moved = |entry: &Entry| Entry { end: before + entry.end, ..*entry };
        self.entries.extend(other.entries.iter().map(moved));
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The term with this index.
    pub fn term(&self, index: usize) -> Term<'_> {
        let Entry { occurrences, documents, .. } = self.entries[index];
        Term { text: self.text(index), occurrences, documents }
    }

    /// All terms in their order.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = Term<'_>> {
        (0..self.len()).map(|index| self.term(index))
    }

    /// A table from term to index, or `None` if a term stands there twice. Memory: 40 to 80 bytes a term, while it is made 32 more.
    pub fn index(&self) -> Option<TermIndex<'_>> {
        let mut keys = Vec::with_capacity(self.len());
        advise_huge_pages(&keys);
        let key_of = |index| Key::of(self.text(index));
        (0..self.len()).into_par_iter().map(key_of).collect_into_vec(&mut keys);
        let mut table = TermIndex { vocabulary: self, slots: Slots::with_room_for(self.len()) };
        for (index, key) in keys.iter().enumerate() {
            if let Some(soon) = keys.get(index + AHEAD) {
                table.slots.prefetch(soon);
            }
            let free = table.find(key, self.text(index)).err()?;
            table.slots.fill(free, key, index);
        }
        Some(table)
    }

    #[inline]
    fn text(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.entries[index - 1].end };
        &self.text[start..self.entries[index].end]
    }
}

/// Terms that are asked for before they are needed while the table is filled.
const AHEAD: usize = 16;

/// A table from the terms of a vocabulary to their indexes.
pub struct TermIndex<'a> {
    vocabulary: &'a Vocabulary,
    slots: Slots,
}

impl TermIndex<'_> {
    /// Asks for the memory that a search for this key will need. Has no effect but on time.
    #[inline]
    pub fn prefetch(&self, key: &Key) {
        self.slots.prefetch(key);
    }

    /// Calls `found` with the position of each of these terms that the vocabulary has, in order, and its index.
    pub fn find_all(&self, terms: &[CountedTerm<'_>], mut found: impl FnMut(usize, u32)) {
        for (position, term) in terms.iter().enumerate() {
            if let Ok(index) = self.find(&term.key, term.text) {
                found(position, index as u32);
            }
        }
    }

    #[inline]
    fn find(&self, key: &Key, text: &str) -> Result<usize, usize> {
        self.slots.find(key, |index| self.vocabulary.text(index) == text)
    }
}
