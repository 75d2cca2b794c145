//! `imatch` and `imatch_random`: a hash of the words of a document that belong to a lexicon of words with medium document frequencies
//! (Chowdhury et al. 2002), and the same over random parts of the lexicon (Kołcz et al. 2004).

use std::sync::Arc;

use rustc_hash::FxHashSet;
use sha1::{Digest, Sha1};

use super::MethodEntry;
use crate::prints::counting::{Scratch, WordCount, count_words, first_bytes};
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
    /// Hashes of the words of medium document frequency.
    lexicon: FxHashSet<u64>,
    min_terms: usize,
    /// Number of random lexicons.
    lexicons: usize,
    /// A word is dropped from a lexicon if its random byte is below this.
    dropped: u64,
    seed: u64,
}

impl LexiconWords {
    fn new(options: &PrintOptions, lexicons: usize) -> Result<Self, String> {
        let idf = [options.min_idf.unwrap_or(0.2), options.max_idf.unwrap_or(0.8)];
        if idf[0] > idf[1] {
            return Err(format!("--min_idf {} is larger than --max_idf {}", idf[0], idf[1]));
        }
        Ok(LexiconWords {
            idf,
            lexicon: FxHashSet::default(),
            min_terms: options.min_terms.unwrap_or(5),
            lexicons,
            dropped: (options.dropped.unwrap_or(0.33) * 256.0) as u64,
            seed: options.seed(),
        })
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

    /// Returns the hash of `count` words, each followed by a newline; 0 if there are too few.
    fn fingerprint(&self, words: &[u8], count: usize) -> u64 {
        if count <= self.min_terms {
            return 0;
        }
        let digest: [u8; 20] = Sha1::digest(words).into();
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
        let frequencies = frequency(self.idf[1])..=frequency(self.idf[0]);
        let is_medium = |frequency: u64| frequencies.contains(&(frequency as f64));
        self.lexicon = collection.words_of(is_medium).collect();
    }

    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        // Words of the lexicon are terms.
        count_words(words, &mut scratch.counts, |_| true);
        let Scratch { counts, ranked, lexicon_text, .. } = scratch;
        let items = &counts.items;
        let in_lexicon = (0..).zip(items).filter(|(_, item)| self.lexicon.contains(&item.hash));
        ranked.clear();
        let rank = |item: &WordCount| first_bytes(words.word(item.first).as_bytes());
        ranked.extend(in_lexicon.map(|(number, item)| (rank(item), number)));
        let word = |number: usize| words.word(items[number].first);
        ranked.sort_unstable_by(|(one, first), (other, second)| {
            one.cmp(other).then_with(|| word(*first).cmp(word(*second)))
        });
        lexicon_text.fill(ranked.iter().map(|(_, number)| (items[*number].hash, word(*number))));
        let start = print.len();
        let (all, count) = lexicon_text.select(|_| true);
        print.push(self.fingerprint(all, count));
        for first in (0..self.lexicons as u64).step_by(8) {
            lexicon_text.randomize(|word| self.random_bytes(word, first / 8));
            for number in 0..8.min(self.lexicons as u64 - first) {
                let (kept, count) = lexicon_text.select(|random| self.keeps(random, number));
                print.push(self.fingerprint(kept, count));
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
