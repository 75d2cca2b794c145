//! Every pair of signatures within a distance `d`, without looking at all of them: cut into `d + 1` chunks, two such signatures agree on at
//! least one of them (the pigeonhole principle), so only signatures that agree on a chunk need be compared.
//!
//! For each chunk the signatures are sorted by it, by counting, and compared within each bucket. A pair is told in the first chunk on which
//! it agrees, so that no set of pairs is needed. ChunkBounds are cut where they are equally unlikely to agree by chance, because bits of
//! real signatures are not all balanced. A bucket that is large all the same is scanned as a collection of its own.

use rayon::prelude::*;

use super::buckets::Buckets;
use super::pairs::sorted;
use super::{SignaturePair, scan};
use crate::bits::vector::{BitVector, Kernel};
use crate::bits::{distance, distance_within};
use crate::session::Session;
use crate::signature::{BITS_PER_WORD, SignatureSet};

/// Signatures that are looked at to balance the chunks and to guess the work.
const SAMPLED: usize = 4096;
/// A bucket of more is scanned by tiles.
const LARGE_BUCKET: usize = 2048;
/// Memory for the sorted numbers of chunks that are worked on at the same time.
const WORKSPACE: usize = 256 << 20;
/// Parts of a chunk's buckets, so that threads share large ones.
const PARTS: usize = 64;
/// Words that are compared first: enough to settle almost every unrelated pair at the distances for which the join is used.
const LEAD: usize = 4;
/// Bits of the longest key: its counters fit the third cache.
const MOST_KEY_BITS: u32 = 22;
/// Cycles that sorting takes for a signature and a chunk.
pub(super) const SORT_CYCLES: f64 = 30.0;
/// Cycles that comparing two signatures of a bucket takes, mostly waiting for memory.
pub(super) const COMPARE_CYCLES: f64 = 40.0;

/// How signatures are cut into chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkBounds {
    /// Where chunks begin and end: one more than chunks, ascending, from 0 to the signature's length.
    bounds: Vec<usize>,
}

