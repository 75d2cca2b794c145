//! Search in bit-sampling tables.

#[cfg(test)]
mod tests;

use std::ops::Range;

use rayon::prelude::*;

use super::super::costs;
use super::SamplingTables;
use crate::bits::cpu::Cpu;
use crate::bits::planes::BitPlanes;
use crate::bits::prefetch::prefetch;
use crate::bits::vector::{BitVector, Kernel, STEP};
use crate::bits::{distance, distance_within};
use crate::search::buckets::Buckets;
use crate::search::pairs::sorted;
use crate::search::{SignaturePair, scan};
use crate::session::Session;
use crate::signature::{BITS_PER_WORD, SignatureSet};

/// Bytes for the buckets of concurrently processed tables.
const WORKSPACE: usize = 256 << 20;
/// Tasks per table, to balance threads.
const PARTS: usize = 64;
/// Distance in prefixes at which prefixes are prefetched.
const PREFETCH_DISTANCE: usize = 16;
/// Columns of a large bucket that stay in L1 while all rows pass.
const COLUMNS: usize = 1024;
/// Tables sampled to estimate the cost of all.
const SAMPLED_TABLES: usize = 4;

/// Returns all pairs that differ in at most `max_distance` bits, at most `prefix_limit` of them in the prefix, that agree in the bits of at least
/// one table, and whose higher signature is at least `first_new`, sorted.
///
/// A pair is reported by the first table in which it agrees, so no set of pairs is needed. Memory: the signatures again, eight bytes per signature
/// and concurrently processed table, and the pairs. If the buckets of some tables show that a scan is cheaper, the signatures are scanned, with
/// the same result.
///
/// # Panics
/// If the tables do not [fit](SamplingTables::fit) the signatures.
pub fn pairs(
    set: &SignatureSet,
    tables: &SamplingTables,
    seed: u64,
    first_new: usize,
    session: &Session,
) -> Vec<SignaturePair> {
    assert!(tables.fit(set.bits()), "{tables:?} for signatures of {} bits", set.bits());
    let sorting = TableSearch::new(set, tables, seed, first_new);
    let plan = scan::ScanPlan::new(set, tables.max_distance, session.cpu());
    if sorting.cycles() < plan.cycles * pair_count(set.len(), first_new) {
        session.detail("method: tables");
        return sorting.pairs(session);
    }
    session.detail("method: tables, by a scan of all");
    let mut found = scan::pairs_from(set, tables.max_distance, plan, first_new, session);
    found.retain(|pair| sorting.would_find(pair));
    found
}

/// Returns the number of pairs whose higher item is at least `old`.
fn pair_count(all: usize, old: usize) -> f64 {
    let pairs = |count: usize| count as f64 * (count as f64 - 1.0).max(0.0) / 2.0;
    pairs(all) - pairs(old.min(all))
}

/// Signatures prepared for the tables.
struct TableSearch<'a> {
    set: &'a SignatureSet,
    tables: &'a SamplingTables,
    planes: BitPlanes,
    positions: Vec<Vec<usize>>,
    /// The positions of each table again, as words of a signature and masks.
    masks: Vec<Vec<(usize, u64)>>,
    first_new: usize,
}

impl<'a> TableSearch<'a> {
    fn new(set: &'a SignatureSet, tables: &'a SamplingTables, seed: u64, first_new: usize) -> Self {
        let planes = BitPlanes::new(set.words(), SignatureSet::words_for(set.bits()));
        let positions = tables.positions(set.bits(), seed);
        let masks = positions.iter().map(|positions| masks(positions)).collect();
        TableSearch { set, tables, planes, positions, masks, first_new }
    }

    fn pairs(&self, session: &Session) -> Vec<SignaturePair> {
        match self.tables.prefix_words {
            1 => PrefixSearch::<1>::new(self, session.cpu()).pairs(session),
            2 => PrefixSearch::<2>::new(self, session.cpu()).pairs(session),
            3 => PrefixSearch::<3>::new(self, session.cpu()).pairs(session),
            _ => PrefixSearch::<4>::new(self, session.cpu()).pairs(session),
        }
    }

