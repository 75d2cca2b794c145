//! Whether files are those that a run would write.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::digest::{DataFile, Hasher};
use super::{Manifest, Provenance, ShardEntry, path_of};
use crate::error::{Error, Result};
use crate::files::input;

/// Bytes read at once.
const BUFFER: usize = 1 << 20;

impl Manifest {
    /// Returns the first difference from the manifest that a run would write: executable, version, a parameter, the part, or an input. `wanted` states the
    /// first three; `inputs` are those that have a manifest, in any order.
    pub fn difference_from(
        &self,
        wanted: &Provenance,
        entry: ShardEntry,
        inputs: &[Provenance],
    ) -> Option<String> {
        if let Some((what, [wanted, found])) = self.provenance.flag_difference(wanted) {
            return Some(format!("expected {what} {wanted}, found {found}"));
        }
        let Some(found) = self.shard else { return Some("no shard".into()) };
        if found.shard() != entry.shard() {
            return Some("another shard".into());
        }
        // A stage that reads no documents itself knows them by the content of its inputs.
        let is_known = entry.collection.is_some() || inputs.is_empty();
        if is_known && found.collection != entry.collection {
            return Some("other names or sizes of documents".into());
        }
        if entry.per_file.is_some() && found.per_file != entry.per_file {
            return Some("another number of records per file".into());
        }
        let other = self.provenance.unread(inputs)?;
        Some(format!("made from other {other} files"))
    }

    /// Reads the list and all data files, and returns the number of data files.
    ///
    /// # Errors
    /// The first file whose length or checksum is not that of the manifest.
    pub fn verify(&self, path: &Path) -> Result<u64> {
        let manifest = path_of(path);
        if let Some(digest) = self.list {
            verify(&DataFile::expecting(path.to_path_buf(), digest, &manifest))?;
        }
        for entry in &self.files {
            // A file without a list is the one that the manifest stands beside.
            let file = match self.list {
                Some(_) => PathBuf::from(&entry.path),
                None => path.to_path_buf(),
            };
            verify(&DataFile::expecting(file, entry.digest, &manifest))?;
        }
        Ok(self.files.len() as u64)
    }
}

/// Fails unless a file has its digest.
fn verify(file: &DataFile) -> Result<()> {
    let failed = |e| Error::io("read", &file.path, e);
    let mut reader = input::open(&file.path)?;
    let (mut hasher, mut buffer) = (Hasher::default(), vec![0; BUFFER]);
    loop {
        let count = reader.read(&mut buffer).map_err(failed)?;
        if count == 0 {
            return file.check_digest(hasher.digest());
        }
        hasher.update(&buffer[..count]);
    }
}
