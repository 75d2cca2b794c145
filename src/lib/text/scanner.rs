//! Fast tokenizer for counting: the analyzer's terms as byte ranges of a scratch buffer, without positions in the original.

use std::sync::Arc;

use super::filters::WordFilters;
use super::limits::WordLimits;
use super::split::{for_each_run_of_letters, for_each_word};
use super::{AnalyzerOptions, WordRule, WordScanner};

/// Tokenizes texts one after the other. A thread reuses one scanner for all of its texts, so buffers grow only for the largest.
pub(crate) struct TermScanner {
    options: AnalyzerOptions,
    /// An ASCII text in lower case.
    lower: String,
    /// Finds the words of all texts that are not split in place.
    words: WordScanner,
    /// Whether words are filtered by more than their length and digits.
    has_filters: bool,
}

/// The terms of a text as ranges.
pub(crate) trait TermRanges {
    /// Calls `visit` with the start and end of each term, in order.
    fn for_each(&self, visit: impl FnMut(usize, usize));
}

/// The terms of a text as slices of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct BufferedTerms<'a> {
    /// The buffer, or the text itself.
    pub text: &'a str,
    terms: Terms<'a>,
    limits: WordLimits,
}

/// The words of an ASCII text, to be lower-cased by the consumer.
#[derive(Clone, Copy)]
pub(crate) struct AsciiWords<'a> {
    text: &'a str,
    limits: WordLimits,
}

#[derive(Clone, Copy)]
enum Terms<'a> {
    /// Words between white space.
    Words,
    /// Runs of ASCII letters and digits.
    Letters,
    /// This number of consecutive words.
    Shingles(&'a [(usize, usize)], usize),
}

impl TermScanner {
    /// Creates a scanner with empty buffers.
    pub fn new(options: AnalyzerOptions) -> Self {
        let words = WordScanner::new(options);
        TermScanner { options, lower: String::new(), words, has_filters: false }
    }

    /// Applies filters to all words.
    pub fn with_filters(self, filters: Arc<WordFilters>) -> Self {
        let has_filters = !filters.is_empty();
        TermScanner { words: self.words.with_filters(filters), has_filters, ..self }
    }

    /// Returns the words of a text that needs no buffer: an ASCII text, of which single words are the terms.
    pub fn ascii_words<'a>(&self, text: &'a str) -> Option<AsciiWords<'a>> {
        let is_simple = self.terms_are_words(WordRule::Letters) && text.is_ascii();
        is_simple.then_some(AsciiWords { text, limits: WordLimits::new(self.options) })
    }

    /// Returns whether terms are single words of this rule, without filters.
    fn terms_are_words(&self, rule: WordRule) -> bool {
        let AnalyzerOptions { words, shingle_size, .. } = self.options;
        words == rule && shingle_size == 1 && !self.has_filters
    }

    /// Returns the terms of any text.
    pub fn scan<'a>(&'a mut self, text: &'a str) -> BufferedTerms<'a> {
        let limits = WordLimits::new(self.options);
        if self.terms_are_words(WordRule::WhiteSpace) {
            return BufferedTerms { text, terms: Terms::Words, limits };
        }
        // ASCII is in normal form.
        if self.terms_are_words(WordRule::Letters) && text.is_ascii() {
            self.lower.clear();
            self.lower.push_str(text);
            self.lower.make_ascii_lowercase();
            self.lower.push_str(MARGIN);
            return BufferedTerms { text: &self.lower, terms: Terms::Letters, limits };
        }
        let words = self.words.words(text);
        let terms = Terms::Shingles(words.ranges(), self.options.shingle_size);
        BufferedTerms { text: words.text(), terms, limits }
    }
}

/// `visit` occurs at one place, so that it is inlined into the loop over all words.
impl TermRanges for AsciiWords<'_> {
    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        for_each_run_of_letters(self.text, |start, end| {
            if self.limits.keeps(self.text, start, end) {
                visit(start, end);
            }
        });
    }
}

impl TermRanges for BufferedTerms<'_> {
    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        let visit_word = |start, end| {
            if self.limits.keeps(self.text, start, end) {
                visit(start, end);
            }
        };
        match self.terms {
            Terms::Words => for_each_word(self.text, visit_word),
            Terms::Letters => for_each_run_of_letters(self.text, visit_word),
            Terms::Shingles(words, size) => {
                words.windows(size).for_each(|w| visit(w[0].0, w[w.len() - 1].1));
            }
        }
    }
}

/// Padding behind a text: the key of every word is then read with one load of fixed size.
const MARGIN: &str = "                ";
