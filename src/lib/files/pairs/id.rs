//! Ids of tables and names of result lines: two spellings of the same document.
//!
//! An id is a text as `find_near_dups` has it: `a b.txt`. A name is its percent-encoding in the pipeline's files: `a%20b.txt`
//! ([`crate::files::name`]). In ids of files whose names are not UTF-8, only the invalid bytes are written as `%XX`.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::files::{ids, name};

/// Names of a numbered collection: the id file of `create_bows`.
#[derive(Debug)]
pub struct IdNames {
    path: PathBuf,
    names: FxHashMap<String, String>,
}

impl IdNames {
    /// Reads an id file.
    pub fn read(path: &Path) -> Result<Self> {
        Ok(IdNames { path: path.to_path_buf(), names: ids::read(path)? })
    }

    /// Returns the name of a document. Fails if the file has no such number.
    pub fn name(&self, number: &str) -> Result<&str> {
        let unknown = || {
            Error::Message(format!("{}: has no document numbered '{number}'", self.path.display()))
        };
        self.names.get(number).map(|name| &**name).ok_or_else(unknown)
    }
}

/// Returns the name that stands for an id in result lines.
pub fn name_of_id(id: &str) -> String {
    match invalid_bytes(id) {
        Some(raw) => name::encode(&raw),
        None => name::encode(id.as_bytes()),
    }
}

/// Returns the id that stands for a name in tables.
pub fn id_of_name(encoded: &str) -> Cow<'_, str> {
    match name::decode(encoded) {
        Some(raw) if encoded.contains('%') => Cow::Owned(id_of_bytes(&raw)),
        _ => Cow::Borrowed(encoded),
    }
}

/// Returns the id of a raw file name: UTF-8 as it is, other bytes as `%XX`.
pub fn id_of_bytes(raw: &[u8]) -> String {
    let mut id = String::with_capacity(raw.len());
    for chunk in raw.utf8_chunks() {
        id.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| id.push_str(&format!("%{byte:02X}")));
    }
    id
}

/// Returns the raw bytes of an id with `%XX` for bytes that are not UTF-8, or `None` if it has no such byte.
fn invalid_bytes(id: &str) -> Option<Vec<u8>> {
    let mut pieces = id.split('%');
    let mut raw = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        let byte = piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|byte| !byte.is_ascii()) {
            Some(byte) => {
                raw.push(byte);
                raw.extend_from_slice(&piece.as_bytes()[2..]);
            }
            None => {
                raw.push(b'%');
                raw.extend_from_slice(piece.as_bytes());
            }
        }
    }
    (raw != id.as_bytes() && id_of_bytes(&raw) == id).then_some(raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_spellings_name_the_same_document() {
        for (id, name) in [
            ("a b:(1).txt", "a%20b%3A%281%29.txt"),
            ("100%", "100%25"),
            ("x%FF y", "x%FF%20y"),
            ("x%C5%99", "x%25C5%2599"),
            ("%20", "%2520"),
            ("7", "7"),
        ] {
            assert_eq!((&*name_of_id(id), &*id_of_name(name)), (name, id));
        }
    }

    proptest! {
        #[test]
        fn names_of_any_bytes_round_trip(mut raw in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'%'), Just(b'F'), Just(0xff)], 0..20)) {
            let name = name::encode(&raw);
            prop_assert_eq!(id_of_name(&name), id_of_bytes(&raw));
            // A literal "%FF" has the id of the byte.
            raw.retain(|byte| *byte != b'%');
            prop_assert_eq!(name_of_id(&id_of_bytes(&raw)), name::encode(&raw));
        }

        #[test]
        fn ids_round_trip(id in "(%|F|[a-f]|\\PC| |ř){0,20}") {
            let name = name_of_id(&id);
            prop_assert_eq!(id_of_name(&name), id.as_str());
        }
    }
}
