//! Merging of row builders, and of matrices, into one matrix.

use rayon::prelude::*;

use super::terms::TermEntry;
use super::vectors::{RowRange, RowSlab};
use super::{CollectionTerms, RowBatch, RowBuilder, WordVectors};
use crate::vector::sparse::SparseRows;
use crate::vector::term_table::TermTable;

/// The vectors and terms of a collection.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TermMatrix {
    /// One row per document.
    pub vectors: WordVectors,
    /// Terms by their indexes in the rows.
    pub terms: CollectionTerms,
}

/// Returns the matrix of all batches, in order, from the builders that counted them. Rows are renumbered in place. Additional memory: 4 bytes per
/// term and builder; 24 bytes per term of the collection during sorting; 4 bytes per term and 4 per slot of their table.
pub(super) fn matrix(builders: Vec<RowBuilder>, batches: &[RowBatch]) -> TermMatrix {
    let (mut slabs, mut tables, mut first_slabs) = (Vec::new(), Vec::new(), Vec::new());
    for builder in builders {
        first_slabs.push((builder.number, slabs.len()));
        slabs.extend(builder.slabs.into_iter().map(|slab| (builder.number, slab)));
        tables.push((builder.number, builder.table));
    }
    let (terms, indexes) = numbered(tables);
    let renumbered = |(builder, mut slab): (usize, RowSlab)| {
        slab.renumber(&indexes[builder]);
        slab
    };
    let slabs: Vec<RowSlab> = slabs.into_iter().map(renumbered).collect();
    let ranges = ranges(batches, &by_number(first_slabs), &slabs);
    TermMatrix { vectors: WordVectors { slabs, ranges, cols: terms.len() }, terms }
}

/// The ranges of all rows.
fn ranges(batches: &[RowBatch], first_slabs: &[usize], slabs: &[RowSlab]) -> Vec<RowRange> {
    let mut ranges = Vec::with_capacity(batches.iter().map(|batch| batch.lengths.len()).sum());
    for batch in batches {
        let (mut slab, mut start) = (first_slabs[batch.builder] + batch.slab, batch.start);
        for length in &batch.lengths {
            if *length as usize > slabs[slab].indexes.len() - start {
                (slab, start) = (slab + 1, 0);
            }
            ranges.push(RowRange { slab: slab as u32, length: *length, start });
            start += *length as usize;
        }
    }
    ranges
}

/// Values by their numbers, defaults in the gaps.
fn by_number<T: Default>(values: Vec<(usize, T)>) -> Vec<T> {
    let mut all = Vec::new();
    all.resize_with(values.iter().map(|(number, _)| number + 1).max().unwrap_or(0), T::default);
    values.into_iter().for_each(|(number, value)| all[number] = value);
    all
}

/// The terms of all builders, and for each builder, by its number, the indexes of its terms.
fn numbered(mut tables: Vec<(usize, TermTable<TermEntry>)>) -> (CollectionTerms, Vec<Vec<u32>>) {
    // The largest table absorbs the others, so most terms stay in their slots.
    tables.sort_by_key(|(_, table)| table.len());
    let Some((number, mut all)) = tables.pop() else {
        return Default::default();
    };
    let own = all.len();
    for (_, table) in &tables {
        all.absorb(table, |known, more| known.documents += more.documents);
    }
    let terms = CollectionTerms::of(all);
    let mut indexes = vec![(number, terms.indexes_of_own(own))];
    indexes.extend(tables.iter().map(|(number, table)| (*number, terms.indexes_of(table))));
    (terms, by_number(indexes))
}

/// Returns the documents of `old` and then those of `new` with common term indexes: the same matrix as from all documents at once. Rows are renumbered
/// in place.
pub fn merge(mut old: TermMatrix, mut new: TermMatrix) -> TermMatrix {
    let both = [&old.terms, &new.terms];
    let both = both.into_iter().flat_map(|terms| (0..terms.len()).map(move |at| (terms, at)));
    let terms = CollectionTerms::new(both.map(|(terms, at)| (terms.text(at), terms.documents(at))));
    old.vectors.renumber(&indexes_in(&terms, &old.terms));
    new.vectors.renumber(&indexes_in(&terms, &new.terms));
    TermMatrix { vectors: old.vectors.followed_by(new.vectors, terms.len()), terms }
}

/// The index in `all` of each term of `own`.
fn indexes_in(all: &CollectionTerms, own: &CollectionTerms) -> Vec<u32> {
    let index = |at| all.index_of(own.text(at)).expect("all contains the terms of both");
    (0..own.len()).into_par_iter().map(index).collect()
}
