//! Repetitions at the ends of a passage.
//!
//! A source may repeat itself next to the copied words: then refinement, which asks only whether a stem stands in the other side, keeps the repetitions too.
//! Here stems count as often as they occur. Removing a word that its side has more often than the other gains θ of its weight; removing another one
//! costs 1 − θ. Each end loses the words with the largest gain.

use std::ops::Range;

use super::pair::{Side, TextPair, WordRanges};

/// Words to remove from an end, and what that gains.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Cut {
    gain: f64,
    words: usize,
}

/// An end of a passage.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Front,
    Back,
}

/// Removes repetitions from the ends of passages.
pub(super) struct Trimmer<'t, 'p, 'a> {
    pair: &'t TextPair<'p, 'a>,
    /// How many more occurrences of each stem one side has than the other.
    surplus: Vec<i32>,
}

impl<'t, 'p, 'a> Trimmer<'t, 'p, 'a> {
    pub fn new(pair: &'t TextPair<'p, 'a>) -> Self {
        Trimmer { pair, surplus: vec![0; pair.weights.len()] }
    }

    /// Returns a side without the repetitions at its ends that gain at least `min_gain`; θ is `share` of how much of the shorter side matches.
    pub fn trimmed(
        &mut self,
        side: Side,
        passage: &WordRanges,
        share: f64,
        min_gain: f64,
    ) -> Range<usize> {
        let theta = share * self.count(side, passage);
        let mut words = passage.of(side).clone();
        let [front, back] = [End::Front, End::Back].map(|end| self.cut(side, &words, end, theta));
        let is_back = back.gain >= front.gain;
        for end in if is_back { [End::Back, End::Front] } else { [End::Front, End::Back] } {
            let cut = self.cut(side, &words, end, theta);
            if cut.gain >= min_gain && cut.words < words.len() {
                words = self.without(side, words, end, cut.words);
            }
        }
        self.clear(passage);
        words
    }

    /// Counts the stems of both sides, and returns the weight of those in common relative to the lighter side.
    fn count(&mut self, side: Side, passage: &WordRanges) -> f64 {
        let [mut own, mut other, mut common] = [0.0; 3];
        for stem in self.pair.words(side, passage.of(side).clone()) {
            self.surplus[stem as usize] += 1;
            own += self.pair.weight(stem);
        }
        for stem in self.pair.words(side.other(), passage.of(side.other()).clone()) {
            let (surplus, weight) = (&mut self.surplus[stem as usize], self.pair.weight(stem));
            other += weight;
            common += if *surplus > 0 { weight } else { 0.0 };
            *surplus -= 1;
        }
        common / own.min(other)
    }

    /// Returns the best cut at an end.
    fn cut(&mut self, side: Side, words: &Range<usize>, end: End, theta: f64) -> Cut {
        let (mut best, mut gain) = (Cut::default(), 0.0);
        for number in 0..words.len() {
            let stem = self.stem(side, words, end, number);
            let (surplus, weight) = (&mut self.surplus[stem], self.pair.weights[stem]);
            gain += weight * if *surplus > 0 { theta } else { theta - 1.0 };
            *surplus -= 1;
            if gain > best.gain {
                best = Cut { gain, words: number + 1 };
            }
        }
        for stem in self.pair.words(side, words.clone()) {
            self.surplus[stem as usize] += 1;
        }
        best
    }

    /// Returns the stem of a word, counted from an end.
    fn stem(&self, side: Side, words: &Range<usize>, end: End, number: usize) -> usize {
        let word = match end {
            End::Front => words.start + number,
            End::Back => words.end - 1 - number,
        };
        self.pair.word(side, word) as usize
    }

    /// Removes words from an end.
    fn without(&mut self, side: Side, words: Range<usize>, end: End, count: usize) -> Range<usize> {
        for number in 0..count {
            let stem = self.stem(side, &words, end, number);
            self.surplus[stem] -= 1;
        }
        match end {
            End::Front => words.start + count..words.end,
            End::Back => words.start..words.end - count,
        }
    }

    fn clear(&mut self, passage: &WordRanges) {
        for side in [Side::Suspicious, Side::Source] {
            for stem in self.pair.words(side, passage.of(side).clone()) {
                self.surplus[stem as usize] = 0;
            }
        }
    }
}
