//! Vocabulary of a collection.

use super::term_table::TermTable;
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

/// The terms of a collection. A term's position is its index in vectors.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    /// Number of documents in the collection.
    pub documents: u64,
    /// One after the other; several threads read one each.
    pieces: Vec<Piece>,
    /// Index of the first term of each piece.
    starts: Vec<usize>,
}

/// Consecutive terms, whose text shares one allocation.
#[derive(Debug, Clone, Default)]
struct Piece {
    text: String,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// End of the term's text, which starts at the previous entry's end.
    end: usize,
    occurrences: u64,
    documents: u64,
}

impl Vocabulary {
    /// Creates the vocabulary, still empty, of a collection of this many documents.
    pub fn new(documents: u64) -> Self {
        Vocabulary { documents, pieces: vec![Piece::default()], starts: vec![0] }
    }

    /// Appends a term.
    pub fn push(&mut self, term: Term<'_>) {
        let piece = self.pieces.last_mut().expect("a vocabulary has a piece");
        piece.text.push_str(term.text);
        let (end, Term { occurrences, documents, .. }) = (piece.text.len(), term);
        piece.entries.push(Entry { end, occurrences, documents });
    }

    /// Appends all terms of another vocabulary.
    pub fn append(&mut self, other: Vocabulary) {
        let before = self.len();
        self.starts.extend(other.starts.iter().map(|start| before + start));
        self.pieces.extend(other.pieces);
    }

    /// Returns the number of terms.
    pub fn len(&self) -> usize {
        let last = self.pieces.iter().zip(&self.starts).next_back();
        last.map_or(0, |(piece, start)| start + piece.entries.len())
    }

    /// Returns whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the term with this index.
    pub fn term(&self, index: usize) -> Term<'_> {
        let number = self.starts.partition_point(|start| *start <= index) - 1;
        self.pieces[number].term(index - self.starts[number])
    }

    /// Returns all terms in order.
    pub fn terms(&self) -> impl Iterator<Item = Term<'_>> {
        self.pieces.iter().flat_map(|piece| (0..piece.entries.len()).map(|at| piece.term(at)))
    }

    /// Returns a table from term to index, or `None` if a term occurs twice. Memory: 43 to 86 bytes per term and the text of terms longer than 16 bytes.
    pub fn index(&self) -> Option<TermIndex> {
        let mut numbers = TermTable::with_capacity(self.len());
        let mut next = self.terms().map(|term| Key::of(term.text));
        // Keys of the next terms, whose slots are prefetched.
        let mut keys: [Key; PREFETCH_DISTANCE] =
            std::array::from_fn(|_| next.next().unwrap_or_default());
        for (index, term) in self.terms().enumerate() {
            let key = &mut keys[index % PREFETCH_DISTANCE];
            let key = std::mem::replace(key, next.next().unwrap_or_default());
            numbers.prefetch(&keys[index % PREFETCH_DISTANCE]);
            let slot = numbers.find_or_insert(&key, || term.text);
            if *numbers.value(slot) != 0 {
                return None;
            }
            *numbers.value_mut(slot) = u32::try_from(index + 1).expect("fewer than 2^32 terms");
        }
        Some(TermIndex { numbers })
    }
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.documents == other.documents && self.terms().eq(other.terms())
    }
}

impl Piece {
    #[inline]
    fn term(&self, at: usize) -> Term<'_> {
        let start = if at == 0 { 0 } else { self.entries[at - 1].end };
        let Entry { end, occurrences, documents } = self.entries[at];
        Term { text: &self.text[start..end], occurrences, documents }
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
