//! Signatures of the rows of a matrix, with row numbers of hyperplanes given per term.

use rayon::prelude::*;

use super::levels::{MIN_EFFECTIVE_TERMS, STEPS};
use super::{Levels, QuantizedVectors, SignatureSet, effective_terms};
use crate::session::Session;
use crate::vector::sparse::{SparseRows, Weight};

/// Rows per block: enough to make the cost per block negligible.
const ROWS_PER_BLOCK: usize = 256;

/// Signatures of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedRows {
    /// One signature per row, in order. That of a row without terms is all 0.
    pub signatures: SignatureSet,
    /// Rows of the matrix with terms, but fewer effective ones than [`MIN_EFFECTIVE_TERMS`], ascending: their signatures are less accurate.
    pub short: Vec<u32>,
    /// Rows without terms, ascending. They have no direction, and their signatures are meaningless.
    pub empty: Vec<u32>,
}

/// Signs the rows of a matrix from row `from` on: signature `k` is that of row `from + k`. Term `t` has the components of row `row_numbers[t]`; with
/// hashes of the terms as numbers, a signature depends on its row, `bits` and `seed` alone. Reports progress per row. Memory: the signatures, and
/// one block of rows per thread.
pub fn sign_matrix(
    vectors: &impl SparseRows,
    row_numbers: &[u32],
    bits: usize,
    seed: u64,
    from: usize,
    session: &Session,
) -> SignedRows {
    assert!(vectors.cols() <= row_numbers.len(), "every term has a number");
    let levels = Levels::with_row_numbers(seed, bits, row_numbers.to_vec(), session.cpu());
    let words = SignatureSet::words_for(bits);
    let mut signatures = vec![0; vectors.rows().saturating_sub(from) * words];
    let blocks = signatures.par_chunks_mut(ROWS_PER_BLOCK * words).enumerate();
    let sign = |documents: &mut QuantizedVectors, (number, signatures): (usize, &mut [u64])| {
        let mut block =
            RowBlock::new(vectors, from + number * ROWS_PER_BLOCK, signatures.len() / words);
        block.sign(&levels, documents, signatures);
        session.advance(block.count as u64);
        (block.short, block.empty)
    };
    let listed: Vec<_> = blocks.map_init(|| QuantizedVectors::new(STEPS), sign).collect();
    let (short, empty): (Vec<Vec<u32>>, Vec<Vec<u32>>) = listed.into_iter().unzip();
    let signatures = SignatureSet::from_words(bits, signatures);
    SignedRows { signatures, short: short.concat(), empty: empty.concat() }
}

/// Consecutive rows.
struct RowBlock<'a, V> {
    vectors: &'a V,
    first: usize,
    count: usize,
    short: Vec<u32>,
    empty: Vec<u32>,
}

impl<'a, V: SparseRows> RowBlock<'a, V> {
    fn new(vectors: &'a V, first: usize, count: usize) -> Self {
        RowBlock { vectors, first, count, short: Vec::new(), empty: Vec::new() }
    }

    fn sign(&mut self, levels: &Levels, documents: &mut QuantizedVectors, signatures: &mut [u64]) {
        documents.clear();
        let mut values: Vec<f32> = Vec::new();
        for row in self.first..self.first + self.count {
            let number = u32::try_from(row).expect("fewer than 2^32 rows");
            let (terms, weights) = self.vectors.row(row);
            values.clear();
            values.extend(weights.iter().map(|weight| weight.value()));
            documents.push(terms, &values);
            if values.is_empty() {
                self.empty.push(number);
            } else if is_short(weights) {
                self.short.push(number);
            }
        }
        levels.sign_part(documents, signatures);
        let words = signatures.len() / self.count;
        for row in &self.empty {
            let at = (*row as usize - self.first) * words;
            signatures[at..at + words].fill(0);
        }
    }
}

