//! Blocks of the catalogue: the entries of a few documents with consecutive numbers, in one value.

use std::collections::BTreeMap;

use crate::ngrams::store::CatalogueEntry;
use crate::ngrams::store::embedded::catalogue::{self, PathTable, push_bytes, push_number};
use crate::ngrams::store::embedded::catalogue::{take_bytes, take_number};

/// Documents per block.
const PER_BLOCK: u32 = 16;

/// Returns the block of a document.
pub fn block_of(document: u32) -> u64 {
    u64::from(document / PER_BLOCK)
}

/// Appends the entry of a document to a block: the number, the path if the id does not end with it, the record.
pub fn encode(document: u32, entry: &CatalogueEntry, block: &mut Vec<u8>) {
    let (mut paths, mut record) = (PathTable::default(), Vec::new());
    catalogue::encode(entry, &mut paths, &mut record);
    push_number(block, document.into());
    push_bytes(block, &paths.encoded);
    push_bytes(block, &record);
}

/// Reads a block. An entry that a retry has appended twice is there once. Returns `None` if the block is damaged.
pub fn decode(mut block: &[u8]) -> Option<BTreeMap<u32, CatalogueEntry>> {
    let mut entries = BTreeMap::new();
    while !block.is_empty() {
        let document = u32::try_from(take_number(&mut block)?).ok()?;
        let paths = PathTable::decode(take_bytes(&mut block)?)?;
        entries.insert(document, catalogue::decode(take_bytes(&mut block)?, &paths)?);
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_as_written() {
        let entry = |id: &str, path: &str| CatalogueEntry {
            id: id.into(),
            path: path.into(),
            line: 3,
            position: Some(1000),
            words: 500,
            text_hash: u64::MAX,
            ngrams: vec![(7, 9), (15, 0)],
        };
        let entries = [(5, entry("x/a.txt", "/a.txt")), (6, entry("b", "/all.jsonl"))];
        let mut block = Vec::new();
        for (document, entry) in entries.iter().chain(&entries[..1]) {
            encode(*document, entry, &mut block);
        }
        assert_eq!(decode(&block), Some(BTreeMap::from(entries)));
        assert_eq!(decode(&block[..block.len() - 1]), None);
        block[9] ^= 1;
        assert_eq!(decode(&block), None);
    }
}
