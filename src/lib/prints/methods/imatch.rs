//! `imatch` and `imatch_random`: a hash of the words of a document that belong to a lexicon of words with medium document frequencies
//! (Chowdhury et al. 2002), and the same over random parts of the lexicon (Kołcz et al. 2004).

use std::sync::Arc;

use sha1::{Digest, Sha1};

use super::MethodEntry;
use crate::prints::counting::{Scratch, count_words, is_term};
use crate::prints::rolling::mixed;
use crate::prints::{Agreement, CollectionStatistics, Knowledge, PrintMethod, PrintOptions};
use crate::text::TextWords;

pub(super) const IMATCH: MethodEntry = MethodEntry {
    name: "imatch",
    about: "SHA-1 of the words of a lexicon of medium IDF",
    flags: &["min_idf", "max_idf", "min_terms"],
    min_word_len: 1,
    create: |options| Ok(Box::new(LexiconWords::new(options, 0)?)),
};

pub(super) const IMATCH_RANDOM: MethodEntry = MethodEntry {
    name: "imatch_random",
    about: "the same over 10 more lexicons, each without a random third",
    flags: &["min_idf", "max_idf", "min_terms", "lexicons", "dropped", "rnd_seed"],
    min_word_len: 1,
    create: |options| Ok(Box::new(LexiconWords::new(options, options.lexicons.unwrap_or(10))?)),
};

struct LexiconWords {
    /// IDF bounds as shares of the largest, that of a word in one document.
    idf: [f64; 2],
    /// Document frequencies of lexicon words.
    frequencies: [f64; 2],
    min_terms: usize,
    /// Number of random lexicons.
    lexicons: usize,
    /// A word is dropped from a lexicon if its random byte is below this.
    dropped: u64,
    seed: u64,
    collection: Arc<CollectionStatistics>,
}

impl LexiconWords {
    fn new(options: &PrintOptions, lexicons: usize) -> Result<Self, String> {
        let idf = [options.min_idf.unwrap_or(0.2), options.max_idf.unwrap_or(0.8)];
        if idf[0] > idf[1] {
            return Err(format!("--min_idf {} is larger than --max_idf {}", idf[0], idf[1]));
        }
        Ok(LexiconWords {
            idf,
            frequencies: [0.0; 2],
            min_terms: options.min_terms.unwrap_or(5),
            lexicons,
            dropped: (options.dropped.unwrap_or(0.33) * 256.0) as u64,
            seed: options.seed(),
            collection: Arc::default(),
        })
    }

    fn is_in_lexicon(&self, word: u64) -> bool {
        let frequency = self.collection.frequency(word) as f64;
        (self.frequencies[0]..=self.frequencies[1]).contains(&frequency)
    }

    /// Returns the random bytes of a word in eight lexicons.
    fn random_bytes(&self, word: u64, eight: u64) -> u64 {
        let key = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(eight);
        mixed(word ^ mixed(key))
    }

    /// Whether lexicon `number` of eight has a word with these random bytes.
    fn keeps(&self, bytes: u64, number: u64) -> bool {
        bytes >> (8 * number) & 0xff >= self.dropped
    }

    /// Returns the hash of some words, 0 if there are too few.
    fn fingerprint<'a>(&self, terms: impl Iterator<Item = &'a str>, bytes: &mut Vec<u8>) -> u64 {
        bytes.clear();
        let mut count = 0;
        for term in terms {
            bytes.extend_from_slice(term.as_bytes());
            bytes.push(b'\n');
            count += 1;
        }
        if count <= self.min_terms {
            return 0;
        }
        let digest: [u8; 20] = Sha1::digest(bytes).into();
        digest.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes)).max(1)
    }
}

impl PrintMethod for LexiconWords {
    fn knowledge(&self) -> Knowledge {
        Knowledge::Frequencies
    }

    fn learn(&mut self, collection: &Arc<CollectionStatistics>) {
        // log(N / df) / log N lies in the bounds if df = N^(1 − x) does.
        let documents = collection.documents.max(1) as f64;
        let frequency = |idf: f64| libm::pow(documents, 1.0 - idf);
        self.frequencies = [frequency(self.idf[1]), frequency(self.idf[0])];
        self.collection = collection.clone();
    }

    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        count_words(words, &mut scratch.counts, is_term);
        let in_lexicon = scratch.counts.items.iter().filter(|word| self.is_in_lexicon(word.hash));
        let mut terms: Vec<(u64, &str)> =
            in_lexicon.map(|word| (word.hash, words.word(word.first))).collect();
        terms.sort_unstable_by_key(|(_, term)| *term);
        let start = print.len();
        let bytes = &mut scratch.bytes;
        print.push(self.fingerprint(terms.iter().map(|(_, term)| *term), bytes));
        for first in (0..self.lexicons as u64).step_by(8) {
            let random = |word: u64| self.random_bytes(word, first / 8);
            let random: Vec<u64> = terms.iter().map(|(word, _)| random(*word)).collect();
            for number in 0..8.min(self.lexicons as u64 - first) {
                let kept = terms.iter().zip(&random).filter(|(_, r)| self.keeps(**r, number));
                print.push(self.fingerprint(kept.map(|((_, term), _)| *term), bytes));
            }
        }
        if print[start..].iter().all(|fingerprint| *fingerprint == 0) {
            print.truncate(start);
        }
    }

    fn agreement(&self) -> Agreement {
        Agreement::Coordinates { min: 1 }
    }
}
