//! Memory maps of files: the only place in this module with `unsafe` code.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a file that no other process changes while it is mapped: a data file of the pipeline, which is replaced by atomic rename only,
/// or a temporary file of this run.
pub(super) fn map_file(file: &File) -> io::Result<Mmap> {
    // SAFETY: the bytes behind the map stay the same, as the caller promises. A file that a user truncates under a running
    // executable ends it with SIGBUS; results are published after reading, so none is wrong.
    unsafe { Mmap::map(file) }
}
