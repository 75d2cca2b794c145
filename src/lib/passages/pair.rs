//! Two texts with common numbers and weights of their stems.

use std::ops::Range;

use super::options::SentenceOptions;
use super::prepared::PreparedText;

/// Stands for a stem that the other text lacks.
pub(super) const ABSENT: u32 = u32::MAX;

/// A side of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Suspicious,
    Source,
}

impl Side {
    /// Returns the other side.
    pub fn other(self) -> Self {
        match self {
            Side::Suspicious => Side::Source,
            Side::Source => Side::Suspicious,
        }
    }
}

/// Words of a passage on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordRanges {
    pub suspicious: Range<usize>,
    pub source: Range<usize>,
}

impl WordRanges {
    /// Returns where the passage begins, to order passages by.
    pub fn place(&self) -> (usize, usize) {
        (self.suspicious.start, self.source.start)
    }

    pub fn of(&self, side: Side) -> &Range<usize> {
        match side {
            Side::Suspicious => &self.suspicious,
            Side::Source => &self.source,
        }
    }

    pub fn of_mut(&mut self, side: Side) -> &mut Range<usize> {
        match side {
            Side::Suspicious => &mut self.suspicious,
            Side::Source => &mut self.source,
        }
    }
}

/// A pair of texts. The stems of the suspicious text keep their numbers, those that only the source has follow.
pub(super) struct TextPair<'p, 'a> {
    pub suspicious: &'p PreparedText<'a>,
    pub source: &'p PreparedText<'a>,
    /// The pair's number of each stem of the source.
    pub source_numbers: Vec<u32>,
    /// The source's number of each stem of the suspicious text, or [`ABSENT`].
    pub in_source: Vec<u32>,
    /// Weights of stems: ln(1 + sentences of both texts / sentences with the stem), which is positive.
    pub weights: Vec<f64>,
}

impl<'p, 'a> TextPair<'p, 'a> {
    /// Numbers and weights the stems. Time: linear in the number of distinct stems.
    pub fn new(
        suspicious: &'p PreparedText<'a>,
        source: &'p PreparedText<'a>,
        options: &SentenceOptions,
    ) -> Self {
        let mut in_source = vec![ABSENT; suspicious.stems().len()];
        let mut source_numbers = Vec::with_capacity(source.stems().len());
        let (mut at, mut next) = (0, in_source.len() as u32);
        for (number, stem) in source.stems().iter().enumerate() {
            at += suspicious.stems()[at..].iter().take_while(|other| *other < stem).count();
            let is_common = suspicious.stems().get(at) == Some(stem);
            source_numbers.push(if is_common { at as u32 } else { next });
            match is_common {
                true => in_source[at] = number as u32,
                false => next += 1,
            }
        }
        let mut pair =
            TextPair { suspicious, source, source_numbers, in_source, weights: Vec::new() };
        pair.weights = pair.weights(next as usize, options.min_sentences);
        pair
    }

    fn weights(&self, stems: usize, min_sentences: usize) -> Vec<f64> {
        let mut frequencies = vec![0; stems];
        for side in [Side::Suspicious, Side::Source] {
            let postings = &self.text(side).postings;
            for stem in 0..postings.len() {
                frequencies[self.number(side, stem as u32) as usize] += postings.row(stem).len();
            }
        }
        let sentences = self.suspicious.sentence_count() + self.source.sentence_count();
        let mut weight = WeightTable::new(sentences.max(min_sentences));
        frequencies.into_iter().map(|frequency| weight.of(frequency)).collect()
    }

    /// Returns the text of a side.
    pub fn text(&self, side: Side) -> &'p PreparedText<'a> {
        match side {
            Side::Suspicious => self.suspicious,
            Side::Source => self.source,
        }
    }

    /// Returns the pair's number of a side's stem.
    #[inline]
    pub fn number(&self, side: Side, stem: u32) -> u32 {
        match side {
            Side::Suspicious => stem,
            Side::Source => self.source_numbers[stem as usize],
        }
    }

    /// Returns the pair's number of a word's stem.
    #[inline]
    pub fn word(&self, side: Side, word: usize) -> u32 {
        self.number(side, self.text(side).stem(word))
    }

    /// Returns the pair's numbers of the stems of consecutive words.
    pub fn words(&self, side: Side, words: Range<usize>) -> impl Iterator<Item = u32> {
        words.map(move |word| self.word(side, word))
    }

    /// Returns the lengths of a passage in characters: of the suspicious side, then of the source.
    pub fn lengths(&self, words: &WordRanges) -> [usize; 2] {
        [Side::Suspicious, Side::Source].map(|side| {
            let text = self.text(side);
            text.characters(&text.bytes(words.of(side))).len()
        })
    }

    /// Returns the weight of a stem.
    #[inline]
    pub fn weight(&self, number: u32) -> f64 {
        self.weights[number as usize]
    }
}

/// Weights by sentence frequency; each logarithm of a small frequency is computed once.
struct WeightTable {
    sentences: f64,
    known: [f64; 64],
}

impl WeightTable {
    fn new(sentences: usize) -> Self {
        WeightTable { sentences: sentences as f64, known: [0.0; 64] }
    }

    fn of(&mut self, frequency: usize) -> f64 {
        let weight = || libm::log(1.0 + self.sentences / frequency as f64);
        match self.known.get(frequency) {
            None => weight(),
            Some(known) if *known > 0.0 => *known,
            Some(_) => {
                self.known[frequency] = weight();
                self.known[frequency]
            }
        }
    }
}

/// Counts of stems, reused for many passages.
pub(super) struct StemCounts {
    /// By stem, of the suspicious side and of the source.
    counts: Vec<[f64; 2]>,
    touched: Vec<u32>,
}

impl StemCounts {
    /// Returns counts of zero for all stems of a pair.
    pub fn new(pair: &TextPair<'_, '_>) -> Self {
        StemCounts { counts: vec![[0.0; 2]; pair.weights.len()], touched: Vec::new() }
    }

    /// Returns the cosine of the weighted stem counts of two passages; 0 if one has no weight.
    pub fn cosine(&mut self, pair: &TextPair<'_, '_>, ranges: &WordRanges) -> f64 {
        for side in [Side::Suspicious, Side::Source] {
            for stem in pair.words(side, ranges.of(side).clone()) {
                let counts = &mut self.counts[stem as usize];
                if *counts == [0.0; 2] {
                    self.touched.push(stem);
                }
                counts[side as usize] += 1.0;
            }
        }
        let [mut dot, mut left, mut right] = [0.0; 3];
        for stem in self.touched.drain(..) {
            let [a, b] = std::mem::take(&mut self.counts[stem as usize]);
            let square = pair.weight(stem) * pair.weight(stem);
            dot += a * b * square;
            left += a * a * square;
            right += b * b * square;
        }
        if left > 0.0 && right > 0.0 { dot / (left * right).sqrt() } else { 0.0 }
    }
}
