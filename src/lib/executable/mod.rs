//! One description per executable: a struct that is its arguments, its task and a step of an experiment.
//!
//! [`Executable`] is derived from clap's and serde's traits. From the struct alone follow the help text and man page, the parameters recorded
//! in a manifest ([`Executable::parameters`]) and the command line that repeats a run ([`Step::command_line`]).

mod flags;
mod numbers;
mod resume;
mod shard;
pub mod values;

use std::path::Path;

use serde_json::{Map, Value};

pub use flags::{FlagPath, quoted, with_flags};
pub use numbers::{counted, duration, grouped, noun};
pub use resume::Completeness;
pub(crate) use resume::is_newer;
pub use shard::ShardFlags;

use crate::error::{Error, Result};
use crate::files::is_stream;
use crate::files::manifest::{Parameters, Provenance, ShardEntry, StageKind};
use crate::session::Session;
use crate::shard::Shard;

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
/// Fields are named after their flags, and serialize to plain JSON values. Paths are `FlagPath`s.
pub trait Executable: clap::Parser + serde::Serialize {
    /// Two example runs: what each does, and its command line.
    const EXAMPLES: [(&'static str, &'static str); 2];

    /// Flags that do not shape the bytes of the output, besides paths: compression, items per file, memory limits.
    const UNRECORDED: &'static [&'static str] = &[];

    /// Does the work. Combinations of flags that make no sense are [`Error::Usage`].
    fn run(&self, session: &Session) -> Result<Counts>;

    /// Returns the values of all flags that shape the bytes of the output, by the flags' names. Paths (flags with a `FILE` or a `DIR`) and
    /// [`Executable::UNRECORDED`] are left out, and the shard: parts of one output have the same parameters. Unset flags are `null` or `false`.
    fn parameters(&self) -> Map<String, Value> {
        let (command, mut values) = (Self::command(), flags::values(self));
        let is_path = |name: &str| {
            command.get_arguments().any(|arg| arg.get_id() == name && flags::takes_path(arg))
        };
        let is_recorded =
            |name: &str| !["shard", "resume"].contains(&name) && !Self::UNRECORDED.contains(&name);
        values.retain(|name, _| !is_path(name) && is_recorded(name));
        values
    }

    /// Returns what the manifest of a shard states besides the flags: the part of the input, and parameters that follow from files. Stages that read documents
    /// state their checksum.
    fn shard_entry(&self, shard: Shard) -> Result<(ShardEntry, Parameters)> {
        Ok((ShardEntry::new(shard), Parameters::new()))
    }

    /// Returns whether the outputs of a run with `--shard` and `--resume` are complete, as their manifests state.
    ///
    /// # Errors
    /// Flags or inputs that the run itself would refuse.
    fn completeness(&self) -> Result<Completeness> {
        resume::completeness(self)
    }

    /// Describes the output in its manifest.
    fn provenance(&self, kind: StageKind) -> Provenance {
        Provenance::new(kind, Self::command().get_name(), self.parameters())
    }
}

/// A run of any executable, for lists of different ones.
pub trait Step: Sync {
    /// Returns the name of the executable.
    fn name(&self) -> String;
    /// Does the work.
    fn execute(&self, session: &Session) -> Result<Counts>;
    /// Returns the command line of this run for a shell: flags in the order of the help text, default values omitted.
    fn command_line(&self) -> String;
}

impl<T: Executable + Sync> Step for T {
    fn name(&self) -> String {
        T::command().get_name().to_string()
    }

    fn execute(&self, session: &Session) -> Result<Counts> {
        self.run(session)
    }

    fn command_line(&self) -> String {
        flags::command_line(&T::command(), &flags::values(self))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::hamming::Hamming;
    use crate::chain::sigs::CreateSigs;
    use crate::chain::voc::ReduceVoc;
    use clap::Parser;

    const LINE: &str = "create_sigs --vec_paths 'a b' --sig_dir sigs --sig_paths list --compress_sigs --sig_len 64 --rnd_dist levels";

    fn create_sigs(vec_paths: &str) -> CreateSigs {
        let words = ["create_sigs", "--vec_paths", vec_paths, "--sig_dir", "sigs"];
        let flags = ["--sig_paths=list", "--sig_len=64", "--rnd_dist=levels", "--compress_sigs"];
        CreateSigs::try_parse_from(words.into_iter().chain(flags)).unwrap()
    }

    #[test]
    fn command_lines_omit_defaults_and_quote_paths() {
        assert_eq!(create_sigs("a b").command_line(), LINE);
        assert_eq!(quoted(Path::new("it's")), r"'it'\''s'");
        let line = "reduce_voc --old_voc_name a --new_voc_name b --min_df 2 --max_df inf";
        let parsed = ReduceVoc::try_parse_from(line.split(' ')).unwrap();
        assert_eq!(parsed.command_line(), line);
        let line = "hamming --sig_paths a --out b --threshold 79.50 --iter_count 3 --beam 2 --shift_count full --target_recall 0.5";
        let parsed = Hamming::try_parse_from(line.split(' ')).unwrap();
        assert_eq!(parsed.command_line(), line);
    }

    #[test]
    fn parameters_are_the_flags_that_shape_the_output() {
        let expected = serde_json::json!({
            "sig_len": 64, "rnd_dist": "levels", "rnd_seed": 2007, "below_zero_percent": null
        });
        assert_eq!(Value::Object(create_sigs("x").parameters()), expected);
    }
}
