//! `create_bows`: documents to bags of words.

use std::borrow::Cow;

use clap::Parser;
use serde::Serialize;

use super::pool::ObjectPool;
use crate::corpus::{
    self, DeferredWork, InputArgs, InputDocument, InputFiles, InputFormat, Inputs, Listing,
    ReadPolicy, readable,
};
use crate::error::{Error, Result};
use crate::executable::values::at_least_one;
use crate::executable::{Counts, Executable, FlagPath, check_streams};
use crate::files::decimal::append_number;
use crate::files::list::Separator;
use crate::files::manifest::StageKind;
use crate::files::names::Names;
use crate::files::output::{Output, Publisher};
use crate::files::paths::BowPaths;
use crate::files::stage::Stage;
use crate::files::{bow, ids};
use crate::session::Session;
use crate::text::{AnalyzerOptions, TermCounter, WordRule};

/// Bytes of a compressed BOW file that wait to be compressed in parallel with other files.
const MAX_PENDING: usize = 8 << 20;

/// Makes a bag of words of every document
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "create_bows", version, rename_all = "snake_case")]
#[command(mut_arg("markup", |markup| markup.default_value("keep")))]
pub struct CreateBows {
    /// The documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub documents: InputArgs,
    /// Read the documents whose paths are listed in FILE, separated by white space, each file one document
    #[arg(
        long, value_name = "FILE", help_heading = "Documents", group = "documents",
        conflicts_with_all = ["inputs", "json_lines", "text_lines", "format", "include", "exclude", "text_field", "id_field"]
    )]
    pub doc_list: Option<FlagPath>,
    /// Read one path per line from --doc_list, so that paths may contain spaces
    #[arg(long, help_heading = "Documents", conflicts_with_all = ["inputs", "json_lines", "text_lines"])]
    pub lines: bool,
    /// Read one JSON object per line from FILE; every object must have an id
    #[arg(
        long, value_name = "FILE", help_heading = "Documents", group = "documents",
        conflicts_with_all = ["inputs", "text_lines", "format", "include", "exclude"]
    )]
    pub json_lines: Option<FlagPath>,
    /// Read one document per line from FILE, blank lines included, named by line number
    #[arg(
        long, value_name = "FILE", help_heading = "Documents", group = "documents",
        conflicts_with_all = ["inputs", "format", "include", "exclude", "text_field", "id_field"]
    )]
    pub text_lines: Option<FlagPath>,
    /// Read only the first N documents
    #[arg(long, value_name = "N", help_heading = "Documents", value_parser = at_least_one)]
    pub doc_count: Option<usize>,
    /// The terms.
    #[command(flatten, next_help_heading = "Terms")]
    #[serde(flatten)]
    pub analyzer: AnalyzerOptions,
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
        let inputs = self.inputs();
        match self.analyzer.words {
            WordRule::Letters => inputs.check_decoded()?,
            _ if self.analyzer.fold => {
                return Err(Error::Usage("--fold needs --words=letters".into()));
            }
            _ => inputs.check()?,
        }
        let files = corpus::find(&inputs)?;
        let reads = inputs.paths().chain(files.paths());
        let (list, folder) = (&self.bow_paths, &self.bow_dir);
        let publisher = Publisher::new(session, reads.map(Cow::from));
        let mut stage = Stage::begin(&publisher, list, folder, StageKind::Bow, self.compress_bows)?;
        let id_file = id_file.map(|path| publisher.create(path)).transpose()?;
        drop(publisher);
        let listing = self.write_bags(&inputs, files, &stage, session)?;
        if let Some(mut file) = id_file {
            ids::write(&mut file, listing.ids.iter())?;
            stage.keep_beside(file)?;
        }
        let documents = listing.documents as u64;
        let provenance = self.provenance(StageKind::Bow).count("documents", documents);
        stage.commit(&BowPaths::header(documents), provenance)?;
        Ok(Counts::new((documents, "documents"), (documents, "bags of words")))
    }
}

impl CreateBows {
    /// Returns the documents to read. The flags of the thesis' pipeline are forms of one reader.
    fn inputs(&self) -> Inputs {
        let strict = |args: InputArgs| Inputs { policy: ReadPolicy::Strict, ..Inputs::new(args) };
        let of_file = |path: &FlagPath, format: InputFormat| {
            strict(InputArgs { inputs: vec![path.clone()], format, ..self.documents.clone() })
        };
        if let Some(path) = &self.doc_list {
            let separator = if self.lines { Separator::Line } else { Separator::WhiteSpace };
            return Inputs { list: Some(separator), ..of_file(path, InputFormat::Text) };
        }
        if let Some(path) = &self.json_lines {
            return Inputs { names_by_line: true, ..of_file(path, InputFormat::Json) };
        }
        if let Some(path) = &self.text_lines {
            let inputs = of_file(path, InputFormat::Lines);
            return Inputs { names_by_line: true, keeps_blank_lines: true, ..inputs };
        }
        strict(self.documents.clone())
    }

