//! Rows with their final numbers: ascending, with weights.

use super::{Gathered, LARGE};
use crate::vector::{ENOUGH_LETTERS, word_weight};

/// The weights of words by their letters and counts ([`word_weight`]), of which those of small counts are kept.
pub(super) struct Weights([[f32; LARGE as usize]; ENOUGH_LETTERS as usize + 1]);

impl Weights {
    pub fn new() -> Self {
        // No term occurs 0 times.
        let of = |letters, count: usize| word_weight(count.max(1) as u64, letters as u8);
        Weights(std::array::from_fn(|letters| std::array::from_fn(|count| of(letters, count))))
    }

    #[inline(always)]
    fn of(&self, letters: u8, count: u8, large: &mut impl Iterator<Item = u32>) -> f32 {
        match self.0[usize::from(letters)].get(usize::from(count)) {
            Some(weight) => *weight,
            None => {
                let count = large.next().expect("every large count stands there");
                word_weight(count.into(), letters)
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
    /// The rows of a batch. `ranks` has the final numbers of the terms, and `letters` by these the letters of each; `indexes` and `values` have as many places as the batch has terms.
    pub fn fill(
        &mut self,
        batch: &Gathered,
        ranks: &[u32],
        letters: &[u8],
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
                let rank = ranks[*number as usize];
                key(rank, weights.of(letters[rank as usize], *count, &mut large))
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
