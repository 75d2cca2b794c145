//! Distances of two signatures to more than a hundred at once, by looking up their bits four at a time.
//!
//! A tile holds the bits of its columns as numbers of four bits, one a byte. In how many of four bits two rows differ from a column is one
//! look-up in a table of sixteen entries, which AVX2 does for 32 columns with one instruction: the lower half of an entry counts for
//! the first row, the upper half for the second. There are only 256 such tables, one for every four bits of each of two rows.
//!
//! An entry counts three at most, so that five of them fit half a byte: a sixteenth of the look-ups count one too few. Sums of a group of five are
//! taken apart: the lower halves are masked and added; the whole bytes are averaged in pairs, again and again, which keeps the upper halves
//! within a byte and costs no mask. All in all 2.5 operations for four bits of 64 pairs, less than the 3.4 a bit and 256 pairs of
//! [`super::sliced`] where there is no ternary logic.
//!
//! Sums are never too high, so a prefix whose sum is more than the greatest distance settles a pair. The few that remain are for the caller
//! to count in full, so nothing is lost.

use rayon::prelude::*;

use super::bytes::{BYTES, ByteVector};

/// Bits that are looked up at once.
const NIBBLE: usize = 4;
/// The most that an entry of a table counts.
const MOST_OF_ENTRY: u32 = 3;
/// Look-ups that are added before their sums are taken apart: what half a byte holds.
const GROUP: usize = 15 / MOST_OF_ENTRY as usize;
/// A prefix is a multiple of this.
pub const GROUP_BITS: usize = GROUP * NIBBLE;
/// Vectors of a tile: a table that was loaded serves for all, and the bits of the tile fit the first cache.
const VECTORS: usize = 4;
/// Columns of a tile.
pub const COLUMNS: usize = VECTORS * BYTES;
/// The greatest distance that sums of a byte can tell from more.
pub const MOST_DISTANCE: u32 = u8::MAX as u32 - 1;

/// By the bits of two rows, the second's in the upper half, and those of a column, in how many they differ.
static TABLES: Tables = tables();

type Tables = [[u8; 16]; 256];

const fn tables() -> Tables {
    let mut tables = [[0; 16]; 256];
    let mut at = 0;
    while at < 256 * 16 {
        let (rows, column) = (at / 16, at % 16);
        let (first, second) = (differing(rows % 16, column), differing(rows / 16, column));
        tables[rows][column] = first | second << NIBBLE;
        at += 1;
    }
    tables
}

const fn differing(row: usize, column: usize) -> u8 {
    let count = (row ^ column).count_ones();
    (if count < MOST_OF_ENTRY { count } else { MOST_OF_ENTRY }) as u8
}

/// What a tile would count of the first `groups` groups of two signatures.
pub fn counted(left: &[u64], right: &[u64], groups: usize) -> u32 {
    /// The lowest bit of every four.
    const LOWEST: u64 = 0x1111_1111_1111_1111;
    let mut bits = groups * GROUP_BITS;
    let mut sum = 0;
    for (l, r) in left.iter().zip(right) {
        let mut differing = l ^ r;
        if bits < 64 {
            differing &= !(u64::MAX >> bits);
        }
        let all_four = differing & differing >> 1 & differing >> 2 & differing >> 3 & LOWEST;
        sum += differing.count_ones() - all_four.count_ones();
        bits = bits.saturating_sub(64);
        if bits == 0 {
            break;
        }
    }
    sum
}

/// Four bits of a signature; the first bit is the highest of the first word.
#[inline(always)]
fn nibble(words: &[u64], position: usize) -> u8 {
    let shift = 60 - position % 16 * NIBBLE;
    (words[position / 16] >> shift) as u8 & 0xf
}

/// The bits of rows, two rows a byte.
pub struct ShuffledPatterns {
    positions: usize,
    bytes: Vec<u8>,
}

impl ShuffledPatterns {
    /// The first `groups * GROUP_BITS` bits of `rows` signatures, of which `words` gives each.
    pub fn new<'a>(groups: usize, rows: usize, words: impl Fn(usize) -> &'a [u64] + Sync) -> Self {
        let positions = groups * GROUP;
        let mut bytes = vec![0; rows.div_ceil(2) * positions];
        if positions > 0 {
            bytes.par_chunks_mut(positions).enumerate().for_each(|(pair, bytes)| {
                for (row, shift) in [(2 * pair, 0), (2 * pair + 1, NIBBLE)] {
                    if row < rows {
                        let words = words(row);
                        for (position, byte) in bytes.iter_mut().enumerate() {
                            *byte |= nibble(words, position) << shift;
                        }
                    }
                }
            });
        }
        ShuffledPatterns { positions, bytes }
    }

    fn of(&self, pair: usize) -> &[u8] {
        &self.bytes[pair * self.positions..(pair + 1) * self.positions]
    }
}

