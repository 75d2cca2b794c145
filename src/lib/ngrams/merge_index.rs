//! `merge_index`: the parts of an index to one.

use clap::Parser;
use serde::Serialize;

use super::store::embedded::{EmbeddedWriter, StoreParts};
use crate::error::Result;
use crate::executable::{Counts, Executable, FlagPath};
use crate::session::Session;

/// Merges the shards of an n-gram index, made by ngram_index add --shard, into the index of all documents. A killed run leaves no index or the whole one
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "merge_index", version, rename_all = "snake_case")]
pub struct MergeIndex {
    /// Folder of a shard (NAME.I-of-N), all N of them in any order
    #[arg(value_name = "PART", required = true, help_heading = "Input")]
    pub parts: Vec<FlagPath>,
    /// Folder of the merged index; it must be empty or missing, or have this index already
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub index: FlagPath,
}

impl Executable for MergeIndex {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        ("Merge the index of 8 shards", "merge_index --index index index.*-of-8"),
        ("Merge three shards by name", "merge_index --index ix ix.1-of-3 ix.2-of-3 ix.3-of-3"),
    ];

    /// Merges ranges of hashes, then the catalogues. Memory: about 50 bytes per document, the directories of all segments (one byte per 60 postings), and some
    /// megabytes per thread.
    fn run(&self, session: &Session) -> Result<Counts> {
        let parts = StoreParts::open(&self.parts, session)?;
        let documents = EmbeddedWriter::merge_parts(&parts, &self.index, session)?;
        Ok(Counts::new((parts.count(), "shards"), (documents, "documents")))
    }
}
