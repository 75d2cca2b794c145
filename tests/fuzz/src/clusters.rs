//! Clusters against a naive grouping.

use nearsig::fuzzing::{Clusters, complete, components};
use nearsig::search::Pair;

use super::content::Choices;

/// Clusters the pairs that the input spells.
///
/// Connected components are those of repeated relabelling, in any order of the pairs; members of complete clusters are all pairs of each
/// other, and no document is in two.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let documents = usize::from(choices.byte()) + 1;
    let mut pairs: Vec<Pair> = Vec::new();
    while choices.rest.len() >= 3 {
        let [one, other] = [(); 2].map(|()| u32::from(choices.byte()) % documents as u32);
        let similarity = f64::from(choices.byte()) / 2.55;
        let is_known = pairs.iter().any(|p| (p.low, p.high) == (one.min(other), one.max(other)));
        if one != other && !is_known {
            pairs.push(Pair { low: one.min(other), high: one.max(other), similarity });
        }
    }
    pairs.sort_by_key(|pair| (pair.low, pair.high));
    let found = listed(&components(documents, pairs.iter().copied()));
    assert_eq!(found, connected(documents, &pairs));
    assert_eq!(listed(&components(documents, pairs.iter().rev().copied())), found);
    check_complete(documents, &pairs);
}

fn listed(clusters: &Clusters) -> Vec<Vec<u32>> {
    clusters.iter().map(<[u32]>::to_vec).collect()
}

/// Gives both documents of a pair the smaller label until nothing changes.
fn connected(documents: usize, pairs: &[Pair]) -> Vec<Vec<u32>> {
    let mut labels: Vec<u32> = (0..documents as u32).collect();
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for Pair { low, high, .. } in pairs {
            let [one, other] = [*low, *high].map(|document| labels[document as usize]);
            has_changed |= one != other;
            labels[*low as usize] = one.min(other);
            labels[*high as usize] = one.min(other);
        }
    }
    let members = |label: u32| {
        (0..documents as u32).filter(|document| labels[*document as usize] == label).collect()
    };
    let groups = (0..documents as u32).map(members);
    groups.filter(|group: &Vec<u32>| group.len() > 1).collect()
}

fn check_complete(documents: usize, pairs: &[Pair]) {
    let clusters = listed(&complete(documents, pairs));
    let is_pair = |low: u32, high: u32| pairs.iter().any(|p| (p.low, p.high) == (low, high));
    let mut seen = vec![false; documents];
    for members in &clusters {
        assert!(members.len() > 1 && members.is_sorted_by(|a, b| a < b));
        for (at, high) in members.iter().enumerate() {
            assert!(!std::mem::replace(&mut seen[*high as usize], true), "{high} is in two");
            assert!(members[..at].iter().all(|low| is_pair(*low, *high)), "{members:?}");
        }
    }
    // Two documents that no cluster takes are no pair: they would be one.
    for pair in pairs {
        assert!(seen[pair.low as usize] || seen[pair.high as usize], "{pair:?} is left out");
    }
}
