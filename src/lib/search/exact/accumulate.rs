//! Exhaustive search: similarities by term-at-a-time accumulation.
//!
//! Vectors are indexed in blocks; a query adds to the sums of one block at a time, which stay in the cache. The products of a pair are added in
//! the order of the terms, whichever vector is the query, so both directions give the same number.

mod block;

use std::ops::Range;

use rayon::prelude::*;

use self::block::VectorBlock;
use super::SparseMatrix;
use crate::bits::cpu::Cpu;
use crate::search::pairs::sorted_pairs;
use crate::search::{Match, Pair, SimilarityMeasure};
use crate::session::Session;
use crate::shard::Shard;
use crate::vector;

/// Vectors per block: their sums take an eighth of L2. Each block has one list per term, so smaller blocks would need more memory.
const VECTORS_PER_BLOCK: usize = 8192;

/// Queries per task.
const QUERIES_PER_TASK: usize = 256;

/// Returns the lower vectors of a shard's pairs: consecutive ones with about the same work per shard, one addition per common term of a vector and a
/// later one, and one look at each later vector.
pub fn rows_of_shard(shard: Shard, vectors: &SparseMatrix) -> Range<usize> {
    let mut later = vec![0u64; vectors.cols()];
    let mut work = Vec::with_capacity(vectors.rows());
    for row in (0..vectors.rows()).rev() {
        let row = vectors.outer_view(row).expect("the matrix has this row");
        let mut additions = work.len() as u64;
        for term in row.indices() {
            additions += later[*term as usize];
            later[*term as usize] += 1;
        }
        work.push(additions);
    }
    work.reverse();
    shard.of_weights(&work)
}

/// Indexed vectors, for exhaustive search.
pub struct Comparison {
    measure: SimilarityMeasure,
    threshold: f64,
    vectors: SparseMatrix,
    /// The same, indexed.
    blocks: Vec<VectorBlock>,
    /// Norm of each vector for the cosine, its number of terms otherwise; 0 for a vector without components.
    sizes: Vec<f64>,
}

impl Comparison {
    /// Indexes the rows of `vectors`. A vector without components has no direction and matches nothing. Memory: the vectors again, and four bytes
    /// per term and block.
    pub fn new(vectors: SparseMatrix, measure: SimilarityMeasure, threshold: f64) -> Self {
        Comparison::with(VECTORS_PER_BLOCK, vectors, measure, threshold)
    }

    /// [`Self::new`], but the vectors of blocks before that of `row` are not indexed: only [`Self::pairs_of_rows`] from `row` on are complete.
    pub fn from_row(
        row: usize,
        vectors: SparseMatrix,
        measure: SimilarityMeasure,
        threshold: f64,
    ) -> Self {
        Comparison::indexing(row, VECTORS_PER_BLOCK, vectors, measure, threshold)
    }

    /// [`Self::new`] with a given number of vectors per block.
    pub fn with(
        block: usize,
        vectors: SparseMatrix,
        measure: SimilarityMeasure,
        threshold: f64,
    ) -> Self {
        Comparison::indexing(0, block, vectors, measure, threshold)
    }

    fn indexing(
        row: usize,
        block: usize,
        vectors: SparseMatrix,
        measure: SimilarityMeasure,
        threshold: f64,
    ) -> Self {
        let first = row / block * block;
        let starts: Vec<usize> = (first..vectors.rows()).step_by(block).collect();
        let range = |start: usize| start..(start + block).min(vectors.rows());
        let blocks =
            starts.into_par_iter().map(|start| VectorBlock::new(&vectors, range(start), measure));
        let blocks = blocks.collect();
        let size = |values: &[f32]| match measure {
            SimilarityMeasure::Cosine => vector::norm(values),
            _ => values.len() as f64,
        };
        let sizes = vectors.outer_iterator().map(|row| size(row.data())).collect();
        Comparison { measure, threshold, vectors, blocks, sizes }
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.vectors.rows()
    }

    /// Returns whether there is no vector.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all pairs that reach the threshold, sorted.
    pub fn pairs(&self, session: &Session) -> Vec<Pair> {
        self.pairs_of_rows(0..self.len(), session)
    }

    /// Returns the pairs that reach the threshold and whose lower vector is in `rows`, sorted.
    pub fn pairs_of_rows(&self, rows: Range<usize>, session: &Session) -> Vec<Pair> {
        // Every vector queries its own block and the later ones. Threads work on one block after the other and share its cache lines.
        let end_of = |block: &VectorBlock| block.range().end.min(rows.end);
        let queries = |block: &VectorBlock| (rows.start..end_of(block)).step_by(QUERIES_PER_TASK);
        let tasks: Vec<(&VectorBlock, usize)> = self
            .blocks
            .iter()
            .flat_map(|block| queries(block).map(move |first| (block, first)))
            .collect();
        session.phase("comparing vectors", Some(tasks.len() as u64));
        let found = tasks.into_par_iter().map_init(Vec::new, |sums, (block, first)| {
            session.advance(1);
            let queries = first..(first + QUERIES_PER_TASK).min(end_of(block));
            queries.flat_map(|low| self.pairs_of(low, block, sums, session.cpu())).collect()
        });
        sorted_pairs(&found.collect::<Vec<_>>(), self.len())
    }

    fn pairs_of(
        &self,
        low: usize,
        block: &VectorBlock,
        sums: &mut Vec<f64>,
        cpu: Cpu,
    ) -> Vec<Pair> {
        let later = block.range().start.max(low + 1)..block.range().end;
        let matches = self.query(low, block, later, sums, cpu).into_iter();
        let low = low as u32;
        matches.map(|Match { other, similarity }| Pair { low, high: other, similarity }).collect()
    }

    /// Returns the matches of each query except itself, by ascending number.
    pub fn matches(&self, queries: &[usize], session: &Session) -> Vec<Vec<Match>> {
        let of_block = |block: &VectorBlock| -> Vec<Vec<Match>> {
            let mut sums = Vec::new();
            let mut answer =
                |query: usize| self.query(query, block, block.range(), &mut sums, session.cpu());
            queries.iter().map(|query| answer(*query)).collect()
        };
        let by_block: Vec<Vec<Vec<Match>>> = self.blocks.par_iter().map(of_block).collect();
        let mut matches = vec![Vec::new(); queries.len()];
        for block in by_block {
            for (all, more) in matches.iter_mut().zip(block) {
                all.extend(more);
            }
        }
        matches
    }

    /// Returns the matches of one vector among `others`, which are in a block.
    fn query(
        &self,
        query: usize,
        block: &VectorBlock,
        others: Range<usize>,
        sums: &mut Vec<f64>,
        cpu: Cpu,
    ) -> Vec<Match> {
        if self.sizes[query] == 0.0 {
            return Vec::new();
        }
        let vector = self.vectors.outer_view(query).expect("a query is one of the vectors");
        sums.clear();
        sums.resize(block.range().len(), 0.0);
        block.add_up(cpu, self.measure, (vector.indices(), vector.data()), sums);
        let sums = &sums[others.start - block.range().start..];
        let sizes = &self.sizes[others.clone()];
        let floor = self.measure.floor(self.threshold, self.sizes[query]);
        let near = others.zip(sums).zip(sizes).filter(|((_, sum), size)| **sum >= floor * **size);
        let matching = |((other, sum), size): ((usize, &f64), &f64)| {
            let similarity = self.measure.similarity(*sum, self.sizes[query], *size);
            let is_match = other != query && *size > 0.0 && similarity >= self.threshold;
            is_match.then_some(Match { other: other as u32, similarity })
        };
        near.filter_map(matching).collect()
    }
}
