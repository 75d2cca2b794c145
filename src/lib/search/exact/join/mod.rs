//! Prefix-filter join: all pairs that reach a cosine, without comparing all pairs.
//!
//! Two vectors that reach the threshold share a rare term, and the suffixes from their rarest common term on suffice to reach it. So:
//!
//! 1. Vectors that are equal in every bit are compared once ([`EqualGroups`]).
//! 2. Terms are ordered from rare to frequent (`rows`), and only the prefix of a vector is indexed, up to where the suffix norm falls below the
//!    threshold (`bound`, `index`).
//! 3. Two vectors that share a prefix term are candidates if its weights and the suffix norms can reach the threshold
//!    ([`postings`](crate::bits::postings)), or if they share a second one (`candidates`, `seen`): a common rare term by chance rarely comes
//!    with another.
//! 4. A [sketch](crate::bits::sketch) of 256 bytes bounds the cosine of the remaining candidates.
//! 5. Both vectors are read from their rarest terms on, as long as the threshold can be reached (`verify`).
//! 6. The cosine of the remaining pairs is computed by the definition.
//!
//! The bounds are those of all-pairs joins with prefixes and ℓ² norms (Bayardo, Ma, Srikant 2007; Anastasiu, Karypis 2014), on absolute
//! values, so that negative components change nothing. No bound is too low by more than a derived margin, by which all steps but the last
//! lower the threshold: no pair is lost, and every returned pair has been computed.
//!
//! Time: a few passes over all components, and steps 3 to 5, which grow with the square of the number of vectors but touch a small share of the
//! pairs. Memory besides the vectors: 256 bytes per vector and 8 bytes per prefix component. Threads share the queries; each query looks at the
//! vectors before it, so every pair is found from one side. If only the pairs of some vectors are wanted, only those are indexed and sketched.

mod bound;
mod candidates;
mod index;
mod prepared;
mod rows;
mod seen;
mod sides;
mod sketch;
mod verify;

use rayon::prelude::*;

pub use self::prepared::Prepared;
pub(in crate::search) use self::sides::{JoinSides, partition};

use self::candidates::CandidateBuffer;
use self::index::{PostingList, PrefixIndex, QueryTerm};
use self::rows::Rows;
use self::seen::SeenSet;
use self::sketch::{sketch, sketch_all};
use super::SparseMatrix;
use super::measure::min_bound;
use crate::bits::cpu::Cpu;
use crate::bits::postings::PostingBounds;
use crate::bits::sketch::Sketch;
use crate::search::{EqualGroups, GroupedPairs, Pair};
use crate::session::Session;
use crate::vector::sparse::SparseRows;

/// Returns all pairs of vectors whose rounded cosine in percent reaches `threshold`, sorted. The threshold is above 0, and the vectors have
/// fewer than 2³² components in total. A vector without direction is in no pair.
pub fn pairs(vectors: SparseMatrix, threshold: f64, session: &Session) -> Vec<Pair> {
    pairs_from(vectors, threshold, 0, session)
}

/// Returns those [`pairs`] whose higher vector is at least `from`.
pub fn pairs_from(
    vectors: SparseMatrix,
    threshold: f64,
    from: usize,
    session: &Session,
) -> Vec<Pair> {
    let prepared = Prepared::new(vectors, session);
    let pairs = pairs_between(&prepared, threshold, from, session);
    session.phase("listing pairs", None);
    grouped(prepared.into_groups(), pairs, threshold, from).expand()
}

/// Returns [`pairs_from`] with equal vectors in groups, for collections with many equal vectors.
pub fn grouped_from(
    prepared: &Prepared<impl SparseRows>,
    threshold: f64,
    from: usize,
    session: &Session,
) -> GroupedPairs {
    grouped(
        prepared.groups().clone(),
        pairs_between(prepared, threshold, from, session),
        threshold,
        from,
    )
}

