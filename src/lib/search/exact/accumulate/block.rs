//! Some vectors by terms.

use std::ops::Range;

use crate::bits::cpu::Cpu;
use crate::search::SimilarityMeasure;
use crate::search::exact::SparseMatrix;

/// A list that at least one in so many vectors of a block has is made full, with zeros for the others: then it needs no numbers, and
/// whole vectors of it are added at once.
const FULL_FROM: usize = 4;

/// The vectors of a range, and for each term which of them have it.
pub(super) struct Block {
    range: Range<usize>,
    /// Where each term's list starts; one more than terms.
    starts: Vec<u32>,
    /// The vectors of each list, counted from the start of the range. A list as long as the range is full.
    numbers: Vec<u16>,
    /// What they have.
    values: Vec<f32>,
}

impl Block {
    /// The rows of a range, of 65,536 at most, with what the method takes their components for.
    pub(super) fn new(
        vectors: &SparseMatrix,
        range: Range<usize>,
        method: SimilarityMeasure,
    ) -> Self {
        let starts = starts_of(vectors, &range);
        let total = *starts.last().expect("there is an end even without a list") as usize;
        let (mut numbers, mut values) = (vec![0; total], vec![0.0; total]);
        let mut next = starts.clone();
        for (number, row) in range.clone().enumerate() {
            let row = vectors.outer_view(row).expect("the range holds rows only");
            for (term, value) in row.iter() {
                let is_full = (starts[term + 1] - starts[term]) as usize == range.len();
                let place =
                    if is_full { starts[term] as usize + number } else { next[term] as usize };
                next[term] += 1;
                numbers[place] = number as u16;
                values[place] = method.component(*value);
            }
        }
        Block { range, starts, numbers, values }
    }

    /// The numbers of the vectors.
    pub(super) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Adds, term by term, the products with a vector to the sums of the block.
    pub(super) fn add_up(
        &self,
        cpu: Cpu,
        method: SimilarityMeasure,
        (terms, values): (&[u32], &[f32]),
        sums: &mut [f64],
    ) {
        for (term, value) in terms.iter().zip(values) {
            let list =
                self.starts[*term as usize] as usize..self.starts[*term as usize + 1] as usize;
            let weight = f64::from(method.component(*value));
            let others = &self.values[list.clone()];
            if list.len() == self.range.len() {
                add_full(cpu, sums, weight, others);
            } else {
                for (number, other) in self.numbers[list].iter().zip(others) {
                    sums[usize::from(*number)] += weight * f64::from(*other);
                }
            }
        }
    }
}

/// Where each term's list starts, full ones as long as the range.
fn starts_of(vectors: &SparseMatrix, range: &Range<usize>) -> Vec<u32> {
    let mut starts = vec![0; vectors.cols() + 1];
    for row in range.clone() {
        let row = vectors.outer_view(row).expect("the range holds rows only");
        row.indices().iter().for_each(|term| starts[*term as usize + 1] += 1);
    }
    let mut total = 0;
    for length in &mut starts {
        let is_full = *length as usize * FULL_FROM >= range.len() && *length > 0;
        total += if is_full { range.len() as u32 } else { *length };
        *length = total;
    }
    starts
}

/// Adds a full list. A product with 0 is 0 and changes no sum.
fn add_full(cpu: Cpu, sums: &mut [f64], weight: f64, others: &[f32]) {
    match cpu {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: Cpu has these values only where the processor has AVX2.
        Cpu::Avx2 | Cpu::Avx512 => unsafe { add_full_avx2(sums, weight, others) },
        _ => add_all(sums, weight, others),
    }
}

/// The same, compiled for wider vectors. No product is fused with its sum: the numbers are the same.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_full_avx2(sums: &mut [f64], weight: f64, others: &[f32]) {
    add_all(sums, weight, others);
}

#[inline(always)]
fn add_all(sums: &mut [f64], weight: f64, others: &[f32]) {
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum += weight * f64::from(*other);
    }
}
