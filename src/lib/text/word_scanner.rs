//! Words of texts in their order, with the sentences they make up.

use std::ops::Range;
use std::sync::Arc;

use super::filters::WordFilters;
use super::limits::WordLimits;
use super::run::{RunSplitter, WordCase};
use super::sentences::for_each_sentence;
use super::split::{for_each_run_of_letters, for_each_word};
use super::{AnalyzerOptions, SHINGLE_SEPARATOR, WordRule};

/// Splits texts into words, one text after the other. A thread reuses one scanner for all of its texts, so buffers grow only for the largest.
///
/// The words are those of [`Analyzer`](super::Analyzer) with the same options and filters and a shingle size of 1, except that none spans two sentences.
pub struct WordScanner {
    rule: WordRule,
    finder: WordFinder,
    filters: Arc<WordFilters>,
    /// The words that passed the filters, if there are any filters.
    filtered: WordBuffer,
}

/// The words of a text.
#[derive(Clone, Copy)]
pub struct TextWords<'a> {
    buffer: &'a str,
    words: &'a [(usize, usize)],
    sentence_ends: &'a [usize],
}

impl WordScanner {
    /// Creates a scanner with empty buffers.
    pub fn new(options: AnalyzerOptions) -> Self {
        WordScanner {
            rule: options.words,
            finder: WordFinder::new(options),
            filters: Arc::default(),
            filtered: WordBuffer::default(),
        }
    }

    /// Applies filters to all words. They must have been compiled for the same options.
    pub fn with_filters(mut self, filters: Arc<WordFilters>) -> Self {
        self.finder.has_filters = !filters.is_empty();
        WordScanner { filters, ..self }
    }

    /// Returns the words of a text, as one sentence.
    pub fn words<'a>(&'a mut self, text: &str) -> TextWords<'a> {
        self.finder.sentence_bounds.clear();
        self.scan(text)
    }

    /// Returns the words of a text and its sentences. A sentence without words is none.
    pub fn sentences<'a>(&'a mut self, text: &str) -> TextWords<'a> {
        let bounds = &mut self.finder.sentence_bounds;
        bounds.clear();
        for_each_sentence(text, |sentence| bounds.push(sentence.end));
        self.scan(text)
    }

    fn scan(&mut self, text: &str) -> TextWords<'_> {
        if !self.finder.has_filters {
            self.finder.find::<false>(self.rule, text);
            return self.finder.found.as_words();
        }
        self.finder.find::<true>(self.rule, text);
        self.filter();
        self.filtered.as_words()
    }

    /// Fills `filtered` with the words that pass.
    fn filter(&mut self) {
        let WordScanner { finder, filters, filtered, .. } = self;
        finder.fold(filters);
        filtered.clear();
        let found = finder.found.as_words();
        let mut ends = found.sentence_ends.iter().copied();
        let mut end = ends.next().unwrap_or(usize::MAX);
        let words = found.iter().zip(finder.is_kept.iter().copied());
        filters.for_each_passing(words, |number, word| {
            while number >= end {
                filtered.end_sentence();
                end = ends.next().unwrap_or(usize::MAX);
            }
            filtered.push(word);
        });
        filtered.end_sentence();
    }
}

/// Words with separators between them, so that a shingle is a slice.
#[derive(Default)]
struct WordBuffer {
    text: String,
    /// Ranges of the words in the text.
    words: Vec<(usize, usize)>,
    /// Number of the first word after each sentence.
    sentence_ends: Vec<usize>,
}

impl WordBuffer {
    fn clear(&mut self) {
        self.text.clear();
        self.words.clear();
        self.sentence_ends.clear();
    }

    #[inline(always)]
    fn push(&mut self, word: &str) {
        if !self.words.is_empty() {
            self.text.push(SHINGLE_SEPARATOR);
        }
        let start = self.text.len();
        self.text.push_str(word);
        self.words.push((start, self.text.len()));
    }

