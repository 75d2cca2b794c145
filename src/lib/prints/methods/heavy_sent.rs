//! `heavy_sent`: a checksum of the heaviest sentences.

use std::sync::Arc;

use super::MethodEntry;
use super::tf_idf::Weights;
use crate::prints::counting::{Scratch, hash, is_term, keep_first, push_checksum};
use crate::prints::{Agreement, CollectionStatistics, Knowledge, PrintMethod};
use crate::text::TextWords;

pub(super) const HEAVY_SENT: MethodEntry = MethodEntry {
    name: "heavy_sent",
    about: "CRC-32 of the 2 sentences with the largest sums of word weights",
    flags: &["sentences_per_print", "weight", "k1", "b", "idf_floor"],
    min_word_len: 4,
    create: |options| {
        let sentences = options.sentences_per_print.unwrap_or(2);
        Ok(Box::new(HeaviestSentences { sentences, weights: Weights::new(options)? }))
    },
};

struct HeaviestSentences {
    sentences: usize,
    weights: Weights,
}

impl PrintMethod for HeaviestSentences {
    fn has_sentences(&self) -> bool {
        true
    }

    fn knowledge(&self) -> Knowledge {
        Knowledge::Frequencies
    }

    fn learn(&mut self, collection: &Arc<CollectionStatistics>) {
        self.weights.learn(collection);
    }

    /// Weights are added in the order of the words. Ties go to the first sentences in alphabetical order.
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        let counts = &mut scratch.counts;
        counts.clear();
        let mut count = |(position, word)| is_term(word).then(|| counts.add(hash(word), position));
        let items: Vec<Option<usize>> = words.iter().enumerate().map(&mut count).collect();
        let weigh = self.weights.of_document(&counts.items, words.len());
        let weights: Vec<f64> =
            counts.items.iter().map(|word| weigh(word).unwrap_or(0.0)).collect();
        let weight = |word: usize| items[word].map_or(0.0, |item| weights[item]);
        let sentence = |range: std::ops::Range<usize>| {
            (range.clone().map(weight).sum::<f64>(), words.shingle(range))
        };
        let mut sentences: Vec<(f64, &str)> = words.sentences().map(sentence).collect();
        keep_first(&mut sentences, self.sentences, |one, other| {
            other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1))
        });
        let mut texts: Vec<&str> = sentences.into_iter().map(|(_, text)| text).collect();
        texts.sort_unstable();
        push_checksum(texts.into_iter(), print);
    }

    fn agreement(&self) -> Agreement {
        Agreement::Equal
    }
}
