//! Prefix-filter join: all pairs that reach a cosine, without comparing all pairs.
//!
//! Two vectors that reach the threshold share a rare term, and the suffixes from their rarest common term on suffice to reach it. So:
//!
//! 1. Vectors that are equal in every bit are compared once ([`EqualGroups`](crate::search::EqualGroups)).
//! 2. Terms are ordered from rare to frequent (`rows`), and only the prefix of a vector is indexed, up to where the suffix norm falls below the
//!    threshold (`bound`, `index`).
//! 3. The products of common prefix terms are added up per pair (`postings`, `candidates`). A pair is a candidate if the sum and a bound on the
//!    later terms reach the threshold, first at some common term, then after all of them (`suffixes`).
//! 4. The dot product of each candidate is computed (`dense`), and its cosine by the definition (`rows`). A query with few candidates first
//!    merges their rarest terms with its own (`bound`).
//!
//! The bounds are those of all-pairs joins with prefixes and ℓ² norms (Bayardo, Ma, Srikant 2007; Anastasiu, Karypis 2014), on absolute
//! values, so that negative components change nothing. No bound is too low by more than a derived margin, by which all steps but the last
//! lower the threshold: no pair is lost, and every returned pair has been computed.
//!
//! If only connected components are wanted, candidates that are connected already are skipped, and the pairs found are a spanning forest.
//!
//! Time: a few passes over all components, a few cycles per common prefix term of two vectors, and one lookup per component of a candidate.
//! Common prefix terms grow with the square of the number of vectors. Memory besides the vectors: 8 bytes per prefix component, 32 bytes per
//! vector, and per thread 4 bytes per term and up to 4 per vector. Threads share the queries; each query looks at the vectors before it, so
//! every pair is found from one side. If only the pairs of some vectors are wanted, only those are indexed (`sides`).

mod bound;
mod candidates;
mod dense;
mod index;
mod postings;
mod prepared;
mod rows;
mod sides;
mod suffixes;

use rayon::prelude::*;

use self::bound::may_reach;
use self::candidates::Candidates;
use self::dense::DenseVector;
use self::index::{PostingList, PrefixIndex, QueryTerm};
use self::postings::Bound;
pub use self::prepared::Prepared;
use self::rows::Rows;
use self::sides::Sides;
use self::suffixes::SuffixNorms;
use super::SparseMatrix;
use super::measure::min_bound;
use crate::bits::cpu::Cpu;
use crate::search::pairs::sorted_pairs;
use crate::search::{Pair, UnionFind};
use crate::session::Session;
use crate::shard::Shard;
use crate::vector::sparse::SparseRows;

/// Returns all pairs of vectors whose rounded cosine in percent reaches `threshold`, sorted. See [`Prepared::pairs`].
pub fn pairs(vectors: SparseMatrix, threshold: f64, session: &Session) -> Vec<Pair> {
    pairs_of_shard(vectors, threshold, None, session)
}

/// Returns those of the [`pairs`] that belong to a shard, or all. See [`Prepared::pairs_of_shard`].
pub fn pairs_of_shard(
    vectors: SparseMatrix,
    threshold: f64,
    shard: Option<Shard>,
    session: &Session,
) -> Vec<Pair> {
    let prepared = Prepared::new(vectors, session);
    let pairs = match shard {
        None => prepared.pairs(threshold, 0, session),
        Some(shard) => prepared.pairs_of_shard(threshold, shard, session),
    };
    session.phase("listing pairs", None);
    pairs.expand()
}

/// Queries per task.
const QUERIES_PER_TASK: usize = 64;

/// Distance in rows at which rows are prefetched.
const PREFETCH_DISTANCE: usize = 2;

/// Maximum number of candidates that are first compared by their rarest terms: with more, a dense vector pays.
const MAX_MERGED_ROWS: usize = 4;

struct Join<'a, V> {
    cpu: Cpu,
    threshold: f64,
    /// Minimum of every upper bound.
    min: f64,
    bound: Bound,
    rows: &'a Rows<V>,
    sides: &'a Sides,
    /// The representatives of groups, first the indexed ones. Everything below numbers vectors by their position here.
    vectors: &'a [u32],
    index: PrefixIndex<'a, V>,
    suffixes: Vec<SuffixNorms>,
    /// Sets of connected vectors, if only pairs that connect different ones are wanted.
    sets: Option<UnionFind>,
}

/// Work of a join.
#[derive(Debug, Clone, Copy, Default)]
pub struct JoinCounts {
    /// Additions of products of common prefix terms, where vector instructions count once.
    pub additions: u64,
    /// Candidates.
    pub candidates: u64,
    /// Pairs that reach the threshold.
    pub pairs: u64,
}

impl JoinCounts {
    fn plus(self, other: JoinCounts) -> JoinCounts {
        JoinCounts {
            additions: self.additions + other.additions,
            candidates: self.candidates + other.candidates,
            pairs: self.pairs + other.pairs,
        }
    }
}

/// Scratch buffers of one thread.
#[derive(Default)]
struct Scratch<W> {
    /// Prefix terms of the query after the next.
    terms: Vec<QueryTerm>,
    /// Posting lists of the query.
    lists: Vec<PostingList>,
    /// Posting lists of the next query.
    next_lists: Vec<PostingList>,
    candidates: Candidates,
    /// Candidates of the current query.
    numbers: Vec<u32>,
    dense: DenseVector<W>,
    counts: JoinCounts,
    found: Vec<Pair>,
}

