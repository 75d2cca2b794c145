//! Vocabularies, term weights and sparse vectors.

mod builder;
pub mod gather;
mod ranking;
mod reduce;
pub mod sparse;
pub(crate) mod term_table;
mod vocabulary;

pub use builder::{BadTerm, VocabularyBuilder};
pub use reduce::{Limit, Measure, Reduction};
pub use vocabulary::{Term, TermIndex, Vocabulary};

use clap::ValueEnum;

use crate::text::letters_of;

/// Weighting of the terms of a document: the components of its vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[value(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Weighting {
    /// Term frequency: the count in the document.
    Tf,
    /// Term frequency times ln(N / DC), N being the collection size and DC the document frequency.
    TfIdf,
    /// (1 + ln(count)) · min(letters, 8) / 8, see [`word_weight`]. Independent of the collection; sums of products are exact.
    WordWeights,
}

impl Weighting {
    /// Returns the keyword in the header of `vec_paths`.
    pub fn header(self) -> &'static str {
        match self {
            Weighting::Tf => "USING_TF",
            Weighting::TfIdf => "USING_TF_IDF",
            Weighting::WordWeights => "USING_WORD_WEIGHTS",
        }
    }

    /// Returns the weighting with this keyword.
    pub fn from_header(word: &str) -> Option<Self> {
        Weighting::value_variants().iter().copied().find(|weighting| weighting.header() == word)
    }

    /// Returns the factor of a term that is equal for all documents of a collection of this size.
    pub fn factor(self, term: Term<'_>, collection: u64) -> f64 {
        match self {
            Weighting::Tf => 1.0,
            Weighting::TfIdf => idf(term.documents, collection),
            Weighting::WordWeights => f64::from(letters(term.text)) / f64::from(MAX_LETTERS),
        }
    }

    /// Returns the component of a term with this [`Weighting::factor`] that occurs `count` times in a document.
    #[inline]
    pub fn component(self, count: u64, factor: f64) -> f32 {
        match self {
            Weighting::Tf => count as f32,
            Weighting::TfIdf => (count as f64 * factor) as f32,
            Weighting::WordWeights => in_steps((1.0 + libm::log(count as f64)) * factor),
        }
    }
}

/// Maximum number of letters that add to the weight of a word. Frequent words tend to be short (Zipf's law of abbreviation), so a word's length
/// is an estimate of its rarity that needs no collection.
pub const MAX_LETTERS: u8 = 8;

/// Steps of [`word_weight`] per unit. A weight has at most 16 bits of steps, a product 32, and an `f64` adds 2²¹ products without rounding:
/// similarities do not depend on the order of terms.
pub const STEPS: f64 = 1024.0;

/// Returns the number of letters of a word, at most [`MAX_LETTERS`]. A character of a script without spaces counts as four letters: its terms
/// are pairs of characters, each as rare as a long word. Otherwise a few Latin words would outweigh the Chinese text around them.
#[inline]
pub fn letters(word: &str) -> u8 {
    let characters = word.chars().take(MAX_LETTERS.into());
    characters.map(letters_of).sum::<usize>().min(MAX_LETTERS.into()) as u8
}

/// Returns (1 + ln(count)) · letters / 8 for a count of at least 1, rounded to the nearest multiple of 1/1024, which an `f32` represents exactly.
pub fn word_weight(count: u64, letters: u8) -> f32 {
    let factor = f64::from(letters) / f64::from(MAX_LETTERS);
    Weighting::WordWeights.component(count, factor)
}

fn in_steps(weight: f64) -> f32 {
    ((weight * STEPS).round() / STEPS) as f32
}

/// Returns the inverse document frequency ln(N / DC), with the same bits on every machine.
pub fn idf(documents: u64, collection: u64) -> f64 {
    libm::log(collection as f64 / documents as f64)
}

/// Returns the Euclidean norm of a vector, summed in the order of its components.
pub fn norm<W: sparse::Weight>(weights: &[W]) -> f64 {
    W::sum_of_squares(weights).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_read_back() {
        for weighting in Weighting::value_variants() {
            assert_eq!(Weighting::from_header(weighting.header()), Some(*weighting));
        }
        assert_eq!(Weighting::from_header("USING_LOG"), None);
    }

    #[test]
    fn logarithmic_weights_have_golden_values() {
        // Computed with decimal numbers of 50 digits.
        let counts = [1, 2, 3, 4, 10, 255, 1000, u64::MAX];
        let steps = counts.map(|count| word_weight(count, 8) * 1024.0);
        assert_eq!(steps, [1024.0, 1734.0, 2149.0, 2444.0, 3382.0, 6698.0, 8098.0, 46450.0]);
    }

    #[test]
    fn weights_grow_with_letters_and_counts() {
        let words = ["", "a", "the", "žluťoučký", "nevertheless"];
        let weights = words.map(|word| word_weight(1, letters(word)));
        assert_eq!(weights, [0.0, 0.125, 0.375, 1.0, 1.0]);
        let weights =
            ["中", "中文", "กา", "हि", "한글날"].map(|word| word_weight(1, letters(word)));
        assert_eq!(weights, [0.5, 1.0, 1.0, 0.25, 1.0]);
        let weights: Vec<f32> = (1..2000).map(|count| word_weight(count, 3)).collect();
        assert!(weights.is_sorted());
        assert!(weights.iter().all(|weight| (weight * 1024.0).fract() == 0.0));
    }
}