/// What rows are compared with: the bits of some columns, position by position.
pub struct ShuffledTile<B> {
    nibbles: Vec<[B; VECTORS]>,
}

impl<B: ByteVector> ShuffledTile<B> {
    /// Room for prefixes of so many groups.
    #[inline(always)]
    pub fn new(groups: usize) -> Self {
        ShuffledTile { nibbles: vec![[B::splat(0); VECTORS]; groups * GROUP] }
    }

    /// Takes other columns: `column(k)` are the words of column `k`, if there is one.
    #[inline(always)]
    pub fn fill<'a>(&mut self, column: impl Fn(usize) -> Option<&'a [u64]>) {
        for (word, nibbles) in self.nibbles.chunks_mut(64 / NIBBLE).enumerate() {
            let words: [u64; COLUMNS] =
                std::array::from_fn(|k| column(k).map_or(0, |words| words[word]));
            for (position, vectors) in nibbles.iter_mut().enumerate() {
                for (vector, words) in vectors.iter_mut().zip(words.as_chunks().0) {
                    let bytes: [u8; BYTES] = words.map(|word| nibble(&[word], position));
                    *vector = B::from_bytes(&bytes);
                }
            }
        }
    }

    /// Appends to `found` the rows, by number, and columns (the first as the lowest bit) of which the prefixes may be at most `most` apart. `rows`
    /// starts with an even number. Columns that are not there, and a row past an odd number of them, are among them where they look like it.
    #[inline(always)]
    pub fn near(
        &self,
        patterns: &ShuffledPatterns,
        rows: std::ops::Range<usize>,
        most: u32,
        found: &mut Vec<(usize, [u64; COLUMNS / 64])>,
    ) {
        debug_assert!(most <= MOST_DISTANCE && rows.start.is_multiple_of(2));
        // Hidden, so that the address stays in a register; else it is looked up again for every table.
        let tables = std::hint::black_box(&TABLES);
        for pair in rows.start / 2..rows.end.div_ceil(2) {
            let [first, second] = self.sums(tables, patterns.of(pair));
            tell(2 * pair, &first, most as u8, found);
            tell(2 * pair + 1, &second, most as u8, found);
        }
    }

    /// The sums of two rows.
    #[inline(always)]
    fn sums(&self, tables: &Tables, pattern: &[u8]) -> [[B; VECTORS]; 2] {
        let mut sums = [[B::splat(0); VECTORS]; 2];
        let (eights, nibbles) = self.nibbles.as_chunks::<{ 8 * GROUP }>();
        let (eight_patterns, pattern) = pattern.as_chunks();
        for (nibbles, pattern) in eights.iter().zip(eight_patterns) {
            eight_groups(tables, nibbles, pattern).add_to::<3, 1>(&mut sums);
        }
        let (fours, nibbles) = nibbles.as_chunks::<{ 4 * GROUP }>();
        let (four_patterns, pattern) = pattern.as_chunks();
        for (nibbles, pattern) in fours.iter().zip(four_patterns) {
            four_groups(tables, nibbles, pattern, 0).add_to::<2, 2>(&mut sums);
        }
        for (nibbles, pattern) in nibbles.as_chunks().0.iter().zip(pattern.as_chunks().0) {
            group::<B, GROUP>(tables, nibbles, pattern, 0).add_to::<0, 4>(&mut sums);
        }
        sums
    }
}

#[inline(always)]
fn tell<B: ByteVector>(
    row: usize,
    sums: &[B; VECTORS],
    most: u8,
    found: &mut Vec<(usize, [u64; COLUMNS / 64])>,
) {
    let mut words = [0; COLUMNS / 64];
    for (vector, sum) in sums.iter().enumerate() {
        words[vector / 2] |= u64::from(sum.at_most(most)) << (vector % 2 * BYTES);
    }
    if words[0] | words[1] != 0 {
        found.push((row, words));
    }
}

/// What some groups, a power of two, count for two rows.
struct Counts<B> {
    /// The average of the groups' bytes: sixteen times what counts for the second row, and what counts for the first. Each averaging may
    /// add a half by rounding up: one and a half for eight groups.
    mixed: [B; VECTORS],
    /// What counts for the first row.
    first: [B; VECTORS],
}

impl<B: ByteVector> Counts<B> {
    #[inline(always)]
    fn join(mut self, other: Self) -> Self {
        for vector in 0..VECTORS {
            self.mixed[vector] = self.mixed[vector].average(other.mixed[vector]);
            self.first[vector] = self.first[vector].add(other.first[vector]);
        }
        self
    }

