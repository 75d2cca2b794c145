//! Distances of one signature to hundreds at once, without counting bits.
//!
//! A tile holds the bits of as many columns as a [`Vector`] has lanes, as planes: one vector a bit position. What a group of seven bits of
//! a row adds to its distance from each column depends on the row only through 128 patterns, so it is looked up in a table that is made
//! once a tile (the method of the four Russians: Arlazarov, Dinic, Kronrod, Faradzhev 1970): three planes, which hold exactly the counts
//! 0 to 7. These three-bit numbers are added plane by plane with full adders (carry-save, as Harley and Seal count bits): about 2.3
//! operations a bit for all columns of a tile together, where counting bits takes at least three for each column's word.
//!
//! Sums of a prefix are compared with the greatest distance in the same manner. A prefix that differs too much settles a pair; the few that
//! remain are for the caller to count in full, so nothing is lost.

use super::transpose::transpose;
use super::vector::{MOST_WORDS, Vector};

/// Bits in a group.
pub const GROUP_BITS: usize = 7;
/// What a group of a row can look like.
const PATTERNS: usize = 1 << GROUP_BITS;
/// Groups that are added in one go.
const UNIT: usize = 4;
/// A prefix is a multiple of this.
pub const UNIT_BITS: usize = UNIT * GROUP_BITS;
/// Tables that are used together should fit the second cache beside what else is needed.
const TABLE_BYTES: usize = 256 << 10;
/// Rows whose sums wait, beside the tables, for those of the next groups.
const ROWS_A_BLOCK: usize = 2048;
/// The longest prefix that sums of sixteen planes hold.
pub const MOST_UNITS: usize = ((1 << 16) - 1) / UNIT_BITS;

/// A number of three bits in every lane.
type Count<V> = [V; 3];
/// Counts by pattern.
type Table<V> = [Count<V>; PATTERNS];

/// The patterns of rows: for each `units * 4` bytes, one a group.
pub struct Patterns {
    units: usize,
    bytes: Vec<u8>,
}

impl Patterns {
    /// The patterns of the first `units * UNIT_BITS` bits of signatures, the first bit being the highest of the first word.
    pub fn new<'a>(units: usize, rows: impl ExactSizeIterator<Item = &'a [u64]>) -> Self {
        let mut bytes = Vec::with_capacity(rows.len() * units * UNIT);
        for words in rows {
            bytes.extend((0..units * UNIT).map(|group| pattern(words, group * GROUP_BITS)));
        }
        Patterns { units, bytes }
    }

    fn of(&self, row: usize) -> &[u8] {
        &self.bytes[row * self.units * UNIT..(row + 1) * self.units * UNIT]
    }
}

/// Seven bits from position `first` on.
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
pub struct Tile<V> {
    tables: Vec<Table<V>>,
}

impl<V: Vector> Tile<V> {
    /// Room for prefixes of so many units.
    #[inline(always)]
    pub fn new(units: usize) -> Self {
        let zero = V::splat(false);
        Tile { tables: vec![[[zero; 3]; PATTERNS]; units * UNIT] }
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
        patterns: &Patterns,
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
fn tell<V: Vector>(row: usize, lanes: V, found: &mut impl FnMut(usize, &[u64])) {
    if !lanes.is_zero() {
        let mut words = [0; MOST_WORDS];
        lanes.write_words(&mut words);
        found(row, &words[..V::LANES / 64]);
    }
}

/// The planes of the columns' bits in one of their words, the first bit first.
#[inline(always)]
fn append_planes<'a, V: Vector>(
    planes: &mut Vec<V>,
    word: usize,
    column: &impl Fn(usize) -> Option<&'a [u64]>,
) {
    let mut blocks = [[0u64; 64]; MOST_WORDS];
    for (number, block) in blocks[..V::LANES / 64].iter_mut().enumerate() {
        for (lane, row) in block.iter_mut().enumerate() {
            *row = column(64 * number + lane).map_or(0, |words| words[word]);
        }
        transpose(block);
    }
    for bit in (0..64).rev() {
        let mut words = [0; MOST_WORDS];
        for (word, block) in words.iter_mut().zip(&blocks) {
            *word = block[bit];
        }
        planes.push(V::from_words(&words));
    }
}

/// For every pattern the number of bits in which it differs from the columns. The highest bit of a pattern belongs to the first plane.
#[inline(always)]
fn fill_table<V: Vector>(table: &mut Table<V>, planes: &[V]) {
    let differs = |pattern: usize, bit: usize| {
        planes[bit].xor(V::splat(pattern >> (GROUP_BITS - 1 - bit) & 1 == 1))
    };
    for first in 0..8 {
        let pattern = first << 4;
        let (low, middle) = differs(pattern, 0).full_add(differs(pattern, 1), differs(pattern, 2));
        for last in 0..16 {
            let (other, carry) = differs(last, 3).full_add(differs(last, 4), differs(last, 5));
            let (sum, second) = low.full_add(other, differs(last, 6));
            let (twos, fours) = middle.full_add(carry, second);
            table[pattern | last] = [sum, twos, fours];
        }
    }
}

/// Adds what the groups of a row say to a sum.
#[inline(always)]
fn add_groups<V: Vector, const PLANES: usize>(
    tables: &[Table<V>],
    patterns: &[u8],
    mut sum: [V; PLANES],
) -> [V; PLANES] {
    for (tables, patterns) in tables.chunks_exact(UNIT).zip(patterns.chunks_exact(UNIT)) {
        let count = |group: usize| &tables[group][usize::from(patterns[group]) % PATTERNS];
        add_unit(&mut sum, [count(0), count(1), count(2), count(3)]);
    }
    sum
}

/// Adds four counts: eleven full and some half adders, each carry going to where it counts double.
#[inline(always)]
fn add_unit<V: Vector, const PLANES: usize>(sum: &mut [V; PLANES], counts: [&Count<V>; UNIT]) {
    let [a, b, c, d] = counts;
    let (ones, k1) = sum[0].full_add(a[0], b[0]);
    let (ones, k2) = ones.full_add(c[0], d[0]);
    let (twos, m1) = sum[1].full_add(a[1], b[1]);
    let (twos, m2) = twos.full_add(c[1], d[1]);
    let (twos, m3) = twos.full_add(k1, k2);
    let (fours, n1) = sum[2].full_add(a[2], b[2]);
    let (fours, n2) = fours.full_add(c[2], d[2]);
    let (fours, n3) = fours.full_add(m1, m2);
    let (fours, n4) = fours.half_add(m3);
    let (eights, o1) = sum[3].full_add(n1, n2);
    let (eights, o2) = eights.full_add(n3, n4);
    let (sixteens, mut carry) = sum[4].full_add(o1, o2);
    (sum[0], sum[1], sum[2], sum[3], sum[4]) = (ones, twos, fours, eights, sixteens);
    for plane in &mut sum[5..] {
        (*plane, carry) = plane.half_add(carry);
    }
}

/// The lanes whose sums are at most `most`.
#[inline(always)]
fn at_most<V: Vector, const PLANES: usize>(sum: &[V; PLANES], most: u32) -> V {
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
