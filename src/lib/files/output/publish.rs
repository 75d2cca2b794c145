//! The commit of a transaction.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;

use super::{Output, OutputFolder, Part, Reads};
use crate::error::{Error, Result};
use crate::files::disk;
use crate::session::Session;

/// Above this number of files, one sync of the whole file system is cheaper than one per file.
const MAX_FILE_SYNCS: usize = 16;

/// Creates the outputs of a run and publishes them.
pub struct Publisher<'a> {
    reads: Reads<'a>,
    session: Session,
}

impl<'a> Publisher<'a> {
    /// Returns the publisher of a run that reads these files.
    pub fn new(
        session: &Session,
        reads: impl IntoIterator<Item = impl Into<Cow<'a, Path>>>,
    ) -> Self {
        Publisher { reads: Reads::new(reads), session: session.clone() }
    }

    /// Returns the publisher of a run that reads no file.
    pub fn of_no_input(session: &Session) -> Publisher<'static> {
        Publisher { reads: Reads::default(), session: session.clone() }
    }

    /// Returns a publisher that reports nothing and checks nothing.
    #[cfg(test)]
    pub fn silent() -> Publisher<'static> {
        Publisher::of_no_input(&Session::silent())
    }

    /// Returns a publisher for later, when the files that the run reads are no longer at hand. Its outputs must have been checked before, with
    /// [`Publisher::check`].
    pub fn after_checks(&self) -> Publisher<'static> {
        Publisher::of_no_input(&self.session)
    }

    /// Fails if the run reads the file at `path`.
    pub fn check(&self, path: &Path) -> Result<()> {
        self.reads.check(path, path)
    }

    /// Begins a file, compressed if its name ends in `.gz`, `.zst`, `.bz2` or `.xz`. `-` is standard output.
    ///
    /// # Errors
    /// A file that the run reads, that another run is writing, or that cannot be created.
    pub fn create(&self, path: &Path) -> Result<Output> {
        Output::create(path, &self.reads, &self.session)
    }

    /// Begins a file with the bytes of a complete one, as another name of it. `None` where the file system cannot do that: the bytes have to be written.
    pub(crate) fn link(&self, file: &Path, path: &Path) -> Result<Option<Part>> {
        self.check(path)?;
        Part::link(file, path.to_path_buf()).map_err(|e| Error::io("create", path, e))
    }

    /// Begins a folder. Fails if it has files that no unfinished run has written.
    pub fn create_folder(&self, path: &Path) -> Result<OutputFolder> {
        OutputFolder::create(path, self)
    }

    /// Creates the folder of outputs, and those above it, where they are missing.
    pub fn create_folders(&self, path: &Path) -> Result<()> {
        let created = disk::create_folders(path, self.session.is_durable());
        created.map_err(|e| Error::io("create the folder", path, e))
    }

    /// Publishes complete outputs step by step: a part gets its name when those of earlier steps have theirs, also on the disk.
    ///
    /// # Errors
    /// After a failure, all older files have their names again.
    pub fn publish(&self, steps: Vec<Vec<Part>>) -> Result<()> {
        self.publish_and(steps, || ())
    }

    /// Publishes like [`Publisher::publish`], then calls `clean_up`. Until it returns, a folder counts as one of an unfinished run.
    pub fn publish_and(&self, steps: Vec<Vec<Part>>, clean_up: impl FnOnce()) -> Result<()> {
        publish(steps, &self.session, clean_up)
    }
}

pub(super) fn publish(
    mut steps: Vec<Vec<Part>>,
    session: &Session,
    clean_up: impl FnOnce(),
) -> Result<()> {
    let is_durable = session.is_durable();
    if is_durable {
        let parts: Vec<&Part> = steps.iter().flatten().collect();
        sync_parts(&parts)?;
    }
    let outcome = session.uninterrupted(|| {
        let outcome = name_all(&mut steps, is_durable);
        if outcome.is_err() {
            steps.iter_mut().flatten().rev().for_each(Part::revert);
        }
        outcome
    });
    outcome?;
    clean_up();
    let is_file = |part: &Part| !part.is_folder();
    let (files, folders): (Vec<Part>, Vec<Part>) = steps.into_iter().flatten().partition(is_file);
    files.into_iter().for_each(Part::discard_old);
    for folder in folders {
        let parent = folder.parent().map(Path::to_path_buf);
        folder.discard_old();
        if is_durable {
            // The mark of a folder must not come back. A failure is ignored: everything is published.
            let _ = parent.map(|parent| disk::sync_folder(&parent));
        }
    }
    Ok(())
}

fn name_all(steps: &mut [Vec<Part>], is_durable: bool) -> Result<()> {
    // The file that describes the others goes first and comes last.
    steps.iter_mut().flatten().rev().try_for_each(Part::park)?;
    if is_durable && steps.iter().flatten().any(Part::is_parked) {
        sync_folders(steps.iter().flatten().filter(|part| part.is_parked()))?;
    }
    for parts in steps {
        parts.iter_mut().try_for_each(Part::name)?;
        if is_durable {
            sync_folders(parts.iter())?;
        }
    }
    Ok(())
}

/// Writes the content of all parts to the disk.
fn sync_parts(parts: &[&Part]) -> Result<()> {
    let has_folder = parts.iter().any(|part| part.is_folder());
    if (has_folder || parts.len() > MAX_FILE_SYNCS) && sync_file_systems(parts)? {
        return Ok(());
    }
    parts.par_iter().try_for_each(|part| part.sync())
}

fn sync_file_systems(parts: &[&Part]) -> Result<bool> {
    for (folder, target) in folders(parts.iter().copied()) {
        let synced = disk::sync_file_system(folder).map_err(|e| Error::io("sync", target, e))?;
        if !synced {
            return Ok(false);
        }
    }
    Ok(true)
}

fn sync_folders<'p>(parts: impl Iterator<Item = &'p Part>) -> Result<()> {
    folders(parts).into_iter().try_for_each(|(folder, target)| {
        disk::sync_folder(folder).map_err(|e| Error::io("sync", target, e))
    })
}

/// Returns the folders of some parts, each with a final name in it for messages.
fn folders<'p>(parts: impl Iterator<Item = &'p Part>) -> BTreeMap<&'p Path, &'p Path> {
    parts.filter_map(|part| Some((part.parent()?, part.target()?))).collect()
}
