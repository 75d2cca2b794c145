//! The part of a stage's work that some files cover.

use serde::{Deserialize, Serialize};

use super::digest::Checksum;
use crate::shard::Shard;

/// Which part of a stage's output the files are: the entry `shard` of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardEntry {
    index: u32,
    count: u32,
    /// Records per data file of the whole output, if the merger has to cut files anew.
    #[serde(default)]
    pub per_file: Option<u64>,
    /// The checksum of the names and sizes of all documents' files, where the stage reads documents.
    #[serde(default)]
    pub collection: Option<Checksum>,
}

impl ShardEntry {
    /// Describes a part.
    pub fn new(shard: Shard) -> Self {
        let (index, count) = (shard.index(), shard.count());
        ShardEntry { index, count, per_file: None, collection: None }
    }

    /// Sets the number of records per data file of the whole output.
    pub fn with_per_file(self, per_file: u64) -> Self {
        ShardEntry { per_file: Some(per_file), ..self }
    }

    /// Sets the checksum of the collection.
    pub fn with_collection(self, checksum: u64) -> Self {
        ShardEntry { collection: Some(Checksum(checksum)), ..self }
    }

    /// Returns the part, unless the numbers are those of none.
    pub fn shard(self) -> Option<Shard> {
        Shard::new(self.index, self.count)
    }
}
