//! `tf` and `a1`: a checksum of the most frequent words.

use std::cmp::Reverse;

use super::MethodEntry;
use crate::prints::counting::{Scratch, count_words, is_term, keep_first, push_checksum};
use crate::prints::{Agreement, PrintMethod};
use crate::text::TextWords;

pub(super) const TF: MethodEntry = MethodEntry {
    name: "tf",
    about: "CRC-32 of the 6 most frequent words",
    flags: &["words_per_print"],
    min_word_len: 4,
    create: |options| {
        let words = options.words_per_print.unwrap_or(6);
        Ok(Box::new(FrequentWords { words, is_counted: is_term }))
    },
};

/// The baseline of sent_words: all words count; its n is not published, 6 follows from its recall and precision.
pub(super) const A1: MethodEntry = MethodEntry {
    name: "a1",
    about: "checksum of the 6 most frequent words of any length",
    flags: &["words_per_print"],
    min_word_len: 1,
    create: |options| {
        let words = options.words_per_print.unwrap_or(6);
        Ok(Box::new(FrequentWords { words, is_counted: |_| true }))
    },
};

struct FrequentWords {
    words: usize,
    is_counted: fn(&str) -> bool,
}

impl PrintMethod for FrequentWords {
    /// Ties at the last rank go to the first words in alphabetical order.
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        count_words(words, &mut scratch.counts, self.is_counted);
        let counts = &mut scratch.counts.items.clone();
        keep_first(counts, self.words, |one, other| {
            let texts = || words.word(one.first).cmp(words.word(other.first));
            Reverse(one.count).cmp(&Reverse(other.count)).then_with(texts)
        });
        let mut texts: Vec<&str> = counts.iter().map(|word| words.word(word.first)).collect();
        texts.sort_unstable();
        push_checksum(texts.into_iter(), print);
    }

    fn agreement(&self) -> Agreement {
        Agreement::Equal
    }
}
