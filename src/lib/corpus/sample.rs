//! The sample: documents that a search compares with the collection.

use rustc_hash::{FxHashMap, FxHashSet};

use super::readable;
use crate::error::{Error, Result, excerpt};
use crate::executable::FlagPath;
use crate::files::ids::IdNames;
use crate::files::list::{self, ListEntry, Separator};
use crate::files::name;
use crate::files::names::Names;

/// A `sample_list`.
#[derive(Debug, Clone)]
pub struct SampleList {
    /// The list.
    pub path: FlagPath,
    /// Separator of its names.
    pub separator: Separator,
    /// The id file of a numbered collection, to translate names.
    pub id_file: Option<FlagPath>,
}

/// A document of the sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Its name as the pipeline's files write it.
    pub name: String,
    /// Its number in the collection, if it is part of it.
    pub number: Option<usize>,
}

impl SampleList {
    /// Looks up the sample in a collection, in list order. A name may be spelled as in the `doc_list` or, failing that, as in the
    /// pipeline's files. An unknown name gets no number if `may_miss` (a document without terms has no signature), else it is an error. A list
    /// without any known name is always an error: it belongs to another collection.
    pub fn find(&self, names: &Names, may_miss: bool) -> Result<Vec<Sample>> {
        let index = names.index();
        let numbers = self.numbers_by_name()?;
        let mut seen = FxHashSet::default();
        let mut sample = Vec::new();
        for entry in list::read(&self.path, self.separator)? {
            let (spellings, likeliest) = spellings(&entry, &numbers);
            let document = match spellings.into_iter().find(|name| index.contains_key(&**name)) {
                Some(name) => Sample { number: Some(index[&*name]), name },
                None if may_miss => Sample { name: likeliest, number: None },
                None => return Err(self.wrong(&entry, "a document of the collection")),
            };
            if !seen.insert(document.name.clone()) {
                return Err(self.wrong(&entry, "every document once"));
            }
            sample.push(document);
        }
        if sample.iter().all(|document| document.number.is_none()) {
            return Err(Error::in_file(&self.path, "names no document of the collection"));
        }
        Ok(sample)
    }

    /// Returns the ids by name, empty without an id file.
    fn numbers_by_name(&self) -> Result<FxHashMap<String, String>> {
        let Some(path) = &self.id_file else { return Ok(FxHashMap::default()) };
        Ok(IdNames::read(path)?.names.into_iter().map(|(id, name)| (name, id)).collect())
    }

    fn wrong(&self, entry: &ListEntry, expected: &str) -> Error {
        Error::parse(&self.path, entry.line, expected, excerpt(&readable(&entry.encoded())))
    }
}

/// Returns the encoded names that an entry of the list may mean: a number of the id file, the entry as a name of the `doc_list`, or as an encoded
/// name. Returns also the name of an unknown document: its number, the entry if it is an encoded name, else the encoded entry. With an id file
/// its names take precedence, even if they look like numbers.
fn spellings(entry: &ListEntry, numbers: &FxHashMap<String, String>) -> (Vec<String>, String) {
    let raw = entry.encoded();
    let text = std::str::from_utf8(&entry.raw).ok();
    let written = text.and_then(name::decode).map(|raw| name::encode(&raw));
    let id = numbers.get(&raw).or_else(|| numbers.get(written.as_ref()?)).cloned();
    let encoded = written.clone().filter(|written| Some(&**written) == text);
    let likeliest = id.clone().or(encoded).unwrap_or_else(|| raw.clone());
    ([id, Some(raw), written].into_iter().flatten().collect(), likeliest)
}
