//! Alignment by similar sentences, after Sanchez-Perez, Sidorov and Gelbukh (*A winning approach to text alignment for text reuse detection at PAN 2014*).
//!
//! 1. Pairs of similar sentences are seeds ([`super::seeds`]); weights are those of the pair, so a word that is common here counts little.
//! 2. Seeds close together in both texts are a cluster ([`super::clusters`]). Its sides must be similar as a whole, or it is split by smaller gaps. Of
//!    clusters that overlap in the suspicious text, the most similar one stays.
//! 3. Each is refined word by word ([`super::refine`]), loses repetitions at its ends ([`super::trim`]), and is merged with those that it overlaps
//!    ([`super::resolve`]).
//! 4. Where a much longer part of the source is summed up, the summary replaces its parts ([`super::summaries`]).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::clusters::{SeedCluster, clusters};
use super::options::SentenceOptions;
use super::pair::{StemCounts, TextPair, WordRanges};
use super::refine::Refiner;
use super::resolve::{ScoredPassage, resolved};
use super::seeds::{Seed, best_seeds, similar_sentences};
use super::summaries::add_summaries;

/// Returns the words of the passages, in no order.
pub(super) fn align_sentences(
    pair: &TextPair<'_, '_>,
    options: &SentenceOptions,
    counts: &mut StemCounts,
) -> Vec<WordRanges> {
    let summaries = options.summaries.as_ref();
    let min = |own: f64, other: Option<f64>| other.map_or(own, |other| own.min(other));
    let cosine = min(options.cosine, summaries.map(|summaries| summaries.cosine));
    let dice = min(options.dice, summaries.map(|summaries| summaries.dice));
    let seeds = similar_sentences(pair, cosine, dice);
    if seeds.is_empty() {
        return Vec::new();
    }
    let best = best_seeds(&seeds, pair, options);
    let fragments = accepted(pair, best, options.max_gap, options.acceptance, counts);
    let refined = refined(pair, &disjoint(fragments), options);
    let mut passages = resolved(pair, refined, options.max_taken);
    passages.retain(|words| {
        let [suspicious, source] = pair.lengths(words);
        suspicious >= options.min_chars && source >= options.min_source_chars
    });
    if let Some(options) = summaries {
        add_summaries(pair, &mut passages, &seeds, options, counts);
    }
    passages.into_passages().collect()
}

/// A cluster of seeds with the words of its sentences and their cosine.
#[derive(Debug)]
pub(super) struct Fragment {
    pub cluster: SeedCluster,
    pub words: WordRanges,
    pub cosine: f64,
}

/// Orders fragments by descending similarity, then by place.
pub(super) fn by_similarity(a: &Fragment, b: &Fragment) -> Ordering {
    b.cosine.total_cmp(&a.cosine).then(a.words.place().cmp(&b.words.place()))
}

/// Returns the clusters whose sides are similar enough; others are split by smaller gaps, those that leave them whole skipped.
pub(super) fn accepted(
    pair: &TextPair<'_, '_>,
    seeds: Vec<Seed>,
    max_gap: usize,
    acceptance: f64,
    counts: &mut StemCounts,
) -> Vec<Fragment> {
    let (mut fragments, mut open) = (Vec::new(), vec![(seeds, max_gap)]);
    while let Some((seeds, gap)) = open.pop() {
        for cluster in clusters(seeds, gap) {
            let words = WordRanges {
                suspicious: pair.suspicious.words_of(cluster.suspicious.clone()),
                source: pair.source.words_of(cluster.source.clone()),
            };
            let cosine = counts.cosine(pair, &words);
            if cosine >= acceptance {
                fragments.push(Fragment { cluster, words, cosine });
            } else if let Some(next) = cluster.widest_gap().min(gap).checked_sub(1) {
                open.push((cluster.seeds, next));
            }
        }
    }
    fragments
}

/// Of fragments that overlap in the suspicious text, keeps the most similar.
fn disjoint(mut fragments: Vec<Fragment>) -> Vec<Fragment> {
    fragments.sort_by(by_similarity);
    let mut taken = BTreeMap::new();
    fragments.retain(|fragment| {
        let words = &fragment.words.suspicious;
        let before = taken.range(..words.end).next_back();
        let is_free = before.is_none_or(|(_, end)| *end <= words.start);
        if is_free {
            taken.insert(words.start, words.end);
        }
        is_free
    });
    fragments
}

/// Returns the fragments, refined by words, whose score is high enough.
fn refined(
    pair: &TextPair<'_, '_>,
    fragments: &[Fragment],
    options: &SentenceOptions,
) -> Vec<ScoredPassage> {
    let mut refiner = Refiner::new(pair, options);
    let refined = fragments.iter().filter_map(|fragment| refiner.refine(fragment.words.clone()));
    refined.filter(|passage| passage.score >= options.min_score).collect()
}
