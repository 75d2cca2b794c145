//! The lists of data files: `bow_paths`, `vec_paths`, `sig_paths`, `print_paths`. A header with the thesis' words, then one path per line, relative to the
//! current folder of the executables.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::{Error, Result, excerpt};
use crate::files::input::{self, Line, NEWLINE, TRUNCATED};
use crate::files::manifest::{self, DataFile, Manifest, Provenance, ShardEntry, StageKind};
use crate::files::unique::{ListedFiles, duplicate};
use crate::prints::Agreement;
use crate::shard::Shard;
use crate::vector::Weighting;

/// "Size of the collection": the number of documents.
pub const COLLECTION_SIZE: &str = "VELIKOST_KOLEKCE";
/// "Size of the vocabulary": the number of terms.
pub const VOCABULARY_SIZE: &str = "VELIKOST_SLOVNIKU";
/// "Number of records in the VEC files": the largest number in one file.
pub const RECORDS_PER_FILE: &str = "POCET_ZAZNAMU_VE_VEC_SOUBORECH";
/// "Length of the signatures in bits".
pub const SIGNATURE_BITS: &str = "DELKA_SIGNATUR_V_BITECH";
/// "Number of distinct signatures".
pub const DISTINCT_SIGNATURES: &str = "POCET_RUZNYCH_SIGNATUR";

/// "Method": the name of a fingerprint method.
pub const METHOD: &str = "METODA";
/// "Agreement": when two prints agree.
pub const AGREEMENT: &str = "SHODA";

/// The header words of all weightings, for error messages.
const WEIGHTINGS: &str = "USING_TF, USING_TF_IDF or USING_WORD_WEIGHTS";

/// The content of `bow_paths`.
#[derive(Debug, Clone, PartialEq)]
pub struct BowPaths {
    /// Number of documents in the collection.
    pub documents: u64,
    /// The BOW files, in collection order.
    pub files: Vec<DataFile>,
    /// How the files were made, where the list has a manifest.
    pub provenance: Option<Provenance>,
    /// The part of the collection, if the list is one of a shard.
    pub shard: Option<ShardEntry>,
}

impl BowPaths {
    /// Reads the list.
    pub fn read(path: &Path) -> Result<Self> {
        let content = input::read_all(path)?;
        let mut list = List::new(path, &content)?;
        let documents = list.header(COLLECTION_SIZE)?;
        let ListFiles { files, provenance, shard } = list.files(StageKind::Bow)?;
        Ok(BowPaths { documents, files, provenance, shard })
    }

    /// Returns the lines of the header.
    pub fn header(documents: u64) -> String {
        format!("{COLLECTION_SIZE} {documents}\n")
    }
}

/// The content of `vec_paths`.
#[derive(Debug, Clone, PartialEq)]
pub struct VecPaths {
    /// The weighting of the components.
    pub weighting: Weighting,
    /// The dimension of the vectors.
    pub terms: usize,
    /// Number of documents in the collection.
    pub documents: u64,
    /// Number of documents in the largest VEC file.
    pub per_file: u64,
    /// Whether the files are some of the list's only, so that its counts do not apply.
    pub is_part: bool,
    /// The VEC files, in collection order.
    pub files: Vec<DataFile>,
    /// How the files were made, where the list has a manifest.
    pub provenance: Option<Provenance>,
    /// The part of the collection, if the list is one of a shard.
    pub shard: Option<ShardEntry>,
}

impl VecPaths {
    /// Reads the list.
    pub fn read(path: &Path) -> Result<Self> {
        let content = input::read_all(path)?;
        let mut list = List::new(path, &content)?;
        let line = list.next_line(WEIGHTINGS)?;
        let weighting = Weighting::from_header(line.text)
            .ok_or_else(|| line.expected(WEIGHTINGS, line.text))?;
        let terms: u32 = list.header(VOCABULARY_SIZE)?;
        let documents = list.header(COLLECTION_SIZE)?;
        let per_file = list.header(RECORDS_PER_FILE)?;
        let ListFiles { files, provenance, shard } = list.files(StageKind::Vec)?;
        Ok(VecPaths {
            weighting,
            terms: terms as usize,
            documents,
            per_file,
            is_part: false,
            files,
            provenance,
            shard,
        })
    }

