//! Which form a copy has, by its name and the forms of the inputs.

use std::path::Path;

use crate::corpus::inputs::{InputFormat, Inputs};
use crate::corpus::source::{InputSource, SourceKind};
use crate::error::{Error, Result};
use crate::files::extension;

/// Extensions of forms that are read but not written.
const READ_ONLY: [&str; 16] = [
    "docx", "epub", "htm", "html", "odt", "parquet", "pdf", "rtf", "tar", "tbz", "tbz2", "tgz",
    "txz", "warc", "xhtml", "zip",
];
/// Extensions of tables.
const TABLES: [&str; 3] = ["csv", "tsv", "tab"];

/// Form of the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopyForm {
    /// Records of this kind, which all inputs have.
    Records(SourceKind),
    /// JSON Lines of mixed inputs.
    Json,
    /// A folder of files.
    Folder,
}

impl CopyForm {
    /// Returns the form of a file.
    ///
    /// # Errors
    /// A table of inputs that are no tables, or of different ones.
    pub fn of_file<'a>(
        path: &Path,
        mut sources: impl Iterator<Item = &'a InputSource>,
    ) -> Result<Self> {
        let first = sources.next().map_or(SourceKind::Json, |source| source.kind);
        let are_alike = sources.all(|source| source.kind == first);
        let extension = extension(path);
        match first {
            SourceKind::Csv(_) if are_alike && TABLES.contains(&&*extension) => {
                Ok(CopyForm::Records(first))
            }
            _ if TABLES.contains(&&*extension) => {
                Err(refused(path, "tables with one delimiter only"))
            }
            SourceKind::Array if are_alike && extension == "json" => Ok(CopyForm::Records(first)),
            SourceKind::Json | SourceKind::Lines if are_alike => Ok(CopyForm::Records(first)),
            _ => Ok(CopyForm::Json),
        }
    }

    /// Returns the form of a folder.
    ///
    /// # Errors
    /// An input that is no file, or whose form is read only.
    pub fn of_folder<'a>(mut sources: impl Iterator<Item = &'a InputSource>) -> Result<Self> {
        sources.find_map(obstacle).map_or(Ok(CopyForm::Folder), Err)
    }

    /// Returns the kind of the records.
    pub fn kind(self) -> SourceKind {
        match self {
            CopyForm::Records(kind) => kind,
            CopyForm::Json | CopyForm::Folder => SourceKind::Json,
        }
    }

    /// Returns whether records of a kind stay as they are.
    pub fn keeps(self, kind: SourceKind) -> bool {
        match self {
            CopyForm::Records(_) | CopyForm::Folder => true,
            CopyForm::Json => matches!(kind, SourceKind::Json | SourceKind::Array),
        }
    }
}

/// Returns why a folder cannot hold a source.
fn obstacle(source: &InputSource) -> Option<Error> {
    let what = match source.kind {
        _ if source.member.is_some() => "a member of an archive",
        _ if source.is_stream => "a stream",
        SourceKind::Parquet => "a Parquet file",
        SourceKind::Warc => "a web archive",
        _ => return None,
    };
    let path = source.path.display();
    Some(Error::Usage(format!(
        "--dedup: a folder cannot hold {path}, {what}: name a file such as kept.jsonl"
    )))
}

fn refused(path: &Path, what: &str) -> Error {
    let path = path.display();
    Error::Usage(format!("--dedup: {path} can hold {what}: name a file such as kept.jsonl"))
}

/// Checks, before anything is read, that a target can hold the documents of the new sources, as far as their names tell.
pub(super) fn check_target(
    path: &Path,
    is_folder: bool,
    inputs: &Inputs,
    sources: &[InputSource],
) -> Result<()> {
    let mut new = sources.iter().filter(|source| source.is_new);
    if is_folder {
        return CopyForm::of_folder(new).map(drop);
    }
    let target = extension(path);
    if READ_ONLY.contains(&&*target) {
        let path = path.display();
        let why = format!("--dedup: {path}: nearsig reads .{target} files but writes none");
        return Err(Error::Usage(format!("{why}: name a file such as kept.jsonl")));
    }
    let format = inputs.args.format;
    let is_table = |source: &InputSource| match format {
        InputFormat::Csv | InputFormat::Tsv => true,
        InputFormat::Auto | InputFormat::List => {
            TABLES.contains(&&*extension(&source.path)) && source.kind == SourceKind::Unseen
        }
        _ => false,
    };
    match TABLES.contains(&&*target) && !new.all(is_table) {
        true => Err(refused(path, "tables only, and these inputs are others")),
        false => Ok(()),
    }
}
