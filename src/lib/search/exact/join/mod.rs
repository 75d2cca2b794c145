//! All pairs at or above a cosine, without looking at all pairs.
//!
//! Two vectors as similar as that have a rare term in common, and their rarest common term leaves enough of both to reach the threshold. So
//!
//! 1. vectors that are the same in every bit are compared once (`groups`);
//! 2. terms are ordered from rare to frequent (`rows`), and only a vector's prefix is indexed, up to where the rest is shorter than the threshold (`bound`,
//!    `index`);
//! 3. two that meet there by one term go on if its weights, and what the rests behind it can add, reach the threshold (`postings`), and all go on that
//!    meet again (`met`): those that have one rare term in common by chance rarely have two;
//! 4. a sketch of 256 bytes bounds the cosine of those that are left (`sketch`);
//! 5. then both are walked from their rarest terms on, for as long as the threshold can be reached (`verify`);
//! 6. and what remains is computed by the definition.
//!
//! The bounds are those of all-pairs joins with prefixes and ℓ² norms (Bayardo, Ma, Srikant 2007; Anastasiu, Karypis 2014). Sizes of components are
//! used throughout, so that negative ones change nothing. No bound is below what it bounds by more than a derived slack, by which the
//! threshold of all steps but the last is lowered: no pair is lost, and every pair that is returned has been computed.
//!
//! The time is a few looks at all components, and what steps 3 to 5 have to look at, which grows with the square of the number of vectors but is a
//! small share of it. The memory beside the vectors is 256 bytes a vector and 8 bytes a component of a prefix. The threads share the vectors that ask; each
//! looks at those before it, so that every pair is met from one side. Where only the pairs of some vectors are wanted, only those are indexed and sketched.

mod bound;
mod groups;
mod index;
mod meetings;
mod met;
mod postings;
mod prepared;
mod rows;
mod sides;
mod sketch;
mod verify;

use rayon::prelude::*;

pub use self::prepared::Prepared;
pub(in crate::search) use self::sides::{Sides, partition};

use self::index::{Index, List, Rare};
use self::meetings::Meetings;
use self::met::Met;
use self::postings::Least;
use self::rows::Rows;
use self::sketch::{Sketch, Sketches};
use super::SparseMatrix;
use crate::bits::cpu::Cpu;
use crate::search::{EqualGroups, GroupedPairs, Pair};
use crate::session::Session;
use crate::vector::sparse::SparseRows;

/// All pairs of vectors whose cosine in per cent, rounded, is at or above a threshold, sorted. The threshold is above 0 and the
/// vectors have fewer than 2³² components in all. A vector without direction is in no pair.
pub fn pairs(vectors: SparseMatrix, threshold: f64, session: &Session) -> Vec<Pair> {
    pairs_from(vectors, threshold, 0, session)
}

/// Of [`pairs`] those whose higher vector is `from` or beyond. The vectors before ask for nothing but those from there on.
pub fn pairs_from(
    vectors: SparseMatrix,
    threshold: f64,
    from: usize,
    session: &Session,
) -> Vec<Pair> {
    let prepared = Prepared::new(vectors, session);
    let pairs = pairs_between(&prepared, threshold, from, session);
    session.phase("listing pairs", None);
    grouped(prepared.into_groups(), pairs, threshold, from).expanded()
}

/// Of [`pairs`] those in which at least one of the two vectors is asked about; `asked` tells it for each. Takes one look at all components and, beyond that,
/// what the vectors that are asked about take.
pub fn pairs_of(
    vectors: SparseMatrix,
    threshold: f64,
    asked: &[bool],
    session: &Session,
) -> Vec<Pair> {
    let prepared = Prepared::new(vectors, session);
    let is_asked = |row: &u32| asked[*row as usize];
    let sides = Sides::asked(prepared.groups(), |group| {
        prepared.groups().members(group).iter().any(is_asked)
    });
    let pairs = prepared.pairs(threshold, &sides, session);
    let mut pairs = grouped(prepared.into_groups(), pairs, threshold, 0).expanded();
    pairs.retain(|pair| is_asked(&pair.low) || is_asked(&pair.high));
    pairs
}

/// [`pairs_from`], equal vectors in groups: for collections in which many are equal.
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
    let sides = Sides::asked(prepared.groups(), |group| prepared.groups().last(group) >= from);
    prepared.pairs(threshold, &sides, session)
}

/// EqualGroups with their pairs. Beyond 100 per cent not even equal vectors are pairs.
fn grouped(groups: EqualGroups, pairs: Vec<Pair>, threshold: f64, from: usize) -> GroupedPairs {
    if threshold > 100.0 { GroupedPairs::default() } else { GroupedPairs::new(groups, pairs, from) }
}

/// SparseMatrix that are asked about together by one thread.
const BLOCK: usize = 64;

/// From so many meetings on they are looked at, before more are gathered: they should not leave the nearest cache.
const ENOUGH_MEETINGS: usize = 2048;

/// SparseMatrix that are on their way from memory at a time.
const ROWS_AHEAD: usize = 2;

struct Join<'a, V> {
    cpu: Cpu,
    threshold: f64,
    /// What a bound must reach.
    least: f64,
    rows: &'a Rows<V>,
    /// The vectors that stand for groups: first those that are indexed. All that follows numbers them by their places here.
    vectors: &'a [u32],
    indexed: usize,
    asking: std::ops::Range<usize>,
    index: Index<'a, V>,
    sketches: Sketches,
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

    fn tell(&self, groups: usize, found: usize, session: &Session) {
        let Tally { met, within_reach, within_sketch, compared, computed } = self;
        session.detail(&format!(
            "{groups} different vectors; pairs met by a rare term: {met}, within its reach: {within_reach}, within the sketch: {within_sketch}, \
             different ones: {compared}, computed: {computed}, found: {found}"
        ));
    }
}

