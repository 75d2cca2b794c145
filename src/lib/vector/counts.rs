//! Table of terms with their frequencies in a collection.

use std::collections::HashMap;

use rayon::prelude::*;

use super::ranking::ranked;
use super::term_table::TermTable;
use super::{Term, Vocabulary};
use crate::text::Key;

/// Marks a collection frequency beyond 32 bits, which is kept in a separate map.
const MANY: u32 = u32::MAX;
/// Terms per task when the vocabulary is copied.
const TERMS_PER_TASK: usize = 1 << 14;
/// Terms between a prefetch and its use.
const PREFETCH_DISTANCE: usize = 16;

/// Terms with their frequencies.
#[derive(Debug, Default)]
pub(super) struct CountTable {
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
    /// The last document with the term.
    last: u32,
}

/// Reason why a term cannot be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountError {
    /// The term occurs twice in one bag.
    Repeated,
    /// The collection frequency overflows 64 bits.
    Overflow,
}

impl CountTable {
    /// Prefetches the entry that [`CountTable::add`] reads.
    #[inline]
    pub fn prefetch(&self, key: &Key) {
        self.terms.prefetch(key);
    }

    /// Counts a term in document number `last`, counted from 1. Documents are counted one after the other.
    #[inline]
    pub fn add(&mut self, key: &Key, term: &str, count: u64, last: u32) -> Result<(), CountError> {
        let slot = self.terms.find_or_insert(key, || term);
        let counts = self.terms.value_mut(slot);
        if counts.last == last {
            return Err(CountError::Repeated);
        }
        counts.last = last;
        self.count(slot, count, 1)
    }

    #[inline]
    fn count(&mut self, slot: usize, occurrences: u64, documents: u32) -> Result<(), CountError> {
        let counts = self.terms.value_mut(slot);
        let sum = counts.documents.checked_add(documents);
        counts.documents = sum.expect("fewer than 2^32 documents");
        let sum = u64::from(counts.occurrences).saturating_add(occurrences);
        if sum >= u64::from(MANY) {
            return self.count_many(slot, occurrences);
        }
        counts.occurrences = sum as u32;
        Ok(())
    }

    #[cold]
    fn count_many(&mut self, slot: usize, more: u64) -> Result<(), CountError> {
        let before = self.terms.value(slot).occurrences.into();
        let sum = self.many.entry(self.terms.term(slot).into()).or_insert(before);
        *sum = sum.checked_add(more).ok_or(CountError::Overflow)?;
        self.terms.value_mut(slot).occurrences = MANY;
        Ok(())
    }

    /// Merges two tables of disjoint sets of documents. Fails with the term whose collection frequency overflows.
    pub fn merged(self, other: Self) -> Result<Self, Box<str>> {
        let is_smaller = self.terms.len() < other.terms.len();
        let (mut all, other) = if is_smaller { (other, self) } else { (self, other) };
        all.absorb(&other)?;
        Ok(all)
    }

    fn absorb(&mut self, other: &Self) -> Result<(), Box<str>> {
        self.terms.reserve(other.terms.len());
        other.terms.used_slots().try_for_each(|from| {
            let (counts, term) = (other.terms.value(from), other.terms.term(from));
            let slot = self.terms.find_or_insert(&other.terms.key(from), || term);
            let counted = self.count(slot, other.occurrences(from), counts.documents);
            counted.map_err(|_| Box::from(term))
        })
    }

    fn occurrences(&self, slot: usize) -> u64 {
        match self.terms.value(slot).occurrences {
            MANY => self.many[self.terms.term(slot)],
            occurrences => occurrences.into(),
        }
    }

    /// Returns the vocabulary of a collection of this many documents.
    pub fn vocabulary(&self, documents: u64) -> Vocabulary {
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
        parts.iter().for_each(|part| vocabulary.append(part));
        vocabulary
    }

    fn term(&self, slot: usize) -> Term<'_> {
        let documents = self.terms.value(slot).documents.into();
        Term { text: self.terms.term(slot), occurrences: self.occurrences(slot), documents }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Terms = BTreeMap<String, (u64, u64)>;

    fn terms(table: &CountTable) -> Terms {
        let vocabulary = table.vocabulary(1 << 20);
        let all =
            vocabulary.terms().map(|term| (term.text.into(), (term.occurrences, term.documents)));
        let all: Terms = all.collect();
        assert_eq!(vocabulary.len(), all.len());
        all
    }

    fn table(words: &[(String, u64)], map: &mut Terms) -> CountTable {
        let mut table = CountTable::default();
        for ((word, count), document) in words.iter().zip(1..) {
            let key = Key::of(word);
            table.prefetch(&key);
            table.add(&key, word, *count, document).unwrap();
            assert_eq!(table.add(&key, word, *count, document), Err(CountError::Repeated));
            let sum = map.entry(word.clone()).or_default();
            *sum = (sum.0 + count, sum.1 + 1);
        }
        table
    }

    proptest! {
        #[test]
        fn counts_are_those_of_a_map(
            words in prop::collection::vec(("[a-c\0]{0,4}|[ab]{15,18}", prop_oneof![1u64..5, 1u64..1 << 33]), 0..300),
            cut in 0usize..300,
        ) {
            let (left, right) = words.split_at(cut.min(words.len()));
            let mut map = Terms::new();
            let left = table(left, &mut map);
            prop_assert_eq!(&terms(&left), &map);
            let right = table(right, &mut map);
            prop_assert_eq!(&terms(&left.merged(right).unwrap()), &map);
        }
    }
}
