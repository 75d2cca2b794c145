//! `ngram_index`: builds, changes and lists an index.

use std::borrow::Cow;

use clap::{Parser, ValueEnum};
use serde::Serialize;

use super::add::{AddOptions, AddedCounts, RepeatPolicy, add_documents};
use super::config::read_config;
use super::grams::NgramLengths;
use super::listing::{self, ListForm};
use super::rules::{NgramConfig, NgramPreset};
use super::store::embedded::POSTINGS_PER_RUN;
use super::store::{IndexParameters, NgramStore, StoreArgs};
use crate::corpus::{self, InputArgs, Inputs};
use crate::error::{Error, Result, excerpt};
use crate::executable::values::{at_least_one, at_least_one_u64};
use crate::executable::{Completeness, Counts, Executable, FlagPath, ShardFlags, counted};
use crate::files::is_stream;
use crate::files::name::id_of_bytes;
use crate::files::output::{Output, Publisher};
use crate::session::Session;

/// What is done with an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum IndexAction {
    /// Add the documents of the inputs; creates the index
    Add,
    /// Remove documents by id or path
    Remove,
    /// Remove all documents and the rules
    Clear,
    /// List documents with their n-grams
    List,
    /// Print counts, sizes and expected collisions of hashes
    Stats,
    /// Read everything and verify checksums and counts
    Check,
    /// Merge all segments into one, without removed documents
    Compact,
    /// Write the hashes of each document, one line per document and kind of n-grams
    Export,
}

/// Help of the inputs, which are ids for some actions.
const INPUT_HELP: &str = "For add: folder, file, archive or '-', in any format of find_near_dups (text, HTML, PDF, DOCX, JSON Lines, Wikipedia extracts …); for remove: ids or paths of documents";

/// Builds and changes an index of word n-grams, in which ngram_search finds the sources of copied passages. Each change is atomic: a killed
/// run leaves the old state or the new one
#[derive(Debug, Clone, Parser, Serialize)]
#[command(
    name = "ngram_index",
    version,
    rename_all = "snake_case",
    mut_group("documents", |group| group.required(false)),
    // Lists have a format too.
    mut_arg("format", |argument| argument.long("input_format")),
    mut_arg("inputs", |argument| argument.help(INPUT_HELP))
)]
pub struct NgramIndex {
    /// What to do
    #[arg(value_name = "ACTION", help_heading = "Index")]
    pub action: IndexAction,
    /// Where the index is.
    #[command(flatten)]
    #[serde(flatten)]
    pub place: StoreArgs,
    /// The documents to add, or to remove.
    #[command(flatten)]
    #[serde(flatten)]
    pub inputs: InputArgs,
    /// Lengths of n-grams in words, such as 7 or 7,15
    #[arg(short = 'n', long, value_name = "N", default_value_t = NgramLengths::default(), help_heading = "Adding")]
    pub lengths: NgramLengths,
    /// Text before paths and ids of documents, so that equal paths of different machines differ; URLs have none
    #[arg(long, value_name = "TEXT", default_value = "", help_heading = "Adding")]
    pub prefix: String,
    /// Rules of words and paragraphs; those of the index if it has documents
    #[arg(long, value_name = "NAME", conflicts_with = "config", help_heading = "Adding")]
    pub preset: Option<NgramPreset>,
    /// Read the rules from FILE: TOML, or XML with the elements of Pekař's config.xml
    #[arg(long, value_name = "FILE", help_heading = "Adding")]
    pub config: Option<FlagPath>,
    /// Store one of every W consecutive n-grams at least: every common run of n + W - 1 words is still found; 1 stores all; that of the index if it has documents
    #[arg(long, value_name = "W", value_parser = at_least_one, help_heading = "Adding")]
    pub winnow: Option<usize>,
    /// Do not store n-grams of stems, by which ngram_search finds obfuscated copies; saves about a third of the index. The presets pekar and mensik have none
    #[arg(long, help_heading = "Adding")]
    pub no_stems: bool,
    /// Index documents again that are in the index
    #[arg(long, conflicts_with = "skip", help_heading = "Adding")]
    pub replace: bool,
    /// Keep documents that are in the index
    #[arg(long, help_heading = "Adding")]
    pub skip: bool,
    /// Number of postings (n-grams of documents) per thread to keep in memory before they are written, 24 bytes each; the index does not depend on it
    #[arg(long, value_name = "N", default_value_t = POSTINGS_PER_RUN, value_parser = at_least_one_u64, help_heading = "Adding")]
    pub buffer: u64,
    /// Form of list, stats and export
    #[arg(long = "format", value_name = "FORM", default_value = "tsv", help_heading = "Output")]
    pub list_form: ListForm,
    /// Write list, stats or export to FILE
    #[arg(long, value_name = "FILE", default_value = "-", help_heading = "Output")]
    pub out: FlagPath,
    /// The part of the documents to add.
    #[command(flatten)]
    #[serde(flatten)]
    pub shards: ShardFlags,
}

