//! The index of `find_near_dups`: documents with their vectors, to compare new documents with.
//!
//! The section *Index* of [`crate::files`] lists its files. N, the generation, counts the writes of the index, so that a new index does not
//! overwrite the files of the old one. `index.json` is published last, after all other outputs of the run; then the old files are removed. A
//! killed run leaves the old index or the new one.
//!
//! One run at a time writes an index: [`IndexLock`]. A reader that finds a file missing reads again if the generation has moved on.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::Crc;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::disk;
use super::limits::MAX_LINE_BYTES;
use super::manifest::{Digest, Parameters, check_parameters, read_json};
use super::output::{Output, Part, Publisher, is_same_file};
use crate::error::{Error, Result, fallibly};
use crate::session::Session;

/// The format and its version, the first entry of `index.json`.
const FORMAT: &str = "nearsig index 3";
/// The file that describes the index.
pub(crate) const HEAD: &str = "index.json";
/// The file that a run locks while it writes the index.
const LOCK: &str = "lock";
/// Number of generations that a reader may see come and go before it gives up.
const MAX_RETRIES: usize = 100;

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

    /// Returns the generation of a data file, complete or not, by its name.
    fn generation_of(name: &str) -> Option<u64> {
        let name = name.strip_suffix(".part").unwrap_or(name);
        let generation: u64 = name.split_once('-')?.1.split_once('.')?.0.parse().ok()?;
        let is_of = |kind: IndexFile| kind.name(generation) == name;
        IndexFile::ALL.into_iter().any(is_of).then_some(generation)
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
    /// The run that wrote the index; none if an older version did.
    #[serde(default)]
    last_run: Option<LastRun>,
    files: Vec<IndexEntry>,
}

/// What the run that wrote an index has added: enough to recognize the same run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    /// The number of new documents.
    pub documents: u64,
    /// The number of new documents that were not in the index before.
    pub added: u64,
    /// The digest of the ids and text hashes of the new documents.
    #[serde(flatten)]
    pub digest: Digest,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct IndexEntry {
    name: String,
    bytes: u64,
    crc32: u32,
}

/// The lock of an index: held from before the index is read until the new one is published, so that no other run's documents are lost.
/// Readers need no lock.
pub struct IndexLock {
    folder: PathBuf,
    /// The open file, which holds the lock.
    _file: File,
    /// Whether the folder was created for this run.
    is_new: bool,
}

impl IndexLock {
    /// Returns the folder of the index.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Locks the index in a folder, created if missing. Waits for another run that writes it.
    pub fn acquire(folder: &Path, session: &Session) -> Result<Self> {
        let failed = |e| Error::io("lock", folder, e);
        let is_new = !folder.exists();
        loop {
            let created = disk::create_folders(folder, session.is_durable());
            created.map_err(|e| Error::io("create the folder", folder, e))?;
            let path = folder.join(LOCK);
            let file = disk::open_or_create(&path).map_err(failed)?;
            if !disk::try_lock(&file).map_err(failed)? {
                session.info(&format!("{}: waiting for another run", folder.display()));
                file.lock().map_err(failed)?;
            }
            // The other run may have failed and removed the folder that it had created.
            if is_same_file(&file, &path) {
                return Ok(IndexLock { folder: folder.to_path_buf(), _file: file, is_new });
            }
        }
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        if self.is_new && !self.folder.join(HEAD).exists() {
            // Nothing was published. A folder with other files stays.
            let _ = disk::remove_file(&self.folder.join(LOCK));
            let _ = disk::remove_empty_folder(&self.folder);
        }
    }
}

/// An index being written. Its files stay under temporary names until they are published with the other outputs of the run.
pub struct IndexWriter {
    folder: PathBuf,
    generation: u64,
    /// The data files to come, in the order of [`IndexFile::ALL`].
    open: Vec<Output>,
    head: Output,
    files: Vec<IndexEntry>,
    parts: Vec<Part>,
    /// Last, so that the parts are gone when it removes a folder that was created in vain.
    _lock: IndexLock,
}

impl IndexWriter {
    /// Begins an index that will replace an older one in the same folder.
    pub fn create(lock: IndexLock, publisher: &Publisher<'_>) -> Result<Self> {
        let folder = lock.folder.clone();
        let generation = match folder.join(HEAD).exists() {
            true => read_head(&folder)?.generation + 1,
            false => 1,
        };
        let create = |kind: IndexFile| publisher.create(&folder.join(kind.name(generation)));
        let open = IndexFile::ALL.into_iter().map(create).collect::<Result<_>>()?;
        let head = publisher.create(&folder.join(HEAD))?;
        let (files, parts) = (Vec::new(), Vec::new());
        Ok(IndexWriter { _lock: lock, folder, generation, open, head, files, parts })
    }

    /// Leaves the index as it is, without what an unfinished run has left of older ones. Returns no index to publish.
    pub fn keep_old(self) -> Option<IndexParts> {
        let IndexWriter { folder, generation, open, head, _lock, .. } = self;
        drop((open, head));
        OldIndexFiles { folder, generation: generation - 1, _lock }.remove();
        None
    }

