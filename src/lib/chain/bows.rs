//! `create_bows`: documents to bags of words.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::Parser;
use serde::Serialize;

use super::data_files::{BatchLines, DataFileWriter};
use super::documents::{DocumentFlags, read_before};
use crate::corpus::{
    self, FilterArgs, InputDocument, InputFiles, Inputs, Listing, LoadedFilters, readable,
};
use crate::error::{Error, Result};
use crate::executable::values::at_least_one;
use crate::executable::{Counts, Executable, FlagPath, ShardFlags, check_streams};
use crate::files::manifest::{
    FileEntry, Manifest, ManifestOutput, Parameters, Provenance, ShardEntry, StageKind,
};
use crate::files::names::Names;
use crate::files::output::{Output, Publisher};
use crate::files::paths::BowPaths;
use crate::files::stage::Stage;
use crate::files::{bow, ids};
use crate::pool::ObjectPool;
use crate::session::Session;
use crate::shard::Shard;
use crate::text::{AnalyzerOptions, TermCounter, WordRule};

/// Makes a bag of words of every document
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "create_bows", version, rename_all = "snake_case")]
#[command(mut_arg("markup", |markup| markup.default_value("keep")))]
pub struct CreateBows {
    /// The documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub documents: DocumentFlags,
    /// The terms.
    #[command(flatten, next_help_heading = "Terms")]
    #[serde(flatten)]
    pub analyzer: AnalyzerOptions,
    /// The filters of words.
    #[command(flatten)]
    #[serde(flatten)]
    pub filters: FilterArgs,
    /// Write the list of BOW files to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub bow_paths: FlagPath,
    /// Folder of the BOW files, created if missing
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub bow_dir: FlagPath,
    /// Compress the BOW files with gzip
    #[arg(long, help_heading = "Output")]
    pub compress_bows: bool,
    /// Bags of words per BOW file
    #[arg(long, value_name = "N", help_heading = "Output", default_value_t = 1000, value_parser = at_least_one)]
    pub bows_per_file: usize,
    /// Number the documents from 1, use the numbers as names, and write the map to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub id_file: Option<FlagPath>,
    /// The part of the documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub shards: ShardFlags,
}

impl Executable for CreateBows {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Bags of words of a folder of Czech web pages",
            "create_bows pages/ --include '*.html' --markup strip --words --bow_paths bow_paths --bow_dir bows",
        ),
        (
            "Bags of word pairs of a compressed JSON Lines file",
            "create_bows docs.jsonl.zst --text_field body --shingle_size 2 --bow_paths bow_paths --bow_dir bows",
        ),
    ];

    const UNRECORDED: &'static [&'static str] =
        &["compress_bows", "bows_per_file", "max_record", "max_ratio"];

    /// Makes the bags. The first unreadable document is an error. Memory: the documents' names, and a few megabytes per thread.
    fn run(&self, session: &Session) -> Result<Counts> {
        let id_file = self.id_file.as_deref();
        check_streams("output", &[("bow_paths", Some(&*self.bow_paths)), ("id_file", id_file)])?;
        let mut inputs = self.documents.inputs();
        match self.analyzer.words {
            WordRule::Letters => inputs.check_decoded()?,
            _ if self.analyzer.fold => {
                return Err(Error::Usage("--fold needs --words=letters".into()));
            }
            _ => inputs.check()?,
        }
        self.filters.check_streams(inputs.paths())?;
        let filters = self.filters.load(self.analyzer)?;
        let list = self.shards.path("bow_paths", &self.bow_paths)?;
        let all = corpus::find(&inputs)?;
        let mut part = self.documents.part(self.shards, &mut inputs, &all, self.bows_per_file)?;
        let reads = inputs.paths().chain(all.paths()).chain(self.filters.paths());
        let publisher = Publisher::new(session, reads.map(Cow::from));
        let (folder, kind) = (&self.bow_dir, StageKind::Bow);
        let mut stage = Stage::begin(&publisher, &list, folder, kind, self.compress_bows)?;
        stage.set_shard(part.entry);
        let id_file =
            id_file.map(|path| IdFile::create(&publisher, path, self.shards)).transpose()?;
        drop(publisher);
        let before = part.count_before(self.shards, &inputs, &all, session)?;
        let before = match (before, self.shards.shard) {
            (None, Some(shard)) if id_file.is_some() => {
                Some(read_before(shard, &inputs, &all, session)?)
            }
            _ => before,
        };
        let before = before.unwrap_or(0);
        let listing = self.write_bags(&inputs, part.files, &filters, &stage, before, session)?;
        let documents = listing.documents as u64;
        let provenance = |kind| {
            let provenance = self.provenance(kind).with_parameters(filters.parameters.clone());
            provenance.count("documents", documents)
        };
        if let Some(mut file) = id_file {
            ids::write(&mut file.out, before + 1, listing.ids.iter())?;
            file.keep(&mut stage, part.entry, provenance(StageKind::Ids))?;
        }
        stage.commit(&BowPaths::header(documents), provenance(kind))?;
        Ok(Counts::new((documents, "documents"), (documents, "bags of words")))
    }

    fn shard_entry(&self, shard: Shard) -> Result<(ShardEntry, Parameters)> {
        let filters = self.filters.load(self.analyzer)?;
        let entry = self.documents.entry(shard, self.documents.inputs(), self.bows_per_file)?;
        Ok((entry, filters.parameters))
    }
}

