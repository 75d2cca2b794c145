//! The matrix of all documents.

use super::terms::Known;
use super::vectors::{Place, Slab};
use super::{Gathered, Gatherer, Terms, WordVectors};
use crate::vector::term_table::TermTable;

/// A collection: its documents' vectors and their terms.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matrix {
    /// A row a document.
    pub vectors: WordVectors,
    /// The terms by their indexes in the rows.
    pub terms: Terms,
}

/// The matrix of all batches, in their order; `gatherers` are those that counted them. Rows get their final indexes where they stand. Memory beside them and the
/// tables: 4 bytes for each term of each gatherer, and for all terms together 24 while they are sorted, and then 4 and for each place of their table 4 more.
pub fn matrix(gatherers: Vec<Gatherer>, batches: &[Gathered]) -> Matrix {
    let (mut slabs, mut tables, mut first_slabs) = (Vec::new(), Vec::new(), Vec::new());
    for gatherer in gatherers {
        first_slabs.push((gatherer.number, slabs.len()));
        slabs.extend(gatherer.slabs.into_iter().map(|slab| (gatherer.number, slab)));
        tables.push((gatherer.number, gatherer.table));
    }
    let (terms, indexes) = numbered(tables);
    let renumbered = |(gatherer, mut slab): (usize, Slab)| {
        slab.renumber(&indexes[gatherer]);
        slab
    };
    let slabs: Vec<Slab> = slabs.into_iter().map(renumbered).collect();
    let places = places(batches, &by_number(first_slabs), &slabs);
    Matrix { vectors: WordVectors { slabs, places, cols: terms.len() }, terms }
}

/// Where the documents of the batches stand.
fn places(batches: &[Gathered], first_slabs: &[usize], slabs: &[Slab]) -> Vec<Place> {
    let mut places = Vec::with_capacity(batches.iter().map(Gathered::len).sum());
    for batch in batches {
        let (mut slab, mut start) = (first_slabs[batch.gatherer] + batch.slab, batch.start);
        for length in &batch.lengths {
            if *length as usize > slabs[slab].indexes.len() - start {
                (slab, start) = (slab + 1, 0);
            }
            places.push(Place { slab: slab as u32, length: *length, start });
            start += *length as usize;
        }
    }
    places
}

/// Things by their numbers; nothing where there is none.
fn by_number<T: Default>(things: Vec<(usize, T)>) -> Vec<T> {
    let mut all = Vec::new();
    all.resize_with(things.iter().map(|(number, _)| number + 1).max().unwrap_or(0), T::default);
    things.into_iter().for_each(|(number, thing)| all[number] = thing);
    all
}

/// The terms of all gatherers, and for each gatherer, by its number, the indexes of its own.
fn numbered(mut tables: Vec<(usize, TermTable<Known>)>) -> (Terms, Vec<Vec<u32>>) {
    // The others are put into the largest table, whose terms have their places already.
    tables.sort_by_key(|(_, table)| table.len());
    let Some((number, mut all)) = tables.pop() else {
        return Default::default();
    };
    let own = all.len();
    for (_, table) in &tables {
        all.absorb(table, |known, more| known.documents += more.documents);
    }
    let terms = Terms::of(all);
    let mut indexes = vec![(number, terms.indexes_of_own(own))];
    indexes.extend(tables.iter().map(|(number, table)| (*number, terms.indexes_of(table))));
    (terms, by_number(indexes))
}
