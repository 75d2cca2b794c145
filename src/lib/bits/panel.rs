//! Sums of weighted rows of 16-bit integers: the signs of dot products with a table of hyperplanes.
//!
//! Rows are gathered, one per weight, so their placement in memory decides the speed. Rows are cut into panels of 64 columns (128 bytes, two
//! cache lines), and callers process many weight lists panel by panel: the rows of one panel that many lists share stay in the cache. All
//! sums are exact, so no order of the work changes a bit.

use super::cpu::Cpu;
use super::vector::{BitVector, Kernel};

/// Columns per panel: their 32-bit sums just leave free vector registers.
pub const PANEL: usize = 64;
/// Rows stored together, panel by panel. Over all rows, those of one panel would compete for a few cache sets.
pub const ROWS_PER_GROUP: usize = 512;

/// Writes the rows of one group, `width` columns each, to `arranged` panel by panel.
pub fn arrange(rows: &[i16], width: usize, arranged: &mut [i16]) {
    let count = rows.len() / width.max(1);
    for (number, row) in rows.chunks_exact(width).enumerate() {
        let mut start = 0;
        for part in row.chunks(PANEL) {
            arranged[start + number * part.len()..][..part.len()].copy_from_slice(part);
            start += count * part.len();
        }
    }
}

/// Up to 64 neighboring columns of an [arranged](arrange) table.
pub struct Panel<'a> {
    table: &'a [i16],
    rows: usize,
    /// Columns of the table.
    table_width: usize,
    /// First column.
    first: usize,
    /// Columns of this panel.
    width: usize,
}

impl<'a> Panel<'a> {
    /// Returns the panel from column `first` on of a table of `rows` rows and `table_width` columns.
    pub fn new(table: &'a [i16], rows: usize, table_width: usize, first: usize) -> Self {
        Panel { table, rows, table_width, first, width: PANEL.min(table_width - first) }
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    #[inline(always)]
    pub(super) fn row(&self, number: u32) -> &'a [i16] {
        let (group, at) = (number as usize / ROWS_PER_GROUP, number as usize % ROWS_PER_GROUP);
        let first_row = group * ROWS_PER_GROUP;
        let rows = ROWS_PER_GROUP.min(self.rows - first_row);
        let start = first_row * self.table_width + rows * self.first + at * self.width;
        &self.table[start..start + self.width]
    }

    /// Returns one bit per column, the first the highest: whether the exact sum of weighted rows is at least 0. The absolute values of rows are
    /// at most `max_component`.
    pub fn signs(&self, rows: &[u32], weights: &[i16], max_component: i64, cpu: Cpu) -> u64 {
        let max_weight = i64::from(i32::MAX) / max_component;
        let end = fitting(weights, max_weight);
        let mut sums = self.sums(&rows[..end], &weights[..end], cpu);
        if end == rows.len() {
            return self.collect(sums.map(|sum| sum >= 0));
        }
        let mut wide = sums.map(i64::from);
        let (mut rows, mut weights) = (&rows[end..], &weights[end..]);
        while !rows.is_empty() {
            let end = fitting(weights, max_weight);
            sums = self.sums(&rows[..end], &weights[..end], cpu);
            wide.iter_mut().zip(sums).for_each(|(wide, sum)| *wide += i64::from(sum));
            (rows, weights) = (&rows[end..], &weights[end..]);
        }
        self.collect(wide.map(|sum| sum >= 0))
    }

    fn collect(&self, bits: [bool; PANEL]) -> u64 {
        let all = bits.iter().fold(0, |word, bit| word << 1 | u64::from(*bit));
        all & (u64::MAX << (PANEL - self.width))
    }

    /// Returns the sums of weighted rows, which must fit 32 bits.
    fn sums(&self, rows: &[u32], weights: &[i16], cpu: Cpu) -> [i32; PANEL] {
        if self.width == PANEL {
            cpu.run(Sums { panel: self, rows, weights })
        } else {
            scalar_sums(self, rows, weights)
        }
    }
}

