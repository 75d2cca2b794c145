//! Copied passages: maximal runs of common shingles.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::document::SectionText;
use super::layout::shingles;
use super::postings::Postings;

/// Places of the source that are tried for each passage. Repetitive texts have more; the longest of these is good enough.
const MAX_PLACES: usize = 32;

/// Text of one document that also stands in the other, word by word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedPassage {
    /// The number of words.
    pub words: usize,
    /// The bytes of the passage in the first document.
    pub bytes: Range<usize>,
    /// Its bytes in the source.
    pub source_bytes: Range<usize>,
    /// The position of its first word among those compared.
    pub(super) first_word: usize,
}

/// Common text of two documents.
#[derive(Debug, Default)]
pub(super) struct CommonText {
    /// Passages in the order of the first document, where they do not overlap. Together they are its common shingles.
    pub passages: Vec<CopiedPassage>,
    /// Distinct shingles of the first document.
    pub shingles: usize,
    /// Those that the source has too.
    pub common_shingles: usize,
}

/// Finds the common text of two documents, in shingles of `size` words.
pub(super) fn common_text(
    document: &SectionText<'_>,
    source: &SectionText<'_>,
    size: usize,
) -> CommonText {
    // Texts shorter than a shingle agree only as a whole.
    let (left, right) = (document.words.len(), source.words.len());
    let size = if left == right { size.min(left).max(1) } else { size };
    if left < size || right < size {
        return CommonText { shingles: left.min(1), ..CommonText::default() };
    }
    let prints = shingles(document, &document.words, size);
    let places = shingles(source, &source.words, size).into_iter().zip(0..).collect();
    let postings = Postings::new(places);
    let aligner = Aligner::new(document, source, size);
    let passages = aligner.passages(&prints, &postings);
    let (shingles, common_shingles) = distinct(prints, &postings);
    CommonText { passages, shingles, common_shingles }
}

/// Counts distinct shingles, and those that the source has too.
fn distinct(mut prints: Vec<u64>, postings: &Postings) -> (usize, usize) {
    prints.sort_unstable();
    prints.dedup();
    let common = prints.iter().filter(|print| !postings.get(**print).is_empty()).count();
    (prints.len(), common)
}

/// Extends common shingles to passages.
struct Aligner<'a> {
    document: &'a SectionText<'a>,
    source: &'a SectionText<'a>,
    /// Words of the source as terms of the document, `u32::MAX` for others.
    terms: Vec<u32>,
    size: usize,
}

impl<'a> Aligner<'a> {
    fn new(document: &'a SectionText<'a>, source: &'a SectionText<'a>, size: usize) -> Self {
        let numbers: FxHashMap<&str, u32> =
            document.terms.iter().map(|term| &*term.text).zip(0..).collect();
        let number = |text: &str| numbers.get(text).copied().unwrap_or(u32::MAX);
        let known: Vec<u32> = source.terms.iter().map(|term| number(&term.text)).collect();
        let terms = source.words.iter().map(|word| known[word.term as usize]).collect();
        Aligner { document, source, terms, size }
    }

    /// Returns the passages, from left to right. Each is the longest one that begins with the next common shingle; its part that the passage
    /// before has already is left out.
    fn passages(&self, prints: &[u64], postings: &Postings) -> Vec<CopiedPassage> {
        let mut passages: Vec<CopiedPassage> = Vec::new();
        let (mut at, mut end, mut source_end) = (0, 0, 0);
        while at < prints.len() {
            let Some((place, length)) = self.longest(at, postings.get(prints[at]), source_end)
            else {
                at += 1;
                continue;
            };
            let known = end.max(at) - at;
            end = at + length;
            source_end = place + length;
            passages.push(self.passage(at + known, place + known, length - known));
            // The next shingle that is not inside of the passage.
            at = end + 1 - self.size;
        }
        passages
    }

    /// Returns the place with the longest passage, and its length in words; of equals the first from `near` on, where the text may go on.
    fn longest(&self, at: usize, places: &[u32], near: usize) -> Option<(usize, usize)> {
        let split = places.partition_point(|place| (*place as usize) < near);
        let places = places[split..].iter().chain(&places[..split]).take(MAX_PLACES);
        let lengths = places.map(|place| (*place as usize, self.length(at, *place as usize)));
        let found = lengths.fold((0, 0), |best, next| if next.1 > best.1 { next } else { best });
        // A shorter one is a collision of hashes.
        (found.1 >= self.size).then_some(found)
    }

    /// Returns the number of equal words from two places on.
    fn length(&self, at: usize, place: usize) -> usize {
        let words = self.document.words[at..].iter().map(|word| word.term);
        words.zip(&self.terms[place..]).take_while(|(word, other)| word == *other).count()
    }

    fn passage(&self, at: usize, place: usize, words: usize) -> CopiedPassage {
        let bytes = |document: &SectionText<'_>, first: usize| {
            document.words[first].start..document.words[first + words - 1].end
        };
        CopiedPassage {
            words,
            bytes: bytes(self.document, at),
            source_bytes: bytes(self.source, place),
            first_word: at,
        }
    }
}
