//! The lists of data files: `bow_paths`, `vec_paths`, `sig_paths`. A header, then one path a line, relative to where
//! the executables are started. The header words are the thesis' own.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result, excerpt};
use crate::files::input;
use crate::vector::Weighting;

/// "Size of the collection": the number of documents.
pub const COLLECTION_SIZE: &str = "VELIKOST_KOLEKCE";
/// "Size of the vocabulary": the number of terms.
pub const VOCABULARY_SIZE: &str = "VELIKOST_SLOVNIKU";
/// "Number of records in the VEC files": how many the fullest file holds.
pub const RECORDS_PER_FILE: &str = "POCET_ZAZNAMU_VE_VEC_SOUBORECH";
/// "Length of the signatures in bits".
pub const SIGNATURE_BITS: &str = "DELKA_SIGNATUR_V_BITECH";
/// "Number of different signatures".
pub const DISTINCT_SIGNATURES: &str = "POCET_RUZNYCH_SIGNATUR";

/// The words that tell what vectors' components are, for people.
const WEIGHTINGS: &str = "USING_TF, USING_TF_IDF or USING_WORD_WEIGHTS";

/// What `bow_paths` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BowPaths {
    /// Documents in the collection.
    pub documents: u64,
    /// The BOW files, in collection order.
    pub files: Vec<PathBuf>,
}

impl BowPaths {
    /// Reads the list.
    pub fn read(path: &Path) -> Result<Self> {
        let mut list = List::read(path)?;
        Ok(BowPaths { documents: list.header(COLLECTION_SIZE)?, files: list.paths()? })
    }

    /// The header's lines.
    pub fn header(documents: u64) -> Vec<String> {
        vec![format!("{COLLECTION_SIZE} {documents}")]
    }
}

/// What `vec_paths` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VecPaths {
    /// What the vectors' components are.
    pub weighting: Weighting,
    /// The vectors' dimension.
    pub terms: usize,
    /// Documents in the collection.
    pub documents: u64,
    /// Documents in the fullest VEC file.
    pub per_file: u64,
    /// The VEC files, in collection order.
    pub files: Vec<PathBuf>,
}

impl VecPaths {
    /// Reads the list.
    pub fn read(path: &Path) -> Result<Self> {
        let mut list = List::read(path)?;
        let word = list.next_line(WEIGHTINGS)?;
        let weighting =
            Weighting::from_header(&word).ok_or_else(|| list.expected(WEIGHTINGS, &word))?;
        let terms: u32 = list.header(VOCABULARY_SIZE)?;
        Ok(VecPaths {
            weighting,
            terms: terms as usize,
            documents: list.header(COLLECTION_SIZE)?,
            per_file: list.header(RECORDS_PER_FILE)?,
            files: list.paths()?,
        })
    }

    /// The header's lines.
    pub fn header(
        weighting: Weighting,
        terms: usize,
        documents: u64,
        per_file: u64,
    ) -> Vec<String> {
        vec![
            weighting.header().to_string(),
            format!("{VOCABULARY_SIZE} {terms}"),
            format!("{COLLECTION_SIZE} {documents}"),
            format!("{RECORDS_PER_FILE} {per_file}"),
        ]
    }
}

/// What `sig_paths` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigPaths {
    /// Documents that have a signature.
    pub documents: u64,
    /// The length of a signature.
    pub bits: usize,
    /// Different signatures: the lines of all SIG files.
    pub distinct: u64,
    /// The SIG files, in collection order.
    pub files: Vec<PathBuf>,
}

impl SigPaths {
    /// Reads the list.
    pub fn read(path: &Path) -> Result<Self> {
        let mut list = List::read(path)?;
        Ok(SigPaths {
            documents: list.header(COLLECTION_SIZE)?,
            bits: list.header(SIGNATURE_BITS)?,
            distinct: list.header(DISTINCT_SIGNATURES)?,
            files: list.paths()?,
        })
    }

    /// The header's lines.
    pub fn header(documents: u64, bits: usize, distinct: u64) -> Vec<String> {
        vec![
            format!("{COLLECTION_SIZE} {documents}"),
            format!("{SIGNATURE_BITS} {bits}"),
            format!("{DISTINCT_SIGNATURES} {distinct}"),
        ]
    }
}

/// A list being read. Paths are bytes, not text, so the file is read whole and cut at newlines.
struct List {
    path: PathBuf,
    lines: std::vec::IntoIter<Vec<u8>>,
    number: u64,
}

impl List {
    fn read(path: &Path) -> Result<Self> {
        let content = input::read_all(path)?;
        let mut lines: Vec<Vec<u8>> = content
            .split(|byte| *byte == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec())
            .collect();
        let after_last_newline = lines.pop().unwrap_or_default();
        let number = lines.len() as u64 + 1;
        let list = List { path: path.to_path_buf(), lines: lines.into_iter(), number };
        if !after_last_newline.is_empty() {
            let found = format!(
                "{} and the end of the file (truncated?)",
                String::from_utf8_lossy(&after_last_newline)
            );
            return Err(list.expected("a newline at the end of the line", &found));
        }
        Ok(List { number: 0, ..list })
    }

    fn next_line(&mut self, expected: &str) -> Result<String> {
        self.number += 1;
        let line = self.lines.next().unwrap_or_default();
        String::from_utf8(line).map_err(|_| self.expected(expected, "bytes that are not UTF-8"))
    }

    fn header<T: std::str::FromStr>(&mut self, word: &str) -> Result<T> {
        let expected = format!("'{word}' and a number");
        let line = self.next_line(&expected)?;
        let number = line.strip_prefix(word).and_then(|rest| rest.strip_prefix(' '));
        number.and_then(|n| n.parse().ok()).ok_or_else(|| self.expected(&expected, &line))
    }

    /// The rest of the list: files, which must be there.
    fn paths(mut self) -> Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for line in self.lines {
            self.number += 1;
            if line.is_empty() {
                continue;
            }
            let path = path_from_bytes(&line);
            if let Err(error) = std::fs::metadata(&path) {
                let error = Box::new(Error::io("open", path, error));
                return Err(Error::Listed { list: self.path, line: self.number, error });
            }
            paths.push(path);
        }
        Ok(paths)
    }

    fn expected(&self, expected: &str, found: &str) -> Error {
        Error::Parse {
            path: self.path.clone(),
            line: self.number,
            expected: expected.into(),
            found: excerpt(found),
        }
    }
}

/// A path from the bytes of a list.
#[cfg(unix)]
pub fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(bytes).into()
}

/// A path from the bytes of a list.
#[cfg(not(unix))]
pub fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
