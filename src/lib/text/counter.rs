//! Bags of words: the distinct terms of a text with their counts.

use super::scanner::{TermRanges, TermScanner};
use super::{AnalyzerOptions, CountedTerm, Key};
use crate::bits::probe_table::{ProbeTable, Slot};

/// Counts the terms of texts one after the other. A thread reuses one counter for all of its texts, so buffers grow only for the largest.
///
/// The terms are those of [`Analyzer`](super::Analyzer) with the same options.
pub struct TermCounter {
    scanner: TermScanner,
    counts: BagTable,
}

impl TermCounter {
    /// Creates a counter with empty buffers.
    pub fn new(options: AnalyzerOptions) -> Self {
        TermCounter { scanner: TermScanner::new(options), counts: BagTable::default() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::markup::strip;
    use crate::text::{Analyzer, WordRule};
    use proptest::prelude::*;

    /// The bag by the analyzer.
    fn reference(analyzer: &Analyzer, text: &str) -> Vec<(String, u64)> {
        let mut bag: Vec<(String, u64)> = Vec::new();
        analyzer.for_each_token(text, |token| {
            match bag.iter_mut().find(|(known, _)| *known == token.term) {
                Some((_, count)) => *count += 1,
                None => bag.push((token.term.into_owned(), 1)),
            }
        });
        bag
    }

    fn bag(counter: &mut TermCounter, text: &str) -> Vec<(String, u64)> {
        counter.bag(text).map(|term| (term.text.to_string(), term.count)).collect()
    }

    #[test]
    fn words_longer_than_their_keys_are_distinguished() {
        let options = AnalyzerOptions::letters(1);
        let long = "Abcdefghijklmnopqrstuvwxyz".repeat(4);
        let text = format!("{long}1 {long}2 {long}1 {} {}", &long[..16], &long[..17]);
        for text in [text.clone(), format!("{text} é")] {
            let expected = reference(&Analyzer::new(options), &text);
            assert_eq!(bag(&mut TermCounter::new(options), &text), expected);
        }
    }

    #[test]
    fn tables_grow_for_many_terms_and_shrink_again() {
        let mut counter = TermCounter::new(AnalyzerOptions::default());
        let many: Vec<String> = (0..40_000).map(|n| format!("w{}", n % 30_011)).collect();
        for text in [many.join(" ").as_str(), "w1 w2 w1", "", &many[..700].join("\n")] {
            let found = bag(&mut counter, text);
            let mut counts = std::collections::HashMap::new();
            text.split_whitespace().for_each(|word| *counts.entry(word).or_insert(0) += 1);
            assert_eq!(found.len(), counts.len());
            assert!(found.iter().all(|(term, count)| counts[&**term] == *count));
        }
    }

    /// All combinations of options.
    fn options() -> impl Strategy<Value = AnalyzerOptions> {
        let parts = (any::<bool>(), any::<bool>(), 1usize..4, 1usize..4);
        parts.prop_map(|(is_letters, save_nums, min_word_len, shingle_size)| {
            let words = if is_letters { WordRule::Letters } else { WordRule::WhiteSpace };
            AnalyzerOptions { words, save_nums, min_word_len, shingle_size }
        })
    }

    proptest! {
        #[test]
        fn bags_are_those_of_the_analyzer(
            texts in prop::collection::vec(
                "([a-bA-BΣσİé0-9٣e\u{301}]{0,3}[ \n,\u{a0}\u{2028}]){0,40}|\\PC{0,60}|([a-cA-C0-1]{0,3}[ -/:-@\\[-`{-~]){0,60}|[ -~]{0,200}",
                1..4,
            ),
            options in options(),
        ) {
            let (mut counter, analyzer) = (TermCounter::new(options), Analyzer::new(options));
            for text in &texts {
                prop_assert_eq!(bag(&mut counter, text), reference(&analyzer, text));
            }
        }

        #[test]
        fn bags_of_pages_are_those_of_the_analyzer(
            page in "([a-b]{0,2}(<b>|</p>|<br/>|&eacute;|&#769;|&amp|<script>x</script>|<!--|[ <&,1])){0,30}",
            options in options(),
        ) {
            let expected = reference(&Analyzer::for_html(options), &page);
            prop_assert_eq!(bag(&mut TermCounter::new(options), &strip(&page)), expected);
        }
    }
}
