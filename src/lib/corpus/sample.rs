//! The sample: the documents against which similarities are computed.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::{Names, readable};
use crate::error::{Error, Result, excerpt};
use crate::files::list::{self, Entry, Separator};
use crate::files::{ids, name};

/// A `sample_list` as the user gave it.
#[derive(Debug, Clone)]
pub struct SampleList {
    /// The list.
    pub path: PathBuf,
    /// How its names are separated.
    pub separator: Separator,
    /// The id file of a numbered collection, so that the list may hold names.
    pub id_file: Option<PathBuf>,
}

/// One document of the sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Its name as the chain's files write it.
    pub name: String,
    /// Its number in the collection, or `None` if it is not there.
    pub number: Option<usize>,
}

impl SampleList {
    /// Looks the sample up in a collection, in the list's order. A name may be spelled as in the `doc_list` or as in
    /// the chain's files; the first is tried first. A name that is not there gets no number if `may_miss`
    /// (a document without terms has no signature), and is an error otherwise. A list in which nothing is found
    /// is an error always: it belongs to another collection.
    pub fn find(&self, names: &Names, may_miss: bool) -> Result<Vec<Sample>> {
        let index = names.index();
        let numbers = self.numbers_by_name()?;
        let mut seen = FxHashMap::default();
        let mut sample = Vec::new();
        for entry in list::read(&self.path, self.separator)? {
            let found = spellings(&entry, &numbers)
                .find_map(|name| index.get(name.as_str()).map(|number| (name, *number)));
            let document = match found {
                Some((name, number)) => Sample { name, number: Some(number) },
                None if may_miss => Sample { name: entry.encoded(), number: None },
                None => return Err(self.wrong(&entry, "a document of the collection")),
            };
            if seen.insert(document.name.clone(), entry.line).is_some() {
                return Err(self.wrong(&entry, "every document once"));
            }
            sample.push(document);
        }
        if sample.iter().all(|document| document.number.is_none()) {
            let path = self.path.display();
            return Err(Error::Message(format!("{path}: names no document of the collection")));
        }
        Ok(sample)
    }

    /// The ids by name, empty without an id file.
    fn numbers_by_name(&self) -> Result<FxHashMap<String, String>> {
        let Some(path) = &self.id_file else { return Ok(FxHashMap::default()) };
        Ok(ids::read(path)?.into_iter().map(|(id, name)| (name, id)).collect())
    }

    fn wrong(&self, entry: &Entry, expected: &str) -> Error {
        Error::Parse {
            path: self.path.clone(),
            line: entry.line,
            expected: expected.into(),
            found: excerpt(&readable(&entry.encoded())),
        }
    }

    /// Where the list stands.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The names that an entry may mean, likeliest first.
fn spellings(entry: &Entry, numbers: &FxHashMap<String, String>) -> impl Iterator<Item = String> {
    let raw = entry.encoded();
    let written = std::str::from_utf8(&entry.raw)
        .ok()
        .and_then(name::canonical)
        .map(|name| name.into_owned());
    let names: Vec<String> = std::iter::once(raw).chain(written).collect();
    let ids: Vec<String> = names.iter().filter_map(|name| numbers.get(name).cloned()).collect();
    names.into_iter().chain(ids)
}
