//! A sample of documents against the whole collection: cosines, and Hamming similarities at several lengths of signatures at once.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::Bench;
use crate::chain::similarity::read_vectors;
use crate::corpus::{Names, SampleList};
use crate::error::Result;
use crate::experiment::keys::Configuration;
use crate::files::list::Separator;
use crate::files::sig::Signatures;
use crate::search::exact::{Comparison, Method};
use crate::search::{Match, similarity};
use crate::signature::BITS_IN_WORD;

/// Documents of the sample that are compared before they are told.
const AT_ONCE: usize = 16;

/// Vectors, signatures, and which documents are the sample.
pub struct Sampled {
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
    pub fn read(bench: &Bench<'_>, configuration: &Configuration, bits: usize) -> Result<Self> {
        let vec_paths = bench.stages.vectors(configuration)?;
        let signatures = bench.stages.signatures(configuration, bits)?;
        let (names, vectors) = read_vectors(&vec_paths, bench.stages.watch)?;
        let queries = queries(bench, configuration, &names)?;
        let signature_of = by_document(&names, &signatures);
        // Cosines of texts are not negative: all documents are at or above 0.
        let comparison = Comparison::new(vectors, Method::Cosine, 0.0);
        Ok(Sampled { comparison, queries, signatures, signature_of })
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
            let matches = self.comparison.matches(queries);
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
            for (length, values) in lengths.iter().zip(&mut row.hamming) {
                values.push(similarity(*length, distance(signature, other, *length)));
            }
        }
        row
    }
}

/// The words that hold the first `bits` bits, the others 0.
fn beginning(words: &[u64], bits: usize) -> impl Iterator<Item = u64> {
    let rest = bits % BITS_IN_WORD;
    let part = (rest > 0).then(|| words[bits / BITS_IN_WORD] & !(u64::MAX >> rest));
    words[..bits / BITS_IN_WORD].iter().copied().chain(part)
}

/// In how many of the first `bits` bits two signatures differ.
fn distance(one: &[u64], other: &[u64], bits: usize) -> u32 {
    let pairs = beginning(one, bits).zip(beginning(other, bits));
    pairs.map(|(one, other)| (one ^ other).count_ones()).sum()
}

/// The documents of the sample, as numbers among the vectors.
pub fn queries(
    bench: &Bench<'_>,
    configuration: &Configuration,
    names: &Names,
) -> Result<Vec<usize>> {
    let path = bench.stages.sample(configuration.collection(), configuration.sample())?;
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
