//! Parts that know only a part of each group, as those of a collection compared part by part.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::files::manifest::{Parameters, Provenance, ShardEntry, StageKind};
use crate::files::pairs::table::{OriginColumns, TableFile, write_pairs};
use crate::search::{EqualGroups, GroupedPairs, Pair};
use crate::shard::Shard;

/// Groups documents by content, numbered in the order in which they first occur.
fn groups_of(contents: &[u8]) -> EqualGroups {
    let hash = |item: usize| Some(u64::from(contents[item]));
    EqualGroups::find(contents.len(), hash, |one, other| contents[one] == contents[other])
}

/// Returns the pairs of documents whose contents differ by at most 2.
fn pairs_of(contents: &[u8]) -> GroupedPairs {
    let groups = groups_of(contents);
    let mut pairs = Vec::new();
    for one in 0..groups.len() {
        for other in one + 1..groups.len() {
            let [low, high] = [one, other].map(|group| groups.first(group));
            let distance = contents[low].abs_diff(contents[high]);
            if distance <= 2 {
                let similarity = f64::from(100 - distance);
                pairs.push(Pair { low: low as u32, high: high as u32, similarity });
            }
        }
    }
    GroupedPairs::new(groups, pairs, 0)
}

fn described(shard: Shard) -> PairPart {
    let provenance = Provenance::new(StageKind::Pairs, "test", Parameters::new());
    PairPart { provenance, shard: ShardEntry::new(shard) }
}

/// Writes a part of rows with keys.
fn write_part(path: &Path, shard: Shard, mut rows: Vec<KeyedPair>, ids: &[String]) {
    let publisher = Publisher::silent();
    let file = TablePart::create(&publisher, path).unwrap();
    rows.sort_by_key(|row| row.keys);
    rows.dedup_by_key(|row| row.keys);
    let id = |document: u32| &*ids[document as usize];
    let written = write_pair_part(file, rows.into_iter(), OriginColumns(0), id, described(shard));
    publisher.publish(written.unwrap().0).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn groups_known_in_parts_are_listed_as_the_whole_lists_them(
        contents in prop::collection::vec(0..9u8, 0..30), slices in 1..4usize, max_group in 1..5usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let ids: Vec<String> = (0..contents.len()).map(|number| format!("d{number}")).collect();
        let publisher = Publisher::silent();
        let whole = pairs_of(&contents);
        let file = TableFile::create(&publisher, &path("whole.tsv")).unwrap();
        let part = write_pairs(file, whole.listing(max_group).iter(), OriginColumns(0), |id| &ids[id as usize]);
        publisher.publish(vec![vec![part.unwrap()]]).unwrap();

        let slice = |number: usize| (number * contents.len() / slices)..((number + 1) * contents.len() / slices);
        let tasks: Vec<(usize, usize)> = (0..slices).flat_map(|one| (one..slices).map(move |other| (one, other))).collect();
        let mut paths = Vec::new();
        for (number, (one, other)) in tasks.iter().enumerate() {
            let mut documents: Vec<usize> = slice(*one).collect();
            documents.extend(slice(*other).filter(|_| one != other));
            let subset: Vec<u8> = documents.iter().map(|document| contents[*document]).collect();
            let (found, key) = (pairs_of(&subset), |at: u32| documents[at as usize] as u32);
            let rows = found.listing(max_group).iter().map(|pair| {
                let pair = Pair { low: key(pair.low), high: key(pair.high), ..pair };
                KeyedPair::new(pair, whole.groups())
            });
            let shard = Shard::new(number as u32 + 1, tasks.len() as u32).unwrap();
            let name = shard.path(&path("part.tsv"));
            write_part(&name, shard, rows.collect(), &ids);
            paths.push(name);
        }
        let parts = Parts::read(&paths).unwrap();
        tables::merge_short(&parts, &publisher, &path("merged.tsv"), max_group).unwrap();
        let read = |name: &str| std::fs::read_to_string(path(name)).unwrap();
        prop_assert_eq!(read("merged.tsv"), read("whole.tsv"));
    }
}

#[test]
fn different_rows_of_a_pair_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let ids = ["a".to_string(), "b".to_string()];
    let groups = groups_of(&[1, 2]);
    let paths = [90.0, 91.0].into_iter().zip(1..).map(|(similarity, index)| {
        let shard = Shard::new(index, 2).unwrap();
        let path = shard.path(&folder.path().join("p.tsv"));
        let row = KeyedPair::new(Pair { low: 0, high: 1, similarity }, &groups);
        write_part(&path, shard, vec![row], &ids);
        path
    });
    let parts = Parts::read(&paths.collect::<Vec<_>>()).unwrap();
    let out = folder.path().join("out.tsv");
    let error = merge_pair_parts(&parts, &Publisher::silent(), &out).unwrap_err().to_string();
    let found = error.replace(folder.path().to_str().unwrap(), "");
    let expected = "expected row 0 1 '0.9000\\ta\\tb' as in /p.1-of-2.tsv, found '0.9100\\ta\\tb'";
    assert!(found.contains("/p.2-of-2.tsv: ") && found.contains(expected), "{found}");
    assert!(!out.exists());
}
