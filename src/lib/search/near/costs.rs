//! What the ways to find pairs cost: the constants of the planning, in one place.
//!
//! Measured with the benchmark `near` by the processor time of one thread at about 3 GHz with AVX2, beside other work, on 50,000 and 100,000 synthetic documents of
//! 184 terms, Reuters' 19,043 of 86 and 5,945 Bible chapters of 216, weights by count alone or by count and length; good to a factor of about two. They decide which way is taken and what is foretold, never what is found.

use super::guarantee::Distances;
use crate::bits::sliced;
use crate::search::{join, scan};
use crate::signature::BITS_PER_WORD;

/// Cycles of a second of a core.
pub(super) const CYCLES_A_SECOND: f64 = 3e9;

/// Cycles that a table takes for a signature: to gather its key, count it, put it into its bucket and fetch its prefix.
const TABLE_ROW_CYCLES: f64 = 100.0;
/// Cycles that a word of the prefix takes for two signatures of a bucket.
const TABLE_WORD_CYCLES: f64 = 1.2;
/// Cycles that two signatures of a bucket take beside.
const TABLE_PAIR_CYCLES: f64 = 1.0;
/// Cycles for two signatures whose prefixes are near: a wrong guess of the processor and two looks at memory.
const TABLE_CHECK_CYCLES: f64 = 250.0;

/// Cycles of one table: so many signatures, so many pairs met in buckets, and the share of these that the prefix does not settle.
pub(super) fn table_cycles(rows: f64, met: f64, unsettled: f64, prefix_words: usize) -> f64 {
    let pair = TABLE_PAIR_CYCLES
        + TABLE_WORD_CYCLES * prefix_words as f64
        + TABLE_CHECK_CYCLES * unsettled;
    rows * TABLE_ROW_CYCLES + met * pair
}

/// Cycles a pair of a scan for signatures within a distance, where a bit of unrelated ones differs with this probability: the cheapest prefix, by the same
/// constants as the scan's own choice.
pub(super) fn scan_cycles(bits: usize, most: u32, unrelated: f64) -> f64 {
    let whole = scan::WORD_CYCLES * bits.div_ceil(BITS_PER_WORD) as f64;
    let prefix = |units: usize| {
        let unsettled =
            1.0 - Distances::new(units * sliced::UNIT_BITS, unrelated, 1.0).beyond(most);
        scan::UNIT_CYCLES * units as f64 + scan::VERIFY_CYCLES * unsettled
    };
    let longest = (bits / sliced::UNIT_BITS).min(sliced::MOST_UNITS);
    (1..=longest).map(prefix).fold(whole, f64::min)
}

/// Cycles of a join of chunks; infinite where there are more chunks than bits.
pub(super) fn join_cycles(bits: usize, most: u32, unrelated: f64, rows: f64, pairs: f64) -> f64 {
    let chunks = f64::from(most) + 1.0;
    if chunks > bits as f64 {
        return f64::INFINITY;
    }
    let agreeing = libm::pow(1.0 - unrelated, bits as f64 / chunks);
    chunks * (rows * join::SORT_CYCLES + pairs * agreeing * join::COMPARE_CYCLES)
}

/// Cycles that signing takes for a term of a document: 280,000 documents of 184 terms a second on two cores.
const SIGN_TERM_CYCLES: f64 = 116.0;
/// Cycles that a document takes beside its terms.
const SIGN_DOCUMENT_CYCLES: f64 = 500.0;

/// Cycles of signing.
pub(super) fn sign_cycles(documents: f64, terms: f64) -> f64 {
    documents * (SIGN_DOCUMENT_CYCLES + SIGN_TERM_CYCLES * terms)
}

/// Cycles that preparing vectors takes for a component, whichever way follows.
const PREPARE_TERM_CYCLES: f64 = 8.0;
/// Cycles that the exact join takes for a component, to sketch it.
const EXACT_TERM_CYCLES: f64 = 20.0;
/// Cycles that the exact join takes for a component that is indexed: 1 − c² of them, about.
const EXACT_INDEXED_CYCLES: f64 = 350.0;
/// Cycles that the exact join takes for a pair of documents of [`EXACT_TERMS`] terms, by how far the cosine is above that of unrelated documents: the nearer, the more
/// pairs have to be walked through. Between what whole runs took at 0.5 to 0.8 on synthetic documents (unrelated: 0.07), Reuters (0.10), Debian (0.11) and
/// Bible chapters (0.25), which are up to four times as much and as little.
const EXACT_PAIR_CYCLES: [(f64, f64); 9] = [
    (0.25, 2000.0),
    (0.35, 700.0),
    (0.40, 120.0),
    (0.45, 90.0),
    (0.50, 25.0),
    (0.55, 10.0),
    (0.60, 3.0),
    (0.63, 1.2),
    (0.73, 0.08),
];
/// The terms of the documents for which [`EXACT_PAIR_CYCLES`] hold; the cycles grow with the terms.
const EXACT_TERMS: f64 = 184.0;

