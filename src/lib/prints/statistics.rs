//! What frequency methods know of a collection: document frequencies, and a sample of documents.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::Knowledge;
use super::counting::{HashCounts, count_words, hash, is_term};
use crate::text::TextWords;

/// Documents of the sample. More would hardly change the frequencies of words that many documents share.
const MAX_SAMPLE: usize = 20_000;

/// Words and documents of a collection. Words are known by their hashes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CollectionStatistics {
    /// Number of documents with words.
    pub documents: u64,
    /// Number of words of all documents.
    pub words: u64,
    /// Number of documents of each word.
    frequencies: FxHashMap<u64, u32>,
    /// Words and counts of the documents with the smallest hashes, and their numbers of words.
    sample: BTreeMap<u64, SampledDocument>,
}

/// Words of a document, with their counts, and the number of all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SampledDocument {
    pub counts: Vec<(u64, u32)>,
    pub words: usize,
}

impl CollectionStatistics {
    /// Returns the number of documents with a word.
    pub fn frequency(&self, word: u64) -> u64 {
        self.frequencies.get(&word).map_or(0, |count| u64::from(*count))
    }

    /// Returns the words whose document frequencies are `wanted`.
    pub fn words_of(&self, wanted: impl Fn(u64) -> bool) -> impl Iterator<Item = u64> {
        let wanted = move |frequency: u32| wanted(u64::from(frequency));
        self.frequencies.iter().filter(move |(_, count)| wanted(**count)).map(|(word, _)| *word)
    }

    /// Returns the mean number of words per document.
    pub fn mean_length(&self) -> f64 {
        self.words as f64 / self.documents.max(1) as f64
    }

    pub(super) fn sample(&self) -> impl Iterator<Item = &SampledDocument> {
        self.sample.values()
    }

    /// Adds the statistics of other documents. The result does not depend on the order.
    pub fn merge(&mut self, other: CollectionStatistics) {
        self.documents += other.documents;
        self.words += other.words;
        let (mut large, small) = (std::mem::take(&mut self.frequencies), other.frequencies);
        let (large, small) = if large.len() < small.len() {
            (small, large)
        } else {
            (std::mem::take(&mut large), small)
        };
        self.frequencies = large;
        for (word, count) in small {
            *self.frequencies.entry(word).or_default() += count;
        }
        self.sample.extend(other.sample);
        while self.sample.len() > MAX_SAMPLE {
            self.sample.pop_last();
        }
    }
}

/// Collects the statistics of the documents of one thread.
pub struct StatisticsCollector {
    knowledge: Knowledge,
    statistics: CollectionStatistics,
    counts: HashCounts,
}

impl StatisticsCollector {
    pub(super) fn new(knowledge: Knowledge) -> Self {
        let statistics = CollectionStatistics::default();
        StatisticsCollector { knowledge, statistics, counts: HashCounts::default() }
    }

    pub(super) fn add(&mut self, words: TextWords<'_>) {
        if words.is_empty() {
            return;
        }
        count_words(words, &mut self.counts, |_| true);
        self.statistics.documents += 1;
        self.statistics.words += words.len() as u64;
        for word in &self.counts.items {
            match self.statistics.frequencies.entry(word.hash) {
                Entry::Occupied(mut known) => *known.get_mut() += 1,
                // Known words are terms.
                Entry::Vacant(new) if is_term(words.word(word.first)) => drop(new.insert(1)),
                Entry::Vacant(_) => {}
            }
        }
        if self.knowledge == Knowledge::Sample {
            self.sample(words);
        }
    }

    fn sample(&mut self, words: TextWords<'_>) {
        let (key, sample) = (hash(words.text()), &mut self.statistics.sample);
        let is_full = sample.len() == MAX_SAMPLE;
        if is_full && sample.last_key_value().is_some_and(|(last, _)| *last <= key) {
            return;
        }
        let terms = self.counts.items.iter().filter(|word| is_term(words.word(word.first)));
        let counts = terms.map(|word| (word.hash, word.count as u32));
        sample.insert(key, SampledDocument { counts: counts.collect(), words: words.len() });
        if sample.len() > MAX_SAMPLE {
            sample.pop_last();
        }
    }

    /// Returns what was collected.
    pub fn finish(self) -> CollectionStatistics {
        self.statistics
    }
}
