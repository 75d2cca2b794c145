//! Candidates: documents of the index that a text is aligned with.
//!
//! A document scores ln(N / df) for every n-gram of stems that it has in common with the text, where N is the number of documents and df that of those with the
//! n-gram. Frequent n-grams do not count: of many documents with the same phrase, none is more likely than the others.

use super::query::NgramQuery;
use crate::error::Result;
use crate::ngrams::identity::find_stored;
use crate::ngrams::kinds::NgramKind;
use crate::ngrams::store::{CatalogueEntry, DocumentKey, NgramMatch, NgramStore};
use crate::session::Session;

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

/// Documents with n-grams of a text.
pub struct QueryMatches {
    /// With its n-grams of words.
    pub words: Vec<NgramMatch>,
    /// With its n-grams of stems; none if they were not looked up.
    pub stems: Vec<NgramMatch>,
}

impl SearchedStore<'_> {
    /// Looks up the n-grams of a text: of stems only if the index has them and candidates are wanted. Also returns the document with the identity `own`. All lookups
    /// run at the same time.
    pub fn look_up(
        &self,
        query: &NgramQuery,
        own: &CatalogueEntry,
        wants_candidates: bool,
        session: &Session,
    ) -> Result<(QueryMatches, Option<DocumentKey>)> {
        let store = self.store;
        let look_up_words = || store.lookup(NgramKind::Words(query.length).key(), &query.hashes);
        let look_up_stems = || match self.has_stems && wants_candidates {
            true => store.lookup(NgramKind::Stems.key(), &query.stems),
            false => Ok(Vec::new()),
        };
        let (words, (own, stems)) = session
            .install(|| rayon::join(look_up_words, || (find_stored(store, own), look_up_stems())));
        Ok((QueryMatches { words: words?, stems: stems? }, own?))
    }

    /// Returns the candidates of a text except `own`, by document: those with the highest scores, of equals those added first. Without n-grams of stems, the score is the
    /// number of n-grams of words in common, and every document with one of them may be a candidate.
    pub fn candidates(
        &self,
        query: &NgramQuery,
        matches: &QueryMatches,
        limits: CandidateLimits,
        own: Option<DocumentKey>,
    ) -> Vec<Candidate> {
        let mut scored = match self.has_stems {
            true => {
                let (found, hashes) = (&matches.stems, query.stems.len());
                let mut scored = self.scores(found, hashes, limits.max_frequency, own);
                scored.retain(|candidate| candidate.score >= limits.min_score);
                scored
            }
            false => common_ngrams(query, &matches.words, own),
        };
        let rank = |left: &Candidate, right: &Candidate| {
            right.score.total_cmp(&left.score).then(left.document.cmp(&right.document))
        };
        scored.sort_by(rank);
        scored.truncate(limits.max_candidates);
        scored.sort_by_key(|candidate| candidate.document);
        scored
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
