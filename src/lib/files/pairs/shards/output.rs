//! The manifest beside a part.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::files::manifest::{FileEntry, Manifest, ManifestOutput, Provenance, ShardEntry};
use crate::files::output::{Output, Part, Publisher};

/// How a part of pairs was made, and which part it is.
#[derive(Debug, Clone)]
pub struct PairPart {
    /// Program, parameters and inputs of the whole, of the kind [`Pairs`](crate::files::manifest::StageKind::Pairs).
    pub provenance: Provenance,
    /// The part.
    pub shard: ShardEntry,
}

/// The manifest of a part that is being written.
pub(in crate::files::pairs) struct PartManifest {
    path: PathBuf,
    manifest: ManifestOutput,
}

impl PartManifest {
    /// Begins the file of a part and its manifest.
    pub fn create(publisher: &Publisher<'_>, path: &Path) -> Result<(Output, Self)> {
        let out = publisher.create(path)?.with_digest();
        let manifest = ManifestOutput::create(publisher, path)?;
        Ok((out, PartManifest { path: path.to_path_buf(), manifest }))
    }

    /// Completes both. Returns the steps of their publication: killed in between, it leaves the old part or the new one, without a manifest.
    pub fn close(self, out: Output, part: PairPart) -> Result<Vec<Vec<Part>>> {
        let name = Path::new(self.path.file_name().unwrap_or_default());
        let files = out.digest().map(|digest| FileEntry::new(name, digest)).into_iter().collect();
        let description = Manifest::new(part.provenance, None, files).of_shard(Some(part.shard));
        let manifest = self.manifest.close(&description)?;
        Ok(vec![vec![out.close()?], vec![manifest.parked()]])
    }
}
