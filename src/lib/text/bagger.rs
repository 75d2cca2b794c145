//! Counting the terms of one text after the other, in memory that is used again.

use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::split::for_each_word;
use super::{CountedTerm, Key, SHINGLE_JOINT, TermRules, Words};

/// Makes bags of words. One serves a thread for all of its texts: nothing is allocated for a text that is no larger than those before.
pub struct Bagger {
    rules: TermRules,
    counter: Counter,
    /// The words that are left, joined: a shingle is a piece of it.
    joined: String,
    /// Where each of these words stands.
    words: Vec<(usize, usize)>,
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
        let (joined, words) = (String::new(), Vec::new());
        Bagger { rules, counter: Counter::default(), joined, words }
    }

    /// The text's bag. Words made of digits are dropped before shingles are formed; a text of fewer words than a shingle has
    /// no terms. Time is linear in the text, times the shingle's length.
    pub fn bag<'a>(&'a mut self, text: &'a str) -> TermBag<'a> {
        self.counter.clear();
        if self.rules.words == Words::WhiteSpace && self.rules.shingle_size == 1 {
            self.count_words(text);
            return TermBag { text, terms: &self.counter.terms };
        }
        self.join(text);
        self.count_shingles();
        TermBag { text: &self.joined, terms: &self.counter.terms }
    }

    fn count_words(&mut self, text: &str) {
        let Bagger { rules, counter, .. } = self;
        for_each_word(text, |start, end| {
            if rules.keep_numbers || !is_number(text, start, end) {
                counter.add(text.as_bytes(), start, end);
            }
        });
    }

    fn count_shingles(&mut self) {
        let Bagger { rules, counter, joined, words } = self;
        for window in words.windows(rules.shingle_size) {
            let (first, last) = (window[0], window[window.len() - 1]);
            counter.add(joined.as_bytes(), first.0, last.1);
        }
    }

    /// Lays the text's words out with the joint between them.
    fn join(&mut self, text: &str) {
        let Bagger { rules, joined, words, .. } = self;
        joined.clear();
        words.clear();
        let mut push = |word: &str| {
            if !rules.keep_numbers && is_number(word, 0, word.len()) {
                return;
            }
            if !words.is_empty() {
                joined.push(SHINGLE_JOINT);
            }
            let start = joined.len();
            match rules.words {
                Words::WhiteSpace => joined.push_str(word),
                Words::Unicode => push_lower_case(joined, word),
            }
            words.push((start, joined.len()));
        };
        match rules.words {
            Words::WhiteSpace => for_each_word(text, |start, end| push(&text[start..end])),
            Words::Unicode if is_nfc(text) => letters_and_digits(text).for_each(push),
            Words::Unicode => letters_and_digits(&text.nfc().collect::<String>()).for_each(push),
        }
    }
}

fn letters_and_digits(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn push_lower_case(text: &mut String, word: &str) {
    if word.is_ascii() {
        text.extend(word.bytes().map(|byte| byte.to_ascii_lowercase() as char));
    } else {
        // The whole word at once: how a letter is written can hang on its neighbours.
        text.push_str(&word.to_lowercase());
    }
}

/// Whether a word, which is a part of a text, consists of digits (any script's) alone.
#[inline]
fn is_number(text: &str, start: usize, end: usize) -> bool {
    let first = text.as_bytes()[start];
    // Nearly every word is no number, and shows it at once.
    if first.is_ascii() && !first.is_ascii_digit() {
        return false;
    }
    text[start..end].chars().all(char::is_numeric)
}

/// A term: where it first stands, and how often it occurs.
#[derive(Debug, Clone, Copy)]
struct Counted {
    start: usize,
    end: usize,
    key: Key,
    count: u64,
}

/// A place of the table, empty unless it was filled for the present text.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// For which text it was filled.
    generation: u32,
    /// The high half of the term's hash.
    tag: u32,
    /// The term's position in the bag.
    position: u32,
}

/// The table's size for a text of which nothing is known. A common document fits, and so does the table into the nearest cache.
const FEWEST_SLOTS: usize = 512;

/// Counts terms in the order of their first occurrence. The table is open-addressed, at most half full, and emptied by counting the texts.
struct Counter {
    terms: Vec<Counted>,
    slots: Vec<Slot>,
    /// How many of the slots are in use for the present text: a power of two.
    size: usize,
    generation: u32,
}

impl Default for Counter {
    fn default() -> Self {
        let slots = vec![Slot::default(); FEWEST_SLOTS];
        Counter { terms: Vec::new(), slots, size: FEWEST_SLOTS, generation: 0 }
    }
}

impl Counter {
    fn clear(&mut self) {
        self.terms.clear();
        self.size = FEWEST_SLOTS;
        self.next_generation();
    }

    /// Makes every slot an empty one.
    fn next_generation(&mut self) {
        if self.generation == u32::MAX {
            self.slots.fill(Slot::default());
            self.generation = 0;
        }
        self.generation += 1;
    }

    /// Counts the term that stands in `text` from `start` to `end`; always the same text until the next [`Counter::clear`].
    #[inline]
    fn add(&mut self, text: &[u8], start: usize, end: usize) {
        let key = Key::within(text, start, end);
        let tag = (key.hash() >> 32) as u32;
        let mask = self.size - 1;
        let mut at = key.hash() as usize & mask;
        while self.slots[at].generation == self.generation {
            let slot = self.slots[at];
            if slot.tag == tag {
                let known = &mut self.terms[slot.position as usize];
                let is_same_text = || text[known.start..known.end] == text[start..end];
                if known.key.is_same(&key, is_same_text) {
                    known.count += 1;
                    return;
                }
            }
            at = (at + 1) & mask;
        }
        self.slots[at] = Slot { generation: self.generation, tag, position: self.next_position() };
        self.terms.push(Counted { start, end, key, count: 1 });
        if self.terms.len() * 2 > self.size {
            self.grow();
        }
    }

    fn next_position(&self) -> u32 {
        u32::try_from(self.terms.len()).expect("a text of fewer than 2^32 terms")
    }

    fn grow(&mut self) {
        self.size *= 2;
        if self.slots.len() < self.size {
            self.slots.resize(self.size, Slot::default());
        }
        self.next_generation();
        let mask = self.size - 1;
        for (position, term) in (0..).zip(&self.terms) {
            let mut at = term.key.hash() as usize & mask;
            while self.slots[at].generation == self.generation {
                at = (at + 1) & mask;
            }
            let tag = (term.key.hash() >> 32) as u32;
            self.slots[at] = Slot { generation: self.generation, tag, position };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    #[test]
    fn generations_start_again_when_they_are_used_up() {
        let mut bagger = Bagger::new(TermRules::default());
        bag(&mut bagger, "a b");
        bagger.counter.generation = u32::MAX - 1;
        for _ in 0..4 {
            assert_eq!(bag(&mut bagger, "b c b"), [("b".into(), 2), ("c".into(), 1)]);
        }
    }

    proptest! {
        #[test]
        fn bags_are_those_of_the_slow_way(
            texts in prop::collection::vec("([a-bA-BΣσé0-9٣e\u{301}]{0,3}[ \n,\u{a0}\u{2028}]){0,40}|\\PC{0,60}", 1..4),
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
