//! Vocabulary construction from bags of words, in parallel.

use rayon::prelude::*;

use super::Vocabulary;
use super::counts::{CountError, CountTable};
use crate::text::{CountedTerm, Key};

/// Counts the terms of a part of a collection.
#[derive(Debug, Default)]
pub struct VocabularyBuilder {
    documents: u32,
    counts: CountTable,
}

/// A term that is invalid in its bag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadTerm<'a> {
    /// The expectation it violates.
    pub expected: &'static str,
    /// The term.
    pub term: &'a str,
}

impl VocabularyBuilder {
    /// Prefetches the table entry of a term of the next document. Affects time only.
    #[inline]
    pub fn prefetch(&self, key: &Key) {
        self.counts.prefetch(key);
    }

    /// Adds a document, given by its distinct terms with their counts.
    pub fn add_document<'a>(&mut self, terms: &[CountedTerm<'a>]) -> Result<(), BadTerm<'a>> {
        self.documents = self.documents.checked_add(1).expect("fewer than 2^32 documents");
        terms.iter().try_for_each(|CountedTerm { text, key, count }| {
            let added = self.counts.add(key, text, *count, self.documents);
            added.map_err(|wrong| BadTerm { expected: wrong.expected(), term: text })
        })
    }

    /// Merges all parts into a vocabulary by descending document frequency, ties by bytes. Fails with the term whose collection frequency
    /// overflows 64 bits. The result does not depend on the assignment of documents to parts.
    pub fn finish(parts: Vec<Self>) -> Result<Vocabulary, Box<str>> {
        let documents = parts.iter().map(|part| u64::from(part.documents)).sum();
        let tables = parts.into_par_iter().map(|part| Ok(part.counts));
        let table = tables.try_reduce_with(CountTable::merged).transpose()?.unwrap_or_default();
        Ok(table.vocabulary(documents))
    }
}

impl CountError {
    fn expected(self) -> &'static str {
        match self {
            CountError::Repeated => "distinct terms",
            CountError::Overflow => "a collection frequency below 2^64",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::Term;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn counted(text: &str, count: u64) -> CountedTerm<'_> {
        CountedTerm { text, key: Key::of(text), count }
    }

    type Bag = BTreeMap<String, u64>;

    fn part(bags: &[Bag]) -> VocabularyBuilder {
        let mut builder = VocabularyBuilder::default();
        for bag in bags {
            let terms: Vec<_> = bag.iter().map(|(term, count)| counted(term, *count)).collect();
            builder.add_document(&terms).unwrap();
        }
        builder
    }

    fn slow(bags: &[Bag]) -> Vec<(String, u64, u64)> {
        let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for (term, count) in bags.iter().flatten() {
            let known = counts.entry(term).or_default();
            *known = (known.0 + count, known.1 + 1);
        }
        let mut terms: Vec<_> = counts.iter().map(|(t, c)| (t.to_string(), c.0, c.1)).collect();
        terms.sort_by_key(|term| std::cmp::Reverse(term.2));
        terms
    }

    proptest! {
        #[test]
        fn any_parts_give_the_vocabulary_of_the_whole(
            bags in prop::collection::vec(prop::collection::btree_map("[ab\0é]{1,10}|[a-z]{1,2}", 1u64..5, 0..30), 0..12),
            cut in 0usize..12,
        ) {
            let cut = cut.min(bags.len());
            let parts = [vec![part(&bags)], vec![part(&bags[..cut]), part(&bags[cut..]), part(&[])]];
            for parts in parts {
                let vocabulary = VocabularyBuilder::finish(parts).unwrap();
                prop_assert_eq!(vocabulary.documents, bags.len() as u64);
                let terms: Vec<_> =
                    vocabulary.terms().map(|t| (t.text.to_string(), t.occurrences, t.documents)).collect();
                prop_assert_eq!(terms, slow(&bags));
                let index = vocabulary.index().unwrap();
                let texts = (0..vocabulary.len()).rev().map(|at| vocabulary.term(at).text);
                let asked: Vec<_> = texts.chain(["-"]).map(|text| counted(text, 1)).collect();
                let mut found = Vec::new();
                index.find_all(&asked, |position, index| found.push((position, index as usize)));
                let expected: Vec<_> = (0..vocabulary.len()).map(|at| (at, vocabulary.len() - 1 - at)).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn repeated_terms_and_overflows_are_errors() {
        let mut builder = VocabularyBuilder::default();
        let twice = builder
            .add_document(&[("a", 1), ("b", 1), ("a", 1)].map(|(t, n)| counted(t, n)))
            .unwrap_err();
        assert_eq!(twice, BadTerm { expected: "distinct terms", term: "a" });
        builder.add_document(&[counted("c", u64::MAX)]).unwrap();
        let too_many = builder.add_document(&[counted("c", 1)]).unwrap_err();
        assert_eq!(too_many.expected, "a collection frequency below 2^64");
        let other = part(&[Bag::from([("c".to_string(), 1)])]);
        assert_eq!(VocabularyBuilder::finish(vec![builder, other]).unwrap_err(), "c".into());
    }

    #[test]
    fn a_repeated_term_has_no_index() {
        let mut vocabulary = Vocabulary::new(1);
        let term = Term { text: "a", occurrences: 1, documents: 1 };
        vocabulary.push(term);
        assert!(vocabulary.index().is_some());
        vocabulary.push(term);
        assert!(vocabulary.index().is_none());
    }
}
