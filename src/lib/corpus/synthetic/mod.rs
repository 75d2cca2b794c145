//! Synthetic collections of any size: Zipf-distributed words, log-normal lengths, and near-duplicates with known originals and edits.
//!
//! A document is a function of parameters and position; a copy regenerates its original. Any number of threads can generate any part of a
//! collection, with the same result.

mod order;
mod words;

use clap::Args;
use rand::{Rng, RngExt};
use rand_distr::weighted::WeightedAliasIndex;
use rand_distr::{Distribution, LogNormal};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::executable::values::{at_least_one_u64, share, within};
use crate::random::{DEFAULT_SEED, Purpose, stream};
use order::Permutation;
pub use words::append_word;

/// Parameters of a synthetic collection.
#[derive(Debug, Clone, PartialEq, Args, Serialize)]
#[command(rename_all = "snake_case")]
pub struct CorpusParameters {
    /// Number of documents
    #[arg(long, value_name = "N", help_heading = HEADING, value_parser = at_least_one_u64)]
    pub doc_count: u64,
    /// Mean number of words per document, 1 to 10,000,000
    #[arg(long, value_name = "N", help_heading = HEADING, default_value = "250", value_parser = |text: &str| within(text, 1.0, 1e7))]
    pub mean_words: f64,
    /// Standard deviation of the logarithm of the number of words per document, 0 to 2
    #[arg(long, value_name = "S", help_heading = HEADING, default_value = "0.5", value_parser = |text: &str| within(text, 0.0, 2.0))]
    pub spread: f64,
    /// Number of distinct words to draw from [default: 500000 for 25 million words, else by Heaps' law]
    #[arg(long, value_name = "N", help_heading = HEADING, value_parser = terms)]
    pub terms: Option<u32>,
    /// Zipf exponent: the word of rank r has a probability proportional to r^-Z, 0 to 10
    #[arg(long, value_name = "Z", help_heading = HEADING, default_value = "1.02", value_parser = |text: &str| within(text, 0.0, 10.0))]
    pub zipf: f64,
    /// Share of documents that are edited copies of another, 0 to 1
    #[arg(long, value_name = "SHARE", help_heading = HEADING, default_value = "0.1", value_parser = share)]
    pub near_dups: f64,
    /// Shares of words to replace, remove or add in copies, each for the same number of copies
    #[arg(long, value_name = "SHARES", help_heading = HEADING, default_value = "0.01,0.02,0.05,0.1,0.2", value_delimiter = ',', value_parser = share)]
    pub edits: Vec<f64>,
    /// Fill in N templates, in turn, instead of writing each document anew: text with much boilerplate
    #[arg(long, value_name = "N", help_heading = HEADING, value_parser = at_least_one_u64)]
    pub templates: Option<u64>,
    /// Share of a template's words that are fields, which each document fills in, 0 to 1 [default: 0.2]
    #[arg(long, value_name = "SHARE", help_heading = HEADING, requires = "templates", value_parser = share)]
    pub fields: Option<f64>,
    /// Seed of the collection
    #[arg(long, value_name = "N", help_heading = HEADING, default_value_t = DEFAULT_SEED)]
    pub rnd_seed: u64,
}

/// Heading of the flags in a help text.
const HEADING: &str = "Collection";

/// Parses a number of terms: at least two, so that a word can be replaced by another.
fn terms(text: &str) -> Result<u32, String> {
    let terms = text.parse().ok().filter(|terms| (2..=MOST_TERMS).contains(terms));
    terms.ok_or_else(|| format!("expected an integer from 2 to {MOST_TERMS}"))
}

/// Returns the number of terms for a collection of this many words by Heaps' law. The exponent gives 100,000 documents of 250 words half a million
/// terms, and the thesis' 644,566 documents 1.5 million, as in its newspapers.
fn usual_terms(documents: u64, mean_words: f64) -> u32 {
    const TERMS: f64 = 500_000.0;
    const IN_WORDS: f64 = 25_000_000.0;
    const HEAPS_EXPONENT: f64 = 0.6;
    // Small collections do not repeat a few words.
    const MIN_TERMS: f64 = 1000.0;
    let words = documents as f64 * mean_words;
    let terms = TERMS * libm::pow(words / IN_WORDS, HEAPS_EXPONENT);
    terms.clamp(MIN_TERMS, f64::from(MOST_TERMS)) as u32
}

/// Maximum number of terms, above that of any real collection. The probability table takes 12 bytes per term.
const MOST_TERMS: u32 = 1 << 28;

/// The rounds of [`Purpose::SyntheticDocuments`].
const TEXTS: u64 = 0;
const EDITS: u64 = 1;
const ORDER: u64 = 2;
const TEMPLATES: u64 = 3;

/// The default of [`CorpusParameters::fields`].
const FIELDS: f64 = 0.2;

/// A collection with random access to its documents.
#[derive(Debug)]
pub struct Synthetic {
    parameters: CorpusParameters,
    ranks: WeightedAliasIndex<f64>,
    lengths: LogNormal<f64>,
    order: Permutation,
    originals: u64,
}

/// A copy and its original, by their positions in the collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Planted {
    /// The position of the original.
    pub original: u64,
    /// The position of the copy.
    pub copy: u64,
    /// Share of the original's words that were replaced, removed or added, rounded to whole words.
    pub edit_share: f64,
}

