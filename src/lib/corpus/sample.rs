//! The sample: the documents against which similarities are computed.

use std::path::PathBuf;

use rustc_hash::{FxHashMap, FxHashSet};

use super::readable;
use crate::error::{Error, Result, excerpt};
use crate::files::list::{self, ListEntry, Separator};
use crate::files::names::Names;
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
        let mut seen = FxHashSet::default();
        let mut sample = Vec::new();
        for entry in list::read(&self.path, self.separator)? {
            let spellings = Spellings::of(&entry, &numbers);
            let document = match spellings.all().find(|name| index.contains_key(name)) {
                Some(name) => Sample { name: name.into(), number: Some(index[name]) },
                None if may_miss => Sample { name: spellings.likeliest().into(), number: None },
                None => return Err(self.wrong(&entry, "a document of the collection")),
            };
            if !seen.insert(document.name.clone()) {
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

    fn wrong(&self, entry: &ListEntry, expected: &str) -> Error {
        Error::Parse {
            path: self.path.clone(),
            line: entry.line,
            expected: expected.into(),
            found: excerpt(&readable(&entry.encoded())),
        }
    }
}

/// The names, as the chain's files write them, that an entry of the list may mean. With an id file, what it calls a name is one, even if it looks
/// like a number.
struct Spellings {
    /// The entry as a name of the `doc_list`.
    raw: String,
    /// The entry as a name that is written already, if it can be one.
    written: Option<String>,
    /// Whether that is exactly how it stands.
    looks_written: bool,
    /// The number of either in a numbered collection.
    id: Option<String>,
}

impl Spellings {
    fn of(entry: &ListEntry, numbers: &FxHashMap<String, String>) -> Self {
        let raw = entry.encoded();
        let text = std::str::from_utf8(&entry.raw).ok();
        let written = text.and_then(name::decode).map(|raw| name::encode(&raw));
        let id = numbers.get(&raw).or_else(|| numbers.get(written.as_ref()?)).cloned();
        let looks_written = written.is_some() && written.as_deref() == text;
        Spellings { raw, written, looks_written, id }
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        [self.id.as_ref(), Some(&self.raw), self.written.as_ref()]
            .into_iter()
            .flatten()
            .map(|name| &**name)
    }

    /// What a document that is not there is called: its number where it has one; as it stands where that is how the
    /// chain writes some name; else as the chain writes it.
    fn likeliest(&self) -> &str {
        let written = self.written.as_ref().filter(|_| self.looks_written);
        self.id.as_ref().or(written).unwrap_or(&self.raw)
    }
}
