//! Chunk join: every pair of signatures within a distance `d`, without comparing all pairs. Cut into `d + 1` chunks, two such signatures agree in
//! at least one (the pigeonhole principle), so only signatures that agree in a chunk are compared.
//!
//! For each chunk, a counting sort distributes the signatures to buckets, and each bucket is compared. A pair is reported by the first chunk in
//! which it agrees, so no set of pairs is needed. Chunk bounds are chosen so that all chunks are equally unlikely to agree by chance, because
//! bits of real signatures are not balanced. A large bucket is scanned as a collection of its own.

use std::ops::Range;

use rayon::prelude::*;

use super::buckets::Buckets;
use super::full::pairs_with_later;
use super::pairs::sorted;
use super::{SignaturePair, scan};
use crate::bits::vector::{BitVector, Kernel};
use crate::bits::{distance, distance_within};
use crate::session::Session;
use crate::signature::{BITS_PER_WORD, SignatureSet};

/// Sampled signatures for balancing chunks and estimating the cost.
const SAMPLED: usize = 4096;
/// Larger buckets are scanned by tiles.
const LARGE_BUCKET: usize = 2048;
/// Bytes for the buckets of concurrently processed chunks.
const WORKSPACE: usize = 256 << 20;
/// Tasks per chunk, to balance threads.
const PARTS: usize = 64;
/// Words that are compared first: enough to rule out almost every unrelated pair at the distances for which the join is used.
const LEAD: usize = 4;
/// Maximum key length in bits: the counters fit L3.
const MAX_KEY_BITS: u32 = 22;
/// Cycles for sorting, per signature and chunk.
pub(super) const SORT_CYCLES: f64 = 30.0;
/// Cycles for comparing two signatures of a bucket, mostly cache misses.
pub(super) const COMPARE_CYCLES: f64 = 40.0;

/// Bounds of the chunks of signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkBounds {
    /// Start of each chunk and the end of the last, ascending, from 0 to the signature length.
    bounds: Vec<usize>,
}

impl ChunkBounds {
    /// Returns bounds for distances up to `max` such that all chunks are about equally unlikely to agree by chance. `None` if there are more
    /// chunks than bits: the join would filter nothing.
    pub fn balanced(set: &SignatureSet, max: u32) -> Option<Self> {
        let count = max as usize + 1;
        if count > set.bits() {
            return None;
        }
        let selectivities = selectivities(set);
        let share = selectivities.iter().sum::<f64>() / count as f64;
        let mut bounds = vec![0];
        let mut so_far = 0.0;
        for (bit, selectivity) in selectivities.iter().enumerate() {
            so_far += selectivity;
            let (done, left) = (bounds.len(), set.bits() - bit - 1);
            // Every chunk has at least one bit, and so have those to come.
            let is_full = so_far + selectivity / 2.0 >= share * done as f64;
            if done < count && left >= count - done && (is_full || left == count - done) {
                bounds.push(bit + 1);
            }
        }
        bounds.push(set.bits());
        Some(ChunkBounds { bounds })
    }

    fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns whether two signatures agree in a chunk.
    #[inline(always)]
    fn agree(&self, chunk: usize, left: &[u64], right: &[u64]) -> bool {
        let (mut first, end) = (self.bounds[chunk], self.bounds[chunk + 1]);
        while first < end {
            let length = (end - first).min(BITS_PER_WORD);
            if bits_of(left, first, length) != bits_of(right, first, length) {
                return false;
            }
            first += length;
        }
        true
    }

    /// Returns whether this is the first chunk in which they agree.
    #[inline(always)]
    fn is_first(&self, chunk: usize, left: &[u64], right: &[u64]) -> bool {
        self.agree(chunk, left, right) && !(0..chunk).any(|before| self.agree(before, left, right))
    }

    /// Returns a key of `bits` bits, equal for signatures that agree in the chunk.
    #[inline(always)]
    fn key(&self, chunk: usize, words: &[u64], bits: u32) -> u32 {
        /// Multiplying by the golden ratio spreads similar values (Knuth, volume 3, 6.4).
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let (mut first, end) = (self.bounds[chunk], self.bounds[chunk + 1]);
        if end - first <= bits as usize {
            return bits_of(words, first, end - first) as u32;
        }
        let mut hash = 0u64;
        while first < end {
            let length = (end - first).min(BITS_PER_WORD);
            hash = (hash.rotate_left(29) ^ bits_of(words, first, length)).wrapping_mul(GOLDEN);
            first += length;
        }
        (hash >> (u64::BITS - bits)) as u32
    }

    /// Estimates the cycles of the join of some rows with later ones from the collisions in a sample.
    pub fn cycles(&self, set: &SignatureSet, rows: &Range<usize>) -> f64 {
        let sample = sample(set);
        let bits = MAX_KEY_BITS.min(key_bits(set.len()));
        let pairs = |count: usize| count as f64 * (count as f64 - 1.0) / 2.0;
        let collisions = |chunk: usize| {
            let mut keys: Vec<u32> =
                sample.iter().map(|row| self.key(chunk, set.get(*row), bits)).collect();
            keys.sort_unstable();
            keys.chunk_by(|one, other| one == other).map(|run| pairs(run.len())).sum::<f64>()
        };
        let seen: f64 = (0..self.len()).into_par_iter().map(collisions).sum();
        let share = if sample.len() < 2 { 0.0 } else { seen / pairs(sample.len()) };
        let sorted = self.len() * (set.len() - rows.start);
        let compared = share * pairs_with_later(set.len(), rows);
        sorted as f64 * SORT_CYCLES + compared * COMPARE_CYCLES
    }
}

