//! The order of the terms of a vocabulary.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::term_table::TermTable;

/// A term, with what nearly always tells its place in the order.
#[derive(Clone, Copy, Default)]
struct Ranked {
    /// Both halves of one number: how many fewer documents it has than the one with most, and below that its first bytes, as far as there is room.
    order: [u64; 2],
    place: u32,
}

/// Where the terms of a table stand, those of more documents first, equals in the order of their bytes.
pub(super) fn ranked<T: Copy + Default + Sync>(
    table: &TermTable<T>,
    documents: impl Fn(&T) -> u32 + Sync,
) -> Vec<u32> {
    let documents = |place| documents(table.value(place));
    let counted = table.pieces().map(|piece| {
        let places = table.places_in(piece);
        places.fold((0, 0), |(count, most), place| (count + 1, documents(place).max(most)))
    });
    let (counts, most): (Vec<usize>, Vec<u32>) = counted.unzip();
    let most = most.into_iter().max().unwrap_or(0);
    let bits = u32::BITS - most.leading_zeros();
    let ranked = |place: usize| {
        let fewer = u128::from(most - documents(place)) << 1 << (u128::BITS - 1 - bits);
        let order = fewer | table.beginning(place) >> bits;
        Ranked {
            order: [(order >> u64::BITS) as u64, order as u64],
            place: u32::try_from(place).expect("fewer than 2^32 terms fit into memory"),
        }
    };
    let mut terms = vec![Ranked::default(); table.len()];
    let pieces: Vec<_> = table.pieces().zip(cut(&mut terms, &counts)).collect();
    pieces.into_par_iter().for_each(|(piece, terms)| {
        terms
            .iter_mut()
            .zip(table.places_in(piece))
            .for_each(|(term, place)| *term = ranked(place));
    });
    terms.par_sort_unstable_by(|one, other| {
        one.order.cmp(&other.order).then_with(|| compare(one.place, other.place, table))
    });
    terms.par_iter().map(|term| term.place).collect()
}

/// A list in pieces of these lengths.
fn cut<'a, T>(mut list: &'a mut [T], lengths: &[usize]) -> Vec<&'a mut [T]> {
    let piece = |length: &usize| list.split_off_mut(..*length).expect("as long as all pieces");
    lengths.iter().map(piece).collect()
}

/// Compares terms of as many documents.
#[cold]
fn compare<T: Copy + Default>(one: u32, other: u32, table: &TermTable<T>) -> Ordering {
    table.term(one as usize).cmp(table.term(other as usize))
}
