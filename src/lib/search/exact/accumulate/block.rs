//! Inverted index of a block of vectors.

use std::ops::Range;

use crate::bits::cpu::Cpu;
use crate::bits::scaled_add::add_scaled;
use crate::search::SimilarityMeasure;
use crate::search::exact::SparseMatrix;

/// A posting list with at least one in this many vectors of a block is stored densely, with zeros for the others: it needs no numbers and is
/// added with vector instructions. A product with 0 is 0 and changes no sum.
const DENSE_FROM: usize = 4;

/// Posting lists of the vectors of a range.
pub(super) struct VectorBlock {
    range: Range<usize>,
    /// Start of each term's list, and the end of the last.
    starts: Vec<u32>,
    /// The vectors of each list, counted from the start of the range. A list as long as the range is dense.
    numbers: Vec<u16>,
    /// Their components.
    values: Vec<f32>,
}

impl VectorBlock {
    /// Indexes the rows of a range of at most 65,536.
    pub(super) fn new(
        vectors: &SparseMatrix,
        range: Range<usize>,
        measure: SimilarityMeasure,
    ) -> Self {
        let starts = starts_of(vectors, &range);
        let total = *starts.last().expect("there is an end even without a list") as usize;
        let (mut numbers, mut values) = (vec![0; total], vec![0.0; total]);
        let mut next = starts.clone();
        for (number, row) in range.clone().enumerate() {
            let row = vectors.outer_view(row).expect("the range holds rows only");
            for (term, value) in row.iter() {
                let is_dense = (starts[term + 1] - starts[term]) as usize == range.len();
                let place =
                    if is_dense { starts[term] as usize + number } else { next[term] as usize };
                next[term] += 1;
                numbers[place] = number as u16;
                values[place] = measure.component(*value);
            }
        }
        VectorBlock { range, starts, numbers, values }
    }

    /// Returns the range of row numbers.
    pub(super) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Adds the products with a vector, term by term, to the sums of the block.
    pub(super) fn add_up(
        &self,
        cpu: Cpu,
        measure: SimilarityMeasure,
        (terms, values): (&[u32], &[f32]),
        sums: &mut [f64],
    ) {
        for (term, value) in terms.iter().zip(values) {
            let list =
                self.starts[*term as usize] as usize..self.starts[*term as usize + 1] as usize;
            let weight = f64::from(measure.component(*value));
            let others = &self.values[list.clone()];
            if list.len() == self.range.len() {
                add_scaled(sums, weight, others, cpu);
            } else {
                for (number, other) in self.numbers[list].iter().zip(others) {
                    sums[usize::from(*number)] += weight * f64::from(*other);
                }
            }
        }
    }
}

/// Returns the start of each list and the end of the last; dense lists are as long as the range.
fn starts_of(vectors: &SparseMatrix, range: &Range<usize>) -> Vec<u32> {
    let mut starts = vec![0; vectors.cols() + 1];
    for row in range.clone() {
        let row = vectors.outer_view(row).expect("the range holds rows only");
        row.indices().iter().for_each(|term| starts[*term as usize + 1] += 1);
    }
    let mut total = 0;
    for length in &mut starts {
        let is_dense = *length as usize * DENSE_FROM >= range.len() && *length > 0;
        total += if is_dense { range.len() as u32 } else { *length };
        *length = total;
    }
    starts
}
