//! The parts of an index, made with `--shard I/N`, and how they become one: documents in the order of the parts, those that one run would have skipped
//! left out, and repeated identities numbered as one run numbers them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::manifest::{IndexShard, StoreManifest};
use super::merge::MergeSource;
use super::segment::Segment;
use super::{EmbeddedStore, OpenSegment, catalogue};
use crate::error::{Error, Result, excerpt};
use crate::files::index::HEAD;
use crate::files::parts::check_numbers;
use crate::ngrams::repeats::SeenIdentities;
use crate::ngrams::store::{CatalogueEntry, IndexParameters};
use crate::session::Session;
use crate::shard::Shard;

/// All parts of an index, in their order, verified to belong together.
pub struct StoreParts {
    parts: Vec<EmbeddedStore>,
}

impl StoreParts {
    /// Opens the parts, which may be given in any order.
    ///
    /// # Errors
    /// An unreadable part or a whole index; a missing or repeated part; parts of different parameters or documents: both values are named.
    pub fn open(paths: &[impl std::ops::Deref<Target = Path>], session: &Session) -> Result<Self> {
        let mut parts = paths
            .iter()
            .map(|path| EmbeddedStore::open(path, session))
            .collect::<Result<Vec<EmbeddedStore>>>()?;
        let mut numbers = parts.iter().map(number).collect::<Result<Vec<Shard>>>()?;
        parts.sort_by_key(|part| part.manifest.shard.as_ref().and_then(|own| own.entry.shard()));
        numbers.sort_unstable();
        let folders = parts.iter().map(|part| &*part.folder);
        check_numbers(&folders.zip(numbers).collect::<Vec<(&Path, Shard)>>())?;
        for other in &parts[1..] {
            check_same(&parts[0], other)?;
        }
        Ok(StoreParts { parts })
    }

    /// Returns the number of parts.
    pub fn count(&self) -> u64 {
        self.parts.len() as u64
    }

    /// Returns the parameters of the index.
    pub(super) fn parameters(&self) -> Option<&IndexParameters> {
        self.parts[0].manifest.parameters.as_ref()
    }

    /// Reads the files of all parts and compares their checksums.
    pub(super) fn check_files(&self, session: &Session) -> Result<()> {
        session.phase("checking the shards", Some(self.count()));
        for part in &self.parts {
            for (open, entry) in part.segments.iter().zip(&part.manifest.segments) {
                part.check_crc(&entry.name, open.segment.crc32()?)?;
            }
            session.advance(1);
        }
        Ok(())
    }

    fn segments(&self) -> impl Iterator<Item = &OpenSegment> {
        self.parts.iter().flat_map(|part| &part.segments)
    }

    /// Decides what happens to documents whose identities occur repeatedly. Memory: 16 bytes per document.
    ///
    /// # Errors
    /// More documents than an index can have; a repeated file that is not there any more.
    pub(super) fn plan(&self) -> Result<MergePlan> {
        let table = IdentityTable::new(self.segments().collect())?;
        let mut plan = MergePlan {
            removed: self.segments().map(|open| open.removed.clone()).collect(),
            renamed: vec![BTreeMap::new(); self.segments().count()],
        };
        let mut pending = table.repeated();
        let mut seen = SeenIdentities::default();
        while let Some(document) = pending.pop_first() {
            let (segment, own) = table.place(document);
            let mut entry = table.entry(document)?;
            if seen.is_repeated_file(&entry) {
                plan.removed[segment].push(own);
                continue;
            }
            check_found(&seen, &entry)?;
            let is_earlier = |id: &str| Ok(table.find(id)?.into_iter().any(|at| at < document));
            if seen.number(&mut entry, is_earlier)? {
                // A document with this identity may follow.
                pending.extend(table.find(&entry.id)?.into_iter().filter(|at| *at > document));
                plan.renamed[segment].insert(own, entry.id);
            }
        }
        plan.removed.iter_mut().for_each(|removed| removed.sort_unstable());
        Ok(plan)
    }
}

/// Returns the number of files of a part in a folder, or its first difference from one with this description and these parameters. Reads all files.
pub fn compare_shard(
    folder: &Path,
    shard: &IndexShard,
    parameters: &IndexParameters,
) -> std::result::Result<u64, String> {
    let manifest = StoreManifest::read(folder).map_err(|error| error.to_string())?;
    let why = |text: String| Err(format!("{}: {text}", folder.display()));
    let Some(own) = &manifest.shard else { return why("a whole index".into()) };
    if let Some(old) = manifest.parameters.as_ref().filter(|old| *old != parameters) {
        let (name, old, new) = old.difference(parameters);
        return why(format!("{name} is {old}, not {new}"));
    }
    if own != shard {
        return why("made with other flags, or of other documents".into());
    }
    for file in &manifest.files {
        let path = folder.join(&file.name);
        let crc32 = Segment::open(&path, file.bytes).and_then(|segment| segment.crc32());
        if crc32.map_err(|error| error.to_string())? != file.crc32 {
            return why(format!("{} is damaged", file.name));
        }
    }
    Ok(manifest.files.len() as u64)
}

/// Returns the number of a part.
fn number(part: &EmbeddedStore) -> Result<Shard> {
    let shard = part.manifest.shard.as_ref().and_then(|own| own.entry.shard());
    shard.ok_or_else(|| Error::in_file(&part.folder, "expected a shard, found a whole index"))
}

