//! N-grams of normal words: hashes, and the selection of some of them.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use twox_hash::XxHash64;

use super::kinds::{MAX_LENGTH, NgramKind};
use super::normalizer::{CompiledRules, NormalText};
use super::rules::NgramRules;
use super::stems::StemHasher;

/// Seed of all hashes.
pub(super) const SEED: u64 = 0;
/// The largest number of lengths in one run.
const MAX_LENGTHS: usize = 16;

/// Lengths of n-grams in words, increasing, at least one. Spelled `7,15`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NgramLengths(Vec<usize>);

impl NgramLengths {
    /// Returns the lengths.
    pub fn as_slice(&self) -> &[usize] {
        &self.0
    }
}

impl Default for NgramLengths {
    fn default() -> Self {
        NgramLengths(vec![7])
    }
}

impl FromStr for NgramLengths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let length = |text: &str| {
            let length = text.trim().parse().ok();
            length.filter(|length| (1..=MAX_LENGTH).contains(length))
        };
        let lengths: Option<Vec<usize>> = text.split(',').map(length).collect();
        let mut lengths = lengths.ok_or_else(|| {
            format!("expected lengths from 1 to {MAX_LENGTH}, separated by commas, such as 7,15")
        })?;
        lengths.sort_unstable();
        lengths.dedup();
        match lengths.len() <= MAX_LENGTHS {
            true => Ok(NgramLengths(lengths)),
            false => Err(format!("expected at most {MAX_LENGTHS} lengths")),
        }
    }
}

impl fmt::Display for NgramLengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths: Vec<String> = self.0.iter().map(usize::to_string).collect();
        f.write_str(&lengths.join(","))
    }
}

impl Serialize for NgramLengths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// An n-gram at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedNgram {
    /// The number of its first word.
    pub word: usize,
    /// Its hash.
    pub hash: u64,
}

/// Returns the hash of an n-gram: XXH64, seed 0.
fn hash(ngram: &str) -> u64 {
    XxHash64::oneshot(SEED, ngram.as_bytes())
}

/// Calls `visit` with the n-grams of each paragraph that has one, in order. If `window` is more than 1, only those that winnowing selects: of every
/// `window` consecutive n-grams the one with the smallest hash, the last one of equals. So every run of `length + window − 1` words that two
/// paragraphs share has an n-gram that is selected in both (Schleimer, Wilkerson and Aiken 2003).
pub fn for_each_paragraph(
    normal: &NormalText,
    rules: &NgramRules,
    length: usize,
    window: usize,
    mut visit: impl FnMut(usize, &[PlacedNgram]),
) {
    let (mut all, mut scratch) = (Vec::new(), String::new());
    for (number, words) in normal.paragraphs().iter().enumerate() {
        all.clear();
        for word in words.start..(words.end + 1).saturating_sub(length).max(words.start) {
            let ngram = normal.ngram(word..word + length, rules, &mut scratch);
            all.push(PlacedNgram { word, hash: hash(&ngram) });
        }
        if window > 1 {
            winnow(&mut all, window);
        }
        if !all.is_empty() {
            visit(number, &all);
        }
    }
}

/// Keeps the n-grams that winnowing selects. Fewer n-grams than a window are one window.
fn winnow(ngrams: &mut Vec<PlacedNgram>, window: usize) {
    let window = window.min(ngrams.len()).max(1);
    let mut kept: Vec<PlacedNgram> = Vec::new();
    // The smallest of the current window, by position.
    let mut smallest: Option<usize> = None;
    for end in window..=ngrams.len() {
        let start = end - window;
        let newest = end - 1;
        let chosen = match smallest.filter(|at| *at >= start) {
            Some(at) if ngrams[newest].hash <= ngrams[at].hash => newest,
            Some(at) => at,
            None => (start..end).rev().min_by_key(|at| ngrams[*at].hash).unwrap_or(newest),
        };
        if smallest != Some(chosen) {
            kept.push(ngrams[chosen]);
            smallest = Some(chosen);
        }
    }
    *ngrams = kept;
}

/// Hashes of a document's n-grams by [key](NgramKind::key) of their kind: each once, increasing.
pub type HashesByKind = Vec<(usize, Vec<u64>)>;

/// Returns the hashes of a document for an index: of n-grams of words, and with `stems` of stems.
pub fn document_hashes(
    normal: &NormalText,
    rules: &CompiledRules,
    lengths: &NgramLengths,
    window: usize,
    stems: Option<&StemHasher>,
) -> HashesByKind {
    let of_length = |length: usize| {
        let mut hashes = Vec::with_capacity(normal.len());
        for_each_paragraph(normal, &rules.rules, length, window, |_, ngrams| {
            hashes.extend(ngrams.iter().map(|ngram| ngram.hash));
        });
        hashes.sort_unstable();
        hashes.dedup();
        (NgramKind::Words(length).key(), hashes)
    };
    let words = lengths.as_slice().iter().map(|length| of_length(*length));
    let stems = stems.map(|stems| (NgramKind::Stems.key(), stems.hashes(normal)));
    words.chain(stems).collect()
}