impl<'a, V: SparseRows> Join<'a, V> {
    fn new(rows: &'a Rows<V>, sides: &'a Sides, threshold: f64, session: &Session) -> Self {
        let (min, vectors) = (min_bound(threshold), &sides.vectors[..]);
        session.phase("indexing rare terms", None);
        let index = PrefixIndex::new(rows, vectors, sides.indexed, min);
        let suffixes = SuffixNorms::of_all(rows, vectors, min);
        Join {
            cpu: session.cpu(),
            threshold,
            min,
            bound: Bound::new(min),
            rows,
            sides,
            vectors,
            index,
            suffixes,
            sets: None,
        }
    }

    /// Returns all pairs, sorted, and the work.
    fn pairs(&self, session: &Session) -> (Vec<Pair>, JoinCounts) {
        let queries = self.sides.queries();
        session.phase("comparing vectors", Some(queries.len() as u64));
        let blocks = (0..queries.len().div_ceil(QUERIES_PER_TASK)).into_par_iter();
        let answers = blocks.map_init(Scratch::<V::Weight>::default, |scratch, block| {
            let first = queries.start + block * QUERIES_PER_TASK;
            let numbers = first..(first + QUERIES_PER_TASK).min(queries.end);
            session.advance(numbers.len() as u64);
            self.query_all(numbers, scratch);
            scratch.counts.pairs = scratch.found.len() as u64;
            (std::mem::take(&mut scratch.found), std::mem::take(&mut scratch.counts))
        });
        let (found, counts): (Vec<Vec<Pair>>, Vec<JoinCounts>) = answers.unzip();
        let found = sorted_pairs(&found, self.rows.len());
        let counts = counts.into_iter().fold(JoinCounts::default(), JoinCounts::plus);
        let JoinCounts { additions, candidates, pairs } = counts;
        session.detail(&format!(
            "{} different vectors; additions: {additions}, candidates: {candidates}, found: {pairs}",
            self.vectors.len()
        ));
        (found, counts)
    }

    /// Answers one query after the other, while the lists of the next one and the list starts of the one after it arrive from memory.
    fn query_all(&self, numbers: std::ops::Range<usize>, scratch: &mut Scratch<V::Weight>) {
        let (mut current, mut next) = (None, None);
        for number in numbers.map(Some).chain([None, None]) {
            if next.is_some() {
                self.index.find_lists(&scratch.terms, &mut scratch.next_lists);
            }
            if let Some(number) = number {
                self.index.find_terms(number, &mut scratch.terms);
            }
            if let Some(number) = current {
                self.query(number, scratch);
            }
            std::mem::swap(&mut scratch.lists, &mut scratch.next_lists);
            (current, next) = (next, number);
        }
    }

    /// Finds the indexed vectors before a query that are similar to it.
    fn query(&self, number: usize, scratch: &mut Scratch<V::Weight>) {
        if scratch.lists.is_empty() {
            return;
        }
        let Scratch { lists, candidates, found, counts, .. } = scratch;
        candidates.begin(self.index.sums(lists), self.sides.end_of(number));
        for list in lists {
            let postings = self.index.postings(list);
            let added = candidates.add(list.own, postings, &self.bound, self.cpu);
            counts.additions += added as u64;
        }
        let own = &self.suffixes[number];
        candidates.finish(&mut scratch.numbers, |other, sum| {
            sum + own.product(&self.suffixes[other as usize]) >= self.bound.sum
        });
        let row = self.vectors[number] as usize;
        if scratch.numbers.len() <= MAX_MERGED_ROWS {
            let row_of = |number: &u32| self.vectors[*number as usize] as usize;
            scratch.numbers.iter().for_each(|other| self.rows.prefetch_rarest(row_of(other)));
            scratch.numbers.retain(|other| may_reach(self.rows, (row, row_of(other)), self.min));
        }
        counts.candidates += scratch.numbers.len() as u64;
        if !scratch.numbers.is_empty() {
            scratch.dense.with(self.rows, row, |dense| {
                self.compare(row, dense, &scratch.numbers, found);
            });
        }
    }

    /// Appends the pairs of a row and those of its candidates that reach the threshold.
    fn compare(
        &self,
        row: usize,
        dense: &DenseVector<V::Weight>,
        numbers: &[u32],
        found: &mut Vec<Pair>,
    ) {
        let sets = self.sets.as_ref();
        // May become stale while other threads unite sets: then a pair is compared for nothing.
        let mut own_set = sets.map(|sets| sets.find(row as u32));
        for at in 0..numbers.len() {
            // Most candidates of a forest are skipped.
            if let Some(next) = numbers.get(at + PREFETCH_DISTANCE).filter(|_| sets.is_none()) {
                self.rows.prefetch(self.vectors[*next as usize] as usize);
            }
            let other = self.vectors[numbers[at] as usize] as usize;
            if sets.is_some_and(|sets| Some(sets.find(other as u32)) == own_set) {
                continue;
            }
            let dot = dense.dot(self.rows.get(other), self.cpu);
            if dot < self.min * self.rows.norms[row] * self.rows.norms[other] {
                continue;
            }
            let similarity = self.rows.cosine_of_dot(other, row, dot);
            let (low, high) = (other.min(row) as u32, other.max(row) as u32);
            if similarity >= self.threshold && sets.is_none_or(|sets| sets.unite(low, high)) {
                found.push(Pair { low, high, similarity });
                own_set = sets.map(|sets| sets.find(row as u32));
            }
        }
    }
}
