//! Where the terms of a text stand.

use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::split::{for_each_lettered, for_each_word};
use super::{SHINGLE_JOINT, TermRules, Words};

/// Lays texts out so that every term is a piece of text. One serves a thread for all of its texts: nothing is allocated for a text that is no larger than those before.
pub(crate) struct Layout {
    rules: TermRules,
    /// The words that are left, joined: a shingle is a piece of it. Or the whole text in lower case.
    joined: String,
    /// Where each of these words stands.
    words: Vec<(usize, usize)>,
}

/// A text in which terms stand as they are counted.
#[derive(Clone, Copy)]
pub(crate) struct LaidOut<'a> {
    /// The text.
    pub text: &'a str,
    terms: Terms<'a>,
    keep_numbers: bool,
}

/// A text of ASCII whose terms are its words in lower case, wherever these stand in another one.
#[derive(Clone, Copy)]
pub(crate) struct Plain<'a> {
    text: &'a str,
    keep_numbers: bool,
}

/// Where terms stand.
pub(crate) trait Stand {
    /// Calls `visit` with where each term begins and ends, one after the other.
    fn for_each(&self, visit: impl FnMut(usize, usize));
}

/// What of it is a term.
#[derive(Clone, Copy)]
enum Terms<'a> {
    /// What stands between white space.
    Words,
    /// Runs of letters and digits of ASCII.
    Lettered,
    /// So many of these words in a row.
    Shingles(&'a [(usize, usize)], usize),
}

impl Layout {
    /// Begins with no memory.
    pub fn new(rules: TermRules) -> Self {
        Layout { rules, joined: String::new(), words: Vec::new() }
    }

    /// Where the terms of a text stand that are words in lower case of a text of ASCII, which need not be laid out.
    pub fn as_it_is<'a>(&self, text: &'a str) -> Option<Plain<'a>> {
        let TermRules { words, keep_numbers, shingle_size } = self.rules;
        let is_simple = words == Words::Unicode && shingle_size == 1 && text.is_ascii();
        is_simple.then_some(Plain { text, keep_numbers })
    }

    /// Words made of digits are dropped before shingles are formed; a text of fewer words than a shingle has no terms.
    pub fn of<'a>(&'a mut self, text: &'a str) -> LaidOut<'a> {
        let TermRules { words, keep_numbers, shingle_size } = self.rules;
        let are_words = shingle_size == 1;
        match words {
            Words::WhiteSpace if are_words => LaidOut { text, terms: Terms::Words, keep_numbers },
            // A text of ASCII is in normal form whatever it is.
            Words::Unicode if are_words && text.is_ascii() => {
                self.joined.clear();
                self.joined.push_str(text);
                self.joined.make_ascii_lowercase();
                self.joined.push_str(MARGIN);
                LaidOut { text: &self.joined, terms: Terms::Lettered, keep_numbers }
            }
            _ => {
                self.join(text);
                let terms = Terms::Shingles(&self.words, shingle_size);
                LaidOut { text: &self.joined, terms, keep_numbers }
            }
        }
    }

    /// Lays the text's words out with the joint between them.
    fn join(&mut self, text: &str) {
        let Layout { rules, joined, words } = self;
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

/// In one place only, so that what is done with a word is a part of the loop over all.
impl Stand for Plain<'_> {
    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        for_each_lettered(self.text, |start, end| {
            if self.keep_numbers || !is_number(self.text, start, end) {
                visit(start, end);
            }
        });
    }
}

impl Stand for LaidOut<'_> {
    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        let visit_word = |start, end| {
            if self.keep_numbers || !is_number(self.text, start, end) {
                visit(start, end);
            }
        };
        match self.terms {
            Terms::Words => for_each_word(self.text, visit_word),
            Terms::Lettered => for_each_lettered(self.text, visit_word),
            Terms::Shingles(words, size) => {
                words.windows(size).for_each(|w| visit(w[0].0, w[w.len() - 1].1));
            }
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

pub(super) fn letters_and_digits(text: &str) -> impl Iterator<Item = &str> {
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
