//! A text prepared for alignment: words with their places, stems, and sentences as vectors.

use std::ops::Range;

use super::forms::KnownWords;
use super::offsets::CharOffsets;
use super::options::PassageOptions;
use super::sparse::SparseRows;
use super::splitting::for_each_sentence;
use crate::text::{AnalyzerOptions, for_each_located_word};

/// A text that takes part in alignments, prepared once for all of them.
///
/// Words are those of `find_near_dups`: case, accents written with marks, compatibility forms and invisible characters do not matter. Letters of another
/// script that look alike are replaced ([`FilterOptions::fold_homoglyphs`](crate::text::FilterOptions)). Memory: about 50 bytes per word.
#[derive(Debug, Clone)]
pub struct PreparedText<'a> {
    text: &'a str,
    offsets: CharOffsets,
    places: Vec<(usize, usize)>,
    /// The number of each word in `distinct`.
    words: Vec<u32>,
    /// Hashes of the distinct words, unstemmed.
    distinct: Vec<u64>,
    /// The number of each word's stem in `stems`.
    word_stems: Vec<u32>,
    /// Hashes of the distinct stems, sorted.
    stems: Vec<u64>,
    /// The first word of each sentence, and the number of words.
    sentences: Vec<usize>,
    /// The distinct stems of each sentence.
    pub(super) vectors: SparseRows,
    /// The sentences of each stem.
    pub(super) postings: SparseRows,
}

impl<'a> PreparedText<'a> {
    /// Splits a text into words and sentences. Time: linear in its length.
    pub fn new(text: &'a str, options: &PassageOptions) -> Self {
        Self::without(text, &[], options, &KnownWords::default())
    }

    /// Splits a text as [`PreparedText::new`] does, without the words that overlap some ranges of bytes, which are in order.
    /// Words that other texts have are `known`.
    pub fn without(
        text: &'a str,
        ranges: &[Range<usize>],
        options: &PassageOptions,
        known: &KnownWords,
    ) -> Self {
        let mut rest = ranges;
        Self::of_words(text, options, known, |add| {
            let words = AnalyzerOptions::letters(1);
            for_each_located_word(text, words, &known.filters, |word, place| {
                rest = &rest[rest.partition_point(|range| range.end <= place.start)..];
                if rest.first().is_none_or(|range| range.start >= place.end) {
                    add(word, place);
                }
            });
        })
    }

    /// Prepares a text whose words are known: `visit` calls its argument with each word and its bytes, in the order of the text.
    pub fn of_words(
        text: &'a str,
        options: &PassageOptions,
        known: &KnownWords,
        visit: impl FnOnce(&mut dyn FnMut(&str, Range<usize>)),
    ) -> Self {
        let expected = text.len() / BYTES_PER_WORD;
        let (mut places, mut words) = (Vec::with_capacity(expected), Vec::with_capacity(expected));
        let distinct = known.with(options.stem, |forms| {
            visit(&mut |word, place| {
                places.push((place.start, place.end));
                words.push(forms.number(word));
            });
            forms.take()
        });
        let stems = sorted(distinct.iter().map(|word| word.stem).collect());
        let number = |hash: u64| stems.partition_point(|other| *other < hash) as u32;
        let numbers: Vec<u32> = distinct.iter().map(|word| number(word.stem)).collect();
        let word_stems = words.iter().map(|word| numbers[*word as usize]).collect();
        let (min, max) = (options.sentences.min_words, options.sentences.max_words);
        let sentences = sentence_starts(text, &places, min, max);
        let mut prepared = PreparedText {
            text,
            offsets: CharOffsets::new(text),
            places,
            words,
            distinct: distinct.iter().map(|word| word.folded).collect(),
            word_stems,
            stems,
            sentences,
            vectors: SparseRows::default(),
            postings: SparseRows::default(),
        };
        prepared.vectors = prepared.sentence_vectors();
        prepared.postings = prepared.vectors.transposed(prepared.stems.len());
        prepared
    }

    /// Returns the text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the number of words.
    pub fn word_count(&self) -> usize {
        self.words.len()
    }

