//! Fast tokenizer for counting: the analyzer's terms as byte ranges of a scratch buffer, without positions in the original.

use super::run::RunSplitter;
use super::split::{for_each_run_of_letters, for_each_word};
use super::{AnalyzerOptions, SHINGLE_SEPARATOR, WordRule};

/// Tokenizes texts one after the other. A thread reuses one scanner for all of its texts, so buffers grow only for the largest.
pub(crate) struct TermScanner {
    options: AnalyzerOptions,
    /// Words that pass the filters, with separators between them, so that a shingle is a slice. Or the whole text in lower case.
    buffer: String,
    /// Ranges of the words in the buffer.
    words: Vec<(usize, usize)>,
    /// Splits runs with characters beyond ASCII.
    splitter: RunSplitter,
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
    filter: WordFilter,
}

/// The words of an ASCII text, to be lower-cased by the consumer.
#[derive(Clone, Copy)]
pub(crate) struct AsciiWords<'a> {
    text: &'a str,
    filter: WordFilter,
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
        let splitter = RunSplitter::new(options.fold);
        TermScanner { options, buffer: String::new(), words: Vec::new(), splitter }
    }

    /// Returns the words of a text that needs no buffer: an ASCII text, of which single words are the terms.
    pub fn ascii_words<'a>(&self, text: &'a str) -> Option<AsciiWords<'a>> {
        let AnalyzerOptions { words, shingle_size, .. } = self.options;
        let is_simple = words == WordRule::Letters && shingle_size == 1 && text.is_ascii();
        is_simple.then_some(AsciiWords { text, filter: WordFilter::new(self.options) })
    }

    /// Returns the terms of any text.
    pub fn scan<'a>(&'a mut self, text: &'a str) -> BufferedTerms<'a> {
        let AnalyzerOptions { words, shingle_size, .. } = self.options;
        let (are_words, filter) = (shingle_size == 1, WordFilter::new(self.options));
        match words {
            WordRule::WhiteSpace if are_words => {
                BufferedTerms { text, terms: Terms::Words, filter }
            }
            // ASCII is in normal form.
            WordRule::Letters if are_words && text.is_ascii() => {
                self.buffer.clear();
                self.buffer.push_str(text);
                self.buffer.make_ascii_lowercase();
                self.buffer.push_str(MARGIN);
                BufferedTerms { text: &self.buffer, terms: Terms::Letters, filter }
            }
            _ => {
                self.fill(text, filter);
                let terms = Terms::Shingles(&self.words, shingle_size);
                BufferedTerms { text: &self.buffer, terms, filter }
            }
        }
    }

    /// Fills the buffer with the words of a text.
    fn fill(&mut self, text: &str, filter: WordFilter) {
        let TermScanner { options, buffer, words, splitter } = self;
        buffer.clear();
        words.clear();
        let mut push = |word: &str, case: WordCase, is_bigram: bool| {
            if !filter.keeps_word(word, is_bigram) {
                return;
            }
            if !words.is_empty() {
                buffer.push(SHINGLE_SEPARATOR);
            }
            let start = buffer.len();
            case.append(buffer, word);
            words.push((start, buffer.len()));
        };
        match options.words {
            WordRule::WhiteSpace => for_each_word(text, |start, end| {
                push(&text[start..end], WordCase::Final, false);
            }),
            WordRule::Letters => for_each_run_of_letters(text, |start, end| {
                let run = &text[start..end];
                match run.is_ascii() {
                    true => push(run, WordCase::Ascii, false),
                    false => {
                        splitter.split(run, |word, case, is_bigram| push(word, case, is_bigram))
                    }
                }
            }),
        }
    }
}

/// `visit` occurs at one place, so that it is inlined into the loop over all words.
impl TermRanges for AsciiWords<'_> {
    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        for_each_run_of_letters(self.text, |start, end| {
            if self.filter.keeps(self.text, start, end) {
                visit(start, end);
            }
        });
    }
}

impl TermRanges for BufferedTerms<'_> {
    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        let visit_word = |start, end| {
            if self.filter.keeps(self.text, start, end) {
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

/// Case of a word that was found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WordCase {
    /// The case it is compared in.
    Final,
    /// ASCII letters of any case.
    Ascii,
    /// Letters of any case.
    Any,
}

impl WordCase {
    /// Appends a word in lower case.
    #[inline(always)]
    fn append(self, text: &mut String, word: &str) {
        match self {
            WordCase::Final => text.push_str(word),
            WordCase::Ascii => {
                text.extend(word.bytes().map(|byte| byte.to_ascii_lowercase() as char));
            }
            WordCase::Any => text.push_str(&word.to_lowercase()),
        }
    }
}

/// Drops numbers and short words.
#[derive(Clone, Copy)]
struct WordFilter {
    keeps_all: bool,
    options: AnalyzerOptions,
}

impl WordFilter {
    fn new(options: AnalyzerOptions) -> Self {
        WordFilter { keeps_all: options.save_nums && options.min_word_len == 1, options }
    }

    /// Whether the word at this range of a text is kept.
    #[inline(always)]
    fn keeps(self, text: &str, start: usize, end: usize) -> bool {
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

    /// Whether a word is kept.
    #[inline(always)]
    fn keeps_word(self, word: &str, is_bigram: bool) -> bool {
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
