//! Arguments that select documents and control how they are read.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueEnum};
use serde::Serialize;

use super::source::SourceKind;
use super::{Streams, TextEncoding};
use crate::error::{Error, Result};
use crate::executable::FlagPath;
use crate::executable::values::{ByteSize, at_least_one_u64};
use crate::files::decompress::MAX_RATIO;
use crate::files::is_stream;
use crate::files::list::Separator;

/// Documents to read: arguments of every executable that reads documents.
#[derive(Debug, Clone, PartialEq, Args, Serialize)]
#[command(
    rename_all = "snake_case",
    next_help_heading = "Documents",
    group = ArgGroup::new("documents").required(true).multiple(true)
)]
pub struct InputArgs {
    /// Folder, file, archive (.zip, .tar) or '-' for standard input: text, HTML, PDF, DOCX, ODT, EPUB, RTF (one document each), JSON Lines, JSON array, CSV, TSV, Parquet, WARC, Wikipedia extracts (one document per record); may be compressed (.gz, .zst, .bz2, .xz)
    #[arg(value_name = "INPUT", group = "documents")]
    pub inputs: Vec<FlagPath>,
    /// Read only files whose path relative to the folder matches GLOB; '*' also matches '/'
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Ignore files and folders whose path relative to the folder matches GLOB
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Follow symbolic links in folders; without it they are counted and ignored
    #[arg(long)]
    pub follow: bool,
    /// Format of the inputs
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub format: InputFormat,
    /// JSON field or table column of the text; 'a.b' is the field b of the object a
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub text_field: String,
    /// JSON field or table column of the document's id, a string or a number; if empty, ids are file and line
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub id_field: String,
    /// Text encoding: 'auto' detects it, 'utf-8' accepts nothing else, 'bytes' keeps undecoded bytes as %XX, or a name such as windows-1250
    #[arg(long, value_name = "ENCODING", default_value = "auto")]
    pub encoding: TextEncoding,
    /// Treatment of HTML markup
    #[arg(long, value_name = "MODE", default_value = "auto")]
    pub markup: MarkupMode,
    /// Largest record (line, decompressed file, Parquet text) in bytes, with K, M or G for powers of 1024; a longer one is unreadable input
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_MAX_RECORD)]
    pub max_record: ByteSize,
    /// Maximum decompressed bytes per compressed byte, counted from 64 MB on; more is unreadable input
    #[arg(long, value_name = "N", default_value_t = MAX_RATIO, value_parser = at_least_one_u64)]
    pub max_ratio: u64,
    /// Largest compressed tar archive in decompressed bytes, with K, M or G; it is decompressed to a temporary file
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_MAX_ARCHIVE)]
    pub max_archive: ByteSize,
}

/// The default of [`InputArgs::max_record`].
const DEFAULT_MAX_RECORD: ByteSize = ByteSize(256 << 20);
/// The default of [`InputArgs::max_archive`].
const DEFAULT_MAX_ARCHIVE: ByteSize = ByteSize(32 << 30);
/// A source is given up at a record longer than this many times [`InputArgs::max_record`]: its end may never come.
pub(super) const MAX_SKIPPED_RECORDS: u64 = 64;

impl InputArgs {
    /// Returns why a record of more than [`InputArgs::max_record`] bytes is unreadable.
    pub(super) fn too_long(&self) -> String {
        let max = self.max_record.0;
        format!("expected a record of at most {max} bytes (--max_record), found a longer one")
    }
}

impl Default for InputArgs {
    fn default() -> Self {
        InputArgs {
            inputs: Vec::new(),
            include: Vec::new(),
            exclude: Vec::new(),
            follow: false,
            format: InputFormat::Auto,
            text_field: "text".into(),
            id_field: "id".into(),
            encoding: TextEncoding::Auto,
            markup: MarkupMode::Auto,
            max_record: DEFAULT_MAX_RECORD,
            max_ratio: MAX_RATIO,
            max_archive: DEFAULT_MAX_ARCHIVE,
        }
    }
}

/// Format of input files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InputFormat {
    /// By file name and first bytes; standard input is JSON if it begins with '{' or '[', else one document per line
    #[default]
    Auto,
    /// One JSON object per line, or one array of objects
    Json,
    /// Table with a header; the delimiter (',', ';', tab or '|') is detected
    Csv,
    /// Table with a header, delimited by tabs
    Tsv,
    /// One document per line; blank lines are ignored
    Lines,
    /// Lists of files, one path per line
    List,
    /// One document per file
    Text,
    /// Parquet
    Parquet,
    /// Web archive: one document per page
    Warc,
    /// Wikipedia extracts (WikiExtractor): one document per article, its URL as id
    Wiki,
}

impl InputFormat {
    /// Whether records may lack an id and are then named by file and line.
    pub(super) fn has_optional_ids(self) -> bool {
        !matches!(self, InputFormat::Json | InputFormat::Parquet)
    }
}

