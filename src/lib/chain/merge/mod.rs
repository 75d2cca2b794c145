//! Mergers: the parts of a stage, made with `--shard I/N`, become the output of the whole stage. They stream, in bounded memory.

mod clusters;
mod lines;
mod pairs;
mod paths;
mod sigs;
mod voc;

pub use clusters::MergeClusters;
pub use pairs::MergePairs;
pub use paths::MergePaths;
pub use sigs::MergeSigs;
pub use voc::MergeVoc;

use crate::error::{Error, Result};
use crate::files::manifest::StageKind;
use crate::files::parts::Parts;

/// Returns the executable that merges parts of a kind.
fn merger(kind: StageKind) -> &'static str {
    match kind {
        StageKind::Bow | StageKind::Vec | StageKind::Print | StageKind::Ids => "merge_paths",
        StageKind::Voc => "merge_voc",
        StageKind::Sig => "merge_sigs",
        StageKind::Pairs => "merge_pairs",
    }
}

/// Fails if the parts are not what an executable merges.
fn check_merger(parts: &Parts, name: &str) -> Result<()> {
    let merger = merger(parts.kind());
    if merger == name {
        return Ok(());
    }
    let message = format!("is a shard of {} files; merge it with {merger}", parts.kind());
    Err(Error::in_file(&parts.paths[0], message))
}