/// What one thread needs while it asks.
#[derive(Default)]
struct Scratch {
    /// The terms of the vector that asks after the next one.
    terms: Vec<Rare>,
    /// What the vector that asks next has to look at.
    lists: Vec<List>,
    meetings: Meetings,
    met: Met,
    candidates: Vec<u32>,
    kept: Vec<u32>,
    tally: Tally,
    found: Vec<Pair>,
}

impl<'a, V: SparseRows> Join<'a, V> {
    fn new(
        rows: &'a Rows<V>,
        vectors: &'a [u32],
        sides: &Sides,
        threshold: f64,
        session: &Session,
    ) -> Self {
        let cpu = session.cpu();
        let (least, indexed, asking) =
            (prepared::least(threshold), sides.indexed(), sides.asking());
        session.phase("indexing rare terms", None);
        let index = Index::new(rows, vectors, indexed, least);
        session.phase("sketching vectors", None);
        let sketches = Sketches::new(cpu, rows, &vectors[..indexed]);
        Join { cpu, threshold, least, rows, vectors, indexed, asking, index, sketches }
    }

    /// All pairs of the vectors, sorted.
    fn pairs(&self, session: &Session) -> Vec<Pair> {
        session.phase("comparing vectors", Some(self.asking.len() as u64));
        let blocks = (0..self.asking.len().div_ceil(BLOCK)).into_par_iter();
        let asked = blocks.map_init(Scratch::default, |scratch, block| {
            let first = self.asking.start + block * BLOCK;
            let places = first..(first + BLOCK).min(self.asking.end);
            session.advance(places.len() as u64);
            self.ask_all(places, scratch);
            (std::mem::take(&mut scratch.found), std::mem::take(&mut scratch.tally))
        });
        let (found, tallies): (Vec<Vec<Pair>>, Vec<Tally>) = asked.unzip();
        let mut found = found.concat();
        found.par_sort_unstable_by_key(|pair| (pair.low, pair.high));
        let tally = tallies.into_iter().fold(Tally::default(), Tally::plus);
        tally.tell(self.vectors.len(), found.len(), session);
        found
    }

    /// Asks for one vector after the other. While one asks, the lists of the next one and where those of the one after it begin are on their way from memory.
    fn ask_all(&self, places: std::ops::Range<usize>, scratch: &mut Scratch) {
        let (mut asks_next, mut asks_then) = (None, None);
        for place in places.map(Some).chain([None, None]) {
            if let Some(place) = asks_next {
                self.ask(place, scratch);
            }
            if asks_then.is_some() {
                self.index.find_lists(&scratch.terms, &mut scratch.lists);
            }
            if let Some(place) = place {
                self.index.find_terms(place, &mut scratch.terms);
            }
            (asks_next, asks_then) = (asks_then, place);
        }
    }

    /// Finds the indexed vectors before the one at a place that are similar to it.
    fn ask(&self, place: usize, scratch: &mut Scratch) {
        if scratch.lists.is_empty() {
            return;
        }
        let most_met = scratch.lists.iter().map(List::len).sum();
        scratch.met.clear(most_met, self.indexed);
        let own = || Sketch::of(self.cpu, self.rows, self.vectors[place] as usize);
        let sketch = self.sketches.get(place).unwrap_or_else(own);
        let least = Least::new(self.least);
        for at in 0..scratch.lists.len() {
            let Scratch { lists, meetings, .. } = scratch;
            meetings.add(self.cpu, lists[at].own, self.index.postings(&lists[at]), &least);
            if scratch.meetings.len() >= ENOUGH_MEETINGS {
                self.keep_sketched(&sketch, scratch);
            }
        }
        self.keep_sketched(&sketch, scratch);
        scratch.kept.sort_unstable();
        scratch.kept.dedup();
        self.compare(place, scratch);
    }

    /// Keeps those that were met, where it may come to more, and whose sketches do not rule them out.
    fn keep_sketched(&self, sketch: &Sketch, scratch: &mut Scratch) {
        let Scratch { meetings, met, candidates, kept, tally, .. } = scratch;
        tally.met += meetings.len() as u64;
        meetings.take(met, candidates);
        tally.within_reach += candidates.len() as u64;
        self.sketches.retain(self.cpu, sketch, self.least, candidates);
        tally.within_sketch += candidates.len() as u64;
        kept.append(candidates);
    }

    /// Compares the vector at a place with those that are kept.
    fn compare(&self, place: usize, scratch: &mut Scratch) {
        let Scratch { kept, tally, found, .. } = scratch;
        let row = self.vectors[place] as usize;
        tally.compared += kept.len() as u64;
        for at in 0..kept.len() {
            if let Some(next) = kept.get(at + ROWS_AHEAD) {
                self.rows.prefetch(self.vectors[*next as usize] as usize);
            }
            let other = self.vectors[kept[at] as usize] as usize;
            if verify::may_reach(self.rows, row, other, self.least) {
                tally.computed += 1;
                found.extend(self.pair(other, row));
            }
        }
        kept.clear();
    }

    /// The pair of two vectors if it is at or above the threshold.
    fn pair(&self, one: usize, other: usize) -> Option<Pair> {
        let similarity = self.rows.cosine(one, other);
        let pair = Pair { low: one.min(other) as u32, high: one.max(other) as u32, similarity };
        (similarity >= self.threshold).then_some(pair)
    }
}