    /// Returns the bytes of all words.
    #[cfg(test)]
    pub(super) fn places(&self) -> &[(usize, usize)] {
        &self.places
    }

    pub(super) fn sentence_count(&self) -> usize {
        self.sentences.len() - 1
    }

    /// Returns the words of consecutive sentences.
    pub(super) fn words_of(&self, sentences: Range<usize>) -> Range<usize> {
        self.sentences[sentences.start]..self.sentences[sentences.end]
    }

    /// Returns the first words of all sentences, and the number of words.
    pub(super) fn boundaries(&self) -> &[usize] {
        &self.sentences
    }

    /// Returns the hashes of the distinct stems, sorted.
    pub(super) fn stems(&self) -> &[u64] {
        &self.stems
    }

    /// Returns the number of a word's stem.
    #[inline]
    pub(super) fn stem(&self, word: usize) -> u32 {
        self.word_stems[word]
    }

    /// Returns the hash of a word, unstemmed.
    pub(super) fn word_hash(&self, word: usize) -> u64 {
        self.distinct[self.words[word] as usize]
    }

    /// Returns the bytes of consecutive words, at least one, and of the marks that touch them, such as quotes and full stops. Words of scripts without
    /// spaces overlap.
    pub(super) fn bytes(&self, words: &Range<usize>) -> Range<usize> {
        let (start, end) = (self.places[words.start].0, self.places[words.end - 1].1);
        let before = self.text[..start].chars().rev().take(MAX_MARKS).take_while(is_mark);
        let after = self.text[end..].chars().take(MAX_MARKS).take_while(is_mark);
        start - before.map(char::len_utf8).sum::<usize>()
            ..end + after.map(char::len_utf8).sum::<usize>()
    }

    /// Returns the characters of a range of bytes.
    pub(super) fn characters(&self, bytes: &Range<usize>) -> Range<usize> {
        let offset = |byte| self.offsets.characters(self.text, byte);
        offset(bytes.start)..offset(bytes.end)
    }

    fn sentence_vectors(&self) -> SparseRows {
        let (mut vectors, mut stems) = (SparseRows::default(), Vec::new());
        for sentence in self.sentences.windows(2) {
            stems.clear();
            stems.extend_from_slice(&self.word_stems[sentence[0]..sentence[1]]);
            stems.sort_unstable();
            let counted = stems.chunk_by(|a, b| a == b);
            vectors.push(counted.map(|equal| (equal[0], equal.len() as u32)));
        }
        vectors
    }
}

/// Bytes of a word and the marks after it; fewer cost more memory than they save time.
const BYTES_PER_WORD: usize = 8;

/// Characters before the first and after the last word that may belong to a passage.
const MAX_MARKS: usize = 8;

/// Returns whether a character is neither white space nor part of a word.
fn is_mark(character: &char) -> bool {
    !character.is_whitespace() && !character.is_alphanumeric()
}

fn sorted(mut hashes: Vec<u64>) -> Vec<u64> {
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// Returns the first word of each sentence, and the number of words: sentences of fewer than `min` words are joined to the next, those of more than
/// `max` are split evenly.
fn sentence_starts(text: &str, places: &[(usize, usize)], min: usize, max: usize) -> Vec<usize> {
    let (mut starts, mut start) = (Vec::new(), 0);
    for_each_sentence(text, |sentence| {
        let end = start + places[start..].partition_point(|place| place.0 < sentence.end);
        if end - start >= min.max(1) {
            push_parts(&mut starts, start..end, max);
            start = end;
        }
    });
    // Too few words for a sentence of their own.
    if start < places.len() && starts.is_empty() {
        starts.push(start);
    }
    starts.push(places.len());
    starts
}

/// Appends the starts of equal parts of at most `max` words.
fn push_parts(starts: &mut Vec<usize>, words: Range<usize>, max: usize) {
    let parts = words.len().div_ceil(max.max(1));
    starts.extend((0..parts).map(|part| words.start + words.len() * part / parts));
}
