//! Refinement of a passage, word by word.
//!
//! A word matches if its stem also stands in the other side of the passage. Inside of a copy most words match, outside few do. With θ halfway between the two
//! shares, the run of words with the largest sum of weight · (match − θ) is the copy: the maximum-sum run of Kadane's algorithm.

use std::ops::Range;

use super::options::SentenceOptions;
use super::pair::{Side, TextPair, WordRanges};
use super::resolve::ScoredPassage;
use super::trim::Trimmer;

/// Words on either side of a passage by which the share of matches outside of it is estimated.
const OUTSIDE: usize = 1024;

/// The order in which sides are refined: the source gives the larger choice.
const SIDES: [Side; 2] = [Side::Source, Side::Suspicious];

/// Refines passages of a pair of texts.
pub(super) struct Refiner<'t, 'p, 'a> {
    pair: &'t TextPair<'p, 'a>,
    options: &'t SentenceOptions,
    marks: StemMarks,
    trimmer: Trimmer<'t, 'p, 'a>,
}

/// A set of stems that is cleared at no cost.
pub(super) struct StemMarks {
    marks: Vec<u32>,
    mark: u32,
}

impl StemMarks {
    /// Returns an empty set of the stems of a pair.
    pub fn new(pair: &TextPair<'_, '_>) -> Self {
        StemMarks { marks: vec![0; pair.weights.len()], mark: 0 }
    }

    /// Replaces the set.
    pub fn set(&mut self, stems: impl Iterator<Item = u32>) {
        self.mark += 1;
        stems.for_each(|stem| self.marks[stem as usize] = self.mark);
    }

    /// Returns whether the set has a stem.
    #[inline]
    pub fn has(&self, stem: u32) -> bool {
        self.marks[stem as usize] == self.mark
    }
}

impl<'t, 'p, 'a> Refiner<'t, 'p, 'a> {
    pub fn new(pair: &'t TextPair<'p, 'a>, options: &'t SentenceOptions) -> Self {
        Refiner { pair, options, marks: StemMarks::new(pair), trimmer: Trimmer::new(pair) }
    }

    /// Returns the refined passage and its score, the last sum; nothing if no word is left. Without rounds, the passage stays and its score is infinite.
    pub fn refine(&mut self, mut words: WordRanges) -> Option<ScoredPassage> {
        let SentenceOptions { rounds, trim_share, min_trim, .. } = *self.options;
        let mut score = f64::INFINITY;
        for _ in 0..rounds {
            let before = words.clone();
            for side in SIDES {
                (*words.of_mut(side), score) = self.best_run(side, &words)?;
            }
            // Another round would repeat this one.
            if words == before {
                break;
            }
        }
        for side in SIDES {
            *words.of_mut(side) = self.trimmer.trimmed(side, &words, trim_share, min_trim);
        }
        for side in SIDES {
            *words.of_mut(side) = self.snapped(side, words.of(side));
        }
        Some(ScoredPassage { words, score })
    }

    /// Returns the words of a side that match the other one best, within a margin around the passage.
    fn best_run(&mut self, side: Side, passage: &WordRanges) -> Option<(Range<usize>, f64)> {
        let other = side.other();
        self.marks.set(self.pair.words(other, passage.of(other).clone()));
        let (inside, words) = (passage.of(side), self.pair.text(side).word_count());
        let theta = self.threshold(side, inside, words);
        let window = extended(inside, self.options.margin, words);
        let values = self.pair.words(side, window.clone()).map(|stem| {
            let weight = self.pair.weight(stem);
            weight * (f64::from(u8::from(self.marks.has(stem))) - theta)
        });
        let (run, sum) = max_sum_run(values)?;
        Some((window.start + run.start..window.start + run.end, sum))
    }

    /// Returns the mean of the shares of matches inside and outside of a passage, where the latter is at most half of the former.
    fn threshold(&self, side: Side, inside: &Range<usize>, words: usize) -> f64 {
        let around = extended(inside, OUTSIDE, words);
        let [[matched_in, total_in], _] = self.matches(side, [inside.clone(), 0..0]);
        let [before, after] =
            self.matches(side, [around.start..inside.start, inside.end..around.end]);
        let share_in = if total_in > 0.0 { matched_in / total_in } else { 0.0 };
        let (matched_out, total_out) = (before[0] + after[0], before[1] + after[1]);
        let share_out = if total_out > 0.0 { matched_out / total_out } else { 0.0 };
        (share_in + share_out.min(share_in / 2.0)) / 2.0
    }

    /// Returns the weight of the matching words, and of all, in two ranges. They are added up at the same time: one sum would wait for its last addition.
    fn matches(&self, side: Side, [left, right]: [Range<usize>; 2]) -> [[f64; 2]; 2] {
        let both = left.len().min(right.len());
        let (left_rest, right_rest) = (left.start + both..left.end, right.start + both..right.end);
        let mut sums = [[0.0; 2]; 2];
        let lefts = self.pair.words(side, left.start..left.start + both);
        let rights = self.pair.words(side, right.start..right.start + both);
        for (left, right) in lefts.zip(rights) {
            self.add(&mut sums[0], left);
            self.add(&mut sums[1], right);
        }
        for (sum, rest) in sums.iter_mut().zip([left_rest, right_rest]) {
            self.pair.words(side, rest).for_each(|stem| self.add(sum, stem));
        }
        sums
    }

    /// Adds the weight of a stem, if it matches, and in any case.
    #[inline]
    fn add(&self, [matched, total]: &mut [f64; 2], stem: u32) {
        let weight = self.pair.weight(stem);
        *matched += weight * f64::from(u8::from(self.marks.has(stem)));
        *total += weight;
    }

    /// Moves the ends of a run to the nearest ends of sentences, if they are near enough.
    fn snapped(&self, side: Side, run: &Range<usize>) -> Range<usize> {
        let boundaries = self.pair.text(side).boundaries();
        let nearest = |word: usize| {
            let after = boundaries.partition_point(|boundary| *boundary < word);
            let near = boundaries[after.saturating_sub(1)..].iter().take(2).copied();
            let best = near.min_by_key(|boundary| boundary.abs_diff(word));
            best.filter(|boundary| boundary.abs_diff(word) <= self.options.snap).unwrap_or(word)
        };
        let (start, end) = (nearest(run.start), nearest(run.end));
        if start < end { start..end } else { run.clone() }
    }
}

/// Returns a range with `margin` more words on either side, of a text with `words` words.
fn extended(range: &Range<usize>, margin: usize, words: usize) -> Range<usize> {
    range.start.saturating_sub(margin)..(range.end + margin).min(words)
}

/// Returns the run of values with the largest sum, and the sum; of equals the first one that ends, the longest. None if no sum is positive.
pub(super) fn max_sum_run(values: impl Iterator<Item = f64>) -> Option<(Range<usize>, f64)> {
    let mut best: Option<(Range<usize>, f64)> = None;
    let (mut start, mut sum) = (0, 0.0);
    for (at, value) in values.enumerate() {
        if sum < 0.0 {
            (start, sum) = (at, 0.0);
        }
        sum += value;
        if sum > best.as_ref().map_or(0.0, |(_, best)| *best) {
            best = Some((start..at + 1, sum));
        }
    }
    best
}
