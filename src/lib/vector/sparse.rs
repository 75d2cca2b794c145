//! Sparse vectors of any storage.

use rayon::prelude::*;

use crate::bits::cpu::Cpu;
use crate::bits::lookup::LookupDot;

/// Stored form of a component. Equal components have equal bytes.
pub trait Weight: bytemuck::Pod + Default + Send + Sync {
    /// Returns the component.
    fn value(self) -> f32;
    /// Returns the bits, from which [`Weight::from_bits`] restores the component.
    fn to_bits(self) -> u32;
    /// Restores a component.
    fn from_bits(bits: u32) -> Self;
    /// Returns the dot product of components with those of a table. Products are exact; their sum is in no particular order.
    fn dot(dot: LookupDot<'_, Self>, cpu: Cpu) -> f64;
    /// Returns the sum of squares, added in order.
    fn sum_of_squares(weights: &[Self]) -> f64;
}

impl Weight for f32 {
    #[inline(always)]
    fn value(self) -> f32 {
        self
    }
    #[inline(always)]
    fn to_bits(self) -> u32 {
        self.to_bits()
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        f32::from_bits(bits)
    }
    #[inline]
    fn dot(dot: LookupDot<'_, f32>, cpu: Cpu) -> f64 {
        cpu.run(dot)
    }
    fn sum_of_squares(weights: &[f32]) -> f64 {
        weights.iter().fold(0.0, |sum, weight| sum + f64::from(*weight) * f64::from(*weight))
    }
}

/// A [`word_weight`](super::word_weight) in steps.
impl Weight for u16 {
    #[inline(always)]
    fn value(self) -> f32 {
        f32::from(self) / super::STEPS as f32
    }
    #[inline(always)]
    fn to_bits(self) -> u32 {
        self.into()
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        bits as u16
    }
    /// The sum is exact for up to 2²¹ components.
    #[inline]
    fn dot(dot: LookupDot<'_, u16>, cpu: Cpu) -> f64 {
        cpu.run(dot) as f64 / (super::STEPS * super::STEPS)
    }
    fn sum_of_squares(weights: &[u16]) -> f64 {
        let squares = weights.iter().map(|weight| u64::from(u32::from(*weight).pow(2)));
        squares.sum::<u64>() as f64 / (super::STEPS * super::STEPS)
    }
}

/// Sparse vectors, one per row, with ascending indexes.
pub trait SparseRows: Send + Sync {
    /// Stored form of a component.
    type Weight: Weight;
    /// Returns the number of rows.
    fn rows(&self) -> usize;
    /// Returns the number of columns; all indexes are below it.
    fn cols(&self) -> usize;
    /// Returns the indexes and components of a row.
    fn row(&self, number: usize) -> (&[u32], &[Self::Weight]);
    /// Replaces each index `i` by `indexes[i]`, which are distinct, and sorts the rows again.
    fn renumber(&mut self, indexes: &[u32]);
}

impl SparseRows for sprs::CsMatI<f32, u32, usize> {
    type Weight = f32;

    fn rows(&self) -> usize {
        self.rows()
    }

    fn cols(&self) -> usize {
        self.cols()
    }

    #[inline]
    fn row(&self, number: usize) -> (&[u32], &[f32]) {
        let starts = self.indptr();
        let starts = starts.raw_storage();
        let range = starts[number]..starts[number + 1];
        (&self.indices()[range.clone()], &self.data()[range])
    }

    fn renumber(&mut self, new: &[u32]) {
        let shape = (self.rows(), self.cols());
        let taken = std::mem::replace(self, Self::zero((0, 0)));
        let (ends, mut indexes, mut values) = taken.into_raw_storage();
        renumber(&ends, &mut indexes, &mut values, new);
        *self = Self::new(shape, ends, indexes, values);
    }
}

/// Rows per task of [`renumber`].
const ROWS_PER_BLOCK: usize = 256;

/// Renumbers consecutive rows; the first of `ends` is the start of the first row.
pub(super) fn renumber<W: Weight>(
    ends: &[usize],
    indexes: &mut [u32],
    weights: &mut [W],
    new: &[u32],
) {
    let blocks: Vec<_> = blocks(ends, indexes, weights).collect();
    blocks.into_par_iter().for_each_init(Sorter::default, |sorter, (ends, indexes, weights)| {
        for row in ends.windows(2) {
            let row = row[0] - ends[0]..row[1] - ends[0];
            sorter.renumber(new, &mut indexes[row.clone()], &mut weights[row]);
        }
    });
}

/// Blocks of consecutive rows with their bounds.
fn blocks<'a, W>(
    ends: &'a [usize],
    mut indexes: &'a mut [u32],
    mut weights: &'a mut [W],
) -> impl Iterator<Item = (&'a [usize], &'a mut [u32], &'a mut [W])> {
    let rows = ends.len() - 1;
    (0..rows).step_by(ROWS_PER_BLOCK).map(move |first| {
        let ends = &ends[first..=(first + ROWS_PER_BLOCK).min(rows)];
        let size = ends[ends.len() - 1] - ends[0];
        let (these, rest) = std::mem::take(&mut indexes).split_at_mut(size);
        indexes = rest;
        let (those, rest) = std::mem::take(&mut weights).split_at_mut(size);
        weights = rest;
        (ends, these, those)
    })
}

/// Scratch buffers for sorting rows: an index in the upper half, the bits of its component in the lower.
#[derive(Default)]
struct Sorter {
    keys: Vec<u64>,
    sorted: Vec<u64>,
}

