//! The parts of a stage's output, made with `--shard I/N`, for the executables that merge them.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files::manifest::{self, Manifest, Provenance, ShardEntry, StageKind};
use crate::shard::Shard;

/// All parts of one output, in their order, verified to belong together.
#[derive(Debug)]
pub struct Parts {
    /// The lists or files of the parts.
    pub paths: Vec<PathBuf>,
    /// Their manifests.
    pub manifests: Vec<Manifest>,
}

impl Parts {
    /// Reads the manifests of the parts, which may be given in any order.
    ///
    /// # Errors
    /// A part without a manifest or of a whole stage; a missing or repeated part; parts of different stages, parameters or inputs: both values are named.
    pub fn read(paths: &[impl Deref<Target = Path>]) -> Result<Self> {
        let mut parts = paths
            .iter()
            .map(|path| part(path))
            .collect::<Result<Vec<(PathBuf, Manifest, ShardEntry)>>>()?;
        parts.sort_by_key(|(.., entry)| entry.shard().map(|shard| shard.index()));
        let numbers: Vec<(&Path, Shard)> = parts
            .iter()
            .map(|(path, _, entry)| (&**path, entry.shard().expect("parts have a number")))
            .collect();
        check_numbers(&numbers)?;
        for other in &parts[1..] {
            check_same(&parts[0], other)?;
        }
        let (paths, manifests) =
            parts.into_iter().map(|(path, manifest, _)| (path, manifest)).unzip();
        Ok(Parts { paths, manifests })
    }

    /// Returns what the parts hold.
    pub fn kind(&self) -> StageKind {
        self.manifests[0].provenance.kind
    }

    /// Returns the number of records per data file of the whole output, if the parts state it.
    pub fn per_file(&self) -> Option<u64> {
        self.manifests[0].shard.and_then(|entry| entry.per_file)
    }

    /// Returns program, parameters and inputs of the whole output, which are those of all parts, without counts.
    pub fn provenance(&self) -> Provenance {
        self.manifests[0].provenance.without_counts()
    }

    /// Like [`Parts::provenance`], where the inputs of the parts are parts, too: their counts are added up.
    pub fn merged_provenance(&self) -> Provenance {
        let parts: Vec<&Provenance> = self.manifests.iter().map(|part| &part.provenance).collect();
        self.provenance().with_merged_inputs(&parts)
    }
}

fn part(path: &Path) -> Result<(PathBuf, Manifest, ShardEntry)> {
    // A missing part says more than its missing manifest.
    std::fs::metadata(path).map_err(|e| Error::io("open", path, e))?;
    let Some(manifest) = Manifest::beside(path)? else {
        let manifest = manifest::path_of(path);
        let message =
            format!("expected a shard with a manifest, {}, found none", manifest.display());
        return Err(Error::in_file(path, message));
    };
    let shard = manifest.shard.filter(|entry| entry.shard().is_some());
    let whole = || Error::in_file(path, "expected a shard, found the output of a whole stage");
    let shard = shard.ok_or_else(whole)?;
    Ok((path.to_path_buf(), manifest, shard))
}

/// Fails unless the parts, sorted by number, are 1 to N of the same N.
pub(crate) fn check_numbers(parts: &[(&Path, Shard)]) -> Result<()> {
    let Some((first, shard)) = parts.first() else {
        return Err(Error::Usage("expected the parts to merge, found none".into()));
    };
    let count = shard.count();
    for (at, (path, shard)) in parts.iter().enumerate() {
        if shard.count() != count {
            let (first, found) = (first.display(), shard.count());
            let message = format!("expected {count} shards as in {first}, found {found}");
            return Err(Error::in_file(path, message));
        }
        if at > 0 && *shard == parts[at - 1].1 {
            let other = parts[at - 1].0.display();
            return Err(Error::in_file(path, format!("shard {shard} is also {other}")));
        }
    }
    let is_there = |index: &u32| parts.iter().any(|(_, shard)| shard.index() == *index);
    let missing: Vec<String> = (1..=count)
        .filter(|index| !is_there(index))
        .map(|index| format!("{index}/{count}"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    const SHOWN: usize = 10;
    let more = missing.len().saturating_sub(SHOWN);
    let shown = missing[..missing.len() - more].join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Err(Error::Message(format!("missing shards: {shown}{more}")))
}

/// Fails if two parts differ in anything but their number.
fn check_same(
    first: &(PathBuf, Manifest, ShardEntry),
    other: &(PathBuf, Manifest, ShardEntry),
) -> Result<()> {
    let (path, manifest, entry) = other;
    let mismatch = |what: &str, [expected, found]: [String; 2]| {
        Err(Error::mismatch(path, what, expected, &first.0, found))
    };
    if let Some((what, values)) = first.1.provenance.first_difference(&manifest.provenance) {
        return mismatch(&what, values);
    }
    if first.2.collection != entry.collection {
        let spelled =
            |entry: &ShardEntry| entry.collection.map_or("none".into(), |sum| sum.to_string());
        return mismatch(
            "checksum of the documents' names and sizes",
            [spelled(&first.2), spelled(entry)],
        );
    }
    if first.2.per_file != entry.per_file {
        let spelled =
            |entry: &ShardEntry| entry.per_file.map_or("none".into(), |count| count.to_string());
        return mismatch("number of records per file", [spelled(&first.2), spelled(entry)]);
    }
    Ok(())
}
