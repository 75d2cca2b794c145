//! Rows with their final numbers: ascending, with weights.

use super::{Gathered, LARGE};
use crate::vector::log_tf;

/// The weights of counts ([`log_tf`]), of which the small ones are kept.
pub(super) struct Weights([f32; LARGE as usize]);

impl Weights {
    pub fn new() -> Self {
        // No term occurs 0 times.
        Weights(std::array::from_fn(|count| log_tf(count.max(1) as u64)))
    }

    #[inline(always)]
    fn of(&self, count: u8, large: &mut impl Iterator<Item = u32>) -> f32 {
        match self.0.get(usize::from(count)) {
            Some(weight) => *weight,
            None => {
                let count = large.next().expect("every large count stands there");
                log_tf(count.into())
            }
        }
    }
}

/// Memory in which rows are sorted: a term's number in the higher half, the bits of its weight in the lower.
#[derive(Default)]
pub(super) struct Sorter {
    keys: Vec<u64>,
}

impl Sorter {
    /// The rows of a batch. `ranks` has the final numbers of the terms; `indexes` and `values` have as many places as the batch has terms.
    pub fn fill(
        &mut self,
        batch: &Gathered,
        ranks: &[u32],
        weights: &Weights,
        indexes: &mut [u32],
        values: &mut [f32],
    ) {
        let mut large = batch.large.iter().copied();
        let mut end = 0;
        for length in &batch.lengths {
            let row = end..end + *length as usize;
            end = row.end;
            let terms = batch.numbers[row.clone()].iter().zip(&batch.counts[row.clone()]);
            self.keys.clear();
            self.keys.extend(terms.map(|(number, count)| {
                key(ranks[*number as usize], weights.of(*count, &mut large))
            }));
            self.write(&mut indexes[row.clone()], &mut values[row]);
        }
    }

    /// Gives the terms of a row other numbers, different ones again.
    pub fn renumber(&mut self, ranks: &[u32], indexes: &mut [u32], values: &mut [f32]) {
        let row = indexes.iter().zip(&*values);
        self.keys.clear();
        self.keys.extend(row.map(|(index, value)| key(ranks[*index as usize], *value)));
        self.write(indexes, values);
    }

    fn write(&mut self, indexes: &mut [u32], values: &mut [f32]) {
        self.keys.sort_unstable();
        for ((key, index), value) in self.keys.iter().zip(indexes).zip(values) {
            *index = (key >> u32::BITS) as u32;
            *value = f32::from_bits(*key as u32);
        }
    }
}

#[inline(always)]
fn key(rank: u32, weight: f32) -> u64 {
    u64::from(rank) << u32::BITS | u64::from(weight.to_bits())
}
