//! `merge_pairs`: the pairs of all shards to those of the whole stage.

use clap::Parser;
use serde::Serialize;

use super::check_merger;
use crate::error::{Error, Result};
use crate::executable::{Counts, Executable, FlagPath};
use crate::files::output::Publisher;
use crate::files::pairs::merge_pair_parts;
use crate::files::parts::Parts;
use crate::files::{is_stream, paths};
use crate::session::Session;

/// Merges the pairs of shards into those of the whole collection: of hamming, hamming_full, similarity, match_prints or find_near_dups
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "merge_pairs", version, rename_all = "snake_case")]
pub struct MergePairs {
    /// Pairs of a shard (NAME.I-of-N.EXT), all N of them in any order
    #[arg(value_name = "PART", required = true, help_heading = "Input")]
    pub parts: Vec<FlagPath>,
    /// Write the pairs to FILE; tables as .tsv, .csv or .jsonl
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: FlagPath,
}

impl Executable for MergePairs {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        ("Merge the result lines of 8 shards", "merge_pairs --out pairs pairs.*-of-8"),
        (
            "Merge tables, and compress the result",
            "merge_pairs --out pairs.tsv.gz pairs.*-of-8.tsv",
        ),
    ];

    /// Merges the parts by their order numbers; reads them twice if large groups of copies may have to be listed in short. Memory: one line per part, and
    /// 8 bytes per document of a large group of copies.
    fn run(&self, session: &Session) -> Result<Counts> {
        if self.parts.iter().any(|part| is_stream(part)) {
            return Err(Error::Usage(
                "expected files of shards with their manifests, found '-'".into(),
            ));
        }
        let parts = Parts::read(&self.parts)?;
        check_merger(&parts, "merge_pairs")?;
        let reads = parts.paths.iter().flat_map(|path| paths::list_reads(path));
        let publisher = Publisher::new(session, reads);
        session.phase("merging", None);
        let written = merge_pair_parts(&parts, &publisher, &self.out)?;
        Ok(Counts::new((parts.paths.len() as u64, "shards"), written))
    }
}

#[cfg(test)]
mod tests;
