//! Passages that sum up a much longer source.
//!
//! The sentences of a summary have their counterparts all over the source, so its seeds lie close together in the suspicious text only. A literal copy of a
//! few sentences has such seeds too, by chance; there, one passage explains most of the matched words.

use super::kept::KeptPassages;
use super::options::SummaryOptions;
use super::pair::{Side, StemCounts, TextPair, WordRanges};
use super::refine::StemMarks;
use super::seeds::Seed;
use super::sentences::{Fragment, accepted, by_similarity};

/// Replaces passages by the summaries that they are a part of.
pub(super) fn add_summaries(
    pair: &TextPair<'_, '_>,
    passages: &mut KeptPassages,
    seeds: &[Seed],
    options: &SummaryOptions,
    counts: &mut StemCounts,
) {
    let mut marks = StemMarks::new(pair);
    let mut summaries = KeptPassages::new(pair.suspicious.word_count());
    for words in candidates(pair, seeds, options, counts) {
        let others = passages.overlapping(&words.suspicious);
        let is_free = summaries.overlapping(&words.suspicious).is_empty();
        if is_free && !is_explained(pair, &words, passages, &others, options, &mut marks) {
            others.into_iter().for_each(|number| _ = passages.remove(number));
            summaries.add(with_whole_source(pair, words, options.whole_share));
        }
    }
    summaries.into_passages().for_each(|summary| passages.add(summary));
}

/// Returns the words of possible summaries, the most similar first.
fn candidates(
    pair: &TextPair<'_, '_>,
    seeds: &[Seed],
    options: &SummaryOptions,
    counts: &mut StemCounts,
) -> impl Iterator<Item = WordRanges> {
    let seeds = seeds.iter().filter(|seed| seed.exceeds(options.cosine, options.dice)).copied();
    let mut fragments =
        accepted(pair, seeds.collect(), options.max_gap, options.acceptance, counts);
    fragments.retain(|fragment| is_summary(pair, fragment, options));
    fragments.sort_by(by_similarity);
    fragments.into_iter().map(|fragment| fragment.words)
}

fn is_summary(pair: &TextPair<'_, '_>, fragment: &Fragment, options: &SummaryOptions) -> bool {
    let [summary, source] = pair.lengths(&fragment.words);
    fragment.cluster.seeds.len() >= options.min_seeds
        && summary >= options.min_chars
        && source as f64 >= options.min_ratio * summary as f64
}

/// Returns whether one of the passages has most of the matched weight of a summary.
fn is_explained(
    pair: &TextPair<'_, '_>,
    summary: &WordRanges,
    passages: &KeptPassages,
    others: &[usize],
    options: &SummaryOptions,
    marks: &mut StemMarks,
) -> bool {
    let whole = matched_weight(pair, summary, summary, marks);
    let others = others.iter().filter_map(|number| passages.get(*number));
    let mut weights = others.map(|other| matched_weight(pair, summary, other, marks));
    weights.any(|weight| weight >= options.max_explained * whole)
}

/// Returns the weight of the words of a summary that a passage has and that match the passage's source.
fn matched_weight(
    pair: &TextPair<'_, '_>,
    summary: &WordRanges,
    passage: &WordRanges,
    marks: &mut StemMarks,
) -> f64 {
    marks.set(pair.words(Side::Source, passage.source.clone()));
    let start = summary.suspicious.start.max(passage.suspicious.start);
    let end = summary.suspicious.end.min(passage.suspicious.end);
    let stems = pair.words(Side::Suspicious, start..end.max(start));
    stems.filter(|stem| marks.has(*stem)).map(|stem| pair.weight(stem)).sum()
}

/// Extends the source of a summary to the whole text if it spans most of it: authors sum up whole documents.
fn with_whole_source(pair: &TextPair<'_, '_>, words: WordRanges, share: f64) -> WordRanges {
    let whole = 0..pair.source.word_count();
    match words.source.len() as f64 >= share * whole.len() as f64 {
        true => WordRanges { source: whole, ..words },
        false => words,
    }
}
