//! Where an index is: a folder, or a cluster.

use std::path::Path;

use clap::Args;
use serde::Serialize;

use super::embedded::{EmbeddedStore, EmbeddedWriter};
use super::redis::{RedisStore, RedisUrl, RedisWriter};
use super::{NgramStore, NgramWriter};
use crate::error::{Error, Result};
use crate::executable::FlagPath;
use crate::session::Session;

/// The flags that name an index: exactly one of them.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize)]
#[group(required = true, multiple = false)]
#[command(rename_all = "snake_case")]
pub struct StoreArgs {
    /// Folder of the index
    #[arg(long, value_name = "DIR", help_heading = "Index")]
    pub index: Option<FlagPath>,
    /// Address of the index in a Redis cluster: redis://HOST:PORT,…/NAME, with some of its nodes; ?timeout=S after it limits the wait for a lost node to S seconds (default 30)
    #[arg(long, value_name = "URL", help_heading = "Index")]
    pub store: Option<RedisUrl>,
}

/// The place of an index.
#[derive(Debug, Clone, Copy)]
pub enum StorePlace<'a> {
    /// A folder.
    Folder(&'a Path),
    /// A cluster.
    Cluster(&'a RedisUrl),
}

impl StoreArgs {
    /// Returns the place.
    ///
    /// # Errors
    /// No flag, or both of them.
    pub fn place(&self) -> Result<StorePlace<'_>> {
        match (&self.index, &self.store) {
            (Some(folder), None) => Ok(StorePlace::Folder(folder)),
            (None, Some(url)) => Ok(StorePlace::Cluster(url)),
            _ => Err(Error::Usage("expected --index or --store".into())),
        }
    }

    /// Opens the index to read it.
    pub fn open(&self, session: &Session) -> Result<Box<dyn NgramStore>> {
        Ok(match self.place()? {
            StorePlace::Folder(folder) => Box::new(EmbeddedStore::open(folder, session)?),
            StorePlace::Cluster(url) => Box::new(RedisStore::open(url, session)?),
        })
    }

    /// Opens the index to change it, created if missing. The argument is the maximum number of postings in memory.
    pub fn open_writer(&self, postings: u64, session: &Session) -> Result<Box<dyn NgramWriter>> {
        Ok(match self.place()? {
            StorePlace::Folder(folder) => {
                Box::new(EmbeddedWriter::open(folder, session)?.with_postings_per_run(postings))
            }
            StorePlace::Cluster(url) => {
                Box::new(RedisWriter::open(url, session)?.with_postings_per_batch(postings))
            }
        })
    }

    /// Opens an index that must exist to change it.
    pub fn open_existing_writer(&self, session: &Session) -> Result<Box<dyn NgramWriter>> {
        Ok(match self.place()? {
            StorePlace::Folder(folder) => Box::new(EmbeddedWriter::open_existing(folder, session)?),
            StorePlace::Cluster(url) => Box::new(RedisWriter::open_existing(url, session)?),
        })
    }
}
