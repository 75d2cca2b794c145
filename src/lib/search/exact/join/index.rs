//! Which vectors have a term among their rarest.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::bound::{Prefix, Reach};
use super::meetings::BEHIND;
use super::postings::Posting;
use super::rows::Rows;
use crate::bits::pages::advise_huge_pages;
use crate::bits::prefetch::{prefetch, prefetch_all};
use crate::vector::sparse::SparseRows;

/// The prefixes of the indexed vectors by term.
pub(super) struct Index<'a, V> {
    prefixes: Prefixes<'a, V>,
    /// For each term the places of the indexed vectors that have it in their prefix, ascending; each posting as a word. Behind the last one there are [`BEHIND`] more.
    words: Vec<u64>,
    /// Where each term's list starts; one more than terms. A list that joins nothing is empty.
    starts: Vec<u32>,
    indexed: u32,
}

/// A term of a vector's prefix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rare {
    rank: u32,
    /// The vector's own posting.
    own: Posting,
}

/// The list of such a term.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    start: u32,
    end: u32,
    /// The vector's own posting.
    pub(super) own: Posting,
}

impl List {
    /// How many vectors stand there.
    pub(super) fn len(&self) -> usize {
        (self.end - self.start) as usize
    }
}

/// No more vectors of a list are asked for: once it is read, a processor knows where it goes on.
const PREFETCHED: u32 = 64;

/// Prefixes are put into the index by so many threads at most; each needs a counter a term.
const MOST_PARTS: usize = 16;

impl<'a, V: SparseRows> Index<'a, V> {
    /// Indexes the prefixes of the first `indexed` of these vectors, for a cosine of at least `least`. They have fewer than 2³² components in all.
    pub(super) fn new(rows: &'a Rows<V>, vectors: &'a [u32], indexed: usize, least: f64) -> Self {
        let prefixes = Prefixes { rows, vectors, least };
        let parts = parts_of(indexed);
        let counts: Vec<Vec<u32>> =
            parts.par_iter().map(|part| prefixes.count(part.clone())).collect();
        // Where all are indexed, a term of one prefix is asked for by nobody else.
        let fewest = if indexed == vectors.len() { 2 } else { 1 };
        let (starts, next) = starts_of(rows.shared_terms() as usize, counts, fewest);
        let mut words = vec![0; starts.last().map_or(0, |end| *end as usize) + BEHIND];
        advise_huge_pages(&words);
        let shared = shared(&mut words);
        let parts = parts.into_par_iter().zip(next);
        parts.for_each(|(part, next)| prefixes.fill(part, next, shared));
        Index { prefixes, words, starts, indexed: indexed as u32 }
    }

    /// The terms of the prefix of the vector at a place, rarest first. Asks for where their lists begin.
    pub(super) fn find_terms(&self, place: usize, terms: &mut Vec<Rare>) {
        terms.clear();
        for reach in self.prefixes.of(place) {
            prefetch(&self.starts[reach.rank as usize]);
            terms.push(Rare::new(place, &reach));
        }
    }

    /// What a vector with these terms has to look at to meet all indexed ones that share one of them. Asks for the beginnings of the lists.
    pub(super) fn find_lists(&self, terms: &[Rare], lists: &mut Vec<List>) {
        lists.clear();
        for Rare { rank, own } in terms {
            let rank = *rank as usize;
            let (start, end) = (self.starts[rank], self.starts[rank + 1]);
            if start < end {
                let soon = share_of(end - start, own.place(), self.indexed).clamp(1, PREFETCHED);
                prefetch_all(&self.words[start as usize..end.min(start + soon) as usize]);
                lists.push(List { start, end, own: *own });
            }
        }
    }

    /// The postings of a list, with what stands behind it, and how many these are.
    pub(super) fn postings(&self, list: &List) -> (&[u64], usize) {
        (&self.words[list.start as usize..], list.len())
    }
}

