//! Parts of an index, made with `--shard I/N`.

use std::path::PathBuf;

use super::executable::NgramIndex;
use super::store::embedded::{EmbeddedWriter, IndexShard, compare_shard};
use super::store::{NgramWriter, StorePlace};
use crate::corpus::{self, InputFiles, Inputs};
use crate::error::{Error, Result};
use crate::executable::{Completeness, Executable, is_newer};
use crate::files::index::HEAD;
use crate::files::manifest::ShardEntry;
use crate::session::Session;
use crate::shard::Shard;

impl NgramIndex {
    /// Opens a new part of an index. With `--resume`, an older one is replaced.
    pub(super) fn open_shard(
        &self,
        shard: IndexShard,
        session: &Session,
    ) -> Result<Box<dyn NgramWriter>> {
        let folder = self.shard_folder()?;
        let writer = EmbeddedWriter::open_shard(&folder, shard, self.shards.resume, session)?;
        Ok(Box::new(writer.with_postings_per_run(self.buffer)))
    }

    /// Describes a part of these documents.
    pub(super) fn index_shard(
        &self,
        shard: Shard,
        all: &InputFiles,
        inputs: &Inputs,
    ) -> Result<IndexShard> {
        let entry = ShardEntry::new(shard).with_collection(all.checksum(inputs)?);
        Ok(IndexShard { entry, flags: self.parameters() })
    }

    /// Compares an existing part with the one that a run would write.
    pub(super) fn shard_completeness(&self, shard: Shard) -> Result<Completeness> {
        self.check_inputs()?;
        let (folder, inputs) = (self.shard_folder()?, Inputs::new(self.inputs.clone()));
        let wanted = self.index_shard(shard, &corpus::find(&inputs)?, &inputs)?;
        let parameters = self.index_parameters(None, self.chosen_config()?);
        let newer = inputs.paths().find(|input| is_newer(input, &folder.join(HEAD)));
        if let Some(input) = newer {
            return Ok(Completeness::Incomplete(format!("{} is newer", input.display())));
        }
        Ok(match compare_shard(&folder, &wanted, &parameters) {
            Ok(files) => Completeness::Complete(files),
            Err(why) => Completeness::Incomplete(why),
        })
    }

    fn shard_folder(&self) -> Result<PathBuf> {
        match self.place.place()? {
            StorePlace::Folder(folder) => self.shards.path("index", folder),
            StorePlace::Cluster(_) => {
                let why = "runs add their documents to a cluster one after the other";
                Err(Error::Usage(format!("--store excludes --shard: {why}")))
            }
        }
    }
}
