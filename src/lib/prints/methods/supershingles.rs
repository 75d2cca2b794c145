//! `supershingles` and `megashingles`: hashes of groups of min-wise hashes (Broder et al. 1998, Fetterly et al. 2003).

use twox_hash::XxHash3_64;

use super::MethodEntry;
use super::shingles::Shingling;
use crate::prints::counting::Scratch;
use crate::prints::min_wise::MinWise;
use crate::prints::{Agreement, PrintMethod, PrintOptions};
use crate::text::TextWords;

/// Shingles of a logarithmic sample, per binary digit of their number.
const LOG_SAMPLE: usize = 8;

pub(super) const SUPERSHINGLES: MethodEntry = MethodEntry {
    name: "supershingles",
    about: "84 min-wise hashes of runs of 5 words in 6 groups, of which 2 must agree",
    flags: &[
        "shingle_size",
        "unit",
        "overlap",
        "hashes",
        "groups",
        "min_equal",
        "log_sample",
        "rnd_seed",
    ],
    min_word_len: 1,
    create: |options| Ok(Box::new(Supershingles::new(options)?)),
};

pub(super) const MEGASHINGLES: MethodEntry = MethodEntry {
    name: "megashingles",
    about: "the 15 pairs of supershingles, of which 1 must agree",
    flags: &["shingle_size", "unit", "overlap", "hashes", "groups", "log_sample", "rnd_seed"],
    min_word_len: 1,
    create: |options| Ok(Box::new(Megashingles(Supershingles::new(options)?))),
};

struct Supershingles {
    shingling: Shingling,
    functions: MinWise,
    per_group: usize,
    min_equal: usize,
    has_sample: bool,
}

impl Supershingles {
    fn new(options: &PrintOptions) -> Result<Self, String> {
        let (hashes, groups) = (options.hashes.unwrap_or(84), options.groups.unwrap_or(6));
        let min_equal = options.min_equal.unwrap_or(groups.min(2));
        if !hashes.is_multiple_of(groups) {
            return Err(format!("{hashes} hashes cannot be divided into {groups} equal groups"));
        }
        if min_equal > groups {
            return Err(format!("--min_equal {min_equal} is larger than --groups {groups}"));
        }
        Ok(Supershingles {
            shingling: Shingling::new(options, 5),
            functions: MinWise::new(hashes, options.seed()),
            per_group: hashes / groups,
            min_equal,
            has_sample: options.log_sample,
        })
    }

    /// Returns the supershingles of a document.
    fn of(&self, words: TextWords<'_>, scratch: &mut Scratch) -> Vec<u64> {
        self.shingling.fill(words, scratch);
        let hashes = &mut scratch.hashes;
        if self.has_sample {
            hashes.sort_unstable();
            hashes.dedup();
            hashes.truncate(LOG_SAMPLE * (usize::BITS - hashes.len().leading_zeros()) as usize);
        }
        let elements: Vec<u32> = hashes.iter().map(|hash| *hash as u32).collect();
        let minima = self.functions.minima(&elements, scratch.cpu);
        minima.chunks(self.per_group).map(hash_of).collect()
    }
}

/// Returns the hash of a group of numbers, which is not 0.
fn hash_of(numbers: &[u32]) -> u64 {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    XxHash3_64::oneshot(&bytes).max(1)
}

impl PrintMethod for Supershingles {
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        print.extend(self.of(words, scratch));
    }

    fn agreement(&self) -> Agreement {
        Agreement::Coordinates { min: self.min_equal }
    }
}

struct Megashingles(Supershingles);

impl PrintMethod for Megashingles {
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        let groups = self.0.of(words, scratch);
        for (at, one) in groups.iter().enumerate() {
            for other in &groups[at + 1..] {
                let bytes = [one.to_le_bytes(), other.to_le_bytes()].concat();
                print.push(XxHash3_64::oneshot(&bytes).max(1));
            }
        }
        // A single group has no pair.
        if groups.len() == 1 {
            print.extend(groups);
        }
    }

    fn agreement(&self) -> Agreement {
        Agreement::Coordinates { min: 1 }
    }
}
