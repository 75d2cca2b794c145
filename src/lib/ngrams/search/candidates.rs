//! Candidates: documents of the index that a text is aligned with.
//!
//! A document scores ln(N / df) for every n-gram of stems that it has in common with the text, where N is the number of documents and df that of those with the
//! n-gram. Frequent n-grams do not count: of many documents with the same phrase, none is more likely than the others.

use super::query::NgramQuery;
use crate::error::Result;
use crate::ngrams::kinds::NgramKind;
use crate::ngrams::store::{DocumentKey, NgramMatch, NgramStore};

/// Documents that an index is taken to have at least, for the scores: a small index tells little of how rare an n-gram is.
pub const MIN_DOCUMENTS: u64 = 1000;

/// What makes a document a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CandidateLimits {
    /// Minimum score.
    pub min_score: f64,
    /// Maximum number of documents that hold an n-gram which counts.
    pub max_frequency: usize,
    /// Maximum number of candidates.
    pub max_candidates: usize,
}

impl Default for CandidateLimits {
    fn default() -> Self {
        CandidateLimits { min_score: 8.0, max_frequency: 50, max_candidates: 50 }
    }
}

/// A document that a text is aligned with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The document.
    pub document: DocumentKey,
    /// What it has in common with the text.
    pub score: f64,
}

/// The state of an index that candidates are sought in.
#[derive(Clone, Copy)]
pub struct SearchedStore<'s> {
    /// The index.
    pub store: &'s dyn NgramStore,
    /// The number of its documents.
    pub documents: u64,
    /// Whether it has n-grams of stems.
    pub has_stems: bool,
}

impl SearchedStore<'_> {
    /// Returns the candidates of a text except `own`, by document: those with the highest scores, of equals those added first. Without n-grams of stems, the score is the
    /// number of n-grams of words in common, given by `matches`, and every document with one of them may be a candidate.
    pub fn candidates(
        &self,
        query: &NgramQuery,
        matches: &[NgramMatch],
        limits: CandidateLimits,
        own: Option<DocumentKey>,
    ) -> Result<Vec<Candidate>> {
        let mut scored = match self.has_stems {
            true => {
                let found = self.store.lookup(NgramKind::Stems.key(), &query.stems)?;
                let mut scored = self.scores(&found, query.stems.len(), limits.max_frequency, own);
                scored.retain(|candidate| candidate.score >= limits.min_score);
                scored
            }
            false => common_ngrams(query, matches, own),
        };
        let rank = |left: &Candidate, right: &Candidate| {
            right.score.total_cmp(&left.score).then(left.document.cmp(&right.document))
        };
        scored.sort_by(rank);
        scored.truncate(limits.max_candidates);
        scored.sort_by_key(|candidate| candidate.document);
        Ok(scored)
    }

    /// Returns the scores of all documents but `own` that hold some of `hashes` hashes.
    fn scores(
        &self,
        matches: &[NgramMatch],
        hashes: usize,
        max_frequency: usize,
        own: Option<DocumentKey>,
    ) -> Vec<Candidate> {
        let others = || matches.iter().filter(|found| Some(found.document) != own);
        let mut frequencies = vec![0usize; hashes];
        others().for_each(|found| frequencies[found.position as usize] += 1);
        let documents = (self.documents - u64::from(own.is_some())).max(MIN_DOCUMENTS) as f64;
        let weight = |frequency: usize| libm::log(documents / frequency as f64);
        let known: Vec<f64> = (0..=max_frequency.min(matches.len())).map(weight).collect();
        let mut scores: Vec<Candidate> = Vec::new();
        for found in others() {
            let frequency = frequencies[found.position as usize];
            let Some(weight) = known.get(frequency) else { continue };
            match scores.last_mut().filter(|last| last.document == found.document) {
                Some(last) => last.score += weight,
                None => scores.push(Candidate { document: found.document, score: *weight }),
            }
        }
        scores
    }
}

/// Returns the number of n-grams of words that each document but `own` holds, repeated ones counted each time.
fn common_ngrams(
    query: &NgramQuery,
    matches: &[NgramMatch],
    own: Option<DocumentKey>,
) -> Vec<Candidate> {
    let by_document = matches.chunk_by(|left, right| left.document == right.document);
    let count = |found: &[NgramMatch]| {
        found.iter().map(|found| query.positions(found.position).len()).sum::<usize>() as f64
    };
    let counted =
        by_document.map(|found| Candidate { document: found[0].document, score: count(found) });
    counted.filter(|candidate| Some(candidate.document) != own).collect()
}
