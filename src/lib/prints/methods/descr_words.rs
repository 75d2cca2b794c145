//! `descr_words`: one bit per descriptive word, whether its relative frequency exceeds the word's threshold (Ilyinsky et al. 2002).
//!
//! Words and thresholds are chosen on a sample of the collection:
//!
//! 1. A word's threshold is the relative frequency with the fewest documents close to it: a small edit rarely moves a document across. The share of
//!    its documents that are not close is the word's accuracy.
//! 2. Words of at least a minimum accuracy are candidates: they cover as many documents as possible.
//! 3. From the least accurate word on, words are dropped as long as each document still exceeds the thresholds of some words. The minimum accuracy
//!    rises, and the last two steps are repeated.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};
use twox_hash::XxHash3_64;

use super::MethodEntry;
use crate::prints::counting::{Scratch, count_words, is_term};
use crate::prints::{Agreement, CollectionStatistics, Knowledge, PrintMethod, PrintOptions};
use crate::text::TextWords;

/// Documents of the sample that a descriptive word needs.
const MIN_DOCUMENTS: usize = 3;
/// Minimum accuracies of the rounds.
const ROUNDS: [f64; 3] = [0.3, 0.5, 0.7];

pub(super) const DESCR_WORDS: MethodEntry = MethodEntry {
    name: "descr_words",
    about: "hash of the bits of up to 4,000 descriptive words",
    flags: &["descriptive_words", "cover", "delta"],
    min_word_len: 4,
    create: |options| Ok(Box::new(DescriptiveWords::new(options))),
};

struct DescriptiveWords {
    max_words: usize,
    cover: usize,
    delta: f64,
    /// Number and threshold of each descriptive word.
    words: FxHashMap<u64, (u32, f64)>,
}

/// A candidate for a descriptive word.
struct Candidate {
    word: u64,
    threshold: f64,
    accuracy: f64,
    /// Documents of the sample over the threshold.
    documents: Vec<u32>,
}

impl DescriptiveWords {
    fn new(options: &PrintOptions) -> Self {
        DescriptiveWords {
            max_words: options.descriptive_words.unwrap_or(4000),
            cover: options.cover.unwrap_or(8),
            delta: options.delta.unwrap_or(0.2),
            words: HashMap::with_hasher(FxBuildHasher),
        }
    }

    /// Returns the words of a sample that enough documents have, with their thresholds, the most accurate first.
    fn candidates(&self, collection: &CollectionStatistics) -> Vec<Candidate> {
        let mut frequencies: FxHashMap<u64, Vec<(f64, u32)>> = FxHashMap::default();
        for (number, document) in collection.sample().enumerate() {
            for (word, count) in &document.counts {
                let frequency = f64::from(*count) / document.words as f64;
                frequencies.entry(*word).or_default().push((frequency, number as u32));
            }
        }
        frequencies.retain(|_, documents| documents.len() >= MIN_DOCUMENTS);
        let mut candidates: Vec<Candidate> = frequencies
            .into_iter()
            .filter_map(|(word, documents)| Candidate::new(word, documents, self.delta))
            .collect();
        candidates.sort_unstable_by(|one, other| {
            other.accuracy.total_cmp(&one.accuracy).then(one.word.cmp(&other.word))
        });
        candidates
    }

    /// Drops words, the least accurate first, as long as each document that exceeds the thresholds of enough words still does.
    fn thin_out(&self, candidates: &mut Vec<Candidate>, documents: usize) {
        let mut covers = vec![0usize; documents];
        let all = candidates.iter().flat_map(|candidate| &candidate.documents);
        all.for_each(|document| covers[*document as usize] += 1);
        let mut is_kept = vec![true; candidates.len()];
        for (candidate, is_kept) in candidates.iter().zip(&mut is_kept).rev() {
            let mut documents = candidate.documents.iter().map(|document| *document as usize);
            if documents.clone().all(|document| covers[document] > self.cover) {
                documents.by_ref().for_each(|document| covers[document] -= 1);
                *is_kept = false;
            }
        }
        let mut flags = is_kept.into_iter();
        candidates.retain(|_| flags.next().unwrap_or(false));
    }
}

impl Candidate {
    /// Chooses the threshold of a word, given its relative frequencies: between two neighbouring ones, where the fewest are close. Ties go to the
    /// lowest threshold, which more documents exceed. A word of one frequency has none.
    fn new(word: u64, mut documents: Vec<(f64, u32)>, delta: f64) -> Option<Self> {
        documents.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let below = |bound: f64| documents.partition_point(|(frequency, _)| *frequency < bound);
        let mut best: Option<(usize, f64)> = None;
        for pair in documents.windows(2).filter(|pair| pair[0].0 < pair[1].0) {
            let threshold = (pair[0].0 + pair[1].0) / 2.0;
            let close = below(threshold * (1.0 + delta)) - below(threshold * (1.0 - delta));
            if best.is_none_or(|(fewest, _)| close < fewest) {
                best = Some((close, threshold));
            }
        }
        let (close, threshold) = best?;
        let accuracy = 1.0 - close as f64 / documents.len() as f64;
        let over = documents.iter().filter(|(frequency, _)| *frequency > threshold);
        let over = over.map(|(_, document)| *document).collect();
        Some(Candidate { word, threshold, accuracy, documents: over })
    }
}

impl PrintMethod for DescriptiveWords {
    fn knowledge(&self) -> Knowledge {
        Knowledge::Sample
    }

    fn learn(&mut self, collection: &Arc<CollectionStatistics>) {
        let (mut candidates, documents) =
            (self.candidates(collection), collection.sample().count());
        for min_accuracy in ROUNDS {
            let accurate = candidates.partition_point(|c| c.accuracy >= min_accuracy);
            // Rather less accurate words than none.
            if accurate > 0 {
                candidates.truncate(accurate);
            }
            self.thin_out(&mut candidates, documents);
        }
        candidates.truncate(self.max_words);
        candidates.sort_unstable_by_key(|candidate| candidate.word);
        let numbered = candidates.iter().zip(0..);
        self.words = numbered.map(|(c, number)| (c.word, (number, c.threshold))).collect();
    }

    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        count_words(words, &mut scratch.counts, is_term);
        let set = scratch.counts.items.iter().filter_map(|word| {
            let (number, threshold) = self.words.get(&word.hash)?;
            let frequency = word.count as f64 / words.len() as f64;
            (frequency > *threshold).then_some(*number)
        });
        let mut set: Vec<u32> = set.collect();
        set.sort_unstable();
        if !set.is_empty() {
            let bytes: Vec<u8> = set.iter().flat_map(|number| number.to_le_bytes()).collect();
            print.push(XxHash3_64::oneshot(&bytes));
        }
    }

    fn agreement(&self) -> Agreement {
        Agreement::Equal
    }

    fn notice(&self) -> Option<String> {
        None
    }
}