    /// Returns the list with the files of a part of the work only.
    pub fn part(self, part: Option<Shard>) -> Self {
        let files = part_of(&self.files, part).to_vec();
        VecPaths { files, is_part: part.is_some(), ..self }
    }

    /// Returns the lines of the header.
    pub fn header(weighting: Weighting, terms: usize, documents: u64, per_file: u64) -> String {
        let sizes = format!("{VOCABULARY_SIZE} {terms}\n{COLLECTION_SIZE} {documents}\n");
        format!("{}\n{sizes}{RECORDS_PER_FILE} {per_file}\n", weighting.header())
    }
}

/// The content of `sig_paths`.
#[derive(Debug, Clone, PartialEq)]
pub struct SigPaths {
    /// Number of documents with a signature.
    pub documents: u64,
    /// Length of a signature in bits.
    pub bits: usize,
    /// Number of distinct signatures: the lines of all SIG files.
    pub distinct: u64,
    /// The SIG files, in collection order.
    pub files: Vec<DataFile>,
    /// How the files were made, where the list has a manifest.
    pub provenance: Option<Provenance>,
    /// The part of the collection, if the list is one of a shard.
    pub shard: Option<ShardEntry>,
}

impl SigPaths {
    /// Reads the list.
    pub fn read(path: &Path) -> Result<Self> {
        let content = input::read_all(path)?;
        let mut list = List::new(path, &content)?;
        let documents = list.header(COLLECTION_SIZE)?;
        let bits = list.header(SIGNATURE_BITS)?;
        let distinct = list.header(DISTINCT_SIGNATURES)?;
        let ListFiles { files, provenance, shard } = list.files(StageKind::Sig)?;
        Ok(SigPaths { documents, bits, distinct, files, provenance, shard })
    }

    /// Returns the lines of the header.
    pub fn header(documents: u64, bits: usize, distinct: u64) -> String {
        let sizes = format!("{COLLECTION_SIZE} {documents}\n{SIGNATURE_BITS} {bits}\n");
        format!("{sizes}{DISTINCT_SIGNATURES} {distinct}\n")
    }
}

/// The content of `print_paths`.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintPaths {
    /// Number of documents in the collection.
    pub documents: u64,
    /// The name of the fingerprint method.
    pub method: String,
    /// When two prints agree.
    pub agreement: Agreement,
    /// The PRINT files, in collection order.
    pub files: Vec<DataFile>,
    /// How the files were made, where the list has a manifest.
    pub provenance: Option<Provenance>,
    /// The part of the collection, if the list is one of a shard.
    pub shard: Option<ShardEntry>,
}

impl PrintPaths {
    /// Reads the list.
    pub fn read(path: &Path) -> Result<Self> {
        let content = input::read_all(path)?;
        let mut list = List::new(path, &content)?;
        let documents = list.header(COLLECTION_SIZE)?;
        let method = list.word(METHOD)?.1.to_string();
        let (line, agreement) = list.word(AGREEMENT)?;
        let agreement =
            agreement.parse().map_err(|_| line.expected("a known agreement", agreement))?;
        let ListFiles { files, provenance, shard } = list.files(StageKind::Print)?;
        Ok(PrintPaths { documents, method, agreement, files, provenance, shard })
    }

    /// Returns the lines of the header.
    pub fn header(documents: u64, method: &str, agreement: Agreement) -> String {
        format!("{COLLECTION_SIZE} {documents}\n{METHOD} {method}\n{AGREEMENT} {agreement}\n")
    }
}

/// Returns the data files of a list that belong to a part of the work: consecutive ones with about equal numbers of bytes.
pub fn part_of(files: &[DataFile], part: Option<Shard>) -> &[DataFile] {
    let size = |file: &DataFile| match file.digest() {
        Some(digest) => digest.bytes,
        None => file.path.metadata().map_or(0, |about| about.len()),
    };
    match part {
        Some(part) => &files[part.of_weights(&files.iter().map(size).collect::<Vec<_>>())],
        None => files,
    }
}

