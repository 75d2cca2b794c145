//! N-grams of stems: what an obfuscated copy still has in common with its source.
//!
//! Stop words are dropped, the other words of a text are stemmed, and three consecutive stems, in any order, are an n-gram. They run across
//! paragraphs, which copies often split or join. Winnowing does not apply: few of them survive obfuscation, so all are stored.

use twox_hash::{XxHash3_64, XxHash64};

use super::grams::{PlacedNgram, SEED};
use super::normalizer::NormalText;
use crate::passages::{PassageStem, PassageStemmer};
use crate::pool::ObjectPool;
use crate::text::{AnalyzerOptions, FilterLists, FilterOptions, Key, StopLanguage, WordFilters};
use crate::vector::term_table::TermTable;

/// Stems per n-gram.
const SIZE: usize = 3;
/// Words whose stems a thread remembers: a table of 32 MB.
const MAX_KNOWN: usize = 1 << 19;
/// Words between a prefetch and its use.
const PREFETCH_DISTANCE: usize = 64;

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
    known: TermTable<WordStem>,
    /// Keys of the next words.
    keys: Vec<Key>,
    /// Stems of a text that are not stop words, each with the number of its word.
    content: Vec<(usize, u64)>,
}

/// The stem of a word.
#[derive(Debug, Clone, Copy, Default)]
enum WordStem {
    /// Not computed yet.
    #[default]
    Unknown,
    /// A stop word or single letter has none.
    StopWord,
    /// The hash of the stem, in halves: an entry of the table is half a cache line.
    Hash([u32; 2]),
}

impl WordStem {
    fn new(hash: Option<u64>) -> Self {
        hash.map_or(WordStem::StopWord, |hash| WordStem::Hash([hash as u32, (hash >> 32) as u32]))
    }
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
            known: TermTable::default(),
            keys: Vec::new(),
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
            self.known = TermTable::default();
        }
        self.content.clear();
        for first in (0..normal.len()).step_by(PREFETCH_DISTANCE) {
            let end = normal.len().min(first + PREFETCH_DISTANCE);
            self.keys.clear();
            self.keys.extend((first..end).map(|number| normal.key(number)));
            self.keys.iter().for_each(|key| self.known.prefetch(key));
            for number in first..end {
                let key = self.keys[number - first];
                let stem = self.stem(&key, normal.word(number), stop_words);
                if let WordStem::Hash([low, high]) = stem {
                    self.content.push((number, u64::from(high) << 32 | u64::from(low)));
                }
            }
        }
    }

    /// Returns the stem of a word, which is remembered.
    fn stem(&mut self, key: &Key, word: &str, stop_words: &WordFilters) -> WordStem {
        let slot = self.known.find_or_insert(key, || word);
        if let WordStem::Unknown = self.known.value(slot) {
            *self.known.value_mut(slot) = WordStem::new(self.stem_hash(word, stop_words));
        }
        *self.known.value(slot)
    }

    /// Returns the hash of a word's stem, or `None` for a stop word or single letter.
    fn stem_hash(&self, word: &str, stop_words: &WordFilters) -> Option<u64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_words_are_half_a_cache_line() {
        assert_eq!(size_of::<WordStem>(), 12);
    }
}