/// Treatment of HTML markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkupMode {
    /// Strip files that are HTML by name or first bytes
    #[default]
    Auto,
    /// Strip every document
    Strip,
    /// Strip nothing
    Keep,
}

/// Reaction to unreadable input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadPolicy {
    /// The first unreadable file or record, and the first repeated id, is an error that names its place.
    Strict,
    /// Unreadable files and records are skipped, named and counted. Repeated ids get a number.
    #[default]
    Skip,
}

/// A request to read documents: the arguments, and what an executable adds to them.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// The arguments.
    pub args: InputArgs,
    /// Inputs of existing documents. They are read before all others and never copied.
    pub existing: Vec<FlagPath>,
    /// The JSON field or column to sort documents by.
    pub sort_field: Option<String>,
    /// How standard input and pipes are read.
    pub streams: Streams,
    /// Reaction to unreadable input.
    pub policy: ReadPolicy,
    /// If set, the inputs are lists of files separated like this; `args.format` describes the listed files.
    pub list: Option<Separator>,
    /// Temporary names of the run's outputs: what a killed run has left there is no document.
    pub leftovers: Vec<PathBuf>,
    /// Whether blank lines are documents where a document is one line.
    pub keeps_blank_lines: bool,
    /// Whether records without an id are named by their line number alone.
    pub names_by_line: bool,
    /// Whether there may be no document, as in a part of a collection.
    pub may_be_empty: bool,
    /// Whether repeated ids are an error where unreadable input is none: a part of a collection cannot number them.
    pub has_unique_ids: bool,
}

impl Inputs {
    /// Returns whether blank lines of a source are documents.
    pub(super) fn keeps_blank(&self, kind: SourceKind) -> bool {
        self.keeps_blank_lines && kind == SourceKind::Lines
    }

    /// Returns a request that skips unreadable input and reads pipes once.
    pub fn new(args: InputArgs) -> Self {
        let list = (args.format == InputFormat::List).then_some(Separator::Line);
        Inputs {
            args,
            existing: Vec::new(),
            sort_field: None,
            streams: Streams::once(),
            policy: ReadPolicy::Skip,
            list,
            leftovers: Vec::new(),
            keeps_blank_lines: false,
            names_by_line: false,
            may_be_empty: false,
            has_unique_ids: false,
        }
    }

    /// Returns a request for these paths with default arguments.
    #[cfg(test)]
    pub fn of_paths(inputs: Vec<FlagPath>) -> Self {
        Inputs::new(InputArgs { inputs, ..InputArgs::default() })
    }

    /// Returns all inputs, those of existing documents first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> + Clone {
        self.existing.iter().chain(&self.args.inputs).map(|path| &**path)
    }

    /// Returns the only input, if there is one only.
    pub(super) fn only_path(&self) -> Option<&Path> {
        let mut paths = self.paths();
        paths.next().filter(|_| paths.next().is_none())
    }

    /// Returns the field of ids, if records have one.
    pub(super) fn id_field(&self) -> Option<&str> {
        Some(&*self.args.id_field).filter(|field| !field.is_empty())
    }

    /// Returns whether all ids are line numbers of one file, which differ.
    pub(crate) fn ids_are_lines(&self) -> bool {
        let has_field = self.args.format != InputFormat::Lines && self.id_field().is_some();
        self.names_by_line && !has_field && self.only_path().is_some()
    }

    /// Checks that standard input is named at most once, and that undecoded bytes are not parsed as markup.
    pub fn check(&self) -> Result<()> {
        if self.paths().filter(|path| is_stream(path)).count() > 1 {
            return Err(Error::Usage("standard input ('-') can be named only once".into()));
        }
        if self.args.encoding == TextEncoding::Bytes && self.args.markup == MarkupMode::Strip {
            let why = "--markup strip needs decoded text: it excludes --encoding bytes";
            return Err(Error::Usage(why.into()));
        }
        Ok(())
    }

    /// Checks that documents are decoded, for executables that look for letters in them.
    pub fn check_decoded(&self) -> Result<()> {
        if self.args.encoding == TextEncoding::Bytes {
            let why = "words need decoded text: --encoding bytes has none";
            return Err(Error::Usage(why.into()));
        }
        self.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        args: InputArgs,
    }

    fn parsed(arguments: &str) -> Result<InputArgs, clap::Error> {
        Ok(Command::try_parse_from(format!("command {arguments}").split(' '))?.args)
    }

    #[test]
    fn arguments_have_defaults_and_serialize_as_flags_take_them() {
        let expected = InputArgs { inputs: vec!["a".into()], ..InputArgs::default() };
        assert_eq!(parsed("a").unwrap(), expected);
        assert!(parsed("--include *.txt").is_err());
        let args = parsed("b --format lines --encoding latin2 --id_field=").unwrap();
        let json = serde_json::to_value(&args).unwrap();
        assert_eq!((&json["encoding"], &json["format"]), (&"iso-8859-2".into(), &"lines".into()));
        assert_eq!((&json["id_field"], &json["inputs"][0]), (&"".into(), &"b".into()));
    }
}
