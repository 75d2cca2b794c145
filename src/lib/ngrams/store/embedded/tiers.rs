//! Which segments a commit merges, so that few are left and each posting is merged seldom.

use super::committed::CommittedSegment;

/// A tier of segments is merged when it has this many; segments of the next tier are this many times as large.
const TIER: u64 = 4;
/// Postings of the largest segments of the first tier.
const FIRST_TIER: u64 = 1 << 16;

/// Which segments a commit merges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MergePolicy {
    /// Those of the same size as the new one.
    Tiers,
    /// All, if there is more than one or a removed document.
    All,
    /// None stays.
    Clear,
}

/// Returns the position of the first segment to merge with a new one of `new` postings. All later ones are merged, too, so that documents stay in the order in
/// which they were added. Every posting is merged once per tier.
pub(super) fn first_merged(
    segments: &[CommittedSegment],
    new: Option<u64>,
    policy: MergePolicy,
) -> usize {
    match (policy, new) {
        (MergePolicy::Tiers, Some(new)) => {
            let sizes: Vec<u64> = segments.iter().map(|segment| segment.entry.postings).collect();
            first_of_tiers(&sizes, new)
        }
        (MergePolicy::All, _) => {
            let is_dirty = |segment: &CommittedSegment| !segment.open.removed.is_empty();
            let is_merged = segments.len() > 1 || segments.iter().any(is_dirty);
            if is_merged { 0 } else { segments.len() }
        }
        (MergePolicy::Tiers, None) | (MergePolicy::Clear, _) => segments.len(),
    }
}

/// Returns the first of the last segments that are merged with a new one: all of lower tiers, so that tiers never increase, and those of its own tier if they fill it.
fn first_of_tiers(sizes: &[u64], new: u64) -> usize {
    let tier = |postings: u64| (postings / FIRST_TIER).max(1).ilog(TIER);
    let (mut first, mut total) = (sizes.len(), new);
    loop {
        let last = |is_merged: &dyn Fn(u32) -> bool| {
            let sizes = sizes[..first].iter().rev();
            sizes.take_while(|size| is_merged(tier(**size))).count()
        };
        let (lower, own) =
            (last(&|other| other < tier(total)), last(&|other| other == tier(total)));
        let more = if own as u64 + 1 < TIER { lower } else { own };
        if more == 0 {
            return first;
        }
        total += sizes[first - more..first].iter().sum::<u64>();
        first -= more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds segments of some sizes, and returns those that are left.
    fn merged(new: impl Iterator<Item = u64>, mut see: impl FnMut(&[u64], u64)) -> Vec<u64> {
        let mut sizes: Vec<u64> = Vec::new();
        for new in new {
            let older = sizes.split_off(first_of_tiers(&sizes, new));
            sizes.push(older.iter().sum::<u64>() + new);
            see(&sizes, sizes[sizes.len() - 1]);
        }
        sizes
    }

    #[test]
    fn few_segments_are_left_and_each_posting_is_merged_seldom() {
        let mut written = 0;
        merged((0..10_000).map(|_| 100_000), |sizes, new| {
            written += new;
            assert!(sizes.len() <= 24, "{sizes:?}");
        });
        assert!(written / 1_000_000_000 <= 8, "{written}");
    }

    #[test]
    fn few_segments_are_left_of_any_sizes() {
        let sizes = [0, 1_000, 5_000_000, 100_000, 40_000_000, 300_000];
        let (mut written, mut added) = (0, 0);
        merged((0..5_000).map(|number| sizes[number * number % 7 % 6]), |sizes, new| {
            written += new;
            assert!(sizes.len() <= 24, "{sizes:?}");
        });
        (0..5_000usize).for_each(|number| added += sizes[number * number % 7 % 6]);
        assert!(written / added <= 10, "{written} of {added}");
        assert!(merged((0..1_000).map(|_| 0), |_, _| {}).len() < TIER as usize);
    }
}
