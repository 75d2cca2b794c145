//! The files that a search writes.

use clap::Args;
use serde::Serialize;

use super::{ClusterBy, Duplicates, KeepRule};
use crate::corpus::{self, Inputs};
use crate::error::Result;
use crate::executable::{FlagPath, check_streams};
use crate::files::output::Part;
use crate::files::pairs::{OriginColumns, write_clusters, write_pairs, write_removals};
use crate::session::Session;

/// What to write.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(rename_all = "snake_case", next_help_heading = "Output")]
pub struct OutputOptions {
    /// Write the pairs to FILE as .tsv, .csv or .jsonl; standard output if no output is named
    #[arg(long, value_name = "FILE")]
    pub out: Option<FlagPath>,
    /// Write the clusters to FILE as .tsv, .csv or .jsonl
    #[arg(long, value_name = "FILE")]
    pub clusters: Option<FlagPath>,
    /// Rule that turns pairs into clusters
    #[arg(long, value_name = "RULE", default_value = "connected")]
    pub cluster_by: ClusterBy,
    /// Write a deduplicated copy of the input to FILE: records unchanged, files as JSON Lines, or as files if FILE ends in '/'
    #[arg(long, value_name = "FILE")]
    pub dedup: Option<FlagPath>,
    /// Document to keep from each cluster: first, longest, largest:FIELD or smallest:FIELD of JSON Lines
    #[arg(long, value_name = "RULE", default_value_t = KeepRule::First)]
    pub keep: KeepRule,
    /// Write each removed document and the one kept for it to FILE as .tsv, .csv or .jsonl
    #[arg(long, value_name = "FILE")]
    pub removed: Option<FlagPath>,
}

impl OutputOptions {
    /// Checks that at most one output is standard output.
    pub(super) fn check(&self) -> Result<()> {
        let outputs = [
            ("out", self.out.as_deref()),
            ("clusters", self.clusters.as_deref()),
            ("dedup", self.dedup.as_deref()),
            ("removed", self.removed.as_deref()),
        ];
        check_streams("output", &outputs)
    }

    fn is_empty(&self) -> bool {
        let OutputOptions { out, clusters, dedup, removed, .. } = self;
        [out, clusters, dedup, removed].into_iter().all(Option::is_none)
    }

    /// Returns where the pairs go: standard output if there is no other output.
    pub(super) fn pairs(&self, has_index: bool) -> Option<FlagPath> {
        let is_only_output = self.is_empty() && !has_index;
        self.out.clone().or_else(|| is_only_output.then(|| "-".into()))
    }

    /// Writes all outputs. Files get their names when all of them are complete.
    pub(super) fn write(
        &self,
        found: &Duplicates,
        inputs: &Inputs,
        pairs: Option<&FlagPath>,
        session: &Session,
    ) -> Result<()> {
        session.phase("writing results", None);
        let origins = OriginColumns(found.collection.first_new as u32);
        let id = |document: u32| found.id(document);
        let mut parts = Vec::new();
        if let Some(path) = pairs {
            parts.push(write_pairs(path, found.pairs.iter(), origins, id)?);
        }
        if let Some(path) = &self.clusters {
            let cohesion = found.cohesion();
            parts.push(write_clusters(path, &found.clusters, &cohesion, origins, id)?);
        }
        if let Some(path) = &self.removed {
            parts.push(write_removals(path, &found.removals, origins, id)?);
        }
        self.copy(found, inputs, session)?;
        parts.into_iter().try_for_each(Part::publish)
    }

    /// Copies the input without the removed documents.
    fn copy(&self, found: &Duplicates, inputs: &Inputs, session: &Session) -> Result<()> {
        let source = &found.collection.source;
        let (Some(path), Some(places)) = (&self.dedup, &source.places) else { return Ok(()) };
        let mut is_kept = vec![true; found.collection.len() - source.indexed];
        for removal in &found.removals {
            is_kept[removal.document as usize - source.indexed] = false;
        }
        corpus::copy(inputs, places, |document| is_kept[document], path, session)?;
        Ok(())
    }
}
