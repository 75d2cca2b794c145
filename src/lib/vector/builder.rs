//! Counting the terms of a collection, in several parts at once.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::table::TermTable;
use super::{Term, Vocabulary};
use crate::text::CountedTerm;

/// Counts the terms of some documents of a collection.
#[derive(Debug, Default)]
pub struct VocabularyBuilder {
    documents: u64,
    counts: TermTable<Count>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    occurrences: u64,
    documents: u64,
    /// The last document that had the term, counted from 1.
    last: u64,
}

/// A term that a bag cannot have like this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadTerm<'a> {
    /// What should be.
    pub expected: &'static str,
    /// The term.
    pub term: &'a str,
}

/// The hash's bits that tell to which shard a term belongs. Tables use the others. More shards would be too small for large pages.
const SHARD_BITS: u32 = 4;
const SHARDS: usize = 1 << SHARD_BITS;

fn shard(hash: u64) -> usize {
    (hash >> (u64::BITS - SHARD_BITS)) as usize
}

impl VocabularyBuilder {
    /// Adds a document: its distinct terms with their counts.
    pub fn add_document<'a>(&mut self, terms: &[CountedTerm<'a>]) -> Result<(), BadTerm<'a>> {
        self.documents += 1;
        self.counts.prefetch(terms);
        for CountedTerm { text: term, key, count } in terms {
            let first = Count { occurrences: *count, documents: 1, last: self.documents };
            let Some(known) = self.counts.insert(key, term, first) else { continue };
            if known.last == self.documents {
                return Err(BadTerm { expected: "every term once", term });
            }
            let sum = known.occurrences.checked_add(*count);
            known.occurrences =
                sum.ok_or(BadTerm { expected: "occurrences that can be counted", term })?;
            known.documents += 1;
            known.last = self.documents;
        }
        Ok(())
    }

    /// The vocabulary of all parts together: terms of more documents first, equals in the order of their bytes. Fails with a term that has
    /// more occurrences than can be counted. The result does not depend on which document was counted in which part.
    pub fn finish(parts: Vec<Self>) -> Result<Vocabulary, Box<str>> {
        let documents = parts.iter().map(|part| part.documents).sum();
        let mut tables: Vec<_> = parts.into_iter().map(|part| part.counts).collect();
        if tables.len() > 1 {
            tables = merge(&tables)?;
        }
        Ok(in_order(documents, &tables))
    }
}

/// Puts the counts of several tables together. Each shard of the terms is merged by itself, so that all threads have work.
fn merge(tables: &[TermTable<Count>]) -> Result<Vec<TermTable<Count>>, Box<str>> {
    let members: Vec<Vec<Vec<u32>>> = tables.par_iter().map(members).collect();
    let merged = (0..SHARDS).into_par_iter().map(|shard| {
        let most = members.iter().map(|members| members[shard].len()).max().unwrap_or(0);
        // Tables share their frequent terms and many others.
        let mut merged = TermTable::with_room_for(most + most / 2);
        for (table, members) in tables.iter().zip(&members) {
            merge_into(&mut merged, table, &members[shard])?;
        }
        Ok(merged)
    });
    merged.collect()
}

/// The places of a table's terms by shard.
fn members(table: &TermTable<Count>) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); SHARDS];
    for (place, key, _) in table.entries() {
        members[shard(key.hash())].push(place as u32);
    }
    members
}

fn merge_into(
    merged: &mut TermTable<Count>,
    table: &TermTable<Count>,
    members: &[u32],
) -> Result<(), Box<str>> {
    for place in members {
        let (term, key, count) = table.entry(*place as usize);
        let Some(known) = merged.insert(key, term, *count) else { continue };
        let sum = known.occurrences.checked_add(count.occurrences);
        known.occurrences = sum.ok_or_else(|| Box::from(term))?;
        known.documents += count.documents;
    }
    Ok(())
}

/// What decides a term's rank, as far as numbers can: what is less comes first.
#[derive(Clone, Copy)]
struct Rank {
    /// What is left to the most documents there can be.
    documents_missing: u64,
    /// The term's first bytes as a number that orders as they do.
    head: u128,
    table: u32,
    place: u32,
}

impl Rank {
    fn compare(&self, other: &Rank, tables: &[TermTable<Count>]) -> Ordering {
        let numbers = |rank: &Rank| (rank.documents_missing, rank.head);
        let text = |rank: &Rank| rank.term(tables).text;
        numbers(self).cmp(&numbers(other)).then_with(|| text(self).cmp(text(other)))
    }

    fn term<'a>(&self, tables: &'a [TermTable<Count>]) -> Term<'a> {
        let (text, _, count) = tables[self.table as usize].entry(self.place as usize);
        Term { text, occurrences: count.occurrences, documents: count.documents }
    }
}

/// The ranks of the terms of one of several tables, in any order.
fn ranks(table: usize, terms: &TermTable<Count>) -> impl Iterator<Item = Rank> {
    terms.entries().map(move |(place, key, count)| Rank {
        documents_missing: u64::MAX - count.documents,
        head: key.head().swap_bytes(),
        table: table as u32,
        place: place as u32,
    })
}

/// Terms that one thread copies at a time.
const PIECE: usize = 1 << 14;
/// Terms that are asked for before they are copied.
const AHEAD: usize = 16;

fn in_order(documents: u64, tables: &[TermTable<Count>]) -> Vocabulary {
    let all = tables.par_iter().enumerate().flat_map_iter(|(table, terms)| ranks(table, terms));
    let mut ranked: Vec<Rank> = all.collect();
    ranked.par_sort_unstable_by(|left, right| left.compare(right, tables));
    let piece = |ranked: &[Rank]| {
        let mut piece = Vocabulary::new(documents);
        for (number, rank) in ranked.iter().enumerate() {
            if let Some(soon) = ranked.get(number + AHEAD) {
                tables[soon.table as usize].prefetch_entry(soon.place as usize);
            }
            piece.push(rank.term(tables));
        }
        piece
    };
    let pieces: Vec<Vocabulary> = ranked.par_chunks(PIECE).map(piece).collect();
    let mut vocabulary = Vocabulary::new(documents);
    pieces.iter().for_each(|piece| vocabulary.append(piece));
    vocabulary
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Key;
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
    fn what_cannot_be_counted_is_told() {
        let mut builder = VocabularyBuilder::default();
        let twice = builder
            .add_document(&[("a", 1), ("b", 1), ("a", 1)].map(|(t, n)| counted(t, n)))
            .unwrap_err();
        assert_eq!(twice, BadTerm { expected: "every term once", term: "a" });
        builder.add_document(&[counted("c", u64::MAX)]).unwrap();
        let too_many = builder.add_document(&[counted("c", 1)]).unwrap_err();
        assert_eq!(too_many.expected, "occurrences that can be counted");
        let other = part(&[Bag::from([("c".to_string(), 1)])]);
        assert_eq!(VocabularyBuilder::finish(vec![builder, other]).unwrap_err(), "c".into());
    }

    #[test]
    fn a_term_that_stands_twice_has_no_index() {
        let mut vocabulary = Vocabulary::new(1);
        let term = Term { text: "a", occurrences: 1, documents: 1 };
        vocabulary.push(term);
        assert!(vocabulary.index().is_some());
        vocabulary.push(term);
        assert!(vocabulary.index().is_none());
    }
}
