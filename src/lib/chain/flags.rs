//! Flags that several stages share.

use std::borrow::Cow;
use std::path::Path;

use clap::Args;
use serde::Serialize;

use crate::corpus::SampleList;
use crate::error::{Error, Result};
use crate::executable::values::{below_half, signature_bits};
use crate::executable::{FlagPath, ShardFlags, check_streams};
use crate::files::list::Separator;
use crate::random::DEFAULT_SEED;
use crate::search::Percent;
use crate::session::Session;
use crate::signature::{Distribution, Hyperplanes, Levels, RandomVectors};

/// The hyperplanes of `create_sigs`: the same flags draw the same hyperplanes.
#[derive(Debug, Clone, Args, Serialize)]
#[command(rename_all = "snake_case")]
pub struct HyperplaneFlags {
    /// Signature length in bits, a multiple of 4: one hyperplane per bit. Multiples of 64 use memory best
    #[arg(long, value_name = "BITS", help_heading = "Hyperplanes", value_parser = signature_bits)]
    pub sig_len: usize,
    /// Distribution of the hyperplanes' components
    #[arg(long, value_name = "DIST", help_heading = "Hyperplanes", default_value_t, value_enum)]
    pub rnd_dist: Distribution,
    /// Seed of the hyperplanes
    #[arg(long, value_name = "N", help_heading = "Hyperplanes", default_value_t = DEFAULT_SEED)]
    pub rnd_seed: u64,
    /// Redraw a hyperplane until more than P % of its components are positive and more than P % negative, 0 <= P < 50
    #[arg(long, value_name = "P", help_heading = "Hyperplanes", value_parser = below_half)]
    pub below_zero_percent: Option<f64>,
}

impl HyperplaneFlags {
    /// Fails if the flags contradict each other.
    pub fn check(&self) -> Result<()> {
        if self.rnd_dist == Distribution::Levels && self.below_zero_percent.is_some() {
            return Err(Error::Usage("--below_zero_percent needs --rnd_dist gauss".into()));
        }
        Ok(())
    }

    /// Draws normally distributed hyperplanes over a vocabulary of `terms` terms.
    pub fn normal(&self, terms: usize) -> Result<Hyperplanes> {
        match self.below_zero_percent {
            Some(percent) => Hyperplanes::balanced(self.rnd_seed, self.sig_len, terms, percent),
            None => Ok(Hyperplanes::new(self.rnd_seed, self.sig_len, terms)),
        }
    }

    /// Draws the hyperplanes that sign over a vocabulary of `terms` terms.
    pub fn draw(&self, terms: usize, session: &Session) -> Result<RandomVectors> {
        let levels = || Levels::new(self.rnd_seed, self.sig_len, terms, session.cpu());
        Ok(match self.rnd_dist {
            Distribution::Gauss => RandomVectors::Gauss(self.normal(terms)?),
            Distribution::Levels => RandomVectors::Levels(levels(), terms),
        })
    }
}

/// Returns the error of a list of vectors over an empty vocabulary.
pub(super) fn no_terms(vec_paths: &Path) -> Error {
    Error::in_file(vec_paths, "expected a vocabulary with terms, found none")
}

/// The sample of documents that a search compares with the collection.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(rename_all = "snake_case")]
pub struct SampleFlags {
    /// Compare only the documents named in FILE with the collection, and write one line for each. Names are separated by white space
    #[arg(long, value_name = "FILE", help_heading = "Sample")]
    pub sample_list: Option<FlagPath>,
    /// Read one name per line from --sample_list, so that names may contain spaces
    #[arg(long, help_heading = "Sample", requires = "sample_list")]
    pub lines: bool,
    /// Translate the names in --sample_list with the --id_file of create_bows
    #[arg(long, value_name = "FILE", help_heading = "Sample", requires = "sample_list")]
    pub id_file: Option<FlagPath>,
}

impl SampleFlags {
    /// Returns flags that name a list with one name per line.
    pub fn of_lines(sample_list: impl Into<FlagPath>) -> Self {
        SampleFlags { sample_list: Some(sample_list.into()), lines: true, id_file: None }
    }

    /// Returns the sample, if there is one. `flag` and `paths` are the other input of the search; only one of all may be standard input.
    pub fn list(&self, flag: &str, paths: &Path) -> Result<Option<SampleList>> {
        let (sample, id_file) = (self.sample_list.as_deref(), self.id_file.as_deref());
        let inputs = [(flag, Some(paths)), ("sample_list", sample), ("id_file", id_file)];
        check_streams("input", &inputs)?;
        let separator = if self.lines { Separator::Line } else { Separator::WhiteSpace };
        let list = |path: FlagPath| SampleList { path, separator, id_file: self.id_file.clone() };
        Ok(self.sample_list.clone().map(list))
    }

    /// Returns the files that the flags name.
    pub fn reads(&self) -> impl Iterator<Item = Cow<'_, Path>> {
        let files = [self.sample_list.as_deref(), self.id_file.as_deref()];
        files.into_iter().flatten().map(Cow::from)
    }
}

/// Signatures to search, and the similarity to search for.
#[derive(Debug, Clone, Args, Serialize)]
#[command(rename_all = "snake_case")]
pub struct SignatureSearch {
    /// List of SIG files, from create_sigs
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub sig_paths: FlagPath,
    /// Write the pairs to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: FlagPath,
    /// Minimum similarity of a pair in percent, 100 * (K - d) / K for signatures of K bits that differ in d
    #[arg(long, alias = "treshold", value_name = "T", help_heading = "Search")]
    pub threshold: Percent,
    /// The sample to compare with all signatures.
    #[command(flatten)]
    #[serde(flatten)]
    pub sample: SampleFlags,
    /// The part of the search.
    #[command(flatten)]
    #[serde(flatten)]
    pub shards: ShardFlags,
}
