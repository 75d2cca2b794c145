//! The files that a search writes.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::{ClusterBy, Duplicates, KeepRule};
use crate::corpus::{CopyTarget, DocumentCopy, InputFiles, Inputs};
use crate::error::Result;
use crate::executable::{FlagPath, check_streams};
use crate::files::is_stream;
use crate::files::output::{Part, Publisher, temporary_names};
use crate::files::pairs::{OriginColumns, TableFile, write_clusters, write_pairs, write_removals};
use crate::session::Session;

/// What to write.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(rename_all = "snake_case", next_help_heading = "Output")]
pub struct OutputOptions {
    /// Write the pairs to FILE as .tsv, .csv or .jsonl; standard output if no output is named
    #[arg(long, value_name = "FILE")]
    pub out: Option<FlagPath>,
    /// List every pair of copies, also of more than 1,000 with the same words, which are listed in short otherwise: each paired with the first
    #[arg(long)]
    pub all_copies: bool,
    /// Write the clusters to FILE as .tsv, .csv or .jsonl
    #[arg(long, value_name = "FILE")]
    pub clusters: Option<FlagPath>,
    /// Rule that turns pairs into clusters
    #[arg(long, value_name = "RULE", default_value = "connected")]
    pub cluster_by: ClusterBy,
    /// Write a deduplicated copy of the input to FILE in the form of its records, else as JSON Lines; to a folder of the same files if FILE ends in '/'
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
        self.paths().next().is_none()
    }

    fn paths(&self) -> impl Iterator<Item = &FlagPath> {
        let OutputOptions { out, clusters, dedup, removed, .. } = self;
        [out, clusters, dedup, removed].into_iter().flatten()
    }

    /// Returns the temporary names of all outputs.
    pub(super) fn temporary_names(&self) -> Vec<PathBuf> {
        self.paths().flat_map(|path| temporary_names(path)).collect()
    }

    /// Returns where the pairs go: standard output if there is no other output.
    fn pairs(&self, has_index: bool) -> Option<FlagPath> {
        let is_only_output = self.is_empty() && !has_index;
        self.out.clone().or_else(|| is_only_output.then(|| "-".into()))
    }

    /// Begins all outputs, before the work: what cannot be written is known at once.
    pub(super) fn create(
        &self,
        publisher: &Publisher<'_>,
        inputs: &Inputs,
        files: &InputFiles,
        has_index: bool,
    ) -> Result<OpenOutputs> {
        let table = |path: Option<&FlagPath>| {
            path.map(|path| TableFile::create(publisher, path)).transpose()
        };
        let dedup = self.dedup.as_deref();
        let options = OutputOptions { out: self.pairs(has_index), ..self.clone() };
        Ok(OpenOutputs {
            pairs: table(options.out.as_ref())?,
            clusters: table(self.clusters.as_ref())?,
            removed: table(self.removed.as_ref())?,
            dedup: dedup
                .map(|path| CopyTarget::create(publisher, path, inputs, files))
                .transpose()?,
            options,
        })
    }
}

/// A complete output: its name, and how many items it has.
pub(super) struct WrittenOutput {
    name: String,
    count: u64,
    items: &'static str,
}

impl WrittenOutput {
    pub fn new(path: &Path, count: u64, items: &'static str) -> Self {
        let name = match is_stream(path) {
            true => "standard output".to_string(),
            false => path.display().to_string(),
        };
        WrittenOutput { name, count, items }
    }

    /// Names the output in the last message of the run.
    pub fn report(&self, session: &Session) {
        session.output(&self.name, self.count, self.items);
    }
}

/// The outputs of a search, begun but empty.
pub(super) struct OpenOutputs {
    pairs: Option<TableFile>,
    clusters: Option<TableFile>,
    removed: Option<TableFile>,
    dedup: Option<CopyTarget>,
    /// The names, with that of the pairs if none was given.
    options: OutputOptions,
}

impl OpenOutputs {
    /// Returns whether all pairs will be written or clustered.
    pub fn need_pairs(&self) -> bool {
        self.pairs.is_some() || self.clusters.is_some()
    }

    /// Writes all outputs. Returns them under their temporary names, in the order of publication, and their descriptions.
    pub fn write(
        self,
        found: &Duplicates,
        inputs: &Inputs,
        session: &Session,
    ) -> Result<(Vec<Part>, Vec<WrittenOutput>)> {
        session.phase("writing results", None);
        let origins = OriginColumns(found.collection.first_new as u32);
        let id = |document: u32| found.id(document);
        let OutputOptions { out, all_copies, clusters, removed, dedup, .. } = &self.options;
        let (mut parts, mut written) = (Vec::new(), Vec::new());
        let mut add = |path: &Option<FlagPath>, part, count, items| {
            parts.push(part);
            written.extend(path.iter().map(|path| WrittenOutput::new(path, count, items)));
        };
        if let Some(file) = self.pairs {
            let listing = found.listing(*all_copies);
            found.left_out(listing).iter().for_each(|notice| session.info(notice));
            add(out, write_pairs(file, listing.iter(), origins, id)?, listing.count(), "pairs");
        }
        if let Some(file) = self.clusters {
            let part = write_clusters(file, &found.clusters, &found.cohesion(), origins, id)?;
            add(clusters, part, found.clusters.len() as u64, "clusters");
        }
        if let Some(file) = self.removed {
            let part = write_removals(file, &found.removals, origins, id)?;
            add(removed, part, found.removals.len() as u64, "removals");
        }
        if let Some(target) = self.dedup {
            let (count, part) = copy(found, inputs, target, session)?;
            add(dedup, part, count, "documents");
        }
        Ok((parts, written))
    }
}

/// Copies the input without the removed documents. Returns the number of documents of the copy too.
fn copy(
    found: &Duplicates,
    inputs: &Inputs,
    target: CopyTarget,
    session: &Session,
) -> Result<(u64, Part)> {
    let (collection, indexed) = (&found.collection, found.collection.source.indexed);
    let mut is_kept = vec![true; collection.len() - indexed];
    for removal in &found.removals {
        is_kept[removal.document as usize - indexed] = false;
    }
    let places = collection.source.places.as_ref().expect("documents of files have places");
    let text_hashes = &collection.text_hashes[indexed..];
    let copy = DocumentCopy { inputs, places, text_hashes };
    copy.write(|document| is_kept[document], target, session)
}
