//! Temporary files without a name: no other process can open or truncate them, and they vanish with their owner, however it ends.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::is_stream;
use crate::error::{Error, Result};

/// Creates a file without a name next to `beside`; next to standard output or a device, in the system's folder for temporary files.
pub(super) fn temporary_file(beside: &Path) -> Result<File> {
    let is_special = fs::metadata(beside).is_ok_and(|about| !about.is_file());
    let file = if is_stream(beside) || is_special {
        tempfile::tempfile()
    } else {
        let folder = beside.parent().filter(|folder| !folder.as_os_str().is_empty());
        tempfile::tempfile_in(folder.unwrap_or(Path::new(".")))
    };
    file.map_err(|error| Error::io("create a temporary file beside it", beside, error))
}

/// Returns the error of a failed write to a temporary file next to `beside`.
pub(super) fn temporary_error(beside: &Path, error: io::Error) -> Error {
    Error::io("write a temporary file beside it", beside, error)
}
