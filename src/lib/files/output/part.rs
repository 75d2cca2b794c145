//! Outputs under their temporary names, and how they get their final ones.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::reads::file_id;
use super::{PART, with_suffix};
use crate::error::{Error, Result};
use crate::files::disk;

/// A complete file or folder under its temporary name, locked against other runs. Dropping it removes it. Empty for outputs written directly.
#[must_use = "an unpublished part is removed"]
#[derive(Default)]
pub struct Part {
    place: Option<Place>,
    /// The open file, which holds the lock.
    lock: Option<File>,
    /// The older file, locked while the temporary name is its name.
    old: Option<File>,
    state: PartState,
    /// Whether the older file must be gone before the first part gets its name.
    is_parked: bool,
}

/// Names of a part.
#[derive(Debug, Clone)]
struct Place {
    part: PathBuf,
    target: PathBuf,
    folder: Option<FolderMark>,
}

/// The file next to a folder that tells a leftover of a killed run from a folder of the user, and an unfinished publication from a finished one.
#[derive(Debug, Clone)]
struct FolderMark {
    path: PathBuf,
    /// Whether the target was an empty folder.
    replaces_empty: bool,
}

/// How far the publication of a part has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum PartState {
    /// The content has its temporary name.
    #[default]
    Unpublished,
    /// The content has its final name, which nothing had before.
    Named,
    /// The content has its final name, and the older content the temporary one.
    Exchanged,
}

impl Part {
    fn new(place: Place, lock: Option<File>) -> Self {
        let state = PartState::Unpublished;
        Part { place: Some(place), lock, old: None, state, is_parked: false }
    }

    /// Begins a file: takes over what a killed run has left under its temporary name, and locks it. Returns the empty file too.
    pub(super) fn begin(target: PathBuf) -> io::Result<(File, Self)> {
        let part = with_suffix(&target, PART);
        let file = lock_part(&part)?;
        let lock = Some(file.try_clone()?);
        Ok((file, Part::new(Place { part, target, folder: None }, lock)))
    }

