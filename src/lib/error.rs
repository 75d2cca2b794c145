//! The error type of the crate. Every message names the place to look at.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of a fallible operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

thread_local! {
    /// Whether a failed allocation of this thread is an error that the caller handles.
    static IS_FALLIBLE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, whose allocations report their failure (`try_reserve`). The executables end at any other failed allocation.
pub(crate) fn fallibly<T>(work: impl FnOnce() -> T) -> T {
    let before = IS_FALLIBLE.replace(true);
    let result = work();
    IS_FALLIBLE.set(before);
    result
}

/// Returns whether the caller of an allocation handles its failure. Allocates nothing.
pub(crate) fn is_fallible() -> bool {
    IS_FALLIBLE.get()
}

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

    /// Returns an error in the content of a file.
    pub(crate) fn in_file(path: &Path, message: impl fmt::Display) -> Self {
        Error::Message(format!("{}: {message}", path.display()))
    }

    /// Returns the error of a file that disagrees with another one, `reference`.
    pub(crate) fn mismatch(
        path: &Path,
        what: &str,
        expected: impl fmt::Display,
        reference: &Path,
        found: impl fmt::Display,
    ) -> Self {
        let reference = reference.display();
        Error::in_file(path, format!("expected {what} {expected} as in {reference}, found {found}"))
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
    let hint = "(truncated or mixed files?)";
    let message = format!("expected {stated} {what} as in the header, found {found} {hint}");
    Err(Error::in_file(path, message))
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
            Error::ClosedPipe => f.write_str("standard output was closed"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
