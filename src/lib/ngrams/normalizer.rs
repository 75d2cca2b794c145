//! Text to normal words in paragraphs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::paragraphs::for_each_paragraph;
use super::rewrite::Rewriter;
use super::rules::{NgramConfig, NgramRules};
use crate::pool::ObjectPool;
use crate::text::{
    AnalyzerOptions, FilterLists, FilterOptions, Key, WordFilters, WordScanner,
    for_each_located_word,
};

/// Normalizes texts by the rules of an index. Threads share it.
pub struct Normalizer {
    rules: CompiledRules,
    types: BTreeMap<String, CompiledRules>,
}

impl Normalizer {
    /// Compiles rules.
    pub fn new(config: &NgramConfig) -> Self {
        let of_type =
            |(name, rules): (&String, &NgramRules)| (name.clone(), CompiledRules::new(rules));
        Normalizer {
            rules: CompiledRules::new(&config.rules),
            types: config.types.iter().map(of_type).collect(),
        }
    }

    /// Returns the rules for files with this extension, in lower case.
    pub fn of_type(&self, extension: &str) -> &CompiledRules {
        self.types.get(extension).unwrap_or(&self.rules)
    }
}

/// Rules for one type of file, ready for use.
pub struct CompiledRules {
    pub(super) rules: NgramRules,
    analyzer: AnalyzerOptions,
    filters: Arc<WordFilters>,
    rewriter: Rewriter,
    scanners: ObjectPool<WordScanner>,
}

impl CompiledRules {
    fn new(rules: &NgramRules) -> Self {
        let analyzer = AnalyzerOptions {
            words: rules.words,
            fold: rules.fold,
            save_nums: true,
            min_word_len: rules.min_word_length.max(1),
            shingle_size: 1,
        };
        let options = FilterOptions { fold_homoglyphs: rules.homoglyphs, ..Default::default() };
        let lists = FilterLists { stop_words: rules.stop_words.clone(), templates: Vec::new() };
        CompiledRules {
            rules: rules.clone(),
            analyzer,
            filters: Arc::new(WordFilters::new(&options, analyzer, &lists)),
            rewriter: Rewriter::new(rules),
            scanners: ObjectPool::default(),
        }
    }

    /// Returns whether the words of an n-gram are sorted.
    pub fn is_sorted(&self) -> bool {
        self.rules.sorted
    }

    /// Replaces `normal` by the words of a text, without their places.
    pub fn normalize(&self, text: &str, normal: &mut NormalText) {
        let text = self.rewriter.rewrite(text).text;
        let create = || WordScanner::new(self.analyzer).with_filters(self.filters.clone());
        self.scanners.with(create, |scanner| {
            normal.fill(&text, &self.rules, |paragraph, normal| {
                let words = scanner.words(paragraph);
                words.iter().for_each(|word| normal.push(word, &self.rules));
            });
        });
    }

    /// Returns the words of a text with their places.
    pub fn locate(&self, text: &str) -> NormalText {
        let rewritten = self.rewriter.rewrite(text);
        let (mut normal, whole) = (NormalText::default(), &*rewritten.text);
        normal.fill(whole, &self.rules, |paragraph, normal| {
            let start = paragraph.as_ptr() as usize - whole.as_ptr() as usize;
            for_each_located_word(paragraph, self.analyzer, &self.filters, |word, range| {
                let range = start + range.start..start + range.end;
                normal.ranges.push(rewritten.original_range(range));
                normal.push(word, &self.rules);
            });
        });
        normal
    }
}

/// Normal words of a text, in paragraphs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NormalText {
    /// All words with separators between them, so that an n-gram is a slice.
    text: String,
    words: Vec<(usize, usize)>,
    /// Bytes of the words in the original; none if places were not wanted.
    ranges: Vec<Range<usize>>,
    /// Words of each paragraph.
    paragraphs: Vec<Range<usize>>,
}

impl NormalText {
    /// Replaces the content. `add_words` adds the words of one paragraph.
    fn fill(
        &mut self,
        text: &str,
        rules: &NgramRules,
        mut add_words: impl FnMut(&str, &mut NormalText),
    ) {
        self.text.clear();
        self.words.clear();
        self.ranges.clear();
        self.paragraphs.clear();
        for_each_paragraph(text, rules.paragraphs, |range| {
            let before = self.words.len();
            add_words(&text[range], self);
            self.end_paragraph(before, rules);
        });
    }

    fn push(&mut self, word: &str, rules: &NgramRules) {
        if !self.words.is_empty() {
            self.text.push_str(&rules.separator);
        }
        let start = self.text.len();
        self.text.push_str(word);
        self.words.push((start, self.text.len()));
    }

    /// Ends the paragraph that begins with word `first`: drops it if it is too short, and joins it to a short one before it.
    fn end_paragraph(&mut self, first: usize, rules: &NgramRules) {
        if self.words.len() - first < rules.min_paragraph.max(1) {
            self.truncate(first);
            return;
        }
        match self.paragraphs.last_mut() {
            Some(last) if last.len() < rules.join_paragraph => last.end = self.words.len(),
            _ => self.paragraphs.push(first..self.words.len()),
        }
    }

    fn truncate(&mut self, words: usize) {
        self.words.truncate(words);
        self.ranges.truncate(words);
        self.text.truncate(self.words.last().map_or(0, |(_, end)| *end));
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns word `number`.
    pub fn word(&self, number: usize) -> &str {
        let (start, end) = self.words[number];
        &self.text[start..end]
    }

    /// Returns the key of word `number`.
    pub(super) fn key(&self, number: usize) -> Key {
        let (start, end) = self.words[number];
        Key::within(self.text.as_bytes(), start, end)
    }

    /// Returns the words of each paragraph.
    pub fn paragraphs(&self) -> &[Range<usize>] {
        &self.paragraphs
    }

    /// Returns the bytes of the original that some words, at least one, span. The text must be [located](CompiledRules::locate).
    pub fn bytes(&self, words: Range<usize>) -> Range<usize> {
        self.ranges[words.start].start..self.ranges[words.end - 1].end
    }

    /// Returns the words that lie within some bytes of the original. The text must be [located](CompiledRules::locate).
    pub fn words_in(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.ranges.partition_point(|word| word.start < bytes.start);
        let end = self.ranges.partition_point(|word| word.end <= bytes.end);
        start..end.max(start)
    }

    /// Returns the n-gram of some words as it is hashed.
    pub(super) fn ngram<'t>(
        &'t self,
        words: Range<usize>,
        rules: &NgramRules,
        scratch: &'t mut String,
    ) -> Cow<'t, str> {
        if !rules.sorted {
            return Cow::Borrowed(
                &self.text[self.words[words.start].0..self.words[words.end - 1].1],
            );
        }
        let mut sorted: Vec<&str> = words.map(|number| self.word(number)).collect();
        sorted.sort_unstable();
        scratch.clear();
        for (at, word) in sorted.into_iter().enumerate() {
            scratch.push_str(if at > 0 { &rules.separator } else { "" });
            scratch.push_str(word);
        }
        Cow::Borrowed(scratch)
    }
}
