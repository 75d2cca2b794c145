//! Merging of two matrices.

use rayon::prelude::*;

use super::{CollectionTerms, TermMatrix};
use crate::vector::sparse::SparseRows;

/// Returns the documents of `old` and then those of `new` with common term indexes: the same matrix as from all documents at once. Rows are renumbered
/// in place.
pub fn merge(mut old: TermMatrix, mut new: TermMatrix) -> TermMatrix {
    let both = [&old.terms, &new.terms];
    let both = both.into_iter().flat_map(|terms| (0..terms.len()).map(move |at| (terms, at)));
    let terms = CollectionTerms::new(both.map(|(terms, at)| (terms.text(at), terms.documents(at))));
    old.vectors.renumber(&indexes(&old.terms, &terms));
    new.vectors.renumber(&indexes(&new.terms, &terms));
    TermMatrix { vectors: old.vectors.followed_by(new.vectors, terms.len()), terms }
}

/// The index in `all` of each term of `own`.
fn indexes(own: &CollectionTerms, all: &CollectionTerms) -> Vec<u32> {
    let index = |at| all.index_of(own.text(at)).expect("all contains the terms of both");
    (0..own.len()).into_par_iter().map(index).collect()
}
