//! Bit-parallel longest common subsequence (Crochemore, Iliopoulos, Pinzon, Reid 2001), in strips of columns and in a band.
//!
//! Let L(i, j) be the longest common subsequence of the first i characters of the right text (rows) and the first j of the left one (columns).
//! A row is stored as bits: 0 where L grows by 1 from a column to the next. Its successor is (V + (V & M)) | (V & !M), where M marks the columns
//! that equal the character of the row; the carry out of a word is the growth of L from row to row at its last column.
//!
//! So columns can be computed strip by strip, all rows of one before the next, with one carry per row in between. Tables of M then take little memory
//! for any alphabet, and stay in the cache.
//!
//! If the texts have at least `needed` characters in common, some longest common subsequence leaves out at most `n - needed` and `m - needed` characters
//! of each, so its path stays that close to the diagonal: rows of a strip outside of this band are skipped, which can only make L smaller.

use super::Codes;

/// Words per strip.
const WORDS: usize = 16;
/// Columns per strip.
const COLUMNS: usize = 64 * WORDS;

/// One row of a strip.
type Row = [u64; WORDS];

/// Returns about how many word operations [`reaches`] takes for texts of these lengths.
pub(super) fn words(columns: usize, rows: usize, needed: usize) -> u64 {
    let band = (columns + rows - 2 * needed + COLUMNS).min(rows);
    (columns.div_ceil(COLUMNS) * WORDS) as u64 * band as u64
}

/// Returns whether the longest common subsequence has at least `needed` characters, at least one and at most as many as the shorter text.
pub(super) fn reaches(codes: &Codes, needed: usize) -> bool {
    let (columns, rows) = (codes.left.len(), codes.right.len());
    let mut masks = StripMasks::new(codes.count + 1);
    // Growth of L from row to row at the last column so far.
    let mut carries = vec![false; rows];
    let mut common = 0;
    for first in (0..columns).step_by(COLUMNS) {
        let last = (first + COLUMNS).min(columns);
        masks.set(&codes.left[first..last]);
        let start = first.saturating_sub(columns - needed).min(rows);
        let end = (last + rows - needed).min(rows);
        common += masks.advance(&codes.right[start..end], &mut carries[start..end]);
        carries[..start].fill(false);
        if common >= needed {
            return true;
        }
        if upper_bound(&carries, common, columns - last) < needed {
            return false;
        }
    }
    false
}

/// Returns an upper bound of L at the end: along the last column so far, L plus as many characters as both texts have left. `common` is L at the
/// last row.
fn upper_bound(carries: &[bool], common: usize, columns_left: usize) -> usize {
    let mut reached = common;
    let mut bound = common;
    for (rows_left, carry) in (1..).zip(carries.iter().rev()) {
        reached -= usize::from(*carry).min(reached);
        bound = bound.max(reached + columns_left.min(rows_left));
    }
    bound
}

/// Columns of a strip that equal each character.
struct StripMasks {
    /// Position of the mask of each code; 0 is the empty mask.
    positions: Vec<u32>,
    masks: Vec<Row>,
    /// Codes of the strip.
    present: Vec<u32>,
}

impl StripMasks {
    fn new(codes: usize) -> Self {
        StripMasks { positions: vec![0; codes], masks: vec![[0; WORDS]], present: Vec::new() }
    }

    /// Replaces the columns.
    fn set(&mut self, columns: &[u32]) {
        self.present.drain(..).for_each(|code| self.positions[code as usize] = 0);
        self.masks.truncate(1);
        for (column, code) in columns.iter().enumerate() {
            let position = &mut self.positions[*code as usize];
            if *position == 0 {
                *position = self.masks.len() as u32;
                self.masks.push([0; WORDS]);
                self.present.push(*code);
            }
            self.masks[*position as usize][column / 64] |= 1 << (column % 64);
        }
    }

    /// Computes all rows. Replaces the carries into the strip by those out of it, and returns how much L grows along the last row.
    fn advance(&self, rows: &[u32], carries: &mut [bool]) -> usize {
        let mut bits = [u64::MAX; WORDS];
        for (code, carry) in rows.iter().zip(carries) {
            let mask = &self.masks[self.positions[*code as usize] as usize];
            *carry = next_row(&mut bits, mask, *carry);
        }
        bits.iter().map(|word| word.count_zeros() as usize).sum()
    }
}

/// Replaces a row by the next. Returns the carry out of it.
#[inline]
fn next_row(bits: &mut Row, mask: &Row, mut carry: bool) -> bool {
    for (bits, mask) in bits.iter_mut().zip(mask) {
        let matches = *bits & mask;
        let (sum, one) = bits.overflowing_add(matches);
        let (sum, two) = sum.overflowing_add(u64::from(carry));
        carry = one | two;
        *bits = sum | (*bits & !mask);
    }
    carry
}