    /// Writes the next data file piece by piece.
    pub fn file<'p>(&mut self, pieces: impl Iterator<Item = Cow<'p, [u8]>>) -> Result<()> {
        let mut output = self.open.remove(0);
        let name = IndexFile::ALL[self.files.len()].name(self.generation);
        let (mut crc, mut bytes) = (Crc::new(), 0);
        for piece in pieces {
            crc.update(&piece);
            bytes += piece.len() as u64;
            output.write(&piece)?;
        }
        self.parts.push(output.close()?);
        self.files.push(IndexEntry { name, bytes, crc32: crc.sum() });
        Ok(())
    }

    /// Completes the files.
    pub fn finish(
        self,
        parameters: Parameters,
        counts: Map<String, Value>,
        last_run: LastRun,
    ) -> Result<IndexParts> {
        let IndexWriter { _lock, folder, generation, mut head, files, parts, .. } = self;
        let (format, last_run) = (FORMAT.into(), Some(last_run));
        let content = Head { format, generation, parameters, counts, last_run, files };
        let mut text = serde_json::to_vec_pretty(&content).expect("strings and numbers are JSON");
        text.push(b'\n');
        head.write(&text)?;
        let old = OldIndexFiles { _lock, folder, generation };
        Ok(IndexParts { data: parts, head: head.close()?, old })
    }
}

/// A complete index under temporary names.
pub struct IndexParts {
    /// The data files, to be published before the head.
    pub data: Vec<Part>,
    /// The file that makes them the index, to be published last.
    pub head: Part,
    /// The files to remove after that.
    pub old: OldIndexFiles,
}

/// The files of older generations of an index, which is locked until this is dropped.
pub struct OldIndexFiles {
    _lock: IndexLock,
    folder: PathBuf,
    generation: u64,
}

impl OldIndexFiles {
    /// Removes the data files of all other generations. A failure is ignored: the next run removes what is left.
    pub fn remove(&self) {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries {
            let name = entry.file_name();
            let generation = name.to_str().and_then(IndexFile::generation_of);
            if generation.is_some_and(|generation| generation != self.generation) {
                let _ = disk::remove_file(&entry.path());
            }
        }
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

    /// Opens an index and reads it. Reads again if a run has replaced the index meanwhile.
    pub fn read_with<T>(
        folder: &Path,
        parameters: &Parameters,
        read: impl Fn(&Index) -> Result<T>,
    ) -> Result<T> {
        let mut retries = 0;
        loop {
            let index = Index::open(folder, parameters)?;
            match read(&index) {
                Err(_) if retries < MAX_RETRIES && index.is_replaced() => retries += 1,
                outcome => return outcome,
            }
        }
    }

    fn is_replaced(&self) -> bool {
        read_head(&self.folder).is_ok_and(|head| head.generation != self.head.generation)
    }

    /// Returns what the last run has added, if it is known.
    pub fn last_run(&self) -> Option<LastRun> {
        self.head.last_run
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
        // One byte more than stated is enough to refuse the file.
        let content = read_up_to(&path, stated.bytes.saturating_add(1))?;
        let mut crc = Crc::new();
        crc.update(&content);
        if content.len() as u64 != stated.bytes || crc.sum() != stated.crc32 {
            let IndexEntry { bytes, crc32, .. } = stated;
            let expected = format!("expected {bytes} bytes with CRC-32 {crc32:08x} as in {HEAD}");
            let found = match content.len() as u64 > *bytes {
                true => "found more bytes".into(),
                false => format!("found {} bytes with {:08x}", content.len(), crc.sum()),
            };
            return Err(Error::in_file(&path, format!("{expected}, {found}")));
        }
        Ok(content)
    }

    /// Returns an error about the index as a whole.
    pub fn wrong(&self, what: &str) -> Error {
        Error::in_file(&self.folder.join(HEAD), what)
    }
}

/// Returns the files of the index in a folder, if there is one.
pub fn paths(folder: &Path) -> Vec<PathBuf> {
    let files = read_head(folder).map(|head| head.files).unwrap_or_default();
    let names = files.into_iter().map(|file| file.name).chain([HEAD.to_string()]);
    names.map(|name| folder.join(name)).collect()
}

/// Reads the first bytes of a file, at most `max`. Reserves no more memory than the file has bytes.
pub(crate) fn read_up_to(path: &Path, max: u64) -> Result<Vec<u8>> {
    let failed = |error: io::Error| Error::io("read", path, error);
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len().min(max);
    let mut content = Vec::new();
    fallibly(|| content.try_reserve_exact(size as usize)).map_err(|error| failed(error.into()))?;
    file.take(max).read_to_end(&mut content).map_err(failed)?;
    Ok(content)
}

fn read_head(folder: &Path) -> Result<Head> {
    let path = folder.join(HEAD);
    let text = read_up_to(&path, MAX_LINE_BYTES)?;
    read_json(&path, &text, FORMAT)
}
