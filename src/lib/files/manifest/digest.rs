//! Lengths and checksums of data files, and their verification.

use std::ffi::OsStr;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use twox_hash::XxHash3_64;

use super::{Manifest, SUFFIX, refused};
use crate::error::{Error, Result};

/// Length and XXH3 (64 bits) of some bytes; `xxhsum -H3` prints the same checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// The number of bytes.
    pub bytes: u64,
    /// Their checksum.
    pub xxh3: Checksum,
}

impl Digest {
    /// Returns the digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Digest { bytes: bytes.len() as u64, xxh3: Checksum(XxHash3_64::oneshot(bytes)) }
    }
}

/// A checksum of 64 bits, spelled in 16 hexadecimal digits: not every reader of JSON has whole numbers of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checksum(pub u64);

impl std::fmt::Display for Checksum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Checksum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Checksum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let wrong = |_| serde::de::Error::custom("a checksum has 16 hexadecimal digits");
        u64::from_str_radix(&digits, 16).map(Checksum).map_err(wrong)
    }
}

/// The digest of bytes that come piece by piece.
#[derive(Default)]
pub struct Hasher {
    bytes: u64,
    state: XxHash3_64,
}

impl Hasher {
    /// Takes the next bytes.
    #[inline]
    pub fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.state.write(bytes);
    }

    /// Returns the number of bytes taken.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the digest of all bytes taken.
    pub fn digest(&self) -> Digest {
        Digest { bytes: self.bytes, xxh3: Checksum(self.state.finish()) }
    }
}

/// A data file and, where its list has a manifest, the digest to expect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFile {
    /// Where the file stands.
    pub path: PathBuf,
    /// The digest, and the manifest that states it.
    expected: Option<(Digest, PathBuf)>,
}

impl DataFile {
    /// A file that is read without verification.
    pub fn unverified(path: PathBuf) -> Self {
        DataFile { path, expected: None }
    }

    /// A file whose digest stands in `manifest`.
    pub(super) fn expecting(path: PathBuf, digest: Digest, manifest: &Path) -> Self {
        DataFile { path, expected: Some((digest, manifest.into())) }
    }

    /// Returns the digest to expect, if there is one.
    pub fn digest(&self) -> Option<Digest> {
        self.expected.as_ref().map(|(digest, _)| *digest)
    }

    /// Checks the length of the content. Costs nothing.
    pub fn check_size(&self, content: &[u8]) -> Result<()> {
        match &self.expected {
            Some((stated, _)) if stated.bytes != content.len() as u64 => self.check(content),
            _ => Ok(()),
        }
    }

    /// Checks the content: length, then checksum.
    pub fn check(&self, content: &[u8]) -> Result<()> {
        // Checksums cost time.
        self.expected.as_ref().map_or(Ok(()), |_| self.check_digest(Digest::of(content)))
    }

    /// Checks the digest of the content.
    pub fn check_digest(&self, found: Digest) -> Result<()> {
        match &self.expected {
            Some((stated, manifest)) if *stated != found => {
                Err(self.refused(*stated, manifest, found))
            }
            _ => Ok(()),
        }
    }

    /// Returns the error of a file that is longer than its manifest states; `found` is its length or another description.
    pub fn refused_length(&self, found: &str) -> Error {
        let Some((stated, manifest)) = &self.expected else {
            return Error::in_file(&self.path, format!("unexpected length: {found}"));
        };
        refused(&self.path, &format!("{} bytes", stated.bytes), manifest, found)
    }

    /// Says in what the content differs. If it is that of another list in the manifest's folder, the parameter that differs says most.
    #[cold]
    fn refused(&self, stated: Digest, manifest: &Path, found: Digest) -> Error {
        let difference = || match stated.bytes == found.bytes {
            true => [format!("checksum {}", stated.xxh3), found.xxh3.to_string()],
            false => [format!("{} bytes", stated.bytes), found.bytes.to_string()],
        };
        let [expected, found] = differing_parameter(manifest, found).unwrap_or_else(difference);
        refused(&self.path, &expected, manifest, &found)
    }
}

/// Looks for the list whose data file has this digest, and returns the first parameter in which that list differs from the one of `manifest`.
fn differing_parameter(manifest: &Path, digest: Digest) -> Option<[String; 2]> {
    let folder = manifest.parent().filter(|folder| *folder != OsStr::new(""));
    let own = Manifest::read(manifest).ok()??;
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let is_manifest = |path: &PathBuf| path.to_string_lossy().ends_with(SUFFIX);
    let mut others: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(is_manifest).collect();
    others.sort();
    others.iter().find_map(|path| {
        let other = Manifest::read(path).ok()??;
        other.files.iter().find(|file| file.digest == digest)?;
        let (what, [expected, found]) = own.provenance.difference(&other.provenance)?;
        let name = path.file_name()?.to_string_lossy();
        Some([format!("{what} {expected}"), format!("{found} as in {name}")])
    })
}
