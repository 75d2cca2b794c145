//! The fingerprint methods, one file each.

mod descr_words;
mod heavy_sent;
mod imatch;
mod koala;
mod long_sent;
mod md5;
mod minhash;
mod sent_words;
mod shingles;
mod sif;
mod simhash;
mod supershingles;
#[cfg(test)]
mod tests;
mod tf;
mod tf_idf;
mod winnowing;

use super::{PrintMethod, PrintOptions};

/// A method by name.
#[derive(Debug, Clone, Copy)]
pub struct MethodEntry {
    /// The name.
    pub name: &'static str,
    /// The fingerprint in a few words.
    pub about: &'static str,
    /// The options that it has.
    pub(super) flags: &'static [&'static str],
    /// The default of the minimum length of words.
    pub(super) min_word_len: usize,
    pub(super) create: fn(&PrintOptions) -> Result<Box<dyn PrintMethod>, String>,
}

impl MethodEntry {
    /// Returns whether the method has an option, named as its flag.
    pub fn has_option(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }
}

/// All methods, in the order of tables.
pub const METHODS: &[MethodEntry] = &[
    md5::MD5,
    sif::SIF,
    koala::KOALA,
    shingles::SHINGLES,
    supershingles::SUPERSHINGLES,
    supershingles::MEGASHINGLES,
    long_sent::LONG_SENT,
    heavy_sent::HEAVY_SENT,
    tf::TF,
    tf_idf::TF_IDF,
    imatch::IMATCH,
    imatch::IMATCH_RANDOM,
    descr_words::DESCR_WORDS,
    tf::A1,
    long_sent::A2,
    sent_words::SENT_WORDS,
    minhash::MINHASH,
    simhash::SIMHASH,
    winnowing::WINNOWING,
];
