//! Which terms are worth keeping.

use super::{Term, Vocabulary, idf};

/// By what a term is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// TC: occurrences in the collection.
    Tf,
    /// DC: documents that hold the term.
    Df,
    /// TC · ln(N / DC).
    TfIdf,
}

impl Measure {
    fn of(self, term: Term<'_>, collection: u64) -> f64 {
        match self {
            Measure::Tf => term.occurrences as f64,
            Measure::Df => term.documents as f64,
            Measure::TfIdf => term.occurrences as f64 * idf(term.documents, collection),
        }
    }
}

/// The upper end of what is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// Terms up to this value, which is included.
    AtMost(f64),
    /// The so many terms with the highest values.
    Best(usize),
}

/// A rule that keeps some terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reduction {
    /// By what terms are judged.
    pub measure: Measure,
    /// Terms below this value go.
    pub at_least: f64,
    /// The upper end.
    pub limit: Limit,
}

impl Reduction {
    /// Keeps the terms that pass, in the vocabulary's order. Where `Best` has to choose between equals, those earlier in
    /// the vocabulary stay.
    pub fn apply(&self, vocabulary: &Vocabulary) -> Vocabulary {
        let value = |term: Term<'_>| self.measure.of(term, vocabulary.documents);
        let mut kept: Vec<(usize, f64)> = vocabulary
            .terms()
            .map(value)
            .enumerate()
            .filter(|(_, v)| *v >= self.at_least)
            .collect();
        match self.limit {
            Limit::AtMost(most) => kept.retain(|(_, value)| *value <= most),
            Limit::Best(count) => {
                kept.sort_by(|a, b| b.1.total_cmp(&a.1));
                kept.truncate(count);
                kept.sort_by_key(|(position, _)| *position);
            }
        }
        let mut reduced = Vocabulary::new(vocabulary.documents);
        kept.iter().for_each(|(position, _)| reduced.push(vocabulary.term(*position)));
        reduced
    }
}
