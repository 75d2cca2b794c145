//! Alignment of a suspicious text with the texts of its sources.

use std::ops::Range;
use std::sync::OnceLock;

use clap::ValueEnum;
use serde::Serialize;

use super::characters::CharacterCounts;
use super::matches::{SearchLimits, SourceMatch};
use super::query::NgramQuery;
use crate::ngrams::normalizer::CompiledRules;
use crate::passages::{
    AlignedPassage, Alignment, KnownWords, NgramOptions, PassageOptions, PreparedText, align,
};

/// How passages are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchAlignment {
    /// Similar sentences, extended and refined word by word; by n-grams in sources that reach --accuracy or --min_run without a similar sentence
    #[default]
    Sentences,
    /// Common n-grams, merged across gaps
    Ngrams,
    /// Runs of common n-grams of sources that reach --accuracy or --min_run; sources are not read, so passages have no place in them
    None,
}

/// A passage with its places in both texts.
#[derive(Debug, Clone, PartialEq)]
pub struct LocatedPassage {
    /// Bytes of the suspicious text.
    pub bytes: Range<usize>,
    /// First character and number of characters.
    pub characters: (usize, usize),
    /// The same in the source, if its text is known.
    pub source: Option<(Range<usize>, (usize, usize))>,
    /// Similarity of both sides, from 0 to 1.
    pub similarity: f64,
    /// The longest run of words in common.
    pub run: usize,
}

/// Minimum ratio of source length to passage length of a summary.
const SUMMARY_RATIO: usize = 3;
/// Minimum similarity of a summary without a long run.
const SUMMARY_SIMILARITY: f64 = 0.5;
/// Minimum run of words of a summary that is less similar.
const SUMMARY_RUN: usize = 6;

/// Returns whether a passage alone tells that one text was copied from the other. Documents of one subject look like summaries of each other, and an index has many:
/// most passages of original texts of PAN's 2013 corpus were such. Other passages count as they do in a pair of documents that someone suspects.
fn is_evident(passage: &AlignedPassage) -> bool {
    let is_summary = passage.source_characters.len() >= SUMMARY_RATIO * passage.characters.len();
    !is_summary || passage.similarity >= SUMMARY_SIMILARITY || passage.run >= SUMMARY_RUN
}

/// Decimals of a similarity, which is an estimate.
const SIMILARITY_SCALE: f64 = 1e6;

impl From<AlignedPassage> for LocatedPassage {
    fn from(passage: AlignedPassage) -> Self {
        let range = |characters: &Range<usize>| (characters.start, characters.len());
        LocatedPassage {
            bytes: passage.bytes,
            characters: range(&passage.characters),
            source: Some((passage.source_bytes, range(&passage.source_characters))),
            similarity: (passage.similarity * SIMILARITY_SCALE).round() / SIMILARITY_SCALE,
            run: passage.run,
        }
    }
}

/// A text that is aligned with others: prepared when it is first needed, for all of them.
pub(super) struct AlignableText<'t> {
    text: &'t str,
    /// Bytes whose words do not count.
    quoted: &'t [Range<usize>],
    rules: &'t CompiledRules,
    sentences: OnceLock<PreparedText<'t>>,
    ngrams: OnceLock<PreparedText<'t>>,
    characters: OnceLock<CharacterCounts<'t>>,
}

impl<'t> AlignableText<'t> {
    pub fn new(text: &'t str, quoted: &'t [Range<usize>], rules: &'t CompiledRules) -> Self {
        let (sentences, ngrams, characters) = Default::default();
        AlignableText { text, quoted, rules, sentences, ngrams, characters }
    }

    fn sentences(&self, options: &PassageOptions, known: &KnownWords) -> &PreparedText<'t> {
        self.sentences.get_or_init(|| PreparedText::without(self.text, self.quoted, options, known))
    }

    /// Returns the text with the words of the index.
    fn ngrams(&self, options: &PassageOptions, known: &KnownWords) -> &PreparedText<'t> {
        self.ngrams.get_or_init(|| {
            let normal = self.rules.locate(self.text);
            PreparedText::of_words(self.text, options, known, |add| {
                for number in 0..normal.len() {
                    let bytes = normal.bytes(number..number + 1);
                    if !super::query::overlaps(self.quoted, bytes.clone()) {
                        add(normal.word(number), bytes);
                    }
                }
            })
        })
    }
}

