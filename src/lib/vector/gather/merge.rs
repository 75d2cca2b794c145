//! Two collections as one.

use rayon::prelude::*;

use super::{Matrix, Terms};
use crate::vector::sparse::SparseRows;

/// The documents of `old`, then those of `new`, in one numbering of terms: the very matrix that all documents at once would give. Rows are renumbered where they stand.
pub fn merged(mut old: Matrix, mut new: Matrix) -> Matrix {
    let both = [&old.terms, &new.terms];
    let both = both.into_iter().flat_map(|terms| (0..terms.len()).map(move |at| (terms, at)));
    let terms = Terms::new(both.map(|(terms, at)| (terms.text(at), terms.documents(at))));
    old.vectors.renumber(&indexes(&old.terms, &terms));
    new.vectors.renumber(&indexes(&new.terms, &terms));
    Matrix { vectors: old.vectors.followed_by(new.vectors, terms.len()), terms }
}

/// The indexes of terms among all.
fn indexes(own: &Terms, all: &Terms) -> Vec<u32> {
    let index = |at| all.index_of(own.text(at)).expect("all terms are there");
    (0..own.len()).into_par_iter().map(index).collect()
}
