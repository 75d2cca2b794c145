//! All pairs at or above a cosine, without looking at all pairs.
//!
//! Two vectors as similar as that have a rare term in common, and their rarest common term leaves enough of both to reach the threshold. So
//!
//! 1. vectors that are the same in every bit are compared once (`groups`);
//! 2. terms are ordered from rare to frequent (`rows`), and only a vector's prefix is indexed, up to where the rest is shorter than the threshold (`bound`,
//!    `index`);
//! 3. an entry of the index counts if its weight and the rest behind it, with the weight and the rest of the one that asks, reach the threshold (`postings`);
//! 4. a sketch of 128 bytes bounds the cosine of those that are left (`sketch`);
//! 5. then both are walked from their rarest terms on, for as long as the threshold can be reached (`verify`);
//! 6. and what remains is computed by the definition.
//!
//! The bounds are those of all-pairs joins with prefixes and ℓ² norms (Bayardo, Ma, Srikant 2007; Anastasiu, Karypis 2014). Sizes of components are
//! used throughout, so that negative ones change nothing. No bound is below what it bounds by more than a derived slack, by which the
//! threshold of all steps but the last is lowered: no pair is lost, and every pair that is returned has been computed.
//!
//! The time is a few looks at all components, and what steps 3 to 5 have to look at, which grows with the square of the number of vectors but is a
//! small share of it. The memory beside the vectors is 128 bytes a vector and at most 24 bytes a component of a prefix. The threads share the vectors that ask; each
//! looks at those before it, so that every pair is met from one side.

mod bound;
mod groups;
mod index;
mod postings;
mod rows;
mod sketch;
mod verify;

use rayon::prelude::*;

use self::groups::Groups;
use self::index::Index;
use self::rows::Rows;
use self::sketch::Sketches;
use super::method::SLACK;
use super::{Method, Vectors};
use crate::bits::cpu::Cpu;
use crate::search::Pair;
use crate::search::pairs::joined;
use crate::watch::Watch;

/// All pairs of vectors whose cosine in per cent, rounded, is at or above a threshold, sorted. The threshold is above 0 and the
/// vectors have fewer than 2³² components in all. A vector without direction is in no pair.
pub fn pairs(vectors: Vectors, threshold: f64, watch: &dyn Watch) -> Vec<Pair> {
    pairs_with(Cpu::chosen(), vectors, threshold, watch)
}

pub(super) fn pairs_with(
    cpu: Cpu,
    vectors: Vectors,
    threshold: f64,
    watch: &dyn Watch,
) -> Vec<Pair> {
    let join = Join::new(cpu, vectors, threshold, watch);
    let found = join.found(watch);
    watch.begin("listing pairs", None);
    join.expanded(&found)
}

/// Groups that are asked about together by one thread.
const BLOCK: usize = 64;

/// From so many candidates on they are looked at, before more are gathered: they should not leave the nearest cache.
const ENOUGH_CANDIDATES: usize = 4096;

/// Lists of the index that are on their way from memory at a time.
const LISTS_AHEAD: usize = 8;

/// Vectors that are on their way from memory at a time.
const ROWS_AHEAD: usize = 2;

struct Join {
    cpu: Cpu,
    threshold: f64,
    /// What a bound must reach.
    least: f64,
    rows: Rows,
    groups: Groups,
    index: Index,
    sketches: Sketches,
}

/// Two groups with their similarity.
#[derive(Debug, Clone, Copy)]
struct Found {
    earlier: u32,
    later: u32,
    similarity: f64,
}

/// How many pairs of groups came through each step; those that share several rare terms count several times before `compared`.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    met: u64,
    within_reach: u64,
    within_sketch: u64,
    compared: u64,
    computed: u64,
}

impl Tally {
    fn plus(self, other: Tally) -> Tally {
        Tally {
            met: self.met + other.met,
            within_reach: self.within_reach + other.within_reach,
            within_sketch: self.within_sketch + other.within_sketch,
            compared: self.compared + other.compared,
            computed: self.computed + other.computed,
        }
    }

    fn tell(&self, groups: usize, found: usize, watch: &dyn Watch) {
        let Tally { met, within_reach, within_sketch, compared, computed } = self;
        watch.detail(&format!(
            "{groups} different vectors; pairs met by a rare term: {met}, within its reach: {within_reach}, within the sketch: {within_sketch}, \
             different ones: {compared}, computed: {computed}, found: {found}"
        ));
    }
}

/// What one thread needs while it asks.
#[derive(Default)]
struct Scratch {
    candidates: Vec<u32>,
    kept: Vec<u32>,
    tally: Tally,
    found: Vec<Found>,
}

impl Join {
    fn new(cpu: Cpu, vectors: Vectors, threshold: f64, watch: &dyn Watch) -> Self {
        let least = (threshold / 100.0 - SLACK).max(0.0);
        watch.begin("ordering terms", None);
        let rows = Rows::new(vectors);
        let groups = Groups::new(&rows);
        watch.begin("indexing rare terms", None);
        let index = Index::new(&rows, &groups, least);
        watch.begin("sketching vectors", None);
        let sketches = Sketches::new(&rows, &groups);
        Join { cpu, threshold, least, rows, groups, index, sketches }
    }

