//! Vocabulary and sparse matrix of documents in memory, without intermediate files.
//!
//! Threads count terms batch by batch, each with a table of its own that numbers terms in the order of their first occurrence. A word costs one
//! lookup in this table, which also says whether the document contained it before; entries are prefetched a hundred words ahead. After the last
//! document, [`MatrixBuilder::finish`] merges the tables, sorts the terms and renumbers all rows.
//!
//! The result does not depend on the number of threads or on the division of documents into batches.
//!
//! ```
//! use nearsig::text::AnalyzerOptions;
//! use nearsig::vector::gather::MatrixBuilder;
//! use nearsig::vector::sparse::SparseRows;
//!
//! let builder = MatrixBuilder::new(AnalyzerOptions::letters(1));
//! let batches = vec![builder.add(["One fish, two fish"]), builder.add(["Blue fish", ""])];
//! let matrix = builder.finish(&batches);
//! let terms: Vec<&str> = matrix.terms.texts().collect();
//! assert_eq!(terms, ["fish", "blue", "one", "two"]);
//! assert_eq!(matrix.vectors.rows(), 3);
//! assert_eq!(matrix.vectors.row(1).0, [0, 1]);
//! ```

mod matrix;
mod terms;
#[cfg(test)]
mod tests;
mod vectors;
mod weights;

use std::borrow::Cow;
use std::hint::select_unpredictable;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub use matrix::{TermMatrix, merge};
pub use terms::CollectionTerms;
pub use vectors::WordVectors;

use self::matrix::matrix;
use self::terms::TermEntry;
use self::vectors::RowSlab;
use self::weights::{ONE, Occurrences, Weights, first};
use super::term_table::TermTable;
use super::{MAX_LETTERS, letters};
use crate::text::scanner::{TermRanges, TermScanner};
use crate::text::{AnalyzerOptions, Key};

/// Terms between a prefetch and its use.
const PREFETCH_DISTANCE: usize = 128;

/// Counts the terms of documents, for one thread at a time.
pub(super) struct RowBuilder {
    number: usize,
    scanner: TermScanner,
    table: TermTable<TermEntry>,
    document: DocumentCounts,
    weights: Weights,
    /// Rows of the documents so far; indexes are term numbers, counted from 0.
    slabs: Vec<RowSlab>,
}

/// Counts of the current document.
#[derive(Default)]
struct DocumentCounts {
    /// Number of distinct terms so far.
    count: usize,
    /// Their numbers, counted from 1, followed by leftovers of earlier documents.
    numbers: Vec<u32>,
    /// The occurrences of each; as long as the numbers.
    occurrences: Vec<Occurrences>,
}

/// Components per slab; more only if a single document has more.
const SLAB_CAPACITY: usize = 2 << 20;

/// Rows of a batch of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowBatch {
    /// Number of the builder.
    builder: usize,
    /// The builder's last slab before the batch.
    slab: usize,
    /// End of that slab, and start of the batch if its first row fits.
    start: usize,
    /// Number of distinct terms of each document.
    lengths: Box<[u32]>,
}

impl RowBuilder {
    /// Creates a builder without terms. Builders of one matrix have different numbers, from 0 on.
    pub fn new(number: usize, options: AnalyzerOptions) -> Self {
        RowBuilder {
            number,
            scanner: TermScanner::new(options),
            table: TermTable::default(),
            document: DocumentCounts::default(),
            weights: Weights::new(),
            slabs: vec![RowSlab::with_capacity(0)],
        }
    }

    /// Counts the terms of a batch of documents.
    pub fn add<T: AsRef<str>>(&mut self, texts: impl IntoIterator<Item = T>) -> RowBatch {
        let (slab, start) = (self.slabs.len() - 1, self.slabs[self.slabs.len() - 1].indexes.len());
        let lengths = texts.into_iter().map(|text| self.add_text(text.as_ref())).collect();
        RowBatch { builder: self.number, slab, start, lengths }
    }

    /// Counts the terms of a document, and returns the number of distinct ones.
    fn add_text(&mut self, text: &str) -> u32 {
        let RowBuilder { scanner, table, document, weights, slabs, .. } = self;
        document.count = 0;
        if let Some(words) = scanner.ascii_words(text) {
            document.add_text(table, words, |start, end| {
                let key = Key::lower_within(text.as_bytes(), start, end);
                key.ok_or_else(|| Cow::Owned(text[start..end].to_ascii_lowercase()))
            });
        } else {
            let scanned = scanner.scan(text);
            let text = scanned.text;
            document.add_text(table, scanned, |start, end| {
                let key = Key::within(text.as_bytes(), start, end);
                key.holds_all().then_some(key).ok_or_else(|| Cow::Borrowed(&text[start..end]))
            });
        }
        let terms = document.count;
        if !slabs.last().is_some_and(|slab| slab.fits(terms)) {
            slabs.push(RowSlab::with_capacity(terms));
        }
        document.append_to(slabs.last_mut().expect("a slab that fits"), weights);
        terms as u32
    }
}

