//! Values of flags, checked once at the border.

use std::path::{Path, PathBuf};

use clap::Args;

use super::check_streams;
use crate::chain::Search;
use crate::corpus::SampleList;
use crate::files::list::Separator;
use crate::search::Percent;
use crate::search::pleb::Shift;
use crate::signature::MOST_BITS;

/// More threads than any machine has use for; starting them would take longer than the work.
const MOST_THREADS: usize = 1024;

/// A number of threads, 0 for one a core.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok().filter(|threads| *threads <= MOST_THREADS);
    threads.ok_or_else(|| format!("must be a whole number of at most {MOST_THREADS}"))
}

/// A whole number of at least 1.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| "must be a whole number of at least 1".into())
}

/// A whole number of at least 1.
pub fn at_least_one_u64(text: &str) -> Result<u64, String> {
    at_least_one(text).map(|number| number as u64)
}

/// A limit of `reduce_voc`: any number, also an infinite one.
pub fn limit(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|limit: &f64| !limit.is_nan()).ok_or_else(|| "must be a number".into())
}

/// A signature's length: a positive multiple of 4, because a hexadecimal digit holds four bits.
pub fn signature_bits(text: &str) -> Result<usize, String> {
    let bits = at_least_one(text)?;
    if !bits.is_multiple_of(4) || bits > MOST_BITS {
        return Err(format!("must be a multiple of 4, at most {MOST_BITS}"));
    }
    Ok(bits)
}

/// A percentage that two disjoint parts of a whole can both exceed.
pub fn below_half(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..50.0).contains(percent));
    percent.ok_or_else(|| "must be a percentage of at least 0 and below 50".into())
}

/// How the order of bits changes after an iteration of PLEB: a number of transpositions, or `full`.
pub fn shift(text: &str) -> Result<Shift, String> {
    if text == "full" {
        return Ok(Shift::Fresh);
    }
    let wrong = |e: std::num::ParseIntError| format!("{e}: must be a whole number or 'full'");
    text.parse().map(Shift::Transpositions).map_err(wrong)
}

/// A share: from 0 to 1, or in per cent if beyond 1 or followed by `%`.
pub fn share_or_percent(text: &str) -> Result<f64, String> {
    let number = |text: &str| text.parse().ok().filter(|number: &f64| *number >= 0.0);
    let share = match text.strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| percent / 100.0),
        None => number(text).map(|number| if number > 1.0 { number / 100.0 } else { number }),
    };
    share
        .filter(|share| *share <= 1.0)
        .ok_or_else(|| "must be a share such as 0.99, or in per cent such as 99.4 or 99.4%".into())
}

/// The sample, on the executables that search.
#[derive(Debug, Clone, Args)]
pub struct SampleFlags {
    /// Compare only these documents with the collection: names as in doc_list or as in the chain's files, separated by white space.
    /// One line is written for each, also without a match
    #[arg(long = "sample_list", value_name = "FILE")]
    sample_list: Option<PathBuf>,
    /// The sample_list has one name a line, so that names may hold spaces
    #[arg(long, requires = "sample_list")]
    lines: bool,
    /// The id_file of create_bows, so that the sample_list of a numbered collection may hold names
    #[arg(long = "id_file", value_name = "FILE", requires = "sample_list")]
    id_file: Option<PathBuf>,
}

impl SampleFlags {
    /// The sample, if one was given; `flag` names the other input of the search, `paths`.
    pub fn list(self, flag: &str, paths: &Path) -> crate::Result<Option<SampleList>> {
        let inputs = [
            (flag, Some(paths)),
            ("sample_list", self.sample_list.as_deref()),
            ("id_file", self.id_file.as_deref()),
        ];
        check_streams("input", &inputs)?;
        let separator = if self.lines { Separator::Line } else { Separator::WhiteSpace };
        let id_file = self.id_file;
        Ok(self.sample_list.map(|path| SampleList { path, separator, id_file }))
    }
}

/// What both searches of signatures need.
#[derive(Debug, Clone, Args)]
pub struct SignatureSearch {
    /// List of SIG files, from create_sigs
    #[arg(long = "sig_paths", value_name = "FILE")]
    sig_paths: PathBuf,
    /// Where to write the result
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Least similarity in per cent: 100 * (K - d) / K for signatures of K bits that differ in d
    #[arg(long, alias = "treshold", value_name = "T")]
    threshold: Percent,
}

impl SignatureSearch {
    /// The search to be made, for a sample or for all.
    pub fn task(self, sample: SampleFlags) -> crate::Result<Search> {
        let sample = sample.list("sig_paths", &self.sig_paths)?;
        Ok(Search { paths: self.sig_paths, out: self.out, threshold: self.threshold, sample })
    }
}
