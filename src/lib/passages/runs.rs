//! The longest common run of words.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::pair::WordRanges;
use super::prepared::PreparedText;

/// Multiplier of the polynomial hash: an odd number with random digits.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the number of words of the longest run, unstemmed, that both sides of a passage have.
///
/// If both have a run of n words they have one of n − 1, so the length is found by bisection; runs of one length are compared by polynomial hashes. Time:
/// n log n in the words.
pub(super) fn longest_run(
    suspicious: &PreparedText<'_>,
    source: &PreparedText<'_>,
    words: &WordRanges,
) -> usize {
    let hashes = |text: &PreparedText<'_>, words: &Range<usize>| {
        words.clone().map(|word| text.word_hash(word)).collect::<Vec<u64>>()
    };
    longest_common(&hashes(suspicious, &words.suspicious), &hashes(source, &words.source))
}

/// Returns the length of the longest common run of two sequences.
pub(super) fn longest_common(left: &[u64], right: &[u64]) -> usize {
    let (mut known, mut limit) = (0, left.len().min(right.len()));
    while known < limit {
        let length = known + (limit - known).div_ceil(2);
        match has_common(left, right, length) {
            true => known = length,
            false => limit = length - 1,
        }
    }
    known
}

fn has_common(left: &[u64], right: &[u64], length: usize) -> bool {
    let mut known = FxHashSet::default();
    run_hashes(left, length, |hash| {
        known.insert(hash);
        false
    });
    run_hashes(right, length, |hash| known.contains(&hash))
}

/// Calls `visit` with the hashes of all runs of a length until it returns true, and returns whether it did.
fn run_hashes(words: &[u64], length: usize, mut visit: impl FnMut(u64) -> bool) -> bool {
    let power = (0..length).fold(1u64, |power, _| power.wrapping_mul(MULTIPLIER));
    let mut hash = 0u64;
    for (at, word) in words.iter().enumerate() {
        hash = hash.wrapping_mul(MULTIPLIER).wrapping_add(*word);
        if at >= length {
            hash = hash.wrapping_sub(words[at - length].wrapping_mul(power));
        }
        if at + 1 >= length && visit(hash) {
            return true;
        }
    }
    false
}