impl DocumentCounts {
    /// Counts the terms of a text. `term` returns the key of the term in a range, or the text of a term longer than its key.
    #[inline(always)]
    fn add_text<'a>(
        &mut self,
        table: &mut TermTable<TermEntry>,
        words: impl TermRanges,
        term: impl Fn(usize, usize) -> Result<Key, Cow<'a, str>>,
    ) {
        let (mut pending, mut count) = ([Key::default(); PREFETCH_DISTANCE], 0);
        words.for_each(|start, end| match term(start, end) {
            Ok(key) => {
                table.prefetch(&key);
                pending[count] = key;
                count += 1;
                if count == PREFETCH_DISTANCE {
                    self.add_short(table, &pending);
                    count = 0;
                }
            }
            Err(text) => {
                self.reserve(1);
                self.add(table, &Key::of(&text), &text);
            }
        });
        self.add_short(table, &pending[..count]);
    }

    /// Counts terms that fit into their keys.
    fn add_short(&mut self, table: &mut TermTable<TermEntry>, keys: &[Key]) {
        self.reserve(keys.len());
        keys.iter().for_each(|key| self.add(table, key, ""));
    }

    /// Grows to a capacity for `more` terms.
    fn reserve(&mut self, more: usize) {
        let size = self.count + more;
        if self.numbers.len() < size {
            self.numbers.resize(2 * size, 0);
            self.occurrences.resize(2 * size, 0);
        }
    }

    /// Counts a term, for which capacity was reserved; `text` is that of a term longer than its key. The term's last position, in whatever document
    /// that was, is its position in this one if its number is there.
    ///
    /// Whether it is there is unpredictable, so both cases run the same instructions without a branch.
    #[inline(always)]
    fn add(&mut self, table: &mut TermTable<TermEntry>, key: &Key, text: &str) {
        let slot = table.find_or_insert(key, || text);
        let newest = table.len() as u32;
        let known = table.value_mut(slot);
        if known.number == 0 {
            known.number = newest;
        }
        let letters = match key.holds_all() {
            true => key.letters().min(MAX_LETTERS.into()) as u8,
            false => letters(text),
        };
        let last = known.last as usize;
        let candidate = select_unpredictable(last < self.count, last, 0);
        let was_here = (last < self.count) & (self.numbers[candidate] == known.number);
        let at = select_unpredictable(was_here, last, self.count);
        known.last = at as u32;
        known.documents += u32::from(!was_here);
        self.count += usize::from(!was_here);
        self.numbers[at] = known.number;
        let one_more = self.occurrences[at] + ONE;
        self.occurrences[at] = select_unpredictable(was_here, one_more, first(letters));
    }

    fn append_to(&self, slab: &mut RowSlab, weights: &Weights) {
        let (numbers, occurrences) = (&self.numbers[..self.count], &self.occurrences[..self.count]);
        slab.indexes.extend(numbers.iter().map(|number| number - 1));
        slab.weights.extend(occurrences.iter().map(|occurrences| weights.of(*occurrences)));
        slab.ends.push(slab.indexes.len());
    }
}

/// Builds the matrix of a collection from batches that several threads add at the same time.
pub struct MatrixBuilder {
    options: AnalyzerOptions,
    created: AtomicUsize,
    idle: Mutex<Vec<RowBuilder>>,
}

impl MatrixBuilder {
    /// Creates a builder without documents.
    pub fn new(options: AnalyzerOptions) -> Self {
        MatrixBuilder { options, created: AtomicUsize::new(0), idle: Mutex::default() }
    }

    /// Counts the terms of a batch of documents in the calling thread. Batches of a few hundred kilobytes of text are large enough.
    pub fn add<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) -> RowBatch {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let create = || RowBuilder::new(self.created.fetch_add(1, Ordering::Relaxed), self.options);
        let mut builder = idle.unwrap_or_else(create);
        let batch = builder.add(texts);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(builder);
        batch
    }

    /// Returns the matrix of all batches, which this builder counted, in this order.
    pub fn finish(self, batches: &[RowBatch]) -> TermMatrix {
        matrix(self.idle.into_inner().unwrap_or_else(PoisonError::into_inner), batches)
    }
}
