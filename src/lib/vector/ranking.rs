//! The order of the terms of a vocabulary.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::term_table::TermTable;

/// A term, with what nearly always tells its place in the order.
#[derive(Clone, Copy)]
struct Ranked {
    /// Its first bytes, as a number.
    beginning: u128,
    documents: u32,
    place: u32,
}

/// Where the terms of a table stand, those of more documents first, equals in the order of their bytes.
pub(super) fn ranked<T: Copy + Default + Sync>(
    table: &TermTable<T>,
    documents: impl Fn(&T) -> u32 + Sync,
) -> Vec<u32> {
    let ranked = |place: usize| Ranked {
        beginning: table.beginning(place),
        documents: documents(table.value(place)),
        place: u32::try_from(place).expect("fewer than 2^32 terms fit into memory"),
    };
    let mut terms: Vec<Ranked> = table.par_places().map(ranked).collect();
    terms.par_sort_unstable_by(|one, other| compare(one, other, table));
    terms.iter().map(|term| term.place).collect()
}

#[inline]
fn compare<T: Copy + Default>(one: &Ranked, other: &Ranked, table: &TermTable<T>) -> Ordering {
    let by_numbers = other.documents.cmp(&one.documents).then(one.beginning.cmp(&other.beginning));
    let text = |term: &Ranked| table.term(term.place as usize);
    by_numbers.then_with(|| text(one).cmp(text(other)))
}