    /// Ends the sentence of the last word, if it has not ended.
    fn end_sentence(&mut self) {
        if self.words.len() > self.sentence_ends.last().copied().unwrap_or(0) {
            self.sentence_ends.push(self.words.len());
        }
    }

    fn as_words(&self) -> TextWords<'_> {
        let WordBuffer { text, words, sentence_ends } = self;
        TextWords { buffer: text, words, sentence_ends }
    }
}

/// Finds words and normalizes them.
struct WordFinder {
    limits: WordLimits,
    splitter: RunSplitter,
    /// Ends of the sentences in the text; none for a text of one sentence.
    sentence_bounds: Vec<usize>,
    /// Whether filters follow, which see all words.
    has_filters: bool,
    found: WordBuffer,
    /// Whether each word is long enough and no number, if filters follow.
    is_kept: Vec<bool>,
}

impl WordFinder {
    fn new(options: AnalyzerOptions) -> Self {
        WordFinder {
            limits: WordLimits::new(options),
            splitter: RunSplitter::new(options.fold),
            sentence_bounds: Vec::new(),
            has_filters: false,
            found: WordBuffer::default(),
            is_kept: Vec::new(),
        }
    }

    /// Finds the words of a text; all of them if filters follow.
    fn find<const FILTERED: bool>(&mut self, rule: WordRule, text: &str) {
        match rule {
            WordRule::WhiteSpace => self.find_items::<FILTERED>(text),
            WordRule::Letters => self.find_words::<FILTERED>(text),
        }
    }

    /// Finds what is between white space.
    fn find_items<const FILTERED: bool>(&mut self, text: &str) {
        let (mut adder, _, bounds) = self.begin::<FILTERED>();
        let mut cutter = SentenceCutter::new(bounds);
        for_each_word(text, |start, end| {
            cutter.cut(start, end, &mut adder, |adder, part| {
                adder.add(&text[part], false);
            });
        });
        adder.found.end_sentence();
    }

    /// Finds words of letters, digits and marks, in lower case.
    fn find_words<const FILTERED: bool>(&mut self, text: &str) {
        let (mut adder, splitter, bounds) = self.begin::<FILTERED>();
        let mut cutter = SentenceCutter::new(bounds);
        for_each_run_of_letters(text, |start, end| {
            cutter.cut(start, end, &mut adder, |adder, part| {
                let run = &text[part];
                match run.is_ascii() {
                    true => adder.add(run, false),
                    false => splitter.split(run, |word, case, is_bigram| {
                        adder.add_in_case(word, case, is_bigram);
                    }),
                }
            });
        });
        adder.found.end_sentence();
        // All words at once: other letters are in lower case already.
        adder.found.text.make_ascii_lowercase();
    }

    fn begin<const FILTERED: bool>(
        &mut self,
    ) -> (WordAdder<'_, FILTERED>, &mut RunSplitter, &[usize]) {
        let WordFinder { limits, splitter, sentence_bounds, found, is_kept, .. } = self;
        found.clear();
        is_kept.clear();
        (WordAdder { limits: *limits, found, is_kept }, splitter, sentence_bounds)
    }

    /// Replaces look-alike letters in all words.
    fn fold(&mut self, filters: &WordFilters) {
        let words = self.found.as_words();
        let Some(first) = words.iter().position(|word| filters.folded(word).is_some()) else {
            return;
        };
        let mut folded = WordBuffer::default();
        for (number, word) in words.iter().enumerate() {
            let other = if number < first { None } else { filters.folded(word) };
            folded.push(other.as_deref().unwrap_or(word));
        }
        folded.sentence_ends = std::mem::take(&mut self.found.sentence_ends);
        self.found = folded;
    }
}

/// Cuts runs at the ends of sentences.
struct SentenceCutter<'b> {
    bounds: std::slice::Iter<'b, usize>,
    bound: usize,
}

impl<'b> SentenceCutter<'b> {
    fn new(bounds: &'b [usize]) -> Self {
        let mut bounds = bounds.iter();
        let bound = bounds.next().copied().unwrap_or(usize::MAX);
        SentenceCutter { bounds, bound }
    }

