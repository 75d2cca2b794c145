//! Order of the matches of a lookup: by document, then by position.

use crate::ngrams::store::NgramMatch;

/// Sorts matches that come segment by segment. Time: linear if a segment has as many matches as documents, as it does where many documents share a
/// notice, and n log n otherwise.
pub fn sort(matches: &mut [NgramMatch]) {
    let segment = |found: &NgramMatch| found.document.0 >> 32;
    for own in matches.chunk_by_mut(|left, right| segment(left) == segment(right)) {
        sort_segment(own);
    }
}

fn sort_segment(matches: &mut [NgramMatch]) {
    let documents = || matches.iter().map(|found| found.document.0);
    let (Some(first), Some(last)) = (documents().min(), documents().max()) else { return };
    let span = last - first;
    if span >= matches.len() as u64 {
        return matches.sort_unstable();
    }
    distribute(matches, |found| (found.document.0 - first) as usize, span as usize + 1);
    for own in matches.chunk_by_mut(|left, right| left.document == right.document) {
        // Blocks that were not in the page cache come last.
        if !own.is_sorted() {
            own.sort_unstable();
        }
    }
}

/// Sorts matches by a number below `count`, equal ones in the order in which they came.
fn distribute(matches: &mut [NgramMatch], number: impl Fn(&NgramMatch) -> usize, count: usize) {
    let mut ends = vec![0usize; count + 1];
    matches.iter().for_each(|found| ends[number(found) + 1] += 1);
    (0..count).for_each(|at| ends[at + 1] += ends[at]);
    let unsorted = matches.to_vec();
    for found in unsorted {
        let next = &mut ends[number(&found)];
        matches[*next] = found;
        *next += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ngrams::store::DocumentKey;

    proptest! {
        #[test]
        fn matches_are_sorted(
            segments in prop::collection::vec((0u64..50, 1u64..60, prop::collection::vec((0u64..1000, 0u32..40), 0..90)), 0..4),
        ) {
            let mut matches = Vec::new();
            for (segment, (first, span, found)) in (0u64..).zip(segments) {
                let key = |document| DocumentKey(segment << 32 | (first + document % span));
                matches.extend(found.into_iter().map(|(document, position)| NgramMatch { document: key(document), position }));
            }
            let mut expected = matches.clone();
            expected.sort();
            sort(&mut matches);
            prop_assert_eq!(matches, expected);
        }
    }
}