impl Executable for NgramIndex {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        ("Index a folder", "ngram_index add --index index docs/ --skip"),
        ("List the documents of an index", "ngram_index list --index index --format jsonl"),
    ];

    /// The rules of an index are recorded by their values.
    const UNRECORDED: &'static [&'static str] = &[
        "action",
        "store",
        "preset",
        "winnow",
        "no_stems",
        "replace",
        "skip",
        "buffer",
        "list_form",
        "max_record",
        "max_ratio",
    ];

    /// Compares an existing shard with the one that a run would write.
    fn completeness(&self) -> Result<Completeness> {
        match self.shards.shard.filter(|_| self.shards.resume) {
            Some(shard) => self.shard_completeness(shard),
            None => Ok(Completeness::Unasked),
        }
    }

    /// Does what the action says. See [`IndexAction`].
    fn run(&self, session: &Session) -> Result<Counts> {
        self.check_inputs()?;
        match self.action {
            IndexAction::Add => self.add(session),
            IndexAction::Remove => self.remove(session),
            IndexAction::Clear | IndexAction::Compact => self.rewrite(session),
            IndexAction::List | IndexAction::Stats | IndexAction::Export => self.list(session),
            IndexAction::Check => {
                let store = self.place.open(session)?;
                session.phase("checking the index", None);
                store.check()?;
                let documents = store.counts()?.documents;
                Ok(Counts::new((documents, "documents"), (0, "documents")))
            }
        }
    }
}

impl NgramIndex {
    pub(super) fn check_inputs(&self) -> Result<()> {
        let takes_inputs = matches!(self.action, IndexAction::Add | IndexAction::Remove);
        let name = format!("{:?}", self.action).to_lowercase();
        if takes_inputs && self.inputs.inputs.is_empty() {
            return Err(Error::Usage(format!("{name} needs at least one INPUT")));
        }
        if let Some(input) = self.inputs.inputs.first().filter(|_| !takes_inputs) {
            let input = excerpt(&input.to_string_lossy());
            return Err(Error::Usage(format!("{name} takes no INPUT, found {input}")));
        }
        if self.action == IndexAction::Export && self.list_form == ListForm::Xml {
            return Err(Error::Usage("export has the forms tsv and jsonl".into()));
        }
        if self.shards.shard.is_some() && self.action != IndexAction::Add {
            let why = "only documents to add have shards";
            return Err(Error::Usage(format!(
                "--shard: expected the action add, found {name}: {why}"
            )));
        }
        Ok(())
    }

    fn add(&self, session: &Session) -> Result<Counts> {
        let mut inputs = Inputs::new(self.inputs.clone());
        inputs.check_decoded()?;
        let mut files = corpus::find(&inputs)?;
        let chosen = self.chosen_config()?;
        let mut writer = match self.shards.shard {
            None => self.place.open_writer(self.buffer, session)?,
            Some(shard) => {
                let writer = self.open_shard(self.index_shard(shard, &files, &inputs)?, session)?;
                files = files.part(shard, &inputs)?;
                inputs.may_be_empty = true;
                writer
            }
        };
        let known = writer.store().and_then(|store| store.parameters()).cloned();
        let options = AddOptions {
            prefix: &self.prefix,
            lengths: self.lengths.clone(),
            parameters: self.index_parameters(known, chosen),
            repeated: self.repeat_policy(),
            is_part: self.shards.shard.is_some(),
        };
        let added = add_documents(&mut *writer, &inputs, files, &options, session)?;
        writer.commit()?;
        Ok(added_counts(&added, session))
    }

    fn repeat_policy(&self) -> RepeatPolicy {
        match (self.replace, self.skip) {
            (true, _) => RepeatPolicy::Replace,
            (_, true) => RepeatPolicy::Skip,
            // Standard input is a document then.
            _ => RepeatPolicy::Ask,
        }
    }