fn pairs_between(
    prepared: &Prepared<impl SparseRows>,
    threshold: f64,
    from: usize,
    session: &Session,
) -> Vec<Pair> {
    let sides =
        JoinSides::with_any(prepared.groups(), |group| prepared.groups().last(group) >= from);
    prepared.pairs(threshold, &sides, session)
}

/// Returns groups with their pairs. Above 100 percent not even equal vectors are pairs.
fn grouped(groups: EqualGroups, pairs: Vec<Pair>, threshold: f64, from: usize) -> GroupedPairs {
    if threshold > 100.0 { GroupedPairs::default() } else { GroupedPairs::new(groups, pairs, from) }
}

/// Queries per task.
const QUERIES_PER_TASK: usize = 64;

/// Buffered candidates that trigger filtering, so that they stay in L1.
const BUFFERED_CANDIDATES: usize = 2048;

/// Distance in rows at which rows are prefetched.
const PREFETCH_DISTANCE: usize = 2;

struct Join<'a, V> {
    cpu: Cpu,
    threshold: f64,
    /// Minimum of every upper bound.
    min: f64,
    rows: &'a Rows<V>,
    /// The representatives of groups, first the indexed ones. Everything below numbers vectors by their position here.
    vectors: &'a [u32],
    indexed: usize,
    queries: std::ops::Range<usize>,
    index: PrefixIndex<'a, V>,
    sketches: Vec<Sketch>,
}

/// Pairs of groups that pass each step; those that share several rare terms count several times before `verified`.
#[derive(Debug, Clone, Copy, Default)]
struct JoinCounts {
    sharing: u64,
    bounded: u64,
    sketched: u64,
    verified: u64,
    computed: u64,
}

impl JoinCounts {
    fn plus(self, other: JoinCounts) -> JoinCounts {
        JoinCounts {
            sharing: self.sharing + other.sharing,
            bounded: self.bounded + other.bounded,
            sketched: self.sketched + other.sketched,
            verified: self.verified + other.verified,
            computed: self.computed + other.computed,
        }
    }

    fn report(&self, groups: usize, found: usize, session: &Session) {
        let JoinCounts { sharing, bounded, sketched, verified, computed } = self;
        session.detail(&format!(
            "{groups} different vectors; candidates sharing a prefix term: {sharing}, within its bound: {bounded}, within the sketch: {sketched}, \
             distinct: {verified}, computed: {computed}, found: {found}"
        ));
    }
}

/// Scratch buffers of one thread.
#[derive(Default)]
struct Scratch {
    /// Prefix terms of the query after the next.
    terms: Vec<QueryTerm>,
    /// Posting lists of the next query.
    lists: Vec<PostingList>,
    buffer: CandidateBuffer,
    seen: SeenSet,
    candidates: Vec<u32>,
    kept: Vec<u32>,
    counts: JoinCounts,
    found: Vec<Pair>,
}

impl<'a, V: SparseRows> Join<'a, V> {
    fn new(
        rows: &'a Rows<V>,
        vectors: &'a [u32],
        sides: &JoinSides,
        threshold: f64,
        session: &Session,
    ) -> Self {
        let cpu = session.cpu();
        let (min, indexed, queries) = (min_bound(threshold), sides.indexed(), sides.queries());
        session.phase("indexing rare terms", None);
        let index = PrefixIndex::new(rows, vectors, indexed, min);
        session.phase("sketching vectors", None);
        let sketches = sketch_all(rows, &vectors[..indexed], cpu);
        Join { cpu, threshold, min, rows, vectors, indexed, queries, index, sketches }
    }

