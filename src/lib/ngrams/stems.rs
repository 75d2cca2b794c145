//! N-grams of stems: what an obfuscated copy still has in common with its source.
//!
//! Stop words are dropped, the other words of a text are stemmed, and three consecutive stems, in any order, are an n-gram. They run across
//! paragraphs, which copies often split or join. Winnowing does not apply: few of them survive obfuscation, so all are stored.

use rustc_hash::FxHashMap;
use twox_hash::{XxHash3_64, XxHash64};

use super::grams::{PlacedNgram, SEED};
use super::normalizer::NormalText;
use crate::passages::{PassageStem, PassageStemmer};
use crate::pool::ObjectPool;
use crate::text::{AnalyzerOptions, FilterLists, FilterOptions, StopLanguage, WordFilters};

/// Stems per n-gram.
const SIZE: usize = 3;
/// Words whose stems a thread remembers.
const MAX_KNOWN: usize = 1 << 18;

/// English stop words: words of grammar only. The longer list of `--stop_words en` has many words that tell sources apart; with it, 3 % more sources of PAN's 2013
/// corpus are missed.
const ENGLISH: &str = "a about above after again against all also am an and any are as at be because been before being below between both but by can cannot \
    could did do does doing down during each few for from further had has have having he her here hers herself him himself his how i if in into is it its itself \
    may me might more most must my myself no nor not of off on once only or other ought our ours ourselves out over own same shall she should so some such than \
    that the their theirs them themselves then there these they this those through to too under until up very was we were what when where which while who whom \
    why will with would you your yours yourself yourselves";

/// Makes n-grams of stems. Threads share it.
pub struct StemHasher {
    stop_words: WordFilters,
    tables: ObjectPool<StemTable>,
}

/// Stems of words, remembered by one thread.
struct StemTable {
    stemmer: PassageStemmer,
    /// The hash of the stem; none for a stop word.
    known: FxHashMap<Box<str>, Option<u64>>,
    /// Stems of a text that are not stop words, each with the number of its word.
    content: Vec<(usize, u64)>,
}

impl Default for StemHasher {
    fn default() -> Self {
        let others = StopLanguage::ALL.into_iter().filter(|language| *language != StopLanguage::En);
        let stop_words = Some(others.collect());
        let options = FilterOptions { stop_words, ..FilterOptions::default() };
        let english = ENGLISH.split_whitespace().map(String::from).collect();
        let lists = FilterLists { stop_words: english, ..FilterLists::default() };
        StemHasher {
            stop_words: WordFilters::new(&options, AnalyzerOptions::letters(1), &lists),
            tables: ObjectPool::default(),
        }
    }
}

impl StemHasher {
    /// Returns the n-grams of a text, in order, each with the number of its first and its last word.
    pub fn ngrams(&self, normal: &NormalText) -> Vec<(PlacedNgram, usize)> {
        let create = || StemTable {
            stemmer: PassageStemmer::new(PassageStem::Auto),
            known: FxHashMap::default(),
            content: Vec::new(),
        };
        self.tables.with(create, |table| {
            table.fill(normal, &self.stop_words);
            let windows = table.content.windows(SIZE);
            let ngram = |stems: &[(usize, u64)]| {
                let (word, last) = (stems[0].0, stems[SIZE - 1].0);
                (PlacedNgram { word, hash: hash(stems) }, last)
            };
            windows.map(ngram).collect()
        })
    }

    /// Returns the hashes of a text, each once, increasing.
    pub fn hashes(&self, normal: &NormalText) -> Vec<u64> {
        let ngrams = self.ngrams(normal).into_iter();
        let mut hashes: Vec<u64> = ngrams.map(|(ngram, _)| ngram.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }
}

impl StemTable {
    fn fill(&mut self, normal: &NormalText, stop_words: &WordFilters) {
        if self.known.len() > MAX_KNOWN {
            self.known.clear();
        }
        self.content.clear();
        for number in 0..normal.len() {
            let word = normal.word(number);
            let stem = match self.known.get(word) {
                Some(stem) => *stem,
                None => {
                    let stem = self.stem(word, stop_words);
                    self.known.insert(word.into(), stem);
                    stem
                }
            };
            self.content.extend(stem.map(|stem| (number, stem)));
        }
    }

    /// Returns the hash of a word's stem, or `None` for a stop word or single letter.
    fn stem(&self, word: &str, stop_words: &WordFilters) -> Option<u64> {
        if word.len() == 1 || stop_words.is_stop_word(word) {
            return None;
        }
        let folded = self.stemmer.folded(word);
        Some(XxHash3_64::oneshot(self.stemmer.stem(&folded).as_bytes()))
    }
}

/// Returns the hash of some stems in any order: XXH64, seed 0, of their sorted hashes.
fn hash(stems: &[(usize, u64)]) -> u64 {
    let mut sorted = [0; SIZE];
    sorted.iter_mut().zip(stems).for_each(|(own, (_, stem))| *own = *stem);
    sorted.sort_unstable();
    let mut bytes = [0; 8 * SIZE];
    for (own, stem) in bytes.chunks_exact_mut(8).zip(sorted) {
        own.copy_from_slice(&stem.to_le_bytes());
    }
    XxHash64::oneshot(SEED, &bytes)
}
