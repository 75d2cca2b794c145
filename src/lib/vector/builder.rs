//! Vocabulary construction from bags of words, in parallel.

use std::collections::HashMap;

use rayon::prelude::*;

use super::ranking::ranked;
use super::term_table::TermTable;
use super::{Term, Vocabulary};
use crate::text::{CountedTerm, Key};

/// Marks a collection frequency beyond 32 bits, which is kept in a separate map.
const MANY: u32 = u32::MAX;
/// Terms per task when the vocabulary is copied.
const TERMS_PER_TASK: usize = 1 << 14;
/// Terms between a prefetch and its use.
const PREFETCH_DISTANCE: usize = 16;

/// Counts the terms of a part of a collection.
#[derive(Debug, Default)]
pub struct VocabularyBuilder {
    documents: u32,
    terms: TermTable<Counts>,
    /// Collection frequencies of at least [`MANY`].
    many: HashMap<Box<str>, u64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    /// Collection frequency, or [`MANY`].
    occurrences: u32,
    /// Document frequency.
    documents: u32,
    /// The last document with the term, counted from 1.
    last: u32,
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
        self.terms.prefetch(key);
    }

    /// Adds a document, given by its distinct terms with their counts.
    pub fn add_document<'a>(&mut self, terms: &[CountedTerm<'a>]) -> Result<(), BadTerm<'a>> {
        self.documents = self.documents.checked_add(1).expect("fewer than 2^32 documents");
        terms.iter().try_for_each(|term| self.add(term))
    }

    #[inline]
    fn add<'a>(&mut self, term: &CountedTerm<'a>) -> Result<(), BadTerm<'a>> {
        let slot = self.terms.find_or_insert(&term.key, || term.text);
        let counts = self.terms.value_mut(slot);
        if counts.last == self.documents {
            return Err(BadTerm { expected: "distinct terms", term: term.text });
        }
        counts.last = self.documents;
        self.count(slot, term.text, term.count, 1)
    }

    #[inline]
    fn count<'a>(
        &mut self,
        slot: usize,
        term: &'a str,
        occurrences: u64,
        documents: u32,
    ) -> Result<(), BadTerm<'a>> {
        let counts = self.terms.value_mut(slot);
        let sum = counts.documents.checked_add(documents);
        counts.documents = sum.expect("fewer than 2^32 documents");
        let sum = u64::from(counts.occurrences).saturating_add(occurrences);
        if sum >= u64::from(MANY) {
            return self.count_many(slot, term, occurrences);
        }
        counts.occurrences = sum as u32;
        Ok(())
    }

    #[cold]
    fn count_many<'a>(&mut self, slot: usize, term: &'a str, more: u64) -> Result<(), BadTerm<'a>> {
        let counts = self.terms.value_mut(slot);
        let sum = self.many.entry(term.into()).or_insert(counts.occurrences.into());
        let expected = "a collection frequency below 2^64";
        *sum = sum.checked_add(more).ok_or(BadTerm { expected, term })?;
        counts.occurrences = MANY;
        Ok(())
    }

    /// Merges all parts into a vocabulary by descending document frequency, ties by bytes. Fails with the term whose collection frequency
    /// overflows 64 bits. The result does not depend on the assignment of documents to parts.
    pub fn finish(parts: Vec<Self>) -> Result<Vocabulary, Box<str>> {
        let documents = parts.iter().map(|part| u64::from(part.documents)).sum();
        let parts = parts.into_par_iter().map(Ok);
        let all = parts.try_reduce_with(Self::merged).transpose()?.unwrap_or_default();
        Ok(all.vocabulary(documents))
    }

    /// Adds the terms of the smaller table to the larger one.
    fn merged(self, other: Self) -> Result<Self, Box<str>> {
        let is_smaller = self.terms.len() < other.terms.len();
        let (mut all, other) = if is_smaller { (other, self) } else { (self, other) };
        all.terms.reserve(other.terms.len());
        for from in other.terms.used_slots() {
            let Term { text, occurrences, .. } = other.term(from);
            let slot = all.terms.find_or_insert(&other.terms.key(from), || text);
            let counted = all.count(slot, text, occurrences, other.terms.value(from).documents);
            counted.map_err(|bad| Box::<str>::from(bad.term))?;
        }
        Ok(all)
    }

    /// Returns the vocabulary of a collection of this many documents.
    fn vocabulary(&self, documents: u64) -> Vocabulary {
        let ranked = ranked(&self.terms, |counts| counts.documents);
        let part = |slots: &[u32]| {
            let mut part = Vocabulary::new(documents);
            for (at, slot) in slots.iter().enumerate() {
                if let Some(next) = slots.get(at + PREFETCH_DISTANCE) {
                    self.terms.prefetch_slot(*next as usize);
                }
                part.push(self.term(*slot as usize));
            }
            part
        };
        let parts: Vec<Vocabulary> = ranked.par_chunks(TERMS_PER_TASK).map(part).collect();
        let mut vocabulary = Vocabulary::new(documents);
        parts.into_iter().for_each(|part| vocabulary.append(part));
        vocabulary
    }

    fn term(&self, slot: usize) -> Term<'_> {
        let (text, counts) = (self.terms.term(slot), self.terms.value(slot));
        let occurrences = match counts.occurrences {
            MANY => self.many[text],
            occurrences => occurrences.into(),
        };
        Term { text, occurrences, documents: counts.documents.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            terms.iter().for_each(|term| builder.prefetch(&term.key));
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
            bags in prop::collection::vec(
                prop::collection::btree_map("[ab\0é]{1,10}|[a-z]{1,2}|[ab]{15,18}", prop_oneof![1u64..5, 1u64..1 << 33], 0..30), 0..12,
            ),
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
        let twice = [("a", 1), ("b", 1), ("a", 1)].map(|(term, count)| counted(term, count));
        let expected = BadTerm { expected: "distinct terms", term: "a" };
        assert_eq!(builder.add_document(&twice), Err(expected));
        builder.add_document(&[counted("c", u64::MAX)]).unwrap();
        let expected = BadTerm { expected: "a collection frequency below 2^64", term: "c" };
        assert_eq!(builder.add_document(&[counted("c", 1)]), Err(expected));
        let other = part(&[Bag::from([("c".to_string(), 1)])]);
        assert_eq!(
            VocabularyBuilder::finish(vec![builder, other]).unwrap_err(),
            Box::<str>::from("c")
        );
        let (mut vocabulary, term) =
            (Vocabulary::new(1), Term { text: "a", occurrences: 1, documents: 1 });
        vocabulary.push(term);
        vocabulary.push(term);
        assert!(vocabulary.index().is_none());
    }
}