/// Returns everything that is read with a list: the list, its manifest and its data files.
pub fn reads<'a>(list: &'a Path, files: &'a [DataFile]) -> Vec<Cow<'a, Path>> {
    let data = files.iter().map(|file| Cow::Borrowed(&*file.path));
    list_reads(list).into_iter().chain(data).collect()
}

/// Returns a list or vocabulary and its manifest.
pub fn list_reads(list: &Path) -> [Cow<'_, Path>; 2] {
    [list.into(), manifest::path_of(list).into()]
}

/// The data files of a list, and what its manifest says of them.
struct ListFiles {
    files: Vec<DataFile>,
    provenance: Option<Provenance>,
    shard: Option<ShardEntry>,
}

/// A list being read. Paths need not be UTF-8, so lines are bytes.
struct List<'a> {
    path: &'a Path,
    content: &'a [u8],
    /// The lines to come.
    rest: &'a [u8],
    /// The number of the last line read.
    number: u64,
}

impl<'a> List<'a> {
    /// Begins to read the content of a list. Fails if its last line has no newline.
    fn new(path: &'a Path, content: &'a [u8]) -> Result<Self> {
        let mut lines = content.rsplit(|byte| *byte == b'\n');
        let last = String::from_utf8_lossy(lines.next().unwrap_or_default());
        if !last.is_empty() {
            let found = excerpt(&format!("{last} and {TRUNCATED}"));
            return Err(Error::parse(path, lines.count() as u64 + 1, NEWLINE, found));
        }
        Ok(List { path, content, rest: content, number: 0 })
    }

    /// Returns the next line, empty after the last.
    fn next_bytes(&mut self) -> &'a [u8] {
        self.number += 1;
        let length = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        let line = &self.rest[..length];
        self.rest = self.rest.get(length + 1..).unwrap_or_default();
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    fn next_line(&mut self, expected: &str) -> Result<Line<'a>> {
        let bytes = self.next_bytes();
        let line = |text| Line { text, path: self.path, number: self.number };
        let text = std::str::from_utf8(bytes);
        text.map(line).map_err(|_| line("").expected(expected, "bytes that are not UTF-8"))
    }

    fn header<T: FromStr>(&mut self, word: &str) -> Result<T> {
        self.next_line(&format!("'{word}' and a number"))?.header(word)
    }

    /// Reads a header line of a word and a text.
    fn word(&mut self, word: &str) -> Result<(Line<'a>, &'a str)> {
        let line = self.next_line(&format!("'{word}' and a text"))?;
        let text = line.text.strip_prefix(word).and_then(|rest| rest.strip_prefix(' '));
        let text = text.filter(|text| !text.is_empty() && text.trim() == *text);
        let text = text.ok_or_else(|| line.expected(format!("'{word}' and a text"), line.text))?;
        Ok((line, text))
    }

    /// Reads the rest of the list, existing and different files, and verifies the list against its manifest.
    fn files(mut self, kind: StageKind) -> Result<ListFiles> {
        let (mut paths, mut listed) = (Vec::new(), ListedFiles::default());
        while !self.rest.is_empty() {
            let line = self.next_bytes();
            if line.is_empty() {
                continue;
            }
            let path = path_from_bytes(line);
            let about = std::fs::metadata(&path).map_err(|error| {
                let (list, error) = (self.path.display(), Error::io("open", &path, error));
                Error::Message(format!("{list}:{}: {error}", self.number))
            })?;
            if let Some(first) = listed.add(&path, &about, self.number) {
                let place = |line: u64| (self.path.to_path_buf(), line);
                let name = path.to_string_lossy();
                return Err(duplicate("file", &name, &place(self.number), &place(first)));
            }
            paths.push(path);
        }
        match Manifest::of(self.path, kind)? {
            Some(manifest) => {
                let files = manifest.check_list(self.path, self.content, paths)?;
                Ok(ListFiles {
                    files,
                    provenance: Some(manifest.provenance),
                    shard: manifest.shard,
                })
            }
            None => {
                let files = paths.into_iter().map(DataFile::unverified).collect();
                Ok(ListFiles { files, provenance: None, shard: None })
            }
        }
    }
}

/// Returns the path that some bytes of a list spell.
#[cfg(unix)]
pub fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(bytes).into()
}

/// Returns the path that some bytes of a list spell.
#[cfg(not(unix))]
pub fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
