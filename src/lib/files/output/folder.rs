//! Folders as outputs: `NAME.part/`, renamed when complete.
//!
//! A file next to it, `NAME.lock.part`, is locked by the run and states the digest of the names and sizes in the folder before the folder is
//! published. It is removed when everything is published. So a later run knows what a killed run has left: a part to remove, or a folder
//! that got its name although the run did not finish, which it may replace. Every other folder that is not empty is refused.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::part::{Part, busy, is_same_file};
use super::{FOLDER_MARK, Output, PART, Publisher, with_suffix};
use crate::error::{Error, Result};
use crate::files::disk;
use crate::files::manifest::{Digest, Hasher};
use crate::session::Session;

/// A folder being written under its temporary name.
pub struct OutputFolder {
    part: Part,
    mark: File,
}

impl OutputFolder {
    /// Begins a folder. Fails if the target has files that no unfinished run has written.
    pub(super) fn create(path: &Path, publisher: &Publisher<'_>) -> Result<Self> {
        let target: PathBuf =
            fs::canonicalize(path).unwrap_or_else(|_| path.components().collect());
        if let Some(above) = target.parent() {
            let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
            publisher.create_folders(above)?;
        }
        begin(target).map_err(|e| Error::io("create the folder", path, e))
    }

    /// Returns the temporary name, where files are written.
    pub fn path(&self) -> &Path {
        self.part.path().expect("a folder has a temporary name")
    }

    /// Begins a file of the folder, whose own folder exists. It is complete when it is closed.
    pub fn create_file(&self, below: &Path, session: &Session) -> Result<Output> {
        let path = self.path().join(below);
        let file = disk::create_new(&path).map_err(|e| Error::io("create", &path, e))?;
        Output::to_file(&path, Box::new(file), Part::default(), session)
    }

    /// Completes the folder, but leaves it under its temporary name.
    pub fn close(mut self) -> Result<Part> {
        let folder = self.path();
        let digest = digest(folder).map_err(|e| Error::io("read", folder, e))?;
        let written = self.mark.set_len(0).and_then(|()| self.mark.write_all(digest.as_bytes()));
        written.map_err(|e| Error::io("write", self.path(), e))?;
        Ok(self.part)
    }
}

fn begin(target: PathBuf) -> io::Result<OutputFolder> {
    let (folder, mark_path) = (with_suffix(&target, PART), with_suffix(&target, FOLDER_MARK));
    let is_leftover = mark_path.exists();
    let mut mark = disk::open_or_create(&mark_path)?;
    if !disk::try_lock(&mark)? || !is_same_file(&mark, &mark_path) {
        return Err(busy(&folder));
    }
    let replaces_empty = check_target(&target, &mut mark).and_then(|replaces_empty| {
        remove_leftover(&folder, is_leftover)?;
        disk::create_folder(&folder).map(|()| replaces_empty)
    });
    if replaces_empty.is_err() && !is_leftover {
        let _ = disk::remove_file(&mark_path);
    }
    let part = Part::of_folder(folder, target, mark.try_clone()?, mark_path, replaces_empty?);
    Ok(OutputFolder { part, mark })
}

/// Checks that the target may be replaced, and returns whether it is an empty folder.
fn check_target(target: &Path, mark: &mut File) -> io::Result<bool> {
    let mut entries = match fs::read_dir(target) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        entries => entries?,
    };
    if entries.next().is_none() {
        return Ok(true);
    }
    let mut unfinished = String::new();
    mark.read_to_string(&mut unfinished)?;
    io::Seek::rewind(mark)?;
    if unfinished == digest(target)? {
        return Ok(false);
    }
    Err(io::Error::other("it is not empty: the copy would mix with its files"))
}

fn remove_leftover(folder: &Path, is_leftover: bool) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Err(_) => Ok(()),
        Ok(about) if about.is_dir() && is_leftover => disk::remove_folder(folder),
        Ok(about) if about.is_dir() && fs::read_dir(folder)?.next().is_none() => {
            disk::remove_empty_folder(folder)
        }
        Ok(_) => {
            let message = format!("{} is in the way; remove it", folder.display());
            Err(io::Error::other(message))
        }
    }
}

/// Returns the digest of the names and sizes in a folder, as a line.
fn digest(folder: &Path) -> io::Result<String> {
    let mut entries = Vec::new();
    collect(folder, &mut entries)?;
    entries.sort();
    let mut hasher = Hasher::default();
    for (path, bytes) in entries {
        let below = path.strip_prefix(folder).unwrap_or(&path);
        hasher.update(below.as_os_str().as_encoded_bytes());
        hasher.update(&[0]);
        hasher.update(&bytes.to_le_bytes());
    }
    let Digest { bytes, xxh3 } = hasher.digest();
    Ok(format!("{bytes} {xxh3}\n"))
}

/// Collects the files below a folder and their sizes.
fn collect(folder: &Path, entries: &mut Vec<(PathBuf, u64)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => collect(&entry.path(), entries)?,
            false => entries.push((entry.path(), entry.metadata()?.len())),
        }
    }
    Ok(())
}