/// The id file being written; that of a part has a manifest, so that parts can be merged.
struct IdFile {
    out: Output,
    path: PathBuf,
    manifest: Option<ManifestOutput>,
}

impl IdFile {
    fn create(publisher: &Publisher<'_>, path: &Path, shards: ShardFlags) -> Result<Self> {
        let path = shards.path("id_file", path)?;
        let out = publisher.create(&path)?.with_digest();
        let manifest = shards.shard.map(|_| ManifestOutput::create(publisher, &path));
        Ok(IdFile { out, path, manifest: manifest.transpose()? })
    }

    /// Makes the complete file a part of the stage's output.
    fn keep(
        self,
        stage: &mut Stage,
        shard: Option<ShardEntry>,
        provenance: Provenance,
    ) -> Result<()> {
        if let Some(manifest) = self.manifest {
            let name = Path::new(self.path.file_name().unwrap_or_default());
            let digest = self.out.digest().expect("the file is created with a digest");
            let files = vec![FileEntry::new(name, digest)];
            let description = Manifest::new(provenance, None, files).of_shard(shard);
            stage.describe_beside(manifest, &description)?;
        }
        stage.keep_beside(self.out)
    }
}

impl CreateBows {
    /// Writes the BOW files.
    fn write_bags(
        &self,
        inputs: &Inputs,
        files: InputFiles,
        filters: &LoadedFilters,
        stage: &Stage,
        before: u64,
        session: &Session,
    ) -> Result<Listing> {
        let counters = ObjectPool::default();
        // Line numbers differ; they are kept only to be written.
        let has_ids = !inputs.ids_are_lines() || self.id_file.is_some();
        let work = |documents: &[InputDocument<'_>]| {
            let counter = || TermCounter::new(self.analyzer).with_filters(filters.filters.clone());
            counters.with(counter, |counter| self.bags(documents, counter, has_ids))
        };
        let (per_file, is_compressed) = (self.bows_per_file, self.compress_bows);
        let is_numbered = self.id_file.is_some();
        let mut writer = DataFileWriter::new(stage, per_file, is_compressed, is_numbered, before);
        let limit = self.documents.doc_count;
        let listing = corpus::scan(inputs, files, limit, session, work, |bags, count| {
            let without_terms = bags.without_terms.iter().filter(|(number, _)| *number < count);
            for (_, name) in without_terms {
                session.detail(&format!("{}: no terms", readable(name)));
            }
            writer.add(&bags.lines, count)
        })?;
        writer.finish()?;
        Ok(listing)
    }

    /// Returns the names and bags of some documents.
    fn bags(
        &self,
        documents: &[InputDocument<'_>],
        counter: &mut TermCounter,
        has_ids: bool,
    ) -> (Names, BatchBags) {
        let (mut names, mut bags) = (Names::default(), BatchBags::default());
        for (number, document) in documents.iter().enumerate() {
            let name = document.encoded_name();
            let bag = counter.bag(&document.text);
            if bag.len() == 0 {
                bags.without_terms.push((number, name.clone()));
            }
            if self.id_file.is_none() {
                bags.lines.text.extend_from_slice(name.as_bytes());
            }
            bow::append_bag(&mut bags.lines.text, bag);
            bags.lines.ends.push(bags.lines.text.len());
            if has_ids {
                names.push(&name);
            }
        }
        (names, bags)
    }
}

/// Bags of a batch.
#[derive(Default)]
struct BatchBags {
    lines: BatchLines,
    /// Documents without terms: number in the batch, and name.
    without_terms: Vec<(usize, String)>,
}
