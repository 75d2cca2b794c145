//! Inverted index of prefixes: per term the vectors that have it in their prefix.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::bound::{Prefix, PrefixTerm};
use super::postings::Posting;
use super::rows::Rows;
use crate::bits::as_atomic;
use crate::bits::pages::advise_huge_pages;
use crate::bits::prefetch::{prefetch, prefetch_all};
use crate::bits::products::BLOCK;
use crate::vector::sparse::SparseRows;

/// Posting lists of the indexed vectors.
pub(super) struct PrefixIndex<'a, V> {
    prefixes: Prefixes<'a, V>,
    /// For each term the postings of the indexed vectors that have it in their prefix, by number.
    words: Vec<u64>,
    /// Start of each term's list, and the end of the last. A list that joins nothing is empty.
    starts: Vec<u32>,
    /// Dense copies of long lists, by their start.
    dense: HashMap<u32, Vec<[u32; BLOCK]>>,
    indexed: u32,
}

/// Prefix term of a query.
#[derive(Debug, Clone, Copy)]
pub(super) struct QueryTerm {
    rank: u32,
    /// The posting of the query itself.
    own: Posting,
}

/// Posting list of a query term.
#[derive(Debug, Clone, Copy)]
pub(super) struct PostingList {
    start: u32,
    end: u32,
    /// The posting of the query itself.
    pub(super) own: Posting,
}

/// The postings of a list.
pub(super) enum Postings<'a> {
    /// Words of [`Posting`], by number.
    Sparse(&'a [u64]),
    /// Weight and suffix norm of each indexed vector, 0 for those without the term.
    Dense(&'a [[u32; BLOCK]]),
}

/// A list with at least one in this many indexed vectors is also stored densely: vector instructions add eight products at once.
const DENSE_FROM: u32 = 8;
/// Minimum length of such a list.
const MIN_DENSE: u32 = 256;
/// Sums per posting of a query.
const SUMS_PER_POSTING: usize = 2;

/// Postings of a list to prefetch; the hardware prefetches the rest once the list is read.
const PREFETCHED: u32 = 64;

/// Maximum number of threads that fill the index; each needs one counter per term.
const MAX_PARTS: usize = 16;

impl<'a, V: SparseRows> PrefixIndex<'a, V> {
    /// Indexes the prefixes of the first `indexed` vectors, for a cosine of at least `min`. They have fewer than 2³² components in total.
    pub(super) fn new(rows: &'a Rows<V>, vectors: &'a [u32], indexed: usize, min: f64) -> Self {
        let prefixes = Prefixes { rows, vectors, min };
        let parts = parts_of(indexed);
        let counts: Vec<Vec<u32>> =
            parts.par_iter().map(|part| prefixes.count(part.clone())).collect();
        // If all vectors are indexed, a term of one prefix has no other query.
        let min_length = if indexed == vectors.len() { 2 } else { 1 };
        let (starts, next) = starts_of(rows.shared_terms() as usize, counts, min_length);
        let mut words = vec![0; starts.last().map_or(0, |end| *end as usize)];
        advise_huge_pages(&words);
        let shared = as_atomic(&mut words);
        let parts = parts.into_par_iter().zip(next);
        parts.for_each(|(part, next)| prefixes.fill(part, next, shared));
        let mut index =
            PrefixIndex { prefixes, words, starts, dense: HashMap::new(), indexed: indexed as u32 };
        let lists: Vec<&[u32]> = index.starts.windows(2).collect();
        let dense = lists.into_par_iter().filter(|list| index.is_long(list[0], list[1]));
        index.dense = dense.map(|list| (list[0], index.dense_copy(list[0], list[1]))).collect();
        index
    }

    /// Returns whether a list has a dense copy.
    #[inline]
    fn is_long(&self, start: u32, end: u32) -> bool {
        end - start >= MIN_DENSE.max(self.indexed / DENSE_FROM)
    }

    fn dense_copy(&self, start: u32, end: u32) -> Vec<[u32; BLOCK]> {
        let mut copy = vec![[0; BLOCK]; (self.indexed as usize).div_ceil(BLOCK)];
        for posting in self.words[start as usize..end as usize].iter().map(|word| Posting(*word)) {
            let number = posting.number() as usize;
            copy[number / BLOCK][number % BLOCK] = posting.packed().0;
        }
        copy
    }

    /// Finds the prefix terms of a vector, rarest first, and prefetches the starts of their lists.
    pub(super) fn find_terms(&self, number: usize, terms: &mut Vec<QueryTerm>) {
        terms.clear();
        for term in self.prefixes.of(number) {
            prefetch(&self.starts[term.rank as usize]);
            terms.push(QueryTerm::new(number, &term));
        }
    }

    /// Finds the posting lists of query terms and prefetches their beginnings.
    pub(super) fn find_lists(&self, terms: &[QueryTerm], lists: &mut Vec<PostingList>) {
        lists.clear();
        for QueryTerm { rank, own } in terms {
            let rank = *rank as usize;
            let (start, end) = (self.starts[rank], self.starts[rank + 1]);
            if start < end {
                let ahead = share_of(end - start, own.number(), self.indexed).clamp(1, PREFETCHED);
                prefetch_all(&self.words[start as usize..end.min(start + ahead) as usize]);
                lists.push(PostingList { start, end, own: *own });
            }
        }
    }

    /// Returns the postings of a list.
    pub(super) fn postings(&self, list: &PostingList) -> Postings<'_> {
        if self.is_long(list.start, list.end) {
            Postings::Dense(&self.dense[&list.start])
        } else {
            Postings::Sparse(&self.words[list.start as usize..list.end as usize])
        }
    }

    /// Returns how many sums a query needs so that few vectors share one; with a dense list, all vectors have their own.
    pub(super) fn sums(&self, lists: &[PostingList]) -> usize {
        let sums = |list: &PostingList| match self.is_long(list.start, list.end) {
            true => self.indexed as usize,
            false => SUMS_PER_POSTING * (list.end - list.start) as usize,
        };
        lists.iter().map(sums).sum::<usize>().min(self.indexed as usize)
    }
}

