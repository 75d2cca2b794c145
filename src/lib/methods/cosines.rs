//! Cosines of any two documents, as `find_near_dups` computes them.

use rayon::prelude::*;

use crate::search::exact::Prepared;
use crate::session::Session;
use crate::text::AnalyzerOptions;
use crate::vector::gather::{MatrixBuilder, WordVectors};
use crate::vector::sparse::SparseRows;

/// Texts that one thread counts at a time.
const TEXTS_PER_BATCH: usize = 64;

/// Word vectors of documents.
pub(super) struct Cosines {
    vectors: Prepared<WordVectors>,
    /// Number of distinct words of each document.
    words: Vec<u32>,
}

impl Cosines {
    /// Counts the words of texts, folded as `find_near_dups` does by default.
    pub fn new(texts: &[impl AsRef<str> + Sync], session: &Session) -> Self {
        session.phase("weighting words", None);
        let builder =
            MatrixBuilder::new(AnalyzerOptions { fold: true, ..AnalyzerOptions::letters(1) });
        let batches: Vec<_> =
            texts.par_chunks(TEXTS_PER_BATCH).map(|batch| builder.add(batch)).collect();
        let vectors = builder.finish(&batches).vectors;
        let words = (0..vectors.rows()).map(|row| vectors.row(row).0.len() as u32).collect();
        Cosines { vectors: Prepared::new(vectors, session), words }
    }

    /// Returns the cosine of two documents, 0 to 1. Those without words have cosine 1 if their texts are equal and not blank, else 0.
    pub fn cosine<'t>(&self, low: u32, high: u32, text: impl Fn(u32) -> &'t str) -> f64 {
        let has_words = |document: u32| self.words[document as usize] > 0;
        if has_words(low) && has_words(high) {
            return self.vectors.similarity(low as usize, high as usize) / 100.0;
        }
        let is_equal = text(low) == text(high) && !text(low).trim().is_empty();
        f64::from(u8::from(is_equal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NearDups;

    #[test]
    fn cosines_are_those_of_find_near_dups() {
        let texts = ["One fish, two fish", "one ﬁsh three fish", "!?", "!?", " ", " "];
        let cosines = Cosines::new(&texts, &Session::silent());
        let text = |document: u32| texts[document as usize];
        let ids = ["0", "1", "2", "3", "4", "5"];
        let found = NearDups::new().threshold(0.01).find(ids.iter().zip(texts)).unwrap();
        let mut pairs = 0;
        for pair in found.pairs() {
            let (low, high) = (pair.left.parse().unwrap(), pair.right.parse().unwrap());
            assert_eq!(cosines.cosine(low, high, text), pair.similarity);
            pairs += 1;
        }
        assert_eq!(pairs, 2);
        assert_eq!((cosines.cosine(4, 5, text), cosines.cosine(0, 2, text)), (0.0, 0.0));
    }
}
