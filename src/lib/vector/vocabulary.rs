//! Vocabulary of a collection.

use rayon::prelude::*;

use super::term_table::TermTable;
use crate::bits::pages::advise_huge_pages;
use crate::text::{CountedTerm, Key};

/// A term with its frequencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term<'a> {
    /// The term.
    pub text: &'a str,
    /// TC: collection frequency.
    pub occurrences: u64,
    /// DC: document frequency.
    pub documents: u64,
}

/// The terms of a collection. A term's position is its index in vectors. All text shares one allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    /// Number of documents in the collection.
    pub documents: u64,
    text: String,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    /// End of the term's text, which starts at the previous entry's end.
    end: usize,
    occurrences: u64,
    documents: u64,
}

impl Vocabulary {
    /// Creates the vocabulary, still empty, of a collection of this many documents.
    pub fn new(documents: u64) -> Self {
        Vocabulary { documents, text: String::new(), entries: Vec::new() }
    }

    /// Appends a term.
    pub fn push(&mut self, term: Term<'_>) {
        self.text.push_str(term.text);
        let (end, Term { occurrences, documents, .. }) = (self.text.len(), term);
        self.entries.push(Entry { end, occurrences, documents });
    }

    /// Appends all terms of another vocabulary.
    pub fn append(&mut self, other: &Vocabulary) {
        let before = self.text.len();
        self.text.push_str(&other.text);
        let moved = |entry: &Entry| Entry { end: before + entry.end, ..*entry };
        self.entries.extend(other.entries.iter().map(moved));
    }

    /// Returns the number of terms.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the term with this index.
    pub fn term(&self, index: usize) -> Term<'_> {
        let Entry { occurrences, documents, .. } = self.entries[index];
        Term { text: self.text(index), occurrences, documents }
    }

    /// Returns all terms in order.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = Term<'_>> {
        (0..self.len()).map(|index| self.term(index))
    }

    /// Returns a table from term to index, or `None` if a term occurs twice. Memory: 43 to 86 bytes per term, the text of terms longer than 16 bytes,
    /// and 32 bytes per term during construction.
    pub fn index(&self) -> Option<TermIndex> {
        let mut keys = Vec::with_capacity(self.len());
        advise_huge_pages(&keys);
        let key_of = |index| Key::of(self.text(index));
        (0..self.len()).into_par_iter().map(key_of).collect_into_vec(&mut keys);
        let mut numbers = TermTable::with_capacity(self.len());
        for (index, key) in keys.iter().enumerate() {
            if let Some(next) = keys.get(index + PREFETCH_DISTANCE) {
                numbers.prefetch(next);
            }
            let slot = numbers.find_or_insert(key, || self.text(index));
            if *numbers.value(slot) != 0 {
                return None;
            }
            *numbers.value_mut(slot) = u32::try_from(index + 1).expect("fewer than 2^32 terms");
        }
        Some(TermIndex { numbers })
    }

    #[inline]
    fn text(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.entries[index - 1].end };
        &self.text[start..self.entries[index].end]
    }
}

/// Terms between a prefetch and its use.
const PREFETCH_DISTANCE: usize = 16;

/// A table from the terms of a vocabulary to their indexes.
pub struct TermIndex {
    /// Each term's index plus 1.
    numbers: TermTable<u32>,
}

impl TermIndex {
    /// Prefetches the table entry of a term. Affects time only.
    #[inline]
    pub fn prefetch(&self, key: &Key) {
        self.numbers.prefetch(key);
    }

    /// Calls `found` with the position of each of these terms that the vocabulary has, in order, and its index.
    pub fn find_all(&self, terms: &[CountedTerm<'_>], mut found: impl FnMut(usize, u32)) {
        for (position, term) in terms.iter().enumerate() {
            if let Some(slot) = self.numbers.find(&term.key, term.text) {
                found(position, self.numbers.value(slot) - 1);
            }
        }
    }
}
