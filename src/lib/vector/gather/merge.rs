//! Two collections as one.

use rayon::prelude::*;

use super::matrix::in_order;
use super::rows::Sorter;
use super::{Matrix, Vectors};
use crate::vector::Vocabulary;
use crate::vector::counts::CountTable;

/// Rows that are renumbered together.
const ROWS_A_BLOCK: usize = 1024;

/// The documents of `old`, then those of `new`, in one numbering of terms: the very matrix that all documents at once would give. Rows are renumbered where they stand;
/// memory beside the two: the rows of `new` once more.
pub fn merged(old: Matrix, new: Matrix) -> Matrix {
    let mut table = CountTable::default();
    for term in old.terms.terms().chain(new.terms.terms()) {
        table.add_term(term).expect("no more occurrences than bytes of text");
    }
    let (terms, _) = in_order(&mut table, old.terms.documents + new.terms.documents, 0);
    let documents = old.vectors.rows() + new.vectors.rows();
    let (mut ends, mut indexes, mut values) = renumbered(old, &table);
    let (new_ends, new_indexes, new_values) = renumbered(new, &table);
    let before = indexes.len();
    ends.extend(new_ends[1..].iter().map(|end| before + end));
    appended(&mut indexes, new_indexes);
    appended(&mut values, new_values);
    Matrix::new(Vectors::new((documents, terms.len()), ends, indexes, values), terms)
}

fn appended<T: Copy>(all: &mut Vec<T>, more: Vec<T>) {
    // As much as is needed and no more.
    all.reserve_exact(more.len());
    all.extend_from_slice(&more);
}

/// Where rows begin and end, their indexes and their values.
type Parts = (Vec<usize>, Vec<u32>, Vec<f32>);

/// The rows of a matrix with the indexes that the table has as marks.
fn renumbered(matrix: Matrix, table: &CountTable) -> Parts {
    let ranks = ranks(&matrix.terms, table);
    let (ends, mut indexes, mut values) = matrix.vectors.into_raw_storage();
    let blocks: Vec<_> = blocks(&ends, &mut indexes, &mut values).collect();
    blocks.into_par_iter().for_each_init(Sorter::default, |sorter, (ends, indexes, values)| {
        for row in ends.windows(2) {
            let row = row[0] - ends[0]..row[1] - ends[0];
            sorter.renumber(&ranks, &mut indexes[row.clone()], &mut values[row]);
        }
    });
    (ends, indexes, values)
}

fn ranks(terms: &Vocabulary, table: &CountTable) -> Vec<u32> {
    let rank = |index| table.mark(terms.term(index).text).expect("the table has all terms");
    (0..terms.len()).into_par_iter().map(rank).collect()
}

/// Some rows after the other, each with where they begin and end.
fn blocks<'a>(
    ends: &'a [usize],
    mut indexes: &'a mut [u32],
    mut values: &'a mut [f32],
) -> impl Iterator<Item = (&'a [usize], &'a mut [u32], &'a mut [f32])> {
    let rows = ends.len() - 1;
    (0..rows).step_by(ROWS_A_BLOCK).map(move |first| {
        let ends = &ends[first..=(first + ROWS_A_BLOCK).min(rows)];
        let size = ends[ends.len() - 1] - ends[0];
        let (these, rest) = std::mem::take(&mut indexes).split_at_mut(size);
        indexes = rest;
        let (those, rest) = std::mem::take(&mut values).split_at_mut(size);
        values = rest;
        (ends, these, those)
    })
}
