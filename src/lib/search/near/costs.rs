//! Constants of the cost estimates.
//!
//! Measured with the benchmark `near` as processor time of one thread at about 3 GHz with AVX2, beside other work, on 50,000 and 100,000 synthetic
//! documents of 184 terms, Reuters' 19,043 of 86 and 5,945 Bible chapters of 216, with weights by count or by count and length; accurate to a
//! factor of about two. They decide the strategy and the expected time, never the result.

use super::guarantee::DistanceDistribution;
use crate::bits::sliced;
use crate::search::{join, scan};
use crate::signature::BITS_PER_WORD;

/// Cycles per second of a core.
pub(super) const CYCLES_PER_SECOND: f64 = 3e9;

/// Cycles per table and signature: gather the key, count it, distribute it to its bucket, fetch the prefix.
const TABLE_ROW_CYCLES: f64 = 100.0;
/// Cycles per prefix word of two signatures of a bucket.
const TABLE_WORD_CYCLES: f64 = 1.2;
/// Other cycles per two signatures of a bucket.
const TABLE_PAIR_CYCLES: f64 = 1.0;
/// Cycles per two signatures with near prefixes: a misprediction and two cache misses.
const TABLE_CHECK_CYCLES: f64 = 250.0;

/// Returns the cycles of one table for a number of signatures, of pairs in buckets, and the share of these that passes the prefix test.
pub(super) fn table_cycles(rows: f64, pairs: f64, passing: f64, prefix_words: usize) -> f64 {
    let pair =
        TABLE_PAIR_CYCLES + TABLE_WORD_CYCLES * prefix_words as f64 + TABLE_CHECK_CYCLES * passing;
    rows * TABLE_ROW_CYCLES + pairs * pair
}

/// Returns the cycles per pair of a scan for signatures within a distance, where a bit of unrelated ones differs with probability `unrelated`: the
/// cheapest prefix, by the constants of the scan.
pub(super) fn scan_cycles(bits: usize, max: u32, unrelated: f64) -> f64 {
    let whole = scan::WORD_CYCLES * bits.div_ceil(BITS_PER_WORD) as f64;
    let prefix = |units: usize| {
        let unsettled =
            1.0 - DistanceDistribution::new(units * sliced::UNIT_BITS, unrelated, 1.0).beyond(max);
        scan::UNIT_CYCLES * units as f64 + scan::VERIFY_CYCLES * unsettled
    };
    let longest = (bits / sliced::UNIT_BITS).min(sliced::MAX_UNITS);
    (1..=longest).map(prefix).fold(whole, f64::min)
}

/// Returns the cycles of a chunk join; infinite if there are more chunks than bits.
pub(super) fn join_cycles(bits: usize, max: u32, unrelated: f64, rows: f64, pairs: f64) -> f64 {
    let chunks = f64::from(max) + 1.0;
    if chunks > bits as f64 {
        return f64::INFINITY;
    }
    let agreeing = libm::pow(1.0 - unrelated, bits as f64 / chunks);
    chunks * (rows * join::SORT_CYCLES + pairs * agreeing * join::COMPARE_CYCLES)
}

/// Cycles for signing, per term: 280,000 documents of 184 terms per second on two cores.
const SIGN_TERM_CYCLES: f64 = 116.0;
/// Other cycles for signing, per document.
const SIGN_DOCUMENT_CYCLES: f64 = 500.0;

/// Returns the cycles of signing.
pub(super) fn sign_cycles(documents: f64, terms: f64) -> f64 {
    documents * (SIGN_DOCUMENT_CYCLES + SIGN_TERM_CYCLES * terms)
}

/// Cycles for preparing vectors, per component.
const PREPARE_TERM_CYCLES: f64 = 8.0;
/// Cycles of the exact join for sketching, per component.
const EXACT_TERM_CYCLES: f64 = 20.0;
/// Cycles of the exact join per indexed component: about 1 − c² of them.
const EXACT_INDEXED_CYCLES: f64 = 350.0;
/// Cycles of the exact join per pair of documents of [`EXACT_TERMS`] terms, by the difference of the cosine and that of unrelated documents: the
/// smaller, the more pairs must be verified. Between the times of whole runs at 0.5 to 0.8 on synthetic documents (unrelated: 0.07), Reuters
/// (0.10), Debian (0.11) and Bible chapters (0.25), which are up to four times as high and as low.
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
/// Terms per document for which [`EXACT_PAIR_CYCLES`] hold; the cycles grow with the terms.
const EXACT_TERMS: f64 = 184.0;

