//! Comparison of a sample with the collection: cosines, and Hamming similarities at several signature lengths in one pass.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::Bench;
use crate::chain::similarity::read_vectors;
use crate::corpus::SampleList;
use crate::error::Result;
use crate::experiment::keys::Configuration;
use crate::experiment::pipeline::Pipeline;
use crate::files::list::Separator;
use crate::files::names::Names;
use crate::files::sig::Signatures;
use crate::search::exact::Comparison;
use crate::search::{Match, SimilarityMeasure, similarity};
use crate::session::Session;
use crate::signature::BITS_PER_WORD;

/// Documents of the sample per batch.
pub const BATCH: usize = 16;

/// Vectors and signatures of a collection, and the documents of its sample.
pub struct SampleComparison<'a> {
    session: &'a Session,
    comparison: Comparison,
    queries: Vec<usize>,
    signatures: Signatures,
    /// The signature of each vector, none for one without direction.
    signature_of: Vec<Option<u32>>,
}

/// The similarities of one document to all others with a direction.
pub struct SimilarityRow {
    /// Cosines in percent, by document.
    pub cosines: Vec<f64>,
    /// Hamming similarities in percent of the same documents, per signature length.
    pub hamming: Vec<Vec<f64>>,
}

impl<'a> SampleComparison<'a> {
    /// Reads the files of a configuration, with signatures of `bits` bits.
    pub fn read(bench: &Bench<'a>, configuration: &Configuration, bits: usize) -> Result<Self> {
        let (pipeline, session) = (bench.pipeline(configuration), bench.session);
        let vec_paths = pipeline.vectors(session)?;
        let signatures = pipeline.signatures(bits, session)?;
        let (names, vectors) = read_vectors(&vec_paths, session)?;
        let queries = queries(&pipeline, &names, session)?;
        let signature_of = by_document(&names, &signatures);
        // Cosines of texts are not negative, so 0 selects all documents.
        let comparison = Comparison::new(vectors, SimilarityMeasure::Cosine, 0.0);
        Ok(SampleComparison { session, comparison, queries, signatures, signature_of })
    }

    /// Returns the number of distinct prefixes of `bits` bits.
    pub fn distinct(&self, bits: usize) -> usize {
        let set = &self.signatures.set;
        let prefix_of = |number: usize| prefix(set.get(number), bits).collect::<Vec<u64>>();
        (0..set.len()).map(prefix_of).collect::<FxHashSet<_>>().len()
    }

    /// Compares each document of the sample with all, at ascending signature lengths, and passes the rows to `visit` in order.
    pub fn for_each(&self, lengths: &[usize], mut visit: impl FnMut(&SimilarityRow)) {
        for queries in self.queries.chunks(BATCH) {
            let matches = self.comparison.matches(queries, self.session);
            let rows: Vec<SimilarityRow> = queries
                .par_iter()
                .zip(matches)
                .map(|(query, matches)| self.row(*query, &matches, lengths))
                .collect();
            rows.iter().for_each(&mut visit);
        }
    }

    fn row(&self, query: usize, matches: &[Match], lengths: &[usize]) -> SimilarityRow {
        let mut row =
            SimilarityRow { cosines: Vec::new(), hamming: vec![Vec::new(); lengths.len()] };
        let Some(signature) = self.signature_of[query] else { return row };
        let signature = self.signatures.set.get(signature as usize);
        for found in matches {
            let Some(other) = self.signature_of[found.other as usize] else { continue };
            row.cosines.push(found.similarity);
            let other = self.signatures.set.get(other as usize);
            let distances = distances(signature, other, lengths);
            for ((length, distance), values) in lengths.iter().zip(distances).zip(&mut row.hamming)
            {
                values.push(similarity(*length, distance));
            }
        }
        row
    }
}

/// Returns the words of the first `bits` bits, padded with zeros.
fn prefix(words: &[u64], bits: usize) -> impl Iterator<Item = u64> {
    let rest = bits % BITS_PER_WORD;
    let part = (rest > 0).then(|| words[bits / BITS_PER_WORD] & !(u64::MAX >> rest));
    words[..bits / BITS_PER_WORD].iter().copied().chain(part)
}

/// Returns the distances of two signatures' prefixes of ascending lengths. Each word is compared once.
fn distances<'a>(
    one: &'a [u64],
    other: &'a [u64],
    lengths: &'a [usize],
) -> impl Iterator<Item = u32> + 'a {
    let (mut counted, mut sum) = (0, 0);
    lengths.iter().map(move |length| {
        let (whole, rest) = (length / BITS_PER_WORD, length % BITS_PER_WORD);
        let between = one[counted..whole].iter().zip(&other[counted..whole]);
        sum += between.map(|(one, other)| (one ^ other).count_ones()).sum::<u32>();
        counted = whole;
        let differ = |word: usize| (one[word] ^ other[word]) & !(u64::MAX >> rest);
        if rest > 0 { sum + differ(whole).count_ones() } else { sum }
    })
}

/// Returns the positions of the sample documents among the vectors.
pub fn queries(pipeline: &Pipeline<'_>, names: &Names, session: &Session) -> Result<Vec<usize>> {
    let path = pipeline.sample(session)?;
    let list = SampleList { path, separator: Separator::Line, id_file: None };
    Ok(list.find(names, false)?.iter().filter_map(|document| document.number).collect())
}

fn by_document(names: &Names, signatures: &Signatures) -> Vec<Option<u32>> {
    let index = signatures.documents.index();
    let mut of_position = vec![0; signatures.documents.len()];
    for number in 0..signatures.set.len() {
        of_position[signatures.group(number)].fill(number as u32);
    }
    names.iter().map(|name| index.get(name).map(|position| of_position[*position])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: [u64; 3] = [0x0123_4567_89AB_CDEF, u64::MAX, 0xF0F0_F0F0_F0F0_F0F0];
    const OTHER: [u64; 3] = [0xFEDC_BA98_0000_CDEF, 0, 0xFF00_FF00_FF00_FF00];

    /// Returns a bit of a signature; the first is the highest of the first word.
    fn bit(words: &[u64], place: usize) -> u64 {
        words[place / 64] >> (63 - place % 64) & 1
    }

    #[test]
    fn distances_equal_those_counted_bit_by_bit() {
        let all: Vec<usize> = (4..=192).step_by(4).collect();
        for lengths in [&all[..], &[4], &[64, 128, 192], &[100], &[60, 68, 132, 136, 192]] {
            let slow = lengths.iter().map(|length| {
                (0..*length).filter(|n| bit(&ONE, *n) != bit(&OTHER, *n)).count() as u32
            });
            let fast: Vec<u32> = distances(&ONE, &OTHER, lengths).collect();
            assert_eq!(fast, slow.collect::<Vec<_>>(), "{lengths:?}");
        }
    }

    #[test]
    fn prefixes_have_their_bits_and_zeros() {
        for bits in (4..=192).step_by(4) {
            let words: Vec<u64> = prefix(&ONE, bits).collect();
            let is_right = |n: usize| bit(&words, n) == if n < bits { bit(&ONE, n) } else { 0 };
            assert!((0..words.len() * 64).all(is_right), "{bits}");
            assert_eq!(words.len(), bits.div_ceil(64));
        }
    }
}
