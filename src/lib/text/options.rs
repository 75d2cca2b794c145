//! Options of the analyzer.

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

/// Separates the words of a shingle: a no-break space. It is white space, so no word contains it, but neither the space nor the newline that
/// separate items of the pipeline's files.
pub const SHINGLE_SEPARATOR: char = '\u{a0}';

/// Rule by which a text is split into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WordRule {
    /// Anything between white space, unchanged; the thesis' words
    #[default]
    #[value(name = "whitespace")]
    WhiteSpace,
    /// Letters, digits and marks, composed (NFC) and in lower case; pairs of characters in scripts without spaces
    Letters,
}

/// Options that determine the terms of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args, Serialize, Deserialize)]
#[serde(default)]
pub struct AnalyzerOptions {
    /// Split at every character other than a letter, digit or mark; compose (NFC) and lower-case words
    ///
    /// Scripts without spaces give overlapping pairs of characters. Invisible characters, such as soft hyphens, are dropped. Without the flag
    /// words are separated by white space and stay unchanged.
    #[arg(long, value_name = "RULE", num_args = 0..=1, require_equals = true)]
    #[arg(
        default_value = "whitespace",
        default_missing_value = "letters",
        hide_default_value = true
    )]
    pub words: WordRule,
    /// Fold the words of --words: compatibility forms (NFKC), case (ß = ss), vowel marks of Arabic and Hebrew
    #[arg(long, requires = "words")]
    pub fold: bool,
    /// Keep words that consist of digits
    #[arg(long = "save_nums")]
    pub save_nums: bool,
    /// Minimum length of a word in characters; pairs of characters in scripts without spaces are kept
    #[arg(long = "min_word_len", value_name = "N", default_value = "1", value_parser = positive)]
    pub min_word_len: usize,
    /// Number of consecutive words in a term (shingle)
    #[arg(long = "shingle_size", value_name = "K", default_value = "1", value_parser = positive)]
    pub shingle_size: usize,
}

impl Default for AnalyzerOptions {
    fn default() -> Self {
        let words = WordRule::default();
        AnalyzerOptions { words, fold: false, save_nums: false, min_word_len: 1, shingle_size: 1 }
    }
}

impl AnalyzerOptions {
    /// Options for folded words of letters, digits and marks, numbers included, in shingles of `shingle_size` words: the terms of `find_near_dups`.
    pub const fn letters(shingle_size: usize) -> Self {
        let words = WordRule::Letters;
        AnalyzerOptions { words, fold: true, save_nums: true, min_word_len: 1, shingle_size }
    }

    /// Returns whether a word is long enough, in characters, and not dropped as a number of any script. Bigrams of scripts without spaces are
    /// long enough.
    pub(super) fn keeps(&self, word: &str, is_bigram: bool) -> bool {
        let min = if is_bigram { 1 } else { self.min_word_len };
        (self.save_nums || !word.chars().all(char::is_numeric))
            && word.chars().take(min).count() == min
    }
}

/// Parses an integer of at least 1.
fn positive(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "expected an integer of at least 1".into())
}
