//! `minhash`: min-wise hashes in bands; two documents agree if all hashes of a band do.

use super::MethodEntry;
use super::shingles::Shingling;
use crate::prints::counting::Scratch;
use crate::prints::min_wise::MinWise;
use crate::prints::{Agreement, PrintMethod, PrintOptions};
use crate::text::TextWords;

pub(super) const MINHASH: MethodEntry = MethodEntry {
    name: "minhash",
    about: "128 min-wise hashes of runs of 5 words, of which a band must agree",
    flags: &[
        "shingle_size",
        "unit",
        "overlap",
        "hashes",
        "groups",
        "threshold",
        "recall",
        "rnd_seed",
    ],
    min_word_len: 1,
    create: |options| Ok(Box::new(BandedHashes::new(options)?)),
};

struct BandedHashes {
    shingling: Shingling,
    functions: MinWise,
    bands: usize,
    rows: usize,
    threshold: f64,
}

impl BandedHashes {
    fn new(options: &PrintOptions) -> Result<Self, String> {
        let hashes = options.hashes.unwrap_or(128);
        let (threshold, recall) =
            (options.threshold.unwrap_or(0.8), options.recall.unwrap_or(0.95));
        let rows = match options.groups {
            Some(bands) if bands > hashes => {
                return Err(format!("--groups {bands} is larger than --hashes {hashes}"));
            }
            Some(_) if options.recall.is_some() => {
                return Err("--recall chooses the bands; --groups gives them".into());
            }
            Some(bands) => hashes / bands,
            None => rows_for(hashes, threshold, recall).ok_or_else(|| {
                format!("{hashes} hashes do not find pairs of resemblance {threshold} with probability {recall}; more --hashes do")
            })?,
        };
        let bands = options.groups.unwrap_or(hashes / rows);
        Ok(BandedHashes {
            shingling: Shingling::new(options, 5),
            functions: MinWise::new(bands * rows, options.seed()),
            bands,
            rows,
            threshold,
        })
    }
}

/// Returns the probability that documents of a resemblance agree on one of some bands.
fn probability(resemblance: f64, bands: usize, rows: usize) -> f64 {
    1.0 - libm::pow(1.0 - libm::pow(resemblance, rows as f64), bands as f64)
}

/// Returns the largest number of rows per band that finds a pair at the threshold with the probability: the fewest pairs below it are found.
fn rows_for(hashes: usize, threshold: f64, recall: f64) -> Option<usize> {
    (1..=hashes).rev().find(|rows| probability(threshold, hashes / rows, *rows) >= recall)
}

impl PrintMethod for BandedHashes {
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        // Repeated shingles do not change a minimum.
        self.shingling.fill(words, scratch);
        let elements: Vec<u32> = scratch.hashes.iter().map(|hash| *hash as u32).collect();
        print.extend(self.functions.minima(&elements, scratch.cpu).into_iter().map(u64::from));
    }

    fn agreement(&self) -> Agreement {
        Agreement::Bands { rows: self.rows, threshold: 0.0 }
    }

    fn notice(&self) -> Option<String> {
        let BandedHashes { bands, rows, threshold, .. } = self;
        let found = |resemblance: f64| 100.0 * probability(resemblance, *bands, *rows);
        let lower = threshold / 2.0;
        Some(format!(
            "{bands} bands of {rows} hashes: pairs of resemblance {threshold} are found with a probability of {:.1} %, of {lower} with {:.1} %",
            found(*threshold),
            found(lower)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_meet_the_recall_with_the_most_rows() {
        for (hashes, threshold, recall) in [(128, 0.8, 0.95), (128, 0.5, 0.99), (10, 0.9, 0.5)] {
            let rows = rows_for(hashes, threshold, recall).unwrap();
            assert!(probability(threshold, hashes / rows, rows) >= recall);
            let is_lower = |more: usize| probability(threshold, hashes / more, more) < recall;
            assert!((rows + 1..=hashes).all(is_lower));
        }
        assert_eq!(rows_for(4, 0.1, 0.99), None);
    }
}
