//! Suffix norms at ranks that all vectors have in common: a bound on what two vectors share after their prefixes.

use rayon::prelude::*;

use super::bound::Prefix;
use super::postings::rounded_up;
use super::rows::Rows;
use crate::vector::sparse::SparseRows;

/// Number of common ranks: the norms of a vector and its level take 32 bytes.
const LEVELS: usize = 15;

/// Vectors whose prefixes the ranks are chosen from.
const SAMPLE: usize = 2048;

/// Distance in vectors at which rows are prefetched.
const PREFETCH_DISTANCE: usize = 4;

/// Suffix norms of one vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct SuffixNorms {
    /// The lowest level whose rank is not below the prefix.
    level: u16,
    /// From that level on: the norm of the components below the rank of each level, in units of a [`Posting`](super::postings::Posting).
    norms: [u16; LEVELS],
}

impl SuffixNorms {
    /// Returns the suffix norms of all `vectors`, for a cosine of at least `min`.
    ///
    /// The ranks are where sampled prefixes end, in equal shares; the last one is above all terms.
    pub(super) fn of_all<V: SparseRows>(rows: &Rows<V>, vectors: &[u32], min: f64) -> Vec<Self> {
        let sample = vectors.iter().step_by(vectors.len().div_ceil(SAMPLE).max(1));
        let end = |row: &u32| Prefix::new(rows, *row as usize, min).last().map(|term| term.rank);
        let mut ends: Vec<u32> = sample.filter_map(end).collect();
        ends.sort_unstable();
        let mut ranks = [u32::MAX; LEVELS];
        for (level, rank) in ranks[..LEVELS - 1].iter_mut().enumerate() {
            *rank = ends.get(ends.len() * (level + 1) / LEVELS).map_or(u32::MAX, |end| *end);
        }
        let norms = vectors.par_iter().enumerate().map(|(number, row)| {
            let next = vectors.get(number + PREFETCH_DISTANCE);
            next.iter().for_each(|row| rows.prefetch_rarest(**row as usize));
            SuffixNorms::new(rows, *row as usize, min, &ranks)
        });
        norms.collect()
    }

    fn new<V: SparseRows>(rows: &Rows<V>, row: usize, min: f64, ranks: &[u32; LEVELS]) -> Self {
        let (mut level, mut norms) = (LEVELS, [0; LEVELS]);
        let mut fill = |from_rank: u32, suffix_norm: f64| {
            while level > 0 && ranks[level - 1] >= from_rank {
                level -= 1;
                norms[level] = rounded_up(suffix_norm) as u16;
            }
        };
        let (mut suffix_norm, mut end) = (1.0, u32::MAX);
        for term in Prefix::new(rows, row, min) {
            fill(term.rank + 1, suffix_norm);
            (suffix_norm, end) = (term.suffix_norm, term.rank);
        }
        fill(end, suffix_norm);
        SuffixNorms { level: level as u16, norms }
    }

    /// Returns an upper bound on the products of all common terms that are not in both prefixes.
    ///
    /// Those terms are below the end of one of the prefixes, so below the rank of the higher level.
    #[inline(always)]
    pub(super) fn product(&self, other: &SuffixNorms) -> u32 {
        let level = usize::from(self.level.max(other.level));
        u32::from(self.norms[level]) * u32::from(other.norms[level])
    }
}
