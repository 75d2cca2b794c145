//! Decision whether a word is long enough and no number.

use super::AnalyzerOptions;

/// Drops numbers and short words.
#[derive(Clone, Copy)]
pub(super) struct WordLimits {
    keeps_all: bool,
    options: AnalyzerOptions,
}

impl WordLimits {
    /// Creates the limits of the options.
    pub fn new(options: AnalyzerOptions) -> Self {
        WordLimits { keeps_all: options.save_nums && options.min_word_len == 1, options }
    }

    /// Returns whether the word at this range of a text is kept.
    #[inline(always)]
    pub fn keeps(self, text: &str, start: usize, end: usize) -> bool {
        if self.keeps_all {
            return true;
        }
        let first = text.as_bytes()[start];
        // Most words start with a letter, so they are no number.
        if self.options.min_word_len == 1 && first.is_ascii() && !first.is_ascii_digit() {
            return true;
        }
        self.passes(&text[start..end])
    }

    /// Returns whether a word is kept.
    #[inline(always)]
    pub fn keeps_word(self, word: &str, is_bigram: bool) -> bool {
        if is_bigram {
            self.keeps_all || self.options.keeps(word, true)
        } else {
            self.keeps(word, 0, word.len())
        }
    }

    #[inline(never)]
    fn passes(self, word: &str) -> bool {
        self.options.keeps(word, false)
    }
}
