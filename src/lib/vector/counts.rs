//! Terms with their counts in a collection.

use std::collections::HashMap;

use rayon::prelude::*;

use super::ranking::ranked;
use super::term_table::TermTable;
use super::{Term, Vocabulary};
use crate::text::Key;

/// Instead of a number of occurrences: there are more than fit beside the others.
const MANY: u32 = u32::MAX;
/// Terms that one thread copies at a time.
const PIECE: usize = 1 << 14;
/// Terms that are on their way from memory at a time.
const AHEAD: usize = 16;

/// Terms and their counts.
#[derive(Debug, Default)]
pub(super) struct CountTable {
    terms: TermTable<Counts>,
    /// Occurrences of the terms that have very many.
    many: HashMap<Box<str>, u64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    /// How often it occurs, or [`MANY`].
    occurrences: u32,
    /// How many documents have it.
    documents: u32,
    /// The last of these.
    last: u32,
}

/// What cannot be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Uncountable {
    /// A term for the second time in one document.
    Twice,
    /// More occurrences than there are numbers.
    TooMany,
}

impl CountTable {
    /// Asks for the memory that [`CountTable::add`] will read.
    #[inline]
    pub fn prefetch(&self, key: &Key) {
        self.terms.prefetch(key);
    }

    /// Counts a term in document `last`, counted from 1; a document is counted completely before the next one.
    #[inline]
    pub fn add(&mut self, key: &Key, term: &str, count: u64, last: u32) -> Result<(), Uncountable> {
        let place = self.terms.place(key, || term);
        let counts = self.terms.value_mut(place);
        if counts.last == last {
            return Err(Uncountable::Twice);
        }
        counts.last = last;
        self.count(place, count, 1)
    }

    #[inline]
    fn count(&mut self, place: usize, occurrences: u64, documents: u32) -> Result<(), Uncountable> {
        let counts = self.terms.value_mut(place);
        let sum = counts.documents.checked_add(documents);
        counts.documents = sum.expect("fewer than 2^32 documents");
        let sum = u64::from(counts.occurrences).saturating_add(occurrences);
        if sum >= u64::from(MANY) {
            return self.count_many(place, occurrences);
        }
        counts.occurrences = sum as u32;
        Ok(())
    }

    #[cold]
    fn count_many(&mut self, place: usize, more: u64) -> Result<(), Uncountable> {
        let before = self.terms.value(place).occurrences.into();
        let sum = self.many.entry(self.terms.term(place).into()).or_insert(before);
        *sum = sum.checked_add(more).ok_or(Uncountable::TooMany)?;
        self.terms.value_mut(place).occurrences = MANY;
        Ok(())
    }

    /// Both tables' terms with the sums of their counts, or the term of which there are too many. Documents of the two are different ones.
    pub fn merged(self, other: Self) -> Result<Self, Box<str>> {
        let is_smaller = self.terms.len() < other.terms.len();
        let (mut all, other) = if is_smaller { (other, self) } else { (self, other) };
        all.absorb(&other)?;
        Ok(all)
    }

    fn absorb(&mut self, other: &Self) -> Result<(), Box<str>> {
        self.terms.make_room(other.terms.len());
        other.terms.places().try_for_each(|from| {
            let (counts, term) = (other.terms.value(from), other.terms.term(from));
            let place = self.terms.place(&other.terms.key(from), || term);
            let counted = self.count(place, other.occurrences(from), counts.documents);
            counted.map_err(|_| Box::from(term))
        })
    }

    fn occurrences(&self, place: usize) -> u64 {
        match self.terms.value(place).occurrences {
            MANY => self.many[self.terms.term(place)],
            occurrences => occurrences.into(),
        }
    }

    /// The vocabulary of so many documents with the terms of this table.
    pub fn vocabulary(&self, documents: u64) -> Vocabulary {
        let ranked = ranked(&self.terms, |counts| counts.documents);
        let piece = |places: &[u32]| {
            let mut piece = Vocabulary::new(documents);
            for (at, place) in places.iter().enumerate() {
                if let Some(soon) = places.get(at + AHEAD) {
                    self.terms.prefetch_place(*soon as usize);
                }
                piece.push(self.term(*place as usize));
            }
            piece
        };
        let pieces: Vec<Vocabulary> = ranked.par_chunks(PIECE).map(piece).collect();
        let mut vocabulary = Vocabulary::new(documents);
        pieces.iter().for_each(|piece| vocabulary.append(piece));
        vocabulary
    }

    fn term(&self, place: usize) -> Term<'_> {
        let documents = self.terms.value(place).documents.into();
        Term { text: self.terms.term(place), occurrences: self.occurrences(place), documents }
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
            assert_eq!(table.add(&key, word, *count, document), Err(Uncountable::Twice));
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
