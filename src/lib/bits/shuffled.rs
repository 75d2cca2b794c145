//! Hamming distances of two signatures to more than a hundred at once, by nibble lookups.
//!
//! A tile holds the bits of its columns as nibbles, one per byte. The number of differing bits of a nibble of two rows and a column is one lookup in
//! a table of sixteen entries, which AVX2 does for 32 columns with one instruction: the lower half of an entry counts for the first row, the upper
//! half for the second. There are only 256 such tables, one per pair of nibbles.
//!
//! An entry counts at most three, so that the sum of five fits half a byte: one in sixteen lookups counts one too few. The sums of a group of five
//! are separated: the lower halves are masked and added; the whole bytes are averaged in pairs repeatedly, which keeps the upper halves within a
//! byte and needs no mask. In total 2.5 operations for four bits of 64 pairs, less than the 3.4 per bit and 256 pairs of [`super::sliced`] without
//! ternary logic.
//!
//! Sums are never too high, so a prefix whose sum exceeds the maximum distance rules out a pair. The caller verifies the few that remain, so
//! nothing is lost.

use rayon::prelude::*;

use super::bytes::{BYTES, ByteVector};

/// Bits per lookup.
const NIBBLE: usize = 4;
/// Maximum count of a table entry.
const MAX_ENTRY: u32 = 3;
/// Lookups added before their sums are separated: their sum fits half a byte.
const GROUP: usize = 15 / MAX_ENTRY as usize;
/// Bits per group; a prefix is a whole number of groups.
pub const GROUP_BITS: usize = GROUP * NIBBLE;
/// Vectors per tile: a loaded table serves all, and the bits of the tile fit L1.
const VECTORS: usize = 4;
/// Columns per tile.
pub const COLUMNS: usize = VECTORS * BYTES;
/// Maximum distance that byte sums can distinguish from larger ones.
pub const MAX_DISTANCE: u32 = u8::MAX as u32 - 1;

/// Counts of differing bits by the nibbles of two rows, the second in the upper half, and of a column.
static TABLES: LookupTables = tables();

type LookupTables = [[u8; 16]; 256];

const fn tables() -> LookupTables {
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
    (if count < MAX_ENTRY { count } else { MAX_ENTRY }) as u8
}