impl QueryTerm {
    fn new(number: usize, term: &PrefixTerm) -> Self {
        QueryTerm {
            rank: term.rank,
            own: Posting::new(number as u32, term.weight, term.suffix_norm),
        }
    }
}

/// Returns how many postings of a list come before a number, if the list is spread evenly.
fn share_of(length: u32, number: u32, numbers: u32) -> u32 {
    (u64::from(length) * u64::from(number.min(numbers))).div_ceil(u64::from(numbers)) as u32
}

/// Splits numbers into one part per thread.
fn parts_of(numbers: usize) -> Vec<Range<usize>> {
    let size = numbers.div_ceil(rayon::current_num_threads().min(MAX_PARTS)).max(1);
    (0..numbers).step_by(size).map(|start| start..(start + size).min(numbers)).collect()
}

/// Position of the postings of a term that joins nothing.
const SKIPPED: u32 = u32::MAX;

/// Returns the start of each list and the end of the last, where lists shorter than `min_length` are empty, and per part the positions of its
/// postings.
fn starts_of(terms: usize, counts: Vec<Vec<u32>>, min_length: u32) -> (Vec<u32>, Vec<Vec<u32>>) {
    let (mut starts, mut next) = (Vec::with_capacity(terms + 1), counts);
    let mut total = 0;
    for term in 0..terms {
        starts.push(total);
        let is_skipped = next.iter().map(|part| part[term]).sum::<u32>() < min_length;
        for part in &mut next {
            let count =
                std::mem::replace(&mut part[term], if is_skipped { SKIPPED } else { total });
            total += if is_skipped { 0 } else { count };
        }
    }
    starts.push(total);
    (starts, next)
}

struct Prefixes<'a, V> {
    rows: &'a Rows<V>,
    vectors: &'a [u32],
    min: f64,
}

impl<V: SparseRows> Prefixes<'_, V> {
    /// Returns the prefix of a vector without the terms of one vector only, which join nothing.
    fn of(&self, number: usize) -> impl Iterator<Item = PrefixTerm> {
        let prefix = Prefix::new(self.rows, self.vectors[number] as usize, self.min);
        prefix.filter(|term| term.rank < self.rows.shared_terms())
    }

    /// Counts the prefixes of a part per term.
    fn count(&self, part: Range<usize>) -> Vec<u32> {
        let mut counts = vec![0; self.rows.shared_terms() as usize];
        for term in part.flat_map(|number| self.of(number)) {
            counts[term.rank as usize] += 1;
        }
        counts
    }

    /// Writes the postings of a part. While those of one vector are written, the memory of the next and the counters of the one after it are
    /// prefetched.
    fn fill(&self, part: Range<usize>, mut next: Vec<u32>, words: &[AtomicU64]) {
        let (mut terms, mut placed) = (Vec::new(), Vec::new());
        for number in part.map(Some).chain([None, None]) {
            write(&mut placed, words);
            for QueryTerm { rank, own } in terms.drain(..) {
                let next = &mut next[rank as usize];
                if *next != SKIPPED {
                    prefetch(&words[*next as usize]);
                    placed.push((*next, own));
                    *next += 1;
                }
            }
            for (number, term) in number.iter().flat_map(|n| self.of(*n).map(|term| (*n, term))) {
                prefetch(&next[term.rank as usize]);
                terms.push(QueryTerm::new(number, &term));
            }
        }
    }
}

/// Stores postings. No two threads write to one position, and reading starts after all are written.
fn write(postings: &mut Vec<(u32, Posting)>, words: &[AtomicU64]) {
    for (at, posting) in postings.drain(..) {
        words[at as usize].store(posting.0, Ordering::Relaxed);
    }
}
