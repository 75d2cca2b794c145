//! The flags of `find_near_dups`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::inputs::InputFlags;
use crate::error::Result;
use crate::executable::values::{at_least_one, share_or_percent, signature_bits};
use crate::near_dups::{ClusterBy, KeepRule, Method, NearDups, Recipe, Wanted};
use crate::random::DEFAULT_SEED;
use crate::text::AnalyzerOptions;

/// What is compared how, and what is written.
#[derive(Debug, Clone, Args)]
pub struct NearDupFlags {
    #[command(flatten)]
    inputs: InputFlags,
    #[command(flatten)]
    search: SearchFlags,
    #[command(flatten)]
    results: ResultFlags,
    #[command(flatten)]
    known: KnownFlags,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Comparing")]
struct SearchFlags {
    /// Cosine from which on two documents are near-duplicates: 0.8, or 80 for per cent
    #[arg(long, value_name = "COSINE", default_value = "0.8", value_parser = threshold)]
    threshold: f64,
    /// Least probability with which a pair at the threshold is found; pairs above it have a greater one
    #[arg(long, value_name = "R", default_value = "0.999", value_parser = recall)]
    recall: f64,
    /// Compare exact cosines only: nothing is missed
    #[arg(long, conflicts_with = "method")]
    exact: bool,
    /// Insist on a way to search instead of the cheapest
    #[arg(long, value_name = "WAY", default_value = "auto")]
    method: Way,
    /// Runs of K words are the terms
    #[arg(long = "shingle_size", value_name = "K", default_value = "1", value_parser = at_least_one)]
    shingle_size: usize,
    /// Bits of a signature
    #[arg(long = "sig_len", value_name = "BITS", default_value = "1024", value_parser = signature_bits)]
    sig_len: usize,
    /// Seed of the random vectors
    #[arg(long = "rnd_seed", value_name = "N", default_value_t = DEFAULT_SEED)]
    rnd_seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Way {
    /// The cheapest of the others
    Auto,
    /// Exact cosines of all pairs that may reach the threshold
    Exact,
    /// The distance of every pair of signatures
    Scan,
    /// Signatures that agree in some part
    Join,
    /// Tables of sampled bits of signatures
    Tables,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Results")]
struct ResultFlags {
    /// Where to write the pairs: .tsv, .csv or .jsonl, also .gz. Standard output if no result is named
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Where to write the clusters: .tsv, .csv or .jsonl, also .gz
    #[arg(long, value_name = "FILE")]
    clusters: Option<PathBuf>,
    /// What is in one cluster: 'connected' by pairs, or 'complete': every document is near every other
    #[arg(long = "cluster_by", value_name = "RULE", default_value = "connected")]
    cluster_by: ClusterRule,
    /// Where to write a copy of the input without duplicates: lines as they were, files as JSON lines or, if this ends in '/', in a folder
    #[arg(long, value_name = "FILE")]
    dedup: Option<PathBuf>,
    /// Which document of a cluster stays: 'first', 'longest', 'largest:FIELD' or 'smallest:FIELD' by a field of JSON lines
    #[arg(long, value_name = "RULE", default_value = "first", value_parser = keep)]
    keep: KeepRule,
    /// Where to write what was removed, and what stays instead: .tsv, .csv or .jsonl, also .gz
    #[arg(long, value_name = "FILE")]
    removed: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClusterRule {
    Connected,
    Complete,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Documents that are known already")]
struct KnownFlags {
    /// Folder or file of old documents: only pairs with a new document are found. May be given several times
    #[arg(long, value_name = "OLD", conflicts_with = "index")]
    against: Vec<PathBuf>,
    /// Index of old documents, made by save_index: the same as against, without reading them again
    #[arg(long, value_name = "DIR")]
    index: Option<PathBuf>,
    /// Where to write an index of all documents, old and new; may be the folder of index
    #[arg(long = "save_index", value_name = "DIR")]
    save_index: Option<PathBuf>,
}

impl NearDupFlags {
    /// The task that the flags describe; `again` says that the inputs are read more than once.
    pub fn task(self, again: bool) -> Result<NearDups> {
        let NearDupFlags { inputs, search, results, known } = self;
        let rank_field = results.keep.field().map(String::from);
        let KnownFlags { against, index, save_index } = known;
        // What is copied, or looked at before it is read, is read twice.
        let again = results.dedup.is_some() || again;
        Ok(NearDups {
            inputs: inputs.inputs(against, rank_field, again)?,
            index,
            threshold: search.threshold * 100.0,
            recall: search.recall,
            method: search.method(),
            recipe: search.recipe(),
            wanted: results.wanted(save_index)?,
        })
    }
}

impl SearchFlags {
    fn method(&self) -> Option<Method> {
        match self.method {
            _ if self.exact => Some(Method::Exact),
            Way::Auto => None,
            Way::Exact => Some(Method::Exact),
            Way::Scan => Some(Method::Scan),
            Way::Join => Some(Method::Join),
            Way::Tables => Some(Method::Tables),
        }
    }

    fn recipe(&self) -> Recipe {
        let rules = AnalyzerOptions::letters(self.shingle_size);
        Recipe { rules, bits: self.sig_len, seed: self.rnd_seed }
    }
}

impl ResultFlags {
    fn wanted(self, index: Option<PathBuf>) -> Result<Wanted> {
        let ResultFlags { out, clusters, cluster_by, dedup, keep, removed } = self;
        let outputs = [
            ("out", out.as_deref()),
            ("clusters", clusters.as_deref()),
            ("dedup", dedup.as_deref()),
            ("removed", removed.as_deref()),
        ];
        crate::executable::check_streams("output", &outputs)?;
        let nothing = outputs.iter().all(|(_, path)| path.is_none()) && index.is_none();
        let cluster_by = match cluster_by {
            ClusterRule::Connected => ClusterBy::Connected,
            ClusterRule::Complete => ClusterBy::Complete,
        };
        let pairs = out.or_else(|| nothing.then(|| "-".into()));
        Ok(Wanted { pairs, clusters, cluster_by, dedup, removed, keep, index })
    }
}

/// A cosine above 0: 0.8, or 80 for per cent.
fn threshold(text: &str) -> std::result::Result<f64, String> {
    let share = share_or_percent(text).ok().filter(|share| *share > 0.0);
    share.ok_or_else(|| "must be a cosine such as 0.8, or in per cent such as 80 or 80%".into())
}

/// A probability below 1; `exact` is for those who want no loss.
fn recall(text: &str) -> std::result::Result<f64, String> {
    let share = share_or_percent(text).ok().filter(|share| (0.5..1.0).contains(share));
    share.ok_or_else(|| "must be from 0.5 to below 1 such as 0.999 (--exact misses nothing)".into())
}

/// Which document of a cluster stays.
fn keep(text: &str) -> std::result::Result<KeepRule, String> {
    let field = |prefix: &str| text.strip_prefix(prefix).filter(|field| !field.is_empty());
    match text {
        "first" => Ok(KeepRule::First),
        "longest" => Ok(KeepRule::Longest),
        _ => match (field("largest:"), field("smallest:")) {
            (Some(field), _) => Ok(KeepRule::Largest(field.into())),
            (_, Some(field)) => Ok(KeepRule::Smallest(field.into())),
            _ => Err("must be first, longest, largest:FIELD or smallest:FIELD".into()),
        },
    }
}
