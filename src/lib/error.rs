//! The error type of the crate. Variants carry data (path, line, expected and found values), so that every message names the place to look at.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of a fallible operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why writes to memory have no error.
pub(crate) const INFALLIBLE: &str = "writing to memory does not fail";

/// Any failure of the crate.
#[derive(Debug)]
pub enum Error {
    /// Arguments that contradict each other. The exit code is 2.
    Usage(String),
    /// A failed system call.
    Io {
        /// The operation as a verb: `read`, `write`, `create`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// An unparsable line.
    Parse {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What the format requires.
        expected: String,
        /// What the line contains.
        found: String,
    },
    /// A header that disagrees with the data files.
    Count {
        /// The file with the header.
        path: PathBuf,
        /// The items counted.
        what: &'static str,
        /// The number in the header.
        stated: u64,
        /// The number in the data files.
        found: u64,
    },
    /// A file that disagrees with another one.
    Mismatch {
        /// The file with the unexpected value.
        path: PathBuf,
        /// The property in which the files differ.
        what: String,
        /// The value in `reference`.
        expected: String,
        /// The file to agree with.
        reference: PathBuf,
        /// The value in `path`.
        found: String,
    },
    /// A file that differs from its manifest.
    Manifest {
        /// The file.
        path: PathBuf,
        /// The property and its value in the manifest.
        expected: String,
        /// The manifest.
        manifest: PathBuf,
        /// The value in the file.
        found: String,
    },
    /// A failure with a file that a list names.
    Listed {
        /// The list.
        list: PathBuf,
        /// The line of the list, counted from 1.
        line: u64,
        /// The failure.
        error: Box<Error>,
    },
    /// Any other failure, as a complete message.
    Message(String),
    /// The reader of standard output has closed the pipe. The exit code is 0.
    ClosedPipe,
}

impl Error {
    /// Returns the error of a system call on a path.
    pub fn io(doing: &'static str, path: impl AsRef<Path>, source: io::Error) -> Self {
        Error::Io { doing, path: path.as_ref().to_path_buf(), source }
    }

    /// Returns the error of a line, counted from 1.
    pub(crate) fn parse(
        path: &Path,
        line: u64,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        let (expected, found) = (expected.into(), found.into());
        Error::Parse { path: path.to_path_buf(), line, expected, found }
    }

    /// Returns the exit code of an executable that fails with this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::ClosedPipe => 0,
            Error::Usage(_) => 2,
            _ => 1,
        }
    }
}

/// Checks the count in a header against the count in the data files.
pub(crate) fn check_count(path: &Path, what: &'static str, stated: u64, found: u64) -> Result<()> {
    if stated == found {
        return Ok(());
    }
    Err(Error::Count { path: path.to_path_buf(), what, stated, found })
}

/// The number of characters of a file's text in an error message.
const EXCERPT_CHARS: usize = 60;

/// Returns the beginning of a text in quotes, so that a message stays one readable line.
pub(crate) fn excerpt(text: &str) -> String {
    let mut shown: String = text.chars().take(EXCERPT_CHARS).flat_map(char::escape_debug).collect();
    if text.chars().nth(EXCERPT_CHARS).is_some() {
        shown.push('…');
    }
    format!("'{shown}'")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(message) | Error::Message(message) => f.write_str(message),
            Error::Io { doing, path, source } => {
                write!(f, "{}: cannot {doing}: {source}", path.display())
            }
            Error::Parse { path, line, expected, found } => {
                write!(f, "{}:{line}: expected {expected}, found {found}", path.display())
            }
            Error::Count { path, what, stated, found } => write!(
                f,
                "{}: expected {stated} {what} as in the header, found {found} (truncated or mixed files?)",
                path.display()
            ),
            Error::Mismatch { path, what, expected, reference, found } => write!(
                f,
                "{}: expected {what} {expected} as in {}, found {found}",
                path.display(),
                reference.display()
            ),
            Error::Manifest { path, expected, manifest, found } => write!(
                f,
                "{}: expected {expected} as in {manifest}, found {found}; if it was changed on purpose, delete {manifest}",
                path.display(),
                manifest = manifest.display()
            ),
            Error::Listed { list, line, error } => write!(f, "{}:{line}: {error}", list.display()),
            Error::ClosedPipe => f.write_str("standard output was closed"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            Error::Listed { error, .. } => Some(error),
            _ => None,
        }
    }
}
