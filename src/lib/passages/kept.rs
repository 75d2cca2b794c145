//! Passages by their place in the suspicious text.

use std::ops::Range;

use super::pair::WordRanges;

/// Words per bucket.
const BUCKET: usize = 256;

/// A set of passages that finds those with some suspicious words.
pub(super) struct KeptPassages {
    passages: Vec<Option<WordRanges>>,
    /// For each part of the suspicious text, the passages that overlap it. Removed ones leave when they are met.
    buckets: Vec<Vec<u32>>,
}

impl KeptPassages {
    /// Returns an empty set for a text of `words` words.
    pub fn new(words: usize) -> Self {
        KeptPassages { passages: Vec::new(), buckets: vec![Vec::new(); words / BUCKET + 1] }
    }

    /// Adds a passage, whose suspicious side is not empty.
    pub fn add(&mut self, passage: WordRanges) {
        let number = self.passages.len() as u32;
        for bucket in &mut self.buckets[buckets(&passage.suspicious)] {
            bucket.push(number);
        }
        self.passages.push(Some(passage));
    }

    /// Removes and returns a passage.
    pub fn remove(&mut self, number: usize) -> Option<WordRanges> {
        self.passages[number].take()
    }

    /// Returns the numbers of the passages with some of these suspicious words, in the order in which they were added.
    pub fn overlapping(&mut self, words: &Range<usize>) -> Vec<usize> {
        let (mut found, passages) = (Vec::new(), &self.passages);
        for bucket in &mut self.buckets[buckets(words)] {
            bucket.retain(|number| passages[*number as usize].is_some());
            found.extend(bucket.iter().map(|number| *number as usize));
        }
        found.sort_unstable();
        found.dedup();
        let has_words = |kept: &WordRanges| common(&kept.suspicious, words) > 0;
        found.retain(|number| passages[*number].as_ref().is_some_and(has_words));
        found
    }

    /// Returns a passage that was not removed.
    pub fn get(&self, number: usize) -> Option<&WordRanges> {
        self.passages[number].as_ref()
    }

    /// Keeps the passages that fulfil a condition.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&WordRanges) -> bool) {
        for passage in &mut self.passages {
            *passage = passage.take().filter(&mut is_kept);
        }
    }

    /// Returns all passages, in the order in which they were added.
    pub fn into_passages(self) -> impl Iterator<Item = WordRanges> {
        self.passages.into_iter().flatten()
    }
}

/// Returns the buckets of some words, at least one.
fn buckets(words: &Range<usize>) -> Range<usize> {
    words.start / BUCKET..(words.end - 1) / BUCKET + 1
}

/// Returns the number of common words.
pub(super) fn common(a: &Range<usize>, b: &Range<usize>) -> usize {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}