    /// Estimates the cycles of all tables from the buckets of some. Pairs that pass the prefix test cost about the same in a scan and are left out.
    fn cycles(&self) -> f64 {
        let sampled = self.tables.tables.min(SAMPLED_TABLES);
        let met = |table: usize| -> f64 {
            let buckets = self.buckets(table);
            let met = |members: &[u32]| pair_count(members.len(), self.old_among(members));
            (0..buckets.len()).map(|bucket| met(buckets.members(bucket))).sum()
        };
        let met = (0..sampled).map(met).sum::<f64>() / sampled.max(1) as f64;
        let rows = self.set.len() as f64;
        self.tables.tables as f64 * costs::table_cycles(rows, met, 0.0, self.tables.prefix_words)
    }

    /// Returns the number of members before `first_new`, which come first.
    #[inline(always)]
    fn old_among(&self, members: &[u32]) -> usize {
        members.partition_point(|member| (*member as usize) < self.first_new)
    }

    /// Returns whether the tables find a pair within the distance.
    fn would_find(&self, pair: &SignaturePair) -> bool {
        let (left, right) = (self.set.get(pair.low as usize), self.set.get(pair.high as usize));
        let words = ..self.tables.prefix_words;
        distance(&left[words], &right[words]) <= self.tables.prefix_limit
            && !self.is_first(self.tables.tables, left, right)
    }

    fn buckets(&self, table: usize) -> Buckets {
        let bits = self.tables.key_bits as u32;
        let mut keys = vec![0u32; self.set.len()];
        let put = |place: &mut u32, gathered: u32, _| *place = gathered >> (u32::BITS - bits);
        self.planes.gather(&self.positions[table], &mut keys, put);
        Buckets::new(&keys, bits)
    }

    /// Returns whether two signatures agree in no table before this one.
    #[inline(always)]
    fn is_first(&self, table: usize, left: &[u64], right: &[u64]) -> bool {
        let agree = |masks: &Vec<(usize, u64)>| {
            masks.iter().all(|(word, mask)| (left[*word] ^ right[*word]) & mask == 0)
        };
        !self.masks[..table].iter().any(agree)
    }
}

/// Returns positions as words and masks.
fn masks(positions: &[usize]) -> Vec<(usize, u64)> {
    let mut masks = std::collections::BTreeMap::<usize, u64>::new();
    for position in positions {
        let bit = 1 << (BITS_PER_WORD - 1 - position % BITS_PER_WORD);
        *masks.entry(position / BITS_PER_WORD).or_default() |= bit;
    }
    masks.into_iter().collect()
}

/// Search with prefixes of `WORDS` words.
struct PrefixSearch<'a, const WORDS: usize> {
    sorting: &'a TableSearch<'a>,
    /// The prefixes of all signatures, so that most comparisons touch little memory.
    prefixes: Vec<[u64; WORDS]>,
    cpu: Cpu,
}

impl<'a, const WORDS: usize> PrefixSearch<'a, WORDS> {
    fn new(sorting: &'a TableSearch<'a>, cpu: Cpu) -> Self {
        let prefix = |row| *sorting.set.get(row).first_chunk().expect("the tables fit");
        let prefixes = (0..sorting.set.len()).into_par_iter().map(prefix).collect();
        PrefixSearch { sorting, prefixes, cpu }
    }

    fn pairs(&self, session: &Session) -> Vec<SignaturePair> {
        let tables = self.sorting.tables.tables;
        session.phase("comparing in tables", Some(tables as u64));
        let bytes = self.prefixes.len() * 2 * size_of::<u32>();
        let at_once = (WORKSPACE / bytes.max(1)).clamp(1, rayon::current_num_threads());
        let mut found: Vec<Vec<SignaturePair>> = Vec::new();
        let all: Vec<usize> = (0..tables).collect();
        for batch in all.chunks(at_once) {
            found.par_extend(batch.par_iter().flat_map(|table| {
                let found = self.pairs_of_table(*table);
                session.advance(1);
                found
            }));
        }
        sorted(found)
    }

