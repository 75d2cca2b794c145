//! Bags of words: the distinct terms of a text with their counts.

use super::scanner::{TermRanges, TermScanner};
use super::{AnalyzerOptions, CountedTerm, Key};

/// Counts the terms of texts one after the other. A thread reuses one counter for all of its texts, so buffers grow only for the largest.
///
/// The terms are those of [`Analyzer`](super::Analyzer) with the same options.
pub struct TermCounter {
    scanner: TermScanner,
    counts: CountTable,
}

/// A text's distinct terms with their counts, in the order of their first occurrence.
#[derive(Clone, Copy)]
pub struct TermBag<'a> {
    text: &'a str,
    terms: &'a [Counted],
}

impl<'a> TermBag<'a> {
    /// Returns the terms.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = CountedTerm<'a>> + use<'a> {
        let text = self.text;
        self.terms.iter().map(move |Counted { start, end, key, count }| CountedTerm {
            text: &text[*start..*end],
            key: *key,
            count: *count,
        })
    }
}

impl TermCounter {
    /// Creates a counter with empty buffers.
    pub fn new(options: AnalyzerOptions) -> Self {
        TermCounter { scanner: TermScanner::new(options), counts: CountTable::default() }
    }

    /// Returns the bag of a text. Words are filtered before shingles are formed; a text of fewer words than a shingle has no terms. Time is linear
    /// in the text, times the shingle's length.
    pub fn bag<'a>(&'a mut self, text: &'a str) -> TermBag<'a> {
        let TermCounter { scanner, counts } = self;
        let scanned = scanner.scan(text);
        counts.clear();
        scanned.for_each(|start, end| counts.add(scanned.text.as_bytes(), start, end));
        TermBag { text: scanned.text, terms: &counts.terms }
    }
}

/// A term: the range of its first occurrence and its count.
#[derive(Debug, Clone, Copy)]
struct Counted {
    start: usize,
    end: usize,
    key: Key,
    count: u64,
}

/// A place of the table: the high half of the term's hash, then its position in the bag, counted from 1; 0 if the place is free.
type Slot = u64;

/// The table's size for a text of which nothing is known. Few terms of a common document meet another one there, it fits into the nearest cache, and
/// emptying it takes less time than counting a dozen terms.
const FEWEST_SLOTS: usize = 1024;

/// Counts terms in the order of their first occurrence. The table is open-addressed and at most half full.
struct CountTable {
    terms: Vec<Counted>,
    /// A power of two of them.
    slots: Vec<Slot>,
}

impl Default for CountTable {
    fn default() -> Self {
        CountTable { terms: Vec::new(), slots: vec![0; FEWEST_SLOTS] }
    }
}

impl CountTable {
    fn clear(&mut self) {
        self.terms.clear();
        // A table that grew for a large text would be slow to empty for each small one.
        self.slots.truncate(FEWEST_SLOTS);
        self.slots.fill(0);
    }

    /// Counts the term that stands in `text` from `start` to `end`; always the same text until the next [`CountTable::clear`].
    #[inline]
    fn add(&mut self, text: &[u8], start: usize, end: usize) {
        let key = Key::within(text, start, end);
        let mask = self.slots.len() - 1;
        let mut at = key.hash() as usize & mask;
        while self.slots[at] != 0 {
            // The same tag leaves the position.
            let position = self.slots[at] ^ tag(&key);
            if let Some(known) = self.terms.get_mut((position as usize).wrapping_sub(1)) {
                let is_same_text = || text[known.start..known.end] == text[start..end];
                if known.key.is_same(&key, is_same_text) {
                    known.count += 1;
                    return;
                }
            }
            at = (at + 1) & mask;
        }
        self.terms.push(Counted { start, end, key, count: 1 });
        self.slots[at] = tag(&key) | self.last_position();
        if self.terms.len() * 2 > self.slots.len() {
            self.grow();
        }
    }

    fn last_position(&self) -> Slot {
        u32::try_from(self.terms.len()).expect("a text of fewer than 2^32 terms").into()
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(size, 0);
        for (position, term) in (1..).zip(&self.terms) {
            let mut at = term.key.hash() as usize & (size - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = tag(&term.key) | position;
        }
    }
}

/// The part of a slot that tells most keys apart.
#[inline]
fn tag(key: &Key) -> Slot {
    key.hash() & !Slot::from(u32::MAX)
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
        counter.bag(text).terms().map(|term| (term.text.to_string(), term.count)).collect()
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

    fn options() -> impl Strategy<Value = AnalyzerOptions> {
        let words = prop_oneof![Just(WordRule::WhiteSpace), Just(WordRule::Letters)];
        (words, any::<bool>(), 1usize..4, 1usize..4).prop_map(|all| {
            let (words, save_nums, min_word_len, shingle_size) = all;
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