impl ChunkBounds {
    /// Cuts signatures for distances up to `most`, so that all chunks are about equally unlikely to agree by chance. `None` if there
    /// are more chunks than bits: then the join is no filter.
    pub fn balanced(set: &SignatureSet, most: u32) -> Option<Self> {
        let count = most as usize + 1;
        if count > set.bits() {
            return None;
        }
        let surprises = surprises(set);
        let share = surprises.iter().sum::<f64>() / count as f64;
        let mut bounds = vec![0];
        let mut so_far = 0.0;
        for (bit, surprise) in surprises.iter().enumerate() {
            so_far += surprise;
            let (done, left) = (bounds.len(), set.bits() - bit - 1);
            // Every chunk has at least one bit, and so have those to come.
            let is_full = so_far + surprise / 2.0 >= share * done as f64;
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

    /// Whether two signatures agree on a chunk.
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

    /// Whether this is the first chunk on which they agree.
    #[inline(always)]
    fn is_first(&self, chunk: usize, left: &[u64], right: &[u64]) -> bool {
        self.agree(chunk, left, right) && !(0..chunk).any(|before| self.agree(before, left, right))
    }

    /// A number of `bits` bits that is the same for signatures that agree on the chunk.
    #[inline(always)]
    fn key(&self, chunk: usize, words: &[u64], bits: u32) -> u32 {
        /// Multiplying by the golden ratio spreads what is alike (Knuth, volume 3, 6.4).
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

    /// Cycles that the join will take, guessed from how often a sample agrees.
    pub fn cycles(&self, set: &SignatureSet) -> f64 {
        let sample = sample(set);
        let bits = MOST_KEY_BITS.min(key_bits(set.len()));
        let pairs = |count: usize| count as f64 * (count as f64 - 1.0) / 2.0;
        let collisions = |chunk: usize| {
            let mut keys: Vec<u32> =
                sample.iter().map(|row| self.key(chunk, set.get(*row), bits)).collect();
            keys.sort_unstable();
            keys.chunk_by(|one, other| one == other).map(|run| pairs(run.len())).sum::<f64>()
        };
        let seen: f64 = (0..self.len()).into_par_iter().map(collisions).sum();
        let share = if sample.len() < 2 { 0.0 } else { seen / pairs(sample.len()) };
        (self.len() * set.len()) as f64 * SORT_CYCLES + share * pairs(set.len()) * COMPARE_CYCLES
    }
}

/// Up to 64 bits from position `first` on, as a number; 0 for none.
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

/// Some signatures, evenly spread.
fn sample(set: &SignatureSet) -> Vec<usize> {
    let count = set.len().min(SAMPLED);
    (0..count).map(|number| number * set.len() / count).collect()
}

/// For each bit how many bits' worth it tells two signatures apart: the negative logarithm of the probability that two of the sample
/// agree on it; 1 for a balanced bit.
fn surprises(set: &SignatureSet) -> Vec<f64> {
    /// Even a bit that is always the same takes some room, so that all of a chunk is never such bits.
    const LEAST: f64 = 1e-3;
    let sample = sample(set);
    let share = |bit: usize| {
        let ones: u64 = sample.iter().map(|row| bits_of(set.get(*row), bit, 1)).sum();
        ones as f64 / sample.len().max(1) as f64
    };
    let surprise = |p: f64| -(p * p + (1.0 - p) * (1.0 - p)).log2();
    (0..set.bits()).into_par_iter().map(|bit| surprise(share(bit)).max(LEAST)).collect()
}

/// Bits of a key for so many signatures: about one signature a bucket.
fn key_bits(signatures: usize) -> u32 {
    (signatures.max(2).ilog2() + 1).min(MOST_KEY_BITS)
}

/// All pairs at most `most` apart, sorted. Takes time for each chunk to sort, and for every pair that agrees on a chunk to compare; eight bytes of
/// memory a signature for each chunk worked on at the same time, and what is found.
pub fn pairs(
    set: &SignatureSet,
    most: u32,
    chunks: &ChunkBounds,
    session: &Session,
) -> Vec<SignaturePair> {
    pairs_from(set, most, chunks, 0, session)
}

/// Of [`pairs`] those whose higher signature is `first_new` or beyond; the others are not compared.
pub fn pairs_from(
    set: &SignatureSet,
    most: u32,
    chunks: &ChunkBounds,
    first_new: usize,
    session: &Session,
) -> Vec<SignaturePair> {
    session.phase("joining chunks", Some(chunks.len() as u64));
    let leading = leading_words(set);
    let bytes = set.len() * 2 * size_of::<u32>();
    let at_once = (WORKSPACE / bytes.max(1)).clamp(1, rayon::current_num_threads());
    let mut found = Vec::new();
    let all: Vec<usize> = (0..chunks.len()).collect();
    for wave in all.chunks(at_once) {
        found.par_extend(wave.par_iter().flat_map(|chunk| {
            let join =
                Join { set, leading: &leading, most, chunks, chunk: *chunk, first_new, session };
            let found = join.pairs();
            session.advance(1);
            found
        }));
    }
    sorted(found)
}

/// The leading words of all signatures in one place, so that most comparisons need little memory; nothing where they are half of a
/// signature or more.
fn leading_words(set: &SignatureSet) -> Vec<[u64; LEAD]> {
    if SignatureSet::words_for(set.bits()) <= 2 * LEAD {
        return Vec::new();
    }
    let leading = |row: usize| *set.get(row).first_chunk().expect("longer signatures only");
    (0..set.len()).into_par_iter().map(leading).collect()
}

/// One chunk of a join.
struct Join<'a> {
    set: &'a SignatureSet,
    /// The leading words of all signatures, or nothing where these are short.
    leading: &'a [[u64; LEAD]],
    most: u32,
    chunks: &'a ChunkBounds,
    chunk: usize,
    first_new: usize,
    session: &'a Session,
}

impl Join<'_> {
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

    /// The signatures sorted by their keys, by counting.
    fn buckets(&self) -> Buckets {
        let length = self.chunks.bounds[self.chunk + 1] - self.chunks.bounds[self.chunk];
        let bits = key_bits(self.set.len()).min(length as u32);
        let key = |row: usize| self.chunks.key(self.chunk, self.set.get(row), bits);
        let keys: Vec<u32> = (0..self.set.len()).map(key).collect();
        Buckets::new(&keys, bits)
    }

    /// Compares the signatures of a large bucket as a collection of their own.
    fn scan(&self, members: &[u32], first_new: usize, found: &mut Vec<SignaturePair>) {
        let mut bucket = SignatureSet::new(self.set.bits());
        members.iter().for_each(|member| bucket.push(self.set.get(*member as usize)));
        let plan = scan::ScanPlan::new(&bucket, self.most, self.session.cpu());
        let session = self.session.quiet();
        for pair in scan::pairs_from(&bucket, self.most, plan, first_new, &session) {
            let (low, high) = (pair.low as usize, pair.high as usize);
            if self.chunks.is_first(self.chunk, bucket.get(low), bucket.get(high)) {
                found.push(SignaturePair::new(members[low], members[high], pair.distance));
            }
        }
    }
}

/// Compares the members of some buckets with each other.
struct Compare<'a> {
    join: &'a Join<'a>,
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
            let first_new = self.join.first_new;
            let new = members.partition_point(|member| (*member as usize) < first_new);
            if new == members.len() {
                continue;
            }
            if members.len() > LARGE_BUCKET {
                self.join.scan(members, new, &mut found);
            } else {
                self.compare(members, new, &mut found);
            }
        }
        found
    }
}