/// Fails if two parts differ in anything but their number.
fn check_same(first: &EmbeddedStore, other: &EmbeddedStore) -> Result<()> {
    let mismatch = |what: &str, [expected, found]: [String; 2]| {
        Err(Error::mismatch(&other.folder, what, expected, &first.folder, found))
    };
    let rules = [first, other].map(|part| part.manifest.parameters.as_ref());
    if let [Some(expected), Some(found)] = rules
        && expected != found
    {
        let (name, expected, found) = expected.difference(found);
        return mismatch(&name, [expected, found]);
    }
    let shard = |part: &EmbeddedStore| part.manifest.shard.clone().expect("parts have a number");
    let [IndexShard { entry, flags }, others] = [first, other].map(shard);
    let differs = |name: &&String| flags.get(*name) != others.flags.get(*name);
    if let Some(name) = flags.keys().chain(others.flags.keys()).find(differs) {
        let spelled = |value: Option<&serde_json::Value>| match value {
            None | Some(serde_json::Value::Null) => "none".into(),
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        return mismatch(name, [&flags, &others.flags].map(|flags| spelled(flags.get(name))));
    }
    let sums = [entry.collection, others.entry.collection]
        .map(|sum| sum.map_or("none".into(), |sum| sum.to_string()));
    match sums[0] == sums[1] {
        true => Ok(()),
        false => mismatch("checksum of the documents' names and sizes", sums),
    }
}

/// Fails if a repeated document may be a file that was named twice, which one run adds once, and that file is missing now.
fn check_found(seen: &SeenIdentities, entry: &CatalogueEntry) -> Result<()> {
    if !seen.may_be_repeated_file(entry) || is_member(&entry.path) {
        return Ok(());
    }
    let why = "is in the shards twice: expected its file, which tells whether it is one document, found none";
    Err(Error::Message(format!("{} {why}", excerpt(&entry.id))))
}

/// Returns whether a path is that of a member of an archive, `archive!member`.
fn is_member(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let archives = memchr::memchr_iter(b'!', bytes).map(|at| &bytes[..at]);
    archives.into_iter().any(|bytes| crate::files::paths::path_from_bytes(bytes).is_file())
}

/// What a merge does to the documents of each segment, by their numbers there.
pub(super) struct MergePlan {
    /// Increasing.
    removed: Vec<Vec<u32>>,
    renamed: Vec<BTreeMap<u32, String>>,
}

impl MergePlan {
    /// Returns the segments to merge, in order.
    pub fn sources<'s>(&'s self, parts: &'s StoreParts) -> Vec<MergeSource<'s>> {
        let plans = self.removed.iter().zip(&self.renamed);
        let sources = parts.segments().zip(plans);
        sources
            .map(|(open, (removed, renamed))| MergeSource {
                segment: &open.segment,
                removed,
                renamed,
            })
            .collect()
    }
}

/// The identities of the documents of several segments, numbered through.
struct IdentityTable<'s> {
    segments: Vec<&'s OpenSegment>,
    /// The number of the first document of each segment.
    starts: Vec<u32>,
    /// Hashes of identities with their documents, sorted; without removed documents.
    hashes: Vec<(u64, u32)>,
}

impl<'s> IdentityTable<'s> {
    fn new(segments: Vec<&'s OpenSegment>) -> Result<Self> {
        let (mut starts, mut hashes, mut next) = (Vec::new(), Vec::new(), 0u32);
        for open in &segments {
            starts.push(next);
            let own = open.segment.id_hashes()?.into_iter().filter(|(_, own)| open.has(*own));
            let start = next;
            next = next.checked_add(open.segment.documents()).ok_or_else(|| {
                let limit = u32::MAX;
                Error::Message(format!("more than {limit} documents: make several indexes"))
            })?;
            hashes.extend(own.map(|(hash, own)| (hash, start + own)));
        }
        hashes.sort_unstable();
        Ok(IdentityTable { segments, starts, hashes })
    }

    /// Returns segment and number of a document there.
    fn place(&self, document: u32) -> (usize, u32) {
        let segment = self.starts.partition_point(|start| *start <= document) - 1;
        (segment, document - self.starts[segment])
    }

    fn entry(&self, document: u32) -> Result<CatalogueEntry> {
        let (segment, own) = self.place(document);
        self.segments[segment].segment.entry(own)
    }

    /// Returns the documents that share the hash of their identity with another one.
    fn repeated(&self) -> BTreeSet<u32> {
        let groups = self.hashes.chunk_by(|left, right| left.0 == right.0);
        groups.filter(|group| group.len() > 1).flatten().map(|(_, document)| *document).collect()
    }

    /// Returns the documents with an identity, increasing.
    fn find(&self, id: &str) -> Result<Vec<u32>> {
        let hash = catalogue::id_hash(id);
        let first = self.hashes.partition_point(|(other, _)| *other < hash);
        let mut found = Vec::new();
        for (_, document) in self.hashes[first..].iter().take_while(|(other, _)| *other == hash) {
            if self.entry(*document)?.id == id {
                found.push(*document);
            }
        }
        Ok(found)
    }
}

/// Fails if a folder has files other than those that a killed run leaves.
pub(super) fn check_empty(folder: &Path, is_own: impl Fn(&str) -> bool) -> Result<()> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name != HEAD && name != "lock" && !is_own(&name) {
            let message = format!("expected an empty folder, found {}", excerpt(&name));
            return Err(Error::in_file(folder, message));
        }
    }
    Ok(())
}
