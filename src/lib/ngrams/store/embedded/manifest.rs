//! `index.json`: the state of an index, published last.

use std::collections::BTreeSet;
use std::path::Path;

use flate2::Crc;
use serde::{Deserialize, Serialize};

use super::segment::Segment;
use super::segment_writer::WrittenFile;
use crate::error::{Error, Result, excerpt};
use crate::files::index::{HEAD, read_up_to};
use crate::files::limits::MAX_LINE_BYTES;
use crate::files::manifest::{Parameters, ShardEntry, read_json};
use crate::ngrams::store::IndexParameters;

/// The format and its version, the first entry.
const FORMAT: &str = "nearsig ngram index 3";
/// The format of a part of an index: no program takes it for a whole one.
const SHARD_FORMAT: &str = "nearsig ngram index shard 2";

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
    /// The part of an index that this is; none for a whole one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<IndexShard>,
    /// CRC-32 of all other entries as compact JSON: a damaged state is an error, not another state.
    pub crc32: u32,
}

/// A part of an index, made with `--shard I/N`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexShard {
    /// Which part, of which documents.
    #[serde(flatten)]
    pub entry: ShardEntry,
    /// The flags by which documents were read, named and cut into n-grams, besides the parameters of the index.
    pub flags: Parameters,
}

impl IndexShard {
    /// Returns the part as it is spelled: `2/8`.
    pub fn name(&self) -> String {
        self.entry.shard().map_or("none".into(), |shard| shard.to_string())
    }
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
            shard: None,
            crc32: 0,
        }
    }
}

impl StoreManifest {
    /// Returns the manifest of an index without documents: a whole one, or a part.
    pub fn new(shard: Option<IndexShard>) -> Self {
        let format = if shard.is_some() { SHARD_FORMAT } else { FORMAT };
        StoreManifest { format: format.into(), shard, ..Default::default() }
    }

    /// Reads the manifest of an index, or of a part of one.
    ///
    /// # Errors
    /// A folder without an index, a damaged manifest, or one of another version or kind.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(HEAD);
        let text = read_up_to(&path, MAX_LINE_BYTES)?;
        let manifest: Self = match is_shard(&text) {
            true => read_json(&path, &text, SHARD_FORMAT)?,
            false => read_json(&path, &text, FORMAT)?,
        };
        if manifest.shard.is_some() != (manifest.format == SHARD_FORMAT) {
            let message = format!("expected the entry shard with the format {SHARD_FORMAT} only");
            return Err(Error::in_file(&path, message));
        }
        let (stated, found) = (manifest.crc32, manifest.checksum());
        if stated != found {
            let message = format!("expected entries with CRC-32 {stated:08x}, found {found:08x}");
            return Err(Error::in_file(&path, message));
        }
        if let Some(file) = manifest.files.iter().find(|file| !manifest.may_have(&file.name)) {
            let (name, generation) = (excerpt(&file.name), manifest.generation);
            let message = format!("expected a file of one of {generation} commits, found {name}");
            return Err(Error::in_file(&path, message));
        }
        if manifest.generation == u64::MAX {
            return Err(Error::in_file(&path, "expected room for another commit, found none"));
        }
        Ok(manifest)
    }

    /// Returns whether a file of this state can have a name: the next commit, which has the next number, must not replace it.
    fn may_have(&self, name: &str) -> bool {
        names::generation(name).is_some_and(|generation| generation <= self.generation)
    }

    /// Returns the content of the file.
    pub fn to_text(&self) -> Vec<u8> {
        let complete = StoreManifest { crc32: self.checksum(), ..self.clone() };
        let mut text = serde_json::to_vec_pretty(&complete).expect("strings and numbers are JSON");
        text.push(b'\n');
        text
    }

    fn checksum(&self) -> u32 {
        let others = StoreManifest { crc32: 0, ..self.clone() };
        let mut crc = Crc::new();
        crc.update(&serde_json::to_vec(&others).expect("strings and numbers are JSON"));
        crc.sum()
    }

    /// Returns whether the index is one segment with these bytes, which are there.
    pub fn is_only(&self, folder: &Path, segment: &SegmentEntry, file: &WrittenFile) -> bool {
        let is_file = |own: &StoreFile| {
            (own.bytes, own.crc32) == (file.bytes, file.crc32) && own.name == segment.name
        };
        let found = Segment::open(&folder.join(&segment.name), file.bytes);
        self.segments.len() == 1
            && self.segments[0] == *segment
            && self.files.len() == 1
            && is_file(&self.files[0])
            && found.and_then(|found| found.crc32()).is_ok_and(|crc32| crc32 == file.crc32)
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

/// Returns whether a manifest says that it is one of a part.
fn is_shard(text: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    serde_json::from_slice(text).is_ok_and(|head: Head| head.format == SHARD_FORMAT)
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
        let whole = name.strip_suffix(".part").unwrap_or(name);
        (whole != name && whole == HEAD) || generation(whole).is_some()
    }

    /// Returns the commit that wrote a file. Returns `None` for other names.
    pub fn generation(name: &str) -> Option<u64> {
        let number = |part: &str| match part.bytes().all(|byte| byte.is_ascii_digit()) {
            true => part.parse().ok(),
            false => None,
        };
        match name.strip_suffix(".bin")?.split('-').collect::<Vec<_>>()[..] {
            ["segment", generation] => number(generation),
            ["removed" | "run", first, generation] => number(first).and(number(generation)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ngrams::rules::NgramPreset;

    /// A removed document must not come back, nor a rule change, by a bit of the name of an entry.
    #[test]
    fn no_damaged_bit_makes_another_state() {
        no_damaged_bit_counts(None);
        let entry = ShardEntry::new("2/8".parse().unwrap()).with_collection(7);
        let flags = Parameters::from_iter([("prefix".to_string(), "a:".into())]);
        no_damaged_bit_counts(Some(IndexShard { entry, flags }));
    }

    fn no_damaged_bit_counts(shard: Option<IndexShard>) {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| StoreFile { name: name.into(), bytes: 1000, crc32: 0x1234_5678 };
        let manifest = StoreManifest {
            generation: 3,
            parameters: Some(IndexParameters::of(NgramPreset::Mensik)),
            segments: vec![SegmentEntry {
                name: "segment-1.bin".into(),
                documents: 9,
                postings: 77,
                removed: Some("removed-1-3.bin".into()),
            }],
            files: vec![file("segment-1.bin"), file("removed-1-3.bin")],
            ..StoreManifest::new(shard)
        };
        let text = manifest.to_text();
        let mut refused = 0;
        for bit in 0..8 * text.len() {
            let mut damaged = text.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(folder.path().join(HEAD), &damaged).unwrap();
            match StoreManifest::read(folder.path()) {
                Ok(read) => assert_eq!(read.to_text(), text, "bit {bit}"),
                Err(_) => refused += 1,
            }
        }
        // Others change white space only.
        assert!(refused > 6 * text.len(), "{refused} of {} bits", 8 * text.len());
    }

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
        assert_eq!(names::generation(&names::removed(&segment, 13)), Some(13));
        for name in ["../segment-1.bin", "segment-+1.bin", "segment-.bin", "segment-1.bin.part"] {
            assert_eq!(names::generation(name), None, "{name}");
        }
    }
}
