//! `index.json`: the state of an index, published last.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::files::index::{HEAD, read_up_to};
use crate::files::limits::MAX_LINE_BYTES;
use crate::files::manifest::read_json;
use crate::ngrams::store::IndexParameters;

/// The format and its version, the first entry.
const FORMAT: &str = "nearsig ngram index 1";

/// The content of `index.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoreManifest {
    pub format: String,
    /// The number of commits.
    pub generation: u64,
    /// The rules of all documents; none if there is no document.
    pub parameters: Option<IndexParameters>,
    pub segments: Vec<SegmentEntry>,
    pub files: Vec<StoreFile>,
}

/// A segment of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentEntry {
    /// The name of its file.
    pub name: String,
    /// Documents, removed ones included.
    pub documents: u32,
    /// Postings of all lengths.
    pub postings: u64,
    /// The file that lists its removed documents.
    pub removed: Option<String>,
}

/// A file of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreFile {
    pub name: String,
    pub bytes: u64,
    pub crc32: u32,
}

impl Default for StoreManifest {
    fn default() -> Self {
        StoreManifest {
            format: FORMAT.into(),
            generation: 0,
            parameters: None,
            segments: Vec::new(),
            files: Vec::new(),
        }
    }
}

impl StoreManifest {
    /// Reads the manifest of an index.
    ///
    /// # Errors
    /// A folder without an index, a damaged manifest, or one of another version or kind.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(HEAD);
        let text = read_up_to(&path, MAX_LINE_BYTES)?;
        read_json(&path, &text, FORMAT)
    }

    /// Returns the content of the file.
    pub fn to_text(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec_pretty(self).expect("strings and numbers are JSON");
        text.push(b'\n');
        text
    }

    /// Returns the names of all files but its own.
    pub fn file_names(&self) -> BTreeSet<String> {
        self.files.iter().map(|file| file.name.clone()).collect()
    }

    /// Returns the entry of a file.
    pub fn file(&self, folder: &Path, name: &str) -> Result<&StoreFile> {
        let found = self.files.iter().find(|file| file.name == name);
        found.ok_or_else(|| {
            let message = format!("expected the file {name}, found none");
            Error::in_file(&folder.join(HEAD), message)
        })
    }
}

/// Names of files, each with the generation that wrote it.
pub mod names {
    use crate::files::index::HEAD;

    /// Returns the name of the segment of a commit.
    pub fn segment(generation: u64) -> String {
        format!("segment-{generation}.bin")
    }

    /// Returns the name of the list of a segment's removed documents.
    pub fn removed(segment: &str, generation: u64) -> String {
        let own = segment.trim_start_matches("segment-").trim_end_matches(".bin");
        format!("removed-{own}-{generation}.bin")
    }

    /// Returns the name of a run, which exists only before the commit.
    pub fn run(number: usize, generation: u64) -> String {
        format!("run-{number}-{generation}.bin")
    }

    /// Returns whether a file belongs to some state of an index, complete or not.
    pub fn is_own(name: &str) -> bool {
        if name.strip_suffix(".part") == Some(HEAD) {
            return true;
        }
        let name = name.strip_suffix(".part").unwrap_or(name);
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let Some(stem) = name.strip_suffix(".bin") else { return false };
        match stem.split('-').collect::<Vec<_>>()[..] {
            ["segment", generation] => is_number(generation),
            ["removed" | "run", first, generation] => is_number(first) && is_number(generation),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn own_files_are_recognized() {
        assert!(names::is_own("index.json.part"));
        let segment = names::segment(12);
        for name in [&*segment, &names::removed(&segment, 13), &names::run(0, 1)] {
            assert!(names::is_own(name) && names::is_own(&format!("{name}.part")), "{name}");
        }
        for name in
            ["index.json", "lock", "segment-x.bin", "segment-1.txt", "removed-1.bin", "a-1-2.bin"]
        {
            assert!(!names::is_own(name), "{name}");
        }
    }
}