    /// Returns all pairs, sorted.
    fn pairs(&self, session: &Session) -> Vec<Pair> {
        session.phase("comparing vectors", Some(self.queries.len() as u64));
        let blocks = (0..self.queries.len().div_ceil(QUERIES_PER_TASK)).into_par_iter();
        let answers = blocks.map_init(Scratch::default, |scratch, block| {
            let first = self.queries.start + block * QUERIES_PER_TASK;
            let numbers = first..(first + QUERIES_PER_TASK).min(self.queries.end);
            session.advance(numbers.len() as u64);
            self.query_all(numbers, scratch);
            (std::mem::take(&mut scratch.found), std::mem::take(&mut scratch.counts))
        });
        let (found, counts): (Vec<Vec<Pair>>, Vec<JoinCounts>) = answers.unzip();
        let mut found = found.concat();
        found.par_sort_unstable_by_key(|pair| (pair.low, pair.high));
        let counts = counts.into_iter().fold(JoinCounts::default(), JoinCounts::plus);
        counts.report(self.vectors.len(), found.len(), session);
        found
    }

    /// Answers one query after the other, while the lists of the next one and the list starts of the one after it are prefetched.
    fn query_all(&self, numbers: std::ops::Range<usize>, scratch: &mut Scratch) {
        let (mut current, mut next) = (None, None);
        for number in numbers.map(Some).chain([None, None]) {
            if let Some(number) = current {
                self.query(number, scratch);
            }
            if next.is_some() {
                self.index.find_lists(&scratch.terms, &mut scratch.lists);
            }
            if let Some(number) = number {
                self.index.find_terms(number, &mut scratch.terms);
            }
            (current, next) = (next, number);
        }
    }

    /// Finds the indexed vectors before a query that are similar to it.
    fn query(&self, number: usize, scratch: &mut Scratch) {
        if scratch.lists.is_empty() {
            return;
        }
        let capacity = scratch.lists.iter().map(PostingList::len).sum();
        scratch.seen.clear(capacity, self.indexed);
        let own = || sketch(self.rows, self.vectors[number] as usize, self.cpu);
        let sketch = self.sketches.get(number).copied().unwrap_or_else(own);
        let bounds = PostingBounds::new(self.min);
        for at in 0..scratch.lists.len() {
            let Scratch { lists, buffer, .. } = scratch;
            buffer.append(lists[at].own, self.index.postings(&lists[at]), &bounds, self.cpu);
            if scratch.buffer.len() >= BUFFERED_CANDIDATES {
                self.filter_buffered(&sketch, scratch);
            }
        }
        self.filter_buffered(&sketch, scratch);
        scratch.kept.sort_unstable();
        scratch.kept.dedup();
        self.verify(number, scratch);
    }

    /// Keeps the buffered candidates that neither the posting bounds nor the sketches rule out.
    fn filter_buffered(&self, sketch: &Sketch, scratch: &mut Scratch) {
        let Scratch { buffer, seen, candidates, kept, counts, .. } = scratch;
        counts.sharing += buffer.len() as u64;
        buffer.drain_into(seen, candidates);
        counts.bounded += candidates.len() as u64;
        sketch.retain(&self.sketches, self.min, candidates, self.cpu);
        counts.sketched += candidates.len() as u64;
        kept.append(candidates);
    }

    /// Verifies the kept candidates of a query.
    fn verify(&self, number: usize, scratch: &mut Scratch) {
        let Scratch { kept, counts, found, .. } = scratch;
        let row = self.vectors[number] as usize;
        counts.verified += kept.len() as u64;
        for at in 0..kept.len() {
            if let Some(next) = kept.get(at + PREFETCH_DISTANCE) {
                self.rows.prefetch(self.vectors[*next as usize] as usize);
            }
            let other = self.vectors[kept[at] as usize] as usize;
            if verify::may_reach(self.rows, row, other, self.min) {
                counts.computed += 1;
                found.extend(self.pair(other, row));
            }
        }
        kept.clear();
    }

    /// Returns the pair of two vectors if it reaches the threshold.
    fn pair(&self, one: usize, other: usize) -> Option<Pair> {
        let similarity = self.rows.cosine(one, other);
        let pair = Pair { low: one.min(other) as u32, high: one.max(other) as u32, similarity };
        (similarity >= self.threshold).then_some(pair)
    }
}
