//! The one error type. Its variants carry data (path, line, what was expected, what was found), so that
//! every message names the place a person has to look at.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong.
#[derive(Debug)]
pub enum Error {
    /// The arguments do not make sense together. Ends an executable with exit code 2.
    Usage(String),
    /// The operating system refused: `doing` says what was tried with `path`.
    Io {
        /// What was tried, as a verb: `read`, `write`, `create`.
        doing: &'static str,
        /// The file or folder it was tried with.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A line that cannot be understood.
    Parse {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A header promises another number than the files hold.
    Count {
        /// The file whose header speaks.
        path: PathBuf,
        /// What is counted.
        what: &'static str,
        /// The header's number.
        stated: u64,
        /// The number found in the files.
        found: u64,
    },
    /// Two files that were not made for each other.
    Mismatch {
        /// The property in which they differ.
        what: String,
        /// One file and its value.
        left: (PathBuf, String),
        /// The other file and its value.
        right: (PathBuf, String),
    },
    /// What went wrong with a file that a list names.
    Listed {
        /// The list.
        list: PathBuf,
        /// The line of the list, counted from 1.
        line: u64,
        /// What went wrong.
        error: Box<Error>,
    },
    /// Anything else, said in full.
    Message(String),
    /// Whoever read our standard output has closed it. This is not a failure.
    ClosedPipe,
}

impl Error {
    /// An error of the operating system, with what was tried on which path.
    pub fn io(doing: &'static str, path: impl AsRef<Path>, source: io::Error) -> Self {
        Error::Io { doing, path: path.as_ref().to_path_buf(), source }
    }

    /// The exit code an executable ends with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::ClosedPipe => 0,
            Error::Usage(_) => 2,
            _ => 1,
        }
    }
}

/// Checks a number that a header states against the number found in the files.
pub(crate) fn check_count(path: &Path, what: &'static str, stated: u64, found: u64) -> Result<()> {
    if stated == found {
        return Ok(());
    }
    Err(Error::Count { path: path.to_path_buf(), what, stated, found })
}

/// How many characters of a file's own text an error message shows.
const SHOWN: usize = 60;

/// Shortens a piece of a file so that an error stays one readable line.
pub(crate) fn excerpt(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
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
                "{}: the header states {stated} {what}, the files hold {found} (truncated or mixed files?)",
                path.display()
            ),
            Error::Mismatch { what, left, right } => write!(
                f,
                "{} and {} do not belong together: {what} {} against {}",
                left.0.display(),
                right.0.display(),
                left.1,
                right.1
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
