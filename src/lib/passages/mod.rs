//! Alignment of copied passages: which passages of a suspicious text come from which passages of a source.
//!
//! ```
//! use nearsig::passages::{PassageOptions, PreparedText, align};
//!
//! let copied = "Each section is split into disjoint blocks of equal length. A block is copied if most of its distinct shingles stand in \
//!               one block of the source, and a section is copied if most of its blocks are copied from the same document.";
//! let source = format!("Nothing of this introduction was taken by anyone. {copied} Nor was this end.");
//! let suspicious = format!("The author begins with words of his own. {copied}");
//! let options = PassageOptions::default();
//! let [suspicious, source] = [&suspicious, &source].map(|text| PreparedText::new(text, &options));
//! let passages = align(&suspicious, &source, &options);
//! assert_eq!(passages.len(), 1);
//! assert_eq!(&suspicious.text()[passages[0].bytes.clone()], copied);
//! assert_eq!((passages[0].similarity, passages[0].run), (1.0, 43));
//! ```
//!
//! [`Alignment::Sentences`] compares sentences by their weighted stems and refines what it finds word by word. It finds copies with replaced, reordered and
//! translated words, and summaries. [`Alignment::Ngrams`] merges common n-grams, which finds literal copies only, but of a few words too.
//!
//! Both take time n log n in the lengths of the texts, and memory linear in them, also if a text is one sentence or repeats one a million times. To that end a sentence
//! is compared with at most 128 sentences per common stem and at most 16 similar ones are kept, those nearest to its relative position where they are
//! equally good; an n-gram is compared with at most 4 places. The result depends on the two texts and the options only.

mod clusters;
mod forms;
mod kept;
mod ngrams;
mod offsets;
mod options;
mod pair;
mod prepared;
mod refine;
mod resolve;
mod runs;
mod seeds;
mod sentences;
mod sparse;
mod splitting;
mod stems;
mod summaries;
#[cfg(test)]
mod tests;
mod trim;

use std::ops::Range;

pub use forms::KnownWords;
use ngrams::align_ngrams;
pub use options::{
    Alignment, NgramOptions, PassageOptions, PassageStem, SentenceOptions, SummaryOptions,
};
use pair::{Side, StemCounts, TextPair, WordRanges};
pub use prepared::PreparedText;
use sentences::align_sentences;
pub(crate) use stems::PassageStemmer;

/// A passage of the suspicious text and the passage of the source that it resembles.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignedPassage {
    /// Its bytes in the suspicious text, on character boundaries.
    pub bytes: Range<usize>,
    /// Its bytes in the source.
    pub source_bytes: Range<usize>,
    /// Its characters (Unicode scalar values) in the suspicious text.
    pub characters: Range<usize>,
    /// Its characters in the source.
    pub source_characters: Range<usize>,
    /// Cosine of the weighted stem counts of both sides, from 0 to 1. A stem weighs ln(1 + sentences of both texts / sentences with the stem).
    pub similarity: f64,
    /// The number of words of the longest run that both sides have, unstemmed.
    pub run: usize,
}

/// Returns the passages that two texts have in common, in the order of the suspicious text. Both texts must have been prepared with the same options.
pub fn align(
    suspicious: &PreparedText<'_>,
    source: &PreparedText<'_>,
    options: &PassageOptions,
) -> Vec<AlignedPassage> {
    let pair = TextPair::new(suspicious, source, &options.sentences);
    let mut counts = StemCounts::new(&pair);
    let mut found = match options.alignment {
        Alignment::Sentences => align_sentences(&pair, &options.sentences, &mut counts),
        Alignment::Ngrams => align_ngrams(&pair, &options.ngrams),
    };
    found.sort_by_key(WordRanges::place);
    found.iter().map(|words| aligned(&pair, words, &mut counts)).collect()
}

/// Returns a passage with its places in the texts.
fn aligned(pair: &TextPair<'_, '_>, words: &WordRanges, counts: &mut StemCounts) -> AlignedPassage {
    let TextPair { suspicious, source, .. } = pair;
    let bytes = suspicious.bytes(words.of(Side::Suspicious));
    let source_bytes = source.bytes(words.of(Side::Source));
    AlignedPassage {
        characters: suspicious.characters(&bytes),
        source_characters: source.characters(&source_bytes),
        bytes,
        source_bytes,
        // Rounding may exceed 1.
        similarity: counts.cosine(pair, words).min(1.0),
        run: runs::longest_run(suspicious, source, words),
    }
}
