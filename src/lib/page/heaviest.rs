//! Which terms weigh most in the cosine of two documents, by the weights of `find_near_dups`: words are runs of letters and digits in lower case, numbers count, and a term weighs
//! what [`word_weight`] says.

use rustc_hash::FxHashMap;

use super::SharedTerm;
use crate::text::{AnalyzerOptions, TermCounter};
use crate::vector::{letters, word_weight};

/// So many terms are shown for a pair.
const MOST_TERMS: usize = 10;
/// Shares are told in these.
const SHARE_PARTS: f64 = 10_000.0;

/// Makes bags of texts, with terms numbered as they come.
pub(super) struct Terms {
    bagger: TermCounter,
    numbers: FxHashMap<String, u32>,
    texts: Vec<String>,
}

/// A text's terms with their counts, by the terms' numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Bag(Vec<(u32, u64)>);

impl Bag {
    /// How many terms the text has, all occurrences counted.
    pub fn len(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }
}

impl Terms {
    /// No terms yet. So many words in a row are one.
    pub fn new(shingle_size: usize) -> Self {
        let rules = AnalyzerOptions::letters(shingle_size);
        Terms { bagger: TermCounter::new(rules), numbers: FxHashMap::default(), texts: Vec::new() }
    }

    /// A text's bag.
    pub fn bag(&mut self, text: &str) -> Bag {
        let Terms { bagger, numbers, texts } = self;
        let mut bag: Vec<(u32, u64)> = bagger
            .bag(text)
            .terms()
            .map(|term| (number_of(numbers, texts, term.text), term.count))
            .collect();
        bag.sort_unstable();
        Bag(bag)
    }

    /// The terms that weigh most in the cosine of two texts; ties by their texts.
    pub fn heaviest(&self, left: &Bag, right: &Bag) -> Vec<SharedTerm> {
        let mut shared = self.shared(left, right);
        let total: f64 = shared.iter().map(|(_, product, _)| product).sum();
        let text = |term: u32| &self.texts[term as usize];
        shared.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| text(a.0).cmp(text(b.0))));
        shared.truncate(MOST_TERMS);
        let share = |product: f64| (product / total * SHARE_PARTS).round() as u32;
        let told = |(term, product, counts)| SharedTerm { term, share: share(product), counts };
        shared.into_iter().map(told).collect()
    }

    /// Terms of both bags, each with the product of its weights and its counts.
    fn shared(&self, left: &Bag, right: &Bag) -> Vec<(u32, f64, (u64, u64))> {
        let mut others = right.0.iter().peekable();
        let mut found = Vec::new();
        for (term, count) in &left.0 {
            while others.next_if(|(other, _)| other < term).is_some() {}
            if let Some((_, other)) = others.next_if(|(other, _)| other == term) {
                let letters = letters(self.text(*term));
                let weight = |count: u64| f64::from(word_weight(count, letters));
                found.push((*term, weight(*count) * weight(*other), (*count, *other)));
            }
        }
        found
    }

    /// A term.
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

    fn told(left: &str, right: &str) -> Vec<(String, u32, (u64, u64))> {
        let mut terms = Terms::new(1);
        let (left, right) = (terms.bag(left), terms.bag(right));
        let found = terms.heaviest(&left, &right);
        found
            .into_iter()
            .map(|found| (terms.text(found.term).to_string(), found.share, found.counts))
            .collect()
    }

    #[test]
    fn frequent_terms_weigh_more_and_shares_are_those_of_the_sum() {
        let found = told("The the THE, 1984! b a only", "the; a b 1984 else");
        // Weights of 3/8·(1 + ln 3) = 0.7871 and 3/8, of a half, and of an eighth: products of 0.2952, 0.25, 0.0156 twice in 0.5764.
        let expected =
            [("the", 5121, (3, 1)), ("1984", 4337, (1, 1)), ("a", 271, (1, 1)), ("b", 271, (1, 1))];
        assert_eq!(found, expected.map(|(term, share, counts)| (term.to_string(), share, counts)));
        assert!(told("a", "b").is_empty() && told("", "").is_empty());
    }

    #[test]
    fn words_are_counted() {
        assert_eq!(Terms::new(1).bag("a b, a 7").len(), 4);
        assert_eq!(Terms::new(2).bag("a b, a 7").len(), 3);
    }

    proptest! {
        #[test]
        fn the_heaviest_are_those_of_the_slow_way(left in "([a-f]{1,2} ){0,60}", right in "([a-f]{1,2} ){0,60}") {
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
            prop_assert_eq!(told(&left, &right), slow);
        }
    }
}
