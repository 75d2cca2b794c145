//! Vectors with terms ordered by document frequency.

use rayon::prelude::*;
use twox_hash::XxHash3_64;

use crate::bits::prefetch::prefetch_all;
use crate::search::exact::measure::STEPS_PER_PERCENT;
use crate::search::{EqualGroups, SimilarityMeasure};
use crate::vector;
use crate::vector::sparse::{SparseRows, Weight};

/// Components to prefetch; the hardware prefetches the rest once a row is read.
const PREFETCHED: usize = 32;

/// Sparse vectors with terms numbered by rank, the most frequent first: read from its end, a row starts with its rarest terms.
pub(super) struct Rows<V> {
    vectors: V,
    /// Norm of each vector.
    pub(super) norms: Vec<f64>,
    /// Fingerprint of each vector: equal vectors have equal ones.
    fingerprints: Vec<u64>,
    /// The index of each rank; `None` if the indexes were in this order already.
    indexes: Option<Vec<u32>>,
    /// From this rank on, terms occur in at most one vector.
    shared_terms: u32,
}

impl<V: SparseRows> Rows<V> {
    /// Orders the terms. Indexes that already run from frequent to rare terms, as those of create_voc do, stay; otherwise the rows are renumbered
    /// and sorted in place.
    pub(super) fn new(mut vectors: V) -> Self {
        let RowStatistics { norms, fingerprints, mut frequencies } =
            RowStatistics::of_all(&vectors);
        let mut indexes = None;
        if !is_by_frequency(&frequencies) {
            indexes = Some(renumber(&mut vectors, &frequencies));
            frequencies.sort_unstable_by(|a, b| b.cmp(a));
        }
        let last_shared = frequencies.iter().rposition(|frequency| *frequency > 1);
        let shared_terms = last_shared.map_or(0, |last| last as u32 + 1);
        Rows { vectors, norms, fingerprints, indexes, shared_terms }
    }

    /// Returns the number of vectors.
    pub(super) fn len(&self) -> usize {
        self.norms.len()
    }

    /// Returns the rank from which on terms occur in at most one vector.
    pub(super) fn shared_terms(&self) -> u32 {
        self.shared_terms
    }

    /// Prefetches the start of a vector.
    #[inline]
    pub(super) fn prefetch(&self, row: usize) {
        let (ranks, weights) = self.get(row);
        let first = ..ranks.len().min(PREFETCHED);
        prefetch_all(&ranks[first]);
        prefetch_all(&weights[first]);
    }

    /// Prefetches the rarest terms of a vector.
    #[inline]
    pub(super) fn prefetch_rarest(&self, row: usize) {
        let (ranks, weights) = self.get(row);
        let last = ranks.len().saturating_sub(PREFETCHED)..;
        prefetch_all(&ranks[last.clone()]);
        prefetch_all(&weights[last]);
    }

    /// Returns the ranks, ascending, and the components of a vector.
    #[inline]
    pub(super) fn get(&self, row: usize) -> (&[u32], &[V::Weight]) {
        self.vectors.row(row)
    }

    /// Groups the vectors that are equal in every bit; those without direction are in no group.
    pub(super) fn groups(&self) -> EqualGroups {
        let hash = |row: usize| (self.norms[row] > 0.0).then(|| self.fingerprints[row]);
        EqualGroups::find(self.len(), hash, |one, other| self.are_equal(one, other))
    }

    /// Returns whether two vectors are equal in every bit.
    fn are_equal(&self, left: usize, right: usize) -> bool {
        let ((left_ranks, left_values), (right_ranks, right_values)) =
            (self.get(left), self.get(right));
        let bits = |weight: &V::Weight| weight.to_bits();
        left_ranks == right_ranks && left_values.iter().map(bits).eq(right_values.iter().map(bits))
    }

    /// Returns the dot product, with products added by ascending index.
    fn dot(&self, left: usize, right: usize) -> f64 {
        match &self.indexes {
            None => common(self.get(left), self.get(right)).fold(0.0, |sum, (_, p)| sum + p),
            Some(indexes) => {
                let products = common(self.get(left), self.get(right));
                let mut products: Vec<(u32, f64)> =
                    products.map(|(rank, p)| (indexes[rank as usize], p)).collect();
                products.sort_unstable_by_key(|(index, _)| *index);
                products.iter().fold(0.0, |sum, (_, product)| sum + product)
            }
        }
    }

    /// Returns the number of terms.
    pub(super) fn terms(&self) -> usize {
        self.vectors.cols()
    }

