//! Bit-sliced Hamming distances of one signature to hundreds at once, without counting bits.
//!
//! A tile holds the bits of as many columns as a [`BitVector`] has lanes, as bit planes: one vector per bit position. The contribution of a group of
//! three bits of a row to its distance from each column depends on the row only through eight patterns, so it is looked up in a table built once
//! per tile (the method of the four Russians: Arlazarov, Dinic, Kronrod, Faradzhev 1970): two bit planes, which hold the counts 0 to 3. These
//! two-bit numbers are added plane by plane with full adders (carry-save, as Harley and Seal count bits): about 3.4 operations per bit for all
//! columns of a tile together, where counting bits takes at least three per word of each column.
//!
//! Groups of seven bits (three planes, the counts 0 to 7) would take 2.3 operations per bit, but their tables do not fit L1, and loads from L2 made
//! them half as fast.
//!
//! The sums of a prefix are compared with the maximum distance in the same manner. A prefix that differs too much rules out a pair; the caller
//! verifies the few that remain, so nothing is lost.

use rayon::prelude::*;

use super::transpose::transpose;
use super::vector::{BitVector, MAX_WORDS};

/// Bits per group.
const GROUP_BITS: usize = 3;
/// Number of patterns of a group.
const PATTERNS: usize = 1 << GROUP_BITS;
/// Groups added at once: their carries pair up.
const UNIT: usize = 16;
/// Bits per unit; a prefix is a whole number of units.
pub const UNIT_BITS: usize = UNIT * GROUP_BITS;
/// Bytes of the tables used together, which should fit L1 beside other data.
const TABLE_BYTES: usize = 24 << 10;
/// Rows whose partial sums stay in L2.
const ROWS_PER_BLOCK: usize = 256;
/// Maximum prefix length: its sums fit sixteen bit planes.
pub const MAX_UNITS: usize = ((1 << 16) - 1) / UNIT_BITS;

/// Two-bit number in every lane.
type Count<V> = [V; 2];
/// Counts by pattern.
type CountTable<V> = [Count<V>; PATTERNS];

/// Patterns of rows: `units * 16` bytes per row, one per group, all below eight.
pub struct SlicedPatterns {
    units: usize,
    bytes: Vec<u8>,
}

impl SlicedPatterns {
    /// Returns the patterns of the first `units * UNIT_BITS` bits of `rows` signatures; `words` returns each. The first bit is the highest of the
    /// first word.
    pub fn new<'a>(units: usize, rows: usize, words: impl Fn(usize) -> &'a [u64] + Sync) -> Self {
        let mut bytes = vec![0; rows * units * UNIT];
        if units > 0 {
            bytes.par_chunks_mut(units * UNIT).enumerate().for_each(|(row, patterns)| {
                for (group, byte) in patterns.iter_mut().enumerate() {
                    *byte = pattern(words(row), group * GROUP_BITS);
                }
            });
        }
        SlicedPatterns { units, bytes }
    }

    fn of(&self, row: usize) -> &[u8] {
        &self.bytes[row * self.units * UNIT..(row + 1) * self.units * UNIT]
    }
}

/// Returns the bits of a group from position `first` on.
#[inline(always)]
fn pattern(words: &[u64], first: usize) -> u8 {
    let (word, offset) = (first / 64, first % 64);
    let mut bits = words[word] << offset;
    if offset > 64 - GROUP_BITS {
        bits |= words[word + 1] >> (64 - offset);
    }
    (bits >> (64 - GROUP_BITS)) as u8
}

/// Tables of the columns that rows are compared with.
pub struct SlicedTile<V> {
    tables: Vec<CountTable<V>>,
}

impl<V: BitVector> SlicedTile<V> {
    /// Returns a tile for prefixes of `units` units.
    #[inline(always)]
    pub fn new(units: usize) -> Self {
        let zero = V::splat(false);
        SlicedTile { tables: vec![[[zero; 2]; PATTERNS]; units * UNIT] }
    }

    /// Replaces the columns: `column(k)` returns the words of the column in lane `k`, if there is one.
    #[inline(always)]
    pub fn fill<'a>(&mut self, column: impl Fn(usize) -> Option<&'a [u64]>) {
        let words = (self.tables.len() * GROUP_BITS).div_ceil(64);
        let mut planes = Vec::with_capacity(words * 64);
        for word in 0..words {
            append_planes::<V>(&mut planes, word, &column);
        }
        for (group, table) in self.tables.iter_mut().enumerate() {
            fill_table(table, &planes[group * GROUP_BITS..(group + 1) * GROUP_BITS]);
        }
    }

    /// Calls `found` with each row and the lanes whose prefixes are at most `max` apart. Lanes without a column may be among them. `PLANES` must
    /// hold the largest possible sum.
    #[inline(always)]
    pub fn near<const PLANES: usize>(
        &self,
        patterns: &SlicedPatterns,
        rows: std::ops::Range<usize>,
        max: u32,
        found: &mut impl FnMut(usize, &[u64]),
    ) {
        debug_assert!(patterns.units * UNIT_BITS < 1 << PLANES);
        let strip = (TABLE_BYTES / size_of::<CountTable<V>>() / UNIT).max(1) * UNIT;
        let strips = self.tables.len().div_ceil(strip);
        let zero = [V::splat(false); PLANES];
        let mut sums = vec![zero; if strips > 1 { ROWS_PER_BLOCK.min(rows.len()) } else { 0 }];
        let mut block = rows.start;
        while block < rows.end {
            let end = (block + ROWS_PER_BLOCK).min(rows.end);
            for number in 0..strips {
                let first = number * strip;
                let tables = &self.tables[first..(first + strip).min(self.tables.len())];
                for row in block..end {
                    let known = if number == 0 { zero } else { sums[row - block] };
                    let sum = add_groups(tables, &patterns.of(row)[first..], known);
                    if number + 1 < strips {
                        sums[row - block] = sum;
                    } else {
                        report(row, at_most(&sum, max), found);
                    }
                }
            }
            block = end;
        }
    }
}

