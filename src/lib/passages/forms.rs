//! Hashes of the forms of words that are compared, remembered from text to text: texts of one language share most of their words.

use rustc_hash::FxHashMap;
use twox_hash::XxHash3_64;

use super::options::PassageStem;
use super::stems::PassageStemmer;
use crate::pool::ObjectPool;
use crate::text::WordFilters;

/// Words that a table remembers.
const MAX_KNOWN: usize = 1 << 18;

/// Words of the texts that were prepared, with their forms; threads share it. The texts prepared with it need less time, and are the same.
#[derive(Default)]
pub struct KnownWords {
    /// Without filters, for its tables of characters.
    pub(super) filters: WordFilters,
    /// At most one per thread.
    tables: ObjectPool<WordForms>,
}

impl KnownWords {
    /// Runs `work` on a table for the words of a new text.
    pub(super) fn with<R>(&self, stem: PassageStem, work: impl FnOnce(&mut WordForms) -> R) -> R {
        self.tables.with(
            || WordForms::new(stem),
            |forms| {
                if forms.stem != stem || forms.known.len() > MAX_KNOWN || forms.text == u32::MAX {
                    *forms = WordForms::new(stem);
                }
                forms.text += 1;
                forms.words.clear();
                work(forms)
            },
        )
    }
}

/// Hashes of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordHashes {
    /// Of the word with look-alike letters of its main script.
    pub folded: u64,
    /// Of its stem.
    pub stem: u64,
}

/// Table of words: their hashes, and their numbers in the current text. Memory: about 100 bytes per word, at most [`MAX_KNOWN`] of earlier texts.
pub(super) struct WordForms {
    stem: PassageStem,
    stemmer: PassageStemmer,
    /// Positions in `known`.
    positions: FxHashMap<Box<str>, u32>,
    known: Vec<KnownWord>,
    /// The number of the current text, from 1.
    text: u32,
    /// The words of the current text in the order of their first occurrences.
    words: Vec<WordHashes>,
}

/// A word of this text or an earlier one.
struct KnownWord {
    hashes: WordHashes,
    /// The last text with the word, and its number there.
    text: u32,
    number: u32,
}

impl WordForms {
    fn new(stem: PassageStem) -> Self {
        WordForms {
            stem,
            stemmer: PassageStemmer::new(stem),
            positions: FxHashMap::default(),
            known: Vec::new(),
            text: 1,
            words: Vec::new(),
        }
    }

    /// Returns the number of a word among the distinct words of the text.
    #[inline]
    pub fn number(&mut self, word: &str) -> u32 {
        let position = self.position(word);
        let WordForms { known, words, text, .. } = self;
        let known = &mut known[position];
        if known.text != *text {
            (known.text, known.number) = (*text, words.len() as u32);
            words.push(known.hashes);
        }
        known.number
    }

    /// Returns the distinct words of the text, by number, and begins another text.
    pub fn take(&mut self) -> Vec<WordHashes> {
        self.text += 1;
        std::mem::take(&mut self.words)
    }

    fn position(&mut self, word: &str) -> usize {
        if let Some(position) = self.positions.get(word) {
            return *position as usize;
        }
        let position = self.known.len();
        let folded = self.stemmer.folded(word);
        let stem = self.stemmer.stem(&folded);
        let hashes = WordHashes { folded: hash(&folded), stem: hash(&stem) };
        self.known.push(KnownWord { hashes, text: 0, number: 0 });
        self.positions.insert(word.into(), position as u32);
        position
    }
}

fn hash(word: &str) -> u64 {
    XxHash3_64::oneshot(word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_have_the_numbers_and_hashes_of_their_text(
            texts in prop::collection::vec(prop::collection::vec("[a-d]{1,3}s?|[а-в]{1,3}|bаd", 0..20), 1..6), stems: bool,
        ) {
            let stem = if stems { PassageStem::Auto } else { PassageStem::Unchanged };
            let (stemmer, all) = (PassageStemmer::new(stem), KnownWords::default());
            for text in &texts {
                let (numbers, words) = all.with(stem, |forms| {
                    let numbers: Vec<u32> = text.iter().map(|word| forms.number(word)).collect();
                    (numbers, forms.take())
                });
                let mut distinct: Vec<&String> = Vec::new();
                for (word, number) in text.iter().zip(numbers) {
                    if !distinct.contains(&word) {
                        distinct.push(word);
                    }
                    prop_assert_eq!(distinct[number as usize], word);
                    let folded = stemmer.folded(word);
                    let expected = WordHashes { folded: hash(&folded), stem: hash(&stemmer.stem(&folded)) };
                    prop_assert_eq!(words[number as usize], expected);
                }
                prop_assert_eq!(words.len(), distinct.len());
            }
        }
    }
}