    /// Adds what `2^LOG` groups count, eight at most, to the sums of both rows; `REST` is `4 - LOG`. Without the first row's share, rounded up,
    /// what is mixed is `2^REST` times what counts for the second row and less than two more, so not less and at most one more, which the
    /// shift cuts off.
    #[inline(always)]
    fn add_to<const LOG: i32, const REST: i32>(self, sums: &mut [[B; VECTORS]; 2]) {
        let [firsts, seconds] = sums;
        for (vector, (first, second)) in firsts.iter_mut().zip(seconds).enumerate() {
            let share = self.first[vector].add(B::splat((1 << LOG) - 1)).shift_right::<LOG>();
            let rest = self.mixed[vector].sub(share).shift_right::<REST>();
            *first = first.saturating_add(self.first[vector]);
            *second = second.saturating_add(rest);
        }
    }
}

#[inline(always)]
fn eight_groups<B: ByteVector, const N: usize>(
    tables: &Tables,
    nibbles: &[[B; VECTORS]; N],
    pattern: &[u8; N],
) -> Counts<B> {
    four_groups(tables, nibbles, pattern, 0).join(four_groups(tables, nibbles, pattern, 4))
}

#[inline(always)]
fn four_groups<B: ByteVector, const N: usize>(
    tables: &Tables,
    nibbles: &[[B; VECTORS]; N],
    pattern: &[u8; N],
    first: usize,
) -> Counts<B> {
    let lower =
        group(tables, nibbles, pattern, first).join(group(tables, nibbles, pattern, first + 1));
    let upper =
        group(tables, nibbles, pattern, first + 2).join(group(tables, nibbles, pattern, first + 3));
    lower.join(upper)
}

/// What the group of this number counts.
#[inline(always)]
fn group<B: ByteVector, const N: usize>(
    tables: &Tables,
    nibbles: &[[B; VECTORS]; N],
    pattern: &[u8; N],
    number: usize,
) -> Counts<B> {
    let start = number * GROUP;
    let mut loaded = [B::splat(0); GROUP];
    for (at, table) in loaded.iter_mut().enumerate() {
        *table = B::table(&tables[usize::from(pattern[start + at])]);
    }
    let mut mixed = [B::splat(0); VECTORS];
    let mut first = mixed;
    for vector in 0..VECTORS {
        let mut sum = loaded[0].look_up(nibbles[start][vector]);
        for (at, table) in loaded.iter().enumerate().skip(1) {
            sum = sum.add(table.look_up(nibbles[start + at][vector]));
        }
        mixed[vector] = sum;
        first[vector] = sum.and(B::splat(0xf));
    }
    Counts { mixed, first }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::cpu::Cpu;
    use crate::bits::vector::{BitVector, Kernel};
    use proptest::prelude::*;

    const WORDS: usize = 10;

    /// The rows and columns that a tile finds.
    struct Near<'a> {
        rows: &'a [[u64; WORDS]],
        columns: &'a [[u64; WORDS]],
        groups: usize,
        most: u32,
    }

    impl Kernel for Near<'_> {
        type Output = Vec<(usize, usize)>;
        #[inline(always)]
        fn run<V: BitVector>(self) -> Self::Output {
            let patterns =
                ShuffledPatterns::new(self.groups, self.rows.len(), |row| &self.rows[row]);
            let mut tile = ShuffledTile::<V::Bytes>::new(self.groups);
            tile.fill(|k| self.columns.get(k).map(|words| &words[..]));
            let mut found = Vec::new();
            tile.near(&patterns, 0..self.rows.len(), self.most, &mut found);
            let mut all = Vec::new();
            for (row, words) in found {
                let lanes = (0..COLUMNS).filter(|k| words[k / 64] >> (k % 64) & 1 == 1);
                all.extend(lanes.map(|k| (row, k)));
            }
            let (rows, columns) = (self.rows.len(), self.columns.len());
            all.retain(|(row, column)| *row < rows && *column < columns);
            all
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Sums are exactly what is said to be counted, whatever saturates, and for every number of groups.
        #[test]
        fn what_is_found_is_what_is_counted(
            rows in prop::collection::vec(any::<[u64; WORDS]>(), 1..8),
            ors in prop::collection::vec(any::<[u64; WORDS]>(), 1..140),
            dense in 0..3usize, groups in 0..=WORDS * 64 / GROUP_BITS, most in 0..=MOST_DISTANCE,
        ) {
            // Columns that are far from some row, at random, or near its opposite.
            let columns: Vec<[u64; WORDS]> = ors.iter().take(COLUMNS).enumerate().map(|(k, ors)| {
                let row = rows[k % rows.len()];
                std::array::from_fn(|at| [ors[at], row[at] ^ ors[at] & ors[(at + 1) % WORDS], !row[at]][dense])
            }).collect();
            let mut expected = Vec::new();
            for (number, row) in rows.iter().enumerate() {
                for (k, column) in columns.iter().enumerate() {
                    if counted(row, column, groups) <= most {
                        expected.push((number, k));
                    }
                }
            }
            for cpu in Cpu::available() {
                let near = Near { rows: &rows, columns: &columns, groups, most };
                prop_assert_eq!(&cpu.run(near), &expected, "{:?}", cpu);
            }
        }
    }
}
