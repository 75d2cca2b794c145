//! `create_bows`: documents to bags of words.

use std::borrow::Cow;

use clap::Parser;
use serde::Serialize;

use super::data_files::{BatchLines, DataFileWriter};
use super::documents::DocumentFlags;
use crate::corpus::{
    self, FilterArgs, InputDocument, InputFiles, Inputs, Listing, LoadedFilters, readable,
};
use crate::error::{Error, Result};
use crate::executable::values::at_least_one;
use crate::executable::{Counts, Executable, FlagPath, check_streams};
use crate::files::manifest::StageKind;
use crate::files::names::Names;
use crate::files::output::Publisher;
use crate::files::paths::BowPaths;
use crate::files::stage::Stage;
use crate::files::{bow, ids};
use crate::pool::ObjectPool;
use crate::session::Session;
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
        let inputs = self.documents.inputs();
        match self.analyzer.words {
            WordRule::Letters => inputs.check_decoded()?,
            _ if self.analyzer.fold => {
                return Err(Error::Usage("--fold needs --words=letters".into()));
            }
            _ => inputs.check()?,
        }
        self.filters.check_streams(inputs.paths())?;
        let filters = self.filters.load(self.analyzer)?;
        let files = corpus::find(&inputs)?;
        let reads = inputs.paths().chain(files.paths()).chain(self.filters.paths());
        let (list, folder) = (&self.bow_paths, &self.bow_dir);
        let publisher = Publisher::new(session, reads.map(Cow::from));
        let mut stage = Stage::begin(&publisher, list, folder, StageKind::Bow, self.compress_bows)?;
        let id_file = id_file.map(|path| publisher.create(path)).transpose()?;
        drop(publisher);
        let listing = self.write_bags(&inputs, files, &filters, &stage, session)?;
        if let Some(mut file) = id_file {
            ids::write(&mut file, listing.ids.iter())?;
            stage.keep_beside(file)?;
        }
        let documents = listing.documents as u64;
        let provenance = self.provenance(StageKind::Bow).with_parameters(filters.parameters);
        let provenance = provenance.count("documents", documents);
        stage.commit(&BowPaths::header(documents), provenance)?;
        Ok(Counts::new((documents, "documents"), (documents, "bags of words")))
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
        session: &Session,
    ) -> Result<Listing> {
        let counters = ObjectPool::default();
        // Line numbers differ; they are kept only to be written.
        let has_ids = !inputs.ids_are_lines() || self.id_file.is_some();
        let work = |documents: &[InputDocument<'_>]| {
            let counter = || TermCounter::new(self.analyzer).with_filters(filters.filters.clone());
            counters.with(counter, |counter| self.bags(documents, counter, has_ids))
        };
        let is_numbered = self.id_file.is_some();
        let mut writer =
            DataFileWriter::new(stage, self.bows_per_file, self.compress_bows, is_numbered);
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
