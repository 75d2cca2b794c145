//! An index of documents that were read before, so that others can be compared with them without reading and signing them again.
//!
//! A folder with `index.json`, which tells how the index was made and names its data files, each with its size and CRC-32:
//!
//! - `documents-N.tsv`: id, bytes of text and hash of the text (hexadecimal) of each document, separated by tabs;
//! - `terms-N.txt`: the terms, one a line, in the order of their numbers;
//! - `vectors-N.bin`: for each document where its components end (u64), then the components' terms (u32), then their weights in 1/1024 (u16);
//! - `signatures-N.bin`: the signatures' words (u64).
//!
//! Binary numbers are little-endian. N counts how often the index was written: a newer one does not overwrite the files of the older. `index.json` is
//! written last and decides which is valid, and only then are the older files removed. A run that is killed leaves the old index or the new one.

use std::path::{Path, PathBuf};

use flate2::Crc;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::output::Output;
use crate::error::{Error, Result};

/// What `index.json` says first.
const FORMAT: &str = "nearsig index 2";
/// The file that makes a folder an index.
const HEAD: &str = "index.json";

/// A data file of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What the documents are called.
    Documents,
    /// The terms of the vectors.
    Terms,
    /// The documents' vectors.
    Vectors,
    /// The documents' signatures.
    Signatures,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Documents, Kind::Terms, Kind::Vectors, Kind::Signatures];

    fn name(self, generation: u64) -> String {
        match self {
            Kind::Documents => format!("documents-{generation}.tsv"),
            Kind::Terms => format!("terms-{generation}.txt"),
            Kind::Vectors => format!("vectors-{generation}.bin"),
            Kind::Signatures => format!("signatures-{generation}.bin"),
        }
    }
}

/// `index.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Head {
    format: String,
    generation: u64,
    /// How the documents became vectors and signatures.
    parameters: Map<String, Value>,
    /// How many documents and terms there are.
    counts: Map<String, Value>,
    files: Vec<DataFile>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct DataFile {
    name: String,
    bytes: u64,
    crc32: u32,
}

/// An index being written.
pub struct IndexWriter {
    folder: PathBuf,
    generation: u64,
    files: Vec<DataFile>,
}