/// Returns up to 64 bits from position `first` on as a number; 0 for none.
#[inline(always)]
fn bits_of(words: &[u64], first: usize, length: usize) -> u64 {
    if length == 0 {
        return 0;
    }
    let (word, offset) = (first / BITS_PER_WORD, first % BITS_PER_WORD);
    let mut bits = words[word] << offset;
    if offset + length > BITS_PER_WORD {
        bits |= words[word + 1] >> (BITS_PER_WORD - offset);
    }
    bits >> (BITS_PER_WORD - length)
}

/// Returns evenly spaced signatures.
fn sample(set: &SignatureSet) -> Vec<usize> {
    let count = set.len().min(SAMPLED);
    (0..count).map(|number| number * set.len() / count).collect()
}

/// Returns the selectivity of each bit: the negative binary logarithm of the probability that two sampled signatures agree in it; 1 for a
/// balanced bit.
fn selectivities(set: &SignatureSet) -> Vec<f64> {
    /// Minimum, so that no chunk consists of constant bits alone.
    const MIN: f64 = 1e-3;
    let sample = sample(set);
    let share = |bit: usize| {
        let ones: u64 = sample.iter().map(|row| bits_of(set.get(*row), bit, 1)).sum();
        ones as f64 / sample.len().max(1) as f64
    };
    let selectivity = |p: f64| -(p * p + (1.0 - p) * (1.0 - p)).log2();
    (0..set.bits()).into_par_iter().map(|bit| selectivity(share(bit)).max(MIN)).collect()
}

/// Returns the key length for about one signature per bucket.
fn key_bits(signatures: usize) -> u32 {
    (signatures.max(2).ilog2() + 1).min(MAX_KEY_BITS)
}

/// Returns the pairs at most `max` apart whose lower signature is in `rows`, sorted. Time: one sort of the signatures from the first row on per chunk,
/// and one comparison per pair that agrees in a chunk. Memory: eight bytes per signature and concurrently processed chunk, and the pairs.
pub fn pairs(
    set: &SignatureSet,
    rows: Range<usize>,
    max: u32,
    chunks: &ChunkBounds,
    session: &Session,
) -> Vec<SignaturePair> {
    if rows.is_empty() {
        return Vec::new();
    }
    session.phase("joining chunks", Some(chunks.len() as u64));
    let leading = leading_words(set);
    let bytes = set.len() * 2 * size_of::<u32>();
    let at_once = (WORKSPACE / bytes.max(1)).clamp(1, rayon::current_num_threads());
    let mut found = Vec::new();
    let all: Vec<usize> = (0..chunks.len()).collect();
    for batch in all.chunks(at_once) {
        found.par_extend(batch.par_iter().flat_map(|chunk| {
            let (leading, rows) = (&*leading, rows.clone());
            let join = ChunkJoin { set, leading, rows, max, chunks, chunk: *chunk, session };
            let found = join.pairs();
            session.advance(1);
            found
        }));
    }
    sorted(found)
}

/// Returns the leading words of all signatures, so that most comparisons touch little memory; nothing if they are half of a signature or more.
fn leading_words(set: &SignatureSet) -> Vec<[u64; LEAD]> {
    if SignatureSet::words_for(set.bits()) <= 2 * LEAD {
        return Vec::new();
    }
    let leading = |row: usize| *set.get(row).first_chunk().expect("longer signatures only");
    (0..set.len()).into_par_iter().map(leading).collect()
}

/// One chunk of a join.
struct ChunkJoin<'a> {
    set: &'a SignatureSet,
    /// The leading words of all signatures; empty if signatures are short.
    leading: &'a [[u64; LEAD]],
    /// The lower signatures of the pairs.
    rows: Range<usize>,
    max: u32,
    chunks: &'a ChunkBounds,
    chunk: usize,
    session: &'a Session,
}

