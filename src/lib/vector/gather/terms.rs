//! The terms of a collection.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use crate::random::stable_hash;
use crate::text::Key;
use crate::vector::ranking::ranked;
use crate::vector::term_table::TermTable;

/// What is known of a term.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    /// Its number, counted from 1 as terms come; 0 if it came otherwise.
    pub number: u32,
    /// How many documents have it.
    pub documents: u32,
    /// Its place in the last of these.
    pub last: u32,
}

/// The terms of a collection by their indexes: those of more documents first, equals in the order of their bytes.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    table: TermTable<Known>,
    /// Where each term stands in the table.
    places: Vec<u32>,
    /// For each place of the table the index of the term that stands there.
    indexes: Vec<u32>,
}

impl Terms {
    /// Terms with the numbers of documents that have them, in any order, the same one perhaps several times: all its documents count then.
    pub fn new<'a>(terms: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let mut table = TermTable::<Known>::default();
        for (term, documents) in terms {
            let place = table.place(&Key::of(term), || term);
            table.value_mut(place).documents += documents;
        }
        Terms::of(table)
    }

    /// The terms of a table.
    pub(super) fn of(table: TermTable<Known>) -> Self {
        let places = ranked(&table, |known| known.documents);
        let mut indexes = vec![0; table.room()];
        for (place, index) in places.iter().zip(0..) {
            indexes[*place as usize] = index;
        }
        Terms { table, places, indexes }
    }

    /// The indexes of the terms of a table, by the numbers that it gave them. All of its terms are among these.
    pub(super) fn indexes_of(&self, table: &TermTable<Known>) -> Vec<u32> {
        let place = |place| self.table.find(&table.key(place), table.term(place));
        self.by_numbers(table, table.len(), |at| place(at).expect("it is among these"))
    }

    /// The indexes of the `count` terms to which the table of all gave numbers, by these.
    pub(super) fn indexes_of_own(&self, count: usize) -> Vec<u32> {
        self.by_numbers(&self.table, count, |place| place)
    }

    /// The indexes of the terms with numbers in a table; `place` tells where in the table of all a term stands.
    fn by_numbers(
        &self,
        table: &TermTable<Known>,
        count: usize,
        place: impl Fn(usize) -> usize + Sync,
    ) -> Vec<u32> {
        let indexes = table.pieces().flat_map_iter(|piece| {
            let numbered = table.places_in(piece).filter(|at| table.value(*at).number > 0);
            numbered.map(|at| (table.value(at).number as usize - 1, self.indexes[place(at)]))
        });
        scattered(count, indexes)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The term with this index.
    pub fn text(&self, index: usize) -> &str {
        self.table.term(self.places[index] as usize)
    }

    /// How many documents have it.
    pub fn documents(&self, index: usize) -> u32 {
        self.table.value(self.places[index] as usize).documents
    }

    /// All terms in their order.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.text(index))
    }

    /// The index of a term.
    pub fn index_of(&self, term: &str) -> Option<u32> {
        let place = self.table.find(&Key::of(term), term)?;
        Some(self.indexes[place])
    }

    /// For each term the [`stable_hash`] of its text: the number of its row of random components.
    pub fn row_numbers(&self) -> Vec<u32> {
        let hash = |index| stable_hash(self.text(index).as_bytes());
        (0..self.len()).into_par_iter().map(hash).collect()
    }
}

/// A list of so many numbers, each of which comes with where it stands; 0 where nothing comes.
fn scattered(size: usize, numbers: impl ParallelIterator<Item = (usize, u32)>) -> Vec<u32> {
    let list: Vec<AtomicU32> = bytemuck::zeroed_vec(size);
    numbers.for_each(|(at, number)| list[at].store(number, Ordering::Relaxed));
    list.into_iter().map(AtomicU32::into_inner).collect()
}

impl PartialEq for Terms {
    fn eq(&self, other: &Self) -> bool {
        let known = |terms: &Self, index| (terms.text(index).to_string(), terms.documents(index));
        self.len() == other.len() && (0..self.len()).all(|at| known(self, at) == known(other, at))
    }
}
