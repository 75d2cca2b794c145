//! Manifests: what a stage's files are and how they were made, in a JSON file next to its list or vocabulary (`sig_paths.manifest.json`).
//!
//! The section *Manifests* of [`crate::files`] lists its entries. Readers verify files against it where it exists and refuse truncated,
//! edited or mixed ones by name.

mod complete;
mod digest;
mod provenance;
mod shard;

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::disk;
use super::input::read_error;
use super::is_stream;
use super::limits::{self, LineLimit, MAX_LIST_BYTES};
use super::output::{Output, Part, Publisher, follow_links, with_suffix};
use crate::error::{Error, Result, excerpt};

pub use digest::{DataFile, Digest, Hasher};
pub use provenance::{Parameters, Provenance, StageKind, check_parameters};
pub use shard::ShardEntry;

/// The format and its version, the first entry of every manifest.
const FORMAT: &str = "nearsig manifest 1";
/// The end of a manifest's name, after the name of the list.
pub const SUFFIX: &str = ".manifest.json";

/// The content of a manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    format: String,
    /// Kind, parameters, counts and inputs of the stage.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// The part of the stage's work that the files cover; `None` for all of it.
    pub shard: Option<ShardEntry>,
    /// The digest of the list; `None` for a vocabulary, which has none.
    list: Option<Digest>,
    /// The data files, in the order of the list.
    files: Vec<FileEntry>,
}

/// A data file in a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// The path as in the list. For readers only: entries are matched by position, because paths need not be UTF-8.
    pub path: String,
    /// Length and checksum of the content.
    #[serde(flatten)]
    pub digest: Digest,
}

impl FileEntry {
    /// Returns the entry of a data file.
    pub fn new(path: &Path, digest: Digest) -> Self {
        FileEntry { path: path.to_string_lossy().into_owned(), digest }
    }
}

impl Manifest {
    /// Describes the complete files of a stage. `list` is the digest of their list, if there is one.
    pub fn new(mut provenance: Provenance, list: Option<Digest>, files: Vec<FileEntry>) -> Self {
        provenance.complete(&files);
        Manifest { format: FORMAT.into(), provenance, shard: None, list, files }
    }

    /// Describes files of a part of the stage's work, or of all of it.
    pub fn of_shard(self, shard: Option<ShardEntry>) -> Self {
        Manifest { shard, ..self }
    }

    /// Reads the manifest of a list or file of any kind. Returns `None` where there is none.
    pub fn beside(path: &Path) -> Result<Option<Self>> {
        Manifest::read(&path_of(path))
    }

    /// Reads the manifest of a list or vocabulary. Returns `None` where there is none.
    ///
    /// # Errors
    /// A manifest that is damaged, of another version, or of another kind of stage.
    pub fn of(list: &Path, kind: StageKind) -> Result<Option<Self>> {
        if is_stream(list) {
            return Ok(None);
        }
        let path = path_of(list);
        let Some(manifest) = Manifest::read(&path)? else { return Ok(None) };
        let found = manifest.provenance.kind;
        if found != kind {
            let expected = format!("a list of {found} files");
            return Err(refused(list, &expected, &path, &format!("one of {kind} files")));
        }
        Ok(Some(manifest))
    }

