//! Identities of documents: prefix and canonical path of a file, prefix and id of a record, the URL of a Wikipedia extract or web page. A text from a pipe has no
//! path: its content tells it from others.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::store::{CatalogueEntry, DocumentKey, NgramStore};
use crate::corpus::{InputDocument, InputFiles, SourcePath, text_hash};
use crate::error::Result;
use crate::files::name::id_of_bytes;

/// Names the documents of a run.
pub struct Identities {
    prefix: String,
    sources: Vec<Option<SourcePath>>,
    /// Whether files may be symbolic links.
    follows_links: bool,
    /// Canonical paths of folders.
    folders: Mutex<FxHashMap<PathBuf, PathBuf>>,
}

impl Identities {
    /// Names the documents of these files.
    pub fn new(prefix: &str, files: &InputFiles, follows_links: bool) -> Self {
        let (prefix, sources) = (prefix.to_string(), files.source_paths());
        Identities { prefix, sources, follows_links, folders: Mutex::default() }
    }

    /// Returns the extension of a document's file in lower case.
    pub fn extension(&self, document: &InputDocument<'_>) -> String {
        let source = self.sources[document.origin.source].as_ref();
        source.map_or_else(String::new, |source| crate::files::extension(&source.path))
    }

    /// Returns the entry of a document in an index, without its counts.
    pub fn stored_entry(&self, document: &InputDocument<'_>) -> CatalogueEntry {
        let (mut entry, origin) = (self.entry(document), document.origin);
        entry.text_hash = text_hash(&document.text);
        if entry.path.as_os_str().is_empty()
            && origin.line == 0
            && !origin.is_named
            && !origin.is_url
        {
            entry.id = format!("{}:{:016x}", entry.id, entry.text_hash);
        }
        entry
    }

    /// Returns the identity that results show, and the place of a document, without its counts.
    pub fn entry(&self, document: &InputDocument<'_>) -> CatalogueEntry {
        let origin = document.origin;
        let path = self.canonical(origin.source);
        let raw_path = path.as_os_str().as_encoded_bytes();
        let id = if origin.is_url {
            document.id.to_string()
        } else if origin.is_named || path.as_os_str().is_empty() {
            format!("{}{}", self.prefix, document.id)
        } else if origin.line > 0 {
            format!("{}{}:{}", self.prefix, id_of_bytes(raw_path), origin.line)
        } else {
            format!("{}{}", self.prefix, id_of_bytes(raw_path))
        };
        let (line, position) = (origin.line, origin.position);
        CatalogueEntry { id, path, line, position, ..CatalogueEntry::default() }
    }

    /// Returns the entry of a file that is one document, without its counts.
    pub fn file_entry(&self, source: usize) -> CatalogueEntry {
        let path = self.canonical(source);
        let id = format!("{}{}", self.prefix, id_of_bytes(path.as_os_str().as_encoded_bytes()));
        CatalogueEntry { id, path, ..CatalogueEntry::default() }
    }

    /// Returns the canonical path of a source; empty for standard input and pipes.
    fn canonical(&self, source: usize) -> PathBuf {
        match &self.sources[source] {
            None => PathBuf::new(),
            Some(SourcePath { path, archive: None }) => self.canonical_file(path),
            Some(SourcePath { path, archive: Some(archive) }) => {
                let member = &path.as_os_str().as_encoded_bytes()[archive.as_os_str().len()..];
                let mut name = self.canonical_file(archive).into_os_string();
                name.push(crate::files::paths::path_from_bytes(member));
                name.into()
            }
        }
    }

    fn canonical_file(&self, path: &Path) -> PathBuf {
        let whole = || std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return whole() };
        if self.follows_links || path.is_symlink() {
            return whole();
        }
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = folders.get(folder) {
            return known.join(name);
        }
        let above = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(real) = std::fs::canonicalize(above) else { return whole() };
        let joined = real.join(name);
        folders.insert(folder.to_path_buf(), real);
        joined
    }
}

/// Maximum number of records with the same id that are distinguished.
const MAX_REPEATS: usize = 1000;

/// Returns the document of an index with an identity: of records with the same id, which have numbers (`a`, `a#2`), the one at the same place, else the first.
pub fn find_stored(store: &dyn NgramStore, own: &CatalogueEntry) -> Result<Option<DocumentKey>> {
    let Some(first) = store.find(&own.id)? else { return Ok(None) };
    let mut found = first;
    for number in 2..MAX_REPEATS {
        let entry = store.entry(found)?;
        if (&entry.path, entry.line) == (&own.path, own.line) {
            return Ok(Some(found));
        }
        match store.find(&numbered(&own.id, number as u64))? {
            Some(next) => found = next,
            None => break,
        }
    }
    Ok(Some(first))
}

/// Returns a repeated id with its number.
pub fn numbered(id: &str, number: u64) -> String {
    format!("{id}#{number}")
}