impl Sorter {
    fn renumber<W: Weight>(&mut self, new: &[u32], indexes: &mut [u32], weights: &mut [W]) {
        let row = indexes.iter().zip(&*weights);
        self.keys.clear();
        self.keys.extend(row.map(|(index, weight)| {
            u64::from(new[*index as usize]) << u32::BITS | u64::from(weight.to_bits())
        }));
        sort(&mut self.keys, &mut self.sorted);
        for ((key, index), weight) in self.keys.iter().zip(indexes).zip(weights) {
            *index = (key >> u32::BITS) as u32;
            *weight = W::from_bits(*key as u32);
        }
    }
}

/// Longer rows are sorted by the standard library.
const MAX_LENGTH: usize = 1024;
/// Bits below the highest one that select the bucket of a number.
const FRACTION_BITS: u32 = 4;
/// Number of buckets.
const BUCKETS: usize = (u32::BITS as usize + 1) << FRACTION_BITS;

/// Sorts distinct keys, with a term number in the upper half. The term numbers of a document are spread about evenly over the powers of two (Zipf's law), so a bucket sort by logarithm
/// puts nearly all in place, and an insertion sort the rest.
pub(crate) fn sort(keys: &mut Vec<u64>, sorted: &mut Vec<u64>) {
    if keys.len() > MAX_LENGTH {
        keys.sort_unstable();
        return;
    }
    let mut ends = [0u16; BUCKETS];
    keys.iter().for_each(|key| ends[bucket(*key)] += 1);
    let last = keys.iter().copied().max().map_or(0, bucket);
    let mut end = 0;
    for bucket_end in &mut ends[..=last] {
        end += *bucket_end;
        *bucket_end = end;
    }
    sorted.clear();
    sorted.resize(keys.len(), 0);
    for key in keys.iter() {
        let end = &mut ends[bucket(*key)];
        *end -= 1;
        sorted[usize::from(*end)] = *key;
    }
    insertion_sort(sorted);
    std::mem::swap(keys, sorted);
}

/// The bucket of a key, monotonic in the key.
#[inline(always)]
fn bucket(key: u64) -> usize {
    const FRACTION: u32 = f32::MANTISSA_DIGITS - 1;
    const ONE: u32 = 1.0f32.to_bits() >> (FRACTION - FRACTION_BITS);
    // Signed, because there is no instruction that converts unsigned numbers.
    let number = (key >> u32::BITS) as i64 as f32 + 1.0;
    ((number.to_bits() >> (FRACTION - FRACTION_BITS)) - ONE) as usize
}

/// Sorts a nearly sorted list.
fn insertion_sort(keys: &mut [u64]) {
    for at in 1..keys.len() {
        let (key, mut to) = (keys[at], at);
        while to > 0 && keys[to - 1] > key {
            keys[to] = keys[to - 1];
            to -= 1;
        }
        keys[to] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_renumbered(
            rows in prop::collection::vec(prop::collection::btree_map(0u32..60, -3f32..3.0, 0..30), 0..700),
            new in Just((100..160).collect::<Vec<u32>>()).prop_shuffle(),
        ) {
            let (mut ends, mut indexes, mut values) = (vec![0], Vec::new(), Vec::new());
            for row in &rows {
                indexes.extend(row.keys());
                values.extend(row.values());
                ends.push(indexes.len());
            }
            let mut matrix = sprs::CsMatI::new((rows.len(), 160), ends, indexes, values);
            matrix.renumber(&new);
            prop_assert_eq!(SparseRows::rows(&matrix), rows.len());
            for (number, row) in rows.iter().enumerate() {
                let mut expected: Vec<_> = row.iter().map(|(k, v)| (new[*k as usize], *v)).collect();
                expected.sort_by_key(|(index, _)| *index);
                let (indexes, values) = matrix.row(number);
                let found: Vec<_> = indexes.iter().copied().zip(values.iter().copied()).collect();
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn integer_sums_of_squares_are_those_of_values(weights in prop::collection::vec(any::<u16>(), 0..300)) {
            let values: Vec<f32> = weights.iter().map(|weight| weight.value()).collect();
            prop_assert_eq!(u16::sum_of_squares(&weights), f32::sum_of_squares(&values));
        }

        #[test]
        fn weights_survive_a_round_trip(bits: u32, steps: u16) {
            prop_assert_eq!(<f32 as Weight>::from_bits(bits).to_bits(), bits);
            prop_assert_eq!(u16::from_bits(Weight::to_bits(steps)), steps);
            prop_assert_eq!(steps.value() * 1024.0, f32::from(steps));
        }

        #[test]
        fn rows_are_sorted(
            keys in prop_oneof![
                prop::collection::hash_set(any::<u64>(), 0..300),
                prop::collection::hash_set((0u64..50_000).prop_map(|key| key << 28), 0..1500),
                prop::collection::hash_set((0u64..8 << 32).prop_map(|key| key << 2 | 1 << 63), 0..300),
            ],
        ) {
            let mut keys: Vec<u64> = keys.into_iter().collect();
            let mut expected = keys.clone();
            expected.sort_unstable();
            sort(&mut keys, &mut vec![7; 5]);
            prop_assert_eq!(keys, expected);
        }
    }

    #[test]
    fn buckets_cover_all_numbers() {
        assert_eq!(bucket(0), 0);
        assert!(bucket(u64::MAX) < BUCKETS);
        assert_eq!(bucket(1 << 32), 1 << FRACTION_BITS);
    }
}
