//! `long_sent` and `a2`: a checksum of the longest sentences.

use std::cmp::Reverse;

use super::MethodEntry;
use crate::prints::counting::{Scratch, keep_first, push_checksum};
use crate::prints::{Agreement, PrintMethod, PrintOptions};
use crate::text::TextWords;

pub(super) const LONG_SENT: MethodEntry = MethodEntry {
    name: "long_sent",
    about: "CRC-32 of the 2 longest sentences",
    flags: &["sentences_per_print"],
    min_word_len: 1,
    create: |options| Ok(Box::new(LongestSentences::new(options))),
};

/// The baseline of sent_words: its m is not published; 2 follows from its recall and precision.
pub(super) const A2: MethodEntry =
    MethodEntry { name: "a2", about: "checksum of the 2 longest sentences", ..LONG_SENT };

struct LongestSentences {
    sentences: usize,
}

impl LongestSentences {
    fn new(options: &PrintOptions) -> Self {
        LongestSentences { sentences: options.sentences_per_print.unwrap_or(2) }
    }
}

/// Returns the longest sentences by words, the longest first, ties in alphabetical order.
pub(super) fn longest_sentences(words: TextWords<'_>, limit: usize) -> Vec<&str> {
    let mut sentences: Vec<(usize, &str)> =
        words.sentences().map(|range| (range.len(), words.shingle(range))).collect();
    keep_first(&mut sentences, limit, |one, other| {
        (Reverse(one.0), one.1).cmp(&(Reverse(other.0), other.1))
    });
    sentences.into_iter().map(|(_, sentence)| sentence).collect()
}

impl PrintMethod for LongestSentences {
    fn has_sentences(&self) -> bool {
        true
    }

    fn append(&self, words: TextWords<'_>, _: &mut Scratch, print: &mut Vec<u64>) {
        push_checksum(longest_sentences(words, self.sentences).into_iter(), print);
    }

    fn agreement(&self) -> Agreement {
        Agreement::Equal
    }
}