/// Returns the rows before `end` with terms, but fewer effective ones than [`MIN_EFFECTIVE_TERMS`], ascending.
pub fn short_rows(vectors: &impl SparseRows, end: usize) -> Vec<u32> {
    let weights = |row: &u32| vectors.row(*row as usize).1;
    let is_listed = |row: &u32| !weights(row).is_empty() && is_short(weights(row));
    (0..end as u32).into_par_iter().filter(is_listed).collect()
}

/// Returns whether there are fewer effective terms than [`MIN_EFFECTIVE_TERMS`].
fn is_short(weights: &[impl Weight]) -> bool {
    let values = weights.iter().map(|weight| weight.value());
    let largest = values.clone().fold(0.0f32, |largest, value| largest.max(value.abs()));
    let squares: f64 = values.clone().map(|value| f64::from(value) * f64::from(value)).sum();
    // Σw⁴ is at most the largest square times Σw², so nearly every row passes at once, with a margin for rounding.
    let enough = (MIN_EFFECTIVE_TERMS + 1.0) * f64::from(largest) * f64::from(largest);
    squares < enough && effective_terms(&values.collect::<Vec<f32>>()) < MIN_EFFECTIVE_TERMS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::cpu::Cpu;
    use crate::search::exact::SparseMatrix;
    use crate::session::Session;
    use proptest::prelude::*;

    fn matrix(rows: &[Vec<(u32, f32)>], terms: usize) -> SparseMatrix {
        let mut ends = vec![0];
        ends.extend(rows.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        }));
        let (indexes, values) = rows.iter().flatten().copied().unzip();
        SparseMatrix::new((rows.len(), terms), ends, indexes, values)
    }

    /// Signs row by row, in the order of the row numbers.
    fn slow(rows: &[Vec<(u32, f32)>], numbers: &[u32], bits: usize) -> Vec<Vec<u64>> {
        let levels = Levels::new(5, bits, 0, Cpu::SCALAR);
        let signature = |row: &Vec<(u32, f32)>| {
            let mut row: Vec<(u32, f32)> =
                row.iter().map(|(t, v)| (numbers[*t as usize], *v)).collect();
            row.sort_by_key(|(number, _)| *number);
            let (terms, values): (Vec<u32>, Vec<f32>) = row.into_iter().unzip();
            let mut documents = QuantizedVectors::new(STEPS);
            documents.push(&terms, &values);
            let mut words = vec![0; SignatureSet::words_for(bits)];
            if !terms.is_empty() {
                levels.sign_part(&documents, &mut words);
            }
            words
        };
        rows.iter().map(signature).collect()
    }

    /// Generates weights from 0.1 to 5 by their bits: the float ranges of proptest panic once in some ten million numbers near the lower bound.
    fn weight() -> impl Strategy<Value = f32> {
        (0.1f32.to_bits()..5f32.to_bits()).prop_map(f32::from_bits)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn signatures_match_those_of_single_rows(
            rows in prop::collection::vec(prop::collection::btree_map(0u32..40, weight(), 0..30), 0..600),
            from in 0usize..20,
        ) {
            let rows: Vec<Vec<(u32, f32)>> = rows.into_iter().map(|row| row.into_iter().collect()).collect();
            let numbers: Vec<u32> = (0..40).map(|t: u32| crate::random::stable_hash(&t.to_le_bytes())).collect();
            let from = from.min(rows.len());
            let signed = sign_matrix(&matrix(&rows, 40), &numbers, 128, 5, from, &Session::silent());
            let expected = slow(&rows[from..], &numbers, 128);
            prop_assert_eq!(signed.signatures.words(), expected.concat());
            let listed = |is_listed: &dyn Fn(&[f32]) -> bool| -> Vec<u32> {
                let values = |row: &usize| rows[*row].iter().map(|(_, v)| *v).collect::<Vec<f32>>();
                (from..rows.len()).filter(|row| is_listed(&values(row))).map(|row| row as u32).collect()
            };
            prop_assert_eq!(&signed.empty, &listed(&|values| values.is_empty()));
            let is_short = |values: &[f32]| !values.is_empty() && effective_terms(values) < MIN_EFFECTIVE_TERMS;
            prop_assert_eq!(&signed.short, &listed(&is_short));
        }
    }
}