    /// All pairs of groups, by the later one.
    fn found(&self, watch: &dyn Watch) -> Vec<Found> {
        watch.begin("comparing vectors", Some(self.groups.len() as u64));
        let blocks = (0..self.groups.len().div_ceil(BLOCK)).into_par_iter();
        let asked = blocks.map_init(Scratch::default, |scratch, block| {
            let first = block * BLOCK;
            let groups = first..(first + BLOCK).min(self.groups.len());
            watch.advance(groups.len() as u64);
            groups.for_each(|group| self.ask(group, scratch));
            (std::mem::take(&mut scratch.found), std::mem::take(&mut scratch.tally))
        });
        let (found, tallies): (Vec<Vec<Found>>, Vec<Tally>) = asked.unzip();
        let found = found.concat();
        let tally = tallies.into_iter().fold(Tally::default(), Tally::plus);
        tally.tell(self.groups.len(), found.len(), watch);
        found
    }

    /// Finds the earlier groups that are similar to a group.
    fn ask(&self, group: usize, scratch: &mut Scratch) {
        let least_sum = postings::least_sum(self.least);
        let lists = self.index.lists(group);
        for (at, list) in lists.iter().enumerate() {
            if let Some(next) = lists.get(at + LISTS_AHEAD) {
                self.index.prefetch(next);
            }
            let postings = self.index.postings(list);
            scratch.tally.met += postings.len() as u64;
            postings::scan(self.cpu, list.own, postings, least_sum, &mut scratch.candidates);
            if scratch.candidates.len() >= ENOUGH_CANDIDATES {
                self.keep_sketched(group, scratch);
            }
        }
        self.keep_sketched(group, scratch);
        scratch.kept.sort_unstable();
        scratch.kept.dedup();
        self.compare(group, scratch);
    }

    /// Keeps the candidates whose sketches do not rule them out.
    fn keep_sketched(&self, group: usize, scratch: &mut Scratch) {
        let Scratch { candidates, kept, tally, .. } = scratch;
        tally.within_reach += candidates.len() as u64;
        self.sketches.retain(self.cpu, group, self.least, candidates);
        tally.within_sketch += candidates.len() as u64;
        kept.append(candidates);
    }

    /// Compares a group with those that are kept.
    fn compare(&self, group: usize, scratch: &mut Scratch) {
        let Scratch { kept, tally, found, .. } = scratch;
        let row = self.groups.first(group);
        tally.compared += kept.len() as u64;
        for at in 0..kept.len() {
            if let Some(next) = kept.get(at + ROWS_AHEAD) {
                self.rows.prefetch(self.groups.first(*next as usize));
            }
            let other = self.groups.first(kept[at] as usize);
            if verify::may_reach(&self.rows, row, other, self.least) {
                tally.computed += 1;
                let (earlier, later) = (kept[at], group as u32);
                let similarity = self.similarity(other, row);
                found.extend(similarity.map(|similarity| Found { earlier, later, similarity }));
            }
        }
        kept.clear();
    }

    /// The similarity of two vectors if it is at or above the threshold.
    fn similarity(&self, left: usize, right: usize) -> Option<f64> {
        let (dot, norms) = (self.rows.dot(left, right), &self.rows.norms);
        let similarity = Method::Cosine.similarity(dot, norms[left], norms[right]);
        (similarity >= self.threshold).then_some(similarity)
    }

    /// The pairs of vectors in pairs of groups and within groups.
    fn expanded(&self, found: &[Found]) -> Vec<Pair> {
        let between = found.par_chunks(BLOCK).map(|found| self.pairs_between(found));
        let groups = (0..self.groups.len().div_ceil(BLOCK)).into_par_iter();
        let within = groups.map(|block| {
            let first = block * BLOCK;
            let groups = first..(first + BLOCK).min(self.groups.len());
            groups.flat_map(|group| self.pairs_within(group)).collect()
        });
        let mut pairs = joined(between.chain(within).collect());
        pairs.par_sort_unstable_by_key(|pair| (pair.low, pair.high));
        pairs
    }

    fn pairs_between(&self, found: &[Found]) -> Vec<Pair> {
        let mut pairs = Vec::with_capacity(found.len());
        for Found { earlier, later, similarity } in found {
            for left in self.groups.members(*earlier as usize) {
                let others = self.groups.members(*later as usize).iter();
                pairs.extend(others.map(|right| Pair {
                    low: *left.min(right),
                    high: *left.max(right),
                    similarity: *similarity,
                }));
            }
        }
        pairs
    }

    fn pairs_within(&self, group: usize) -> Vec<Pair> {
        let members = self.groups.members(group);
        let first = self.groups.first(group);
        // Rounding takes every vector's cosine with itself to 100, but a test costs nothing.
        let similarity = if members.len() > 1 { self.similarity(first, first) } else { None };
        let Some(similarity) = similarity else { return Vec::new() };
        let mut pairs = Vec::with_capacity(members.len() * (members.len() - 1) / 2);
        for (at, low) in members.iter().enumerate() {
            let others = members[at + 1..].iter();
            pairs.extend(others.map(|high| Pair { low: *low, high: *high, similarity }));
        }
        pairs
    }
}
