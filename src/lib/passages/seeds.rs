//! Pairs of similar sentences.
//!
//! Postings of the source give the dot products of a suspicious sentence with all sentences that share a stem. Two bounds keep time and memory linear in the
//! texts, whatever they repeat:
//!
//! - Of a stem in more than [`MAX_POSTINGS`] sentences of the source, only those nearest to the same relative position are compared.
//! - Of the similar sentences of a suspicious one, the [`MAX_SEEDS`] best are kept.

use super::options::SentenceOptions;
use super::pair::{ABSENT, Side, TextPair};
use super::sparse::SparseRows;

/// Sentences of the source that are compared because of one stem.
pub(super) const MAX_POSTINGS: usize = 128;
/// Similar sentences that are kept per suspicious sentence.
pub(super) const MAX_SEEDS: usize = 16;
/// More than what rounding to 32 bits may add to a similarity.
const ROUNDING: f64 = 1e-6;

/// A pair of similar sentences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seed {
    pub suspicious: u32,
    pub source: u32,
    pub cosine: f32,
    pub dice: f32,
}

impl Seed {
    /// Returns whether the sentences are more similar than both minima.
    pub fn exceeds(&self, cosine: f64, dice: f64) -> bool {
        f64::from(self.cosine) > cosine && f64::from(self.dice) > dice
    }
}

/// Returns the pairs of sentences whose cosine and Dice coefficient exceed the least of the options, by suspicious sentence, then by source.
pub(super) fn similar_sentences(
    pair: &TextPair<'_, '_>,
    min_cosine: f64,
    min_dice: f64,
) -> Vec<Seed> {
    let mut finder = SeedFinder::new(pair);
    let mut seeds = Vec::new();
    for sentence in 0..pair.suspicious.sentence_count() {
        finder.accumulate(sentence);
        finder.collect(sentence, min_cosine, min_dice, &mut seeds);
    }
    seeds
}

/// Returns the seeds that are nearly the best of both of their sentences.
pub(super) fn best_seeds(
    seeds: &[Seed],
    pair: &TextPair<'_, '_>,
    options: &SentenceOptions,
) -> Vec<Seed> {
    let mut best = [
        vec![0.0f32; pair.suspicious.sentence_count()],
        vec![0.0f32; pair.source.sentence_count()],
    ];
    for seed in seeds {
        for (best, sentence) in best.iter_mut().zip([seed.suspicious, seed.source]) {
            let best = &mut best[sentence as usize];
            *best = best.max(seed.cosine);
        }
    }
    let is_best = |seed: &&Seed| {
        let best = best[0][seed.suspicious as usize].max(best[1][seed.source as usize]);
        f64::from(seed.cosine) >= options.best_share * f64::from(best)
            && seed.exceeds(options.cosine, options.dice)
    };
    seeds.iter().filter(is_best).copied().collect()
}

/// Accumulator of dot products.
struct SeedFinder<'t, 'p, 'a> {
    pair: &'t TextPair<'p, 'a>,
    norms: [Vec<f64>; 2],
    /// By sentence of the source.
    sums: Vec<SentenceSum>,
    touched: Vec<u32>,
    row: Vec<Seed>,
}

/// What a sentence of the source has in common with a suspicious one.
#[derive(Clone, Copy, Default)]
struct SentenceSum {
    dot: f64,
    /// The number of common stems.
    common: u32,
    /// The number of its stems.
    size: u32,
}

impl<'t, 'p, 'a> SeedFinder<'t, 'p, 'a> {
    fn new(pair: &'t TextPair<'p, 'a>) -> Self {
        let vectors = &pair.source.vectors;
        let empty = |sentence| SentenceSum {
            size: vectors.row(sentence).len() as u32,
            ..SentenceSum::default()
        };
        SeedFinder {
            pair,
            norms: [Side::Suspicious, Side::Source].map(|side| norms(pair, side)),
            sums: (0..pair.source.sentence_count()).map(empty).collect(),
            touched: Vec::new(),
            row: Vec::new(),
        }
    }

