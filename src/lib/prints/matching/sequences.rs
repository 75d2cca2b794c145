//! Records of `sent_words` that agree.
//!
//! A record stands in the sequence of each of its longest sentences. A sequence is ordered by length and cut where the lengths of neighbours differ
//! too much; sequences inside others are dropped. Each record is compared with those after it in its sequences, up to the maximum ratio of lengths.

use rayon::prelude::*;

use super::{Distinct, Found, MatchLimits, WorkShare};
use crate::prints::SequenceRules;
use crate::prints::agreement::common;

/// Sentences of a record whose sequences it stands in.
const SENTENCES: usize = 3;
/// Number of sentences above which two of the longest may decide.
const SHORT: u64 = 5;

/// The fields of a print.
#[derive(Clone, Copy)]
struct SentenceRecord<'a> {
    length: u64,
    count: u64,
    sentences: &'a [u64],
    words: &'a [u64],
}

impl<'a> SentenceRecord<'a> {
    fn new(print: &'a [u64]) -> Self {
        let [length, count] = *print.first_chunk().unwrap_or(&[0; 2]);
        let (sentences, words) =
            print[print.len().min(2)..].split_at_checked(SENTENCES).unwrap_or_default();
        SentenceRecord { length, count, sentences, words }
    }

    /// Returns the first and the second number of each, the smaller first, as a ratio.
    fn is_within(one: u64, other: u64, ratio: f64) -> bool {
        one.max(other) as f64 <= ratio * one.min(other) as f64
    }

    /// Returns whether two records agree, apart from their lengths.
    fn agrees(&self, other: &Self, rules: SequenceRules) -> bool {
        let words = |record: &Self| record.words.iter().filter(|sign| **sign != 0).count();
        // A document of fewer words cannot share as many.
        let needed = rules.common_words.min(words(self)).min(words(other));
        let sentences = || common(self.sentences, other.sentences);
        let are_longest_equal = || match rules.all_sentences {
            true => self.sentences == other.sentences,
            false => self.sentences[0] == other.sentences[0],
        };
        Self::is_within(self.count, other.count, rules.sentence_ratio)
            && common(self.words, other.words) >= needed
            && (are_longest_equal() || self.count.min(other.count) > SHORT && sentences() >= 2)
    }
}

/// Returns the pairs of records that agree, in the sequences of a share.
pub(super) fn agreeing(
    distinct: &Distinct<'_>,
    rules: SequenceRules,
    limits: MatchLimits,
    share: WorkShare,
) -> Found {
    let records: Vec<SentenceRecord<'_>> =
        distinct.items().map(|item| SentenceRecord::new(distinct.get(item))).collect();
    let (sequences, repeated) = maximal(sequences(&records, rules), records.len());
    let most = |length: usize| (length * length.min(limits.max_group)) as u64;
    let own = &sequences[share.of_weights(sequences.len(), |at| most(sequences[at].len()))];
    let found: Vec<(Vec<(u32, u32)>, bool)> =
        own.par_iter().map(|sequence| compare(&records, sequence, rules, limits)).collect();
    let large_groups = found.iter().filter(|(_, is_large)| *is_large).count() as u64;
    let pairs = found.into_iter().flat_map(|(pairs, _)| pairs).collect();
    let notice = format!(
        "{} sequences of at least 2 records; {:.1} % of their records stand in several",
        sequences.len(),
        100.0 * repeated
    );
    Found { pairs, large_groups, notice: Some(notice) }
}

/// Returns the sequences of at least two items, each ordered by length, then number.
fn sequences(records: &[SentenceRecord<'_>], rules: SequenceRules) -> Vec<Vec<u32>> {
    let keys = |item: u32| {
        let record = &records[item as usize];
        let signs = record.sentences.iter().filter(|sign| **sign != 0);
        signs.map(move |sign| (*sign, record.length, item)).collect::<Vec<_>>()
    };
    let mut keyed: Vec<(u64, u64, u32)> =
        (0..records.len() as u32).into_par_iter().flat_map_iter(keys).collect();
    keyed.par_sort_unstable();
    let follows = |one: &(u64, u64, u32), next: &(u64, u64, u32)| {
        one.0 == next.0 && SentenceRecord::is_within(one.1, next.1, rules.length_ratio)
    };
    let long = keyed.chunk_by(follows).filter(|sequence| sequence.len() > 1);
    long.map(|sequence| sequence.iter().map(|(.., item)| *item).collect()).collect()
}

/// Drops equal sequences and those inside others. Returns also the share of the remaining items that stand in several sequences.
fn maximal(mut sequences: Vec<Vec<u32>>, items: usize) -> (Vec<Vec<u32>>, f64) {
    for sequence in &mut sequences {
        sequence.sort_unstable();
    }
    sequences.sort_unstable_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
    sequences.dedup();
    let mut of_item: Vec<Vec<u32>> = vec![Vec::new(); items];
    let mut kept: Vec<Vec<u32>> = Vec::new();
    for sequence in sequences {
        let contains = |number: &u32| {
            let larger = &kept[*number as usize];
            sequence.iter().all(|item| larger.binary_search(item).is_ok())
        };
        if of_item[sequence[0] as usize].iter().any(contains) {
            continue;
        }
        sequence.iter().for_each(|item| of_item[*item as usize].push(kept.len() as u32));
        kept.push(sequence);
    }
    let count = |min: usize| of_item.iter().filter(|sequences| sequences.len() >= min).count();
    (kept, count(2) as f64 / count(1).max(1) as f64)
}

/// Compares each record of a sequence with those after it. Returns also whether some were left out.
fn compare(
    records: &[SentenceRecord<'_>],
    sequence: &[u32],
    rules: SequenceRules,
    limits: MatchLimits,
) -> (Vec<(u32, u32)>, bool) {
    let record = |item: u32| &records[item as usize];
    let mut ordered = sequence.to_vec();
    ordered.sort_unstable_by_key(|item| (record(*item).length, *item));
    let (mut pairs, mut is_large) = (Vec::new(), false);
    for (at, one) in ordered.iter().enumerate() {
        let is_near = |other: &&u32| {
            SentenceRecord::is_within(
                record(*one).length,
                record(**other).length,
                rules.length_ratio,
            )
        };
        let near = ordered[at + 1..].iter().take_while(is_near);
        is_large |= near.clone().nth(limits.max_group).is_some();
        for other in near.take(limits.max_group) {
            if record(*one).agrees(record(*other), rules) {
                pairs.push((*one.min(other), *one.max(other)));
            }
        }
    }
    (pairs, is_large)
}