#[inline(always)]
fn report<V: BitVector>(row: usize, lanes: V, found: &mut impl FnMut(usize, &[u64])) {
    if !lanes.is_zero() {
        let mut words = [0; MAX_WORDS];
        lanes.write_words(&mut words);
        found(row, &words[..V::LANES / 64]);
    }
}

/// Appends the bit planes of one word of the columns, the first bit first.
#[inline(always)]
fn append_planes<'a, V: BitVector>(
    planes: &mut Vec<V>,
    word: usize,
    column: &impl Fn(usize) -> Option<&'a [u64]>,
) {
    let mut blocks = [[0u64; 64]; MAX_WORDS];
    for (number, block) in blocks[..V::LANES / 64].iter_mut().enumerate() {
        for (lane, row) in block.iter_mut().enumerate() {
            *row = column(64 * number + lane).map_or(0, |words| words[word]);
        }
        transpose(block);
    }
    for bit in (0..64).rev() {
        let mut words = [0; MAX_WORDS];
        for (word, block) in words.iter_mut().zip(&blocks) {
            *word = block[bit];
        }
        planes.push(V::from_words(&words));
    }
}

/// Fills a table: for every pattern the number of bits in which it differs from the columns. The highest bit of a pattern is the first plane.
#[inline(always)]
fn fill_table<V: BitVector>(table: &mut CountTable<V>, planes: &[V]) {
    for (pattern, count) in table.iter_mut().enumerate() {
        let differs =
            |bit: usize| planes[bit].xor(V::splat(pattern >> (GROUP_BITS - 1 - bit) & 1 == 1));
        let (ones, twos) = differs(0).full_add(differs(1), differs(2));
        *count = [ones, twos];
    }
}

/// Adds the counts of the groups of a row.
#[inline(always)]
fn add_groups<V: BitVector, const PLANES: usize>(
    tables: &[CountTable<V>],
    patterns: &[u8],
    mut sum: [V; PLANES],
) -> [V; PLANES] {
    for (tables, patterns) in tables.chunks_exact(UNIT).zip(patterns.chunks_exact(UNIT)) {
        // SAFETY: a unit has UNIT groups, and patterns are below PATTERNS.
        let count = |group: usize| unsafe {
            let pattern = usize::from(*patterns.get_unchecked(group));
            tables.get_unchecked(group).get_unchecked(pattern)
        };
        add_unit(&mut sum, count);
    }
    sum
}

/// Adds the counts of sixteen groups: 31 full and some half adders; each carry enters the next plane.
#[inline(always)]
fn add_unit<'a, V: BitVector + 'a, const PLANES: usize>(
    sum: &mut [V; PLANES],
    count: impl Fn(usize) -> &'a Count<V>,
) {
    let (o1, n1) = add_eight(sum, &count, 0);
    let (o2, n2) = add_eight(sum, &count, 8);
    let o3;
    (sum[3], o3) = sum[3].full_add(n1, n2);
    let (p1, p2);
    (sum[4], p1) = sum[4].full_add(o1, o2);
    (sum[4], p2) = sum[4].half_add(o3);
    let mut carry;
    (sum[5], carry) = sum[5].full_add(p1, p2);
    for plane in &mut sum[6..] {
        (*plane, carry) = plane.half_add(carry);
    }
}

/// Adds the counts of eight groups from `first` on; returns the carries of weight sixteen and eight.
#[inline(always)]
fn add_eight<'a, V: BitVector + 'a, const PLANES: usize>(
    sum: &mut [V; PLANES],
    count: &impl Fn(usize) -> &'a Count<V>,
    first: usize,
) -> (V, V) {
    let (n1, m1) = add_four(sum, count, first);
    let (n2, m2) = add_four(sum, count, first + 4);
    let (n3, sixteen);
    (sum[2], n3) = sum[2].full_add(m1, m2);
    (sum[3], sixteen) = sum[3].full_add(n1, n2);
    (sixteen, n3)
}

/// Adds the counts of four groups from `first` on; returns the carries of weight eight and four.
#[inline(always)]
fn add_four<'a, V: BitVector + 'a, const PLANES: usize>(
    sum: &mut [V; PLANES],
    count: &impl Fn(usize) -> &'a Count<V>,
    first: usize,
) -> (V, V) {
    let [a, b, c, d] = [0, 1, 2, 3].map(|group| count(first + group));
    let (k1, k2, m1, m2, m3, eight);
    (sum[0], k1) = sum[0].full_add(a[0], b[0]);
    (sum[0], k2) = sum[0].full_add(c[0], d[0]);
    (sum[1], m1) = sum[1].full_add(a[1], b[1]);
    (sum[1], m2) = sum[1].full_add(c[1], d[1]);
    (sum[1], m3) = sum[1].full_add(k1, k2);
    (sum[2], eight) = sum[2].full_add(m1, m2);
    (eight, m3)
}

/// Returns the lanes whose sums are at most `max`.
#[inline(always)]
fn at_most<V: BitVector, const PLANES: usize>(sum: &[V; PLANES], max: u32) -> V {
    let mut fits = V::splat(true);
    for (plane, bits) in sum.iter().enumerate() {
        fits = if max >> plane & 1 == 1 {
            fits.or(V::splat(true).and_not(*bits))
        } else {
            fits.and_not(*bits)
        };
    }
    if max >> PLANES == 0 { fits } else { V::splat(true) }
}