/// Returns the cycles of preparing vectors.
pub(super) fn prepare_cycles(documents: f64, terms: f64) -> f64 {
    PREPARE_TERM_CYCLES * documents * terms
}

/// Returns the cycles of the exact join at a cosine, given that of unrelated documents.
pub(super) fn exact_cycles(
    documents: f64,
    terms: f64,
    pairs: f64,
    cosine: f64,
    background: f64,
) -> f64 {
    let pair = interpolate(&EXACT_PAIR_CYCLES, cosine - background) * terms / EXACT_TERMS;
    let indexed = EXACT_INDEXED_CYCLES * (1.0 - cosine * cosine).max(0.0);
    (EXACT_TERM_CYCLES + indexed) * documents * terms + pairs * pair
}

/// Bytes per component of a vector.
pub(super) const COMPONENT_BYTES: f64 = 6.0;
/// Other bytes per vector: its start, norm, fingerprint and group.
pub(super) const DOCUMENT_BYTES: f64 = 48.0;
/// Bytes per signature of a sorted table or chunk.
const SORTED_BYTES: f64 = 8.0;

/// Returns the bytes per document of the exact join, given its indexed terms.
pub(super) fn exact_bytes(indexed_terms: f64) -> f64 {
    /// Bytes per posting.
    const INDEXED_BYTES: f64 = 8.0;
    const SKETCH_BYTES: f64 = 260.0;
    SKETCH_BYTES + INDEXED_BYTES * indexed_terms
}

/// Returns the bytes per document of all signatures and of the distinct ones.
fn signature_bytes(bits: usize) -> f64 {
    2.0 * bits as f64 / 8.0
}

/// Returns the bytes per document of a scan: one byte of patterns per three bits.
pub(super) fn scan_bytes(bits: usize) -> f64 {
    signature_bytes(bits) + bits as f64 / 3.0
}

/// Returns the bytes per document of a chunk join.
pub(super) fn join_bytes(bits: usize, threads: usize) -> f64 {
    /// Leading words of a signature.
    const LEADING_BYTES: f64 = 32.0;
    signature_bytes(bits) + LEADING_BYTES + SORTED_BYTES * threads as f64
}

/// Returns the bytes per document of tables: bit planes, prefixes and sorted numbers.
pub(super) fn tables_bytes(bits: usize, prefix_words: usize, threads: usize) -> f64 {
    let (planes, prefix) = (bits as f64 / 8.0, prefix_words as f64 * 8.0);
    signature_bytes(bits) + planes + prefix + SORTED_BYTES * threads as f64
}

/// Interpolates the logarithms of a table; outside of it, returns the nearest value.
fn interpolate(table: &[(f64, f64)], at: f64) -> f64 {
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
    fn values_are_interpolated() {
        let table = [(0.5, 8.0), (0.7, 2.0), (0.9, 2.0)];
        for (at, expected) in
            [(0.1, 8.0), (0.5, 8.0), (0.6, 4.0), (0.8, 2.0), (0.9, 2.0), (1.0, 2.0)]
        {
            assert!((interpolate(&table, at) - expected).abs() < 1e-12, "{at}");
        }
    }

    #[test]
    fn costs_grow_with_the_task() {
        assert!(scan_cycles(1024, 50, 0.5) < scan_cycles(1024, 250, 0.5));
        assert!(scan_cycles(1024, 250, 0.5) < scan_cycles(1024, 250, 0.35));
        assert!(join_cycles(1024, 20, 0.5, 1e5, 5e9) < join_cycles(1024, 100, 0.5, 1e5, 5e9));
        assert!(join_cycles(64, 64, 0.5, 1e5, 5e9).is_infinite());
        let exact = |cosine, background| exact_cycles(1e5, 184.0, 5e9, cosine, background);
        assert!(exact(0.95, 0.3) < exact(0.8, 0.3) && exact(0.8, 0.3) < exact(0.8, 0.4));
    }
}