    /// Returns the [`Self::cosine`], above 0, of two rows from their dot product with additions in any order.
    ///
    /// Two sums of n exact products differ by at most 2n·2⁻⁵³ times the product of the norms, and a few more roundings by less than 2⁻⁵⁰ of the
    /// cosine. If that can change the rounded cosine, it is computed by the definition.
    #[inline]
    pub(super) fn cosine_of_dot(&self, left: usize, right: usize, dot: f64) -> f64 {
        const STEPS: f64 = 100.0 * STEPS_PER_PERCENT;
        let terms = self.get(left).0.len().min(self.get(right).0.len()) as f64;
        let steps = dot / (self.norms[left] * self.norms[right]) * STEPS;
        let error = (terms + 8.0) * f64::EPSILON * STEPS;
        let (low, high) = ((steps - error + 0.5) as u64, (steps + error + 0.5) as u64);
        if low == high { low as f64 / STEPS_PER_PERCENT } else { self.cosine(left, right) }
    }

    /// Returns the rounded cosine in percent of two rows with directions.
    pub(super) fn cosine(&self, left: usize, right: usize) -> f64 {
        SimilarityMeasure::Cosine.similarity(
            self.dot(left, right),
            self.norms[left],
            self.norms[right],
        )
    }
}

/// Renumbers terms from frequent to rare, and returns the previous number of each.
fn renumber(vectors: &mut impl SparseRows, frequencies: &[u32]) -> Vec<u32> {
    let mut indexes: Vec<u32> = (0..frequencies.len() as u32).collect();
    indexes.par_sort_by_key(|index| std::cmp::Reverse(frequencies[*index as usize]));
    let mut ranks = vec![0; indexes.len()];
    for (rank, index) in indexes.iter().enumerate() {
        ranks[*index as usize] = rank as u32;
    }
    vectors.renumber(&ranks);
    indexes
}

/// Returns the common terms of two vectors, ascending, with the products of their components.
fn common<'a, W: Weight>(
    left: (&'a [u32], &'a [W]),
    right: (&'a [u32], &'a [W]),
) -> impl Iterator<Item = (u32, f64)> + 'a {
    let (mut l, mut r) = (0, 0);
    std::iter::from_fn(move || {
        while l < left.0.len() && r < right.0.len() {
            let (left_rank, right_rank) = (left.0[l], right.0[r]);
            let product = f64::from(left.1[l].value()) * f64::from(right.1[r].value());
            l += usize::from(left_rank <= right_rank);
            r += usize::from(right_rank <= left_rank);
            if left_rank == right_rank {
                return Some((left_rank, product));
            }
        }
        None
    })
}

/// Returns whether terms run from frequent to rare; terms of no vector may be anywhere.
fn is_by_frequency(frequencies: &[u32]) -> bool {
    frequencies.iter().filter(|frequency| **frequency > 0).is_sorted_by(|a, b| a >= b)
}

/// Statistics from one pass over all components.
struct RowStatistics {
    norms: Vec<f64>,
    fingerprints: Vec<u64>,
    frequencies: Vec<u32>,
}

impl RowStatistics {
    fn of_all(vectors: &impl SparseRows) -> Self {
        let size = vectors.rows().div_ceil(rayon::current_num_threads()).max(1);
        let parts: Vec<usize> = (0..vectors.rows()).step_by(size).collect();
        let of_part =
            |start: &usize| RowStatistics::of(vectors, *start..(*start + size).min(vectors.rows()));
        let parts: Vec<RowStatistics> = parts.par_iter().map(of_part).collect();
        let none = RowStatistics {
            norms: vec![],
            fingerprints: vec![],
            frequencies: vec![0; vectors.cols()],
        };
        parts.into_iter().reduce(RowStatistics::merge).unwrap_or(none)
    }

    fn of(vectors: &impl SparseRows, rows: std::ops::Range<usize>) -> Self {
        let mut frequencies = vec![0; vectors.cols()];
        let (mut norms, mut fingerprints) = (Vec::new(), Vec::new());
        for row in rows {
            let (indexes, weights) = vectors.row(row);
            indexes.iter().for_each(|term| frequencies[*term as usize] += 1);
            norms.push(vector::norm(weights));
            fingerprints.push(fingerprint(indexes, weights));
        }
        RowStatistics { norms, fingerprints, frequencies }
    }

    fn merge(mut self, other: RowStatistics) -> Self {
        self.norms.extend(other.norms);
        self.fingerprints.extend(other.fingerprints);
        self.frequencies.iter_mut().zip(other.frequencies).for_each(|(sum, more)| *sum += more);
        self
    }
}

fn fingerprint(indexes: &[u32], weights: &[impl Weight]) -> u64 {
    let terms = XxHash3_64::oneshot(bytemuck::cast_slice(indexes));
    XxHash3_64::oneshot_with_seed(terms, bytemuck::cast_slice(weights))
}
