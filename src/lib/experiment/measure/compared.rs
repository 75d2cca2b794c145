//! A sample of documents against the whole collection: cosines, and Hamming similarities at several lengths of signatures at once.

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

/// Documents of the sample that are compared before they are told.
const AT_ONCE: usize = 16;

/// Vectors, signatures, and which documents are the sample.
pub struct Sampled {
    session: Session,
    comparison: Comparison,
    queries: Vec<usize>,
    signatures: Signatures,
    /// The signature of each vector; none where it has no direction.
    signature_of: Vec<Option<u32>>,
}

/// One document against all others that have a direction.
pub struct Row {
    /// The cosines in per cent, by ascending document.
    pub cosines: Vec<f64>,
    /// For each length of signatures the Hamming similarities in per cent of the same documents.
    pub hamming: Vec<Vec<f64>>,
}

impl Sampled {
    /// Reads what a configuration is about, with signatures of so many bits.
    pub fn read<'a>(
        bench: &Bench<'a>,
        configuration: &'a Configuration,
        bits: usize,
    ) -> Result<Self> {
        let (pipeline, session) = (bench.pipeline(configuration), bench.session);
        let vec_paths = pipeline.vectors(session)?;
        let signatures = pipeline.signatures(bits, session)?;
        let (names, vectors) = read_vectors(&vec_paths, session)?;
        let queries = queries(&pipeline, &names)?;
        let signature_of = by_document(&names, &signatures);
        // Cosines of texts are not negative: all documents are at or above 0.
        let comparison = Comparison::new(vectors, SimilarityMeasure::Cosine, 0.0);
        let session = bench.session.quiet();
        Ok(Sampled { session, comparison, queries, signatures, signature_of })
    }

    /// How many different signatures there are if only the first `bits` bits count.
    pub fn distinct(&self, bits: usize) -> usize {
        let set = &self.signatures.set;
        let begin = |number: usize| beginning(set.get(number), bits).collect::<Vec<u64>>();
        (0..set.len()).map(begin).collect::<FxHashSet<_>>().len()
    }

    /// Compares the documents of the sample, in order, with all, with signatures of each of the `lengths`, which ascend.
    pub fn for_each(&self, lengths: &[usize], mut tell: impl FnMut(&Row)) {
        for queries in self.queries.chunks(AT_ONCE) {
            let matches = self.comparison.matches(queries, &self.session);
            let rows: Vec<Row> = queries
                .par_iter()
                .zip(matches)
                .map(|(query, matches)| self.row(*query, &matches, lengths))
                .collect();
            rows.iter().for_each(&mut tell);
        }
    }

    fn row(&self, query: usize, matches: &[Match], lengths: &[usize]) -> Row {
        let mut row = Row { cosines: Vec::new(), hamming: vec![Vec::new(); lengths.len()] };
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

/// The words that hold the first `bits` bits, the others 0.
fn beginning(words: &[u64], bits: usize) -> impl Iterator<Item = u64> {
    let rest = bits % BITS_PER_WORD;
    let part = (rest > 0).then(|| words[bits / BITS_PER_WORD] & !(u64::MAX >> rest));
    words[..bits / BITS_PER_WORD].iter().copied().chain(part)
}

/// In how many of their first bits two signatures differ, for each of the lengths, which ascend: no word is counted twice.
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

/// The documents of the sample, as numbers among the vectors.
pub fn queries(pipeline: &Pipeline<'_>, names: &Names) -> Result<Vec<usize>> {
    let path = pipeline.sample()?;
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

    /// A bit of a signature, the first being the highest of the first word.
    fn bit(words: &[u64], place: usize) -> u64 {
        words[place / 64] >> (63 - place % 64) & 1
    }

    #[test]
    fn distances_are_counted_bit_by_bit() {
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
    fn beginnings_hold_their_bits_and_no_more() {
        for bits in (4..=192).step_by(4) {
            let words: Vec<u64> = beginning(&ONE, bits).collect();
            let is_right = |n: usize| bit(&words, n) == if n < bits { bit(&ONE, n) } else { 0 };
            assert!((0..words.len() * 64).all(is_right), "{bits}");
            assert_eq!(words.len(), bits.div_ceil(64));
        }
    }
}
