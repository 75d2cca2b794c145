//! Vocabulary reduction by term measures.

use super::{Term, Vocabulary, idf};

/// Measure of a term's importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// TC: collection frequency.
    Tf,
    /// DC: document frequency.
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

/// Upper limit of a reduction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// Keeps terms up to this value, inclusive.
    AtMost(f64),
    /// Keeps this many terms with the highest values.
    Best(usize),
}

/// Rule that selects the terms to keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reduction {
    /// The measure compared with the limits.
    pub measure: Measure,
    /// Minimum value of a kept term.
    pub at_least: f64,
    /// Upper limit.
    pub limit: Limit,
}

impl Reduction {
    /// Returns the terms that pass, in the order of the vocabulary. [`Limit::Best`] breaks ties in favour of earlier terms.
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
