//! Passages that overlap: merged or dropped.

use std::ops::Range;

use super::kept::{KeptPassages, common};
use super::pair::{TextPair, WordRanges};

/// A passage and its score.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScoredPassage {
    pub words: WordRanges,
    pub score: f64,
}

/// Keeps passages by descending score: one that overlaps kept ones on both sides is merged with them, one of whose suspicious words others have more than
/// the share `max_taken` is dropped.
pub(super) fn resolved(
    pair: &TextPair<'_, '_>,
    mut passages: Vec<ScoredPassage>,
    max_taken: f64,
) -> KeptPassages {
    passages.sort_by(|a, b| {
        let by_place = a.words.place().cmp(&b.words.place());
        b.score.total_cmp(&a.score).then(by_place)
    });
    let mut kept = KeptPassages::new(pair.suspicious.word_count());
    passages.into_iter().for_each(|passage| keep(&mut kept, passage.words, max_taken));
    kept
}

/// Keeps a passage, merged with those that overlap on both sides, or drops it.
fn keep(kept: &mut KeptPassages, mut passage: WordRanges, max_taken: f64) {
    let mut others = kept.overlapping(&passage.suspicious);
    let taken = taken(kept, &passage.suspicious, &others);
    let source = passage.source.clone();
    others
        .retain(|number| kept.get(*number).is_some_and(|other| common(&other.source, &source) > 0));
    if others.is_empty() && taken > max_taken {
        return;
    }
    for other in others.into_iter().filter_map(|number| kept.remove(number)).collect::<Vec<_>>() {
        passage.suspicious = hull(&passage.suspicious, &other.suspicious);
        passage.source = hull(&passage.source, &other.source);
    }
    kept.add(passage);
}

/// Returns the share of suspicious words that kept passages have.
fn taken(kept: &KeptPassages, words: &Range<usize>, others: &[usize]) -> f64 {
    let ranges = others.iter().filter_map(|number| kept.get(*number));
    let mut ranges: Vec<&Range<usize>> = ranges.map(|other| &other.suspicious).collect();
    ranges.sort_unstable_by_key(|range| range.start);
    let (mut taken, mut end) = (0, words.start);
    for range in ranges {
        let next = range.end.min(words.end).max(end);
        taken += next - range.start.max(end).min(next);
        end = next;
    }
    taken as f64 / words.len() as f64
}

/// Returns the smallest range that has both.
fn hull(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.min(b.start)..a.end.max(b.end)
}