impl Compare<'_> {
    #[inline(always)]
    fn compare(&self, members: &[u32], first_new: usize, found: &mut Vec<SignaturePair>) {
        let (leading, most) = (self.join.leading, self.join.most);
        for (at, one) in members.iter().enumerate() {
            for other in &members[first_new.max(at + 1)..] {
                if leading.is_empty()
                    || distance(&leading[*one as usize], &leading[*other as usize]) <= most
                {
                    self.compare_all(*one, *other, found);
                }
            }
        }
    }

    #[inline(always)]
    fn compare_all(&self, one: u32, other: u32, found: &mut Vec<SignaturePair>) {
        let join = self.join;
        let (left, right) = (join.set.get(one as usize), join.set.get(other as usize));
        if let Some(distance) = distance_within(left, right, join.most)
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
        fn the_join_finds_what_there_is((set, most) in signatures(), split in any::<prop::sample::Index>()) {
            let first_new = split.index(2 * set.len() + 2).saturating_sub(set.len());
            let mut expected = every_pair(&set, most);
            expected.retain(|pair| pair.high as usize >= first_new);
            for cpu in Cpu::available() {
                let chunks = ChunkBounds::balanced(&set, most);
                let found = chunks.map(|c| pairs_from(&set, most, &c, first_new, &Session::silent().with_cpu(cpu)));
                prop_assert_eq!(found.is_none(), most as usize >= set.bits());
                if let Some(found) = found {
                    prop_assert_eq!(&found, &expected, "{:?}", cpu);
                }
            }
        }

        #[test]
        fn chunks_cover_the_signature_and_none_is_empty((set, most) in signatures()) {
            if let Some(chunks) = ChunkBounds::balanced(&set, most) {
                prop_assert_eq!(chunks.len(), most as usize + 1);
                prop_assert!(chunks.bounds.windows(2).all(|ends| ends[0] < ends[1]));
                prop_assert_eq!((chunks.bounds[0], chunks.bounds[chunks.len()]), (0, set.bits()));
            }
        }
    }

    /// All signatures agree on their first half, so one bucket holds them all.
    #[test]
    fn a_large_bucket_is_no_exception() {
        let mut set = SignatureSet::new(128);
        for number in 0..LARGE_BUCKET as u64 + 500 {
            set.push(&[7, number.wrapping_mul(0x9e37_79b9_7f4a_7c15) & 0xffff_ffff]);
        }
        for most in [0, 1, 3] {
            let chunks = ChunkBounds::balanced(&set, most).unwrap();
            let found = pairs(&set, most, &chunks, &Session::silent());
            assert_eq!(found, every_pair(&set, most), "{most}");
        }
    }

    #[test]
    fn bits_that_are_always_the_same_get_no_chunk_of_their_own() {
        let mut set = SignatureSet::new(128);
        for number in 0..1000u64 {
            set.push(&[0, number.wrapping_mul(0x9e37_79b9_7f4a_7c15)]);
        }
        let chunks = ChunkBounds::balanced(&set, 3).unwrap();
        assert!(chunks.bounds[1] > 64, "{chunks:?}");
    }
}
