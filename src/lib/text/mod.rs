//! Text in, terms out: words, then runs of words (shingles), then a bag that counts them.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Joins the words of a shingle: a no-break space. It is white space, so it cannot stand inside a word; it is not the
/// space or the newline that separate the chain's files.
pub const SHINGLE_JOINT: char = '\u{a0}';

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Words {
    /// What stands between white space (Unicode's), as it stands there. The thesis' words.
    #[default]
    WhiteSpace,
    /// Runs of letters and digits of the text in normal form C, in lower case.
    Unicode,
}

/// How a text becomes terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermRules {
    /// What a word is.
    pub words: Words,
    /// Whether words made only of digits count.
    pub keep_numbers: bool,
    /// So many words in a row are a term; at least 1.
    pub shingle_size: usize,
}

impl Default for TermRules {
    fn default() -> Self {
        TermRules { words: Words::default(), keep_numbers: false, shingle_size: 1 }
    }
}

impl TermRules {
    /// The text's distinct terms with their counts, in the order of their first occurrence. Words made of digits are
    /// dropped before shingles are formed; a text of fewer words than a shingle has no terms.
    pub fn bag(&self, text: &str) -> Vec<(String, u64)> {
        let text = match self.words {
            Words::Unicode if !is_nfc(text) => Cow::Owned(text.nfc().collect::<String>()),
            _ => Cow::Borrowed(text),
        };
        let words = self.words(&text);
        let mut counter = Counter::default();
        if self.shingle_size == 1 {
            words.iter().for_each(|word| counter.add(word));
        } else {
            let mut shingle = String::new();
            for window in words.windows(self.shingle_size) {
                join(&mut shingle, window);
                counter.add(&shingle);
            }
        }
        counter.terms
    }

    fn words<'a>(&self, text: &'a str) -> Vec<Cow<'a, str>> {
        let kept = |word: &&str| self.keep_numbers || !is_number(word);
        match self.words {
            Words::WhiteSpace => text.split_whitespace().filter(kept).map(Cow::Borrowed).collect(),
            Words::Unicode => text
                .split(|character: char| !character.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .filter(kept)
                .map(lower_case)
                .collect(),
        }
    }
}

/// Whether a word consists of digits (any script's) alone.
fn is_number(word: &str) -> bool {
    word.chars().all(char::is_numeric)
}

fn lower_case(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.to_lowercase())
}

fn join(shingle: &mut String, words: &[Cow<'_, str>]) {
    shingle.clear();
    for word in words {
        if !shingle.is_empty() {
            shingle.push(SHINGLE_JOINT);
        }
        shingle.push_str(word);
    }
}

/// Counts terms in the order of their first occurrence.
#[derive(Default)]
struct Counter {
    positions: FxHashMap<String, usize>,
    terms: Vec<(String, u64)>,
}

impl Counter {
    fn add(&mut self, term: &str) {
        if let Some(position) = self.positions.get(term) {
            self.terms[*position].1 += 1;
        } else {
            self.positions.insert(term.to_string(), self.terms.len());
            self.terms.push((term.to_string(), 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(rules: TermRules, text: &str) -> Vec<String> {
        rules.bag(text).into_iter().map(|(term, count)| format!("{term}={count}")).collect()
    }

    #[test]
    fn white_space_words_stay_as_they_are() {
        let found = terms(TermRules::default(), "The the\u{a0}The, http://x 1984 19a\n\tThe");
        assert_eq!(found, ["The=2", "the=1", "The,=1", "http://x=1", "19a=1"]);
    }

    #[test]
    fn numbers_can_be_kept() {
        let rules = TermRules { keep_numbers: true, ..TermRules::default() };
        assert_eq!(terms(rules, "1984 ٣٤ a"), ["1984=1", "٣٤=1", "a=1"]);
        assert_eq!(terms(TermRules::default(), "1984 ٣٤ a"), ["a=1"]);
    }

    #[test]
    fn unicode_words_are_normalised_and_lower_case() {
        let rules = TermRules { words: Words::Unicode, ..TermRules::default() };
        let found = terms(rules, "Cafe\u{301}—CAFÉ! ΟΔΟΣ İ2 12 x2");
        assert_eq!(found, ["café=2", "οδο\u{3c2}=1", "i\u{307}2=1", "x2=1"]);
    }

    #[test]
    fn shingles_are_runs_of_words_without_numbers() {
        let rules = TermRules { shingle_size: 2, ..TermRules::default() };
        assert_eq!(terms(rules, "a b 7 a b"), ["a\u{a0}b=2", "b\u{a0}a=1"]);
        assert!(terms(rules, "alone").is_empty());
    }
}
