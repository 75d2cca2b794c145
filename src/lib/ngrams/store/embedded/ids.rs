//! Tables of ids: the XXH3 of each id (u64) and its document (u32), sorted, in pages that end with a checksum. A search looks up a single id: it reads a
//! dozen pages, not the whole table.

use twox_hash::XxHash3_64;

/// The hash of an id, and the number of its document in the segment.
pub type IdEntry = (u64, u32);

/// Bytes of a page; the last one may be shorter.
pub const PAGE: usize = 4096;
/// Bytes of an entry.
const ENTRY: usize = 12;
/// Bytes of a checksum: the lower half of the XXH3 of the entries.
const CHECKSUM: usize = 4;
const ENTRIES_PER_PAGE: usize = (PAGE - CHECKSUM) / ENTRY;

/// Returns the bytes of a table.
pub fn size(entries: u64) -> u64 {
    entries * ENTRY as u64 + entries.div_ceil(ENTRIES_PER_PAGE as u64) * CHECKSUM as u64
}

/// Encodes sorted entries.
pub fn encode(entries: &[IdEntry]) -> Vec<u8> {
    let mut table = Vec::with_capacity(size(entries.len() as u64) as usize);
    for page in entries.chunks(ENTRIES_PER_PAGE) {
        let start = table.len();
        for (hash, document) in page {
            table.extend_from_slice(&hash.to_le_bytes());
            table.extend_from_slice(&document.to_le_bytes());
        }
        let checksum = checksum(&table[start..]);
        table.extend_from_slice(&checksum);
    }
    table
}

/// Reads a page. Returns `None` if it is damaged or empty.
pub fn decode(page: &[u8]) -> Option<Vec<IdEntry>> {
    let (entries, stored) = page.split_at_checked(page.len().checked_sub(CHECKSUM)?)?;
    let (entries, []) = entries.as_chunks::<ENTRY>() else { return None };
    if entries.is_empty() || stored != checksum(entries.as_flattened()) {
        return None;
    }
    let decoded = entries.iter().map(|entry| {
        let [h0, h1, h2, h3, h4, h5, h6, h7, d0, d1, d2, d3] = *entry;
        let hash = u64::from_le_bytes([h0, h1, h2, h3, h4, h5, h6, h7]);
        (hash, u32::from_le_bytes([d0, d1, d2, d3]))
    });
    Some(decoded.collect())
}

fn checksum(entries: &[u8]) -> [u8; CHECKSUM] {
    (XxHash3_64::oneshot(entries) as u32).to_le_bytes()
}

/// Returns the documents of a hash among sorted entries.
pub fn with_hash(entries: &[IdEntry], hash: u64) -> impl Iterator<Item = u32> {
    let first = entries.partition_point(|entry| entry.0 < hash);
    let same = entries[first..].iter().take_while(move |entry| entry.0 == hash);
    same.map(|entry| entry.1)
}

/// Returns the documents of a hash in a table of pages, by binary search. `read` returns the entries of a page, given by number.
///
/// # Errors
/// Those of `read`.
pub fn find<E>(
    pages: u64,
    hash: u64,
    mut read: impl FnMut(u64) -> Result<Vec<IdEntry>, E>,
) -> Result<Vec<u32>, E> {
    let mut found = Vec::new();
    let (mut low, mut high) = (0, pages);
    // The first page that does not end before the hash, and what was read of it last.
    let mut first = None;
    while low < high {
        let middle = low + (high - low) / 2;
        let page = read(middle)?;
        if page.last().is_some_and(|last| last.0 < hash) {
            low = middle + 1;
        } else {
            high = middle;
            first = Some(page);
        }
    }
    // Documents that were removed and added again have entries of one hash, perhaps on several pages.
    while let Some(page) = first.take() {
        found.extend(with_hash(&page, hash));
        low += 1;
        if low < pages && page.last().is_some_and(|last| last.0 == hash) {
            first = Some(read(low)?);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entries() -> impl Strategy<Value = Vec<IdEntry>> {
        // Few hashes: one may fill pages.
        let few = prop::collection::vec((0u64..4, 0u32..9), 0..1200);
        let many = prop::collection::vec((0u64..4000, 0u32..9), 0..1200);
        prop_oneof![few, many].prop_map(|mut entries| {
            entries.sort_unstable();
            entries
        })
    }

    proptest! {
        #[test]
        fn pages_hold_what_a_scan_finds(entries in entries(), wanted in prop_oneof![0u64..5, 0u64..4001]) {
            let table = encode(&entries);
            prop_assert_eq!(table.len() as u64, size(entries.len() as u64));
            let pages: Vec<&[u8]> = table.chunks(PAGE).collect();
            let decoded: Vec<Vec<IdEntry>> = pages.iter().map(|page| decode(page).unwrap()).collect();
            prop_assert_eq!(decoded.concat(), &entries[..]);
            let scanned: Vec<u32> = entries.iter().filter(|entry| entry.0 == wanted).map(|entry| entry.1).collect();
            let mut reads = 0;
            let found = find(pages.len() as u64, wanted, |page| {
                reads += 1;
                decode(pages[page as usize]).ok_or("damaged")
            });
            prop_assert_eq!(&found.unwrap(), &scanned);
            prop_assert!(reads <= 4 + scanned.len() / 300, "{} reads", reads);
            prop_assert_eq!(with_hash(&entries, wanted).collect::<Vec<_>>(), scanned);
        }

        #[test]
        fn damaged_pages_are_refused(count in 1u64..400, bit in any::<prop::sample::Index>(), cut in 1usize..40) {
            let entries: Vec<IdEntry> = (0..count).map(|at| (at * at, at as u32)).collect();
            let mut table = encode(&entries);
            table.truncate(PAGE);
            prop_assert!(decode(&table[..table.len().saturating_sub(cut)]).is_none());
            let bit = bit.index(8 * table.len());
            table[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(decode(&table).is_none());
        }
    }
}
