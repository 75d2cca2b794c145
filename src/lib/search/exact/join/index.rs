//! Which vectors have a term among their rarest.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::bound::{Prefix, Reach};
use super::postings::Posting;
use super::rows::Rows;
use crate::bits::prefetch::prefetch;

/// The prefixes of the indexed vectors by term, and what every vector has to look at. A term that joins nothing is left out.
pub(super) struct Index {
    /// For each term the places of the indexed vectors that have it in their prefix, ascending.
    postings: Vec<Posting>,
    /// What each vector has to look at, by place.
    lists: Vec<List>,
    /// Where each vector's lists start; one more than vectors.
    starts: Vec<usize>,
}

/// A term of a vector's prefix that indexed ones before it have in theirs.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    start: u32,
    end: u32,
    /// The vector's own posting.
    pub(super) own: Posting,
}

/// Prefixes are put into the index by so many threads at most; each needs a counter a term.
const MOST_PARTS: usize = 16;

impl Index {
    /// Indexes the prefixes of the first `indexed` of these vectors, for a cosine of at least `least`. They have fewer than 2³² components in all.
    pub(super) fn new(rows: &Rows, vectors: &[u32], indexed: usize, least: f64) -> Self {
        let parts = parts_of(vectors.len());
        let prefixes = Prefixes { rows, vectors, indexed, least };
        let counts: Vec<Vec<u32>> =
            parts.par_iter().map(|part| prefixes.count(part.clone())).collect();
        // Where all are indexed, a term of one prefix is asked for by nobody else.
        let fewest = if indexed == vectors.len() { 2 } else { 1 };
        let (places, total) = places_of(rows.terms(), &counts, fewest);
        drop(counts);
        let words: Vec<AtomicU64> = (0..total).into_par_iter().map(|_| AtomicU64::new(0)).collect();
        let filled = parts.into_par_iter().zip(places);
        let filled: Vec<Lists> =
            filled.map(|(part, places)| prefixes.fill(part, places, &words)).collect();
        let posting = |word: AtomicU64| Posting::from_word(word.into_inner());
        let postings = words.into_iter().map(posting).collect();
        let mut index = Index { postings, lists: Vec::new(), starts: vec![0] };
        filled.into_iter().for_each(|lists| index.append(lists));
        index
    }

    fn append(&mut self, lists: Lists) {
        let before = self.lists.len();
        self.starts.extend(lists.ends.iter().map(|end| before + end));
        self.lists.extend(lists.lists);
    }

    /// What the vector at a place has to look at to meet all indexed ones before it that share a term of its prefix.
    pub(super) fn lists(&self, place: usize) -> &[List] {
        &self.lists[self.starts[place]..self.starts[place + 1]]
    }

    /// Asks for the beginning of a list.
    pub(super) fn prefetch(&self, list: &List) {
        prefetch(&self.postings[list.start as usize]);
    }

    /// The vectors of a list.
    pub(super) fn postings(&self, list: &List) -> &[Posting] {
        &self.postings[list.start as usize..list.end as usize]
    }
}

/// Places in as many parts as there are threads.
fn parts_of(places: usize) -> Vec<Range<usize>> {
    let size = places.div_ceil(rayon::current_num_threads().min(MOST_PARTS)).max(1);
    (0..places).step_by(size).map(|start| start..(start + size).min(places)).collect()
}

/// Where a part's next posting of a term goes.
#[derive(Clone, Copy)]
struct Place {
    /// Where the term's list starts, or [`ALONE`].
    start: u32,
    next: u32,
}

/// The start of a term that joins nothing.
const ALONE: u32 = u32::MAX;

/// For each part and term that stands in at least `fewest` prefixes where postings go, and how many there are in all.
fn places_of(terms: usize, counts: &[Vec<u32>], fewest: u32) -> (Vec<Vec<Place>>, usize) {
    let mut places = vec![vec![Place { start: ALONE, next: 0 }; terms]; counts.len()];
    let mut total = 0;
    for term in 0..terms {
        if counts.iter().map(|part| part[term]).sum::<u32>() < fewest {
            continue;
        }
        let start = total;
        for (part, counts) in places.iter_mut().zip(counts) {
            part[term] = Place { start, next: total };
            total += counts[term];
        }
    }
    (places, total as usize)
}

/// The lists of a part's vectors, and where those of each vector end.
struct Lists {
    lists: Vec<List>,
    ends: Vec<usize>,
}

struct Prefixes<'a> {
    rows: &'a Rows,
    vectors: &'a [u32],
    indexed: usize,
    least: f64,
}

impl Prefixes<'_> {
    /// A vector's prefix without the terms of one vector only: these would not be found again.
    fn of(&self, place: usize) -> impl Iterator<Item = Reach> {
        let prefix = Prefix::new(self.rows, self.vectors[place] as usize, self.least);
        prefix.filter(|reach| reach.rank < self.rows.shared_terms())
    }

    /// How many prefixes of the indexed ones among these vectors have each term.
    fn count(&self, part: Range<usize>) -> Vec<u32> {
        let mut counts = vec![0; self.rows.terms()];
        let indexed = part.start..part.end.min(self.indexed);
        for reach in indexed.flat_map(|place| self.of(place)) {
            counts[reach.rank as usize] += 1;
        }
        counts
    }

    /// Puts the postings of a part in their places.
    fn fill(&self, part: Range<usize>, mut places: Vec<Place>, words: &[AtomicU64]) -> Lists {
        let mut filled = Lists { lists: Vec::new(), ends: Vec::with_capacity(part.len()) };
        for number in part {
            let is_indexed = number < self.indexed;
            for reach in self.of(number) {
                let place = &mut places[reach.rank as usize];
                if place.start == ALONE {
                    continue;
                }
                let own = Posting::new(number as u32, reach.weight, reach.rest);
                // Those that are not indexed come last: for them the next place is the end of the list.
                if place.next > place.start {
                    filled.lists.push(List { start: place.start, end: place.next, own });
                }
                if is_indexed {
                    // No two postings have one place, and nobody reads before all are there.
                    words[place.next as usize].store(own.word(), Ordering::Relaxed);
                    place.next += 1;
                }
            }
            filled.ends.push(filled.lists.len());
        }
        filled
    }
}
