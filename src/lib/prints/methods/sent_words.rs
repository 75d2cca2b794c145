//! `sent_words`: the longest sentences and the longest words of a document, compared as sets.

use std::cmp::Reverse;

use super::MethodEntry;
use super::long_sent::longest_sentences;
use crate::prints::counting::{Scratch, count_words, hash, keep_first};
use crate::prints::{Agreement, PrintMethod, PrintOptions, SequenceRules};
use crate::text::TextWords;

/// Sentences and words of a record.
const SENTENCES: usize = 3;
const WORDS: usize = 5;

pub(super) const SENT_WORDS: MethodEntry = MethodEntry {
    name: "sent_words",
    about: "hashes of the 3 longest sentences and the 5 longest words, with the lengths of the text",
    flags: &["length_similarity", "sentence_ratio", "common_words", "all_sentences"],
    min_word_len: 1,
    create: |options| Ok(Box::new(SentenceRecord::new(options)?)),
};

struct SentenceRecord {
    rules: SequenceRules,
}

impl SentenceRecord {
    fn new(options: &PrintOptions) -> Result<Self, String> {
        let sentence_ratio = options.sentence_ratio.unwrap_or(1.2);
        if sentence_ratio < 1.0 {
            return Err(format!("--sentence_ratio: expected at least 1, found {sentence_ratio}"));
        }
        let rules = SequenceRules {
            length_ratio: 2.0 - options.length_similarity.unwrap_or(0.85),
            sentence_ratio,
            common_words: options.common_words.unwrap_or(2).min(WORDS),
            all_sentences: options.all_sentences,
        };
        Ok(SentenceRecord { rules })
    }
}

impl PrintMethod for SentenceRecord {
    fn has_sentences(&self) -> bool {
        true
    }

    /// Appends the number of words, the number of sentences, and the hashes of sentences and words, the longest first; 0 stands for a missing one.
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        let sentences = longest_sentences(words, usize::MAX);
        print.extend([words.len() as u64, sentences.len() as u64]);
        let mut distinct: Vec<&str> = sentences;
        distinct.dedup();
        let sign = |text: Option<&&str>| text.map_or(0, |text| hash(text).max(1));
        print.extend((0..SENTENCES).map(|at| sign(distinct.get(at))));
        count_words(words, &mut scratch.counts, |_| true);
        let word = |first: usize| (Reverse(words.word(first).chars().count()), words.word(first));
        let mut longest: Vec<(Reverse<usize>, &str)> =
            scratch.counts.items.iter().map(|item| word(item.first)).collect();
        keep_first(&mut longest, WORDS, Ord::cmp);
        let longest: Vec<&str> = longest.into_iter().map(|(_, word)| word).collect();
        print.extend((0..WORDS).map(|at| sign(longest.get(at))));
    }

    fn agreement(&self) -> Agreement {
        Agreement::Sentences(self.rules)
    }
}
