//! `find_near_dups`: from documents to pairs, clusters, a deduplicated copy and an index, in one process.
//!
//! Documents are read once and become vectors of their words. A word's weight comes from its count and its length
//! ([`word_weight`](crate::vector::word_weight)) and depends on no other document, so a pair's similarity is the same in every collection.
//! Comparing new documents with existing ones therefore adds up to comparing all at once.
//!
//! All pairs at or above the threshold are found, with their exact cosines ([`exact::join`](crate::search::exact::join)).
//!
//! [`NearDups`] does the same for texts in memory.

mod builder;
mod collection;
mod duplicates;
mod index;
mod options;
mod outputs;
mod plan;
mod shard;
mod summary;
mod tiles;

use std::borrow::Cow;
use std::path::PathBuf;

use clap::{Args, Parser};
use serde::Serialize;

pub use self::builder::NearDups;
use self::collection::Collection;
use self::duplicates::Likeness;
pub use self::duplicates::{Duplicates, NearDupPair};
pub use self::options::{ClusterBy, KeepRule, SearchOptions};
pub use self::outputs::OutputOptions;
use self::outputs::{OpenOutputs, WrittenOutput};
pub use self::summary::Summary;
use crate::chain::prints::{GroupFlags, learn};
use crate::corpus::{self, FilterArgs, InputArgs, InputFiles, Inputs, LoadedFilters, Streams};
use crate::error::{Error, Result};
use crate::executable::{Counts, Executable, FlagPath, ShardFlags};
use crate::files;
use crate::files::index::{IndexLock, IndexParts, IndexWriter};
use crate::files::output::{Part, Publisher};
use crate::prints::{Knowledge, MethodSpec};
use crate::session::Session;

/// Finds near-duplicate documents in folders, files or JSON Lines: pairs, clusters, a deduplicated copy
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "find_near_dups", version, rename_all = "snake_case")]
pub struct FindNearDups {
    /// The documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub inputs: InputArgs,
    /// The existing documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub existing: ExistingDocuments,
    /// Compare fingerprints of this method of create_prints instead of words: md5, or shingles:threshold=0.7,smallest=200 with parameters
    #[arg(
        long, value_name = "METHOD", help_heading = "Search",
        conflicts_with_all = ["threshold", "shingle_size", "no_fold", "index", "save_index", "plan"]
    )]
    pub prints: Option<MethodSpec>,
    /// The filters of the words of fingerprints.
    #[command(flatten)]
    #[serde(flatten)]
    pub filters: FilterArgs,
    /// The search.
    #[command(flatten)]
    #[serde(flatten)]
    pub search: SearchOptions,
    /// The outputs.
    #[command(flatten)]
    #[serde(flatten)]
    pub outputs: OutputOptions,
    /// Print expected pairs, memory and time, then exit
    #[arg(long, help_heading = "Search")]
    pub plan: bool,
    /// The part of the search.
    #[command(flatten)]
    #[serde(flatten)]
    pub shard: ShardFlags,
}

/// Documents of earlier runs: pairs among them are not reported.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(rename_all = "snake_case", next_help_heading = "Existing documents")]
pub struct ExistingDocuments {
    /// Folder or file of existing documents: report only pairs with a new document; may be repeated
    #[arg(long, value_name = "INPUT", conflicts_with = "index")]
    pub against: Vec<FlagPath>,
    /// Index of existing documents, written by --save_index: same as --against without reading them again
    #[arg(long, value_name = "DIR")]
    pub index: Option<FlagPath>,
    /// Write an index of all documents, existing and new, to DIR; may be the folder of --index
    #[arg(long, value_name = "DIR")]
    pub save_index: Option<FlagPath>,
}

impl Executable for FindNearDups {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Deduplicate a folder",
            "find_near_dups docs/ --out pairs.tsv --clusters clusters.tsv --dedup clean/",
        ),
        (
            "Find documents of today that resemble those of yesterday",
            "find_near_dups today.jsonl.gz --against yesterday.jsonl.gz --threshold 0.9 --out new.tsv",
        ),
    ];

    /// Finds near-duplicates and writes the outputs. Memory: 6 bytes per distinct word of each document, the data structures of the
    /// search, and the pairs of different vectors; texts are not kept. A shard needs memory for two parts of the documents.
    fn run(&self, session: &Session) -> Result<Counts> {
        self.outputs.check()?;
        let inputs = self.inputs()?;
        if let Some(shard) = self.shard.shard {
            return self.run_shard(shard, &inputs, session);
        }
        if self.plan {
            return plan::print(self, &inputs, session);
        }
        let filters = self.load_filters(&inputs)?;
        let files = corpus::find(&inputs)?;
        let (outputs, index, publisher) = self.create_outputs(&inputs, &files, session)?;
        let (found, index) = match &self.prints {
            Some(method) => (self.find_by_prints(method, filters, &inputs, files, session)?, None),
            None => self.find_by_words(&inputs, files, outputs.need_pairs(), index, session)?,
        };
        let existing = &self.existing;
        let (parts, mut written) = outputs.write(&found, &inputs, session)?;
        if let (Some(_), Some(folder)) = (&index, &existing.save_index) {
            let documents = index::written_documents(&found.collection).0.len() as u64;
            written.push(WrittenOutput::new(folder, documents, "documents"));
        }
        publish(&publisher, parts, index)?;
        written.iter().for_each(|output| output.report(session));
        let summary = found.summary();
        session.info(&summary.to_string());
        let listed = found.listing(self.outputs.all_copies).count();
        Ok(counts(&found.collection, &summary, listed))
    }
}