impl ChunkJoin<'_> {
    fn pairs(&self) -> Vec<Vec<SignaturePair>> {
        let buckets = self.buckets();
        let last = buckets.len();
        let parts = (0..PARTS).into_par_iter();
        parts
            .map(|part| {
                let keys = part * last / PARTS..(part + 1) * last / PARTS;
                self.session.cpu().run(Compare { join: self, buckets: &buckets, keys })
            })
            .collect()
    }

    /// Sorts the signatures from the first row on by their keys. Buckets count from that row.
    fn buckets(&self) -> Buckets {
        let length = self.chunks.bounds[self.chunk + 1] - self.chunks.bounds[self.chunk];
        let bits = key_bits(self.set.len()).min(length as u32);
        let key = |row: usize| self.chunks.key(self.chunk, self.set.get(row), bits);
        let keys: Vec<u32> = (self.rows.start..self.set.len()).map(key).collect();
        Buckets::new(&keys, bits)
    }

    /// Scans a large bucket as a collection of its own.
    fn scan(&self, members: &[u32], found: &mut Vec<SignaturePair>) {
        let mut bucket = SignatureSet::new(self.set.bits());
        let number = |member: usize| self.number(members[member]);
        (0..members.len()).for_each(|member| bucket.push(self.set.get(number(member) as usize)));
        let plan = scan::ScanPlan::new(&bucket, self.max);
        let session = self.session.quiet();
        for pair in scan::pairs(&bucket, 0..self.lower(members), self.max, plan, &session) {
            let (low, high) = (pair.low as usize, pair.high as usize);
            if self.chunks.is_first(self.chunk, bucket.get(low), bucket.get(high)) {
                found.push(SignaturePair::new(number(low), number(high), pair.distance));
            }
        }
    }

    /// Returns the number of a member of a bucket.
    #[inline(always)]
    fn number(&self, member: u32) -> u32 {
        self.rows.start as u32 + member
    }

    /// Returns how many members of a bucket are rows: the first ones.
    #[inline(always)]
    fn lower(&self, members: &[u32]) -> usize {
        members.partition_point(|member| (*member as usize) < self.rows.len())
    }
}

/// Compares the members of each bucket in a range.
struct Compare<'a> {
    join: &'a ChunkJoin<'a>,
    buckets: &'a Buckets,
    keys: std::ops::Range<usize>,
}

impl Kernel for Compare<'_> {
    type Output = Vec<SignaturePair>;

    #[inline(always)]
    fn run<V: BitVector>(self) -> Vec<SignaturePair> {
        let mut found = Vec::new();
        for bucket in self.keys.clone() {
            let members = self.buckets.members(bucket);
            if members.len() > LARGE_BUCKET {
                self.join.scan(members, &mut found);
            } else {
                self.compare(members, &mut found);
            }
        }
        found
    }
}

impl Compare<'_> {
    #[inline(always)]
    fn compare(&self, members: &[u32], found: &mut Vec<SignaturePair>) {
        let (leading, max) = (self.join.leading, self.join.max);
        for (at, one) in members[..self.join.lower(members)].iter().enumerate() {
            let one = self.join.number(*one);
            for other in &members[at + 1..] {
                let other = self.join.number(*other);
                if leading.is_empty()
                    || distance(&leading[one as usize], &leading[other as usize]) <= max
                {
                    self.compare_all(one, other, found);
                }
            }
        }
    }

    #[inline(always)]
    fn compare_all(&self, one: u32, other: u32, found: &mut Vec<SignaturePair>) {
        let join = self.join;
        let (left, right) = (join.set.get(one as usize), join.set.get(other as usize));
        if let Some(distance) = distance_within(left, right, join.max)
            && join.chunks.is_first(join.chunk, left, right)
        {
            found.push(SignaturePair::new(one, other, distance));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::cpu::Cpu;
    use crate::search::testing::{every_pair, signatures};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn the_join_finds_all_pairs((set, max) in signatures()) {
            let expected = every_pair(&set, max);
            for cpu in Cpu::available() {
                let chunks = ChunkBounds::balanced(&set, max);
                let found = chunks.map(|c| pairs(&set, 0..set.len(), max, &c, &Session::silent().with_cpu(cpu)));
                prop_assert_eq!(found.is_none(), max as usize >= set.bits());
                if let Some(found) = found {
                    prop_assert_eq!(&found, &expected, "{:?}", cpu);
                }
            }
        }

        #[test]
        fn chunks_cover_the_signature_and_none_is_empty((set, max) in signatures()) {
            if let Some(chunks) = ChunkBounds::balanced(&set, max) {
                prop_assert_eq!(chunks.len(), max as usize + 1);
                prop_assert!(chunks.bounds.windows(2).all(|ends| ends[0] < ends[1]));
                prop_assert_eq!((chunks.bounds[0], chunks.bounds[chunks.len()]), (0, set.bits()));
            }
        }
    }

    /// All signatures agree in their first half, so one bucket holds them all.
    #[test]
    fn large_buckets_are_searched() {
        let mut set = SignatureSet::new(128);
        for number in 0..LARGE_BUCKET as u64 + 500 {
            set.push(&[7, number.wrapping_mul(0x9e37_79b9_7f4a_7c15) & 0xffff_ffff]);
        }
        for max in [0, 1, 3] {
            let chunks = ChunkBounds::balanced(&set, max).unwrap();
            let found = pairs(&set, 0..set.len(), max, &chunks, &Session::silent());
            assert_eq!(found, every_pair(&set, max), "{max}");
        }
    }

    #[test]
    fn constant_bits_get_no_chunk_of_their_own() {
        let mut set = SignatureSet::new(128);
        for number in 0..1000u64 {
            set.push(&[0, number.wrapping_mul(0x9e37_79b9_7f4a_7c15)]);
        }
        let chunks = ChunkBounds::balanced(&set, 3).unwrap();
        assert!(chunks.bounds[1] > 64, "{chunks:?}");
    }
}