/// Cycles of looking at all components of vectors.
pub(super) fn prepare_cycles(documents: f64, terms: f64) -> f64 {
    PREPARE_TERM_CYCLES * documents * terms
}

/// Cycles of the exact join of all these pairs, at a cosine and that of unrelated documents.
pub(super) fn exact_cycles(
    documents: f64,
    terms: f64,
    pairs: f64,
    cosine: f64,
    background: f64,
) -> f64 {
    let pair = interpolated(&EXACT_PAIR_CYCLES, cosine - background) * terms / EXACT_TERMS;
    let indexed = EXACT_INDEXED_CYCLES * (1.0 - cosine * cosine).max(0.0);
    (EXACT_TERM_CYCLES + indexed) * documents * terms + pairs * pair
}

/// Bytes of a component of a vector.
pub(super) const COMPONENT_BYTES: f64 = 6.0;
/// Bytes that are kept for a vector beside its components: where it stands, its length, its fingerprint and its group.
pub(super) const DOCUMENT_BYTES: f64 = 48.0;
/// Bytes of the numbers of a sorted table or chunk, for a signature.
const SORTED_BYTES: f64 = 8.0;

/// Bytes a document of the exact join, so many of whose terms are indexed.
pub(super) fn exact_bytes(indexed_terms: f64) -> f64 {
    /// A posting.
    const INDEXED_BYTES: f64 = 8.0;
    const SKETCH_BYTES: f64 = 260.0;
    SKETCH_BYTES + INDEXED_BYTES * indexed_terms
}

/// Bytes a document of signatures, and of those that are compared, without equal ones.
fn signature_bytes(bits: usize) -> f64 {
    2.0 * bits as f64 / 8.0
}

/// Bytes a document of a scan: three bits of a signature are a byte of its patterns.
pub(super) fn scan_bytes(bits: usize) -> f64 {
    signature_bytes(bits) + bits as f64 / 3.0
}

/// Bytes a document of a join of chunks.
pub(super) fn join_bytes(bits: usize, threads: usize) -> f64 {
    /// The leading words of signatures.
    const LEADING_BYTES: f64 = 32.0;
    signature_bytes(bits) + LEADING_BYTES + SORTED_BYTES * threads as f64
}

/// Bytes a document of tables: signatures once more by positions, prefixes, and what is sorted.
pub(super) fn tables_bytes(bits: usize, prefix_words: usize, threads: usize) -> f64 {
    let (planes, prefix) = (bits as f64 / 8.0, prefix_words as f64 * 8.0);
    signature_bytes(bits) + planes + prefix + SORTED_BYTES * threads as f64
}

/// A value between those of a table, by their logarithms; outside of it, its nearest.
fn interpolated(table: &[(f64, f64)], at: f64) -> f64 {
    let after = table.partition_point(|(x, _)| *x <= at);
    let (Some(before), Some(after)) = (after.checked_sub(1), table.get(after)) else {
        return if after == 0 { table[0].1 } else { table[table.len() - 1].1 };
    };
    let before = table[before];
    let share = (at - before.0) / (after.0 - before.0);
    libm::exp(libm::log(before.1) * (1.0 - share) + libm::log(after.1) * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_values_are_read_between_their_lines() {
        let table = [(0.5, 8.0), (0.7, 2.0), (0.9, 2.0)];
        for (at, expected) in
            [(0.1, 8.0), (0.5, 8.0), (0.6, 4.0), (0.8, 2.0), (0.9, 2.0), (1.0, 2.0)]
        {
            assert!((interpolated(&table, at) - expected).abs() < 1e-12, "{at}");
        }
    }

    #[test]
    fn costs_grow_with_what_is_asked() {
        assert!(scan_cycles(1024, 50, 0.5) < scan_cycles(1024, 250, 0.5));
        assert!(scan_cycles(1024, 250, 0.5) < scan_cycles(1024, 250, 0.35));
        assert!(join_cycles(1024, 20, 0.5, 1e5, 5e9) < join_cycles(1024, 100, 0.5, 1e5, 5e9));
        assert!(join_cycles(64, 64, 0.5, 1e5, 5e9).is_infinite());
        let exact = |cosine, background| exact_cycles(1e5, 184.0, 5e9, cosine, background);
        assert!(exact(0.95, 0.3) < exact(0.8, 0.3) && exact(0.8, 0.3) < exact(0.8, 0.4));
    }
}
