//! Counting the terms of one text after the other, in memory that is used again.

use super::layout::{Layout, Stand};
use super::{CountedTerm, Key, TermRules};

/// Makes bags of words. One serves a thread for all of its texts: nothing is allocated for a text that is no larger than those before.
pub struct Bagger {
    layout: Layout,
    counter: Counter,
}

/// A text's distinct terms with their counts, in the order of their first occurrence.
#[derive(Clone, Copy)]
pub struct TermBag<'a> {
    text: &'a str,
    terms: &'a [Counted],
}

impl<'a> TermBag<'a> {
    /// The terms.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = CountedTerm<'a>> + use<'a> {
        let text = self.text;
        self.terms.iter().map(move |Counted { start, end, key, count }| CountedTerm {
            text: &text[*start..*end],
            key: *key,
            count: *count,
        })
    }
}

impl Bagger {
    /// Begins with no memory.
    pub fn new(rules: TermRules) -> Self {
        Bagger { layout: Layout::new(rules), counter: Counter::default() }
    }

    /// The text's bag. Words made of digits are dropped before shingles are formed; a text of fewer words than a shingle has
    /// no terms. Time is linear in the text, times the shingle's length.
    pub fn bag<'a>(&'a mut self, text: &'a str) -> TermBag<'a> {
        let Bagger { layout, counter } = self;
        let laid_out = layout.of(text);
        counter.clear();
        laid_out.for_each(|start, end| counter.add(laid_out.text.as_bytes(), start, end));
        TermBag { text: laid_out.text, terms: &counter.terms }
    }
}

/// A term: where it first stands, and how often it occurs.
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
struct Counter {
    terms: Vec<Counted>,
    /// A power of two of them.
    slots: Vec<Slot>,
}

impl Default for Counter {
    fn default() -> Self {
        Counter { terms: Vec::new(), slots: vec![0; FEWEST_SLOTS] }
    }
}

impl Counter {
    fn clear(&mut self) {
        self.terms.clear();
        // A table that grew for a large text would be slow to empty for each small one.
        self.slots.truncate(FEWEST_SLOTS);
        self.slots.fill(0);
    }

    /// Counts the term that stands in `text` from `start` to `end`; always the same text until the next [`Counter::clear`].
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
    use crate::text::Words;
    use crate::text::layout::letters_and_digits;
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    /// The same by the book: words, then windows, then looking through everything.
    fn slow_bag(rules: TermRules, text: &str) -> Vec<(String, u64)> {
        let composed = text.nfc().collect::<String>();
        let words: Vec<String> = match rules.words {
            Words::WhiteSpace => text.split_whitespace().map(String::from).collect(),
            Words::Unicode => letters_and_digits(&composed).map(String::from).collect(),
        };
        let is_kept = |word: &&String| rules.keep_numbers || !word.chars().all(char::is_numeric);
        let words = words.iter().filter(is_kept).map(|word| match rules.words {
            Words::WhiteSpace => word.clone(),
            Words::Unicode => word.to_lowercase(),
        });
        let words: Vec<String> = words.collect();
        let mut bag: Vec<(String, u64)> = Vec::new();
        for window in words.windows(rules.shingle_size) {
            let term = window.join("\u{a0}");
            match bag.iter_mut().find(|(known, _)| *known == term) {
                Some((_, count)) => *count += 1,
                None => bag.push((term, 1)),
            }
        }
        bag
    }

    fn bag(bagger: &mut Bagger, text: &str) -> Vec<(String, u64)> {
        bagger.bag(text).terms().map(|term| (term.text.to_string(), term.count)).collect()
    }

    #[test]
    fn words_that_keys_do_not_hold_are_told_apart() {
        let rules = TermRules { words: Words::Unicode, keep_numbers: true, shingle_size: 1 };
        let long = "Abcdefghijklmnopqrstuvwxyz".repeat(4);
        let text = format!("{long}1 {long}2 {long}1 {} {}", &long[..16], &long[..17]);
        for text in [text.clone(), format!("{text} é")] {
            assert_eq!(bag(&mut Bagger::new(rules), &text), slow_bag(rules, &text));
        }
    }

    #[test]
    fn a_text_of_many_terms_and_those_after_it_are_counted() {
        let mut bagger = Bagger::new(TermRules::default());
        let many: Vec<String> = (0..40_000).map(|n| format!("w{}", n % 30_011)).collect();
        for text in [many.join(" ").as_str(), "w1 w2 w1", "", &many[..700].join("\n")] {
            let found = bag(&mut bagger, text);
            let mut counts = std::collections::HashMap::new();
            text.split_whitespace().for_each(|word| *counts.entry(word).or_insert(0) += 1);
            assert_eq!(found.len(), counts.len());
            assert!(found.iter().all(|(term, count)| counts[&**term] == *count));
        }
    }

    proptest! {
        #[test]
        fn bags_are_those_of_the_slow_way(
            texts in prop::collection::vec(
                "([a-bA-BΣσé0-9٣e\u{301}]{0,3}[ \n,\u{a0}\u{2028}]){0,40}|\\PC{0,60}|([a-cA-C0-1]{0,3}[ -/:-@\\[-`{-~]){0,60}|[ -~]{0,200}",
                1..4,
            ),
            unicode: bool, keep_numbers: bool, shingle_size in 1usize..4,
        ) {
            let words = if unicode { Words::Unicode } else { Words::WhiteSpace };
            let rules = TermRules { words, keep_numbers, shingle_size };
            let mut bagger = Bagger::new(rules);
            for text in &texts {
                prop_assert_eq!(bag(&mut bagger, text), slow_bag(rules, text));
            }
        }
    }
}
