//! The n-grams of a suspicious text.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::ngrams::grams::{PlacedNgram, for_each_paragraph};
use crate::ngrams::normalizer::{CompiledRules, NormalText};
use crate::ngrams::stems::StemHasher;
use crate::text::quotes::quoted;

/// A suspicious text with its n-grams.
pub struct NgramQuery {
    /// The text.
    pub text: String,
    /// Its words.
    pub normal: NormalText,
    /// The length of its n-grams.
    pub length: usize,
    /// Its n-grams, in order, also repeated ones.
    pub ngrams: Vec<PlacedNgram>,
    /// Paragraphs with n-grams: the number, from 0, and positions in `ngrams`.
    pub paragraphs: Vec<(usize, Range<usize>)>,
    /// Quoted bytes of the text that do not count, in order.
    pub quoted: Vec<Range<usize>>,
    /// Positions in `ngrams` before which n-grams with quoted words were left out.
    gaps: BTreeSet<u32>,
    /// Different hashes, increasing.
    pub hashes: Vec<u64>,
    /// Positions in `ngrams` by hash, those of hash `i` from `starts[i]` to `starts[i + 1]`.
    positions: Vec<u32>,
    starts: Vec<u32>,
    /// Different hashes of n-grams of stems, increasing; none if they are not wanted.
    pub stems: Vec<u64>,
}

impl NgramQuery {
    /// Prepares a text. With `ignores_quoted`, n-grams with a quoted word do not count.
    pub fn new(
        text: &str,
        rules: &CompiledRules,
        length: usize,
        window: usize,
        ignores_quoted: bool,
    ) -> Self {
        let normal = rules.locate(text);
        let quoted = if ignores_quoted { quoted(text) } else { Vec::new() };
        let (mut ngrams, mut paragraphs) = (Vec::<PlacedNgram>::new(), Vec::new());
        let mut gaps = BTreeSet::new();
        for_each_paragraph(&normal, &rules.rules, length, window, |number, own| {
            let start = ngrams.len();
            let mut is_after_gap = false;
            for ngram in own {
                if overlaps(&quoted, normal.bytes(ngram.word..ngram.word + length)) {
                    is_after_gap = true;
                    continue;
                }
                if std::mem::take(&mut is_after_gap) {
                    gaps.insert(ngrams.len() as u32);
                }
                ngrams.push(*ngram);
            }
            if ngrams.len() > start {
                paragraphs.push((number, start..ngrams.len()));
            }
        });
        let query = NgramQuery {
            text: text.to_string(),
            normal,
            length,
            ngrams,
            paragraphs,
            quoted,
            gaps,
            hashes: Vec::new(),
            positions: Vec::new(),
            starts: Vec::new(),
            stems: Vec::new(),
        };
        query.with_hashes()
    }

    /// Adds the n-grams of stems. Those with a quoted word do not count if others with one do not.
    pub fn with_stems(mut self, hasher: &StemHasher) -> Self {
        let ngrams = hasher.ngrams(&self.normal).into_iter();
        let counts = |(ngram, last): &(PlacedNgram, usize)| {
            !overlaps(&self.quoted, self.normal.bytes(ngram.word..last + 1))
        };
        self.stems = ngrams.filter(counts).map(|(ngram, _)| ngram.hash).collect();
        self.stems.sort_unstable();
        self.stems.dedup();
        self
    }

    /// Sorts the hashes.
    fn with_hashes(mut self) -> Self {
        let hash = |(at, ngram): (usize, &PlacedNgram)| (ngram.hash, at as u32);
        let mut sorted: Vec<(u64, u32)> = self.ngrams.iter().enumerate().map(hash).collect();
        sorted.sort_unstable();
        for same in sorted.chunk_by(|left, right| left.0 == right.0) {
            self.hashes.push(same[0].0);
            self.starts.push(self.positions.len() as u32);
            self.positions.extend(same.iter().map(|(_, at)| *at));
        }
        self.starts.push(self.positions.len() as u32);
        self
    }

    /// Returns the positions of the n-grams with a hash, given by its number.
    pub fn positions(&self, hash: u32) -> &[u32] {
        let hash = hash as usize;
        &self.positions[self.starts[hash] as usize..self.starts[hash + 1] as usize]
    }

    /// Returns whether an n-gram directly follows another one, both given by position.
    pub fn follows(&self, first: u32, second: u32) -> bool {
        first + 1 == second && !self.gaps.contains(&second)
    }

    /// Returns the words that consecutive n-grams span.
    pub fn words(&self, ngrams: Range<usize>) -> Range<usize> {
        self.ngrams[ngrams.start].word..self.ngrams[ngrams.end - 1].word + self.length
    }
}

/// Returns whether a range overlaps one of some sorted ranges.
pub(super) fn overlaps(ranges: &[Range<usize>], range: Range<usize>) -> bool {
    let next = ranges.partition_point(|other| other.end <= range.start);
    ranges.get(next).is_some_and(|other| other.start < range.end)
}