/// Aligns texts by one method.
pub(super) struct SourceAligner {
    alignment: SearchAlignment,
    sentences: PassageOptions,
    ngrams: PassageOptions,
    known: KnownWords,
}

impl SourceAligner {
    /// Aligns texts by n-grams of `length` words where it does not by sentences. Sources without a similar sentence have short copies, which are not merged
    /// across more words than an n-gram has.
    pub fn new(alignment: SearchAlignment, length: usize, limits: SearchLimits) -> Self {
        let default = NgramOptions { ngram_size: length, ..NgramOptions::default() };
        let ngrams = match alignment {
            SearchAlignment::Ngrams => {
                NgramOptions { min_words: limits.min_run.unwrap_or(length), ..default }
            }
            _ => NgramOptions { max_gap: length, min_words: length, ..default },
        };
        let sentences = PassageOptions::default();
        let ngrams =
            PassageOptions { alignment: Alignment::Ngrams, ngrams, ..PassageOptions::default() };
        SourceAligner { alignment, sentences, ngrams, known: KnownWords::default() }
    }

    /// Returns whether sources are read.
    pub fn reads_sources(&self) -> bool {
        self.alignment != SearchAlignment::None
    }

    /// Prepares a text for the alignments that follow.
    pub fn prepare(&self, text: &AlignableText<'_>) {
        match self.alignment {
            SearchAlignment::Sentences => _ = text.sentences(&self.sentences, &self.known),
            SearchAlignment::Ngrams => _ = text.ngrams(&self.ngrams, &self.known),
            SearchAlignment::None => {}
        }
    }

    /// Returns the passages of a text from a source. Without the text of the source, they are the runs of common n-grams, if it reaches the limits.
    pub fn passages(
        &self,
        query: &NgramQuery,
        suspicious: &AlignableText<'_>,
        found: &SourceMatch,
        source: Option<&AlignableText<'_>>,
    ) -> Vec<LocatedPassage> {
        let Some(source) = source else {
            let is_listed = found.reaches_limits;
            return if is_listed { run_passages(query, found, suspicious) } else { Vec::new() };
        };
        let passages = match self.alignment {
            SearchAlignment::Sentences => {
                let (options, known) = (&self.sentences, &self.known);
                let left = suspicious.sentences(options, known);
                let all = align(left, source.sentences(options, known), options);
                let is_kept =
                    |passage: &AlignedPassage| found.reaches_limits || is_evident(passage);
                all.into_iter().filter(is_kept).map(LocatedPassage::from).collect()
            }
            _ => Vec::new(),
        };
        let needs_ngrams = self.alignment == SearchAlignment::Ngrams || found.reaches_limits;
        match passages.is_empty() && needs_ngrams {
            true => self.ngram_passages(suspicious, source),
            false => passages,
        }
    }

    fn ngram_passages(
        &self,
        suspicious: &AlignableText<'_>,
        source: &AlignableText<'_>,
    ) -> Vec<LocatedPassage> {
        let mut options = self.ngrams.clone();
        options.ngrams.sorted_ngrams = suspicious.rules.is_sorted();
        let left = suspicious.ngrams(&options, &self.known);
        let found = align(left, source.ngrams(&options, &self.known), &options);
        found.into_iter().map(LocatedPassage::from).collect()
    }
}

/// Returns maximal runs of n-grams that a source holds.
fn run_passages(
    query: &NgramQuery,
    found: &SourceMatch,
    suspicious: &AlignableText<'_>,
) -> Vec<LocatedPassage> {
    let counts = suspicious.characters.get_or_init(|| CharacterCounts::new(suspicious.text));
    let passage = |run: &Range<usize>| {
        let words = query.words(run.clone());
        let bytes = query.normal.bytes(words.clone());
        LocatedPassage {
            characters: counts.range(bytes.clone()),
            bytes,
            source: None,
            similarity: 1.0,
            run: words.len(),
        }
    };
    found.runs.iter().map(passage).collect()
}
