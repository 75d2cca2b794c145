//! Vocabularies, weights, sparse vectors: what stands between terms and signatures.

mod builder;
mod counts;
pub(crate) mod pages;
mod reduce;
mod slots;
pub(crate) mod table;
mod vocabulary;

pub use builder::{BadTerm, VocabularyBuilder};
pub use reduce::{Limit, Measure, Reduction};
pub use vocabulary::{Term, TermIndex, Vocabulary};

/// What a vector's components are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// The term's count in the document.
    Tf,
    /// The count times ln(N / DC): N documents in the collection, DC of them with the term.
    TfIdf,
}

impl Weighting {
    /// The word in the header of `vec_paths`.
    pub fn header(self) -> &'static str {
        match self {
            Weighting::Tf => "USING_TF",
            Weighting::TfIdf => "USING_TF_IDF",
        }
    }

    /// The weighting that a header names.
    pub fn from_header(word: &str) -> Option<Self> {
        [Weighting::Tf, Weighting::TfIdf].into_iter().find(|weighting| weighting.header() == word)
    }

    /// A component: `count` occurrences in a document, of a term with this [`idf`].
    #[inline]
    pub fn component(self, count: u64, idf: f64) -> f32 {
        match self {
            Weighting::Tf => count as f32,
            Weighting::TfIdf => (count as f64 * idf) as f32,
        }
    }
}

/// ln(N / DC), with the same bits on every machine.
pub fn idf(documents: u64, collection: u64) -> f64 {
    libm::log(collection as f64 / documents as f64)
}

/// The Euclidean length of a vector, added up in the components' order.
pub fn norm(values: &[f32]) -> f64 {
    values.iter().map(|value| f64::from(*value) * f64::from(*value)).sum::<f64>().sqrt()
}