impl IndexWriter {
    /// Begins an index, which will take the place of an older one in the same folder.
    pub fn create(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|e| Error::io("create", folder, e))?;
        let generation = match folder.join(HEAD).exists() {
            true => read_head(folder)?.generation + 1,
            false => 1,
        };
        Ok(IndexWriter { folder: folder.to_path_buf(), generation, files: Vec::new() })
    }

    /// Writes the next data file, all kinds in their order, piece by piece.
    pub fn file<'a>(
        &mut self,
        kind: Kind,
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
        self.files.push(DataFile { name, bytes, crc32: crc.sum() });
        Ok(())
    }

    /// Makes the index valid and removes what an older one has left.
    pub fn finish(self, parameters: Map<String, Value>, counts: Map<String, Value>) -> Result<()> {
        let IndexWriter { folder, generation, files } = self;
        let head = Head { format: FORMAT.into(), generation, parameters, counts, files };
        let mut text = serde_json::to_vec_pretty(&head).expect("strings and numbers are JSON");
        text.push(b'\n');
        let mut output = Output::create(&folder.join(HEAD))?;
        output.write(&text)?;
        output.finish()?;
        for kind in Kind::ALL {
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

/// An index that was written before.
pub struct Index {
    folder: PathBuf,
    head: Head,
}

impl Index {
    /// Opens an index that was made with these parameters; with others it is refused, and the first that differs is named.
    pub fn open(folder: &Path, parameters: &Map<String, Value>) -> Result<Self> {
        let head = read_head(folder)?;
        for (name, wanted) in parameters {
            let found = head.parameters.get(name);
            if found != Some(wanted) {
                let found = found.map_or("nothing".to_string(), Value::to_string);
                return Err(Error::Message(format!(
                    "{}: made with {name} = {found}, but {name} = {wanted} is asked for",
                    folder.join(HEAD).display()
                )));
            }
        }
        Ok(Index { folder: folder.to_path_buf(), head })
    }

    /// A number that the index tells of itself.
    pub fn count(&self, name: &str) -> Result<usize> {
        let count = self.head.counts.get(name).and_then(Value::as_u64);
        count.map(|count| count as usize).ok_or_else(|| self.wrong(&format!("no number of {name}")))
    }

    /// The bytes of a data file, checked against what the index says of them.
    pub fn read(&self, kind: Kind) -> Result<Vec<u8>> {
        let name = kind.name(self.head.generation);
        let stated = self.head.files.iter().find(|file| file.name == name);
        let stated = stated.ok_or_else(|| self.wrong(&format!("does not name {name}")))?;
        let path = self.folder.join(&name);
        let content = std::fs::read(&path).map_err(|e| Error::io("read", &path, e))?;
        let mut crc = Crc::new();
        crc.update(&content);
        if content.len() as u64 != stated.bytes || crc.sum() != stated.crc32 {
            return Err(Error::Message(format!(
                "{}: damaged: {} bytes with CRC-32 {:08x}, but {HEAD} says {} bytes with {:08x}",
                path.display(),
                content.len(),
                crc.sum(),
                stated.bytes,
                stated.crc32
            )));
        }
        Ok(content)
    }

    /// An error about the index as a whole.
    pub fn wrong(&self, what: &str) -> Error {
        Error::Message(format!("{}: {what}", self.folder.join(HEAD).display()))
    }
}

fn read_head(folder: &Path) -> Result<Head> {
    let path = folder.join(HEAD);
    let text = std::fs::read(&path).map_err(|e| Error::io("read", &path, e))?;
    let wrong = |line, expected: &str, found: String| Error::Parse {
        path: path.clone(),
        line,
        expected: expected.into(),
        found,
    };
    let head: Head = serde_json::from_slice(&text)
        .map_err(|e| wrong(e.line() as u64, "an index of find_near_dups", e.to_string()))?;
    if head.format != FORMAT {
        return Err(wrong(1, FORMAT, crate::error::excerpt(&head.format)));
    }
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    fn map(name: &str, value: u64) -> Map<String, Value> {
        Map::from_iter([(name.to_string(), value.into())])
    }

    fn write(folder: &Path, content: &[u8]) {
        let mut writer = IndexWriter::create(folder).unwrap();
        for kind in Kind::ALL {
            writer.file(kind, content.chunks(2).map(Cow::Borrowed)).unwrap();
        }
        writer.finish(map("bits", 64), map("documents", 7)).unwrap();
    }

    fn told(result: Result<Index>) -> String {
        result.err().unwrap().to_string()
    }

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        for content in [&b"first"[..], b"second", b""] {
            write(folder.path(), content);
            let index = Index::open(folder.path(), &map("bits", 64)).unwrap();
            assert_eq!(index.count("documents").unwrap(), 7);
            assert!(index.count("terms").is_err());
            for kind in Kind::ALL {
                assert_eq!(index.read(kind).unwrap(), content);
            }
            // The older files are gone.
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 5);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(told(Index::open(folder.path(), &map("bits", 64))).contains("cannot read"));
        write(folder.path(), b"content");
        let other = told(Index::open(folder.path(), &map("bits", 128)));
        assert!(other.ends_with("made with bits = 64, but bits = 128 is asked for"), "{other}");
        let missing = told(Index::open(folder.path(), &map("seed", 1)));
        assert!(missing.contains("made with seed = nothing"), "{missing}");
        std::fs::write(folder.path().join("terms-1.txt"), b"contemt").unwrap();
        let index = Index::open(folder.path(), &map("bits", 64)).unwrap();
        let damaged = index.read(Kind::Terms).unwrap_err().to_string();
        assert!(damaged.contains("terms-1.txt: damaged: 7 bytes"), "{damaged}");
        std::fs::write(folder.path().join(HEAD), b"{\n\"format\": 1}\n").unwrap();
        let wrong = told(Index::open(folder.path(), &map("bits", 64)));
        assert!(wrong.contains("index.json:2: "), "{wrong}");
    }
}
