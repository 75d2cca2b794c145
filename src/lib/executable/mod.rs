//! One description per executable: a struct that is its arguments, its task and a step of an experiment.
//!
//! [`Executable`] is derived from clap's and serde's traits. From the struct alone follow the help text and man page, the parameters recorded
//! in a manifest ([`Executable::parameters`]) and the command line that repeats a run ([`Executable::command_line`]).

mod flags;
mod shell;
pub mod values;

use std::path::Path;

use serde_json::{Map, Value};

pub use flags::{PathValue, serialize_path};
pub use shell::quoted;

use crate::error::{Error, Result};
use crate::files::is_stream;
use crate::session::Session;

/// Read, skipped and written items of a run, printed as the last line on standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// The number of items read, and their name.
    pub read: (u64, &'static str),
    /// The number of items skipped, and the reason.
    pub skipped: (u64, &'static str),
    /// The number of items written, and their name.
    pub written: (u64, &'static str),
    /// The number of unreadable inputs. If it is not 0, the results cover the rest and the exit code is 3.
    pub unreadable: u64,
}

impl Counts {
    /// Returns the counts of a run that skipped nothing.
    pub fn new(read: (u64, &'static str), written: (u64, &'static str)) -> Self {
        Counts { read, skipped: (0, ""), written, unreadable: 0 }
    }
}

/// Arguments and work of one executable.
///
/// Fields are named after their flags, and serialize to plain JSON values. Paths use [`serialize_path`], so that names that are not UTF-8 serialize
/// too.
pub trait Executable: clap::Parser + serde::Serialize {
    /// Two example runs: what each does, and its command line.
    const EXAMPLES: [(&'static str, &'static str); 2];

    /// Flags that do not shape the bytes of the output, besides paths: compression, items per file, memory limits.
    const UNRECORDED: &'static [&'static str] = &[];

    /// Does the work. Combinations of flags that make no sense are [`Error::Usage`].
    fn run(&self, session: &Session) -> Result<Counts>;

    /// Returns the values of all flags that shape the bytes of the output, by the flags' names. Paths (flags with a `FILE` or a `DIR`) and
    /// [`Executable::UNRECORDED`] are left out, unset flags are `null` or `false`.
    fn parameters(&self) -> Map<String, Value> {
        let (command, mut values) = (Self::command(), flags::values(self));
        let is_path = |name: &str| {
            command.get_arguments().any(|arg| arg.get_id() == name && flags::takes_path(arg))
        };
        values.retain(|name, _| !is_path(name) && !Self::UNRECORDED.contains(&&**name));
        values
    }

    /// Returns the command line of this run for a shell: flags in the order of the help text, default values omitted.
    fn command_line(&self) -> String {
        shell::command_line(&Self::command(), &flags::values(self))
    }
}

/// A run of any executable, for lists of different ones.
pub trait Step: Sync {
    /// Returns the name of the executable.
    fn name(&self) -> String;
    /// Does the work.
    fn run(&self, session: &Session) -> Result<Counts>;
    /// Returns the command line that does the same.
    fn command_line(&self) -> String;
}

impl<T: Executable + Sync> Step for T {
    fn name(&self) -> String {
        T::command().get_name().to_string()
    }

    fn run(&self, session: &Session) -> Result<Counts> {
        Executable::run(self, session)
    }

    fn command_line(&self) -> String {
        Executable::command_line(self)
    }
}

/// Fails if more than one of the flags is '-': one stream cannot be two files. `stream` is `input` or `output`.
pub fn check_streams(stream: &str, flags: &[(&str, Option<&Path>)]) -> Result<()> {
    let is_used = |path: &Option<&Path>| path.is_some_and(is_stream);
    let used: Vec<String> = flags
        .iter()
        .filter(|(_, path)| is_used(path))
        .map(|(flag, _)| format!("--{flag}"))
        .collect();
    if used.len() < 2 {
        return Ok(());
    }
    Err(Error::Usage(format!("only one of {} can be standard {stream}", used.join(" and "))))
}
