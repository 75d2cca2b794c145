//! Pairs of documents to compare, read from a file.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::executable::{StoredDocument, input_ids};
use crate::error::{Error, Result, excerpt};
use crate::files::ids::IdNames;
use crate::files::pairs::PairFile;

/// Pairs of documents, in the order of their file. A pair that result lines list under both documents counts once.
pub(super) struct DocumentPairs {
    path: PathBuf,
    /// The ids as the input may have them.
    wanted: FxHashSet<String>,
    /// Documents by their ids, numbered in the order of the file.
    numbers: FxHashMap<String, u32>,
    /// The pairs, with their lines.
    pairs: Vec<([u32; 2], u64)>,
}

impl DocumentPairs {
    /// Reads pairs in any form.
    pub fn read(path: &Path, names: Option<&IdNames>) -> Result<Self> {
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let (mut known, mut pairs) = (FxHashSet::default(), Vec::new());
        PairFile::open(path)?.for_each_pair(names, |pair| {
            let [left, right] = pair.ids.map(|id| match numbers.get(id) {
                Some(number) => *number,
                None => {
                    let number = numbers.len() as u32;
                    numbers.insert(id.to_string(), number);
                    number
                }
            });
            if known.insert([left.min(right), left.max(right)]) {
                pairs.push(([left, right], pair.line));
            }
            Ok(())
        })?;
        let wanted = input_ids(numbers.keys().map(|id| &**id));
        Ok(DocumentPairs { path: path.to_path_buf(), wanted, numbers, pairs })
    }

    /// Returns whether a pair may have the document with this id of the input.
    pub fn has(&self, id: &str) -> bool {
        self.wanted.contains(id)
    }

    /// Returns the pairs as positions of documents.
    ///
    /// # Errors
    /// A document that the input lacks, at the line that names it first.
    pub fn resolve(&self, documents: &[StoredDocument<'_>]) -> Result<Vec<[usize; 2]>> {
        let mut positions = vec![None; self.numbers.len()];
        for (position, document) in documents.iter().enumerate() {
            if let Some(number) = self.numbers.get(document.id) {
                positions[*number as usize] = Some(position);
            }
        }
        let resolve = |(pair, line): &([u32; 2], u64)| {
            let [left, right] = pair.map(|number| {
                positions[number as usize].ok_or_else(|| self.missing(number, *line))
            });
            Ok([left?, right?])
        };
        self.pairs.iter().map(resolve).collect()
    }

    fn missing(&self, number: u32, line: u64) -> Error {
        let id = self.numbers.iter().find(|(_, known)| **known == number).map(|(id, _)| &**id);
        let found = excerpt(id.unwrap_or_default());
        Error::parse(&self.path, line, "the id of a document of the input", found)
    }
}