/// Returns how many weights can be summed in 32 bits: at least one, if there is one.
fn fitting(weights: &[i16], max_weight: i64) -> usize {
    let mut sum = 0;
    let fits = |weight: &&i16| {
        sum += i64::from(weight.unsigned_abs());
        sum <= max_weight
    };
    weights.iter().take_while(fits).count()
}

/// Sums of a full panel.
struct Sums<'a> {
    panel: &'a Panel<'a>,
    rows: &'a [u32],
    weights: &'a [i16],
}

impl Kernel for Sums<'_> {
    type Output = [i32; PANEL];

    #[inline(always)]
    fn run<V: BitVector>(self) -> [i32; PANEL] {
        V::panel_sums(self.panel, self.rows, self.weights)
    }
}

#[inline(always)]
pub(super) fn scalar_sums(panel: &Panel<'_>, rows: &[u32], weights: &[i16]) -> [i32; PANEL] {
    let mut sums = [0; PANEL];
    for (row, weight) in rows.iter().zip(weights) {
        for (sum, component) in sums.iter_mut().zip(panel.row(*row)) {
            *sum += i32::from(*weight) * i32::from(*component);
        }
    }
    sums
}

/// The sums with AVX2.
#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use std::arch::x86_64::*;

    use super::{PANEL, Panel};

    /// Distance in rows at which rows are prefetched.
    const PREFETCH_DISTANCE: usize = 8;
    /// 16-bit integers per register.
    const LANES: usize = 16;
    const REGISTERS: usize = PANEL / LANES;

    /// Processes two rows at a time: their components are interleaved, so that one instruction multiplies both and adds the products.
    ///
    /// # Safety
    /// Must be inlined into a function compiled for AVX2, on a machine that has it.
    #[inline(always)]
    pub unsafe fn sums(panel: &Panel<'_>, rows: &[u32], weights: &[i16]) -> [i32; PANEL] {
        // SAFETY: the caller runs on AVX2; loads and stores need no alignment and stay within rows and `sums`.
        unsafe {
            let mut low = [_mm256_setzero_si256(); REGISTERS];
            let mut high = low;
            for start in (0..rows.len()).step_by(2) {
                let one = full_row(panel, rows[start]);
                let (other, second) = match rows.get(start + 1) {
                    Some(row) => (full_row(panel, *row), weights[start + 1]),
                    None => (one, 0),
                };
                for ahead in rows.iter().skip(start + PREFETCH_DISTANCE).take(2) {
                    let line = full_row(panel, *ahead).as_ptr().cast::<i8>();
                    _mm_prefetch::<_MM_HINT_T0>(line);
                    _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(size_of::<[i16; PANEL]>() / 2));
                }
                let pair = i32::from(second) << 16 | i32::from(weights[start] as u16);
                let pair = _mm256_set1_epi32(pair);
                for at in 0..REGISTERS {
                    let load = |row: &[i16; PANEL]| {
                        _mm256_loadu_si256(row[at * LANES..][..LANES].as_ptr().cast())
                    };
                    let (left, right) = (load(one), load(other));
                    let products = _mm256_madd_epi16(_mm256_unpacklo_epi16(left, right), pair);
                    low[at] = _mm256_add_epi32(low[at], products);
                    let products = _mm256_madd_epi16(_mm256_unpackhi_epi16(left, right), pair);
                    high[at] = _mm256_add_epi32(high[at], products);
                }
            }
            let mut sums = [0; PANEL];
            for (at, sums) in sums.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                // Interleaving works within the halves of a register; restore the order.
                let (first, second) = sums.split_at_mut(LANES / 2);
                let halves = _mm256_permute2x128_si256::<0x20>(low[at], high[at]);
                _mm256_storeu_si256(first.as_mut_ptr().cast(), halves);
                let halves = _mm256_permute2x128_si256::<0x31>(low[at], high[at]);
                _mm256_storeu_si256(second.as_mut_ptr().cast(), halves);
            }
            sums
        }
    }

    #[inline(always)]
    fn full_row<'a>(panel: &Panel<'a>, number: u32) -> &'a [i16; PANEL] {
        panel.row(number).try_into().expect("the caller checked that the panel is full")
    }
}
