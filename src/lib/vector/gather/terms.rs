//! The terms of a collection.

use rayon::prelude::*;

use crate::random::stable_hash;
use crate::text::Key;
use crate::vector::ranking::ranked;
use crate::vector::term_table::TermTable;

/// Terms that are on their way from memory at a time.
const AHEAD: usize = 16;

/// What is known of a term.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    /// Its number, counted from 1 as terms come; its index among the [`Terms`].
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
}

impl Terms {
    /// Terms with the numbers of documents that have them, in any order, the same one perhaps several times: all its documents count then.
    pub fn new<'a>(terms: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let mut table = TermTable::<Known>::default();
        for (term, documents) in terms {
            let place = table.place(&Key::of(term), || term);
            table.value_mut(place).documents += documents;
        }
        Terms::of(table, 0).0
    }

    /// The terms of a table, and for those that had a number up to `numbers`, by these, their indexes.
    pub(super) fn of(mut table: TermTable<Known>, numbers: usize) -> (Self, Vec<u32>) {
        let places = ranked(&table, |known| known.documents);
        let mut indexes = vec![0; numbers];
        for (at, place) in places.iter().enumerate() {
            if let Some(soon) = places.get(at + AHEAD) {
                table.prefetch_place(*soon as usize);
            }
            let known = table.value_mut(*place as usize);
            let number = std::mem::replace(&mut known.number, at as u32);
            if let Some(index) = indexes.get_mut((number as usize).wrapping_sub(1)) {
                *index = at as u32;
            }
        }
        (Terms { table, places }, indexes)
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
        Some(self.table.value(place).number)
    }

    /// The indexes of terms that stand at these places of the table.
    pub(super) fn indexes_at(&self, places: &[u32]) -> Vec<u32> {
        let mut indexes = Vec::with_capacity(places.len());
        for (at, place) in places.iter().enumerate() {
            if let Some(soon) = places.get(at + AHEAD) {
                self.table.prefetch_place(*soon as usize);
            }
            indexes.push(self.table.value(*place as usize).number);
        }
        indexes
    }

    /// For each term the [`stable_hash`] of its text: the number of its row of random components.
    pub fn row_numbers(&self) -> Vec<u32> {
        let hash = |index| stable_hash(self.text(index).as_bytes());
        (0..self.len()).into_par_iter().map(hash).collect()
    }
}

impl PartialEq for Terms {
    fn eq(&self, other: &Self) -> bool {
        let known = |terms: &Self, index| (terms.text(index).to_string(), terms.documents(index));
        self.len() == other.len() && (0..self.len()).all(|at| known(self, at) == known(other, at))
    }
}
