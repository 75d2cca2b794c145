//! Rolling hash of substrings (Karp and Rabin 1987): polynomials of characters modulo the prime 2⁶¹ − 1.
//!
//! Crates with a Rabin fingerprint cut files into blocks by content; none hashes all substrings of one length of a text.

const PRIME: u64 = (1 << 61) - 1;
/// The base of the polynomial: an odd number without a pattern, below the prime.
const BASE: u64 = 0x1e37_79b9_7f4a_7c15;

/// Returns a number below twice the prime modulo the prime.
#[inline]
fn reduced(number: u64) -> u64 {
    if number >= PRIME { number - PRIME } else { number }
}

/// Returns a · b modulo the prime.
#[inline]
fn multiplied(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    reduced((product as u64 & PRIME) + (product >> 61) as u64)
}

/// Calls `visit` with the start and the hash of every substring of `length` characters.
#[inline]
pub(super) fn for_each_substring(
    characters: &[char],
    length: usize,
    mut visit: impl FnMut(usize, u64),
) {
    if length == 0 || characters.len() < length {
        return;
    }
    // What the first character of a substring contributes to the next hash.
    let leaving = (0..length).fold(1, |power, _| multiplied(power, BASE));
    let (first, rest) = characters.split_at(length);
    let mut hash =
        first.iter().fold(0, |hash, next| reduced(multiplied(hash, BASE) + value(*next)));
    visit(0, hash);
    for (at, (out, next)) in characters.iter().zip(rest).enumerate() {
        let gone = multiplied(value(*out), leaving);
        hash = reduced(reduced(multiplied(hash, BASE) + value(*next)) + PRIME - gone);
        visit(at + 1, hash);
    }
}

/// Returns the coefficient of a character; none is 0, so that substrings with leading ones differ.
fn value(character: char) -> u64 {
    u64::from(character) + 1
}

/// Spreads a hash over 64 bits: sampling and order then do not depend on the last characters (Stafford's variant 13 of MurmurHash3's finalizer).
pub(super) fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The polynomial by its definition.
    fn naive(text: &[char]) -> u64 {
        let modulus = u128::from(PRIME);
        let sum = text.iter().fold(0u128, |sum, character| {
            (sum * u128::from(BASE) + u128::from(value(*character))) % modulus
        });
        sum as u64
    }

    proptest! {
        #[test]
        fn hashes_are_polynomials(text in "[a-c\u{0}\u{10ffff}]{0,30}", length in 1usize..8) {
            let characters: Vec<char> = text.chars().collect();
            let mut found = Vec::new();
            for_each_substring(&characters, length, |start, hash| found.push((start, hash)));
            let expected: Vec<(usize, u64)> =
                characters.windows(length).map(naive).enumerate().collect();
            prop_assert_eq!(found, expected);
        }
    }
}