/// Publishes the outputs, then the index: a run that ends before the index is published can be repeated as if it had not been.
fn publish(
    publisher: &Publisher<'_>,
    mut parts: Vec<Part>,
    index: Option<IndexParts>,
) -> Result<()> {
    let Some(IndexParts { data, head, old }) = index else { return publisher.publish(vec![parts]) };
    parts.extend(data);
    // The lock of the index lives as long as `old`: until nothing is left under temporary names, which the next run would take for another's.
    publisher.publish_and(vec![parts, vec![head]], || old.remove())
}

impl ExistingDocuments {
    /// Returns whether the index to read is the one to write.
    fn updates_index(&self) -> bool {
        let (Some(read), Some(written)) = (&self.index, &self.save_index) else { return false };
        let real = |folder: &FlagPath| std::fs::canonicalize(&**folder).ok();
        real(read).is_some_and(|read| real(written) == Some(read))
    }

    /// Returns the files of the indexes.
    fn index_paths(&self) -> impl Iterator<Item = PathBuf> {
        self.index.iter().flat_map(|folder| files::index::paths(folder))
    }
}

impl FindNearDups {
    /// Compares vectors of words, and writes the index.
    fn find_by_words(
        &self,
        inputs: &Inputs,
        files: InputFiles,
        needs_pairs: bool,
        index: Option<IndexWriter>,
        session: &Session,
    ) -> Result<(Duplicates, Option<IndexParts>)> {
        let (options, existing) = (&self.search, &self.existing);
        let (folder, updates) = (existing.index.as_deref(), existing.updates_index());
        let collection = Collection::read(inputs, files, folder, updates, options, session)?;
        let index = match index {
            // The index of a repeated run is complete.
            Some(writer) if collection.source.is_repeated => writer.keep_old(),
            Some(writer) => Some(index::write(writer, options, &collection, session)?),
            None => None,
        };
        let OutputOptions { cluster_by, keep, .. } = &self.outputs;
        let (threshold, by) = (options.threshold, *cluster_by);
        Ok((Duplicates::find(collection, threshold, by, keep, needs_pairs, session), index))
    }

    /// Compares fingerprints.
    fn find_by_prints(
        &self,
        method: &MethodSpec,
        filters: LoadedFilters,
        inputs: &Inputs,
        files: InputFiles,
        session: &Session,
    ) -> Result<Duplicates> {
        let mut printer = method.printer().map_err(Error::Usage)?.with_filters(filters.filters);
        printer.notice().iter().for_each(|notice| session.info(notice));
        learn(&mut printer, inputs, &files, None, session)?;
        let (collection, prints) = Collection::read_prints(inputs, files, &printer, session)?;
        let (agreement, groups) = (printer.agreement(), GroupFlags::default());
        let pairs = groups.matches(&prints, agreement, collection.first_new, session).pairs;
        let likeness = Likeness::Prints { table: prints, agreement, method: method.to_string() };
        let OutputOptions { cluster_by, keep, .. } = &self.outputs;
        Ok(Duplicates::of_pairs(collection, pairs, likeness, true).clustered(*cluster_by, keep))
    }

    /// Loads the filters, which only fingerprints have.
    fn load_filters(&self, inputs: &Inputs) -> Result<LoadedFilters> {
        self.filters.check_streams(inputs.paths())?;
        match &self.prints {
            Some(method) => self.filters.load(method.printer().map_err(Error::Usage)?.words()),
            None => self.filters.check_unset("--prints").map(|()| LoadedFilters::default()),
        }
    }

    /// Begins all outputs, and locks the index until it is published. The old index may be replaced by the new one, but by no other output.
    fn create_outputs(
        &self,
        inputs: &Inputs,
        files: &InputFiles,
        session: &Session,
    ) -> Result<(OpenOutputs, Option<IndexWriter>, Publisher<'static>)> {
        let documents = inputs.paths().chain(files.paths()).chain(self.filters.paths());
        let publisher = Publisher::new(session, documents.clone().map(Cow::from));
        let save_index = self.existing.save_index.as_deref();
        let lock = save_index.map(|folder| IndexLock::acquire(folder, session)).transpose()?;
        let index = lock.map(|lock| IndexWriter::create(lock, &publisher)).transpose()?;
        let reads = documents.map(Cow::from).chain(self.existing.index_paths().map(Cow::from));
        let publisher = Publisher::new(session, reads);
        let outputs = self.outputs.create(&publisher, inputs, files, index.is_some())?;
        Ok((outputs, index, publisher.after_checks()))
    }

    /// Returns the documents to read; a copy or a plan reads them twice.
    fn inputs(&self) -> Result<Inputs> {
        let sort_field = self.outputs.keep.field().map(String::from);
        let knows_collection = match &self.prints {
            Some(method) => {
                method.printer().map_err(Error::Usage)?.knowledge() != Knowledge::Nothing
            }
            None => false,
        };
        let reads_twice = self.plan || self.outputs.dedup.is_some() || knows_collection;
        let streams = if reads_twice { Streams::spooled() } else { Streams::once() };
        let existing = self.existing.against.clone();
        let is_part = self.shard.shard.is_some();
        let leftovers = match is_part {
            true => self.part_leftovers()?,
            false => self.outputs.temporary_names(),
        };
        let inputs = Inputs::new(self.inputs.clone());
        let inputs = Inputs {
            existing,
            sort_field,
            streams,
            leftovers,
            may_be_empty: is_part,
            has_unique_ids: is_part,
            ..inputs
        };
        inputs.check_decoded()?;
        Ok(inputs)
    }
}

fn counts(collection: &Collection, summary: &Summary, listed: u64) -> Counts {
    let unreadable = collection.source.skipped;
    Counts {
        read: (summary.documents, "documents"),
        skipped: (unreadable, "unreadable files or records"),
        written: match summary.pairs {
            Some(_) => (listed, "pairs"),
            None => (summary.removed, "removals"),
        },
        unreadable,
    }
}
