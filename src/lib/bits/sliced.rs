//! Distances of one signature to hundreds at once, without counting bits.
//!
//! A tile holds the bits of as many columns as a [`Vector`] has lanes, as planes: one vector a bit position. What a group of three bits of
//! a row adds to its distance from each column depends on the row only through eight patterns, so it is looked up in a table that is made
//! once a tile (the method of the four Russians: Arlazarov, Dinic, Kronrod, Faradzhev 1970): two planes, which hold exactly the counts
//! 0 to 3. These two-bit numbers are added plane by plane with full adders (carry-save, as Harley and Seal count bits): about 3.4
//! operations a bit for all columns of a tile together, where counting bits takes at least three for each column's word.
//!
//! Groups of seven bits (three planes, the counts 0 to 7) would take 2.3 operations a bit, but their tables do not fit the first cache, and
//! waiting for the second made them half as fast.
//!
//! Sums of a prefix are compared with the greatest distance in the same manner. A prefix that differs too much settles a pair; the few that
//! remain are for the caller to count in full, so nothing is lost.

use rayon::prelude::*;

use super::transpose::transpose;
use super::vector::{BitVector, MAX_WORDS};

/// Bits in a group.
const GROUP_BITS: usize = 3;
/// What a group of a row can look like.
const PATTERNS: usize = 1 << GROUP_BITS;
/// Groups that are added in one go: their carries pair up.
const UNIT: usize = 16;
/// A prefix is a multiple of this.
pub const UNIT_BITS: usize = UNIT * GROUP_BITS;
/// Tables that are used together should fit the first cache beside what else is needed.
const TABLE_BYTES: usize = 24 << 10;
/// Rows whose sums wait, in the second cache, for those of the next groups.
const ROWS_A_BLOCK: usize = 256;
/// The longest prefix that sums of sixteen planes hold.
pub const MOST_UNITS: usize = ((1 << 16) - 1) / UNIT_BITS;

/// A number of two bits in every lane.
type Count<V> = [V; 2];
/// Counts by pattern.
type Table<V> = [Count<V>; PATTERNS];

/// The patterns of rows: for each `units * 16` bytes, one a group, all below eight.
pub struct SlicedPatterns {
    units: usize,
    bytes: Vec<u8>,
}

impl SlicedPatterns {
    /// The patterns of the first `units * UNIT_BITS` bits of `rows` signatures, of which `words` gives each; the first bit is the highest of
    /// the first word.
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

/// A group's bits from position `first` on.
#[inline(always)]
fn pattern(words: &[u64], first: usize) -> u8 {
    let (word, offset) = (first / 64, first % 64);
    let mut bits = words[word] << offset;
    if offset > 64 - GROUP_BITS {
        bits |= words[word + 1] >> (64 - offset);
    }
    (bits >> (64 - GROUP_BITS)) as u8
}

/// What rows are compared with: the tables of some columns.
pub struct SlicedTile<V> {
    tables: Vec<Table<V>>,
}

impl<V: BitVector> SlicedTile<V> {
    /// Room for prefixes of so many units.
    #[inline(always)]
    pub fn new(units: usize) -> Self {
        let zero = V::splat(false);
        SlicedTile { tables: vec![[[zero; 2]; PATTERNS]; units * UNIT] }
    }

    /// Takes other columns: `column(k)` are the words of the column in lane `k`, if there is one.
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

    /// Tells `found` the rows, by number, and lanes of which the prefixes are at most `most` apart. Lanes without a column are
    /// among them where they look like it. `PLANES` must hold the longest possible sum.
    #[inline(always)]
    pub fn near<const PLANES: usize>(
        &self,
        patterns: &SlicedPatterns,
        rows: std::ops::Range<usize>,
        most: u32,
        found: &mut impl FnMut(usize, &[u64]),
    ) {
        debug_assert!(patterns.units * UNIT_BITS < 1 << PLANES);
        let strip = (TABLE_BYTES / size_of::<Table<V>>() / UNIT).max(1) * UNIT;
        let strips = self.tables.len().div_ceil(strip);
        let zero = [V::splat(false); PLANES];
        let mut sums = vec![zero; if strips > 1 { ROWS_A_BLOCK.min(rows.len()) } else { 0 }];
        let mut block = rows.start;
        while block < rows.end {
            let end = (block + ROWS_A_BLOCK).min(rows.end);
            for number in 0..strips {
                let first = number * strip;
                let tables = &self.tables[first..(first + strip).min(self.tables.len())];
                for row in block..end {
                    let known = if number == 0 { zero } else { sums[row - block] };
                    let sum = add_groups(tables, &patterns.of(row)[first..], known);
                    if number + 1 < strips {
                        sums[row - block] = sum;
                    } else {
                        tell(row, at_most(&sum, most), found);
                    }
                }
            }
            block = end;
        }
    }
}

#[inline(always)]
fn tell<V: BitVector>(row: usize, lanes: V, found: &mut impl FnMut(usize, &[u64])) {
    if !lanes.is_zero() {
        let mut words = [0; MAX_WORDS];
        lanes.write_words(&mut words);
        found(row, &words[..V::LANES / 64]);
    }
}

/// The planes of the columns' bits in one of their words, the first bit first.
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

/// For every pattern the number of bits in which it differs from the columns. The highest bit of a pattern belongs to the first plane.
#[inline(always)]
fn fill_table<V: BitVector>(table: &mut Table<V>, planes: &[V]) {
    for (pattern, count) in table.iter_mut().enumerate() {
        let differs =
            |bit: usize| planes[bit].xor(V::splat(pattern >> (GROUP_BITS - 1 - bit) & 1 == 1));
        let (ones, twos) = differs(0).full_add(differs(1), differs(2));
        *count = [ones, twos];
    }
}

/// Adds what the groups of a row say to a sum.
#[inline(always)]
fn add_groups<V: BitVector, const PLANES: usize>(
    tables: &[Table<V>],
    patterns: &[u8],
    mut sum: [V; PLANES],
) -> [V; PLANES] {
    for (tables, patterns) in tables.chunks_exact(UNIT).zip(patterns.chunks_exact(UNIT)) {
        // SAFETY: a unit has as many groups, and patterns are below PATTERNS.
        let count = |group: usize| unsafe {
            let pattern = usize::from(*patterns.get_unchecked(group));
            tables.get_unchecked(group).get_unchecked(pattern)
        };
        add_unit(&mut sum, count);
    }
    sum
}

/// Adds the counts of sixteen groups: 31 full and some half adders, each carry going to where it counts double.
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

/// Adds the counts of eight groups from `first` on; returns a carry that counts sixteen and one that counts eight.
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

/// Adds the counts of four groups from `first` on; returns a carry that counts eight and one that counts four.
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

/// The lanes whose sums are at most `most`.
#[inline(always)]
fn at_most<V: BitVector, const PLANES: usize>(sum: &[V; PLANES], most: u32) -> V {
    let mut fits = V::splat(true);
    for (plane, bits) in sum.iter().enumerate() {
        fits = if most >> plane & 1 == 1 {
            fits.or(V::splat(true).and_not(*bits))
        } else {
            fits.and_not(*bits)
        };
    }
    if most >> PLANES == 0 { fits } else { V::splat(true) }
}
