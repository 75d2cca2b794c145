//! `shingles`: hashes of overlapping runs of words (Broder 1997), and the shingles of the methods built on them.

use super::MethodEntry;
use crate::prints::counting::{Scratch, hash};
use crate::prints::rolling::{for_each_substring, mixed};
use crate::prints::{
    Agreement, PrintMethod, PrintOptions, SetMeasure, ShingleOverlap, ShingleUnit,
};
use crate::text::TextWords;

/// The default number of smallest hashes: the resemblance of two documents is then known to ± 0.1 in 19 of 20 cases.
const SMALLEST: usize = 100;

pub(super) const SHINGLES: MethodEntry = MethodEntry {
    name: "shingles",
    about: "the 100 smallest hashes of runs of 5 words",
    flags: &["shingle_size", "unit", "overlap", "modulus", "smallest", "measure", "threshold"],
    min_word_len: 1,
    create: |options| Ok(Box::new(ShingleSample::new(options))),
};

/// The shingles of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shingling {
    size: usize,
    unit: ShingleUnit,
    overlap: ShingleOverlap,
}

impl Shingling {
    pub fn new(options: &PrintOptions, default_size: usize) -> Self {
        Shingling {
            size: options.shingle_size.unwrap_or(default_size),
            unit: options.unit.unwrap_or_default(),
            overlap: options.overlap.unwrap_or_default(),
        }
    }

    /// Calls `visit` with the hash of every shingle. A document with fewer units than a shingle is one.
    #[inline]
    pub fn for_each(
        &self,
        words: TextWords<'_>,
        characters: &mut Vec<char>,
        mut visit: impl FnMut(u64),
    ) {
        let step = if self.overlap == ShingleOverlap::None { self.size } else { 1 };
        if self.unit == ShingleUnit::Characters {
            fill_characters(words, characters);
            let length = self.size.min(characters.len());
            return for_each_substring(characters, length, |start, hash| {
                if start.is_multiple_of(step) {
                    visit(mixed(hash));
                }
            });
        }
        let size = self.size.min(words.len());
        for start in (0..=words.len() - size).step_by(step) {
            visit(hash(words.shingle(start..start + size)));
        }
    }

    /// Fills the hashes of the scratch, in the order of the text.
    pub fn fill(&self, words: TextWords<'_>, scratch: &mut Scratch) {
        let Scratch { hashes, characters, .. } = scratch;
        hashes.clear();
        self.for_each(words, characters, |hash| hashes.push(hash));
    }
}

/// Fills `characters` with those of the words, without what separates them.
pub(super) fn fill_characters(words: TextWords<'_>, characters: &mut Vec<char>) {
    characters.clear();
    for word in words.iter() {
        match word.is_ascii() {
            true => characters.extend(word.bytes().map(char::from)),
            false => characters.extend(word.chars()),
        }
    }
}

struct ShingleSample {
    shingling: Shingling,
    modulus: u64,
    smallest: Option<usize>,
    measure: SetMeasure,
    threshold: f64,
}

impl ShingleSample {
    fn new(options: &PrintOptions) -> Self {
        let smallest = options.modulus.is_none().then(|| options.smallest.unwrap_or(SMALLEST));
        ShingleSample {
            shingling: Shingling::new(options, 5),
            modulus: options.modulus.unwrap_or(1),
            smallest,
            measure: options.measure.unwrap_or(SetMeasure::Resemblance),
            threshold: options.threshold.unwrap_or(0.5),
        }
    }
}

impl PrintMethod for ShingleSample {
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        self.shingling.fill(words, scratch);
        let hashes = &mut scratch.hashes;
        if self.modulus > 1 {
            hashes.retain(|hash| hash.is_multiple_of(self.modulus));
        }
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(self.smallest.unwrap_or(usize::MAX));
        print.extend_from_slice(hashes);
    }

    fn agreement(&self) -> Agreement {
        let ShingleSample { measure, threshold, smallest, .. } = *self;
        Agreement::Sets { measure, threshold, smallest }
    }
}
