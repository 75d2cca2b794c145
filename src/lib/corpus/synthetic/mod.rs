//! Collections of any size that nobody wrote: Zipf's words, log-normal lengths, and near-duplicates whose originals and edits are known.
//!
//! A document is a function of (settings, position): nothing is remembered between documents, a copy's original is made again where it is needed. So any number of threads
//! can make any part of a collection, and all make the same.

mod order;
mod words;

use rand::{Rng, RngExt};
use rand_distr::weighted::WeightedAliasIndex;
use rand_distr::{Distribution, LogNormal};

use crate::error::{Error, Result};
use crate::random::{Purpose, stream};
use order::Order;
pub use words::append_word;

/// What a collection shall be like.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// How many documents.
    pub documents: u64,
    /// The mean of their numbers of words.
    pub mean_words: f64,
    /// The standard deviation of the logarithm of these numbers, which is normally distributed.
    pub spread: f64,
    /// How many different words there are to draw from; at least 2.
    pub terms: u32,
    /// Zipf's exponent: the word of rank r is drawn with a probability proportional to r to the power of minus this.
    pub zipf: f64,
    /// The share of documents that are edited copies of another.
    pub near_dups: f64,
    /// The shares of words that are edited; each is used for the same number of copies.
    pub edits: Vec<f64>,
    /// Which of all such collections.
    pub seed: u64,
}

impl Recipe {
    /// What `create_corpus` makes where only the number of documents is said.
    pub fn usual(documents: u64, seed: u64) -> Self {
        const MEAN_WORDS: f64 = 250.0;
        Recipe {
            documents,
            mean_words: MEAN_WORDS,
            spread: 0.5,
            terms: usual_terms(documents, MEAN_WORDS),
            zipf: 1.02,
            near_dups: 0.1,
            edits: vec![0.01, 0.02, 0.05, 0.1, 0.2],
            seed,
        }
    }
}

/// The number of terms of a collection of this many words: so many that 100,000 documents of 250 words have half a million to draw from (and the 644,566 of the
/// thesis 1.5 million, as its newspapers had), growing as Heaps' law says with the exponent that joins these two.
pub fn usual_terms(documents: u64, mean_words: f64) -> u32 {
    const TERMS: f64 = 500_000.0;
    const IN_WORDS: f64 = 25_000_000.0;
    const HEAPS_EXPONENT: f64 = 0.6;
    let words = documents as f64 * mean_words;
    let terms = TERMS * libm::pow(words / IN_WORDS, HEAPS_EXPONENT);
    terms.clamp(FEWEST_USUAL_TERMS, f64::from(MOST_TERMS)) as u32
}

/// The smallest of collections should not consist of the same few words.
const FEWEST_USUAL_TERMS: f64 = 1000.0;

/// More terms than any collection has; their table of probabilities takes 12 bytes each.
pub const MOST_TERMS: u32 = 1 << 28;

/// The rounds of [`Purpose::SyntheticDocuments`].
const TEXTS: u64 = 0;
const EDITS: u64 = 1;
const ORDER: u64 = 2;

/// A collection, of which any document can be made at any time.
#[derive(Debug)]
pub struct Synthetic {
    recipe: Recipe,
    ranks: WeightedAliasIndex<f64>,
    lengths: LogNormal<f64>,
    order: Order,
    originals: u64,
}

/// A copy and the document it was made of, by their positions in the collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Planted {
    /// The position of the original.
    pub original: u64,
    /// The position of the copy.
    pub copy: u64,
    /// The share of the original's words that were edited: this, rounded to whole words, is the number of words replaced, removed or added.
    pub edit_share: f64,
}

impl Synthetic {
    /// Prepares a collection. Memory: 12 bytes a term, nothing a document.
    pub fn new(recipe: Recipe) -> Result<Self> {
        let weights = (1..=recipe.terms).map(|rank| libm::pow(f64::from(rank), -recipe.zipf));
        let ranks = WeightedAliasIndex::new(weights.collect())
            .map_err(|e| Error::Message(format!("no Zipf distribution: {e}")))?;
        // The mean of a log-normal distribution is exp(mu + sigma² / 2).
        let location = libm::log(recipe.mean_words) - recipe.spread * recipe.spread / 2.0;
        let lengths = LogNormal::new(location, recipe.spread)
            .map_err(|e| Error::Message(format!("no log-normal distribution: {e}")))?;
        let mut keys = stream(recipe.seed, Purpose::SyntheticDocuments, ORDER, 0);
        let order = Order::new(recipe.documents, &mut keys);
        let copies = (recipe.documents as f64 * recipe.near_dups).round() as u64;
        // Somebody must be the original.
        let originals = recipe.documents - copies.min(recipe.documents.saturating_sub(1));
        Ok(Synthetic { recipe, ranks, lengths, order, originals })
    }

    /// How many documents there are.
    pub fn documents(&self) -> u64 {
        self.recipe.documents
    }

    /// How the document at a position came to be, if it is a copy. Its original is none; an original may have several copies, which then
    /// are near-duplicates of each other too.
    pub fn planted(&self, position: u64) -> Option<Planted> {
        let copy = self.order.at(position).checked_sub(self.originals)?;
        let original = self.order.position_of(self.original_of(&mut self.editor(copy)));
        Some(Planted { original, copy: position, edit_share: self.edit_share(copy) })
    }

    /// The words of the document at a position, as ranks from 0; never none.
    pub fn words(&self, position: u64) -> Vec<u32> {
        let number = self.order.at(position);
        let Some(copy) = number.checked_sub(self.originals) else { return self.written(number) };
        let mut editor = self.editor(copy);
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

    /// The words of an original.
    fn written(&self, number: u64) -> Vec<u32> {
        let mut writer = stream(self.recipe.seed, Purpose::SyntheticDocuments, TEXTS, number);
        let length = self.lengths.sample(&mut writer).round().max(1.0) as usize;
        (0..length).map(|_| self.draw(&mut writer)).collect()
    }

    fn draw(&self, generator: &mut impl Rng) -> u32 {
        self.ranks.sample(generator) as u32
    }

    /// The generator that makes a copy: it names the original first, then the edits.
    fn editor(&self, copy: u64) -> impl Rng {
        stream(self.recipe.seed, Purpose::SyntheticDocuments, EDITS, copy)
    }

    fn original_of(&self, editor: &mut impl Rng) -> u64 {
        editor.random_range(0..self.originals)
    }

    fn edit_share(&self, copy: u64) -> f64 {
        self.recipe.edits[(copy % self.recipe.edits.len() as u64) as usize]
    }

    /// A copy in which exactly so many words, chosen at random (Knuth's algorithm S, volume 2, 3.4.2), are edited: one in three is replaced by another word, one
    /// removed, one followed by a new word.
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
        loop {
            let other = self.draw(generator);
            if other != word {
                return other;
            }
        }
    }
}

#[cfg(test)]
mod tests;
