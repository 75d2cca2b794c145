//! Text in, terms out: words, then runs of words (shingles), then a bag that counts them.

mod bagger;
mod key;
pub(crate) mod layout;
pub(crate) mod markup;
pub(crate) mod split;

pub use bagger::{Bagger, TermBag};
pub use key::Key;

/// Joins the words of a shingle: a no-break space. It is white space, so it cannot stand inside a word; it is not the
/// space or the newline that separate the chain's files.
pub const SHINGLE_JOINT: char = '\u{a0}';

/// A term of a bag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedTerm<'a> {
    /// The term.
    pub text: &'a str,
    /// Its key.
    pub key: Key,
    /// How often it occurs.
    pub count: u64,
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(rules: TermRules, text: &str) -> Vec<String> {
        let mut bagger = Bagger::new(rules);
        bagger.bag(text).terms().map(|term| format!("{}={}", term.text, term.count)).collect()
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