    fn read(path: &Path) -> Result<Option<Self>> {
        let file = match File::open(path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|e| Error::io("read", path, e))?,
        };
        let (mut text, reader) = (Vec::new(), LineLimit::new(file));
        let read = limits::read_to_end(reader, MAX_LIST_BYTES, &mut text);
        read.map_err(|e| read_error(path, e))?;
        read_json(path, &text, FORMAT).map(Some)
    }

    /// Verifies the bytes of the list itself and returns its data files, each with the digest to expect.
    pub fn check_list(
        &self,
        list: &Path,
        content: &[u8],
        paths: Vec<PathBuf>,
    ) -> Result<Vec<DataFile>> {
        let manifest = path_of(list);
        if let Some(digest) = self.list {
            DataFile::expecting(list.to_path_buf(), digest, &manifest).check(content)?;
        }
        if paths.len() != self.files.len() {
            let expected = format!("{} files", self.files.len());
            return Err(refused(list, &expected, &manifest, &paths.len().to_string()));
        }
        let expecting =
            |(path, entry): (_, &FileEntry)| DataFile::expecting(path, entry.digest, &manifest);
        Ok(paths.into_iter().zip(&self.files).map(expecting).collect())
    }

    /// Returns the one data file of a vocabulary with the digest to expect.
    pub fn only_file(&self, path: &Path) -> DataFile {
        match &self.files[..] {
            [entry] => DataFile::expecting(path.to_path_buf(), entry.digest, &path_of(path)),
            _ => DataFile::unverified(path.to_path_buf()),
        }
    }

    /// Spells the manifest, one line per data file.
    fn to_text(&self) -> String {
        const INFALLIBLE: &str = "strings and numbers are JSON";
        let head = Manifest { files: Vec::new(), ..self.clone() };
        let head = serde_json::to_string_pretty(&head).expect(INFALLIBLE);
        let entry = |file| serde_json::to_string(file).expect(INFALLIBLE);
        let files: Vec<String> = self.files.iter().map(entry).collect();
        if files.is_empty() {
            return head + "\n";
        }
        let before = head.strip_suffix("[]\n}").expect("the files are the last entry");
        format!("{before}[\n    {}\n  ]\n}}\n", files.join(",\n    "))
    }
}

/// Returns the error of a file that differs from its manifest.
fn refused(path: &Path, expected: &str, manifest: &Path, found: &str) -> Error {
    let manifest = manifest.display();
    let hint = format!("if it was changed on purpose, delete {manifest}");
    Error::in_file(path, format!("expected {expected} as in {manifest}, found {found}; {hint}"))
}

/// Reads a JSON file whose entry `format` must be `format`.
pub(crate) fn read_json<T: for<'a> Deserialize<'a>>(
    path: &Path,
    text: &[u8],
    format: &str,
) -> Result<T> {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    let wrong = |line, found| Error::parse(path, line, format!("\"format\": \"{format}\""), found);
    let unreadable = |e: serde_json::Error| wrong(e.line() as u64, e.to_string());
    let head: Head = serde_json::from_slice(text).map_err(unreadable)?;
    if head.format != format {
        return Err(wrong(1, excerpt(&head.format)));
    }
    serde_json::from_slice(text).map_err(unreadable)
}

/// Returns where the manifest of a list or vocabulary stands: next to it, behind symbolic links.
pub fn path_of(list: &Path) -> PathBuf {
    with_suffix(&follow_links(list), SUFFIX)
}

/// A manifest to be written with its list or vocabulary.
pub struct ManifestOutput(Option<Output>);

impl ManifestOutput {
    /// Begins the manifest of `list`. Streams, pipes and devices have none.
    pub fn create(publisher: &Publisher<'_>, list: &Path) -> Result<Self> {
        let target = follow_links(list);
        let is_special = std::fs::metadata(&target).is_ok_and(|about| !about.is_file());
        let has_manifest = !is_stream(list) && !is_special;
        Ok(ManifestOutput(has_manifest.then(|| publisher.create(&path_of(list))).transpose()?))
    }

    /// Completes the content, but leaves it under its temporary name.
    pub fn close(self, manifest: &Manifest) -> Result<Part> {
        let Some(mut out) = self.0 else { return Ok(Part::default()) };
        out.write(manifest.to_text().as_bytes())?;
        out.close()
    }
}

/// Removes a list and its manifest.
pub fn remove_list(list: &Path) -> Result<()> {
    disk::remove_file(list).map_err(|e| Error::io("remove", list, e))?;
    let manifest = path_of(list);
    disk::remove_file(&manifest).map_err(|e| Error::io("remove", manifest, e))
}

#[cfg(test)]
mod tests;