    fn pairs_of_table(&self, table: usize) -> Vec<Vec<SignaturePair>> {
        let buckets = self.sorting.buckets(table);
        let part = |part: usize| {
            let range = part * buckets.len() / PARTS..(part + 1) * buckets.len() / PARTS;
            self.cpu.run(Compare { search: self, table, buckets: &buckets, range })
        };
        (0..PARTS).into_par_iter().map(part).filter(|found| !found.is_empty()).collect()
    }
}

/// Compares the members of each bucket in a range.
struct Compare<'a, const WORDS: usize> {
    search: &'a PrefixSearch<'a, WORDS>,
    table: usize,
    buckets: &'a Buckets,
    range: Range<usize>,
}

impl<const WORDS: usize> Kernel for Compare<'_, WORDS> {
    type Output = Vec<SignaturePair>;

    #[inline(always)]
    fn run<V: BitVector>(self) -> Vec<SignaturePair> {
        let mut found = Vec::new();
        let mut columns: [Vec<u64>; WORDS] = std::array::from_fn(|_| Vec::new());
        for bucket in self.range.clone() {
            let members = self.buckets.members(bucket);
            let new = self.search.sorting.old_among(members);
            if members.len() > 1 && new < members.len() {
                self.lay_out(members, &mut columns);
                self.compare::<V>(members, new, &columns, &mut found);
            }
        }
        found
    }
}

impl<const WORDS: usize> Compare<'_, WORDS> {
    /// Copies the prefixes of a bucket word by word, padded for a whole step from any position.
    #[inline(always)]
    fn lay_out(&self, members: &[u32], columns: &mut [Vec<u64>; WORDS]) {
        columns.iter_mut().for_each(|column| column.resize(members.len() + STEP, 0));
        let prefixes = &self.search.prefixes;
        for (at, member) in members.iter().enumerate() {
            if let Some(ahead) = members.get(at + PREFETCH_DISTANCE) {
                prefetch(&prefixes[*ahead as usize]);
            }
            let prefix = &prefixes[*member as usize];
            for word in 0..WORDS {
                columns[word][at] = prefix[word];
            }
        }
    }

    /// Compares every member with the later ones, from member `new` on.
    #[inline(always)]
    fn compare<V: BitVector>(
        &self,
        members: &[u32],
        new: usize,
        columns: &[Vec<u64>; WORDS],
        found: &mut Vec<SignaturePair>,
    ) {
        let limit = u64::from(self.search.sorting.tables.prefix_limit);
        let mut first = new;
        while first < members.len() {
            let end = (first + COLUMNS).min(members.len());
            for at in 0..end {
                let row: [u64; WORDS] = std::array::from_fn(|word| columns[word][at]);
                let mut start = first.max(at + 1);
                while start < end {
                    // The padding after the last member is compared but never verified.
                    let others = std::array::from_fn(|word| {
                        columns[word][start..]
                            .first_chunk()
                            .expect("columns are padded by a whole step")
                    });
                    if V::any_within(&row, others, limit) {
                        self.check(members, at, start..(start + STEP).min(end), found);
                    }
                    start += STEP;
                }
            }
            first = end;
        }
    }

    /// Verifies the members of a step whose prefixes are near.
    #[inline(always)]
    fn check(
        &self,
        members: &[u32],
        at: usize,
        step: Range<usize>,
        found: &mut Vec<SignaturePair>,
    ) {
        let prefixes = &self.search.prefixes;
        let limit = self.search.sorting.tables.prefix_limit;
        let one = members[at];
        for other in &members[step] {
            if distance(&prefixes[one as usize], &prefixes[*other as usize]) <= limit {
                self.compare_all(one, *other, found);
            }
        }
    }

    #[inline(always)]
    fn compare_all(&self, one: u32, other: u32, found: &mut Vec<SignaturePair>) {
        let TableSearch { set, tables, .. } = self.search.sorting;
        let (left, right) = (set.get(one as usize), set.get(other as usize));
        if let Some(distance) = distance_within(left, right, tables.max_distance)
            && self.search.sorting.is_first(self.table, left, right)
        {
            found.push(SignaturePair::new(one, other, distance));
        }
    }
}
