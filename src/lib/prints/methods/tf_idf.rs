//! `tf_idf`: a checksum of the words with the largest weights, and the weights themselves.

use std::sync::Arc;

use super::MethodEntry;
use crate::prints::counting::{
    Scratch, WordCount, count_words, is_term, keep_first, push_checksum,
};
use crate::prints::{
    Agreement, CollectionStatistics, Knowledge, PrintMethod, PrintOptions, TermWeight,
};
use crate::text::TextWords;

pub(super) const TF_IDF: MethodEntry = MethodEntry {
    name: "tf_idf",
    about: "CRC-32 of the 6 words with the largest TF-IDF or BM25 weights",
    flags: &["words_per_print", "weight", "k1", "b", "idf_floor"],
    min_word_len: 4,
    create: |options| {
        let words = options.words_per_print.unwrap_or(6);
        Ok(Box::new(HeaviestWords { words, weights: Weights::new(options)? }))
    },
};

struct HeaviestWords {
    words: usize,
    weights: Weights,
}

impl PrintMethod for HeaviestWords {
    fn knowledge(&self) -> Knowledge {
        Knowledge::Frequencies
    }

    fn learn(&mut self, collection: &Arc<CollectionStatistics>) {
        self.weights.learn(collection);
    }

    /// Ties at the last rank go to the first words in alphabetical order.
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        count_words(words, &mut scratch.counts, is_term);
        let weigh = self.weights.of_document(&scratch.counts.items, words.len());
        let weighted =
            scratch.counts.items.iter().filter_map(|word| Some((weigh(word)?, word.first)));
        let mut weighted: Vec<(f64, usize)> = weighted.collect();
        keep_first(&mut weighted, self.words, |one, other| {
            let texts = || words.word(one.1).cmp(words.word(other.1));
            other.0.total_cmp(&one.0).then_with(texts)
        });
        let mut texts: Vec<&str> = weighted.iter().map(|(_, word)| words.word(*word)).collect();
        texts.sort_unstable();
        push_checksum(texts.into_iter(), print);
    }

    fn agreement(&self) -> Agreement {
        Agreement::Equal
    }
}

/// Document frequencies whose logarithms are computed once.
const RARE: u64 = 1 << 16;

/// Weights of words by their counts in a document and their document frequencies. Logarithms are natural.
pub(super) struct Weights {
    rule: TermWeight,
    k1: f64,
    b: f64,
    idf_floor: Option<f64>,
    /// Inverse document frequencies of words in few documents, which nearly all are: a logarithm takes longer than all else.
    rare: Vec<Option<f64>>,
    collection: Arc<CollectionStatistics>,
}

impl Weights {
    pub fn new(options: &PrintOptions) -> Result<Self, String> {
        let rule = options.weight.unwrap_or_default();
        let PrintOptions { k1, b, idf_floor, .. } = *options;
        if rule != TermWeight::Bm25 && (k1, b, idf_floor) != (None, None, None) {
            return Err("--k1, --b and --idf_floor need --weight bm25".into());
        }
        let (k1, b) = (k1.unwrap_or(2.0), b.unwrap_or(0.75));
        Ok(Weights { rule, k1, b, idf_floor, rare: Vec::new(), collection: Arc::default() })
    }

    pub fn learn(&mut self, collection: &Arc<CollectionStatistics>) {
        self.collection = collection.clone();
        self.rare = (0..RARE).map(|frequency| self.idf_of(frequency.max(1))).collect();
    }

    /// Returns the weights of the words of a document, given its distinct words and its length. A word may have none.
    pub fn of_document(
        &self,
        counts: &[WordCount],
        length: usize,
    ) -> impl Fn(&WordCount) -> Option<f64> + use<'_> {
        let largest = counts.iter().map(|word| word.count).max().unwrap_or(1) as f64;
        let relative = length as f64 / self.collection.mean_length().max(1.0);
        move |word: &WordCount| {
            let count = word.count as f64;
            let tf = match self.rule {
                TermWeight::TfIdf => count / length as f64,
                TermWeight::Augmented => 0.5 + 0.5 * count / largest,
                TermWeight::Bm25 => {
                    count / (self.k1 * ((1.0 - self.b) + self.b * relative) + count)
                }
            };
            Some(tf * self.idf(word.hash)?)
        }
    }

    /// Returns the inverse document frequency of a word; BM25 may have none.
    fn idf(&self, word: u64) -> Option<f64> {
        // A word of a document that was not counted is in one document.
        let frequency = self.collection.frequency(word).max(1);
        match self.rare.get(frequency as usize) {
            Some(idf) => *idf,
            None => self.idf_of(frequency),
        }
    }

    fn idf_of(&self, frequency: u64) -> Option<f64> {
        let frequency = frequency as f64;
        let documents = (self.collection.documents as f64).max(frequency);
        if self.rule != TermWeight::Bm25 {
            return Some(libm::log(documents / frequency));
        }
        let idf = libm::log((documents - frequency + 0.5) / (frequency + 0.5));
        match self.idf_floor {
            Some(floor) => Some(idf.max(floor)),
            None => (idf >= 0.0).then_some(idf),
        }
    }
}
