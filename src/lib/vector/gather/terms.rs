//! Terms of a collection by index.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use crate::text::Key;
use crate::vector::ranking::ranked;
use crate::vector::term_table::TermTable;

/// A builder's entry of a term.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TermEntry {
    /// Number in the order of first occurrence, counted from 1; 0 if the term comes from another builder.
    pub number: u32,
    /// Document frequency.
    pub documents: u32,
    /// Position in the last document that contains it.
    pub last: u32,
}

/// The terms of a collection by descending document frequency, ties by bytes; a term's position is its index.
#[derive(Debug, Clone, Default)]
pub struct CollectionTerms {
    table: TermTable<TermEntry>,
    /// Slot of each term.
    slots: Vec<u32>,
    /// Index of the term in each slot.
    indexes: Vec<u32>,
}

impl CollectionTerms {
    /// Creates the terms with these document frequencies, in any order. The frequencies of a repeated term are added,
    /// up to the largest number of 32 bits: those of a damaged index may be anything.
    pub fn new<'a>(terms: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let mut table = TermTable::<TermEntry>::default();
        for (term, documents) in terms {
            let slot = table.find_or_insert(&Key::of(term), || term);
            let entry = table.value_mut(slot);
            entry.documents = entry.documents.saturating_add(documents);
        }
        CollectionTerms::of(table)
    }

    /// Creates the terms of a table.
    pub(super) fn of(table: TermTable<TermEntry>) -> Self {
        let slots = ranked(&table, |known| known.documents);
        let mut indexes = vec![0; table.slots()];
        for (slot, index) in slots.iter().zip(0..) {
            indexes[*slot as usize] = index;
        }
        CollectionTerms { table, slots, indexes }
    }

    /// Returns the indexes of the terms of a builder's table, by the numbers in it. The table's terms are a subset of these.
    pub(super) fn indexes_of(&self, table: &TermTable<TermEntry>) -> Vec<u32> {
        let slot = |slot| self.table.find(&table.key(slot), table.term(slot));
        self.by_numbers(table, table.len(), |at| slot(at).expect("the merged table has all terms"))
    }

    /// Returns the indexes of the `count` terms with numbers in the merged table, by number.
    pub(super) fn indexes_of_own(&self, count: usize) -> Vec<u32> {
        self.by_numbers(&self.table, count, |slot| slot)
    }

    /// The indexes of the terms with numbers in `table`, by number; `slot` maps a slot of it to the merged table.
    fn by_numbers(
        &self,
        table: &TermTable<TermEntry>,
        count: usize,
        slot: impl Fn(usize) -> usize + Sync,
    ) -> Vec<u32> {
        let indexes = table.ranges().flat_map_iter(|range| {
            let numbered = table.used_slots_in(range).filter(|at| table.value(*at).number > 0);
            numbered.map(|at| (table.value(at).number as usize - 1, self.indexes[slot(at)]))
        });
        scattered(count, indexes)
    }

    /// Returns the number of terms.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the term with this index.
    pub fn text(&self, index: usize) -> &str {
        self.table.term(self.slots[index] as usize)
    }

    /// Returns the document frequency of the term with this index.
    pub fn documents(&self, index: usize) -> u32 {
        self.table.value(self.slots[index] as usize).documents
    }

    /// Returns all terms in order.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.text(index))
    }

    /// Returns the index of a term.
    pub fn index_of(&self, term: &str) -> Option<u32> {
        let slot = self.table.find(&Key::of(term), term)?;
        Some(self.indexes[slot])
    }
}

/// Returns a list of `size` numbers from (position, number) pairs, with 0 in the gaps.
fn scattered(size: usize, numbers: impl ParallelIterator<Item = (usize, u32)>) -> Vec<u32> {
    let list: Vec<AtomicU32> = bytemuck::zeroed_vec(size);
    numbers.for_each(|(at, number)| list[at].store(number, Ordering::Relaxed));
    list.into_iter().map(AtomicU32::into_inner).collect()
}

impl PartialEq for CollectionTerms {
    fn eq(&self, other: &Self) -> bool {
        let known = |terms: &Self, index| (terms.text(index).to_string(), terms.documents(index));
        self.len() == other.len() && (0..self.len()).all(|at| known(self, at) == known(other, at))
    }
}
