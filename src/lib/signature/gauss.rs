//! From weights to bits with normal random vectors: sums of products of 16-bit numbers.
//!
//! Rows are gathered, one a term of the document; what counts is where they are when they are needed. So rows are cut into panels of 64 bits
//! (128 bytes, two lines of cache) and many documents are signed panel by panel: the rows of one panel that many documents share, which are
//! those of the first terms of the vocabulary, stay in the cache. All sums are exact, so no order of the work changes a bit.

use std::ops::Range;

use rayon::prelude::*;

use super::{BITS_PER_WORD, Hyperplanes, QuantizedVectors, SignatureSet, normal};
use crate::bits::cpu::Cpu;

/// What the largest weight of a document becomes: far finer than the error of thousands of bits can show, yet the sums of a hundred terms
/// mostly fit 32 bits.
pub const STEPS: i16 = 4095;
/// Bits in a panel: the 32-bit sums of one panel just leave room in the vector registers.
const PANEL: usize = BITS_PER_WORD;
/// Terms whose rows stand together, panel by panel. One after the other over all terms, the rows of a panel would compete for a few
/// places of the cache.
pub const TERMS_TOGETHER: usize = 512;
/// Sums of products stay within 32 bits as long as the absolute weights add up to no more.
const WEIGHT_IN_32_BITS: i64 = i32::MAX as i64 / normal::LARGEST;

/// Some neighbouring random vectors: for every 512 terms and each 64 of the bits, the terms' rows one after the other.
pub struct HyperplaneBlock<'a> {
    /// Which bits of the signature these vectors give; the first is a multiple of 64 unless there are fewer than 64.
    pub bits: Range<usize>,
    /// The number of terms.
    pub terms: usize,
    /// The rows, as [`arrange`] puts them.
    pub rows: &'a [i16],
}

/// Puts rows of `width` components, of as many terms as are kept together or of the last, into the order of a [`HyperplaneBlock`].
pub fn arrange(rows: &[i16], width: usize, arranged: &mut [i16]) {
    let terms = rows.len() / width.max(1);
    for (term, row) in rows.chunks_exact(width).enumerate() {
        let mut start = 0;
        for part in row.chunks(PANEL) {
            arranged[start + term * part.len()..][..part.len()].copy_from_slice(part);
            start += terms * part.len();
        }
    }
}

/// All rows of the random vectors of `planes` into `rows`, which has room for just those, in parallel.
pub fn fill(planes: &Hyperplanes, rows: &mut [i16]) {
    let width = planes.bits();
    let draw = |(chunk, arranged): (usize, &mut [i16])| {
        let mut drawn = vec![0; arranged.len()];
        for (term, row) in drawn.chunks_exact_mut(width).enumerate() {
            planes.row(chunk * TERMS_TOGETHER + term, row);
        }
        arrange(&drawn, width, arranged);
    };
    rows.par_chunks_mut(width * TERMS_TOGETHER).enumerate().for_each(draw);
}

impl HyperplaneBlock<'_> {
    /// Sets the block's bits in signatures (which are 0 there before): bit `j` is 1 where the exact sum of weight times component of random
    /// vector `j` is at least 0. `signatures` has, for each of `parts`, the words of all its documents' signatures of `bits` bits.
    pub fn sign(
        &self,
        parts: &[QuantizedVectors],
        bits: usize,
        signatures: &mut [&mut [u64]],
        cpu: Cpu,
    ) {
        let words = SignatureSet::words_for(bits);
        for first in (0..self.bits.len()).step_by(PANEL) {
            let panel = Panel::new(self, first);
            let work = parts.par_iter().zip(&mut *signatures);
            work.for_each(|(part, signatures)| {
                for (document, signature) in signatures.chunks_exact_mut(words).enumerate() {
                    let (terms, weights) = part.get(document);
                    panel.set(signature, panel.positives(terms, weights, cpu));
                }
            });
        }
    }
}

/// The rows of up to 64 neighbouring bits.
struct Panel<'a> {
    rows: &'a [i16],
    terms: usize,
    /// The bits of the block, for the whole of a row.
    block_width: usize,
    /// The first bit, counted in the block and in the signature.
    first: usize,
    first_of_signature: usize,
    /// Bits in this panel.
    width: usize,
}

impl<'a> Panel<'a> {
    fn new(block: &HyperplaneBlock<'a>, first: usize) -> Self {
        Panel {
            rows: block.rows,
            terms: block.terms,
            block_width: block.bits.len(),
            first,
            first_of_signature: block.bits.start + first,
            width: PANEL.min(block.bits.len() - first),
        }
    }

