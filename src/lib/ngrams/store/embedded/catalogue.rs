//! Records of the catalogue: numbers of seven bits per byte, and strings after their lengths.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use twox_hash::XxHash3_64;

use crate::files::paths::path_from_bytes;
use crate::ngrams::store::CatalogueEntry;

/// Bytes of a record's checksum.
const CHECKSUM: usize = 4;
/// The number of a path that ends the id of its document.
const IN_ID: u64 = 0;

/// Returns the hash by which ids are found.
pub fn id_hash(id: &str) -> u64 {
    XxHash3_64::oneshot(id.as_bytes())
}

/// Paths of files with several documents, numbered from 1.
#[derive(Default)]
pub struct PathTable {
    numbers: FxHashMap<Vec<u8>, u64>,
    /// The paths, each after its length.
    pub encoded: Vec<u8>,
}

impl PathTable {
    fn number(&mut self, path: &[u8]) -> u64 {
        if let Some(number) = self.numbers.get(path) {
            return *number;
        }
        let number = self.numbers.len() as u64 + 1;
        self.numbers.insert(path.to_vec(), number);
        push_bytes(&mut self.encoded, path);
        number
    }

    /// Reads a table. Returns `None` if it is damaged.
    pub fn decode(mut bytes: &[u8]) -> Option<Vec<PathBuf>> {
        let mut paths = Vec::new();
        while !bytes.is_empty() {
            paths.push(path_from_bytes(take_bytes(&mut bytes)?));
        }
        Some(paths)
    }
}

/// Appends the record of a document.
pub fn encode(entry: &CatalogueEntry, paths: &mut PathTable, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    let path = path_bytes(&entry.path);
    push_bytes(bytes, entry.id.as_bytes());
    match entry.id.as_bytes().ends_with(path) {
        true => {
            push_number(bytes, IN_ID);
            push_number(bytes, path.len() as u64);
        }
        false => push_number(bytes, paths.number(path)),
    }
    push_number(bytes, entry.line);
    push_number(bytes, entry.position.map_or(0, |position| position.saturating_add(1)));
    push_number(bytes, entry.words);
    bytes.extend_from_slice(&entry.text_hash.to_le_bytes());
    push_number(bytes, entry.ngrams.len() as u64);
    for (length, count) in &entry.ngrams {
        push_number(bytes, *length as u64);
        push_number(bytes, *count);
    }
    let checksum = XxHash3_64::oneshot(&bytes[start..]) as u32;
    bytes.extend_from_slice(&checksum.to_le_bytes());
}

/// Reads a record. Returns `None` if it is damaged.
pub fn decode(record: &[u8], paths: &[PathBuf]) -> Option<CatalogueEntry> {
    let (mut bytes, checksum) = record.split_at_checked(record.len().checked_sub(CHECKSUM)?)?;
    if checksum != (XxHash3_64::oneshot(bytes) as u32).to_le_bytes() {
        return None;
    }
    let bytes = &mut bytes;
    let id = String::from_utf8(take_bytes(bytes)?.to_vec()).ok()?;
    let path = match take_number(bytes)? {
        IN_ID => {
            let start = id.len().checked_sub(take_number(bytes)? as usize)?;
            path_from_bytes(&id.as_bytes()[start..])
        }
        number => paths.get(number as usize - 1)?.clone(),
    };
    let (line, position) = (take_number(bytes)?, take_number(bytes)?.checked_sub(1));
    let words = take_number(bytes)?;
    let (text_hash, rest) = bytes.split_first_chunk::<8>()?;
    *bytes = rest;
    let text_hash = u64::from_le_bytes(*text_hash);
    let mut ngrams = Vec::new();
    for _ in 0..take_number(bytes)? {
        ngrams.push((take_number(bytes)? as usize, take_number(bytes)?));
    }
    Some(CatalogueEntry { id, path, line, position, words, text_hash, ngrams })
}

fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Appends a number.
pub fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number from the front. Returns `None` if there is none.
pub fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Appends a string after its length.
pub fn push_bytes(bytes: &mut Vec<u8>, string: &[u8]) {
    push_number(bytes, string.len() as u64);
    bytes.extend_from_slice(string);
}

/// Takes a string from the front. Returns `None` if there is none.
pub fn take_bytes<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = take_number(bytes)?;
    let (string, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
    *bytes = rest;
    Some(string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_are_read_as_written(
            entries in prop::collection::vec(("\\PC{0,20}", "[ab]{0,3}", any::<bool>(), any::<(u64, Option<u32>, u64, u64)>(), prop::collection::vec((0usize..100, any::<u64>()), 0..4)), 0..9),
            cut in any::<prop::sample::Index>(),
        ) {
            let (mut paths, mut bytes, mut expected) = (PathTable::default(), Vec::new(), Vec::new());
            for (name, path, is_file, (line, position, words, text_hash), ngrams) in entries {
                let id = if is_file { format!("{name}{path}") } else { name };
                let entry = CatalogueEntry { id, path: path.into(), line, position: position.map(u64::from), words, text_hash, ngrams };
                let start = bytes.len();
                encode(&entry, &mut paths, &mut bytes);
                expected.push((start..bytes.len(), entry));
            }
            let paths = PathTable::decode(&paths.encoded).unwrap();
            for (range, entry) in &expected {
                let record = &bytes[range.clone()];
                let decoded = decode(record, &paths);
                prop_assert_eq!(decoded.as_ref(), Some(entry));
                prop_assert_eq!(decode(&record[..cut.index(record.len())], &paths), None);
            }
        }
    }
}