    /// Calls `visit` with the parts of a run that lie in different sentences.
    #[inline(always)]
    fn cut<const FILTERED: bool>(
        &mut self,
        mut start: usize,
        end: usize,
        adder: &mut WordAdder<'_, FILTERED>,
        mut visit: impl FnMut(&mut WordAdder<'_, FILTERED>, Range<usize>),
    ) {
        // Most runs are of a text that is one sentence.
        if self.bound == usize::MAX {
            return visit(adder, start..end);
        }
        loop {
            let cut = end.min(self.bound);
            if start < cut {
                visit(adder, start..cut);
                start = cut;
            }
            if end <= self.bound {
                return;
            }
            adder.found.end_sentence();
            self.bound = self.bounds.next().copied().unwrap_or(usize::MAX);
        }
    }
}

/// Adds words to a buffer: all of them, with whether they are kept, if they are filtered later.
struct WordAdder<'a, const FILTERED: bool> {
    limits: WordLimits,
    found: &'a mut WordBuffer,
    is_kept: &'a mut Vec<bool>,
}

impl<const FILTERED: bool> WordAdder<'_, FILTERED> {
    #[inline(always)]
    fn add(&mut self, word: &str, is_bigram: bool) {
        if self.passes(word, is_bigram) {
            self.found.push(word);
        }
    }

    #[inline(always)]
    fn add_in_case(&mut self, word: &str, case: WordCase, is_bigram: bool) {
        match case {
            WordCase::Final => self.add(word, is_bigram),
            WordCase::Any if self.passes(word, is_bigram) => {
                self.found.push(&word.to_lowercase());
            }
            WordCase::Any => {}
        }
    }

    /// Returns whether a word is added: all are if filters follow.
    #[inline(always)]
    fn passes(&mut self, word: &str, is_bigram: bool) -> bool {
        let is_kept = self.limits.keeps_word(word, is_bigram);
        if FILTERED {
            self.is_kept.push(is_kept);
        }
        FILTERED || is_kept
    }
}

impl<'a> TextWords<'a> {
    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns word `number`.
    pub fn word(&self, number: usize) -> &'a str {
        let (start, end) = self.words[number];
        &self.buffer[start..end]
    }

    /// Returns all words, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a str> + Clone + use<'a> {
        let buffer = self.buffer;
        self.words.iter().map(|(start, end)| &buffer[*start..*end])
    }

    /// Returns the shingle of consecutive words, at least one, separated by [`SHINGLE_SEPARATOR`].
    pub fn shingle(&self, words: Range<usize>) -> &'a str {
        &self.buffer[self.words[words.start].0..self.words[words.end - 1].1]
    }

    /// Returns the ranges of all words in [`TextWords::text`].
    pub(super) fn ranges(&self) -> &'a [(usize, usize)] {
        self.words
    }

    /// Returns all words, separated by [`SHINGLE_SEPARATOR`].
    pub fn text(&self) -> &'a str {
        self.buffer
    }

    /// Returns the words of each sentence.
    pub fn sentences(&self) -> impl ExactSizeIterator<Item = Range<usize>> + use<'a> {
        let ends = self.sentence_ends;
        let start = |number: usize| if number == 0 { 0 } else { ends[number - 1] };
        (0..ends.len()).map(move |number| start(number)..ends[number])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_sentences_are_slices() {
        let mut scanner = WordScanner::new(AnalyzerOptions::letters(1));
        let words = scanner.sentences("The Straße. Ends here! ... 42");
        let all: Vec<&str> = words.iter().collect();
        assert_eq!(all, ["the", "strasse", "ends", "here", "42"]);
        assert_eq!(words.shingle(1..3), "strasse\u{a0}ends");
        assert_eq!(words.sentences().collect::<Vec<_>>(), [0..2, 2..4, 4..5]);
        assert!(scanner.words("").is_empty());
    }
}
