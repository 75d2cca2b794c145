//! Similarities by adding up the products of the terms that vectors share.
//!
//! SparseMatrix are kept in blocks, by terms; a query adds to the sums of one block at a time, which stay in the cache. A pair's products are added in the
//! order of the terms, whichever vector asks, so both directions give the same number.

mod block;

use rayon::prelude::*;

use self::block::Block;
use super::SparseMatrix;
use crate::bits::cpu::Cpu;
use crate::search::pairs::joined;
use crate::search::{Match, Pair, SimilarityMeasure};
use crate::session::Session;
use crate::vector;

/// SparseMatrix in a block: their sums take an eighth of what a core's second cache holds. Blocks each have a list a term, so that smaller ones would cost
/// memory.
const BLOCK: usize = 8192;

/// Queries that are asked of a block together.
const QUERIES: usize = 256;

/// SparseMatrix ready to be compared.
pub struct Comparison {
    method: SimilarityMeasure,
    threshold: f64,
    vectors: SparseMatrix,
    /// The same by terms, so many vectors at a time.
    blocks: Vec<Block>,
    /// The length of each vector for the cosine, its number of terms otherwise; 0 for a vector without components.
    sizes: Vec<f64>,
}

impl Comparison {
    /// Prepares the rows of `vectors`. A vector without components has no direction and is similar to nothing. Takes as much memory again
    /// as the vectors, and four bytes a term and block.
    pub fn new(vectors: SparseMatrix, method: SimilarityMeasure, threshold: f64) -> Self {
        Comparison::with(BLOCK, vectors, method, threshold)
    }

    /// [`Self::new`] with a given number of vectors per block.
    pub(super) fn with(
        block: usize,
        vectors: SparseMatrix,
        method: SimilarityMeasure,
        threshold: f64,
    ) -> Self {
        let starts: Vec<usize> = (0..vectors.rows()).step_by(block).collect();
        let range = |start: usize| start..(start + block).min(vectors.rows());
        let blocks = starts.into_par_iter().map(|start| Block::new(&vectors, range(start), method));
        let blocks = blocks.collect();
        let size = |values: &[f32]| match method {
            SimilarityMeasure::Cosine => vector::norm(values),
            _ => values.len() as f64,
        };
        let sizes = vectors.outer_iterator().map(|row| size(row.data())).collect();
        Comparison { method, threshold, vectors, blocks, sizes }
    }

    /// The number of vectors.
    pub fn len(&self) -> usize {
        self.vectors.rows()
    }

    /// Whether there is no vector.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All pairs at or above the threshold, sorted.
    pub fn pairs(&self, session: &Session) -> Vec<Pair> {
        // Every vector is asked of its own block and of the later ones. One block after the other, so that threads share what is in the cache.
        let queries = |block: &Block| (0..block.range().end).step_by(QUERIES);
        let tasks: Vec<(&Block, usize)> = self
            .blocks
            .iter()
            .flat_map(|block| queries(block).map(move |first| (block, first)))
            .collect();
        session.phase("comparing vectors", Some(tasks.len() as u64));
        let found = tasks.into_par_iter().map_init(Vec::new, |sums, (block, first)| {
            session.advance(1);
            let queries = first..(first + QUERIES).min(block.range().end);
            queries.flat_map(|low| self.pairs_of(low, block, sums, session.cpu())).collect()
        });
        let mut pairs = joined(found.collect());
        pairs.par_sort_unstable_by_key(|pair| (pair.low, pair.high));
        pairs
    }

    fn pairs_of(&self, low: usize, block: &Block, sums: &mut Vec<f64>, cpu: Cpu) -> Vec<Pair> {
        let later = block.range().start.max(low + 1)..block.range().end;
        let matches = self.ask(low, block, later, sums, cpu).into_iter();
        let low = low as u32;
        matches.map(|Match { other, similarity }| Pair { low, high: other, similarity }).collect()
    }

    /// What vectors `queries` are similar to, themselves left out, by ascending number; one list a query.
    pub fn matches(&self, queries: &[usize], session: &Session) -> Vec<Vec<Match>> {
        let of_block = |block: &Block| -> Vec<Vec<Match>> {
            let mut sums = Vec::new();
            let mut ask =
                |query: usize| self.ask(query, block, block.range(), &mut sums, session.cpu());
            queries.iter().map(|query| ask(*query)).collect()
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

    /// What one vector is similar to among the `others`, which are in a block.
    fn ask(
        &self,
        query: usize,
        block: &Block,
        others: std::ops::Range<usize>,
        sums: &mut Vec<f64>,
        cpu: Cpu,
    ) -> Vec<Match> {
        if self.sizes[query] == 0.0 {
            return Vec::new();
        }
        let vector = self.vectors.outer_view(query).expect("a query is one of the vectors");
        sums.clear();
        sums.resize(block.range().len(), 0.0);
        block.add_up(cpu, self.method, (vector.indices(), vector.data()), sums);
        let sums = &sums[others.start - block.range().start..];
        let sizes = &self.sizes[others.clone()];
        let floor = self.method.floor(self.threshold, self.sizes[query]);
        let near = others.zip(sums).zip(sizes).filter(|((_, sum), size)| **sum >= floor * **size);
        let matching = |((other, sum), size): ((usize, &f64), &f64)| {
            let similarity = self.method.similarity(*sum, self.sizes[query], *size);
            let is_match = other != query && *size > 0.0 && similarity >= self.threshold;
            is_match.then_some(Match { other: other as u32, similarity })
        };
        near.filter_map(matching).collect()
    }
}