    #[inline(always)]
    fn row(&self, term: u32) -> &'a [i16] {
        let (together, at) = (term as usize / TERMS_TOGETHER, term as usize % TERMS_TOGETHER);
        let first_term = together * TERMS_TOGETHER;
        let terms = TERMS_TOGETHER.min(self.terms - first_term);
        let start = first_term * self.block_width + terms * self.first + at * self.width;
        &self.rows[start..start + self.width]
    }

    /// Puts a panel's bits, the first of which is the highest of `positives`, into a signature.
    fn set(&self, signature: &mut [u64], positives: u64) {
        let (word, shift) =
            (self.first_of_signature / BITS_PER_WORD, self.first_of_signature % BITS_PER_WORD);
        signature[word] |= positives >> shift;
        if shift + self.width > BITS_PER_WORD {
            signature[word + 1] |= positives << (BITS_PER_WORD - shift);
        }
    }

    /// In the highest bits, one for each vector of the panel: whether its sum is at least 0.
    fn positives(&self, terms: &[u32], weights: &[i16], cpu: Cpu) -> u64 {
        let end = fitting(weights);
        let mut sums = [0; PANEL];
        self.add(&terms[..end], &weights[..end], cpu, &mut sums);
        if end == terms.len() {
            return self.signs(sums.map(|sum| sum >= 0));
        }
        let mut wide = sums.map(i64::from);
        let (mut terms, mut weights) = (&terms[end..], &weights[end..]);
        while !terms.is_empty() {
            let end = fitting(weights);
            self.add(&terms[..end], &weights[..end], cpu, &mut sums);
            wide.iter_mut().zip(sums).for_each(|(wide, sum)| *wide += i64::from(sum));
            (terms, weights) = (&terms[end..], &weights[end..]);
        }
        self.signs(wide.map(|sum| sum >= 0))
    }

    fn signs(&self, positive: [bool; PANEL]) -> u64 {
        let all = positive.iter().fold(0, |word, bit| word << 1 | u64::from(*bit));
        all & (u64::MAX << (PANEL - self.width))
    }

    /// The sums of some terms, whose weights are such that 32 bits are enough.
    fn add(&self, terms: &[u32], weights: &[i16], cpu: Cpu, sums: &mut [i32; PANEL]) {
        #[cfg(target_arch = "x86_64")]
        if cpu >= Cpu::Avx2 && self.width == PANEL {
            // SAFETY: this processor has AVX2, or the caller could not have named it.
            return unsafe { avx2::add(self, terms, weights, sums) };
        }
        let _ = cpu;
        *sums = [0; PANEL];
        for (term, weight) in terms.iter().zip(weights) {
            for (sum, component) in sums.iter_mut().zip(self.row(*term)) {
                *sum += i32::from(*weight) * i32::from(*component);
            }
        }
    }
}

