//! Documents in memory to a vocabulary and a sparse matrix, without a file between.
//!
//! Threads count the terms of documents, batch by batch, each with a [`Gatherer`] of its own, whose table numbers terms as they come: one search a distinct term
//! of a document, for which memory is asked while the document is still being read. When all documents are counted, [`matrix()`] puts the tables together, orders the terms
//! and gives every row its final numbers and weights.
//!
//! The result does not depend on the number of threads, on who counted which batch or on how documents were cut into batches.
//!
//! ```
//! use nearsig::text::{TermRules, Words};
//! use nearsig::vector::gather::Gatherers;
//!
//! let gatherers = Gatherers::new(TermRules { words: Words::Unicode, keep_numbers: true, shingle_size: 1 });
//! let batches = vec![gatherers.add(["One fish, two fish"]), gatherers.add(["Blue fish", ""])];
//! let matrix = gatherers.matrix(batches);
//! let terms: Vec<&str> = matrix.terms.terms().map(|term| term.text).collect();
//! assert_eq!(terms, ["fish", "blue", "one", "two"]);
//! assert_eq!(matrix.vectors.rows(), 3);
//! assert_eq!(matrix.vectors.outer_view(1).unwrap().indices(), [0, 1]);
//! ```

mod matrix;
mod merge;
mod rows;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub use matrix::{Matrix, matrix};
pub use merge::merged;

use super::counts::CountTable;
use crate::text::{Bagger, TermRules};

/// Sparse vectors, one a row, the indexes of each ascending.
pub type Vectors = sprs::CsMatI<f32, u32, usize>;

/// Instead of a count: it stands among the large ones.
const LARGE: u8 = u8::MAX;

/// Counts the terms of documents, for one thread at a time.
pub struct Gatherer {
    number: usize,
    bagger: Bagger,
    table: CountTable,
    batch: Batch,
}

/// The documents that are being counted, in memory that is used again.
#[derive(Default)]
struct Batch {
    lengths: Vec<u32>,
    numbers: Vec<u32>,
    counts: Vec<u8>,
    large: Vec<u32>,
}

/// What became of a batch of documents: for each its distinct terms, by the numbers of the gatherer that counted them, and their counts.
/// Memory: 5 bytes a document's term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gathered {
    /// Whose numbers these are.
    gatherer: usize,
    /// The number of distinct terms of each document.
    lengths: Box<[u32]>,
    /// The numbers of their terms, counted from 0.
    numbers: Box<[u32]>,
    /// How often each occurs in its document, up to [`LARGE`].
    counts: Box<[u8]>,
    /// The counts that are not smaller, in the same order.
    large: Box<[u32]>,
}

impl Gathered {
    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }
}

impl Gatherer {
    /// Begins with no term. Gatherers whose batches become one [`matrix()`] have different numbers, best the lowest ones.
    pub fn new(number: usize, rules: TermRules) -> Self {
        let (bagger, table) = (Bagger::new(rules), CountTable::default());
        Gatherer { number, bagger, table, batch: Batch::default() }
    }

    /// Counts the terms of some documents.
    pub fn add<T: AsRef<str>>(&mut self, texts: impl IntoIterator<Item = T>) -> Gathered {
        let texts = texts.into_iter().map(Ok::<T, Infallible>);
        let Ok(gathered) = self.try_add(texts);
        gathered
    }

    /// Counts the terms of some documents, or returns the first error. Documents before it are counted then, although they are in no batch:
    /// nothing but the error should be made of all.
    pub fn try_add<T: AsRef<str>, E>(
        &mut self,
        texts: impl IntoIterator<Item = Result<T, E>>,
    ) -> Result<Gathered, E> {
        self.batch.clear();
        for text in texts {
            self.add_text(text?.as_ref());
        }
        Ok(self.batch.gathered(self.number))
    }

    fn add_text(&mut self, text: &str) {
        let Gatherer { bagger, table, batch, .. } = self;
        let bag = bagger.bag_expecting(text, |key| table.prefetch(key));
        for term in bag.terms() {
            let number = table.add_numbered(&term.key, term.text, term.count);
            batch.push(number.expect("no more occurrences than bytes of text") - 1, term.count);
        }
        batch.lengths.push(bag.terms().len() as u32);
    }
}

impl Batch {
    fn clear(&mut self) {
        self.lengths.clear();
        self.numbers.clear();
        self.counts.clear();
        self.large.clear();
    }

    #[inline(always)]
    fn push(&mut self, number: u32, count: u64) {
        self.numbers.push(number);
        self.counts.push(count.min(LARGE.into()) as u8);
        if count >= LARGE.into() {
            let count = u32::try_from(count).expect("fewer than 2^32 words in a text");
            self.large.push(count);
        }
    }

    /// A copy without what there is too much room for.
    fn gathered(&self, gatherer: usize) -> Gathered {
        Gathered {
            gatherer,
            lengths: self.lengths.as_slice().into(),
            numbers: self.numbers.as_slice().into(),
            counts: self.counts.as_slice().into(),
            large: self.large.as_slice().into(),
        }
    }
}

/// Gatherers for as many threads as ask for one at the same time.
pub struct Gatherers {
    rules: TermRules,
    made: AtomicUsize,
    spare: Mutex<Vec<Gatherer>>,
}

impl Gatherers {
    /// None yet.
    pub fn new(rules: TermRules) -> Self {
        Gatherers { rules, made: AtomicUsize::new(0), spare: Mutex::default() }
    }

    /// Counts the terms of some documents in the thread that asks. Batches of a few hundred kilobytes of text are large enough.
    pub fn add<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) -> Gathered {
        self.lend(|gatherer| gatherer.add(texts))
    }

    /// The same, or the first error, after which there is no use in going on.
    pub fn try_add<T: AsRef<str>, E>(
        &self,
        texts: impl IntoIterator<Item = Result<T, E>>,
    ) -> Result<Gathered, E> {
        self.lend(|gatherer| gatherer.try_add(texts))
    }

    /// The matrix of all batches, which were counted here, in this order.
    pub fn matrix(self, batches: Vec<Gathered>) -> Matrix {
        matrix(self.spare.into_inner().unwrap_or_else(PoisonError::into_inner), batches)
    }

    fn lend<R>(&self, work: impl FnOnce(&mut Gatherer) -> R) -> R {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let make = || Gatherer::new(self.made.fetch_add(1, Ordering::Relaxed), self.rules);
        let mut gatherer = spare.unwrap_or_else(make);
        let result = work(&mut gatherer);
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(gatherer);
        result
    }
}
