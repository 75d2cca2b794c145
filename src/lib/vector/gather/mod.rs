//! Documents in memory to a vocabulary and a sparse matrix, without a file between.
//!
//! Threads count the terms of documents, batch by batch, each with a [`Gatherer`] of its own, whose table numbers terms as they come. A word is looked for
//! in that table alone, which tells also whether the document had it before; memory is asked for a hundred words before it is needed. When all
//! documents are counted, [`matrix()`] puts the tables together, orders the terms and gives every row its final numbers and weights.
//!
//! The result does not depend on the number of threads, on who counted which batch or on how documents were cut into batches.
//!
//! ```
//! use nearsig::text::AnalyzerOptions;
//! use nearsig::vector::gather::Gatherers;
//! use nearsig::vector::sparse::SparseRows;
//!
//! let gatherers = Gatherers::new(AnalyzerOptions::letters(1));
//! let batches = vec![gatherers.add(["One fish, two fish"]), gatherers.add(["Blue fish", ""])];
//! let matrix = gatherers.matrix(batches);
//! let terms: Vec<&str> = matrix.terms.texts().collect();
//! assert_eq!(terms, ["fish", "blue", "one", "two"]);
//! assert_eq!(matrix.vectors.rows(), 3);
//! assert_eq!(matrix.vectors.row(1).0, [0, 1]);
//! ```

mod matrix;
mod merge;
mod terms;
#[cfg(test)]
mod tests;
mod vectors;
mod weights;

use std::borrow::Cow;
use std::convert::Infallible;
use std::hint::select_unpredictable;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub use matrix::{Matrix, matrix};
pub use merge::merged;
pub use terms::Terms;
pub use vectors::WordVectors;

use self::terms::Known;
use self::vectors::Slab;
use self::weights::{ONE, Occurrences, Weights, first};
use super::term_table::TermTable;
use super::{ENOUGH_LETTERS, letters};
use crate::text::scanner::{TermRanges, TermScanner};
use crate::text::{AnalyzerOptions, Key};

/// Terms whose memory is on its way at a time.
const AHEAD: usize = 128;

/// Counts the terms of documents, for one thread at a time.
pub struct Gatherer {
    number: usize,
    scanner: TermScanner,
    table: TermTable<Known>,
    document: Document,
    weights: Weights,
    /// The documents, one after the other; indexes are the numbers of terms, from 0 on.
    slabs: Vec<Slab>,
}

/// A document that is being counted.
#[derive(Default)]
struct Document {
    /// How many different terms it has so far.
    count: usize,
    /// Their numbers, from 1 on, and behind them what earlier documents left there.
    numbers: Vec<u32>,
    /// How often each occurs; as long as the numbers.
    occurrences: Vec<Occurrences>,
}

/// Room for so many terms of documents is in a slab, for more only if one document has them.
const SLAB: usize = 2 << 20;

/// What became of a batch of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gathered {
    /// Who has counted them.
    gatherer: usize,
    /// The slab in which it had put the documents before.
    slab: usize,
    /// Where their terms end there, and so these begin, as far as there was room.
    start: usize,
    /// The number of distinct terms of each document.
    lengths: Box<[u32]>,
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
    pub fn new(number: usize, rules: AnalyzerOptions) -> Self {
        Gatherer {
            number,
            scanner: TermScanner::new(rules),
            table: TermTable::default(),
            document: Document::default(),
            weights: Weights::new(),
            slabs: vec![Slab::with_room_for(0)],
        }
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
        let (slab, start) = (self.slabs.len() - 1, self.slabs[self.slabs.len() - 1].indexes.len());
        let lengths = texts.into_iter().map(|text| Ok(self.add_text(text?.as_ref())));
        let lengths = lengths.collect::<Result<_, E>>()?;
        Ok(Gathered { gatherer: self.number, slab, start, lengths })
    }

    /// Counts the terms of a document, and returns how many different ones there are.
    fn add_text(&mut self, text: &str) -> u32 {
        let Gatherer { scanner, table, document, weights, slabs, .. } = self;
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
        if !slabs.last().is_some_and(|slab| slab.has_room_for(terms)) {
            slabs.push(Slab::with_room_for(terms));
        }
        document.append_to(slabs.last_mut().expect("one was put there"), weights);
        terms as u32
    }
}

impl Document {
    /// Counts the terms of a text. `term` gives the key of the one that stands there, or its text if that is longer.
    #[inline(always)]
    fn add_text<'a>(
        &mut self,
        table: &mut TermTable<Known>,
        words: impl TermRanges,
        term: impl Fn(usize, usize) -> Result<Key, Cow<'a, str>>,
    ) {
        let (mut asked, mut count) = ([Key::default(); AHEAD], 0);
        words.for_each(|start, end| match term(start, end) {
            Ok(key) => {
                table.prefetch(&key);
                asked[count] = key;
                count += 1;
                if count == AHEAD {
                    self.add_short(table, &asked);
                    count = 0;
                }
            }
            Err(text) => {
                self.make_room(1);
                self.add(table, &Key::of(&text), &text);
            }
        });
        self.add_short(table, &asked[..count]);
    }

    /// Counts terms that are no longer than their keys.
    fn add_short(&mut self, table: &mut TermTable<Known>, keys: &[Key]) {
        self.make_room(keys.len());
        keys.iter().for_each(|key| self.add(table, key, ""));
    }

    /// Makes room for so many more terms.
    fn make_room(&mut self, more: usize) {
        let room = self.count + more;
        if self.numbers.len() < room {
            self.numbers.resize(2 * room, 0);
            self.occurrences.resize(2 * room, 0);
        }
    }

    /// Counts a term, for which there is room; the text is that of a long one. Its last place, in whatever document that was, is its place in this one if it stands there.
    ///
    /// Whether it does is a matter of chance, and a processor that guesses is often wrong: so both are done in the same way, at one place or the other.
    #[inline(always)]
    fn add(&mut self, table: &mut TermTable<Known>, key: &Key, text: &str) {
        let place = table.place(key, || text);
        let newest = table.len() as u32;
        let known = table.value_mut(place);
        if known.number == 0 {
            known.number = newest;
        }
        let letters = match key.holds_all() {
            true => key.characters().min(ENOUGH_LETTERS.into()) as u8,
            false => letters(text),
        };
        let last = known.last as usize;
        let looked_at = select_unpredictable(last < self.count, last, 0);
        let was_here = (last < self.count) & (self.numbers[looked_at] == known.number);
        let at = select_unpredictable(was_here, last, self.count);
        known.last = at as u32;
        known.documents += u32::from(!was_here);
        self.count += usize::from(!was_here);
        self.numbers[at] = known.number;
        let one_more = self.occurrences[at] + ONE;
        self.occurrences[at] = select_unpredictable(was_here, one_more, first(letters));
    }

    fn append_to(&self, slab: &mut Slab, weights: &Weights) {
        let (numbers, occurrences) = (&self.numbers[..self.count], &self.occurrences[..self.count]);
        slab.indexes.extend(numbers.iter().map(|number| number - 1));
        slab.weights.extend(occurrences.iter().map(|occurrences| weights.of(*occurrences)));
        slab.ends.push(slab.indexes.len());
    }
}

/// Gatherers for as many threads as ask for one at the same time.
pub struct Gatherers {
    rules: AnalyzerOptions,
    made: AtomicUsize,
    spare: Mutex<Vec<Gatherer>>,
}

impl Gatherers {
    /// None yet.
    pub fn new(rules: AnalyzerOptions) -> Self {
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
        matrix(self.spare.into_inner().unwrap_or_else(PoisonError::into_inner), &batches)
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
