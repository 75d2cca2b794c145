//! Filters that drop or change words after normalization.
//!
//! The steps, in order: look-alike letters, template phrases, short words and numbers, words with digits, stop words, stems. Phrases come before
//! words are dropped, so that a phrase of stop words is found, and other text never becomes one.

mod homoglyphs;
mod options;
mod phrases;
mod stop_words;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use snowball_stemmers_rs::Stemmer;

use super::run::RunSplitter;
use super::{AnalyzerOptions, WordScanner};
pub use options::{FilterOptions, StemLanguage, StopLanguage, StopLanguages};
use phrases::PhraseTrie;

use crate::pool::ObjectPool;

/// Bytes of the longest word that has a stem. Stemmers copy a word several times, some once per letter.
const MAX_STEM_BYTES: usize = 256;

/// Words and phrases dropped in addition to those of [`FilterOptions`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilterLists {
    /// Stop words. One that splits into several words is a phrase.
    pub stop_words: Vec<String>,
    /// Template phrases, dropped where all of their words follow each other.
    pub templates: Vec<String>,
}

/// Compiled word filters, shared by the scanners of all threads. The default drops and changes nothing.
///
/// ```
/// use std::sync::Arc;
/// use nearsig::text::{AnalyzerOptions, FilterLists, FilterOptions, StemLanguage, WordFilters, WordScanner};
///
/// let options = FilterOptions { stem: Some(StemLanguage::En), drop_digits: true, ..Default::default() };
/// let lists = FilterLists { stop_words: vec!["The".into()], templates: vec!["it follows that".into()] };
/// let words = AnalyzerOptions::letters(1);
/// let filters = Arc::new(WordFilters::new(&options, words, &lists));
/// let mut scanner = WordScanner::new(words).with_filters(filters);
/// let found = scanner.words("It follows that the 2nd foxes jumped");
/// assert!(found.iter().eq(["fox", "jump"]));
/// ```
#[derive(Default)]
pub struct WordFilters {
    folds_homoglyphs: bool,
    drops_digits: bool,
    stop_words: FxHashSet<Box<str>>,
    phrases: PhraseTrie,
    stemmer: Option<Stemmer>,
    /// Splitters without and with folding, whose tables of characters serve all texts.
    pub(super) splitters: [ObjectPool<RunSplitter>; 2],
}

impl WordFilters {
    /// Compiles filters for the words of `analyzer`, whose rules also split and normalize the stop words and phrases.
    pub fn new(options: &FilterOptions, analyzer: AnalyzerOptions, lists: &FilterLists) -> Self {
        let mut filters = WordFilters {
            folds_homoglyphs: options.fold_homoglyphs,
            drops_digits: options.drop_digits,
            stemmer: options.stem.map(|language| Stemmer::create(language.algorithm())),
            ..Default::default()
        };
        // Phrases are compared with all words, short ones and numbers included.
        let all = AnalyzerOptions { save_nums: true, min_word_len: 1, ..analyzer };
        let mut scanner = WordScanner::new(all);
        let languages = options.stop_words.iter().flat_map(StopLanguages::iter);
        for words in languages.flat_map(stop_words::stop_words) {
            filters.add_stop_words(&mut scanner, words);
        }
        for words in &lists.stop_words {
            filters.add_stop_words(&mut scanner, words);
        }
        for phrase in &lists.templates {
            let words = filters.words(&mut scanner, phrase);
            filters.add_phrase(&words);
        }
        filters
    }

    fn add_stop_words(&mut self, scanner: &mut WordScanner, text: &str) {
        let words = self.words(scanner, text);
        match &words[..] {
            [word] => _ = self.stop_words.insert(word.as_str().into()),
            words => self.add_phrase(words),
        }
    }

    fn add_phrase(&mut self, words: &[String]) {
        if !words.is_empty() {
            self.phrases.add(words.iter().map(String::as_str));
        }
    }

    /// Returns the words of an entry as they are compared.
    fn words(&self, scanner: &mut WordScanner, text: &str) -> Vec<String> {
        let compared = |word: &str| self.folded(word).unwrap_or_else(|| word.into());
        scanner.words(text).iter().map(compared).collect()
    }

    /// Returns whether the filters drop and change nothing.
    pub fn is_empty(&self) -> bool {
        !self.folds_homoglyphs
            && !self.drops_digits
            && self.stop_words.is_empty()
            && self.phrases.is_empty()
            && self.stemmer.is_none()
    }

    /// Returns a word as the filters change it, though they may drop it: look-alikes replaced, then its stem.
    pub fn final_form<'w>(&self, word: &'w str) -> Cow<'w, str> {
        match self.folded(word) {
            Some(folded) => self.stem(&folded).into_owned().into(),
            None => self.stem(word),
        }
    }

    /// Returns a word with the look-alikes of its main script, or `None` if it is unchanged.
    pub(super) fn folded(&self, word: &str) -> Option<String> {
        if self.folds_homoglyphs { homoglyphs::fold(word) } else { None }
    }

    /// Calls `visit` with the number and final form of every word that passes. The words are [folded](Self::folded), each with whether its length and
    /// digits let it pass. Phrases are found from left to right, at each word the longest. Time: the words, times the longest phrase.
    pub(super) fn for_each_passing<'w>(
        &self,
        words: impl Iterator<Item = (&'w str, bool)> + Clone,
        mut visit: impl FnMut(usize, &str),
    ) {
        let numbers = self.phrase_words(words.clone());
        let mut phrase_end = 0;
        for (at, (word, is_kept)) in words.enumerate() {
            if at >= phrase_end {
                phrase_end = at + self.phrases.longest(numbers.get(at..).unwrap_or_default());
            }
            if at >= phrase_end && is_kept && !self.drops(word) {
                visit(at, &self.stem(word));
            }
        }
    }

    /// Returns the numbers of words in phrases; none if there are no phrases.
    fn phrase_words<'w>(&self, words: impl Iterator<Item = (&'w str, bool)>) -> Vec<Option<u32>> {
        match self.phrases.is_empty() {
            true => Vec::new(),
            false => words.map(|(word, _)| self.phrases.number(word)).collect(),
        }
    }

    fn drops(&self, word: &str) -> bool {
        self.drops_digits && word.contains(char::is_numeric) || self.is_stop_word(word)
    }

    /// Returns whether a word, normal and folded, is a stop word.
    pub(crate) fn is_stop_word(&self, word: &str) -> bool {
        !self.stop_words.is_empty() && self.stop_words.contains(word)
    }

    /// Returns the stem of a word, or the word if nothing would remain of it.
    fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        let stemmer = self.stemmer.as_ref().filter(|_| word.len() <= MAX_STEM_BYTES);
        let stem = stemmer.map(|stemmer| stemmer.stem(word)).filter(|stem| !stem.is_empty());
        stem.unwrap_or(Cow::Borrowed(word))
    }
}
