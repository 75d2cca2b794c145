//! Files that a run reads, which no output may replace.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};

/// Files that a run reads. They are recognized under any name: through symbolic links, hard links and other spellings of a path.
///
/// Files are looked up when the first output replaces an older file: a run that replaces nothing pays nothing.
#[derive(Default)]
pub struct Reads<'a> {
    paths: Vec<Cow<'a, Path>>,
    by_id: OnceLock<FxHashMap<FileId, usize>>,
}

impl<'a> Reads<'a> {
    /// Returns the set of some files. Folders, streams and missing files in it have no effect.
    pub fn new(paths: impl IntoIterator<Item = impl Into<Cow<'a, Path>>>) -> Self {
        Reads { paths: paths.into_iter().map(Into::into).collect(), by_id: OnceLock::new() }
    }

    /// Fails if the run reads the file at `path`, which `output` would replace.
    pub fn check(&self, path: &Path, output: &Path) -> Result<()> {
        if self.paths.is_empty() {
            return Ok(());
        }
        let Some(id) = file_id(path) else { return Ok(()) };
        let ids = || self.paths.iter().enumerate();
        let by_id = self.by_id.get_or_init(|| {
            ids().filter_map(|(number, path)| Some((file_id(path)?, number))).collect()
        });
        match by_id.get(&id) {
            None => Ok(()),
            Some(number) => {
                let read = self.paths[*number].display();
                let message =
                    format!("is a file that this run reads ({read}); name another output");
                Err(Error::in_file(output, message))
            }
        }
    }
}

/// What tells files from each other.
#[cfg(unix)]
pub(super) type FileId = (u64, u64);

/// Returns the identity of a regular file, behind symbolic links.
#[cfg(unix)]
pub(super) fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    let about = fs::metadata(path).ok().filter(|about| about.is_file())?;
    Some((about.dev(), about.ino()))
}

/// What tells files from each other.
#[cfg(not(unix))]
pub(super) type FileId = std::path::PathBuf;

/// Returns the identity of a regular file, behind symbolic links.
#[cfg(not(unix))]
pub(super) fn file_id(path: &Path) -> Option<FileId> {
    fs::canonicalize(path).ok().filter(|path| path.is_file())
}
