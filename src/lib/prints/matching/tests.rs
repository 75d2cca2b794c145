//! The matcher against the comparison of all pairs.

use super::*;
use crate::prints::{SequenceRules, SetMeasure};
use proptest::prelude::*;

/// Whether two different prints agree, by the definition.
fn agrees(agreement: Agreement, one: &[u64], other: &[u64]) -> bool {
    let equal = || one.iter().zip(other).filter(|(a, b)| a == b && **a != 0).count();
    match agreement {
        Agreement::Equal => one == other,
        Agreement::Coordinates { min } => equal() >= min,
        Agreement::Bands { rows, threshold } => {
            let bands = one.chunks_exact(rows).zip(other.chunks_exact(rows));
            bands.into_iter().any(|(a, b)| a == b)
                && agreement.similarity(one, other) >= 100.0 * threshold
        }
        Agreement::Sets { measure, threshold, smallest } => {
            let has_common = one.iter().any(|element| other.contains(element));
            has_common && measure.similarity(one, other, smallest) >= threshold
        }
        Agreement::Distance { max } => (one[0] ^ other[0]).count_ones() <= max,
        Agreement::Sentences(rules) => sentences_agree(rules, one, other),
    }
}

fn sentences_agree(rules: SequenceRules, one: &[u64], other: &[u64]) -> bool {
    let ratio = |at: usize| one[at].max(other[at]) as f64 / one[at].min(other[at]) as f64;
    let common = |range: Range<usize>| {
        one[range.clone()]
            .iter()
            .filter(|sign| **sign != 0 && other[range.clone()].contains(sign))
            .count()
    };
    let words = |print: &[u64]| print[5..].iter().filter(|sign| **sign != 0).count();
    let longest = if rules.all_sentences { one[2..5] == other[2..5] } else { one[2] == other[2] };
    // Two records that share no sentence never meet.
    common(2..5) > 0
        && ratio(0) <= rules.length_ratio
        && ratio(1) <= rules.sentence_ratio
        && common(5..10) >= rules.common_words.min(words(one)).min(words(other))
        && (longest || one[1].min(other[1]) > 5 && common(2..5) >= 2)
}

fn check(prints: &[Vec<u64>], agreement: Agreement, first_new: usize) {
    let mut table = PrintTable::default();
    prints.iter().for_each(|print| table.push(print));
    let session = Session::silent();
    let found = pairs(&table, agreement, first_new, MatchLimits::default(), &session);
    let found: Vec<(u32, u32, f64)> =
        found.pairs.iter().map(|pair| (pair.low, pair.high, pair.similarity)).collect();
    let mut expected = Vec::new();
    for (high, other) in prints.iter().enumerate().skip(first_new) {
        for (low, one) in prints[..high].iter().enumerate() {
            let is_pair = !one.is_empty()
                && (one == other || !other.is_empty() && agrees(agreement, one, other));
            if is_pair {
                expected.push((low as u32, high as u32, agreement.similarity(one, other)));
            }
        }
    }
    expected.sort_by_key(|(low, high, _)| (*low, *high));
    assert_eq!(found, expected, "{agreement} {prints:?}");
}

fn set() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::btree_set(0u64..12, 0..9).prop_map(|set| set.into_iter().collect())
}

/// Replaces repeated numbers by 0.
fn distinct(mut signs: Vec<u64>) -> Vec<u64> {
    for at in 1..signs.len() {
        if signs[..at].contains(&signs[at]) {
            signs[at] = 0;
        }
    }
    signs
}

fn record() -> impl Strategy<Value = Vec<u64>> {
    let signs = |count: usize| prop::collection::vec(0u64..4, count);
    (10u64..14, 1u64..8, signs(3), signs(5)).prop_map(|(length, count, sentences, words)| {
        // Each sentence and word stands once, the longest sentence always.
        let [mut sentences, words] = [sentences, words].map(distinct);
        sentences[0] = sentences[0].max(1);
        let sentences = distinct(sentences);
        [vec![length, count], sentences, words].concat()
    })
}

proptest! {
    #[test]
    fn coordinates_are_those_of_all_pairs(
        prints in prop::collection::vec(prop_oneof![Just(Vec::new()), prop::collection::vec(0u64..3, 4)], 0..12),
        min in 1usize..4,
        first_new in 0usize..4,
    ) {
        // A print whose fingerprints are all missing is none.
        let prints: Vec<Vec<u64>> = prints.into_iter().filter(|p| p.is_empty() || p.iter().filter(|v| **v != 0).count() >= min).collect();
        check(&prints, Agreement::Coordinates { min }, first_new.min(prints.len()));
    }

    #[test]
    fn bands_are_those_of_all_pairs(
        prints in prop::collection::vec(prop::collection::vec(0u64..3, 6), 0..12),
        rows in 1usize..4,
        threshold in prop_oneof![Just(0.0), Just(0.5), Just(1.0)],
    ) {
        check(&prints, Agreement::Bands { rows, threshold }, 0);
    }

    #[test]
    fn sets_are_those_of_all_pairs(
        prints in prop::collection::vec(set(), 0..12),
        measure in prop_oneof![Just(SetMeasure::Resemblance), Just(SetMeasure::Containment), Just(SetMeasure::Share)],
        threshold in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64, (1usize..8, 1usize..8).prop_map(|(a, b)| a.min(b) as f64 / a.max(b) as f64)],
        smallest in prop::option::of(1usize..9),
        first_new in 0usize..4,
    ) {
        let is_sample = measure == SetMeasure::Resemblance;
        let smallest = smallest.filter(|_| is_sample);
        let prints: Vec<Vec<u64>> = prints.into_iter().map(|mut print| {
            print.truncate(smallest.unwrap_or(usize::MAX));
            print
        }).collect();
        check(&prints, Agreement::Sets { measure, threshold, smallest }, first_new.min(prints.len()));
    }

    #[test]
    fn distances_are_those_of_all_pairs(
        prints in prop::collection::vec(prop_oneof![0u64..64, any::<u64>()].prop_map(|print| vec![print]), 0..12),
        max in 0u32..4,
    ) {
        check(&prints, Agreement::Distance { max }, 0);
    }

    #[test]
    fn sequences_are_those_of_all_pairs(
        prints in prop::collection::vec(record(), 0..12),
        common_words in 0usize..3,
        all_sentences in any::<bool>(),
    ) {
        let rules = SequenceRules { length_ratio: 1.15, sentence_ratio: 1.2, common_words, all_sentences };
        check(&prints, Agreement::Sentences(rules), 0);
    }
}

#[test]
fn large_groups_are_listed_in_short() {
    let mut table = PrintTable::default();
    (0..10u64).for_each(|number| table.push(&[7, 100 + number]));
    let limits = MatchLimits { max_group: 4 };
    let session = Session::silent();
    let found = pairs(&table, Agreement::Coordinates { min: 1 }, 0, limits, &session);
    assert_eq!((found.pairs.count(), found.large_groups), (9, 1));
    assert!(found.pairs.iter().all(|pair| pair.low == 0));
}

#[test]
fn equal_prints_are_one_item() {
    let mut table = PrintTable::default();
    (0..100_000).for_each(|_| table.push(&[1, 2, 3]));
    let agreement =
        Agreement::Sets { measure: SetMeasure::Resemblance, threshold: 0.5, smallest: None };
    let found = pairs(&table, agreement, 0, MatchLimits::default(), &Session::silent());
    assert_eq!(found.pairs.count(), 100_000 * 99_999 / 2);
    assert!(found.pairs.between().is_empty());
}
