//! Passages: parts of a text with the part of the source that they come from.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::query::NgramQuery;
use crate::ngrams::grams::{PlacedNgram, for_each_paragraph};
use crate::ngrams::normalizer::{CompiledRules, NormalText};

/// Places of one n-gram in a source that are tried; more are boilerplate.
const MAX_PLACES: usize = 64;

/// A passage in words of both texts.
#[derive(Debug, Clone, PartialEq)]
pub struct NgramPassage {
    /// Words of the suspicious text.
    pub words: Range<usize>,
    /// Words of the source; none if its text cannot be read.
    pub source: Option<Range<usize>>,
    /// Similarity of the two parts, from 0 to 1.
    pub similarity: f64,
    /// The longest run of words in common.
    pub run: usize,
}

/// A source with the places of its n-grams.
pub struct LocatedSource<'t> {
    /// The text.
    pub text: &'t str,
    /// Its words.
    pub normal: NormalText,
    places: FxHashMap<u64, Vec<usize>>,
}

impl<'t> LocatedSource<'t> {
    /// Locates the n-grams of a source.
    pub fn new(text: &'t str, rules: &CompiledRules, length: usize, window: usize) -> Self {
        let normal = rules.locate(text);
        let mut places: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for_each_paragraph(&normal, &rules.rules, length, window, |_, ngrams| {
            for PlacedNgram { word, hash } in ngrams {
                places.entry(*hash).or_default().push(*word);
            }
        });
        LocatedSource { text, normal, places }
    }

    fn places(&self, hash: u64) -> &[usize] {
        self.places.get(&hash).map_or(&[], Vec::as_slice)
    }
}

/// Returns the passages of maximal runs of n-grams that follow each other in both texts; without the text of the source, the runs alone.
pub fn exact_passages(
    query: &NgramQuery<'_>,
    runs: &[Range<usize>],
    source: Option<&LocatedSource<'_>>,
) -> Vec<NgramPassage> {
    let mut passages = Vec::new();
    for run in runs {
        let Some(source) = source else {
            let words = query.words(run.clone());
            passages.push(NgramPassage { run: words.len(), words, source: None, similarity: 1.0 });
            continue;
        };
        let mut at = run.start;
        while at < run.end {
            let Some((place, count)) = longest(query, at..run.end, source) else {
                // The hash of another n-gram.
                at += 1;
                continue;
            };
            let words = query.words(at..at + count);
            let own = place..place + words.len();
            passages.push(NgramPassage {
                run: words.len(),
                words,
                source: Some(own),
                similarity: 1.0,
            });
            at += count;
        }
    }
    passages
}

/// Returns the place in the source where most of the n-grams follow each other from the first on, and their number.
fn longest(
    query: &NgramQuery<'_>,
    ngrams: Range<usize>,
    source: &LocatedSource<'_>,
) -> Option<(usize, usize)> {
    let own = &query.ngrams[ngrams];
    let first = own.first()?;
    let length = |place: usize| {
        let follows = |ngram: &&PlacedNgram| {
            let expected = place + (ngram.word - first.word);
            source.places(ngram.hash).binary_search(&expected).is_ok()
        };
        own.iter().take_while(follows).count()
    };
    let places = source.places(first.hash).iter().take(MAX_PLACES);
    // Of equals the first.
    places
        .map(|place| (*place, length(*place)))
        .max_by_key(|(place, count)| (*count, usize::MAX - place))
}
