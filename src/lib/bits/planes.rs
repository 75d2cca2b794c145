//! Bit planes: rows of bits stored by position, so that some positions of all rows can be gathered without touching the others.

use rayon::prelude::*;

use super::transpose::transpose;

/// Rows per block: their bits of one position fill a cache line.
const ROWS_PER_BLOCK: usize = 512;
/// Words per cache line.
const WORDS_PER_LINE: usize = ROWS_PER_BLOCK / 64;

/// Bits of rows by position. Takes as much memory as the rows.
pub struct BitPlanes {
    rows: usize,
    words: usize,
    /// For each block of rows and each bit position: the bits of the rows, the first the lowest.
    lines: Vec<[u64; WORDS_PER_LINE]>,
}

impl BitPlanes {
    /// Transposes rows of `words` words each; the first bit of a row is the highest of its first word.
    pub fn new(rows: &[u64], words: usize) -> Self {
        let count = rows.len() / words;
        let blocks = count.div_ceil(ROWS_PER_BLOCK);
        let mut lines = vec![[0; WORDS_PER_LINE]; blocks * words * 64];
        lines
            .par_chunks_mut(words * 64)
            .zip(rows.par_chunks(ROWS_PER_BLOCK * words))
            .for_each(|(lines, rows)| transpose_block(lines, rows, words));
        BitPlanes { rows: count, words, lines }
    }

    /// Gathers the bits of every row at these positions, at most 32, the first the highest of 32. Calls `put` with the entry of the row in `out`, the
    /// bits and the row number.
    pub fn gather<T: Send>(
        &self,
        positions: &[usize],
        out: &mut [T],
        put: impl Fn(&mut T, u32, usize) + Sync,
    ) {
        assert!(positions.len() <= 32 && out.len() == self.rows, "one entry per row");
        let gather_block =
            |(number, (lines, out)): (usize, (&[[u64; WORDS_PER_LINE]], &mut [T]))| {
                for (word, out) in out.chunks_mut(64).enumerate() {
                    let mut block = [0u64; 64];
                    for (at, position) in positions.iter().enumerate() {
                        block[31 - at] = lines[*position][word];
                    }
                    transpose(&mut block);
                    let first = number * ROWS_PER_BLOCK + word * 64;
                    for (row, place) in out.iter_mut().enumerate() {
                        put(place, block[row] as u32, first + row);
                    }
                }
            };
        self.lines
            .par_chunks(self.words * 64)
            .zip(out.par_chunks_mut(ROWS_PER_BLOCK))
            .enumerate()
            .for_each(gather_block);
    }
}

fn transpose_block(lines: &mut [[u64; WORDS_PER_LINE]], rows: &[u64], words: usize) {
    for word in 0..words {
        for (number, rows) in rows.chunks(64 * words).enumerate() {
            let mut block = [0u64; 64];
            for (place, row) in block.iter_mut().zip(rows.chunks_exact(words)) {
                *place = row[word];
            }
            transpose(&mut block);
            for (bit, plane) in block.iter().rev().enumerate() {
                lines[word * 64 + bit][number] = *plane;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gathered_bits_match_the_rows(
            words in 1usize..4, rows in 0usize..1100, seed: u64,
            picks in prop::collection::vec(any::<prop::sample::Index>(), 0..32),
        ) {
            // Arbitrary bits that differ.
            let bits: Vec<u64> = (0..(rows * words) as u64)
                .map(|n| (n ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
                .collect();
            let positions: Vec<usize> = picks.iter().map(|pick| pick.index(words * 64)).collect();
            let mut gathered = vec![0u32; rows];
            BitPlanes::new(&bits, words).gather(&positions, &mut gathered, |place, key, _| *place = key);
            for (row, key) in bits.chunks_exact(words).zip(gathered) {
                let mut expected = 0;
                for (at, position) in positions.iter().enumerate() {
                    let bit = row[position / 64] >> (63 - position % 64) & 1;
                    expected |= (bit as u32) << (31 - at);
                }
                prop_assert_eq!(key, expected);
            }
        }
    }
}