/// How many of these weights can be summed up in 32 bits; at least one, if there is one.
fn fitting(weights: &[i16]) -> usize {
    let mut sum = 0;
    let fits = |weight: &&i16| {
        sum += i64::from(weight.unsigned_abs());
        sum <= WEIGHT_IN_32_BITS
    };
    weights.iter().take_while(fits).count()
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{PANEL, Panel};

    /// Terms ahead whose rows are asked for before they are needed.
    const AHEAD: usize = 8;
    /// 16-bit numbers in a register.
    const LANES: usize = 16;
    const REGISTERS: usize = PANEL / LANES;

    /// Two terms at a time: their components are interleaved, so that one instruction multiplies both and adds the two products.
    #[target_feature(enable = "avx2")]
    pub(super) fn add(panel: &Panel<'_>, terms: &[u32], weights: &[i16], sums: &mut [i32; PANEL]) {
        let mut low = [_mm256_setzero_si256(); REGISTERS];
        let mut high = low;
        for start in (0..terms.len()).step_by(2) {
            let one = row(panel, terms[start]);
            let (other, second) = match terms.get(start + 1) {
                Some(term) => (row(panel, *term), weights[start + 1]),
                None => (one, 0),
            };
            for ahead in terms.iter().skip(start + AHEAD).take(2) {
                let line = row(panel, *ahead).as_ptr().cast::<i8>();
                _mm_prefetch::<_MM_HINT_T0>(line);
                _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(size_of::<[i16; PANEL]>() / 2));
            }
            let pair = i32::from(second) << 16 | i32::from(weights[start] as u16);
            let pair = _mm256_set1_epi32(pair);
            for at in 0..REGISTERS {
                let (left, right) = (load(one, at), load(other, at));
                let products = _mm256_madd_epi16(_mm256_unpacklo_epi16(left, right), pair);
                low[at] = _mm256_add_epi32(low[at], products);
                let products = _mm256_madd_epi16(_mm256_unpackhi_epi16(left, right), pair);
                high[at] = _mm256_add_epi32(high[at], products);
            }
        }
        for (at, sums) in sums.chunks_exact_mut(LANES).enumerate() {
            // Interleaving works in the halves of a register; put them back in order.
            store(&mut sums[..8], _mm256_permute2x128_si256::<0x20>(low[at], high[at]));
            store(&mut sums[8..], _mm256_permute2x128_si256::<0x31>(low[at], high[at]));
        }
    }

    #[inline(always)]
    fn row<'a>(panel: &Panel<'a>, term: u32) -> &'a [i16; PANEL] {
        panel.row(term).try_into().expect("the caller saw that the panel is full")
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(row: &[i16; PANEL], at: usize) -> __m256i {
        let part: &[i16; LANES] = row[at * LANES..][..LANES].try_into().expect("so many");
        // SAFETY: the part has the size of a register; the load needs no alignment.
        unsafe { _mm256_loadu_si256(part.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(sums: &mut [i32], register: __m256i) {
        let sums: &mut [i32; 8] = sums.try_into().expect("half of sixteen");
        // SAFETY: there is room for a register; the store needs no alignment.
        unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), register) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The sums as they are defined, one component at a time.
    fn plain(planes: &Hyperplanes, terms: &[u32], weights: &[i16]) -> Vec<bool> {
        let mut sums = vec![0i64; planes.bits()];
        let mut row = vec![0; planes.bits()];
        for (term, weight) in terms.iter().zip(weights) {
            planes.row(*term as usize, &mut row);
            sums.iter_mut().zip(&row).for_each(|(s, c)| *s += i64::from(*weight) * i64::from(*c));
        }
        sums.into_iter().map(|sum| sum >= 0).collect()
    }

    fn bits_of(words: &[u64], bits: usize) -> Vec<bool> {
        (0..bits).map(|bit| words[bit / 64] >> (63 - bit % 64) & 1 == 1).collect()
    }

    /// Signs with the bits of all blocks of some width.
    fn signed(
        planes: &Hyperplanes,
        documents: &QuantizedVectors,
        width: usize,
        cpu: Cpu,
    ) -> Vec<u64> {
        let (bits, terms) = (planes.bits(), planes.terms());
        let mut words = vec![0; SignatureSet::words_for(bits) * documents.len()];
        for first in (0..bits).step_by(width) {
            let range = first..(first + width).min(bits);
            let mut rows = vec![0; terms * range.len()];
            let mut row = vec![0; bits];
            for (chunk, arranged) in rows.chunks_mut(TERMS_TOGETHER * range.len()).enumerate() {
                let mut part = Vec::new();
                for term in 0..arranged.len() / range.len() {
                    planes.row(chunk * TERMS_TOGETHER + term, &mut row);
                    part.extend_from_slice(&row[range.clone()]);
                }
                arrange(&part, range.len(), arranged);
            }
            let block = HyperplaneBlock { bits: range, terms, rows: &rows };
            block.sign(std::slice::from_ref(documents), bits, &mut [&mut words], cpu);
        }
        words
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_way_to_sum_gives_the_same_bits(
            bits in prop::sample::select(&[4usize, 60, 64, 68, 128, 200, 256][..]),
            width in prop::sample::select(&[3usize, 13, 64, 128, 256][..]),
            terms in prop::sample::select(&[1usize, 2, 511, 512, 513, 1300][..]),
            counts in prop::collection::vec(0..300usize, 1..4),
            seed: u64,
        ) {
            let planes = Hyperplanes::new(seed, bits, terms);
            let mut documents = QuantizedVectors::new(STEPS);
            for (number, count) in counts.iter().enumerate() {
                let mut indexes: Vec<u32> = (0..*count).map(|at| ((at * 7 + number) % terms) as u32).collect();
                indexes.sort_unstable();
                indexes.dedup();
                let values: Vec<f32> = indexes.iter().map(|at| (*at as f32 * 1.7).sin()).collect();
                documents.push(&indexes, &values);
            }
            let expected: Vec<Vec<bool>> = (0..documents.len()).map(|number| {
                let (terms, weights) = documents.get(number);
                plain(&planes, terms, weights)
            }).collect();
            for cpu in Cpu::available() {
                let words = signed(&planes, &documents, width, cpu);
                for (signature, expected) in words.chunks(SignatureSet::words_for(bits)).zip(&expected) {
                    prop_assert_eq!(&bits_of(signature, bits), expected);
                }
            }
        }
    }

    #[test]
    fn sums_beyond_32_bits_are_exact() {
        // The largest weights of all, on all terms: 3000 · 4095 · 0.8 · 4096 would not fit if they all leaned one way.
        let planes = Hyperplanes::new(3, 64, 3000);
        let mut row = vec![0; 64];
        let leaning: Vec<f32> = (0..3000)
            .map(|term| {
                planes.row(term, &mut row);
                f32::from(row[5].signum())
            })
            .collect();
        let mut documents = QuantizedVectors::new(STEPS);
        documents.push(&(0..3000).collect::<Vec<u32>>(), &leaning);
        let expected = plain(&planes, documents.get(0).0, documents.get(0).1);
        assert!(expected[5]);
        for cpu in Cpu::available() {
            assert_eq!(bits_of(&signed(&planes, &documents, 64, cpu), 64), expected);
        }
    }
}
