//! Sources of a text.

use std::ops::Range;

use super::query::NgramQuery;
use crate::ngrams::store::{DocumentKey, NgramMatch};

/// What makes a document a source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchLimits {
    /// Minimum share of n-grams of a paragraph or the whole, in percent.
    pub accuracy: f64,
    /// Minimum run of consecutive words; `None` if runs do not count.
    pub min_run: Option<usize>,
    /// By how many words the n-grams of an index may fall short of a run: see [`SearchLimits::shortfall`].
    pub shortfall: usize,
}

impl SearchLimits {
    /// Returns by how many words the selected n-grams of a common run can fall short of it. Of a run with W n-grams or more, both texts select the same n-grams,
    /// without others between them: the first of them is one of the first W, and the last one of the last W.
    pub fn shortfall(window: usize) -> usize {
        2 * window.saturating_sub(1)
    }

    /// Returns whether `common` of `all` n-grams, or a run of words, are enough.
    fn admit(self, common: usize, all: usize, run: usize) -> bool {
        let is_accurate = common as f64 * 100.0 >= self.accuracy * all as f64;
        let may_reach = |min: usize| run.saturating_add(self.shortfall) >= min;
        common > 0 && (is_accurate || self.min_run.is_some_and(may_reach))
    }
}

/// What a source has in common with a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParagraphMatch {
    /// The position of the paragraph in [`NgramQuery::paragraphs`].
    pub paragraph: usize,
    /// N-grams of the paragraph that the source holds.
    pub common: usize,
    /// The longest run in words.
    pub run: usize,
}

/// What a document of the index has in common with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceMatch {
    /// The document.
    pub document: DocumentKey,
    /// N-grams of the text that the document holds.
    pub common: usize,
    /// The longest run in words.
    pub run: usize,
    /// Whether a paragraph or the whole reaches the limits.
    pub reaches_limits: bool,
    /// Paragraphs that reach the limits.
    pub paragraphs: Vec<ParagraphMatch>,
    /// Maximal runs of consecutive n-grams, as positions in [`NgramQuery::ngrams`].
    pub runs: Vec<Range<usize>>,
}

/// Returns the documents that reach the limits, and the candidates, in the order of the store. `matches` are those of [`NgramQuery::hashes`], candidates are
/// increasing. Time: linear in the matches.
pub fn find_sources(
    query: &NgramQuery,
    matches: &[NgramMatch],
    limits: SearchLimits,
    candidates: &[DocumentKey],
) -> Vec<SourceMatch> {
    let mut sources: Vec<SourceMatch> = Vec::new();
    let mut rest = candidates;
    let mut positions = Vec::new();
    let mut bits = vec![0u64; query.ngrams.len().div_ceil(64)];
    for own in matches.chunk_by(|left, right| left.document == right.document) {
        positions.clear();
        positions
            .extend(own.iter().flat_map(|NgramMatch { position, .. }| query.positions(*position)));
        sort_positions(&mut positions, &mut bits);
        let document = own[0].document;
        let (before, after) = rest.split_at(rest.partition_point(|other| *other < document));
        sources.extend(before.iter().map(|candidate| source(query, *candidate, &[], limits)));
        let is_candidate = after.first() == Some(&document);
        rest = &after[usize::from(is_candidate)..];
        let found = source(query, document, &positions, limits);
        sources.extend((is_candidate || found.reaches_limits).then_some(found));
    }
    sources.extend(rest.iter().map(|candidate| source(query, *candidate, &[], limits)));
    sources
}

/// Sorts positions that differ. `bits` has one for each, and all are zero. Time: linear in the positions, if they are many.
fn sort_positions(positions: &mut Vec<u32>, bits: &mut [u64]) {
    if positions.len() < bits.len() {
        return positions.sort_unstable();
    }
    for at in positions.drain(..) {
        bits[at as usize / 64] |= 1 << (at % 64);
    }
    for (number, own) in (0..).zip(bits) {
        let mut rest = std::mem::take(own);
        while rest != 0 {
            positions.push(64 * number + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}

/// Returns the match of a document that holds the n-grams at these positions.
fn source(
    query: &NgramQuery,
    document: DocumentKey,
    positions: &[u32],
    limits: SearchLimits,
) -> SourceMatch {
    let mut source = SourceMatch {
        document,
        common: positions.len(),
        run: 0,
        reaches_limits: false,
        paragraphs: Vec::new(),
        runs: Vec::new(),
    };
    let mut rest = positions;
    while let Some(first) = rest.first() {
        let is_before = |(_, own): &(usize, Range<usize>)| own.end <= *first as usize;
        let paragraph = query.paragraphs.partition_point(is_before);
        let range = &query.paragraphs[paragraph].1;
        let (own, after) = rest.split_at(rest.partition_point(|at| (*at as usize) < range.end));
        let mut run = 0;
        for consecutive in own.chunk_by(|left, right| query.follows(*left, *right)) {
            let ngrams = consecutive[0] as usize..consecutive[0] as usize + consecutive.len();
            run = run.max(query.words(ngrams.clone()).len());
            source.runs.push(ngrams);
        }
        source.run = source.run.max(run);
        if limits.admit(own.len(), range.len(), run) {
            source.paragraphs.push(ParagraphMatch { paragraph, common: own.len(), run });
        }
        rest = after;
    }
    let is_similar = limits.admit(source.common, query.ngrams.len(), source.run);
    source.reaches_limits = is_similar || !source.paragraphs.is_empty();
    source
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn positions_are_sorted(positions in prop::collection::hash_set(0u32..200, 0..40)) {
            let mut bits = [0; 4];
            let mut found: Vec<u32> = positions.iter().copied().collect();
            sort_positions(&mut found, &mut bits);
            let mut expected: Vec<u32> = positions.into_iter().collect();
            expected.sort_unstable();
            prop_assert_eq!((found, bits), (expected, [0; 4]));
        }
    }
}
