//! Order of the terms of a vocabulary.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::term_table::TermTable;

/// A term with a sort key that nearly always decides.
#[derive(Clone, Copy, Default)]
struct SortItem {
    /// Both halves of one number: the maximum document frequency minus the term's, then as many of its first bytes as fit.
    order: [u64; 2],
    slot: u32,
}

/// Returns the slots of the terms of a table by descending document frequency, ties by bytes.
pub(super) fn ranked<T: Copy + Default + Sync>(
    table: &TermTable<T>,
    documents: impl Fn(&T) -> u32 + Sync,
) -> Vec<u32> {
    let documents = |slot| documents(table.value(slot));
    let counted = table.ranges().map(|range| {
        let slots = table.used_slots_in(range);
        slots.fold((0, 0), |(count, most), slot| (count + 1, documents(slot).max(most)))
    });
    let (counts, most): (Vec<usize>, Vec<u32>) = counted.unzip();
    let most = most.into_iter().max().unwrap_or(0);
    let bits = u32::BITS - most.leading_zeros();
    let ranked = |slot: usize| {
        let fewer = u128::from(most - documents(slot)) << 1 << (u128::BITS - 1 - bits);
        let order = fewer | table.prefix(slot) >> bits;
        SortItem {
            order: [(order >> u64::BITS) as u64, order as u64],
            slot: u32::try_from(slot).expect("fewer than 2^32 terms fit into memory"),
        }
    };
    let mut terms = vec![SortItem::default(); table.len()];
    let ranges: Vec<_> = table.ranges().zip(split_into(&mut terms, &counts)).collect();
    ranges.into_par_iter().for_each(|(range, terms)| {
        terms
            .iter_mut()
            .zip(table.used_slots_in(range))
            .for_each(|(term, slot)| *term = ranked(slot));
    });
    terms.par_sort_unstable_by(|one, other| {
        one.order.cmp(&other.order).then_with(|| compare(one.slot, other.slot, table))
    });
    terms.par_iter().map(|term| term.slot).collect()
}

/// Splits a list into parts of these lengths.
fn split_into<'a, T>(mut list: &'a mut [T], lengths: &[usize]) -> Vec<&'a mut [T]> {
    let part = |length: &usize| list.split_off_mut(..*length).expect("lengths add up to the list");
    lengths.iter().map(part).collect()
}

/// Compares terms of equal document frequency and prefix.
#[cold]
fn compare<T: Copy + Default>(one: u32, other: u32, table: &TermTable<T>) -> Ordering {
    table.term(one as usize).cmp(table.term(other as usize))
}
