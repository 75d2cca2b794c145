//! Shards that are complete, which `--resume` keeps.
//!
//! A shard is complete if every output has a manifest of the same executable, version, parameters, inputs and part, and all files have the checksums it states.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Executable, flags};
use crate::error::Result;
use crate::files::manifest::{Manifest, path_of};
use crate::shard::Shard;

/// Heading of the flags that name outputs.
const OUTPUT: &str = "Output";

/// Why a shard has to be run, or the number of its files if it is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completeness {
    /// `--resume` was not given.
    Unasked,
    /// All files are as a run would write them.
    Complete(u64),
    /// The first difference.
    Incomplete(String),
}

/// Compares the outputs of a run with `--shard` and `--resume` with their manifests. Reads all of them.
///
/// # Errors
/// Flags or inputs that the run itself would refuse.
pub fn completeness<T: Executable>(task: &T) -> Result<Completeness> {
    let values = flags::values(task);
    let is_asked = values.get("resume") == Some(&Value::Bool(true));
    let shard = values.get("shard").and_then(Value::as_str).and_then(|text| text.parse().ok());
    let (true, Some(shard)) = (is_asked, shard) else { return Ok(Completeness::Unasked) };
    let [outputs, inputs] = paths(task);
    let mut files = 0;
    for output in outputs.iter().map(|path| Shard::path(shard, path)) {
        match check(task, shard, &output, &inputs)? {
            Ok(count) => files += count,
            Err(why) => return Ok(Completeness::Incomplete(why)),
        }
    }
    Ok(match outputs.is_empty() {
        true => Completeness::Incomplete("no output has a manifest".into()),
        false => Completeness::Complete(files),
    })
}

/// Returns the files that the flags name: outputs and inputs. Folders of outputs are left out: a list names their files.
fn paths<T: Executable>(task: &T) -> [Vec<PathBuf>; 2] {
    let (command, values) = (T::command(), flags::values(task));
    let mut all = [Vec::new(), Vec::new()];
    for argument in command.get_arguments().filter(|argument| flags::takes_path(argument)) {
        let is_output = argument.get_help_heading() == Some(OUTPUT);
        let names = argument.get_value_names().unwrap_or_default();
        if is_output && names.iter().any(|name| name == "DIR") {
            continue;
        }
        let value = values.get(argument.get_id().as_str()).unwrap_or(&Value::Null);
        all[usize::from(!is_output)].extend(flags::texts(value).into_iter().map(PathBuf::from));
    }
    all
}

/// Returns the number of files of a complete output, or its first difference from what a run would write.
fn check<T: Executable>(
    task: &T,
    shard: Shard,
    output: &Path,
    inputs: &[PathBuf],
) -> Result<Result<u64, String>> {
    let why = |text: String| Ok(Err(format!("{}: {text}", output.display())));
    let manifest = match Manifest::beside(output) {
        Ok(Some(manifest)) => manifest,
        Ok(None) => return why("no manifest".into()),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let (entry, parameters) = task.shard_entry(shard)?;
    let wanted = task.provenance(manifest.provenance.kind).with_parameters(parameters);
    let mut read = Vec::new();
    for input in inputs {
        match Manifest::beside(input)? {
            Some(input) => read.push(input.provenance),
            None if is_newer(input, &path_of(output)) => {
                return why(format!("{} is newer", input.display()));
            }
            None => {}
        }
    }
    if let Some(difference) = manifest.difference_from(&wanted, entry, &read) {
        return why(difference);
    }
    Ok(manifest.verify(output).map_err(|error| error.to_string()))
}

/// Returns whether a file, not a folder, was changed after the manifest of an output.
pub(crate) fn is_newer(input: &Path, manifest: &Path) -> bool {
    let changed = |path: &Path| {
        let about = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
        about.and_then(|about| about.modified().ok())
    };
    changed(input).zip(changed(manifest)).is_some_and(|(input, manifest)| input > manifest)
}
