//! Alignment by common n-grams of stems.

use super::clusters::{SeedCluster, clusters};
use super::options::NgramOptions;
use super::pair::{TextPair, WordRanges};
use super::prepared::PreparedText;
use super::resolve::{ScoredPassage, resolved};
use super::seeds::Seed;

/// Places of the source that are compared per n-gram, those nearest to the same relative position. Repetitive texts have more.
const MAX_PLACES: usize = 4;

/// Multiplier of the polynomial hash: an odd number with random digits.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Maximum share of a passage that longer passages already have.
const MAX_TAKEN: f64 = 0.3;

/// Returns the words of the passages, in no order. Time: n log n in the words.
pub(super) fn align_ngrams(pair: &TextPair<'_, '_>, options: &NgramOptions) -> Vec<WordRanges> {
    let size = options.ngram_size;
    let seeds = common_ngrams(pair, options);
    // Between the starts of two n-grams lie the words of the first, too.
    let clusters = clusters(seeds, options.max_gap.saturating_add(size - 1));
    let scored = clusters.iter().map(|cluster| ScoredPassage {
        words: WordRanges {
            suspicious: cluster.suspicious.start..cluster.suspicious.end - 1 + size,
            source: cluster.source.start..cluster.source.end - 1 + size,
        },
        score: covered(cluster, size) as f64,
    });
    let long = scored.filter(|passage| passage.score >= options.min_words as f64);
    resolved(pair, long.collect(), MAX_TAKEN).into_passages().collect()
}

/// Returns the places of common n-grams.
fn common_ngrams(pair: &TextPair<'_, '_>, options: &NgramOptions) -> Vec<Seed> {
    let [suspicious, source] = [pair.suspicious, pair.source].map(|text| hashes(text, options));
    let mut places: Vec<(u64, u32)> = source.iter().copied().zip(0..).collect();
    places.sort_unstable();
    let mut seeds = Vec::new();
    for (at, hash) in suspicious.iter().enumerate() {
        let first = places.partition_point(|place| place.0 < *hash);
        let equal = places[first..].partition_point(|place| place.0 == *hash);
        let position = at * source.len() / suspicious.len();
        let equal = nearest(&places[first..first + equal], position as u32);
        seeds.extend(equal.iter().map(|(_, place)| seed(at as u32, *place)));
    }
    seeds
}

fn seed(suspicious: u32, source: u32) -> Seed {
    Seed { suspicious, source, cosine: 1.0, dice: 1.0 }
}

/// Returns the places nearest to a position, at most [`MAX_PLACES`].
fn nearest(places: &[(u64, u32)], position: u32) -> &[(u64, u32)] {
    if places.len() <= MAX_PLACES {
        return places;
    }
    let middle = places.partition_point(|(_, place)| *place < position);
    let start = middle.saturating_sub(MAX_PLACES / 2).min(places.len() - MAX_PLACES);
    &places[start..start + MAX_PLACES]
}

/// Returns the hash of the n-gram at each word.
fn hashes(text: &PreparedText<'_>, options: &NgramOptions) -> Vec<u64> {
    let stems: Vec<u64> =
        (0..text.word_count()).map(|word| text.stems()[text.stem(word) as usize]).collect();
    let ordered = |hash: u64, stem: &u64| hash.wrapping_mul(MULTIPLIER).wrapping_add(*stem);
    // A sum does not depend on the order of its terms.
    let unordered = |hash: u64, stem: &u64| hash.wrapping_add(*stem);
    let windows = stems.windows(options.ngram_size);
    match options.sorted_ngrams {
        true => windows.map(|ngram| ngram.iter().fold(0, unordered)).collect(),
        false => windows.map(|ngram| ngram.iter().fold(0, ordered)).collect(),
    }
}

/// Returns the number of suspicious words in common n-grams.
fn covered(cluster: &SeedCluster, size: usize) -> usize {
    let mut starts: Vec<u32> = cluster.seeds.iter().map(|seed| seed.suspicious).collect();
    starts.sort_unstable();
    let (mut covered, mut end) = (0, 0);
    for start in starts {
        let (start, next) = (start as usize, start as usize + size);
        covered += next - start.max(end);
        end = next;
    }
    covered
}