impl Synthetic {
    /// Prepares a collection. Memory: 12 bytes per term, none per document.
    pub fn new(parameters: CorpusParameters) -> Result<Self> {
        let usual_terms = || usual_terms(parameters.doc_count, parameters.mean_words);
        let terms = parameters.terms.unwrap_or_else(usual_terms);
        let weights = (1..=terms).map(|rank| libm::pow(f64::from(rank), -parameters.zipf));
        let ranks = WeightedAliasIndex::new(weights.collect())
            .map_err(|e| Error::Message(format!("no Zipf distribution: {e}")))?;
        // The mean of a log-normal distribution is exp(mu + sigma² / 2).
        let location =
            libm::log(parameters.mean_words) - parameters.spread * parameters.spread / 2.0;
        let lengths = LogNormal::new(location, parameters.spread)
            .map_err(|e| Error::Message(format!("no log-normal distribution: {e}")))?;
        let mut keys = stream(parameters.rnd_seed, Purpose::SyntheticDocuments, ORDER, 0);
        let order = Permutation::new(parameters.doc_count, &mut keys);
        let copies = (parameters.doc_count as f64 * parameters.near_dups).round() as u64;
        // At least one document is an original.
        let originals = parameters.doc_count - copies.min(parameters.doc_count.saturating_sub(1));
        Ok(Synthetic { parameters, ranks, lengths, order, originals })
    }

    /// Returns the original and edits of the document at a position if it is a copy. Several copies of one original are near-duplicates of
    /// each other too.
    pub fn planted(&self, position: u64) -> Option<Planted> {
        let copy = self.order.at(position).checked_sub(self.originals)?;
        let original = self.order.position_of(self.original_of(&mut self.stream(EDITS, copy)));
        Some(Planted { original, copy: position, edit_share: self.edit_share(copy) })
    }

    /// Returns the words of the document at a position, as ranks from 0; at least one.
    pub fn words(&self, position: u64) -> Vec<u32> {
        let number = self.order.at(position);
        let Some(copy) = number.checked_sub(self.originals) else { return self.written(number) };
        let mut editor = self.stream(EDITS, copy);
        let original = self.written(self.original_of(&mut editor));
        self.edited(&original, self.edit_share(copy), &mut editor)
    }

    /// Appends the text of the document at a position: its words, separated by spaces.
    pub fn append_text(&self, text: &mut Vec<u8>, position: u64) {
        for rank in self.words(position) {
            append_word(text, u64::from(rank));
            text.push(b' ');
        }
        text.pop();
    }

    fn stream(&self, round: u64, index: u64) -> impl Rng {
        stream(self.parameters.rnd_seed, Purpose::SyntheticDocuments, round, index)
    }

    /// Returns the words of an original.
    fn written(&self, number: u64) -> Vec<u32> {
        let mut writer = self.stream(TEXTS, number);
        let Some(templates) = self.parameters.templates else {
            return (0..self.length(&mut writer)).map(|_| self.draw(&mut writer)).collect();
        };
        let mut template = self.stream(TEMPLATES, number % templates);
        let fields = self.parameters.fields.unwrap_or(FIELDS);
        let length = self.length(&mut template);
        let word = |_| {
            let (word, is_field) = (self.draw(&mut template), template.random_bool(fields));
            if is_field { self.draw(&mut writer) } else { word }
        };
        (0..length).map(word).collect()
    }

    fn length(&self, generator: &mut impl Rng) -> usize {
        self.lengths.sample(generator).round().max(1.0) as usize
    }

    fn draw(&self, generator: &mut impl Rng) -> u32 {
        self.ranks.sample(generator) as u32
    }

    /// Draws the original of a copy, before the edits.
    fn original_of(&self, editor: &mut impl Rng) -> u64 {
        editor.random_range(0..self.originals)
    }

    fn edit_share(&self, copy: u64) -> f64 {
        self.parameters.edits[(copy % self.parameters.edits.len() as u64) as usize]
    }

    /// Returns a copy with `share` of its words edited, chosen by Knuth's algorithm S (volume 2, 3.4.2): a third are replaced, a third removed, a third
    /// followed by a new word.
    fn edited(&self, original: &[u32], share: f64, editor: &mut impl Rng) -> Vec<u32> {
        let mut edits = (original.len() as f64 * share).round() as usize;
        let mut copy = Vec::with_capacity(original.len() + edits);
        for (position, word) in original.iter().enumerate() {
            let left = original.len() - position;
            if edits == 0 || editor.random_range(0..left) >= edits {
                copy.push(*word);
                continue;
            }
            edits -= 1;
            match editor.random_range(0..3) {
                0 => copy.push(self.draw_other(*word, editor)),
                1 => {}
                _ => copy.extend([*word, self.draw(editor)]),
            }
        }
        if copy.is_empty() {
            copy.push(self.draw_other(original[0], editor));
        }
        copy
    }

    fn draw_other(&self, word: u32, generator: &mut impl Rng) -> u32 {
        let mut other = word;
        while other == word {
            other = self.draw(generator);
        }
        other
    }
}

#[cfg(test)]
mod tests;
