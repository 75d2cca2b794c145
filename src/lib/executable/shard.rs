//! The flag of stages that can run in parts.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::files::is_stream;
use crate::shard::Shard;

/// The part of a stage's work that a run does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Args, Serialize)]
#[command(rename_all = "snake_case")]
pub struct ShardFlags {
    /// Do part I of N of the work, from 1/N to N/N. Output names get '.I-of-N' before the extension; the merge_ executables join the parts to the
    /// output of the whole stage
    #[arg(long, value_name = "I/N", help_heading = "Shards")]
    pub shard: Option<Shard>,
    /// Exit at once if this shard's outputs are complete: made with the same flags from the same inputs, with the checksums of their manifests
    #[arg(long, help_heading = "Shards", requires = "shard")]
    pub resume: bool,
}

impl ShardFlags {
    /// Returns the name of an output of this part.
    ///
    /// # Errors
    /// Standard output: parts are merged by their manifests, which a stream does not have.
    pub fn path(self, flag: &str, path: &Path) -> Result<PathBuf> {
        match self.shard {
            Some(_) if is_stream(path) => {
                Err(Error::Usage(format!("--{flag}: expected a file with --shard, found '-'")))
            }
            Some(shard) => Ok(shard.path(path)),
            None => Ok(path.to_path_buf()),
        }
    }
}