    /// Begins a file that is complete already: the temporary name becomes another name of it. Returns `None` where that is not possible: on another file
    /// system, or without hard links. The part is not locked, because its lock would be one on the file under all its names.
    pub(super) fn link(file: &Path, target: PathBuf) -> io::Result<Option<Self>> {
        if !fs::symlink_metadata(file).is_ok_and(|about| about.is_file()) {
            return Ok(None);
        }
        let (_, part) = Part::begin(target)?;
        let part = part.unlocked();
        let name = part.path().expect("a file has a temporary name");
        disk::remove_file(name)?;
        match disk::link(file, name) {
            Ok(()) => Ok(Some(part)),
            Err(error) if cannot_link(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the part of a folder, whose mark holds the lock.
    pub(super) fn of_folder(
        part: PathBuf,
        target: PathBuf,
        lock: File,
        mark: PathBuf,
        replaces_empty: bool,
    ) -> Self {
        let folder = Some(FolderMark { path: mark, replaces_empty });
        Part::new(Place { part, target, folder }, Some(lock))
    }

    /// Returns the temporary name, or `None` if the output was written directly.
    pub fn path(&self) -> Option<&Path> {
        self.place.as_ref().map(|place| &*place.part)
    }

    /// Releases the lock where another lock covers the file: the number of open files is limited.
    pub fn unlocked(mut self) -> Self {
        self.lock = None;
        self
    }

    /// Removes the older file before any other part of the publication gets its name: the older file describes their older versions.
    pub fn parked(mut self) -> Self {
        self.is_parked = true;
        self
    }

    /// Returns the final name.
    pub(super) fn target(&self) -> Option<&Path> {
        self.place.as_ref().map(|place| &*place.target)
    }

    /// Returns the folder that holds the final name.
    pub(super) fn parent(&self) -> Option<&Path> {
        self.place.as_ref().map(|place| place.target.parent().unwrap_or(Path::new("")))
    }

    pub(super) fn is_parked(&self) -> bool {
        self.is_parked
    }

    pub(super) fn is_folder(&self) -> bool {
        self.place.as_ref().is_some_and(|place| place.folder.is_some())
    }

    /// Writes the content of a file to the disk.
    pub(super) fn sync(&self) -> Result<()> {
        let Some(Place { part, .. }) = &self.place else { return Ok(()) };
        let synced = match &self.lock {
            Some(file) => disk::sync_file(file),
            None => File::open(part).and_then(|file| disk::sync_file(&file)),
        };
        synced.map_err(|e| Error::io("sync", part, e))
    }

    /// Renames the older file, if it must be gone first.
    pub(super) fn park(&mut self) -> Result<()> {
        let Some(Place { target, .. }) = self.place.as_ref().filter(|_| self.is_parked) else {
            return Ok(());
        };
        match disk::rename(target, &parking_place(target)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(Error::io("replace", target, e)),
            _ => Ok(()),
        }
    }

    /// Gives the content its final name. Older content gets the temporary name, so that it can be restored.
    pub(super) fn name(&mut self) -> Result<()> {
        let Some(place) = &self.place else { return Ok(()) };
        let failed = |e| Error::io("write", &place.target, e);
        if self.lock.is_some() && !self.is_folder() {
            self.old = lock_old(&place.target).map_err(failed)?;
        }
        self.state = place.rename().map_err(failed)?;
        Ok(())
    }

    /// Restores the state before [`Part::name`] and [`Part::park`], as far as possible: the error that led here is the one to report.
    pub(super) fn revert(&mut self) {
        let Some(Place { part, target, folder }) = &self.place else { return };
        let _ = match self.state {
            PartState::Unpublished => Ok(()),
            PartState::Named => disk::rename(target, part),
            PartState::Exchanged => disk::exchange(part, target).map(drop),
        };
        if self.state == PartState::Named && folder.as_ref().is_some_and(|f| f.replaces_empty) {
            let _ = disk::create_folder(target);
        }
        self.state = PartState::Unpublished;
        if self.is_parked {
            let _ = disk::rename(&parking_place(target), target);
        }
    }

    /// Removes the older content. A failure is ignored: the next run takes over what is left.
    pub(super) fn discard_old(mut self) {
        let Some(place) = self.place.take() else { return };
        if self.state == PartState::Exchanged {
            let _ = place.remove();
        }
        if self.is_parked {
            let _ = disk::remove_file(&parking_place(&place.target));
        }
        if let Some(mark) = &place.folder {
            let _ = disk::remove_file(&mark.path);
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(place) = &self.place {
            // A failure to remove the part is ignored: the error that led here is the one to report.
            let _ = place.remove();
            if let Some(mark) = &place.folder {
                let _ = disk::remove_file(&mark.path);
            }
        }
    }
}

impl Place {
    /// Removes what has the temporary name.
    fn remove(&self) -> io::Result<()> {
        match self.folder {
            Some(_) => disk::remove_folder(&self.part),
            None => disk::remove_file(&self.part),
        }
    }

    fn rename(&self) -> io::Result<PartState> {
        let exists = match &self.folder {
            Some(mark) => !mark.replaces_empty && self.target.is_dir(),
            None if self.target.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            None => self.target.exists(),
        };
        if exists && file_id(&self.part) == file_id(&self.target) {
            // Two names of one file. Systems ignore a rename between them.
            return Ok(PartState::Exchanged);
        }
        if exists && disk::exchange(&self.part, &self.target)? {
            return Ok(PartState::Exchanged);
        }
        if exists && self.folder.is_some() {
            disk::remove_folder(&self.target)?;
        }
        disk::rename(&self.part, &self.target).map(|()| PartState::Named)
    }
}

/// Returns whether an error means that the file system has no hard links, none from there, or no more of this file.
fn cannot_link(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, TooManyLinks, Unsupported};
    matches!(error.kind(), CrossesDevices | PermissionDenied | TooManyLinks | Unsupported)
}

/// Removes what a killed run has left next to a complete file, unless another run is publishing it. A failure is ignored.
pub(crate) fn remove_leftovers(target: &Path) {
    let names = [with_suffix(target, PART), parking_place(target)];
    if !names.iter().any(|name| name.exists()) {
        return;
    }
    let Ok(_guard) = lock_leftover(target) else { return };
    for name in &names {
        if let Ok(_leftover) = lock_leftover(name) {
            let _ = disk::remove_file(name);
        }
    }
}

/// Returns where the older file is while the parts of a publication get their names.
fn parking_place(target: &Path) -> PathBuf {
    with_suffix(target, ".old.part")
}

/// Locks the file that will be replaced, if there is one: it gets the temporary name, which no other run may take over.
fn lock_old(target: &Path) -> io::Result<Option<File>> {
    match File::open(target) {
        Ok(old) => disk::try_lock(&old).map(|_| Some(old)),
        // A file that this run may not read can be replaced.
        Err(_) => Ok(None),
    }
}

/// Creates a part and locks it for this run. What a killed run has left there is removed, not written to: it may have other names.
fn lock_part(part: &Path) -> io::Result<File> {
    let leftover = match fs::symlink_metadata(part) {
        Ok(about) if !about.is_file() => {
            let message = format!("{} is in the way; remove it", part.display());
            return Err(io::Error::other(message));
        }
        Ok(_) => Some(lock_leftover(part)?),
        Err(_) => None,
    };
    if leftover.is_some() {
        disk::remove_file(part)?;
    }
    let file = match disk::create_new(part) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Err(busy(part)),
        other => other?,
    };
    if disk::try_lock(&file)? { Ok(file) } else { Err(busy(part)) }
}

/// Locks a leftover. Fails if its run is still alive.
fn lock_leftover(path: &Path) -> io::Result<File> {
    let leftover = match disk::open_leftover(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(busy(path)),
        other => other?,
    };
    // Its run may have renamed it between open and lock.
    if disk::try_lock(&leftover)? && is_same_file(&leftover, path) {
        return Ok(leftover);
    }
    Err(busy(path))
}

/// Returns the error of an output that another run is writing.
pub(super) fn busy(path: &Path) -> io::Error {
    let name = path.display();
    io::Error::other(format!("another run is writing {name}, or this one writes it twice"))
}

/// Returns whether a path still names an open file.
#[cfg(unix)]
pub(crate) fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Returns whether a path still names an open file.
#[cfg(not(unix))]
pub(crate) fn is_same_file(_file: &File, path: &Path) -> bool {
    path.exists()
}
