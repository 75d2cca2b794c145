//! The documents of an evaluation, with their texts.

use std::path::Path;

use crate::corpus::{self, Documents, InputFiles, Inputs};
use crate::error::{Error, Result, excerpt};
use crate::files::manifest::{Digest, Hasher};
use crate::files::names::Names;
use crate::files::pairs::for_each_known_pair;
use crate::session::Session;

/// Documents by number, with their texts in memory.
pub(super) struct CollectionTexts {
    pub ids: Names,
    pub texts: Vec<String>,
    /// Number of unreadable files and records.
    pub unreadable: u64,
    /// Digest of ids and texts.
    pub digest: Digest,
}

impl CollectionTexts {
    /// Reads all documents.
    pub fn read(inputs: &Inputs, files: InputFiles, session: &Session) -> Result<Self> {
        let read = corpus::read(inputs, files, session, |documents| {
            documents.iter().map(|document| document.text.to_string()).collect::<Vec<String>>()
        })?;
        let digest = digest(&read);
        let Documents { batches, ids, skipped, .. } = read;
        let texts = batches.into_iter().flatten().collect();
        Ok(CollectionTexts { ids, texts, unreadable: skipped.count(), digest })
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Reads known pairs, each once or more.
    ///
    /// # Errors
    /// A pair of a document that the input lacks.
    pub fn known_pairs(&self, path: &Path) -> Result<Vec<(u32, u32)>> {
        let numbers = self.ids.index();
        let mut pairs = Vec::new();
        for_each_known_pair(path, |line, ids| {
            let unknown =
                |id: &str| Error::parse(path, line, "a document of the input", excerpt(id));
            let number =
                |id: &str| numbers.get(id).map(|number| *number as u32).ok_or_else(|| unknown(id));
            pairs.push((number(ids[0])?, number(ids[1])?));
            Ok(())
        })?;
        Ok(pairs)
    }
}

/// Returns the digest of ids and text hashes.
fn digest<T>(read: &Documents<T>) -> Digest {
    let mut hasher = Hasher::default();
    for (id, hash) in read.ids.iter().zip(&read.text_hashes) {
        hasher.update(id.as_bytes());
        // No id contains this byte, which is never part of UTF-8.
        hasher.update(&[0xff]);
        hasher.update(&hash.to_le_bytes());
    }
    hasher.digest()
}