    /// Returns the rules that the arguments choose, if they do.
    pub(super) fn chosen_config(&self) -> Result<Option<NgramConfig>> {
        if let Some(path) = &self.config {
            if is_stream(path) && self.inputs.inputs.iter().any(|input| is_stream(input)) {
                return Err(Error::Usage("only one input can be standard input".into()));
            }
            return read_config(path).map(Some);
        }
        Ok(self.preset.map(NgramPreset::config))
    }

    /// Returns the parameters of new documents: chosen ones, else those of the index, else those of the preset.
    pub(super) fn index_parameters(
        &self,
        known: Option<IndexParameters>,
        chosen: Option<NgramConfig>,
    ) -> IndexParameters {
        let known = known.unwrap_or_else(|| IndexParameters::of(self.preset.unwrap_or_default()));
        IndexParameters {
            config: chosen.unwrap_or(known.config),
            winnow: self.winnow.unwrap_or(known.winnow),
            stems: known.stems && !self.no_stems,
        }
    }

    fn remove(&self, session: &Session) -> Result<Counts> {
        let mut writer = self.place.open_existing_writer(session)?;
        let (mut removed, mut unknown) = (0, 0);
        for input in &self.inputs.inputs {
            let found = writer.store().map(|store| self.find(store, input)).transpose()?.flatten();
            match found {
                Some(document) => {
                    writer.remove(document)?;
                    removed += 1;
                }
                None => {
                    unknown += 1;
                    session.info(&format!("{}: not in the index", input.display()));
                }
            }
        }
        writer.commit()?;
        let read = (self.inputs.inputs.len() as u64, "ids");
        let skipped = (unknown, "ids without a document");
        Ok(Counts { skipped, ..Counts::new(read, (removed, "removals")) })
    }

    /// Returns the document with an id, or of a path.
    fn find(
        &self,
        store: &dyn NgramStore,
        input: &FlagPath,
    ) -> Result<Option<super::store::DocumentKey>> {
        let id = id_of_bytes(input.as_os_str().as_encoded_bytes());
        if let Some(found) = store.find(&id)? {
            return Ok(Some(found));
        }
        let path = std::fs::canonicalize(&**input).unwrap_or_else(|_| input.to_path_buf());
        let path = id_of_bytes(path.as_os_str().as_encoded_bytes());
        for id in [format!("{}{id}", self.prefix), format!("{}{path}", self.prefix)] {
            if let Some(found) = store.find(&id)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn rewrite(&self, session: &Session) -> Result<Counts> {
        let writer = self.place.open_existing_writer(session)?;
        let before = writer.store().map(|store| store.counts()).transpose()?.unwrap_or_default();
        let left = if self.action == IndexAction::Clear { 0 } else { before.documents };
        match self.action {
            IndexAction::Clear => writer.clear()?,
            _ => writer.compact()?,
        }
        Ok(Counts::new((before.documents + before.removed, "documents"), (left, "documents")))
    }

    fn list(&self, session: &Session) -> Result<Counts> {
        let store = self.place.open(session)?;
        let publisher = Publisher::new(session, store.paths().into_iter().map(Cow::from));
        let mut out: Output = publisher.create(&self.out)?;
        let counts = store.counts()?;
        let written = match self.action {
            IndexAction::List => {
                (listing::write_documents(&*store, self.list_form, &mut out)?, "documents")
            }
            IndexAction::Stats => {
                out.write(listing::statistics(&counts, self.list_form).as_bytes())?;
                (counts.lengths.len() as u64, "kinds of n-grams")
            }
            _ => (listing::write_hashes(&*store, self.list_form, &mut out)?, "lists of hashes"),
        };
        publisher.publish(vec![vec![out.close()?]])?;
        Ok(Counts::new((counts.documents, "documents"), written))
    }
}

/// Reports an addition.
pub(super) fn added_counts(added: &AddedCounts, session: &Session) -> Counts {
    if added.without_ngrams > 0 {
        let documents = counted(added.without_ngrams, "documents without an n-gram");
        session.info(&format!("{documents}: shorter than every length, or no words"));
    }
    if added.replaced > 0 {
        session.info(&counted(added.replaced, "documents replaced"));
    }
    Counts {
        read: (added.read, "documents"),
        skipped: match added.unreadable {
            0 => (added.skipped, "documents of the index"),
            unreadable => (unreadable, "unreadable files or records"),
        },
        written: (added.added, "documents"),
        unreadable: added.unreadable,
    }
}
