//! Components of four levels from AES, as described in FIPS 197: bytes, a field of 256 elements, rows and columns.

use std::sync::LazyLock;

/// Returns the product of two elements of the field.
fn product(left: u8, right: u8) -> u8 {
    (0..8).filter(|bit| right >> bit & 1 == 1).fold(0, |sum, bit| {
        sum ^ (0..bit).fold(left, |shifted, _| shifted << 1 ^ if shifted > 127 { 0x1B } else { 0 })
    })
}

/// Returns the substitute of a byte: its inverse, whose bits are then added to those four, five, six and seven places on.
fn substitute(byte: u8) -> u8 {
    let inverse = (0..=255).find(|other| product(byte, *other) == 1).unwrap_or(0);
    let bit = |at: u8| {
        [0, 4, 5, 6, 7].iter().fold(0x63 >> at, |sum, on| sum ^ inverse >> ((at + on) % 8)) & 1
    };
    (0..8).fold(0, |sum, at| sum | bit(at) << at)
}

static SUBSTITUTES: LazyLock<[u8; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| substitute(byte as u8)));

/// Runs one step on the state, stored column by column: byte `row + 4 · column`.
fn round(state: [u8; 16], table: &[u8; 256], is_last: bool) -> [u8; 16] {
    let shifted =
        |row: usize, column: usize| table[usize::from(state[row + 4 * ((column + row) % 4)])];
    std::array::from_fn(|at| {
        let (row, column) = (at % 4, at / 4);
        let cell = |down: usize| shifted((row + down) % 4, column);
        if is_last {
            cell(0)
        } else {
            product(cell(0), 2) ^ product(cell(1), 3) ^ cell(2) ^ cell(3)
        }
    })
}

/// 128 random bits by key and number: seven rounds, whose keys advance by a constant.
fn block(mut key: [u64; 2], number: [u64; 2], table: &[u8; 256]) -> u128 {
    let bytes =
        |halves: [u64; 2]| (u128::from(halves[1]) << 64 | u128::from(halves[0])).to_le_bytes();
    let xor = |left: [u8; 16], right: [u8; 16]| std::array::from_fn(|at| left[at] ^ right[at]);
    let mut state: [u8; 16] = xor(bytes(number), bytes(key));
    for count in 1..=7 {
        key = [key[0].wrapping_add(0x9E3779B97F4A7C15), key[1].wrapping_add(0xBB67AE8584CAA73B)];
        state = xor(round(state, table, count == 7), bytes(key));
    }
    // The first word's first bit is the first.
    u128::from_le_bytes(state).rotate_left(64)
}

/// Component `term` of the first `bits` random vectors.
pub fn row(seed: u64, term: usize, bits: usize) -> Vec<i64> {
    let key = [seed, u64::from_le_bytes(*b"levels\0\0")];
    let mut row = Vec::new();
    for group in 0..bits.div_ceil(128) as u64 {
        let [a, b, c, d] =
            [0, 1, 2, 3].map(|at| block(key, [term as u64, 4 * group + at], &SUBSTITUTES));
        row.extend((0..128).rev().map(|bit| {
            let [a, b, c, d] = [a, b, c, d].map(|block| (block >> bit & 1) as i64);
            2 * (2 * a + (a ^ (b | c | d))) - 3
        }));
    }
    row.truncate(bits);
    row
}
