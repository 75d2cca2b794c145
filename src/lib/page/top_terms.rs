//! Top contributing terms: the terms with the largest share of the cosine of two documents, by the terms and weights of `find_near_dups`
//! ([`word_weight`]).

use rustc_hash::FxHashMap;

use super::SharedTerm;
use crate::text::{AnalyzerOptions, TermCounter};
use crate::vector::{letters, word_weight};

/// Number of terms shown per pair.
const TOP_TERMS: usize = 10;
/// Unit of shares.
const SHARES_PER_ONE: f64 = 10_000.0;

/// Terms of all texts, numbered in order of occurrence.
pub(super) struct TermNumbers {
    counter: TermCounter,
    numbers: FxHashMap<String, u32>,
    texts: Vec<String>,
}

/// Terms of a text with their counts, by term number.
pub(super) type NumberedBag = Vec<(u32, u64)>;

impl TermNumbers {
    /// Creates an empty table for terms by these rules.
    pub fn new(rules: AnalyzerOptions) -> Self {
        TermNumbers {
            counter: TermCounter::new(rules),
            numbers: FxHashMap::default(),
            texts: Vec::new(),
        }
    }

    /// Returns the bag of a text.
    pub fn bag(&mut self, text: &str) -> NumberedBag {
        let TermNumbers { counter, numbers, texts } = self;
        let terms = counter.bag(text);
        let mut bag: NumberedBag =
            terms.map(|term| (number_of(numbers, texts, term.text), term.count)).collect();
        bag.sort_unstable();
        bag
    }

    /// Returns the terms with the largest share of the cosine of two texts; ties by text.
    pub fn top(&self, left: &[(u32, u64)], right: &[(u32, u64)]) -> Vec<SharedTerm> {
        let mut shared = self.shared(left, right);
        let total: f64 = shared.iter().map(|(_, product, _)| product).sum();
        let text = |term: u32| &self.texts[term as usize];
        shared.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| text(a.0).cmp(text(b.0))));
        shared.truncate(TOP_TERMS);
        let share = |product: f64| (product / total * SHARES_PER_ONE).round() as u32;
        let scaled = |(term, product, counts)| SharedTerm { term, share: share(product), counts };
        shared.into_iter().map(scaled).collect()
    }

    /// Returns the terms of both bags with the product of their weights and their counts.
    fn shared(&self, left: &[(u32, u64)], right: &[(u32, u64)]) -> Vec<(u32, f64, (u64, u64))> {
        let mut others = right.iter().peekable();
        let mut found = Vec::new();
        for (term, count) in left {
            while others.next_if(|(other, _)| other < term).is_some() {}
            if let Some((_, other)) = others.next_if(|(other, _)| other == term) {
                let letters = letters(self.text(*term));
                let weight = |count: u64| f64::from(word_weight(count, letters));
                found.push((*term, weight(*count) * weight(*other), (*count, *other)));
            }
        }
        found
    }

    /// Returns the text of a term.
    pub fn text(&self, term: u32) -> &str {
        &self.texts[term as usize]
    }
}

fn number_of(numbers: &mut FxHashMap<String, u32>, texts: &mut Vec<String>, term: &str) -> u32 {
    if let Some(number) = numbers.get(term) {
        return *number;
    }
    let number = texts.len() as u32;
    numbers.insert(term.to_string(), number);
    texts.push(term.to_string());
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weight(term: &str, count: u64) -> f64 {
        word_weight(count, letters(term)).into()
    }

    fn top(left: &str, right: &str) -> Vec<(String, u32, (u64, u64))> {
        let mut terms = TermNumbers::new(AnalyzerOptions::letters(1));
        let (left, right) = (terms.bag(left), terms.bag(right));
        let found = terms.top(&left, &right);
        found
            .into_iter()
            .map(|found| (terms.text(found.term).to_string(), found.share, found.counts))
            .collect()
    }

    #[test]
    fn shares_are_parts_of_the_dot_product() {
        let found = top("The the THE, 1984! b a only", "the; a b 1984 else");
        // Weights 3/8·(1 + ln 3) = 0.7871 and 3/8, 1/2, 1/8: products 0.2952, 0.25 and twice 0.0156, in total 0.5764.
        let expected =
            [("the", 5121, (3, 1)), ("1984", 4337, (1, 1)), ("a", 271, (1, 1)), ("b", 271, (1, 1))];
        assert_eq!(found, expected.map(|(term, share, counts)| (term.to_string(), share, counts)));
        assert!(top("a", "b").is_empty() && top("", "").is_empty());
    }

    proptest! {
        #[test]
        fn top_terms_equal_the_naive_ones(left in "([a-f]{1,2} ){0,60}", right in "([a-f]{1,2} ){0,60}") {
            let counts = |text: &str| {
                let mut counts = std::collections::BTreeMap::new();
                text.split_whitespace().for_each(|word| *counts.entry(word.to_string()).or_insert(0u64) += 1);
                counts
            };
            let (left_counts, right_counts) = (counts(&left), counts(&right));
            let mut slow: Vec<(String, f64, (u64, u64))> = left_counts.iter()
                .filter_map(|(term, l)| right_counts.get(term).map(|r| (term.clone(), weight(term, *l) * weight(term, *r), (*l, *r))))
                .collect();
            let total: f64 = slow.iter().map(|(_, product, _)| product).sum();
            slow.sort_by(|a, b| b.1.total_cmp(&a.1)); // stable: ties stay in the order of the terms
            slow.truncate(10);
            let slow: Vec<_> = slow.into_iter().map(|(term, product, counts)| (term, (product / total * 10_000.0).round() as u32, counts)).collect();
            prop_assert_eq!(top(&left, &right), slow);
        }
    }
}
