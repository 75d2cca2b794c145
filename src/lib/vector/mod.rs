//! Vocabularies, weights, sparse vectors: what stands between terms and signatures.

mod builder;
mod counts;
pub mod gather;
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
    /// 1 + ln(count) to the nearest multiple of 1/1024: [`log_tf`]. It does not depend on the collection, and sums of products are exact.
    LogTf,
}

impl Weighting {
    const ALL: [Weighting; 3] = [Weighting::Tf, Weighting::TfIdf, Weighting::LogTf];

    /// The word in the header of `vec_paths`.
    pub fn header(self) -> &'static str {
        match self {
            Weighting::Tf => "USING_TF",
            Weighting::TfIdf => "USING_TF_IDF",
            Weighting::LogTf => "USING_LOG_TF",
        }
    }

    /// The weighting that a header names.
    pub fn from_header(word: &str) -> Option<Self> {
        Weighting::ALL.into_iter().find(|weighting| weighting.header() == word)
    }

    /// A component: `count` occurrences in a document, of a term with this [`idf`].
    #[inline]
    pub fn component(self, count: u64, idf: f64) -> f32 {
        match self {
            Weighting::Tf => count as f32,
            Weighting::TfIdf => (count as f64 * idf) as f32,
            Weighting::LogTf => log_tf(count),
        }
    }
}

/// Steps of [`log_tf`] in 1. A weight has at most 16 bits of them, so that a product has 32, and 2²¹ products add up without rounding in an
/// `f64`: similarities do not depend on the order of the terms.
const LOG_STEPS: f64 = 1024.0;

/// 1 + ln(count) for a count of at least 1, rounded to the nearest multiple of 1/1024. Such a number fits into an `f32` exactly.
pub fn log_tf(count: u64) -> f32 {
    let steps = ((1.0 + libm::log(count as f64)) * LOG_STEPS).round();
    (steps / LOG_STEPS) as f32
}

/// ln(N / DC), with the same bits on every machine.
pub fn idf(documents: u64, collection: u64) -> f64 {
    libm::log(collection as f64 / documents as f64)
}

/// The Euclidean length of a vector, added up in the components' order.
pub fn norm(values: &[f32]) -> f64 {
    values.iter().map(|value| f64::from(*value) * f64::from(*value)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_read_back() {
        for weighting in Weighting::ALL {
            assert_eq!(Weighting::from_header(weighting.header()), Some(weighting));
        }
        assert_eq!(Weighting::from_header("USING_LOG"), None);
    }

    #[test]
    fn logarithmic_weights_have_golden_values() {
        // Computed with decimal numbers of 50 digits.
        let golden = [
            (1, 1024),
            (2, 1734),
            (3, 2149),
            (4, 2444),
            (10, 3382),
            (255, 6698),
            (1000, 8098),
            (u64::MAX, 46450),
        ];
        for (count, steps) in golden {
            assert_eq!(log_tf(count), steps as f32 / 1024.0, "{count}");
        }
    }

    #[test]
    fn logarithmic_weights_grow_in_steps() {
        let weights: Vec<f32> = (1..2000).map(log_tf).collect();
        assert!(weights.is_sorted());
        assert!(weights.iter().all(|weight| (weight * 1024.0).fract() == 0.0));
    }
}
