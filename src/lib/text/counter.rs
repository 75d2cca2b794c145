//! Bags of words: the distinct terms of a text with their counts.

use std::sync::Arc;

use super::filters::WordFilters;
use super::scanner::{TermRanges, TermScanner};
use super::{AnalyzerOptions, CountedTerm, Key};
use crate::bits::probe_table::{ProbeTable, Slot};

/// Counts the terms of texts one after the other. A thread reuses one counter for all of its texts, so buffers grow only for the largest.
///
/// The terms are those of [`Analyzer`](super::Analyzer) with the same options and filters.
pub struct TermCounter {
    scanner: TermScanner,
    counts: BagTable,
}

impl TermCounter {
    /// Creates a counter with empty buffers.
    pub fn new(options: AnalyzerOptions) -> Self {
        TermCounter { scanner: TermScanner::new(options), counts: BagTable::default() }
    }

    /// Applies filters to all words. They must have been compiled for the same options.
    pub fn with_filters(self, filters: Arc<WordFilters>) -> Self {
        TermCounter { scanner: self.scanner.with_filters(filters), ..self }
    }

    /// Returns a text's distinct terms with their counts, in the order of their first occurrence. Words are filtered before shingles are formed; a
    /// text of fewer words than a shingle has no terms. Time is linear in the text, times the shingle's length.
    pub fn bag<'a>(&'a mut self, text: &'a str) -> impl ExactSizeIterator<Item = CountedTerm<'a>> {
        let TermCounter { scanner, counts } = self;
        let scanned = scanner.scan(text);
        counts.clear();
        scanned.for_each(|start, end| counts.add(scanned.text.as_bytes(), start, end));
        counts.terms.iter().map(move |TermCount { start, end, key, count }| CountedTerm {
            text: &scanned.text[*start..*end],
            key: *key,
            count: *count,
        })
    }
}

/// A term: the range of its first occurrence and its count.
#[derive(Debug, Clone, Copy)]
struct TermCount {
    start: usize,
    end: usize,
    key: Key,
    count: u64,
}

/// A slot of the table: the lower half of the term's hash, then its position in the bag, counted from 1; 0 if the slot is free.
#[derive(Debug, Clone, Copy, Default)]
struct BagSlot(u64);

impl Slot for BagSlot {
    /// Few terms of a common document collide, the table fits into the L1 cache, and clearing it takes less time than counting a dozen terms.
    const MIN_SLOTS: usize = 1024;
    const MAX_QUARTERS: usize = 2;

    #[inline(always)]
    fn is_free(&self) -> bool {
        self.0 == 0
    }
}

/// Counts terms in the order of their first occurrence.
#[derive(Default)]
struct BagTable {
    terms: Vec<TermCount>,
    slots: ProbeTable<BagSlot>,
}

impl BagTable {
    fn clear(&mut self) {
        self.terms.clear();
        self.slots.clear();
    }

    /// Counts the term at a range of `text`, which is the same text until the next [`BagTable::clear`].
    #[inline]
    fn add(&mut self, text: &[u8], start: usize, end: usize) {
        let BagTable { terms, slots } = self;
        let key = Key::within(text, start, end);
        let tag = key.hash << u32::BITS;
        let found = slots.find(key.hash, |slot| {
            // An equal tag leaves the position.
            let known = terms.get_mut(((slot.0 ^ tag) as usize).wrapping_sub(1));
            known.is_some_and(|known| {
                let is_it =
                    known.key.is_same(&key, || text[known.start..known.end] == text[start..end]);
                // Counted here, where the term is at hand already.
                known.count += u64::from(is_it);
                is_it
            })
        });
        if let Err(free) = found {
            terms.push(TermCount { start, end, key, count: 1 });
            let position = u32::try_from(terms.len()).expect("fewer than 2^32 terms in a text");
            let slot = BagSlot(tag | u64::from(position));
            slots.insert(free, slot, |slot| terms[slot.0 as u32 as usize - 1].key.hash);
        }
    }
}
