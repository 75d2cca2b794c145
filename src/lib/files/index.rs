//! The index of `find_near_dups`: documents with their vectors, to compare new documents with.
//!
//! The section *Index* of [`crate::files`] lists its files. N counts the writes of the index, so that a new index does not overwrite the files
//! of the old one. `index.json` is written last; then the old files are removed. A killed run leaves the old index or the new one.

use std::path::{Path, PathBuf};

use flate2::Crc;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::manifest::{Parameters, check_parameters, read_json};
use super::output::Output;
use crate::error::{Error, Result};

/// The format and its version, the first entry of `index.json`.
const FORMAT: &str = "nearsig index 3";
/// The file that describes the index.
const HEAD: &str = "index.json";

/// A data file of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexFile {
    /// Ids, lengths and hashes of the documents.
    Documents,
    /// The terms of the vectors.
    Terms,
    /// The vectors of the documents.
    Vectors,
}

impl IndexFile {
    const ALL: [IndexFile; 3] = [IndexFile::Documents, IndexFile::Terms, IndexFile::Vectors];

    fn name(self, generation: u64) -> String {
        match self {
            IndexFile::Documents => format!("documents-{generation}.tsv"),
            IndexFile::Terms => format!("terms-{generation}.txt"),
            IndexFile::Vectors => format!("vectors-{generation}.bin"),
        }
    }
}

/// The content of `index.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Head {
    format: String,
    generation: u64,
    /// The parameters that shape vectors.
    parameters: Parameters,
    /// The numbers of documents, terms and components.
    counts: Map<String, Value>,
    files: Vec<IndexEntry>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct IndexEntry {
    name: String,
    bytes: u64,
    crc32: u32,
}

/// An index being written.
pub struct IndexWriter {
    folder: PathBuf,
    generation: u64,
    files: Vec<IndexEntry>,
}

impl IndexWriter {
    /// Begins an index that will replace an older one in the same folder.
    pub fn create(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|e| Error::io("create", folder, e))?;
        let generation = match folder.join(HEAD).exists() {
            true => read_head(folder)?.generation + 1,
            false => 1,
        };
        Ok(IndexWriter { folder: folder.to_path_buf(), generation, files: Vec::new() })
    }

    /// Writes a data file piece by piece.
    pub fn file<'a>(
        &mut self,
        kind: IndexFile,
        pieces: impl Iterator<Item = std::borrow::Cow<'a, [u8]>>,
    ) -> Result<()> {
        let name = kind.name(self.generation);
        let mut output = Output::create(&self.folder.join(&name))?;
        let (mut crc, mut bytes) = (Crc::new(), 0);
        for piece in pieces {
            crc.update(&piece);
            bytes += piece.len() as u64;
            output.write(&piece)?;
        }
        output.finish()?;
        self.files.push(IndexEntry { name, bytes, crc32: crc.sum() });
        Ok(())
    }

    /// Completes the index and removes the files of an older one.
    pub fn finish(self, parameters: Parameters, counts: Map<String, Value>) -> Result<()> {
        let IndexWriter { folder, generation, files } = self;
        let head = Head { format: FORMAT.into(), generation, parameters, counts, files };
        let mut text = serde_json::to_vec_pretty(&head).expect("strings and numbers are JSON");
        text.push(b'\n');
        let mut output = Output::create(&folder.join(HEAD))?;
        output.write(&text)?;
        output.finish()?;
        for kind in IndexFile::ALL {
            let older = folder.join(kind.name(generation - 1));
            match std::fs::remove_file(&older) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("remove", older, e));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// An index on disk.
pub struct Index {
    folder: PathBuf,
    head: Head,
}

impl Index {
    /// Opens an index made with these parameters.
    ///
    /// # Errors
    /// The first parameter with another value, or none, in the index.
    pub fn open(folder: &Path, parameters: &Parameters) -> Result<Self> {
        let head = read_head(folder)?;
        check_parameters(&folder.join(HEAD), parameters, &head.parameters)?;
        Ok(Index { folder: folder.to_path_buf(), head })
    }

    /// Returns a count of the index.
    pub fn count(&self, name: &str) -> Result<usize> {
        let count = self.head.counts.get(name).and_then(Value::as_u64);
        count
            .map(|count| count as usize)
            .ok_or_else(|| self.wrong(&format!("expected a number of {name}, found none")))
    }

    /// Reads a data file and checks its size and CRC-32.
    pub fn read(&self, kind: IndexFile) -> Result<Vec<u8>> {
        let name = kind.name(self.head.generation);
        let stated = self.head.files.iter().find(|file| file.name == name);
        let stated =
            stated.ok_or_else(|| self.wrong(&format!("expected the file {name}, found none")))?;
        let path = self.folder.join(&name);
        let content = std::fs::read(&path).map_err(|e| Error::io("read", &path, e))?;
        let mut crc = Crc::new();
        crc.update(&content);
        if content.len() as u64 != stated.bytes || crc.sum() != stated.crc32 {
            let IndexEntry { bytes, crc32, .. } = stated;
            let expected = format!("expected {bytes} bytes with CRC-32 {crc32:08x} as in {HEAD}");
            let found = format!("found {} bytes with {:08x}", content.len(), crc.sum());
            return Err(Error::in_file(&path, format!("{expected}, {found}")));
        }
        Ok(content)
    }

    /// Returns an error about the index as a whole.
    pub fn wrong(&self, what: &str) -> Error {
        Error::in_file(&self.folder.join(HEAD), what)
    }
}

fn read_head(folder: &Path) -> Result<Head> {
    let path = folder.join(HEAD);
    let text = std::fs::read(&path).map_err(|e| Error::io("read", &path, e))?;
    read_json(&path, &text, FORMAT)
}