    /// Writes the BOW files.
    fn write_bags(
        &self,
        inputs: &Inputs,
        files: InputFiles,
        stage: &Stage,
        session: &Session,
    ) -> Result<Listing> {
        let counters = ObjectPool::default();
        // Line numbers differ; they are kept only to be written.
        let has_ids = !inputs.ids_are_lines() || self.id_file.is_some();
        let work = |documents: &[InputDocument<'_>]| {
            let counter = || TermCounter::new(self.analyzer);
            counters.with(counter, |counter| self.bags(documents, counter, has_ids))
        };
        let (open, pending) = (None, Vec::new());
        let mut writer = BowWriter { stage, task: self, bags: 0, open, pending };
        let listing = corpus::scan(inputs, files, self.doc_count, session, work, |bags, count| {
            let without_terms = bags.without_terms.iter().filter(|(number, _)| *number < count);
            for (_, name) in without_terms {
                session.detail(&format!("{}: no terms", readable(name)));
            }
            writer.add(&bags, count)
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
                bags.lines.extend_from_slice(name.as_bytes());
            }
            bow::append_bag(&mut bags.lines, bag);
            bags.ends.push(bags.lines.len());
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
    /// The lines of BOW, without names if documents are numbered.
    lines: Vec<u8>,
    /// The end of each line.
    ends: Vec<usize>,
    /// Documents without terms: number in the batch, and name.
    without_terms: Vec<(usize, String)>,
}

impl BatchBags {
    /// Returns the lines of consecutive documents.
    fn lines(&self, first: usize, count: usize) -> &[u8] {
        let end = |documents: usize| if documents == 0 { 0 } else { self.ends[documents - 1] };
        &self.lines[end(first)..end(first + count)]
    }
}

/// Writes bags to BOW files of equal numbers of bags. Files are compressed and closed outside the ordered sink.
struct BowWriter<'s> {
    stage: &'s Stage,
    task: &'s CreateBows,
    /// Number of bags written.
    bags: usize,
    /// The current file, if it was begun.
    open: Option<Output>,
    /// Lines of the current file that are not written yet.
    pending: Vec<u8>,
}

impl<'s> BowWriter<'s> {
    /// Adds the first `count` bags of a batch.
    fn add(&mut self, batch: &BatchBags, count: usize) -> Result<Vec<DeferredWork<'s>>> {
        let per_file = self.task.bows_per_file;
        let (mut deferred, mut first) = (Vec::new(), 0);
        while first < count {
            let capacity = per_file - self.bags % per_file;
            let taken = capacity.min(count - first);
            self.append(batch, first, taken);
            (self.bags, first) = (self.bags + taken, first + taken);
            if self.bags.is_multiple_of(per_file) {
                deferred.push(self.complete());
            }
        }
        if !self.task.compress_bows || self.pending.len() > MAX_PENDING {
            self.flush()?;
        }
        Ok(deferred)
    }

    fn append(&mut self, batch: &BatchBags, first: usize, count: usize) {
        if self.task.id_file.is_none() {
            return self.pending.extend_from_slice(batch.lines(first, count));
        }
        for number in 0..count {
            append_number(&mut self.pending, (self.bags + number) as u64 + 1);
            self.pending.extend_from_slice(batch.lines(first + number, 1));
        }
    }

    /// Writes pending lines to the current file.
    fn flush(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let file = match &mut self.open {
            Some(file) => file,
            open => open.insert(self.stage.create(self.bags / self.task.bows_per_file)?),
        };
        file.write(&self.pending)?;
        self.pending.clear();
        Ok(())
    }

    /// Returns the work that completes the file of the last bag.
    fn complete(&mut self) -> DeferredWork<'s> {
        let (stage, number) = (self.stage, (self.bags - 1) / self.task.bows_per_file);
        let (open, pending) = (self.open.take(), std::mem::take(&mut self.pending));
        Box::new(move || {
            let mut file = open.map_or_else(|| stage.create(number), Ok)?;
            file.write(&pending)?;
            stage.keep(number, file)
        })
    }

    /// Completes the last file.
    fn finish(mut self) -> Result<()> {
        if self.open.is_none() && self.pending.is_empty() {
            return Ok(());
        }
        self.complete()()
    }
}
