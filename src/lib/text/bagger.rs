//! Counting the terms of one text after the other, in memory that is used again.

use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::split::{for_each_lettered, for_each_word};
use super::{CountedTerm, Key, SHINGLE_JOINT, TermRules, Words};

/// Makes bags of words. One serves a thread for all of its texts: nothing is allocated for a text that is no larger than those before.
pub struct Bagger {
    rules: TermRules,
    counter: Counter,
    /// The words that are left, joined: a shingle is a piece of it. Or the whole text in lower case.
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
        self.bag_expecting(text, |_| ())
    }

    /// The same; `expect` is called with the key of each term that is new in the text, as soon as it is found, so that memory can be asked for that will be
    /// needed for the bag.
    #[inline]
    pub(crate) fn bag_expecting<'a>(
        &'a mut self,
        text: &'a str,
        expect: impl Fn(&Key),
    ) -> TermBag<'a> {
        self.counter.clear();
        let are_words = self.rules.shingle_size == 1;
        match self.rules.words {
            Words::WhiteSpace if are_words => {
                self.count_words(text, expect);
                return TermBag { text, terms: &self.counter.terms };
            }
            Words::Unicode if are_words && text.is_ascii() => self.count_ascii_words(text, expect),
            _ => {
                self.join(text);
                self.count_shingles(expect);
            }
        }
        TermBag { text: &self.joined, terms: &self.counter.terms }
    }

    /// Counts the runs of letters and digits of a text of ASCII, which is in normal form whatever it is.
    fn count_ascii_words(&mut self, text: &str, expect: impl Fn(&Key)) {
        let Bagger { rules, counter, joined, .. } = self;
        joined.clear();
        joined.push_str(text);
        joined.make_ascii_lowercase();
        joined.push_str(MARGIN);
        for_each_lettered(joined, |start, end| {
            if rules.keep_numbers || !is_number(joined, start, end) {
                counter.add(joined.as_bytes(), start, end, &expect);
            }
        });
    }

    fn count_words(&mut self, text: &str, expect: impl Fn(&Key)) {
        let Bagger { rules, counter, .. } = self;
        for_each_word(text, |start, end| {
            if rules.keep_numbers || !is_number(text, start, end) {
                counter.add(text.as_bytes(), start, end, &expect);
            }
        });
    }

    fn count_shingles(&mut self, expect: impl Fn(&Key)) {
        let Bagger { rules, counter, joined, words } = self;
        for window in words.windows(rules.shingle_size) {
            let (first, last) = (window[0], window[window.len() - 1]);
            counter.add(joined.as_bytes(), first.0, last.1, &expect);
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
            Words::Unicode if is_nfc(text) => for_each_unicode_word(text, push),
            Words::Unicode => for_each_unicode_word(&text.nfc().collect::<String>(), push),
        }
    }
}

/// Behind a text: no key of its words has to be made in the slow way that the end of a text needs.
const MARGIN: &str = "                ";

/// Calls `visit` with every run of letters and digits. Only where there is something beyond ASCII, characters are looked at one by one.
fn for_each_unicode_word(text: &str, mut visit: impl FnMut(&str)) {
    for_each_lettered(text, |start, end| {
        let run = &text[start..end];
        if run.is_ascii() {
            visit(run);
        } else {
            letters_and_digits(run).for_each(&mut visit);
        }
    });
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
#[inline(always)]
fn is_number(text: &str, start: usize, end: usize) -> bool {
    let first = text.as_bytes()[start];
    // Nearly every word is no number, and shows it at once.
    if first.is_ascii() && !first.is_ascii_digit() {
        return false;
    }
    is_all_digits(&text[start..end])
}

#[inline(never)]
fn is_all_digits(word: &str) -> bool {
    word.chars().all(char::is_numeric)
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

    /// Counts the term that stands in `text` from `start` to `end`; always the same text until the next [`Counter::clear`]. `expect` is told of a new one.
    #[inline]
    fn add(&mut self, text: &[u8], start: usize, end: usize, expect: impl Fn(&Key)) {
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
        expect(&key);
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