impl Rare {
    fn new(place: usize, reach: &Reach) -> Self {
        Rare { rank: reach.rank, own: Posting::new(place as u32, reach.weight, reach.rest) }
    }
}

/// How many of a list stand before a place, if they are spread evenly over so many places.
fn share_of(list: u32, place: u32, places: u32) -> u32 {
    (u64::from(list) * u64::from(place.min(places))).div_ceil(u64::from(places)) as u32
}

/// Words that several threads may write.
fn shared(words: &mut [u64]) -> &[AtomicU64] {
    // SAFETY: the two types have the same size and, where there are such atomics at all and a u64 is aligned to its size, the same alignment; nobody
    // else sees the words for as long as this is borrowed.
    const { assert!(align_of::<u64>() == align_of::<AtomicU64>()) };
    unsafe { &*(std::ptr::from_mut(words) as *const [AtomicU64]) }
}

/// Places in as many parts as there are threads.
fn parts_of(places: usize) -> Vec<Range<usize>> {
    let size = places.div_ceil(rayon::current_num_threads().min(MOST_PARTS)).max(1);
    (0..places).step_by(size).map(|start| start..(start + size).min(places)).collect()
}

/// Instead of a place for a posting: the term joins nothing.
const ALONE: u32 = u32::MAX;

/// Where the list of each term starts, and the last one ends, if those of fewer than `fewest` are empty; and for each part where its own postings of each term go.
fn starts_of(terms: usize, counts: Vec<Vec<u32>>, fewest: u32) -> (Vec<u32>, Vec<Vec<u32>>) {
    let (mut starts, mut next) = (Vec::with_capacity(terms + 1), counts);
    let mut total = 0;
    for term in 0..terms {
        starts.push(total);
        let is_alone = next.iter().map(|part| part[term]).sum::<u32>() < fewest;
        for part in &mut next {
            let count = std::mem::replace(&mut part[term], if is_alone { ALONE } else { total });
            total += if is_alone { 0 } else { count };
        }
    }
    starts.push(total);
    (starts, next)
}

struct Prefixes<'a, V> {
    rows: &'a Rows<V>,
    vectors: &'a [u32],
    least: f64,
}

impl<V: SparseRows> Prefixes<'_, V> {
    /// A vector's prefix without the terms of one vector only: these would not be found again.
    fn of(&self, place: usize) -> impl Iterator<Item = Reach> {
        let prefix = Prefix::new(self.rows, self.vectors[place] as usize, self.least);
        prefix.filter(|reach| reach.rank < self.rows.shared_terms())
    }

    /// How many prefixes of these vectors have each term.
    fn count(&self, part: Range<usize>) -> Vec<u32> {
        let mut counts = vec![0; self.rows.shared_terms() as usize];
        for reach in part.flat_map(|place| self.of(place)) {
            counts[reach.rank as usize] += 1;
        }
        counts
    }

    /// Puts the postings of a part in their places. While one vector's are written, the memory of the next one's and the counters of the one
    /// after it are on their way: a processor would wait for one after the other.
    fn fill(&self, part: Range<usize>, mut next: Vec<u32>, words: &[AtomicU64]) {
        let (mut terms, mut placed) = (Vec::new(), Vec::new());
        for place in part.map(Some).chain([None, None]) {
            write(&mut placed, words);
            for Rare { rank, own } in terms.drain(..) {
                let next = &mut next[rank as usize];
                if *next != ALONE {
                    prefetch(&words[*next as usize]);
                    placed.push((*next, own));
                    *next += 1;
                }
            }
            for (place, reach) in place.iter().flat_map(|p| self.of(*p).map(|reach| (*p, reach))) {
                prefetch(&next[reach.rank as usize]);
                terms.push(Rare::new(place, &reach));
            }
        }
    }
}

/// No two postings have one place, and nobody reads before all are there.
fn write(postings: &mut Vec<(u32, Posting)>, words: &[AtomicU64]) {
    for (at, posting) in postings.drain(..) {
        words[at as usize].store(posting.0, Ordering::Relaxed);
    }
}