    /// Adds up the products of a suspicious sentence with those of the source.
    fn accumulate(&mut self, sentence: usize) {
        let SeedFinder { pair, sums, touched, .. } = self;
        for (stem, count) in pair.suspicious.vectors.row(sentence) {
            let number = pair.in_source[*stem as usize];
            if number == ABSENT {
                continue;
            }
            let weight = pair.weight(*stem);
            let product = f64::from(*count) * weight * weight;
            for (other, count) in near_postings(pair, sentence, number) {
                let sum = &mut sums[*other as usize];
                if sum.common == 0 {
                    touched.push(*other);
                }
                sum.common += 1;
                sum.dot += product * f64::from(*count);
            }
        }
    }

    /// Appends the similar sentences of a suspicious one, and clears the sums.
    fn collect(&mut self, sentence: usize, min_cosine: f64, min_dice: f64, seeds: &mut Vec<Seed>) {
        let norm = self.norms[0][sentence];
        let size = self.pair.suspicious.vectors.row(sentence).len() as u32;
        // Most sentences have too few stems in common for any rounding to matter: no division for them.
        let min_common = min_dice * (0.5 - ROUNDING);
        self.row.clear();
        for other in self.touched.drain(..) {
            let sum = &mut self.sums[other as usize];
            let (common, sizes) = (f64::from(sum.common), f64::from(size + sum.size));
            let dot = std::mem::take(&mut sum.dot);
            sum.common = 0;
            if common <= min_common * sizes {
                continue;
            }
            let cosine = dot / (norm * self.norms[1][other as usize]);
            let dice = 2.0 * common / sizes;
            let (suspicious, cosine, dice) = (sentence as u32, cosine as f32, dice as f32);
            let seed = Seed { suspicious, source: other, cosine, dice };
            if seed.exceeds(min_cosine, min_dice) {
                self.row.push(seed);
            }
        }
        keep_best(&mut self.row, relative_position(self.pair, sentence));
        seeds.append(&mut self.row);
    }
}

/// Keeps the most similar seeds of a sentence, of equals those nearest to a position, and sorts them by source.
fn keep_best(row: &mut Vec<Seed>, position: usize) {
    if row.len() > MAX_SEEDS {
        let rank = |seed: &Seed| ((seed.source as usize).abs_diff(position), seed.source);
        let by_rank =
            |a: &Seed, b: &Seed| b.cosine.total_cmp(&a.cosine).then(rank(a).cmp(&rank(b)));
        row.select_nth_unstable_by(MAX_SEEDS, by_rank);
        row.truncate(MAX_SEEDS);
    }
    row.sort_unstable_by_key(|seed| seed.source);
}

/// Returns the sentence of the source at the relative position of a suspicious sentence.
fn relative_position(pair: &TextPair<'_, '_>, sentence: usize) -> usize {
    sentence * pair.source.sentence_count() / pair.suspicious.sentence_count()
}

/// Returns the sentences of the source with a stem, at most [`MAX_POSTINGS`].
fn near_postings<'a>(pair: &TextPair<'a, '_>, sentence: usize, stem: u32) -> &'a [(u32, u32)] {
    let postings = pair.source.postings.row(stem as usize);
    if postings.len() <= MAX_POSTINGS {
        return postings;
    }
    let position = relative_position(pair, sentence) as u32;
    let middle = postings.partition_point(|(other, _)| *other < position);
    let start = middle.saturating_sub(MAX_POSTINGS / 2).min(postings.len() - MAX_POSTINGS);
    &postings[start..start + MAX_POSTINGS]
}

/// Returns the Euclidean norms of the weighted sentences of a side.
fn norms(pair: &TextPair<'_, '_>, side: Side) -> Vec<f64> {
    let vectors: &SparseRows = &pair.text(side).vectors;
    let square = |(stem, count): &(u32, u32)| {
        let component = f64::from(*count) * pair.weight(pair.number(side, *stem));
        component * component
    };
    let norm = |sentence| vectors.row(sentence).iter().map(square).sum::<f64>().sqrt();
    (0..vectors.len()).map(norm).collect()
}
