//! No id for two documents.

use std::ops::Range;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::Places;
use crate::error::{Error, Result, excerpt};
use crate::files::names::Names;

/// An error that names both places if two documents have the same id, both of them old or both new. Sixteen bytes a document for a while.
pub(super) fn check(ids: &Names, first_new: usize, places: &Places) -> Result<()> {
    let repeated = first_repeated(ids, 0..first_new);
    let repeated = repeated.or_else(|| first_repeated(ids, first_new..ids.len()));
    let Some((first, second)) = repeated else { return Ok(()) };
    Err(Error::Message(format!(
        "{}: expected every id once, found {} again, first in {} (an empty --id_field calls records by file and line)",
        places.get(second),
        excerpt(ids.get(second)),
        places.get(first)
    )))
}

/// The first document of a range whose id an earlier one of it has, after that one.
fn first_repeated(ids: &Names, range: Range<usize>) -> Option<(usize, usize)> {
    let hash = |number: usize| (xxh3_64(ids.get(number).as_bytes()), number);
    let mut hashes: Vec<(u64, usize)> = range.into_par_iter().map(hash).collect();
    hashes.par_sort_unstable();
    let same_hash = hashes.chunk_by(|left, right| left.0 == right.0);
    let repeated = same_hash.filter(|group| group.len() > 1).filter_map(|group| {
        let earlier = |at: usize| {
            let id = ids.get(group[at].1);
            group[..at].iter().find(|(_, number)| ids.get(*number) == id)
        };
        (1..group.len()).find_map(|at| Some((earlier(at)?.1, group[at].1)))
    });
    repeated.min_by_key(|(_, second)| *second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_repeated_id_is_found(ids in prop::collection::vec("[a-c]{0,4}", 0..40)) {
            let mut expected = None;
            for (second, id) in ids.iter().enumerate() {
                if let Some(first) = ids[..second].iter().position(|earlier| earlier == id) {
                    expected = expected.or(Some((first, second)));
                }
            }
            prop_assert_eq!(first_repeated(&ids.iter().collect(), 0..ids.len()), expected);
        }
    }
}