/// Returns the sum of a tile for the first `groups` groups of two signatures.
pub fn counted(left: &[u64], right: &[u64], groups: usize) -> u32 {
    /// The lowest bit of every nibble.
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

/// Returns a nibble of a signature; the first bit is the highest of the first word.
#[inline(always)]
fn nibble(words: &[u64], position: usize) -> u8 {
    let shift = 60 - position % 16 * NIBBLE;
    (words[position / 16] >> shift) as u8 & 0xf
}

/// Nibbles of rows, two rows per byte.
pub struct ShuffledPatterns {
    positions: usize,
    bytes: Vec<u8>,
}

impl ShuffledPatterns {
    /// Returns the first `groups * GROUP_BITS` bits of `rows` signatures; `words` returns each.
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

/// Nibbles of the columns that rows are compared with, by position.
pub struct ShuffledTile<B> {
    nibbles: Vec<[B; VECTORS]>,
}

impl<B: ByteVector> ShuffledTile<B> {
    /// Returns a tile for prefixes of `groups` groups.
    #[inline(always)]
    pub fn new(groups: usize) -> Self {
        ShuffledTile { nibbles: vec![[B::splat(0); VECTORS]; groups * GROUP] }
    }

    /// Replaces the columns: `column(k)` returns the words of column `k`, if there is one.
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

    /// Appends to `found` each row and the columns (the first the lowest bit) whose prefixes may be at most `max` apart. `rows` starts with an even
    /// number. Missing columns, and the row after an odd number of rows, may be among them.
    #[inline(always)]
    pub fn near(
        &self,
        patterns: &ShuffledPatterns,
        rows: std::ops::Range<usize>,
        max: u32,
        found: &mut Vec<(usize, [u64; COLUMNS / 64])>,
    ) {
        debug_assert!(max <= MAX_DISTANCE && rows.start.is_multiple_of(2));
        // Hidden from the optimizer, so that the address stays in a register.
        let tables = std::hint::black_box(&TABLES);
        for pair in rows.start / 2..rows.end.div_ceil(2) {
            let [first, second] = self.sums(tables, patterns.of(pair));
            report(2 * pair, &first, max as u8, found);
            report(2 * pair + 1, &second, max as u8, found);
        }
    }

    /// Returns the sums of two rows.
    #[inline(always)]
    fn sums(&self, tables: &LookupTables, pattern: &[u8]) -> [[B; VECTORS]; 2] {
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
fn report<B: ByteVector>(
    row: usize,
    sums: &[B; VECTORS],
    max: u8,
    found: &mut Vec<(usize, [u64; COLUMNS / 64])>,
) {
    let mut words = [0; COLUMNS / 64];
    for (vector, sum) in sums.iter().enumerate() {
        words[vector / 2] |= u64::from(sum.at_most(max)) << (vector % 2 * BYTES);
    }
    if words[0] | words[1] != 0 {
        found.push((row, words));
    }
}

/// Counts of a power of two of groups for two rows.
struct GroupCounts<B> {
    /// Average of the bytes of groups: sixteen times the count of the second row, plus the count of the first. Each averaging may add a half by
    /// rounding up: one and a half for eight groups.
    mixed: [B; VECTORS],
    /// Count of the first row.
    first: [B; VECTORS],
}

impl<B: ByteVector> GroupCounts<B> {
    #[inline(always)]
    fn join(mut self, other: Self) -> Self {
        for vector in 0..VECTORS {
            self.mixed[vector] = self.mixed[vector].average(other.mixed[vector]);
            self.first[vector] = self.first[vector].add(other.first[vector]);
        }
        self
    }

    /// Adds the counts of `2^LOG` groups, at most eight, to the sums of both rows; `REST` is `4 - LOG`. Without the share of the first row, rounded
    /// up, the average is `2^REST` times the count of the second row, plus at most one, which the shift cuts off.
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
    tables: &LookupTables,
    nibbles: &[[B; VECTORS]; N],
    pattern: &[u8; N],
) -> GroupCounts<B> {
    four_groups(tables, nibbles, pattern, 0).join(four_groups(tables, nibbles, pattern, 4))
}

#[inline(always)]
fn four_groups<B: ByteVector, const N: usize>(
    tables: &LookupTables,
    nibbles: &[[B; VECTORS]; N],
    pattern: &[u8; N],
    first: usize,
) -> GroupCounts<B> {
    let lower =
        group(tables, nibbles, pattern, first).join(group(tables, nibbles, pattern, first + 1));
    let upper =
        group(tables, nibbles, pattern, first + 2).join(group(tables, nibbles, pattern, first + 3));
    lower.join(upper)
}

/// Returns the counts of one group.
#[inline(always)]
fn group<B: ByteVector, const N: usize>(
    tables: &LookupTables,
    nibbles: &[[B; VECTORS]; N],
    pattern: &[u8; N],
    number: usize,
) -> GroupCounts<B> {
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
    GroupCounts { mixed, first }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::cpu::Cpu;
    use crate::bits::vector::{BitVector, Kernel};
    use proptest::prelude::*;

    const WORDS: usize = 10;

    /// Finds rows and columns with a tile.
    struct FindNear<'a> {
        rows: &'a [[u64; WORDS]],
        columns: &'a [[u64; WORDS]],
        groups: usize,
        max: u32,
    }

    impl Kernel for FindNear<'_> {
        type Output = Vec<(usize, usize)>;
        #[inline(always)]
        fn run<V: BitVector>(self) -> Self::Output {
            let patterns =
                ShuffledPatterns::new(self.groups, self.rows.len(), |row| &self.rows[row]);
            let mut tile = ShuffledTile::<V::Bytes>::new(self.groups);
            tile.fill(|k| self.columns.get(k).map(|words| &words[..]));
            let mut found = Vec::new();
            tile.near(&patterns, 0..self.rows.len(), self.max, &mut found);
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
        /// Sums equal those of `counted`, saturated or not, for every number of groups.
        #[test]
        fn found_columns_match_the_counted_sums(
            rows in prop::collection::vec(any::<[u64; WORDS]>(), 1..8),
            ors in prop::collection::vec(any::<[u64; WORDS]>(), 1..140),
            dense in 0..3usize, groups in 0..=WORDS * 64 / GROUP_BITS, max in 0..=MAX_DISTANCE,
        ) {
            // Random columns, columns near a row, and complements.
            let columns: Vec<[u64; WORDS]> = ors.iter().take(COLUMNS).enumerate().map(|(k, ors)| {
                let row = rows[k % rows.len()];
                std::array::from_fn(|at| [ors[at], row[at] ^ ors[at] & ors[(at + 1) % WORDS], !row[at]][dense])
            }).collect();
            let mut expected = Vec::new();
            for (number, row) in rows.iter().enumerate() {
                for (k, column) in columns.iter().enumerate() {
                    if counted(row, column, groups) <= max {
                        expected.push((number, k));
                    }
                }
            }
            for cpu in Cpu::available() {
                let near = FindNear { rows: &rows, columns: &columns, groups, max };
                prop_assert_eq!(&cpu.run(near), &expected, "{:?}", cpu);
            }
        }
    }
}
