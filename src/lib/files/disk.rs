//! Changes to the file system. Only this module creates, renames, removes and syncs files, so that every place where a disk can fail is a
//! call of one of these functions; the tests let each of them fail, and kill the process there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Creates a file that does not exist yet. Follows no symbolic link.
pub fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Opens a file to read and write it, and creates it if it is missing. Its content stays; a symbolic link is an error.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    without_links(options.read(true).write(true).create(true).truncate(false)).open(path)
}

/// Opens a device or named pipe to write to it.
pub fn open_device(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// Opens a file or folder that a killed run may have left. A symbolic link is an error.
pub fn open_leftover(path: &Path) -> io::Result<File> {
    without_links(OpenOptions::new().read(true)).open(path)
}

#[cfg(unix)]
fn without_links(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(libc::O_NOFOLLOW)
}

#[cfg(not(unix))]
fn without_links(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Locks an open file for this run and returns whether no other run has locked it. A file system without locks counts as free.
pub fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => Ok(true),
        Err(TryLockError::Error(e)) => Err(e),
    }
}

/// Copies a file with its permissions.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(drop)
}

/// Gives a file a second name, which nothing has yet.
pub fn link(file: &Path, name: &Path) -> io::Result<()> {
    fs::hard_link(file, name)
}

/// Renames a file or folder; an older file is replaced.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Exchanges two names in one step. Returns whether the file system can do that.
#[cfg(target_os = "linux")]
pub fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(e) if matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// Exchanges two names in one step. Returns whether the file system can do that.
#[cfg(not(target_os = "linux"))]
pub fn exchange(_one: &Path, _other: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Creates a folder that does not exist yet.
pub fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// Creates a folder and those above it where they are missing. If `is_durable`, their names are written to the disk.
pub fn create_folders(path: &Path, is_durable: bool) -> io::Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
    fs::create_dir_all(path)?;
    if !is_durable {
        return Ok(());
    }
    missing.iter().filter_map(|folder| folder.parent()).try_for_each(sync_folder)
}

/// Removes a file, if there is one.
pub fn remove_file(path: &Path) -> io::Result<()> {
    ignoring_missing(fs::remove_file(path))
}

/// Removes a folder and everything below it, if there is one.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    ignoring_missing(fs::remove_dir_all(path))
}

/// Removes an empty folder.
pub fn remove_empty_folder(path: &Path) -> io::Result<()> {
    fs::remove_dir(path)
}

fn ignoring_missing(outcome: io::Result<()>) -> io::Result<()> {
    match outcome {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Writes the content of a file to the disk.
pub fn sync_file(file: &File) -> io::Result<()> {
    file.sync_all()
}

/// Writes the names in a folder to the disk. File systems that cannot are ignored.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match File::open(folder)?.sync_all() {
        Err(e) if matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        other => other,
    }
}

/// Writes all files of a folder's file system to the disk: cheaper than many single files. Returns whether the system can do that.
#[cfg(target_os = "linux")]
pub fn sync_file_system(folder: &Path) -> io::Result<bool> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    rustix::fs::syncfs(File::open(folder)?)?;
    Ok(true)
}

/// Writes all files of a folder's file system to the disk. Returns whether the system can do that.
#[cfg(not(target_os = "linux"))]
pub fn sync_file_system(_folder: &Path) -> io::Result<bool> {
    Ok(false)
}
