//! Documents of the stages that read them.

use clap::Args;
use serde::Serialize;

use crate::corpus::{self, InputArgs, InputFiles, InputFormat, Inputs, ReadPolicy};
use crate::error::{Error, Result};
use crate::executable::values::at_least_one;
use crate::executable::{FlagPath, ShardFlags};
use crate::files::list::Separator;
use crate::files::manifest::ShardEntry;
use crate::files::names::Names;
use crate::session::Session;
use crate::shard::Shard;

/// The documents of a stage. The flags of the thesis' pipeline are forms of one reader.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(rename_all = "snake_case")]
pub struct DocumentFlags {
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
    /// Read one JSON object per line from the files; every object must have an id
    #[arg(
        long, value_name = "FILE", help_heading = "Documents", group = "documents", num_args = 1..,
        conflicts_with_all = ["inputs", "text_lines", "format", "include", "exclude"]
    )]
    pub json_lines: Vec<FlagPath>,
    /// Read one document per line from FILE, blank lines included, named by line number
    #[arg(
        long, value_name = "FILE", help_heading = "Documents", group = "documents",
        conflicts_with_all = ["inputs", "format", "include", "exclude", "text_field", "id_field"]
    )]
    pub text_lines: Option<FlagPath>,
    /// Read only the first N documents
    #[arg(long, value_name = "N", help_heading = "Documents", value_parser = at_least_one)]
    pub doc_count: Option<usize>,
}

impl DocumentFlags {
    /// Returns the documents to read. The first unreadable one is an error.
    pub(super) fn inputs(&self) -> Inputs {
        let strict = |args: InputArgs| Inputs { policy: ReadPolicy::Strict, ..Inputs::new(args) };
        let of_files = |paths: &[FlagPath], format: InputFormat| {
            strict(InputArgs { inputs: paths.to_vec(), format, ..self.documents.clone() })
        };
        if let Some(path) = &self.doc_list {
            let separator = if self.lines { Separator::Line } else { Separator::WhiteSpace };
            let list = of_files(std::slice::from_ref(path), InputFormat::Text);
            return Inputs { list: Some(separator), ..list };
        }
        if !self.json_lines.is_empty() {
            return Inputs { names_by_line: true, ..of_files(&self.json_lines, InputFormat::Json) };
        }
        if let Some(path) = &self.text_lines {
            let inputs = of_files(std::slice::from_ref(path), InputFormat::Lines);
            return Inputs { names_by_line: true, keeps_blank_lines: true, ..inputs };
        }
        strict(self.documents.clone())
    }
}

/// The documents that a run reads: all, or those of its part.
pub(super) struct DocumentPart {
    pub files: InputFiles,
    /// The part, as its manifest describes it.
    pub entry: Option<ShardEntry>,
}

impl DocumentFlags {
    /// Returns the documents of a run, out of `all`. Data files of the whole output have `per_file` documents. A part may have none.
    pub(super) fn part(
        &self,
        flags: ShardFlags,
        inputs: &mut Inputs,
        all: &InputFiles,
        per_file: usize,
    ) -> Result<DocumentPart> {
        let Some(shard) = flags.shard else {
            return Ok(DocumentPart { files: all.clone(), entry: None });
        };
        if self.doc_count.is_some() {
            let why =
                "--doc_count excludes --shard: a shard does not count the documents before it";
            return Err(Error::Usage(why.into()));
        }
        inputs.may_be_empty = true;
        let entry = ShardEntry::new(shard).with_per_file(per_file as u64);
        let entry = entry.with_collection(all.checksum(inputs)?);
        Ok(DocumentPart { files: all.part(shard, inputs)?, entry: Some(entry) })
    }
}

impl DocumentFlags {
    /// Returns what a manifest states of a part.
    pub(super) fn entry(
        &self,
        shard: Shard,
        mut inputs: Inputs,
        per_file: usize,
    ) -> Result<ShardEntry> {
        let all = corpus::find(&inputs)?;
        let flags = ShardFlags { shard: Some(shard), ..ShardFlags::default() };
        let part = self.part(flags, &mut inputs, &all, per_file)?;
        Ok(part.entry.unwrap_or_else(|| ShardEntry::new(shard)))
    }
}

impl DocumentPart {
    /// Returns the number of documents before the part, if it is known or cheap to count ([`InputFiles::count_before`]).
    pub(super) fn count_before(
        &mut self,
        flags: ShardFlags,
        inputs: &Inputs,
        all: &InputFiles,
        session: &Session,
    ) -> Result<Option<u64>> {
        match flags.shard {
            None => Ok(Some(0)),
            Some(shard) => session.install(|| self.files.count_before(shard, all, inputs)),
        }
    }
}

/// Counts the documents before a part by reading them.
pub(super) fn read_before(
    shard: Shard,
    inputs: &Inputs,
    all: &InputFiles,
    session: &Session,
) -> Result<u64> {
    let before = all.before(shard, inputs)?;
    session.phase("counting documents", None);
    let inputs = Inputs { may_be_empty: true, ..inputs.clone() };
    let count = |_: &[corpus::InputDocument<'_>]| (Names::default(), ());
    let quiet = session.quiet();
    let listing = corpus::scan(&inputs, before, None, &quiet, count, |(), _| Ok(Vec::new()))?;
    Ok(listing.documents as u64)
}
